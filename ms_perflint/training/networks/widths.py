"""Hidden widths: which layers produce one, which take it in, and where all of it is written down."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Optional

from ms_perflint.core.findings import Place
from ms_perflint.index.semantic_index import Binding, Scope, SemanticIndex, Site
from ms_perflint.infer.queries import query
from ms_perflint.program.call_site import Call
from ms_perflint.training.networks import feeds, layers
from ms_perflint.training.networks.layers import IN, OUT, Slot
from ms_perflint.training.networks.provenance import Origin, literal
from ms_perflint.training.training_steps import base_apis

if TYPE_CHECKING:
    from ms_perflint.program.program import Program
    from ms_perflint.training.networks.feeds import Feeds

PARTS = 8  # a product with more than so many parts is a flattened map, and no gates of a cell
SHAPES = frozenset(
    {"reshape", "view", "zeros", "ones", "broadcast_to", "expand", "randn", "rand", "split", "full", "Reshape", "tile"}
)


class Hidden(NamedTuple):
    """A width that one layer of a network produces and later ones take in."""

    producer: Slot
    width: int  # of one part, where the output is split
    slots: tuple[Slot, ...]  # that have to change with it, the producer first
    literals: tuple[Origin, ...]  # elsewhere in the network that say the same width, to `reshape` and the like
    consumers: tuple[Slot, ...]
    is_closed: bool  # no part of the flow is lost, joined, flattened, or leaves the network

    @property
    def origins(self) -> tuple[Origin, ...]:
        """Return the constants that have to change together."""
        return tuple(dict.fromkeys(origin for slot in self.slots for origin in moving(slot, self.width)))


@query
def _index(program: Program, flow: Feeds) -> _Index:
    return _Index(flow)


def hidden(program: Program, producer: Slot, multiple: int) -> Optional[Hidden]:
    """Return what hangs together with the width that a layer produces.

    None where nothing takes it in, where an input fixes it, and where it is joined with others to a multiple.
    """
    flow = feeds.feeds(program, producer.call.module)
    index = _index(program, flow)
    found = _Group(flow, index, producer, multiple)
    is_recurrent = producer.call.api in layers.RECURRENT
    if found.is_fixed or not (found.is_taken or is_recurrent):
        return None
    slots = tuple(dict.fromkeys((producer, *found.slots)))
    scopes = dict.fromkeys(scope for slot in slots for scope in _scopes(flow, slot.call))
    literals = tuple(each for scope in scopes for each in _literals(program, index, scope, found.width))
    is_closed = found.is_closed and not _others(program, index, scopes, found.width)
    return Hidden(producer, found.width, slots, literals, tuple(dict.fromkeys(found.consumers)), is_closed)


def _scopes(flow: Feeds, call: Call) -> set[Scope]:
    """Return what holds a layer, and what calls it."""
    return {layers.network(call), *(layers.around(scope) for scope in flow.places.get(call, ()))}


class _Index:
    """What a group of widths is looked up in."""

    def __init__(self, flow: Feeds) -> None:
        self.takers: dict[object, list[tuple[Call, feeds.Source]]] = {}  # by where what they take in comes from
        self.ties: dict[object, list[feeds.Signal]] = {}  # by the same
        self.ends: dict[object, list[feeds.Source]] = {}
        self.made: dict[Origin, list[Slot]] = {}  # the slots that a constant makes
        for call, signal in flow.takes.items():
            for source in signal:
                self.takers.setdefault(source.origin, []).append((call, source))
            for slot in flow.slots(call):
                for origin in slot.number.origins:
                    self.made.setdefault(origin, []).append(slot)
        for tied in flow.ties:
            for source in tied:
                if source.how == feeds.WHOLE:
                    self.ties.setdefault(source.origin, []).append(tied)
        for source in flow.ends:
            self.ends.setdefault(source.origin, []).append(source)
        self.held = {id(origin.node) for origin in self.made}  # the constants that say how wide layers are


class _Group:
    """All that changes with one width: the layers that produce it, take it in, and let it through."""

    def __init__(self, flow: Feeds, index: _Index, producer: Slot, multiple: int) -> None:
        self.flow = flow
        self.index = index
        self.producer = producer
        self.multiple = multiple
        self.width = producer.width
        self.slots: list[Slot] = []
        self.consumers: list[Slot] = []
        self.is_fixed = False  # an input, or a group of a convolution, decides
        self.is_closed = True
        self.is_taken = False  # a layer takes in what the producer itself gives out
        self._calls: set[Call] = set()  # whose outputs have the width
        self._add(producer)
        size = -1
        while size != (size := len(self.slots)):
            self._grow()
        leaving = [origin for origin in self._calls if any(self._leaves(each) for each in index.ends.get(origin, ()))]
        self.is_closed = self.is_closed and not leaving
        is_several = len({slot.width for slot in flow.slots(producer.call) if slot.role == OUT}) > 1
        self.is_fixed = self.is_fixed or (is_several and producer.call in leaving)  # which is which cannot be told

    def _leaves(self, source: feeds.Source) -> bool:
        """Return whether the width leaves the networks: of a layer that is made several times, the last one does."""
        return self.flow.widths(source)[-1:] == (self.width,)

    def _add(self, slot: Slot) -> None:
        if slot in self.slots:
            return
        self.slots.append(slot)
        self.is_fixed = self.is_fixed or slot.is_grouped
        if slot.role == OUT or slot.call.api in layers.TABLES:
            self._calls.add(slot.call)
            self.is_closed = self.is_closed and slot.call.api not in layers.TABLES

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

    def _taken(self, call: Call, source: feeds.Source, signal: feeds.Signal) -> None:
        """Add what takes in what a layer of the group gives out."""
        own, how = [slot for slot in self.flow.slots(call) if slot.role != OUT], source.how
        if how == feeds.PART and self.width == self.producer.width:
            self._split(own)
        if how == feeds.JOINED:
            found = [slot for slot in own if slot.role == IN and slot.width % self.multiple and slot.width > self.width]
        else:
            found = [slot for slot in own if self._takes(slot, how)]
        is_product = how == feeds.FLAT and any(slot.width != self.width for slot in found)
        self.is_closed = self.is_closed and (how == feeds.WHOLE or is_product)
        for slot in found:
            self._add(slot)
            if slot.role == IN:
                self.is_taken = self.is_taken or source.origin == self.producer.call
                self.consumers.append(slot)
            self._fix(slot, signal)
            if how == feeds.WHOLE:
                self._tied(signal)

    def _split(self, takers: Sequence[Slot]) -> None:
        """Take the width of one part where `k * h` outputs are split."""
        parts = self.producer.number.parts
        if self.producer.number.operator is ast.Mult and len(parts) == 2:
            small, large = sorted(part.value for part in parts)
            if 1 < small <= PARTS < large:
                self.width = large

    def _takes(self, slot: Slot, how: str) -> bool:
        """Return whether a layer takes in the width: as it is, or a product of it where a map is flattened."""
        if slot.width == self.width or (slot.role == IN and slot.width == 2 * self.width and self._is_doubled):
            return True
        shared = set(moving(self.producer, self.width)) & set(slot.number.origins)
        if how == feeds.WHOLE or slot.number.operator not in (ast.Mult, ast.Add):
            return False
        return bool(shared) or any(origin.value == self.width for origin in slot.number.origins)

    @property
    def _is_doubled(self) -> bool:
        api = self.producer.call.api
        return api in layers.RECURRENT and self.producer.call.argument("bidirectional").may_be(True)

    def _fix(self, slot: Slot, signal: feeds.Signal) -> None:
        """Note whether an input of the network decides the width that a layer takes in."""
        outside = any(not isinstance(source.origin, Call) and source.how == feeds.WHOLE for source in signal)
        is_own = slot.call == self.producer.call and slot.call.api in layers.RECURRENT
        if slot.role != OUT and outside and self._is_first(slot) and not is_own:
            self.is_fixed = True

    def _tied(self, signal: feeds.Signal) -> None:
        """Add the other layers that give out the same, since both are added or feed the same layer."""
        for origin, how, _ in signal:
            if isinstance(origin, Binding) and how == feeds.WHOLE:
                self.is_fixed = self.is_fixed or self._is_input(origin)
            elif isinstance(origin, Call) and how == feeds.WHOLE and origin not in self._calls:
                for slot in self.flow.slots(origin):
                    if slot.role != IN and slot.width == self.width:
                        self._add(slot)

    def _is_input(self, binding: Binding) -> bool:
        """Return whether a layer takes the width in from a parameter."""
        takers = (call for call, source in self.index.takers.get(binding, ()) if source.how == feeds.WHOLE)
        found = (slot for call in takers for slot in self.flow.slots(call))
        return any(slot.role == IN and slot.width == self.width and self._is_first(slot) for slot in found)

    def _is_first(self, slot: Slot) -> bool:
        """Return whether a width is the first of a layer that is made several times: an input is fed to that one."""
        return slot.width == next(each.width for each in self.flow.slots(slot.call) if each.role == slot.role)


def after(found: Hidden) -> list[int]:
    """Return the widths that come out of the layers that take a hidden width in."""
    calls = dict.fromkeys(slot.call for slot in found.consumers)
    return [slot.width for call in calls for slot in layers.slots(call) if slot.role == OUT and slot != found.producer]


def moving(slot: Slot, width: int) -> tuple[Origin, ...]:
    """Return the constants that make a slot's width: the width itself where it stands there, else the greatest."""
    origins = slot.number.origins
    wanted = width if any(origin.value == width for origin in origins) else slot.number.largest
    return tuple(origin for origin in origins if origin.value == wanted)


