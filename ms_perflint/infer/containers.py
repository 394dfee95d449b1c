"""What `object[key]` can be."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Optional

from ms_perflint.index.semantic_index import Scope, SemanticIndex
from ms_perflint.index.signature import Held
from ms_perflint.infer import attribute_writes, bases, configs, mappings, registries, sequences, tables
from ms_perflint.infer.values import (
    BOTTOM,
    DICT,
    TOP,
    Alternative,
    Constant,
    Display,
    Instance,
    Options,
    Tree,
    Value,
    join,
)

if TYPE_CHECKING:
    from ms_perflint.infer.evaluator import Evaluator


def subscript(evaluator: Evaluator, node: ast.Subscript, scope: Scope) -> Value:
    """Return what `base[key]` can be."""
    index = node.slice
    base = evaluator.value(node.value, scope)
    if isinstance(index, ast.Slice):
        return sequences.sliced(evaluator, node, base, sequences.bounds_of(evaluator, index, scope), scope)
    keys = evaluator.value(index, scope) if isinstance(index, ast.expr) else TOP
    return _under(evaluator, base, keys, node, node.value, scope)


def at(evaluator: Evaluator, part: Held, key: object) -> Value:
    """Return what stands under a key in what a part is."""
    keys = evaluator.known(Constant(key), part.node, part.scope)
    return _under(evaluator, evaluator.read(part), keys, part.node, part.node if part.is_plain else None, part.scope)


def _under(
    evaluator: Evaluator, base: Value, keys: Value, node: ast.expr, holder: Optional[ast.expr], scope: Scope
) -> Value:
    """Return what stands under some keys; `holder`: the expression that `base` is, where `node` reads it."""
    registered = registries.registered(evaluator, holder, keys, scope) if holder is not None else None
    if registered is not None:
        return registered
    if evaluator.is_pending(keys) or evaluator.is_pending(base):
        return BOTTOM
    if keys.open or not keys.alternatives or len(keys.constants) != len(keys.alternatives):
        return tables.any_entry(evaluator, base)
    values = [_at(evaluator, known, key) for known in base.alternatives for key in keys.alternatives]
    if base.open or not base.alternatives:
        values.append(TOP)
    names = list(dict.fromkeys(key for key in keys.constants if isinstance(key, str)))
    if len(names) == 1:
        values = attribute_writes.overlaid(evaluator, values, base, node, names[0], scope, holder)
    else:
        for name in names:
            values.extend(attribute_writes.overlaid(evaluator, [], base, node, name, scope, holder))
    if keys.overridable:
        values.extend(tables.others(evaluator, base, values))
    value = join(values)
    return Value(value.alternatives, value.open, value.overridable or keys.overridable)


def _at(evaluator: Evaluator, known: Alternative, key: Alternative) -> Value:
    """Return what one key gives: as something rare where the key is."""
    value = item(evaluator, known, key.constant)
    return value if key.by_default else value.as_non_default()


def item(evaluator: Evaluator, known: Alternative, key: object) -> Value:
    """Return `known[key]`."""
    what = known.what
    if isinstance(what, Display):
        return _display_item(evaluator, known, what, key)
    if isinstance(what, (Tree, Options)):
        return configs.lookup(evaluator, known, key)
    if isinstance(what, SemanticIndex):
        return evaluator.exported(what, key) if isinstance(key, str) else TOP  # `globals()["name"]`
    if isinstance(what, (Scope, Instance)) and (enum := bases.member(evaluator, what, key)) is not None:
        return enum
    given = evaluator.operated(known, "__getitem__")
    if given is not None:
        return given
    name, items = known.api or known.type_api, evaluator.libraries.items
    if (special := items.get(name) or items.get(f".{name.rpartition('.')[2]}")) is not None:
        return special(evaluator, known, key)
    if isinstance(what, Instance) and what.node is not None and isinstance(key, str):
        field = evaluator.libraries.field(evaluator, known, key)
        if field is not None:
            return field
        return configs.setting(evaluator, known, key)
    if isinstance(what, Constant) and isinstance(what.value, (str, tuple)) and isinstance(key, int):
        try:
            return Value((Alternative(Constant(what.value[key]), known.where, known.by_default),))
        except IndexError:
            return TOP
    return TOP


def _display_item(evaluator: Evaluator, known: Alternative, display: Display, key: object) -> Value:
    if display.kind == DICT:
        return mappings.entry(evaluator, display, key)
    if isinstance(display.node, ast.ListComp) and _is_copy(display.node):
        over = evaluator.value(display.node.generators[0].iter, display.scope)
        return join(evaluator.item(each, key) for each in over.alternatives)
    return sequences.item(evaluator, known, key) if isinstance(key, int) else TOP


def _is_copy(node: ast.ListComp) -> bool:
    """Return whether it only makes a list of something: `[each for each in documents]`."""
    each = node.generators[0]
    names = [part.id for part in (node.elt, each.target) if isinstance(part, ast.Name)]
    return len(node.generators) == 1 and not each.ifs and len(names) == 2 and names[0] == names[1]
