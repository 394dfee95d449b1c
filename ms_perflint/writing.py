"""Write changed files: whole or not at all, and only over what was read."""

from __future__ import annotations

import contextlib
import difflib
import os
import stat
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass

from ms_perflint.findings import Problem


@dataclass(frozen=True)
class Change:
    """One file before and after its fixes, as bytes on disk."""

    path: str
    before: bytes
    after: bytes
    together: tuple[str, ...]  # this file and those that a fix changes with it: all are written, or none


class _Changed(OSError):
    """A file that is not any more what was read."""


def write(changes: Sequence[Change]) -> tuple[Problem, ...]:
    """Write the changes to the disk; return why files were left as they were.

    Encoding, byte order mark, newlines and mode stay; symbolic links stay links. A file is replaced in one step by a
    finished temporary file beside it, so that no reader and no crash ever meets half of it.
    """
    groups: dict[tuple[str, ...], list[Change]] = {}
    for change in changes:
        groups.setdefault(change.together, []).append(change)
    return tuple(sorted(problem for group in groups.values() for problem in _write_together(group)))


def unified_diff(before: str, after: str, name: str) -> str:
    """Return a diff that `git apply` and `patch` take; a missing newline at the end is marked as they want it."""
    # Not `splitlines`, which splits at form feeds and other characters that end no line for them.
    old, new = _lines(before), _lines(after)
    lines, name = [], name.lstrip("/")
    for line in difflib.unified_diff(old, new, f"a/{name}", f"b/{name}"):
        lines.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return "".join(lines)


def _lines(text: str) -> list[str]:
    """Return the lines of a text with their newlines."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _write_together(group: Sequence[Change]) -> list[Problem]:
    """Write files that belong together: all temporary files first, then all replacements."""
    ready: list[tuple[str, str]] = []  # temporary file, file
    try:
        for change in group:
            try:
                ready.append(_prepare(change))
            except OSError as error:
                return _refused(group, change, error)
        return _replace(group, ready)
    finally:
        for temporary, _ in ready:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)


def _prepare(change: Change) -> tuple[str, str]:
    """Return a finished temporary file beside the real file, and the real file. Raises OSError."""
    real = os.path.realpath(change.path)
    if not _holds(real, change.before):
        raise _Changed
    if not os.access(real, os.W_OK):
        raise PermissionError(0, "the file is not writable")
    status = os.stat(real)
    descriptor, temporary = tempfile.mkstemp(prefix=".ms-perflint-", suffix=".tmp", dir=os.path.dirname(real))
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(change.after)
            file.flush()
            _take_over(temporary, status)
            os.fsync(file.fileno())
    except BaseException:
        os.unlink(temporary)
        raise
    return temporary, real


def _take_over(path: str, status: os.stat_result) -> None:
    """Give a file the owner, as far as this user may, and the mode of another."""
    own = os.stat(path)
    if (own.st_uid, own.st_gid) != (status.st_uid, status.st_gid):
        with contextlib.suppress(PermissionError, AttributeError):
            os.chown(path, status.st_uid, status.st_gid)
    os.chmod(path, stat.S_IMODE(status.st_mode))


def _replace(group: Sequence[Change], ready: Sequence[tuple[str, str]]) -> list[Problem]:
    """Put the temporary files in place; where one cannot be, put back those that were."""
    for done, (change, (temporary, real)) in enumerate(zip(group, ready)):
        try:
            if not _holds(real, change.before):
                raise _Changed
            os.replace(temporary, real)
            _sync(os.path.dirname(real))
        except OSError as error:
            back = [Change(one.path, one.after, one.before, (one.path,)) for one in group[:done]]
            return [*_refused(group, change, error), *write(back)]
    return []


def _holds(path: str, content: bytes) -> bool:
    """Return whether a file has this content."""
    with open(path, "rb") as file:
        return file.read() == content


def _sync(directory: str) -> None:
    """Make a rename last through a power failure, where the system can."""
    with contextlib.suppress(OSError, AttributeError):
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _refused(group: Sequence[Change], failed: Change, error: OSError) -> list[Problem]:
    """Return why none of these files was written."""
    if isinstance(error, _Changed):
        reason = "the file has changed since it was read: nothing was written, run again"
    else:
        reason = f"cannot write the fixed file: {error.strerror or error}"
    name = os.path.basename(failed.path)
    other = f"not written: the same fix changes {name}, which could not be written"
    return [Problem(change.path, 0, 0, reason if change is failed else other) for change in group]
