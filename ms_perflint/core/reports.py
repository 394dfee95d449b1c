"""The report of a run: findings, unreadable files, and programs that were judged in part."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

from ms_perflint.core.findings import Finding, Place
from ms_perflint.languages import Message


class Problem(NamedTuple):
    """Why a file could not be read, parsed or written; row and column are 0 where there is no position.

    In a notebook the row counts in the cell. `internal`: an error of the linter, not of the file.
    """

    path: str
    row: int
    column: int
    message: str
    cell: int = 0
    internal: bool = False

    @property
    def order(self) -> tuple[str, int, int, int]:
        """Return a sort key: by path and position."""
        return self.path, self.cell, self.row, self.column


class Unjudged(NamedTuple):
    """A program that was judged in part: its entry script, the affected rules, the reason, and the files."""

    entry: str
    codes: tuple[str, ...]
    reason: str
    files: tuple[str, ...] = ()
    has_findings: bool = False  # each of the rules reports something there, and may miss something else
    runs: frozenset[str] = frozenset()  # the run configurations that were not judged


class Gap(NamedTuple):
    """The reason why a program was judged in part, and its run configurations that were not judged."""

    reason: Message
    runs: tuple[str, ...] = ()


def unjudged(entry: str, path: str, codes: Iterable[str], gap: Gap) -> Finding:
    """Return the marker among the findings of a file that its program was judged in part; it belongs to no rule."""
    name = " ".join(sorted(codes))
    return Finding(Place(entry, 0, 0), "", name, gap.reason, Place(path, 0, 0), (), configurations=gap.runs)


def trained(entry: str) -> Finding:
    """Return the marker among the findings of an entry script that its program trains; it belongs to no rule."""
    return Finding(Place(entry, 0, 0), "", "", "", Place(entry, 0, 0), ())


class Report(NamedTuple):
    """What a run found, sorted; what it could not do; the files that it looked at; and what the baseline knows."""

    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    files: tuple[str, ...]
    known: tuple[Finding, ...] = ()
    unjudged: tuple[Unjudged, ...] = ()  # by entry script
    trained: tuple[str, ...] = ()  # the entry scripts of the programs that train, as far as rules asked them

    @property
    def unread(self) -> set[Problem]:
        """Return the problems of files that are no Python or cannot be read."""
        return {problem for problem in self.problems if not problem.internal}

    def only(self, paths: Container[str], entries: Container[str] = ()) -> Report:
        """Return the part of the report about some files, and about their programs or the named ones."""
        parts = tuple(
            each
            for each in self.unjudged
            if each.entry in entries or any(path in paths for path in (each.entry, *each.files))
        )
        about = {each.entry for each in parts}
        return self._replace(
            unjudged=parts,
            trained=tuple(entry for entry in self.trained if entry in paths or entry in about),
            findings=tuple(finding for finding in self.findings if finding.place.path in paths),
            problems=tuple(problem for problem in self.problems if problem.path in paths),
            files=tuple(path for path in self.files if path in paths),
            known=tuple(finding for finding in self.known if finding.place.path in paths),
        )


def reported(found: Iterable[Finding], problems: Iterable[Problem], files: Sequence[str]) -> Report:
    """Return the report on some files; what is said of programs are no findings in it.

    One that was judged in part counts as one that trains.
    """
    findings: list[Finding] = []
    parts: dict[str, list[Finding]] = {}
    trained: set[str] = set()
    for each in found:
        if each.code:
            findings.append(each)
            continue
        trained.add(each.place.path)
        if each.name:
            parts.setdefault(each.place.path, []).append(each)
    told = {(each.place.path, each.code) for each in findings}
    in_part = tuple(_in_part(entry, parts[entry], told) for entry in sorted(parts))
    ordered = tuple(sorted(findings)), tuple(sorted(problems))
    return Report(*ordered, tuple(files), (), in_part, tuple(sorted(trained)))


def _in_part(entry: str, said: Sequence[Finding], told: set[tuple[str, str]]) -> Unjudged:
    """Return what several files of a program say of it, with the reason of the most run configurations.

    That is of the rules that report nothing there; where there is none, of the others.
    """
    first = min(said, key=lambda each: (-len(each.configurations), each.end.path, each.message))
    files = sorted({each.end.path for each in said})
    codes = {code for each in said for code in each.name.split()}
    silent = {code for code in codes if not any((path, code) in told for path in files)}
    runs = frozenset(run for each in said for run in each.configurations)
    return Unjudged(entry, tuple(sorted(silent or codes)), first.message, tuple(files), not silent, runs)


def _together(said: Sequence[Unjudged]) -> Unjudged:
    """Return what several reports say of a program, for the same reason."""
    silent = [each for each in said if not each.has_findings]
    codes = {code for each in silent or said for code in each.codes}
    files = tuple(sorted({path for each in said for path in each.files}))
    runs = frozenset(run for each in said for run in each.runs)
    return Unjudged(said[0].entry, tuple(sorted(codes)), said[0].reason, files, not silent, runs)


def joined(reports: Iterable[Report]) -> Report:
    """Return the report on the files of several ones; those of one alone stay in their order."""
    parts = list(reports)
    if len(parts) == 1:
        return parts[0]
    by_program: dict[tuple[str, str], list[Unjudged]] = {}
    for each in (each for part in parts for each in part.unjudged):
        by_program.setdefault((each.entry, each.reason), []).append(each)
    return Report(
        tuple(sorted(finding for part in parts for finding in part.findings)),
        tuple(sorted({problem for part in parts for problem in part.problems})),
        tuple(path for part in parts for path in part.files),
        tuple(sorted(finding for part in parts for finding in part.known)),
        tuple(_together(by_program[key]) for key in sorted(by_program)),
        tuple(sorted({entry for part in parts for entry in part.trained})),
    )
