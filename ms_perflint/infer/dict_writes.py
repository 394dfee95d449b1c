"""What changes a dict under keys that are computed, or takes entries out: `name[key] = value`, `name.pop("a")`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Optional

from ms_perflint.core.facts import fact
from ms_perflint.index.semantic_index import Binding, Scope, SemanticIndex
from ms_perflint.index.syntax_forms import word_of
from ms_perflint.infer import lists, setting_loops
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.values import DICT, NO_CONSTANT, Display, Value

REMOVES = ("pop", "popitem", "clear")  # methods of a dict


def found(evaluator: Evaluator, base: Value, node: ast.expr, name: str) -> Iterator[tuple[Binding, bool]]:
    """Yield what changes the entry under a key of some dicts, in the files in which they are made.

    With each, whether it is surely that entry.
    """
    dicts = [known for known in base.alternatives if type(known.what) is Display and known.what.kind == DICT]
    if not dicts:
        return
    holders, is_there = {known.identity for known in dicts}, _is_there(node)
    changes = [change for known in dicts for change in _changes(known.what.scope.module)]  # type: ignore[union-attr]
    for binding in dict.fromkeys(changes):
        is_read = binding.node is not node and not (is_there and isinstance(binding.node, ast.Call))
        answer = _is_about(evaluator, binding, name) if is_read else False
        if answer is not False:
            held = evaluator.value(_receiver(binding), binding.scope).alternatives
            if any(known.identity in holders for known in held):
                yield binding, answer is True


def _is_there(node: ast.expr) -> bool:
    """Return whether an expression fails where its dict does not have the key: nothing has taken that out before."""
    is_pop = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "pop"
    return isinstance(node, ast.Subscript) or (is_pop and len(node.args) == 1)  # type: ignore[attr-defined]


def is_taken_from(what: Display) -> bool:
    """Return whether its file takes entries out of a dict, under a name that it got where it was made."""
    names = {holder.name for holder in lists.bindings_of(what)}
    sites = (site for word in REMOVES for site in what.scope.module.by_word.get(word, ()))
    return any(site.base is not None and word_of(site.base) in names for site in sites)


def _receiver(binding: Binding) -> ast.expr:
    """Return the expression of the dict that is changed."""
    node = binding.node.func if isinstance(binding.node, ast.Call) else binding.node
    assert isinstance(node, (ast.Attribute, ast.Subscript))
    return node.value


def _is_about(evaluator: Evaluator, binding: Binding, name: str) -> Optional[bool]:
    """Return whether a change is one of the entry under a key; None where that is not known."""
    node = binding.node
    key = next(iter(node.args), None) if isinstance(node, ast.Call) else node.slice  # type: ignore[attr-defined]
    if not isinstance(key, ast.expr):
        return True if node.func.attr == "clear" else None  # type: ignore[attr-defined]
    value = evaluator.value(key, binding.scope)
    if value.constant is not NO_CONSTANT and not value.overridable:
        return bool(value.constant == name)
    return False if value.alternatives and not value.open and name not in value.constants else None


@fact
def _changes(module: SemanticIndex) -> list[Binding]:
    """Return what, by its form, stores in a dict of a file under a key that is computed, or takes entries out."""
    found = []
    for target, value, block in (store for stores in module.registered.values() for store in stores):
        if setting_loops.of_key(target.slice, block) is None and not _is_given(value, block.scope):
            known = value if not isinstance(value, ast.Starred) else None
            found.append(Binding("", "assign" if known is not None else "delete", target, known, (), target, block))
    for site in (site for word in REMOVES for site in module.by_word.get(word, ())):
        is_of_dict = isinstance(site.node, ast.Call) and (site.node.args or site.word != "pop")
        if is_of_dict and site.base is not None:
            found.append(Binding("", "delete", site.node, None, (), site.stmt, site.block))
    return found


def _is_given(value: ast.expr, scope: Scope) -> bool:
    """Return whether a function stores what it is given, and gives it back, as a decorator that registers it does."""
    bindings = scope.owner.bindings.get(value.id, ()) if isinstance(value, ast.Name) else ()
    returned = (node.id for node, _ in scope.owner.returns if isinstance(node, ast.Name))
    return any(binding.kind == "parameter" for binding in bindings) and value.id in returned  # type: ignore[attr-defined]
