"""The loops that take the training steps by hand: `for batch in train_set: step(*batch)`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.program.program import Program, fact
from ms_perflint.training.training import MODEL_TRAINS, callers, train_sites

DEPTH = 3  # functions between a loop and the step that it takes
# Of what is gone through, one training after the other: such a loop takes no steps
_TRAININGS = r"(?i)fold|stage|phase|ensemble|seeds?\b|trial|learners?\b|models?\b|networks?\b|nets?\b|task"


class StepLoop(NamedTuple):
    """A loop, a call in it that takes a step of the training, and the function, class or module it stands in."""

    loop: ast.AST
    site: Site
    scope: Scope


@fact
def step_loops(program: Program) -> tuple[StepLoop, ...]:
    """Return the innermost loops around each step that is taken by hand; steps of `Model.train` are not."""
    found: dict[tuple[int, int], StepLoop] = {}
    whole = {id(call.node) for call in program.calls(*MODEL_TRAINS)}
    for site in train_sites(program):
        if id(site.node) not in whole:
            for each in _around(program, site, DEPTH):
                found.setdefault((id(each.loop), id(each.site.node)), each)
    return tuple(found.values())


def _around(program: Program, site: Site, depth: int) -> Iterator[StepLoop]:
    """Yield the innermost loops around a site, in its function or in those that call it."""
    if site.block.loops:
        loop = site.block.loops[0]
        if not isinstance(loop, ast.For) or not re.search(
            _TRAININGS, ast.unparse(loop.target) + ast.unparse(loop.iter)
        ):
            yield StepLoop(loop, site, site.scope.owner)
    elif depth and site.scope.owner.is_function:
        for caller in callers(program, site.scope.owner):
            if program.runs(caller):
                yield from _around(program, caller, depth - 1)
