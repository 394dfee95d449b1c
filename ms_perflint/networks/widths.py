"""Hidden widths: which layers produce one, which take it in, and where all of it is written down."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Optional

from ms_perflint.findings import Place
from ms_perflint.networks import layers
from ms_perflint.networks.layers import ALONG, IN, OUT, Slot
from ms_perflint.networks.network_widths import SHAPES, Widths, moving, said, takes, widths_of
from ms_perflint.networks.numbers import Origin, literal
from ms_perflint.programs.steps import base_apis
from ms_perflint.records import NamedTuple
from ms_perflint.semantics.forms import position
from ms_perflint.semantics.module import Module, Scope, Site
from ms_perflint.semantics.queries import query
from ms_perflint.source import Span

if TYPE_CHECKING:
    from ms_perflint.programs.program import Program

SPLITS = frozenset({"split", "chunk", "Split", "split_with_size", "tensor_split", "SplitV", "unbind"})
CONCATS = frozenset({"concat", "Concat", "cat", "concatenate", "hstack"})
PARTS = 8  # a product with more than so many parts is a flattened map, and no gates of a cell


class Hidden(NamedTuple):
    """A width that one layer of a network produces and later ones take in."""

    producer: Slot
    width: int  # of one part, where the output is split
    slots: tuple[Slot, ...]  # that give this width, or a number made from the same constants, the producer first
    literals: tuple[Origin, ...]  # elsewhere in the network that say the same width, to `reshape` and the like
    consumers: tuple[Slot, ...]

    @property
    def origins(self) -> tuple[Origin, ...]:
        """Return the constants that have to change together."""
        return tuple(dict.fromkeys(origin for slot in self.slots for origin in moving(slot, self.width)))


def hidden(program: Program, producer: Slot, multiple: int) -> Optional[Hidden]:
    """Return what hangs together with the width that a layer produces.

    None where nothing takes it in, where an input fixes it, and where it is joined with others to a multiple.
    """
    scope = layers.network(producer.call)
    own = widths_of(program, scope)
    width = _part(producer, own.words & SPLITS)
    position = own.positions.get(id(producer.node))
    if position is None or _is_grouped(program, scope, width) or not _is_free(own, producer, width):
        return None
    consumers = [slot for slot in own.takers(producer, width) if own.ranks[id(slot)] > position]
    if not consumers and own.words & CONCATS:
        later = (slot for slot in own.slots[position + 1 :] if slot.role == IN)
        consumers = [slot for slot in later if slot.width % multiple and _joins(slot, producer, own.slots)]
    elsewhere: list[Slot] = []
    if not consumers and producer.call.api in layers.CONVOLUTIONS:
        consumers = elsewhere = _flattened(program, producer, layers.sites(program, scope))
    if not consumers:
        consumers = elsewhere = _handed_on(program, producer, own, scope)
    if not consumers and producer.call.api not in layers.RECURRENT:
        return None
    chain = [slot for slot in consumers if _is_kin(slot, producer, width)]
    equal = own.by_width.get(width, [])
    last = max((slot.call.span for slot in equal if slot.role == IN), default=(-1, -1))
    same = [slot for slot in equal if _belongs(slot, last, producer) and (not chain or _is_kin(slot, producer, width))]
    consumers = chain or consumers
    slots = tuple(dict.fromkeys((producer, *same, *consumers, *elsewhere, *_related(program, producer, width))))
    return Hidden(producer, width, slots, tuple(_literals(program, scope, width)), tuple(consumers))


def after(program: Program, found: Hidden) -> list[int]:
    """Return the widths that come out of the layers that take a hidden width in."""
    calls = {id(slot.call.node): layers.network(slot.call) for slot in found.consumers}
    own = (slot for call, scope in calls.items() for slot in widths_of(program, scope).by_call.get(call, ()))
    return [slot.width for slot in own if slot.role == OUT]


def _part(producer: Slot, splits: frozenset[str]) -> int:
    """Return the width of one part where `k * h` outputs are split, else the whole."""
    parts = producer.number.parts
    if splits and producer.number.operator is ast.Mult and len(parts) == 2:
        small, large = sorted(part.value for part in parts)
        if 1 < small <= PARTS < large:
            return large
    return producer.width


def _is_free(own: Widths, producer: Slot, width: int) -> bool:
    """Return whether the network chooses a width: nothing before takes it in."""
    first = next((slot for slot in own.by_width.get(width, ()) if slot.role in (IN, ALONG, OUT)), None)
    position = own.positions[id(producer.node)]
    if first is None or first.role == OUT or own.ranks[id(first)] >= position:
        return True
    return first.call.node is producer.call.node and producer.call.api in layers.RECURRENT


def _joins(slot: Slot, producer: Slot, own: Sequence[Slot]) -> bool:
    """Return whether a layer takes in the concatenation of this output with that of one other layer."""
    outs = [
        other
        for other in own
        if other.role == OUT and other.node is not producer.node and other.call.span < slot.call.span
    ]
    free = [other for other in outs if not any(taker.role == IN and taker.width == other.width for taker in own)]
    return any(other.width + producer.width == slot.width and other.call.api == producer.call.api for other in free)


def _is_kin(slot: Slot, producer: Slot, width: int) -> bool:
    """Return whether a slot names a width as the producer does: as a literal, or from the same constants."""
    if isinstance(producer.node, ast.Constant):
        return any(origin.value == width and _contains(slot.node, origin) for origin in slot.number.origins)
    return bool(set(moving(producer, width)) & set(slot.number.origins))


def _contains(node: ast.expr, origin: Origin) -> bool:
    return any(inner is origin.node for inner in ast.walk(node))


@query
def _is_grouped(program: Program, scope: Scope, width: int) -> bool:
    """Return whether a group of a convolution depends on a width."""
    return any(slot.is_grouped for slot in widths_of(program, scope).by_width.get(width, ()))


def _belongs(slot: Slot, last: Span, producer: Slot) -> bool:
    """Return whether a slot of the same width is no output of the whole network; `last`: where it is last taken in."""
    if slot.role != OUT or slot.call.api in layers.RECURRENT or slot.node is producer.node:
        return True
    return last > slot.call.span


def _related(program: Program, producer: Slot, width: int) -> Iterator[Slot]:
    """Yield the slots of the file whose numbers are made from the constants of the producer's."""
    wanted = {origin for origin in moving(producer, width) if origin.node is not producer.node}
    module = producer.call.module
    if not wanted:
        return
    for scope in networks(module):
        for slot in layers.slots(program, scope):
            if wanted & set(slot.number.origins):
                yield slot


