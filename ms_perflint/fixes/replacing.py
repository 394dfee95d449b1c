"""Replace a file atomically, only if its content is the one that was read, and keep its metadata.

A finished file beside the old one is swapped with it; the file then beside is compared with the content that was read,
and swapped back if it differs. On Linux nothing is lost: the system swaps two names in one step, tells
whether another program has the file open to write, and makes one that opens it wait for the moment that this
takes. Elsewhere, and on file systems that cannot, there remain the microseconds between a comparison and a rename, in
which an edit would be lost; everywhere, an edit that is saved within the microseconds before a kill or a power failure.

Where a new file could not have the old metadata (other hard links, an owner that may not be set), the old one is
written in place. A process that reads it at that moment may see half of it, and so would all processes if this one were
killed: `recovery` keeps the old content. An edit is lost only if it begins in the moment after the comparison.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import stat
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from typing import BinaryIO, NamedTuple

from ms_perflint.core.files import LARGEST, read_regular, without_waiting

if sys.platform != "win32":
    import fcntl

PREFIX = ".ms-perflint-"
TEMPORARY = ".tmp"  # files that may be removed when no run is active in their folder
KEPT = ".edit"  # a saved edit that could not be restored
PATIENCE = 2.0  # seconds to wait for another run in the same folder
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2  # <fcntl.h>, <stdio.h>
_CANNOT = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM)


class Changed(OSError):
    """A file has changed since it was read."""


class Half(OSError):
    """A file was written in place only in part, and could not be restored."""


class Replacement(NamedTuple):
    """The new content of a file, ready to replace it."""

    real: str  # not a link
    before: bytes
    after: bytes
    temporary: str | None  # the finished file beside it; None if the file has to be written in place


def prepare(path: str, before: bytes, after: bytes) -> Replacement | None:
    """Return the replacement for `put`; None where the file is up to date: it has two names, or two runs fix it.

    Raises OSError, without leftovers.
    """
    real = os.path.realpath(path)
    content = read(real)
    if content == after:
        return None
    if content != before:
        raise Changed
    if not os.access(real, os.W_OK):
        raise PermissionError(errno.EACCES, "the file is not writable")
    if os.stat(real).st_nlink > 1:
        return Replacement(real, before, after, None)
    temporary = save(os.path.dirname(real), after)
    try:
        alike = _take_over(real, temporary)
    except BaseException:
        os.unlink(temporary)
        raise
    if not alike:
        os.unlink(temporary)
    return Replacement(real, before, after, temporary if alike else None)


def put(new: Replacement) -> None:
    """Replace the old file by the new one. Raises OSError, without any change."""
    with open(new.real, "rb", opener=_regular) as file:
        lease = _Lease(file)
        content = file.read()
        if content == new.after:
            return
        if content != new.before:
            raise Changed
        if new.temporary is not None:
            _swap(new, new.temporary, lease)
    if new.temporary is None:
        _overwrite(new)


def discard(new: Replacement) -> None:
    """Remove the file beside: the one that `put` did not use, or has replaced."""
    if new.temporary is not None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(new.temporary)


def read(path: str, most: int = LARGEST) -> bytes:
    """Return the content of a regular file that is no link. Raises OSError."""
    return read_regular(path, most, _regular)


def save(folder: str, content: bytes) -> str:
    """Return a new file with a content, synchronised with the disk. Raises OSError, without leftovers."""
    descriptor, path = tempfile.mkstemp(prefix=PREFIX, suffix=TEMPORARY, dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        os.unlink(path)
        raise
    return path


def sync(folder: str) -> None:
    """Make renames in a folder durable, where the system can."""
    with contextlib.suppress(OSError), _opened(folder) as descriptor:
        os.fsync(descriptor)


@contextlib.contextmanager
def locked(folders: Iterable[str]) -> Iterator[bool]:
    """Lock folders against other runs; yields whether there certainly is none.

    The system releases the locks of a process that dies: leftovers in a folder that can be locked belong to no run.
    A run goes on after a while without a lock: locks separate runs, and do not protect edits.
    """
    with contextlib.ExitStack() as stack:
        alone = [_lock(folder, stack) for folder in sorted(set(folders))]
        yield all(alone)


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Defer signals that would end the run, where the system can."""
    if sys.platform == "win32":
        yield
        return
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


