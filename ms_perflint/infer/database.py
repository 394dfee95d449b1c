"""The protocols through which the evaluator asks its program."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Optional, Protocol, Union

from ms_perflint.core.findings import Place
from ms_perflint.index.semantic_index import Binding, ImportStatement, Scope, SemanticIndex, Site
from ms_perflint.infer.alternatives import ConfigDocument
from ms_perflint.infer.changes import Change
from ms_perflint.infer.commandline import Given, Setting
from ms_perflint.languages import Message
from ms_perflint.resolve.imports import Roots
from ms_perflint.resolve.project import Project
from ms_perflint.resolve.resolver import Namespace, Resolver


class Paths(Protocol):
    """The files of a program."""

    @property
    def project(self) -> Project:
        """Return all files that were read."""

    @property
    def paths(self) -> frozenset[str]:
        """Return the paths of the files."""

    @property
    def modules(self) -> tuple[SemanticIndex, ...]:
        """Return the modules whose code matters, the entry script first."""

    def is_entry(self, path: str) -> bool:
        """Return whether a file is the entry script."""

    def has_file(self, path: str) -> bool:
        """Return whether a file is one of the program."""


class Files(Paths, Protocol):
    """The files of a program in order, and the names in them."""

    entry: str  # path of the entry script
    files: tuple[str, ...]  # paths, the entry script's first
    names: Resolver

    def module(self, path: str) -> Optional[SemanticIndex]:
        """Return a module of the program; None when it cannot be parsed."""

    def leave_out(self, reason: Message) -> None:
        """Record why a question is answered in part."""


class Names(Protocol):
    """The names of a program."""

    @property
    def roots(self) -> Roots:
        """Return the module search path."""

    def submodule(self, module: SemanticIndex, name: str) -> Union[SemanticIndex, Namespace, None]:
        """Return the module `name` inside of a package."""

    def may_give(self, module: SemanticIndex, star: ast.ImportFrom, name: str) -> bool:
        """Return whether a star import may give a name."""

    def imported_files(self, stmt: ImportStatement, module: SemanticIndex) -> tuple[str, ...]:
        """Return the files that an import statement runs if they have not run before."""


class Database(Paths, Protocol):
    """A program: its files, call sites, config documents and launchers."""

    @property
    def names(self) -> Names:
        """Return its names."""

    def import_target(
        self, module: SemanticIndex, dotted: str, level: int
    ) -> Union[SemanticIndex, Namespace, str, None]:
        """Return the module of an import; a dotted name for one outside of the project; None for a missing one."""

    def naming(self, word: str) -> tuple[SemanticIndex, ...]:
        """Return the modules of the files that have a word in them, by their bytes."""

    def decorating(self, word: str, decorators: frozenset[str]) -> tuple[SemanticIndex, ...]:
        """Return the modules of these files that may have one of some decorators."""

    def importing(self, word: str, modules: tuple[str, ...]) -> tuple[SemanticIndex, ...]:
        """Return the modules of these files that may import the word, or something of modules with these names."""

    def decorated_by(self, word: str) -> Sequence[Scope]:
        """Return the functions and classes whose decorator may be something named `word`."""

    def sites(self, word: str) -> Sequence[Site]:
        """Return the call sites whose callee may be something named `word`."""

    def touching(self, word: str) -> Sequence[Change]:
        """Return the possible changes of a list or dict whose expression has this last word."""

    def passed_on(self, api: str) -> Sequence[Site]:
        """Return the call sites that may call an API, or what has this word, by another name or out of a container."""

    def callers(self, function: Scope) -> tuple[Site, ...]:
        """Return the sites that call a function; of a method `__init__`, those that make the class."""

    def derived(self, cls: Scope) -> Sequence[Scope]:
        """Return the classes that derive from a class, directly or not."""

    def decorated(self, decorator: Scope) -> Iterator[Scope]:
        """Yield the functions and classes that a function, or the function that it returns, decorates."""

    def stores(self, name: str) -> tuple[Binding, ...]:
        """Return the stores of running code in attributes and items of a name."""

    def all_stores(self, name: str) -> tuple[tuple[Binding, ...], tuple[Binding, ...]]:
        """Return these, and apart the stores in what is reached over more steps: `a.b.c.name = v`, `f().name = v`."""

    def config_document(self, path: str, module: SemanticIndex) -> Optional[ConfigDocument]:
        """Return a config document that a module loads; None where there is none."""

    def given(self, flags: Iterable[str]) -> tuple[Optional[Given], ...]:
        """Return the argument that each launcher of the entry script passes for an option with these flags."""

    def exported(self, variable: str) -> Optional[tuple[str, Place]]:
        """Return the value that all launchers export for an environment variable; None where they differ."""

    def overrides(self) -> tuple[Setting, ...]:
        """Return the `key=value` among the arguments of the run configuration, each with its place."""

    def is_one_run(self) -> bool:
        """Return whether a single run is checked: an option that it does not pass has its default."""
