"""Gradient AllReduce fusion of data-parallel training: in buckets, or at indices."""

from __future__ import annotations

import ast
from typing import Union

from ms_perflint.core.findings import Edit, Related, Remedy, Safety
from ms_perflint.edits.arguments import set_argument
from ms_perflint.edits.imports import name_in
from ms_perflint.edits.statements import free, insert_before
from ms_perflint.index.syntax_forms import words_in
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import gradient_fusion, parallel

AUTO = '{"allreduce": {"mode": "auto", "config": None}}'  # buckets of 64 MB
RESNET50 = "[85, 160]"  # two buckets of 161 gradients
BUCKETS = Message("fuse gradients in buckets of 64 MB, which overlap with the backward pass")
BUCKETS_LATER = Message("fuse gradients in buckets of 64 MB, which overlap with the backward pass (from 1.8 on)")
TWO = Message("fuse the gradients of ResNet-50 in two buckets")
COUNTED = Message("fuse the gradients in two buckets, counted when the network is there")
REGROUPED = Message("gradients are summed in other groups; losses differ in their last digits")
TOO_OLD = Message("it acts from MindSpore 1.8 on, and gradients cannot be counted: {reason}")
NOT_ONE = Message("the program does not make just one Model")
TRAIN_CELL = Message("the Model has a train cell, with more parameters than gradients")
UNNAMED = Message("the network of the Model has no name there")
NOWHERE = Message(
    "no fix is shown: the call takes its arguments from a mapping, to which `comm_fusion` has to be added"
)
INLINE = Message("no statement can stand before the Model")


def fuse(call: Call, line_length: int) -> Remedy:
    """Return the remedy that fuses the gradients at a call of `set_auto_parallel_context`."""
    program, related = call.program, _origin(call)
    if program.version < gradient_fusion.BY_BUCKETS:
        counted = _counted(call, line_length)
        if not isinstance(counted, Message):
            return Remedy(counted, COUNTED, Safety.UNSAFE, REGROUPED, related)
        edits = set_argument(call, parallel.FUSION, AUTO, line_length=line_length)
        return Remedy(edits, BUCKETS_LATER, Safety.DISPLAY, TOO_OLD.filled(reason=counted), related)
    if not gradient_fusion.indices_do_nothing(program) and parallel.is_resnet50(program):
        edits = set_argument(call, parallel.INDICES, RESNET50, line_length=line_length)
        return Remedy(edits, TWO, Safety.UNSAFE, REGROUPED, related)
    edits = set_argument(call, parallel.FUSION, AUTO, line_length=line_length)
    if edits is None:
        related += (Related(call.place, NOWHERE),)
    return Remedy(edits, BUCKETS, Safety.UNSAFE, REGROUPED, related)


def _origin(call: Call) -> tuple[Related, ...]:
    """Return the place that decides the parallel mode, if it is in another file or line."""
    known = parallel.data_parallel(parallel.settings(call) or {})
    rows = range(call.node.lineno, (call.node.end_lineno or call.node.lineno) + 1)
    if known is None or (known.place.path == call.module.path and known.place.row in rows):
        return ()
    return (Related(known.place, Message("data-parallel mode comes from here")),)


def _counted(call: Call, line_length: int) -> Union[tuple[Edit, ...], Message]:
    """Return the edits that set fusion indices before the one Model, or why gradients cannot be counted there.

    For a small network, the two indices may be equal.
    """
    models = call.program.calls("mindspore.train.Model")
    if len(models) != 1:
        return NOT_ONE
    model, given = models[0], models[0].given("network")
    if model.given("optimizer") is None:
        return TRAIN_CELL
    if given is None or not words_in(given):
        return UNNAMED
    setter, imports = name_in(call.program, model.scope, parallel.SET, line_length)
    if model.module is call.module:
        setter, imports = call.module.text(call.node.func), ()
    count = free(model.module, "count")
    made = f"{count} = len({ast.unparse(given)}.trainable_params())"
    line = f"{setter}(all_reduce_fusion_config=sorted({{{count} // 2, {count} - 1}}))"
    added = insert_before(model.module, model.stmt, f"{made}\n{line}")
    return (*imports, *added) if added is not None else INLINE
