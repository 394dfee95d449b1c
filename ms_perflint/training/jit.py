"""Which code `jit` compiles, in either execution mode."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.semantic_index import FUNCTIONS, Scope, Site
from ms_perflint.program.program import Program, fact
from ms_perflint.training import conditions, mode, training

DATA_SINK = "mindspore.data_sink"
JITS = frozenset({"mindspore.jit", "mindspore.ms_function"})


def is_compiled(program: Program) -> bool:
    """Return whether `jit` compiles every training step that is called with the default options; every one, without."""
    sites = training.train_sites(program)
    called = [site for site in sites if _is_called(program, site)] or sites
    usual = [site for site in called if not conditions.is_on_request(program, site)]
    return bool(sites) and all(_compiled_site(program, site) for site in usual or called)


@fact
def is_in_graphs(program: Program) -> bool:
    """Return whether all training steps run as graphs: by all calls that set the mode, or since `jit` compiles them.

    Run on 2.10, CPU, with LSTM in FP16: under `jit` the gradients are those of graph mode.
    """
    found = [mode.given(call) for call in mode.settings(program)]
    is_set = bool(found) and all(value is not None and value.must_be(mode.GRAPH) for value in found)
    return is_set or is_compiled(program)


def _compiled_site(program: Program, site: Site) -> bool:
    """Return whether `jit` compiles what a site calls, or the code around it."""
    if is_in_jit(program, site.scope.owner):
        return True
    usual = [known.definition for known in program.evaluator.callees(site).by_default]
    if usual and all(each is not None and is_decorated(program, each) for each in usual):
        return True
    for known in program.evaluator.callees(site).alternatives:
        construct = known.cls.method("construct") if known.cls is not None else None
        if construct is not None and is_decorated(program, construct):
            return True
    return isinstance(site.node, ast.Call) and _is_made(program, site.node.func, site.scope)


def is_in_jit(program: Program, scope: Scope, seen: Optional[set[Scope]] = None) -> bool:
    """Return whether `jit` compiles a function: it, one around it, or all the code that calls it.

    `seen`: the functions that were asked about on the way here.
    """
    seen = seen if seen is not None else set()
    if any(is_decorated(program, each) or each in _wrapped(program) for each in scope.chain() if each.is_function):
        return True
    if scope in seen:
        return True  # a cycle: the other callers decide
    if not scope.is_function:
        return False
    seen.add(scope)
    sites = [site for site in training.running_callers(program, scope) if _is_called(program, site)]
    return bool(sites) and all(is_in_jit(program, site.scope.owner, seen) for site in sites)


def _is_called(program: Program, site: Site) -> bool:
    """Return whether the function around a call is called: helper modules have some that are not."""
    owner = site.scope.owner
    return not owner.is_function or owner in _wrapped(program) or bool(training.callers(program, owner))


def is_decorated(program: Program, function: Scope) -> bool:
    """Return whether a function has the decorator `jit`."""
    if not isinstance(function.node, FUNCTIONS) or function.parent is None:
        return False
    callees = [each.func if isinstance(each, ast.Call) else each for each in function.node.decorator_list]
    return any(_is_jit(program, each, function.parent) for each in callees)


def _wrapped(program: Program) -> set[Scope]:
    """Return the functions that are passed to `jit(function)`, or to `data_sink` with a `jit_config`, by default."""
    found: set[Scope] = set()
    sinks = [call for call in program.calls(DATA_SINK) if call.given("jit_config") is not None]
    calls = (call for call in (*program.calls(*sorted(JITS)), *sinks) if not conditions.is_on_request(program, call))
    for call in calls:
        for argument in [*call.node.args[:1], *(k.value for k in call.node.keywords if k.arg in ("fn", "function"))]:
            known = program.value(argument, call.scope).alternatives
            found.update(each.definition for each in known if each.definition is not None)
    return found


def _is_jit(program: Program, node: ast.expr, scope: Scope) -> bool:
    """Return whether an expression is the function `jit`."""
    return any(known.api in JITS for known in program.value(node, scope).alternatives)


def _is_made(program: Program, node: ast.expr, scope: Scope) -> bool:
    """Return whether a callee is the result of `jit(...)`: `step = ms.jit(cell)`."""
    homes = (scope.owner, scope.module.scope) if isinstance(node, ast.Name) else ()
    bindings = (each for home in homes for each in home.bindings.get(node.id, ()))  # type: ignore[attr-defined]
    made = (each for each in bindings if not conditions.is_on_request(program, each.site))
    return any(isinstance(each.value, ast.Call) and _is_jit(program, each.value.func, each.scope) for each in made)
