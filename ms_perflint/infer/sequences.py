"""Elements of sequences in order; slices and comprehensions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Optional, Union

from ms_perflint.core.findings import Place
from ms_perflint.core.graphs import reachable
from ms_perflint.index.execution_order import happens_before, made_in, never_before, place
from ms_perflint.index.semantic_index import COMPREHENSIONS, Scope
from ms_perflint.index.signature import Held
from ms_perflint.index.syntax_forms import word_of
from ms_perflint.infer import held_names, list_changes
from ms_perflint.infer.alternatives import COMPREHENSION, DICT, LIST, MANY_OF, TUPLE, YIELDS, Constant, Display
from ms_perflint.infer.changes import Change
from ms_perflint.infer.entered_once import runs_once
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.values import BOTTOM, MANY, NO_CONSTANT, TOP, Alternative, Value, join

TAKES = {"pop": -1, "popleft": 0}  # methods that take an element, and which one without an argument
NESTED = 8  # lists inside one another, before what they hold is open
MAPPED = 50  # entries of a comprehension, or rows of a `zip`, that are distinguished
Comprehension = Union[ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp]


# --- in order


def in_order(evaluator: Evaluator, what: Display, depth: int = 0) -> Optional[list[Held]]:
    """Return the elements of a list, tuple or comprehension where it is created; None where not all are known."""
    if what.kind == COMPREHENSION:
        passes = _passes(evaluator, what.node, what.scope, depth)  # type: ignore[arg-type]
        return None if passes is None else [Held(what.node.elt, each) for each in passes]  # type: ignore[attr-defined]
    yields_in_a_row = what.kind == YIELDS and all(block.parent is None for _, block in what.scope.yields)
    if what.kind not in (LIST, TUPLE) and not yields_in_a_row:  # else what it yields depends on conditions
        return None
    if what.binding is not None:
        return None
    found: list[Held] = []
    for part in what.parts:
        inner: Optional[list[Held]] = [part]
        if part.is_spread:
            inner = whole(evaluator, evaluator.read(part), depth + 1) if depth < NESTED else None
        if inner is None:
            return None
        found.extend(inner)
    return found


def whole(evaluator: Evaluator, value: Value, depth: int = 0) -> Optional[list[Held]]:
    """Return the elements of a sequence in order; None where not all are known, or code changes it later."""
    only = value.only
    what = only.what if only is not None else None
    if isinstance(what, Constant) and isinstance(what.value, str):
        return _letters(only, what.value)  # type: ignore[arg-type]
    if not isinstance(what, Display) or list_changes.changed(evaluator, what):
        return None
    parts = in_order(evaluator, what, depth)
    if not parts or not value.overridable:
        return parts
    return [Held(part.node, part.scope, evaluator.read(part)._replace(overridable=True)) for part in parts]


def _letters(known: Alternative, text: str) -> Optional[list[Held]]:
    """Return the letters of a text as elements; None of a long one, and of one that stands in no code."""
    if isinstance(known.where, Place) or len(text) > MAPPED:
        return None
    module, node = known.where
    values = (Value((known._replace(what=Constant(letter)),)) for letter in text)
    return [Held(node, module.scope, value) for value in values]  # type: ignore[arg-type]


def opened(evaluator: Evaluator, part: Held) -> Optional[list[Held]]:
    """Return the elements that `*sequence` passes to a call; None where they are not known."""
    return whole(evaluator, evaluator.read(part))


def item(evaluator: Evaluator, known: Alternative, key: int) -> Value:
    """Return an element of a list, tuple or comprehension."""
    what = known.what
    assert isinstance(what, Display)
    parts, changes = in_order(evaluator, what), list_changes.changed(evaluator, what)
    is_there = changes <= list_changes.BEHIND if key >= 0 else not changes
    if parts is not None and -len(parts) <= key < len(parts) and is_there:
        return evaluator.read(parts[key])
    if any(loop.ifs for loop in getattr(what.node, "generators", ())):
        return usual_item(evaluator, known, key)  # which one it is depends on conditions
    value = evaluator.each(Value((known,)))
    is_moved = not changes <= list_changes.KEEPS and len(value.alternatives) > 1
    return value if value.alternatives and not value.open and not is_moved else TOP


def usual_item(evaluator: Evaluator, known: Alternative, key: int) -> Value:
    """Return an element of a comprehension whose conditions depend on options: by default, or any other one."""
    parts = usual(evaluator, known)
    if not parts or not -len(parts) <= key < len(parts):
        return TOP
    others = evaluator.each(Value((known,))).as_non_default()
    return join([evaluator.read(parts[key]), others])._replace(overridable=True)


def usual(evaluator: Evaluator, known: Alternative) -> Optional[list[Held]]:
    """Return the elements that a comprehension has by default, in order; None where they are not known."""
    what = known.what
    if not isinstance(what, Display) or what.kind != COMPREHENSION or list_changes.changed(evaluator, what):
        return None
    passes = _passes(evaluator, what.node, what.scope, is_usual=True)  # type: ignore[arg-type]
    return None if passes is None else [Held(what.node.elt, each) for each in passes]  # type: ignore[attr-defined]


def is_list(known: Alternative) -> bool:
    """Return whether it is a known list."""
    return isinstance(known.what, Display) and known.what.kind in (LIST, COMPREHENSION, MANY_OF)


def copied(evaluator: Evaluator, known: Alternative) -> Optional[tuple[Alternative, ...]]:
    """Return what a comprehension only makes a list of, also through others: `[each for each in documents]`.

    None for what is no such comprehension. One may copy itself: `self.rows = [row for row in self.rows]`.
    """
    if _copied(evaluator, known) is None:
        return None
    copies = reachable([known], lambda each: _copied(evaluator, each) or ())
    return tuple(each for each in copies if _copied(evaluator, each) is None)


def _copied(evaluator: Evaluator, known: Alternative) -> Optional[tuple[Alternative, ...]]:
    node = known.what.node if isinstance(known.what, Display) else None
    if not isinstance(known.what, Display) or not isinstance(node, ast.ListComp) or len(node.generators) != 1:
        return None
    each = node.generators[0]
    names = [part.id for part in (node.elt, each.target) if isinstance(part, ast.Name)]
    is_copy = not each.ifs and len(names) == 2 and names[0] == names[1]
    value = evaluator.value(each.iter, known.what.scope) if is_copy else BOTTOM
    is_copy = is_copy and not (value.overridable and value.are(lambda given: given.is_display))  # whose parts say so
    found = value.alternatives
    return found if is_copy and all(evaluator.operated(given, "__iter__") is None for given in found) else None


def sliced(evaluator: Evaluator, node: ast.expr, base: Value, bounds: Optional[slice], scope: Scope) -> Value:
    """Return the value of `base[bounds]`; `bounds` is None where it is not known."""
    values = [_sliced(evaluator, node, known, bounds, scope) for known in base.alternatives]
    return join([*values, *evaluator.rest(base)]).overridden_with(base)


def _sliced(evaluator: Evaluator, node: ast.expr, known: Alternative, bounds: Optional[slice], scope: Scope) -> Value:
    what = known.what
    if isinstance(what, Constant) and isinstance(what.value, (str, tuple)) and bounds is not None:
        return Value((known._replace(what=Constant(what.value[bounds])),))
    if not isinstance(what, Display) or what.kind == DICT:
        return TOP
    if any(each.node is node and each.scope is scope for each in _slices(what)):
        return evaluator.known(what, node, scope)  # in a cycle, one slice more holds the same, and is changed alike
    is_fixed = (bounds is not None or what.kind == MANY_OF) and not list_changes.changed(evaluator, what)
    parts = in_order(evaluator, what) if bounds is not None and is_fixed else None
    if parts is not None and bounds is not None:
        made = Display(node, scope, LIST, tuple(parts[bounds]))
    elif what.kind == MANY_OF and is_fixed:  # in a cycle, a slice of a slice would never end
        made = Display(node, scope, MANY_OF, what.parts)
    else:
        made = Display(node, scope, MANY_OF, (Held(node, scope, Value((known,)), is_spread=True),))
    return evaluator.known(made, node, scope)


def _slices(what: Display) -> Iterator[Display]:
    """Yield a list and those that it is a slice of, where it has any number of their elements."""
    inner: object = what
    while isinstance(inner, Display) and inner.kind == MANY_OF and inner.binding is None:
        yield inner
        known = inner.parts[0].known if len(inner.parts) == 1 and inner.parts[0].is_spread else None
        inner = known.only.what if isinstance(known, Value) and known.only is not None else None


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
    return evaluator.call_context(own, None, scope, None, passed, scope)


def _passes(
    evaluator: Evaluator, node: Comprehension, made_in: Scope, depth: int = 0, is_usual: bool = False
) -> Optional[list[Scope]]:
    """Return the scope of a comprehension in each pass through it; None where not all are known.

    It may go through itself: `rows = [row for row in rows]` in a loop. `is_usual`: with the default options.
    """
    if depth >= NESTED:
        return None
    passes: list[tuple[Held, ...]] = [()]
    for position, generator in enumerate(node.generators):
        longer: list[tuple[Held, ...]] = []
        for passed in passes:
            scope = inside(evaluator, node, made_in, passed) if position else made_in
            parts = whole(evaluator, evaluator.value(generator.iter, scope), depth + 1)
            if parts is None or len(longer) + len(parts) > MAPPED:
                return None
            for part in parts:
                scope = inside(evaluator, node, made_in, (*passed, part))
                tests = [evaluator.value(test, scope) for test in generator.ifs]
                answers = {test.default_truth if is_usual else test.truth for test in tests}
                if None in answers:
                    return None
                if False not in answers:
                    longer.append((*passed, part))
        passes = longer
    return [inside(evaluator, node, made_in, passed) for passed in passes]


def mapped(evaluator: Evaluator, node: ast.DictComp, scope: Scope) -> Value:
    """Return the dict of a comprehension; MANY if not all of it is known, which may be known for a single call."""
    passes = _passes(evaluator, node, scope)
    if passes is None:
        return MANY
    made = _dict(evaluator, node, [(Held(node.key, each), Held(node.value, each)) for each in passes], scope)
    return made.overridden_with(evaluator.value(node.generators[0].iter, scope))


def paired(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the dict of `dict(pairs)`; None where not all pairs are known."""
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


