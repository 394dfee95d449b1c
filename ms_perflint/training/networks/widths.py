"""Hidden widths: the layers that produce one, those that take it in, and the constants of all of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Optional

from ms_perflint.core.findings import Place, Related
from ms_perflint.index.semantic_index import Binding
from ms_perflint.index.syntax_forms import position
from ms_perflint.infer.queries import query
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training.bases import PARAMETER
from ms_perflint.training.networks import feeds, layers, signals
from ms_perflint.training.networks.dependents import FIRST, SIZE, Dependents, Group, Sum
from ms_perflint.training.networks.feeds import Feeds
from ms_perflint.training.networks.layers import IN, OUT, Slot
from ms_perflint.training.networks.provenance import Number, Origin

PARTS = 8  # a product with more than so many parts is a flattened map, and no gates of a cell


class Hidden(NamedTuple):
    """A width that one layer of a network produces and later ones take in."""

    producer: Slot
    width: int  # of one part, where the output is split
    slots: tuple[Slot, ...]  # that have to change with it, the producer first
    sums: tuple[Sum, ...]  # that are the sum of it and of others
    dependents: Dependents
    consumers: tuple[Slot, ...]
    obstacles: tuple[Related, ...]  # for which no fix can be offered
    leaves: Optional[Place]  # where it is given to code outside of the network

    @property
    def origins(self) -> tuple[Origin, ...]:
        """Return the constants that have to change together."""
        return tuple(dict.fromkeys(origin for slot in self.slots for origin in moving(slot, self.width)))

    @property
    def literals(self) -> tuple[Origin, ...]:
        """Return the literals of the width elsewhere."""
        return tuple(self.dependents.literals)

    @property
    def literal_sums(self) -> tuple[Origin, ...]:
        """Return the literals that are a sum of the width and others."""
        whole = (each.number.origins[0] for each in self.sums if each.number.operator is None)
        return (*whole, *(origin for each in self.sums for origin in each.literals))


@query
def _index(program: Program, flow: Feeds) -> _Index:
    return _Index(flow)


def held(program: Program, flow: Feeds) -> set[int]:
    """Return the identities of the constants of the widths of layers."""
    return _index(program, flow).held


def hidden(program: Program, producer: Slot, multiple: int) -> Optional[Hidden]:
    """Return the width that a layer produces, with all layers that depend on it.

    None where no layer takes it in, where an input fixes it, and where it is joined with others to a multiple.
    """
    flow = feeds.feeds(program, producer.call.module)
    found = _Group(flow, _index(program, flow), producer, multiple)
    is_recurrent = producer.call.api in layers.RECURRENT
    if found.is_fixed or not (found.is_taken or is_recurrent):
        return None
    slots = tuple(dict.fromkeys((producer, *found.slots)))
    dependents = Dependents(program, flow, found.facts())
    obstacles = tuple(dict.fromkeys((*dependents.obstacles, *found.obstacles())))
    return Hidden(
        producer,
        found.width,
        slots,
        tuple(found.sums.values()),
        dependents,
        tuple(dict.fromkeys(found.consumers)),
        obstacles,
        found.leaves(),
    )


class _Index:
    """The tables in which groups of widths are looked up."""

    def __init__(self, flow: Feeds) -> None:
        self.takers: dict[object, list[tuple[Call, signals.Source]]] = {}  # by where what they take in comes from
        self.ties: dict[object, list[signals.Signal]] = {}  # by the same
        self.ends: dict[object, list[signals.Source]] = {}
        self.concats = [each for each in flow.operations if each.word in signals.CONCATS]
        self.made: dict[Origin, list[Slot]] = {}  # the slots that a constant makes
        for call, signal in flow.takes.items():
            for source in signal:
                self.takers.setdefault(source.origin, []).append((call, source))
            for slot in flow.slots(call):
                for origin in slot.number.origins:
                    self.made.setdefault(origin, []).append(slot)
        for tied in flow.ties:
            for source in tied:
                if source.how == signals.WHOLE:
                    self.ties.setdefault(source.origin, []).append(tied)
        for source in flow.ends:
            self.ends.setdefault(source.origin, []).append(source)
        self.held = {id(origin.node) for origin in self.made}  # the constants that say how wide layers are
        self.inputs: dict[tuple[Binding, int], bool] = {}  # what `_Group._is_input` has found


class _Group:
    """The layers that change with one width: that produce it, take it in, or let it through."""

    def __init__(self, flow: Feeds, index: _Index, producer: Slot, multiple: int) -> None:
        self.flow = flow
        self.index = index
        self.producer = producer
        self.multiple = multiple
        self.width = producer.width
        self.slots: list[Slot] = []
        self.consumers: list[Slot] = []
        self.sums: dict[int, Sum] = {}  # by the identity of what says it
        self.scaled: dict[Number, None] = {}  # sizes that grow by the same factor
        self.is_fixed = False  # an input, or a group of a convolution, decides
        self.is_taken = False  # a layer takes in what the producer itself gives out
        self._joiners: dict[Call, None] = {}
        self._waits: dict[Call, None] = {}
        self._strange: dict[Call, None] = {}  # layers that take the width in, but whose size comes from other constants
        self._calls: set[Call] = set()  # whose outputs have the width
        self._add(producer)
        size = -1
        while size != (size := len(self.slots)):
            self._grow()
        is_several = len({slot.width for slot in flow.slots(producer.call) if slot.role == OUT}) > 1
        self.is_fixed = self.is_fixed or (is_several and self._is_left(producer.call))  # the layers are not told apart

    def facts(self) -> Group:
        """Return what is known of the group, for the code that depends on it."""
        origins = frozenset(origin for slot in self.slots for origin in moving(slot, self.width))
        is_last = self.producer.call.api not in layers.CONVOLUTIONS
        calls = frozenset(self._calls)
        scaled = tuple(self.scaled)
        return Group(calls, tuple(self.slots), origins, scaled, self.width, self.producer.width, is_last)

    def obstacles(self) -> Iterator[Related]:
        """Yield the layers that take the width in, and whose size cannot change with it."""
        for call in self._waits:
            yield Related(call.place, FIRST)
        known = {slot.call for slot in self.slots} | set(self._joiners)
        for call in self._strange:
            if call not in known:
                yield Related(call.place, SIZE)

    def leaves(self) -> Optional[Place]:
        """Return where code outside of the networks gets the width."""
        for node, scope, signal in self.flow.returned:
            if any(source.origin in self._calls and self._leaves(source) for source in signal):
                return scope.module.place(node)
        ends = (call for call in self._calls if self._is_left(call))
        return next((call.module.place(call.node) for call in ends), None)

    def _is_left(self, call: Call) -> bool:
        return any(self._leaves(each) for each in self.index.ends.get(call, ()))

    def _leaves(self, source: signals.Source) -> bool:
        """Return whether the output of a layer leaves the networks; of one made several times, that of the last."""
        return self.flow.widths(source)[-1:] == (self.width,)

    def _add(self, slot: Slot) -> None:
        if slot in self.slots:
            return
        self.slots.append(slot)
        self.is_fixed = self.is_fixed or slot.is_grouped
        if slot.role == OUT or slot.call.api in layers.TABLES:
            self._calls.add(slot.call)

    def _grow(self) -> None:
        for origin in tuple(self._calls):
            for call, source in self.index.takers.get(origin, ()):
                if not {self.width, self.producer.width}.isdisjoint(self.flow.widths(source)):
                    self._taken(call, source, self.flow.takes[call])
            for tied in self.index.ties.get(origin, ()):
                self._tied(tied)
        constants = ((slot, origin) for slot in tuple(self.slots) for origin in moving(slot, self.width))
        for slot in [
            each for own, origin in constants if origin.node is not own.node for each in self.index.made.get(origin, ())
        ]:
            self._add(slot)
            self._fix(slot, self.flow.takes[slot.call])

    def _taken(self, call: Call, source: signals.Source, signal: signals.Signal) -> None:
        """Add the layers that take in the output of a layer of the group."""
        own, how = [slot for slot in self.flow.slots(call) if slot.role != OUT], source.how
        if how == signals.PART and self.width == self.producer.width:
            self._split()
        found = self._joined(own) if how == signals.JOINED else [slot for slot in own if self._takes(slot, how)]
        along = {id(slot.node) for slot in found if slot.role == layers.ALONG}
        if len(along) > 1:  # the axis of the shape is ambiguous
            found = []
        if not found and self._has_other_size(call, own, how, signal):
            self._strange[call] = None
        for slot in found:
            if slot.width == 2 * self.width and slot.number.operator is None and self._sums(slot, Sum(slot.number, 2)):
                continue  # both directions of a recurrent layer
            self._add(slot)
            if how in (signals.FLAT, signals.PART) and slot.width != self.width:
                self.scaled[slot.number] = None
            if slot.role == IN:
                is_passed = isinstance(source.origin, Call) and source.origin.api in layers.PASSING  # out as it is
                self.is_taken = self.is_taken or source.origin == self.producer.call or is_passed
                self.consumers.append(slot)
            self._fix(slot, signal)
            if how == signals.WHOLE:
                self._tied(signal)

    def _has_other_size(self, call: Call, own: Sequence[Slot], how: str, signal: signals.Signal) -> bool:
        """Return whether a layer depends on the width although its size is computed from other constants."""
        roles = {role for _, role in layers.LAYERS.get(call.api, ((PARAMETER, IN),)) if role != OUT}
        if not own:
            return bool(roles)
        if how in (signals.FLAT, signals.PART, signals.JOINED):
            return True
        known = [slot.width for slot in own if slot.width > 1]
        is_part = any(width % self.width == 0 or self.width % width == 0 for width in known)
        return is_part or (bool(known) and all(source.origin in self._calls for source in signal))

    def _split(self) -> None:
        """Take the width of one part where `k * h` outputs are split."""
        parts = self.producer.number.parts
        if self.producer.number.operator is ast.Mult and len(parts) == 2:
            small, large = sorted(part.value for part in parts)
            if 1 < small <= PARTS < large:
                self.width = large

    def _takes(self, slot: Slot, how: str) -> bool:
        """Return whether a layer takes the width in, or a product of it where a map is flattened."""
        if slot.width == self.width or (slot.role == IN and slot.width == 2 * self.width and self._is_doubled):
            return True
        is_shared = not set(moving(self.producer, self.width)).isdisjoint(slot.number.origins)
        if how == signals.PART and is_shared and slot.number.operator is ast.FloorDiv:
            return True
        if how == signals.WHOLE or slot.number.operator not in (ast.Mult, ast.Add):
            return False
        return is_shared or any(origin.value == self.width for origin in slot.number.origins)

    def _joined(self, own: Sequence[Slot]) -> list[Slot]:
        """Return the sizes behind a concatenation along another axis, and keep those that are sums of widths."""
        found = []
        carries = self.facts().carries
        for operation in self.index.concats:
            parts = [signal for _, signal in operation.operands if signal]
            ours = [carries(self.flow, signal) for signal in parts]
            for slot in own if any(ours) else ():
                if slot.number.operator is not ast.Add and slot.width == self._total(parts):
                    self._all_alike(parts)
                    self._wait(slot, parts)
                if slot.width == self.width and all(ours):
                    found.append(slot)
                elif slot.width % self.multiple and (total := self._sum(slot, parts, ours)) is not None:
                    self._sums(slot, total)
        return found

    def _total(self, parts: Iterable[signals.Signal]) -> int:
        """Return the sum of the widths of a concatenation; 0 where one is not known."""
        known = [{width for source in signal for width in self.flow.widths(source) or (0,)} for signal in parts]
        return sum(next(iter(each)) for each in known) if all(len(each) == 1 and 0 not in each for each in known) else 0

    def _wait(self, slot: Slot, parts: Iterable[signals.Signal]) -> None:
        """Note a layer whose sum has an earlier width with the same remainder: that width is fixed first."""
        own = position(self.producer.call.node)
        for other in (each for each in self._slots_of(parts) if each.call not in self._calls):
            is_same = (other.width - self.width) % self.multiple == 0 and other.role == OUT
            if is_same and other.width != self.width and position(other.call.node) < own:
                self._waits[slot.call] = None

    def _all_alike(self, parts: Iterable[signals.Signal]) -> None:
        """Add the layers with equal widths of a concatenation whose size is one number: they change together."""
        for slot in self._slots_of(parts):
            if slot.role != IN and slot.width == self.width:
                self._add(slot)

    def _slots_of(self, parts: Iterable[signals.Signal]) -> Iterator[Slot]:
        """Yield the slots of the layers that some tensors come from."""
        for origin in {source.origin for signal in parts for source in signal}:
            yield from self.flow.slots(origin) if isinstance(origin, Call) else ()

    def _sum(self, slot: Slot, parts: Sequence[signals.Signal], ours: Sequence[bool]) -> Optional[Sum]:
        """Return a size as the sum of the widths of a concatenation: term by term, or one literal; None for others."""
        terms = list(_terms(slot.number))
        if len(terms) == len(parts):
            mine = [term for term, is_our in zip(terms, ours) if is_our]
            if any(term.value != self.width for term in mine):
                return None
            nodes = set(ast.walk(slot.node))
            literals = tuple(origin for term in mine for origin in term.origins if origin.node in nodes)
            return Sum(slot.number, len(mine), literals)
        return Sum(slot.number, sum(ours)) if self._total(parts) == slot.width else None

    def _sums(self, slot: Slot, found: Sum) -> bool:
        """Record a size that is a sum of widths, and return whether it is one."""
        if slot.number.operator is None and [origin.node for origin in slot.number.origins] != [slot.node]:
            return False
        self.sums[id(slot.node)] = found
        self._joiners[slot.call] = None
        self.is_taken = True
        return True

    @property
    def _is_doubled(self) -> bool:
        api = self.producer.call.api
        return api in layers.RECURRENT and self.producer.call.argument("bidirectional").may_be(True)

    def _fix(self, slot: Slot, signal: signals.Signal) -> None:
        """Note whether an input of the network decides the width that a layer takes in."""
        is_own = slot.call == self.producer.call and slot.call.api in layers.RECURRENT
        if self.is_fixed or slot.role == OUT or is_own or not self._is_first(slot):
            return
        kept = (signals.WHOLE, signals.FLAT, signals.PART)
        self.is_fixed = any(each.how in kept and self.flow.is_input(each.origin) for each in signal)

    def _tied(self, signal: signals.Signal) -> None:
        """Add the other layers with the same output width: their outputs are added, or feed the same layer."""
        for origin, how, _ in signal:
            if how != signals.WHOLE:
                continue
            if isinstance(origin, Binding):
                self.is_fixed = self.is_fixed or self._is_input(origin)
            elif isinstance(origin, Call) and origin not in self._calls:
                given = [slot for slot in self.flow.slots(origin) if slot.role != IN]
                for slot in given:
                    if slot.width == self.width:
                        self._add(slot)
                if not any(slot.width == self.width or slot.width % self.width for slot in given):
                    self._strange[origin] = None

    def _is_input(self, binding: Binding) -> bool:
        """Return whether a layer takes the width in from a parameter."""
        known, asked = self.index.inputs, (binding, self.width)
        if asked not in known:
            takers = (call for call, source in self.index.takers.get(binding, ()) if source.how == signals.WHOLE)
            slots = (slot for call in takers for slot in self.flow.slots(call))
            is_taken = any(s.role == IN and s.width == self.width and self._is_first(s) for s in slots)
            known[asked] = is_taken and self.flow.is_input(binding)
        return known[asked]

    def _is_first(self, slot: Slot) -> bool:
        """Return whether a width is the first one of a layer that is made several times, which takes the input."""
        return slot.width == next(each.width for each in self.flow.slots(slot.call) if each.role == slot.role)


def _terms(number: Number) -> Iterator[Number]:
    """Yield the terms of a sum."""
    for part in number.parts if number.operator is ast.Add else ():
        yield from _terms(part)
    if number.operator is not ast.Add:
        yield number


def moving(slot: Slot, width: int) -> tuple[Origin, ...]:
    """Return the constants that make the width of a slot: the width itself, if it is written, else the greatest."""
    values = {origin.value for origin in slot.number.origins}
    wanted = width if width in values else max(values, default=None)
    return tuple(origin for origin in slot.number.origins if origin.value == wanted)
