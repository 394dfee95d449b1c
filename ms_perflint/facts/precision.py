"""Facts about the precision of the training's matmuls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Optional

from ms_perflint.core.source import flat, short
from ms_perflint.facts.data import Evidence, Fact
from ms_perflint.facts.reader import LONGEST, Reader, Reading
from ms_perflint.facts.words import also
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training import training
from ms_perflint.training.networks import (
    half_precision,
    networks,
    precision,
    train_cells,
    undecided_precision,
    unknown_networks,
)
from ms_perflint.training.networks.train_cells import Training


def precision_of(reader: Reader) -> Fact:
    """Return whether half precision may reach the training, with all places of evidence."""
    program = reader.program
    if not training.is_trained(program):
        return Fact(Message("precision"), None, Message("not applicable: it does not train"), (), False)
    made = list(_made(reader))
    halved = list(_halved(reader))
    told = {evidence.place for evidence in made}
    forced = [
        Evidence(call.place, reader.code(call), Message("forces matmul or convolution to FP32"))
        for calls in precision.forced_networks(program)
        for call in calls
    ]
    if not made and not forced and not halved:
        return Fact(Message("precision"), None, Message("unknown: {why}", why=unknown_networks.NOWHERE))
    answer: Optional[str] = None if halved else "float32"
    says = Message("FP16 or BF16 may reach it") if halved else "float32"
    why = None if halved else precision.needs_float32(program, undecided_precision.judged(program))
    if why is not None:
        says = Message("FP32, which it needs")
        forced.append(Evidence(why.place, "", why.message))
    halved.sort(key=lambda evidence: reader.order(evidence.place))
    shown = (*made, *forced, *(each for each in halved if each.place not in told))
    return Fact(Message("precision"), answer, says, shown)


def _made(reader: Reader) -> Iterator[Evidence]:
    """Yield the places that create the training (Model, cell, gradients), and whether there are matmuls in it."""
    trainings = train_cells.trainings(reader.program)
    models = [each for each in trainings if each.kind == "model"]
    for made in models or trainings:
        call, work = made.call, _work(reader.program, made)
        if made.kind == "model":
            yield reader.evidence(call, "amp_level", says=Message("amp_level {value}"), more=work)
        else:
            says = Message("makes the training step") if made.kind == "cell" else Message("makes the gradients")
            yield reader.told(call, Reading(None, also(says, work)))


def _work(program: Program, made: Training) -> str:
    """Return a remark on a network without known matmuls, with the reason; "" for one with matmuls."""
    if networks.multiplies(program, made.values):
        return ""
    says = Message("no matmul or convolution of 64 x 64 or more in it is known")
    if unknown_networks.may_multiply(program, made.values):
        says = Message("where its network is made is not known")
    why = unknown_networks.why_unknown(program, [made])
    return Message("{says}: {why}", says=says, why=why) if why is not None else says


def _halved(reader: Reader) -> Iterator[Evidence]:
    """Yield the places that may switch half precision on."""
    program = reader.program
    for control in half_precision.controls(program, undecided_precision.judged(program)):
        if isinstance(control, half_precision.Mention):
            module = control.scope.module
            place = module.place(control.node)
            yield Evidence(place, short(flat(module.text(control.node)), LONGEST), Message("names FP16 or BF16"))
        elif isinstance(control, Call):
            yield reader.evidence(control, train_cells.LEVELS[control.api], says=Message("level {value}"))
        else:
            yield Evidence(control.place, reader.code(control), Message("may switch it on"))
