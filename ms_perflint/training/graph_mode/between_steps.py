"""Changes that Python makes between steps, and that have another effect in graph mode.

Run on 2.10, CPU. `optimizer.learning_rate.set_data(...)`, also of `optimizer.get_lr()`, and assigning a Tensor to it or
to `learning_rate[...]`, is ignored in PyNative and acts in graph mode; `ops.assign` acts in both. `group["lr"] = value`
of an experimental optimizer acts in PyNative only, its schedulers in both. `set_data` of a weight, `weight[...] =
value` and `load_param_into_net` between the steps of a `value_and_grad` function do not arrive there in graph mode, nor
do `net.weight = value` and `net.weight *= 2`; `ops.assign`, `weight[:] = value`, `weight[0] = value` and `weight *= 2`
of a name do, and where a cell is called all do. In PyNative mode the optimizer does not change a weight any more that
got other data in the first way, also that of a train cell or a Model. `requires_grad` counts at the first step only.
`set_data` of a Parameter beside the network does not arrive in a gradient function either, nor does a setting of a
layer or loss, `net.dropout.p = 0.1`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Optional

from ms_perflint import mindspore_api
from ms_perflint.index.semantic_index import Binding, Scope, Site
from ms_perflint.index.syntax_forms import plainly_given, word_of
from ms_perflint.infer.bases import method
from ms_perflint.infer.values import Alternative, Value
from ms_perflint.languages import Message
from ms_perflint.program.program import Program, fact
from ms_perflint.training.bases import is_cell, is_parameter
from ms_perflint.training.graph_mode.compiled import (
    compiled,
    gone_through,
    is_compiled,
    is_making,
    is_of_step,
    nodes,
    trained,
)
from ms_perflint.training.graph_mode.known_calls import calls_of, is_listed
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle
from ms_perflint.training.graph_mode.recreated import is_recompiled_after
from ms_perflint.training.graph_mode.set_by_calls import all_stores
from ms_perflint.training.graph_mode.state import free
from ms_perflint.training.networks import networks
from ms_perflint.training.optimizers import PARAMETERS, is_optimizer, optimizers
from ms_perflint.training.repetition import repeats
from ms_perflint.training.training import callers, train_sites
from ms_perflint.training.training_steps import calls_gradient, root

_RATE = "learning_rate"
_EXPERIMENTAL = "mindspore.experimental.optim.Optimizer"  # whose rates are entries of dicts
_PARTS = frozenset({"weight", "bias", "gamma", "beta"})  # weights of layers of MindSpore
_WEIGHTS = frozenset({*PARAMETERS, "untrainable_params", "items", "values", "parameters", "parameters_dict"})
# Attributes of cells of MindSpore that PyNative reads at each call (run on 2.10, CPU); others, `momentum`, at creation
_SETTINGS = ("alpha", "delta", "keep_prob", "label_smoothing", "p", "reduction", "use_batch_statistics")
_METHODS = ("set_data", "assign_value")  # of a Parameter: it gets other data
_HOPS = 4  # names that stand for one another


def between_steps(program: Program) -> Iterator[Obstacle]:
    """Yield the changes that Python makes between steps, and that have another effect in graph mode."""
    text = Message("PyNative ignores `set_data` of the learning rate, graph mode does not: use `ops.assign`")
    for node, site in _given_rates(program):
        if acts(program, site):
            yield obstacle(site.module, node, "learning rate", text)
    for store in program.code.stores_anywhere(_RATE):
        base = store.node.value if isinstance(store.node, ast.Attribute) else None
        made = program.value(base, store.scope).alternatives if base is not None else ()
        new = program.value(store.value, store.scope).alternatives if store.value is not None else ()
        if any(each.type_api == "mindspore.Parameter" for each in new):
            continue  # both ignore it
        if any(each.type_api.startswith("mindspore.nn.") for each in made) and acts(program, store.site):
            text = Message("PyNative ignores a new `learning_rate` of the optimizer, graph mode may not")
            yield obstacle(store.scope.module, store.node, "learning rate", text)
    in_groups = [each for each in program.code.stores_anywhere("lr") if isinstance(each.node, ast.Subscript)]
    if in_groups and program.has_calls(*sorted(mindspore_api.descendants(_EXPERIMENTAL))):
        text = Message("graph mode keeps the first `lr` of the group: use a scheduler, or `ops.assign`")
        for store in (each for each in in_groups if acts(program, each.site)):
            yield obstacle(store.scope.module, store.node, "learning rate", text)
    for store in _freezing(program):
        if acts(program, store.site) and not is_recompiled_after(program, store.site):
            text = Message("graph mode goes on training what was not frozen at the first step")
            yield obstacle(store.scope.module, store.node, "frozen", text)
    yield from _loaded(program)
    yield from _reset(program)
    for site in train_sites(program):
        named = [each for each in getattr(site.node, "keywords", ()) if _is_keyword(program, site, each)]
        if named and calls_gradient(program, site):
            text = Message("graph mode passes no keywords to a gradient function")
            yield obstacle(site.module, named[0].value, "keyword", text)


def _given_rates(program: Program) -> Iterator[tuple[ast.expr, Site]]:
    """Yield the code that gives the learning rate other data: `rate.set_data(v)`, `rate[...] = v`."""
    for site in (each for word in _METHODS for each in program.sites(word)):
        if _is_rate(site.base, site.scope, _HOPS):
            yield site.node, site
    for target, site in _given_whole(program):
        if isinstance(target.value, ast.Attribute) and _is_rate(target.value, site.scope, _HOPS):
            yield target, site


def _is_rate(node: Optional[ast.expr], scope: Scope, hops: int) -> bool:
    """Return whether an expression is the learning rate of an optimizer, also by a name or by `optimizer.get_lr()`."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr == "get_lr" and not node.args
    if node is None or word_of(node) == _RATE:
        return node is not None
    bindings = scope.lookup(node) if isinstance(node, ast.Name) and hops else ()
    return any(
        each.kind == "assign" and not each.path and _is_rate(each.value, each.scope, hops - 1) for each in bindings
    )


