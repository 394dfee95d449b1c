"""Code that repeats per step or per epoch of a training: in its loop, in a callback, and in their callees."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Optional

from ms_perflint.core.graphs import reachable
from ms_perflint.index.reachability import IMPOSSIBLE
from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.index.signature import Layer
from ms_perflint.index.syntax_forms import Later, word_of
from ms_perflint.infer.parameters import argument
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program, fact
from ms_perflint.training import training
from ms_perflint.training.conditions import context_of
from ms_perflint.training.iterations import has_one_iteration, is_in_last_iteration, is_in_one_iteration
from ms_perflint.training.optimizers import optimizers

EPOCHS = r"(?i)epochs?$|epoch_?(num|size|count|max|end)"  # of a name that counts them; no `epoch_iterator`
# Of a name that counts parts of one training, which may take epochs each: of reinforcement and federated learning
ROUNDS = r"(?i)(?:^|_)(?:num_?|n_?|max_?|total_?)?(?:episode|iteration|update|round|rollout)s?(?:_?num)?$"
STEP_HOOKS = ("step_begin", "step_end", "on_train_step_begin", "on_train_step_end")  # methods of a Callback
# Those that run while training goes on; `end` runs once, after it
REPEATED_HOOKS = frozenset({*STEP_HOOKS, "epoch_begin", "epoch_end", "on_train_epoch_begin", "on_train_epoch_end"})
# Those that run while `Model.fit` evaluates, between the epochs of a training
EVALUATION_HOOKS = frozenset({"on_eval_begin", "on_eval_end", "on_eval_epoch_begin", "on_eval_epoch_end"})


def repeats(program: Program, site: Site, even_once: bool = False) -> bool:
    """Return whether a site runs per step or per epoch of a training.

    With `even_once`, a site that runs in one iteration of a loop counts too, and one between two stages of a training
    that continue with the same network and optimizer. What runs in another thread does not run in the training.
    """
    return type(site.node) is not Later and _repeats(program, site, None, even_once, set())


def _repeats(
    program: Program, site: Site, entered: Optional[Scope], even_once: bool, seen: set[tuple[Scope, Optional[Scope]]]
) -> bool:
    """Return the same for a site that leads to another one; `entered`: the function that it has to call."""
    scope = site.scope.owner
    if is_in_last_iteration(site):
        return False
    loops = site.block.loops if even_once or not is_in_one_iteration(site) else ()
    trains = (loop for loop in loops if _trains_in(program, loop, scope, even_once))
    if any(not _has_one_iteration(program, loop, site, entered) for loop in trains):
        return True
    for inner in site.lambdas:
        if inner in _given_as_hooks(program):
            return True
        if any(_repeats(program, caller, None, even_once, seen) for caller in program.callers(inner)):
            return True
    if not scope.is_function or (scope, entered) in seen:
        return False
    seen.add((scope, entered))
    callers = (caller for caller in training.callers(program, scope) if type(caller.node) is not Later)
    found = [caller for caller in callers if program.runs(caller)]  # and not beside the training, in another thread
    if scope in _given_as_hooks(program):
        return True
    cls = scope.cls if scope.name in _hooks(program) else None
    is_hook = cls is not None and training.is_callback(program, cls) and _is_used(program, cls)
    if is_hook and (not found or program.calls(*training.MODEL_TRAINS)):  # else the program itself calls it
        return True
    leading = (caller for caller in found if _leads_to(program, caller, site, entered))
    return any(_repeats(program, caller, scope, even_once, seen) for caller in leading)


def _has_one_iteration(program: Program, loop: ast.AST, site: Site, entered: Optional[Scope]) -> bool:
    """Return whether a loop around a site has at most one iteration in each call of its function that leads there."""
    function = site.scope.owner
    if has_one_iteration(program, loop, function):
        return True
    found = training.running_callers(program, function)
    leading = [caller for caller in found if _leads_to(program, caller, site, entered)]
    scopes = [context_of(program, caller, function) for caller in leading] if len(leading) < len(found) else []
    return bool(scopes) and all(has_one_iteration(program, loop, each) for each in scopes)


def _leads_to(program: Program, caller: Site, site: Site, entered: Optional[Scope]) -> bool:
    """Return whether a call of the function of a site leads to the site, which has to call the function `entered`.

    It does not where it passes another function to be called there, or takes another arm.
    """
    function, evaluator = site.scope.owner, program.evaluator
    callee = site.callee
    only = function.single(callee)
    if entered is not None and only is not None and only.kind == "parameter":
        given = argument(evaluator, only, caller).part
        value = program.value(*given) if given is not None else None
        if value is not None and not value.open and all(k.definition is not entered for k in value.alternatives):
            return False
    return evaluator.reachability(site.block, context_of(program, caller, function)) != IMPOSSIBLE


# --- callbacks


@fact
def _hooks(program: Program) -> frozenset[str]:
    """Return the names of the methods of callbacks that run repeatedly while the program trains."""
    fits = (fit for fit in program.calls("mindspore.train.Model.fit") if fit.given("valid_dataset") is not None)
    evaluates = any(program.runs(fit) for fit in fits)
    return REPEATED_HOOKS | EVALUATION_HOOKS if evaluates else REPEATED_HOOKS


@fact
def _given_as_hooks(program: Program) -> set[Scope]:
    """Return the functions that a `LambdaCallback` calls per step or epoch."""
    calls = program.calls("mindspore.train.LambdaCallback")
    given = [call.argument(hook) for call in calls for hook in sorted(_hooks(program)) if call.given(hook) is not None]
    found = (known.definition for value in given for known in value.alternatives)
    return {function for function in found if function is not None}


# --- loops


def _trains_in(program: Program, loop: ast.AST, scope: Scope, stages: bool = False) -> bool:
    """Return whether a loop trains in its body, and each iteration goes on where the last one ended.

    In a loop over stages, folds or widths each iteration is a training of many epochs, or one with an optimizer or a
    Model of its own. With `stages` a loop over trainings of many epochs counts, too, if it makes neither.
    """
    inside = [site for site in scope.owner.calls if loop in site.block.loops]
    is_by_epoch, direct = _counts_epochs(loop), {id(site.node) for site in training.train_sites(program)}
    is_part = is_by_epoch or _counts(loop, ROUNDS)
    making = _making(program, is_by_epoch)
    anew = [site for site in inside if id(site.node) in making]
    if len(anew) > 1 or not all(map(is_in_one_iteration, anew)):
        return False  # else the training goes on, with what one iteration makes
    for site in inside:
        loops = site.block.loops
        is_stage = not stages and not is_part and any(map(_counts_epochs, loops[: loops.index(loop)]))
        if id(site.node) in direct and not is_stage:
            return True
        for callee in () if is_stage else training.callees(program, site):
            if callee in training.training_scopes(program) and (is_part or stages or not _has_epochs(program, callee)):
                return True
    return False


@fact
def _making(program: Program, by_epoch: bool) -> frozenset[int]:
    """Return the calls that make an optimizer, or a Model that trains several epochs, or lead to one that does.

    `by_epoch`: of a loop over epochs, in which an optimizer does not begin a training.
    """
    kinds = () if by_epoch else optimizers()
    trained = {id(layer.call) for layer in map(_model_of, program.calls(*training.MODEL_TRAINS)) if layer is not None}
    models = [call for call in program.calls("mindspore.train.Model") if id(call.node) in trained]
    found = [*models, *program.calls(*kinds)]
    return frozenset(
        {*(id(site.node) for site in found), *training.calls_into(program, training.scopes_above(program, found))}
    )


def _model_of(train: Call) -> Optional[Layer]:
    """Return the call that makes the Model of a training of several epochs; None of another or an unknown number."""
    epochs, known = train.argument("epoch"), train.receiver
    by_default = [each.constant for each in epochs.by_default]
    is_several = bool(by_default) and all(isinstance(each, int) and each > 1 for each in by_default)
    return known.creation if is_several and not epochs.open and known is not None else None


def _counts_epochs(loop: ast.AST) -> bool:
    """Return whether a name in the head of a loop counts epochs."""
    return _counts(loop, EPOCHS)


def _counts(loop: ast.AST, words_of: str) -> bool:
    """Return whether a name in the head of a loop counts something, by a pattern."""
    head = [loop.target, loop.iter] if isinstance(loop, (ast.For, ast.AsyncFor)) else [getattr(loop, "test", loop)]
    words = (word_of(node) for part in head for node in ast.walk(part) if isinstance(node, (ast.Name, ast.Attribute)))
    return any(re.search(words_of, word) for word in words)


def _has_epochs(program: Program, scope: Scope) -> bool:
    """Return whether a function that trains has a loop over epochs, directly or in what it calls."""
    entered = training.training_calls(program)

    def called(caller: Scope) -> Iterator[Scope]:
        return (each for site in caller.calls for each in entered.get(id(site.node), ()))

    sites = (site for each in reachable([scope], called) for site in each.calls)
    return any(_counts_epochs(loop) for site in sites for loop in site.block.loops)


def _is_used(program: Program, cls: Scope) -> bool:
    """Return whether running code outside of a class loads its name, or the class has a decorator.

    Users of a library make objects of its classes.
    """
    assert isinstance(cls.node, ast.ClassDef)
    if cls.node.decorator_list or (cls.module.path == program.entry and training.is_library(program)):
        return True
    for module in program.modules:
        names = module.aliases(cls.name)
        scopes = [scope for scope in module.scopes if scope in program.reached and cls not in scope.chain()]
        if module.scope.main is not None:
            scopes.append(module.scope.main)
        if any(names & (scope.names | scope.attrs) for scope in scopes):
            return True
    return False
