"""What is compiled again behind a change, and so sees it: a gradient function that the same pass of a loop makes anew.

Run on 2.10, CPU: a name, a global, an attribute of a cell or of another object, the data of a Parameter and
`requires_grad` are right in a gradient function or train cell that is made after the change, also of the same function.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.program.program import Program, fact
from ms_perflint.training.graph_mode.made_anew import made_anew, maker_of
from ms_perflint.training.step_loops import is_unconditional
from ms_perflint.training.training import callers, train_sites


def is_compiled_anew(program: Program, change: Site) -> bool:
    """Return whether each pass of the training loop that makes a change also makes all that is trained with.

    What the fix makes once is made before the change.
    """
    if any(each.before is not None for each in made_anew(program)):
        return False
    inside = next((each for each in _loops(program, change, set()) if id(each) in _training_loops(program)), None)
    makers = _makers(program)
    return inside is not None and bool(makers) and all(inside in around for around in makers)


@fact
def _makers(program: Program) -> tuple[tuple[ast.AST, ...], ...]:
    """Return the loops around each call that makes what a training step calls; none where one is not known."""
    found: dict[Site, None] = {}
    for site in train_sites(program):
        known = program.evaluator.callees(site).alternatives
        makers = [maker_of(program, each) for each in known]
        if not makers or any(each is None or not is_unconditional(program, each) for each in makers):
            return ()
        found.update((each, None) for each in makers if each is not None)
    return tuple(tuple(_loops(program, each, set())) for each in found)


@fact
def _training_loops(program: Program) -> frozenset[int]:
    return frozenset(id(loop) for site in train_sites(program) for loop in _loops(program, site, set()))


def _loops(program: Program, site: Site, seen: set[Scope]) -> Iterator[ast.AST]:
    """Yield the loops around a site, from the inside outwards, also those around the calls of its function."""
    yield from site.block.loops
    if site.scope.owner.is_function and site.scope.owner not in seen:
        seen.add(site.scope.owner)
        for caller in callers(program, site.scope.owner):
            if program.runs(caller):
                yield from _loops(program, caller, seen)
