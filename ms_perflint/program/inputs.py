"""A program as its queries see it: they rest on what they ask of it, which is noted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Optional

from ms_perflint.index.semantic_index import Scope, SemanticIndex, Site
from ms_perflint.infer.commandline import Given
from ms_perflint.infer.queries import Queries
from ms_perflint.resolve.project import Project

if TYPE_CHECKING:
    from ms_perflint.infer.evaluate import ProgramEvaluator

# Methods of a program, and of what its names mean, that ask no queries and can be asked again in another program
ASKED = frozenset(
    {
        "import_target", "is_entry", "has_file", "naming", "sites", "stores", "tree", "exported", "overrides",
        "is_one_run", "call_sites", "direct_sites", "instance_sites", "decorated_by", "bases_named", "has_partials",
    }
)  # fmt: skip
OF_NAMES = frozenset({"submodule", "may_give", "imported_files"})


class Inputs:
    """What the queries of a program ask of it.

    All that is not offered here is the program's too, but the answer of a query that reads it is for that one alone.
    """

    def __init__(self, program: Any) -> None:
        self._program = program
        self.names = _Names(program)

    def __getattr__(self, name: str) -> Any:
        if name in ASKED:
            return partial(self.queries.input, name)
        self.queries.is_of_program()
        return getattr(self._program, name)

    def given(self, flags: Iterable[str]) -> tuple[Optional[Given], ...]:
        """Return what each command that starts the entry script gives to an option with these flags."""
        return self.queries.input("given", tuple(flags))  # type: ignore[no-any-return]

    @property
    def version(self) -> tuple[int, ...]:
        """Return the MindSpore version that the program is for."""
        return self.queries.input("known_version")  # type: ignore[no-any-return]

    # --- the same in all programs

    @property
    def project(self) -> Project:
        """Return all files that were read."""
        return self._program.project  # type: ignore[no-any-return]

    def module(self, path: str) -> Optional[SemanticIndex]:
        """Return a module; None when it cannot be parsed."""
        return self._program.module(path)  # type: ignore[no-any-return]

    # --- queries

    @property
    def evaluator(self) -> ProgramEvaluator:
        """Return what evaluates the expressions of the program."""
        return self._program.evaluator  # type: ignore[no-any-return]

    @property
    def queries(self) -> Queries:
        """Return the answers of the program."""
        return self._program.queries  # type: ignore[no-any-return]

    def callers(self, function: Scope) -> tuple[Site, ...]:
        """Return the sites that call a function; of a method `__init__`, those that make the class."""
        return self._program.callers(function)  # type: ignore[no-any-return]

    def derived(self, cls: Scope) -> tuple[Scope, ...]:
        """Return the classes of the program that derive from a class, directly or not."""
        return self._program.derived(cls)  # type: ignore[no-any-return]

    def decorated(self, decorator: Scope) -> Iterator[Scope]:
        """Yield what a function, or one that a function around it returns, decorates."""
        return self._program.decorated(decorator)  # type: ignore[no-any-return]


class _Names:
    """What names mean in a program."""

    def __init__(self, program: Any) -> None:
        self._program = program

    def __getattr__(self, name: str) -> Any:
        if name in OF_NAMES:
            return partial(self._program.queries.input, f"names.{name}")
        self._program.queries.is_of_program()
        return getattr(self._program.names, name)
