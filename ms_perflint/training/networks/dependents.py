"""What depends on a width beside the layers that have it: shapes, slices, sums, states and initial values.

Each is one of three. It is computed from the same constants, and follows; it has the width in a literal of its own,
which changes with it; or it is an obstacle, and no fix is offered.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Optional

from ms_perflint.core.findings import Place, Related
from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.syntax_forms import given, word_of
from ms_perflint.infer.values import Alternative
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call, call_of
from ms_perflint.program.program import Program
from ms_perflint.training.bases import CELLS, PARAMETER, kin
from ms_perflint.training.dtypes.casts import without_casts
from ms_perflint.training.networks import layers, signals
from ms_perflint.training.networks.feeds import Feeds
from ms_perflint.training.networks.layers import Slot
from ms_perflint.training.networks.provenance import Number, Origin, literal, number, only_binding
from ms_perflint.training.networks.signals import Operation, Signal

SIZE = Message("the layer there takes the width in, and its size is written in another way")
FIRST = Message("the layer there takes in a sum with another width, which is fixed first")
SHAPE = Message("the shape there depends on the width, but is not written in terms of it")
CUT = Message("the slice there depends on the width, but its bound is not written in terms of it")
SPLIT = Message("the split there depends on the width, but its size is not written in terms of it")
STACKED = Message("the tensors joined there need the same width, and come from elsewhere")
OPERAND = Message("the other operand there needs the same width, and its shape is not known")
STARTED = Message("the state that is passed there needs the same width, and its shape is not known")
INITIAL = Message("the initial value there needs the same width, and its shape is not known")
UNKNOWN = Message("the use of the width there is not known")

DEPTH = 4  # names behind one another
_SIZED = frozenset({"shape", "size", "dim", "len", "get_shape", "Shape", "TensorShape", "asnumpy"})
_COUNTS = frozenset({"chunk", "Split", "tensor_split"})
_STARTS = (  # parameter, and the roles of its axes
    ("weight_init", (layers.OUT, layers.IN)),
    ("bias_init", (layers.OUT,)),
    *((name, (layers.ALONG,)) for name in ("gamma_init", "beta_init", "moving_mean_init", "moving_var_init")),
)
_TABLES = ("embedding_table", "_weight")
_OF_NUMBERS = frozenset({"int", "float", "sqrt", "len", "max", "min", "abs", "log", "pow", "exp"})


class Sum(NamedTuple):
    """The input width of a layer behind a concatenation, of which some parts have the width."""

    number: Number
    parts: int
    literals: tuple[Origin, ...] = ()  # those of its literals that say the width

    def at(self, old: int, new: int) -> int:
        """Return the sum for another width."""
        return self.number.value + self.parts * (new - old)


class Group(NamedTuple):
    """The layers that change with one width."""

    calls: frozenset[Call]  # that give it out
    slots: tuple[Slot, ...]
    origins: frozenset[Origin]  # the constants that say it
    scaled: tuple[Number, ...]  # sizes that grow by the same factor
    width: int  # of one part, where the output is split
    whole: int
    is_last: bool  # it is the last axis; the second one of convolutions

    def carries(self, flow: Feeds, signal: Signal) -> bool:
        """Return whether an expression depends on the width."""
        found = flow.by_width(signal)
        return any(not self.calls.isdisjoint(found.get(width, ())) for width in (self.width, self.whole))


class Dependents:
    """All code of a program that depends on a width, beside its layers."""

    def __init__(self, program: Program, flow: Feeds, group: Group) -> None:
        self.program = program
        self.flow = flow
        self.group = group
        self.literals: dict[Origin, None] = {}  # that say the width
        self.scaled: list[tuple[Number, ...]] = [(each,) for each in group.scaled]  # products that grow as it does
        self.divisors: list[int] = []  # of the width
        self.obstacles: list[Related] = []  # what cannot be changed with the width, or is not understood
        for operation in flow.operations:
            if any(group.carries(flow, signal) for _, signal in operation.operands):
                self._read(operation)
        for slot in group.slots:
            self._start(slot)
            self._divide(slot)
        for scope in dict.fromkeys(layers.network(slot.call) for slot in group.slots):
            self._cells(scope)

    def holds(self, changed: Mapping[Place, int], width: int) -> bool:
        """Return whether all that is computed from the same constants fits the new width."""
        if any(width % divisor for divisor in self.divisors):
            return False
        return all(_product(each, changed) * self.group.width == _product(each) * width for each in self.scaled)

    def _stop(self, node: ast.expr, scope: Scope, text: Message) -> None:
        self.obstacles.append(Related(scope.module.place(node), text))

    def _read(self, operation: Operation) -> None:
        word = operation.word
        if word in signals.RESHAPES:
            self._reshape(operation)
        elif word == signals.SLICE:
            self._slice(operation)
        elif word in signals.SPLITS:
            self._split(operation)
        elif word in signals.STACKS:
            if not all(self.group.carries(self.flow, signal) for _, signal in operation.operands if signal):
                self._stop(operation.node, operation.scope, STACKED)
        elif word in signals.PRODUCTS:
            self._multiply(operation)
        elif word == "":
            self._stop(operation.node, operation.scope, UNKNOWN)
        elif word not in signals.CONCATS:
            self._tie(operation)

    # --- numbers

    def _says(self, node: ast.expr, scope: Scope) -> tuple[Optional[Number], list[ast.Constant]]:
        """Return a number that is computed from the constants of the group, or the literals of the width."""
        found = number(self.program.inputs, node, scope)
        if found is not None and not self.group.origins.isdisjoint(found.origins):
            return found, []
        return None, [each for each in _factors(node) if each.value == self.group.width]

    def _take(self, node: ast.Constant, scope: Scope) -> None:
        self.literals[literal(node, scope.module)] = None

    def _is_dynamic(self, node: ast.expr, scope: Scope, depth: int = 0) -> bool:
        """Return whether a number is read from the shape of a tensor."""
        for each in ast.walk(node):
            if isinstance(each, ast.Attribute) and each.attr in _SIZED:
                return True
            if isinstance(each, ast.Call) and word_of(each.func) in _SIZED:
                return True
        if not isinstance(node, ast.Name) or depth > DEPTH:
            return False
        values = [binding.value for binding in scope.lookup(node)]
        return bool(values) and all(value is not None and self._is_dynamic(value, scope, depth + 1) for value in values)

    # --- operators

    def _elements(self, node: ast.expr, scope: Scope, depth: int = 0) -> list[tuple[ast.expr, Scope]]:
        """Return the axes of a shape that is written there; an expression itself."""
        if isinstance(node, (ast.Tuple, ast.List)):
            return [part for each in node.elts for part in self._elements(each, scope, depth)]
        if isinstance(node, ast.Starred):
            return self._elements(node.value, scope, depth)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            sides = (node.left, node.right)
            if any(isinstance(side, (ast.Tuple, ast.List)) for side in sides):
                return [part for side in sides for part in self._elements(side, scope, depth)]
        binding = only_binding(node, scope) if depth < DEPTH else None
        if binding is not None and isinstance(binding.whole, (ast.Tuple, ast.List, ast.BinOp)):
            found = self._elements(binding.whole, binding.scope, depth + 1)
            return found if len(found) > 1 else [(node, scope)]
        return [(node, scope)]

    def _reshape(self, operation: Operation) -> None:
        (_, signal), *rest = operation.operands
        if not self.group.carries(self.flow, signal):
            return
        elements = [part for node, _ in rest for part in self._elements(node, operation.scope)]
        parts = [(self._says(node, scope), scope) for node, scope in elements]
        numbers = tuple(found for (found, _), _ in parts if found is not None)
        stand = [(node, scope) for (_, nodes), scope in parts for node in nodes]
        if len(stand) > 1 or (stand and numbers):
            self._stop(operation.node, operation.scope, SHAPE)
        elif stand:
            self._take(*stand[0])
        elif numbers:
            self.scaled.append(numbers)
        elif not self._is_free(elements):
            self._stop(operation.node, operation.scope, SHAPE)

    def _is_free(self, elements: Sequence[tuple[ast.expr, Scope]]) -> bool:
        """Return whether a shape without the width fits any width: its last axis is what is left."""
        known = [number(self.program.inputs, node, scope) for node, scope in elements]
        for (node, scope), found in zip(elements, known):
            if found is None and not self._is_dynamic(node, scope):
                return False
        values = [found.value if found is not None else 1 for found in known]
        others = math.prod(max(1, value) for value in values)
        if others == 1:
            return True
        if not values or values[-1] != -1 or self.group.width % others:
            return False
        self.divisors.append(others)
        return True

    def _slice(self, operation: Operation) -> None:
        node = operation.node
        assert isinstance(node, ast.Subscript)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        is_far = any(isinstance(part, ast.Constant) and part.value is ... for part in parts)
        own = len(parts) - 1 if self.group.is_last else 1
        for position, part in enumerate(parts):
            if isinstance(part, ast.Slice) and (is_far or (position == own and len(parts) > 1)):
                self._bounds(part, operation)

    def _bounds(self, part: ast.Slice, operation: Operation) -> None:
        scope = operation.scope
        values: list[Optional[int]] = []
        for bound in (part.lower, part.upper):
            if bound is None:
                values.append(None)
                continue
            found, stand = self._says(bound, scope)
            for node in stand:
                self._take(node, scope)
            if found is not None or stand:
                return  # the other bound is the end, or says it too
            known = number(self.program.inputs, bound, scope)
            if known is None and not self._is_dynamic(bound, scope):
                self._stop(operation.node, scope, CUT)
                return
            values.append(known.value if known is not None else None)
        lower, upper = values
        is_open = part.upper is None or (upper is not None and upper < 0)
        if is_open and not (lower is not None and lower < 0 and part.upper is None) and (lower or upper):
            self._stop(operation.node, scope, CUT)

    def _split(self, operation: Operation) -> None:
        node, scope = operation.node, operation.scope
        if operation.word == "unbind" or not isinstance(node, ast.Call):
            return
        is_method = isinstance(node.func, ast.Attribute) and operation.operands[0][0] is node.func.value
        sizes = [*node.args[0 if is_method else 1 :], *(each.value for each in node.keywords if each.arg != "axis")]
        if operation.word in _COUNTS:
            count = self._count(node, scope, sizes)
            if count is None:
                self._stop(node, scope, SPLIT)
            elif self.group.width == self.group.whole:
                self.divisors.append(count)
            return
        for size in self._elements(sizes[0], scope) if sizes else ():
            found, stand = self._says(*size)
            if found is not None:
                self.scaled.append((found,))
            elif stand and isinstance(size[0], ast.Constant):
                self._take(stand[0], size[1])
            elif not (isinstance(size[0], ast.Constant) and size[0].value == 1):
                self._stop(node, scope, SPLIT)

    def _count(self, node: ast.Call, scope: Scope, sizes: Sequence[ast.expr]) -> Optional[int]:
        """Return into how many parts something is split; None where that is not known."""
        for known in self.program.value(node.func, scope).alternatives:
            if known.type_api and (call := call_of(self.program, known)) is not None:
                counts = call.argument("output_num").constants
                return counts[0] if len(counts) == 1 and isinstance(counts[0], int) and counts[0] > 0 else None
        found = number(self.program.inputs, sizes[0], scope) if sizes else None
        return found.value if found is not None and found.value > 0 else None

    def _multiply(self, operation: Operation) -> None:
        """Read a product: the last axis of its left operand is as wide as one of the right operand."""
        (_, left), *rest = operation.operands
        if not rest or not self.group.carries(self.flow, left):
            return
        node, right = rest[0]
        weight = self.program.value(without_casts(node), operation.scope)
        weights = {call_of(self.program, known) for known in weight.alternatives}
        is_layer = bool(weights) and all(call in self.flow.takes for call in weights)
        if not is_layer and not self.group.carries(self.flow, right):
            self._stop(operation.node, operation.scope, OPERAND)

    def _tie(self, operation: Operation) -> None:
        """Read operands of equal width: those of a sum, or a state and the layer that gets it."""
        is_state = operation.word == signals.STATE
        is_sum = operation.word == signals.ADDED or operation.word in signals.TIES
        text = STARTED if is_state else OPERAND
        for node, signal in operation.operands:
            if signal:
                is_input = any(not isinstance(source.origin, Call) and source.how == signals.WHOLE for source in signal)
                if not self.group.carries(self.flow, signal) and (is_state or (is_sum and is_input)):
                    self._stop(node, operation.scope, text)
                elif is_state or is_sum:
                    self._first(node, operation.scope)
            elif not self._is_plain(node, operation.scope):
                self._made(node, operation.scope, text)

    def _first(self, node: ast.expr, scope: Scope) -> None:
        """Read the shape of what a name holds before a loop, in which it holds the output of a layer."""
        for binding in scope.lookup(node) if isinstance(node, ast.Name) else ():
            value, where = binding.whole, binding.scope
            if isinstance(value, ast.Call) and layers.literal_shape(self.program, value, where) is not None:
                self._made(value, where, STARTED)

    def _is_plain(self, node: ast.expr, scope: Scope) -> bool:
        """Return whether an operand is a number, None or a text, and no tensor."""
        value = self.program.value(node, scope)
        if value.are_constants:
            return True
        binding = only_binding(node, scope)
        made = binding.value if binding is not None else node
        if isinstance(made, ast.Call) and (self._is_dynamic(made, scope) or word_of(made.func) in _OF_NUMBERS):
            return True
        return not isinstance(made, ast.Call) and not any(known.type_api for known in value.alternatives)

    def _made(self, node: ast.expr, scope: Scope, text: Message) -> None:
        """Read the shape of a tensor that is as wide, or 1 along that axis."""
        shape = self._shape(node, scope)
        if shape is None:
            self._stop(node, scope, text)
            return
        parts = [self._says(axis, where) for axis, where in shape]
        stand = [(literals[0], where) for (_, literals), (_, where) in zip(parts, shape) if literals]
        if len(stand) > 1:
            self._stop(node, scope, text)
        elif stand and all(found is None for found, _ in parts):
            self._take(*stand[0])

    def _shape(self, node: ast.expr, scope: Scope, depth: int = 0) -> Optional[list[tuple[ast.expr, Scope]]]:
        """Return the axes of a tensor that is created with a literal shape; None for others."""
        found = layers.literal_shape(self.program, node, scope)
        if found is not None:
            return found
        made = [call_of(self.program, known) for known in self.program.value(node, scope).alternatives]
        if len(made) == 1 and made[0] is not None and made[0].api in (PARAMETER, "mindspore.Tensor"):
            call = made[0]
            data = call.given("default_input") if call.api == PARAMETER else next(iter(call.node.args), None)
            return layers.literal_shape(self.program, data, call.scope) if data is not None else None
        binding = only_binding(node, scope) if depth < DEPTH else None
        if binding is None or binding.whole is None:
            return None
        return self._shape(binding.whole, binding.scope, depth + 1)

    # --- arguments of the layers themselves

    def _start(self, slot: Slot) -> None:
        """Read the initial values of a layer."""
        call = slot.call
        for name, roles in _STARTS:
            node = call.given(name) if slot.role in roles else None
            if node is not None and not isinstance(node, ast.Constant):
                self._initial(node, call, roles.index(slot.role))
        tables = (call.given(name) for name in _TABLES) if call.api in layers.TABLES else ()
        for node in tables:
            if node is not None and not isinstance(node, ast.Constant) and not self._is_initializer(node, call.scope):
                self._stop(node, call.scope, INITIAL)

    def _is_initializer(self, node: ast.expr, scope: Scope) -> bool:
        def is_one(known: Alternative) -> bool:
            bases = kin(self.program, known.type_api, known.cls) | {known.type_api}
            return any(each.startswith("mindspore.common.initializer") for each in bases)

        return self.program.value(node, scope).are(is_one)

    def _initial(self, node: ast.expr, call: Call, axis: int) -> None:
        shape = self._shape(node, call.scope)
        if shape is not None and axis < len(shape):
            found, stand = self._says(*shape[axis])
            if stand and isinstance(shape[axis][0], ast.Constant):
                self._take(stand[0], shape[axis][1])
            elif found is None:
                self._stop(node, call.scope, INITIAL)
        elif not self._is_initializer(node, call.scope) and not self.program.value(node, call.scope).are_constants:
            self._stop(node, call.scope, INITIAL)

    def _cells(self, scope: Scope) -> None:
        """Add an obstacle for cells of MindSpore that are made with the width, and are no known layers."""
        for site in layers.sites(self.program, scope):
            known = self.program.evaluator.callees(site).alternatives
            if not any(each.api.startswith(CELLS) and each.api not in layers.LAYERS for each in known):
                continue
            for node in given(site.call):
                found = number(self.program.inputs, node, site.scope)
                if found is not None and not self.group.origins.isdisjoint(found.origins):
                    self._stop(site.node, site.scope, UNKNOWN)

    def _divide(self, slot: Slot) -> None:
        """Read the divisors of the width in a layer: groups of channels, heads of attention."""
        name = {"GroupNorm": "num_groups", "MultiheadAttention": "num_heads"}.get(slot.call.api.rpartition(".")[2])
        node = slot.call.given(name) if name is not None else None
        found = number(self.program.inputs, node, slot.call.scope) if node is not None else None
        if found is not None and found.value > 0:
            self.divisors.append(found.value)
        elif name is not None:
            self._stop(slot.node, slot.call.scope, UNKNOWN)


def _factors(node: ast.expr) -> Iterator[ast.Constant]:
    """Yield the literals that are multiplied."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield node
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        yield from _factors(node.left)
        yield from _factors(node.right)


def _product(numbers: Iterable[Number], changed: Optional[Mapping[Place, int]] = None) -> int:
    return math.prod(each.at(changed) if changed is not None else each.value for each in numbers)
