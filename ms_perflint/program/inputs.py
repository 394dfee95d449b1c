"""A program as its queries see it: they rest on what they ask of it, which is noted."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Optional

from ms_perflint.index.semantic_index import Scope, SemanticIndex, Site
from ms_perflint.infer.database import Database

if TYPE_CHECKING:
    from ms_perflint.infer.evaluate import ProgramEvaluator
    from ms_perflint.program.callers import Partials
    from ms_perflint.program.program import Program


class Inputs(Database):
    """What the queries of a program ask of it, those of the evaluator and others."""

    _program: Program

    @property
    def evaluator(self) -> ProgramEvaluator:
        """Return what evaluates the expressions of the program."""
        return self._program.evaluator

    @property
    def version(self) -> tuple[int, ...]:
        """Return the MindSpore version that the program is for."""
        return self.queries.input("known_version")  # type: ignore[no-any-return]

    def module(self, path: str) -> Optional[SemanticIndex]:
        """Return a module; None when it cannot be parsed: the same in all programs."""
        return self._program.module(path)

    def call_sites(self, function: Scope) -> tuple[Site, ...]:
        """Return the sites that may call a function, or make an object of a class."""
        return self._asked(self._program.call_sites, function)

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

    @property
    def partials(self) -> Partials:
        """Return what the program makes of functions with `partial`; it is of this program alone."""
        self.queries.is_of_program()
        return self._program.partials
