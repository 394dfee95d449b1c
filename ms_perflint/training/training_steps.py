"""Training steps: train cells, gradient functions beside an optimizer, and classes of the project that are both."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ms_perflint.index.semantic_index import Scope, SemanticIndex, Site
from ms_perflint.index.syntax_forms import names_in
from ms_perflint.infer.bases import lineage
from ms_perflint.infer.nodes import CALL
from ms_perflint.infer.values import Alternative, Value
from ms_perflint.program.call_site import Call, call_of
from ms_perflint.program.moves import Held, Key, part_of
from ms_perflint.program.program import Program, fact
from ms_perflint.training.bases import base_apis
from ms_perflint.training.optimizers import is_named_optimizer, names, steps_optimizer

VALUE_AND_GRAD = "mindspore.nn.ForwardValueAndGrad"
STEP_CELLS = frozenset(
    {
        "mindspore.nn.TrainOneStepCell", "mindspore.nn.TrainOneStepWithLossScaleCell", "mindspore.nn.WithGradCell",
        "mindspore.amp.build_train_network", VALUE_AND_GRAD,
        "mindspore.boost.BoostTrainOneStepCell", "mindspore.boost.BoostTrainOneStepWithLossScaleCell",
    }
)  # fmt: skip
GRADS = frozenset({"mindspore.value_and_grad", "mindspore.grad", "mindspore.ops.GradOperation"})
_TWICE = "GradOperation"  # its result is called twice: `GradOperation()(network)(x)`


class StepFlow(NamedTuple):
    """Where a program may hold train cells and gradient functions, and the calls that may be of one.

    They are held under keys of the assignment graph; calls are given by the identity of their nodes.
    """

    classes: frozenset[Key]  # of which objects may be train cells
    cells: frozenset[Key]
    gradients: frozenset[Key]
    sites: frozenset[int]
    words: Mapping[SemanticIndex, set[str]]  # the last words of the calls of a module that may make a train cell


@fact
def step_flow(program: Program) -> StepFlow:
    """Return where a program may hold a training step.

    Objects of a class may be steps, too, if its `construct` calls a train cell, if a method calls a gradient function
    beside an optimizer, or if it is a cell that gives gradients.
    """
    graph = program.code.call_graph
    gradients: Held = {}
    graph.reach([(name, CALL * (1 + name.endswith(_TWICE))) for name in names(GRADS)], gradients)
    around = [  # a class with gradients that steps an optimizer, or is a cell beside one
        cls
        for cls in _classes_around(graph.makers_at(gradients))
        if _optimizer_calls(cls) or (cls.method("construct") is not None and steps_optimizer(program))
    ]
    cells: Held = {}
    new = [*((name, CALL) for name in names(STEP_CELLS)), *((graph.key(cls), CALL) for cls in around)]
    while new:
        called = graph.makers_at(graph.reach(new, cells))
        around = _classes_around(site for site in called if site.scope.owner.name == "construct")
        new = [(graph.key(cls), CALL) for cls in around]
    classes = frozenset(key for key, bits in cells.items() if part_of(bits, CALL, 1))
    words: dict[SemanticIndex, set[str]] = {}
    for site in graph.named_by(classes):
        words.setdefault(site.module, set()).add(site.word)
    return StepFlow(
        classes,
        frozenset(cells),
        frozenset(gradients),
        frozenset(id(site.node) for held in (gradients, cells) for site in graph.sites_at(held)),
        words,
    )


def _classes_around(sites: Iterable[Site]) -> list[Scope]:
    """Return the classes in which sites stand."""
    around = (next((each for each in site.scope.chain() if each.is_class), None) for site in sites)
    return [cls for cls in dict.fromkeys(around) if cls is not None]


def _optimizer_calls(cls: Scope) -> list[Site]:
    """Return the calls in the methods of a class that by their names step an optimizer."""
    return [site for scope in cls.defines for site in scope.calls if is_named_optimizer(site)]


def is_step(program: Program, callee: Value) -> bool:
    """Return whether a callee is a training step: a train cell, or a gradient function beside an optimizer."""
    for known in callee.alternatives:
        made, calls = root(known)
        if calls == 0 and is_step_object(program, made):
            return True
        api = made.type_api
        if api in GRADS and calls == api.endswith("GradOperation") and steps_optimizer(program):
            return True  # `GradOperation()(network)(x)`, but `value_and_grad(function)(x)`
    return False


def calls_gradient(program: Program, site: Site) -> bool:
    """Return whether a site calls a gradient function, which graph mode compiles apart from the cells that it calls."""
    return any(known.type_api in GRADS for known in program.evaluator.callees(site).alternatives)


def is_step_object(program: Program, known: Alternative) -> bool:
    """Return whether something is an object of a train cell of MindSpore or of the project."""
    if known.type_api == VALUE_AND_GRAD and known.cls is None:  # by default by its inputs, as attacks take it
        made = call_of(program, known)
        is_of_weights = made is not None and not made.argument("get_by_list").must_be(False)
        return is_of_weights and steps_optimizer(program)
    return is_step_class(program, known.cls) if known.cls is not None else known.type_api in STEP_CELLS


def root(known: Alternative) -> tuple[Alternative, int]:
    """Return the object of which calls made an instance, and the number of these calls: of `f()(x)` `f()`, and 1."""
    calls = 0
    while not known.type_api and (made_by := known.origin) is not None:
        known, calls = made_by, calls + 1
    return known, calls


def is_step_class(program: Program, cls: Scope, inside: tuple[Scope, ...] = ()) -> bool:
    """Return whether a class is a train cell: by its bases, or since it takes gradients and steps an optimizer.

    `inside`: the classes that hold it. One that steps its optimizer under a flag that is off is none.
    """
    if cls.module.scope in program.reached and program.code.call_graph.key(cls) not in step_flow(program).classes:
        return False
    if base_apis(program, cls) & STEP_CELLS:
        return True
    if cls not in inside and _wraps_step(program, cls, inside):
        return True
    optimizers = _optimizer_calls(cls)
    if not optimizers:
        return _gives_gradients(program, cls)
    running = [site for site in optimizers if program.evaluator.may_run(site)]
    is_called = cls.method("__call__") is not None and not base_apis(program, cls)
    return bool(running) and not (is_called and all(_is_repeated(cls, site) for site in running))


def _is_repeated(cls: Scope, site: Site, inside: tuple[Scope, ...] = ()) -> bool:
    """Return whether a loop is around a call on each way from `__call__` of its class, which trains then by many steps.

    A loop over optimizers is none: `for opt in self.optimizers: opt(grads)`.
    """
    called = names_in(site.node.func) if isinstance(site.node, ast.Call) else set()
    heads = (getattr(loop, "target", None) for loop in site.block.loops)  # None of `while`
    if any(head is None or called.isdisjoint(names_in(head)) for head in heads):
        return True
    own = site.scope.owner
    if own.name == "__call__" or own in inside:
        return False
    callers = [each for scope in cls.defines for each in scope.calls if each.word == own.name]
    return bool(callers) and all(_is_repeated(cls, each, (*inside, own)) for each in callers)


def _gives_gradients(program: Program, cls: Scope) -> bool:
    """Return whether a cell computes gradients of weights, like `WithGradCell`, and the program steps an optimizer."""
    if cls.method("construct") is None or not base_apis(program, cls) or not steps_optimizer(program):
        return False
    own = [known.definition for known in lineage(program.evaluator, cls) if known.definition is not None]
    sites = [site for each in own for scope in each.defines if scope.name == "construct" for site in scope.calls]
    roots = (root(known)[0] for site in sites for known in program.evaluator.callees(site).alternatives)
    made = (call_of(program, each) for each in roots if each.type_api in GRADS)
    return any(call is not None and not is_of_inputs(call) for call in made)


def is_of_inputs(call: Call) -> bool:
    """Return whether a call makes a function of derivatives with respect to inputs, not to weights."""
    if call.api not in GRADS:
        return True
    if call.api.endswith("GradOperation"):
        return call.argument("get_by_list").must_be(False)
    return not call.argument("grad_position").must_be(None) and call.argument("weights").must_be(None)


def is_of_inputs_only(program: Program, callee: Value) -> bool:
    """Return whether all that a callee can be gives derivatives with respect to inputs, and not to weights."""
    made = [call_of(program, root(known)[0]) for known in callee.alternatives]
    known = [call for call in made if call is not None and call.api in GRADS]
    return bool(made) and not callee.open and len(known) == len(made) and all(map(is_of_inputs, known))


def _wraps_step(program: Program, cls: Scope, inside: tuple[Scope, ...]) -> bool:
    """Return whether `construct` of a class calls a train cell that it holds."""
    construct, cells = cls.method("construct"), step_flow(program).cells
    for site in construct.calls if construct is not None else ():
        is_member = isinstance(site.node, ast.Call) and isinstance(site.node.func, ast.Attribute)
        if is_member and (site.word in cells or cls.module.scope not in program.reached):  # of idle code all may be one
            for known in program.evaluator.callees(site).alternatives:
                if known.type_api in STEP_CELLS:
                    return True
                if known.cls not in (None, cls) and is_step_class(program, known.cls, (*inside, cls)):
                    return True
    return False
