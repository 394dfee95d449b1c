"""`ms-perflint program`: from a path to the facts that are printed, and the exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import click

from ms_perflint.config import Config
from ms_perflint.discovery import discover
from ms_perflint.engine import Done, Linter, nobody
from ms_perflint.facts.collect import facts_of, overview_of, training_scripts
from ms_perflint.facts.data import Answer, Facts, Overview
from ms_perflint.findings import Problem
from ms_perflint.languages import ENGLISH, Message
from ms_perflint.networks.entries import is_script
from ms_perflint.report.program import render
from ms_perflint.report.style import for_output
from ms_perflint.run import line
from ms_perflint.source import PYTHON, Disk, SourceError, unreadable

MOST = 100  # programs on one line each


@dataclass(frozen=True)
class Asked:
    """How the facts are wanted."""

    output_format: str = "text"
    verbose: bool = False


def describe(path: str, config: Config, asked: Asked, language: str = ENGLISH) -> int:
    """Print the facts of a path and return the exit code: 0, or 2 where there is nothing to read."""
    found = answer(os.path.abspath(path), config)
    if isinstance(found, Problem):
        click.echo(line(found, language), err=True)
        return 2
    sys.stdout.write(render(asked.output_format, found, for_output(), asked.verbose, language))
    sys.stdout.flush()
    return 0


def answer(path: str, config: Config) -> Answer | Problem:
    """Return the facts of a script, of the programs that a module belongs to, or of those in a directory."""
    found = discover([path], config)
    if os.path.isdir(path):
        return _of_directory(path, found.files, config)
    if found.problems:
        return found.problems[0]
    if not path.endswith(PYTHON):
        return Problem(path, 0, 0, Message("no Python file: name the script that starts the program"))
    linter = Linter(config, Disk())
    try:
        linter.project.parse(path)
    except SourceError as error:
        return error.problem(path)
    except OSError as error:
        return Problem(path, 0, 0, unreadable(error))
    return _of_file(path, linter)


def _of_file(path: str, linter: Linter) -> Answer:
    """Return the facts of a script; of a module that is only imported, those of the first program that trains."""
    own = linter.program(path)
    entries = [path] if is_script(own) else [each for each in linter.project.programs(path) if each != path]
    trains = {entry: linter.program(entry).trains.is_yes for entry in entries}
    first = next((entry for entry in entries if trains[entry]), entries[0])
    others = [entry for entry in entries if entry != first]
    facts = facts_of(linter, first)
    overviews = tuple(overview_of(linter.program(entry)) for entry in others[:MOST])
    return Answer(path, (facts,), overviews, len(others) > MOST)


def _of_directory(path: str, files: tuple[str, ...], config: Config) -> Answer:
    """Return the programs in a directory that train, one line each."""
    linter = Linter(config, Disk())
    found: list[Overview] = []
    for entry in training_scripts(linter, files):
        if len(found) == MOST:
            return Answer(path, (), tuple(found), True, True)
        found.append(overview_of(linter.program(entry)))
    return Answer(path, (), tuple(found), False, True)


def programs(files: Sequence[str], config: Config, done: Done = nobody) -> tuple[Facts, ...]:
    """Return all that is known of the programs among some files that train; of very many, of the first ones."""
    linter = Linter(config, Disk())
    entries = islice(training_scripts(linter, _each(files, done)), MOST)
    return tuple(facts_of(linter, entry) for entry in entries)


def _each(files: Sequence[str], done: Done) -> Iterator[str]:
    for file in files:
        yield file
        done(1)
