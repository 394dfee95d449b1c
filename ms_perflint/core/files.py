"""Access to files: those of the disk, and texts that replace them."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from collections.abc import Callable, Collection, Sequence
from typing import Optional, Protocol

from ms_perflint.languages import Message

LARGEST = 100_000_000  # bytes of a file that is read; more in a file of our own says who reads it
SETTLED = 2_000_000_000  # ns; file systems count time in steps of up to two seconds
IN_FOLDERS = "*/"  # starts what is asked for in the folders of a directory
DEEPEST = 100  # folders inside one another; links to folders, which may go in circles, are not followed
BELOW = "**/"  # starts what is asked for in a directory and all folders below it
GIT = ".git"
APART = (GIT, "pyvenv.cfg", "conda-meta")  # in folders that are no part of what is around: clones, environments
FOLDERS = 32  # folders in a directory after which it is a collection, not a project
Status = tuple[int, int, int, int]  # when a file was modified and changed (ns), its size, its number
# A directory that no disk has: its names are the paths (without links) that a change is about. What depends on them is
# noted like any name in a directory, and so is no part of the key of the cache.
CHANGE = "\1change"
ONLY_CONFIGS = "\1only"  # one more name there: nothing but config files changed


def unreadable(error: OSError) -> Message:
    """Return the message about a file that cannot be read."""
    return Message("cannot be read: {reason}", reason=error.strerror or error)


class Files(Protocol):
    """The interface through which all files are read. Entries of directories are asked for by name or pattern."""

    def read(self, path: str) -> bytes:
        """Return the bytes of a regular file; OSError when it cannot be read."""

    def status(self, path: str) -> Optional[Status]:
        """Return a value that changes whenever a file or directory does; None where none is reliable."""

    def _listing(self, directory: str) -> frozenset[str]:
        """Return the names in a directory, for implementations that wrap another; empty when it cannot be listed."""

    def named(self, directory: str, *asked: str) -> frozenset[str]:
        """Return the names in a directory that match: `train.py`, `*.py`, `*requirements*.txt`.

        `*/*.py` asks for them in the folders of the directory; none of these counts where there are many, and `*/` asks
        for the folders then. `**/*.py` asks for them in the directory and all folders below it, without clones of other
        repositories and virtual environments.
        """
        names = self._listing(directory)
        below = tuple([each for each in asked if each.startswith(BELOW)])
        deeper = tuple(
            [each[len(IN_FOLDERS) :] for each in asked if each.startswith(IN_FOLDERS) and each != IN_FOLDERS]
        )
        folders = _folders(names) if below or deeper or IN_FOLDERS in asked else []
        is_many = sum("." not in folder for folder in folders) > FOLDERS
        found = set(_among(names, (*asked, *[each[len(BELOW) :] for each in below])))
        for folder in folders if below or not is_many else ():
            inner = os.path.join(directory, folder)
            is_part = below and inner.count(os.sep) < DEEPEST and not os.path.islink(inner)
            all_below = below if is_part and not self._is_apart(inner) else ()
            names = self.named(inner, *all_below, *(() if is_many else deeper))
            found.update(os.path.join(folder, name) for name in names)
        return frozenset(found.union(folders if is_many and IN_FOLDERS in asked else ()))

    def _is_apart(self, directory: str) -> bool:
        """Return whether a folder is a clone of another repository, or a virtual environment."""
        found = self.named(directory, *APART)
        return bool(found) and not (found == {GIT} and self.is_submodule(directory))

    def is_submodule(self, directory: str) -> bool:
        """Return whether a directory is a Git submodule: its `.git` is a file that leads into that of a repository."""
        path = os.path.join(directory, GIT)
        if self.named(path, "HEAD"):  # a folder, which changes with each command of Git: it is not read
            return False
        try:
            leads_to = self.read(path)
        except OSError:
            return False
        return leads_to.startswith(b"gitdir:") and b"/modules/" in leads_to


def _folders(names: frozenset[str]) -> list[str]:
    """Return the names that may be folders with code: `src`, `yolo-1.2`; a suffix of letters is that of a file."""
    shown = (name for name in names if not name.startswith((".", "__")))
    return [name for name in shown if "." not in name or not name.rpartition(".")[2].isalpha()]


def _among(names: frozenset[str], asked: Sequence[str]) -> frozenset[str]:
    """Return the names that match a name, or a pattern that starts with a star."""
    patterns = [each[1:].rpartition("*") for each in asked if each.startswith("*")]
    whole = names.intersection(asked)
    if not patterns:
        return whole
    ends = tuple([end for _, _, end in patterns])
    return whole.union(
        name
        for name in names
        if name.endswith(ends)
        and any(name.endswith(end) and inner in name[: len(name) - len(end)] for inner, _, end in patterns)
    )


class Disk(Files):
    """The files of this machine; a directory is listed once."""

    def __init__(self) -> None:
        self._listed: dict[str, tuple[frozenset[str], Optional[Status]]] = {}

    def read(self, path: str) -> bytes:
        """Return the bytes of a regular file; OSError when it cannot be read or is no regular file."""
        return read_regular(path)

    def _listing(self, directory: str) -> frozenset[str]:
        """Return the names in a directory, listed once; empty when it cannot be listed."""
        if directory not in self._listed:
            status = _status(directory)  # before the names: what changes in between is then seen as changed
            try:
                self._listed[directory] = frozenset(os.listdir(directory)), status
            except OSError:
                self._listed[directory] = frozenset(), None
        return self._listed[directory][0]

    def status(self, path: str) -> Optional[Status]:
        """Return the times, size and inode of a file or directory; None where they may miss a change."""
        return self._listed[path][1] if path in self._listed else _status(path)


def _status(path: str) -> Optional[Status]:
    """Return the status of a path; None where it changed so recently that a further change may not show."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    modified, changed, settled = found.st_mtime_ns, found.st_ctime_ns, time.time_ns() - SETTLED
    if modified > settled or changed > settled:
        return None
    return modified, changed, found.st_size, found.st_ino


