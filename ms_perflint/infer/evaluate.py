"""The evaluator of one program: one query, the value of an expression, serves names, receivers and settings."""

from __future__ import annotations

import ast
from typing import Any, Optional

from ms_perflint.index.execution_order import place
from ms_perflint.index.reachability import BY_DEFAULT, IMPOSSIBLE, path_condition
from ms_perflint.index.semantic_index import FUNCTIONS, Binding, Block, Scope, SemanticIndex, Site
from ms_perflint.index.signature import EACH, Argument, Held, Layer, Read
from ms_perflint.index.syntax_forms import accessed
from ms_perflint.infer import (
    attribute_writes,
    bases,
    call_order,
    calls,
    filtered,
    handlers,
    importing,
    items,
    lists,
    namespaces,
    narrowing,
    operations,
    parameters,
    search_loops,
    sequences,
    spreads,
)
from ms_perflint.infer.alternatives import Constant, Display
from ms_perflint.infer.call_context import CallContext
from ms_perflint.infer.database import Database
from ms_perflint.infer.direct_imports import outside
from ms_perflint.infer.evaluator import Evaluator, Kind, Library, Reading
from ms_perflint.infer.kinds import KINDS
from ms_perflint.infer.queries import Queries, query
from ms_perflint.infer.shared_answers import Shared, SharedAnswers
from ms_perflint.infer.values import BOTTOM, MANY, TOP, Alternative, Value, join

# Expressions that are known as they stand
LEAVES = frozenset({ast.Constant, ast.Dict, ast.List, ast.Tuple, ast.Set, ast.ListComp, ast.GeneratorExp, ast.Lambda})
CALLED = (*FUNCTIONS, ast.Lambda)  # what runs when it is called


