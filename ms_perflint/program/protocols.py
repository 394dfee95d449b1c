"""What a program offers to those modules of this package that it is itself made with."""

from __future__ import annotations

from typing import Protocol

from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.infer.database import Files
from ms_perflint.resolve.imports import Roots


class Calls(Files, Protocol):
    """The files of a program, and which of their functions a call enters."""

    roots: Roots  # where its imports are looked for

    def callees(self, site: Site) -> tuple[Scope, ...]:
        """Return the functions of the project that a call enters; where that is open, the few that it may enter."""

    def may_run(self, site: Site) -> bool:
        """Return whether no condition around a call is always false."""
