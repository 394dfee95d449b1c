"""The facts of one program, and its overview on one line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Optional

from ms_perflint.facts import devices, precision, surroundings, training
from ms_perflint.facts.data import Fact, Facts, Origin, Overview, Way
from ms_perflint.facts.reader import Reader
from ms_perflint.facts.verdicts import verdicts
from ms_perflint.linting.judged import is_started
from ms_perflint.linting.linter import Linter
from ms_perflint.linting.merging import DEFAULTS
from ms_perflint.linting.prefilter import MARK
from ms_perflint.program.program import Program
from ms_perflint.training.networks.train_cells import is_script
from ms_perflint.training.training import is_trained

IN_SHORT: tuple[Callable[[Reader], Fact], ...] = (
    training.trains,
    training.execution_mode,
    surroundings.version,
    surroundings.device,
)
IN_FULL: tuple[Callable[[Reader], Optional[Fact]], ...] = (
    surroundings.files,
    surroundings.config_files,
    surroundings.launchers,
    surroundings.version,
    surroundings.device,
    training.trains,
    training.execution_mode,
    training.sink_mode,
    precision.precision_of,
    devices.checkpoints_of,
    devices.parallel_mode,
    devices.profiler,
    devices.autotune,
    training.graph_mode,  # last: it visits all code that would be compiled
)

# the facts of each run configuration
IN_A_RUN: tuple[Callable[[Reader], Optional[Fact]], ...] = (
    training.execution_mode,
    training.sink_mode,
    precision.precision_of,
    surroundings.device,
    devices.parallel_mode,
)

# the facts of a program that is too large to be read as a whole
IN_PART: tuple[Callable[[Reader], Optional[Fact]], ...] = (
    surroundings.files,
    surroundings.launchers,
    surroundings.version,
    training.trains,
)


def facts_of(linter: Linter, entry: str) -> Facts:
    """Return the facts of the program of an entry script."""
    # First: facts spend budget, and rules must check as many run configurations as in a run over files
    said = verdicts(linter, entry)
    in_part = surroundings.judged(linter, entry)
    judged = tuple(program.run for program in linter.judged_programs(entry))
    if linter.runner.inquiry.programs.is_spent(entry):
        linter.runner.inquiry.drop(entry)  # the budget that rules spent does not count for the facts
    program = linter.program(entry)
    reader = Reader(program)
    asked = IN_FULL if program.is_whole else IN_PART
    facts = (*(fact for ask in asked if (fact := ask(reader)) is not None), *in_part)
    programs = [each for each in linter.programs(entry) if each.run in judged]
    ways = tuple(map(_way, programs)) if len(programs) > 1 else ()
    return Facts(entry, program.files, facts, _settings(facts), said, ways)


def _way(program: Program) -> Way:
    """Return the facts of a program in one of its run configurations."""
    reader = Reader(program)
    found = tuple(fact for ask in IN_A_RUN if (fact := ask(reader)) is not None)
    return Way(program.run.name if program.run is not None else DEFAULTS, found)


def _settings(facts: tuple[Fact, ...]) -> tuple[Origin, ...]:
    """Return the places that decided the values of the facts."""
    found = {origin for fact in facts for evidence in fact.evidence for origin in evidence.origins}
    return tuple(sorted(found, key=lambda origin: (origin.place, origin.text)))


def training_scripts(linter: Linter, files: Iterable[str]) -> Iterator[str]:
    """Yield the entry scripts of training programs among files; an internal error becomes a problem of `linter`."""
    for file in files:
        if linter.isolated(file, partial(_starts_training, linter, file), False):
            yield file


def _starts_training(linter: Linter, file: str) -> bool:
    program = _script(linter, file)
    return program is not None and is_trained(program)


def _script(linter: Linter, file: str) -> Optional[Program]:
    """Return the program of a script that uses MindSpore; None for other files, and for one that does not parse."""
    raw = linter.project.raw(file)
    if raw is None or not any(MARK in (linter.project.raw(each) or b"") for each in linter.project.closure(file)):
        return None
    program = linter.program(file) if linter.reads(file) else None
    return program if program is not None and is_script(program) else None


def overviews(linter: Linter, files: Iterable[str]) -> Iterator[Optional[Overview]]:
    """Yield the overview of each script that uses MindSpore; None for one that starts nothing, such as a library.

    A script with an internal error, which becomes a problem of `linter`, is left out.
    """
    for file in files:
        nothing: tuple[Optional[Overview], ...] = ()
        yield from linter.isolated(file, partial(_overview, linter, file), nothing)


def _overview(linter: Linter, file: str) -> tuple[Optional[Overview], ...]:
    program = _script(linter, file)
    if program is None:
        return ()
    return (overview_of(program) if is_trained(program) or is_started(program) else None,)


def overview_of(program: Program) -> Overview:
    """Return the overview of a program."""
    reader = Reader(program)
    return Overview(program.entry, tuple(ask(reader) for ask in IN_SHORT))
