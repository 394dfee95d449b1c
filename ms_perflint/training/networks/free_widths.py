"""Hidden widths that can be chosen freely and do not fill the tiles that compute them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple, Optional

from ms_perflint.index.semantic_index import Site
from ms_perflint.index.syntax_forms import position, word_of
from ms_perflint.infer.calls import depends
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training import training
from ms_perflint.training.bases import PARAMETER, is_cell_class
from ms_perflint.training.devices import target_of
from ms_perflint.training.networks import feeds, known_networks, layers, padding, widths
from ms_perflint.training.networks.layers import IN, OUT
from ms_perflint.training.networks.only_called import ROW, is_only_called
from ms_perflint.training.networks.padding import Padding
from ms_perflint.training.networks.provenance import Number, is_sole, numbers
from ms_perflint.training.networks.widths import Hidden, moving

BLOCK = 16  # rows and columns of a tile; widths up to one tile are left alone
OPERATORS = layers.PRODUCTS | layers.ELEMENTWISE
LAYERS = (*sorted(layers.DENSE | layers.CONVOLUTIONS | layers.RECURRENT), PARAMETER)


class Tiles(NamedTuple):
    """The multiple that a width has to be, and the waste that counts."""

    multiple: int
    least_waste: int  # percent

    def padded(self, width: int) -> int:
        """Return the next multiple of a width."""
        return (width + self.multiple - 1) // self.multiple * self.multiple

    def waste(self, width: int) -> float:
        """Return how much of the tiles that hold a width is padding, in percent."""
        return 100 * (self.padded(width) - width) / self.padded(width)


class FreeWidths:
    """The unaligned widths in one program that are free to choose."""

    def __init__(self, program: Program, asked: int, least_waste: int) -> None:
        self.program = program
        self.asked = asked  # by the settings: the multiple, and from which waste on, in percent, a width counts
        self.least_waste = least_waste

    @cached_property
    def tiles(self) -> Tiles:
        """Return the tiles of the devices of a program; on GPUs they hold 16 FP16 numbers."""
        is_half = self.asked == BLOCK and target_of(self.program).is_gpu
        return Tiles(BLOCK // 2 if is_half else self.asked, self.least_waste)

    @property
    def has_layers(self) -> bool:
        """Return whether a layer with a width, in a cell, belongs to a program that may train."""
        return any(map(self._counts, self.program.calls(*LAYERS)))

    def _is_unaligned(self, width: int) -> bool:
        """Return whether a width wastes enough of its tiles to count."""
        if width <= BLOCK or width % self.asked == 0:
            return False
        return width % self.tiles.multiple != 0 and self.tiles.waste(width) >= self.least_waste

    def formula(self, site: Site) -> Optional[Padding]:
        """Return a formula of a trained network that pads too much; None without one."""
        found = padding.overpadded(site, {BLOCK, self.asked})
        return found if found is not None and self._counts(site) else None

    def axis(self, call: Call) -> tuple[Number, ...]:
        """Return the unaligned axes of the operands of an operator whose shapes are all literal."""
        if not layers.are_made(call.node) or not training.is_trained(self.program):
            return ()
        axes = _axes(call)
        is_free = bool(axes) and self._is_unaligned(axes[0].value) and layers.network(call).is_class
        return axes if is_free and self._counts(call) else ()

    def produced(self, call: Call) -> list[Hidden]:
        """Return the unaligned widths that a layer is the first to produce."""
        return [found for found in self._found(call) if self._is_first(found)]

    def _is_first(self, found: Hidden) -> bool:
        """Return whether no earlier layer produces the width of the same constants, which has one finding."""
        own = set(moving(found.producer, found.width))
        same = [slot for slot in found.slots if slot.role == layers.OUT and slot.width == found.producer.width]
        rest = [slot for slot in same if set(moving(slot, found.width)) == own]
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
        return [] if found and self._is_left_alone(call) else found

    def _is_left_alone(self, call: Call) -> bool:
        """Return whether a layer belongs to a published network, or to none that is trained."""
        program = self.program
        is_published = known_networks.is_made_for_published(program, call) or known_networks.is_published(call)
        return is_published or _is_chain(program, call) or is_only_called(program, call)

    def _may_be_hidden(self, call: Call) -> bool:
        """Return whether a layer may produce a free and unaligned width: a first answer."""
        if call.api == PARAMETER:
            return bool(layers.weight(call)) and training.is_trained(self.program)
        node = layers.width_given(call)
        if node is None or known_networks.is_fixed(node):
            return False
        if isinstance(node, ast.Constant):
            return type(node.value) is int and self._is_unaligned(node.value)
        return training.is_trained(self.program)

    def _hidden(self, call: Call) -> Iterator[Hidden]:
        """Yield the free and unaligned widths that a layer produces."""
        node = layers.width_given(call)
        out = numbers(self.program.inputs, node, call.scope) if node is not None else ()
        out = out or tuple(slot.number for slot in layers.slots(call) if slot.role == layers.OUT)
        if not any(map(self._may_be_unaligned, out)) and (out or layers.slots(call)):
            return  # cheaper than the data flow
        if not out and node is not None and not self._may_be_for_one_call(call, node):
            return
        for slot in feeds.feeds(self.program, call.module).slots(call):
            found = self._of_slot(slot) if slot.role == layers.OUT else None
            if found is not None:
                yield found

    def _may_be_unaligned(self, width: Number) -> bool:
        """Return whether a width, or a part of it, is unaligned."""
        return any(self._is_unaligned(each.value) for each in (width, *width.parts))

    def _may_be_for_one_call(self, call: Call, node: ast.expr) -> bool:
        """Return whether an unknown width may be unaligned in one call of the function that makes the layer.

        Its numbers are those of all calls together, unless there are too many.
        """
        value = self.program.value(node, call.scope)
        if isinstance(node, ast.BinOp):
            sides = node.left, node.right
            is_lost = not value.alternatives and all(self.program.value(side, call.scope).constants for side in sides)
            if is_lost or any(self._may_be_for_one_call(call, side) for side in sides):
                return True
        return any(type(each) is int and self._is_unaligned(each) for each in value.constants) or (
            not value.alternatives and depends(value)
        )

    def _of_slot(self, slot: layers.Slot) -> Optional[Hidden]:
        if not self._may_be_unaligned(slot.number):
            return None
        if slot.is_grouped or known_networks.is_fixed(slot.node):
            return None
        found = widths.hidden(self.program, slot, self.tiles.multiple)
        if found is None or not self._is_unaligned(found.width):
            return None
        if known_networks.is_class_count(slot.node, slot.width, _after(found)):
            return None
        if any(known_networks.is_test(self.program, origin.place.path) for origin in found.origins):
            return None  # a value whose only source is a test
        settings = [origin for origin in found.origins if origin.module is None]
        return found if all(is_sole(self.program, origin) for origin in settings) else None

    def _counts(self, site: Site) -> bool:
        """Return whether a site belongs to a program that may train on an accelerator."""
        program = self.program
        if (
            known_networks.in_tests(program, site)
            or not _in_cell(program, site)
            or target_of(program).is_cpu
            or not program.runs(site)
        ):
            return False
        return training.is_trained(program)


def _axes(call: Call) -> tuple[Number, ...]:
    """Return the widths of the operands of an operator whose shapes are all literal; none of others."""
    if call.api in layers.PRODUCTS:
        return layers.inner_axes(call)
    axis = layers.outer_axis(call)
    return (axis,) if axis is not None and _is_taken(call, axis.value) else ()


def _order(call: Call) -> tuple[str, int, int]:
    return call.module.path, call.node.lineno, call.node.col_offset


# --- where a layer stands


def _is_chain(program: Program, call: Call) -> bool:
    """Return whether a layer belongs to a row of layers with the widths of a published network."""
    scope, flow = layers.network(call), feeds.feeds(program, call.module)
    rows = [each for each in flow.takes if layers.network(each) is scope and each.api in layers.WIDE]
    rows.sort(key=lambda each: position(each.node))
    given = [(each, [slot.width for slot in flow.slots(each) if slot.role == OUT]) for each in rows]
    return known_networks.is_in_chain([(each == call, found[0] if len(found) == 1 else 0) for each, found in given])


def _in_cell(program: Program, site: Site) -> bool:
    """Return whether a site is in a cell, or in code that may hold a row of cells."""
    scope = layers.network(site)
    if not scope.is_class or not isinstance(site.node, ast.Call):
        return True
    rows = (each for each in ast.walk(site.stmt) if isinstance(each, ast.Call) and word_of(each.func) == ROW)
    return is_cell_class(program, scope) or any(site.node in each.args for each in rows)


def _is_taken(call: Call, width: int) -> bool:
    """Return whether a layer near a call takes a width in."""
    flow = feeds.feeds(call.program, call.module)
    return any(slot.role == IN and slot.width == width for each in flow.takes for slot in flow.slots(each))


def _after(found: Hidden) -> list[int]:
    """Return the output widths of the layers that take a hidden width in."""
    calls = dict.fromkeys(slot.call for slot in found.consumers)
    return [slot.width for call in calls for slot in layers.slots(call) if slot.role == OUT and slot != found.producer]
