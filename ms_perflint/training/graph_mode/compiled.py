"""The functions that graph mode compiles: `construct` of cells, differentiated functions, and their callees."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator
from typing import Optional

from ms_perflint.index.semantic_index import Binding, Scope, Site
from ms_perflint.index.signature import Held
from ms_perflint.index.syntax_forms import (
    children,
    descendants,
    given,
    inner_of,
    is_decorated,
    is_own,
    name_of,
    plainly_given,
    targets,
    word_of,
)
from ms_perflint.infer.bases import ancestors, method
from ms_perflint.infer.places import INIT
from ms_perflint.infer.values import Alternative, Value
from ms_perflint.languages import Message
from ms_perflint.program.program import Program, fact
from ms_perflint.training.networks.networks import loaded
from ms_perflint.training.networks.train_cells import own_models, trained_models
from ms_perflint.training.optimizers import is_optimizer
from ms_perflint.training.training import callers, running_callers, train_sites, training_scopes
from ms_perflint.training.training_steps import GRADS, STEP_CELLS, root

# Decorators of what both modes compile, or Python runs while graph mode compiles
APART = ("jit", "ms_function", "constexpr", "_primexpr", "primexpr", "jit_class", "pyfunc")
_OF_MODEL = ("network", "loss_fn", "optimizer")
_TRAINED = "mindspore.train.Model."  # whose networks are looked at themselves
_AROUND = GRADS | STEP_CELLS | {"mindspore.nn.WithLossCell", "mindspore.nn.WithEvalCell"}  # made of a network
_THOR = "mindspore.nn.thor"  # a function that makes an optimizer
_HOOKS = (
    "register_forward_hook", "register_forward_pre_hook", "register_backward_hook", "register_backward_pre_hook",
    "register_hook",
)  # fmt: skip
_CALLS = 4  # functions that call one another
MANY = 400  # functions; further ones of a program are not looked at, which is reported


def compiled(program: Program) -> tuple[Scope, ...]:
    """Return the functions of the project that graph mode compiles in a training, in the order of calls."""
    return _compiled(program)[0]


def is_of_step(program: Program, function: Scope) -> bool:
    """Return whether a step of a training runs a compiled function, and not only a cell that Python calls beside it."""
    functions, count, _ = _compiled(program)
    return function in functions[:count]


def compiled_classes(program: Program) -> tuple[Scope, ...]:
    """Return the classes of the project of whose objects graph mode compiles methods."""
    return _compiled(program)[2]


@fact
def _compiled(program: Program) -> tuple[tuple[Scope, ...], int, tuple[Scope, ...]]:
    """Return the compiled functions, how many of them, the first ones, steps of a training run, and the classes."""
    walk = _Walk(program)
    for model in trained_models(program):
        for name in _OF_MODEL:
            walk.value(model.argument(name))
    for own in own_models(program):
        walk.known(own)
    for site in train_sites(program):
        walk.value(program.evaluator.callees(site))
    count = len(walk.found)
    hooks = (site for word in _HOOKS for site in program.sites(word) if program.runs(site))
    for site in (each for each in hooks if isinstance(each.node, ast.Call) and each.node.args):
        walk.value(program.value(site.node.args[0], site.scope))  # type: ignore[attr-defined]
    for scope in _run_by_python(program, walk.found):
        for site in scope.calls:  # a cell that Python code calls is compiled too: one that evaluates, an optimizer
            if scope not in walk.found and program.runs(site):
                for known in program.evaluator.callees(site).alternatives:
                    if known.cls is not None:
                        walk.object(known.cls)
    if walk.is_cut:
        program.leave_out(Message("graph mode compiles more than {most} functions", most=MANY))
    return tuple(walk.found), count, tuple(walk.classes)


def _run_by_python(program: Program, compiled: Container[Scope]) -> Iterator[Scope]:
    """Yield the functions around the training steps, and those that they call: `updater.step(grads)`."""
    todo = sorted(training_scopes(program), key=lambda each: (each.module.path, getattr(each.node, "lineno", 0)))
    seen = set(todo)
    for scope in todo:  # which grows
        if scope in compiled:
            continue
        yield scope
        sites = (site for site in scope.calls if site.word != INIT and program.runs(site))  # none of `super()`
        called = (each for site in sites for each in program.callees(site))
        new = [each for each in called if each.is_function and each not in seen]
        todo += dict.fromkeys(new)
        seen.update(new)


@fact
def trained(program: Program) -> tuple[Held, ...]:
    """Return the networks, losses and functions that are trained, also those in cells of MindSpore around them."""
    models = [(call, name, call.given(name)) for call in trained_models(program) for name in ("network", "loss_fn")]
    todo = [
        Held(node, call.scope)
        for call, name, node in models
        if node is not None and (name == "network" or not call.argument(name).must_be(None))
    ]
    own = (known.creation for known in own_models(program))
    todo += [Held(each, made.scope) for made in own if made is not None and (each := inner_of(made.call)) is not None]
    for site in train_sites(program):
        callees = program.evaluator.callees(site).alternatives
        if isinstance(site.node, ast.Call) and not any(each.api.startswith(_TRAINED) for each in callees):
            todo.append(Held(site.node.func, site.scope))
    seen: set[object] = set()
    found: list[Held] = []
    while todo:
        part = todo.pop()
        found.append(part)
        for known in program.evaluator.read(part).alternatives:
            made = known.creation
            if made is not None and known.identity not in seen and root(known)[0].type_api in _AROUND:
                seen.add(known.identity)
                has_loss = known.type_api == "mindspore.nn.WithLossCell"
                losses = [*made.call.args[1:2], *(word.value for word in made.call.keywords if word.arg == "loss_fn")]
                parts = [inner_of(made.call), *(losses if has_loss else [])]
                held = (each for each in parts if each is not None and not isinstance(each, ast.Starred))
                todo += [Held(each, made.scope) for each in held]
    return tuple(found)


@fact
def _inside(program: Program) -> frozenset[Scope]:
    return frozenset(compiled(program))


def is_compiled(program: Program, scope: Scope) -> bool:
    """Return whether the code is in a function that graph mode compiles."""
    return not _inside(program).isdisjoint(scope.owner.chain())


def is_making(program: Program, function: Scope, hops: int = _CALLS) -> bool:
    """Return whether a function runs only while `__init__` makes its object: by `self.reset()` or `reset(self)`."""
    if function.name == INIT:
        return function.cls is not None
    calls = running_callers(program, function) if hops else []
    return bool(calls) and all(_takes_self(each) and is_making(program, each.scope.owner, hops - 1) for each in calls)


def _takes_self(site: Site) -> bool:
    given = plainly_given(site.node) if isinstance(site.node, ast.Call) else []
    return is_own(site.callee or site.node) or any(name_of(each) == "self" for each in given)


class _Walk:
    """Collects the functions that are compiled with some values."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.found: dict[Scope, None] = {}
        self.classes: dict[Scope, None] = {}
        self.seen: set[object] = set()
        self.is_cut = False  # functions are left out

    def value(self, value: Value) -> None:
        for known in value.alternatives:
            self.known(known)

    def known(self, known: Alternative) -> None:
        if known.identity in self.seen or known.constant is None:
            return
        self.seen.add(known.identity)
        if known.cls is not None:
            self.object(known.cls)
        elif known.definition is not None and not known.definition.is_class:
            self.function(known.definition)
        made = known.creation
        if made is not None:  # of what it is made: `WithLossCell(network, loss)`, `value_and_grad(forward, ...)`
            # a class of the project may call a function itself; an optimizer does: `LARS(opt, lars_filter=is_weight)`
            by_python = known.cls is not None or known.type_api == _THOR
            by_python |= is_optimizer(self.program, known.type_api, None)
            for argument in given(made.call):
                node = argument.value if isinstance(argument, ast.Starred) else argument
                for each in self.program.value(node, made.scope).alternatives:
                    if not by_python or each.is_object:
                        self.known(each)
        if known.origin is not None:
            self.known(known.origin)
        for part in known.parts:
            self.value(self.program.evaluator.read(part))

    def object(self, cls: Scope) -> None:
        """Add what a call of a cell compiles: its `construct`, and those of the cells that it holds."""
        construct = method(self.program.evaluator, cls, "construct")
        if construct is None or cls in self.seen or is_decorated(cls.node, *APART):
            return
        self.seen.add(cls)
        self.classes[cls] = None
        self.function(construct)
        for each in ancestors(self.program.evaluator, cls):
            for scope in each.defines:
                if scope.name not in ("construct", "bprop") and not self._is_other_factory(scope):
                    for part in filter(lambda each: each.is_class, loaded(self.program, scope)):
                        self.object(part)  # of which the method makes a part of the cell

    def _is_other_factory(self, method: Scope) -> bool:
        """Return whether no running code calls a method that has no object: `Net.large()` beside `Net.small()`."""
        is_one = is_decorated(method.node, "staticmethod", "classmethod")
        return is_one and not any(map(self.program.runs, callers(self.program, method)))

    def function(self, function: Scope) -> None:
        """Add a function with all that it calls."""
        if function in self.found or is_decorated(function.node, *APART):
            return
        if len(self.found) >= MANY:
            self.is_cut = True
            return
        self.found[function] = None
        for site in function.owner.calls if function.is_function else ():
            if isinstance(site.node, ast.Call) and self.program.evaluator.may_run(site):
                for known in self.program.evaluator.callees(site).alternatives:
                    if known.cls is not None:
                        self.object(known.cls)
                    elif known.definition is not None and known.definition.is_function:
                        self.function(known.definition)
                    elif root(known)[0].type_api in GRADS:  # `slope = ms.grad(forward)`, with the function in it
                        self.known(known)
        for inner in function.defines:
            if inner.is_function and inner.name in function.names:
                self.function(inner)


