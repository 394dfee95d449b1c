"""What was consulted, and how it was then: what tells whether an answer still holds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Optional

from ms_perflint.records import NamedTuple
from ms_perflint.source import Files, Status, among

SILENT = r"\.(?!git$)[^.]*$|\..*\.(swp|swx|tmp)$|__pycache__$"  # what tools leave in a directory
ALL = "*"  # asks for every name
NOTHING = b""  # the digest of what cannot be read
EMPTY = bytes.fromhex("cae66941d9efbd404e4d88758ea67670")  # the digest of no names


class Stamp(NamedTuple):
    """How a file or a directory was when it was consulted."""

    path: str
    is_directory: bool
    status: Optional[Status]  # None: only the content tells
    digest: bytes  # of the bytes, or of the names; of nothing where it could not be read
    asked: Optional[tuple[str, ...]] = None  # the names that were looked for in a directory; None: all of them


class Noting(Files):
    """Files that keep a stamp of everything that is asked of them, found or not."""

    def __init__(self, base: Files) -> None:
        self.base = base
        self._files: dict[str, Stamp] = {}
        self._listed: dict[str, tuple[Optional[Status], frozenset[str]]] = {}
        self._asked: dict[str, set[str]] = {}

    @property
    def stamps(self) -> tuple[Stamp, ...]:
        """Return a stamp of each file and directory that was consulted, with all that was asked of it."""
        return (*self._files.values(), *map(self._listing, self._asked))

    def read(self, path: str) -> bytes:
        """Return the bytes of a file; OSError when it cannot be read."""
        status = self.base.status(path)  # before the content: what changes in between is then seen as changed
        try:
            content = self.base.read(path)
        except OSError:
            self._note(Stamp(path, False, None, NOTHING))
            raise
        self._note(Stamp(path, False, status, digest(content)))
        return content

    def names(self, directory: str) -> frozenset[str]:
        """Return the names in a directory; empty when it cannot be listed."""
        return self._look(directory, (ALL,))

    def named(self, directory: str, *asked: str) -> frozenset[str]:
        """Return those names in a directory that are asked for: `train.py` by itself, `*.py` by the end."""
        return among(self._look(directory, asked), asked)

    def status(self, path: str) -> Optional[Status]:
        """Return what the base says."""
        return self.base.status(path)

    def _look(self, directory: str, asked: Iterable[str]) -> frozenset[str]:
        """Return all names in a directory, and keep which of them are asked for."""
        if directory not in self._listed:
            status = self.base.status(directory)
            self._listed[directory] = status, self.base.names(directory)
            self._asked[directory] = set()
        self._asked[directory].update(asked)
        return self._listed[directory][1]

    def _listing(self, directory: str) -> Stamp:
        """Return the stamp of a directory."""
        status, names = self._listed[directory]
        wanted = None if ALL in self._asked[directory] else tuple(sorted(self._asked[directory]))
        return Stamp(directory, True, status, _digest_of(names, wanted), wanted)

    def _note(self, stamp: Stamp) -> None:
        """Keep the first stamp of a file; what changed while it was looked at has no stamp that can hold."""
        held = self._files.setdefault(stamp.path, stamp)
        if held.digest != stamp.digest:
            self._files[stamp.path] = Stamp(stamp.path, stamp.is_directory, None, b"changed")


def renewed(stamp: Stamp, files: Files) -> Optional[Stamp]:
    """Return the stamp of what is still as it was when it was consulted, with its status of now; None for the rest.

    A directory in which other things come and go keeps its status of then: the next one would not last either.
    """
    status = files.status(stamp.path)
    if status is not None and status == stamp.status:
        return stamp
    if stamp.is_directory:
        now = _digest_of(files.names(stamp.path), stamp.asked)
    else:
        try:
            now = digest(files.read(stamp.path))
        except OSError:
            now = NOTHING
    if now != stamp.digest:
        return None
    is_better = status is not None and (stamp.status is None or not stamp.is_directory)
    return stamp._replace(status=status) if is_better else stamp


def digest(content: bytes) -> bytes:
    """Return what tells a content from all others."""
    import hashlib  # here, because a run over files that nobody has touched does without

    return hashlib.blake2b(content, digest_size=16).digest()


def _digest_of(names: frozenset[str], asked: Optional[tuple[str, ...]]) -> bytes:
    """Return what tells the names in a directory from others: those asked for, else all that may say something."""
    if not names:  # as in all folders that are looked for in vain
        return EMPTY
    told = among(names, asked) if asked is not None else (name for name in names if not re.match(SILENT, name))
    return digest("\0".join(sorted(told)).encode("utf-8", "surrogateescape"))
