"""The layers of one network by the widths that they are given, collected once."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ms_perflint.networks import layers
from ms_perflint.networks.layers import IN, OUT, Slot
from ms_perflint.networks.numbers import Origin
from ms_perflint.records import NamedTuple
from ms_perflint.semantics.module import Scope, Site
from ms_perflint.semantics.queries import query

if TYPE_CHECKING:
    from ms_perflint.programs.program import Program

SHAPES = frozenset(
    {"reshape", "view", "zeros", "ones", "broadcast_to", "expand", "randn", "rand", "split", "full", "Reshape", "tile"}
)


class Widths(NamedTuple):
    """The widths of one network, as they are asked for."""

    slots: tuple[Slot, ...]  # in the order of the source
    ranks: Mapping[int, int]  # id of a slot -> where it is among them
    positions: Mapping[int, int]  # id of the node of a slot -> the same; of the first with this node
    by_width: Mapping[int, list[Slot]]
    by_call: Mapping[int, list[Slot]]  # id of the node of a call -> what it is given
    inputs: Mapping[int, list[Slot]]  # by width, those that take one in
    compound: list[Slot]  # among these, whose numbers are products and sums
    outs: list[Slot]
    words: frozenset[str]  # of all that the network calls
    constants: Mapping[int, list[int]]  # numbers that stand in it -> the ids of their nodes

    def takers(self, producer: Slot, width: int) -> list[Slot]:
        """Return the slots that take in a width, in the order of the source."""
        equal = (self.inputs.get(each, ()) for each in {width, producer.width, 2 * width})
        slots = {id(slot): slot for group in (*equal, self.compound) for slot in group}
        found = [slot for slot in slots.values() if takes(slot, producer, width)]
        return sorted(found, key=lambda slot: self.ranks[id(slot)])


@query
def widths_of(program: Program, scope: Scope) -> Widths:
    """Return the widths of a network, collected once."""
    slots, sites = layers.slots(program, scope), layers.sites(program, scope)
    ranks: dict[int, int] = {}
    positions: dict[int, int] = {}
    by_width: dict[int, list[Slot]] = {}
    by_call: dict[int, list[Slot]] = {}
    for position, slot in enumerate(slots):
        ranks[id(slot)] = position
        positions.setdefault(id(slot.node), position)
        by_width.setdefault(slot.width, []).append(slot)
        by_call.setdefault(id(slot.call.node), []).append(slot)
    constants: dict[int, list[int]] = {}
    for node in ast.walk(scope.node):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            constants.setdefault(node.value, []).append(id(node))
    return Widths(
        slots,
        ranks,
        positions,
        by_width,
        by_call,
        {width: inputs for width, equal in by_width.items() if (inputs := [each for each in equal if each.role == IN])},
        [slot for slot in slots if slot.role == IN and slot.number.operator in (ast.Mult, ast.Add)],
        [slot for slot in slots if slot.role == OUT],
        frozenset(site.word for site in sites),
        constants,
    )


def moving(slot: Slot, width: int) -> tuple[Origin, ...]:
    """Return the constants that make a slot's width: the width itself where it stands there, else the greatest."""
    origins = slot.number.origins
    wanted = width if any(origin.value == width for origin in origins) else slot.number.largest
    return tuple(origin for origin in origins if origin.value == wanted)


def takes(slot: Slot, producer: Slot, width: int) -> bool:
    """Return whether a layer takes in a width: as it is, as a factor (flattened) or addend (joined)."""
    if slot.width in (width, producer.width):
        return True
    shared = set(moving(producer, width)) & set(slot.number.origins)
    if shared and slot.number.operator in (ast.Mult, ast.Add):
        return True
    if slot.number.operator is ast.Mult and producer.call.api in (*layers.CONVOLUTIONS, *layers.RECURRENT):
        return width in (part.value for part in slot.number.parts) or slot.number.largest == width
    return (
        producer.call.api in layers.RECURRENT
        and slot.width == 2 * width
        and producer.call.argument("bidirectional").may_be(True)
    )


@query
def said(program: Program, scope: Scope) -> Mapping[int, list[ast.Constant]]:
    """Return the literals by width that say it to `reshape`, `zeros`, or a cell of the project, and not to a layer."""
    slots = layers.slots(program, scope)
    held = {id(slot.node) for slot in slots}
    held |= {id(origin.node) for slot in slots for origin in slot.number.origins}
    found: dict[int, list[ast.Constant]] = {}
    for site in layers.sites(program, scope):
        assert isinstance(site.node, ast.Call)
        for argument in (*site.node.args, *(keyword.value for keyword in site.node.keywords)):
            for node in _says_width(program, site, argument):
                if type(node.value) is int and id(node) not in held:
                    held.add(id(node))
                    found.setdefault(node.value, []).append(node)
    return found


def _says_width(program: Program, site: Site, argument: ast.expr) -> list[ast.Constant]:
    """Return the literals of an argument that may be widths: those of a shape, and itself where a cell is made."""
    if site.word in SHAPES:
        return [node for node in ast.walk(argument) if isinstance(node, ast.Constant)]
    if not isinstance(argument, ast.Constant):
        return []
    made = program.evaluator.callees(site).known
    return [argument] if any(known.definition is not None and known.definition.is_class for known in made) else []
