"""Sequences and mappings that are made of others: slices, comprehensions, `zip`, `enumerate`, `map`, `chain`.

Each becomes a display: of all that it holds, in its order, where that is shown; else of one element for all.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Optional, TypeVar, Union

from ms_perflint.index.semantic_index import COMPREHENSIONS, Scope
from ms_perflint.index.signature import Applied, Part, Read
from ms_perflint.infer import lists
from ms_perflint.infer.values import TOP, Alternative, Constant, Display, Value, join

if TYPE_CHECKING:
    from ms_perflint.infer.evaluator import Evaluator

MAPPED = 50  # entries of a comprehension, or rows of a `zip`, that are told apart
Comprehension = Union[ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp]

Made = TypeVar("Made", bound=ast.expr)


def read(evaluator: Evaluator, node: Read) -> Value:
    """Return what is read."""
    if node.part is None:
        return TOP
    value = evaluator.value(*node.part)
    return Value(*evaluator.elements(value)) if node.each else value


# --- in order


def in_order(evaluator: Evaluator, what: object, depth: int = 0) -> Optional[list[Part]]:
    """Return what a list, tuple or comprehension holds where it is made; None where not all is shown."""
    if not isinstance(what, Display):
        return None
    if isinstance(what.node, COMPREHENSIONS):
        passes = _passes(evaluator, what, what.node)
        return None if passes is None else [Part(what.node.elt, each) for each in passes]  # type: ignore[union-attr]
    if type(what.node) not in (ast.List, ast.Tuple):
        return None
    found: list[Part] = []
    for element in what.node.elts:  # type: ignore[attr-defined]
        if not isinstance(element, ast.Starred):
            found.append(Part(element, what.scope))
            continue
        value = evaluator.value(element.value, what.scope)
        inner = whole(evaluator, value, depth + 1) if depth < lists.NESTED else None
        if inner is None:
            return None
        found.extend(inner)
    return found


def whole(evaluator: Evaluator, value: Value, depth: int = 0) -> Optional[list[Part]]:
    """Return all that a sequence holds, in its order; None where not all is shown, or more is added to it later."""
    what = value.alternatives[0].what if len(value.alternatives) == 1 and not value.open else None
    if not isinstance(what, Display) or lists.changed(evaluator, what):
        return None
    return in_order(evaluator, what, depth)


def opened(evaluator: Evaluator, node: ast.expr, scope: Scope) -> Optional[list[Part]]:
    """Return what `*sequence` passes to a call; None where that is not known."""
    return whole(evaluator, evaluator.value(node, scope))


def item(evaluator: Evaluator, known: Alternative, key: int) -> Value:
    """Return an element of a list, tuple or comprehension."""
    what = known.what
    assert isinstance(what, Display)
    parts, changes = in_order(evaluator, what), lists.changed(evaluator, what)
    is_there = changes <= lists.BEHIND if key >= 0 else not changes
    if parts is not None and -len(parts) <= key < len(parts) and is_there:
        return evaluator.value(*parts[key])
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
    if not isinstance(what, Display) or isinstance(what.node, ast.Dict):
        return TOP
    parts = in_order(evaluator, what) if bounds is not None and not lists.changed(evaluator, what) else None
    if parts is not None and bounds is not None:
        return _list(evaluator, node, [read_in(evaluator, part, scope) for part in parts[bounds]], scope)
    made = _made(evaluator, Read(), node, "slice", id(what.node), id(what.scope))
    made.part, made.each = Part(what.node, what.scope), True
    return _each(evaluator, node, made, scope)


def bounds_of(evaluator: Evaluator, node: ast.Slice, scope: Scope) -> Optional[slice]:
    """Return the bounds of a slice; None where one of them is not known."""
    found: list[Optional[int]] = []
    for bound in (node.lower, node.upper, node.step):
        value = evaluator.value(bound, scope) if bound is not None else evaluator.known(Constant(None), node, scope)
        constant = value.constants[0] if len(value.alternatives) == len(value.constants) == 1 and not value.open else ""
        if not isinstance(constant, (int, type(None))) or (bound is node.step and constant == 0):
            return None
        found.append(constant)
    return slice(*found)


# --- comprehensions


def inside(evaluator: Evaluator, what: Display, passed: tuple[Part, ...] = ()) -> Scope:
    """Return the scope of a comprehension, in one pass through it: `passed` has the elements of its first loops."""
    own = what.scope.module.scope_of.get(id(what.node))
    if own is None or (not passed and own.parent is what.scope):
        return own or what.scope
    key = id(own), id(what.scope), tuple((id(part.node), id(part.scope)) for part in passed)
    return evaluator.activation(key, own, None, what.scope, None, passed, what.scope)


def _passes(evaluator: Evaluator, what: Display, node: Comprehension) -> Optional[list[Scope]]:
    """Return the scope of a comprehension in each pass through it; None where not all are known."""
    passes: list[tuple[Part, ...]] = [()]
    for position, generator in enumerate(node.generators):
        longer: list[tuple[Part, ...]] = []
        for passed in passes:
            scope = inside(evaluator, what, passed) if position else what.scope
            parts = whole(evaluator, evaluator.value(generator.iter, scope))
            if parts is None or len(longer) + len(parts) > MAPPED:
                return None
            for part in parts:
                scope = inside(evaluator, what, (*passed, part))
                answers = {evaluator.value(test, scope).truth for test in generator.ifs}
                if None in answers:
                    return None
                if False not in answers:
                    longer.append((*passed, part))
        passes = longer
    return [inside(evaluator, what, passed) for passed in passes]


def mapped(evaluator: Evaluator, node: ast.DictComp, scope: Scope) -> Value:
    """Return the dict that a comprehension makes; open where not all of it is shown."""
    passes = _passes(evaluator, Display(node, scope), node)
    return _dict(evaluator, node, [(Part(node.key, each), Part(node.value, each)) for each in passes or ()], scope)


def paired(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the dict that `dict(pairs)` makes; None where not all pairs are shown."""
    pairs = []
    for part in whole(evaluator, evaluator.value(node.args[0], scope)) or ():
        pair = whole(evaluator, evaluator.value(*part))
        if pair is None or len(pair) != 2:
            return None
        pairs.append((pair[0], pair[1]))
    return _dict(evaluator, node, pairs, scope) if pairs else None


