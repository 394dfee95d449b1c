"""MSP202: a free hidden width is no multiple of 16."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Optional, Union

from ms_perflint import edits as edit
from ms_perflint.check import Check, spelled
from ms_perflint.core.findings import Gain, Related, Safety
from ms_perflint.index.semantic_index import Scope, SemanticIndex, Site
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import training
from ms_perflint.training.devices import target_of
from ms_perflint.training.networks import dependents, doubts, feeds, known_networks, layers, padding, widths
from ms_perflint.training.networks.provenance import Number, is_sole
from ms_perflint.training.networks.widths import Hidden, moving

if TYPE_CHECKING:
    import libcst as cst

LOADS = (
    "mindspore.load_checkpoint",
    "mindspore.load_param_into_net",
    "mindspore.load_checkpoint_async",
    "mindspore.load_distributed_checkpoint",
)
OPERATORS = layers.PRODUCTS | layers.ELEMENTWISE
LAYERS = (*sorted(layers.DENSE | layers.CONVOLUTIONS | layers.RECURRENT), layers.PARAMETER)
BLOCK = 16  # the matrix unit's block, and the default; widths up to one block are left alone


class UnalignedShape(Check):
    """A freely chosen hidden width is not a multiple of 16, so the Cube unit computes on padding."""

    code = "MSP202"
    name = "unaligned-shape"
    safety = Safety.UNSAFE
    symptom = "padded"
    gain = Gain("small", Message("no work on padding, all cores in use"))
    triggers = (*LAYERS, *sorted(OPERATORS), "*")
    blames = ("out_channels", "out_features", "hidden_size")
    looks_inside = False
    options = {"multiple": BLOCK, "min-waste": 10}  # noqa: RUF012
    limits = {"multiple": (2, 4096), "min-waste": (0, 100)}  # noqa: RUF012

    @property
    def asked(self) -> int:
        """Return the multiple that the settings ask for."""
        multiple = self.settings["multiple"]
        assert isinstance(multiple, int)
        return multiple

    @property
    def multiple(self) -> int:
        """Return the multiple that is asked for: half of the default on GPUs."""
        return BLOCK // 2 if self.asked == BLOCK and self.target.is_gpu else self.asked

    @classmethod
    def by_form(cls, module: SemanticIndex, sites: Iterable[Site]) -> Iterable[Site]:
        """Return layers outside of published networks, operators on what is made on the spot, and possible formulas."""
        words, _ = spelled(LAYERS, module)
        published: dict[Scope, bool] = {}
        for site in sites:
            if not isinstance(site.node, ast.Call):
                fits = padding.may_pad(site.node)
            else:
                fits = layers.are_made(site.node)
                if not fits and site.word in words:
                    scope = site.scope.owner
                    if scope not in published:
                        published[scope] = known_networks.is_published(site)
                    fits = not published[scope]
            if fits:
                yield site

    def suspect(self, call: Call) -> bool:
        """By meaning: an unaligned width of a network that is trained and not known by name."""
        site: Site = call
        if not isinstance(site, Call):
            return padding.overpadded(site, {BLOCK, self.asked}) is not None and self._counts(site)
        if site.api in OPERATORS:
            axes = _axes(site) if layers.are_made(site.node) and training.is_trained(self.program) else ()
            return (
                bool(axes) and self._unaligned(axes[0].value) and layers.network(site).is_class and self._counts(site)
            )
        return bool(self._reported(site))

    def _reported(self, call: Call) -> list[Hidden]:
        """Return the unaligned widths that a layer produces, each where it is produced first."""
        return [found for found in self._found(call) if self._is_first(found)]

    def _is_first(self, found: Hidden) -> bool:
        """Return whether no layer before this one produces the width of the same constants: one finding per width."""
        own = set(moving(found.producer, found.width))
        if own:
            same = [slot for slot in found.slots if slot.role == layers.OUT and slot.width == found.producer.width]
            rest = [slot for slot in same if set(moving(slot, found.width)) == own]
        else:
            rest = widths.written_alike(self.program, found.producer)
        for slot in sorted(rest, key=lambda slot: _order(slot.call)):
            if slot.call == found.producer.call or _order(slot.call) > _order(found.producer.call):
                return True
            if any(set(moving(each.producer, each.width)) == own for each in self._found(slot.call)):
                return False
        return True

    def _found(self, call: Call) -> list[Hidden]:
        if not self._may_be_hidden(call) or not self._counts(call):
            return []
        found = list(self._hidden(call))
        is_known = bool(found) and (
            known_networks.is_made_for_published(self.program, call) or known_networks.is_published(call)
        )
        return [] if is_known or (found and widths.is_chain(self.program, call)) else found

    def _may_be_hidden(self, call: Call) -> bool:
        """Return whether a layer may produce an unaligned width that is free, before that is worked out."""
        if call.api == layers.PARAMETER:
            return bool(layers.weight(call)) and training.is_trained(self.program)
        node = layers.width_given(call)
        if node is None or known_networks.is_fixed(node):
            return False
        if isinstance(node, ast.Constant):
            return type(node.value) is int and self._unaligned(node.value)
        return training.is_trained(self.program)

    def _hidden(self, call: Call) -> Iterator[Hidden]:
        """Yield the unaligned widths that a layer produces, as far as they are free."""
        own = layers.slots(call)
        if own and not any(slot.role == layers.OUT and self._may_be_unaligned(slot) for slot in own):
            return  # before it is asked what feeds what
        for slot in feeds.feeds(self.program, call.module).slots(call):
            found = self._of_slot(slot) if slot.role == layers.OUT else None
            if found is not None:
                yield found

    def _may_be_unaligned(self, slot: layers.Slot) -> bool:
        """Return whether a width, or a part of it, is unaligned."""
        return any(self._unaligned(each.value) for each in (slot.number, *slot.number.parts))

    def _of_slot(self, slot: layers.Slot) -> Optional[Hidden]:
        if not self._may_be_unaligned(slot):
            return None
        if slot.is_grouped or known_networks.is_fixed(slot.node):
            return None
        found = widths.hidden(self.program, slot, self.multiple)
        if found is None or not self._unaligned(found.width):
            return None
        if known_networks.is_class_count(slot.node, slot.width, widths.after(found)):
            return None
        if any(known_networks.is_test(origin.place.path) for origin in found.origins):
            return None  # a value whose only source is a test
        settings = [origin for origin in found.origins if origin.module is None]
        return found if all(is_sole(self.program, origin) for origin in settings) else None

    def _unaligned(self, width: int) -> bool:
        if width <= BLOCK or width % self.asked == 0 or width % self.multiple == 0:
            return False
        least = self.settings["min-waste"]
        assert isinstance(least, int)
        return self._waste(width) >= least

    def _waste(self, width: int) -> float:
        """Return how much of the tiles that hold a width is padding, in percent."""
        padded = self._next(width)
        return 100 * (padded - width) / padded

    def _counts(self, site: Site) -> bool:
        """Return whether a site is part of a program that trains on an accelerator, or might be."""
        program = self.program
        if (
            known_networks.in_tests(site)
            or not widths.in_cell(program, site)
            or target_of(program).is_cpu
            or not program.runs(site)
        ):
            return False
        return training.is_trained(program)

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> None:
        """By form: the formula."""
        site = self.site(node)
        found = padding.overpadded(site, {BLOCK, self.asked}) if site is not None else None
        if site is None or found is None:
            return
        size, count = found.multiple, site.module.text(found.number)
        atoms = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant)
        count = count if isinstance(found.number, atoms) else f"({count})"
        formula = f"({count} + {size - 1}) // {size} * {size}"
        message = Message(
            "this adds {size} to a number that is a multiple of {size} already: round up instead", size=size
        )
        edits = edit.replace_expression(site.module, site.node, formula)
        advice = Message("round up with `{formula}`", formula=formula)
        reason = Message("what is a multiple already becomes smaller: weights and losses change")
        self.report(node, message, edits, advice=advice, reason=reason)

    def visit_Call(self, node: cst.Call) -> None:
        """By form: the producer."""
        call = self.call(node)
        if call is None:
            return
        if call.api in OPERATORS:
            self._report_operands(call, node)
        for position, found in enumerate(() if call.api in OPERATORS else self._reported(call)):
            own = [origin.node for origin in found.origins if origin.module is call.module and origin.node is not None]
            if not position:
                self._report_width(found, node)
            elif own:  # of a layer that is made several times: one place has one finding
                self._report_width(found, own[0])

    def _report_width(self, found: Hidden, node: Union[cst.Call, ast.expr]) -> None:
        changed = widths.aligned(found, self.multiple)
        new = widths.width_at(found, changed) if changed else self._next(found.width)
        constants = (*found.origins, *found.literals, *found.literal_sums)
        edits = edit.replace_constants(self.program, constants, changed) if changed and not found.obstacles else None
        message = Message(
            "the hidden width {width} is no multiple of {multiple}: {waste} % of the tiles that compute it is padding",
            width=found.width,
            multiple=self.multiple,
            waste=round(self._waste(found.width)),
        )
        advice = Message("make the width {new} wherever it is used", new=new)
        safety, reason = self._grade(found)
        related = [*_related(found), *([] if edits else [_obstacle(found, changed is None)])]
        self.report(node, message, edits, advice=advice, safety=safety, reason=reason, related=related)

    def _report_operands(self, call: Call, node: cst.Call) -> None:
        axes = _axes(call)
        new = self._next(axes[0].value)
        origins = {origin for axis in axes for origin in axis.origins if origin.value == axis.value}
        edits = edit.replace_constants(self.program, origins, {origin.place: new for origin in origins})
        message = Message(
            "the axis {width} of these operands is no multiple of {multiple}: {waste} % of their tiles is padding",
            width=axes[0].value,
            multiple=self.multiple,
            waste=round(self._waste(axes[0].value)),
        )
        advice, reason = Message("make the axis {new}", new=new), Message("what else has this axis is not followed")
        self.report(node, message, edits, advice=advice, safety=Safety.DISPLAY, reason=reason)

    def _next(self, width: int) -> int:
        return (width + self.multiple - 1) // self.multiple * self.multiple

    def _grade(self, found: Hidden) -> tuple[Safety, Message]:
        """Return how far the fix may be trusted, and why it is not safe.

        It is display-only where a use may lie elsewhere, or stored weights may be loaded.
        """
        program = self.program
        if loads := program.calls(*LOADS):
            file, row = os.path.basename(loads[0].module.path), loads[0].module.source.place(loads[0].span[0]).line
            return Safety.DISPLAY, Message("line {row} of {file} loads weights of the old width", row=row, file=file)
        if known_networks.from_paper(found.producer.call):
            return Safety.DISPLAY, Message("the width is that of a paper, which the network reproduces")
        if doubt := doubts.doubt(program, found):
            return Safety.DISPLAY, doubt
        return Safety.UNSAFE, Message("the network gets wider: weights, memory and losses change")


def _axes(call: Call) -> tuple[Number, ...]:
    """Return the axes that say how wide the operands of an operator are, when all their shapes stand there."""
    if call.api in layers.PRODUCTS:
        return layers.inner_axes(call)
    axis = layers.outer_axis(call)
    return (axis,) if axis is not None and widths.is_taken(call, axis.value) else ()


def _order(call: Call) -> tuple[str, int, int]:
    return call.module.path, call.node.lineno, call.node.col_offset


def _obstacle(found: Hidden, is_without: bool) -> Related:
    """Return why no fix is offered, at the place that it is about."""
    call = found.producer.call
    where, text = dependents.place(call.module, call.node), Message("no number fits all sizes that depend on the width")
    if found.obstacles:
        where, text = found.obstacles[0]
    elif not found.origins:
        text = Message("from which constant the width comes is not known")
    elif not is_without:
        text = Message("the number there cannot be edited")
    return Related(where, Message("no fix is shown: {obstacle}", obstacle=text))


def _related(found: Hidden) -> list[Related]:
    """Return the places outside of the reported call where the width is chosen."""
    call = found.producer.call
    rows = range(call.node.lineno, (call.node.end_lineno or call.node.lineno) + 1)
    return [
        Related(origin.place, Message("the width {width} is chosen here", width=origin.value))
        for origin in moving(found.producer, found.width)
        if origin.module is not call.module or origin.place.row not in rows
    ]
