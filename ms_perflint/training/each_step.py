"""What runs in each step of a training: in the loop that takes the steps, or in a function that each pass calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Optional

from ms_perflint.index.reachability import Condition, path_condition
from ms_perflint.index.semantic_index import LOOPS, Block, Scope, Site
from ms_perflint.index.syntax_forms import around
from ms_perflint.program.program import Program
from ms_perflint.training import conditions
from ms_perflint.training.last_iteration import is_in_last_pass, is_in_one_pass
from ms_perflint.training.repetition import STEP_DEPTH, is_step
from ms_perflint.training.training import callers

_LEAVES = (ast.Break, ast.Return, ast.Raise)  # a loop: no pass follows
_ROWS = (ast.List, ast.Tuple, ast.Set)  # `enumerate(data)` is shown too, as pairs
_CHOICES = (ast.IfExp, ast.BoolOp)


def is_each_step(program: Program, site: Site) -> bool:
    """Return whether a site runs in each step: in the innermost loop around a step, under no condition of its own.

    Or in a function that is called so. A condition that a normal user always meets is none.
    """
    return _is_each_step(program, site, set())


def step_loops(program: Program, site: Site) -> tuple[ast.AST, ...]:
    """Return the loops of its function around a site, innermost first, when the first of them takes the steps."""
    loops = site.block.loops
    return tuple(loops) if loops and _takes_steps(program, loops[0], site.scope.owner) else ()


def _is_each_step(program: Program, site: Site, seen: set[Scope]) -> bool:
    scope = site.scope.owner
    if site.scope.owner is not site.scope or is_in_one_pass(site) or is_in_last_pass(site):
        return False
    if not is_unconditional(program, site) or not program.runs(site):
        return False
    if site.block.loops:
        return bool(step_loops(program, site))
    if not scope.is_function or scope in seen:
        return False
    seen.add(scope)
    return any(_is_each_step(program, caller, seen) for caller in callers(program, scope))


def is_unconditional(program: Program, site: Site) -> bool:
    """Return whether a site runs in each pass of the loop around it, or in each call of its function."""
    arms = list(_arms(site.block))
    if any(arm.arm.startswith(("handler", "orelse")) and not isinstance(arm.owner, ast.If) for arm in arms):
        return False
    if any(isinstance(outer, _CHOICES) for outer, _ in around(site.stmt, site.node)):
        return False
    met = (condition for arm in arms for condition in _conditions(arm, bool(site.block.loops)))
    return all(conditions.usually(program, each) is True for each in met)


def _arms(block: Block) -> Iterator[Block]:
    """Yield the arms around a site up to the loop, or the function, innermost first."""
    for arm in block.chain():
        if isinstance(arm.owner, LOOPS) and arm.arm == "body":
            return
        yield arm


def _conditions(arm: Block, in_loop: bool) -> list[Condition]:
    """Return the conditions of one arm; none of what is left of a loop behind an `if` that ends it."""
    owner, outer = arm.owner, arm.parent
    if owner is None or outer is None:
        return []
    own = path_condition(arm)[len(path_condition(outer)) :]
    if isinstance(owner, ast.Assert) or (isinstance(owner, ast.If) and _ends(owner, arm, in_loop)):
        return []
    return own


def _ends(test: ast.If, arm: Block, in_loop: bool) -> bool:
    """Return whether an arm is the rest behind an `if` in which a loop, or the program, ends."""
    ending: Optional[ast.stmt] = test.body[-1] if arm.arm == "orelse" and not test.orelse else None
    return isinstance(ending, _LEAVES if in_loop else ast.Raise)


def _takes_steps(program: Program, loop: ast.AST, scope: Scope) -> bool:
    """Return whether a training step is taken in a loop, and not in one inside of it; not one over a few things.

    A loop over what its head shows goes through stages, folds, networks or phases.
    """
    head = loop.iter if isinstance(loop, (ast.For, ast.AsyncFor)) else None
    shown = (known.shown for known in program.value(head, scope).alternatives) if head is not None else ()
    if any(part is not None and isinstance(part.node, _ROWS) for part in shown):
        return False
    inside = (site for site in scope.calls if site.block.loops[:1] == [loop])
    return any(is_step(program, site, STEP_DEPTH) for site in inside)
