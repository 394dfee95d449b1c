"""Whether running code makes anything of a class."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Optional

from ms_perflint.semantics.module import Scope

if TYPE_CHECKING:
    from ms_perflint.programs.program import Program


def is_used(program: Program, cls: Scope) -> bool:
    """Return whether running code outside of a class loads its name, or a decorator hands the class on."""
    assert isinstance(cls.node, ast.ClassDef)
    if cls.node.decorator_list:
        return True
    for module in program.modules:
        names = module.spelled(cls.name)
        scopes = [scope for scope in module.scopes if scope in program.reached and not _is_within(scope, cls)]
        if module.scope.main is not None:
            scopes.append(module.scope.main)
        if any(names & (scope.names | scope.attrs) for scope in scopes):
            return True
    return False


def _is_within(scope: Scope, cls: Scope) -> bool:
    current: Optional[Scope] = scope
    while current is not None and current is not cls:
        current = current.parent
    return current is cls
