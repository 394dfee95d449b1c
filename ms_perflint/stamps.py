"""What was consulted, and how it was then: what tells whether an answer still holds."""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple, Optional

from ms_perflint.source import Files, Status

SILENT = re.compile(r"\.(?!git$)[^.]*$|\..*\.(swp|swx|tmp)$|__pycache__$")  # what tools leave in a directory
NOTHING = b""  # the digest of what cannot be read


class Stamp(NamedTuple):
    """How a file or a directory was when it was consulted."""

    path: str
    is_directory: bool
    status: Optional[Status]  # None: only the content tells
    digest: bytes  # of the bytes, or of the names; of nothing where it could not be read


class Noting:
    """Files that keep a stamp of everything that is asked of them, found or not."""

    def __init__(self, base: Files) -> None:
        self.base = base
        self.stamps: dict[tuple[str, bool], Stamp] = {}

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
        found = self.base.names(directory)
        if (directory, True) not in self.stamps:
            self._note(Stamp(directory, True, self.base.status(directory), _digest_of(found)))
        return found

    def status(self, path: str) -> Optional[Status]:
        """Return what the base says."""
        return self.base.status(path)

    def _note(self, stamp: Stamp) -> None:
        """Keep the first stamp of a path; what changed while it was looked at has no stamp that can hold."""
        held = self.stamps.setdefault((stamp.path, stamp.is_directory), stamp)
        if held.digest != stamp.digest:
            self.stamps[stamp.path, stamp.is_directory] = Stamp(stamp.path, stamp.is_directory, None, b"changed")


def holds(stamp: Stamp, files: Files) -> bool:
    """Return whether a file or directory is as it was when it was consulted."""
    if stamp.status is not None and files.status(stamp.path) == stamp.status:
        return True
    if stamp.is_directory:
        return _digest_of(files.names(stamp.path)) == stamp.digest
    try:
        return digest(files.read(stamp.path)) == stamp.digest
    except OSError:
        return stamp.digest == NOTHING


def digest(content: bytes) -> bytes:
    """Return what tells a content from all others."""
    return hashlib.blake2b(content, digest_size=16).digest()


def _digest_of(names: frozenset[str]) -> bytes:
    """Return what tells the names in a directory from others, but for those that say nothing about a program."""
    return digest(
        "\0".join(sorted(name for name in names if not SILENT.match(name))).encode("utf-8", "surrogateescape")
    )
