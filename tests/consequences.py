"""Effects of fixes on files and findings: of one fix alone, and of all, pass by pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import linting
from linting import Contents, State
from properties import Edit, Moved, Text, differences, line_ends, parsed, reads, spliced

from ms_perflint.core.files import Disk, Overlay
from ms_perflint.core.findings import Finding
from ms_perflint.core.reports import Report
from ms_perflint.fixes.fixing import Settled

# Rules that are silent about eager programs: once the mode is fixed, it is their turn.
SECOND = {"MSP101": frozenset(("MSP102", "MSP601"))}


class Failure(NamedTuple):
    """A property that does not hold."""

    path: str
    code: str  # the rule, or rules
    why: str


class Alone(NamedTuple):
    """A fix to be made by itself, the findings that it fixes, and all that was found in the files."""

    finding: Finding
    before: tuple[Finding, ...]
    relint: bool


def alone(state: State, task: Alone) -> list[Failure]:
    """Return the errors of a fix that is applied alone."""
    finding, before, relint = task
    files = state.files()
    edits = by_path([finding])
    failures = []
    for path, here in edits.items():
        raw = files.read(path)
        try:
            after = spliced(raw, here)
        except (ValueError, LookupError) as error:
            return [Failure(path, finding.code, f"alone: {error}")]
        failures += [Failure(path, finding.code, f"alone: {why}") for why in unlike(path, raw, after, here, relint)]
        files.contents[path] = after
    if failures or not relint:
        return failures
    paths = sorted({finding.place.path, *(path for path in edits if path.endswith(".py"))})
    config = state.config._replace(select=(finding.code,))  # what it brings of other rules shows when all are made
    report = linting.lint(paths, config, files)
    step = Step(state.files().read, before, [finding])
    failures += [Failure(problem.path, finding.code, f"alone: {problem.message}") for problem in report.problems]
    return failures + [failure._replace(why=f"alone: {failure.why}") for failure in step.wrong(files.read, report)]


def unlike(path: str, before: bytes, after: bytes, edits: Sequence[Edit], with_libcst: bool = True) -> list[str]:
    """Return the errors of an edited file: it does not parse, or differs outside of the edits."""
    if not path.endswith(".py"):
        return []
    try:
        parsed(after)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return [f"does not parse: {error}"]
    if with_libcst and not reads(after) and reads(before):
        return ["LibCST does not read it"]
    if line_ends(before) and not line_ends(after) <= line_ends(before):
        return ["has other line ends"]
    return differences(before, after, edits)


def by_path(findings: Iterable[Finding]) -> dict[str, list[Edit]]:
    """Return the edits of the fixes of findings, by file, each once."""
    edits: dict[str, set[Edit]] = {}
    for finding in findings:
        for edit in finding.fix.edits if finding.fix else ():
            edits.setdefault(edit.path, set()).add((edit.start, edit.end, edit.text))
    return {path: sorted(here) for path, here in edits.items()}


class Step:
    """A state of the files, what is found in it, and what is fixed next."""

    def __init__(self, read: Callable[[str], bytes], findings: Sequence[Finding], made: Sequence[Finding]) -> None:
        self.read = read
        self.codes = ", ".join(sorted({finding.code for finding in made}))
        self.edits = by_path(made)
        self.found = {(finding.place.path, finding.code, self.offset(finding, read)) for finding in findings}
        self.fixed = {(finding.place.path, finding.code, self.offset(finding, read)) for finding in made}
        self.second = frozenset().union(*(SECOND.get(finding.code, frozenset()) for finding in made))

    @staticmethod
    def offset(finding: Finding, read: Callable[[str], bytes]) -> int:
        """Return the offset of a finding in the text of its file."""
        return Text.of(read(finding.place.path)).offset(finding.place.row, finding.place.column)

    def wrong(self, read: Callable[[str], bytes], report: Report) -> list[Failure]:
        """Return the findings of the next state that must not be in it."""
        failures = []
        for finding in report.findings:
            path, code = finding.place.path, finding.code
            moved = Moved(self.read(path), self.edits.get(path, ()))
            offset = self.offset(finding, read)
            before = moved.back(offset)
            stands_for = moved.edit_at(offset)
            same = [
                at
                for other, rule, at in self.fixed
                if (other, rule) == (path, code)
                and (at == before or (stands_for and stands_for[0] <= at <= stands_for[1]))
            ]
            if same:
                failures.append(Failure(path, code, f"row {finding.place.row}: reported again: {finding.message}"))
            elif (path, code, before) not in self.found and code not in self.second:
                why = f"row {finding.place.row}: reported only after the fix of {self.codes}: {finding.message}"
                failures.append(Failure(path, code, why))
        return failures


def steps(states: Sequence[tuple[Contents, Report]], settled: Settled) -> Iterator[Failure]:
    """Yield the errors from one pass of fixing to the next."""
    disk = Disk()
    for (old, report), (new, next_report) in zip(states, states[1:]):
        found = set(map(id, report.findings))
        made = [finding for finding in settled.fixed if id(finding) in found]
        before, after = Overlay(disk, dict(old)), Overlay(disk, dict(new))
        step = Step(before.read, report.findings, made)
        reverted = {problem.path for problem in settled.problems}
        changed = {*step.edits, *(path for path in {*old, *new} if old.get(path) != new.get(path))}
        for path in sorted(changed - reverted):
            here = step.edits.get(path, [])
            if spliced(before.read(path), here) != after.read(path):
                yield Failure(path, step.codes, "bytes differ outside of the reported edits")
            for why in unlike(path, before.read(path), after.read(path), here):
                yield Failure(path, step.codes, why)
        unread = {problem.path for problem in report.problems}
        for problem in next_report.problems:
            if problem.path not in unread:
                yield Failure(problem.path, step.codes, problem.message)
        yield from (failure for failure in step.wrong(after.read, next_report) if failure.path not in reverted)
