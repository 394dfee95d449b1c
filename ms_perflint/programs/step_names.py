"""Under which names a program may hold a training step: by names alone, so that few callees have to be evaluated."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from ms_perflint.semantics.files.handed import RESULT
from ms_perflint.semantics.files.word_flow import Slots

if TYPE_CHECKING:
    from ms_perflint.programs.program import Program

TWICE = "GradOperation"  # what it gives is called before there is a step: `GradOperation()(network)(x)`


class StepNames(NamedTuple):
    """Words that may stand for a step, or for what makes one."""

    makers: set[str]  # functions and classes: what calling them gives may be a step
    held: set[str]  # variables, parameters and attributes that may hold one
    members: set[str]  # those under which an object may have one


def step_names(program: Program, words: Iterable[str]) -> StepNames:
    """Return the names that may hold what calling one of `words` gives, wherever it is handed on in the program."""
    return _flow(program, {*words, *_flow(program, {TWICE}).held})


def _flow(program: Program, words: set[str]) -> StepNames:
    found = StepNames(set(words), set(), set())
    todo = list(words)
    while todo:
        held, makers = _next(program, todo.pop(), found)
        held -= found.held
        makers -= found.makers
        found.held.update(held)
        found.makers.update(makers)
        todo.extend(held | makers)
    for module in program.modules:
        found.members.update(found.held & module.word_flow.unknown)
    return found


def _next(program: Program, word: str, found: StepNames) -> tuple[set[str], set[str]]:
    """Return the names that get what a word holds or gives, and those of what makes it."""
    held: set[str] = set()
    makers: set[str] = set()
    is_maker, is_held = word in found.makers, word in found.held
    for module in program.modules:
        flow = module.word_flow
        if is_maker:
            held.update(module.made.get(word, ()))
            makers.update(module.renamed.get(word, ()))
        if is_held:
            held.update(module.renamed.get(word, ()))
        for source in (word, word + RESULT) if is_maker else (word,):
            held.update(flow.names.get(source, ()))
            makers.update(flow.makers.get(source, ()))
            found.members.update(flow.members.get(source, ()))
            for callee, slot in flow.passed.get(source, ()):
                for slots in program.parameter_names.get(callee, ()):
                    held.update(slots.get(slot, ()))
    return held - {""}, makers - {""}


def parameter_names(program: Program) -> dict[str, list[Slots]]:
    """Return the parameters that slots may be of, by the words under which functions and classes are called."""
    found: dict[str, list[Slots]] = {}
    for module in program.modules:
        for name, functions in module.word_flow.functions.items():
            found.setdefault(name, []).extend(functions)
    for module in program.modules:
        for name, others in module.renamed.items():
            if name in found:
                for other in others:
                    found.setdefault(other, []).extend(found[name])
    return found
