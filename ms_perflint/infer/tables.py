"""Tables of functions and classes: `TRAINERS[name](...)`, and what a loop over a dict goes through."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.semantics import lists
from ms_perflint.semantics.evaluator import Evaluator
from ms_perflint.semantics.forms import word_of
from ms_perflint.semantics.module import Scope
from ms_perflint.semantics.values import OPEN, Api, Bound, Display, Known, Value, union

ENTRIES = 50  # of a table, that are looked at
VIEWS = ("keys", "values", "items")  # methods of a dict
CHANGES = ("update", "setdefault")


def any_entry(evaluator: Evaluator, base: Value) -> Value:
    """Return what a table gives for a key that is not known: every function and class that it holds.

    Open for other displays: which of several settings is read would be no more than a guess.
    """
    if base.open or not base.known:
        return OPEN
    values = [value for known in base.known for value in _entries(evaluator, known)]
    if not all(map(_is_code, values)):
        return OPEN
    return union([*values, OPEN] if any(_grows(known.what) for known in base.known) else values)


def others(evaluator: Evaluator, base: Value, found: list[Value]) -> list[Value]:
    """Return what another key of a table gives than what was found, as something rare; nothing of other displays."""
    held = {known.what for value in found for known in value.known}
    left = (known for known in any_entry(evaluator, base).known if known.what not in held)
    return [Value((known.rarely(),)) for known in left]


def _entries(evaluator: Evaluator, known: Known) -> list[Value]:
    """Return what one display holds; something open where it does not show all of that."""
    what = known.what
    if not isinstance(what, Display):
        return [OPEN]
    if isinstance(what.node, ast.Dict):
        nodes = [] if None in what.node.keys else what.node.values
    else:
        nodes = getattr(what.node, "elts", [])
    if not 0 < len(nodes) <= ENTRIES or any(isinstance(each, ast.Starred) for each in nodes):
        return [OPEN]
    return [evaluator.value(each, what.scope) for each in nodes]


def _is_code(value: Value) -> bool:
    """Return whether a value is functions and classes, and nothing else."""
    return bool(value.known and not value.open) and all(isinstance(k.what, (Scope, Bound, Api)) for k in value.known)


def _grows(what: object) -> bool:
    """Return whether the file of a table puts more into it, under the name that it got where it was made."""
    assert isinstance(what, Display)
    module = what.scope.module
    names = {holder.name for holder in lists.holders(what)}
    stores = any(base.rpartition(".")[2] in names for base, _ in module.stores)
    return (
        stores
        or not names.isdisjoint(module.registered)
        or any(
            isinstance(site.node, ast.Call)
            and isinstance(site.node.func, ast.Attribute)
            and word_of(site.node.func.value) in names
            for word in CHANGES
            for site in module.by_word.get(word, ())
        )
    )


def view(evaluator: Evaluator, receiver: Known, name: str) -> Optional[Value]:
    """Return what `keys`, `values` and `items` of a dict give, as a tuple; None where not all of that is shown."""
    what = receiver.what
    if not isinstance(what, Display) or not isinstance(what.node, ast.Dict) or None in what.node.keys or _grows(what):
        return None
    key = (id(what.node), 1 + VIEWS.index(name))
    made = evaluator.made.get(key)
    if made is None:
        made = evaluator.made[key] = ast.copy_location(ast.Tuple(_viewed(name, what.node), ast.Load()), what.node)
    return Value((Known(Display(made, what.scope), receiver.where, receiver.usual),))


def _viewed(name: str, table: ast.Dict) -> list[ast.expr]:
    keys = [key for key in table.keys if key is not None]
    if name == "keys":
        return [*keys]
    if name == "values":
        return [*table.values]
    return [ast.copy_location(ast.Tuple([k, v], ast.Load()), k) for k, v in zip(keys, table.values)]
