"""The evaluator of one program: names, receivers and settings are one question, "what can this expression be?"."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Optional

from ms_perflint.semantics import apis, containers, importing, members, operations, parameters
from ms_perflint.semantics.module import Binding, Block, Module, Scope, Site
from ms_perflint.semantics.values import (
    NOTHING,
    OPEN,
    Api,
    Bound,
    Constant,
    Display,
    Instance,
    Known,
    Value,
    union,
)
from ms_perflint.semantics.ways import IMPOSSIBLE, OPTIONAL, USUAL

if TYPE_CHECKING:
    from ms_perflint.programs.program import Program

Key = tuple[int, str]  # identity of a node, binding or scope, and what is asked of it
STEPS = 5_000  # evaluations for one question, before the answer is "open"
DEPTH = 60  # evaluations inside one another, before the answer is "open"


class Evaluator:
    """Evaluates expressions of one program; answers are remembered, and the same in whatever order they are asked."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._memo: dict[Key, Value] = {}
        self._active: dict[Key, int] = {}  # evaluations that are under way, with their depth
        self._cut = DEPTH  # depth of the outermost evaluation that a cycle came back to
        self._provisional: dict[
            Key, tuple[Value, int]
        ] = {}  # answers inside of a cycle, good until its head is answered
        self._ways: dict[int, int] = {}  # identity of a block -> how it is reached
        self._steps = 0  # since the outermost question

    def close(self) -> None:
        """Forget the program and all answers."""
        self._memo.clear()
        del self.program

    # --- the question

    def value(self, node: ast.expr, scope: Scope) -> Value:
        """Return what an expression, read in a scope, can be."""
        return self.remember((id(node), ""), self._expression, node, scope)

    def remember(self, key: Key, work: Callable[..., Value], *arguments: object) -> Value:
        """Return the answer to a question, worked out once.

        A question that comes back to itself adds nothing to its own answer. What was worked out inside of such a cycle
        lacks a part, so it is used until the head of the cycle is answered, and then forgotten: answers do not depend
        on the order of the questions.
        """
        found = self._memo.get(key)
        if found is not None:
            return found
        if key in self._active:
            self._cut = min(self._cut, self._active[key])
            return NOTHING
        if key in self._provisional:
            value, cut = self._provisional[key]
            self._cut = min(self._cut, cut)
            return value
        depth = len(self._active)
        self._steps = 0 if not depth else self._steps + 1
        if depth >= DEPTH or self._steps > STEPS:
            self._cut = 0
            return OPEN
        return self._work(key, depth, work, arguments)

    def _work(self, key: Key, depth: int, work: Callable[..., Value], arguments: tuple[object, ...]) -> Value:
        outer, self._cut = self._cut, DEPTH
        held = len(self._provisional)
        self._active[key] = depth
        try:
            value = work(*arguments)
        finally:
            del self._active[key]
        if self._cut >= depth:  # the head of a cycle, or no cycle at all
            self._memo[key] = value
            while len(self._provisional) > held:
                self._provisional.popitem()
            self._cut = outer
        else:
            self._provisional[key] = (value, self._cut)
            self._cut = min(self._cut, outer)
        return value

    def _expression(self, node: ast.expr, scope: Scope) -> Value:
        if isinstance(node, ast.Constant):
            return self.known(Constant(node.value), node, scope)
        if isinstance(node, ast.Name):
            return self.name(node, scope)
        if isinstance(node, ast.Attribute):
            return members.members(self, self.value(node.value, scope), node.attr, node, scope)
        if isinstance(node, ast.Call):
            return self.call(node, scope)
        if isinstance(node, (ast.Dict, ast.List, ast.Tuple, ast.Set, ast.ListComp)):
            return self.known(Display(node, scope), node, scope)
        if isinstance(node, ast.Lambda):
            return OPEN
        if isinstance(node, ast.NamedExpr):
            return self.value(node.value, scope)
        if isinstance(node, ast.IfExp):
            return self._conditional(node, scope)
        if isinstance(node, ast.Subscript):
            return containers.subscript(self, node, scope)
        return operations.operation(self, node, scope)

    def known(self, what: object, node: ast.AST, scope: Scope) -> Value:
        """Return the value that is just this, read at this node."""
        return Value((Known(what, (scope.module, node)),))  # type: ignore[arg-type]

    # --- names

    def name(self, node: ast.Name, scope: Scope) -> Value:
        """Return what a name can be where it is read."""
        if node.id == "__name__":
            own = scope.module.path == self.program.entry
            return self.known(Constant("__main__" if own else "module"), node, scope)
        if node.id == "__file__":
            return self.known(Constant(scope.module.path), node, scope)
        current: Optional[Scope] = scope
        first = True
        while current is not None:
            if node.id in current.bindings and (first or not current.is_class):
                inside = current is scope.owner or current is scope
                bindings = current.flow.at(node) if inside else current.flow.at_end(node.id)
                return self.bindings(bindings)
            if current.stars and (star := importing.star(self, node.id, current)):
                return star
            first = first and current is not current.owner
            current = current.parent
        return self.known(Api(f"builtins.{node.id}"), node, scope)

    def exported(self, module: Module, name: str) -> Value:
        """Return what a name of a module of the project is when the module has run."""
        return self.remember((id(module), name), self._exported, module, name)

    def _exported(self, module: Module, name: str) -> Value:
        if name in module.scope.bindings:
            return self.bindings(module.scope.flow.at_end(name))
        if module.scope.stars and (star := importing.star(self, name, module.scope)):
            return star
        return importing.submodule(self, module, name)

    def bindings(self, bindings: tuple[Binding, ...]) -> Value:
        """Return what any of these bindings can give; those in arms that cannot run are left out."""
        values = []
        for binding in bindings:
            way = self.way(binding.block) if binding.block.parent is not None else USUAL
            if way == IMPOSSIBLE and len(bindings) > 1:
                continue
            value = self.binding(binding)
            values.append(value if way == USUAL or len(bindings) == 1 else value.rarely())
        return union(values) if values else OPEN

    def weighed(self, binding: Binding) -> Value:
        """Return what one binding gives: as something rare where only an option leads to it."""
        value = self.binding(binding)
        return value if self.way(binding.block) == USUAL else value.rarely()

    def binding(self, binding: Binding) -> Value:
        """Return what one binding gives its name."""
        return self.remember((id(binding), ""), self._binding, binding)

    def _binding(self, binding: Binding) -> Value:
        module, node = binding.scope.module, binding.node
        if binding.kind in ("function", "class"):
            scope = module.scope_of[id(node)]
            return self.known(scope, node, binding.scope)
        if binding.kind in ("import", "from"):
            return importing.imported(self, binding)
        if binding.kind == "parameter":
            return parameters.parameter(self, binding)
        if binding.kind in ("assign", "with", "global") and binding.value is not None:
            value = self.element(self.value(binding.value, binding.scope), binding.path)
            return Value(value.known, True, value.optional) if _feeds_itself(binding) else value
        if binding.kind == "for" and binding.value is not None:
            elements, is_open = self.elements(self.value(binding.value, binding.scope))
            return self.element(Value(elements, is_open), binding.path)
        return OPEN

    def element(self, value: Value, path: tuple[int, ...]) -> Value:
        """Return the element of a value that `a, (b, c) = value` gives to one name."""
        for index in path:
            value = union(
                [self.item(known, index) for known in value.known] + ([OPEN] if value.open or not value.known else [])
            )
        return value

    def item(self, known: Known, key: object) -> Value:
        """Return what `known[key]` can be."""
        return containers.item(self, known, key)

    def elements(self, value: Value) -> tuple[tuple[Known, ...], bool]:
        """Return what a list can hold where it is made, and whether it can hold more."""
        return containers.elements(self, value)

    # --- calls

    def call(self, node: ast.Call, scope: Scope) -> Value:
        """Return what a call gives."""
        text = operations.of_text(self, node, scope)
        if text is not None:
            return text
        callee = self.value(node.func, scope)
        values = [self._result(known, node, scope) for known in callee.known]
        if callee.open or not callee.known:
            values.append(OPEN)
        return union(values)

    def _result(self, callee: Known, node: ast.Call, scope: Scope) -> Value:
        what = callee.what
        if isinstance(what, Scope) and what.is_class:
            return self.known(Instance(what, node, scope), node, scope)
        if isinstance(what, Scope) and what.is_function:
            return self.returned(what)
        if isinstance(what, Bound):
            return self.returned(what.function)
        if isinstance(what, Api):
            special = apis.result(self, what, node, scope)
            return special if special is not None else self.known(Instance(what, node, scope), node, scope)
        if isinstance(what, Instance) and isinstance(what.type, Scope):
            method = what.type.method("__call__")
            if method is not None:
                return self.returned(method)
        if isinstance(what, Instance):
            return self.known(Instance(Api("", callee), node, scope), node, scope)
        return OPEN

    def returned(self, function: Scope) -> Value:
        """Return what a function can return."""
        return self.remember((id(function), "return"), self._returned, function)

    def _returned(self, function: Scope) -> Value:
        values = []
        for node, block in function.returns:
            way = self.way(block)
            if way != IMPOSSIBLE:
                value = self.value(node, function)
                values.append(value if way == USUAL else value.rarely())
        return union(values) if values else OPEN

    # --- conditions

    def way(self, block: Block) -> int:
        """Return how a block is reached: IMPOSSIBLE, only with an OPTIONAL choice of the user, or USUAL."""
        pending: list[Block] = []
        current: Optional[Block] = block
        while current is not None and id(current) not in self._ways:
            pending.append(current)
            current = current.parent
        way, certain = USUAL if current is None else self._ways[id(current)], True
        for arm in reversed(pending):
            if way != IMPOSSIBLE and isinstance(arm.owner, ast.If) and arm.parent is not None:
                way = min(way, self._way_of_arm(arm.owner.test, arm.arm == "body", arm.parent.scope))
                certain = certain and (id(arm.owner.test), "") in self._memo
            if certain:  # answers inside of a cycle are not kept
                self._ways[id(arm)] = way
        return way

    def _way_of_arm(self, test: ast.expr, wanted: bool, scope: Scope) -> int:
        """Return how one arm of an `if` is reached, by its own test."""
        value = self.value(test, scope)
        if value.truth is not None and value.truth != wanted:
            return IMPOSSIBLE
        return OPTIONAL if value.usual_truth is not None and value.usual_truth != wanted else USUAL

    def _conditional(self, node: ast.IfExp, scope: Scope) -> Value:
        test = self.value(node.test, scope)
        if test.truth is not None:
            return self.value(node.body if test.truth else node.orelse, scope)
        first, other = self.value(node.body, scope), self.value(node.orelse, scope)
        if test.usual_truth is None:
            return union([first, other])
        usual, rare = (first, other) if test.usual_truth else (other, first)
        return union([Value(usual.known, usual.open, True), Value(rare.rarely().known, False, True)])

    # --- sites

    def callees(self, site: Site) -> Value:
        """Return what the callee of a call site can be."""
        return self.value(site.node.func, site.scope) if isinstance(site.node, ast.Call) else NOTHING


def _feeds_itself(binding: Binding) -> bool:
    """Return whether a name counts in a loop, so that its value is any: `step = step + 1`."""
    return isinstance(binding.value, ast.BinOp) and any(
        isinstance(node, ast.Name) and node.id == binding.name and binding in binding.scope.flow.at(node)
        for node in ast.walk(binding.value)
    )
