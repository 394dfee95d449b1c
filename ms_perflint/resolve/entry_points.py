"""The entry scripts whose programs a file belongs to, found on disk.

A file belongs to the program that it is itself, and to those of all scripts of its project that import it: whatever
other files are linted. A project is all below the directory from which the file is imported, or one above it that holds
scripts. A directory with many folders, which is no package, is a collection: each folder in it is a project.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ms_perflint.core.files import IN_FOLDERS
from ms_perflint.core.source import PYTHON
from ms_perflint.resolve.imports import Imports

MAIN = rb"\nif[ \t(]+.*__name__"  # starts with what is looked for fast
DECLARING = ("pyproject.toml", "setup.cfg", "setup.py")
DECLARED = rb"[\w-][\"']?[ \t]*=[ \t]*[\"']?(\w+(?:\.\w+)*)[ \t]*:[ \t]*\w"
HERE = tuple([f"*{end}" for end in PYTHON])  # asks for the scripts in a directory
BELOW = tuple([f"**/*{end}" for end in PYTHON])  # and in all folders below it
BESIDE = tuple([f"{folders}*{end}" for folders in ("*/", "*/*/") for end in PYTHON])  # up to two folders below


class Scripts(NamedTuple):
    """Some scripts: those that are started, and others that no file imports, the outermost first."""

    started: tuple[str, ...]
    others: tuple[str, ...]


class Entries:
    """The entry scripts of a project. What a directory holds is looked up once."""

    def __init__(self, imports: Imports) -> None:
        self.imports = imports
        self._programs: dict[str, tuple[str, ...]] = {}
        self._mains: dict[str, bool] = {}
        self._scripts: dict[str, tuple[str, ...]] = {}
        self._declared: dict[str, tuple[str, ...]] = {}
        self._below: dict[str, tuple[str, ...]] = {}
        self._around: dict[str, Scripts] = {}
        self._beside: dict[str, Scripts] = {}
        self._divided: dict[tuple[str, ...], Scripts] = {}

    def programs(self, path: str) -> tuple[str, ...]:
        """Return the entry scripts of the programs of a file: itself, then those that import it, sorted."""
        if path not in self._programs:
            directory = os.path.dirname(path)
            found = self._importing(path, self._scripts_around(directory))
            if not found and not self.has_main(path):
                found = self._importing(path, self._scripts_beside(self._home(directory)))
            self._programs[path] = (path, *sorted(found))
        return self._programs[path]

    def has_main(self, path: str) -> bool:
        """Return whether a file does something only when it is started."""
        if path not in self._mains:
            raw = self.imports.raw(path) or b""
            is_guarded = b"__main__" in raw and re.search(MAIN, b"\n" + raw) is not None
            self._mains[path] = is_guarded or os.path.basename(path) == "__main__.py" or self._is_declared(path)
        return self._mains[path]

    def is_entry(self, path: str) -> bool:
        """Return whether a file is the entry script of a program: it is started, or no other script holds it."""
        return self.has_main(path) or len(self.programs(path)) == 1

    def _is_declared(self, path: str) -> bool:
        """Return whether a project installs a command that starts a file: `train = pkg.train:main`."""
        root = self.imports.ancestors(os.path.dirname(path))[-1]
        if root not in self._declared:
            names = sorted(self.imports.files.named(root, *DECLARING))
            raws = [self.imports.raw(os.path.join(root, name)) or b"" for name in names]
            found = (text for raw in raws for text in re.findall(DECLARED, raw))
            self._declared[root] = tuple(f"{os.sep}{name.decode().replace('.', os.sep)}.py" for name in found)
        return path.endswith(self._declared[root])

    def scripts(self, directory: str) -> tuple[str, ...]:
        """Return the Python files and notebooks of a directory that import something."""
        if directory not in self._scripts:
            names = sorted(self.imports.files.named(directory, *HERE))
            paths = (os.path.join(directory, name) for name in names)
            self._scripts[directory] = tuple(self._importing_something(paths))
        return self._scripts[directory]

    def _importing_something(self, paths: Iterable[str]) -> Iterator[str]:
        return (path for path in paths if b"import" in (self.imports.raw(path) or b""))

    def _importing(self, path: str, scripts: Scripts) -> list[str]:
        """Return the scripts whose programs hold a file; of those that are not started, none that another one holds."""
        closure = self.imports.closure
        found = [script for script in scripts.started if script != path and path in closure(script)]
        held = set[str]().union(*map(closure, found))
        for script in scripts.others:
            if script != path and script not in held and path in closure(script):
                held |= closure(script)
                found = [other for other in found if self.has_main(other) or other not in closure(script)]
                found.append(script)
        return found

    # --- where they are looked for

    def _scripts_around(self, directory: str) -> Scripts:
        """Return the scripts of the project of a directory, and those in the directories above it."""
        if directory not in self._around:
            home = self._home(directory)
            above = [base for base in self.imports.ancestors(directory) if home is None or not _is_in(base, home)]
            paths = [script for base in above for script in self.scripts(base)]
            self._around[directory] = self._divide((*(self._all_below(home) if home else ()), *paths))
        return self._around[directory]

    def _home(self, directory: str) -> str | None:
        """Return the directory of the project that a directory is a part of; None for a collection itself."""
        above = self.imports.ancestors(directory)
        last = len(above) - 1
        top = first = next((level for level, base in enumerate(above) if not self.imports.is_package(base)), last)
        while top < last and (self.scripts(above[top + 1]) or not self.scripts(above[top])):
            top += 1
        if any(not self.scripts(base) for base in above[first:top]) and not self._is_home(above[top], directory):
            top = first
        for level, base in enumerate(above[: top + 1]):
            if not self.imports.is_package(base) and self.imports.files.named(base, IN_FOLDERS):
                return above[level - 1] if level else None
        return above[top]

    def _is_home(self, base: str, directory: str) -> bool:
        """Return whether a directory is marked as a project, or a script in it names a directory on the way down."""
        if self.imports.is_root(base):
            return True
        words = os.path.relpath(directory, base).encode().split(os.sep.encode())
        return any(word in (self.imports.raw(script) or b"") for script in self.scripts(base) for word in words)

    def _all_below(self, home: str) -> tuple[str, ...]:
        """Return the scripts of a directory and all folders below it."""
        if home not in self._below:
            names = sorted(self.imports.files.named(home, *BELOW))
            self._below[home] = tuple(self._importing_something(os.path.join(home, name) for name in names))
        return self._below[home]

    def _scripts_beside(self, home: str | None) -> Scripts:
        """Return the scripts up to two folders below the directory above a project, if that is not marked as one."""
        if home is None or self.imports.is_root(home):
            return Scripts((), ())
        if home not in self._beside:
            self._beside[home] = self._naming(home)
        return self._beside[home]

    def _naming(self, home: str) -> Scripts:
        """Return the scripts up to two folders below the directory above a project, where one names the project."""
        parent, name = os.path.split(home)
        paths = [os.path.join(parent, each) for each in sorted(self.imports.files.named(parent, *BESIDE))]
        outside = (self.imports.raw(path) or b"" for path in paths if not _is_in(path, home))
        if not any(name.encode() in raw for raw in outside):
            return Scripts((), ())  # what leads from there into this directory has to name it
        return self._divide(tuple(self._importing_something(paths)))

    def _divide(self, paths: tuple[str, ...]) -> Scripts:
        """Return the scripts among some files."""
        if paths not in self._divided:
            started = tuple(path for path in paths if self.has_main(path))
            others = [path for path in paths if not self.has_main(path) and not _is_test(path)]
            others.sort(key=lambda other: (other.count(os.sep), other))
            self._divided[paths] = Scripts(started, tuple(others))
        return self._divided[paths]


def _is_in(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)


def _is_test(path: str) -> bool:
    """Return whether pytest collects a file."""
    name = os.path.basename(path)
    return name.startswith("test_") or name.endswith("_test.py")
