"""What feeds what: which layers' outputs reach a layer, through `construct`, containers and functions.

A forward data flow over the functions of a few modules. The evaluator says what each callee is; what a layer gives
out is followed through names, operators, other cells and functions until nothing changes. Calls of one function are
taken together.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Optional

from ms_perflint.index.semantic_index import Binding, Scope, SemanticIndex
from ms_perflint.index.signature import Layer, Part, Signature, receiver_name
from ms_perflint.index.syntax_forms import word_of
from ms_perflint.infer import bases, lists, members, sequences
from ms_perflint.infer.queries import query
from ms_perflint.infer.values import Alternative, Value
from ms_perflint.program.call_graph import INSTANCE_METHODS
from ms_perflint.program.call_site import Call, call_of
from ms_perflint.training.dtypes.tensor_ops import ADDITION, DIVISION
from ms_perflint.training.networks import layers
from ms_perflint.training.networks.layers import Slot

if TYPE_CHECKING:
    from ms_perflint.program.program import Program

WHOLE, JOINED, FLAT, PART, LOST = "whole", "joined", "flat", "part", "lost"
SPLITS = frozenset({"split", "chunk", "Split", "split_with_size", "tensor_split", "SplitV", "unbind"})
CONCATS = frozenset({"concat", "Concat", "cat", "concatenate", "hstack"})
FLATTENS = frozenset({"reshape", "view", "flatten", "Reshape", "Flatten", "T", "mT", "ravel"})
TIES = ADDITION | DIVISION  # operators that give what both of their operands are as wide as
PRODUCTS = frozenset(api.rpartition(".")[2].partition("(")[0] for api in layers.PRODUCTS)
RESHAPES = frozenset({"reshape", "view", "Reshape", "broadcast_to", "expand"})
STACKS = frozenset({"stack", "Stack"})
SLICE, ADDED, STATE = "[]", "+", "state"
SHAPING = RESHAPES | SPLITS | CONCATS | STACKS | PRODUCTS | TIES | {SLICE, ADDED, STATE, ""}
ROWS = frozenset({"SequentialCell", "Sequential"})  # last words of cells that call cells one after the other
BUILTINS = frozenset(dir(builtins))
ROUNDS = 12  # until nothing changes; a network is far less deep in functions


class Source(NamedTuple):
    """Where a tensor comes from, and what happened to its width on the way."""

    origin: object  # the call that makes a layer; the binding of a parameter; None: not known
    how: str = WHOLE
    made: Optional[Alternative] = None  # the cell of the program that gave it out


Signal = frozenset[Source]


class Operation(NamedTuple):
    """What is done to the shape of tensors, or with them and others, by something that is no layer."""

    node: ast.expr
    scope: Scope
    word: str  # the last word of the operator or function; SLICE, ADDED, STATE; "" where it is not known
    operands: tuple[tuple[ast.expr, Signal], ...]  # the elements of a tuple each


class Callee(NamedTuple):
    """What a call calls: the same in all rounds."""

    word: str
    cells: tuple[Alternative, ...]  # layers, rows of cells, code of the program
    looped: tuple[Value, ...]  # cells of which each pass of a loop calls another
    name: str  # the last word of the one operator that it is
    said: str  # the same where what is called is known; ""
    base: Optional[ast.expr]  # before the last word
    is_only_cells: bool
    is_known: bool
    is_product: bool


NOTHING: Signal = frozenset()
UNKNOWN: Signal = frozenset({Source(None, LOST)})
SOURCES = 64  # of a signal: what may come from more is widened, and known to come from none of them


class Feeds:
    """What each layer of some modules takes in."""

    def __init__(self, program: Program, modules: Sequence[SemanticIndex]) -> None:
        self.program = program
        self._functions = [
            scope for module in modules for scope in module.scopes if scope.is_function and scope.name != "__init__"
        ]
        self._rows = [site for module in modules for word in ROWS for site in module.sites_of(word)]
        self.takes: dict[Call, Signal] = {}  # layer -> what it is fed
        self._rows_entered: set[object] = set()  # under way
        self._widths: dict[Source, tuple[int, ...]] = {}
        self._slots: dict[Call, tuple[Slot, ...]] = {}
        self._made_in: dict[Call, dict[Scope, None]] = {}  # layer -> the functions that make it, as they are called
        self.places: dict[Call, set[Scope]] = {}  # layer -> the functions that call it
        self._held: dict[int, Signal] = {}  # id of an expression -> what it is
        self._given: dict[int, Signal] = {}  # id of a parameter -> what calls pass
        self._same: dict[Signal, Signal] = {}  # each once: many expressions are the same
        self._callees: dict[int, Callee] = {}  # by the identity of a call
        self._bound: dict[tuple[object, ...], list[tuple[Binding, Part]]] = {}  # parameters, and what a call passes
        self._held_in: dict[int, tuple[Alternative, list[Value], bool]] = {}  # id of a row -> it; see `_cells`
        for _ in range(ROUNDS):
            before, given = self._held, self._given
            self._round(before)
            if self._held == before and self._given == given:
                break
        for held in (self._before, self._held, self._given, self._passed, self._same, self._callees, self._bound):
            held.clear()  # no query needs what an expression is after that
        self._held_in.clear()

    def _round(self, before: dict[int, Signal]) -> None:
        self._before, self._held = before, {}
        self._passed: dict[int, Signal] = {}
        self._entered: set[object] = set()
        self.takes, self.ties = {}, set[Signal]()
        self.operations: dict[int, Operation] = {}
        for function in self._functions:
            for site in function.calls:
                self.signal(site.node, site.scope)
        self.ends: Signal = NOTHING  # what leaves the networks
        self.returned: list[tuple[ast.expr, Scope, Signal]] = []  # by what
        for function in self._functions:
            for node, _ in function.returns:
                found = self.signal(node, function)
                if found and function not in self._entered:
                    self.ends |= found
                    self.returned.append((node, function, found))
        for site in self._rows:
            value = self.program.value(site.node, site.scope)
            alone = [known for known in value.alternatives if self._key(known) not in self._entered]
            self.ends |= self._applied(alone, [frozenset({Source(site)})], None, site.scope)
        self._given = self._passed

    @property
    def layers(self) -> Iterable[Call]:
        """Return the layers that are fed."""
        return self.takes

    # --- expressions

    def signal(self, node: ast.expr, scope: Scope) -> Signal:
        """Return what reaches an expression; of one that depends on itself, what is known of it so far."""
        key = id(node)
        if key not in self._held:
            self._held[key] = before = self._before.get(key, NOTHING)
            if before is UNKNOWN:
                return UNKNOWN
            found = _widened(self._expression(node, scope))
            self._held[key] = self._same.setdefault(found, found)
        return self._held[key]

    def _expression(self, node: ast.expr, scope: Scope) -> Signal:
        if isinstance(node, ast.Name):
            return _union(self._binding(binding) for binding in scope.lookup(node))
        if isinstance(node, ast.Call):
            return self._call(node, scope)
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.MatMult):
                self._note(node, scope, "matmul", (node.left, node.right))
                return self._product(node.left, node.right, scope)
            self._note(node, scope, ADDED, (node.left, node.right))
            return self._tied([self.signal(node.left, scope), self.signal(node.right, scope)])
        if isinstance(node, ast.Attribute):
            return _as(self.signal(node.value, scope), FLAT) if node.attr in FLATTENS else NOTHING
        if isinstance(node, ast.Subscript):
            last = node.slice.elts[-1] if isinstance(node.slice, ast.Tuple) and node.slice.elts else None
            cuts = isinstance(last, ast.Slice) and (last.lower or last.upper) is not None
            found = self.signal(node.value, scope)
            if any(isinstance(each, ast.Slice) for each in (node.slice, *getattr(node.slice, "elts", ()))):
                self._note(node, scope, SLICE, (node.value,))
            return _as(found, LOST) if cuts else found
        if isinstance(node, (ast.Tuple, ast.List)):
            return _union(self.signal(element, scope) for element in node.elts)
        if isinstance(node, ast.IfExp):
            return self.signal(node.body, scope) | self.signal(node.orelse, scope)
        if isinstance(node, ast.UnaryOp):
            return self.signal(node.operand, scope)
        return self.signal(node.value, scope) if isinstance(node, (ast.NamedExpr, ast.Starred)) else NOTHING

    def _binding(self, binding: Binding) -> Signal:
        if binding.kind == "parameter":
            if binding.name == receiver_name(binding.scope):
                return NOTHING
            return self._given.get(id(binding)) or frozenset({Source(binding)})
        if binding.kind == "augment" and isinstance(binding.stmt, ast.AugAssign):
            sides = (binding.stmt.target, binding.stmt.value)
            self._note(binding.stmt.value, binding.scope, ADDED, sides)
            return self._tied([self.signal(side, binding.scope) for side in sides])
        value = binding.value
        for index in binding.path:
            if isinstance(value, (ast.Tuple, ast.List)) and index < len(value.elts):
                value = value.elts[index]
        return self.signal(value, binding.scope) if value is not None else NOTHING

    def _note(
        self,
        node: ast.expr,
        scope: Scope,
        word: str,
        operands: Iterable[ast.expr],
        layer: Optional[Call] = None,
    ) -> None:
        """Keep what an operator is given, where any of it comes from a layer."""
        operands = list(operands)
        is_plain = all(isinstance(each, (ast.Constant, ast.UnaryOp)) for each in operands[1:])
        if word not in SHAPING and is_plain:
            return
        given = tuple(
            (part, self.signal(part, scope))
            for each in operands
            for part in (each.elts if isinstance(each, (ast.Tuple, ast.List)) else [each])
        )
        if layer is not None:
            given = ((node, frozenset({Source(layer)})), *given)
        if word not in SHAPING and all(signal for _, signal in given):
            return
        if any(signal for _, signal in given):
            self.operations[id(node)] = Operation(node, scope, word, given)

    def _tied(self, sides: Sequence[Signal]) -> Signal:
        """Return the result of an operator whose operands are as wide as one another."""
        found = _union(sides)
        if sum(bool(side) for side in sides) > 1:
            self.ties.add(found)
        return found

    # --- calls

    def _call(self, node: ast.Call, scope: Scope) -> Signal:
        callee = self._callees.get(id(node))
        if callee is None:
            callee = self._callees[id(node)] = self._callee(node, scope)
        given = [self.signal(argument, scope) for argument in _arguments(node)]
        if callee.looped and given:
            return self._loop(callee.looped, given[0], self._before.get(id(node), NOTHING), scope)
        if callee.is_only_cells:
            return self._applied(callee.cells, given, node, scope)
        own = self.signal(callee.base, scope) if callee.base is not None else NOTHING
        if own and not callee.cells:
            assert callee.base is not None
            self._note(node, scope, callee.word, (callee.base, *_arguments(node)))
            return self._operated(callee.word, [own, *given])
        self._note(node, scope, callee.said, _arguments(node))
        if callee.is_product:
            return self._product(node.args[0], node.args[1], scope)
        found = self._operated(callee.name, given)
        found = found if callee.is_known else _as(found, LOST)
        return found | self._applied(callee.cells, given, node, scope) if callee.cells else found

    def _callee(self, node: ast.Call, scope: Scope) -> Callee:
        value = self.program.value(node.func, scope)
        known = value.alternatives
        word = word_of(node.func)
        cells = tuple(filter(self._is_entered, known))
        names = {(each.api or each.type_api).rpartition(".")[2] for each in known} - {""}
        name = next(iter(names)) if len(names) == 1 else word
        says = (bool(known) and all(map(_is_operator, known))) or bool(cells) or word in BUILTINS
        is_product = bool(names & PRODUCTS) and len(node.args) == 2
        return Callee(
            word,
            cells,
            tuple(self._looped(node.func, value, scope)),
            name,
            name if says else "",
            node.func.value if isinstance(node.func, ast.Attribute) else None,
            0 < len(cells) == len(known),
            bool(known),
            is_product and not any(layers.transposes(self.program, each) for each in known),
        )

    def _looped(self, func: ast.expr, callee: Value, scope: Scope) -> list[Value]:
        """Return the cells that a callee is one after the other: `for cell in cells: x = cell(x)`, `cells[i](x)`."""
        known: Iterable[Alternative] = ()
        if isinstance(func, ast.Name) and any(each.kind == "for" for each in scope.lookup(func)):
            known = callee.alternatives
        if isinstance(func, ast.Subscript) and (callee.open or len(callee.alternatives) != 1):
            known, _ = self.program.evaluator.elements(self.program.value(func.value, scope))
        return [Value((each,)) for each in known]

    def _loop(self, cells: Sequence[Value], given: Signal, before: Signal, scope: Scope) -> Signal:
        """Return what cells give that are called in a loop: one after the other where what they give comes back."""
        origins = {source.origin for source in before}
        outside = frozenset(source for source in given if source.origin not in origins)
        if outside != given:
            return self._line(cells, outside or given, scope)
        return _union(self._step(cell, given, scope) for cell in cells)

    def _is_entered(self, known: Alternative) -> bool:
        """Return whether a callee is a layer, a row of cells, or code of the program."""
        if known.type_api:
            return known.type_api in layers.LAYERS or known.type_api.rpartition(".")[2] in ROWS
        function = known.definition
        if function is None:
            return known.cls is not None
        return known.receiver is not None or (not function.is_class and bool(function.returns))

    def _operated(self, word: str, given: Sequence[Signal]) -> Signal:
        """Return what an operator gives."""
        if word in CONCATS:
            return _as(_union(given), JOINED)
        if word in FLATTENS:
            return _as(_union(given), FLAT)
        if word in SPLITS:
            return _as(_union(given), PART)
        return self._tied(given) if word in TIES else _union(given)

    def _product(self, left: ast.expr, right: ast.expr, scope: Scope) -> Signal:
        """Return what a product gives: of a `Parameter` on its right, that is a layer."""
        first, second = self.signal(left, scope), self.signal(right, scope)
        node = right
        while isinstance(node, ast.Call) and word_of(node.func) in ("cast", "astype", "to"):
            method = (
                isinstance(node.func, ast.Attribute) and not self.program.value(node.func.value, scope).alternatives
            )
            node = node.func.value if method or not node.args else node.args[0]  # type: ignore[attr-defined]
        weights = [call_of(self.program, known) for known in self.program.value(node, scope).alternatives]
        found = [call for call in weights if call is not None and call.api == layers.PARAMETER]
        for call in found:
            self._fed(call, first, scope)
        return frozenset(Source(call) for call in found) if found else second | _as(first, LOST)

    def _applied(
        self, cells: Iterable[Alternative], given: Sequence[Signal], node: Optional[ast.Call], scope: Scope
    ) -> Signal:
        """Return what cells and functions give for what they are given."""
        return _union(self._result(known, given, node, scope) for known in cells)

    def _result(self, known: Alternative, given: Sequence[Signal], node: Optional[ast.Call], scope: Scope) -> Signal:
        first, made = given[0] if given else NOTHING, known.creation
        if known.type_api:
            call = call_of(self.program, known)
            if known.type_api.rpartition(".")[2] in ROWS:
                return self._row(known, first, scope)
            if call is None or made is None or call.api not in layers.LAYERS:
                return self._operated(known.type_api.rpartition(".")[2], given)
            self._fed(call, _union(given), scope)
            if node is not None and call.api in layers.RECURRENT and len(given) > 1:
                self._note(node, scope, STATE, list(_arguments(node))[1:], call)
            self._made_in.setdefault(call, {})[made.scope] = None
            makes = call.api in layers.TABLES or any(role == layers.OUT for _, role in layers.LAYERS[call.api])
            return frozenset({Source(call)}) if makes else first
        function = known.definition
        is_bound = function is None or known.receiver is not None
        if known.cls is not None:
            methods = (bases.method(self.program.evaluator, known.cls, name) for name in INSTANCE_METHODS)
            function = next((method for method in methods if method is not None), None)
        if function is None:
            return _as(_union(given), LOST)
        self._pass(function, is_bound, given, node, scope)
        found = _union(self.signal(value, function) for value, _ in function.returns)
        if made is None:
            return found
        return frozenset(Source(each.origin, each.how, each.made or known) for each in found)

    def _pass(
        self, function: Scope, is_bound: bool, given: Sequence[Signal], node: Optional[ast.Call], scope: Scope
    ) -> None:
        """Note what a call gives the parameters of a function."""
        self._entered.add(function)
        for binding, signal in self._given_to(function, is_bound, given, node, scope):
            self._passed[id(binding)] = _widened(self._passed.get(id(binding), NOTHING) | signal)

    def _given_to(
        self, function: Scope, is_bound: bool, given: Sequence[Signal], node: Optional[ast.Call], scope: Scope
    ) -> Iterable[tuple[Binding, Signal]]:
        """Return the parameters of a function, each with what a call gives it."""
        key = id(node), function, is_bound
        if key not in self._bound or node is None:
            signature = Signature.of(function, is_bound and function.is_method)
            names = [*signature.slots, *signature.words]
            if node is None:
                parameters = [function.bindings.get(name, ())[:1] for name in names]
                return [(each[0], signal) for each, signal in zip(parameters, given) if each]
            bound = signature.bind(Layer(node, scope))
            parts = {name: bound.of(name).part for name in names}
            self._bound[key] = [
                (binding, part)
                for name, part in parts.items()
                if part is not None
                for binding in function.bindings.get(name, ())[:1]
            ]
        return [(binding, self.signal(*part)) for binding, part in self._bound[key]]

    def _row(self, known: Alternative, first: Signal, scope: Scope) -> Signal:
        """Return what cells in a row give."""
        key = self._key(known)
        self._entered.add(key)
        if key in self._rows_entered:  # it is given to itself: `row = SequentialCell([row, pool])` in a loop
            return first
        self._rows_entered.add(key)
        if id(known) not in self._held_in:
            self._held_in[id(known)] = (known, *self._cells(known))
        _, cells, is_ordered = self._held_in[id(known)]
        if not is_ordered:
            first = self._line(cells, first, scope)
        for cell in cells if is_ordered else ():
            first = self._step(cell, first, scope)
        self._rows_entered.discard(key)
        return first

    def _line(self, cells: Sequence[Value], first: Signal, scope: Scope) -> Signal:
        """Return what cells give that are called one after the other in a loop, or were added in one.

        Each may feed each; what comes from outside is fed to those before the first layer only, and what the last one
        gives comes out.
        """
        outside, inner, last = first, NOTHING, NOTHING
        origins = {source.origin for source in first}
        for cell in (*cells, *cells):
            found = self._step(cell, outside, scope) if outside else NOTHING
            outside = frozenset(source for source in found if source.origin in origins)
            last = found | (self._step(cell, inner, scope) if inner else NOTHING)
            inner |= last - outside
        return last if cells else first

    def _step(self, cell: Value, signal: Signal, scope: Scope) -> Signal:
        cells = [known for known in cell.alternatives if self._is_entered(known)]
        rest = [known for known in cell.alternatives if known not in cells]
        found = self._applied(cells, [signal], None, scope)
        for known in rest:
            found |= self._operated(known.type_api.rpartition(".")[2], [signal])
        return found if cell.alternatives else _as(signal, LOST)

    def _cells(self, known: Alternative) -> tuple[list[Value], bool]:
        """Return the cells of a row, and whether they stand there one after the other."""
        made = known.creation
        if made is None or not made.call.args or lists.grows(self.program.evaluator, known):
            found, _ = self.program.evaluator.elements(Value((known,)))
            return [Value((each,)) for each in found], False
        cells = [self._held_by(argument, made.scope) for argument in made.call.args]
        return [cell for values, _ in cells for cell in values], all(is_ordered for _, is_ordered in cells)

    def _held_by(self, node: ast.expr, scope: Scope) -> tuple[list[Value], bool]:
        """Return the cells that an argument of a row gives it: itself, or what a list or dict of cells holds."""
        value = self.program.value(node.value if isinstance(node, ast.Starred) else node, scope)
        if not value.alternatives or not value.alternatives[0].is_display:
            return [value], True
        if value.alternatives[0].is_mapping:
            return [self.program.evaluator.read(part) for part in value.alternatives[0].parts], True
        parts = sequences.whole(self.program.evaluator, value)
        if parts is not None:
            cells = [self.program.evaluator.read(part) for part in parts]
            pairs = [sequences.whole(self.program.evaluator, cell) for cell in cells]  # of a name and a cell
            return [self.program.evaluator.read(p[-1]) if p else cell for p, cell in zip(pairs, cells)], True
        found, _ = self.program.evaluator.elements(value)
        return [Value((each,)) for each in found], False

    def slots(self, call: Call) -> tuple[Slot, ...]:
        """Return the widths that a layer is given, in all calls of the function that makes it."""
        if call not in self._slots:
            own = layers.slots(call)
            found = (slot for scope in self._made_in.get(call, ()) for slot in layers.slots_in(call, scope))
            self._slots[call] = own or tuple({(slot.role, slot.width): slot for slot in found}.values())
        return self._slots[call]

    def widths(self, source: Source) -> tuple[int, ...]:
        """Return how wide a source may be: just what one cell makes it, where that is known."""
        if not isinstance(source.origin, Call):
            return ()
        if source not in self._widths:
            slots = self.slots(source.origin)
            made = source.made
            if made is not None and made.cls is not None and len(slots) > len({slot.role for slot in slots}):
                entered = members.constructed(self.program.evaluator, made).get(source.origin.scope.owner)
                slots = (layers.slots_in(source.origin, entered) if entered is not None else ()) or slots
            self._widths[source] = tuple(slot.width for slot in slots if slot.role != layers.IN)
        return self._widths[source]

    def _fed(self, call: Call, signal: Signal, scope: Scope) -> None:
        self.takes[call] = _widened(self.takes.get(call, NOTHING) | signal)
        self.places.setdefault(call, set()).add(scope.owner)

    @staticmethod
    def _key(known: Alternative) -> object:
        return known.identity


def _is_operator(known: Alternative) -> bool:
    return (known.api or known.type_api).startswith(("mindspore.", "numpy."))


def _arguments(node: ast.Call) -> Iterator[ast.expr]:
    yield from node.args
    yield from (word.value for word in node.keywords)


def _union(signals: Iterable[Signal]) -> Signal:
    return NOTHING.union(*signals)


def _widened(signal: Signal) -> Signal:
    """Return the same signal, or an unknown one for what may come from anywhere, and whatever is added to that."""
    return UNKNOWN if len(signal) > SOURCES or not UNKNOWN.isdisjoint(signal) else signal


def _as(signal: Signal, how: str) -> Signal:
    """Return the same sources after something was done to them; what is lost stays lost."""
    return frozenset(Source(each.origin, each.how if each.how == LOST else how, each.made) for each in signal)


@query
def feeds(program: Program, module: SemanticIndex) -> Feeds:
    """Return what feeds what in a module and in those that make its networks."""
    functions = (scope for scope in module.scopes if scope.is_function)
    makers = (scope for scope in functions if scope.name == "__init__" or not scope.is_method)
    sites = (site for scope in makers for site in program.callers(scope))
    return Feeds(program, list(dict.fromkeys((module, *(site.module for site in sites)))))
