"""The values of `object[key]`."""

from __future__ import annotations

import ast
from itertools import zip_longest
from typing import Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.signature import Held
from ms_perflint.infer import attribute_writes, protocols, registries, sequences, tables
from ms_perflint.infer.alternatives import Constant
from ms_perflint.infer.evaluator import Evaluator, Reading
from ms_perflint.infer.values import BOTTOM, TOP, Alternative, Value, join


def subscript(evaluator: Evaluator, node: ast.Subscript, scope: Scope) -> Value:
    """Return the value of `base[key]`."""
    index = node.slice
    base = evaluator.value(node.value, scope)
    if isinstance(index, ast.Slice):
        return sequences.sliced(evaluator, node, base, sequences.bounds_of(evaluator, index, scope), scope)
    of_classes = [(known, protocols.by_key(evaluator, known, node, scope)) for known in base.alternatives]
    given = [value for _, value in of_classes if value is not None]
    if given:
        base = base._replace(alternatives=tuple(known for known, value in of_classes if value is None))
    if given and not base.alternatives and not base.open:
        return join(given)
    keys = evaluator.value(index, scope) if isinstance(index, ast.expr) else TOP
    return join([*given, under(evaluator, base, keys, node, node.value, scope)])


def at(evaluator: Evaluator, part: Held, key: object) -> Value:
    """Return the value under a key of the value of a part."""
    keys = evaluator.known(Constant(key), part.node, part.scope)
    return under(evaluator, evaluator.read(part), keys, part.node, part.node if part.is_plain else None, part.scope)


def under(
    evaluator: Evaluator,
    base: Value,
    keys: Value,
    node: ast.expr,
    holder: Optional[ast.expr],
    scope: Scope,
    absent: Value = TOP,
) -> Value:
    """Return the value under some keys; `holder`: the expression of `base`, which `node` reads.

    `absent`: what is read where the one key may not be there.
    """
    registered = registries.registered(evaluator, holder, keys, scope) if holder is not None else None
    if evaluator.is_pending(keys) or (registered is None and evaluator.is_pending(base)):
        return BOTTOM
    if registered is not None:  # with the entries under computed keys
        values, base = [registered], TOP
    elif keys.open or not keys.are_constants:
        return tables.any_entry(evaluator, base)
    else:
        values = [
            _at(evaluator, base, known, key, node, scope) for known in base.alternatives for key in keys.alternatives
        ]
        values += [TOP] if base.open or not base.alternatives else []
    own = values
    is_dict = any(known.is_display and known.is_mapping for known in base.alternatives)
    names = list(dict.fromkeys(key for key in keys.constants if isinstance(key, str) or is_dict))
    if len(names) == 1:
        read = Reading(base, names[0], node, scope, holder, absent)
        values = attribute_writes.overlaid(evaluator, values, read)
    else:
        asked = [key.constant for _ in base.alternatives for key in keys.alternatives]
        default = {key.constant for key in keys.alternatives if key.by_default and key.constant in names}
        values = [value for value, key in zip_longest(own, asked) if key not in names]
        for name in names:
            before = [value for value, key in zip(own, asked) if key == name]
            found = attribute_writes.overlaid(evaluator, before, Reading(base, name, node, scope, holder))
            values.extend(found if name in default else (each.as_non_default() for each in found))
    if keys.overridable and registered is None:
        values.extend(tables.others(evaluator, base, values))
    value = join(values)
    is_own = any(each is one for each in values for one in own)  # and no store has put another value there
    is_document = any(known.document for known in base.alternatives)  # whose entries are told one by one
    is_overridable = value.overridable or keys.overridable or (base.overridable and is_own and not is_document)
    return Value(value.alternatives, value.open, is_overridable)


def _at(evaluator: Evaluator, base: Value, known: Alternative, key: Alternative, node: ast.expr, scope: Scope) -> Value:
    """Return what one thing holds under one key; non-default where the key or the thing is."""
    value = sequences.item_at(evaluator, known, key.constant, node, scope) or evaluator.item(known, key.constant)
    return base.of_part(known, value if key.by_default else value.as_non_default())
