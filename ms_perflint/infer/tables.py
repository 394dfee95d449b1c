"""Tables of functions and classes: `TRAINERS[name](...)`, and what a loop over a dict goes through."""

from __future__ import annotations

from typing import Optional

from ms_perflint.index.signature import Held
from ms_perflint.index.syntax_forms import word_of
from ms_perflint.infer import lists
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.places import UPDATES
from ms_perflint.infer.values import DICT, LIST, SET, TOP, TUPLE, YIELDS, Alternative, Display, Value, join

ENTRIES = 50  # of a table, that are looked at
VIEWS = ("keys", "values", "items")  # methods of a dict


def any_entry(evaluator: Evaluator, base: Value) -> Value:
    """Return what a table gives for a key that is not known: every function and class that it holds.

    Open for other displays: which of several settings is read would be no more than a guess.
    """
    if base.open or not base.alternatives:
        return TOP
    values = [value for known in base.alternatives for value in _entries(evaluator, known)]
    if not all(map(_is_code, values)):
        return TOP
    return join([*values, TOP] if any(_grows(known.what) for known in base.alternatives) else values)


def others(evaluator: Evaluator, base: Value, found: list[Value]) -> list[Value]:
    """Return what another key of a table gives than what was found, as non-default; nothing of other displays."""
    held = {known.what for value in found for known in value.alternatives}
    left = (known for known in any_entry(evaluator, base).alternatives if known.what not in held)
    return [Value((known.as_non_default(),)) for known in left]


def _entries(evaluator: Evaluator, known: Alternative) -> list[Value]:
    """Return what one display holds; something open where it does not show all of that."""
    what = known.what
    if not isinstance(what, Display):
        return [TOP]
    is_whole = what.kind in (LIST, TUPLE, SET, DICT, YIELDS) and None not in what.keys
    if not is_whole or not 0 < len(what.parts) <= ENTRIES or any(part.is_spread for part in what.parts):
        return [TOP]
    return [evaluator.read(part) for part in what.parts]


def _is_code(value: Value) -> bool:
    """Return whether a value is functions and classes, and nothing else."""
    is_known = bool(value.alternatives) and not value.open
    return is_known and all(known.definition is not None or known.api for known in value.alternatives)


def _grows(what: object) -> bool:
    """Return whether the file of a table puts more into it, under the name that it got where it was made."""
    assert isinstance(what, Display)
    module = what.scope.module
    names = {holder.name for holder in lists.bindings_of(what)}
    if any(base.rpartition(".")[2] in names for base, _ in module.stores) or not names.isdisjoint(module.registered):
        return True
    receivers = (site.base for word in UPDATES for site in module.by_word.get(word, ()))
    return any(receiver is not None and word_of(receiver) in names for receiver in receivers)


def view(evaluator: Evaluator, receiver: Alternative, name: str) -> Optional[Value]:
    """Return what `keys`, `values` and `items` of a dict give, as a tuple; None where not all of that is shown."""
    what = receiver.what
    if not isinstance(what, Display) or what.kind != DICT or None in what.keys or _grows(what):
        return None
    made = Display(what.node, what.scope, TUPLE, _viewed(evaluator, name, what))
    return Value((Alternative(made, receiver.where, receiver.by_default),))


def _viewed(evaluator: Evaluator, name: str, table: Display) -> tuple[Held, ...]:
    keys = tuple(key for key in table.keys if key is not None)
    if name != "items":
        return keys if name == "keys" else table.parts
    pairs = ((key, Display(key.node, key.scope, TUPLE, (key, part))) for key, part in zip(keys, table.parts))
    return tuple(Held(key.node, key.scope, evaluator.known(pair, key.node, key.scope)) for key, pair in pairs)
