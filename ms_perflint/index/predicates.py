"""Predicates: for which values of an expression a test holds, and whether several tests can hold at once."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Optional

from ms_perflint.index.syntax_forms import spelling

DEVICES = frozenset({"Ascend", "GPU", "CPU"})
FLIPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.NotEq: ast.Eq, ast.IsNot: ast.Is, ast.NotIn: ast.In, ast.LtE: ast.Gt, ast.GtE: ast.Lt,
}  # fmt: skip
_MIRRORED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.Eq, ast.NotEq: ast.NotEq, ast.Is: ast.Is, ast.IsNot: ast.IsNot,
    ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE,
}  # fmt: skip
COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
    ast.Is: lambda value, other: type(value) is type(other) and value == other,
    ast.IsNot: lambda value, other: type(value) is not type(other) or value != other,
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.In: lambda value, choices: value in choices, ast.NotIn: lambda value, choices: value not in choices,
}  # fmt: skip
_CASES = ("lower", "upper", "capitalize", "casefold", "strip")
_PARTS = ("startswith", "endswith")


class Choice(NamedTuple):
    """A test of one expression against constants."""

    node: ast.expr  # the thing
    holds: Callable[[object], bool]
    constants: tuple[object, ...]

    def devices(self, result: bool) -> frozenset[str]:
        """Return the devices for which the test gives this result; upper and lower case count alike.

        All devices where the test names none.
        """
        texts = [constant.lower() for constant in self.constants if isinstance(constant, str) and constant]
        if not any(device.lower().startswith(text) for device in DEVICES for text in texts):
            return DEVICES
        kept, dropped = (
            frozenset(device for device in DEVICES if any(self.holds(text) is each for text in _spellings(device)))
            for each in (True, False)
        )
        if kept == dropped:  # `device in ("ascend", "gpu", "cpu")`, which fails for other spellings alone
            return DEVICES
        if kept != DEVICES:  # `device == "GPU"` holds for one spelling of one device, `device != "GPU"` fails for it
            return kept if result else DEVICES - kept
        return DEVICES - dropped if result else dropped


def _spellings(device: str) -> tuple[str, ...]:
    return device, device.lower(), device.upper()


def choice(test: ast.expr) -> Choice:
    """Return the choice of a test; a test that compares no constants is itself the expression, compared with True."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        asked = _compared(test.left, type(test.ops[0]), test.comparators[0])
        return asked or Choice(test, operator.not_ if type(test.ops[0]) in FLIPPED else bool, ())
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Attribute) and test.func.attr in _PARTS:
        constants = _constants(test.args[0]) if len(test.args) == 1 and not test.keywords else None
        if constants and all(isinstance(constant, str) for constant in constants):
            method = test.func.attr
            return _of(
                test.func.value, lambda value: isinstance(value, str) and getattr(value, method)(constants), constants
            )
    return Choice(test, bool, ())


def _compared(left: ast.expr, sign: type[ast.cmpop], right: ast.expr) -> Optional[Choice]:
    function = COMPARE[sign]
    if sign in (ast.In, ast.NotIn):
        choices = _constants(right) if isinstance(right, (ast.List, ast.Tuple, ast.Set)) else None
        return _of(left, lambda value: function(value, choices), choices) if choices is not None else None
    if sign in _MIRRORED and isinstance(left, ast.Constant):
        left, function, right = right, COMPARE[_MIRRORED[sign]], left
    constants = None if isinstance(right, (ast.List, ast.Tuple, ast.Set)) else _constants(right)
    if constants is None or isinstance(left, ast.Constant):
        return None
    (constant,) = constants
    return _of(left, lambda value: _safely(function, value, constant), constants)


def _safely(function: Callable[[Any, Any], bool], value: object, constant: object) -> bool:
    """Return the result of a comparison; False for values that cannot be compared."""
    try:
        return bool(function(value, constant))
    except TypeError:
        return False


def _of(node: ast.expr, holds: Callable[[object], bool], constants: tuple[object, ...]) -> Choice:
    """Return the choice of an expression without its changes of case: of `device` in `device.lower() == "gpu"`."""
    while (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _CASES
        and not node.args
    ):
        method, node = node.func.attr, node.func.value
        holds = _changed(method, holds)
    return Choice(node, holds, constants)


def _changed(method: str, holds: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and holds(getattr(value, method)())


def _constants(node: ast.expr) -> Optional[tuple[object, ...]]:
    """Return the constant of an expression, or the constants of a list; None for others."""
    elements = node.elts if isinstance(node, (ast.List, ast.Tuple, ast.Set)) else [node]
    found: list[object] = []
    for element in elements:
        negative = isinstance(element, ast.UnaryOp) and isinstance(element.op, ast.USub)
        inner = element.operand if isinstance(element, ast.UnaryOp) and negative else element
        if not isinstance(inner, ast.Constant):
            return None
        found.append(-inner.value if negative and isinstance(inner.value, (int, float)) else inner.value)
    return tuple(found)


def possible(wanted: Iterable[tuple[Choice, bool]]) -> bool:
    """Return whether each expression has a value for which all of its choices give the wanted results."""
    by_thing: dict[str, list[tuple[Choice, bool]]] = {}
    for each, result in wanted:
        by_thing.setdefault(key(each.node), []).append((each, result))
    return all(_has_value(choices) for choices in by_thing.values() if len(choices) > 1)


def _has_value(choices: list[tuple[Choice, bool]]) -> bool:
    constants = [constant for each, _ in choices for constant in each.constants]
    return any(all(each.holds(value) is result for each, result in choices) for value in _candidates(constants))


def _candidates(constants: list[object]) -> Iterable[object]:
    """Yield the constants, values between and beyond them, and values that equal none."""
    yield from (object(), None, True, False, "", "\0", 0, 0.5)
    for constant in constants:
        yield constant
        if isinstance(constant, str):
            yield from (constant.lower(), constant.upper(), constant.capitalize(), constant + "\0")
        elif isinstance(constant, (int, float)):
            yield from (constant - 1, constant + 1)


def key(test: ast.expr) -> str:
    """Return a text that is equal for tests with the same spelling; of `args.x` and `self.config.x` only `x` counts."""
    if isinstance(test, ast.Compare):
        single = len(test.ops) == 1
        signs = [(FLIPPED.get(type(op), type(op)) if single else type(op)).__name__ for op in test.ops]
        return " ".join([*signs, *(key(operand) for operand in (test.left, *test.comparators))])
    if isinstance(test, ast.Attribute):
        return test.attr
    if isinstance(test, ast.Name):
        return test.id
    if isinstance(test, ast.Subscript) and isinstance(test.slice, ast.Constant):
        return str(test.slice.value)
    return spelling(test)
