"""What a program offers to those modules of this package that it is itself made with."""

from __future__ import annotations

from typing import Protocol

from ms_perflint.semantics.database import Files
from ms_perflint.semantics.files.imports import Roots
from ms_perflint.semantics.module import Scope, Site


class Calls(Files, Protocol):
    """The files of a program, and which of their functions a call enters."""

    roots: Roots  # where its imports are looked for

    def callees(self, site: Site) -> tuple[Scope, ...]:
        """Return the functions of the project that a call enters; where that is open, the few that it may enter."""
