"""Sequences and mappings that are made of others: slices, comprehensions, `zip`, `enumerate`, `map`, `chain`.

Each becomes a display: of all that it holds, in its order, where that is shown; else of one element for all.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Optional, Union

from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.signature import EACH, Applied, Held
from ms_perflint.infer import lists
from ms_perflint.infer.values import (
    COMPREHENSION,
    DICT,
    LIST,
    MANY_OF,
    NO_CONSTANT,
    TOP,
    TUPLE,
    Alternative,
    Constant,
    Display,
    Value,
    join,
)

if TYPE_CHECKING:
    from ms_perflint.infer.evaluator import Evaluator

MAPPED = 50  # entries of a comprehension, or rows of a `zip`, that are told apart
Comprehension = Union[ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp]


# --- in order


def in_order(evaluator: Evaluator, what: object, depth: int = 0) -> Optional[list[Held]]:
    """Return what a list, tuple or comprehension holds where it is made; None where not all is shown."""
    if not isinstance(what, Display):
        return None
    if what.kind == COMPREHENSION:
        passes = _passes(evaluator, what.node, what.scope)  # type: ignore[arg-type]
        return None if passes is None else [Held(what.node.elt, each) for each in passes]  # type: ignore[attr-defined]
    if what.kind not in (LIST, TUPLE) or what.binding is not None:
        return None
    found: list[Held] = []
    for part in what.parts:
        inner: Optional[list[Held]] = [part]
        if part.is_spread:
            inner = whole(evaluator, evaluator.read(part), depth + 1) if depth < lists.NESTED else None
        if inner is None:
            return None
        found.extend(inner)
    return found


def whole(evaluator: Evaluator, value: Value, depth: int = 0) -> Optional[list[Held]]:
    """Return all that a sequence holds, in its order; None where not all is shown, or more is added to it later."""
    what = value.only.what if value.only is not None else None
    if not isinstance(what, Display) or lists.changed(evaluator, what):
        return None
    return in_order(evaluator, what, depth)


def opened(evaluator: Evaluator, part: Held) -> Optional[list[Held]]:
    """Return what `*sequence` passes to a call; None where that is not known."""
    return whole(evaluator, evaluator.read(part))


def item(evaluator: Evaluator, known: Alternative, key: int) -> Value:
    """Return an element of a list, tuple or comprehension."""
    what = known.what
    assert isinstance(what, Display)
    parts, changes = in_order(evaluator, what), lists.changed(evaluator, what)
    is_there = changes <= lists.BEHIND if key >= 0 else not changes
    if parts is not None and -len(parts) <= key < len(parts) and is_there:
        return evaluator.read(parts[key])
    if any(loop.ifs for loop in getattr(what.node, "generators", ())):
        return TOP  # which one it is depends on conditions
    value = Value(*evaluator.elements(Value((known,))))
    return value if value.alternatives and not value.open else TOP


def sliced(evaluator: Evaluator, node: ast.expr, base: Value, bounds: Optional[slice], scope: Scope) -> Value:
    """Return what `base[bounds]` can be; None for bounds that are not known."""
    return join(
        [*(_sliced(evaluator, node, known, bounds, scope) for known in base.alternatives), *evaluator.rest(base)]
    )


def _sliced(evaluator: Evaluator, node: ast.expr, known: Alternative, bounds: Optional[slice], scope: Scope) -> Value:
    what = known.what
    if isinstance(what, Constant) and isinstance(what.value, (str, tuple)) and bounds is not None:
        return Value((known._replace(what=Constant(what.value[bounds])),))
    if not isinstance(what, Display) or what.kind == DICT:
        return TOP
    parts = in_order(evaluator, what) if bounds is not None and not lists.changed(evaluator, what) else None
    if parts is not None and bounds is not None:
        return _made(evaluator, node, LIST, parts[bounds], scope)
    return _made(evaluator, node, MANY_OF, [Held(node, scope, Value((known,)), is_spread=True)], scope)


def bounds_of(evaluator: Evaluator, node: ast.Slice, scope: Scope) -> Optional[slice]:
    """Return the bounds of a slice; None where one of them is not known."""
    found: list[Optional[int]] = []
    for bound in (node.lower, node.upper, node.step):
        constant = evaluator.value(bound, scope).constant if bound is not None else None
        if not isinstance(constant, (int, type(None))) or (bound is node.step and constant == 0):
            return None
        found.append(constant)
    return slice(*found)


# --- comprehensions


def inside(evaluator: Evaluator, node: Comprehension, scope: Scope, passed: tuple[Held, ...] = ()) -> Scope:
    """Return the scope of a comprehension, in one pass through it: `passed` has the elements of its first loops."""
    own = scope.module.scope_of[id(node)]
    if not passed and own.parent is scope:
        return own
    return evaluator.activation((id(own), id(scope), passed), own, None, scope, None, passed, scope)


def _passes(evaluator: Evaluator, node: Comprehension, made_in: Scope) -> Optional[list[Scope]]:
    """Return the scope of a comprehension in each pass through it; None where not all are known."""
    passes: list[tuple[Held, ...]] = [()]
    for position, generator in enumerate(node.generators):
        longer: list[tuple[Held, ...]] = []
        for passed in passes:
            scope = inside(evaluator, node, made_in, passed) if position else made_in
            parts = whole(evaluator, evaluator.value(generator.iter, scope))
            if parts is None or len(longer) + len(parts) > MAPPED:
                return None
            for part in parts:
                scope = inside(evaluator, node, made_in, (*passed, part))
                answers = {evaluator.value(test, scope).truth for test in generator.ifs}
                if None in answers:
                    return None
                if False not in answers:
                    longer.append((*passed, part))
        passes = longer
    return [inside(evaluator, node, made_in, passed) for passed in passes]


def mapped(evaluator: Evaluator, node: ast.DictComp, scope: Scope) -> Value:
    """Return the dict that a comprehension makes; open where not all of it is shown."""
    passes = _passes(evaluator, node, scope)
    return _dict(evaluator, node, [(Held(node.key, each), Held(node.value, each)) for each in passes or ()], scope)


def paired(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the dict that `dict(pairs)` makes; None where not all pairs are shown."""
    pairs = []
    for part in whole(evaluator, evaluator.value(node.args[0], scope)) or ():
        pair = whole(evaluator, evaluator.read(part))
        if pair is None or len(pair) != 2:
            return None
        pairs.append((pair[0], pair[1]))
    return _dict(evaluator, node, pairs, scope) if pairs else None


