"""Fingerprints of the files that an answer depends on: they tell whether it is still valid."""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple, Optional

from ms_perflint.core.files import IN_FOLDERS, Files, Status

NOTHING = b""  # the digest of what cannot be read
EMPTY = bytes.fromhex("cae66941d9efbd404e4d88758ea67670")  # the digest of no names


class Fingerprint(NamedTuple):
    """The state of a file or directory when it was read."""

    path: str
    is_directory: bool
    status: Optional[Status]  # None: only the content tells
    digest: bytes  # of the bytes, or of the names that were found; of nothing where it could not be read
    asked: tuple[str, ...] = ()  # the names that were looked for in a directory


class Recorder(Files):
    """Files that record a fingerprint of everything that is read, found or not."""

    def __init__(self, base: Files) -> None:
        self.base = base
        self._files: dict[str, Fingerprint] = {}
        self._listed: dict[str, tuple[Optional[Status], frozenset[str]]] = {}
        self._asked: dict[str, set[str]] = {}
        self._found: dict[str, set[str]] = {}

    @property
    def fingerprints(self) -> tuple[Fingerprint, ...]:
        """Return a fingerprint of each file and directory that was read, with all questions about it."""
        listed = (
            Fingerprint(path, True, status, _digest_of(self._found[path]), tuple(sorted(self._asked[path])))
            for path, (status, _) in self._listed.items()
        )
        return (*self._files.values(), *listed)

    def read(self, path: str) -> bytes:
        """Return the bytes of a file; OSError when it cannot be read."""
        status = self.base.status(path)  # before the content: what changes in between is then seen as changed
        try:
            content = self.base.read(path)
        except OSError:
            self._note(Fingerprint(path, False, None, NOTHING))
            raise
        self._note(Fingerprint(path, False, status, digest(content)))
        return content

    def named(self, directory: str, *asked: str) -> frozenset[str]:
        """Return the names in a directory that match; its folders have fingerprints of their own."""
        found = super().named(directory, *asked)
        self._asked.setdefault(directory, set()).update(asked)
        self._found.setdefault(directory, set()).update(found)
        return found

    def status(self, path: str) -> Optional[Status]:
        """Return the status from the base."""
        return self.base.status(path)

    def _listing(self, directory: str) -> frozenset[str]:
        """Return the names in a directory, listed once."""
        if directory not in self._listed:
            status = self.base.status(directory)
            self._listed[directory] = status, self.base._listing(directory)
        return self._listed[directory][1]

    def _note(self, fingerprint: Fingerprint) -> None:
        """Record the first fingerprint of a file; if the file changed since, one that is never valid."""
        held = self._files.setdefault(fingerprint.path, fingerprint)
        if held.digest != fingerprint.digest:
            self._files[fingerprint.path] = Fingerprint(fingerprint.path, fingerprint.is_directory, None, b"changed")


def renewed(fingerprint: Fingerprint, files: Files) -> Optional[Fingerprint]:
    """Return the fingerprint with the present status if the file or directory did not change; else None.

    A directory in which other things come and go keeps its status of then: the next one would not last either. So does
    one whose folders were looked into: those that came since have no fingerprint that would tell what comes into them.
    """
    status = files.status(fingerprint.path)
    if status is not None and status == fingerprint.status:
        return fingerprint
    if fingerprint.is_directory:
        now = _digest_of(files.named(fingerprint.path, *fingerprint.asked))
    else:
        try:
            now = digest(files.read(fingerprint.path))
        except OSError:
            now = NOTHING
    if now != fingerprint.digest:
        return None
    is_kept = fingerprint.is_directory and (
        fingerprint.status is not None or any(IN_FOLDERS in each for each in fingerprint.asked)
    )
    return fingerprint if status is None or is_kept else fingerprint._replace(status=status)


def digest(content: bytes) -> bytes:
    """Return the digest of a content."""
    import hashlib  # here, because a run over unchanged files does without

    return hashlib.blake2b(content, digest_size=16).digest()


def _digest_of(names: Set[str]) -> bytes:
    """Return the digest of names."""
    if not names:  # as in all folders that are looked for in vain
        return EMPTY
    return digest("\0".join(sorted(names)).encode("utf-8", "surrogateescape"))
