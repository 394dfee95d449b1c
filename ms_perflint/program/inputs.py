"""A program as its queries see it: they rest on what they ask of it, which is noted."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Optional, TypeVar, Union

from ms_perflint.core.findings import Place
from ms_perflint.index.semantic_index import Binding, ImportStatement, Scope, SemanticIndex, Site
from ms_perflint.infer.commandline import Given, Setting
from ms_perflint.infer.queries import Queries
from ms_perflint.infer.values import Tree
from ms_perflint.resolve.imports import Roots
from ms_perflint.resolve.project import Project
from ms_perflint.resolve.resolver import Namespace

if TYPE_CHECKING:
    from ms_perflint.infer.evaluate import ProgramEvaluator
    from ms_perflint.program.callers import Partials
    from ms_perflint.program.program import Program

Answer = TypeVar("Answer")


class Inputs:
    """What the queries of a program ask of it."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.names = Names(program)

    def _asked(self, method: Callable[..., Answer], *arguments: object) -> Answer:
        """Return what a method of the program tells, which can be asked again in another program."""
        found: Answer = self.queries.input(method.__name__, *arguments)
        return found

    @property
    def version(self) -> tuple[int, ...]:
        """Return the MindSpore version that the program is for."""
        return self.queries.input("known_version")  # type: ignore[no-any-return]

    # --- the same in all programs

    @property
    def project(self) -> Project:
        """Return all files that were read."""
        return self._program.project

    def module(self, path: str) -> Optional[SemanticIndex]:
        """Return a module; None when it cannot be parsed."""
        return self._program.module(path)

    # --- files

    def is_entry(self, path: str) -> bool:
        """Return whether a file is the entry script."""
        return self._asked(self._program.is_entry, path)

    def has_file(self, path: str) -> bool:
        """Return whether a file is one of the program."""
        return self._asked(self._program.has_file, path)

    def import_target(
        self, module: SemanticIndex, dotted: str, level: int
    ) -> Union[SemanticIndex, Namespace, str, None]:
        """Return the module that an import names; a dotted name outside; None for one that is not there."""
        return self._asked(self._program.import_target, module, dotted, level)

    def naming(self, word: str) -> tuple[SemanticIndex, ...]:
        """Return the modules of the files that have a word in them, by their bytes."""
        return self._asked(self._program.naming, word)

    # --- code

    def sites(self, word: str) -> Sequence[Site]:
        """Return the call sites whose callee may be something named `word`."""
        return self._asked(self._program.sites, word)

    def call_sites(self, function: Scope) -> tuple[Site, ...]:
        """Return the sites that may call a function, or make an object of a class, but for those of its groups."""
        return self._asked(self._program.call_sites, function)

    def groups(self, function: Scope) -> tuple[Union[str, int], ...]:
        """Return the groups of sites that may do so too: by a name that is worked out, or many at once."""
        return self._asked(self._program.groups, function)

    def group(self, name: Union[str, int]) -> tuple[Site, ...]:
        """Return the sites of a group."""
        return self._asked(self._program.group, name)

    def direct_sites(self, function: Scope) -> list[Site]:
        """Return the sites that may do so under its own name."""
        return self._asked(self._program.direct_sites, function)

    def instance_sites(self, cls: Scope) -> tuple[Site, ...]:
        """Return the sites that may call an object of a class."""
        return self._asked(self._program.instance_sites, cls)

    def decorated_by(self, word: str) -> Sequence[Scope]:
        """Return what decorators decorate that may be something named `word`."""
        return self._asked(self._program.decorated_by, word)

    def bases_named(self, cls: Scope) -> list[tuple[Scope, list[ast.expr]]]:
        """Return the other classes that have bases with the name of a class, and these bases."""
        return self._asked(self._program.bases_named, cls)

    def has_partials(self, name: str) -> bool:
        """Return whether a call of `partial` may be given what has a name elsewhere."""
        return self._asked(self._program.has_partials, name)

    def stores(self, name: str) -> tuple[Binding, ...]:
        """Return what running code stores under a name in objects."""
        return self._asked(self._program.stores, name)

    # --- the run

    def tree(self, path: str, module: SemanticIndex) -> Optional[Tree]:
        """Return a config document that a module loads; None where there is none."""
        return self._asked(self._program.tree, path, module)

    def given(self, flags: Iterable[str]) -> tuple[Optional[Given], ...]:
        """Return what each command that starts the entry script gives to an option with these flags."""
        return self._asked(self._program.given, tuple(flags))

    def exported(self, variable: str) -> Optional[tuple[str, Place]]:
        """Return what all launchers put into a variable of the environment; None where they differ."""
        return self._asked(self._program.exported, variable)

    def overrides(self) -> tuple[Setting, ...]:
        """Return the `key=value` among the arguments of the run configuration, each with its place."""
        return self._asked(self._program.overrides)

    def is_one_run(self) -> bool:
        """Return whether one run is judged, and no other: what it is not given has its default."""
        return self._asked(self._program.is_one_run)

    # --- of this program alone: no other one takes over the answer of a query that reads it

    @property
    def paths(self) -> frozenset[str]:
        """Return the paths of the files."""
        self.queries.is_of_program()
        return self._program.paths

    @property
    def modules(self) -> tuple[SemanticIndex, ...]:
        """Return the modules whose code matters, the entry script first."""
        self.queries.is_of_program()
        return self._program.modules

    @property
    def partials(self) -> Partials:
        """Return what the program makes of functions with `partial`."""
        self.queries.is_of_program()
        return self._program.partials

    # --- queries

    @property
    def evaluator(self) -> ProgramEvaluator:
        """Return what evaluates the expressions of the program."""
        return self._program.evaluator

    @property
    def queries(self) -> Queries:
        """Return the answers of the program."""
        return self._program.queries

    def callers(self, function: Scope) -> tuple[Site, ...]:
        """Return the sites that call a function; of a method `__init__`, those that make the class."""
        return self._program.callers(function)

    def derived(self, cls: Scope) -> Sequence[Scope]:
        """Return the classes of the program that derive from a class, directly or not."""
        return self._program.derived(cls)

    def decorated(self, decorator: Scope) -> Iterator[Scope]:
        """Yield what a function, or one that a function around it returns, decorates."""
        return self._program.decorated(decorator)


class Names:
    """What names mean in a program."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def _asked(self, method: Callable[..., Answer], *arguments: object) -> Answer:
        found: Answer = self._program.queries.input(f"names.{method.__name__}", *arguments)
        return found

    @property
    def roots(self) -> Roots:
        """Return where imports are looked for; the answer of a query that reads it is for this program alone."""
        self._program.queries.is_of_program()
        return self._program.names.roots

    def submodule(self, module: SemanticIndex, name: str) -> Union[SemanticIndex, Namespace, None]:
        """Return the module `name` inside of a package."""
        return self._asked(self._program.names.submodule, module, name)

    def may_give(self, module: SemanticIndex, star: ast.ImportFrom, name: str) -> bool:
        """Return whether a star import may give a name."""
        return self._asked(self._program.names.may_give, module, star, name)

    def imported_files(self, stmt: ImportStatement, module: SemanticIndex) -> tuple[str, ...]:
        """Return the files that an import statement runs, unless they have run before."""
        return self._asked(self._program.names.imported_files, stmt, module)
