"""What `*sequence` and `**mapping` pass where a call spreads them."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.execution_order import has_run
from ms_perflint.index.semantic_index import Binding, Scope
from ms_perflint.index.signature import SPREADS, Held
from ms_perflint.infer import mappings
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.places import SHRINKS, UPDATES
from ms_perflint.infer.values import DICT, NO_CONSTANT, TOP, Alternative, ConfigDocument, Display, Options, Value, join

CHANGES = UPDATES | SHRINKS  # methods that change a dict


def entry(evaluator: Evaluator, mapping: Held, name: str, default: Value, depth: int = 0) -> Value:
    """Return what a mapping holds under a key; the default where it holds nothing."""
    if depth > SPREADS:  # `options = {**options, "x": 1}` in a loop holds itself
        return join([default, TOP])
    value = evaluator.read(mapping)
    found = [_held(evaluator, known, name, default, depth) for known in value.alternatives]
    if value.open or not value.alternatives:
        found += [default, TOP]
    if isinstance(mapping.node, ast.Name) and mapping.is_plain:
        stores = _stores(mapping.node, name, mapping.scope)
        last = next((store for store in reversed(stores) if has_run(store, mapping.node, mapping.scope)), None)
        if last is not None:
            found, stores = [], stores[stores.index(last) :]
        found += [evaluator.weighed(store) for store in stores]
        if _is_changed(mapping.node, mapping.scope):
            found.append(TOP)
    return join(found)


def keys(evaluator: Evaluator, mapping: Held, depth: int = 0) -> Optional[tuple[str, ...]]:
    """Return all keys that a mapping may hold; None where they are not known."""
    value = evaluator.read(mapping)
    what = value.only.what if value.only is not None else None
    name = mapping.node.id if isinstance(mapping.node, ast.Name) else ""
    if depth > SPREADS or (isinstance(mapping.node, ast.Name) and _is_changed(mapping.node, mapping.scope)):
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
    texts = [each for each in names if isinstance(each, str)]
    return tuple(dict.fromkeys(texts)) if len(texts) == len(names) else None


def _held(evaluator: Evaluator, known: Alternative, name: str, default: Value, depth: int) -> Value:
    what = known.what
    if isinstance(what, Display) and what.kind == DICT:
        for key, part in zip(what.keys, what.parts) if name not in what.never else ():
            constant = mappings.said(evaluator, key) if key is not None else None
            if key is None:
                default = entry(evaluator, part, name, default, depth + 1)
            elif constant is NO_CONSTANT:
                default = join([default, TOP])
            elif constant == name:
                default = evaluator.read(part)
        return default
    if isinstance(what, (ConfigDocument, Options)):
        found = evaluator.item(known, name)
        if evaluator.holds(known, name) is False:
            return Value(default.alternatives, default.open, True)
        return found if found.alternatives else join([default, TOP])
    return join([default, TOP])


# --- what changes a mapping under its name


def _stores(node: ast.Name, name: str, scope: Scope) -> list[Binding]:
    """Return what `mapping[name] = value` stores in a mapping under the name that it has here."""
    home = _home(node, scope)
    return [each for each in scope.module.stores.get((node.id, name), ()) if _home(node, each.scope) is home]


def _is_changed(node: ast.Name, scope: Scope) -> bool:
    """Return whether a method may change a mapping under the name that it has here."""
    home = _home(node, scope)
    sites = ((site.base, site) for word in CHANGES for site in scope.module.by_word.get(word, ()))
    own = (site for base, site in sites if isinstance(base, ast.Name) and base.id == node.id)
    return any(_home(node, site.scope) is home for site in own)


def _home(node: ast.Name, scope: Scope) -> object:
    """Return the scope that binds a name; the function where that is entered by one call."""
    home = scope.home(node.id)
    return getattr(home, "function", home)
