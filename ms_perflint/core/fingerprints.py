"""What was consulted, and how it was then: what tells whether an answer still holds."""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple, Optional

from ms_perflint.core.files import IN_FOLDERS, Files, Status

NOTHING = b""  # the digest of what cannot be read
EMPTY = bytes.fromhex("cae66941d9efbd404e4d88758ea67670")  # the digest of no names


class Stamp(NamedTuple):
    """How a file or a directory was when it was consulted."""

    path: str
    is_directory: bool
    status: Optional[Status]  # None: only the content tells
    digest: bytes  # of the bytes, or of the names that were found; of nothing where it could not be read
    asked: tuple[str, ...] = ()  # the names that were looked for in a directory


class Noting(Files):
    """Files that keep a stamp of everything that is asked of them, found or not."""

    def __init__(self, base: Files) -> None:
        self.base = base
        self._files: dict[str, Stamp] = {}
        self._listed: dict[str, tuple[Optional[Status], frozenset[str]]] = {}
        self._asked: dict[str, set[str]] = {}
        self._found: dict[str, set[str]] = {}

    @property
    def stamps(self) -> tuple[Stamp, ...]:
        """Return a stamp of each file and directory that was consulted, with all that was asked of it."""
        listed = (
            Stamp(path, True, status, _digest_of(self._found[path]), tuple(sorted(self._asked[path])))
            for path, (status, _) in self._listed.items()
        )
        return (*self._files.values(), *listed)

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

    def named(self, directory: str, *asked: str) -> frozenset[str]:
        """Return those names in a directory that are asked for; its folders have stamps of their own."""
        found = super().named(directory, *asked)
        self._asked.setdefault(directory, set()).update(asked)
        self._found.setdefault(directory, set()).update(found)
        return found

    def status(self, path: str) -> Optional[Status]:
        """Return what the base says."""
        return self.base.status(path)

    def _listing(self, directory: str) -> frozenset[str]:
        """Return the names in a directory, listed once."""
        if directory not in self._listed:
            status = self.base.status(directory)
            self._listed[directory] = status, self.base._listing(directory)
        return self._listed[directory][1]

    def _note(self, stamp: Stamp) -> None:
        """Keep the first stamp of a file; what changed while it was looked at has no stamp that can hold."""
        held = self._files.setdefault(stamp.path, stamp)
        if held.digest != stamp.digest:
            self._files[stamp.path] = Stamp(stamp.path, stamp.is_directory, None, b"changed")


def renewed(stamp: Stamp, files: Files) -> Optional[Stamp]:
    """Return the stamp of what is still as it was when it was consulted, with its status of now; None for the rest.

    A directory in which other things come and go keeps its status of then: the next one would not last either. So does
    one whose folders were looked into: those that came since have no stamp that would tell what comes into them.
    """
    status = files.status(stamp.path)
    if status is not None and status == stamp.status:
        return stamp
    if stamp.is_directory:
        now = _digest_of(files.named(stamp.path, *stamp.asked))
    else:
        try:
            now = digest(files.read(stamp.path))
        except OSError:
            now = NOTHING
    if now != stamp.digest:
        return None
    is_kept = stamp.is_directory and (stamp.status is not None or any(IN_FOLDERS in each for each in stamp.asked))
    return stamp if status is None or is_kept else stamp._replace(status=status)


def digest(content: bytes) -> bytes:
    """Return what tells a content from all others."""
    import hashlib  # here, because a run over files that nobody has touched does without

    return hashlib.blake2b(content, digest_size=16).digest()


def _digest_of(names: Set[str]) -> bytes:
    """Return what tells the names that were found in a directory from others."""
    if not names:  # as in all folders that are looked for in vain
        return EMPTY
    return digest("\0".join(sorted(names)).encode("utf-8", "surrogateescape"))