def _is_keyword(program: Program, site: Site, word: ast.keyword) -> bool:
    """Return whether a call gets a keyword: by its name, or by `**batch`; not by a `**rest` that no caller fills."""
    function = site.scope.owner
    own: Optional[ast.arguments] = getattr(function.node, "args", None)
    rest = own.kwarg if own is not None else None
    if own is None or rest is None or word.arg is not None or word_of(word.value) != rest.arg:
        return True
    names = {each.arg for each in (*own.posonlyargs, *own.args, *own.kwonlyargs)}
    given = (each for caller in callers(program, function) for each in getattr(caller.node, "keywords", ()))
    return any(each.arg not in names for each in given)


def _freezing(program: Program) -> list[Binding]:
    """Return the stores of `requires_grad`; none where all store True, the value from the start."""
    stores = program.code.stores_anywhere("requires_grad")
    values = [program.value(each.value, each.scope) for each in stores if each.value is not None]
    if any(word.arg == "requires_grad" for site in program.sites("Parameter") for word in site.call.keywords):
        return list(stores)
    return [] if len(values) == len(stores) and all(each.must_be(True) for each in values) else list(stores)


def _loaded(program: Program) -> Iterator[Obstacle]:
    """Yield the code that gives weights other data between steps."""
    by_gradient = any(calls_gradient(program, site) for site in train_sites(program))
    text = Message("graph mode does not see it when a weight gets other data: use `ops.assign`")
    if not by_gradient:
        text = Message("PyNative stops training a weight that gets other data, graph mode does not: use `ops.assign`")
    found: list[tuple[ast.expr, ast.expr, Site]] = [
        (site.node, next(iter(site.call.args), site.node), site) for site in program.sites("load_param_into_net")
    ]
    for word in _METHODS:
        for site in program.sites(word):
            if site.base is None:
                continue
            is_read = by_gradient and _is_read(program, site.base, site.scope)
            if is_read or _is_of_network(site.base, site.scope, _HOPS, by_gradient):
                found.append((site.node, site.base, site))
    for node, weight, site in (*found, *((node, node, site) for node, site in _replaced(program))):
        if (_is_apart if by_gradient else is_beside)(program, weight, site.scope):
            continue
        if acts(program, site) and not is_recompiled_after(program, site):
            yield obstacle(site.module, node, "weights", text)


def _is_read(program: Program, node: ast.expr, scope: Scope) -> bool:
    """Return whether compiled code reads a Parameter that an expression is, by a name of the code around it."""
    own = {each.identity for each in program.value(node, scope).alternatives if is_parameter(each)}
    read = (program.value(name, each) for each in compiled(program) for name in free(each.node, frozenset()) if own)
    return any(known.identity in own for value in read for known in value.alternatives)


