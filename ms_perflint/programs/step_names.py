"""Under which names a program may hold a training step: by names alone, so that few callees have to be evaluated."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from typing import TypeVar

from ms_perflint.programs.program import Program, fact
from ms_perflint.records import NamedTuple
from ms_perflint.semantics.files.handed import RESULT
from ms_perflint.semantics.files.word_flow import Slots

Part = TypeVar("Part")
TWICE = "GradOperation"  # what it gives is called before there is a step: `GradOperation()(network)(x)`


class StepNames(NamedTuple):
    """Words that may stand for a step, or for what makes one."""

    makers: set[str]  # functions and classes: what calling them gives may be a step
    held: set[str]  # variables, parameters and attributes that may hold one
    members: set[str]  # those under which an object may have one


def step_names(program: Program, words: Iterable[str]) -> StepNames:
    """Return the names that may hold what calling one of `words` gives, wherever it is handed on in the program."""
    flows = _flows(program)
    return _flow(program, flows, {*words, *_flow(program, flows, {TWICE}).held})


class _Flows(NamedTuple):
    """Where the files of a program hand on what a word stands for: a part from each file that says something of it."""

    made: Mapping[str, list[Collection[str]]]
    renamed: Mapping[str, list[Collection[str]]]
    names: Mapping[str, list[Collection[str]]]
    makers: Mapping[str, list[Collection[str]]]
    members: Mapping[str, list[Collection[str]]]
    passed: Mapping[str, list[Collection[tuple[str, int]]]]


def _flows(program: Program) -> _Flows:
    modules = program.modules
    flows = [module.word_flow for module in modules]
    return _Flows(
        _by_word(module.made for module in modules),
        _by_word(module.renamed for module in modules),
        _by_word(flow.names for flow in flows),
        _by_word(flow.makers for flow in flows),
        _by_word(flow.members for flow in flows),
        _by_word(flow.passed for flow in flows),
    )


def _by_word(parts: Iterable[Mapping[str, Part]]) -> dict[str, list[Part]]:
    found: dict[str, list[Part]] = {}
    for part in parts:
        for word, said in part.items():
            found.setdefault(word, []).append(said)
    return found


def _flow(program: Program, flows: _Flows, words: set[str]) -> StepNames:
    found = StepNames(set(words), set(), set())
    todo = list(words)
    while todo:
        held, makers = _next(program, flows, todo.pop(), found)
        held -= found.held
        makers -= found.makers
        found.held.update(held)
        found.makers.update(makers)
        todo.extend(held | makers)
    for module in program.modules:
        found.members.update(found.held & module.word_flow.unknown)
    return found


def _next(program: Program, flows: _Flows, word: str, found: StepNames) -> tuple[set[str], set[str]]:
    """Return the names that get what a word holds or gives, and those of what makes it."""
    held: set[str] = set()
    makers: set[str] = set()
    if word in found.makers:
        held.update(*flows.made.get(word, ()))
        makers.update(*flows.renamed.get(word, ()))
    if word in found.held:
        held.update(*flows.renamed.get(word, ()))
    for source in (word, word + RESULT) if word in found.makers else (word,):
        held.update(*flows.names.get(source, ()))
        makers.update(*flows.makers.get(source, ()))
        found.members.update(*flows.members.get(source, ()))
        for callee, slot in chain.from_iterable(flows.passed.get(source, ())):
            for slots in parameter_names(program).get(callee, ()):
                held.update(slots.get(slot, ()))
    return held - {""}, makers - {""}


@fact
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
