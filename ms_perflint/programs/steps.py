"""What a training step is: train cells, functions that give gradients beside an optimizer, and classes that do both."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint import mindspore_api
from ms_perflint.programs.call_graph import Key, State, States
from ms_perflint.programs.program import Program, fact
from ms_perflint.records import NamedTuple
from ms_perflint.semantics.bases import lineage
from ms_perflint.semantics.module import Scope
from ms_perflint.semantics.places import CALL
from ms_perflint.semantics.values import Known, Value

STEP_CELLS = frozenset(
    {
        "mindspore.nn.TrainOneStepCell", "mindspore.nn.TrainOneStepWithLossScaleCell", "mindspore.nn.WithGradCell",
        "mindspore.amp.build_train_network", "mindspore.nn.transformer.PipelineCell",
        "mindspore.boost.BoostTrainOneStepCell", "mindspore.boost.BoostTrainOneStepWithLossScaleCell",
        "mindspore.boost.boost_cell_wrapper.BoostTrainOneStepCell",
    }
)  # fmt: skip
GRADS = frozenset(
    {
        "mindspore.value_and_grad",
        "mindspore.grad",
        "mindspore.ops.GradOperation",
        "mindspore.ops.value_and_grad",
        "mindspore.ops.grad",
    }
)
_TAKES = ("GradOperation", "value_and_grad", "grad")
_WORDS = frozenset(api.rpartition(".")[2] for api in STEP_CELLS | GRADS) | {"ForwardValueAndGrad"}
_OPTIMIZER = "mindspore.experimental.optim.Optimizer"  # of those with a schedule beside them
_TWICE = "GradOperation"  # what it gives is called before there is a step: `GradOperation()(network)(x)`


class StepFlow(NamedTuple):
    """Where a program may hold a training step, or what gives one."""

    states: States
    words: frozenset[Key]  # the words and variables among them
    sites: frozenset[int]  # the calls that may be of a step, by the identity of their nodes

    def may_be_step(self, cls: Key) -> bool:
        """Return whether the objects of a class may be training steps."""
        return (cls, CALL) in self.states


@fact
def step_flow(program: Program) -> StepFlow:
    """Return where the program may hold a training step.

    Where a method calls a step, or what gives one, the objects of its class may be steps too.
    """
    graph = program.call_graph
    states: States = {}
    new: list[State] = [(word, CALL * (1 + (word == _TWICE))) for word in sorted(_WORDS)]
    while new:
        around = (_class_around(site.scope) for site in graph.makers_at(graph.reach(new, states)))
        keys = dict.fromkeys(graph.key(cls) for cls in around if cls is not None)
        new = [(key, CALL) for key in keys if (key, CALL) not in states]
    return StepFlow(
        states, frozenset(key for key, _ in states), frozenset(id(site.node) for site in graph.sites_at(states))
    )


def _class_around(scope: Scope) -> Optional[Scope]:
    current: Optional[Scope] = scope
    while current is not None and not current.is_class:
        current = current.parent
    return current


def is_step(program: Program, callee: Value) -> bool:
    """Return whether a callee is a training step: a train cell, or a gradient function beside an optimizer."""
    for known in callee.known:
        root, calls = _root(known)
        if calls == 0 and is_step_object(program, root):
            return True
        api = root.type_api
        if api in GRADS and calls == api.endswith("GradOperation") and steps_optimizer(program):
            return True  # `GradOperation()(network)(x)`, but `value_and_grad(function)(x)`
    return False


def is_step_object(program: Program, known: Known) -> bool:
    """Return whether something is an instance of a train cell, MindSpore's or the project's own."""
    return is_step_class(program, known.cls) if known.cls is not None else known.type_api in STEP_CELLS


def _root(known: Known) -> tuple[Known, int]:
    """Return what an instance goes back to, and how many calls of instances lie between."""
    calls = 0
    while not known.type_api and (made_by := known.origin) is not None:
        known, calls = made_by, calls + 1
    return known, calls


def is_step_class(program: Program, cls: Scope, depth: int = 0) -> bool:
    """Return whether a class is a train cell: by its bases, or since it takes gradients and steps an optimizer.

    One whose optimizer stands under a flag that nobody sets only adapts what it evaluates.
    """
    if cls.module.scope in program.reached and not step_flow(program).may_be_step(program.call_graph.key(cls)):
        return False
    if base_apis(program, cls) & STEP_CELLS:
        return True
    if depth < 4 and _wraps_step(program, cls, depth):
        return True
    sites = [site for scope in cls.defines for site in scope.calls]
    optimizers = [site for site in sites if is_optimizer_word(site.word)]
    if not optimizers or not (any(site.word in _TAKES for site in sites) or _holds_gradients(program, cls)):
        return False
    return any(program.evaluator.may_run(site) for site in optimizers)


def _holds_gradients(program: Program, cls: Scope) -> bool:
    """Return whether an attribute of a class is what gives gradients."""
    return any(
        isinstance(b.value, ast.Call) and any(api in GRADS for api in _api_names(program, b.value, b.scope))
        for name, bs in cls.attributes.items()
        if _may_hold_step(program, cls, name)
        for b in bs
    )


def _may_hold_step(program: Program, cls: Scope, name: str) -> bool:
    """Return whether an attribute of a class may hold a step, or what makes one, by its name alone."""
    return name in step_flow(program).words or cls.module.scope not in program.reached


def _wraps_step(program: Program, cls: Scope, depth: int) -> bool:
    """Return whether `construct` of a class calls a train cell that it holds."""
    construct = cls.method("construct")
    for site in construct.calls if construct is not None else ():
        is_member = isinstance(site.node, ast.Call) and isinstance(site.node.func, ast.Attribute)
        if is_member and _may_hold_step(program, cls, site.word) and not _holds_methods(cls, site.word):
            for known in program.evaluator.callees(site).known:
                if known.type_api in STEP_CELLS:
                    return True
                if known.cls not in (None, cls) and is_step_class(program, known.cls, depth + 1):
                    return True
    return False


def _holds_methods(cls: Scope, name: str) -> bool:
    """Return whether an attribute of a class holds its own methods, chosen when it is made, and so no cell."""
    values = [binding.value for binding in cls.attributes.get(name, ())]
    return bool(values) and all(
        isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name) and cls.method(value.attr) is not None
        for value in values
    )


def _api_names(program: Program, node: ast.Call, scope: Scope) -> set[str]:
    return {known.type_api for known in program.value(node, scope).known if known.type_api}


def base_apis(program: Program, cls: Scope) -> set[str]:
    """Return the canonical names of the classes outside of the project that a class derives from."""
    return {known.api for known in lineage(program.evaluator, cls) if known.api} if cls.is_class else set()


def is_optimizer_word(word: str) -> bool:
    """Return whether a callee's name says that an optimizer takes a step."""
    word = word.lower()
    return "optim" in word or word == "opt" or word.startswith("opt_") or word.endswith("_opt")


@fact
def steps_optimizer(program: Program) -> bool:
    """Return whether some call of the program steps an optimizer."""
    for module in program.modules:
        for word, sites in module.by_word.items():
            if is_optimizer_word(word) and any(
                isinstance(s.node, ast.Call) and s.node.args and program.runs(s) for s in sites
            ):
                return True
    return any(_calls_optimizer(program, module.path) for module in program.modules)


def _calls_optimizer(program: Program, path: str) -> bool:
    module = program.module(path)
    if module is None:
        return False
    kinds = mindspore_api.descendants("mindspore.nn.Optimizer") | mindspore_api.descendants(_OPTIMIZER)
    for word in sorted({kind.rpartition(".")[2] for kind in kinds}):
        for name in module.holders(word):
            sites = module.by_word.get(name, ())
            if any(isinstance(s.node, ast.Call) and s.node.args and program.runs(s) for s in sites):
                return True
    return False
