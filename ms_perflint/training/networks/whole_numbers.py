"""Inputs of a network that become whole numbers in it: in half precision they are rounded before.

`self.table(ids.astype(ms.int32))` of float ids takes other rows from 2,049 on in FP16 (run on 2.10, CPU): mixed
precision casts float inputs of a converted network, and leaves whole numbers as they are.
"""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.semantic_index import Binding, Scope
from ms_perflint.index.syntax_forms import given, only_target, word_of
from ms_perflint.infer.parameters import argument
from ms_perflint.infer.values import Alternative
from ms_perflint.program.call_site import call_of
from ms_perflint.program.program import Program
from ms_perflint.training.bases import is_cell_class
from ms_perflint.training.dtypes.dtypes import Dtypes
from ms_perflint.training.networks.known_kinds import plain
from ms_perflint.training.networks.layers import TABLES

MOST = {"float16": 2048, "bfloat16": 256}  # up to which a dtype holds all whole numbers
_KEEPS = frozenset(
    {"reshape", "view", "squeeze", "expanddims", "unsqueeze", "flatten", "transpose", "permute", "swapaxes", "split"}
    | {"chunk", "stopgradient", "floor", "round", "ceil", "abs", "clip", "clamp", "tile", "concat", "cat", "stack"}
)
_DEPTH = 6  # names, parameters and operators between an input and the cast
_SIZES = ("vocab_size", "num_embeddings")


def is_rounded(program: Program, cast: ast.Call, to: ast.expr, function: Scope, dtype: str) -> bool:
    """Return whether a cast to whole numbers is one of an input, and may be of larger ones than a dtype holds.

    `to`: the argument that is the dtype of whole numbers.
    """
    operands = [each for each in cast.args if each is not to]
    if not operands and isinstance(cast.func, ast.Attribute):
        operands = [cast.func.value]
    if not any(_Inputs(program).holds(each, function, _DEPTH) for each in operands[:1]):
        return False
    sizes = list(_sizes(program, cast, function))
    return not sizes or any(size is None or size > MOST[dtype] for size in sizes)


class _Inputs:
    """Which expressions are inputs of the network, and may be of a float dtype."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.dtypes = Dtypes(program)

    def holds(self, node: Optional[ast.expr], function: Scope, depth: int) -> bool:
        """Return whether an expression is an input, or made of one."""
        if node is None or not depth:
            return False
        dtype = self.dtypes.of(node, function)
        if dtype is not None and dtype.is_whole:
            return False
        if isinstance(node, ast.Name):
            return any(self._is_bound(each, depth - 1) for each in function.lookup(node))
        if isinstance(node, (ast.Subscript, ast.Starred)):
            return self.holds(node.value, function, depth - 1)
        if isinstance(node, ast.UnaryOp):
            return self.holds(node.operand, function, depth - 1)
        parts: list[ast.expr] = []
        if isinstance(node, ast.BinOp):
            parts = [node.left, node.right]
        elif isinstance(node, (ast.Tuple, ast.List)):
            parts = node.elts
        elif isinstance(node, ast.Call) and plain(word_of(node.func)) in _KEEPS:
            parts = [*([node.func.value] if isinstance(node.func, ast.Attribute) else []), *node.args[:1]]
        return any(self.holds(part, function, depth - 1) for part in parts)

    def _is_bound(self, binding: Binding, depth: int) -> bool:
        own = binding.scope
        if binding.kind != "parameter":
            return self.holds(binding.value, own.owner, depth)
        inside = [site for site in self.program.callers(own) if is_cell_class(self.program, site.scope.owner.cls)]
        if not inside:
            return True  # MindSpore, or the code around the network, passes it
        parts = (argument(self.program.evaluator, binding, site).part for site in inside)
        return any(part is not None and self.holds(part.node, part.scope.owner, depth) for part in parts)


def _sizes(program: Program, cast: ast.Call, function: Scope) -> list[Optional[int]]:
    """Return the rows of the tables, and the classes, of which the result of a cast chooses; None for unknown ones."""
    bound = next((only_target(site.stmt) for site in function.calls if site.node is cast), None)
    names = {bound.id} if isinstance(bound, ast.Name) else set[str]()
    found: list[Optional[int]] = []
    for site in function.calls:
        parts = given(site.node) if isinstance(site.node, ast.Call) else []
        if any(part is cast or (isinstance(part, ast.Name) and part.id in names) for part in parts):
            callees = program.evaluator.callees(site).alternatives
            found += [_size(program, each, site.node, function) for each in callees]
    return found


def _size(program: Program, known: Alternative, call: ast.AST, function: Scope) -> Optional[int]:
    """Return the rows of a table, or the classes of a one-hot encoding."""
    if known.type_api in TABLES:
        made = call_of(program, known)
        values = [made.argument(name) for name in _SIZES if made.given(name) is not None] if made is not None else []
        size = values[0].constant if values else None
        return size if isinstance(size, int) else None
    depth = call.args[1] if isinstance(call, ast.Call) and len(call.args) > 1 else None
    is_one_hot = plain((known.api or known.type_api).rpartition(".")[2]) == "onehot"
    size = program.value(depth, function).constant if is_one_hot and depth is not None else None
    return size if isinstance(size, int) else None
