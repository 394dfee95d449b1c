"""The calls that load stored weights, and the networks that get them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from types import MappingProxyType

from ms_perflint.index.semantic_index import Scope
from ms_perflint.infer.values import Value
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training.networks import networks

_INTO = "mindspore.load_param_into_net"
_LOADS = MappingProxyType(  # the parameter that is the network
    {
        "mindspore.load_checkpoint": "net",
        "mindspore.load_checkpoint_async": "net",
        _INTO: "net",
        "mindspore.load_distributed_checkpoint": "network",
    }
)


def loads(program: Program, classes: Collection[Scope]) -> Iterator[Call]:
    """Yield the calls that load weights into a network that may contain an instance of one of some classes."""
    for call in program.calls(*_LOADS):
        net = call.argument(_LOADS[call.api])
        if not net.must_be(None) and _may_hold(program, net, classes) and not _is_of_this_run(call):
            yield call


def reads(program: Program) -> Iterator[Call]:
    """Yield the calls that read weights without a network, and whose result is not passed to one that loads."""
    given = [call.argument("parameter_dict") for call in program.calls(_INTO)]
    made = {id(each.creation.call) for value in given for each in value.alternatives if each.creation is not None}
    for call in program.calls(*_LOADS):
        if call.argument(_LOADS[call.api]).must_be(None) and id(call.node) not in made and not _is_of_this_run(call):
            yield call


def _is_of_this_run(call: Call) -> bool:
    """Return whether a call loads only files that the same run has saved before."""
    from ms_perflint.training.checkpoints import is_saved_before  # here, because few programs load what they save

    if call.api != _INTO:
        return is_saved_before(call.program, call.node)
    given = call.argument("parameter_dict")
    made = [each.creation.call if each.creation is not None else None for each in given.alternatives]
    return bool(made) and not given.open and all(is_saved_before(call.program, each) for each in made)


def _may_hold(program: Program, net: Value, classes: Collection[Scope]) -> bool:
    """Return whether a network may contain an instance of one of some classes; True if its class is not known."""
    is_network = all(each.is_object and not networks.is_no_network(each.type_api) for each in net.alternatives)
    if not is_network or not net.alternatives or net.open or not all(each.is_class for each in classes):
        return True
    found = networks.reach(program, [net])
    return found.is_hidden or not found.scopes.isdisjoint(classes)
