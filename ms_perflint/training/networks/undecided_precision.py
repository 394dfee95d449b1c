"""The call that decides the precision of a training whose matmul and convolution run in FP32."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import NamedTuple, Optional

from ms_perflint.index.semantic_index import Site
from ms_perflint.infer.values import Value
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program, fact
from ms_perflint.training import training
from ms_perflint.training.conditions import is_for_cpu_only, is_on_request
from ms_perflint.training.devices import is_on_cpu, target_of
from ms_perflint.training.networks import half_precision, networks, precision, train_cells, unknown_networks
from ms_perflint.training.networks.train_cells import Training


class Suspect(NamedTuple):
    """A call that decides the precision: one that makes the training, or a `to_float` that forces FP32."""

    call: Call
    training: Optional[Training]
    others: Sequence[Call] = ()  # layers that are forced beside this one

    @property
    def is_forced(self) -> bool:
        """Return whether the call is a `to_float`."""
        return self.training is None or self.call != self.training.call

    @property
    def is_scaled(self) -> bool:
        """Return whether the training scales its loss."""
        return self.training is not None and train_cells.is_given(self.training.call, "loss_scale_manager")


def narrowed(program: Program, sites: Sequence[Site]) -> list[Site]:
    """Return the sites of a script that may create what is trained, or force FP32, by their names."""
    if not sites or not training.may_train(program) or not train_cells.is_script(program):
        return []
    words = train_cells.making_words(program, sites[0].module)
    made = {id(each.node) for each in train_cells.trained_models(program)}  # also by a class that is held
    return [
        site
        for site in sites
        if site.word in words
        or id(site.node) in made
        or (site.word == "to_float" and precision.written_dtype(site.node))
    ]


class _Decided(NamedTuple):
    """What a program computes in: the calls to report, by identity, or why there are none."""

    suspects: dict[int, Suspect]
    is_without_work: bool = False
    is_half: bool = False
    needs_full: bool = False


def suspects(program: Program) -> dict[int, Suspect]:
    """Return the calls to report in a program, by identity; none where something is not certain."""
    return _decided(program).suspects


def is_without_work(program: Program) -> bool:
    """Return whether no matmul or convolution is known in a trained network, or all are too small to become faster."""
    return _decided(program).is_without_work


def is_half(program: Program) -> bool:
    """Return whether FP16 or BF16 reaches, or may reach, a network that is trained."""
    return _decided(program).is_half


def needs_full(program: Program) -> bool:
    """Return whether derivatives by inputs enter the loss, or the training is for quantization, which needs FP32."""
    return _decided(program).needs_full


def judged(program: Program) -> Sequence[Value]:
    """Return the networks that decide: those of the training in question, else all that are trained."""
    first = _first(program)
    return first.values if first is not None else train_cells.trained(program)


@fact
def _decided(program: Program) -> _Decided:
    if not training.is_trained(program) or target_of(program).is_cpu or training.is_demonstration(program):
        return _Decided({})
    first = _first(program)
    forced = precision.forced_networks(program)
    if first is None and not forced:
        return _Decided({}, is_without_work=True)
    values = judged(program)
    if any(True for _ in half_precision.controls(program, values)):
        return _Decided({}, is_half=True)
    if precision.needs_float32(program, values) is not None:
        return _Decided({}, needs_full=True)
    if forced:
        return _Decided({id(call.node): Suspect(call, first, others) for call, *others in forced})
    return _Decided({id(first.call.node): Suspect(first.call, first)} if first is not None else {})


def hidden(program: Program) -> Optional[Message]:
    """Return the unknown expression from which trained networks come, in a program without half precision."""
    if not unknown_networks.are_unknown(program) or suspects(program):
        return None
    values = train_cells.trained(program)
    is_decided = any(True for _ in half_precision.controls(program, values))
    return None if is_decided or precision.needs_float32(program, values) else unknown_networks.unknown(program)


@fact
def _first(program: Program) -> Optional[Training]:
    """Return the first training with matmul; else one that asks for float32, else a hidden one.

    A branch for a CPU only is left out, and what runs with the default options comes before what needs an option.
    """
    kinds: tuple[Callable[[Training], bool], ...] = (
        lambda one: networks.multiplies(program, one.values),
        lambda one: train_cells.sets_float32(one) and unknown_networks.has_unknown_part(program, one.values),
        lambda one: train_cells.scales_loss(program, one) and unknown_networks.is_of_library(program, one.values),
        lambda one: unknown_networks.may_multiply(program, one.values) and program.is_run_by_entry(one.call),
    )
    known = (each for each in train_cells.any_order(program) if not is_on_cpu(each.call))
    reached = [each for each in known if not is_for_cpu_only(program, each.call)]
    for is_one in kinds:
        found = list(islice(filter(is_one, reached), 2))
        if len(found) > 1:  # else the execution order, which is expensive, makes no difference
            rank = {each.call: at for at, each in enumerate(train_cells.trainings(program))}
            reached.sort(key=lambda each: (is_on_request(program, each.call), rank[each.call]))
            return next(filter(is_one, reached))
        if found:
            return found[0]
    return None
