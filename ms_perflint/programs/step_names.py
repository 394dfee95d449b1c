"""Under which names a program may hold a training step: by names alone, so that few callees have to be evaluated."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ms_perflint.programs.program import Program


def step_names(program: Program, words: Iterable[str]) -> set[str]:
    """Return the names that may hold what calling one of `words` gives, wherever it is handed on in the program."""
    names = set(words)
    parameters = _parameters(program)
    todo = list(names)
    while todo:
        word = todo.pop()
        for module in program.modules:
            found = set(module.word_flow.names.get(word, ()))
            for callee, slot in module.word_flow.passed.get(word, ()):
                for function in parameters.get(callee, ()):
                    found.update(function[slot : slot + 2])  # with and without `self`
            todo.extend(found - names - {""})
            names |= found
    return names


def _parameters(program: Program) -> dict[str, list[list[str]]]:
    """Return the parameters of the functions and classes of the program, by the words under which they are called."""
    found: dict[str, list[list[str]]] = {}
    for module in program.modules:
        for name, functions in module.word_flow.functions.items():
            found.setdefault(name, []).extend(functions)
    for module in program.modules:
        for name, others in module.renamed.items():
            for other in others:
                found.setdefault(other, []).extend(found.get(name, ()))
    return found