# --- where code reads a list: `append`, `insert`, `pop` and the like before that, one after the other


def item_at(evaluator: Evaluator, known: Alternative, key: object, node: ast.expr, scope: Scope) -> Optional[Value]:
    """Return the element of a list that an expression reads; None where the changes before it are not all known."""
    if not isinstance(key, int) or type(known.what) is not Display or known.what.kind != LIST:
        return None
    parts = _at(evaluator, known.what, node, scope)
    return evaluator.read(parts[key]) if parts is not None and -len(parts) <= key < len(parts) else None


def taken(evaluator: Evaluator, known: Alternative, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the element that `list.pop()` and the like remove; None where it is not known."""
    index = _index(evaluator, node, scope)
    return item_at(evaluator, known, index, node, scope) if index is not None else None


def _index(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Optional[int]:
    """Return which element a call of `pop` or `popleft` takes; None where that is not known."""
    if not node.args:
        return TAKES.get(word_of(node.func))
    constant = evaluator.value(node.args[0], scope).constant
    return constant if isinstance(constant, int) else None


def _at(evaluator: Evaluator, what: Display, node: ast.expr, scope: Scope) -> Optional[list[Held]]:
    holders = held_names.bindings_of(what)
    if len(holders) != 1:
        return None
    read, is_own = made_in(holders[0].scope.owner, node, scope)
    if read is None:
        return None
    parts, loops = in_order(evaluator, what), holders[0].block.loops
    found: list[tuple[int, Change]] = []
    for change in list_changes.changes(evaluator, what):
        at = place(change.node, change.block.scope)
        is_once = change.block.loops == loops and not isinstance(change.block.scope.node, COMPREHENSIONS)
        if change.node is node and is_once and (is_own or runs_once(evaluator, node, scope)):
            continue
        if is_own and never_before(at, read):
            continue
        is_one = evaluator.value(change.about, change.block.scope).only is not None
        if not is_one or not is_once or not happens_before(at, read):
            return None
        found.append((at.rank, change))  # type: ignore[union-attr]
    for _, change in sorted(found, key=lambda each: each[0]):
        parts = _changed(evaluator, parts, change, what.scope) if parts is not None else None
    return parts


def _changed(evaluator: Evaluator, parts: list[Held], change: Change, made_in: Scope) -> Optional[list[Held]]:
    """Return the elements of a list after a change; None where they are not known."""
    scope = made_in if change.block.scope is getattr(made_in, "function", None) else change.block.scope
    word, added = change.word, [Held.of(change.added, scope)] if change.added is not None else []
    if word == "extend" and added:
        more = whole(evaluator, evaluator.read(added[0]))
        return [*parts, *more] if more is not None else None
    if word in ("append", "appendleft") and added:
        return [*parts, *added] if word == "append" else [*added, *parts]
    if word in ("reverse", "clear"):
        return parts[::-1] if word == "reverse" else []
    is_deleted = isinstance(getattr(change.node, "ctx", None), ast.Del)
    if isinstance(change.node, ast.Subscript) and isinstance(change.node.slice, ast.Slice):
        bounds = bounds_of(evaluator, change.node.slice, scope)
        put = [] if is_deleted else whole(evaluator, evaluator.read(added[0])) if added else None
        if bounds is None or bounds.step is not None or put is None:
            return None
        made = [*parts]
        made[bounds] = put
        return made
    if word in ("sort", "remove"):
        return _by_value(evaluator, parts, change.node, scope)
    index = _position(evaluator, change, scope)
    if index is None or not -len(parts) <= index < len(parts) + (word == "insert"):
        return None
    if any(each.is_spread for each in added) and not is_deleted:  # something that is not known
        return None
    index = index + len(parts) if index < 0 else index
    return [*parts[:index], *([] if is_deleted else added), *parts[index + (word != "insert") :]]


def _by_value(evaluator: Evaluator, parts: list[Held], node: ast.AST, scope: Scope) -> Optional[list[Held]]:
    """Return the elements of a list of constants after `sort()` or `remove(constant)`; None where that is not known."""
    constants = [value.constant for value in map(evaluator.read, parts) if not value.overridable]
    args = node.args if isinstance(node, ast.Call) and not node.keywords else [None, None]
    wanted = evaluator.value(args[0], scope).constant if args and args[0] is not None else None
    is_known = len(args) < 2 and len(constants) == len(parts) and len({type(each) for each in constants}) == 1
    if not is_known or not isinstance(constants[0], (int, str)) or (args and wanted not in constants):
        return None
    if args:
        at = constants.index(wanted)
        return [*parts[:at], *parts[at + 1 :]]
    return [parts[at] for at in sorted(range(len(parts)), key=constants.__getitem__)]  # type: ignore[arg-type]


def _position(evaluator: Evaluator, change: Change, scope: Scope) -> Optional[int]:
    """Return which element a change is about: `insert(0, x)`, `pop()`, `name[1] = x`; None of other changes."""
    node, shown = change.node, None
    if isinstance(node, ast.Call):
        if change.word in TAKES:
            return _index(evaluator, node, scope)
        shown = node.args[0] if change.word == "insert" and len(node.args) == 2 else None
    elif isinstance(node, ast.Subscript):
        shown = node.slice
    constant = evaluator.value(shown, scope).constant if isinstance(shown, ast.expr) else None
    return constant if isinstance(constant, int) else None
