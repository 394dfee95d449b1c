"""The entry points of programs: the scripts whose programs a file belongs to.

A file belongs to its own program, and to the programs of all scripts of its project that import it, whichever files are
linted. A project is the tree below the directory from which the file is imported, or a directory above that holds
scripts. A directory with many folders that is no package is a collection: each folder in it is a project.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Any, NamedTuple

from ms_perflint.core.facts import fact
from ms_perflint.core.files import IN_FOLDERS
from ms_perflint.core.fingerprints import digest
from ms_perflint.core.graphs import reachable
from ms_perflint.core.source import PYTHON
from ms_perflint.resolve.import_statements import imports
from ms_perflint.resolve.imports import Imports

MAIN = rb"\nif[ \t(]+.*__name__"  # starts with what is looked for fast
DECLARING = ("pyproject.toml", "setup.cfg", "setup.py")
DECLARED = rb"[\w-][\"']?[ \t]*=[ \t]*[\"']?(\w+(?:\.\w+)*)[ \t]*:[ \t]*\w"
HERE = tuple([f"*{end}" for end in PYTHON])  # asks for the scripts in a directory
BELOW = tuple([f"**/*{end}" for end in PYTHON])  # and in all folders below it
BESIDE = tuple([f"{folders}*{end}" for folders in ("*/", "*/*/") for end in PYTHON])  # up to two folders below


class Scripts(NamedTuple):
    """Scripts of a directory: those with a main guard, and others that no file imports, the outermost first."""

    started: tuple[str, ...]
    others: tuple[str, ...]


class Entries:
    """The entry scripts of a project. What a directory holds is looked up once."""

    def __init__(self, imports: Imports) -> None:
        self.imports = imports
        self.facts: dict[tuple[object, ...], Any] = {}
        self.searched: dict[str, set[str]] = {}  # files in which names of directories were looked for, with these
        self._read: set[str] = set()  # files that may be scripts

    @property
    def scanned(self) -> frozenset[str]:
        """Return the files that were read here and for the import graph."""
        return self.imports.scanned | self._read

    def scan(self, path: str, names: Iterable[str]) -> bytes:
        """Return a digest of all that is read of a file here and for the import graph.

        `names`: those of directories that are looked for in it.
        """
        raw, imports = self.imports.raw(path) or b"", self.imports
        found = raw if imports.changes_search_path(path) else imports.statements(path)
        named = [(name, name.encode() in raw, _may_import(raw, name)) for name in sorted(names)]
        is_script = self.has_main(path), b"import" in raw
        said = found, imports.computes_names(path), imports.configs(path), is_script, named
        return digest(repr(said).encode("utf-8", "surrogateescape"))

    @fact
    def programs(self, path: str) -> tuple[str, ...]:
        """Return the entry scripts of the programs of a file: itself, then those that import it, sorted."""
        directory = os.path.dirname(path)
        found = self._importing(path, self._scripts_around(directory))
        if not self.has_main(path) and not any(map(self.has_main, found)):
            beside = self._importing(path, self._scripts_beside(self._home(directory)))
            held = set[str]().union(*map(self.imports.closure, beside))
            found = [*(each for each in found if each not in held), *beside]
        return (path, *sorted(found))

    @fact
    def has_main(self, path: str) -> bool:
        """Return whether a file has a main guard."""
        raw = self.imports.raw(path) or b""
        is_guarded = b"__main__" in raw and re.search(MAIN, b"\n" + raw) is not None
        if is_guarded or os.path.basename(path) == "__main__.py":
            return True
        root = self.imports.ancestors(os.path.dirname(path))[-1]
        return path.endswith(self._declared(root))

    def is_entry(self, path: str) -> bool:
        """Return whether a file is an entry script: it has a main guard, or no other script imports it."""
        return self.has_main(path) or len(self.programs(path)) == 1

    @fact
    def is_distributed(self, path: str) -> bool:
        """Return whether a file is in a package with a packaging file beside it, or above a folder `src` around it."""
        above = self.imports.ancestors(os.path.dirname(path))
        level = self._outside(above, 0)
        roots = above[level : level + 1 + (os.path.basename(above[level]) == "src")] if level else []
        return any(self.imports.files.named(root, *DECLARING) for root in roots)

    @fact
    def _declared(self, root: str) -> tuple[str, ...]:
        """Return the endings of the files that console scripts of a project start: `train = pkg.train:main`."""
        names = sorted(self.imports.files.named(root, *DECLARING))
        raws = [self.imports.raw(os.path.join(root, name)) or b"" for name in names]
        found = (text for raw in raws for text in re.findall(DECLARED, raw))
        return tuple(f"{os.sep}{name.decode().replace('.', os.sep)}.py" for name in found)

    @fact
    def scripts(self, directory: str, where: tuple[str, ...] = HERE) -> tuple[str, ...]:
        """Return the Python files and notebooks of a directory that import something; `where`: HERE or BELOW."""
        names = sorted(self.imports.files.named(directory, *where))
        return tuple(self._importing_something(os.path.join(directory, name) for name in names))

    def _importing_something(self, paths: Iterable[str]) -> Iterator[str]:
        for path in paths:
            self._read.add(path)
            if b"import" in (self.imports.raw(path) or b""):
                yield path

    def _importing(self, path: str, scripts: Scripts) -> list[str]:
        """Return the scripts whose programs contain a file; without a main guard, only those in no other program."""
        closure = self.imports.closure
        leading = self._importers(scripts).may_run(path) - {path}
        found = [script for script in scripts.started if script in leading and path in closure(script)]
        held = set[str]().union(*map(closure, found))
        for script in scripts.others:
            if script in leading and script not in held and path in closure(script):
                held |= closure(script)
                found = [other for other in found if self.has_main(other) or other not in closure(script)]
                found.append(script)
        return found

    @fact
    def _importers(self, scripts: Scripts) -> Importers:
        return Importers(self.imports, (*scripts.started, *scripts.others))

    # --- where they are looked for

    @fact
    def _scripts_around(self, directory: str) -> Scripts:
        """Return the scripts of the project around a directory, and those in the directories above it."""
        home = self._home(directory)
        above = [base for base in self.imports.ancestors(directory) if home is None or not _is_in(base, home)]
        paths = [script for base in above for script in self.scripts(base)]
        return self._divide((*(self.scripts(home, BELOW) if home else ()), *paths))

    def _home(self, directory: str) -> str | None:
        """Return the directory of the project that a directory is a part of; None for a collection itself."""
        above = self.imports.ancestors(directory)
        last = len(above) - 1
        first = self._outside(above, 0)
        while first < last and self._is_one_package(above[first + 1]):
            first = self._outside(above, first + 1)  # a folder of a package needs no `__init__.py`
        top = first
        while top < last and (self.scripts(above[top + 1]) or not self.scripts(above[top])):
            top += 1
        if any(not self.scripts(base) for base in above[first:top]) and not self._is_home(above[top], directory):
            top = first
        for level, base in enumerate(above[: top + 1]):
            if not self.imports.is_package(base) and self.imports.files.named(base, IN_FOLDERS):
                return above[level - 1] if level else None
        return above[top]

    def _outside(self, above: Sequence[str], level: int) -> int:
        """Return the first level from one on that is no package, else the last; `above`: directories, inner first."""
        levels = range(level, len(above))
        return next((each for each in levels if not self.imports.is_package(above[each])), len(above) - 1)

    def _is_one_package(self, directory: str) -> bool:
        """Return whether a directory is a package, and no collection with an `__init__.py`."""
        return self.imports.is_package(directory) and not self.imports.files.named(directory, IN_FOLDERS)

    def _is_home(self, base: str, directory: str) -> bool:
        """Return whether a directory is marked as a project, or a script in it names a directory on the way down."""
        if self.imports.is_root(base):
            return True
        words = os.path.relpath(directory, base).encode().split(os.sep.encode())
        for script in self.scripts(base):
            self.searched.setdefault(script, set()).update(map(os.fsdecode, words))
        return any(word in (self.imports.raw(script) or b"") for script in self.scripts(base) for word in words)

    @fact
    def _scripts_beside(self, home: str | None) -> Scripts:
        """Return the scripts up to two folders below a directory above a project, where one names the project.

        None where the project is marked as one.
        """
        if home is None or self.imports.is_root(home):
            return Scripts((), ())
        parent, name = self._above(home), os.path.basename(home)
        paths = [os.path.join(parent, each) for each in sorted(self.imports.files.named(parent, *BESIDE))]
        outside = [path for path in paths if not _is_in(path, home)]
        for path in outside:
            self.searched.setdefault(path, set()).add(name)
        if not any(_may_import(self.imports.raw(path) or b"", name) for path in outside):
            return Scripts((), ())  # what leads from there into this directory has to name it
        return self._divide(tuple(self._importing_something(paths)))

    def _above(self, home: str) -> str:
        """Return the directory above a project; above a folder of modules, one with scripts, or the marked root."""
        above = self.imports.ancestors(home)[1:]
        if not self.imports.is_root(above[-1]) or any(map(self.has_main, self.scripts(home))):
            return above[0]
        return next(base for base in above if base == above[-1] or self.scripts(base))

    @fact
    def _divide(self, paths: tuple[str, ...]) -> Scripts:
        """Return the scripts among some files."""
        started = tuple(path for path in paths if self.has_main(path))
        others = [path for path in paths if not self.has_main(path) and not _is_test(path)]
        others.sort(key=lambda other: (other.count(os.sep), other))
        return Scripts(started, tuple(others))


def _is_in(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)


def _may_import(raw: bytes, name: str) -> bool:
    """Return whether a file may import something from a directory with a name, by its imports or by `sys.path`."""
    if name.encode() not in raw:
        return False
    return b"sys.path" in raw or any(name in each.dotted.split(".") for each in imports(raw))


def _is_test(path: str) -> bool:
    """Return whether the name of a file is that of a test module of pytest."""
    name = os.path.basename(path)
    return name.startswith("test_") or name.endswith("_test.py")


# --- importers


class Importers:
    """The files that some scripts reach, each with those that import it."""

    def __init__(self, imports: Imports, scripts: Sequence[str]) -> None:
        self.imports = imports
        self._of: dict[str, list[str]] = {}
        self._at: dict[tuple[str, str], list[str]] = {}  # by a word that is imported, and the directory that holds it
        files = reachable(scripts, imports.usual)
        for file in files:
            for each in imports.usual(file):
                self._of.setdefault(each, []).append(file)
            for home in imports.homes_of(file).items():
                self._at.setdefault(home, []).append(file)
        computing = self._leading_to(filter(imports.computes_names, files))
        homes = {home for each in scripts if each in computing for home in imports.ancestors(os.path.dirname(each))}
        configured = (file for file in reachable(computing, imports.usual) if imports.names_modules(file, homes))
        # those that may lead to more than import statements say
        self._open = computing.keys() & self._leading_to(configured).keys()
        self._open |= set(self._differing(frozenset(scripts)))
        searching = self._leading_to(filter(imports.changes_search_path, files))
        self._searching = [script for script in scripts if script in searching]  # whose search path is changed
        self._with_search_paths = self._found_with_search_paths() if self._searching else {}

    def may_run(self, path: str) -> Set[str]:
        """Return the files whose programs may contain a file; all scripts whose programs do are among them."""
        found = self._leading_to((path,)).keys() | self._open
        if self._searching:
            leading = reachable((path,), lambda file: self._with_search_paths.get(file, ()))
            found = found.union(script for script in self._searching if script in leading)
        return found

    def _differing(self, scripts: Set[str]) -> Iterator[str]:
        """Yield the scripts that lead to a file whose imports find something else where the script stands."""
        for (top, home), files in self._at.items():
            for script in scripts & self._leading_to(files).keys():
                directory = os.path.dirname(script)
                if directory != home and self.imports.offered_by(directory, top):
                    yield script

    def _found_with_search_paths(self) -> dict[str, list[str]]:
        """Return the files with those that may import them in the programs of scripts that change the search path.

        Each directory that one of these adds, or stands in, counts for all of them.
        """
        starts = {os.path.dirname(script) for script in self._searching}
        directories, more = set[str](), starts
        while not more <= directories:
            directories |= more
            of = self._found_with(directories)
            more = {
                directory
                for file in filter(self.imports.changes_search_path, of)
                for start in {*starts, os.path.dirname(file)}
                for directory, _ in self.imports.added(file, start, start == os.path.dirname(file))
            }
        return of

    def _found_with(self, directories: Set[str]) -> dict[str, list[str]]:
        """Return the files that the scripts reach where a search path may have some directories, with the importers."""
        offering: dict[tuple[str, str], list[str]] = {}
        of: dict[str, list[str]] = {script: [] for script in self._searching}

        def imported(file: str) -> Iterator[str]:
            roots = dict[str, None]()
            for top, home in self.imports.homes_of(file).items():
                if (top, home) not in offering:
                    elsewhere = (each for each in directories if each != home and self.imports.offered_by(each, top))
                    offering[top, home] = sorted(elsewhere)
                roots.update(dict.fromkeys(offering[top, home]))
            found = (self.imports.usual(file), *(self.imports.imported(file, (root,)) for root in roots))
            for each in dict.fromkeys(path for paths in found for path in paths):
                of.setdefault(each, []).append(file)
                yield each

        reachable(self._searching, imported)
        return of

    def _leading_to(self, files: Iterable[str]) -> dict[str, None]:
        """Return some files with all that import them, directly or not."""
        return reachable(files, lambda file: self._of.get(file, ()))
