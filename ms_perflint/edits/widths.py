"""Alignment of a width: the next multiple wherever it is used, or the reason why there is no such edit."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Optional

from ms_perflint.core.findings import Place, Related, Remedy, Safety
from ms_perflint.edits.constants import replace_constants
from ms_perflint.edits.expressions import replace_expression
from ms_perflint.index.semantic_index import Site
from ms_perflint.languages import Message
from ms_perflint.program.program import Program
from ms_perflint.training.networks import doubts, known_networks, layers, loads
from ms_perflint.training.networks.free_widths import Tiles
from ms_perflint.training.networks.padding import Padding
from ms_perflint.training.networks.provenance import Number
from ms_perflint.training.networks.widths import Hidden, moving

_PARTS = {
    layers.IN: Message("this layer takes the width in, and changes with it"),
    layers.OUT: Message("this layer has to give out the same width, and changes with it"),
    layers.ALONG: Message("the width goes through this layer, which changes with it"),
}
ELSEWHERE = Message("no fix is shown: this script makes the trained network with a width of its own")
_ATOMS = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant)
NO_NUMBER = Message("no number fits all sizes that depend on the width")


def align_width(program: Program, found: Hidden, tiles: Tiles) -> Remedy:
    """Return the remedy that makes a hidden width a multiple, with all code that depends on it."""
    changed = _aligned(found, tiles.multiple)
    new = _width_at(found, changed) if changed else tiles.padded(found.width)
    constants = (*found.origins, *found.literals, *found.literal_sums)
    edits = replace_constants(program, constants, changed) if changed and not found.obstacles else None
    count = len({slot.call for slot in found.slots} | {each.call for each in found.consumers})
    advice = Message("make the width {new} in all {count} layers that share it", new=new, count=count)
    if count == 1:  # a layer in a loop
        advice = Message("make the width {new}", new=new)
    safety, reason = _grade(program, found)
    elsewhere = doubts.said_elsewhere(program, found) if edits else None
    others: Iterable[Related] = _shared(found) if edits else (_obstacle(found, changed is None),)
    if elsewhere is not None:
        edits, others = None, (Related(elsewhere, ELSEWHERE),)
    return Remedy(edits, advice, safety, reason, (*_chosen(found), *others))


def align_axes(program: Program, axes: tuple[Number, ...], tiles: Tiles) -> Remedy:
    """Return the remedy that makes an axis of an operator's operands a multiple."""
    new = tiles.padded(axes[0].value)
    origins = {origin for axis in axes for origin in axis.origins if origin.value == axis.value}
    edits = replace_constants(program, origins, {origin.place: new for origin in origins})
    reason = Message("other uses of this axis were not followed")
    return Remedy(edits, Message("make the axis {new}", new=new), Safety.DISPLAY, reason)


def round_up(site: Site, found: Padding) -> Remedy:
    """Return the remedy that makes a formula round up, and keep multiples."""
    count = site.module.text(found.number)
    count = count if isinstance(found.number, _ATOMS) else f"({count})"
    formula = f"({count} + {found.multiple - 1}) // {found.multiple} * {found.multiple}"
    reason = Message("a size that is a multiple already becomes smaller; weights and losses change")
    edits = replace_expression(site.module, site.node, formula)
    return Remedy(edits, Message("round up with `{formula}`", formula=formula), None, reason)


def _grade(program: Program, found: Hidden) -> tuple[Safety, Message]:
    """Return the grade of the fix, and the reason why it is not safe.

    It is display-only where a use may be elsewhere, or stored weights may be loaded.
    """
    classes = {layers.network(slot.call) for slot in found.slots}
    if load := next(chain(loads.loads(program, classes), loads.reads(program)), None):
        place = load.place.seen_from(found.producer.call.module.path)
        return Safety.DISPLAY, Message("{place} loads weights of the old width", place=place)
    if known_networks.from_paper(found.producer.call):
        return Safety.DISPLAY, Message("the width is that of a paper, which the network reproduces")
    if doubt := doubts.doubt(program, found):
        return Safety.DISPLAY, doubt
    return Safety.UNSAFE, Message("the network gets wider; weights, memory and losses change")


def _shared(found: Hidden) -> Iterator[Related]:
    """Yield the places that change with the reported layer: other layers, and other numbers for the width."""
    calls = {found.producer.call}
    for slot in found.slots:
        if slot.call not in calls:
            calls.add(slot.call)
            yield Related(slot.call.place, _PARTS[slot.role])
    for origin in found.literals:
        yield Related(origin.place, Message("this number is the width, and changes with it"))
    for each in found.sums:
        for origin in each.number.origins[:1]:
            yield Related(origin.place, Message("this size is a sum with the width in it, and changes with it"))


def _obstacle(found: Hidden, is_without: bool) -> Related:
    """Return the reason why no fix is offered, with its place."""
    place, text = next(iter(found.obstacles), Related(found.producer.call.place, NO_NUMBER))
    if not found.obstacles and not found.origins:
        text = Message("the constant that decides the width is not known")
    elif not found.obstacles and not is_without:
        text = Message("the number there cannot be edited")
    return Related(place, Message("no fix is shown: {obstacle}", obstacle=text))


def _chosen(found: Hidden) -> list[Related]:
    """Return the places outside of the reported call that choose the width."""
    call = found.producer.call
    rows = range(call.node.lineno, (call.node.end_lineno or call.node.lineno) + 1)
    return [
        Related(origin.place, Message("the width {width} is chosen here", width=origin.value))
        for origin in moving(found.producer, found.width)
        if origin.module is not call.module or origin.place.row not in rows
    ]


# --- new constants


def _aligned(found: Hidden, multiple: int) -> Optional[Mapping[Place, int]]:
    """Return the smallest new constants, by place, that make all widths of a group multiples; None without any."""
    origins = found.origins
    if not origins or any(not slot.number.origins for slot in found.slots):
        return None
    own = moving(found.producer, found.width)
    start = own[0].value
    if any(origin.value != start for origin in own):
        return None
    for value in range(start + 1, start + 64 * multiple):
        changed = {origin.place: value for origin in origins if origin.value == start}
        width = _width_at(found, changed)
        changed.update(
            {origin.place: width for origin in origins if origin.value == found.width and origin.value != start}
        )
        changed.update({origin.place: width for origin in found.literals})
        for each in found.sums:
            if each.number.operator is None:
                changed[each.number.origins[0].place] = each.at(found.width, width)
            changed.update({origin.place: width for origin in each.literals})
        if {origin.place for origin in origins} <= set(changed) and _fits(found, changed, width, multiple):
            return changed
    return None


def _width_at(found: Hidden, changed: Mapping[Place, int]) -> int:
    """Return the new width, of one part where the output is split."""
    whole = found.producer.number.at(changed)
    return whole * found.width // found.producer.width


def _fits(found: Hidden, changed: Mapping[Place, int], width: int, multiple: int) -> bool:
    if width % multiple or width > 2 * (found.width + multiple) or not found.dependents.holds(changed, width):
        return False
    if any(each.number.at(changed) != each.at(found.width, width) for each in found.sums):
        return False
    for slot in found.slots:
        new = slot.number.at(changed)
        if slot.width == found.width and new != width:
            return False
        if slot.width > multiple and new % multiple:
            return False
    return True
