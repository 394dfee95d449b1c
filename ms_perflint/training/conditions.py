"""The conditions under which a site runs, along the calls that lead to it, and what follows from them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, Optional

from ms_perflint.core.findings import Related
from ms_perflint.core.source import short
from ms_perflint.index.predicates import DEVICES, choice, possible
from ms_perflint.index.reachability import Condition, condition_of
from ms_perflint.index.semantic_index import Binding, Scope, Site
from ms_perflint.index.signature import Layer
from ms_perflint.index.syntax_forms import is_inside, names_in
from ms_perflint.infer.call_context import CallContext
from ms_perflint.infer.calls import entered_context
from ms_perflint.infer.parameters import argument
from ms_perflint.languages import Message
from ms_perflint.program.program import Program
from ms_perflint.training.training import callers

LONGEST = 50  # characters of a test in a message
CHAINS = 100  # chains of calls that are followed for one site; further ones are left out, which is reported
ASKED = frozenset({"os.environ", "sys.argv"})


PathCondition = tuple[Condition, ...]  # what must hold on one chain of calls


def conditions(program: Program, found: Iterable[Condition]) -> PathCondition:
    """Return those parts of some conditions that may be false, outermost first."""
    parts = (part for condition in found for part in condition.parts)
    return tuple(part for part in parts if _truth(program, part) is not part.result)


def _truth(program: Program, condition: Condition) -> Optional[bool]:
    """Return the truth of the test of a condition; in a run configuration alone, the truth with its options."""
    value = program.value(condition.test, condition.scope)
    return value.default_truth if value.truth is None and program.commands.is_one_run() else value.truth


def by_default(program: Program, condition: Condition) -> Optional[bool]:
    """Return whether a condition holds with the default options; None where that is not known.

    A condition without which the program ends in an error holds.
    """
    found = program.value(condition.test, condition.scope).default_truth
    return condition.is_required or (None if found is None else found is condition.result)


def is_switch(program: Program, condition: Condition) -> bool:
    """Return whether a condition fails with the default options, or in one of the launchers."""
    value = program.value(condition.test, condition.scope)
    return not value.open and any(known.truth is (not condition.result) for known in value.by_default)


def not_by_default(program: Program, site: Site) -> Optional[Related]:
    """Return the outermost test that keeps the default options from a site; None without one."""
    parts = (part for condition in condition_of(site) for part in condition.parts)
    found = next((part for part in parts if by_default(program, part) is False), None)
    if found is None:
        return None
    test = short(ast.unparse(found.test), LONGEST)
    says = Message("not by default: only where `{test}`", test=test)
    if not found.result:
        says = Message("not by default: only where `{test}` is false", test=test)
    return Related(found.scope.module.place(found.test), says)


def asks_environment(program: Program, condition: Condition) -> bool:
    """Return whether a condition reads the environment or `sys.argv`, itself or through a name."""
    todo = [condition.test]
    for node in ast.walk(condition.test):
        if isinstance(node, ast.Name):
            bindings = condition.scope.bindings.get(node.id, ())
            todo.extend(binding.value for binding in bindings if binding.value is not None)
    return any(
        known.api in ASKED
        for root in todo
        for node in ast.walk(root)
        if isinstance(node, (ast.Attribute, ast.Name))
        for known in program.value(node, condition.scope).alternatives
    )


# --- along the calls


class Entry(NamedTuple):
    """A callee that has to be a function: `target`, in a scope."""

    callee: ast.expr
    target: Scope
    scope: Scope


def path_conditions(program: Program, site: Site, also: Iterable[Condition] = ()) -> tuple[PathCondition, ...]:
    """Return the conditions of a site for each chain of calls that leads to it, without those that always hold.

    `also`: further conditions of the site. A condition on a parameter becomes one on what the caller passes for it.
    """
    more = tuple(part for condition in also for part in condition.parts)
    found = _path_conditions(program, site, more, (), (), CHAINS + 1)
    if len(found) > CHAINS:
        place = site.place
        program.leave_out(Message("more than {most} chains of calls lead to {place}", most=CHAINS, place=place.named))
    return tuple(dict.fromkeys(found[:CHAINS]))


def _path_conditions(
    program: Program, site: Site, also: PathCondition, seen: tuple[Scope, ...], entries: tuple[Entry, ...], most: int
) -> list[PathCondition]:
    """Return the conditions of a site for at most `most` chains of calls.

    `also`: conditions of what the site leads to; `seen`: the functions on the way there; `entries`: the callees that
    have to be one function each.
    """
    own = (*conditions(program, condition_of(site)), *also)
    function = site.scope.owner
    found: list[PathCondition] = []
    for caller in callers(program, function) if function.is_function else ():
        if caller.scope.owner not in (*seen, function) and program.runs(caller):
            inner = context_of(program, caller, function)
            moved = _at_caller(program, own, caller, function, inner)
            calls = tuple(each._replace(scope=_in_context(program, each.scope, function, inner)) for each in entries)
            if moved is None or not all(_may_call(program, *each) for each in calls):
                continue
            if isinstance(caller.node, ast.Call) and _may_call(program, caller.node.func, function, caller.scope, True):
                calls = (*calls, Entry(caller.node.func, function, caller.scope))
            found.extend(_path_conditions(program, caller, moved, (*seen, function), calls, most - len(found)))
            if len(found) >= most:
                break
    return found or [own]


def may_lead(program: Program, caller: Site, site: Site) -> bool:
    """Return whether a call of the function around a site may lead to it: `if save:` with `save=False` does not."""
    own, function = conditions(program, condition_of(site)), site.scope.owner
    return not own or _at_caller(program, own, caller, function, context_of(program, caller, function)) is not None


def _may_call(program: Program, callee: ast.expr, target: Scope, scope: Scope, surely: bool = False) -> bool:
    """Return whether a callee may be a function; with `surely`, whether a known alternative of it is that function."""
    value = program.value(callee, scope)
    return value.denotes(target) or (value.open and not surely)


def context_of(program: Program, caller: Site, function: Scope) -> Scope:
    """Return the call context of a function for one of its calls; the function itself where that is not known."""
    node, scope, evaluator = caller.node, caller.scope, program.evaluator
    known = [each for each in evaluator.callees(caller).alternatives if each.definition is function]
    if len(known) != 1 or not isinstance(node, ast.Call):
        return function
    layer = Layer(node, scope)
    return evaluator.call_context(function, layer, scope, known[0].receiver, outer=known[0].outer)


def _in_context(program: Program, scope: Scope, function: Scope, inner: Scope) -> Scope:
    """Return a scope, of a function or of what that calls, in the context `inner` of the function."""
    if scope is function or not isinstance(scope, CallContext):
        return inner if scope is function else scope
    outer = _in_context(program, scope.caller, function, inner)
    layer = scope.call._replace(scope=outer) if scope.call is not None else None
    return entered_context(program.evaluator, scope.function, layer, scope.receiver) or scope


def _at_caller(
    program: Program, own: PathCondition, caller: Site, function: Scope, inner: Scope
) -> Optional[PathCondition]:
    """Return the conditions in a function as conditions at its caller; None where they cannot hold there."""
    found: list[Condition] = []
    for condition in own:
        for part in _given(program, condition, caller, function, inner):
            truth = _truth(program, part)
            if truth is (not part.result):
                return None
            found.extend([part] if truth is None else [])
    return tuple(found)


def _given(program: Program, condition: Condition, caller: Site, function: Scope, inner: Scope) -> Iterator[Condition]:
    """Yield a condition in a function at its caller: one on a parameter becomes one on what is passed for it."""
    test, scope = condition.test, condition.scope
    only = function.single(test) if scope is function else None
    if only is not None and only.kind == "parameter":
        part = argument(program.evaluator, only, caller).part
        if part is not None:
            yield from condition._replace(test=part.node, scope=part.scope).parts
            return
    yield condition._replace(scope=_in_context(program, scope, function, inner))


def fails(program: Program, site: Site, is_failing: Callable[[Condition], bool]) -> bool:
    """Return whether each path to a site has a condition that fails, by a predicate."""
    return all(any(map(is_failing, path)) for path in path_conditions(program, site))


def is_on_request(program: Program, site: Site) -> bool:
    """Return whether a site does not run with the default options: on each path to it a condition fails."""
    return fails(program, site, lambda each: by_default(program, each) is False)


def is_unasked(program: Program, site: Site) -> bool:
    """Return whether no caller asks for a site: each path to it has a condition that fails by a parameter left out."""
    return fails(program, site, partial(_is_unasked, program))


def _is_unasked(program: Program, condition: Condition) -> bool:
    """Return whether a condition fails with the defaults of the parameters in it, which no caller passes."""
    if by_default(program, condition) is not False:
        return False
    names = {name for each in with_definitions((condition,)) for name in names_in(each.test)}
    found = (condition.scope.bindings.get(name, ()) for name in sorted(names))
    given = [each for bindings in found for each in bindings if each.kind == "parameter"]
    return bool(given) and all(_is_left_out(program, each) for each in given)


def _is_left_out(program: Program, parameter: Binding) -> bool:
    """Return whether a parameter has callers, and none of them passes it."""
    sites = callers(program, parameter.scope)
    return bool(sites) and all(argument(program.evaluator, parameter, site).is_default for site in sites)


def is_by_launchers(program: Program, site: Site) -> bool:
    """Return whether launchers decide that a site runs: on each path to it a condition fails in one of them."""
    return fails(program, site, partial(_is_refused, program))


def _is_refused(program: Program, condition: Condition) -> bool:
    """Return whether a condition fails with what a launcher passes."""
    found = program.value(condition.test, condition.scope).by_default
    refusing = (each for each in found if each.truth is (not condition.result))
    return not condition.is_required and any(each.place.path.endswith((".sh", ".bash")) for each in refusing)


# --- two paths


def contradict(some: PathCondition, others: PathCondition) -> bool:
    """Return whether the conditions of two paths can never hold together."""
    both = [each for each in (*with_definitions(some), *with_definitions(others)) if not _varies(each)]
    choices = (alternatives for alternatives in map(_alternatives, both) if alternatives)
    return _are_contradictory(both) or any(all(_are_contradictory((*both, *each)) for each in part) for part in choices)


def are_exclusive(program: Program, site: Site, others: Iterable[Site]) -> bool:
    """Return whether no path to a site can hold together with one to some others."""
    own = path_conditions(program, site)
    paths = (each for other in others for each in path_conditions(program, other))
    return all(contradict(each, other) for other in paths for each in own)


def with_definitions(conditions: PathCondition) -> Iterator[Condition]:
    """Yield conditions, and those that a name in them is defined as: `on_gpu = device == "GPU"`."""
    for condition in conditions:
        yield condition
        only = condition.scope.single(condition.test)
        value = only.whole if only is not None else None
        if isinstance(value, (ast.Compare, ast.BoolOp, ast.UnaryOp)):
            yield from condition._replace(test=value).parts


def _varies(condition: Condition) -> bool:
    """Return whether a test reads what a loop around it binds: in a later iteration it may have another truth."""
    test, scope = condition.test, condition.scope
    bound = (binding for name in names_in(test) for binding in scope.bindings.get(name, ()))
    loops = (loop for each in bound for loop in (*each.block.loops, *([each.stmt] if each.kind == "for" else ())))
    return any(is_inside(test, loop) for loop in loops)


def _are_contradictory(conditions: Iterable[Condition]) -> bool:
    """Return whether conditions can never hold together, where `a or b` counts as one test."""
    return not devices(conditions) or not possible((choice(each.test), each.result) for each in conditions)


def _alternatives(condition: Condition) -> list[PathCondition]:
    """Return the alternatives of which a condition needs one: of `a or b`, of `not (a and b)`; none of others."""
    test = condition.test
    if not isinstance(test, ast.BoolOp) or isinstance(test.op, ast.And) is condition.result:
        return []
    return [tuple(condition._replace(test=value).parts) for value in test.values]


def devices(conditions: Iterable[Condition]) -> frozenset[str]:
    """Return the devices on which some conditions can hold."""
    return DEVICES.intersection(*(condition.devices for condition in conditions))


def always(alternatives: Sequence[frozenset[Condition]]) -> bool:
    """Return whether one of some alternatives holds, whatever the truth of the tests."""
    if not alternatives:
        return False
    first = min(alternatives, key=len)
    if not first:
        return True
    condition = min(first, key=lambda each: each.alike)
    both = (condition, condition.opposite)
    return len(alternatives) > 1 and all(
        always([a - {given} for a in alternatives if given.opposite not in a]) for given in both
    )


def is_for_cpu_only(program: Program, site: Site) -> bool:
    """Return whether the conditions around the call let it run on a CPU only: `if device == "CPU":`."""
    return devices(conditions(program, condition_of(site))) == {"CPU"}