def _reset(program: Program) -> Iterator[Obstacle]:
    """Yield the stores of a setting of a cell of MindSpore: `net.dropout.p = 0.1`, `loss_fn.reduction = "sum"`."""
    for store in (each for word in _SETTINGS for each in all_stores(program, word)):
        base = store.node.value if isinstance(store.node, ast.Attribute) else None
        held = program.value(base, store.scope).alternatives if base is not None else ()
        cells = [each for each in held if each.cls is None and is_cell(program, each)]
        is_of_cell = any(not is_optimizer(program, each.type_api, None) for each in cells)
        if is_of_cell and acts(program, store.site) and not is_recompiled_after(program, store.site):
            name = ast.unparse(store.node)
            text = Message("graph mode keeps the first value of `{name}`, which changes between steps", name=name)
            yield obstacle(store.scope.module, store.node, "changed", text)


def is_beside(program: Program, weight: ast.expr, scope: Scope) -> bool:
    """Return whether what holds a weight is known, and is no network that an optimizer trains.

    A target network that is a copy of the trained one is none, nor is a cell that is being made.
    """
    holders = list(_holders(program, weight, scope, _HOPS))
    cells, known = {each.identity for each in _with_given(program, holders)}, _trained(program)
    classes = {each.cls for each in holders if each.is_any}  # of `self`
    is_apart = bool(cells) and known is not None and known.isdisjoint(cells | classes)
    return is_apart or _is_being_made(program, holders, scope)


def _is_being_made(program: Program, holders: Sequence[Alternative], scope: Scope) -> bool:
    """Return whether code changes `self`, or a layer that its class makes, while it is made: no step has run it yet."""
    own = scope.owner.cls
    makers = [each.made_by for each in holders if not each.is_any]
    is_own = bool(holders) and all(each is not None and each.cls is own is not None for each in makers)
    return is_own and is_making(program, scope.owner)


def _is_apart(program: Program, weight: ast.expr, scope: Scope) -> bool:
    """Return whether the network that holds a weight is known, and no step reads it: a target that Python code calls.

    Run on 2.10: graph mode sees other data of a network whose cells Python code calls.
    """
    holders, read = list(_holders(program, weight, scope, _HOPS, True)), _read(program)
    both = {key for each in _with_given(program, holders) for key in (each.identity, (each.identity, each.copied))}
    return (bool(both) and read is not None and both.isdisjoint(read)) or _is_being_made(program, holders, scope)


def _with_given(program: Program, cells: Sequence[Alternative]) -> list[Alternative]:
    """Return cells with the cells that they are made of: `EvalNet(net)`, `nn.SequentialCell([net, nn.Softmax()])`."""
    found = {each.identity: each for each in cells}
    todo = list(cells)
    for each in todo:  # which grows
        made = each.creation
        parts = [program.value(node, made.scope) for node in plainly_given(made.call)] if made is not None else []
        parts += [program.evaluator.read(part) for part in each.parts]
        for known in (known for value in parts for known in value.alternatives if known.identity not in found):
            if known.is_display or is_cell(program, known):
                found[known.identity] = known
                todo.append(known)
    return [each for each in found.values() if not each.is_display]


@fact
def _read(program: Program) -> Optional[frozenset[object]]:
    """Return the cells that compiled steps read, by identity and copy, and by identity the parts of rows.

    None where one is not known.
    """
    found: dict[object, Alternative] = {}
    for function in (each for each in compiled(program) if is_of_step(program, each)):
        calls = (each for each in calls_of(program, function) if not is_listed(f"mindspore.Tensor.{each.word}"))
        if isinstance(function.node, ast.Lambda) or any(program.evaluator.callees(each).open for each in calls):
            return None
        for step, node in nodes(program, function):
            if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
                known = program.value(node, step.scope).alternatives
                found.update(((each.identity, each.copied), each) for each in known if is_cell(program, each))
    evaluator, read = program.evaluator, found.values()
    rows = tuple(each for each in read if each.cls is None or method(evaluator, each.cls, "construct") is None)
    part = networks.reach(program, [Value(rows)])
    return None if part.is_hidden else frozenset({*found, *part.seen}.difference(each.identity for each in rows))


