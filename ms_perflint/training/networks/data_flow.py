"""Data flow between layers: whose outputs reach a layer, through `construct`, containers and functions.

A forward data flow over the functions of a few modules. The evaluator resolves each callee; the output of a layer is
followed through names, operators, other cells and functions. An expression is computed again only when something that
it reads has changed. All calls of one function are joined.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from typing import Optional, Union

from ms_perflint.index.semantic_index import Binding, Scope, SemanticIndex, Site
from ms_perflint.index.signature import Layer, Part, Signature, receiver_name
from ms_perflint.index.syntax_forms import given as all_given
from ms_perflint.infer import bases
from ms_perflint.infer.queries import query
from ms_perflint.infer.values import Alternative, Value
from ms_perflint.program.call_graph import INSTANCE_METHODS
from ms_perflint.program.inputs import Inputs
from ms_perflint.training.bases import PARAMETER
from ms_perflint.training.dtypes.casts import without_casts
from ms_perflint.training.networks import layers, signals
from ms_perflint.training.networks.network_calls import ROWS, NetworkCalls, is_entered, made_of
from ms_perflint.training.networks.signals import Bits, Effect, Fed, Flow, Made, Operated, Passed, Source, Sources, Tied

CHANGES = 8  # of the effects of an expression, after which earlier ones are kept too
_CHANGING = (  # operators, and how their outputs have the widths of their inputs
    (signals.CONCATS, signals.JOINED), (signals.FLATTENS, signals.FLAT), (signals.SPLITS, signals.PART),
)  # fmt: skip


@query
def data_flow(program: Inputs, modules: tuple[SemanticIndex, ...]) -> Flow:
    """Return the data flow between the layers of some modules."""
    return _Solver(program, modules).solve()


class _Solver:
    def __init__(self, program: Inputs, modules: Sequence[SemanticIndex]) -> None:
        self.program = program
        self.evaluator = program.evaluator
        self.modules = modules
        self._functions = [
            scope for module in modules for scope in module.scopes if scope.is_function and scope.name != "__init__"
        ]
        self._entered: set[object] = set()  # functions, and rows of cells
        self._rows_entered: set[object] = set()  # under way
        self._calls = NetworkCalls(program)
        self._sources = Sources()
        self._bound: dict[tuple[object, ...], list[tuple[Binding, Part]]] = {}  # parameters, and what a call passes
        # By the identity of an expression, of a site that is a row of cells, or of a parameter:
        self._nodes: dict[int, tuple[Union[ast.expr, Site], Scope]] = {}
        self._held: dict[int, Bits] = {}  # its sources, so far
        self._readers: dict[int, set[int]] = {}  # what was found from it
        self._position: dict[int, int] = {}  # in the order in which they were found first
        self._changes: dict[int, int] = {}  # of what was found
        self._effects: dict[int, list[Effect]] = {}
        self._parameters: dict[int, Binding] = {}  # that are read
        self._given: dict[int, dict[int, Bits]] = {}  # parameter -> what each call passes
        self._passed: dict[int, Bits] = {}  # parameter -> what all calls pass
        self._dirty: set[int] = set()  # what read something that has changed since
        self._ahead: list[tuple[int, int]] = []  # those of them that this sweep still comes to, by position
        self._behind: list[tuple[int, int]] = []  # those that wait for the next sweep
        self._at: Optional[int] = None  # the position of this sweep; None: in none
        self._current = 0  # the expression under way
        self._own: list[Effect] = []  # its effects
        self._lost = ""

    # --- until nothing changes

    def solve(self) -> Flow:
        """Return the data flow at its fixpoint.

        A parameter without arguments is a source; these parameters are known when all calls are.
        """
        for function in self._functions:
            for site in function.calls:
                self.signal(site.node, site.scope)
            for value, _ in function.returns:
                self.signal(value, function)
        self._settle()
        rows = [site for module in self.modules for word in ROWS for site in module.sites_of(word)]
        for site in rows:
            if id(site) not in self._held:
                self._explore(id(site), site, site.scope)
        self._settle()
        while free := [each for each in self._parameters.values() if not self._held[id(each)]]:
            for binding in [each for each in free if id(each) not in self._given] or free:
                self._change(id(binding), self._sources.bit(Source(binding)))
            self._settle()
        signal = self._sources.signal
        returned = [
            (node, function, signal(found))
            for function in self._functions
            for node, _ in function.returns
            if function not in self._entered and (found := self._held[id(node)])
        ]
        left = signals.union(self._held[id(site)] for site in rows)
        ends = signal(left).union(*(found for *_, found in returned))
        effects = (each for key in sorted(self._effects, key=self._position.__getitem__) for each in self._effects[key])
        return signals.flow(effects, self._sources, ends, returned, self._lost)

    def signal(self, node: ast.expr, scope: Scope) -> Bits:
        """Return the sources that reach an expression; those known so far, if it depends on itself."""
        key = id(node)
        if key not in self._held:
            self._explore(key, node, scope)
        self._readers[key].add(self._current)
        return self._held[key]

    def _explore(self, key: int, node: Union[ast.expr, Site], scope: Scope) -> None:
        """Add an expression to the flow."""
        self._held[key] = 0
        self._readers[key] = set()
        self._nodes[key] = (node, scope)
        self._find(key)
        self._position[key] = len(self._position)
        if key in self._dirty:
            self._wait(key)

    def _settle(self) -> None:
        """Compute what is outdated until nothing changes, in sweeps: each expression behind those that it reads."""
        while self._behind:
            self._ahead, self._behind = self._behind, []
            heapify(self._ahead)
            while self._ahead:
                self._at, key = heappop(self._ahead)
                self._dirty.discard(key)
                self._find(key)
            self._at = None

    def _wait(self, key: int) -> None:
        """Put an outdated expression where a sweep comes to it."""
        position = self._position[key]
        if self._at is not None and position > self._at:
            heappush(self._ahead, (position, key))
        else:
            self._behind.append((position, key))

    def _find(self, key: int) -> None:
        """Compute the sources of an expression from those known so far."""
        outer, effects = self._current, self._own
        self._current, self._own = key, []
        node, scope = self._nodes[key]
        found = self._alone(node) if isinstance(node, Site) else self._expression(node, scope)
        own, self._current, self._own = self._own, outer, effects
        self._changes[key] = self._changes.get(key, 0) + 1
        if self._changes[key] > CHANGES:
            found |= self._held[key]
            before = self._effects.get(key, [])
            if own != before:
                earlier = (each for each in before if not any(signals.covers(new, each) for new in own))
                own = list(dict.fromkeys((*earlier, *own)))
        self._have(key, own)
        if found != self._held[key]:
            widened = self._sources.widened(found)
            if widened != found and not self._lost and self._sources.are_too_many(found):
                self._lost = scope.module.place(node.node if isinstance(node, Site) else node).named
            self._change(key, widened)

    def _change(self, key: int, found: Bits) -> None:
        if found == self._held[key]:
            return
        self._held[key] = found
        for reader in self._readers[key] - self._dirty - {0}:
            self._dirty.add(reader)
            if reader in self._position:  # else it is under way, for the first time
                self._wait(reader)

    def _have(self, key: int, effects: list[Effect]) -> None:
        """Keep the effects of an expression, and pass its arguments on to the parameters."""
        before = self._effects.get(key, [])
        if effects == before:
            return
        self._effects[key] = effects
        passed = {id(each.binding): 0 for each in before if isinstance(each, Passed)}
        for each in effects:
            if isinstance(each, Passed):
                own = id(each.binding)
                passed[own] = passed.get(own, 0) | each.signal
        for own, signal in passed.items():
            given = self._given.setdefault(own, {})
            is_more = given.get(key, 0) | signal == signal
            given[key] = signal
            all_given = self._passed.get(own, 0) | signal if is_more else signals.union(given.values())
            self._passed[own] = all_given = self._sources.widened(all_given)
            if all_given and own in self._held:
                self._change(own, all_given)

    def _alone(self, site: Site) -> Bits:
        """Return the output of a row of cells that no other cell calls."""
        value = self.evaluator.value(site.node, site.scope)
        alone = [known for known in value.alternatives if known.identity not in self._entered]
        return self._applied(alone, [self._sources.bit(Source(site))], None, site.scope)

    # --- expressions

    def _expression(self, node: ast.expr, scope: Scope) -> Bits:
        if isinstance(node, ast.Name):
            return signals.union(self._binding(binding) for binding in self._calls.bindings(node, scope))
        if isinstance(node, ast.Call):
            return self._call(node, scope)
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.MatMult):
                self._note(node, scope, "matmul", (node.left, node.right))
                return self._product(node.left, node.right, scope)
            self._note(node, scope, signals.ADDED, (node.left, node.right))
            return self._tied([self.signal(node.left, scope), self.signal(node.right, scope)])
        if isinstance(node, ast.Attribute):
            found = self.signal(node.value, scope) if node.attr in signals.FLATTENS else 0
            return self._sources.changed(found, signals.FLAT)
        if isinstance(node, ast.Subscript):
            last = node.slice.elts[-1] if isinstance(node.slice, ast.Tuple) and node.slice.elts else None
            cuts = isinstance(last, ast.Slice) and (last.lower or last.upper) is not None
            found = self.signal(node.value, scope)
            if any(isinstance(each, ast.Slice) for each in (node.slice, *getattr(node.slice, "elts", ()))):
                self._note(node, scope, signals.SLICE, (node.value,))
            return self._sources.changed(found, signals.LOST) if cuts else found
        if isinstance(node, (ast.Tuple, ast.List)):
            return signals.union(self.signal(element, scope) for element in node.elts)
        if isinstance(node, ast.IfExp):
            return self.signal(node.body, scope) | self.signal(node.orelse, scope)
        if isinstance(node, ast.UnaryOp):
            return self.signal(node.operand, scope)
        return self.signal(node.value, scope) if isinstance(node, (ast.NamedExpr, ast.Starred)) else 0

    def _binding(self, binding: Binding) -> Bits:
        if binding.kind == "parameter":
            if binding.name == receiver_name(binding.scope):
                return 0
            key = id(binding)
            if key not in self._held:
                self._parameters[key] = binding
                self._held[key], self._readers[key] = self._passed.get(key, 0), set()
            self._readers[key].add(self._current)
            return self._held[key]
        if binding.kind == "augment" and isinstance(binding.stmt, ast.AugAssign):
            sides = (binding.stmt.target, binding.stmt.value)
            self._note(binding.stmt.value, binding.scope, signals.ADDED, sides)
            return self._tied([self.signal(side, binding.scope) for side in sides])
        return self.signal(binding.value, binding.scope) if binding.value is not None else 0

    def _note(
        self, node: ast.expr, scope: Scope, word: str, operands: Iterable[ast.expr], layer: Optional[Made] = None
    ) -> None:
        """Keep the operands of an operator, if one of them comes from a layer."""
        operands = list(operands)
        is_plain = all(isinstance(each, (ast.Constant, ast.UnaryOp)) for each in operands[1:])
        if word not in signals.SHAPING and is_plain:
            return
        given = tuple(
            (part, self.signal(part, scope))
            for each in operands
            for part in (each.elts if isinstance(each, (ast.Tuple, ast.List)) else [each])
        )
        if layer is not None:
            given = ((node, self._sources.bit(Source(layer))), *given)
        if word not in signals.SHAPING and all(signal for _, signal in given):
            return
        if any(signal for _, signal in given):
            self._own.append(Operated(node, scope, word, given))

    def _tied(self, sides: Sequence[Bits]) -> Bits:
        """Return the result of an operator whose operands have equal widths."""
        found = signals.union(sides)
        if sum(bool(side) for side in sides) > 1:
            self._own.append(Tied(found))
        return found

    # --- calls

    def _call(self, node: ast.Call, scope: Scope) -> Bits:
        callee = self._calls.callee(node, scope)
        given = [self.signal(argument, scope) for argument in all_given(node)]
        if callee.looped and given:
            return self._loop(callee.looped, given[0], self._held[id(node)], scope)
        if callee.is_only_cells:
            return self._applied(callee.cells, given, node, scope)
        own = self.signal(callee.base, scope) if callee.base is not None else 0
        if own and not callee.cells:
            assert callee.base is not None
            self._note(node, scope, callee.word, (callee.base, *all_given(node)))
            return self._operated(callee.word, [own, *given])
        self._note(node, scope, callee.said, all_given(node))
        if callee.is_product:
            return self._product(node.args[0], node.args[1], scope)
        found = self._operated(callee.name, given)
        found = found if callee.is_known else self._sources.changed(found, signals.LOST)
        return found | self._applied(callee.cells, given, node, scope) if callee.cells else found

    def _loop(self, cells: Sequence[Value], given: Bits, before: Bits, scope: Scope) -> Bits:
        """Return the output of cells that a loop calls, one after the other where the output is fed back."""
        outside = given & ~self._sources.alike(before)
        if outside != given:
            return self._line(cells, outside or given, scope)
        return signals.union(self._step(cell, given, scope) for cell in cells)

    def _operated(self, word: str, given: Sequence[Bits]) -> Bits:
        """Return the output of an operator."""
        for words, how in _CHANGING:
            if word in words:
                return self._sources.changed(signals.union(given), how)
        return self._tied(given) if word in signals.TIES else signals.union(given)

    def _product(self, left: ast.expr, right: ast.expr, scope: Scope) -> Bits:
        """Return the output of a product; with a `Parameter` on its right it is a layer."""
        first, second = self.signal(left, scope), self.signal(right, scope)
        weights = [made_of(known) for known in self.evaluator.value(without_casts(right), scope).alternatives]
        found = [layer for layer in weights if layer is not None and layer.api == PARAMETER]
        self._own.extend(Fed(layer, first, scope.owner, None) for layer in found)
        made = signals.union(self._sources.bit(Source(each)) for each in found)
        return made or second | self._sources.changed(first, signals.LOST)

    def _applied(
        self, cells: Iterable[Alternative], given: Sequence[Bits], node: Optional[ast.Call], scope: Scope
    ) -> Bits:
        """Return the output of cells and functions for some arguments."""
        return signals.union(self._result(known, given, node, scope) for known in cells)

    def _result(self, known: Alternative, given: Sequence[Bits], node: Optional[ast.Call], scope: Scope) -> Bits:
        first, made = given[0] if given else 0, known.creation
        if known.type_api:
            word, layer = known.type_api.rpartition(".")[2], made_of(known)
            if word in ROWS:
                return self._row(known, first, scope)
            if layer is None or made is None or layer.api not in layers.LAYERS:
                return self._operated(word, given)
            self._own.append(Fed(layer, signals.union(given), scope.owner, made.scope))
            if node is not None and layer.api in layers.RECURRENT and len(given) > 1:
                self._note(node, scope, signals.STATE, all_given(node)[1:], layer)
            makes = layer.api in layers.TABLES or any(role == layers.OUT for _, role in layers.LAYERS[layer.api])
            return self._sources.bit(Source(layer)) if makes else first
        function = known.definition
        is_bound = function is None or known.receiver is not None
        if known.cls is not None:
            methods = (bases.method(self.evaluator, known.cls, name) for name in INSTANCE_METHODS)
            function = next((method for method in methods if method is not None), None)
        if function is None:
            return self._sources.changed(signals.union(given), signals.LOST)
        self._entered.add(function)
        self._own.extend(Passed(*each) for each in self._given_to(function, is_bound, given, node, scope))
        found = signals.union(self.signal(value, function) for value, _ in function.returns)
        return found if made is None else self._sources.given_out(found, known)

    def _given_to(
        self, function: Scope, is_bound: bool, given: Sequence[Bits], node: Optional[ast.Call], scope: Scope
    ) -> Iterable[tuple[Binding, Bits]]:
        """Return the parameters of a function, each with the argument of a call."""
        key = id(node), function, is_bound
        if key not in self._bound or node is None:
            signature = Signature.of(function, is_bound and function.is_method)
            names = [*signature.slots, *signature.words]
            if node is None:
                parameters = [function.bindings.get(name, ())[:1] for name in names]
                return [(each[0], signal) for each, signal in zip(parameters, given) if each]
            bound = signature.bind(Layer(node, scope))
            parts = {name: bound.of(name).part for name in names}
            passed = ((function.bindings.get(name, ())[:1], part) for name, part in parts.items() if part is not None)
            self._bound[key] = [(binding, part) for bindings, part in passed for binding in bindings]
        return [(binding, self.signal(*part)) for binding, part in self._bound[key]]

    def _row(self, known: Alternative, first: Bits, scope: Scope) -> Bits:
        """Return the output of a row of cells."""
        key = known.identity
        self._entered.add(key)
        if key in self._rows_entered:  # it is given to itself: `row = SequentialCell([row, pool])` in a loop
            return first
        self._rows_entered.add(key)
        cells, is_ordered = self._calls.row(known)
        if not is_ordered:
            first = self._line(cells, first, scope)
        for cell in cells if is_ordered else ():
            first = self._step(cell, first, scope)
        self._rows_entered.discard(key)
        return first

    def _line(self, cells: Sequence[Value], first: Bits, scope: Scope) -> Bits:
        """Return the output of cells that a loop calls one after the other, or adds to a row.

        Each cell may feed each. The input is fed to those before the first layer, and the output is that of the
        last.
        """
        outside, inner, last = first, 0, 0
        for cell in (*cells, *cells):
            found = self._step(cell, outside, scope) if outside else 0
            outside = found & self._sources.alike(first)
            last = found | (self._step(cell, inner, scope) if inner else 0)
            inner |= last & ~outside
        return last if cells else first

    def _step(self, cell: Value, signal: Bits, scope: Scope) -> Bits:
        cells = [known for known in cell.alternatives if is_entered(known)]
        rest = [known for known in cell.alternatives if known not in cells]
        found = self._applied(cells, [signal], None, scope)
        for known in rest:
            found |= self._operated(known.type_api.rpartition(".")[2], [signal])
        return found if cell.alternatives else self._sources.changed(signal, signals.LOST)
