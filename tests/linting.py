"""Lint the states of a folder while it is fixed: only files that may have changed, in several processes."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import groupby
from typing import NamedTuple, TypeVar

from ms_perflint.config.settings import Config
from ms_perflint.core.files import Disk, Files, Overlay
from ms_perflint.core.fingerprints import Recorder
from ms_perflint.core.reports import Report
from ms_perflint.engine import lint

UNIT = 16  # files that are linted together
Contents = Mapping[str, bytes]  # what stands in front of the disk, by path
Task = TypeVar("Task")
Result = TypeVar("Result")


class Read(NamedTuple):
    """A report on some files, and all files that were read for it."""

    report: Report
    consulted: frozenset[str]


class State(NamedTuple):
    """What a process works on."""

    contents: Contents
    config: Config

    def files(self) -> Overlay:
        """Return the files in this state."""
        return Overlay(Disk(), dict(self.contents))


def _lint(state: State, paths: Sequence[str]) -> Read:
    files = Recorder(state.files())
    report = lint(list(paths), state.config, files)
    return Read(report, frozenset(fingerprint.path for fingerprint in files.fingerprints))


class Linted:
    """Lints files in units; a unit again only when a file that was read for it has changed."""

    def __init__(self, units: Sequence[Sequence[str]], config: Config, jobs: int, base: Contents) -> None:
        self.units = units
        self.config = config
        self.jobs = jobs
        self.base = base  # what stands in front of the disk from the beginning
        self.contents: Contents = base
        self.known: dict[int, Read] = {}
        self.states: list[tuple[Contents, Report]] = []

    def __call__(self, files: Files) -> Report:
        """Return the report on all files in a state; its findings are objects of their own."""
        contents = {**self.base, **(files.contents if isinstance(files, Overlay) else {})}
        changed = {path for path in {*contents, *self.contents} if contents.get(path) != self.contents.get(path)}
        self.contents = contents
        again = [at for at in range(len(self.units)) if at not in self.known or changed & self.known[at].consulted]
        parts = in_processes(_lint, [self.units[at] for at in again], State(contents, self.config), self.jobs)
        self.known.update(zip(again, parts))
        reports = [read.report for read in self.known.values()]
        findings = sorted(finding._replace() for report in reports for finding in report.findings)
        problems = sorted({problem for report in reports for problem in report.problems})
        paths = sorted(path for unit in self.units for path in unit)
        self.states.append((contents, Report(tuple(findings), tuple(problems), tuple(paths))))
        return self.states[-1][1]

    def reached(self, changed: Collection[str]) -> list[str]:
        """Return the files of the units for which a file that changed was read."""
        reached = [at for at, read in self.known.items() if read.consulted & set(changed)]
        return sorted(path for at in reached for path in self.units[at])


_state: list[State] = []  # of a worker process: handed over once, not with each task


def in_processes(work: Callable[[State, Task], Result], tasks: Sequence[Task], state: State, jobs: int) -> list[Result]:
    """Return what a function makes of each task in a state of the files, by several processes if it pays."""
    if jobs == 1 or len(tasks) < 4:
        return [work(state, task) for task in tasks]
    way = multiprocessing.get_context("fork" if hasattr(os, "fork") else "spawn")
    with ProcessPoolExecutor(jobs, way, _state.append, (state,)) as executor:
        return list(executor.map(_worked, [work] * len(tasks), tasks))


def _worked(work: Callable[[State, Task], Result], task: Task) -> Result:
    return work(_state[-1], task)


def units(paths: Sequence[str]) -> list[list[str]]:
    """Return files in groups: those of a directory stay together where they are few."""
    groups: list[list[str]] = []
    for _, members in groupby(paths, os.path.dirname):
        here = list(members)
        for start in range(0, len(here), UNIT):
            part = here[start : start + UNIT]
            if groups and len(groups[-1]) + len(part) <= UNIT:
                groups[-1] += part
            else:
                groups.append(part)
    return groups
