"""The only way to files: those of the disk, and texts that stand in front of it."""

from __future__ import annotations

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
FOLDERS = 32  # folders in a directory after which it is a collection, not a project
Status = tuple[int, int, int, int]  # when a file was modified and changed (ns), its size, its number
# A directory that no disk has: its names are the paths (without links) that a change is about. What depends on them is
# noted like any name in a directory, and so is no part of the key of the cache.
CHANGE = "\1change"
ONLY_CONFIGS = "\1only"  # one more name there: nothing but config files changed


def unreadable(error: OSError) -> Message:
    """Return what to say of a file that the disk does not give."""
    return Message("cannot be read: {reason}", reason=error.strerror or error)


class Files(Protocol):
    """The only way to files. What a directory holds is asked for by name: an answer depends on nothing else in it."""

    def read(self, path: str) -> bytes:
        """Return the bytes of a regular file; OSError when it cannot be read."""

    def status(self, path: str) -> Optional[Status]:
        """Return what changes with every change of a file or directory; None where nothing tells that for sure."""

    def _listing(self, directory: str) -> frozenset[str]:
        """Return the names in a directory, for files behind other files; empty when it cannot be listed."""

    def named(self, directory: str, *asked: str) -> frozenset[str]:
        """Return those names in a directory that are asked for: `train.py`, `*.py`, `*requirements*.txt`.

        `*/*.py` asks for them in the folders of the directory; none of these counts where there are many, and `*/` asks
        for the folders then. `**/*.py` asks for them in the directory and all folders below it.
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
            all_below = below if inner.count(os.sep) < DEEPEST and not os.path.islink(inner) else ()
            names = self.named(inner, *all_below, *(() if is_many else deeper))
            found.update(os.path.join(folder, name) for name in names)
        return frozenset(found.union(folders if is_many and IN_FOLDERS in asked else ()))


def _folders(names: frozenset[str]) -> list[str]:
    """Return the names that may be of folders with code: `src`, `yolo-1.2`; one that ends in letters is of a file."""
    shown = (name for name in names if not name.startswith((".", "__")))
    return [name for name in shown if "." not in name or not name.rpartition(".")[2].isalpha()]


def _among(names: frozenset[str], asked: Sequence[str]) -> frozenset[str]:
    """Return the names that are asked for: whole, or by a pattern that starts with a star."""
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
    """The files of this machine; a directory stays as it was when it was listed first."""

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
        """Return the times, the size and the number of a file or directory; None where they may not tell."""
        return self._listed[path][1] if path in self._listed else _status(path)


def _status(path: str) -> Optional[Status]:
    """Return the status of what is there; None where it changed so lately that another change may not show in it."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    modified, changed, settled = found.st_mtime_ns, found.st_ctime_ns, time.time_ns() - SETTLED
    if modified > settled or changed > settled:
        return None
    return modified, changed, found.st_size, found.st_ino


def without_waiting(path: str, flags: int) -> int:
    """Return an open file; a pipe without a writer is not waited for."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_regular(path: str, most: int = LARGEST, opener: Callable[[str, int], int] = without_waiting) -> bytes:
    """Return the bytes of a file; OSError when it is no regular file, holds more than `most`, or cannot be read.

    Every file that a repository brings is read by this function: a pipe, a device or a huge file stops no run.
    """
    with open(path, "rb", opener=opener) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, Message("not a regular file"))
        if status.st_size > most:
            raise OSError(errno.EFBIG, Message("larger than {most} MB", most=most // 1_000_000))
        return file.read()


class Overlay(Files):
    """Texts that stand in front of the disk: stdin, editor buffers, fix passes, rule pages."""

    def __init__(self, base: Files, contents: dict[str, bytes]) -> None:
        self.base = base
        self.contents = contents  # absolute path -> bytes as they would stand on disk

    def read(self, path: str) -> bytes:
        """Return the text laid over `path`, else what the base holds."""
        return self.contents[path] if path in self.contents else self.base.read(path)

    def _listing(self, directory: str) -> frozenset[str]:
        """Return the names in a directory, laid-over files and their folders included."""
        prefix = directory.rstrip(os.sep) + os.sep
        laid = {path[len(prefix) :].split(os.sep)[0] for path in self.contents if path.startswith(prefix)}
        return self.base._listing(directory) | laid

    def status(self, path: str) -> Optional[Status]:
        """Return None where something is laid over a file, or into a directory; else what the base says."""
        prefix = path.rstrip(os.sep) + os.sep
        is_covered = path in self.contents or any(laid.startswith(prefix) for laid in self.contents)
        return None if is_covered else self.base.status(path)


def with_change(files: Files, paths: Collection[str]) -> Files:
    """Return files with what a change is about: it is noted, as of names in a directory, what is asked of that."""
    return _Changed(files, frozenset(paths)) if paths else files


class _Changed(Files):
    """Files with a directory `CHANGE`."""

    def __init__(self, base: Files, paths: frozenset[str]) -> None:
        self.base = base
        self._paths = paths

    def read(self, path: str) -> bytes:
        """Return what the base has."""
        return self.base.read(path)

    def _listing(self, directory: str) -> frozenset[str]:
        """Return what the base says, and what changed."""
        return self._paths if directory == CHANGE else self.base._listing(directory)

    def status(self, path: str) -> Optional[Status]:
        """Return what the base says; nothing tells for sure what changed."""
        return self.base.status(path) if path != CHANGE else None


class Nowhere(Files):
    """No files at all: the base for text that comes without a disk."""

    def read(self, path: str) -> bytes:
        """Raise FileNotFoundError for every path."""
        raise FileNotFoundError(path)

    def _listing(self, directory: str) -> frozenset[str]:
        """Return nothing."""
        return frozenset()

    def status(self, path: str) -> Optional[Status]:
        """Return None: nothing is there."""
        return None