def _literals(program: Program, index: _Index, scope: Scope, width: int) -> Iterator[Origin]:
    """Yield the literals that say this width to `reshape`, `zeros`, or a cell of the project: they go with it."""
    said = _said(program, scope)
    return (literal(node, scope.module) for node in said.get(width, ()) if id(node) not in index.held)


@query
def _said(program: Program, scope: Scope) -> dict[int, list[ast.Constant]]:
    found: dict[int, list[ast.Constant]] = {}
    for site in layers.sites(program, scope):
        assert isinstance(site.node, ast.Call)
        for argument in (*site.node.args, *(keyword.value for keyword in site.node.keywords)):
            for node in _says_width(program, site, argument):
                if type(node.value) is int:
                    found.setdefault(node.value, []).append(node)
    return found


def _says_width(program: Program, site: Site, argument: ast.expr) -> list[ast.Constant]:
    """Return the literals of an argument that may be widths: those of a shape, and itself where a cell is made."""
    if site.word in SHAPES:
        return [node for node in ast.walk(argument) if isinstance(node, ast.Constant)]
    if not isinstance(argument, ast.Constant):
        return []
    made = program.evaluator.callees(site).alternatives
    return [argument] if any(each.definition is not None and each.definition.is_class for each in made) else []


def is_closed(program: Program, found: Hidden) -> bool:
    """Return whether all that depends on a width shows in the file, and can take another."""
    module, origins = found.producer.call.module, found.origins
    if any(origin.module is not module or origin.optional for origin in origins):
        return False
    return found.is_closed and bool(found.consumers) and not (found.literals or _is_imported(program, module, origins))


