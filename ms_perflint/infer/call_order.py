"""The execution order of places in two functions or files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations
from typing import Optional

from ms_perflint.core.graphs import reachable
from ms_perflint.index.execution_order import (
    Place,
    happens_before,
    is_always_passed,
    never_before,
    place,
    rank,
    root,
    stored,
)
from ms_perflint.index.reachability import condition_of, excludes, path_condition
from ms_perflint.index.semantic_index import COMPREHENSIONS, Binding, Scope, Site
from ms_perflint.infer import config_files
from ms_perflint.infer.alternatives import Display, Instance, Options
from ms_perflint.infer.entered_once import runs_once
from ms_perflint.infer.evaluator import Evaluator, Reading
from ms_perflint.infer.parameters import argument
from ms_perflint.infer.queries import query
from ms_perflint.infer.values import TOP, Alternative

CALLERS = 20  # of one function
CALLS = 6  # calls that are gone back, one behind the other
PARSES = ("parse_args", "parse_known_args")  # methods of parsers


def is_made_once(evaluator: Evaluator, known: Alternative) -> bool:
    """Return whether an alternative is one object in a run: created in no loop, and in no function that runs twice.

    A config document is one for all that is loaded from its file.
    """
    what, node = known.what, known.where[1]
    if isinstance(what, Options):
        return _is_parsed_once(evaluator, what.parser.identity)
    if known.document:
        return config_files.is_loaded_once(evaluator, known.document)
    if not isinstance(what, (Instance, Display)) or not isinstance(node, ast.AST):
        return True
    if isinstance(what, Instance) and what.row == ():  # a factory makes it for each object, or each key
        return False
    return runs_once(evaluator, node, what.scope)


@query(bottom=True, top=True)
def _is_parsed_once(evaluator: Evaluator, parser: object) -> bool:
    """Return whether a program calls a parser at most once, as far as its calls show."""
    sites = [site for word in PARSES for site in evaluator.program.sites(word) if site.base is not None]
    own = [
        site
        for site in sites
        if any(known.identity == parser for known in evaluator.value(site.base, site.scope).alternatives)  # type: ignore[arg-type]
    ]
    return not own or (len(own) == 1 and runs_once(evaluator, own[0].node, own[0].scope))


def is_result_of(evaluator: Evaluator, node: Optional[ast.expr], scope: Scope, function: Scope) -> bool:
    """Return whether an expression is what a call of a function returned: `f()`, or a name that is bound to it once."""
    if isinstance(node, ast.Name):
        home = scope.home(node.id)
        bound = home.single(node) if home is not None else None
        if bound is None or bound.whole is None:
            return False
        node, scope = bound.whole, bound.scope
    only = evaluator.value(node.func, scope).only if isinstance(node, ast.Call) else None
    return only is not None and only.definition is function


def has_run_before(
    evaluator: Evaluator, first: Optional[Place], here: Optional[Place], scope: Scope, calls: int = CALLS
) -> bool:
    """Return whether a place runs on every path before another one, which `scope` contains.

    A call before the other makes it, or all calls of the function around come after it; what stands at the level of a
    module has run behind its import, and where a function or class below it is made. Of a function without a known
    call, it is not known.
    """
    if first is None or first.owner is scope.owner:
        return happens_before(first, here)
    if first.owner.parent is None and (_is_imported(evaluator, first, here, scope) or _is_below(first, scope)):
        return True
    if is_always_passed(first) and any(
        happens_before(place(site.node, site.scope), here) and _enters(evaluator, site, first.owner) and _is_whole(site)
        for site in scope.owner.calls
    ):
        return True
    sites = evaluator.program.callers(scope.owner) if scope.owner.is_function and calls else ()
    return 0 < len(sites) <= CALLERS and all(
        site.scope.owner is scope.owner
        or has_run_before(evaluator, first, place(site.node, site.scope), site.scope, calls - 1)
        for site in sites
    )


def held(evaluator: Evaluator, node: ast.Name, home: Scope, scope: Scope) -> tuple[Binding, ...]:
    """Return the bindings of a scope that may be current where another scope reads the name.

    If a function reads the name, bindings that are replaced later count too. Those that are surely replaced before the
    read do not.
    """
    found = home.reaching(node, scope)
    if home is scope or home.runs(scope):
        return found
    found = (*home.flow.before_end(node.id, scope), *found)
    if len(found) < 2 or not home.flow.is_set_around(node.id, scope):
        return found
    here, at = place(node, scope), {each: stored(each) for each in found}
    done = [each for each in found if is_always_passed(at[each]) and has_run_before(evaluator, at[each], here, scope)]

    def is_replaced(binding: Binding) -> bool:
        first = at[binding]
        return binding.scope.owner.parent is None and any(
            rank(binding) < rank(each)
            if each.scope.owner is binding.scope.owner
            else has_run_before(evaluator, first, at[each], each.scope)
            for each in done
            if each is not binding
        )

    return tuple(each for each in found if not is_replaced(each))


def _enters(evaluator: Evaluator, site: Site, owner: Scope) -> bool:
    """Return whether a call always runs a function: it calls it, or a function that always does."""
    only = evaluator.callees(site).only
    function = only.definition if only is not None else None
    if function is None or function.yields or not isinstance(function.node, ast.FunctionDef):
        return False
    return function is owner or _leads_to(evaluator, function, owner)


@query(bottom=False, top=False)
def _leads_to(evaluator: Evaluator, function: Scope, owner: Scope) -> bool:
    """Return whether each call of a function runs another one."""
    return any(
        is_always_passed(place(site.node, site.scope)) and _enters(evaluator, site, owner) and _is_whole(site)
        for site in function.calls
    )


def _is_whole(site: Site) -> bool:
    """Return whether a call runs each time that its statement does: no `flag and run()` is around it."""
    return len(condition_of(site)) == len(path_condition(site.block))


def _is_below(first: Place, scope: Scope) -> bool:
    """Return whether the function or class of the module that contains code is only made after a place."""
    outer: Optional[Scope] = scope.owner
    while outer is not None and outer.parent is not first.owner:
        outer = outer.parent
    return outer is not None and happens_before(first, place(outer.node, first.owner))


def _is_imported(evaluator: Evaluator, first: Place, here: Optional[Place], scope: Scope) -> bool:
    """Return whether the file of a place has, before it, imported the module of another, which goes on to its end."""
    home, own = first.owner.module, scope.owner
    if own.module is home or not is_done_for(evaluator, first, own):
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


def is_done_for(evaluator: Evaluator, first: Optional[Place], own: Scope) -> bool:
    """Return whether code of another module that has got hold of that of a place finds it run to its end.

    That module does not call this code before.
    """
    if first is None or own.module is first.owner.module or not is_always_passed(first):
        return False
    home = first.owner.module.path
    return not evaluator.program.is_entry(home) and own.module.path not in _behind(evaluator, home)


@query
def _behind(evaluator: Evaluator, path: str) -> frozenset[str]:
    """Return the files that an import of a file may run."""
    program = evaluator.program

    def imported(path: str) -> Iterator[str]:
        return (each for each in program.project.imports.imported(path, program.names.roots) if each in program.paths)

    return frozenset(reachable(imported(path), imported))


def is_never_before(evaluator: Evaluator, store: Optional[Place], read: Reading) -> bool:
    """Return whether a store in an object never runs before an expression that reads from it, in whatever call."""
    if not never_before(store, place(read.node, read.scope)):
        return False
    function = read.scope.owner
    if not function.is_function:
        return True
    name = root(read.node.func if isinstance(read.node, ast.Call) else read.node)
    bindings = function.bindings.get(name.id, ()) if name is not None else ()
    if any((each.kind != "parameter" and each.scope.owner is function) or _is_words(each) for each in bindings):
        return True  # a call makes an object of its own
    sites = evaluator.program.callers(function)
    if not bindings or any(site.scope.owner is function for site in sites):
        return not _is_repeated(evaluator, function, sites)
    given = [(site, argument(evaluator, bindings[0], site).part) for site in sites if isinstance(site.node, ast.Call)]
    values = [(site, evaluator.value(*part) if part is not None else TOP) for site, part in given]
    for identity in (known.identity for known in read.base.alternatives):
        may_be = (site for site, value in values if value.open or identity in [k.identity for k in value.alternatives])
        if _is_repeated(evaluator, function, tuple(may_be)):
            return False
    return True


def _is_words(binding: Binding) -> bool:
    """Return whether a parameter is `**words`, which is another dict in each call."""
    return binding.kind == "parameter" and binding.scope.node.args.kwarg is binding.node  # type: ignore[union-attr]


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
    """Return whether a function may run more than once; a recursive one does."""
    return function.is_function and _is_repeated(evaluator, function, evaluator.program.callers(function))
