"""Numbers that compiled code reads of tensors with `item()`, where they say a size or a place of another tensor.

Run on 2.10, CPU: of a tensor of int32 the gradient does not compile where a slice, an index, `reshape`, `narrow`,
`split` or `zeros` gets the number as it is, or its `int`. Of a tensor of int64 it does, and with `n + 1`, `range(n)`,
`x * n`, and the tensor itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.syntax_forms import given, word_of
from ms_perflint.program.program import Program
from ms_perflint.training.dtypes.dtypes import Dtypes
from ms_perflint.training.graph_mode.compiled import own_nodes, steps

_SIZED = frozenset({"reshape", "view", "narrow", "split", "zeros"})


def read_sizes(program: Program, function: Scope) -> Iterator[ast.AST]:
    """Yield the slices, indices and calls of a compiled function with a size that is not known to be of int64."""
    if not any(site.word == "item" for site in function.calls):
        return
    dtypes = Dtypes(program)
    for step in steps(program, function):
        for node in own_nodes(step):
            values = (value for size in _sizes(node) for value in _values(function, size))
            if any(_is_read(dtypes, function, value) for value in values):
                yield node


def _sizes(node: ast.AST) -> Iterator[ast.expr]:
    """Yield what a subscript or call takes as sizes and places."""
    parts: list[ast.expr] = []
    if isinstance(node, ast.Subscript):
        parts = [node.slice]
    elif isinstance(node, ast.Call) and word_of(node.func) in _SIZED:
        parts = given(node)
    for part in parts:
        for axis in part.elts if isinstance(part, (ast.Tuple, ast.List)) else [part]:
            ends = (axis.lower, axis.upper, axis.step) if isinstance(axis, ast.Slice) else (axis,)
            yield from (end for end in ends if end is not None)


def _values(function: Scope, node: ast.expr) -> list[ast.expr]:
    """Return what an expression is, a name by its assignments."""
    if not isinstance(node, ast.Name):
        return [node]
    return [each.value for each in function.flow.at(node) if each.value is not None and not each.path]


def _is_read(dtypes: Dtypes, function: Scope, node: ast.expr) -> bool:
    """Return whether an expression is the `item()` of a tensor, or its `int`, and the tensor may be of int32."""
    if not isinstance(node, ast.Call):
        return False
    if word_of(node.func) == "int" and len(node.args) == 1:
        return _is_read(dtypes, function, node.args[0])
    if not isinstance(node.func, ast.Attribute) or node.func.attr != "item" or node.args:
        return False
    dtype = dtypes.of(node.func.value, function)
    return dtype is None or dtype.name != "int64"
