"""Where a file hands on what a name holds: to other names, to parameters, to functions and classes. By words alone."""

from __future__ import annotations

import ast
from typing import NamedTuple

from ms_perflint.semantics.forms import word_of
from ms_perflint.semantics.module import FUNCTIONS, Module, Scope


class WordFlow(NamedTuple):
    """What one file says, by the word that hands on what it holds, or what a call of it gives."""

    names: dict[str, set[str]]  # names that get it, and functions that return it
    passed: dict[str, set[tuple[str, int]]]  # the slots of calls, by the callee's word
    functions: dict[str, list[list[str]]]  # name -> the parameters of what has it


def word_flow(module: Module) -> WordFlow:
    """Return how a file hands things on."""
    found = WordFlow({}, {}, {})
    for table in (module.made, module.renamed):
        for word, others in table.items():
            found.names.setdefault(word, set()).update(others)
    for word, sites in module.by_word.items():
        for site in sites:
            if isinstance(site.node, ast.Call):
                _arguments(site.node, word, found)
    for scope in module.scopes:
        for word in _held_by(scope) if scope.name else ():
            found.names.setdefault(word, set()).add(scope.name)
    for name, scopes in module.defined.items():
        for scope in scopes:
            function = scope.method("__init__") if scope.is_class else scope
            if function is not None and isinstance(function.node, FUNCTIONS):
                found.functions.setdefault(name, []).append([argument.arg for argument in function.node.args.args])
    return found


def _arguments(call: ast.Call, callee: str, found: WordFlow) -> None:
    for keyword in call.keywords:
        if keyword.arg:
            found.names.setdefault(_source(keyword.value), set()).add(keyword.arg)
    for slot, argument in enumerate(call.args):
        found.passed.setdefault(_source(argument), set()).add((callee, slot))


def _held_by(scope: Scope) -> list[str]:
    """Return the words of what a function returns, or of what a class is built on and calls."""
    if isinstance(scope.node, ast.ClassDef):
        called = (site.word for method in scope.defines for site in method.calls)
        return [*map(word_of, scope.node.bases), *called]
    values = [value for value, _ in scope.returns]
    return [_source(part) for value in values for part in getattr(value, "elts", (value,))]


def _source(node: ast.expr) -> str:
    """Return the word of a name, or of the callee of a call."""
    return word_of(node.func if isinstance(node, ast.Call) else node)
