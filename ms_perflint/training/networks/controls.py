"""Which half-precision controls reach a network: one in a metric, or in another network, does not."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Union

from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.infer.values import Alternative, Value
from ms_perflint.program.call_site import Call
from ms_perflint.training.networks import half_precision, networks, precision
from ms_perflint.training.networks.half_precision import DTYPES, Mention, call_around, nodes
from ms_perflint.training.networks.networks import Reach
from ms_perflint.training.networks.train_cells import MODEL, WRAPPERS, has_optimizer
from ms_perflint.training.training_steps import base_apis

if TYPE_CHECKING:
    from ms_perflint.program.program import Program

_OTHERS = ("Metric", "Callback", "Loss", "LossBase")  # classes that are no part of a network


def controls(program: Program, values: Iterable[Value]) -> Iterator[Union[Site, Mention]]:
    """Yield the half-precision controls that may reach a network; all of the program where it is not known whole."""
    found: Iterator[Union[Site, Mention]] = chain(precision.switches(program), half_precision.mentions(program))
    first = next(found, None)
    if first is None:
        return
    network = networks.reach(program, values)
    for control in chain([first], found):
        if isinstance(control, Mention):
            if _is_reached_by_mention(program, network, control):
                yield control
        elif _is_reached_by_switch(program, network, control):
            yield control


def _is_reached_by_switch(program: Program, network: Reach, site: Site) -> bool:
    """Return whether a level, a conversion, a flag or `to_float` may be of the network."""
    if isinstance(site, Call) and site.api in precision.LEVELS:
        if site.api == MODEL and not site.is_spread and not has_optimizer(site):
            return False  # without an optimizer there is no training
        given = site.given("network")
    elif not isinstance(site.node, ast.Call):
        return True
    elif isinstance(site.node.func, ast.Attribute) and "mixed_precision" not in site.word:
        given = site.node.func.value
    else:
        given = next(iter(site.node.args), None)
    return given is None or _may_hold(network, program.value(given, site.scope))


def _may_hold(network: Reach, value: Value) -> bool:
    """Return whether a value may be the network, or a part of it that multiplies."""
    if value.open or not value.alternatives or not all(known.is_object for known in value.alternatives):
        return True
    return any(_holds(network, known) for known in value.alternatives)


def _holds(network: Reach, known: Alternative) -> bool:
    made = known.creation
    if made is None:  # `self`
        return known.cls is None or known.cls in network.scopes or _is_hidden_in(network, known)
    if known.type_api not in WRAPPERS and re.search(precision.EXEMPT, known.type_api.rpartition(".")[2]):
        return False  # a loss, an activation, a normalisation
    within = made.scope.owner in network.scopes or made.scope.owner.parent in network.scopes
    return known.identity in network.objects or within or _is_hidden_in(network, known)


def _is_hidden_in(network: Reach, known: Alternative) -> bool:
    """Return whether it may be the part of the network that is not known."""
    return network.is_hidden and not any(api.endswith(_OTHERS) for api in (known.type_api,) if api)


def _is_reached_by_mention(program: Program, network: Reach, mention: Mention) -> bool:
    """Return whether code that names half precision may be code of the network, or give the dtype to it."""
    call = call_around(mention.node, mention.parents)
    site = mention.scope.module.site_at(call) if call is not None else None
    if site is not None and _is_switch(site):
        return False  # that call is asked for itself
    current = mention.scope
    while current is not None:
        if current in network.scopes:
            return True
        if current.is_class:
            return _is_reached_in_class(program, network, current)
        current = current.parent  # type: ignore[assignment]
    if call is None:
        return not _is_unselected(program, mention)
    made = program.value(call, mention.scope)
    is_cell = not made.open and bool(made.alternatives) and all(_is_cell(program, known) for known in made.alternatives)
    return not is_cell or _may_hold(network, made)


def _is_switch(site: Site) -> bool:
    return site.word in ("to_float", *precision.FLAGS) or "mixed_precision" in site.word


def _is_cell(program: Program, known: Alternative) -> bool:
    if known.cls is not None:
        return networks.is_cell(program, known.cls)
    return known.type_api.startswith("mindspore.nn.")


def _is_reached_in_class(program: Program, network: Reach, cls: Scope) -> bool:
    """Return whether a class that is not known to be a part of the network may be one, or holds its settings."""
    bases = base_apis(program, cls)
    if any(base.endswith(_OTHERS) for base in bases):
        return False
    return network.is_hidden or not any(base.startswith("mindspore.nn.") for base in bases)


def _is_unselected(program: Program, mention: Mention) -> bool:
    """Return whether a dtype stands in a table out of which the program takes others: `DTYPES["fp32"]`."""
    table, stmt = (mention.parents[-1], mention.parents[-2]) if len(mention.parents) > 1 else (None, None)
    target = stmt.targets[0] if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 else None
    module = mention.scope.module
    if not isinstance(table, ast.Dict) or not isinstance(target, ast.Name):
        return False
    if any(target.id in other.imported for other in program.all_modules if other is not module):
        return False
    for scope in (scope for scope in module.scopes if scope.owner is scope):
        for node, parents in nodes(scope.node):
            if isinstance(node, ast.Name) and node.id == target.id and isinstance(node.ctx, ast.Load):
                taken = _taken(node, parents)
                value = program.value(taken, scope) if taken is not None else None
                if value is None or value.open or value.overridable or not value.alternatives:
                    return False
                if any(known.api in DTYPES for known in value.alternatives):
                    return False
    return True


def _taken(table: ast.Name, parents: half_precision.Parents) -> Union[ast.expr, None]:
    """Return the expression that takes one value out of a table: `table[key]`, `table.get(key)`."""
    parent = parents[-1]
    if isinstance(parent, ast.Subscript):
        return parent
    is_get = isinstance(parent, ast.Attribute) and parent.attr == "get" and len(parents) > 1
    return parents[-2] if is_get and isinstance(parents[-2], ast.Call) else None
