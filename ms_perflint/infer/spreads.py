"""The arguments that `*sequence` and `**mapping` pass to a call."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.signature import Held
from ms_perflint.infer import attribute_writes, filtered, mappings
from ms_perflint.infer.alternatives import DICT, ConfigDocument, Display, Options
from ms_perflint.infer.evaluator import Evaluator, Reading
from ms_perflint.infer.values import NO_CONSTANT, TOP, Alternative, Value, join


def entry(
    evaluator: Evaluator, mapping: Held, name: str, default: Value, known: Optional[dict[object, Value]] = None
) -> Value:
    """Return the value of a mapping under a key; the default where it has none.

    `known`: the values found so far, by mapping and default: classes that hand `**kwargs` on lead to a few of them in
    very many ways. `options = {**options, "x": 1}` in a loop holds itself.
    """
    known = {} if known is None else known
    if (mapping, default) in known:
        return known[mapping, default]
    known[mapping, default] = join([default, TOP])
    value = evaluator.read(mapping)
    found = [value.of_part(each, _held(evaluator, each, name, default, known)) for each in value.alternatives]
    if value.open or not value.alternatives:
        found += [default, TOP]
    if mapping.is_plain and isinstance(mapping.node, (ast.Name, ast.Attribute, ast.Subscript)):
        node = mapping.node
        read = Reading(value, name, node, mapping.scope, node, default)
        found = attribute_writes.overlaid(evaluator, found, read)
    known[mapping, default] = join(found)
    return known[mapping, default]


def _held(evaluator: Evaluator, holder: Alternative, name: str, default: Value, known: dict[object, Value]) -> Value:
    what = holder.what
    if isinstance(what, Display) and filtered.is_one(what):
        found, answer = filtered.entry(evaluator, what, name), filtered.holds(evaluator, what, name)
        if answer is False:
            return Value(default.alternatives, default.open, True)
        return found if answer else join([default, found])
    if isinstance(what, Display) and what.kind == DICT:
        for key, part in zip(what.keys, what.parts) if name not in what.never else ():
            constant = mappings.said(evaluator, key) if key is not None else None
            if key is None:
                default = entry(evaluator, part, name, default, known)
            elif constant is NO_CONSTANT:
                default = join([default, TOP])
            elif constant == name:
                default = evaluator.read(part)
        return default
    if isinstance(what, (ConfigDocument, Options)):
        found = evaluator.item(holder, name)
        if evaluator.holds(holder, name) is False:
            return Value(default.alternatives, default.open, True)
        return found if found.alternatives else join([default, TOP])
    held = evaluator.holds(holder, name) if holder.is_made else None
    if held is not None:
        return evaluator.item(holder, name) if held else default
    return join([default, TOP])
