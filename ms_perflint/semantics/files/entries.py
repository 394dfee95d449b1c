"""The entry scripts whose programs a file belongs to, found on disk.

A file belongs to the program that it is itself, and to those of the scripts that import it. Scripts are looked for in
the directories above the file. Only where none outside of its package imports it, they are looked for beside the
package too: up to two folders below the directory from which it is imported, as `tools/train.py` or
`examples/mnist/train.py` stand beside `mypackage/`. Where that directory holds many folders it is a collection of
projects, and no other project is searched. A script further away may well import the file, but is not found from it:
that script's program still reads the file, and reports what stands in the script. Of a file that very many scripts
import, as many programs are asked as anybody can wait for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from itertools import islice

from ms_perflint.records import NamedTuple
from ms_perflint.semantics.files.imports import Imports
from ms_perflint.source import PYTHON

MAIN = rb"\nif[ \t(]+.*__name__"  # starts with what is looked for fast
HERE = tuple([f"*{end}" for end in PYTHON])  # asks for the scripts in a directory
BELOW = tuple([f"{folders}*{end}" for folders in ("*/", "*/*/") for end in PYTHON])  # up to two folders below
LOOKED_AT = 300  # scripts beside a package that are read
PROGRAMS = 16  # scripts whose programs count; the nearest ones, then by name


class Scripts(NamedTuple):
    """Some scripts: those with a `__main__` guard in the order given, the others the outermost first."""

    started: tuple[str, ...]
    others: tuple[str, ...]


class Entries:
    """The entry scripts of a project. What a directory holds is looked up once."""

    def __init__(self, imports: Imports) -> None:
        self.imports = imports
        self._programs: dict[str, tuple[str, ...]] = {}
        self._mains: dict[str, bool] = {}
        self._scripts: dict[str, tuple[str, ...]] = {}
        self._above: dict[str, Scripts] = {}
        self._around: dict[tuple[str, tuple[bytes, ...]], Scripts] = {}

    def programs(self, path: str) -> tuple[str, ...]:
        """Return the entry scripts of the programs of a file: itself, then those that import it, sorted."""
        if path not in self._programs:
            found = self._importing(path, self._scripts_above(os.path.dirname(path)))
            if all(
                self.imports.is_package(os.path.dirname(script)) for script in found
            ):  # modules that start themselves
                found += self._beside(path)
            self._programs[path] = (path, *sorted(found))
        return self._programs[path]

    def has_main(self, path: str) -> bool:
        """Return whether a file does something only when it is started."""
        if path not in self._mains:
            raw = self.imports.raw(path) or b""
            self._mains[path] = b"__main__" in raw and re.search(MAIN, b"\n" + raw) is not None
        return self._mains[path]

    def scripts(self, directory: str) -> tuple[str, ...]:
        """Return the Python files and notebooks of a directory that import something."""
        if directory not in self._scripts:
            names = sorted(self.imports.files.named(directory, *HERE))
            paths = (os.path.join(directory, name) for name in names)
            self._scripts[directory] = tuple(self._importing_something(paths))
        return self._scripts[directory]

    def _importing_something(self, paths: Iterable[str]) -> Iterator[str]:
        return (path for path in paths if b"import" in (self.imports.raw(path) or b""))

    def _scripts_above(self, directory: str) -> Scripts:
        """Return the scripts in a directory and those above it."""
        if directory not in self._above:
            bases = self.imports.ancestors(directory)
            self._above[directory] = self._divided(script for base in bases for script in self.scripts(base))
        return self._above[directory]

    def _divided(self, scripts: Iterable[str]) -> Scripts:
        found = tuple(scripts)
        others = (script for script in found if not self.has_main(script))
        return Scripts(
            tuple(script for script in found if self.has_main(script)),
            tuple(sorted(others, key=lambda other: (other.count(os.sep), other))),
        )

    def _importing(self, path: str, scripts: Scripts) -> list[str]:
        """Return the scripts whose programs hold a file, without those that are themselves only imported.

        At most PROGRAMS, in the order given; scripts without a `__main__` guard count last, the outermost first: what
        an accepted script imports is not asked, so a package of many modules costs one closure, not one for each.
        """
        closure = self.imports.closure
        started = (script for script in scripts.started if script != path and path in closure(script))
        found = list(islice(started, PROGRAMS))
        held = [closure(script) for script in found]
        for script in scripts.others:
            if len(found) >= PROGRAMS:
                break
            if script != path and not any(script in files for files in held) and path in closure(script):
                held.append(closure(script))
                found = [other for other in found if self.has_main(other) or other not in held[-1]]
                found.append(script)
        return found

    def _beside(self, path: str) -> list[str]:
        """Return the scripts beside the package of a file that import it, the nearest first.

        A project may itself have an `__init__.py`, and a package may stand in a folder without one, as in
        `src/mypackage/`: where nothing is found, the scripts one level further down and up are tried.
        """
        *inside, root = self.imports.ancestors(os.path.dirname(path))
        parents = [os.path.dirname(base) for base in inside]
        top = next(
            (level for level, base in enumerate(parents) if base == root or not self.imports.is_package(base)), 0
        )
        is_package = any(self.imports.is_package(base) for base in inside[: top + 1])
        if self.has_main(path) and not is_package:
            return []
        for package in (*inside[top : top + 1], *inside[top - 1 : top], *inside[top + 1 : top + 2]):
            words = {os.path.basename(package), *(() if is_package else (os.path.basename(path)[:-3],))}
            found = self._importing(path, self._scripts_around(package, tuple(map(os.fsencode, sorted(words)))))
            if found:
                return found
        return []

    def _scripts_around(self, package: str, words: tuple[bytes, ...]) -> Scripts:
        """Return the scripts up to two folders beside a package that name it."""
        if (package, words) not in self._around:
            directory, name = os.path.split(package)
            below = sorted(path.split(os.sep) for path in self.imports.files.named(directory, *BELOW))
            nearest = (parts for parts in sorted(below, key=len) if parts[0] != name)
            beside = (os.path.join(directory, *parts) for parts in nearest)
            scripts = islice(self._importing_something(beside), LOOKED_AT)
            started = (script for script in scripts if self.has_main(script))
            naming = (script for script in started if any(word in (self.imports.raw(script) or b"") for word in words))
            self._around[package, words] = Scripts(tuple(naming), ())
        return self._around[package, words]
