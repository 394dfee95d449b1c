"""`ms-perflint program`: from a path to the facts that are printed, and the exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from ms_perflint.commands.outputs import tell
from ms_perflint.commands.progress import waiting
from ms_perflint.commands.run import line
from ms_perflint.config.per_file import Configurations, Group
from ms_perflint.core.files import Disk
from ms_perflint.core.reports import Problem
from ms_perflint.core.source import PYTHON
from ms_perflint.discovery import discover
from ms_perflint.engine import Done, untold
from ms_perflint.facts.collect import facts_of, overview_of, overviews, training_scripts
from ms_perflint.facts.data import Answer, Facts, Overview
from ms_perflint.languages import ENGLISH, Message, say
from ms_perflint.linting.linter import Linter
from ms_perflint.report.program import render
from ms_perflint.report.style import for_output
from ms_perflint.training import training
from ms_perflint.training.networks.train_cells import is_script

MOST = 100  # programs on one line each


@dataclass(frozen=True)
class Asked:
    """The options of the output of facts."""

    output_format: str = "text"
    verbose: bool = False


def describe(path: str, configs: Configurations, asked: Asked, language: str = ENGLISH) -> int:
    """Print the facts of a path and return the exit code: 0, or 2 for an unreadable file."""
    with waiting(say(Message("Reading programs"), language)):
        found, problems = answer(os.path.abspath(path), configs)
    for problem in problems:
        tell(line(problem, language))
    if found is not None:
        sys.stdout.write(render(asked.output_format, found, for_output(), asked.verbose, language))
        sys.stdout.flush()
    return 2 if problems else 0


def answer(path: str, configs: Configurations) -> tuple[Answer | None, list[Problem]]:
    """Return the facts of a script, of the programs that a module belongs to, or of those in a directory.

    With them, problems such as unreadable files and internal errors; None instead of facts if nothing was read.
    """
    found = discover([path], configs)
    if os.path.isdir(path):
        return _of_directory(path, configs.groups(found.files))
    linter = Linter(configs.of(path), Disk())
    if found.problems:
        return None, [found.problems[0]]
    if not path.endswith(PYTHON):
        return None, [Problem(path, 0, 0, Message("no Python file: name the script that starts the program"))]
    return linter.isolated(path, partial(of_file, path, linter), None), linter.problems


def of_file(path: str, linter: Linter) -> Answer | None:
    """Return the facts of a script; of a module that is only imported, those of the first program that trains.

    None for a file that is no Python or unreadable, which becomes a problem of `linter`.
    """
    if not linter.reads(path):
        return None
    first, *others = entries_of(path, linter)
    facts = facts_of(linter, first)
    short = (_overview(linter, entry) for entry in others[:MOST])
    return Answer(path, (facts,), tuple(filter(None, short)), len(others) > MOST)


def entries_of(path: str, linter: Linter) -> list[str]:
    """Return the entry scripts of the programs that a file is a part of: itself, or one that trains comes first."""
    own = linter.program(path)
    entries = [path] if is_script(own) else [each for each in linter.project.programs(path) if each != path]
    first = next((entry for entry in entries if training.is_trained(linter.program(entry))), entries[0])
    return [first, *(entry for entry in entries if entry != first)]


def _of_directory(path: str, groups: Sequence[Group]) -> tuple[Answer, list[Problem]]:
    """Return the programs in a directory, one line each: those that train, that may, and that do not.

    With them, problems.
    """
    found: dict[bool | None, list[Overview]] = {True: [], None: [], False: []}
    problems: list[Problem] = []
    defining, is_cut = 0, False
    for config, members in groups:
        linter = Linter(config, Disk())
        for each in overviews(linter, members):
            if each is None:
                defining += 1
                continue
            answer = each.facts[0].answer
            some = found[None if answer is None else bool(answer)]
            if len(some) < MOST:
                some.append(each)
            else:
                is_cut = True
        problems += linter.problems
    trains, unknown, idle = (tuple(found[answer]) for answer in (True, None, False))
    return Answer(path, (), trains, is_cut, True, unknown, idle, defining), problems


def _overview(linter: Linter, entry: str) -> Overview | None:
    """Return the overview of a program; None after an internal error, which becomes a problem of `linter`."""
    return linter.isolated(entry, lambda: overview_of(linter.program(entry)), None)


def programs(files: Sequence[str], configs: Configurations, done: Done = untold) -> tuple[Facts, ...]:
    """Return the facts of the training programs among some files, up to a maximum number."""
    found: list[Facts] = []
    for config, members in configs.groups(files):
        linter = Linter(config, Disk())
        entries = islice(training_scripts(linter, _each(members, done)), MOST - len(found))
        facts = (linter.isolated(entry, partial(facts_of, linter, entry), None) for entry in entries)
        found += filter(None, facts)
    return tuple(found)


def _each(files: Sequence[str], done: Done) -> Iterator[str]:
    for file in files:
        yield file
        done(1)
