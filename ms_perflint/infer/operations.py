"""Operators on what is known: comparisons, `and`, `or`, `not`, arithmetic on constants."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, Optional

from ms_perflint.index.predicates import COMPARE
from ms_perflint.index.semantic_index import Binding, Scope
from ms_perflint.index.signature import Held
from ms_perflint.infer import mappings
from ms_perflint.infer.values import (
    BOTTOM,
    DICT,
    LIST,
    NO_CONSTANT,
    SET,
    TOP,
    TUPLE,
    Alternative,
    Bound,
    Constant,
    Display,
    Options,
    Tree,
    Value,
    join,
)

if TYPE_CHECKING:
    from ms_perflint.infer.evaluator import Evaluator

TEXT = 4096  # characters of a text, or times that it is repeated, up to which it is computed
_WIDE = r"\d{5}|\*|\{[^{}]*\{"  # of a format: a width beyond that, or one that is computed itself
COMBINATIONS = 32  # of known operands, before the answer is "open"


def _times(left: Any, right: Any) -> Any:
    """Return a product; ValueError for a text that is repeated too often."""
    for text, count in ((left, right), (right, left)):
        if isinstance(text, (str, bytes)) and count > TEXT:
            raise ValueError("too long")
    return left * right


def _modulo(left: Any, right: Any) -> Any:
    """Return a remainder, or a formatted text; ValueError for one that may be too long."""
    return _narrow(left) % right if isinstance(left, str) else left % right


def _formatted(text: str, *values: Any) -> str:
    return _narrow(text).format(*values)


def _narrow(text: str) -> str:
    """Return a format; ValueError for one that may make a text too long."""
    if re.search(_WIDE, text) is not None:
        raise ValueError("too long")
    return text


_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: _times,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: _modulo,
}
_OF_TEXT: dict[str, Callable[..., Any]] = {
    "lower": str.lower,
    "upper": str.upper,
    "casefold": str.casefold,
    "capitalize": str.capitalize,
    "strip": str.strip,
    "startswith": str.startswith,
    "endswith": str.endswith,
    "replace": str.replace,
    "format": _formatted,
}


def of_text(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return what a method of a text gives: `mode.lower()`; None where it is no such call on a text that is known."""
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in _OF_TEXT or node.keywords:
        return None
    base = evaluator.value(node.func.value, scope)
    if not any(isinstance(constant, str) for constant in base.constants):
        return None
    function = _OF_TEXT[node.func.attr]
    arguments = [evaluator.value(argument, scope) for argument in node.args]
    return combine([base, *arguments], lambda known: _calculate(function, known), node, scope)


def operation(evaluator: Evaluator, node: ast.expr, scope: Scope) -> Value:
    """Return what an operator expression can be."""
    if isinstance(node, ast.UnaryOp):
        operand = evaluator.value(node.operand, scope)
        if evaluator.is_pending(operand):
            return BOTTOM
        if isinstance(node.op, ast.Not):
            return combine([operand], lambda known: _not(known[0]), node, scope)
        if isinstance(node.op, ast.USub):
            return combine([operand], lambda known: _calculate(lambda value: -value, known), node, scope)
        return TOP
    if isinstance(node, ast.BoolOp):
        return _logic(evaluator, node, scope)
    if isinstance(node, ast.Compare):
        return _compare(evaluator, node, scope)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _united(evaluator, node, scope)
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        function = _ARITHMETIC[type(node.op)]
        left = evaluator.value(node.left, scope)
        if evaluator.is_pending(left):
            return BOTTOM
        if not left.constants and not isinstance(node.op, ast.Add):
            return TOP  # whatever the other one is
        sides = [left, evaluator.value(node.right, scope)]
        if isinstance(node.op, ast.Add) and any(map(is_sequence, sides)):
            return joined(evaluator, node, (node.left, node.right), scope)
        if evaluator.is_pending(sides[1]):
            return BOTTOM
        return combine(sides, lambda known: _calculate(function, known), node, scope)
    if isinstance(node, ast.JoinedStr):
        parts = [evaluator.value(p.value if isinstance(p, ast.FormattedValue) else p, scope) for p in node.values]
        if any(map(evaluator.is_pending, parts)):
            return BOTTOM
        return combine(parts, lambda known: _calculate(lambda *texts: "".join(map(str, texts)), known), node, scope)
    return TOP