def without_waiting(path: str, flags: int) -> int:
    """Return the descriptor of an open file; opening a pipe without a writer does not block."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_regular(path: str, most: int = LARGEST, opener: Callable[[str, int], int] = without_waiting) -> bytes:
    """Return the bytes of a file; OSError when it is no regular file, holds more than `most`, or cannot be read.

    All files of repositories are read here: a pipe, a device or a huge file does not stop a run.
    """
    with open(path, "rb", opener=opener) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, Message("not a regular file"))
        if status.st_size > most:
            raise OSError(errno.EFBIG, Message("larger than {most} MB", most=most // 1_000_000))
        return file.read()


class Overlay(Files):
    """Texts that replace files of the disk: stdin, editor buffers, fix passes, rule pages."""

    def __init__(self, base: Files, contents: dict[str, bytes]) -> None:
        self.base = base
        self.contents = contents  # absolute path -> bytes as they would stand on disk

    def read(self, path: str) -> bytes:
        """Return the text for `path`, else the bytes from the base."""
        return self.contents[path] if path in self.contents else self.base.read(path)

    def _listing(self, directory: str) -> frozenset[str]:
        """Return the names in a directory, with those of the texts and their folders."""
        prefix = directory.rstrip(os.sep) + os.sep
        laid = {path[len(prefix) :].split(os.sep)[0] for path in self.contents if path.startswith(prefix)}
        return self.base._listing(directory) | laid

    def status(self, path: str) -> Optional[Status]:
        """Return None where a text replaces a file or adds to a directory; else the status from the base."""
        prefix = path.rstrip(os.sep) + os.sep
        is_covered = path in self.contents or any(laid.startswith(prefix) for laid in self.contents)
        return None if is_covered else self.base.status(path)


def with_change(files: Files, paths: Collection[str]) -> Files:
    """Return files with the changed paths as a directory `CHANGE`, so that what is asked of a change is recorded."""
    return _Changed(files, frozenset(paths)) if paths else files


class _Changed(Files):
    """Files with a directory `CHANGE`."""

    def __init__(self, base: Files, paths: frozenset[str]) -> None:
        self.base = base
        self._paths = paths

    def read(self, path: str) -> bytes:
        """Return the bytes from the base."""
        return self.base.read(path)

    def _listing(self, directory: str) -> frozenset[str]:
        """Return the names from the base, or the changed paths."""
        return self._paths if directory == CHANGE else self.base._listing(directory)

    def status(self, path: str) -> Optional[Status]:
        """Return the status from the base; None for the changed paths."""
        return self.base.status(path) if path != CHANGE else None


class Nowhere(Files):
    """No files: the base for texts without a disk."""

    def read(self, path: str) -> bytes:
        """Raise FileNotFoundError for every path."""
        raise FileNotFoundError(path)

    def _listing(self, directory: str) -> frozenset[str]:
        """Return no names."""
        return frozenset()

    def status(self, path: str) -> Optional[Status]:
        """Return None."""
        return None


class Snapshot(Files):
    """Files as they were when first read: while the user thinks about a fix, other programs may write them."""

    def __init__(self, base: Files) -> None:
        self.base = base
        self.contents: dict[str, tuple[bytes, Optional[Status]]] = {}
        self.kept: Optional[frozenset[str]] = None  # None: all, until the changed files are known

    def keep(self, paths: Collection[str]) -> None:
        """Hold these files only, and evict others."""
        self.kept = frozenset(paths)
        self.contents = {path: held for path, held in self.contents.items() if path in self.kept}

    def read(self, path: str) -> bytes:
        """Return the bytes of a file; for a held one, those of the first read."""
        if path in self.contents:
            return self.contents[path][0]
        status = self.base.status(path)
        content = self.base.read(path)
        if self.kept is None or path in self.kept:
            self.contents[path] = content, status
        return content

    def _listing(self, directory: str) -> frozenset[str]:
        """Return the names in a directory."""
        return self.base._listing(directory)

    def status(self, path: str) -> Optional[Status]:
        """Return the status of a file or directory; for a held file, that of the first read, done here if needed."""
        with contextlib.suppress(OSError):
            self.read(path)
        return self.contents[path][1] if path in self.contents else self.base.status(path)