def _dict(evaluator: Evaluator, node: ast.expr, pairs: Sequence[tuple[Part, Part]], scope: Scope) -> Value:
    keys: list[Optional[ast.expr]] = []
    for key, _ in pairs:
        value = evaluator.value(*key)
        if len(value.alternatives) != 1 or len(value.constants) != 1 or value.open:
            return TOP
        constant = value.constants[0]
        keys.append(_made(evaluator, ast.Constant(constant), node, "key", repr(constant)))  # type: ignore[arg-type]
    values = [read_in(evaluator, value, scope) for _, value in pairs]
    return _shown(evaluator, node, ast.Dict(keys, values), [*keys, *values], scope) if keys else TOP


# --- calls


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
    parts = [_made(evaluator, ast.Starred(argument, ast.Load()), argument, "*") for argument in node.args]
    return _list(evaluator, node, parts, scope)


def _rows(
    evaluator: Evaluator,
    node: ast.Call,
    given: Sequence[ast.expr],
    scope: Scope,
    order: Callable[..., object],
    row: Callable[[Sequence[ast.expr], Optional[int]], ast.expr],
) -> Value:
    """Return a row for each of what an order makes of some sequences; one for all where they are not known."""
    columns = [whole(evaluator, evaluator.value(argument, scope)) for argument in given]
    if None not in columns:
        found = list(order(*columns))  # type: ignore[call-overload]
        if len(found) <= MAPPED:
            parts = [[read_in(evaluator, part, scope) for part in each] for each in found]
            return _list(evaluator, node, [row(each, index) for index, each in enumerate(parts)], scope)
    elements = [_element(evaluator, argument, scope) for argument in given]
    return _each(evaluator, node, row(elements, None), scope)


