"""Which findings are worse than before: those of the new state that have no counterpart in the old one.

A counterpart is a finding of the same rule at the same statement of the same file, wherever that moved: files are
followed through renames, statements by what they mean, as in a baseline. Where the statement itself was edited, the
counterpart is a finding of the same rule in the lines whose place the new ones took.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher

from ms_perflint.baseline import entries
from ms_perflint.core.findings import Finding, Problem, Report, only_shown
from ms_perflint.core.source import Files, Source, SourceError
from ms_perflint.since.states import State, States

LintBefore = Callable[[Sequence[str], Files], Report]  # what is found in files (of now) as they were, by old paths
Statement = tuple[str, str]  # the rule, and a hash of what the statement means
LONGEST = 20_000  # lines of a file that are compared one by one


class Comparison:
    """What was found in the old state, looked for file by file when the new one has findings there."""

    def __init__(self, states: States, lint: LintBefore) -> None:
        self.states = states
        self._lint = lint
        self._anchor = os.path.join(states.top, "anchor")  # entries name files relative to its folder
        self._before: dict[str, tuple[Finding, ...]] = {}  # by new path

    def old(self, path: str) -> str:
        """Return the path that a file had."""
        return self.states.renamed.get(os.path.realpath(path), path)

    def worse(self, report: Report, files: Files) -> tuple[Report, int]:
        """Return a report with what is worse than before, and how many findings that leaves out.

        What it leaves out is known to the report. Problems in files that did not change are not its matter.
        """
        before = self._found({finding.place.path for finding in report.findings})
        left: list[Finding] = []
        counterparts: list[Finding] = []
        for path, here in _by_path(report.findings).items():
            new, same = self._divided(here, before[path], files)
            left += new
            counterparts += same
        problems = tuple(each for each in report.problems if self._concerns(each))
        known = tuple(sorted((*report.known, *counterparts)))
        findings = tuple(map(self._as_safe, sorted(left)))
        return report._replace(findings=findings, known=known, problems=problems), len(counterparts)

    def _as_safe(self, finding: Finding) -> Finding:
        """Return a finding without a fix of what is staged in another form than it is in the work tree."""
        after = self.states.after
        if finding.fix is None or not isinstance(after, State):
            return finding
        return only_shown(finding) if any(after.differs(edit.path) for edit in finding.fix.edits) else finding

    def _concerns(self, problem: Problem) -> bool:
        return problem.internal or self.states.before.differs(problem.path)

    def _found(self, paths: Iterable[str]) -> dict[str, tuple[Finding, ...]]:
        """Return what was found in files when they were as before."""
        missing = sorted(path for path in paths if path not in self._before)
        if missing:
            found = _by_path(self._lint(missing, self.states.before).findings)
            self._before.update((path, tuple(found.get(self.old(path), ()))) for path in missing)
        return self._before

    def _divided(
        self, here: Sequence[Finding], before: Sequence[Finding], files: Files
    ) -> tuple[list[Finding], list[Finding]]:
        """Return the findings of a file that are new, and those that have a counterpart among the old ones."""
        old = self._statements(before, self.states.before)
        known = Counter(old)
        new: list[Finding] = []
        same: list[Finding] = []
        for finding, entry in zip(here, self._statements(here, files)):
            (same if known[entry] else new).append(finding)
            known[entry] -= known[entry] > 0
        rest = [finding for finding, entry in zip(reversed(before), reversed(old)) if _takes(known, entry)]
        edited = self._edited(new, rest, files) if new and rest else []
        return [finding for finding in new if finding not in edited], [*same, *edited]

    def _statements(self, found: Sequence[Finding], files: Files) -> list[Statement]:
        """Return what the findings in a file are known by, whatever it is called."""
        return [(entry.code, entry.statement) for entry in entries(found, self._anchor, files)]

    def _edited(self, new: Sequence[Finding], rest: Sequence[Finding], files: Files) -> list[Finding]:
        """Return the new findings in lines that took the place of lines with an old one of the same rule."""
        before, after = _lines(rest[0].place.path, self.states.before), _lines(new[0].place.path, files)
        if max(len(before), len(after)) > LONGEST:
            return []
        left, found = list(rest), []
        blocks = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        for finding in new:
            row = finding.place.row - 1
            start, end = next(((a, b) for tag, a, b, c, d in blocks if tag == "replace" and c <= row < d), (0, 0))
            old = next((each for each in left if each.code == finding.code and start <= each.place.row - 1 < end), None)
            if old is not None:
                left.remove(old)
                found.append(finding)
        return found


def _takes(known: Counter[Statement], entry: Statement) -> bool:
    """Return whether an entry has no counterpart, and count it as told."""
    is_left = known[entry] > 0
    known[entry] -= is_left
    return is_left


def _by_path(found: Iterable[Finding]) -> dict[str, list[Finding]]:
    by_path: dict[str, list[Finding]] = {}
    for finding in sorted(found):
        by_path.setdefault(finding.place.path, []).append(finding)
    return by_path


def _lines(path: str, files: Files) -> list[bytes]:
    """Return the lines of a file as places count them; none where it cannot be read."""
    try:
        source = Source(path, files.read(path))
    except (OSError, SourceError):
        return []
    return [source.line(row) for row in range(1, len(source.starts))]
