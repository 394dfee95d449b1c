"""What runs again and again while a program trains: in the loop, in a callback, in what they call."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Optional

from ms_perflint.programs.one_pass import is_in_last_pass, is_in_one_pass
from ms_perflint.programs.training import callees, callers, is_callback, loops, scopes_above
from ms_perflint.programs.uses import is_used
from ms_perflint.programs.whole_training import makes_model_in
from ms_perflint.semantics.module import Scope, Site

if TYPE_CHECKING:
    from ms_perflint.programs.program import Program

# Methods of a Callback that run while training goes on; `end` runs once, after it
REPEATED_HOOKS = frozenset(
    {
        "step_begin",
        "step_end",
        "epoch_begin",
        "epoch_end",
        "on_train_step_begin",
        "on_train_step_end",
        "on_train_epoch_begin",
        "on_train_epoch_end",
    }
)


def repeats(program: Program, site: Site, seen: Optional[set[Scope]] = None) -> bool:
    """Return whether a site runs again and again in training: in the loop, in a callback, in what they call."""
    seen = set() if seen is None else seen
    scope = site.scope.owner
    if is_in_last_pass(site):
        return False
    if not is_in_one_pass(site) and any(_trains_in(program, loop, scope) for loop in loops(site)):
        return True
    if not scope.is_function or scope in seen:
        return False
    seen.add(scope)
    cls = scope.parent
    if (
        scope.name in REPEATED_HOOKS
        and cls is not None
        and cls.is_class
        and is_callback(program, cls)
        and is_used(program, cls)
    ):
        return True
    return any(program.runs(caller) and repeats(program, caller, seen) for caller in callers(program, scope))


def _trains_in(program: Program, loop: ast.AST, scope: Scope) -> bool:
    """Return whether a loop trains in its body: each pass goes on where the last one ended."""
    direct = {id(site.node): site for site in program.train_sites}
    for site in scope.owner.calls:
        if loop in loops(site):
            train = direct.get(id(site.node))
            if train is not None and not makes_model_in(program, train, loop):
                return True
            if any(callee in _continued_scopes(program) for callee in callees(program, site)):
                return True
    return False


def _continued_scopes(program: Program) -> set[Scope]:
    """Return the scopes that, called again, go on with a training; not those that train a new Model to its end."""
    if "_continued_scopes" not in program.__dict__:
        sites = [site for site in program.train_sites if not makes_model_in(program, site, None)]
        program.__dict__["_continued_scopes"] = scopes_above(program, sites)
    found: set[Scope] = program.__dict__["_continued_scopes"]
    return found