def _tuple(evaluator: Evaluator, node: ast.Call) -> Callable[[Sequence[ast.expr], Optional[int]], ast.expr]:
    return lambda parts, _: _made(
        evaluator, ast.Tuple([*parts], ast.Load()), node, "row", *(id(part) for part in parts)
    )


def _zip(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Value:
    return _rows(evaluator, node, node.args, scope, zip, _tuple(evaluator, node))


def _product(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Optional[Value]:
    return _rows(evaluator, node, node.args, scope, product, _tuple(evaluator, node)) if not node.keywords else None


def _enumerate(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Value:
    first = node.args[1] if len(node.args) > 1 else next((word.value for word in node.keywords), None)
    starts = evaluator.value(first, scope) if first is not None else evaluator.known(Constant(0), node, scope)
    start = starts.constants[0] if len(starts.alternatives) == len(starts.constants) == 1 and not starts.open else None

    def numbered(parts: Sequence[ast.expr], index: Optional[int]) -> ast.expr:
        if index is None or not isinstance(start, int):
            unknown = _made(evaluator, Read(), node, "number")
            unknown.part = None
            return _tuple(evaluator, node)((unknown, *parts), index)
        number = _made(evaluator, ast.Constant(start + index), node, "number", start + index)
        return _tuple(evaluator, node)((number, *parts), index)

    return _rows(evaluator, node, node.args[:1], scope, zip, numbered)


def _map(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Value:
    def applied(parts: Sequence[ast.expr], _: Optional[int]) -> ast.expr:
        call = Applied(node.args[0], [*parts], [])
        return _made(evaluator, call, node, "call", *(id(part) for part in parts))

    return _rows(evaluator, node, node.args[1:], scope, zip, applied)


def _reversed(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Value:
    return _rows(evaluator, node, node.args, scope, lambda parts: zip(reversed(parts)), lambda parts, _: parts[0])


def _in_any_order(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Value:
    """Return what `sorted(sequence)` or `filter(function, sequence)` makes: it is not known in which order."""
    return _each(evaluator, node, _element(evaluator, node.args[-1], scope), scope)


def _repeated(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Value:
    return _each(evaluator, node, node.args[0], scope)


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


# --- displays


def _list(evaluator: Evaluator, node: ast.expr, parts: Sequence[ast.expr], scope: Scope) -> Value:
    return _shown(evaluator, node, ast.List([*parts], ast.Load()), parts, scope)


def _each(evaluator: Evaluator, node: ast.expr, part: ast.expr, scope: Scope) -> Value:
    """Return a sequence of which any number of elements are one expression."""
    return _shown(evaluator, node, ast.GeneratorExp(part, []), [part], scope)


def _shown(
    evaluator: Evaluator, node: ast.expr, display: ast.expr, parts: Sequence[Optional[ast.expr]], scope: Scope
) -> Value:
    made = _made(evaluator, display, node, type(display).__name__, *(id(part) for part in parts))
    made.source = node  # type: ignore[attr-defined]
    return evaluator.known(Display(made, scope), node, scope)


def read_in(evaluator: Evaluator, part: Part, scope: Scope) -> ast.expr:
    """Return an expression to be read in a scope that stands for one that is read in another."""
    if part.scope is scope:
        return part.node
    made = _made(evaluator, Read(), part.node, "read", id(part.scope))
    made.part, made.each = part, False
    return made


def _element(evaluator: Evaluator, node: ast.expr, scope: Scope) -> ast.expr:
    made = _made(evaluator, Read(), node, "element", id(scope))
    made.part, made.each = Part(node, scope), True
    return made


def _made(evaluator: Evaluator, made: Made, node: ast.expr, *what: object) -> Made:
    """Return an expression that stands in no file: the same one whenever it is made of the same."""
    key = (id(node), what)
    if key not in evaluator.made:
        evaluator.made[key] = ast.copy_location(made, node)
    return evaluator.made[key]  # type: ignore[return-value]
