"""The new constants that make hidden widths multiples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Optional

from ms_perflint.core.findings import Place
from ms_perflint.training.networks.widths import Hidden, moving


def aligned(found: Hidden, multiple: int) -> Optional[Mapping[Place, int]]:
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
        width = width_at(found, changed)
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


def width_at(found: Hidden, changed: Mapping[Place, int]) -> int:
    """Return the new width, of one part where the output is split."""
    whole = found.producer.number.at(changed)
    return whole * found.width // found.producer.width


def _fits(found: Hidden, changed: Mapping[Place, int], width: int, multiple: int) -> bool:
    if width % multiple or not found.dependents.holds(changed, width):
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