def networks(module: Module) -> list[Scope]:
    """Return the classes, functions and the module whose layers are looked at together."""
    found: dict[Scope, None] = {}
    for site in module.sites:
        if isinstance(site.node, ast.Call):
            found[layers.network(site)] = None
    return list(found)


def _flattened(program: Program, producer: Slot, own_sites: Sequence[Site]) -> list[Slot]:
    """Return the layers of other classes that take in `width * h * w`, where the producer's class reshapes to it."""
    products = {
        ast.dump(node)
        for site in own_sites
        if site.word in SHAPES
        for argument in getattr(site.node, "args", ())
        for node in ast.walk(argument)
        if isinstance(node, ast.BinOp) and producer.width in _factors(node)
    }
    if not products:
        return []
    found: list[Slot] = []
    for scope in networks(producer.call.module):
        found.extend(
            slot for slot in layers.slots(program, scope) if slot.role == IN and ast.dump(slot.node) in products
        )
    return found


def _handed_on(program: Program, producer: Slot, own: Widths, scope: Scope) -> list[Slot]:
    """Return the layers of other classes of the file that take in what comes out of a class that they make."""
    outs = own.outs
    if not scope.is_class or not outs or outs[-1].node is not producer.node or len(outs) < 2:
        return []
    found: list[Slot] = []
    makers: dict[Scope, list[Site]] = {}
    for site in sorted(producer.call.module.by_word.get(scope.name, ()), key=lambda site: position(site.node)):
        if isinstance(site.node, ast.Call) and _makes(program, site, scope):
            makers.setdefault(layers.network(site), []).append(site)
    for other, made in makers.items():
        if other is scope or not other.is_class:
            continue
        theirs = [slot for slot in layers.slots(program, other) if slot.width == producer.width]
        if theirs and theirs[0].role == IN and theirs[0].call.span > made[0].span:
            found.append(theirs[0])
    return found


def _makes(program: Program, site: Site, cls: Scope) -> bool:
    return any(known.definition is cls for known in program.evaluator.callees(site).known)


