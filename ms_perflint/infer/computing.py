"""Constant folding: operators, pure functions and string methods on constants, and on lists and dicts of them."""

from __future__ import annotations

import ast
import operator
import os
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import PurePath
from typing import Any, Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.signature import Held
from ms_perflint.infer import tables
from ms_perflint.infer.alternatives import DICT, LIST, TUPLE, Constant, Display
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.list_changes import is_fixed
from ms_perflint.infer.sequences import whole
from ms_perflint.infer.values import BOTTOM, NO_CONSTANT, TOP, Alternative, Value, join

TEXT = 4096  # characters of a text, or times that it is repeated, up to which it is computed
BITS = 4096  # of a number, up to which it is computed
ENTRIES = 1000  # of a list, up to which it is computed
NESTED = 4  # lists inside one another
COMBINATIONS = 32  # of known operands, before the answer is "open"
_WIDE = r"\d{5}|\*|\{[^{}]*\{"  # of a format: a width beyond that, or one that is computed itself


# --- functions with bounds: ValueError where the result may be too long


def _times(left: Any, right: Any) -> Any:
    for text, count in ((left, right), (right, left)):
        if isinstance(text, (str, bytes, list, tuple)) and count > TEXT:
            raise ValueError("too long")
    return left * right


def power(base: Any, exponent: Any, *modulus: Any) -> Any:
    """Return a power. Raises ValueError for one with very many digits."""
    if isinstance(base, int) and isinstance(exponent, int) and base.bit_length() * exponent > BITS:
        raise ValueError("too long")
    return pow(base, exponent, *modulus)


def _shifted(number: Any, places: Any) -> Any:
    if places > BITS:
        raise ValueError("too long")
    return number << places


def _modulo(left: Any, right: Any) -> Any:
    return _narrow(left) % right if isinstance(left, str) else left % right


def _formatted(text: str, *values: Any, **named: Any) -> str:
    return _narrow(text).format(*values, **named)


def formatted(data: Any, form: str = "") -> str:
    """Return the text of a value in an f-string. Raises ValueError for a format that may make it too long."""
    return format(data, _narrow(form))


def expanded(path: Any) -> Any:
    """Return a path that `expanduser` leaves as it is. Raises ValueError for one below the folder of a user."""
    if str(path).startswith("~"):
        raise ValueError(path)
    return path


def _filled(text: str, width: int) -> str:
    return text.zfill(min(width, TEXT))


def _narrow(text: str) -> str:
    if re.search(_WIDE, text) is not None:
        raise ValueError("too long")
    return text


OPERATORS: Mapping[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: _times,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: _modulo,
    ast.Pow: power,
    ast.LShift: _shifted,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Invert: operator.invert,
}
CONVERSIONS: Mapping[int, Callable[[Any], Any]] = {-1: lambda data: data, 115: str, 114: repr, 97: ascii}
OF_TEXT: Mapping[str, Callable[..., Any]] = {
    **{
        method.__name__: method
        for method in (
            str.lower, str.upper, str.casefold, str.capitalize, str.title, str.swapcase,
            str.strip, str.lstrip, str.rstrip, str.removeprefix, str.removesuffix, str.replace, str.join,
            str.startswith, str.endswith, str.find, str.rfind, str.index, str.rindex, str.count,
            str.isdigit, str.isdecimal, str.isnumeric, str.isalpha, str.isalnum, str.islower, str.isupper,
            str.split, str.rsplit, str.splitlines, str.partition, str.rpartition,
        )
    },
    "format": _formatted,
    "zfill": _filled,
    "expanduser": expanded,
    **dict.fromkeys(("resolve", "absolute"), lambda path, *strict, **words: PurePath(os.path.normpath(path))),
    **{
        method.__name__: method
        for method in (
            PurePath.joinpath, PurePath.with_suffix, PurePath.with_name, PurePath.as_posix, PurePath.relative_to,
            PurePath.is_absolute, PurePath.__str__, PurePath.__fspath__,
        )
    },
}  # fmt: skip
PARTS_OF_PATH: Mapping[str, Callable[[PurePath], object]] = {
    "parent": lambda path: path.parent,
    "parents": lambda path: tuple(path.parents),
    "name": lambda path: path.name,
    "stem": lambda path: path.stem,
    "suffix": lambda path: path.suffix,
    "parts": lambda path: path.parts,
}


