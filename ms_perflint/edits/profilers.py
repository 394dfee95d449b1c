"""How a profiler is taken out of a program."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.core.findings import Edit
from ms_perflint.edits.statements import delete_statement
from ms_perflint.index.syntax_forms import descendants
from ms_perflint.program.call_site import Call


def remove_profiler(call: Call) -> Optional[tuple[Edit, ...]]:
    """Return the edits that delete what makes a profiler, and all that is done with it.

    None where it has more than one name, where that is bound more than once or read elsewhere, or where what one of its
    methods returns is used.
    """
    stmt = call.stmt
    statements = [stmt]
    if isinstance(stmt, ast.Assign) and stmt.value is call.node:
        target = stmt.targets[0]
        home = call.scope.home(target.id) if isinstance(target, ast.Name) else None
        if home is None or len(stmt.targets) != 1 or len(home.bindings[target.id]) != 1:  # type: ignore[attr-defined]
            return None
        name = target.id  # type: ignore[attr-defined]
        reads = [each for each in descendants(call.module.tree) if isinstance(each, ast.Name) and each.id == name]
        uses = [site for site in call.module.sites if _is_method_of(site.node, name)]
        is_plain = all(isinstance(site.stmt, ast.Expr) and site.stmt.value is site.node for site in uses)
        if not is_plain or len(reads) != len(uses) + 1 or any(site.scope.home(name) is not home for site in uses):
            return None
        statements += [site.stmt for site in uses]
    elif not isinstance(stmt, ast.Expr) or stmt.value is not call.node:
        return None
    found: list[Edit] = []
    for each in statements:
        deleted = delete_statement(call.module, each) if isinstance(each, ast.stmt) else None
        if deleted is None:
            return None
        found += deleted
    return tuple(found)


def _is_method_of(node: ast.AST, name: str) -> bool:
    """Return whether an expression calls a method of what has a name."""
    callee = node.func if isinstance(node, ast.Call) else None
    return isinstance(callee, ast.Attribute) and isinstance(callee.value, ast.Name) and callee.value.id == name
