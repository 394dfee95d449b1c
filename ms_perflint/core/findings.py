"""What a check reports: findings, and the text edits that mend them."""

from __future__ import annotations

import enum
import os
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from typing import NamedTuple, Optional

from ms_perflint.core.records import equal_by
from ms_perflint.languages import ENGLISH, Message, say


class Safety(enum.Enum):
    """How far a fix may be trusted; the word is also the `applicability` of the JSON output."""

    SAFE = "safe"  # same numerics, same run behaviour, same memory class
    UNSAFE = "unsafe"  # correct, but changes numerics, cadence or timing: needs consent
    DISPLAY = "display-only"  # shown as a diff, never applied

    def __lt__(self, other: Safety) -> bool:
        """Stronger before weaker: max() of several safeties is the weakest."""
        order = list(Safety)
        return order.index(self) < order.index(other)


class Place(NamedTuple):
    """A position in a file; row and column count from 1, the column in characters.

    Of a notebook, `row` counts through the code of all cells. People are shown `cell` and `line`, the row in the cell.
    """

    path: str  # absolute
    row: int
    column: int
    cell: int = 0  # from 1, cells of all kinds counted; 0: the file has none
    above: int = 0  # rows before the first one of the cell

    @property
    def line(self) -> int:
        """Return the row as people count it: in the cell, or in a file without cells."""
        return self.row - self.above

    @property
    def spot(self) -> str:
        """Return the row for people; in a notebook `cell 3:row`."""
        return f"cell {self.cell}:{self.line}" if self.cell else str(self.line)

    def seen_from(self, path: str) -> Message:
        """Return the place for a message about a file: `line 12`, in a notebook `cell 3, line 12`.

        Of another file `net.py:12`. A message never counts rows itself: its field is a place.
        """
        if self.path != path:
            return self.named
        if self.cell:
            return Message("cell {cell}, line {row}", cell=self.cell, row=self.line)
        return Message("line {row}", row=self.line)

    @property
    def named(self) -> Message:
        """Return the place for a message with the name of its file: `net.py:12`."""
        file = os.path.basename(self.path)
        if self.cell:
            return Message("{file}:cell {cell}:{row}", file=file, cell=self.cell, row=self.line)
        return Message("{file}:{row}", file=file, row=self.line)


class Edit(NamedTuple):
    """Replace `Source.text[start:end]` (byte offsets in the UTF-8 text) of the file at `path` by `text`.

    `text` uses "\\n" for line ends; writing turns them into the file's own.
    """

    path: str
    start: int
    end: int
    text: str


class Fix(NamedTuple):
    """One fix: all of its edits or none, also over several files."""

    message: str
    safety: Safety
    edits: tuple[Edit, ...]
    reason: Optional[str] = None  # why it is not safe here, in one clause


class Related(NamedTuple):
    """Another place that a finding rests on: the config key, the other file."""

    place: Place
    message: str


class Remedy(NamedTuple):
    """What a check offers against a finding: the edits of a fix, what they do, and how far they may be trusted."""

    edits: Optional[Sequence[Edit]]  # None: no fix can be made
    advice: str = ""  # what the fix does, in a few words
    safety: Optional[Safety] = None  # that of the rule
    reason: Optional[str] = None  # why it is not safe here, in one clause
    related: tuple[Related, ...] = ()  # places beside the finding


@equal_by("place", "code")
class Finding(NamedTuple):
    """One report. Findings order by path, row, column, code."""

    place: Place
    code: str
    name: str
    message: str
    end: Place
    lines: tuple[int, ...]  # rows on which a suppression speaks for this finding
    fix: Optional[Fix] = None
    related: tuple[Related, ...] = ()
    configurations: tuple[str, ...] = ()  # run configurations for which it holds, where it does not hold for all

    def __lt__(self, other: Finding) -> bool:  # type: ignore[override]
        """By place, then by code."""
        return (self.place, self.code) < (other.place, other.code)

    def __gt__(self, other: Finding) -> bool:  # type: ignore[override]
        """As `<`, the other way round."""
        return other < self


