"""The resolver: what names denote across files, for all programs with one search path.

It asks outlines first: only files that bind a name are parsed.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator, Set
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from ms_perflint.core.facts import fact
from ms_perflint.core.graphs import reachable
from ms_perflint.core.source import Source, SourceError
from ms_perflint.index.parsing import parse
from ms_perflint.index.semantic_index import ImportStatement, Scope, SemanticIndex
from ms_perflint.index.syntax_forms import imported_module, imported_packages, run_at_import
from ms_perflint.mindspore_api import exports
from ms_perflint.resolve.import_statements import Import
from ms_perflint.resolve.imports import Located, Roots

if TYPE_CHECKING:
    from ms_perflint.resolve.project import Project

INIT = "__init__.py"
BY_CALL = ("import_module", "__import__")
GONE = 8  # one part of so many of the answers is about evicted modules, before these answers are dropped


class Namespace(NamedTuple):
    """A local directory without `__init__.py`, imported under a name in a module."""

    module: SemanticIndex
    dotted: str
    level: int = 0


class Resolution(NamedTuple):
    """What a name may denote: functions and classes, and the modules that bind it, to these or to something else."""

    scopes: tuple[Scope, ...] = ()
    modules: tuple[SemanticIndex, ...] = ()


NOTHING = Resolution()


class Resolver:
    """The names of programs with one search path; answers are memoised."""

    def __init__(self, project: Project, roots: Roots) -> None:
        self.project = project
        self.roots = roots
        self.facts: dict[tuple[object, ...], Any] = {}
        self._gone: set[object] = set()  # modules and scopes whose answers are to be dropped

    def close(self) -> None:
        """Drop the project and all answers."""
        self.facts.clear()
        del self.project

    def evict(self, module: SemanticIndex) -> None:
        """Drop the answers about a module that no other module imports."""
        self._gone.update((module, *module.scopes))  # a question about these has one of them as its first argument
        if len(self._gone) > len(self.facts) // GONE:  # else it would be done for each module
            self.facts = {asked: answer for asked, answer in self.facts.items() if asked[1] not in self._gone}
            self._gone.clear()

    def import_target(
        self, module: SemanticIndex, dotted: str, level: int, roots: Roots
    ) -> Union[SemanticIndex, Namespace, str, None]:
        """Return the module of an import; a dotted name for one outside of the project; None for a missing one.

        Imports by a call may find more with the search path of the program than statements do.
        """
        found = self.project.imports.locate(module.directory, Import(level, dotted), roots)
        if found.module is not None:
            return self.project.module(found.module)
        if found.is_namespace:
            return Namespace(module, dotted, level)
        return None if level or found.files else dotted

    def _locate(self, directory: str, dotted: str, level: int) -> Located:
        return self.project.imports.locate(directory, Import(level, dotted), self.roots)

    def may_give(self, module: SemanticIndex, star: ast.ImportFrom, name: str) -> bool:
        """Return whether a star import may bind a name; False where the outlines of local modules exclude it."""
        path = self._locate(module.directory, star.module or "", star.level).module
        return path is None or bool(self._among(path, {name})) or self._has_from_mindspore(path, name)

    def _has_from_mindspore(self, path: str, name: str) -> bool:
        """Return whether a file, or one that it imports by a star, may import a name from MindSpore."""
        shown = [each for source, _ in self._binders(path) if (each := self.project.outline(source)) is not None]
        return any(name in each.outside or any(name in exports(star) for star in each.stars) for each in shown)

    def imported_files(self, stmt: ImportStatement, module: SemanticIndex) -> tuple[str, ...]:
        """Return the files that an import statement runs if they have not run before."""
        return self._imported_from(module.directory, stmt)

    def _imported_from(self, directory: str, stmt: ImportStatement) -> tuple[str, ...]:
        names = [imported_module(stmt, alias) for alias in stmt.names]
        if isinstance(stmt, ast.ImportFrom):
            names.insert(0, (stmt.module or "", stmt.level))
        return tuple(file for dotted, level in names for file in self._locate(directory, dotted, level).files)

    @fact
    def at_import(self, path: str) -> tuple[frozenset[str], frozenset[str]]:
        """Return what the import of a file imports in turn: local files, and the first words of other packages.

        No module of the file is held for it.
        """
        try:
            stmts = run_at_import(parse(Source(path, self.project.raw(path) or b"")))
        except SourceError:
            stmts = []
        files = {file for stmt in stmts for file in self._imported_from(os.path.dirname(path), stmt)}
        return frozenset(files), frozenset(package for stmt in stmts for package in imported_packages(stmt))

    def submodule(self, module: SemanticIndex, name: str) -> Union[SemanticIndex, Namespace, None]:
        """Return the module `name` inside of a package."""
        if not module.path.endswith(INIT):
            return None
        found = self.import_target(module, name, 1, self.roots)
        return found if found is not module and not isinstance(found, str) else None

    @fact
    def loaded(self, scope: Scope) -> Resolution:
        """Return what the names that a scope loads may denote, and the members of modules that its file imports."""
        module = scope.module
        names = scope.names & module.named  # most names are local, or of Python
        for path in self._star_files(module):
            names |= self._among(path, scope.names)
        found = [self.resolve(module, name) for name in names]
        found.extend([self.resolve_member(module, attr) for attr in scope.attrs & self.known_members(module)])
        return _together([each for each in found if each is not NOTHING])

    @fact
    def resolve(self, module: SemanticIndex, name: str) -> Resolution:
        """Return what a name of a module may denote, also through imports."""
        if name not in module.named and not any(self._among(path, {name}) for path in self._star_files(module)):
            return NOTHING
        scopes: dict[Scope, None] = {}
        modules: dict[SemanticIndex, None] = {}
        todo, seen = [(module, name)], {(module.path, name)}
        while todo:
            source, word = todo.pop()
            own = source.defined.get(word, ())
            scopes.update((scope, None) for scope in own if scope.cls is None)
            if word in source.scope.bindings and word not in source.imported:
                modules[source] = None
            for target, inner in self._origins(source, word):
                if (target.path, inner) not in seen:
                    seen.add((target.path, inner))
                    todo.append((target, inner))
        return Resolution(tuple(scopes), tuple(modules))

    @fact
    def _star_files(self, module: SemanticIndex) -> tuple[str, ...]:
        """Return the files of the project that a module imports by a star."""
        found = (self._locate(module.directory, star.module or "", star.level).module for star, _ in module.scope.stars)
        return tuple(path for path in found if path is not None)

    def starred(self, module: SemanticIndex) -> list[str]:
        """Return the names of files of the project that star imports may bind in a module, sorted."""
        found = (binds for path in self._star_files(module) for _, binds in self._binders(path))
        return sorted(frozenset().union(*found))

    def _origins(self, module: SemanticIndex, name: str) -> Iterator[tuple[SemanticIndex, str]]:
        """Yield the modules from which a module may import a name, and the name there."""
        for stmt, alias in module.imported.get(name, ()):
            if isinstance(stmt, ast.ImportFrom):
                path = self._locate(module.directory, stmt.module or "", stmt.level).module
                for target in self._binding(path, alias.name) if path is not None else ():
                    yield target, alias.name
        for path in self._star_files(module):
            for target in self._binding(path, name):
                yield target, name

    def _binding(self, path: str, name: str) -> Iterator[SemanticIndex]:
        """Yield the modules that may bind a name of a file: the file itself, or those that it imports by stars."""
        for source, binds in self._binders(path):
            module = self.project.module(source) if name in binds else None
            if module is not None:
                yield module

    def _among(self, path: str, names: Set[str]) -> set[str]:
        """Return those of the names that a file may bind, itself or by a star."""
        return {name for _, binds in self._binders(path) for name in names & binds}

    @fact
    def _binders(self, path: str) -> tuple[tuple[str, frozenset[str]], ...]:
        """Return a file and those that it imports by stars, with the names that each may bind, by their outlines."""
        found: list[tuple[str, frozenset[str]]] = []
        todo, seen = [path], {path}
        while todo:
            source = todo.pop()
            shown = self.project.outline(source)
            if shown is None:
                continue
            found.append((source, shown.binds))
            for star in shown.stars:
                inner = self.project.imports.locate(os.path.dirname(source), Import.of(star), self.roots).module
                if inner is not None and inner not in seen:
                    seen.add(inner)
                    todo.append(inner)
        return tuple(found)

    @fact
    def known_members(self, module: SemanticIndex) -> frozenset[str]:
        """Return the words of a module that may be members of modules that it imports."""
        found = (self._among(path, module.words) for path in self._modules_in(module))
        return frozenset().union(*found)

    @fact
    def resolve_member(self, module: SemanticIndex, attr: str) -> Resolution:
        """Return what `imported_module.attr` may denote in a module."""
        if attr.startswith("__"):  # `__all__.extend(imported_module.__all__)` runs nothing
            return NOTHING
        if attr not in self.known_members(module) and attr in module.words:
            return NOTHING
        targets = (target for path in self._modules_in(module) for target in self._binding(path, attr))
        return _together([self.resolve(target, attr) for target in targets])

    @fact
    def _modules_in(self, module: SemanticIndex) -> tuple[str, ...]:
        """Return the files of the modules that a module binds to names."""
        imports = (each for imports in module.imported.values() for each in imports)
        files = dict.fromkeys([*self._files_of_modules(module, imports), *self.files_by_call(module)])
        return (*reachable(files, lambda path: self._modules_of_package(path, module.words)),)

    def _modules_of_package(self, path: str, words: Set[str]) -> Iterator[str]:
        """Yield the files of the modules that a package binds to some names: `from . import models`."""
        shown = self.project.outline(path) if path.endswith(INIT) else None
        names = shown.binds & words if shown is not None else ()
        package = self.project.module(path) if names else None
        if package is not None:
            yield from self._files_of_modules(
                package, (each for name in names for each in package.imported.get(name, ()))
            )

    def _files_of_modules(self, module: SemanticIndex, imports: Iterable[tuple[ast.stmt, ast.alias]]) -> Iterator[str]:
        """Yield the files of the modules that import statements bind to names."""
        found = (self._locate(module.directory, *imported_module(stmt, alias)).module for stmt, alias in imports)
        return (path for path in found if path is not None)

    def files_by_call(self, module: SemanticIndex) -> tuple[str, ...]:
        """Return the files that a module imports, if it does so by a call, whose result is a module, too."""
        return self.project.imports.imported(module.path, self.roots) if self.imports_by_call(module) else ()

    @fact
    def named_by_call(self, module: SemanticIndex) -> tuple[str, ...]:
        """Return the files that a module imports by a call alone, and no statement binds to a name."""
        stated = (each for imports in module.imported.values() for each in imports)
        bound = set(self._files_of_modules(module, stated)) if self.imports_by_call(module) else set[str]()
        return tuple(path for path in self.files_by_call(module) if path not in bound)

    def imports_by_call(self, module: SemanticIndex) -> bool:
        """Return whether a module may import others by a call."""
        return not module.by_word.keys().isdisjoint(module.aliases(*BY_CALL))


def _together(found: list[Resolution]) -> Resolution:
    """Return several resolutions as one."""
    if len(found) < 2:
        return found[0] if found else NOTHING
    return Resolution(
        tuple(dict.fromkeys([scope for each in found for scope in each.scopes])),
        tuple(dict.fromkeys([module for each in found for module in each.modules])),
    )
