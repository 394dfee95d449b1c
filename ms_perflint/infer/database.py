"""What the evaluator asks of the program in which it evaluates: queries rest on that, so it is noted."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Optional, Protocol, TypeVar, Union

from ms_perflint.core.findings import Place
from ms_perflint.index.semantic_index import Binding, ImportStatement, Scope, SemanticIndex, Site
from ms_perflint.infer.commandline import Given
from ms_perflint.infer.queries import Queries
from ms_perflint.infer.values import Tree
from ms_perflint.languages import Message
from ms_perflint.resolve.imports import Roots
from ms_perflint.resolve.project import Project
from ms_perflint.resolve.resolver import Namespace, Resolver

Answer = TypeVar("Answer")


class Files(Protocol):
    """The files of a program, and the names in them."""

    entry: str  # path of the entry script
    files: tuple[str, ...]  # paths, the entry script's first
    paths: frozenset[str]  # the same, to look one up
    project: Project
    names: Resolver

    def is_entry(self, path: str) -> bool:
        """Return whether a file is the entry script."""

    def has_file(self, path: str) -> bool:
        """Return whether a file is one of the program."""

    def module(self, path: str) -> Optional[SemanticIndex]:
        """Return a module of the program; None when it cannot be parsed."""

    def leave_out(self, reason: Message) -> None:
        """Note why a question is answered in part."""

    @property
    def modules(self) -> tuple[SemanticIndex, ...]:
        """Return the modules whose code matters, the entry script first."""


class Names:
    """What names mean in a program."""

    def __init__(self, program: Any) -> None:
        self._program = program

    def _asked(self, method: Callable[..., Answer], *arguments: object) -> Answer:
        found: Answer = self._program.queries.input(f"names.{method.__name__}", *arguments)
        return found

    @property
    def roots(self) -> Roots:
        """Return where imports are looked for; the answer of a query that reads it is for this program alone."""
        self._program.queries.is_of_program()
        found: Roots = self._program.names.roots
        return found

    def submodule(self, module: SemanticIndex, name: str) -> Union[SemanticIndex, Namespace, None]:
        """Return the module `name` inside of a package."""
        return self._asked(self._program.names.submodule, module, name)  # type: ignore[no-any-return]

    def may_give(self, module: SemanticIndex, star: ast.ImportFrom, name: str) -> bool:
        """Return whether a star import may give a name."""
        return self._asked(self._program.names.may_give, module, star, name)  # type: ignore[no-any-return]

    def imported_files(self, stmt: ImportStatement, module: SemanticIndex) -> tuple[str, ...]:
        """Return the files that an import statement runs, unless they have run before."""
        return self._asked(self._program.names.imported_files, stmt, module)


class Database:
    """A program: its files, its call sites, its config documents and the commands that start it."""

    def __init__(self, program: Any) -> None:
        self._program = program
        self.project: Project = program.project  # all files that were read
        self.names = Names(program)

    def _asked(self, method: Callable[..., Answer], *arguments: object) -> Answer:
        """Return what a method of the program tells, which can be asked again in another program."""
        found: Answer = self.queries.input(method.__name__, *arguments)
        return found

    @property
    def queries(self) -> Queries:
        """Return the answers of the program."""
        found: Queries = self._program.queries
        return found

    # --- files

    def is_entry(self, path: str) -> bool:
        """Return whether a file is the entry script."""
        return self._asked(self._program.is_entry, path)  # type: ignore[no-any-return]

    def has_file(self, path: str) -> bool:
        """Return whether a file is one of the program."""
        return self._asked(self._program.has_file, path)  # type: ignore[no-any-return]

    def import_target(
        self, module: SemanticIndex, dotted: str, level: int
    ) -> Union[SemanticIndex, Namespace, str, None]:
        """Return the module that an import names; a dotted name outside; None for one that is not there."""
        return self._asked(self._program.import_target, module, dotted, level)  # type: ignore[no-any-return]

    def naming(self, word: str) -> tuple[SemanticIndex, ...]:
        """Return the modules of the files that have a word in them, by their bytes."""
        return self._asked(self._program.naming, word)

    # --- code

    def sites(self, word: str) -> Sequence[Site]:
        """Return the call sites whose callee may be something named `word`."""
        return self._asked(self._program.sites, word)

    def stores(self, name: str) -> tuple[Binding, ...]:
        """Return what running code stores under a name in objects."""
        return self._asked(self._program.stores, name)

    # --- the run

    def tree(self, path: str, module: SemanticIndex) -> Optional[Tree]:
        """Return a config document that a module loads; None where there is none."""
        return self._asked(self._program.tree, path, module)  # type: ignore[no-any-return]

    def given(self, flags: Iterable[str]) -> tuple[Optional[Given], ...]:
        """Return what each command that starts the entry script gives to an option with these flags."""
        return self._asked(self._program.given, tuple(flags))

    def exported(self, variable: str) -> Optional[tuple[str, Place]]:
        """Return what all launchers put into a variable of the environment; None where they differ."""
        return self._asked(self._program.exported, variable)  # type: ignore[no-any-return]

    def overrides(self) -> tuple[tuple[str, str, Place], ...]:
        """Return the `key=value` among the arguments of the run configuration, each with its place."""
        return self._asked(self._program.overrides)

    def is_one_run(self) -> bool:
        """Return whether one run is judged, and no other: what it is not given has its default."""
        return self._asked(self._program.is_one_run)  # type: ignore[no-any-return]

    # --- of this program alone: no other one takes over the answer of a query that reads it

    @property
    def paths(self) -> frozenset[str]:
        """Return the paths of the files."""
        self.queries.is_of_program()
        found: frozenset[str] = self._program.paths
        return found

    @property
    def modules(self) -> tuple[SemanticIndex, ...]:
        """Return the modules whose code matters, the entry script first."""
        self.queries.is_of_program()
        found: tuple[SemanticIndex, ...] = self._program.modules
        return found

    # --- queries

    def callers(self, function: Scope) -> tuple[Site, ...]:
        """Return the sites that call a function; of a method `__init__`, those that make the class."""
        found: tuple[Site, ...] = self._program.callers(function)
        return found

    def derived(self, cls: Scope) -> Sequence[Scope]:
        """Return the classes of the program that derive from a class, directly or not."""
        found: Sequence[Scope] = self._program.derived(cls)
        return found

    def decorated(self, decorator: Scope) -> Iterator[Scope]:
        """Return what a function, or one that a function around it returns, decorates."""
        found: Iterator[Scope] = self._program.decorated(decorator)
        return found
