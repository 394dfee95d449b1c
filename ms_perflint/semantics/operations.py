"""Operators on what is known: comparisons, `and`, `or`, `not`, arithmetic on constants."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, Optional

from ms_perflint.semantics.module import Binding, Scope
from ms_perflint.semantics.values import NO_CONSTANT, OPEN, Constant, Display, Known, Value, truth, union

if TYPE_CHECKING:
    from ms_perflint.semantics.evaluate import Evaluator

COMBINATIONS = 32  # of known operands, before the answer is "open"
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.eq,
    ast.IsNot: operator.ne,
    ast.In: lambda item, container: item in container,
    ast.NotIn: lambda item, container: item not in container,
}
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_OF_TEXT: dict[str, Callable[..., Any]] = {
    "lower": str.lower,
    "upper": str.upper,
    "casefold": str.casefold,
    "capitalize": str.capitalize,
    "strip": str.strip,
    "startswith": str.startswith,
    "endswith": str.endswith,
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
        if isinstance(node.op, ast.Not):
            return combine([operand], lambda known: _not(known[0]), node, scope)
        if isinstance(node.op, ast.USub):
            return combine([operand], lambda known: _calculate(lambda value: -value, known), node, scope)
        return OPEN
    if isinstance(node, ast.BoolOp):
        return _logic(evaluator, node, scope)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _compare(evaluator, node, scope)
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        function = _ARITHMETIC[type(node.op)]
        sides = [evaluator.value(node.left, scope), evaluator.value(node.right, scope)]
        if isinstance(node.op, ast.Add) and any(map(is_sequence, sides)):
            return joined(evaluator, node, (node.left, node.right), scope)
        return combine(sides, lambda known: _calculate(function, known), node, scope)
    if isinstance(node, ast.JoinedStr):
        parts = [evaluator.value(p.value if isinstance(p, ast.FormattedValue) else p, scope) for p in node.values]
        return combine(parts, lambda known: _calculate(lambda *texts: "".join(map(str, texts)), known), node, scope)
    return OPEN


def augmented(evaluator: Evaluator, binding: Binding, scope: Scope) -> Value:
    """Return what `name += value` gives a name; nobody knows how often it runs in a loop, unless it makes a list."""
    stmt = binding.stmt
    assert isinstance(stmt, ast.AugAssign)
    left, right = evaluator.value(stmt.target, scope), evaluator.value(stmt.value, scope)
    if isinstance(stmt.op, ast.Add) and is_sequence(left):
        return joined(evaluator, stmt, (stmt.target, stmt.value), scope)
    if type(stmt.op) not in _ARITHMETIC or binding.block.in_loop:
        return OPEN
    function = _ARITHMETIC[type(stmt.op)]
    return combine([left, right], lambda known: _calculate(function, known), stmt.target, scope)


def is_sequence(value: Value) -> bool:
    """Return whether it is a list or tuple that the program shows."""
    return bool(value.known) and all(
        isinstance(known.what, Display) and not isinstance(known.what.node, ast.Dict) for known in value.known
    )


def joined(evaluator: Evaluator, node: ast.AST, sides: Sequence[ast.expr], scope: Scope) -> Value:
    """Return the list that holds what several lists hold, in their order."""
    made = evaluator.made.get((id(node), 0))
    if made is None:
        parts: list[ast.expr] = [ast.copy_location(ast.Starred(side, ast.Load()), side) for side in sides]
        made = evaluator.made[id(node), 0] = ast.copy_location(ast.List(parts, ast.Load()), sides[0])
    return evaluator.known(Display(made, scope), sides[0], scope)


def combine(
    operands: Sequence[Value], function: Callable[[tuple[Known, ...]], object], node: ast.AST, scope: Scope
) -> Value:
    """Return what a function of the operands can be; `function` gives NO_CONSTANT where it cannot tell."""
    count = 1
    for operand in operands:
        count *= max(1, len(operand.known))
    if count > COMBINATIONS:
        return OPEN
    results, is_open = [], any(operand.open for operand in operands)
    for chosen in product(*(operand.known for operand in operands)):
        result = function(chosen)
        if result is NO_CONSTANT:
            is_open = True
        else:
            where = (scope.module, node) if not chosen else chosen[0].where
            results.append(Value((Known(Constant(result), where, all(known.usual for known in chosen)),)))
    value = union(results) if results else OPEN
    return Value(value.known, is_open or value.open, any(operand.optional for operand in operands))


def _not(known: Known) -> object:
    answer = truth(known)
    return NO_CONSTANT if answer is None else not answer


def _calculate(function: Callable[..., Any], known: tuple[Known, ...]) -> object:
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
        return len(constant) > 4096
    return isinstance(constant, int) and abs(constant) > 1 << 64


def _compare(evaluator: Evaluator, node: ast.Compare, scope: Scope) -> Value:
    left, right = evaluator.value(node.left, scope), node.comparators[0]
    function = _COMPARE[type(node.ops[0])]
    if isinstance(node.ops[0], (ast.In, ast.NotIn)) and isinstance(right, (ast.List, ast.Tuple, ast.Set)):
        choices = [evaluator.value(element, scope) for element in right.elts]
        return combine([left, *choices], lambda known: _member(function, known), node, scope)
    return combine([left, evaluator.value(right, scope)], lambda known: _calculate(function, known), node, scope)


def _member(function: Callable[[Any, Any], Any], known: tuple[Known, ...]) -> object:
    constants = [each.constant for each in known]
    return NO_CONSTANT if NO_CONSTANT in constants else function(constants[0], constants[1:])


def _logic(evaluator: Evaluator, node: ast.BoolOp, scope: Scope) -> Value:
    """`a and b`: one operand that is false decides, whatever the others are; `or` the other way round."""
    deciding = isinstance(node.op, ast.Or)
    operands = [evaluator.value(operand, scope) for operand in node.values]
    for operand, part in zip(operands, node.values):
        if operand.truth is deciding:
            return evaluator.known(Constant(deciding), part, scope)
    usual: list[Optional[bool]] = [operand.usual_truth for operand in operands]
    if deciding in usual:
        answer: Optional[bool] = deciding
    elif None in usual:
        # `x or "default"` is worth more than its truth: keep what each operand can be
        return Value(union(operands).known, True) if deciding else OPEN
    else:
        answer = not deciding
    if deciding and all(operand.known for operand in operands):
        return _first_true(operands)
    certain = all(operand.truth is not None for operand in operands)
    known = evaluator.known(Constant(answer), node, scope)
    return known if certain else Value(known.known, False, True)


def _first_true(operands: Sequence[Value]) -> Value:
    """Return what `a or b` gives: the first operand that is usually true, else the last."""
    for operand in operands[:-1]:
        if operand.usual_truth:
            return Value(operand.known, operand.open, True)
    return Value(operands[-1].known, operands[-1].open, any(operand.truth is None for operand in operands))
