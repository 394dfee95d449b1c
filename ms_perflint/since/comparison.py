"""Which findings are worse than before: those of the new state that have no counterpart in the old one.

A counterpart is a finding of the same rule at the same statement of the same file, wherever that moved: files are
followed through renames, statements by what they mean, as in a baseline. Where the statement itself was edited, the
counterpart is a finding of the same rule in the lines that the new ones replaced. A finding with a
counterpart is worse if it applies to run configurations to which that one did not.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from typing import Optional

from ms_perflint.baseline import entries
from ms_perflint.core.files import Files
from ms_perflint.core.findings import Finding
from ms_perflint.core.reports import Problem, Report, Unjudged
from ms_perflint.core.source import PYTHON, Source, SourceError
from ms_perflint.infer.commandline import CONFIGS
from ms_perflint.languages import Message
from ms_perflint.linting.merging import only_shown
from ms_perflint.program.shell import commands
from ms_perflint.since.readers import Readers
from ms_perflint.since.states import State, States, is_there

LintBefore = Callable[[Sequence[str], Files], Report]  # lints the old state of current files, by old paths
Statement = tuple[str, str]  # the rule, and a hash of the normalised statement
NUMBER = re.compile(r":\d+$")
LONGEST = 20_000  # largest number of lines that are compared one by one


class Comparison:
    """The findings in the old state, computed for a file when the new state has findings there."""

    def __init__(self, states: States, lint: LintBefore) -> None:
        self.states = states
        self._lint = lint
        self._anchor = os.path.join(states.top, "anchor")  # entries name files relative to its folder
        self._before: dict[str, tuple[Finding, ...]] = {}  # by new path
        self._unasked: dict[str, set[str]] = {}  # run configurations, by old path

    def old(self, path: str) -> str:
        """Return the path that a file had."""
        return self.states.renamed.get(os.path.realpath(path), path)

    def worse(self, report: Report, files: Files) -> tuple[Report, int]:
        """Return a report with the findings that are worse than before, and the number of all others.

        Problems in unchanged files are left out, and so are
        programs judged in part that read no changed file.
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
        readers = Readers(files, self.states.different)
        unjudged = tuple(each for each in report.unjudged if readers.may_read(each.entry))
        worse = report._replace(findings=findings, known=known, problems=problems, unjudged=unjudged)
        return worse, len(counterparts)

    def _as_safe(self, finding: Finding) -> Finding:
        """Return a finding without a fix of files that are staged in another form than in the work tree."""
        after = self.states.after
        if finding.fix is None or not isinstance(after, State):
            return finding
        differs = any(after.differs(edit.path) for edit in finding.fix.edits)
        return only_shown(finding, Message("a file has changes that are not staged")) if differs else finding

    def _concerns(self, problem: Problem) -> bool:
        return problem.internal or self.states.before.differs(problem.path)

    def _found(self, paths: Iterable[str]) -> dict[str, tuple[Finding, ...]]:
        """Return the findings in the old state of files."""
        missing = sorted(path for path in paths if path not in self._before)
        if missing:
            report = self._lint(missing, self.states.before)
            self._note_unasked(report.unjudged)
            found = _by_path(report.findings)
            self._before.update((path, tuple(found.get(self.old(path), ()))) for path in missing)
        return self._before

    def _note_unasked(self, unjudged: Iterable[Unjudged]) -> None:
        """Record the run configurations that were not judged in the old state, whose findings are not known.

        Those left out for single rules do not count: rules with findings there are not among these.
        """
        for each in unjudged:
            for path in each.files if each.runs else ():
                self._unasked.setdefault(path, set()).update(map(_unnumbered, each.runs))

    def _divided(
        self, here: Sequence[Finding], before: Sequence[Finding], files: Files
    ) -> tuple[list[Finding], list[Finding]]:
        """Return the findings of a file that are new, and those that have a counterpart among the old ones."""
        left: dict[Statement, list[Finding]] = {}
        for old, entry in zip(before, self._statements(before, self.states.before)):
            left.setdefault(entry, []).append(old)
        new: list[Finding] = []
        pairs: list[tuple[Finding, Optional[Finding]]] = []
        for finding, entry in zip(here, self._statements(here, files)):
            if left.get(entry):
                pairs.append((finding, left[entry].pop(0)))
            else:
                new.append(finding)
        rest = sorted((old for each in left.values() for old in each), reverse=True)
        edited = self._edited(new, rest, files) if new and rest else []
        pairs += edited
        pairs += [(finding, None) for finding in new if finding not in dict(edited)]
        same = [finding for finding, old in pairs if not self._spreads(finding, old)]
        return [finding for finding in here if finding not in same], same

    def _spreads(self, finding: Finding, old: Optional[Finding]) -> bool:
        """Return whether a finding applies to run configurations to which its counterpart, if any, did not.

        One that now applies to all of them may do so because others are gone: then it is not worse. Run configurations
        that were not judged before do not count.
        """
        if old is not None and not old.configurations:
            return False
        if not finding.configurations:
            return old is None or not self._may_lose_runs
        path = finding.place.path
        runs = Counter(self._run_before(name, path) for name in finding.configurations)
        spread = runs - _runs(old) if old is not None else runs
        return not self._unasked.get(self.old(path), set()).issuperset(spread)

    @cached_property
    def _may_lose_runs(self) -> bool:
        """Return whether the change may take away a run configuration: a file, or a command of a launcher."""
        before, after = self.states.before, self.states.after
        return any(
            not is_there(path, after) or _started(path, before) - _started(path, after) for path in before.contents
        )

    def _run_before(self, name: str, path: str) -> str:
        """Return the old name of a run configuration of a program, whose file may be renamed."""
        run, directory = _unnumbered(name), os.path.dirname(path)
        while True:
            was = self.states.renamed.get(os.path.realpath(os.path.join(directory, run)))
            if was is not None:
                return os.path.relpath(was, os.path.realpath(directory))
            if directory == os.path.dirname(directory):
                return run
            directory = os.path.dirname(directory)

    def _statements(self, found: Sequence[Finding], files: Files) -> list[Statement]:
        """Return the keys of the findings in a file, independent of its name."""
        return [(entry.code, entry.statement) for entry in entries(found, self._anchor, files)]

    def _edited(self, new: Sequence[Finding], rest: Sequence[Finding], files: Files) -> list[tuple[Finding, Finding]]:
        """Return the new findings in lines that replaced lines with an old finding of the same rule, with the old one.

        A statement of several lines also has one that begins in the line in which it begins.
        """
        before, after = _lines(rest[0].place.path, self.states.before), _lines(new[0].place.path, files)
        if max(len(before), len(after)) > LONGEST:
            return []
        left = list(rest)
        found: list[tuple[Finding, Finding]] = []
        blocks = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        for finding in new:
            alike = [each for each in left if each.code == finding.code]
            old = next((each for each in alike if _is_in_place(finding, each, blocks)), None)
            if old is not None:
                left.remove(old)
                found.append((finding, old))
        return found


