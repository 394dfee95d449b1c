"""Numbers that `item()` reads from a tensor, as an index or size in compiled code; tensors that grow; ranges turned.

Run on 2.10, CPU, with gradients: as the index of a tensor or a list, in a loop up to it too, as a bound of a slice, a
size of `zeros`, `reshape`, `narrow`, `split`, `tile` or `broadcast_to`, a number of an int32 tensor does not compile,
nor does its `int`; of an int64 tensor both do. So does `int(tensor)`, and `item()` as a factor, in a sum, a power, a
test or a `range` that only counts.

`reversed` compiles for a range of numbers, names and attributes of the cell, also in `list`, `tuple` and `sum`. Of
tensors it gives other losses; of cells and lists, of a range up to `len(...)`, `x.ndim` or `x.shape[0]`, inside of
`enumerate` and of `zip` beside tensors it does not compile, or not always.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.syntax_forms import given, is_own, word_of
from ms_perflint.program.program import Program
from ms_perflint.training.dtypes.dtypes import Dtypes
from ms_perflint.training.dtypes.tensor_ops import words
from ms_perflint.training.graph_mode.compiled import assigned, gone_through, nodes
from ms_perflint.training.graph_mode.constants import is_constant

_SIZED = words("zeros reshape view narrow split tile broadcast_to")
_WIDENS = frozenset({"cat", "concat", "concatenate", "stack", "vstack", "hstack", "tile", "unsqueeze", "expand_dims"})
_TAKES_REVERSED = frozenset({"list", "tuple", "sum"})
_HOPS = 3  # names that stand for one another


def odd_sizes(program: Program, function: Scope) -> Iterator[ast.AST]:
    """Yield the indices and sizes of a compiled function that `item()` reads from a tensor that may be int32."""
    if not any(site.word == "item" for site in function.calls):
        return
    dtypes = Dtypes(program)
    for _, node in nodes(program, function):
        parts = [node.slice] if isinstance(node, ast.Subscript) else []
        parts += given(node) if isinstance(node, ast.Call) and word_of(node.func) in _SIZED else []
        if any(_is_item(dtypes, function, each) for each in parts):
            yield node


def odd_reversals(program: Program, function: Scope) -> Iterator[ast.AST]:
    """Yield the calls of `reversed` in a compiled function that are not known to compile."""
    if not any(site.word == "reversed" for site in function.calls):
        return
    for node in (each for _, each in nodes(program, function) if isinstance(each, ast.Call)):
        calls = [each for each in given(node) if isinstance(each, ast.Call)]
        if word_of(node.func) == "reversed":
            ranges = [each for each in calls if word_of(each.func) == "range"]
            bounds = (bound for each in ranges for bound in given(each))
            if len(ranges) != len(given(node)) or not all(_is_number(program, function, each) for each in bounds):
                yield node
        elif word_of(node.func) not in _TAKES_REVERSED and any(word_of(each.func) == "reversed" for each in calls):
            yield node


def _is_number(program: Program, function: Scope, node: ast.AST) -> bool:
    """Return whether a bound of a range is put together of numbers, names and attributes of the cell."""
    calls = any(isinstance(each, (ast.Call, ast.Subscript)) for each in ast.walk(node))
    is_own_only = all(is_own(each) for each in ast.walk(node) if isinstance(each, ast.Attribute))
    return is_own_only and not calls and is_constant(program, function, node)


def widens(node: ast.AST) -> bool:
    """Return whether a tensor gets other dimensions: `x = ops.cat((x, y))`. `cat`, `tile` and `unsqueeze` were run."""
    name, value = assigned(node)
    is_wider = len(name) == 1 and isinstance(value, ast.Call) and word_of(value.func) in _WIDENS
    return is_wider and any(isinstance(each, ast.Name) and each.id == word_of(name[0]) for each in ast.walk(value))  # type: ignore[arg-type]


def _is_item(dtypes: Dtypes, function: Scope, node: ast.AST, hops: int = _HOPS) -> bool:
    """Return whether an index or a size is a number that `item()` reads from a tensor that may be int32."""
    if isinstance(node, ast.Name):
        is_own = hops > 0 and function.home(node.id) is function
        return is_own and any(_is_item(dtypes, function, each, hops - 1) for each in _values(function, node))
    if isinstance(node, (ast.Tuple, ast.List, ast.Slice)):
        return any(_is_item(dtypes, function, each, hops) for each in ast.iter_child_nodes(node))
    if isinstance(node, ast.Call) and word_of(node.func) == "int" and len(node.args) == 1:
        return _is_item(dtypes, function, node.args[0], hops)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "item":
        return False
    base, dtype = node.func.value, dtypes.of(node.func.value, function)
    is_wide = (dtype is not None and dtype.name == "int64") or is_constant(dtypes.program, function, base)
    return not given(node) and not is_wide


def _values(function: Scope, name: ast.Name) -> list[ast.expr]:
    """Return what a name is: the expressions assigned to it, or the arguments of `range` in a loop over it."""
    loops = [gone_through(binding)[0] for binding in function.lookup(name)]
    ranges = (each for each in loops if isinstance(each, ast.Call) and word_of(each.func) == "range")
    return [*function.wholes(name), *(bound for each in ranges for bound in given(each))]
