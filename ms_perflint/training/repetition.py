"""What runs again and again while a program trains: in the loop, in a callback, in what they call."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program, fact
from ms_perflint.training.last_iteration import is_in_last_pass, is_in_one_pass
from ms_perflint.training.training import callees, callers, is_callback, scopes_above, train_sites

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


def repeats(program: Program, site: Site, seen: Optional[set[Scope]] = None, even_once: bool = False) -> bool:
    """Return whether a site runs again and again in training: in the loop, in a callback, in what they call.

    With `even_once` also what one pass of a loop does between two others.
    """
    seen = set() if seen is None else seen
    scope = site.scope.owner
    if is_in_last_pass(site):
        return False
    if (even_once or not is_in_one_pass(site)) and any(_trains_in(program, loop, scope) for loop in site.block.loops):
        return True
    for inner in site.lambdas:
        if any(repeats(program, caller, seen, even_once) for caller in program.callers(inner)):
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
        and _is_used(program, cls)
    ):
        return True
    return any(program.runs(caller) and repeats(program, caller, seen, even_once) for caller in callers(program, scope))


def _trains_in(program: Program, loop: ast.AST, scope: Scope) -> bool:
    """Return whether a loop trains in its body: each pass goes on where the last one ended."""
    direct = {id(site.node): site for site in train_sites(program)}
    for site in scope.owner.calls:
        if loop in site.block.loops:
            train = direct.get(id(site.node))
            if train is not None and not _makes_model_in(program, train, loop):
                return True
            if any(callee in _continued_scopes(program) for callee in callees(program, site)):
                return True
    return False


@fact
def _continued_scopes(program: Program) -> set[Scope]:
    """Return the scopes that, called again, go on with a training; not those that train a new Model to its end."""
    return scopes_above(program, (site for site in train_sites(program) if not _makes_model_in(program, site, None)))


def _is_used(program: Program, cls: Scope) -> bool:
    """Return whether running code outside of a class loads its name, or a decorator hands the class on."""
    assert isinstance(cls.node, ast.ClassDef)
    if cls.node.decorator_list:
        return True
    for module in program.modules:
        names = module.spelled(cls.name)
        scopes = [scope for scope in module.scopes if scope in program.reached and not _is_within(scope, cls)]
        if module.scope.main is not None:
            scopes.append(module.scope.main)
        if any(names & (scope.names | scope.attrs) for scope in scopes):
            return True
    return False


def _is_within(scope: Scope, cls: Scope) -> bool:
    current: Optional[Scope] = scope
    while current is not None and current is not cls:
        current = current.parent
    return current is cls


# --- trainings that run from a new Model to their end: the loops around them are no training loops


def _makes_model_in(program: Program, site: Site, loop: Optional[ast.AST]) -> bool:
    """Return whether a `Model.train` of several epochs trains a Model that is made anew on each pass of a loop.

    Without a loop: on each call of the function in which the site stands.
    """
    if not isinstance(site, Call) or not site.given("epoch"):
        return False
    epochs = site.argument("epoch")
    if epochs.open or not epochs.by_default or not all(_is_several(known.constant) for known in epochs.by_default):
        return False
    known = site.receiver
    made = known.creation if known is not None else None
    if made is None or (loop is None and not site.scope.owner.is_function):
        return False
    around = loop if loop is not None else site.scope.owner.node
    return any(part is made.call for part in ast.walk(around))


def _is_several(epochs: object) -> bool:
    return isinstance(epochs, int) and epochs > 1
