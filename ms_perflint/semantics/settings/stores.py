"""What `object.name = value` and `object["name"] = value` give an object that was made elsewhere."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Optional

from ms_perflint.semantics.evaluator import Evaluator
from ms_perflint.semantics.module import FUNCTIONS, Binding, Module, Scope
from ms_perflint.semantics.settings.updates import laid_over
from ms_perflint.semantics.values import Display, Instance, Known, Options, Value

SITES = 8  # stores of one name, in the whole program, that are looked at


def overlaid(
    evaluator: Evaluator, values: Sequence[Value], base: Value, node: ast.expr, name: str, scope: Scope
) -> list[Value]:
    """Return what a setting can be, where `values` is what it was when its object was made.

    `node` is the expression that reads it from an object that `base` is. A store that surely runs before takes the
    place of everything that was there.
    """
    if name.startswith("__"):
        return list(values)
    is_held = any(_is_holder(evaluator, known) for known in base.known)
    is_called = scope.module.calls(node)  # then it is no setting, which updates are of
    found = _stores(evaluator, base, node, name, scope)
    before = [binding for binding in found if _is_sure(binding, node, scope)]
    if before:
        last = max(before, key=lambda binding: (binding.scope.owner is scope.owner, _row(binding)))
        later = [b for b in found if b is not last and not _is_undone(b, last)]
        values = [evaluator.binding(last), *(evaluator.weighed(binding) for binding in later)]
        return laid_over(evaluator, values, base, node, name, scope, last) if is_held and not is_called else values
    if is_held and not is_called:
        values = laid_over(evaluator, values, base, node, name, scope)
    if not found:
        return list(values)
    given = [evaluator.weighed(binding) for binding in found]
    if all(any(isinstance(arm.owner, ast.If) for arm in binding.block.chain()) for binding in found):
        given.append(Value((), False, True))  # it may as well be what it was before
    return [*(value for value in values if value.known), *given]


def _stores(evaluator: Evaluator, base: Value, node: ast.expr, name: str, scope: Scope) -> list[Binding]:
    """Return the stores that this reading of a setting can see."""
    here = scope.module.stores.get((_words(node), name), ()) if _words(node) else ()
    found = [binding for binding in here if binding.node is not node]
    if any(_is_holder(evaluator, known) for known in base.known):
        found.extend(binding for binding in _elsewhere(evaluator, base, name) if binding not in found)
    return [binding for binding in found if not _is_to_come(binding, node, scope)]


def _elsewhere(evaluator: Evaluator, base: Value, name: str) -> list[Binding]:
    """Return the stores of a name, in all files of the program, whose object is one of these."""
    holders = {known.identity for known in base.known}
    stores = evaluator.program.stores(name)
    if len(stores) > SITES:  # a common name: only where the object is made
        homes = {_home(known.what) for known in base.known}
        stores = tuple(binding for binding in stores if binding.scope.module in homes)[:SITES]
    found = []
    for binding in stores:
        target = binding.node
        assert isinstance(target, (ast.Attribute, ast.Subscript))
        if any(known.identity in holders for known in evaluator.value(target.value, binding.scope).known):
            found.append(binding)
    return found


def _home(what: object) -> Optional[Module]:
    """Return the module in which an object that holds settings is made."""
    made = what.parser if isinstance(what, Options) else what
    return made.scope.module if isinstance(made, (Instance, Display)) else None


def _is_holder(evaluator: Evaluator, known: Known) -> bool:
    """Return whether an object may hold settings, and is the same object wherever it is met."""
    if known.creation is None:
        return known.is_mapping or bool(known.document)
    return known.cls is None and not known.type_api.startswith(evaluator.libraries.closed)


def _words(node: ast.expr) -> str:
    """Return the name of the object that an expression reads from: `name`, `name.attribute`; "" for others."""
    base = node.value if isinstance(node, (ast.Attribute, ast.Subscript)) else None
    if isinstance(base, ast.Name):
        return base.id
    return (
        f"{base.value.id}.{base.attr}" if isinstance(base, ast.Attribute) and isinstance(base.value, ast.Name) else ""
    )


# --- order


def _row(binding: Binding) -> int:
    return binding.stmt.lineno  # type: ignore[attr-defined, no-any-return]


def _is_sure(binding: Binding, node: ast.expr, scope: Scope) -> bool:
    """Return whether a store has run, on every path, when an expression is evaluated."""
    if binding.block.parent is not None or binding.value is None:
        return False
    owner = binding.scope.owner
    if owner is scope.owner:
        return _row(binding) < node.lineno
    return isinstance(owner.node, ast.Module) or _is_returned(binding, owner)


def _is_returned(binding: Binding, owner: Scope) -> bool:
    """Return whether the function that stores returns the object: nobody has it before."""
    target = binding.node.value  # type: ignore[attr-defined]
    if not isinstance(owner.node, FUNCTIONS) or not isinstance(target, ast.Name):
        return False
    is_own = any(b.kind != "parameter" for b in owner.bindings.get(target.id, ()))
    returned = {part for value, _ in owner.returns for part in _parts(value)}
    return is_own and target.id in returned


def _parts(value: ast.expr) -> list[str]:
    """Return the names that a `return` gives back: `args`, `args, config`."""
    elements = value.elts if isinstance(value, ast.Tuple) else [value]
    return [element.id for element in elements if isinstance(element, ast.Name)]


def _is_to_come(binding: Binding, node: ast.expr, scope: Scope) -> bool:
    """Return whether a store runs only after an expression was evaluated: below it, or around it, in no loop."""
    if binding.scope.owner is not scope.owner or any(_is_loop(block.owner) for block in binding.block.chain()):
        return False
    return _row(binding) >= node.lineno or (getattr(binding.stmt, "end_lineno", 0) or 0) >= node.lineno


def _is_loop(owner: object) -> bool:
    return isinstance(owner, (ast.For, ast.AsyncFor, ast.While))


def _is_undone(binding: Binding, last: Binding) -> bool:
    """Return whether another store surely takes the place of what this one gave."""
    return binding.scope.owner is last.scope.owner and _row(binding) < _row(last)