def of_text(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the result of a method of a string or path: `mode.lower()`; None for other calls."""
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in OF_TEXT:
        return None
    base = evaluator.value(node.func.value, scope)
    if not any(isinstance(constant, (str, PurePath)) for constant in base.constants):
        return None
    given = (Held(node.func.value, scope), *(Held.of(argument, scope) for argument in node.args))
    return called(evaluator, OF_TEXT[node.func.attr], given, node.keywords, node, scope) or TOP


def called(
    evaluator: Evaluator,
    function: Callable[..., Any],
    given: Sequence[Held],
    words: Sequence[ast.keyword],
    node: ast.Call,
    scope: Scope,
) -> Optional[Value]:
    """Return the result of a pure function; None where the number of its arguments is not known."""
    names = [str(word.arg) for word in words if word.arg is not None]
    if len(names) < len(words) or any(part.is_spread for part in given):
        return None
    operands = [*map(evaluator.read, given), *(evaluator.value(word.value, scope) for word in words)]
    count = len(given)

    def run(*arguments: Any) -> Any:
        return function(*arguments[:count], **dict(zip(names, arguments[count:])))

    return computed(evaluator, run, operands, node, scope)


def if_known(value: Optional[Value]) -> Optional[Value]:
    """Return a result; None if nothing of it is known: the caller takes an instance instead."""
    return value if value is not None and (value.alternatives or not value.open) else None


def computed(
    evaluator: Evaluator, function: Callable[..., Any], operands: Sequence[Value], node: ast.expr, scope: Scope
) -> Value:
    """Return the results of a function for all alternatives of its operands; open where an operand is open."""
    return combine(evaluator, operands, lambda known: _calculate(evaluator, function, known), node, scope)


def combine(
    evaluator: Evaluator,
    operands: Sequence[Value],
    function: Callable[[tuple[Alternative, ...]], object],
    node: ast.expr,
    scope: Scope,
) -> Value:
    """Return the results of a function on alternatives of the operands; NO_CONSTANT stands for an unknown one."""
    count = 1
    for operand in operands:
        if evaluator.is_pending(operand):
            return BOTTOM
        count *= max(1, len(operand.alternatives))
    if count > COMBINATIONS:
        return TOP
    results, is_open = [], any(operand.open for operand in operands)
    for chosen in product(*(operand.alternatives for operand in operands)):
        result = function(chosen)
        if result is NO_CONSTANT:
            is_open = True
        else:
            (made,) = _shown(evaluator, result, node, scope).alternatives
            where = chosen[0].where if chosen else made.where
            results.append(Value((Alternative(made.what, where, all(known.by_default for known in chosen)),)))
    value = join(results) if results else TOP
    return Value(value.alternatives, is_open or value.open, any(operand.overridable for operand in operands))


def _calculate(evaluator: Evaluator, function: Callable[..., Any], known: tuple[Alternative, ...]) -> object:
    """Return the result of a function for some arguments; NO_CONSTANT where it is not known."""
    data = [plain(evaluator, each) for each in known]
    if NO_CONSTANT in data or any(map(_is_huge, data)):
        return NO_CONSTANT
    try:
        found = function(*data)
    except Exception:
        return NO_CONSTANT
    is_data = not isinstance(found, (list, tuple, dict)) or len(found) <= ENTRIES
    return found if is_data and not isinstance(found, (set, bytearray)) else NO_CONSTANT


def _is_huge(constant: object) -> bool:
    """Return whether a constant is beyond the bounds for computing."""
    if isinstance(constant, (str, bytes, PurePath)):
        return len(bytes(constant) if isinstance(constant, PurePath) else constant) > TEXT
    return isinstance(constant, int) and abs(constant) > 1 << 64


# --- values as data of Python, and the other way round


def held(evaluator: Evaluator, known: Alternative) -> Optional[list[Held]]:
    """Return the elements of a list, or the items of a dict, in order; None where not all are known."""
    what = known.what
    if not isinstance(what, Display) or not is_fixed(evaluator, what):
        return None
    table = tables.view(evaluator, known, "items") if what.kind == DICT else Value((known,))
    return whole(evaluator, table) if table is not None else None


def plain(evaluator: Evaluator, known: Alternative, depth: int = 0) -> object:
    """Return a constant, or a list or dict of constants, as Python data; NO_CONSTANT where not all of it is known."""
    what = known.what
    is_list = isinstance(what, Display) and not isinstance(what.node, ast.SetComp) and depth <= NESTED
    if known.constant is not NO_CONSTANT or not is_list:
        return known.constant
    assert isinstance(what, Display)
    parts = held(evaluator, known)
    data = []
    for part in parts if parts is not None and len(parts) <= ENTRIES else (None,):
        value = evaluator.read(part) if part is not None else TOP
        only = value.only if not value.overridable else None
        data.append(plain(evaluator, only, depth + 1) if only is not None and only.by_default else NO_CONSTANT)
        if data[-1] is NO_CONSTANT:
            return NO_CONSTANT
    if what.kind == DICT:
        return dict(data)  # type: ignore[arg-type]
    return tuple(data) if what.kind == TUPLE else data


def _shown(evaluator: Evaluator, data: Any, node: ast.expr, scope: Scope) -> Value:
    """Return Python data as a value at a node."""
    if not isinstance(data, (list, tuple, dict)):
        return evaluator.known(Constant(data), node, scope)
    kind = DICT if isinstance(data, dict) else TUPLE if isinstance(data, tuple) else LIST
    rows = (data, data.values()) if isinstance(data, dict) else ((), data)
    keys, parts = (tuple(Held(node, scope, _shown(evaluator, each, node, scope)) for each in row) for row in rows)
    return evaluator.known(Display(node, scope, kind, parts, keys), node, scope)