ACCELERATORS = ("Ascend", "GPU")


class Measurement(NamedTuple):
    """What was measured of a finding, on the device of those who asked for it."""

    verdict: str  # "confirmed", "refuted", "not-measurable" or "not-seen"
    upper_ms: Optional[float]  # of a step, that a fix saves at most
    share: Optional[float]  # of the time of a step
    evidence: str
    source: str  # "verify" or "profile"
    date: str
    device: str
    on_target: bool = True  # whether that is a device which the program is for

    @property
    def refutes(self) -> bool:
        """Return whether the finding is shown, and does not count: another device decides nothing."""
        return self.verdict == "refuted" and self.on_target

    def on(self, devices: Collection[str]) -> Measurement:
        """Return the same, for a program that is for these devices; where none is known, for any accelerator."""
        kind = "CPU" if self.device == "CPU" else "Ascend" if self.device.startswith("Ascend") else "GPU"
        return self._replace(on_target=kind in (devices or ACCELERATORS))


class Gain(NamedTuple):
    """What fixing the findings of a rule may gain: how much, by what of a training it touches, and in words."""

    size: str = "medium"  # of SIZES
    text: str = Message("depends on the program")


SIZES = ("large", "medium", "small")


def in_language(finding: Finding, language: str) -> Finding:
    """Return a finding that speaks a language; what it says of itself to programs stays the same."""
    if language == ENGLISH:
        return finding
    fix = finding.fix
    return finding._replace(
        message=say(finding.message, language),
        fix=_fix_in(fix, language) if fix is not None else None,
        related=tuple(each._replace(message=say(each.message, language)) for each in finding.related),
    )


def _fix_in(fix: Fix, language: str) -> Fix:
    reason = say(fix.reason, language) if fix.reason is not None else None
    return fix._replace(message=say(fix.message, language), reason=reason)


def only_shown(finding: Finding, reason: Message) -> Finding:
    """Return a finding whose fix is not made, with the reason; one that is not made anyway has its own."""
    fix = finding.fix
    if fix is None or (fix.safety is Safety.DISPLAY and fix.reason is not None):
        return finding
    return finding._replace(fix=fix._replace(safety=Safety.DISPLAY, reason=reason))


Found = dict[tuple[object, ...], Finding]  # by place


class Ran(NamedTuple):
    """What is found in a file of a program in one of its run configurations."""

    name: str
    found: Found
    comes_to: Callable[[Finding], bool]  # whether it runs what a finding is about, with the options that it gives


def over_runs(
    by_run: Sequence[Ran], is_local: Callable[[Finding], bool], beyond: int = 0, are_meant: bool = True
) -> Found:
    """Return the findings of a program in a file, over its run configurations.

    One that does not hold for all says for which: for those that come to it, where there are such. Where they need
    different fixes, none is made; nor where others would be changed: a fix that `is_local` changes none that does not
    come to it. What `beyond` these have is not known: what holds for all of these names them, and says so where more
    are not meant at all.
    """
    out: Found = {}
    for key in dict.fromkeys(key for run in by_run for key in run.found):
        having = [run for run in by_run if key in run.found]
        is_same = len(having) == len(by_run) and len({run.found[key].message for run in having}) == 1
        holds = having if is_same else [run for run in having if run.comes_to(run.found[key])] or having
        found = sorted((run.found[key] for run in holds), key=lambda each: len(each.message))  # no condition: first
        unfixed = next((each for each in found if each.fix is None), None)  # it says why there is none
        if unfixed is not None:
            first = unfixed
        elif len(set(map(_edits, found))) > 1:
            first = only_shown(found[0], Message("the run configurations need different fixes"))
        else:
            first = max(found, key=_weakness)
        names = tuple(run.name for run in holds)
        is_of_all = len(names) == len(by_run) and (are_meant or not beyond)
        if not is_of_all:
            is_own = is_local(first) and not any(run.comes_to(first) for run in by_run if key not in run.found)
            if not is_own:
                first = only_shown(first, Message("it would change the other run configurations too"))
            first = _of_some(first, names, len(by_run) + beyond)
        out[key] = first._replace(configurations=names) if is_of_all and beyond else first
    return out


