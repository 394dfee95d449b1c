"""Paddings with a constant, whose gradients are wrong in graph mode on a CPU.

Run on 2.7 and 2.10, CPU, five steps of two convolutions: with `ops.pad`, `nn.ZeroPad2d` or `nn.ConstantPad2d` between
them the losses differ from the third step on, and the process ends in the fifth one. Those of the other modes
(`reflect`, `replicate`), of `ops.Pad` and of `nn.Pad` are those of PyNative.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.infer.values import Alternative
from ms_perflint.languages import Message
from ms_perflint.program.program import Program
from ms_perflint.training.devices import target_of
from ms_perflint.training.graph_mode.known_calls import calls_of
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle

_PAD = ("mindspore.ops.pad", "mindspore.mint.functional.pad")
_LAYERS = tuple(f"mindspore.{home}.{name}" for home in ("nn", "mint.nn") for name in ("ZeroPad", "ConstantPad"))
_CONSTANT = "constant"  # the default


def in_paddings(program: Program, function: Scope) -> Iterator[Obstacle]:
    """Yield the calls of a compiled function that pad with a constant, unless the code sets an accelerator."""
    for site in calls_of(program, function):
        if any(_pads(program, site, known) for known in program.evaluator.callees(site).alternatives):
            devices = target_of(program).devices
            if "CPU" in devices or not devices:
                text = Message("`{code}` has wrong gradients in graph mode on a CPU", code=ast.unparse(site.call.func))
                yield obstacle(function.module, site.node, "unproven", text)


def _pads(program: Program, site: Site, known: Alternative) -> bool:
    """Return whether a call pads with a constant, or may do so."""
    if known.type_api.startswith(_LAYERS):
        return True
    node = site.call
    modes = [each.value for each in node.keywords if each.arg == "mode"] or node.args[2:3]
    is_constant = not modes or program.value(modes[0], site.scope).may_be(_CONSTANT)
    return known.api in _PAD and is_constant
