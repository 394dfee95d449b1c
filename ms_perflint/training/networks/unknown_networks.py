"""Trainings whose networks are unknown as a whole: what rules about layers have not judged."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.languages import Message
from ms_perflint.program.program import Program, fact
from ms_perflint.training import training
from ms_perflint.training.devices import target_of
from ms_perflint.training.followed import end, is_unknown
from ms_perflint.training.networks import networks, train_cells
from ms_perflint.training.networks.train_cells import Training


@fact
def unknown(program: Program) -> Optional[Message]:
    """Return what hides the networks that are trained on an accelerator; None where a layer of one is known."""
    if not training.is_trained(program) or target_of(program).is_cpu:
        return None
    trainings, values = train_cells.trainings(program), train_cells.trained(program)
    if networks.multiplies(program, values):
        return None
    part = networks.hidden(program, values) or next(filter(None, map(_unknown, trainings)), None)
    part = part or networks.foreign(program, (value for each in trainings for value in each.values[:1]))  # no loss
    return end(program, *part).said(program) if part is not None else None


def _unknown(training: Training) -> Optional[tuple[ast.expr, Scope]]:
    """Return the network that a training is given, and where that stands, where nothing is known of it."""
    call = training.call
    given = call.given("network") if training.kind == "model" else next(iter(call.node.args), None)
    return (given, call.scope) if given is not None and is_unknown(call.program, given, call.scope) else None