def _of_some(finding: Finding, names: tuple[str, ...], every: int) -> Finding:
    """Return a finding that says for which of the run configurations it holds."""
    said, name = finding.message, names[0]
    message = Message("{message}, with 1 of {every} run configurations: {name}", message=said, every=every, name=name)
    if len(names) > 1:
        message = Message(
            "{message}, with {some} of {every} run configurations, for example {name}",
            message=said, some=len(names), every=every, name=name,
        )  # fmt: skip
    return finding._replace(message=message, configurations=names)


def _edits(finding: Finding) -> Optional[tuple[Edit, ...]]:
    return finding.fix.edits if finding.fix is not None else None


def _weakness(finding: Finding) -> int:
    return list(Safety).index(finding.fix.safety) if finding.fix is not None else -1


def merged(by_program: Sequence[Found]) -> list[Finding]:
    """Return the findings of a file: one program that reports is enough; the fix stands if all that report agree.

    Where they agree on the edits, the finding is that of the program in which the fix is trusted least.
    """
    out: list[Finding] = []
    keys = dict.fromkeys(key for found in by_program for key in found)
    for key in keys:
        reports = [found[key] for found in by_program if key in found]
        reports.sort(key=lambda report: bool(report.configurations))  # what holds in a whole program comes first
        first = reports[0]
        edits = set(map(_edits, reports))
        if len(edits) > 1:
            unfixed = next((report for report in reports if report.fix is None), None)  # it says why there is none
            text = Message("no fix is shown: the programs that run this need different ones")
            noted = first._replace(fix=None, related=(*first.related, Related(first.place, text)))
            out.append(unfixed if unfixed is not None else noted)
        elif first.fix is None:
            out.append(first)
        else:
            out.append(max(reports, key=_weakness))
    return out


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
        """Return a sort key: as the lines of the files come, of a notebook the cells."""
        return self.path, self.cell, self.row, self.column


class Unjudged(NamedTuple):
    """A program that was judged in part: its entry script, the rules it is about, why, and the files in question."""

    entry: str
    codes: tuple[str, ...]
    reason: str
    files: tuple[str, ...] = ()
    has_findings: bool = False  # each of the rules reports something there, and may miss something else
    runs: frozenset[str] = frozenset()  # the run configurations that were not judged


class Gap(NamedTuple):
    """Why a program may not have given all answers, and its run configurations that were not judged."""

    reason: Message
    runs: tuple[str, ...] = ()


def unjudged(entry: str, path: str, codes: Iterable[str], gap: Gap) -> Finding:
    """Return what stands among the findings of a file of a program that was judged in part: it is of no rule."""
    name = " ".join(sorted(codes))
    return Finding(Place(entry, 0, 0), "", name, gap.reason, Place(path, 0, 0), (), configurations=gap.runs)


def trained(entry: str) -> Finding:
    """Return what stands among the findings of an entry script whose program trains: it is of no rule."""
    return Finding(Place(entry, 0, 0), "", "", "", Place(entry, 0, 0), ())


class Report(NamedTuple):
    """What a run found, sorted; what it could not do; the files that it looked at; and what the baseline knows."""

    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    files: tuple[str, ...]
    known: tuple[Finding, ...] = ()
    unjudged: tuple[Unjudged, ...] = ()  # by entry script
    trained: tuple[str, ...] = ()  # the entry scripts of the programs that train, as far as rules asked them

    def only(self, paths: Container[str], entries: Container[str] = ()) -> Report:
        """Return what it says of some of its files, and of the programs that they are part of, or that are named."""
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
    """Return what several files of a program say of it, and the first reason.

    That is of the rules that report nothing there; where there is none, of the others.
    """
    first = min(said, key=lambda each: (each.end.path, each.message))
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


class Unreadable(Exception):
    """An expression that LibCST cannot read: syntax newer than the installed LibCST knows."""


class TooDeep(Unreadable):
    """An expression nested so deeply that LibCST would overflow the stack: it may kill the process."""
