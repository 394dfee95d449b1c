"""Under which names a program may hold a training step: by names alone, so that few callees have to be evaluated."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ms_perflint.semantics.forms import word_of
from ms_perflint.semantics.module import FUNCTIONS, Module, Scope

if TYPE_CHECKING:
    from ms_perflint.programs.program import Program

ROUNDS = 8  # in which names are handed on: assigned, passed, returned


def step_names(program: Program, words: Iterable[str]) -> set[str]:
    """Return the names that may hold what calling one of `words` gives, wherever it is handed on in the program."""
    names = set(words)
    parameters = _parameters(program)
    for _ in range(ROUNDS):
        before = len(names)
        for module in program.modules:
            _assigned(module, names)
            _passed(module, parameters, names)
            for scope in module.scopes:
                if scope.name and scope.name not in names and _hands_on(scope, names):
                    names.add(scope.name)
        if len(names) == before:
            break
    return names


def _assigned(module: Module, names: set[str]) -> None:
    """Add what is assigned from a name, or from a call of it: `step = make()`, `self.step = step`."""
    for table in (module.made, module.renamed):
        for word, others in table.items():
            if word in names:
                names |= others


def _passed(module: Module, parameters: dict[str, list[list[str]]], names: set[str]) -> None:
    """Add the parameters that a name is passed for."""
    for word, sites in module.by_word.items():
        for site in sites:
            if not isinstance(site.node, ast.Call):
                continue
            for keyword in site.node.keywords:
                if keyword.arg and _holds(keyword.value, names):
                    names.add(keyword.arg)
            for slot, argument in enumerate(site.node.args):
                if _holds(argument, names):
                    for function in parameters.get(word, ()):
                        names.update(function[slot : slot + 2])  # with and without `self`


def _holds(node: ast.expr, names: set[str]) -> bool:
    """Return whether an expression is one of the names, or a call of one."""
    return word_of(node.func if isinstance(node, ast.Call) else node) in names


def _parameters(program: Program) -> dict[str, list[list[str]]]:
    """Return the parameters of the functions and classes of the program, by the words under which they are called."""
    found: dict[str, list[list[str]]] = {}
    for module in program.modules:
        for name, scopes in module.defined.items():
            for scope in scopes:
                function = scope.method("__init__") if scope.is_class else scope
                node = function.node if function is not None else None
                if isinstance(node, FUNCTIONS):
                    found.setdefault(name, []).append([argument.arg for argument in node.args.args])
    for module in program.modules:
        for name, others in module.renamed.items():
            for other in others:
                found.setdefault(other, []).extend(found.get(name, ()))
    return found


def _hands_on(scope: Scope, names: set[str]) -> bool:
    """Return whether a function returns one of the names, or a class is built on one or calls one."""
    if isinstance(scope.node, ast.ClassDef):
        if any(word_of(base) in names for base in scope.node.bases):
            return True
        return any(site.word in names for method in scope.defines for site in method.calls)
    for value, _ in scope.returns:
        parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]
        if any(_holds(part, names) for part in parts):
            return True
    return False