def _united(evaluator: Evaluator, node: ast.BinOp, scope: Scope) -> Value:
    """Return what `a | b` of two mappings is; open for other operands."""
    if not all(mappings.is_mapping(evaluator.value(side, scope)) for side in (node.left, node.right)):
        return TOP
    return mappings.laid(evaluator, node, [(None, Held(node.left, scope)), (None, Held(node.right, scope))], scope)


def augmented(evaluator: Evaluator, binding: Binding, scope: Scope) -> Value:
    """Return what `name += value` gives a name; nobody knows how often it runs in a loop, unless it makes a list."""
    stmt = binding.stmt
    assert isinstance(stmt, ast.AugAssign)
    left, right = evaluator.value(stmt.target, scope), evaluator.value(stmt.value, scope)
    if evaluator.is_pending(left) or evaluator.is_pending(right):
        return BOTTOM
    if isinstance(stmt.op, ast.Add) and is_sequence(left):
        return joined(evaluator, stmt, (stmt.target, stmt.value), scope)
    if type(stmt.op) not in _ARITHMETIC or binding.block.loops or binding.name in binding.scope.declared:
        return TOP
    function = _ARITHMETIC[type(stmt.op)]
    return combine([left, right], lambda known: _calculate(function, known), stmt.target, scope)


def is_sequence(value: Value) -> bool:
    """Return whether it is a list or tuple that the program shows."""
    return bool(value.alternatives) and all(
        isinstance(known.what, Display) and known.what.kind != DICT for known in value.alternatives
    )


def joined(evaluator: Evaluator, node: ast.AST, sides: Sequence[ast.expr], scope: Scope) -> Value:
    """Return the list that holds what several lists hold, in their order."""
    parts = tuple(Held(side, scope, is_spread=True) for side in sides)
    return evaluator.known(Display(node, scope, LIST, parts), sides[0], scope)


def combine(
    operands: Sequence[Value], function: Callable[[tuple[Alternative, ...]], object], node: ast.AST, scope: Scope
) -> Value:
    """Return what a function of the operands can be; `function` gives NO_CONSTANT where it cannot tell."""
    count = 1
    for operand in operands:
        count *= max(1, len(operand.alternatives))
    if count > COMBINATIONS:
        return TOP
    results, is_open = [], any(operand.open for operand in operands)
    for chosen in product(*(operand.alternatives for operand in operands)):
        result = function(chosen)
        if result is NO_CONSTANT:
            is_open = True
        else:
            where = (scope.module, node) if not chosen else chosen[0].where
            results.append(Value((Alternative(Constant(result), where, all(known.by_default for known in chosen)),)))
    value = join(results) if results else TOP
    return Value(value.alternatives, is_open or value.open, any(operand.overridable for operand in operands))


def _not(known: Alternative) -> object:
    answer = known.truth
    return NO_CONSTANT if answer is None else not answer


def _calculate(function: Callable[..., Any], known: tuple[Alternative, ...]) -> object:
    constants = [each.constant for each in known]
    if NO_CONSTANT in constants:
        return NO_CONSTANT
    if any(map(_is_huge, constants)):
        return NO_CONSTANT
    try:
        return function(*constants)
    except Exception:
        return NO_CONSTANT


def _is_huge(constant: object) -> bool:
    """Return whether a constant may blow up in arithmetic: `"x" * 10**9`."""
    if isinstance(constant, (str, bytes)):
        return len(constant) > TEXT
    return isinstance(constant, int) and abs(constant) > 1 << 64


def _compare(evaluator: Evaluator, node: ast.Compare, scope: Scope) -> Value:
    """`a == b`, `a in b`, and `a < b < c`, which is what all of its parts are."""
    operands = [node.left, *node.comparators]
    parts = [
        _compared(evaluator, left, op, right, node, scope) for left, op, right in zip(operands, node.ops, operands[1:])
    ]
    return parts[0] if len(parts) == 1 else combine(parts, lambda known: _calculate(_all, known), node, scope)


def _all(*answers: object) -> bool:
    return all(answers)


