"""Changes that Python makes between steps, and that have another effect in graph mode.

Run on 2.10, CPU. `optimizer.learning_rate.set_data(...)`, and assigning a Tensor to it, is ignored in PyNative and
acts in graph mode; `ops.assign` acts in both. `group["lr"] = value` of an experimental optimizer acts in PyNative
only, its schedulers in both. `set_data` of a weight, `weight[...] = value` and `load_param_into_net` between the steps
of a `value_and_grad` function do not arrive there in graph mode, nor do `net.weight = value` and `net.weight *= 2`;
`ops.assign`, `weight[:] = value` and `weight *= 2` of a name do, and where a cell is called all do. In PyNative mode
the optimizer does not change a weight any more that got other data in the first way. `requires_grad` counts at the
first step only.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Optional

from ms_perflint import mindspore_api
from ms_perflint.index.semantic_index import Binding, Scope, Site
from ms_perflint.index.syntax_forms import word_of
from ms_perflint.languages import Message
from ms_perflint.program.program import Program
from ms_perflint.training.bases import is_cell
from ms_perflint.training.graph_mode.compiled import gone_through, is_compiled
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle
from ms_perflint.training.graph_mode.recreated import is_recompiled_after
from ms_perflint.training.optimizers import PARAMETERS
from ms_perflint.training.repetition import repeats
from ms_perflint.training.training import train_sites
from ms_perflint.training.training_steps import calls_gradient

_RATE = "learning_rate"
_EXPERIMENTAL = "mindspore.experimental.optim.Optimizer"  # whose rates are entries of dicts
_PARTS = frozenset({"weight", "bias", "gamma", "beta"})  # weights of layers of MindSpore
_WEIGHTS = frozenset({*PARAMETERS, "untrainable_params", "items", "values"})


def between_steps(program: Program) -> Iterator[Obstacle]:
    """Yield the changes that Python makes between steps, and that have another effect in graph mode."""
    for site in program.sites("set_data"):
        if site.base is not None and word_of(site.base) == _RATE and _acts(program, site):
            text = Message("PyNative ignores `set_data` of the learning rate, graph mode does not: use `ops.assign`")
            yield obstacle(site.module, site.node, "learning rate", text)
    for store in program.stores_anywhere(_RATE):
        base = store.node.value if isinstance(store.node, ast.Attribute) else None
        made = program.value(base, store.scope).alternatives if base is not None else ()
        new = program.value(store.value, store.scope).alternatives if store.value is not None else ()
        if any(each.type_api == "mindspore.Parameter" for each in new):
            continue  # both ignore it
        if any(each.type_api.startswith("mindspore.nn.") for each in made) and _acts(program, store.site):
            text = Message("PyNative ignores a new `learning_rate` of the optimizer, graph mode may not")
            yield obstacle(store.scope.module, store.node, "learning rate", text)
    in_groups = [each for each in program.stores_anywhere("lr") if isinstance(each.node, ast.Subscript)]
    if in_groups and program.has_calls(*sorted(mindspore_api.descendants(_EXPERIMENTAL))):
        text = Message("graph mode keeps the first `lr` of the group: use a scheduler, or `ops.assign`")
        for store in (each for each in in_groups if _acts(program, each.site)):
            yield obstacle(store.scope.module, store.node, "learning rate", text)
    for store in _freezing(program):
        if _acts(program, store.site) and not is_recompiled_after(program, store.site):
            text = Message("graph mode goes on training what was not frozen at the first step")
            yield obstacle(store.scope.module, store.node, "frozen", text)
    yield from _loaded(program)
    for site in train_sites(program):
        named = [each for each in getattr(site.node, "keywords", ()) if each.arg is not None]
        if named and calls_gradient(program, site):
            text = Message("graph mode passes no keywords to a gradient function")
            yield obstacle(site.module, named[0].value, "keyword", text)


def _freezing(program: Program) -> list[Binding]:
    """Return the stores of `requires_grad`; none where all store True, the value from the start."""
    stores = program.stores_anywhere("requires_grad")
    values = [program.value(each.value, each.scope) for each in stores if each.value is not None]
    made = (site.node for site in program.sites("Parameter") if isinstance(site.node, ast.Call))
    if any(word.arg == "requires_grad" for call in made for word in call.keywords):
        return list(stores)
    return [] if len(values) == len(stores) and all(each.must_be(True) for each in values) else list(stores)


def _loaded(program: Program) -> Iterator[Obstacle]:
    """Yield the calls that give weights other data between the steps of a gradient function."""
    if not any(calls_gradient(program, site) for site in train_sites(program)):
        return
    text = Message("graph mode does not see it when a weight gets other data: use `ops.assign`")
    for word in ("set_data", "assign_value", "load_param_into_net"):
        for site in program.sites(word):
            is_of_weight = word == "load_param_into_net" or _is_of_network(site.base, site.scope)
            if is_of_weight and _acts(program, site) and not is_recompiled_after(program, site):
                yield obstacle(site.module, site.node, "weights", text)
    for target, site in _replaced(program):
        if _acts(program, site) and not is_recompiled_after(program, site):
            yield obstacle(site.module, target, "weights", text)


def _replaced(program: Program) -> Iterator[tuple[ast.expr, Site]]:
    """Yield the stores that give a weight other data as a whole: `weight[...] = value`, `net.weight = value`."""
    for store in (each for part in sorted(_PARTS) for each in program.stores_anywhere(part)):
        if isinstance(store.node, ast.Attribute):
            held = program.value(store.node.value, store.scope).alternatives
            if any(each.cls is None and is_cell(program, each) for each in held):
                yield store.node, store.site
    for module in program.modules:
        for target, value, block in (each for table in module.registered.values() for each in table):
            if isinstance(target.slice, ast.Constant) and target.slice.value is ...:
                base = target.value
                is_part = not isinstance(base, ast.Attribute) or base.attr in _PARTS
                if is_part and _is_of_network(base, block.scope):
                    yield target, Site.of(value, block)


def _is_of_network(base: Optional[ast.expr], scope: Scope) -> bool:
    """Return whether an expression is a weight: an attribute, or an item of a loop over weights."""
    if not isinstance(base, ast.Name):
        return isinstance(base, ast.Attribute) and base.attr != _RATE
    for binding in scope.lookup(base):
        over, _ = gone_through(binding)
        if isinstance(over, ast.Call) and word_of(over.func) in _WEIGHTS:
            return True
    return False


def _acts(program: Program, site: Site) -> bool:
    """Return whether a site is Python code that runs between steps."""
    return not is_compiled(program, site.scope) and program.runs(site) and repeats(program, site, even_once=True)
