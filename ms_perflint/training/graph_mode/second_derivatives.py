"""Gradients of gradients, of which PyNative drops a part that graph mode has.

Run on 2.10, CPU, against differences of the loss: a gradient by inputs or weights, differentiated by the weights.
Through `ops.matmul`, `@`, `bmm`, `baddbmm`, `BatchMatMul` and convolutions PyNative leaves out what the weights add to
the inner gradient; graph mode is right. Through `nn.Dense`, `ops.MatMul`, `mm`, `addmm` and element-wise operators
both are. The mean of `BCEWithLogitsLoss`: PyNative divides each gradient by the number of elements of the first call.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Optional

from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.languages import Message
from ms_perflint.program.call_site import made_at
from ms_perflint.program.program import Program, fact
from ms_perflint.training.graph_mode.compiled import compiled, is_compiled, is_of_step, nodes
from ms_perflint.training.graph_mode.known_calls import calls_of
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle
from ms_perflint.training.optimizers import names_optimizer
from ms_perflint.training.training import running_callers
from ms_perflint.training.training_steps import GRADS, is_step_class, root

_FUNCTIONS = ("matmul", "bmm", "baddbmm")  # of tensors too
_LAYERS = ("BatchMatMul", "Conv1d", "Conv2d", "Conv3d", "Conv1dTranspose", "Conv2dTranspose", "Conv3dTranspose")
_BCE, _BCE_LAYER = "mindspore.ops.binary_cross_entropy_with_logits", "mindspore.nn.BCEWithLogitsLoss"


def in_second_derivatives(program: Program, function: Scope) -> Iterator[Obstacle]:
    """Yield the first gradient in a compiled function that is differentiated itself, if PyNative drops a part of it."""
    cls = function.cls
    is_step = (cls is not None and is_step_class(program, cls)) or names_optimizer(function)
    if is_step or not is_of_step(program, function):
        return
    site = next((each for each in calls_of(program, function) if _is_gradient(program, each)), None)
    name = _dropped(program) if site is not None else None
    if site is not None and name is not None:
        text = Message(
            "PyNative mode drops a part of the second derivatives of `{name}`, graph mode does not", name=name
        )
        yield obstacle(function.module, site.node, "gradient", text)


def _is_gradient(program: Program, site: Site) -> bool:
    """Return whether a call makes or calls a gradient function."""
    if "grad" not in site.word.lower():
        return False
    known = (root(each)[0] for each in program.evaluator.callees(site).alternatives)
    return any(each.api in GRADS or each.type_api in GRADS for each in known)


@fact
def _dropped(program: Program) -> Optional[str]:
    """Return the first operator of a program of whose second derivatives PyNative drops a part; None without one."""
    for site in (site for word in (*_FUNCTIONS, *_LAYERS) for site in program.sites(word)):
        if program.runs(site) and (site.word in _LAYERS or site.scope.owner in compiled(program)):
            return site.word
    inside = (node for each in compiled(program) for _, node in nodes(program, each))
    is_product = any(isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult) for node in inside)
    return "@" if is_product else None


def in_loss_means(program: Program, function: Scope) -> Iterator[Obstacle]:
    """Yield the losses that a compiled function, or what calls it, computes in a loop, as over scales of a network."""
    for site in calls_of(program, function) if is_of_step(program, function) else ():
        callers = (each for each in running_callers(program, function) if is_compiled(program, each.scope))
        if _is_mean(program, site) and any(each.block.loops for each in (site, *callers)):
            text = Message(
                "PyNative mode computes wrong gradients of this loss over several shapes, graph mode does not"
            )
            yield obstacle(function.module, site.node, "gradient", text)


def _is_mean(program: Program, site: Site) -> bool:
    known = program.evaluator.callees(site).alternatives
    made = [made_at(program, each) for each in known if each.type_api == _BCE_LAYER]
    calls = (*made, *(call for call in program.calls(_BCE) if call.node is site.node))
    return any(call is not None and call.argument("reduction").must_be("mean") for call in calls)