def _compared(
    evaluator: Evaluator, left: ast.expr, op: ast.cmpop, right: ast.expr, node: ast.expr, scope: Scope
) -> Value:
    function = COMPARE[type(op)]
    first = evaluator.value(left, scope)
    if evaluator.is_pending(first):
        return BOTTOM
    if not first.constants and not isinstance(op, (ast.Is, ast.IsNot)):
        return TOP  # whatever the other one is
    second = evaluator.value(right, scope)
    if evaluator.is_pending(second):
        return BOTTOM
    if isinstance(op, (ast.In, ast.NotIn)):
        choices = _choices(evaluator, second)
        if choices is not None:
            return combine([first, *choices], lambda known: _member(function, known), node, scope)
        held = _held(evaluator, first, second, node, scope)
        if held is not None:
            return held if isinstance(op, ast.In) else combine([held], lambda known: _not(known[0]), node, scope)
    if isinstance(op, (ast.Is, ast.IsNot)) and isinstance(right, ast.Constant) and right.value is None:
        return combine([first], lambda known: _is_none(known[0], isinstance(op, ast.Is)), node, scope)
    return combine([first, second], lambda known: _calculate(function, known), node, scope)


def _choices(evaluator: Evaluator, value: Value) -> Optional[list[Value]]:
    """Return the elements of a list, or the keys of a dict, that the program shows; None for anything else."""
    what = value.only.what if value.only is not None else None
    if not isinstance(what, Display) or what.kind not in (LIST, TUPLE, SET, DICT):
        return None
    parts = what.keys if what.kind == DICT else what.parts
    shown = [part for part in parts if part is not None and not part.is_spread]
    return [evaluator.read(part) for part in shown] if len(shown) == len(parts) else None


def _held(evaluator: Evaluator, name: Value, holders: Value, node: ast.expr, scope: Scope) -> Optional[Value]:
    """Return whether what holds settings holds this one; None where that is not known."""
    if len(name.constants) != 1 or name.open:
        return None
    return mappings.membership(evaluator, holders, name.constants[0], node, scope)


def _member(function: Callable[[Any, Any], Any], known: tuple[Alternative, ...]) -> object:
    constants = [each.constant for each in known]
    return NO_CONSTANT if NO_CONSTANT in constants else function(constants[0], constants[1:])


def _is_none(known: Alternative, wanted: bool) -> object:
    """Return whether a thing is None: what is no constant, and no name outside of the project, is something."""
    if known.constant is not NO_CONSTANT:
        return (known.constant is None) is wanted
    return not wanted if isinstance(known.what, (Display, Options, Tree, Scope, Bound)) else NO_CONSTANT


# --- and, or


def _logic(evaluator: Evaluator, node: ast.BoolOp, scope: Scope) -> Value:
    """`a or b`: the first operand that is true, else the last; `and` the other way round."""
    deciding = isinstance(node.op, ast.Or)
    operands = [evaluator.value(operand, scope) for operand in node.values]
    if evaluator.is_pending(operands[0]):
        return BOTTOM
    decided = _decided(evaluator, node, operands, deciding, scope)
    if decided is not None:
        return decided
    results, is_usual, is_open, is_optional = [], True, False, False
    for position, operand in enumerate(operands, 1):
        is_last = position == len(operands)
        kept = tuple(known for known in operand.alternatives if is_last or known.truth is not (not deciding))
        results.append(Value(kept) if is_usual else Value(kept).as_non_default())
        is_open = is_open or (operand.open and is_usual)
        is_optional = is_optional or operand.overridable or operand.open
        if operand.truth is deciding:
            break
        if not operand.open:
            is_usual = is_usual and any(known.truth is not deciding for known in operand.by_default)
    return Value(join(results).alternatives, is_open, is_optional and not is_open)


def _decided(
    evaluator: Evaluator, node: ast.BoolOp, operands: Sequence[Value], deciding: bool, scope: Scope
) -> Optional[Value]:
    """Return what comes out, whatever an operand before is: `unknown() and False`; None where that matters."""
    for position, operand in enumerate(operands):
        if operand.default_truth is not deciding or all(o.default_truth is not None for o in operands[:position]):
            continue
        if deciding and not all(isinstance(constant, bool) for constant in operand.constants):
            continue  # `unknown() or "default"` is worth more than its truth
        known = evaluator.known(Constant(deciding), node.values[position], scope)
        return known if operand.truth is deciding else Value(known.alternatives, False, True)
    return None