def _holders(
    program: Program, node: Optional[ast.expr], scope: Scope, hops: int, nearest: bool = False
) -> Iterator[Alternative]:
    """Yield the cells in an expression for a weight: of `net.fc.weight` `net.fc` and, unless `nearest`, `net`."""
    if node is None:
        return
    known = [each for each in program.value(node, scope).alternatives if is_cell(program, each)]
    yield from (each for each in known if not is_optimizer(program, each.type_api, each.cls))
    if nearest and known:
        return
    if isinstance(node, ast.Name) and hops:
        for binding in scope.lookup(node):
            bound = gone_through(binding)[0] if binding.kind == "for" else binding.value
            yield from _holders(program, bound, binding.scope, hops - 1, nearest)
    elif isinstance(node, (ast.Attribute, ast.Subscript)):
        yield from _holders(program, node.value, scope, hops, nearest)
    elif isinstance(node, ast.Call):
        yield from _holders(program, node.func, scope, hops, nearest)


@fact
def _trained(program: Program) -> Optional[frozenset[object]]:
    """Return the identities of the networks that optimizers train, with their parts, else those of all in the steps.

    None where one is not known.
    """
    found: set[object] = set()
    for call in program.calls(*optimizers()):
        given = call.argument("params")
        values = [given, *(program.evaluator.read(part) for known in given.alternatives for part in known.parts)]
        known = [each for value in values for each in value.alternatives if not each.is_display]
        roots = tuple(root(each)[0] for each in known)
        part = networks.reach(program, [Value(roots)])
        if given.open or not roots or part.is_hidden:
            part = networks.reach(program, [program.evaluator.read(each) for each in trained(program)])
            return None if part.is_hidden or not trained(program) else frozenset(part.seen)
        found |= part.seen
    return frozenset(found)


def _replaced(program: Program) -> Iterator[tuple[ast.expr, Site]]:
    """Yield the stores that give a weight other data: `weight[...] = v`, `weight.data = v`, `net.weight = v`."""
    for store in (each for part in sorted(_PARTS) for each in program.code.stores_anywhere(part)):
        if isinstance(store.node, ast.Attribute):
            held = program.value(store.node.value, store.scope).alternatives
            if any(each.cls is None and is_cell(program, each) for each in held):
                yield store.node, store.site
    for store in program.code.stores_anywhere("data"):
        if isinstance(store.node, ast.Attribute) and _is_of_network(store.node.value, store.scope, _HOPS, False):
            yield store.node, store.site
    for target, site in _given_whole(program):
        if _is_of_network(target.value, site.scope, _HOPS, False):
            yield target, site


def _given_whole(program: Program) -> Iterator[tuple[ast.Subscript, Site]]:
    """Yield the stores of all entries of something: `x[...] = value`."""
    for module in program.modules:
        for target, value, block in (each for table in module.registered.values() for each in table):
            if isinstance(target.slice, ast.Constant) and target.slice.value is ...:
                yield target, Site.of(value, block)


def _is_of_network(node: Optional[ast.expr], scope: Scope, hops: int, any_part: bool) -> bool:
    """Return whether an expression is a weight: a part of a layer, or one of the weights of a network or optimizer.

    `any_part`: any attribute but the learning rate is one.
    """
    if isinstance(node, ast.Attribute):
        return node.attr != _RATE if any_part else node.attr in _PARTS
    if isinstance(node, ast.Subscript):
        return _are_weights(node.value, scope, hops)
    for binding in scope.lookup(node) if isinstance(node, ast.Name) and hops else ():
        if binding.kind == "assign" and not binding.path:
            if _is_of_network(binding.value, binding.scope, hops - 1, any_part):
                return True
        elif _are_weights(gone_through(binding)[0], binding.scope, hops):
            return True
    return False


def _are_weights(node: Optional[ast.expr], scope: Scope, hops: int) -> bool:
    """Return whether an expression is a collection of weights: `net.trainable_params()`, `opt.parameters`."""
    if isinstance(node, (ast.Call, ast.Attribute)):
        return word_of(node.func if isinstance(node, ast.Call) else node) in _WEIGHTS
    bindings = scope.lookup(node) if isinstance(node, ast.Name) and hops else ()
    return any(
        each.kind == "assign" and not each.path and _are_weights(each.value, each.scope, hops - 1) for each in bindings
    )


def acts(program: Program, site: Site) -> bool:
    """Return whether a site is Python code that runs between steps."""
    return not is_compiled(program, site.scope) and program.runs(site) and repeats(program, site, even_once=True)
