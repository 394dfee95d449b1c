"""Questions about the names of one function, and the attributes that it reads."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Optional

from ms_perflint.index.semantic_index import Binding, Scope
from ms_perflint.index.signature import receiver_name
from ms_perflint.index.syntax_forms import only_target, word_of
from ms_perflint.program.program import Program


def home_of(name: str, scope: Scope) -> Optional[Scope]:
    """Return the scope that binds a name: this one, or one around it up to the function that runs it; else None."""
    home = scope.home(name)
    return home if home is not None and home.owner is scope.owner else None


def reads(binding: Binding) -> list[ast.Name]:
    """Return where a name is read while it may hold what this binding gave it; inner functions count."""
    flow = binding.scope.flow
    return [node for node in flow.reads(binding.name) if not isinstance(node.ctx, ast.Load) or binding in flow.at(node)]


def only_binding(node: ast.Name, scope: Scope) -> Optional[Binding]:
    """Return the one thing that binds a name of the function where it is read; None of several, and of other names."""
    return scope.only(node) if home_of(node.id, scope) is not None else None


def only_value(node: ast.Name, scope: Scope) -> Optional[ast.expr]:
    """Return what a name was given, if it was given one thing that is read nowhere else."""
    only = scope.only(node) if scope.sole(node) is not None else None
    if only is None or only_target(only.stmt) is None:
        return None
    return only.value if reads(only) == [node] else None


# --- attributes that nothing reads any more


def unused_definition(program: Program, scope: Scope, gone: Sequence[ast.expr]) -> Optional[ast.stmt]:
    """Return the `self.x = ...` in `__init__` that nothing reads once the expressions `gone`, all `self.x`, are gone.

    Other files that mention both the class and the attribute may read it: a class derived from this one, say.
    """
    cls, own = scope.owner.parent, receiver_name(scope)
    names = {node.attr for node in gone if isinstance(node, ast.Attribute) and word_of(node.value) == own}
    if cls is None or not own or len(names) != 1 or len(gone) != sum(isinstance(n, ast.Attribute) for n in gone):
        return None
    name = names.pop()
    stored = cls.attributes.get(name, [])
    if len(stored) != 1 or only_target(stored[0].stmt) is not stored[0].node:
        return None
    read = {id(node) for node in ast.walk(scope.module.tree) if _reads(node, name)}
    if read != {id(node) for node in gone} or stored[0].block.scope.name != "__init__":
        return None
    return None if _elsewhere(program, scope.module.path, cls.name, name) else stored[0].stmt  # type: ignore[return-value]


def _reads(node: ast.AST, name: str) -> bool:
    """Return whether a node reads an attribute of that name, or names it in a string."""
    if isinstance(node, ast.Attribute):
        return node.attr == name and isinstance(node.ctx, ast.Load)
    return isinstance(node, ast.Constant) and node.value == name


def _elsewhere(program: Program, path: str, cls: str, name: str) -> bool:
    """Return whether another file of the programs that hold this one mentions both the class and the attribute."""
    project = program.project
    files = {file for entry in project.programs(path) for file in project.closure(entry)}
    return any(file != path and project.contains(file, cls) and project.contains(file, name) for file in files)
