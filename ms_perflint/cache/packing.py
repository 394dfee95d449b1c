"""What earlier runs found, as it is kept between runs: so that a run in which nothing has changed unpacks least of it.

Most runs ask about all files of a project, and nothing has changed. They need the paths of what was consulted and how
it was then, side by side, and the findings; the rest of a fingerprint only where its file looks different now.

It lies in parts, files of a directory. A part is written whole, under a name of its own, and never changed: later ones
take its place, and it is removed. So runs side by side do not disturb each other, and what cannot be read costs no more
than what is in it.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import time
import zlib
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Optional

from ms_perflint.core.files import Files, Status, read_regular
from ms_perflint.core.findings import Edit, Finding, Fix, Place, Related, Safety
from ms_perflint.core.fingerprints import Fingerprint, renewed
from ms_perflint.languages import Message

SEPARATOR = "\0"  # of paths: it is in none of them
UNSURE: Status = (0, 0, 0, 0)  # stands for a status that does not tell, or is too large: the fingerprint has it
TEXTS = 10_000  # of messages that findings share
StatusOf = Callable[[str], Optional[Status]]
MOST = 1 << 63  # numbers below it can be kept
CHECK = 4  # bytes in front of the body that show that it is whole
LARGEST_PART = 1_000_000_000  # bytes of a file that may be a part
UNFINISHED = ".tmp"  # how the name of a part ends until it is written
MARKS = (".gitignore", "CACHEDIR.TAG")  # what version control and backups look for in a cache directory
TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# Findings of earlier runs of ms-perflint; may be removed.\n"


class Session(NamedTuple):
    """Files that were linted together: what was found in each, everything that was consulted, and what it cost."""

    findings: dict[str, tuple[Finding, ...]]
    fingerprints: tuple[Fingerprint, ...]
    cost: int = 0  # microseconds of processor time; 0: not measured

    def consulted(self, asked: Collection[str]) -> Iterator[str]:
        """Yield those of some files that were consulted."""
        return (fingerprint.path for fingerprint in self.fingerprints if fingerprint.path in asked)


class Head(NamedTuple):
    """What is needed of sessions before anything is known of the files that a run asks about."""

    linted: list[str]  # the files of each session, joined
    costs: list[int]

    def files(self) -> Iterator[tuple[list[str], int]]:
        """Yield the files of each session, and its cost."""
        return zip((files.split(SEPARATOR) for files in self.linted), self.costs)


class Kept:
    """Sessions as they lie in a file, unpacked when they are asked for."""

    def __init__(self, head: Head, body: Any) -> None:
        """Take what `packed` gave. Raises ValueError or TypeError for anything else."""
        paths, statuses, self._fingerprints, self._findings, self._numbers = body
        self._paths: list[str] = paths.split(SEPARATOR) if self._fingerprints else []
        numbers = memoryview(statuses).cast("q").tolist()
        self._statuses = list(zip(numbers[::4], numbers[1::4], numbers[2::4], numbers[3::4]))
        self._head = head

    def recalled(self, paths: Sequence[str], files: Files, status: StatusOf) -> Optional[list[Finding]]:
        """Return the findings in files of these sessions where nothing has changed at all; None for a closer look.

        Nor is it worth the look where few of the files are asked about. `status` is that of the files, remembered.
        """
        linted = sum(files.count(SEPARATOR) + 1 for files in self._head.linted)
        if 2 * len(paths) < linted or not self._holds(files, status):
            return None
        return [_finding(flat) for path in paths for flat in self._findings.get(path, ())]

    def sessions(self) -> list[Session]:
        """Return all sessions."""
        fingerprints = list(map(self._fingerprint, range(len(self._paths))))
        return [
            Session(
                {path: tuple(map(_finding, self._findings.get(path, ()))) for path in linted},
                tuple([fingerprints[number] for number in marshal.loads(numbers)]),
                cost,
            )
            for (linted, cost), numbers in zip(self._head.files(), self._numbers)
        ]

    def _holds(self, files: Files, status: StatusOf) -> bool:
        """Return whether everything is as it was, so that there is nothing new to keep either."""
        changed = [
            number for number, (path, then) in enumerate(zip(self._paths, self._statuses)) if status(path) != then
        ]
        return all(renewed(fingerprint, files) == fingerprint for fingerprint in map(self._fingerprint, changed))

    def _fingerprint(self, number: int) -> Fingerprint:
        is_directory, status, digest, asked = marshal.loads(self._fingerprints[number])
        return Fingerprint(self._paths[number], is_directory, status, digest, asked)


def packed(sessions: Iterable[Session]) -> tuple[Head, tuple[Any, ...]]:
    """Return sessions as marshal takes them: what they consulted side by side, each once, and what they found."""
    held = list(sessions)
    numbers: dict[Fingerprint, int] = {}
    used = [
        marshal.dumps([numbers.setdefault(fingerprint, len(numbers)) for fingerprint in one.fingerprints])
        for one in held
    ]
    found = {path: each for one in held for path, each in one.findings.items()}
    body = (
        SEPARATOR.join(fingerprint.path for fingerprint in numbers),
        array("q", (number for fingerprint in numbers for number in _status(fingerprint))).tobytes(),
        [marshal.dumps((one.is_directory, one.status, one.digest, one.asked)) for one in numbers],
        {path: list(map(_flat, each)) for path, each in found.items() if each},
        used,
    )
    return Head([SEPARATOR.join(one.findings) for one in held], [one.cost for one in held]), body


class Parts:
    """The directory of a cache."""

    def __init__(self, path: str) -> None:
        """Take a directory in a directory of caches; neither has to be there."""
        self._path = path

    def heads(self) -> Iterator[tuple[str, Optional[Head]]]:
        """Yield the parts, the latest at the end, and which files they are about; None for one that cannot be read."""
        try:
            names = sorted(os.listdir(self._path))
        except OSError:
            return
        for name in names:
            if not name.endswith(UNFINISHED):
                head, _ = self._read(name) or (None, b"")
                yield name, head

    def load(self, name: str) -> Optional[Kept]:
        """Return the sessions of a part; None where it cannot be read."""
        read = self._read(name)
        with contextlib.suppress(ValueError, EOFError, TypeError, IndexError):
            return Kept(read[0], marshal.loads(read[1])) if read else None
        return None

    def write(self, sessions: Sequence[Session]) -> str:
        """Keep sessions in a new part and return its name. May raise OSError."""
        import tempfile  # here, because most runs read only

        head, body = packed(sessions)
        content = marshal.dumps((*head, marshal.dumps(body)))
        _make_directory(self._path)
        descriptor, temporary = tempfile.mkstemp(UNFINISHED, f"{time.time_ns():x}-", self._path)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(_checked(content) + content)
            name = os.path.basename(temporary)[: -len(UNFINISHED)]
            os.replace(temporary, os.path.join(self._path, name))
        except BaseException:
            os.unlink(temporary)
            raise
        return name

    def remove(self, name: str) -> None:
        """Remove a part, if it is still there."""
        with contextlib.suppress(OSError):
            os.unlink(os.path.join(self._path, name))

    def _read(self, name: str) -> Optional[tuple[Head, Any]]:
        """Return the head and the packed body of a part; None when it is not there, or not whole."""
        try:
            raw = read_regular(os.path.join(self._path, name), LARGEST_PART)
            content = raw[CHECK:]
            if _checked(content) != raw[:CHECK]:
                return None
            linted, costs, body = marshal.loads(content)
            return Head(linted, costs), body
        except (OSError, ValueError, EOFError, TypeError):
            return None


def _status(fingerprint: Fingerprint) -> Status:
    """Return the status that is kept side by side with others."""
    return fingerprint.status if fingerprint.status is not None and max(fingerprint.status) < MOST else UNSURE


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
        None if fix is None else (_flat_text(fix.message), fix.safety.value, edits, _flat_text(fix.reason)),
        [(_flat_place(one.place), _flat_text(one.message)) for one in finding.related],
        finding.configurations,
        _flat_text(finding.help),
    )


def _flat_place(place: Place) -> tuple[str, int, int, int, int]:
    return place.path, place.row, place.column, place.cell, place.above


def _flat_text(text: object) -> object:
    """Return a message as its template and values, so that it can be said in any language; a value as it is."""
    if isinstance(text, Message):
        return _same(marshal.dumps((text.template, [(name, _flat_text(value)) for name, value in text.values.items()])))
    return text


@lru_cache(maxsize=TEXTS)
def _same(flat: bytes) -> bytes:
    """Return the same object for equal bytes: it is then written once."""
    return flat


def shared(finding: Finding) -> Finding:
    """Return a finding with the texts of others that say the same: they are most of it, and there may be many."""
    return _finding(_flat(finding))


def _finding(flat: Any) -> Finding:
    place, code, name, message, end, lines, fix, related, runs, text = flat
    made = None
    if fix is not None:
        made = Fix(_text(fix[0]), Safety(fix[1]), tuple(Edit(*edit) for edit in fix[2]), _text(fix[3]))
    places = tuple(Related(Place(*where), _text(text)) for where, text in related)
    said, advice = _text(message), _text(text)
    return Finding(Place(*place), code, name, said, Place(*end), tuple(lines), made, places, runs, advice)


def _text(flat: Any) -> Any:
    return _message(flat) if isinstance(flat, bytes) else flat


@lru_cache(maxsize=TEXTS)
def _message(flat: bytes) -> Message:
    template, values = marshal.loads(flat)
    return Message(template, **{name: _text(value) for name, value in values})


def _checked(body: bytes) -> bytes:
    """Return what shows that a body is whole; no proof against intent, and much faster to import than one."""
    return zlib.crc32(body).to_bytes(CHECK, "big")


def _make_directory(path: str) -> None:
    """Make a directory in a cache directory that version control and backups leave out."""
    parent = os.path.dirname(path)
    if not os.path.isdir(parent):
        os.makedirs(parent, mode=0o700)
        for name, text in zip(MARKS, ("*\n", TAG)):
            with open(os.path.join(parent, name), "w", encoding="utf-8") as file:
                file.write(text)
    os.makedirs(path, mode=0o700, exist_ok=True)
