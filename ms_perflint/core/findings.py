"""Findings of checks, and the text edits that fix them."""

from __future__ import annotations

import enum
import os
from collections.abc import Collection, Sequence
from typing import NamedTuple, Optional

from ms_perflint.core.records import equal_by
from ms_perflint.languages import ENGLISH, Message, say


class Safety(enum.Enum):
    """The grade of a fix; its value is also the `applicability` of the JSON output."""

    SAFE = "safe"  # numerics, behaviour of the run and peak memory stay the same
    UNSAFE = "unsafe"  # correct code, but one of these may change: needs consent
    DISPLAY = "display-only"  # shown as a diff, never applied

    def __lt__(self, other: Safety) -> bool:
        """Return whether it is the safer one: max() of several safeties is the least safe."""
        order = list(Safety)
        return order.index(self) < order.index(other)


class Place(NamedTuple):
    """A position in a file; row and column count from 1, the column in characters.

    In a notebook, `row` counts through the code of all cells; messages show `cell` and `line`, the row in the cell.
    """

    path: str  # absolute
    row: int
    column: int
    cell: int = 0  # from 1, cells of all kinds counted; 0: the file has none
    above: int = 0  # rows before the first one of the cell

    @property
    def line(self) -> int:
        """Return the row in the cell; in a file without cells, the row."""
        return self.row - self.above

    @property
    def spot(self) -> str:
        """Return the row as messages show it; in a notebook `cell 3:row`."""
        return f"cell {self.cell}:{self.line}" if self.cell else str(self.line)

    def seen_from(self, path: str) -> Message:
        """Return the place as a message about a file shows it: `line 12`, in a notebook `cell 3, line 12`.

        A place in another file is shown as `net.py:12`.
        """
        if self.path != path:
            return self.named
        if self.cell:
            return Message("cell {cell}, line {row}", cell=self.cell, row=self.line)
        return Message("line {row}", row=self.line)

    @property
    def named(self) -> Message:
        """Return the place with the name of its file: `net.py:12`."""
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
    """One fix: its edits are applied together or not at all, also in several files."""

    message: str
    safety: Safety
    edits: tuple[Edit, ...]
    reason: Optional[str] = None  # why it is not safe here, in one clause

    def trusted(self, safety: Safety, files: Collection[str] = ()) -> Fix:
        """Return the fix with a safety; display-only, with the reason, if it edits files that are not linted."""
        others = sorted({edit.path for edit in self.edits}.difference(files)) if files else []
        if self.safety is Safety.DISPLAY or (safety is not Safety.DISPLAY and not others):
            return self._replace(safety=safety)
        reason = Message("the configuration makes fixes of this rule display-only")
        if others:
            reason = Message("it changes {file} too, which was not given", file=os.path.basename(others[0]))
        return self._replace(safety=Safety.DISPLAY, reason=reason)


class Related(NamedTuple):
    """Another place that explains a finding: a config key, a line of another file."""

    place: Place
    message: str


class Remedy(NamedTuple):
    """The remedy of a finding: the edits of a fix, what they do, and how safe they are."""

    edits: Optional[Sequence[Edit]]  # None: no fix can be made
    advice: str = ""  # what the fix does, or what to do where there is none, in a few words
    safety: Optional[Safety] = None  # that of the rule
    reason: Optional[str] = None  # why it is not safe here, in one clause
    related: tuple[Related, ...] = ()  # places beside the finding

    @property
    def by_hand(self) -> str:
        """Return the help text without a fix, with the reason for that."""
        if self.advice and self.safety is Safety.DISPLAY and self.reason is not None:
            return Message("{advice} (no fix: {reason})", advice=self.advice, reason=self.reason)
        return self.advice


@equal_by("place", "code")
class Finding(NamedTuple):
    """One report. Findings order by path, row, column, code."""

    place: Place
    code: str
    name: str
    message: str
    end: Place
    lines: tuple[int, ...]  # rows on which a suppression applies to this finding
    fix: Optional[Fix] = None
    related: tuple[Related, ...] = ()
    configurations: tuple[str, ...] = ()  # run configurations for which it holds, where it does not hold for all
    help: str = ""  # what to do where there is no fix

    def __lt__(self, other: Finding) -> bool:  # type: ignore[override]
        """Return whether it comes first: by place, then by code."""
        return (self.place, self.code) < (other.place, other.code)

    def __gt__(self, other: Finding) -> bool:  # type: ignore[override]
        """Return whether it comes later."""
        return other < self


ACCELERATORS = ("Ascend", "GPU")


class Measurement(NamedTuple):
    """A measurement of a finding, and the device on which it was taken."""

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
        """Return whether the measurement refutes the finding: one on another device does not."""
        return self.verdict == "refuted" and self.on_target

    def on(self, devices: Collection[str]) -> Measurement:
        """Return the measurement for a program for these devices; for any accelerator where none is known."""
        kind = "CPU" if self.device == "CPU" else "Ascend" if self.device.startswith("Ascend") else "GPU"
        return self._replace(on_target=kind in (devices or ACCELERATORS))


class Gain(NamedTuple):
    """The gain of fixing the findings of a rule: its level, and in words."""

    size: str = "medium"  # of SIZES
    text: str = Message("depends on the program")


SIZES = ("large", "medium", "small")


def in_language(finding: Finding, language: str) -> Finding:
    """Return a finding with its texts in a language; fields for programs stay the same."""
    if language == ENGLISH:
        return finding
    fix = finding.fix
    return finding._replace(
        message=say(finding.message, language),
        fix=_fix_in(fix, language) if fix is not None else None,
        related=tuple(each._replace(message=say(each.message, language)) for each in finding.related),
        help=say(finding.help, language),
    )


def _fix_in(fix: Fix, language: str) -> Fix:
    reason = say(fix.reason, language) if fix.reason is not None else None
    return fix._replace(message=say(fix.message, language), reason=reason)