def _is_imported(program: Program, module: SemanticIndex, origins: Sequence[Origin]) -> bool:
    """Return whether another file imports a name of the module that holds one of these constants."""
    nodes = {id(origin.node) for origin in origins}
    names = {
        name for name, bindings in module.scope.bindings.items() for binding in bindings if id(binding.value) in nodes
    }
    files = [path for path in program.files if any(program.project.contains(path, name) for name in sorted(names))]
    others = [other for path in files if path != module.path and (other := program.module(path)) is not None]
    return any(names & set(other.imported) for other in others)


def _others(program: Program, index: _Index, scopes: Iterable[Scope], width: int) -> bool:
    """Return whether the network names the same number anywhere else: whether that is the width cannot be told."""
    named = (_numbers(program, scope) for scope in scopes)
    return any(node not in index.held for numbers in named for node in numbers.get(width, ()))


@query
def _numbers(program: Program, scope: Scope) -> dict[int, list[int]]:
    """Return the identities of the literals of a class or function, by their value."""
    found: dict[int, list[int]] = {}
    for node in ast.walk(scope.node) if not isinstance(scope.node, ast.Module) else ():
        if isinstance(node, ast.Constant) and type(node.value) is int:
            found.setdefault(node.value, []).append(id(node))
    return found


def aligned(found: Hidden, multiple: int) -> Optional[Mapping[Place, int]]:
    """Return the smallest new constants, by place, that make all of these widths multiples; None where none do."""
    origins = found.origins
    if not origins or any(not slot.number.origins for slot in found.slots):
        return None
    own = moving(found.producer, found.width)
    start = own[0].value
    if any(origin.value != start for origin in own):
        return None
    for value in range(start + 1, start + 64 * multiple):
        changed = {origin.place: value for origin in origins if origin.value == start}
        width = width_at(found, changed)
        changed.update(
            {origin.place: width for origin in origins if origin.value == found.width and origin.value != start}
        )
        if {origin.place for origin in origins} <= set(changed) and _fits(found, changed, width, multiple):
            return {**changed, **{origin.place: width for origin in found.literals}}
    return None


def width_at(found: Hidden, changed: Mapping[Place, int]) -> int:
    """Return the new width, of one part where the output is split."""
    whole = found.producer.number.at(changed)
    return whole * found.width // found.producer.width


def _fits(found: Hidden, changed: Mapping[Place, int], width: int, multiple: int) -> bool:
    if width % multiple:
        return False
    for slot in found.slots:
        new = slot.number.at(changed)
        if slot.width == found.width and new != width:
            return False
        if slot.width > multiple and new % multiple:
            return False
    return True


def is_taken(call: Call, width: int) -> bool:
    """Return whether a layer near a call takes a width in."""
    flow = feeds.feeds(call.program, call.module)
    return any(slot.role == IN and slot.width == width for each in flow.layers for slot in flow.slots(each))


# --- where a layer stands


def in_cell(program: Program, site: Site) -> bool:
    """Return whether a site stands in a Cell; a function or module may hold a network without one."""
    scope = layers.network(site)
    if not scope.is_class or not isinstance(site.node, ast.Call):
        return True
    return any(api.startswith("mindspore.") for api in base_apis(program, scope))
