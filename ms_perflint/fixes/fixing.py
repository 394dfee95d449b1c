"""From findings to fixed files: choose fixes, apply them to an overlay, repeat until none is left, verify, write.

Fixes may conflict:

- Safe fixes come first, unsafe ones when no safe one is left. In one pass they are applied in the order of the report:
  path, row, column, code.
- A fix waits for the next pass where one of this pass touches its text, or lengthens the same line: then it is
  computed again from the new text, or is no longer needed. An edit that two fixes share, such as an import,
  is applied once.
- A finding that appears only after another fix is fixed in a later pass. A fix that the user refuses stays refused, and
  findings after it do not appear.
- Unused suppressions are removed when no other fix is left: what they hide may appear after one.
- Fixes that oscillate, or after which a file does not parse, are not applied: such files, and those changed with
  them, are left as they were, and the rules are named. All others are fixed from the start, without those files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ms_perflint.check import checks_of
from ms_perflint.core.files import Files, Overlay, Snapshot
from ms_perflint.core.findings import Edit, Finding, Safety
from ms_perflint.core.internal import internal_error
from ms_perflint.core.reports import Problem, Report
from ms_perflint.core.source import Source, SourceError
from ms_perflint.fixes.conflicts import Taken, is_sound
from ms_perflint.fixes.writing import Change, unified_diff, write
from ms_perflint.index.parsing import parse
from ms_perflint.languages import Message

if TYPE_CHECKING:
    from ms_perflint.config.settings import Trust

Lint = Callable[[Files], "Report"]
Consent = Callable[[Finding, str, Sequence[Finding]], bool]  # (finding, its diff, next findings) -> whether to fix it
Rank = Callable[[Finding], Any]  # the order in which fixes are asked about

PASSES = 10  # enough for any nesting seen; more means that fixes oscillate


class Settled(NamedTuple):
    """The result of fixing."""

    report: Report  # on the fixed files
    fixed: tuple[Finding, ...]  # the fixed findings, as they were in their pass; without reverted ones
    changes: tuple[Change, ...]  # by path
    problems: tuple[Problem, ...]  # reasons why fixes were not applied or written
    declined: frozenset[Finding] = frozenset()  # findings whose fix was refused


def by_place(finding: Finding) -> Finding:
    """Return a sort key by place."""
    return finding


def fix(
    lint: Lint,
    files: Files,
    config: Trust,
    *,
    unsafe: bool = False,
    consent: Consent | None = None,
    rank: Rank = by_place,
) -> Settled:
    """Apply all fixes that may be applied, and write the files. Arguments as for `settle`."""
    settled = settle(lint, files, config, unsafe=unsafe, consent=consent, rank=rank)
    problems = write(settled.changes)
    if not problems:
        return settled
    left = {problem.path for problem in problems}
    return Settled(
        lint(files),
        tuple(finding for finding in settled.fixed if not left & _paths(finding)),
        tuple(change for change in settled.changes if change.path not in left),
        (*settled.problems, *problems),
    )


def settle(
    lint: Lint,
    files: Files,
    config: Trust,
    *,
    unsafe: bool = False,
    consent: Consent | None = None,
    rank: Rank = by_place,
) -> Settled:
    """Return the result of all fixes that may be applied, without writing files.

    Safe fixes are applied, unsafe ones with `unsafe`, or singly with `consent` once no safe one is left, display-only
    ones never; `rank` orders the questions. A fix that also changes a file that was not linted is not applied.
    """
    held = Snapshot(files)
    first = lint(held)
    held.keep(first.files)
    work = _Work(held, frozenset(first.files), config, unsafe, consent, rank)
    while True:
        frozen = len(work.frozen)
        report = work.run(lint, first)
        if len(work.frozen) == frozen:
            return work.settled(report)
        work.start_again()


def moved(source: Source, offset: int, edits: Iterable[Edit]) -> int:
    """Return an offset after edits that do not touch it."""
    before = [edit for edit in edits if edit.end <= offset]
    return offset + sum(len(source.added(edit)) - (edit.end - edit.start) for edit in before)


class _Work:
    """The files while they are being fixed."""

    def __init__(
        self, files: Files, given: frozenset[str], config: Trust, unsafe: bool, consent: Consent | None, rank: Rank
    ) -> None:
        self.files = files
        self.given = given  # only these may be changed
        self.config = config
        self.unsafe = unsafe
        self.consent = consent
        self.rank = rank
        self.next: Sequence[Finding] = ()  # findings whose fixes are asked about next
        self.overlay = Overlay(files, {})
        self.fixed: list[Finding] = []
        self.declined: set[tuple[str, str, int]] = set()  # path, code, offset
        self.frozen: set[str] = set()  # files left as they were
        self.problems: list[Problem] = []
        self.passes: list[list[Finding]] = []  # the fixed findings of each pass
        self.answers: dict[tuple[str, str, str], bool] = {}  # path, code, diff: no question is repeated

    def start_again(self) -> None:
        """Drop all fixes, as they may depend on files that are now left as they were."""
        self.overlay.contents.clear()
        self.fixed.clear()
        self.declined.clear()
        self.passes.clear()

    def run(self, lint: Lint, report: Report) -> Report:
        """Run passes until nothing is left to fix; return the last report."""
        first = report
        while len(self.passes) < PASSES:
            chosen = self.choose(report)
            if not chosen:
                self.verify()
                return report
            self.make(chosen)
            report = lint(self.overlay)
            self._take_back_unread(report, first)
        unsettled = [finding for finding in report.findings if self.would(finding)]
        if unsettled:
            self.give_up(unsettled)
        self.verify()
        return report

    def choose(self, report: Report) -> list[Finding]:
        """Return the findings whose fixes are applied in the next pass, without overlapping edits."""
        candidates = [finding for finding in sorted(report.findings) if self.would(finding)]
        rules = checks_of(frozenset(finding.code for finding in candidates))
        reviewing = {check.code for check in rules if check.reviews}
        others = [finding for finding in candidates if finding.code not in reviewing]
        return self._choose(others) or self._choose([each for each in candidates if each.code in reviewing])

    def _choose(self, candidates: Sequence[Finding]) -> list[Finding]:
        """Return the candidates, in their order, whose edits do not overlap and that need no consent or have it."""
        sure = [finding for finding in candidates if self._is_sure(finding)]
        taken, chosen = Taken(self._source), []
        ordered = sure or sorted(candidates, key=self.rank)
        for at, finding in enumerate(ordered):
            self.next = () if sure else ordered[at + 1 :]
            edits = _edits(finding)
            try:
                if not taken.admits(edits) or not (sure or self._agrees(finding)):
                    continue
                taken.add(edits)
            except Exception as error:
                self._fail(finding.place.path, error)
                continue
            chosen.append(finding)
        return [finding for finding in chosen if not _paths(finding) & self.frozen]

    def would(self, finding: Finding) -> bool:
        """Return whether the fix of a finding may be applied, at once or after consent."""
        paths = _paths(finding)
        allowed = self._is_sure(finding) or (self.consent is not None and self.config.trust(finding) is Safety.UNSAFE)
        if not (allowed and paths and paths <= self.given and not paths & self.frozen):
            return False
        if not is_sound(_edits(finding)):
            place = finding.place
            reason = Message(
                "the fix of {code} was not applied: its edits overlap; please report this", code=finding.code
            )
            self.problems.append(Problem(place.path, place.line, place.column, reason, place.cell))
            return False
        return self.consent is None or self._key(finding) not in self.declined

    def make(self, chosen: Collection[Finding]) -> None:
        """Put the fixed files into the overlay; where one does not parse, revert it and dependent files."""
        edits: dict[str, set[Edit]] = {}  # sets: edits that two fixes share are applied once
        for finding in chosen:
            for edit in _edits(finding):
                edits.setdefault(edit.path, set()).add(edit)
        self.fixed += chosen
        self.passes.append(list(chosen))
        for path, here in edits.items():
            if path in self.frozen:
                continue
            source = self._source(path)
            try:
                if source.edited(()) != self.overlay.read(path):
                    name = source.encoding
                    lost = Message(
                        "the rest of the file would change: {encoding} writes some of its bytes differently",
                        encoding=name,
                    )
                    raise SourceError(lost)
                after = source.edited(here)
                if not _parses(Source(path, after), source):
                    raise SourceError(Message("would not parse any more"))
                self.overlay.contents[path] = after
            except SourceError as error:
                codes = _codes(finding for finding in chosen if path in _paths(finding))
                self._revert(
                    path,
                    Message("left as it was: with the fix of {codes}, {reason}", codes=codes, reason=error.message),
                )
            except Exception as error:
                self._fail(path, error)
            self.declined = {
                (other, code, moved(source, offset, here) if other == path else offset)
                for other, code, offset in self.declined
            }

    def give_up(self, unsettled: Iterable[Finding]) -> None:
        """Revert the files whose fixes oscillate: those that the last passes still changed."""
        moving: dict[str, list[Finding]] = {}
        for finding in (*unsettled, *(finding for each in self.passes[PASSES // 2 :] for finding in each)):
            for path in _paths(finding):
                moving.setdefault(path, []).append(finding)
        codes = {path: _codes(found) for path, found in moving.items()}
        for path in sorted(moving):
            self._revert(path, f"left as it was: the fixes of {codes[path]} do not come to an end; please report this")

    def verify(self) -> None:
        """Revert files that LibCST cannot parse although it could parse them before."""
        if not self.overlay.contents:
            return
        from ms_perflint.syntax import reads  # LibCST takes a tenth of a second to import

        for path in sorted(self.overlay.contents):
            try:
                before = Source(path, self.files.read(path)).text
                if path not in self.frozen and not reads(self._source(path).text) and reads(before):
                    codes = _codes(finding for finding in self.fixed if path in _paths(finding))
                    self._revert(path, f"left as it was: LibCST could not read it with the fixes of {codes}")
            except Exception as error:
                self._fail(path, error)

    def _take_back_unread(self, report: Report, first: Report) -> None:
        """Revert files on which the linter fails only since they were fixed, so that they cannot be settled."""
        before = {problem.path for problem in first.problems if problem.internal}
        for problem in report.problems:
            if problem.internal and problem.path in self.overlay.contents and problem.path not in before:
                self._revert(problem.path, Message("left as it was: {reason}", reason=problem.message), internal=True)

    def _fail(self, path: str, error: Exception) -> None:
        """Leave a file as it was after an internal error."""
        self._revert(path, Message("left as it was: {reason}", reason=internal_error(error)), internal=True)

    def settled(self, report: Report) -> Settled:
        """Return the result."""
        changes = []
        for path, after in sorted(self.overlay.contents.items()):
            before = self.files.read(path)
            if before != after:
                changes.append(Change(path, before, after, tuple(sorted(self._together(path)))))
        declined = frozenset(each for each in report.findings if self.declined and self._key(each) in self.declined)
        return Settled(report, tuple(self.fixed), tuple(changes), tuple(sorted(set(self.problems))), declined)

    def _is_sure(self, finding: Finding) -> bool:
        """Return whether a fix is applied without asking."""
        trust = self.config.trust(finding)
        return trust is Safety.SAFE or (trust is Safety.UNSAFE and self.unsafe)

    def _agrees(self, finding: Finding) -> bool:
        """Ask about a fix; a refusal holds for all passes, an answer for all findings that the same change fixes."""
        diff = "".join(self._diffs(finding))
        asked = finding.place.path, finding.code, diff
        if asked not in self.answers:
            self.answers[asked] = self.consent is not None and self.consent(finding, diff, self.next)
        if not self.answers[asked]:
            self.declined.add(self._key(finding))
        return self.answers[asked]

    def _diffs(self, finding: Finding) -> Iterator[str]:
        """Yield the diff of a fix alone, file by file."""
        for path in sorted(_paths(finding)):
            source = self._source(path)
            edits = {edit for edit in _edits(finding) if edit.path == path}
            for name, start, end in _parts(source):
                here = [edit for edit in edits if start <= edit.start and (end is None or edit.start <= end)]
                after = source.spliced(here, start, end)
                yield unified_diff(source.written[start:end].decode(), after.decode(), name)

    def _key(self, finding: Finding) -> tuple[str, str, int]:
        """Return the identity of a finding; its offset is moved along with the edits."""
        return finding.place.path, finding.code, self._source(finding.place.path).at(finding.place)

    def _source(self, path: str) -> Source:
        """Return the current source of a file."""
        return Source(path, self.overlay.read(path))

    def _together(self, path: str) -> set[str]:
        """Return the files connected with this one by fixes that change several files."""
        found = {path}
        groups = [paths for paths in map(_paths, self.fixed) if len(paths) > 1]
        while more := [paths for paths in groups if paths & found and not paths <= found]:
            found.update(*more)
        return found

    def _revert(self, path: str, reason: str, internal: bool = False) -> None:
        """Leave a file, and those connected with it, as they were; record the reason."""
        together = Message("left as it was: it is fixed together with {file}", file=_shown(path))
        for other in sorted(self._together(path)):
            self.overlay.contents.pop(other, None)
            self.frozen.add(other)
            self.problems.append(Problem(other, 0, 0, reason if other == path else together, internal=internal))
        self.fixed = [finding for finding in self.fixed if not _paths(finding) & self.frozen]


def _edits(finding: Finding) -> tuple[Edit, ...]:
    """Return the edits of a finding's fix."""
    return finding.fix.edits if finding.fix else ()


def _paths(finding: Finding) -> set[str]:
    """Return the files that a finding's fix changes."""
    return {edit.path for edit in _edits(finding)}


def _codes(findings: Iterable[Finding]) -> str:
    """Return the codes of findings, for a message."""
    return ", ".join(sorted({finding.code for finding in findings}))


def _parses(after: Source, before: Source) -> bool:
    """Return whether a text parses; in a notebook, whether all cells do that did before."""
    try:
        parse(after)
    except SourceError:
        return False
    if after.lost:
        parse(before)
    return len(after.lost) <= len(before.lost)


def _parts(source: Source) -> list[tuple[str, int, int | None]]:
    """Return the name, start and end of each part of a file with a diff of its own: the cells of a notebook."""
    name = _shown(source.path)
    cells: list[tuple[str, int, int | None]] = [
        (f"{name}:cell {cell.number}", cell.start, cell.end) for cell in source.cells
    ]
    return cells or [(name, 0, None)]


def _shown(path: str) -> str:
    """Return a path, relative if it is in the working directory."""
    here = os.getcwd() + os.sep
    return path[len(here) :] if path.startswith(here) else path