@fact
def _steps(program: Program, path: str) -> dict[Scope, list[Site]]:
    module = program.module(path)
    found: dict[Scope, list[Site]] = {}
    for stmt, block in module.steps if module is not None else ():
        found.setdefault(block.scope.owner, []).append(Site.of(stmt, block))
    return found


@fact
def steps(program: Program, function: Scope) -> list[Site]:
    """Return the statements of a function that may run; none of a lambda."""
    found = _steps(program, function.module.path).get(function, [])
    return [step for step in found if program.evaluator.may_run(step)]


def nodes(program: Program, function: Scope) -> Iterator[tuple[Site, ast.AST]]:
    """Yield the statements of a function that may run, and their expressions, each with its statement."""
    return ((step, node) for step in steps(program, function) for node in own_nodes(step))


def assigned(stmt: ast.AST) -> tuple[list[ast.expr], Optional[ast.expr]]:
    """Return the targets of an assignment, also an augmented one, and its value; none of other statements."""
    found: list[ast.expr] = [stmt.target] if isinstance(stmt, ast.AugAssign) else [*targets(stmt)]
    return found, getattr(stmt, "value", None) if found else None


def filled(stmt: ast.AST, words: Container[str]) -> list[ast.expr]:
    """Return the containers that a statement fills: `x` of `x[0] = 1`, and of `x.append(1)` for one of some words."""
    call = stmt.value if isinstance(stmt, ast.Expr) else None
    callee = call.func if isinstance(call, ast.Call) else None
    if isinstance(callee, ast.Attribute) and callee.attr in words:
        return [callee.value]
    return [each.value for each in assigned(stmt)[0] if isinstance(each, ast.Subscript)]


def gone_through(binding: Binding) -> tuple[Optional[ast.expr], tuple[int, ...]]:
    """Return the iterable of a loop for a name that it binds, and the part of its elements that the name is.

    For `zip` and `enumerate`, the iterable is the argument for the name.
    """
    over = binding.stmt.iter if isinstance(binding.stmt, (ast.For, ast.AsyncFor)) else None
    path = binding.path
    while isinstance(over, ast.Call) and word_of(over.func) in ("zip", "enumerate") and path:
        index = path[0] if word_of(over.func) == "zip" else path[0] - 1
        over, path = (over.args[index] if 0 <= index < len(over.args) else None), path[1:]
    return over, path


def own_nodes(step: Site) -> Iterator[ast.AST]:
    """Yield a statement and its expressions, without the statements inside of it."""
    yield step.stmt
    for part in children(step.stmt):
        if isinstance(part, ast.expr) or not (isinstance(part, ast.stmt) or hasattr(part, "body")):
            yield from descendants(part)
