"""The values of operators: comparisons, `and`, `or`, `not`, arithmetic on constants."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, Optional

from ms_perflint.index.execution_order import root_name
from ms_perflint.index.predicates import COMPARE
from ms_perflint.index.semantic_index import Binding, Scope
from ms_perflint.index.signature import Held, receiver_name
from ms_perflint.infer import list_changes, mappings, tables
from ms_perflint.infer.alternatives import (
    COMPREHENSION,
    DICT,
    LIST,
    MANY_OF,
    SET,
    TUPLE,
    Api,
    Bound,
    ConfigDocument,
    Constant,
    Display,
    Instance,
    Options,
)
from ms_perflint.infer.computing import CONVERSIONS, OPERATORS, combine, computed, formatted
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.sequences import MAPPED, whole
from ms_perflint.infer.values import BOTTOM, NO_CONSTANT, TOP, Alternative, Value, join


def operation(evaluator: Evaluator, node: ast.expr, scope: Scope) -> Value:
    """Return the value of an operator expression."""
    if isinstance(node, ast.UnaryOp):
        operand = evaluator.value(node.operand, scope)
        if isinstance(node.op, ast.Not):
            return _negated(evaluator, operand, node, scope)
        return computed(evaluator, OPERATORS[type(node.op)], [operand], node, scope)
    if isinstance(node, ast.BoolOp):
        return _logic(evaluator, node, scope)
    if isinstance(node, ast.Compare):
        return _compare(evaluator, node, scope)
    if isinstance(node, ast.BinOp):
        return _binary(evaluator, node, (node.left, node.right), node.op, scope)
    if isinstance(node, ast.JoinedStr):
        parts = [_formatted(evaluator, part, scope) for part in node.values]
        return computed(evaluator, lambda *texts: "".join(map(str, texts)), parts, node, scope)
    return TOP


def _formatted(evaluator: Evaluator, part: ast.expr, scope: Scope) -> Value:
    """Return the value of a part of an f-string, converted and formatted if it says so."""
    if not isinstance(part, ast.FormattedValue):
        return evaluator.value(part, scope)
    value = evaluator.value(part.value, scope)
    if part.format_spec is None and part.conversion < 0:
        return value
    operands = [value] if part.format_spec is None else [value, evaluator.value(part.format_spec, scope)]
    convert = CONVERSIONS[part.conversion]
    return computed(evaluator, lambda data, *form: formatted(convert(data), *form), operands, part, scope)


def _binary(
    evaluator: Evaluator, node: ast.AST, sides: tuple[ast.expr, ast.expr], op: ast.operator, scope: Scope
) -> Value:
    """Return the result of a binary operator."""
    left = evaluator.value(sides[0], scope)
    is_shown = any(known.is_display or known.is_mapping for known in left.alternatives)
    if not left.constants and not is_shown and not isinstance(op, ast.Add):
        return BOTTOM if evaluator.is_pending(left) else TOP  # whatever the other one is
    values = [left, evaluator.value(sides[1], scope)]
    if isinstance(op, ast.Add) and any(map(is_sequence, values)):
        return joined(evaluator, node, sides, scope)
    if isinstance(op, ast.Mult) and any(map(is_sequence, values)):
        listed, count = sides if is_sequence(left) else reversed(sides)
        return _repeated(evaluator, node, listed, evaluator.value(count, scope).constant, scope)
    if isinstance(op, ast.BitOr) and all(map(mappings.is_mapping, values)):
        return mappings.laid(evaluator, node, [(None, Held(side, scope)) for side in sides], scope)
    return computed(evaluator, OPERATORS[type(op)], values, sides[0], scope) if type(op) in OPERATORS else TOP


def augmented(evaluator: Evaluator, binding: Binding, scope: Scope) -> Value:
    """Return what `name += value` gives a name; of no list where it may run again: in a loop, or on `self.name`."""
    stmt = binding.stmt
    assert isinstance(stmt, ast.AugAssign)
    left = evaluator.value(stmt.target, scope)
    is_list = isinstance(stmt.op, ast.Add) and is_sequence(left)
    is_own = binding.scope.is_method and root_name(stmt.target) == receiver_name(binding.scope)
    if not is_list and (binding.block.loops or is_own or binding.name in binding.scope.declared):
        return BOTTOM if evaluator.is_pending(left) else TOP
    return _binary(evaluator, stmt, (stmt.target, stmt.value), stmt.op, scope)


def is_sequence(value: Value) -> bool:
    """Return whether it is a known list or tuple."""
    return value.are(lambda known: isinstance(known.what, Display) and known.what.kind != DICT)


def joined(evaluator: Evaluator, node: ast.AST, sides: Sequence[ast.expr], scope: Scope) -> Value:
    """Return the concatenation of lists."""
    parts = tuple(Held(side, scope, is_spread=True) for side in sides)
    return evaluator.known(Display(node, scope, LIST, parts), sides[0], scope)


def _repeated(evaluator: Evaluator, node: ast.AST, listed: ast.expr, count: object, scope: Scope) -> Value:
    """Return the repetition of a list."""
    part = Held(listed, scope, is_spread=True)
    is_known = isinstance(count, int) and count <= MAPPED
    kind, parts = (LIST, (part,) * count) if is_known else (MANY_OF, (part,))  # type: ignore[operator]
    return evaluator.known(Display(node, scope, kind, parts), listed, scope)


def _negated(evaluator: Evaluator, operand: Value, node: ast.expr, scope: Scope) -> Value:
    """Return the result of `not`."""

    def negated(known: tuple[Alternative, ...]) -> object:
        answer = known[0].truth
        return NO_CONSTANT if answer is None else not answer

    return combine(evaluator, [operand], negated, node, scope)


def _compare(evaluator: Evaluator, node: ast.Compare, scope: Scope) -> Value:
    """`a == b`, `a in b`, and `a < b < c`, which is what all of its parts are."""
    operands = [node.left, *node.comparators]
    parts = [
        _compared(evaluator, left, op, right, node, scope) for left, op, right in zip(operands, node.ops, operands[1:])
    ]
    return parts[0] if len(parts) == 1 else computed(evaluator, _all, parts, node, scope)


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
            found = combine(evaluator, [first, *choices], lambda known: _member(function, known), node, scope)
            return found.overridden_with(second)
        held = tables.membership(evaluator, second, first, node, scope)
        if held is not None:
            return held if isinstance(op, ast.In) else _negated(evaluator, held, node, scope)
    if isinstance(op, (ast.Is, ast.IsNot)) and isinstance(right, ast.Constant) and right.value is None:
        return combine(evaluator, [first], lambda known: _is_none(known[0], isinstance(op, ast.Is)), node, scope)
    if isinstance(op, (ast.Is, ast.IsNot)) and not (first.constants and second.constants):
        is_wanted = isinstance(op, ast.Is)
        return combine(evaluator, [first, second], lambda known: _is_same(known[0], known[1], is_wanted), node, scope)
    return computed(evaluator, function, [first, second], node, scope)


def _choices(evaluator: Evaluator, value: Value) -> Optional[list[Value]]:
    """Return the elements of a list that the program shows, and does not change; None for anything else."""
    what = value.only.what if value.only is not None else None
    if isinstance(what, Display) and what.kind == COMPREHENSION:
        parts = whole(evaluator, value)
        return [evaluator.read(part) for part in parts] if parts is not None else None
    if not isinstance(what, Display) or what.kind not in (LIST, TUPLE, SET) or list_changes.changed(evaluator, what):
        return None
    shown = [part for part in what.parts if not part.is_spread]
    return [evaluator.read(part) for part in shown] if len(shown) == len(what.parts) else None


def _member(function: Callable[[Any, Any], Any], known: tuple[Alternative, ...]) -> object:
    constants = [each.constant for each in known]
    return NO_CONSTANT if NO_CONSTANT in constants else function(constants[0], constants[1:])


def _is_none(known: Alternative, wanted: bool) -> object:
    """Return whether an alternative is None: all but constants and names outside of the project are not None.

    A function or dtype of MindSpore, or a method of its objects, is not None either.
    """
    if known.constant is not NO_CONSTANT:
        return (known.constant is None) is wanted
    is_object = known.cls is not None or isinstance(known.what, (Display, Options, ConfigDocument, Scope, Bound))
    return not wanted if is_object or known.is_function or known.is_exported else NO_CONSTANT


def _is_same(known: Alternative, other: Alternative, wanted: bool) -> object:
    """Return whether two alternatives are one object: a class or function of the project, or made once by a module."""
    kinds = [_kind(each) for each in (known, other)]
    if None in kinds or kinds in ([Constant, Constant], [Api, Api]):  # each reading of a method makes another one
        return NO_CONSTANT
    return (kinds[0] is kinds[1] and known.identity == other.identity) is wanted


def _kind(known: Alternative) -> Optional[type]:
    """Return the kind of an alternative that is a single object; None of others."""
    if known.constant is not NO_CONSTANT:
        return Constant
    if isinstance(known.what, Scope):
        return Scope
    if known.is_function:
        return Api
    made = known.creation
    return Instance if made is not None and made.scope.parent is None else None


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
    """Return the result that does not depend on the operand before: `unknown() and False`; None if it does."""
    for position, operand in enumerate(operands):
        if operand.default_truth is not deciding or all(o.default_truth is not None for o in operands[:position]):
            continue
        if not all(isinstance(known.constant, bool) for known in operand.alternatives):
            continue  # `unknown() or "default"` is worth more than its truth
        known = evaluator.known(Constant(deciding), node.values[position], scope)
        return known if operand.truth is deciding else Value(known.alternatives, False, True)
    return None
