"""Whether a store at module level has run when code elsewhere is evaluated."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.semantics.evaluator import Evaluator
from ms_perflint.semantics.module import Binding, Scope
from ms_perflint.semantics.order import Place, happens_before, is_always_passed, place, stored
from ms_perflint.semantics.queries import query

CALLS = 6  # calls that are gone back, one behind the other
SITES = 20  # of one function


def is_behind(evaluator: Evaluator, store: Binding, node: ast.expr, scope: Scope, is_own: bool) -> bool:
    """Return whether a store at the level of a module has run, on every path, when code of another scope is evaluated.

    Code of another file runs behind it where that file has imported the module to its end, or is given what only the
    module makes (`is_own`); a function where all of its calls do. Of a function that nobody is seen to call, it is not
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
    function = getattr(function, "function", function)
    sites = evaluator.program.callers(function)
    if not sites or len(sites) > SITES or not calls:
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
    if not is_always_passed(stored(store)) or home.path == evaluator.program.entry:
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
