"""What `object[key]` can be."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.signature import Held
from ms_perflint.infer import attribute_writes, registries, sequences, tables
from ms_perflint.infer.values import BOTTOM, TOP, Alternative, Constant, Value, join

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
    value = evaluator.item(known, key.constant)
    return value if key.by_default else value.as_non_default()
