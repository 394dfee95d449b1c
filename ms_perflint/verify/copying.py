"""The copy of a project in which a program runs: small files are copied, large ones are linked."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from ms_perflint.config.settings import inside

MARKERS = (".git", "pyproject.toml", "setup.py", "setup.cfg")  # entries of the top directory of a project
LINKED = frozenset((".git", ".hg", ".svn", ".venv", "venv", ".tox", ".nox", "node_modules", "site-packages"))
LEFT_OUT = frozenset(("__pycache__", ".ms_perflint"))
SMALL = 256_000  # bytes of a file that is copied
MUCH = 64_000_000  # bytes of all files that are copied
MANY = 500  # number of entries above which a directory counts as data, and is linked as a whole
ENTRIES = 20_000  # number of entries of all directories above which the others are linked as a whole


class Place(NamedTuple):
    """Where a program runs: the project and the working directory, and the root of the file system that holds both.

    The copy begins at the root: entries beside the project are linked, so that paths like `../data` work.
    """

    project: str
    cwd: str
    top: str


def place_of(entry: str, files: Collection[str], cwd: str) -> Place:
    """Return the place of a program that is started in a working directory, with real paths."""
    project = os.path.dirname(entry)
    while not any(os.path.lexists(os.path.join(project, name)) for name in MARKERS):
        if project == os.path.dirname(project):
            project = os.path.commonpath([os.path.dirname(entry), *map(os.path.dirname, files)])
            break
        project = os.path.dirname(project)
    return Place(project, cwd, Path(project).anchor)


def copy(place: Place, target: str, contents: Mapping[str, bytes], kept: Collection[str] = ()) -> None:
    """Fill an empty directory with a copy; `contents` replaces files, by their path in the project.

    The parent directories of the files in `kept`, of the project and of the working directory are never linked.
    """
    real = {place.project, place.cwd, *map(os.path.dirname, (*kept, *contents))}
    above = {folder for each in real for folder in _upwards(each, place.top)}
    _Copying(place, target, above).run()
    for path, content in contents.items():
        copied = os.path.join(target, os.path.relpath(path, place.top))
        with contextlib.suppress(FileNotFoundError):
            os.unlink(copied)  # it may be a link to the file of the project
        with open(copied, "wb") as file:
            file.write(content)
        shutil.copymode(path, copied)


def _upwards(folder: str, top: str) -> list[str]:
    """Return a folder and its parents up to the top; nothing for a folder elsewhere."""
    found = []
    while inside(folder, top):
        found.append(folder)
        if folder == top:
            break
        folder = os.path.dirname(folder)
    return found


class _Copying:
    """A copy in progress."""

    def __init__(self, place: Place, target: str, above: Collection[str]) -> None:
        self.place = place
        self.target = target
        self.above = above  # directories that are never linked
        self.bytes = MUCH
        self.entries = ENTRIES

    def run(self) -> None:
        """Create the copy, upper directories first."""
        waiting = [self.place.top]
        for folder in waiting:
            copied = os.path.join(self.target, os.path.relpath(folder, self.place.top))
            os.makedirs(copied, exist_ok=True)
            with contextlib.suppress(OSError), os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name not in LEFT_OUT and self._own(entry, os.path.join(copied, entry.name)):
                        waiting.append(entry.path)

    def _own(self, entry: os.DirEntry[str], copied: str) -> bool:
        """Return whether an entry is a directory to be copied; else it is copied or linked."""
        if entry.is_dir(follow_symlinks=False):
            if entry.path in self.above or self._is_copied(entry):
                return True
        elif entry.is_file(follow_symlinks=False) and inside(entry.path, self.place.project):
            size = entry.stat(follow_symlinks=False).st_size
            if size <= min(SMALL, self.bytes):
                self.bytes -= size
                with contextlib.suppress(OSError):
                    shutil.copy2(entry.path, copied)
                    return False
        os.symlink(os.path.realpath(entry.path), copied)
        return False

    def _is_copied(self, entry: os.DirEntry[str]) -> bool:
        """Return whether a directory is copied: one of the project that is not too large."""
        if entry.name in LINKED or not inside(entry.path, self.place.project):
            return False
        try:
            with os.scandir(entry.path) as entries:
                count = sum(1 for _, _ in zip(entries, range(MANY + 1)))
        except OSError:
            return False
        self.entries -= count
        return count <= MANY and self.entries >= 0
