"""What earlier runs found, as it is kept between runs: so that a run in which nothing has changed unpacks least of it.

Most runs ask about all files of a project, and nothing has changed. They need the paths of what was consulted and how
it was then, side by side, and the findings; the rest of a stamp only where its file looks different now.
"""

from __future__ import annotations

import marshal
from array import array
from collections.abc import Iterable, Sequence
from typing import Any, Optional

from ms_perflint.findings import Edit, Finding, Fix, Place, Related, Safety
from ms_perflint.languages import Message
from ms_perflint.records import NamedTuple
from ms_perflint.source import Files, Status
from ms_perflint.stamps import Stamp, renewed

SEPARATOR = "\0"  # of paths: it is in none of them
UNSURE: Status = (0, 0, 0, 0)  # stands for a status that does not tell, or is too large: the stamp has it
MOST = 1 << 63  # numbers below it can be kept


class Session(NamedTuple):
    """Files that were linted together: what was found in each, and everything that was consulted for it."""

    findings: dict[str, tuple[Finding, ...]]
    stamps: tuple[Stamp, ...]


class Kept:
    """The sessions of a file, taken out of it when they are asked for."""

    def __init__(self, body: Any) -> None:
        """Take what `packed` gave. Raises ValueError or TypeError for anything else."""
        paths, statuses, self._stamps, linted, self._findings, self._numbers = body
        self._paths: list[str] = paths.split(SEPARATOR) if self._stamps else []
        numbers = memoryview(statuses).cast("q").tolist()
        self._statuses = list(zip(numbers[::4], numbers[1::4], numbers[2::4], numbers[3::4]))
        self._linted: list[list[str]] = [files.split(SEPARATOR) for files in linted]
        self.files = frozenset([path for files in self._linted for path in files])  # of which something is known

    def recalled(self, paths: Sequence[str], files: Files) -> Optional[list[Finding]]:
        """Return the findings in files where nothing has changed at all; None where that has to be looked at closely.

        Nor is it worth the look where few of the files are asked about.
        """
        if 2 * len(paths) < len(self.files) or not self.files.issuperset(paths) or not self._holds(files):
            return None
        return [_finding(flat) for path in paths for flat in self._findings.get(path, ())]

    def sessions(self) -> list[Session]:
        """Return all sessions."""
        stamps = list(map(self._stamp, range(len(self._paths))))
        return [
            Session(
                {path: tuple(map(_finding, self._findings.get(path, ()))) for path in linted},
                tuple([stamps[number] for number in marshal.loads(numbers)]),
            )
            for linted, numbers in zip(self._linted, self._numbers)
        ]

    def _holds(self, files: Files) -> bool:
        """Return whether everything is as it was, so that there is nothing new to keep either."""
        status = files.status
        changed = [
            number for number, (path, then) in enumerate(zip(self._paths, self._statuses)) if status(path) != then
        ]
        return all(renewed(stamp, files) == stamp for stamp in map(self._stamp, changed))

    def _stamp(self, number: int) -> Stamp:
        is_directory, status, digest, asked = marshal.loads(self._stamps[number])
        return Stamp(self._paths[number], is_directory, status, digest, asked)


def packed(sessions: Iterable[Session]) -> tuple[Any, ...]:
    """Return sessions as marshal takes them: what they consulted side by side, each once, and what they found."""
    held = list(sessions)
    numbers: dict[Stamp, int] = {}
    used = [marshal.dumps([numbers.setdefault(stamp, len(numbers)) for stamp in one.stamps]) for one in held]
    found = {path: each for one in held for path, each in one.findings.items()}
    return (
        SEPARATOR.join(stamp.path for stamp in numbers),
        array("q", (number for stamp in numbers for number in _status(stamp))).tobytes(),
        [marshal.dumps((one.is_directory, one.status, one.digest, one.asked)) for one in numbers],
        [SEPARATOR.join(one.findings) for one in held],
        {path: list(map(_flat, each)) for path, each in found.items() if each},
        used,
    )


def _status(stamp: Stamp) -> Status:
    """Return the status that is kept side by side with others."""
    return stamp.status if stamp.status is not None and max(stamp.status) < MOST else UNSURE


def _flat(finding: Finding) -> tuple[object, ...]:
    fix = finding.fix
    edits = [(one.path, one.start, one.end, one.text) for one in fix.edits] if fix is not None else []
    return (
        _flat_place(finding.place),
        finding.code,
        finding.name,
        _flat_text(finding.message),
        _flat_place(finding.end),
        finding.lines,
        None if fix is None else (_flat_text(fix.message), fix.safety.value, edits),
        [(_flat_place(one.place), _flat_text(one.message)) for one in finding.related],
    )


def _flat_place(place: Place) -> tuple[str, int, int, int, int]:
    return place.path, place.row, place.column, place.cell, place.above


def _flat_text(text: object) -> object:
    """Return a message as its template and values, so that it can be said in any language; a value as it is."""
    if isinstance(text, Message):
        return text.template, [(name, _flat_text(value)) for name, value in text.values.items()]
    return text


def _finding(flat: Any) -> Finding:
    place, code, name, message, end, lines, fix, related = flat
    made = None if fix is None else Fix(_text(fix[0]), Safety(fix[1]), tuple(Edit(*edit) for edit in fix[2]))
    places = tuple(Related(Place(*where), _text(text)) for where, text in related)
    return Finding(Place(*place), code, name, _text(message), Place(*end), tuple(lines), made, places)


def _text(flat: Any) -> Any:
    return Message(flat[0], **{name: _text(value) for name, value in flat[1]}) if isinstance(flat, tuple) else flat
