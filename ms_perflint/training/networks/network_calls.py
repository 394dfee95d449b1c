"""Callees in networks: layers, rows of cells, code of the program, operators."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Container, Iterable
from typing import Any, NamedTuple, Optional, cast

from ms_perflint.core.facts import fact
from ms_perflint.core.graphs import reachable
from ms_perflint.index.execution_order import place, rank
from ms_perflint.index.semantic_index import LOOPS, Binding, Scope
from ms_perflint.index.syntax_forms import word_of
from ms_perflint.infer import list_changes, sequences
from ms_perflint.infer.values import Alternative, Value
from ms_perflint.program.inputs import Inputs
from ms_perflint.program.program import Program
from ms_perflint.training.followed import End, values_of_name
from ms_perflint.training.networks import layers
from ms_perflint.training.networks.signals import PRODUCTS, Made

ROWS = frozenset({"SequentialCell", "Sequential"})  # last words of cells that call cells one after the other
BUILTINS = frozenset(dir(builtins))


class Callee(NamedTuple):
    """The callee of a call, which does not depend on the arguments."""

    word: str
    cells: tuple[Alternative, ...]  # layers, rows of cells, code of the program
    looped: tuple[Value, ...]  # cells of which each pass of a loop calls another
    name: str  # the last word of the one operator that it is
    said: str  # the same where what is called is known; ""
    base: Optional[ast.expr]  # before the last word
    is_only_cells: bool
    is_known: bool
    is_product: bool


class NetworkCalls:
    """The callees in the networks of one program, each computed once."""

    def __init__(self, program: Inputs) -> None:
        self.program = program
        self.evaluator = program.evaluator
        self.facts: dict[tuple[object, ...], Any] = {}
        self._rows: dict[int, tuple[Alternative, list[Value], bool]] = {}  # by the identity of a row, which it holds

    def bindings(self, node: ast.Name, scope: Scope) -> tuple[Binding, ...]:
        """Return the bindings of a name that may be current where it is read.

        Behind a loop over cells, bindings before the loop do not count: a network has cells, so that the loop has run.
        """
        found = scope.lookup(node)
        here = place(node, scope) if len(found) > 1 else None
        if here is None:
            return found
        for binding in found:
            loop = binding.block.owner if binding.block.arm == "body" else None
            if isinstance(loop, LOOPS) and loop not in here.block.loops and self._calls_in_turn(binding):
                found = tuple(each for each in found if each.kind != "parameter" and rank(each) >= rank(binding))
        return found

    def _calls_in_turn(self, binding: Binding) -> bool:
        """Return whether a binding gets the result of a call of a cell, another cell in each pass of a loop."""
        parts = ast.walk(binding.value) if binding.value is not None else ()
        calls = (node for node in parts if isinstance(node, ast.Call))
        return any(self.callee(call, binding.scope).looped for call in calls)

    @fact
    def callee(self, node: ast.Call, scope: Scope) -> Callee:
        """Return the callee of a call."""
        value = self.evaluator.value(node.func, scope)
        known = value.alternatives
        word = word_of(node.func)
        cells = tuple(filter(is_entered, known))
        names = {(each.api or each.type_api).rpartition(".")[2] for each in known} - {""}
        name = next(iter(names)) if len(names) == 1 else word
        are_operators = all((each.api or each.type_api).startswith(("mindspore.", "numpy.")) for each in known)
        says = (bool(known) and are_operators) or bool(cells) or word in BUILTINS
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
            is_product and not any(layers.transposes(cast("Program", self.program), each) for each in known),
        )

    def _looped(self, func: ast.expr, callee: Value, scope: Scope) -> list[Value]:
        """Return the cells that a callee is one after the other: `for cell in cells: x = cell(x)`, `cells[i](x)`."""
        known: Iterable[Alternative] = ()
        if isinstance(func, ast.Name) and any(each.kind == "for" for each in scope.lookup(func)):
            known = callee.alternatives
        if isinstance(func, ast.Subscript) and (callee.open or len(callee.alternatives) != 1):
            known = self.evaluator.each(self.evaluator.value(func.value, scope)).alternatives
        return [Value((each,)) for each in known]

    def row(self, known: Alternative) -> tuple[list[Value], bool]:
        """Return the cells of a row, and whether they stand there one after the other."""
        if id(known) not in self._rows:
            self._rows[id(known)] = (known, *self._cells(known))
        _, cells, is_ordered = self._rows[id(known)]
        return cells, is_ordered

    def _cells(self, known: Alternative) -> tuple[list[Value], bool]:
        made = known.creation
        if made is None or not made.call.args or list_changes.grows(self.evaluator, known):
            found = self.evaluator.each(Value((known,))).alternatives
            return [Value((each,)) for each in found], False
        cells = [self._held_by(argument, made.scope) for argument in made.call.args]
        return [cell for values, _ in cells for cell in values], all(is_ordered for _, is_ordered in cells)

    def _held_by(self, node: ast.expr, scope: Scope) -> tuple[list[Value], bool]:
        """Return the cells that an argument of a row gives it: itself, or what a list or dict of cells holds."""
        value = self.evaluator.value(node.value if isinstance(node, ast.Starred) else node, scope)
        if not value.alternatives or not value.alternatives[0].is_display:
            return [value], True
        if value.alternatives[0].is_mapping:
            return [self.evaluator.read(part) for part in value.alternatives[0].parts], True
        parts = sequences.whole(self.evaluator, value)
        if parts is not None:
            cells = [self.evaluator.read(part) for part in parts]
            pairs = [sequences.whole(self.evaluator, cell) for cell in cells]  # of a name and a cell
            return [self.evaluator.read(p[-1]) if p else cell for p, cell in zip(pairs, cells)], True
        found = self.evaluator.each(value).alternatives
        return [Value((each,)) for each in found], False


def is_entered(known: Alternative) -> bool:
    """Return whether a callee is a layer, a row of cells, or code of the program."""
    if known.type_api:
        return known.type_api in layers.LAYERS or known.type_api.rpartition(".")[2] in ROWS
    function = known.definition
    if function is None:
        return known.cls is not None
    return known.receiver is not None or (not function.is_class and bool(function.returns))


def made_of(known: Alternative) -> Optional[Made]:
    """Return the call that made an instance of an API; None for anything else."""
    site = known.maker if known.cls is None else None
    return Made(site, known.type_api) if site is not None else None


def is_result(program: Program, seen: Container[object], node: ast.expr, scope: Scope) -> bool:
    """Return whether a value is what cells gave, with the names on the way, and these are among the ones seen."""

    def before(value: End) -> list[End]:
        return values_of_name(program, value.node.id, value.scope) if isinstance(value.node, ast.Name) else []

    found = [each for each in reachable([End(node, scope)], before) if not isinstance(each.node, ast.Name)]
    calls = [(each.node, each.scope) for each in found if isinstance(each.node, ast.Call)]
    called = (program.value(call.func, place).alternatives for call, place in calls)
    are_cells = (any(each.is_object and each.identity in seen for each in known) for known in called)
    return len(calls) == len(found) > 0 and any(are_cells)
