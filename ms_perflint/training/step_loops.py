"""The loops of training steps, `for batch in train_set: step(*batch)`, and the code that each step runs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Optional

from ms_perflint import mindspore_api
from ms_perflint.index.reachability import Condition, path_condition
from ms_perflint.index.semantic_index import LOOPS, Block, Scope, Site
from ms_perflint.index.signature import Part
from ms_perflint.index.syntax_forms import Later, around, word_of
from ms_perflint.infer.values import Alternative
from ms_perflint.program.program import Program, fact
from ms_perflint.training import conditions
from ms_perflint.training.iterations import is_in_last_iteration, is_in_one_iteration
from ms_perflint.training.training import callees, running_callers, steps_by_hand

# Names of unknown iterables of loops whose iterations are trainings
_TRAININGS = r"(?i)fold|stage|phase|ensemble|seeds?\b|trial|learners?\b|models?\b|networks?\b|nets?\b|task"
DATA = "mindspore.dataset."
ITERATORS = ("create_tuple_iterator", "create_dict_iterator")  # methods of datasets
_AROUND = frozenset({"enumerate", "tqdm", "zip", "iter", "track", "islice", "trange"})  # go through their arguments
LEAVES = (ast.Break, ast.Return, ast.Raise)  # a loop: no pass follows
_ROWS = (ast.List, ast.Tuple, ast.Set)  # `enumerate(data)` is shown too, as pairs
_CHOICES = (ast.IfExp, ast.BoolOp)


class StepLoop(NamedTuple):
    """A loop, a call in it that takes a training step, and the function, class or module of that call."""

    loop: ast.AST
    site: Site
    scope: Scope


@fact
def step_loops(program: Program) -> tuple[StepLoop, ...]:
    """Return the innermost loops around each step that is taken by hand; steps of `Model.train` are not.

    Loops through networks or trainings are none: around one that stands in another loop, that loop counts.
    """
    found: dict[tuple[int, int], StepLoop] = {}
    for site in steps_by_hand(program):
        for each in _around(program, site, set()):
            found.setdefault((id(each.loop), id(each.site.node)), each)
    return tuple(found.values())


@fact
def steps_in_functions(program: Program) -> tuple[tuple[StepLoop, StepLoop], ...]:
    """Return the steps in functions that a loop calls: each as a step of its function, and as one of the loop."""
    inner = (site for site in steps_by_hand(program) if not site.block.loops)
    made = ((StepLoop(site.scope.owner.node, site, site.scope.owner), site) for site in inner)
    return tuple((own, outer) for own, site in made for outer in _around(program, site, set()))


def _around(program: Program, site: Site, seen: set[Scope]) -> Iterator[StepLoop]:
    """Yield the innermost loops around a site, in its function or in those that call it."""
    if site.block.loops:
        loop = _loop_around(program, site)
        if loop is not None:
            yield StepLoop(loop, site, site.scope.owner)
    elif site.scope.owner not in seen:
        seen.add(site.scope.owner)
        for caller in running_callers(program, site.scope.owner):
            yield from _around(program, caller, seen)


def _loop_around(program: Program, site: Site) -> Optional[ast.AST]:
    """Return the innermost loop around a site that goes through no trainings; None where none is known to take steps.

    Around a loop through networks that is one over a dataset: `for x, y in data: for net in nets:`.
    """
    loops, scope = site.block.loops, site.scope
    around = next((loop for loop in loops if not _goes_through_trainings(program, loop, scope)), None)
    if around is None or around is loops[0]:
        return around
    over = around.iter if isinstance(around, (ast.For, ast.AsyncFor)) else None
    return around if over is not None and any(True for _ in datasets_in(program, over, scope)) else None


def _goes_through_trainings(program: Program, loop: ast.AST, scope: Scope) -> bool:
    """Return whether each iteration of a loop is a training: it goes through stages, folds or networks, and no dataset.

    Where it is not known what it goes through, the names in its head decide.
    """
    if not isinstance(loop, (ast.For, ast.AsyncFor)) or any(True for _ in datasets_in(program, loop.iter, scope)):
        return False
    shown = (known.shown for known in program.value(loop.iter, scope).alternatives)
    if any(part is not None and isinstance(part.node, _ROWS) for part in shown):
        return True
    return re.search(_TRAININGS, ast.unparse(loop.target) + ast.unparse(loop.iter)) is not None


def datasets_in(program: Program, node: ast.expr, scope: Scope) -> Iterator[Alternative]:
    """Yield the datasets that a loop with this head goes through: `enumerate(tqdm(data.create_dict_iterator()))`."""
    todo, seen = [Part(node, scope)], set[ast.expr]()
    for node, scope in todo:  # which grows meanwhile
        known = [each for each in map(_behind_iterator, program.value(node, scope).alternatives) if is_dataset(each)]
        yield from known
        if known or node in seen:
            continue
        seen.add(node)
        if isinstance(node, ast.Call) and word_of(node.func) in _AROUND:
            todo += [Part(each, scope) for each in node.args]
        elif isinstance(node, ast.Name):
            todo += [Part(each.whole, each.scope) for each in scope.lookup(node) if each.whole is not None]


def _behind_iterator(known: Alternative) -> Alternative:
    """Return the dataset of which an iterator was made: `data.create_tuple_iterator()`; itself of others."""
    is_iterator = known.type_api.endswith(ITERATORS)
    return known.origin if is_iterator and known.origin is not None else known


def is_dataset(known: Alternative) -> bool:
    """Return whether something is a dataset of MindSpore, and not what a method of one gives."""
    made = mindspore_api.returned(known.type_api) or known.type_api
    return made.startswith(DATA) and "Dataset" in made.rpartition(".")[2]


# --- what each step runs


def is_each_step(program: Program, site: Site) -> bool:
    """Return whether a site runs in each training step, with the default options.

    It stands in the innermost loop around a step, or in a function that is called there.
    """
    if site.block.loops:
        return _is_in_step_loop(program, site) and _runs_in_each_iteration(program, site)
    return site.scope.owner in _called_each_step(program) and _runs_in_each_iteration(program, site)


@fact
def scopes_of_steps(program: Program) -> tuple[Scope, ...]:
    """Return the functions, classes and modules of which some code runs in each step, in any order."""
    return tuple(dict.fromkeys((*(each.scope for each in step_loops(program)), *_called_each_step(program))))


@fact
def _called_each_step(program: Program) -> dict[Scope, None]:
    """Return the functions that each step calls, directly or not."""
    found: dict[Scope, None] = {}
    todo = [each.scope for each in step_loops(program)]
    while todo:
        scope = todo.pop()
        is_called = scope in found
        for site in scope.calls:
            is_here = _is_in_step_loop(program, site) if site.block.loops else is_called
            for callee in callees(program, site) if is_here and _runs_in_each_iteration(program, site) else ():
                function = callee.method("__init__") if callee.is_class else callee
                if function is not None and function not in found and function.is_function:
                    found[function] = None
                    todo.append(function)
    return found


def _is_in_step_loop(program: Program, site: Site) -> bool:
    """Return whether the innermost loop of data or epochs around a site is the one around a step."""
    if not any(is_step_loop(program, loop) for loop in site.block.loops):
        return False
    loop = _loop_around(program, site)
    return loop is not None and is_step_loop(program, loop)


def is_step_loop(program: Program, loop: ast.AST) -> bool:
    """Return whether a loop is the innermost one around a step."""
    return id(loop) in _loops(program)


def is_around_steps(program: Program, site: Site) -> bool:
    """Return whether a site stands in a loop around the loop of the steps, not in that: it runs once per epoch."""
    loops = site.block.loops
    inside = ast.walk(loops[0]) if loops and not any(is_step_loop(program, loop) for loop in loops) else ()
    return any(is_step_loop(program, each) for each in inside)


@fact
def _loops(program: Program) -> frozenset[int]:
    return frozenset(id(each.loop) for each in step_loops(program))


def _runs_in_each_iteration(program: Program, site: Site) -> bool:
    if site.scope.owner is not site.scope or is_in_one_iteration(site) or is_in_last_iteration(site):
        return False
    if type(site.node) is Later:  # beside the steps, in another thread
        return False
    return is_unconditional(program, site) and program.runs(site)


def is_unconditional(program: Program, site: Site) -> bool:
    """Return whether a site runs in each iteration of the loop around it, or in each call of its function."""
    arms = list(_arms(program, site))
    if any(arm.arm.startswith(("handler", "orelse")) and not isinstance(arm.owner, ast.If) for arm in arms):
        return False
    if any(isinstance(outer, _CHOICES) for outer, _ in around(site.stmt, site.node)):
        return False
    met = (condition for arm in arms for condition in _conditions(arm, bool(site.block.loops)))
    return all(conditions.by_default(program, each) is True for each in met)


def _arms(program: Program, site: Site) -> Iterator[Block]:
    """Yield the arms around a site up to the loop, or the function, innermost first.

    A loop through networks in another loop is passed.
    """
    loops = site.block.loops
    last = _loop_around(program, site) if len(loops) > 1 else None
    last = loops[0] if loops and last is None else last
    for arm in site.block.chain():
        if isinstance(arm.owner, LOOPS) and arm.arm == "body":
            if arm.owner is last:
                return
            continue
        yield arm


def _conditions(arm: Block, in_loop: bool) -> Sequence[Condition]:
    """Return the conditions of one arm; none of the rest of a loop behind an `if` that ends it."""
    owner, outer = arm.owner, arm.parent
    if owner is None or outer is None:
        return []
    own = path_condition(arm)[len(path_condition(outer)) :]
    if isinstance(owner, ast.Assert) or (isinstance(owner, ast.If) and _ends(owner, arm, in_loop)):
        return []
    return own


def _ends(test: ast.If, arm: Block, in_loop: bool) -> bool:
    """Return whether an arm is the rest behind an `if` that ends the loop, or the program."""
    ending: Optional[ast.stmt] = test.body[-1] if arm.arm == "orelse" and not test.orelse else None
    return isinstance(ending, LEAVES if in_loop else ast.Raise)