def _factors(node: ast.expr) -> list[int]:
    """Return the literal factors of a product."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return [*_factors(node.left), *_factors(node.right)]
    return [node.value] if isinstance(node, ast.Constant) and type(node.value) is int else []


def _literals(program: Program, scope: Scope, width: int) -> Iterator[Origin]:
    """Yield the literals that say this width to `reshape`, `zeros`, or a cell of the project: they go with it."""
    return (literal(node, scope.module) for node in said(program, scope).get(width, ()))


def is_closed(program: Program, found: Hidden) -> bool:
    """Return whether all that depends on a width shows in the file, and can take another."""
    module, origins = found.producer.call.module, found.origins
    scope = layers.network(found.producer.call)
    if any(origin.module is not module or origin.optional for origin in origins) or _is_imported(
        program, module, origins
    ):
        return False
    tied = any(slot.call.api in layers.TABLES for slot in found.slots)
    handed = found.producer.call.api in layers.DENSE and any(
        layers.network(slot.call) is not scope for slot in found.consumers
    )
    joined = bool(widths_of(program, scope).words & CONCATS)  # then the sum of their widths is taken in somewhere
    divided = _divides(program, scope)
    loose = handed or divided or joined or _flattens(program, found)
    return bool(found.consumers) and not (
        found.literals or tied or loose or _ends(program, found) or _others(scope, found)
    )


def _is_imported(program: Program, module: Module, origins: Sequence[Origin]) -> bool:
    """Return whether another file imports a name of the module that holds one of these constants."""
    nodes = {id(origin.node) for origin in origins}
    names = {
        name for name, bindings in module.scope.bindings.items() for binding in bindings if id(binding.value) in nodes
    }
    files = [path for path in program.files if any(program.project.contains(path, name) for name in sorted(names))]
    others = [other for path in files if path != module.path and (other := program.module(path)) is not None]
    return any(names & set(other.imported) for other in others)


@query
def _divides(program: Program, scope: Scope) -> bool:
    """Return whether a network cuts widths into heads."""
    return any(
        ("head" in name and "num" in name) or name in ("heads", "n_head", "n_heads", "nhead")
        for inner in (scope, *scope.defines)
        for name in inner.names | inner.attrs
    )


def _flattens(program: Program, found: Hidden) -> bool:
    """Return whether a layer of the network may take in a flattened map of this width, as a plain number."""
    if found.producer.call.api not in layers.CONVOLUTIONS:
        return False
    own = layers.slots(program, layers.network(found.producer.call))
    dense = [slot for slot in own if slot.role == IN and slot.call.api in layers.DENSE and slot not in found.slots]
    return any(slot.width % found.width == 0 for slot in dense)


def _ends(program: Program, found: Hidden) -> bool:
    """Return whether the width is also what some network gives out at its end."""
    for slot in found.slots:
        if slot.role == OUT and slot.call.api not in layers.RECURRENT:
            scope = layers.network(slot.call)
            elsewhere = (
                other
                for other in found.consumers
                if layers.network(other.call) is not scope and other.role == IN and takes(other, slot, slot.width)
            )
            is_taken = _is_taken(program, scope, slot)
            if not is_taken and next(elsewhere, None) is None:
                return True
    return False


@query
def _is_taken(program: Program, scope: Scope, slot: Slot) -> bool:
    """Return whether a later layer of its network takes in what a slot gives out."""
    takers = widths_of(program, scope).takers(slot, slot.width)
    return any(other.call.span > slot.call.span and other.node is not slot.node for other in takers)


def _others(scope: Scope, found: Hidden) -> bool:
    """Return whether the network names the same number anywhere else: whether that is the width cannot be told."""
    if isinstance(scope.node, ast.Module):
        return False
    own = widths_of(found.producer.call.program, scope)
    held = {id(origin.node) for slot in found.slots for origin in slot.number.origins}
    held |= {id(slot.node) for slot in own.by_width.get(found.width, ()) if slot.role == OUT}
    return any(number not in held for number in own.constants.get(found.width, ()))


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


# --- what a number may be, and what it must stay


def in_cell(program: Program, site: Site) -> bool:
    """Return whether a site stands in a Cell; a function or module may hold a network without one."""
    scope = layers.network(site)
    if not scope.is_class or not isinstance(site.node, ast.Call):
        return True
    return any(api.startswith("mindspore.") for api in base_apis(program, scope))