def _is_in_place(finding: Finding, old: Finding, blocks: Sequence[tuple[str, int, int, int, int]]) -> bool:
    """Return whether a finding starts in the line of an old one, or in one that replaced it."""
    row, before = finding.place.row - 1, old.place.row - 1
    for tag, start, _, first, last in blocks:
        if tag == "equal" and first <= row < last and row - first == before - start:
            return True
    return any(
        tag == "replace" and first <= finding.end.row - 1 and row < last and start <= old.end.row - 1 and before < end
        for tag, start, end, first, last in blocks
    )


def _unnumbered(run: str) -> str:
    """Return the name of a run configuration without the line in a launcher, which moves."""
    return NUMBER.sub("", run)


def _runs(finding: Finding) -> Counter[str]:
    """Return the run configurations of a finding."""
    return Counter(map(_unnumbered, finding.configurations))


def _started(path: str, files: Files) -> Counter[str]:
    """Return the Python files in the commands of a launcher; none for other files."""
    if path.endswith((*CONFIGS, *PYTHON)):
        return Counter()
    words = (word for command in commands(files.read(path).decode("utf-8", "replace")) for word, _ in command.words)
    texts = ("".join(part if isinstance(part, str) else "/" for part in word) for word in words)
    return Counter(os.path.basename(text) for text in texts if text.endswith(".py"))


def _by_path(found: Iterable[Finding]) -> dict[str, list[Finding]]:
    by_path: dict[str, list[Finding]] = {}
    for finding in sorted(found):
        by_path.setdefault(finding.place.path, []).append(finding)
    return by_path


def _lines(path: str, files: Files) -> list[bytes]:
    """Return the lines of a file as counted by places; none for an unreadable file."""
    try:
        source = Source(path, files.read(path))
    except (OSError, SourceError):
        return []
    return [source.line(row) for row in range(1, len(source.starts))]
