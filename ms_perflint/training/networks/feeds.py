"""The inputs of the layers of a program, and their widths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ms_perflint.core.facts import fact
from ms_perflint.index.semantic_index import Binding, SemanticIndex
from ms_perflint.infer import members
from ms_perflint.infer.queries import query
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training.networks import layers
from ms_perflint.training.networks.data_flow import data_flow
from ms_perflint.training.networks.layers import Slot
from ms_perflint.training.networks.plain_numbers import Numbers
from ms_perflint.training.networks.signals import NOTHING, SOURCES, Flow, Made, Signal, Source


class Feeds:
    """The inputs of the layers of some modules: the data flow that programs share, with the calls of this program."""

    def __init__(self, program: Program, flow: Flow) -> None:
        self.program = program
        self.facts: dict[tuple[object, ...], Any] = {}
        self.takes: dict[Call, Signal] = {}  # layer -> what it is fed
        for layer, signal in flow.takes.items():
            call = self._call(layer)
            self.takes[call] = self.takes.get(call, NOTHING) | self._own(signal)
        self._made_in = {self._call(layer): scopes for layer, scopes in flow.made_in.items()}
        self.places = {self._call(layer): scopes for layer, scopes in flow.places.items()}  # functions that call it
        self.ties = [self._own(signal) for signal in flow.ties]
        self.operations = [
            each._replace(operands=tuple((node, self._own(signal)) for node, signal in each.operands))
            for each in flow.operations
        ]
        self.ends = self._own(flow.ends)  # what leaves the networks
        self.returned = [(node, scope, self._own(signal)) for node, scope, signal in flow.returned]  # by what

    @fact
    def _call(self, layer: Made) -> Call:
        return Call(layer.site, self.program, layer.api)

    @fact
    def _own(self, signal: Signal) -> Signal:
        """Return a signal of the flow with the calls of this program."""
        return frozenset(
            [
                Source(self._call(each.origin), each.how, each.made) if isinstance(each.origin, Made) else each
                for each in signal
            ]
        )

    @fact
    def is_input(self, origin: object) -> bool:
        """Return whether a source is no layer, and no parameter that is a number: that says how an operator works."""
        is_number = isinstance(origin, Binding) and Numbers(self.program).is_bound(origin)
        return not isinstance(origin, Call) and not is_number

    @fact
    def slots(self, call: Call) -> tuple[Slot, ...]:
        """Return the widths of a layer, in all calls of the function that makes it."""
        found = (slot for scope in self._made_in.get(call, ()) for slot in layers.slots_in(call, scope))
        return layers.slots(call) or tuple({(slot.role, slot.width): slot for slot in found}.values())

    @fact
    def widths(self, source: Source) -> tuple[int, ...]:
        """Return the possible widths of a source, in the one cell that gives it, where that is known."""
        if not isinstance(source.origin, Call):
            return ()
        slots, made = self.slots(source.origin), source.made
        if made is not None and made.cls is not None and len(slots) > len({slot.role for slot in slots}):
            entered = members.constructed(self.program.evaluator, made).get(source.origin.scope.owner)
            slots = (layers.slots_in(source.origin, entered) if entered is not None else ()) or slots
        return tuple(slot.width for slot in slots if slot.role != layers.IN)

    @fact
    def by_width(self, signal: Signal) -> Mapping[int, frozenset[Call]]:
        """Return the layers that are sources of a signal, by each width that they may give it."""
        found: dict[int, list[Call]] = {}
        for source in signal:
            for width in self.widths(source):
                assert isinstance(source.origin, Call)
                found.setdefault(width, []).append(source.origin)
        return {width: frozenset(calls) for width, calls in found.items()}


@query
def feeds(program: Program, module: SemanticIndex) -> Feeds:
    """Return the inputs of the layers of a module, and of the modules that make its networks."""
    functions = (scope for scope in module.scopes if scope.is_function)
    makers = (scope for scope in functions if scope.name == "__init__" or not scope.is_method)
    sites = (site for scope in makers for site in program.callers(scope))
    flow = data_flow(program.inputs, tuple(dict.fromkeys((module, *(site.module for site in sites)))))
    if flow.lost:
        program.leave_out(Message("more than {most} layers may feed {place}", most=SOURCES, place=flow.lost))
    return Feeds(program, flow)
