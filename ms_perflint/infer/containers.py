"""What `object[key]` can be."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ms_perflint.semantics import bases, lists, registries, sequences, tables
from ms_perflint.semantics.module import Module, Scope
from ms_perflint.semantics.settings import configs, mappings, stores
from ms_perflint.semantics.values import (
    NOTHING,
    OPEN,
    Constant,
    Display,
    Instance,
    Known,
    Options,
    Tree,
    Value,
    union,
)

if TYPE_CHECKING:
    from ms_perflint.semantics.evaluator import Evaluator

CELL_DICT = "mindspore.nn.CellDict"


def subscript(evaluator: Evaluator, node: ast.Subscript, scope: Scope) -> Value:
    """Return what `base[key]` can be."""
    index = node.slice
    base = evaluator.value(node.value, scope)
    if isinstance(index, ast.Slice):
        return sequences.sliced(evaluator, node, base, sequences.bounds_of(evaluator, index, scope), scope)
    keys = evaluator.value(index, scope) if isinstance(index, ast.expr) else OPEN
    registered = registries.registered(evaluator, node, keys, scope)
    if registered is not None:
        return registered
    if evaluator.is_pending(keys) or evaluator.is_pending(base):
        return NOTHING
    if keys.open or not keys.known or len(keys.constants) != len(keys.known):
        return tables.any_entry(evaluator, base)
    values = [_at(evaluator, known, key) for known in base.known for key in keys.known]
    if base.open or not base.known:
        values.append(OPEN)
    names = list(dict.fromkeys(key for key in keys.constants if isinstance(key, str)))
    if len(names) == 1:
        values = stores.overlaid(evaluator, values, base, node, names[0], scope)
    else:
        values.extend(v for name in names for v in stores.overlaid(evaluator, [], base, node, name, scope))
    if keys.optional:
        values.extend(tables.others(evaluator, base, values))
    value = union(values)
    return Value(value.known, value.open, value.optional or keys.optional)


def _at(evaluator: Evaluator, known: Known, key: Known) -> Value:
    """Return what one key gives: as something rare where the key is."""
    value = item(evaluator, known, key.constant)
    return value if key.usual else value.rarely()


def item(evaluator: Evaluator, known: Known, key: object) -> Value:
    """Return `known[key]`."""
    what = known.what
    if isinstance(what, Display):
        return _display_item(evaluator, known, what, key)
    if isinstance(what, (Tree, Options)):
        return configs.lookup(evaluator, known, key)
    if isinstance(what, Module):
        return evaluator.exported(what, key) if isinstance(key, str) else OPEN  # `globals()["name"]`
    if isinstance(what, (Scope, Instance)) and (enum := bases.member(evaluator, what, key)) is not None:
        return enum
    given = evaluator.operated(known, "__getitem__")
    if given is not None:
        return given
    if known.type_api == CELL_DICT and isinstance(what, Instance) and what.node is not None and what.node.args:
        return union(item(evaluator, each, key) for each in evaluator.value(what.node.args[0], what.scope).known)
    if isinstance(what, Instance) and what.node is not None and isinstance(key, str):
        field = evaluator.libraries.field(evaluator, known, key)
        if field is not None:
            return field
        return configs.setting(evaluator, what, key)
    if known.type_api in lists.CELLS:
        elements, is_open = lists.elements(evaluator, Value((known,)))
        return Value(elements, is_open)
    name, items = known.api or known.type_api, evaluator.libraries.items
    if (special := items.get(name) or items.get(f".{name.rpartition('.')[2]}")) is not None:
        return special(evaluator, known, key)
    if isinstance(what, Constant) and isinstance(what.value, (str, tuple)) and isinstance(key, int):
        try:
            return Value((Known(Constant(what.value[key]), known.where, known.usual),))
        except IndexError:
            return OPEN
    return OPEN


def _display_item(evaluator: Evaluator, known: Known, display: Display, key: object) -> Value:
    if isinstance(display.node, ast.Dict):
        return mappings.entry(evaluator, display, key)
    if isinstance(display.node, ast.ListComp) and _is_copy(display.node):
        over = evaluator.value(display.node.generators[0].iter, display.scope)
        return union(evaluator.item(each, key) for each in over.known)
    return sequences.item(evaluator, known, key) if isinstance(key, int) else OPEN


def _is_copy(node: ast.ListComp) -> bool:
    """Return whether it only makes a list of something: `[each for each in documents]`."""
    each = node.generators[0]
    names = [part.id for part in (node.elt, each.target) if isinstance(part, ast.Name)]
    return len(node.generators) == 1 and not each.ifs and len(names) == 2 and names[0] == names[1]
