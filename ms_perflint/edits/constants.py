"""Replacement of numbers, in code and in config files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from ms_perflint.core.findings import Edit, Place
from ms_perflint.edits.expressions import replace_expression
from ms_perflint.edits.settings import set_scalar
from ms_perflint.training.networks.provenance import Origin

if TYPE_CHECKING:
    from ms_perflint.program.program import Program


def replace_constants(
    program: Program, origins: Iterable[Origin], changed: Mapping[Place, int]
) -> tuple[Edit, ...] | None:
    """Return the edits that write new numbers at their places; None without numbers, or where one cannot be written."""
    edits: set[Edit] = set()
    for origin in origins:
        text = str(changed[origin.place])
        if origin.module is not None and origin.node is not None:
            made = replace_expression(origin.module, origin.node, text)
        else:
            made = set_scalar(program, origin.place, origin.value, text)
        if made is None:
            return None
        edits.update(made)
    return tuple(sorted(edits)) or None