class ProgramEvaluator(Evaluator):
    """The evaluator of one program. Answers are memoised, and do not depend on the order of questions."""

    def __init__(
        self,
        program: Database,
        libraries: Library,
        shared: Optional[SharedAnswers] = None,
        by_runs: Optional[dict[int, Shared]] = None,
    ) -> None:
        self.program = program
        self.libraries = libraries
        self.queries = Queries(_joined, shared, by_runs)
        self._memo, self._ask = self.queries.memo, self.queries.ask
        self._shared = shared
        self._call_contexts = {}

    def close(self) -> None:
        """Drop the program and all answers."""
        self.queries.clear()
        self._call_contexts.clear()
        del self.program

    # --- queries

    def value(self, node: ast.expr, scope: Scope) -> Value:
        """Return the value of an expression in a scope."""
        key = id(node), scope.key
        found: Optional[Value] = self._memo.get(key)
        if found is not None:
            if self.queries.reads is not None:
                self.queries.reads[key] = None
            return found
        kind = type(node)
        if kind is ast.Name:
            found = self._bound(key, node, scope)  # type: ignore[arg-type]
            if found is not None:
                return found
        elif kind in LEAVES:
            found = self._memo[key] = self._expression(node, scope)
            return found
        elif kind is ast.Attribute:
            found = outside(node, scope)
            if found is not None:
                self._memo[key] = found
                return found
        return self._ask(key, BOTTOM, MANY, ProgramEvaluator._expression, (self, node, scope))

    def _bound(self, key: tuple[int, str], node: ast.Name, scope: Scope) -> Optional[Value]:
        """Return the value of a name with one binding, or from an import from outside, without a query of its own.

        None for other names.
        """
        found = outside(node, scope)
        if found is None:
            home = scope.home(node.id)
            bindings = home.reaching(node, scope) if home is not None else ()
            if home is None or len(bindings) != 1 or _has_stars(scope, home):
                return None
            if len(home.bindings[node.id]) > 1 and _may_be_earlier(node, home, scope):
                return None
            if home is scope and search_loops.is_chosen(node, bindings[0], scope):
                return None
            inner = narrowing.read_in(bindings[0].scope, _of_any_pass(home, scope))
            found = self.binding(bindings[0], inner)
            if (id(bindings[0]), inner.key) not in self._memo:  # in a cycle that is not settled
                return found
            if self.queries.sharing is not None:
                self.queries.sharing.same(key, (id(bindings[0]), inner.key), scope, node, bindings[0])
        self._memo[key] = found
        return found

    def _expression(self, node: ast.expr, scope: Scope) -> Value:
        if isinstance(node, ast.Constant):
            return self.known(Constant(node.value), node, scope)
        if isinstance(node, ast.Name):
            return self.name(node, scope)
        if isinstance(node, ast.Attribute):
            held = self.members(self.value(node.value, scope), node.attr, node, scope)
            return narrowing.filled(self, held, node, scope)
        if isinstance(node, ast.Call):
            return calls.call(self, node, scope)
        if isinstance(node, (ast.Dict, ast.List, ast.Tuple, ast.Set, ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            return self.known(Display.of(node, scope), node, scope)
        if isinstance(node, ast.DictComp):
            return filtered.mapped(self, node, scope)
        if isinstance(node, ast.Lambda):
            return calls.made_inside(node, scope)
        if isinstance(node, (ast.NamedExpr, ast.Await)):
            return self.value(node.value, scope)
        if isinstance(node, ast.IfExp):
            return self._conditional(node, scope)
        if isinstance(node, ast.Subscript):
            return items.subscript(self, node, scope)
        if isinstance(node, Read):
            return self.read(node.part)
        return operations.operation(self, node, scope)

    def read(self, part: Held) -> Value:
        """Return the value of a part of a display or of an argument; for `*sequence`, that of the sequence."""
        if part.taken:
            return self._taken(part)
        return part.known if part.known is not None else self.value(part.node, part.scope)

    def passed(self, argument: Argument, default: Value) -> Value:
        """Return the value of an argument; `default` where the call passes none."""
        value = self.read(argument.given) if argument.given is not None else default
        if argument.is_open:
            value = join([value, TOP])
        for mapping in argument.mappings:
            value = spreads.entry(self, mapping, argument.name, value)
        return value

    @query(bottom=BOTTOM, top=MANY)
    def _taken(self, part: Held) -> Value:
        """Return the value of the last step of `part.taken`."""
        before, last = part._replace(taken=part.taken[:-1]), part.taken[-1]
        if isinstance(last, Layer):
            return calls.applied(self, last)
        return self.each(self.read(before)) if last is EACH else items.at(self, before, last)

    # --- names

    def name(self, node: ast.Name, scope: Scope) -> Value:
        """Return the value of a name where it is read."""
        if node.id == "__name__":
            own = self.program.is_entry(scope.module.path)
            return self.known(Constant("__main__" if own else "module"), node, scope)
        if node.id == "__file__":
            return self.known(Constant(scope.module.path), node, scope)
        for current in scope.enclosing():
            if node.id in current.bindings:
                here = place(node, scope) if current.stars and current is scope.owner else None
                current = _of_any_pass(current, scope)
                held = call_order.held(self, node, current, scope)
                if current is scope and len(held) == 1 and search_loops.is_chosen(node, held[0], scope):
                    chosen = search_loops.target(self, node, held[0], scope)
                    if chosen is not None:
                        return chosen
                held, usual = search_loops.kept(self, held, node, scope) if current is scope else (held, ())
                value = importing.bound(self, node.id, current, held, here)
                if usual:
                    value = join([value, self.bindings(usual, current).as_non_default()])
                if len(held) > 1 and current is not scope and not current.runs(scope):
                    early = (each for each in current.flow.early(node.id, scope) if each in held)
                    value = join(
                        [value, *(self.bindings((each,), current) for each in early if self.may_run(each.site))]
                    )
                return narrowing.filled(self, value, node, scope)
            if current.stars and (star := importing.star(self, node.id, current)):
                return star
        value = importing.unbound(self, node, scope)
        stored = list(namespaces.stored_in(self, scope.module, node.id)) if not value.alternatives else ()
        return join(stored) if stored else value

    @query(bottom=BOTTOM, top=MANY)
    def exported(self, module: SemanticIndex, name: str) -> Value:
        """Return the value of a name of a module after the module ran."""
        if name in module.scope.bindings:
            return importing.bound(self, name, module.scope, module.scope.flow.at_end(name))
        if module.scope.stars and (star := importing.star(self, name, module.scope)):
            return star
        computed = module.scope.bindings.get("__getattr__", ()) if not name.startswith("__") else ()
        found = importing.submodule(self, module, name)
        if len(computed) != 1 or computed[0].kind != "function" or found.alternatives:
            return found
        function = module.scope_of[id(computed[0].node)]
        return calls.returned(self, self.call_context(function, None, module.scope))

    def bindings(self, bindings: tuple[Binding, ...], scope: Optional[Scope] = None) -> Value:
        """Return the joined values of some bindings, without those in unreachable blocks.

        A single binding counts even in an unreachable block.
        """
        if len(bindings) == 1:
            return self.binding(bindings[0], scope)
        values = []
        for binding in bindings:
            reachability = self.reachability(binding.block, scope) if binding.block.parent is not None else BY_DEFAULT
            if reachability == IMPOSSIBLE:
                continue
            value = narrowing.remaining(self, binding, self.binding(binding, scope), bindings, scope)
            if value is not None:
                values.append((value, binding.block, reachability))
        return narrowing.of_paths(self, values, scope) if values else self.empty()

    def binding(self, binding: Binding, scope: Optional[Scope] = None) -> Value:
        """Return the value of one binding; `scope`: the call context in which it is evaluated."""
        inner = narrowing.read_in(binding.scope, scope)
        key = id(binding), inner.key
        found: Optional[Value] = self._memo.get(key)
        if found is not None:
            if self.queries.reads is not None:
                self.queries.reads[key] = None
            return found
        is_plain = binding.kind == "class" or (binding.kind == "function" and not binding.node.decorator_list)  # type: ignore[attr-defined]
        if is_plain and not self._is_stored(binding):
            found = self._memo[key] = self._binding(binding, inner)
            return found
        return self._ask(key, BOTTOM, MANY, ProgramEvaluator._binding, (self, binding, inner))

    def _binding(self, binding: Binding, scope: Scope) -> Value:
        module, node = scope.module, binding.node
        if binding.kind == "function":
            base = accessed(node)
            if base is not None:
                return self.value(base, scope)
            made = calls.made_inside(node, scope)
            made = calls.replaced(self, module.scope_of[id(node)], made) if node.decorator_list else made  # type: ignore[attr-defined]
            return self._or_stored(binding, made)
        if binding.kind == "class":
            return self._or_stored(binding, self.known(module.scope_of[id(node)], node, scope))
        if binding.kind in ("import", "from"):
            return importing.imported(self, binding)
        if binding.kind == "parameter":
            return lists.gathered(binding, scope, parameters.parameter(self, binding, scope))
        if binding.kind == "assign" and binding.value is not None:
            value = self.element(self.value(binding.value, scope), binding.path)
            value = lists.gathered(binding, scope, value)
            if scope.parent is None or scope.declared.get(binding.name) is module.scope:
                value = join([value, *namespaces.stored_in(self, module, binding.name)])
            if not _feeds_itself(binding):
                return value
            return value.without_constants()
        if binding.kind == "with" and binding.value is not None:
            return self.element(calls.managed(self, binding.value, scope), binding.path)
        if binding.kind == "augment" and isinstance(binding.stmt, ast.AugAssign):
            return operations.augmented(self, binding, scope)
        if binding.kind == "for" and binding.value is not None:
            return self.element(self._looped(binding, binding.value, scope), binding.path)
        if binding.kind == "rest" and binding.value is not None:
            *path, first, last = binding.path
            value = self.element(self.value(binding.value, scope), tuple(path))
            return sequences.sliced(self, binding.value, value, slice(first, last or None), scope)
        return TOP

    def _is_stored(self, binding: Binding) -> bool:
        """Return whether a function or class of a file may be replaced: `module.name = other`."""
        scope, name = binding.scope, binding.name
        return scope.parent is None and bool(scope.module.deep.get(name) or self.program.stores(name))

    def _or_stored(self, binding: Binding, value: Value) -> Value:
        """Return a function or class, or what code stores under its name in its file."""
        stored = namespaces.stored_in(self, binding.scope.module, binding.name) if self._is_stored(binding) else ()
        return join([value, *stored])

    def _looped(self, binding: Binding, over: ast.expr, scope: Scope) -> Value:
        """Return the value of a loop target: any element, or that of the pass in the context of a comprehension."""
        part = scope.element(binding) if isinstance(scope, CallContext) else None
        if part is not None:
            return self.read(part)
        generators = getattr(scope.node, "generators", None)
        outer = scope.parent if generators and generators[0].iter is over else None
        return self.each(self.value(over, outer or scope))

    def element(self, value: Value, path: tuple[int, ...]) -> Value:
        """Return the element of a value that unpacking such as `a, (b, c) = value` binds to one name."""
        for index in path:
            values = [value.of_part(known, self._unpacked(known, index)) for known in value.alternatives]
            value = join([*values, *self.rest(value)]).overridden_with(value)
        return value

    def _unpacked(self, known: Alternative, index: int) -> Value:
        return self.each(Value((known,))) if bases.is_iterable(self, known) else self.item(known, index)

    def kind(self, known: Alternative) -> Kind[Any]:
        """Return the object that answers questions about an alternative, by its kind."""
        return KINDS[type(known.what)](self, known)

    def members(self, base: Value, name: str, node: ast.expr, scope: Scope, absent: Value = TOP) -> Value:
        """Return the value of `base.name`; `node` is that expression, `absent` what is read without the member."""
        if self.is_pending(base):
            return BOTTOM
        read = [(known, known.copying(self.kind(known).attribute(name, node, scope))) for known in base.when_set]
        values = [base.of_part(known, value) for known, value in read]
        if base.open or not base.alternatives:
            values.append(TOP)
        holder = node.value if isinstance(node, ast.Attribute) else None
        reading = Reading(base, name, node, scope, holder, absent)
        value = join(attribute_writes.overlaid(self, values, reading))
        return Value(value.alternatives, value.open, True) if base.overridable else value

    def operated(self, known: Alternative, name: str, layer: Optional[Layer] = None) -> Optional[Value]:
        """Return the result of a special method of an object, such as `__getitem__`; None without the method."""
        method = bases.method(self, known.cls, name) if known.cls is not None else None
        return calls.entered(self, method, layer, known) if method is not None else None

    each = lists.each

    # --- conditions

    def reachability(self, block: Block, scope: Optional[Scope] = None) -> int:
        """Return how a block is reached: IMPOSSIBLE, OPTIONAL (only with an option), or BY_DEFAULT."""
        reachability = IMPOSSIBLE if block.is_dead else BY_DEFAULT
        for condition in path_condition(block):
            reachability = reachability and min(reachability, narrowing.reachability(self, condition, scope))
        return reachability and min(reachability, handlers.of_arms(self, block, scope))

    def may_run(self, site: Site) -> bool:
        """Return whether the path condition of a site can hold."""
        return self.reachability(site.block) != IMPOSSIBLE

    def _conditional(self, node: ast.IfExp, scope: Scope) -> Value:
        test = self.value(node.test, scope)
        if self.is_pending(test):
            return BOTTOM
        if test.truth is not None:
            return self.value(node.body if test.truth else node.orelse, scope)
        first, other = self.value(node.body, scope), self.value(node.orelse, scope)
        if test.default_truth is None:
            return join([first, other])
        default, other_than_default = (first, other) if test.default_truth else (other, first)
        optional = Value(other_than_default.as_non_default().alternatives, False, True)
        return join([default._replace(overridable=True), optional])


def _joined(first: Any, other: Any) -> Any:
    """Return two answers of a query in a cycle joined; without constants if these differ: each pass may add another."""
    if isinstance(first, Value) and isinstance(other, Value):
        value, constants = join([first, other]), set(first.constants)
        return value if constants == set(other.constants) else value.without_constants()
    if not isinstance(first, tuple) or not isinstance(other, tuple):
        return other
    if len(first) == len(other) and all(isinstance(each, Value) for each in (*first, *other)):
        return tuple(map(_joined, first, other))
    return tuple(dict.fromkeys((*first, *other)))


def _may_be_earlier(node: ast.Name, home: Scope, scope: Scope) -> bool:
    """Return whether a function reads a name of a scope around it that is rebound later."""
    return home is not scope and not home.runs(scope) and bool(home.flow.before_end(node.id, scope))


def _of_any_pass(home: Scope, scope: Scope) -> Scope:
    """Return the scope that binds a name; of one pass through a comprehension that makes a function, the comprehension.

    The function may be called behind its last pass.
    """
    is_late = isinstance(home, CallContext) and bool(home.passed) and isinstance(scope.node, CALLED)
    return home.function if is_late else home  # type: ignore[attr-defined]


def _has_stars(scope: Scope, home: Scope) -> bool:
    """Return whether a scope between the use of a name and its home has star imports."""
    if scope is home:  # as most often
        return bool(home.stars)
    for current in scope.enclosing():
        if current.stars or current is home:
            return bool(current.stars)
    return False


def _feeds_itself(binding: Binding) -> bool:
    """Return whether a binding depends on itself, as in `step = step + 1`."""
    return isinstance(binding.value, ast.BinOp) and any(
        isinstance(node, ast.Name) and node.id == binding.name and binding in binding.scope.flow.at(node)
        for node in ast.walk(binding.value)
    )
