"""Trainings that run from a new Model to their end: the loops around them are no training loops."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Optional

from ms_perflint.programs.site import Call
from ms_perflint.semantics.module import Site
from ms_perflint.semantics.values import Instance

if TYPE_CHECKING:
    from ms_perflint.programs.program import Program


def makes_model_in(program: Program, site: Site, loop: Optional[ast.AST]) -> bool:
    """Return whether a `Model.train` of several epochs trains a Model that is made anew on each pass of a loop.

    Without a loop: on each call of the function in which the site stands.
    """
    if not isinstance(site, Call) or not site.given("epoch"):
        return False
    epochs = site.argument("epoch")
    if epochs.open or not epochs.usual or not all(_is_several(known.constant) for known in epochs.usual):
        return False
    known = site.receiver
    node = known.what.node if known is not None and isinstance(known.what, Instance) else None
    if node is None or (loop is None and not site.scope.owner.is_function):
        return False
    around = loop if loop is not None else site.scope.owner.node
    return any(part is node for part in ast.walk(around))


def _is_several(epochs: object) -> bool:
    return isinstance(epochs, int) and epochs > 1
