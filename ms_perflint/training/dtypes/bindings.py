"""Questions about names inside of one function."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.semantic_index import Binding, Scope


def home_of(name: str, scope: Scope) -> Optional[Scope]:
    """Return the scope that binds a name: this one, or one around it up to the function that runs it; else None."""
    home = scope.home(name)
    return home if home is not None and home.owner is scope.owner else None


def reads(binding: Binding) -> list[ast.Name]:
    """Return where a name is read while it may hold what this binding gave it; inner functions count."""
    flow = binding.scope.flow
    return [node for node in flow.reads(binding.name) if not isinstance(node.ctx, ast.Load) or binding in flow.at(node)]


def sole_value(node: ast.Name, scope: Scope) -> Optional[ast.expr]:
    """Return what a name was given, if it was given one thing."""
    home = home_of(node.id, scope)
    bindings = home.flow.at(node) if home is scope and home is not None else ()
    plain = len(bindings) == 1 and bindings[0].kind == "assign" and not bindings[0].path
    return bindings[0].value if plain else None


def only_value(node: ast.Name, scope: Scope) -> Optional[ast.expr]:
    """Return what a name was given, if it was given one thing that is read nowhere else."""
    if sole_value(node, scope) is None:
        return None
    bindings = scope.flow.at(node)
    stmt = bindings[0].stmt
    alone = isinstance(stmt, ast.Assign) and len(stmt.targets) == 1
    return bindings[0].value if alone and reads(bindings[0]) == [node] else None