class _Lease:
    """A lease: another process that opens the file to write waits until it is closed here, where the system can."""

    def __init__(self, file: BinaryIO) -> None:
        """Take the lease. Raises BlockingIOError if the file is open for writing elsewhere."""
        self._file = file
        self._held = False
        if sys.platform == "linux":
            try:
                # a signal tells of a waiting process: not the default one, which would end this process
                fcntl.fcntl(file, fcntl.F_SETSIG, signal.SIGURG)
                fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
                self._held = True
            except BlockingIOError:
                raise
            except OSError:  # the file of another user, or a file system without leases
                pass

    def is_wanted(self) -> bool:
        """Return whether another process waits."""
        if sys.platform == "linux" and self._held:
            return fcntl.fcntl(self._file, fcntl.F_GETLEASE) != fcntl.F_RDLCK
        return False


def _swap(new: Replacement, temporary: str, lease: _Lease) -> None:
    """Swap the finished file and the old one; swap back if the old one differs from the content that was read."""
    if not _exchange(temporary, new.real):
        os.replace(temporary, new.real)
        return
    if not lease.is_wanted() and _holds(temporary, new.before):
        return
    _exchange(temporary, new.real)
    if not _holds(temporary, new.after):  # changed while the new file was in place
        kept = temporary[: -len(TEMPORARY)] + KEPT
        os.rename(temporary, kept)
        raise OSError(errno.EBUSY, f"it was changed twice meanwhile, and is as the first edit left it; second: {kept}")
    raise Changed


def _exchange(one: str, other: str) -> bool:
    """Swap two files in one step; return whether the system can. Raises OSError."""
    if sys.platform != "linux":
        return False
    import ctypes  # only writing needs it

    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    if rename(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in _CANNOT:
        return False
    raise OSError(number, os.strerror(number), other)


def _overwrite(new: Replacement) -> None:
    """Write a file in place, from start to end, then its length; restore its content if that fails."""
    with open(new.real, "r+b", buffering=0, opener=_regular) as file:
        mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
        if file.read() != new.before:
            raise Changed
        try:
            _fill(file.fileno(), new.after)
        except OSError as error:
            try:
                _fill(file.fileno(), new.before)
            except OSError:
                raise Half(error.errno, error.strerror) from error
            raise
        finally:
            if stat.S_IMODE(os.fstat(file.fileno()).st_mode) != mode:  # writing drops the set-user bit
                with contextlib.suppress(OSError):
                    os.chmod(new.real, mode)


def _fill(descriptor: int, content: bytes) -> None:
    """Set the content of an open file."""
    written = os.lseek(descriptor, 0, os.SEEK_SET)
    while written < len(content):
        written += os.write(descriptor, content[written:])
    os.ftruncate(descriptor, len(content))
    os.fsync(descriptor)


def _take_over(old: str, new: str) -> bool:
    """Copy owner, mode and attributes of an old file to a new one; return whether that succeeded."""
    status = os.stat(old)
    if sys.platform != "win32" and _owner(os.stat(new)) != _owner(status):
        with contextlib.suppress(OSError):
            os.chown(new, *_owner(status))
    with contextlib.suppress(OSError):
        os.chmod(new, stat.S_IMODE(status.st_mode))
    if sys.platform == "linux":
        wanted, given = _attributes(old), _attributes(new)
        with contextlib.suppress(OSError):
            for name in given.keys() - wanted.keys():
                os.removexattr(new, name)
            for name in sorted(name for name in wanted if given.get(name) != wanted[name]):
                os.setxattr(new, name, wanted[name])
    mine = os.stat(new)
    alike = _owner(mine) == _owner(status) and mine.st_mode == status.st_mode
    return alike and _attributes(old) == _attributes(new)


def _owner(status: os.stat_result) -> tuple[int, int]:
    """Return the user and the group of a file."""
    return status.st_uid, status.st_gid


def _attributes(path: str) -> dict[str, bytes]:
    """Return the extended attributes of a file, access control lists among them, where the system has any."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            return {name: os.getxattr(path, name) for name in os.listxattr(path)}
    return {}


def _holds(path: str, content: bytes) -> bool:
    """Return whether a file has a content."""
    try:
        return read(path) == content
    except OSError:
        return False


def _regular(path: str, flags: int) -> int:
    """Open a regular file that is no link, without waiting for a pipe. Raises OSError."""
    descriptor = without_waiting(path, flags | getattr(os, "O_NOFOLLOW", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no regular file")
    return descriptor


@contextlib.contextmanager
def _opened(folder: str) -> Iterator[int]:
    """Open a folder. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _lock(folder: str, stack: contextlib.ExitStack) -> bool:
    """Lock a folder until the stack is left; return whether that succeeded in time."""
    if sys.platform == "win32":
        return False
    try:
        descriptor = stack.enter_context(_opened(folder))
    except OSError:
        return False
    latest = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() > latest:
                return False
            time.sleep(0.005)
        except OSError:  # a file system without locks
            return False
