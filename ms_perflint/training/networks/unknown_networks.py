"""Trainings whose networks are unknown as a whole: what rules about layers have not judged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

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
    return why(program, train_cells.trainings(program))


def why(program: Program, trainings: Sequence[Training]) -> Optional[Message]:
    """Return what hides the networks of some trainings; None where a layer of one is known."""
    values = tuple(value for each in trainings for value in each.values)
    if networks.multiplies(program, values):
        return None
    given = ((each.given, each.call.scope) for each in trainings)
    part = networks.hidden(program, values) or next(
        ((node, scope) for node, scope in given if node is not None and is_unknown(program, node, scope)), None
    )
    part = part or networks.foreign(program, (value for each in trainings for value in each.values[:1]))  # no loss
    return end(program, *part).said(program) if part is not None else None
