"""Which of two places of a program runs first, where they stand in two functions or files."""

from __future__ import annotations

import ast
from itertools import combinations
from typing import Optional

from ms_perflint.index.execution_order import Place, happens_before, is_always_passed, never_before, place, root, stored
from ms_perflint.index.reachability import excludes
from ms_perflint.index.semantic_index import COMPREHENSIONS, Binding, Scope, Site
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.parameters import argument
from ms_perflint.infer.queries import query
from ms_perflint.infer.values import TOP, Alternative, Display, Instance, Value

CALLS = 6  # calls that are gone back, one behind the other
CALLERS = 20  # of one function


def is_made_once(evaluator: Evaluator, known: Alternative) -> bool:
    """Return whether what is known is one object in a run: made in no loop, and in no function that is called again."""
    what, node = known.what, known.where[1]
    if not isinstance(what, (Instance, Display)) or not isinstance(node, ast.AST):
        return True
    scope = what.scope
    for _ in range(CALLS):
        here = place(node, scope)
        if here is None or here.block.loops or isinstance(scope.node, COMPREHENSIONS):
            return False
        if not scope.owner.is_function:
            return True
        sites = evaluator.program.callers(scope.owner)
        if len(sites) != 1:
            return False
        node, scope = sites[0].node, sites[0].scope
    return False


def has_run_elsewhere(evaluator: Evaluator, store: Binding, here: Optional[Place], scope: Scope, calls: int) -> bool:
    """Return whether a store of another function has run, on every path, when a place is reached.

    A call before it makes it, or all calls of the function around come after it.
    """
    own = store.scope.owner
    if own is scope:
        return happens_before(stored(store), here)
    if any(
        happens_before(place(site.node, site.scope), here) and _makes(evaluator, site, store, calls)
        for site in scope.calls
    ):
        return True
    sites = evaluator.program.callers(scope) if scope.is_function and calls else ()
    return 0 < len(sites) <= CALLERS and all(
        site.scope.owner is scope
        or has_run_elsewhere(evaluator, store, place(site.node, site.scope), site.scope.owner, calls - 1)
        for site in sites
    )


def _makes(evaluator: Evaluator, site: Site, store: Binding, calls: int) -> bool:
    """Return whether a call makes a store, on every path: the function that it enters, or one that this calls."""
    if not calls:
        return False
    only = evaluator.callees(site).only
    function = only.definition if only is not None else None
    if function is None or function.yields or not isinstance(function.node, ast.FunctionDef):
        return False
    if function is store.scope.owner:
        return _always_runs(stored(store))
    return any(
        _always_runs(place(each.node, each.scope)) and _makes(evaluator, each, store, calls - 1)
        for each in function.calls
    )


def _always_runs(here: Optional[Place]) -> bool:
    """Return whether a place has run whenever its function has returned: there is no `return` before it."""
    if here is None or not is_always_passed(here):
        return False
    start = here.owner.module.rank(here.owner.node) or 0
    before = here.owner.module.steps[start + 1 : here.rank]
    return not any(isinstance(step, ast.Return) and block.scope.owner is here.owner for step, block in before)


def is_behind(evaluator: Evaluator, store: Binding, node: ast.expr, scope: Scope, is_own: bool) -> bool:
    """Return whether a store at the level of a module has run, on every path, when code of another scope is evaluated.

    Code of another file runs behind it where that file has imported the module to its end, or is given what only the
    module makes (`is_own`); a function where all of its calls do. Of a function without a known call, it is not
    known.
    """
    own = scope.owner
    if own.module is not store.scope.module:
        is_given = is_own and _is_done_for(evaluator, store, own)
        if is_given or is_imported(evaluator, store, place(node, scope), own):
            return True
    return _is_defined_behind(store, own) or (own.is_function and _is_called_behind(evaluator, store, own, CALLS))


def _is_defined_behind(store: Binding, scope: Scope) -> bool:
    """Return whether the function or class that code stands in, at the level of the module, is only made then."""
    outer: Optional[Scope] = scope
    while outer is not None and outer.parent is not store.scope.owner:
        outer = outer.parent
    return outer is not None and happens_before(stored(store), place(outer.node, store.scope))


