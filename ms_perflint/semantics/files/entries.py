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

from ms_perflint.semantics.files.imports import Imports
from ms_perflint.source import PYTHON

MAIN = rb"(?m)^if[ \t(]+.*__name__"
FOLDERS = 32  # folders in a directory after which it is a collection, not a project
LOOKED_AT = 300  # scripts beside a package that are read
PROGRAMS = 16  # scripts whose programs count; the nearest ones, then by name


class Entries:
    """The entry scripts of a project. What a directory holds is looked up once."""

    def __init__(self, imports: Imports) -> None:
        self.imports = imports
        self._programs: dict[str, tuple[str, ...]] = {}
        self._mains: dict[str, bool] = {}
        self._scripts: dict[str, tuple[str, ...]] = {}
        self._folders: dict[str, tuple[str, ...]] = {}

    def programs(self, path: str) -> tuple[str, ...]:
        """Return the entry scripts of the programs of a file: itself, then those that import it, sorted."""
        if path not in self._programs:
            bases = self.imports.ancestors(os.path.dirname(path))
            found = self._importing(path, [script for base in bases for script in self.scripts(base)])
            if all(self._is_package(os.path.dirname(script)) for script in found):  # modules that start themselves
                found += self._beside(path)
            self._programs[path] = (path, *sorted(found))
        return self._programs[path]

    def has_main(self, path: str) -> bool:
        """Return whether a file does something only when it is started."""
        if path not in self._mains:
            raw = self.imports.raw(path) or b""
            self._mains[path] = b"__main__" in raw and re.search(MAIN, raw) is not None
        return self._mains[path]

    def scripts(self, directory: str) -> tuple[str, ...]:
        """Return the Python files and notebooks of a directory that import something."""
        if directory not in self._scripts:
            names = sorted(self.imports.files.named(directory, *(f"*{end}" for end in PYTHON)))
            paths = (os.path.join(directory, name) for name in names)
            self._scripts[directory] = tuple(path for path in paths if b"import" in (self.imports.raw(path) or b""))
        return self._scripts[directory]

    def folders(self, directory: str) -> tuple[str, ...]:
        """Return the folders in a directory; none where there are many."""
        if directory not in self._folders:
            names = [name for name in self.imports.files.names(directory) if "." not in name and name[:2] != "__"]
            found = sorted(names) if len(names) <= FOLDERS else ()
            self._folders[directory] = tuple(os.path.join(directory, name) for name in found)
        return self._folders[directory]

    def _importing(self, path: str, scripts: Iterable[str]) -> list[str]:
        """Return the scripts whose programs hold a file, without those that are themselves only imported.

        At most PROGRAMS, in the order given; scripts without a `__main__` guard count last, the outermost first: what
        an accepted script imports is not asked, so a package of many modules costs one closure, not one for each.
        """
        others = [script for script in scripts if script != path]
        started = (script for script in others if self.has_main(script) and path in self.imports.closure(script))
        found = list(islice(started, PROGRAMS))
        held = set[str]().union(*(self.imports.closure(script) for script in found))
        for script in sorted(others, key=lambda other: (other.count(os.sep), other)):
            if len(found) < PROGRAMS and not self.has_main(script) and script not in held:
                closure = self.imports.closure(script)
                if path in closure:
                    held |= closure
                    found = [other for other in found if self.has_main(other) or other not in closure]
                    found.append(script)
        return found

    def _is_package(self, directory: str) -> bool:
        return bool(self.imports.files.named(directory, "__init__.py"))

    def _beside(self, path: str) -> list[str]:
        """Return the scripts beside the package of a file that import it, the nearest first.

        A project may itself have an `__init__.py`, and a package may stand in a folder without one, as in
        `src/mypackage/`: where nothing is found, the scripts one level further down and up are tried.
        """
        *inside, root = self.imports.ancestors(os.path.dirname(path))
        parents = [os.path.dirname(base) for base in inside]
        top = next((level for level, base in enumerate(parents) if base == root or not self._is_package(base)), 0)
        is_package = any(self._is_package(base) for base in inside[: top + 1])
        if self.has_main(path) and not is_package:
            return []
        for package in (*inside[top : top + 1], *inside[top - 1 : top], *inside[top + 1 : top + 2]):
            words = {os.path.basename(package), *(() if is_package else (os.path.basename(path)[:-3],))}
            found = self._importing(path, self._around(package, [os.fsencode(word) for word in words]))
            if found:
                return found
        return []

    def _around(self, package: str, words: list[bytes]) -> Iterator[str]:
        """Yield the scripts up to two folders beside a package that name it."""
        near = [folder for folder in self.folders(os.path.dirname(package)) if folder != package]
        folders = (*near, *(inner for outer in near for inner in self.folders(outer)))
        for script in islice((script for folder in folders for script in self.scripts(folder)), LOOKED_AT):
            if self.has_main(script) and any(word in (self.imports.raw(script) or b"") for word in words):
                yield script
