"""The part of a tensor that a mask chooses, whose length is not known, in compiled code.

Run on 2.10, CPU. `x[mask] = value` is right for a number and for a tensor of no dimensions (a sum, a mean). It fails
where the value is itself what a mask chooses, also `x[mask] += 1`; with other tensors it fails, or gives other losses.
Right are `x[mask, 0] = ...`, `ops.where`, `ops.select`, `masked_fill`, indices that are numbers, and a mask that reads:
`x[mask].sum()`, `x[mask].reshape(-1, 2)`, a layer on `x[mask]`, its shape in a test or as a divisor. A loop over
`x[mask]` fails, and its `len` may be another number. It is so with what `unique` gives; a loop over what `nonzero`
gives fails where a sum in it begins as a number of Python.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.syntax_forms import word_of
from ms_perflint.languages import Message
from ms_perflint.program.program import Program
from ms_perflint.training.dtypes import tensor_ops
from ms_perflint.training.dtypes.dtypes import Dtypes
from ms_perflint.training.graph_mode.compiled import assigned, nodes, steps
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle

_TESTS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_OF_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor)
_CHOOSES = ("masked_select", "MaskedSelect")
_DISTINCT = ("unique", "Unique", "unique_consecutive", "UniqueConsecutive")
_FINDS = ("nonzero", "NonZero", "argwhere")
_ONE = frozenset({"sum", "mean", "max", "min", "prod", "norm", "std", "var", "item", "numel", "float", "int", "len"})
_HOPS = 4  # names that stand for one another


def in_masks(program: Program, function: Scope) -> Iterator[Obstacle]:
    """Yield the stores of a compiled function through a mask whose value a mask selects too: `x[mask] = y[mask]`."""
    values = _Masks(program, function)
    for node, value in values.stores():
        if values.is_chosen(node.slice) and (value is None or values.is_part(value)):
            text = Message("graph mode does not assign through a mask: use `ops.where`")
            yield obstacle(function.module, node, "mask", text)


def odd_masks(program: Program, function: Scope) -> Iterator[ast.AST]:
    """Yield the stores through masks, and the reads of what masks choose, that are not known to compile."""
    values = _Masks(program, function)
    for node, value in values.stores():
        is_mask = values.is_chosen(node.slice) or values.is_called_mask(node.slice)
        if is_mask and value is not None and not values.is_one(value) and not values.is_part(value):
            yield node
    for _, each in nodes(program, function):
        if isinstance(each, (ast.For, ast.comprehension)) and values.is_as_long(each.iter):
            yield each if isinstance(each, ast.For) else each.iter
        elif isinstance(each, ast.Call) and word_of(each.func) == "len" and any(map(values.is_part, each.args)):
            yield each


class _Masks:
    """The masks of a compiled function, and the parts of tensors that they select."""

    def __init__(self, program: Program, function: Scope) -> None:
        self.program = program
        self.function = function
        self.dtypes = Dtypes(program)

    def stores(self) -> Iterator[tuple[ast.Subscript, Optional[ast.expr]]]:
        """Yield the subscripts that are assigned, with the value; None for an augmented assignment."""
        for step in steps(self.program, self.function):
            targets, value = assigned(step.stmt)
            is_changed = isinstance(step.stmt, ast.AugAssign)
            yield from ((each, None if is_changed else value) for each in targets if isinstance(each, ast.Subscript))

    def is_chosen(self, node: ast.expr, hops: int = _HOPS) -> bool:
        """Return whether an index is a mask: a tensor of truth values."""
        if isinstance(node, ast.Compare):
            return len(node.ops) == 1 and isinstance(node.ops[0], _TESTS)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
            return self.is_chosen(node.operand, hops)
        if isinstance(node, ast.BinOp) and isinstance(node.op, _OF_BITS):
            return self.is_chosen(node.left, hops) or self.is_chosen(node.right, hops)
        if isinstance(node, ast.Name):
            return self._always(node, self.is_chosen, hops)
        if not isinstance(node, ast.Call):
            return False
        dtype = self.dtypes.of(node, self.function)
        return word_of(node.func) in (*tensor_ops.BOOLEAN, "bool") or (dtype is not None and dtype.name == "bool_")

    def is_called_mask(self, node: ast.expr) -> bool:
        """Return whether a name is that of a mask, and no binding shows that it is a number or holds numbers."""
        if not isinstance(node, ast.Name) or "mask" not in node.id.lower():
            return False
        own = self.function.flow.at(node) if self.function.home(node.id) is self.function else ()
        dtype = self.dtypes.of(node, self.function)
        return not any(each.kind == "for" for each in own) and (dtype is None or dtype.name == "bool_")

    def is_part(self, node: ast.expr, hops: int = _HOPS) -> bool:
        """Return whether an expression is a part of a tensor that a mask chooses."""
        if isinstance(node, ast.Subscript):
            return self.is_chosen(node.slice) or self._gives(_DISTINCT, node.value, hops)
        if isinstance(node, ast.BinOp):
            return self.is_part(node.left, hops) or self.is_part(node.right, hops)
        if isinstance(node, ast.UnaryOp):
            return self.is_part(node.operand, hops)
        if isinstance(node, ast.Name):
            bound = self.function.lookup(node)
            is_unpacked = bool(bound) and all(each.path and self._gives(_DISTINCT, each.value, hops) for each in bound)
            return is_unpacked or self._always(node, self.is_part, hops)
        if not isinstance(node, ast.Call) or word_of(node.func) in _ONE:
            return False
        if word_of(node.func) in _CHOOSES:
            return True
        base = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        return any(self.is_part(each, hops) for each in (*base, *node.args) if not isinstance(each, ast.Starred))

    def is_as_long(self, over: ast.expr) -> bool:
        """Return whether a loop goes through such a part, or through a `range` of its shape."""
        shapes = (each.value for each in ast.walk(over) if isinstance(each, ast.Attribute) and each.attr == "shape")
        is_range = isinstance(over, ast.Call) and word_of(over.func) == "range"
        is_part = self.is_part(over) or self._gives((*_DISTINCT, *_FINDS), over, _HOPS)
        return is_part or (is_range and any(map(self.is_part, shapes)))

    def _gives(self, words: Sequence[str], node: Optional[ast.expr], hops: int) -> bool:
        """Return whether an expression is what a call of one of some words gives: `ops.unique(x)`, `P.Unique()(x)`."""
        if isinstance(node, ast.Name):
            return self._always(node, partial(self._gives, words), hops)
        func = node.func if isinstance(node, ast.Call) else None
        return func is not None and word_of(func.func if isinstance(func, ast.Call) else func) in words

    def is_one(self, node: ast.expr) -> bool:
        """Return whether a value is a number, or a tensor of no dimensions."""
        if isinstance(node, ast.Call):
            is_plain = len(node.args) <= isinstance(node.func, ast.Name) and not node.keywords
            if word_of(node.func) in ("Tensor", "tensor"):
                return bool(node.args) and isinstance(node.args[0], ast.Constant)
            return word_of(node.func) in _ONE and is_plain
        if isinstance(node, ast.UnaryOp):
            return self.is_one(node.operand)
        if isinstance(node, ast.BinOp):
            return self.is_one(node.left) and self.is_one(node.right)
        known = self.program.value(node, self.function)
        return known.are_constants and not known.open

    def _always(self, node: ast.Name, is_so: Callable[[ast.expr, int], bool], hops: int) -> bool:
        """Return whether a predicate holds for all values of a name of the function; False if there may be others."""
        is_own = hops > 0 and self.function.home(node.id) is self.function
        values = self.function.wholes(node) if is_own else []
        return bool(values) and all(is_so(each, hops - 1) for each in values)
