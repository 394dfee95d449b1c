"""The arguments that `*sequence` and `**mapping` pass to a call."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Optional

from ms_perflint.index.semantic_index import Binding, Scope, Site
from ms_perflint.index.signature import SPREADS, Held
from ms_perflint.index.syntax_forms import name_of, text_of
from ms_perflint.infer import attribute_writes, filtered, mappings
from ms_perflint.infer.evaluator import Evaluator, Reading
from ms_perflint.infer.places import SHRINKS, UPDATES
from ms_perflint.infer.values import (
    DICT,
    NO_CONSTANT,
    TOP,
    Alternative,
    ConfigDocument,
    Display,
    Options,
    Value,
    join,
)

CHANGES = UPDATES | SHRINKS  # methods that change a dict


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
    found = [_held(evaluator, each, name, default, known) for each in value.alternatives]
    if value.open or not value.alternatives:
        found += [default, TOP]
    if mapping.is_plain and isinstance(mapping.node, (ast.Name, ast.Attribute, ast.Subscript)):
        node = mapping.node
        read = Reading(value, name, node, mapping.scope, node, default)
        found = attribute_writes.overlaid(evaluator, found, read)
    known[mapping, default] = join(found)
    return known[mapping, default]


def keys(evaluator: Evaluator, mapping: Held, depth: int = 0) -> Optional[tuple[str, ...]]:
    """Return all keys that a mapping may have; None where they are not known."""
    value = evaluator.read(mapping)
    what = value.only.what if value.only is not None else None
    name = name_of(mapping.node)
    if depth > SPREADS:
        return None
    names: list[object] = []
    if isinstance(what, ConfigDocument) and isinstance(what.data, dict) and not what.open:
        names.extend(what.data)
    elif isinstance(what, Display) and what.kind == DICT:
        for key, held in zip(what.keys, what.parts):
            inner = keys(evaluator, held, depth + 1) if key is None else (mappings.said(evaluator, key),)
            names.extend(inner if inner is not None else [None])
    else:
        return None
    stored = (key for base, key in mapping.scope.module.stores if name and base == name)
    names.extend(key for key in stored if _stores(mapping.node, key, mapping.scope))  # type: ignore[arg-type]
    for site in _changes(mapping.node, mapping.scope) if isinstance(mapping.node, ast.Name) else ():
        names.extend(_added(evaluator, site, depth))
    texts = [each for each in names if isinstance(each, str)]
    return tuple(dict.fromkeys(texts)) if len(texts) == len(names) else None


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


# --- what changes a mapping under its name


def _stores(node: ast.Name, name: str, scope: Scope) -> list[Binding]:
    """Return what `mapping[name] = value` stores in a mapping under the name that it has here."""
    home = _home(node, scope)
    return [each for each in scope.module.stores.get((node.id, name), ()) if _home(node, each.scope) is home]


def _changes(node: ast.expr, scope: Scope) -> Iterator[Site]:
    """Yield the calls of methods that may change a mapping under the name that it has here."""
    if isinstance(node, ast.Name):
        home = _home(node, scope)
        sites = ((site.base, site) for word in CHANGES for site in scope.module.by_word.get(word, ()))
        own = (site for base, site in sites if isinstance(base, ast.Name) and base.id == node.id)
        yield from (site for site in own if _home(node, site.scope) is home)


def _added(evaluator: Evaluator, site: Site, depth: int) -> Sequence[Optional[str]]:
    """Return the keys that a method may add to a mapping; None among them for those that are not known."""
    if site.word in SHRINKS:
        return ()
    given = site.call.args
    if site.word == "setdefault":
        return (text_of(given[0]) or None,) if given else (None,)
    inner = [keys(evaluator, Held(each, site.scope), depth + 1) or (None,) for each in given]
    return [word.arg for word in site.call.keywords] + [key for each in inner for key in each]


def _home(node: ast.Name, scope: Scope) -> object:
    """Return the scope that binds a name; the function where that is entered by one call."""
    home = scope.home(node.id)
    return getattr(home, "function", home)