def _is_called_behind(evaluator: Evaluator, store: Binding, function: Scope, calls: int) -> bool:
    """Return whether all calls of a function come after a store."""
    sites = evaluator.program.callers(function)
    if not sites or len(sites) > CALLERS or not calls:
        return False
    at = stored(store)
    for site in sites:
        own, here = site.scope.owner, place(site.node, site.scope)
        if own is store.scope.owner:
            if not happens_before(at, here):
                return False
            continue
        is_later = is_imported(evaluator, store, here, own) or _is_defined_behind(store, own) or own is function
        if not is_later and not (own.is_function and _is_called_behind(evaluator, store, own, calls - 1)):
            return False
    return True


def is_imported(evaluator: Evaluator, store: Binding, here: Optional[Place], scope: Scope) -> bool:
    """Return whether the file of a place has, before it, imported the module of a store, which goes on to its end."""
    home, own = store.scope.module, scope.owner
    if own.module is home or not _is_done_for(evaluator, store, own):
        return False
    for scope in (own.module.scope, own):
        for stmt, block in scope.imports:
            at = place(stmt, block.scope)
            is_done = is_always_passed(at) if scope is not own else happens_before(at, here)
            if is_done and any(
                path == home.path or home.path in _behind(evaluator, path)
                for path in evaluator.program.names.imported_files(stmt, own.module)
            ):
                return True
    return False


def _is_done_for(evaluator: Evaluator, store: Binding, own: Scope) -> bool:
    """Return whether code that has got hold of a module finds it at its end: it does not call that code before."""
    home = store.scope.module
    if not is_always_passed(stored(store)) or evaluator.program.is_entry(home.path):
        return False
    return own.module.path not in _behind(evaluator, home.path)


@query
def _behind(evaluator: Evaluator, path: str) -> frozenset[str]:
    """Return the files that importing a file may run."""
    found: set[str] = set()
    todo = [path]
    while todo:
        for other in evaluator.program.project.imports.imported(todo.pop(), evaluator.program.names.roots):
            if other in evaluator.program.paths and other not in found:
                found.add(other)
                todo.append(other)
    return frozenset(found)


def is_never_before(evaluator: Evaluator, store: Optional[Place], base: Value, node: ast.expr, scope: Scope) -> bool:
    """Return whether a store in an object never runs before an expression that reads from it, in whatever call.

    `base` is what the object can be.
    """
    read = place(node, scope)
    if not never_before(store, read):
        return False
    function = scope.owner
    if not function.is_function:
        return True
    name = root(node)
    bindings = function.bindings.get(name.id, ()) if name is not None else ()
    if any(each.kind != "parameter" and each.scope.owner is function for each in bindings):
        return True  # a call makes an object of its own
    sites = evaluator.program.callers(function)
    if not bindings or any(site.scope.owner is function for site in sites):
        return not _is_repeated(evaluator, function, sites)
    given = [(site, argument(evaluator, bindings[0], site).part) for site in sites if isinstance(site.node, ast.Call)]
    values = [(site, evaluator.value(*part) if part is not None else TOP) for site, part in given]
    return not any(
        _is_repeated(evaluator, function, tuple(site for site, value in values if _may_be(value, known)))
        for known in base.alternatives
    )


def _may_be(value: Value, known: Alternative) -> bool:
    return value.open or any(each.identity == known.identity for each in value.alternatives)


def _is_repeated(evaluator: Evaluator, function: Scope, sites: tuple[Site, ...]) -> bool:
    """Return whether these calls of a function may run it more than once; of a method without one, others may."""
    if not sites:
        return function.is_method and function.name != "__init__"
    if any(site.block.loops or isinstance(site.scope.node, COMPREHENSIONS) for site in sites):
        return True
    return any(not excludes(one.block, other.block) for one, other in combinations(sites, 2)) or any(
        _runs_again(evaluator, site.scope.owner) for site in sites
    )


@query(bottom=True, top=True)
def _runs_again(evaluator: Evaluator, function: Scope) -> bool:
    """Return whether a function may run more than once; one that calls itself does."""
    return function.is_function and _is_repeated(evaluator, function, evaluator.program.callers(function))
