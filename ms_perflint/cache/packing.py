"""The file format of the cache: a run in which nothing has changed unpacks little of it.

Most runs lint all files of a project, and nothing has changed. They need the paths and statuses of consulted files,
which are stored side by side, and the findings; the rest of a fingerprint only where the status of a file differs.

It consists of parts, files of a directory. A part is written atomically, under a name of its own, and never changed:
later ones replace it. So parallel runs do not disturb each other, and an unreadable part costs no more than its own
content.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import time
import zlib
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Optional

from ms_perflint.core.files import Files, Status, read_regular
from ms_perflint.core.findings import Edit, Finding, Fix, Place, Related, Safety
from ms_perflint.core.fingerprints import Fingerprint, renewed
from ms_perflint.languages import Message

SEPARATOR = "\0"  # separator of paths, which contain no NUL
UNSURE: Status = (0, 0, 0, 0)  # stands for an unknown or too large status, which the fingerprint has
TEXTS = 10_000  # messages shared by findings
StatusOf = Callable[[str], Optional[Status]]
MOST = 1 << 63  # upper bound of stored numbers
CHECK = 4  # bytes of the checksum in front of the body
LARGEST_PART = 1_000_000_000  # largest size of a part in bytes
UNFINISHED = ".tmp"  # suffix of a part until it is written
MARKS = (".gitignore", "CACHEDIR.TAG")  # files by which version control and backups recognise a cache directory
TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# Findings of earlier runs of ms-perflint; may be removed.\n"


class Session(NamedTuple):
    """Files that were linted together: the findings in each, the fingerprints of all consulted files, and the cost."""

    findings: dict[str, tuple[Finding, ...]]
    fingerprints: tuple[Fingerprint, ...]
    cost: int = 0  # processor time in microseconds; 0: not measured
    programs: bytes = b""  # what each of their programs has found, as `linting.remembered` packs it

    def with_cost(self, more: Mapping[str, int]) -> Session:
        """Return the session with further costs of its files, in microseconds."""
        return self._replace(cost=self.cost + sum(more.get(path, 0) for path in self.findings))

    def consulted(self, asked: Collection[str]) -> Iterator[str]:
        """Yield the consulted ones of some files."""
        return (fingerprint.path for fingerprint in self.fingerprints if fingerprint.path in asked)


class Head(NamedTuple):
    """The head of a part: the files of its sessions, and their costs."""

    linted: list[str]  # the files of each session, joined
    costs: list[int]

    def files(self) -> Iterator[tuple[list[str], int]]:
        """Yield the files of each session, and its cost."""
        return zip((files.split(SEPARATOR) for files in self.linted), self.costs)


class Kept:
    """The packed sessions of a part, unpacked on request."""

    def __init__(self, head: Head, body: Any) -> None:
        """Take the result of `packed`. Raises ValueError or TypeError for anything else."""
        paths, statuses, self._fingerprints, self._findings, self._numbers, self._programs = body
        self._paths: list[str] = paths.split(SEPARATOR) if self._fingerprints else []
        numbers = memoryview(statuses).cast("q").tolist()
        self._statuses = list(zip(numbers[::4], numbers[1::4], numbers[2::4], numbers[3::4]))
        self._head = head

    def recalled(self, paths: Sequence[str], files: Files, status: StatusOf) -> Optional[list[Finding]]:
        """Return the findings in files of these sessions if nothing has changed; None if they have to be unpacked.

        They are also unpacked for a request of few files. `status` returns the memoised status of a file.
        """
        linted = sum(files.count(SEPARATOR) + 1 for files in self._head.linted)
        if 2 * len(paths) < linted or not self._holds(files, status):
            return None
        return [restored(flat) for path in paths for flat in self._findings.get(path, ())]

    def sessions(self) -> list[Session]:
        """Return all sessions."""
        fingerprints = list(map(self._fingerprint, range(len(self._paths))))
        return [
            Session(
                {path: tuple(map(restored, self._findings.get(path, ()))) for path in linted},
                tuple([fingerprints[number] for number in marshal.loads(numbers)]),
                cost,
                programs,
            )
            for (linted, cost), numbers, programs in zip(self._head.files(), self._numbers, self._programs)
        ]

    def _holds(self, files: Files, status: StatusOf) -> bool:
        """Return whether all statuses match, so that there is nothing new to store."""
        changed = [
            number for number, (path, then) in enumerate(zip(self._paths, self._statuses)) if status(path) != then
        ]
        return all(renewed(fingerprint, files) == fingerprint for fingerprint in map(self._fingerprint, changed))

    def _fingerprint(self, number: int) -> Fingerprint:
        is_directory, status, digest, asked = marshal.loads(self._fingerprints[number])
        return Fingerprint(self._paths[number], is_directory, status, digest, asked)


def packed(sessions: Iterable[Session]) -> tuple[Head, tuple[Any, ...]]:
    """Return sessions as data for marshal: consulted files side by side, each once, and findings."""
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
        {path: list(map(flattened, each)) for path, each in found.items() if each},
        used,
        [one.programs for one in held],
    )
    return Head([SEPARATOR.join(one.findings) for one in held], [one.cost for one in held]), body


class Parts:
    """The directory of a cache."""

    def __init__(self, path: str) -> None:
        """Take a directory in a directory of caches, which need not exist."""
        self._path = path

    def heads(self) -> Iterator[tuple[str, Optional[Head]]]:
        """Yield the parts, the latest last, with their heads; None for an unreadable one."""
        try:
            names = sorted(os.listdir(self._path))
        except OSError:
            return
        for name in names:
            if not name.endswith(UNFINISHED):
                head, _ = self._read(name) or (None, b"")
                yield name, head

    def load(self, name: str) -> Optional[Kept]:
        """Return the sessions of a part; None for an unreadable one."""
        read = self._read(name)
        with contextlib.suppress(ValueError, EOFError, TypeError, IndexError):
            return Kept(read[0], marshal.loads(read[1])) if read else None
        return None

    def write(self, sessions: Sequence[Session]) -> str:
        """Write sessions to a new part and return its name. May raise OSError."""
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
        """Remove a part, if it exists."""
        with contextlib.suppress(OSError):
            os.unlink(os.path.join(self._path, name))

    def _read(self, name: str) -> Optional[tuple[Head, Any]]:
        """Return the head and the packed body of a part; None for a missing or incomplete one."""
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
    """Return a status in its stored form."""
    return fingerprint.status if fingerprint.status is not None and max(fingerprint.status) < MOST else UNSURE


def flattened(finding: Finding) -> tuple[object, ...]:
    """Return a finding as data for marshal; `restored` makes it again."""
    fix = finding.fix
    edits = [(one.path, one.start, one.end, one.text) for one in fix.edits] if fix is not None else []
    return (
        _flat_place(finding.place),
        finding.code,
        finding.name,
        flattened_text(finding.message),
        _flat_place(finding.end),
        finding.lines,
        None if fix is None else (flattened_text(fix.message), fix.safety.value, edits, flattened_text(fix.reason)),
        [(_flat_place(one.place), flattened_text(one.message)) for one in finding.related],
        finding.configurations,
        flattened_text(finding.help),
    )


def _flat_place(place: Place) -> tuple[str, int, int, int, int]:
    return place.path, place.row, place.column, place.cell, place.above


def flattened_text(text: object) -> object:
    """Return a message as template and values, to be rendered in any language; other values as they are."""
    if isinstance(text, Message):
        return _same(
            marshal.dumps((text.template, [(name, flattened_text(value)) for name, value in text.values.items()]))
        )
    return text


@lru_cache(maxsize=TEXTS)
def _same(flat: bytes) -> bytes:
    """Return the same object for equal bytes, so that marshal writes it once."""
    return flat


def shared(finding: Finding) -> Finding:
    """Return a finding that shares its texts with equal ones of other findings, as texts are most of it."""
    return restored(flattened(finding))


def restored(flat: Any) -> Finding:
    """Return the finding that was flattened."""
    place, code, name, message, end, lines, fix, related, runs, text = flat
    made = None
    if fix is not None:
        made = Fix(restored_text(fix[0]), Safety(fix[1]), tuple(Edit(*edit) for edit in fix[2]), restored_text(fix[3]))
    places = tuple(Related(Place(*where), restored_text(text)) for where, text in related)
    said, advice = restored_text(message), restored_text(text)
    return Finding(Place(*place), code, name, said, Place(*end), tuple(lines), made, places, runs, advice)


def restored_text(flat: Any) -> Any:
    """Return the message that was flattened; other values as they are."""
    return _message(flat) if isinstance(flat, bytes) else flat


@lru_cache(maxsize=TEXTS)
def _message(flat: bytes) -> Message:
    template, values = marshal.loads(flat)
    return Message(template, **{name: restored_text(value) for name, value in values})


def _checked(body: bytes) -> bytes:
    """Return a checksum of a body; not cryptographic, so that nothing slow is imported."""
    return zlib.crc32(body).to_bytes(CHECK, "big")


def _make_directory(path: str) -> None:
    """Create a directory in a cache directory that version control and backups skip."""
    parent = os.path.dirname(path)
    if not os.path.isdir(parent):
        os.makedirs(parent, mode=0o700)
        for name, text in zip(MARKS, ("*\n", TAG)):
            with open(os.path.join(parent, name), "w", encoding="utf-8") as file:
                file.write(text)
    os.makedirs(path, mode=0o700, exist_ok=True)