def _dict(evaluator: Evaluator, node: ast.expr, pairs: Sequence[tuple[Held, Held]], scope: Scope) -> Value:
    """Return the dict of some pairs; open where a key is not known."""
    if any(evaluator.read(key).constant is NO_CONSTANT for key, _ in pairs):
        return TOP
    display = Display(node, scope, DICT, tuple(value for _, value in pairs), tuple(key for key, _ in pairs))
    return evaluator.known(display, node, scope) if pairs else TOP


# --- calls

Row = Callable[[Sequence[Held], Optional[int]], Held]  # of what stands in it, and its position


def made_by(evaluator: Evaluator, name: str, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the sequence that a function of Python makes of others; None for other calls."""
    maker = MAKERS.get(name)
    if maker is None or not node.args or any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    return maker(evaluator, node, scope)


def copied(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Value:
    """Return the list that `list(sequence)` and `chain(first, second)` make; of other things just the thing."""
    values = [evaluator.value(argument, scope) for argument in node.args]
    if len(values) == 1 and not all(isinstance(known.what, Display) for known in values[0].alternatives):
        return values[0]
    return _made(evaluator, node, LIST, [Held(argument, scope, is_spread=True) for argument in node.args], scope)


def _rows(
    evaluator: Evaluator,
    node: ast.Call,
    given: Sequence[ast.expr],
    scope: Scope,
    order: Callable[..., object],
    row: Row,
) -> Value:
    """Return a row for each of what an order makes of some sequences; one for all where they are not known."""
    columns = [whole(evaluator, evaluator.value(argument, scope)) for argument in given]
    if None not in columns:
        found = list(order(*columns))  # type: ignore[call-overload]
        if len(found) <= MAPPED:
            return _made(evaluator, node, LIST, [row(each, index) for index, each in enumerate(found)], scope)
    return _made(evaluator, node, MANY_OF, [row([_each(argument, scope) for argument in given], None)], scope)


def _tuple(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Row:
    return lambda parts, _: Held(node, scope, _made(evaluator, node, TUPLE, parts, scope))


def _zip(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Value:
    return _rows(evaluator, node, node.args, scope, zip, _tuple(evaluator, node, scope))


def _product(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Optional[Value]:
    row = _tuple(evaluator, node, scope)
    return _rows(evaluator, node, node.args, scope, product, row) if not node.keywords else None


def _enumerate(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Value:
    first = node.args[1] if len(node.args) > 1 else next((word.value for word in node.keywords), None)
    start = evaluator.value(first, scope).constant if first is not None else 0

    def numbered(parts: Sequence[Held], index: Optional[int]) -> Held:
        is_known = index is not None and isinstance(start, int)
        number = evaluator.known(Constant(start + index), node, scope) if is_known else TOP  # type: ignore[operator]
        return _tuple(evaluator, node, scope)((Held(node, scope, number), *parts), index)

    return _rows(evaluator, node, node.args[:1], scope, zip, numbered)


def _map(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Value:
    def applied(parts: Sequence[Held], _: Optional[int]) -> Held:
        key = id(node), id(scope), *parts
        if key not in evaluator.made:
            evaluator.made[key] = Applied.of(node, parts)
        return Held(evaluator.made[key], scope)

    return _rows(evaluator, node, node.args[1:], scope, zip, applied)


def _reversed(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Value:
    return _rows(evaluator, node, node.args, scope, lambda parts: zip(reversed(parts)), lambda parts, _: parts[0])


def _in_any_order(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Value:
    """Return what `sorted(sequence)` or `filter(function, sequence)` makes: it is not known in which order."""
    return _made(evaluator, node, MANY_OF, [_each(node.args[-1], scope)], scope)


def _repeated(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Value:
    return _made(evaluator, node, MANY_OF, [Held(node.args[0], scope)], scope)


MAKERS: Mapping[str, Callable[[Evaluator, ast.Call, Scope], Optional[Value]]] = {
    "builtins.enumerate": _enumerate,
    "builtins.filter": _in_any_order,
    "builtins.frozenset": _in_any_order,
    "builtins.list": copied,
    "builtins.map": _map,
    "builtins.reversed": _reversed,
    "builtins.set": _in_any_order,
    "builtins.sorted": _in_any_order,
    "builtins.tuple": copied,
    "builtins.zip": _zip,
    "itertools.chain": copied,
    "itertools.cycle": _in_any_order,
    "itertools.product": _product,
    "itertools.repeat": _repeated,
    "itertools.zip_longest": _zip,
}


def _each(node: ast.expr, scope: Scope) -> Held:
    return Held(node, scope, taken=(EACH,))


def _made(evaluator: Evaluator, node: ast.expr, kind: str, parts: Sequence[Held], scope: Scope) -> Value:
    return evaluator.known(Display(node, scope, kind, tuple(parts)), node, scope)
