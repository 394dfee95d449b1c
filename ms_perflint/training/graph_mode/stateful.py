"""Calls that make weights, or the state of an optimizer: made once, they keep what steps change.

Run on 2.10, CPU: an Adam that each step makes takes other steps than one that is made once, as a Momentum does.
"""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.infer.bases import ancestors
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training.bases import base_apis
from ms_perflint.training.networks.layers import LAYERS
from ms_perflint.training.optimizers import is_optimizer

_SGD = "mindspore.nn.SGD"
_STATES = ("WithLossScale", "WithLossScaleCell")  # parts of names of train cells that count and adapt their scale


def makes_state(program: Program, site: Site) -> bool:
    """Return whether a call, or one in its arguments, makes an object with weights or a state of its own."""
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
    is_scaled = any(part in api for part in _STATES)
    return is_scaled or api in LAYERS or api == "mindspore.Parameter" or is_optimizer(program, api, None)


def _is_class_one(program: Program, cls: Scope, seen: frozenset[Scope]) -> bool:
    """Return whether the objects of a class of the project have weights, or are optimizers."""
    if is_optimizer(program, "", cls) or any(_has_weights(api) for api in base_apis(program, cls)):
        return True
    inits: list[Optional[Scope]] = [each.method("__init__") for each in ancestors(program.evaluator, cls)]
    calls = (site for init in inits if init is not None for site in init.calls if isinstance(site.node, ast.Call))
    return any(_is_one(program, site, seen) for site in calls)


def _has_weights(api: str) -> bool:
    return api in LAYERS or any(part in api for part in _STATES)
