"""The import graph: local modules, the module search path of a program, and all files that an entry script imports.

A program searches the directory of its entry script and what its files add to `sys.path`. Other modules are looked up
in the directories above the importing file, up to the project's root: any of them may be the working directory, on
`PYTHONPATH`, or installed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, Optional

from ms_perflint.core.facts import fact
from ms_perflint.core.files import GIT, Files
from ms_perflint.core.graphs import reachable
from ms_perflint.core.internal import Errors
from ms_perflint.core.source import NAME
from ms_perflint.resolve import computed_imports, standard_library
from ms_perflint.resolve.import_statements import Import, imports, is_computing, statements, taken, text
from ms_perflint.resolve.search_path import Additions, additions

MARKERS = frozenset({GIT, "pyproject.toml", "setup.py", "setup.cfg"})  # of a project's root
SETTINGS = frozenset({"pyproject.toml"})  # the one of them that may say nothing of a project
OURS, PROJECT = b"[tool.ms-perflint", (b"[project]", b"[build-system]", b"[tool.poetry]")  # tables in it
_NEVER_LOCAL = frozenset({"mindspore", "__init__", "__main__", *standard_library.ALWAYS})

Roots = tuple[str, ...]  # the search path of a program


class Located(NamedTuple):
    """The local files that an import runs, packages first, and the file of the module itself."""

    files: tuple[str, ...] = ()
    module: Optional[str] = None
    is_namespace: bool = False  # a directory without `__init__.py`, which runs nothing


NOT_LOCAL = Located()


class Usual(NamedTuple):
    """What a file imports, directly or not, where the search path does not matter."""

    files: frozenset[str]  # with the file itself
    homes: frozenset[tuple[str, str]]  # the first words of their absolute imports, with the directories that hold these


class Imports:
    """The imports of a project. Files are scanned as bytes; only those that change `sys.path` are parsed."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.raw: Callable[[str], Optional[bytes]] = lambda path: None  # the bytes of a file as its project has them
        self.errors = Errors()  # as its project has them
        self.facts: dict[tuple[object, ...], Any] = {}
        self._statements: dict[str, tuple[Import, ...]] = {}
        self._configs: dict[str, tuple[str, ...]] = {}  # the config files that these files name, where they name some
        self._computing: set[str] = set()  # the files that import computed names, among those that were scanned
        self._additions: dict[str, Additions] = {}  # of the files that change `sys.path`, among those that were scanned
        self._usual: dict[str, Usual] = {}  # of files that others import
        self._same: dict[Usual, Usual] = {}  # each once: the files of a package mostly reach the same

    @property
    def scanned(self) -> frozenset[str]:
        """Return the scanned files."""
        return frozenset(self._statements)

    # --- one name

    @fact
    def ancestors(self, directory: str) -> tuple[str, ...]:
        """Return a directory and those above it that are no packages, up to the project's root.

        Without a marked root, they are all directories above it.
        """
        found = [directory]
        while not self.is_root(found[-1]) and os.path.dirname(found[-1]) != found[-1]:
            found.append(os.path.dirname(found[-1]))
        return tuple(found)

    @fact
    def is_root(self, directory: str) -> bool:
        """Return whether a directory is marked as the root of a project."""
        names = self.files.named(directory, "__init__.py", *MARKERS)
        marks = names & MARKERS
        if marks == SETTINGS and self._holds_settings(os.path.join(directory, *SETTINGS)):
            marks = frozenset()
        if GIT in marks and self.files.is_submodule(directory):
            marks -= {GIT}
        return bool(marks) and ("__init__.py" not in names or GIT in marks)

    def _holds_settings(self, path: str) -> bool:
        """Return whether a file that could mark a root only holds settings of the linter for a part of a project."""
        raw = self.raw(path) or b""
        return OURS in raw and not any(table in raw for table in PROJECT)

    @fact
    def locate(self, directory: str, asked: Import, roots: Roots = ()) -> Located:
        """Return the files of an import in a file of a directory, in a program with a search path."""
        parts = asked.dotted.split(".") if asked.dotted else []
        if asked.level:
            for _ in range(asked.level - 1):
                directory = os.path.dirname(directory)
            return self._inside(directory, parts)
        if not parts or parts[0] in _NEVER_LOCAL:
            return NOT_LOCAL
        is_standard = parts[0] in standard_library.NAMES
        namespace = NOT_LOCAL
        for base in roots if is_standard else dict.fromkeys((*roots, *self.ancestors(directory))):
            if not self.offered_by(base, parts[0]):
                continue
            found = self._descend(base, parts)
            if found.files:
                return found
            if found.is_namespace and not namespace.is_namespace and not is_standard:
                namespace = found
        return namespace

    def _inside(self, package: str, parts: list[str]) -> Located:
        """Return the files of a name that is relative to the package in a directory."""
        below = self._descend(package, parts)
        if not self.is_package(package):
            return below
        init = os.path.join(package, "__init__.py")
        return Located((init, *below.files), below.module if parts else init, below.is_namespace)

    def _descend(self, base: str, parts: list[str]) -> Located:
        """Return the files of `a.b.c` under a directory that exist; none where the first does not."""
        found: list[str] = []
        module, is_namespace = None, False
        for position, part in enumerate(parts):
            names = self.offered_by(base, part)
            base = os.path.join(base, part)
            module, is_namespace = None, False
            if part in names and self.is_package(base):
                module = os.path.join(base, "__init__.py")
                found.append(module)
            elif part + ".py" in names:
                found.append(base + ".py")
                module = base + ".py" if position == len(parts) - 1 else None
                break
            elif part in names and self._is_namespace(base, parts[position + 1 :]):
                is_namespace = True
            else:
                break
        return Located(tuple(found), module, is_namespace)

    def _is_namespace(self, directory: str, rest: list[str]) -> bool:
        """Return whether a directory is a namespace package: it holds modules, or the next part of the name."""
        if rest:
            return bool(self.offered_by(directory, rest[0]))
        return bool(self.files.named(directory, "*.py") or self.files.named(directory, "*/*.py"))

    @fact
    def is_package(self, directory: str) -> bool:
        """Return whether a directory is a package."""
        return bool(self.files.named(directory, "__init__.py"))

    @fact
    def offered_by(self, directory: str, word: str) -> frozenset[str]:
        """Return the entries of a directory that may be imported by a word: a folder, a file, or both."""
        return self.files.named(directory, word, f"{word}.py")

    # --- one file

    def statements(self, path: str) -> tuple[Import, ...]:
        """Return the imports of a file that may be local, with members of modules, found by a scan of its bytes."""
        if path not in self._statements:
            nothing: tuple[Import, ...] = ()
            self._statements[path] = self.errors.guard(path, partial(self._scanned, path), nothing)
        return self._statements[path]

    def _scanned(self, path: str) -> tuple[Import, ...]:
        raw = self.raw(path) or b""
        asked = (each for each in imports(raw) if each.level or each.top not in _NEVER_LOCAL)
        statements = tuple(dict.fromkeys((*asked, *self._searched(path, raw))))
        found = additions(path, raw)
        if found is not None:
            self._additions[path] = found
        configs = computed_imports.configs(raw)
        if configs:
            self._configs[path] = configs
        if is_computing(raw):
            self._computing.add(path)
        return statements

    def _searched(self, path: str, raw: bytes) -> Iterator[Import]:
        """Yield the modules of folders of which a file may import any."""
        directory = os.path.dirname(path)
        for package, start in computed_imports.searched(raw):
            bases = self.ancestors(directory) if package or start else (directory,)
            inside = (self.files.named(os.path.join(base, *filter(None, package.split("."))), "*.py") for base in bases)
            found = (computed_imports.modules(names, start) for names in inside)
            for name in next(filter(None, found), []):
                yield Import(0, f"{package}.{name}" if package else name) if package or start else Import(1, name)

    @fact
    def taken(self, path: str, package: str) -> tuple[frozenset[str], frozenset[bytes]]:
        """Return the full names that a file may import from a package, and the names that it may bind to them.

        A scan of the bytes finds them: all that the file imports, and possibly more.
        """
        return taken(self.raw(path) or b"", package)

    @fact
    def words(self, path: str) -> frozenset[str]:
        """Return all words of the import statements of a file, those of MindSpore's too; `*` for a star."""
        parts = [part for statement in statements(self.raw(path) or b"") for part in statement]
        stars = {"*"} if any(part.lstrip(b"( \t").startswith(b"*") for part in parts) else set[str]()
        return frozenset(text(word) for part in parts for word in re.findall(NAME, part)).union(stars)

    @fact
    def imported(self, path: str, roots: Roots) -> tuple[str, ...]:
        """Return the local files that a file imports in a program with this search path."""
        return self._found(path, () if self._is_usual(path, roots) else roots)

    def usual(self, path: str) -> tuple[str, ...]:
        """Return the local files that a file imports in a program whose search path does not matter."""
        return self._found(path, ())

    def changes_search_path(self, path: str) -> bool:
        """Return whether a file changes the search path of its program."""
        self.statements(path)  # which scans it
        return path in self._additions

    @fact
    def added(self, path: str, start: str, is_entry: bool) -> tuple[tuple[str, bool], ...]:
        """Return the directories that a file adds to the search path, and whether each is put first.

        `start`: the directory of the entry script of the program.
        """
        return tuple(self._additions[path].directories(start, is_entry)) if self.changes_search_path(path) else ()

    def configs(self, path: str) -> tuple[str, ...]:
        """Return the config files that a file names and that may name modules."""
        self.statements(path)
        return self._configs.get(path, ())

    def computes_names(self, path: str) -> bool:
        """Return whether a file imports computed names."""
        self.statements(path)
        return path in self._computing

    def names_modules(self, path: str, directories: Iterable[str]) -> bool:
        """Return whether a file names a config file, in its directory or one of these, that names modules."""
        self.statements(path)
        return any(True for _ in self._named_in(path, directories))

    @fact
    def _found(self, path: str, roots: Roots) -> tuple[str, ...]:
        """Return the local files that a file imports; shared between programs whose search path does not matter."""
        directory, homes, asked = os.path.dirname(path), self.homes_of(path), self.statements(path)
        if not roots:  # what lies nowhere above needs no look
            asked = tuple(each for each in asked if each.level or homes.get(each.top))
        found = (file for each in asked for file in self.locate(directory, each, roots).files)
        return tuple(file for file in dict.fromkeys(found) if file != path)

    @fact
    def _is_usual(self, path: str, roots: Roots) -> bool:
        """Return whether a search path does not change what the imports of a file find."""
        return self._are_in_place(self.homes_of(path).items(), roots)

    def _are_in_place(self, homes: Iterable[tuple[str, str]], roots: Roots) -> bool:
        """Return whether what a search path offers under the first words of imports is where these find it anyway."""
        return all(home == root for root in roots for top, home in homes if self.offered_by(root, top))

    @fact
    def homes_of(self, path: str) -> dict[str, str]:
        """Return the directories above a file that hold the first words of its absolute imports; "" for none."""
        above = self.ancestors(os.path.dirname(path))
        homes = {}
        for top in {asked.top for asked in self.statements(path)} - {"", *_NEVER_LOCAL}:
            is_standard = top in standard_library.NAMES
            homes[top] = "" if is_standard else next((base for base in above if self.offered_by(base, top)), "")
        return homes

    # --- one program

    def closure(self, entry: str) -> frozenset[str]:
        """Return a file and all local files that it imports, directly or not."""
        return self._program(entry)[0]

    def roots(self, entry: str) -> Roots:
        """Return the search path of the program of an entry script."""
        return self._program(entry)[1]

    @fact
    def told_apart(self, entry: str) -> Roots:
        """Return the search path of a program; () where it does not change what the import statements find.

        Programs with () share what names denote; most programs of a project have it.
        """
        files, roots = self._program(entry)
        homes = {home for path in files for home in self.homes_of(path).items()}
        return () if self._are_in_place(homes, roots) else roots

    @fact
    def _program(self, entry: str) -> tuple[frozenset[str], Roots]:
        alone: tuple[frozenset[str], Roots] = (frozenset((entry,)), (os.path.dirname(entry),))
        return self.errors.guard(entry, partial(self._closed, entry), alone)

    def _closed(self, entry: str) -> tuple[frozenset[str], Roots]:
        start: Roots = (os.path.dirname(entry),)
        roots, tried = start, set[Roots]()
        while roots not in tried:
            tried.add(roots)
            files = self._reach(entry, roots)
            found = self._search_path(entry, files)
            if found == roots:
                return frozenset(files), roots
            roots = found
        # a directory that is put first hides the files that lead to its addition: these run before, and find their own
        roots, found = (), start
        while found != roots:
            roots = found
            files = self._reach(entry, roots)
            found = tuple(dict.fromkeys((*roots, *self._search_path(entry, files))))
        return frozenset(files), roots

    def _reach(self, entry: str, roots: Roots) -> Collection[str]:
        """Return a file and all files that it imports with a search path.

        Also those that config files name, if one of them imports computed names.
        """
        start = [entry]
        while True:
            found = self._imported_by(start, roots)
            more = [path for path in self._named(entry, found, roots) if path not in found]
            if not more:
                return found
            start += more

    def _imported_by(self, start: Sequence[str], roots: Roots) -> Collection[str]:
        """Return some files and all that they import with a search path."""
        usual = [self._usual_of(path) for path in start]
        homes = {home for each in usual for home in each.homes}
        if self._are_in_place(homes, roots):
            return frozenset[str]().union(*(each.files for each in usual))
        return self._imported_with(start, roots)

    def _imported_with(self, start: Sequence[str], roots: Roots) -> Collection[str]:
        """Return some files and all that they import with a search path that may change what these imports find."""
        moved: dict[tuple[str, str], bool] = {}  # first words that the search path offers elsewhere

        def imported(path: str) -> tuple[str, ...]:
            homes = self.homes_of(path).items()
            for home in homes:
                if home not in moved:
                    moved[home] = not self._are_in_place((home,), roots)
            return self._found(path, roots if any(moved[home] for home in homes) else ())

        return reachable(start, imported)

    def _usual_of(self, path: str) -> Usual:
        """Return what a file imports, by what the files that it imports do."""
        imported = [self._usual_behind(each) for each in self.usual(path)]
        files = frozenset((path,)).union(*(each.files for each in imported))
        return Usual(files, frozenset(self.homes_of(path).items()).union(*(each.homes for each in imported)))

    def _usual_behind(self, path: str) -> Usual:
        """Return what a file that others import imports; what is known of those behind it is not looked up again."""
        if path not in self._usual:
            files: set[str] = set()
            homes: set[tuple[str, str]] = set()
            todo = [path]
            while todo:
                each = todo.pop()
                known = self._usual.get(each)
                if known is not None:
                    files |= known.files
                    homes |= known.homes
                elif each not in files:
                    files.add(each)
                    homes.update(self.homes_of(each).items())
                    todo.extend(self.usual(each))
            found = Usual(frozenset(files), frozenset(homes))
            self._usual[path] = self._same.setdefault(found, found)
        return self._usual[path]

    @fact
    def named(self, entry: str) -> list[str]:
        """Return the files of modules that the config files of a program name."""
        files, roots = self._program(entry)
        return self._named(entry, sorted(files), roots)

    def _named(self, entry: str, files: Collection[str], roots: Roots) -> list[str]:
        """Return the files of modules that the config files of some files name; none where no name is computed."""
        found: dict[str, None] = {}
        start = os.path.dirname(entry)
        naming = [path for path in files if path in self._configs] if not self._computing.isdisjoint(files) else []
        for path in naming:
            for asked in self._named_in(path, self.ancestors(start)):
                located = self.locate(start, asked, roots)
                found.update(dict.fromkeys(located.files if located.module is not None else ()))
        return list(found)

    def _named_in(self, path: str, directories: Iterable[str]) -> Iterator[Import]:
        """Yield the modules that the config files of a file name, in its directory or one of these."""
        for name in self.configs(path):
            for home in dict.fromkeys((os.path.dirname(path), *directories)):
                yield from self._targets(os.path.normpath(os.path.join(home, name)))

    @fact
    def _targets(self, path: str) -> tuple[Import, ...]:
        """Return the modules that a config file names; none where it does not exist."""
        is_there = bool(self.files.named(*os.path.split(path)))
        return tuple(computed_imports.targets(self.raw(path) or b"")) if is_there else ()

    def _search_path(self, entry: str, files: Collection[str]) -> Roots:
        """Return the directory of an entry script, and what files of its program add before and behind it.

        The entry script comes first, then the others by their paths.
        """
        start = os.path.dirname(entry)
        roots = [start]
        for path in sorted(self._additions.keys() & files, key=lambda path: (path != entry, path)):
            for directory, first in self.added(path, start, path == entry):
                roots.insert(0 if first else len(roots), directory)
        return tuple(dict.fromkeys(roots))
