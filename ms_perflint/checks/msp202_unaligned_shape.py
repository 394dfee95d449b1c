"""MSP202: a free hidden width is not a multiple of 16."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Optional, cast

from ms_perflint import edits as edit
from ms_perflint.check import Check, trigger_words
from ms_perflint.core.findings import Gain, Safety
from ms_perflint.index.semantic_index import SemanticIndex, Site
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training.networks import known_networks, layers, padding, unknown_networks
from ms_perflint.training.networks.free_widths import BLOCK, LAYERS, OPERATORS, FreeWidths

if TYPE_CHECKING:
    import libcst as cst

WIDTH = Message("the hidden width {width} is not a multiple of {multiple}: {waste} % of its tiles is padding")
AXIS = Message("axis {width} of these operands is not a multiple of {multiple}: {waste} % of its tiles is padding")
FORMULA = Message("this adds {size} to what is a multiple of {size} already: a whole tile of padding")


class UnalignedShape(Check):
    """A hidden width that you are free to choose is not a multiple of 16, so that part of each tile is padding."""

    code = "MSP202"
    name = "unaligned-shape"
    safety = Safety.UNSAFE
    symptom = "padded"
    gain = Gain("small", Message("no work on padding, all cores in use"))
    triggers = (*LAYERS, *sorted(OPERATORS), "*")
    blames = ("out_channels", "out_features", "hidden_size")
    looks_inside = False
    anchored = True  # for `gap`
    options = {"multiple": BLOCK, "min-waste": 10}  # noqa: RUF012
    limits = {"multiple": (2, 4096), "min-waste": (0, 100)}  # noqa: RUF012

    @classmethod
    def prefilter_sites(cls, module: SemanticIndex, sites: Iterable[Site]) -> Iterable[Site]:
        """Return layers outside of published networks, operators on newly created tensors, and possible formulas."""
        words, _ = trigger_words(LAYERS, module)
        for site in sites:
            if not isinstance(site.node, ast.Call):
                if padding.may_pad(site.node):
                    yield site
            elif layers.are_made(site.node) or (site.word in words and not known_networks.is_published(site)):
                yield site

    @cached_property
    def widths(self) -> FreeWidths:
        """Return the widths of the program, by the options of the rule."""
        asked, least = self.settings["multiple"], self.settings["min-waste"]
        return FreeWidths(self.program, cast(int, asked), cast(int, least))

    def suspect(self, call: Call) -> bool:
        """An unaligned width of a trained network that is not a published one."""
        site: Site = call
        if not isinstance(site, Call):
            return self.widths.formula(site) is not None
        return bool(self.widths.axis(call) if call.api in OPERATORS else self.widths.produced(call))

    def gap(self) -> Optional[Message]:
        """Return the place where the trained networks cannot be followed, if no layer in these files may be theirs."""
        is_missed = unknown_networks.are_unknown(self.program) and not self.widths.has_layers
        return unknown_networks.unknown(self.program) if is_missed else None

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> None:
        """Report the formula."""
        site = self.site(node)
        found = self.widths.formula(site) if site is not None else None
        if site is not None and found is not None:
            self.report(node, FORMULA.filled(size=found.multiple), edit.round_up(site, found))

    def visit_Call(self, node: cst.Call) -> None:
        """Report the layer that produces the width; if it is created several times, each place that chooses a width."""
        call = self.call(node)
        if call is None:
            return
        tiles = self.widths.tiles
        if call.api in OPERATORS:
            axes = self.widths.axis(call)
            self.report(node, self._says(AXIS, axes[0].value), edit.align_axes(self.program, axes, tiles))
            return
        for position, found in enumerate(self.widths.produced(call)):
            own = [each.node for each in found.origins if each.module is call.module and each.node is not None]
            if not position or own:
                place = own[0] if position else node
                self.report(place, self._says(WIDTH, found.width), edit.align_width(self.program, found, tiles))

    def _says(self, message: Message, width: int) -> Message:
        tiles = self.widths.tiles
        return message.filled(width=width, multiple=tiles.multiple, waste=round(tiles.waste(width)))
