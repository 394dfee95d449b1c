"""Gradient functions, train cells and other cells that each step makes again: graph mode compiles each of them.

Run on 2.10, CPU, a network of two layers, per step: `value_and_grad`, `grad`, `GradOperation`, `TrainOneStepCell`,
`WithLossCell`, a loss or an optimizer made in each step is 2 to 10 times slower in graph mode than in PyNative, and
more than a hundred times slower than one that is made once. A `GradOperation` that is made once and applied in each
step is compiled once. A name, a global, an attribute of a cell or of another object, the data of a Parameter and
`requires_grad` are right in a gradient function or train cell that is made after the change, also of the same function.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Optional

from ms_perflint import mindspore_api
from ms_perflint.index.semantic_index import Binding, Scope, Site
from ms_perflint.index.signature import Held
from ms_perflint.index.syntax_forms import is_decorated
from ms_perflint.infer.bases import ancestors
from ms_perflint.infer.values import Alternative
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program, fact
from ms_perflint.training import jit, mode
from ms_perflint.training.bases import CELL, PARAMETER, base_apis, is_cell, is_cell_class
from ms_perflint.training.graph_mode.compiled import is_compiled
from ms_perflint.training.graph_mode.made_once import Once, once
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle
from ms_perflint.training.networks.layers import LAYERS
from ms_perflint.training.optimizers import is_optimizer
from ms_perflint.training.repetition import repeats
from ms_perflint.training.step_loops import is_around_steps, is_each_step, is_unconditional, scopes_of_steps
from ms_perflint.training.training import is_trained, running_callers, train_sites, training_scopes
from ms_perflint.training.training_steps import GRADS, STEP_CELLS, is_step_object, root

_OPTIMIZER = "mindspore.nn.Optimizer"  # whose `construct` is compiled in each mode: 2.10 nn/optim/adam.py
_SGD = "mindspore.nn.SGD"
_STATES = ("WithLossScale", "WithLossScaleCell")  # parts of names of train cells that count and adapt their scale
_HOPS = 4  # names and functions between a callee and the call that made it
_KINDS = ("mindspore.nn.", "mindspore.amp.", "mindspore.experimental.optim.")
_RETURN_SELF = frozenset({"set_train", "set_grad", "to_float", "add_flags"})  # methods of a cell that return it
_MAKES_CELL = "mindspore.ops.clip_by_global_norm"  # a function that makes a cell and calls it: 2.10 clip_func.py


class Recreated(NamedTuple):
    """A call that each step makes again, and where it can be made once; None without such a place.

    `is_stateful`: it makes weights, or the state of an optimizer, which each step begins anew.
    `is_inside`: a function of MindSpore makes it inside, of what it is given.
    """

    site: Site
    once: Optional[Once]
    is_stateful: bool = False
    is_inside: bool = False

    @property
    def name(self) -> str:
        """Return the word of the call: `value_and_grad`."""
        return self.site.word

    @property
    def obstacle(self) -> Obstacle:
        """Return it as an obstacle to graph mode."""
        message = Message("graph mode compiles this `{name}` in every step", name=self.name)
        return obstacle(self.site.module, self.site.node, "made anew", message)


@fact
def recreated(program: Program) -> tuple[Recreated, ...]:
    """Return the calls in Python code that each step makes again, and whose result it calls."""
    found: dict[Site, None] = {}
    for scope in training_scopes(program):
        if not is_compiled(program, scope):
            for site in (each for each in scope.calls if not is_around_steps(program, each)):
                found.update(dict.fromkeys(_makers_in_iteration(program, site)))
    found = {site: None for site in found if program.runs(site) and repeats(program, site)}
    for site in train_sites(program):
        found.update(dict.fromkeys(_makers_elsewhere(program, site)))
    return _in_order(program, found)


def _in_order(program: Program, found: Iterable[Site]) -> tuple[Recreated, ...]:
    ordered = sorted(found, key=lambda each: (each.module.path, each.span))
    return tuple(Recreated(site, once(program, site), _makes_state(program, site)) for site in ordered)


@fact
def made_inside(program: Program) -> tuple[Recreated, ...]:
    """Return the calls in Python code of each step to a function of MindSpore that makes a cell, and calls it.

    Run on 2.10, CPU, a network of two layers: 90 to 110 ms per step in PyNative, 360 to 510 in graph mode, 1 in `jit`.
    """
    sites = (site for site in program.sites(_MAKES_CELL.rpartition(".")[2]) if _MAKES_CELL in program.apis(site))
    found = [site for site in sites if not _is_in_graph(program, site) and is_each_step(program, site)]
    return tuple(Recreated(site, None, is_inside=True) for site in found)


@fact
def recreated_per_epoch(program: Program) -> Optional[Site]:
    """Return the call that makes a gradient function or train cell for each epoch, not for each step; None if none.

    It is mostly in the function that trains for one epoch.
    """
    each_step = {each.site for each in recreated(program)}
    for step in train_sites(program):
        for known in program.evaluator.callees(step).alternatives:
            site = maker_of(program, known)
            if site is None or site in each_step or not is_unconditional(program, site):
                continue
            if program.runs(site) and repeats(program, site):
                return site
    return None


def _makers_in_iteration(program: Program, site: Site) -> Iterator[Site]:
    """Yield the calls in the same iteration that make what a site calls."""
    if isinstance(site.callee, ast.Attribute):
        yield from _makers_in_attribute(program, site)
        return
    for known in program.evaluator.callees(site).alternatives:
        made = known.creation
        if made is None or made.scope.owner is not site.scope.owner:
            continue
        if is_cell(program, known) or known.type_api in GRADS or known.type_api.startswith(_KINDS):
            maker = made.site
            if maker is not None and maker.block.loops == site.block.loops:
                yield maker


def _makers_in_attribute(program: Program, site: Site) -> Iterator[Site]:
    """Yield the calls in the same iteration that make the gradient function or train cell in an attribute."""
    binding = _binding(program, site.callee, site.scope, site.block.loops)
    if binding is None:
        return
    for known in program.evaluator.callees(site).alternatives:
        maker = maker_of(program, known)
        if maker is not None and maker.node is binding.whole and is_unconditional(program, maker):
            yield maker


def _makers_elsewhere(program: Program, site: Site) -> Iterator[Site]:
    """Yield the calls in another function that make the callee of a training step again for each step.

    That function returns it, `self.grad_fn()(x, y)`, or contains the step.
    """
    for known in program.evaluator.callees(site).alternatives:
        maker = maker_of(program, known)
        if maker is None or maker.scope.owner is site.scope.owner or is_compiled(program, maker.scope):
            continue
        is_got = site.word == maker.scope.owner.name
        if is_got and is_decorated(maker.scope.owner.node, "property"):
            is_anew = is_unconditional(program, maker) and repeats(program, site)
        else:
            is_anew = is_each_step(program, maker)
        if is_anew:
            yield maker


def maker_of(program: Program, known: Alternative) -> Optional[Site]:
    """Return the call that makes a gradient function or a train cell; None for other objects."""
    known, _ = root(known)  # of what a `GradOperation` gave
    is_step = is_cell_class(program, known.cls) and is_step_object(program, known)
    return known.maker if known.type_api in GRADS | STEP_CELLS or is_step else None


# --- changes behind which all that is trained with is compiled again


def is_recompiled_after(program: Program, change: Site) -> bool:
    """Return whether each iteration of the training loop with a change also makes all that is trained with.

    What a fix moves out of the loop is made before the change.
    """
    if any(each.once is not None for each in recreated(program)):
        return False
    inside = next((each for each in _loops(program, change, set()) if id(each) in _training_loops(program)), None)
    makers = _makers(program)
    return inside is not None and bool(makers) and all(inside in around for around in makers)


@fact
def _makers(program: Program) -> tuple[tuple[ast.AST, ...], ...]:
    """Return the loops around each call that makes the callee of a training step; none where one is not known."""
    found: dict[Site, None] = {}
    for site in train_sites(program):
        known = program.evaluator.callees(site).alternatives
        makers = [maker_of(program, each) for each in known]
        if not makers or any(each is None or not is_unconditional(program, each) for each in makers):
            return ()
        found.update((each, None) for each in makers if each is not None)
    return tuple(tuple(_loops(program, each, set())) for each in found)


@fact
def _training_loops(program: Program) -> frozenset[int]:
    return frozenset(id(loop) for site in train_sites(program) for loop in _loops(program, site, set()))


def _loops(program: Program, site: Site, seen: set[Scope]) -> Iterator[ast.AST]:
    """Yield the loops around a site, innermost first, and those around the calls of its function."""
    yield from site.block.loops
    if site.scope.owner not in seen:
        seen.add(site.scope.owner)
        for caller in running_callers(program, site.scope.owner):
            yield from _loops(program, caller, seen)


# --- what each step compiles again in the mode of the program


@fact
def recompiled_per_step(program: Program) -> tuple[Recreated, ...]:
    """Return what each step makes and calls, and so compiles; in an unknown mode what both modes compile.

    Run on 2.10, CPU, a network of two layers, per step: 290 to 340 ms for a `value_and_grad` in graph mode, 430 to 570
    for a train cell, 620 to 960 for a `GradOperation`, 180 to 250 for a `jit`, and 1 to 32 for what is made once.
    """
    if not is_trained(program):
        return ()
    found: dict[Site, None] = {}
    for scope in scopes_of_steps(program):
        for site in scope.calls:
            found.update(dict.fromkeys(_compiled_for(program, site)))
    inside = (each for each in made_inside(program) if mode.is_graph_at(program, each.site))
    return (*_in_order(program, found), *inside)


def _compiled_for(program: Program, site: Site) -> Iterator[Site]:
    """Yield the calls in Python code that make the callee of a site in the same step.

    For a `@jit` function that is defined in the step it is the call of the function.
    """
    callee = site.callee
    if not isinstance(callee, (ast.Name, ast.Attribute, ast.Call)):
        return
    if isinstance(callee, ast.Name) and _is_defined_in_iteration(program, callee, site):
        makers = [site]
    else:
        made = _makers_of(program, Held(callee, site.scope), site.block.loops, _HOPS)
        makers = [each for each in made if _compiles(program, each)]
    if makers and is_each_step(program, site):
        yield from (each for each in makers if not _is_in_graph(program, each) and not _is_in_graph(program, site))


def _is_in_graph(program: Program, site: Site) -> bool:
    return is_compiled(program, site.scope) or jit.is_in_jit(program, site.scope.owner)


def _is_defined_in_iteration(program: Program, name: ast.Name, site: Site) -> bool:
    """Return whether a name is that of a `@jit` function that is defined in the same iteration."""
    binding = site.scope.only(name)
    if binding is None or not _is_in_iteration(binding, site.scope, site.block.loops):
        return False
    inner = site.scope.defines if site.block.loops or site.scope.is_function else ()
    return any(each.node is binding.stmt and jit.is_decorated(program, each) for each in inner)


def _binding(program: Program, node: Optional[ast.expr], scope: Scope, loops: list[ast.AST]) -> Optional[Binding]:
    """Return what sets a name, or an attribute of a name, in the same iteration of some loops; None for others."""
    binding = scope.only(node)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        module, cls = scope.module, scope.cls
        own = cls.attributes.get(node.attr, ()) if cls is not None else ()
        stores = (*module.stores.get((node.value.id, node.attr), ()), *own)
        found = [each for each in stores if each.scope is scope and module.text(each.node) == module.text(node)]
        found = [each for each in found if module.span(each.node) < module.span(node)]
        binding = found[0] if len(found) == 1 else None
    return binding if binding is not None and _is_in_iteration(binding, scope, loops) else None


def _is_in_iteration(binding: Binding, scope: Scope, loops: list[ast.AST]) -> bool:
    return binding.scope is scope and binding.block.loops == loops


def _makers_of(program: Program, part: Held, loops: list[ast.AST], hops: int) -> Iterator[Site]:
    """Yield the calls that make the value of an expression in each iteration of some loops."""
    node, scope = part.node, part.scope
    if isinstance(node, (ast.Name, ast.Attribute)) and hops:
        binding = _binding(program, node, scope, loops)
        if binding is not None and isinstance(binding.whole, ast.Call):
            yield from _makers_of(program, Held(binding.whole, scope), loops, hops - 1)
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _RETURN_SELF:
        node = node.func.value
    maker = scope.module.site_at(node) if isinstance(node, ast.Call) else None
    if maker is None or not hops or not isinstance(node, ast.Call) or not is_unconditional(program, maker):
        return
    yield maker
    yield from _makers_of(program, Held(node.func, scope), loops, hops - 1)  # `GradOperation()(network)`
    known = program.evaluator.callees(maker).only
    function = known.definition if known is not None else None
    if function is not None and function.is_function and not getattr(function.node, "decorator_list", True):
        for value, _ in function.returns if len(function.returns) == 1 else ():
            yield from _makers_of(program, Held(value, function), [], hops - 1)


def _compiles(program: Program, maker: Site) -> bool:
    """Return whether a call makes a callable that is compiled when it is called.

    In both modes that is a `jit` function or an optimizer, in graph mode also a cell or a gradient function.
    """
    apis = program.apis(maker)
    if any(api in jit.JITS or _OPTIMIZER in mindspore_api.ancestors(api) for api in apis):
        return True
    if not mode.is_graph_at(program, maker):
        return False
    if any(api in GRADS or api in STEP_CELLS or CELL in mindspore_api.ancestors(api) for api in apis):
        return True
    classes = (known.definition for known in program.evaluator.callees(maker).alternatives)
    return any(is_cell_class(program, cls) for cls in classes)


# --- calls that make weights, or the state of an optimizer


def _makes_state(program: Program, site: Site) -> bool:
    """Return whether a call, or one in its arguments, makes an object with weights or a state of its own.

    Made once, such an object keeps what steps change. Run on 2.10, CPU: an Adam that each step makes takes other steps
    than one that is made once, as a Momentum does.
    """
    inside = (site.module.site_at(node) for node in ast.walk(site.node) if isinstance(node, ast.Call))
    return any(_is_one(program, each, frozenset()) for each in inside if each is not None)


def _is_one(program: Program, site: Site, seen: frozenset[Scope]) -> bool:
    for known in program.evaluator.callees(site).alternatives:
        cls = known.definition if known.definition is not None and known.definition.is_class else None
        if known.api and _has_state(program, site, known.api):
            return True
        if cls is not None and cls not in seen and _is_class_one(program, cls, seen | {cls}):
            return True
    return False


def _has_state(program: Program, site: Site, api: str) -> bool:
    if api == _SGD:
        momentum = Call(site, program, api).argument("momentum")
        return not all(value == 0 for value in momentum.constants) or not momentum.constants
    return _has_weights(api) or api == PARAMETER or is_optimizer(program, api, None)


def _is_class_one(program: Program, cls: Scope, seen: frozenset[Scope]) -> bool:
    """Return whether the objects of a class of the project have weights, or are optimizers."""
    if is_optimizer(program, "", cls) or any(_has_weights(api) for api in base_apis(program, cls)):
        return True
    inits: list[Optional[Scope]] = [each.method("__init__") for each in ancestors(program.evaluator, cls)]
    calls = (site for init in inits if init is not None for site in init.calls if isinstance(site.node, ast.Call))
    return any(_is_one(program, site, seen) for site in calls)


def _has_weights(api: str) -> bool:
    return api in LAYERS or any(part in api for part in _STATES)
