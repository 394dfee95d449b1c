"""The assignment graph of one file: how objects flow between names, attributes, parameters and results.

A flow-insensitive points-to by words. A node is a variable of a function, or a word that all files share: a name of a
module, an attribute, a key. A path names the part of the objects: CALL the result, ELEMENT an element.
It over-approximates the evaluator, and only selects the expressions that the evaluator computes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Optional, Union

from ms_perflint.core.facts import fact
from ms_perflint.index.semantic_index import COMPREHENSIONS, Binding, Scope, SemanticIndex, Site
from ms_perflint.index.signature import positional
from ms_perflint.index.syntax_forms import PROPERTIES, accessed, given, is_decorated, is_enumeration, text_of, word_of
from ms_perflint.infer.nodes import CALL, ELEMENT, Argument, Node, Place, joined, more, results, taken
from ms_perflint.infer.places import ADDS, ENTERED, INIT, SELVES, TAKES, Places, is_drawn

DROPPING = frozenset(
    {
        "bool", "callable", "float", "format", "hasattr", "hash", "id", "int", "isinstance", "issubclass",
        "len", "print", "range", "repr", "str",
    }
)  # builtins that neither call, keep nor return what they are given  # fmt: skip


@fact
def graph_of(module: SemanticIndex) -> Assignments:
    """Return the assignment graph of a file."""
    return Assignments(module)


class Assignments(Places):
    """The assignment graph of one file."""

    def __init__(self, module: SemanticIndex) -> None:
        super().__init__(module)
        self.returned: set[Node] = set()  # parameters that are returned as they are
        self.fields: dict[str, list[str]] = {}  # of named tuples
        self.receivers: dict[str, list[Node]] = {}  # by the name of a class: the parameters for it of its class methods
        self._parameters: dict[tuple[object, ...], tuple[tuple[Union[str, Node], str], ...]] = {}
        self.callees: dict[int, tuple[Place, ...]] = {}  # by the identity of a call: what it enters
        for scope in module.scopes:
            self._scope(scope)
        for stores in module.stored.values():
            for binding in stores:
                self._stored(binding)
        for binding in (each for stores in module.deep.values() for each in stores if is_drawn(each)):
            self._assigned(binding, self.word(binding.name))
        for table in module.registered.values():
            for target, value, block in table:
                self._into(target.value, self.places(value, block.scope), block.scope)
        for site in module.sites:
            if isinstance(site.node, ast.Call):
                self._site(site, site.node)
        self.settle()
        nodes = [*self.words.values(), *self.locals.values(), *self.lambdas.values()]
        self.defining = [node for node in nodes if node.functions]  # the nodes of functions and classes
        self.passed_on = {node.key for node in nodes if node.is_passed_on}

    # --- statements

    def _scope(self, scope: Scope) -> None:
        for name, bindings in scope.bindings.items():
            for binding in bindings:
                self._binding(binding, scope, name)
        for name, bindings in scope.attributes.items():
            for binding in bindings:
                self._assigned(binding, self.word(name))
        if scope.is_class:
            self._class(scope)
        elif scope.parent is not None and not isinstance(scope.node, COMPREHENSIONS):
            self._function(scope)

    def _binding(self, binding: Binding, scope: Scope, name: str) -> None:
        kind, value = binding.kind, binding.value
        if kind == "from":
            alias = binding.node
            assert isinstance(alias, ast.alias)
            if alias.asname or not (scope.parent is None or scope.is_class):
                self.flow([(self.word(alias.name), "")], self.variable(scope, name), ("",))
        elif kind == "parameter" and value is not None and scope.parent is not None:
            self.flow(self.places(value, scope.parent), self.variable(scope, name), ("",))
        elif (value is not None or kind == "augment") and kind != "parameter":
            self._assigned(binding, self.variable(scope, name))

    def _assigned(self, binding: Binding, target: Node) -> None:
        """Add the edges of an assignment, a loop or a `with` to its target."""
        value, path = binding.value, binding.path
        if binding.kind == "augment" and isinstance(binding.stmt, ast.AugAssign):
            self.flow(taken(self.places(binding.stmt.value, binding.scope)), target, (ELEMENT,))
        if binding.kind == "rest":
            path = path[:-2]
        places = self.places(value, binding.scope)
        if binding.kind == "with":
            self.flow(self.entered(places), target, ("",))
        if path or binding.kind == "for":
            places = taken(places)
        if binding.scope.is_class and isinstance(value, ast.Call):  # a descriptor gives what its method returns
            places = [*places, (self.word("__get__"), CALL)]
        self.flow(places, target, ("",))
        if isinstance(value, ast.Call) and word_of(value.func) == "namedtuple" and isinstance(target.key, str):
            names = self.fields[target.key] = _names(value.args[1]) if len(value.args) > 1 else []
            for default in (keyword.value for keyword in value.keywords if keyword.arg == "defaults"):
                for name in names:
                    self.flow(taken(self.places(default, binding.scope)), self.word(name), ("",))

    def _stored(self, binding: Binding) -> None:
        """Add the edges of `name.x = value` and `name["x"] = value`."""
        self._assigned(binding, self.word(binding.name))
        target = binding.node
        if isinstance(target, ast.Subscript):
            self._into(target.value, self.places(binding.value, binding.scope), binding.scope)

    def _into(self, container: ast.expr, places: list[Place], scope: Scope, way: str = ELEMENT) -> None:
        """Add edges for the elements of a container, also to what it was taken from."""
        for node, path in self.places(container, scope):
            if CALL in path:  # made by a call: no other node has its elements
                continue
            self.flow(places, node, (joined(path, way),))
            if path == "":
                self._back(node, container, scope)

    def _back(self, node: Node, container: ast.expr, scope: Scope) -> None:
        """Add edges for the elements of a container to what it was assigned from, which is the same container."""
        for binding in scope.bound(container):
            for other, path in self.places(binding.whole, binding.scope):
                if other is not node and CALL not in path:
                    node.flows = more(node.flows, (ELEMENT, other, joined(path, ELEMENT)))

    def _function(self, function: Scope) -> None:
        node = self.of_function(function)
        if accessed(function.node) is not None:  # its name stands for the property
            for given in positional(function)[1:2]:
                self.flow([(node, "")], self.variable(function, given.arg), ("",))
            return
        is_property = is_decorated(function.node, *PROPERTIES)
        if not is_property:  # else its name is its result
            node.functions = more(node.functions, function)
            self._decorated(function, node)
        ways: list[tuple[Node, str]] = [(node, CALL)]
        cls = function.parent
        if cls is not None and cls.is_class:
            if is_property:
                ways.append((node, ""))
            if function.name in ENTERED:
                ways.append((self.of_function(cls), joined(CALL, ENTERED[function.name])))
            first = positional(function)[:1]
            if first:
                is_of_class = is_decorated(function.node, "classmethod")
                receiver = self.variable(function, first[0].arg)
                self.flow([(self.of_function(cls), "" if is_of_class else CALL)], receiver, ("",))
                if is_of_class:
                    self.receivers.setdefault(cls.name, []).append(receiver)
        for returned, suffix in ((function.returns, ""), (function.yields, ELEMENT)):
            for value, block in returned:
                names: set[str] = set()
                back = self._given_back(function, value, names) if not suffix else None
                if back is not None:
                    self.returned.update(self.variable(function, name) for name in names)
                places = self.places(value, block.scope) if back is None else back
                for target, way in ways:
                    self.flow(places, target, (joined(way, suffix),))

    def _given_back(self, function: Scope, value: ast.expr, seen: set[str]) -> Optional[list[Place]]:
        """Return what is returned besides parameters, where an expression is made of these: that depends on the call.

        None for other expressions: `return checked(name, value)` is one, `return self.value` is not.
        """
        if isinstance(value, ast.Constant):
            return []
        if isinstance(value, ast.Name):
            return self._given_back_by_name(function, value, seen)
        if isinstance(value, ast.Tuple) and value.elts:
            parts = [self._given_back(function, element, seen) for element in value.elts]
            return None if None in parts else [place for part in parts if part for place in part]
        method = value.func if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) else None
        if not isinstance(value, ast.Call) or (method is not None and method.attr in TAKES):
            return None  # `return self.table.get(name)` gives what the table holds
        found = results(self.places(value.func, function))
        own = [method.value] if method is not None and method.attr in SELVES else []  # `return cell.set_train()`
        for part in (*own, *given(value)):
            inner = self._given_back(function, part, seen)
            if inner is None:
                return None
            found.extend(inner)
        return found

    def _given_back_by_name(self, function: Scope, value: ast.Name, seen: set[str]) -> Optional[list[Place]]:
        home = function.home(value.id)
        if home is None:
            return [(self.word(value.id), "")]
        bindings = home.bindings[value.id]
        first = bindings[0]
        if home is not function or first.kind != "parameter" or first.value is not None:
            return None
        if function.is_method and positional(function)[:1] == [first.node]:
            return None
        found: list[Place] = []
        if value.id not in seen:
            seen.add(value.id)
            for binding in bindings[1:]:
                inner = self._given_back(function, binding.whole, seen) if binding.whole is not None else None
                if inner is None:
                    return None
                found.extend(inner)
        return found

    def _class(self, cls: Scope) -> None:
        node = self.of_function(cls)
        node.functions = more(node.functions, cls)
        assert isinstance(cls.node, ast.ClassDef) and cls.parent is not None
        for base in cls.node.bases:
            self.flow(results(self.places(base, cls.parent)), node, (CALL,))
            for above in self.module.defined.get(word_of(base), ()):
                hook = above.method("__init_subclass__") if above.is_class else None
                for own in positional(hook)[:1] if hook is not None else ():
                    self.flow([(node, "")], self.variable(hook, own.arg), ("",))  # type: ignore[arg-type]
        if is_enumeration(cls.node):
            self.flow([(self.word(name), "") for name in cls.bindings], self.word("value"), ("",))
            self._members(cls)
        self._decorated(cls, node)

    def _members(self, cls: Scope) -> None:
        """Add edges from the elements of members of an enumeration to its constructor."""
        init = cls.method(INIT)
        if init is None:
            return
        for value in [bindings[-1].value for bindings in cls.bindings.values()]:
            for element, own in zip(value.elts if isinstance(value, ast.Tuple) else (), positional(init)[1:]):
                self.flow(self.places(element, cls), self.variable(init, own.arg), ("",))

    def _decorated(self, scope: Scope, node: Node) -> None:
        """Add edges from a function or class to its decorators, and from their results to its name."""
        for decorator in getattr(scope.node, "decorator_list", ()):
            assert scope.parent is not None
            callees = tuple(self.places(decorator, scope.parent))
            if callees:
                node.passes = more(node.passes, ("", Argument(callees, 0)))
                self.flow(results(callees), node, ("",))
            callee = decorator.func if isinstance(decorator, ast.Call) else decorator
            base = callee.value if isinstance(callee, ast.Attribute) and callee.attr == "register" else None
            for each in self.module.defined.get(word_of(base), ()) if base is not None else ():
                if is_decorated(each.node, "singledispatch"):
                    self.flow([(node, "")], self.of_function(each), ("",))

    # --- calls

    def _site(self, site: Site, call: ast.Call) -> None:
        scope = site.scope
        callees = tuple(self._entered(site, call))
        self.callees[id(call)] = callees
        for node, path in callees:
            node.sites = more(node.sites, (path, site))
        arguments: Iterable[ast.expr] = call.args
        func = call.func
        if isinstance(func, ast.Attribute) and site.word in ADDS and call.args:
            way = "" if site.word in ("extend", "update") else ELEMENT
            self._into(func.value, self.places(call.args[-1], scope), scope, way)
        if isinstance(func, ast.Attribute) and site.word == "update":
            for keyword in call.keywords:
                self._into(func.value, self.places(keyword.value, scope), scope)
        if site.word == "_make" and isinstance(func, ast.Attribute):
            for name in self.fields.get(word_of(func.value), ()):
                self.flow(taken(self.places(next(iter(call.args), None), scope)), self.word(name), ("",))
        first = 0
        if site.word in ("partial", "partialmethod") and call.args:
            callees, first, arguments = tuple(self.places(call.args[0], scope)), 1, call.args
        if not callees or self._drops(func, scope):
            return
        before = self._before(func) if not first else (0, 1)
        given = self.given.get(id(call))
        result = (given, CALL if first else "") if given is not None else None
        is_spread = False
        for slot, argument in enumerate(arguments):
            is_spread = is_spread or isinstance(argument, ast.Starred)
            if slot >= first:
                self._pass(argument, scope, Argument(callees, slot - first, is_spread, before, result))
        for keyword in call.keywords:
            self._pass(keyword.value, scope, Argument(callees, keyword.arg or "", keyword.arg is None, before, result))

    def _drops(self, func: ast.expr, scope: Scope) -> bool:
        """Return whether a builtin is called that neither calls, keeps nor returns its arguments."""
        if not isinstance(func, ast.Name) or func.id not in DROPPING or scope.home(func.id) is not None:
            return False
        return not any(each.stars for each in scope.enclosing())

    # --- parameters

    def parameters(
        self, function: Scope, slot: Union[int, str], is_spread: bool, before: Optional[tuple[int, ...]], is_open: bool
    ) -> tuple[tuple[Union[str, Node], str], ...]:
        """Return the parameters of a function to which a positional or keyword argument may bind.

        `before`: see Argument; None where the function is held under another name. `is_open`: others may come before.
        """
        key = (id(function), slot, is_spread, before, is_open)
        known = self._parameters.get(key)
        if known is None:
            known = self._parameters[key] = tuple(self._parameters_of(function, slot, is_spread, before, is_open))
        return known

    def _parameters_of(
        self, function: Scope, slot: Union[int, str], is_spread: bool, before: Optional[tuple[int, ...]], is_open: bool
    ) -> Iterator[tuple[Union[str, Node], str]]:
        args: ast.arguments = function.node.args  # type: ignore[union-attr]
        slots = positional(function)
        found: list[tuple[ast.arg, str]] = []
        if isinstance(slot, int):
            if not function.is_method:
                before = (0,)
            elif before == ():  # a method is not called by its name alone
                return
            shifts = (0, 1) if before is None else before
            end = slot + shifts[-1] + 1
            last = len(slots) if is_spread or is_open else end
            found.extend((each, "") for each in slots[slot + shifts[0] : last])
            if args.vararg is not None and (end > len(slots) or last > end):
                found.append((args.vararg, ELEMENT))
        else:
            found.extend((each, "") for each in (*slots, *args.kwonlyargs) if is_spread or each.arg == slot)
            if args.kwarg is not None and (is_spread or not found):
                found.append((args.kwarg, ELEMENT))
                if slot:
                    yield slot, ""
        for parameter, way in found:
            variable = self.locals.get((id(function), parameter.arg))
            if variable is not None:
                yield variable, way

    def _before(self, func: ast.expr) -> tuple[int, ...]:
        """Return the numbers of parameters that may be bound before the first argument; none for other functions."""
        if isinstance(func, ast.Name):
            return (0, 1) if self.is_assigned(func.id) else ()
        base = func.value if isinstance(func, ast.Attribute) else None
        word = word_of(base) if base is not None else ""
        may_be_class = word[:1].isupper() or word.lstrip("_")[:1].isupper() or word in self.module.imported
        return (0, 1) if base is None or may_be_class or word in self.module.defined else (1,)

    def is_assigned(self, name: str) -> bool:
        """Return whether the module assigns a name that it also defines or imports."""
        bindings = self.module.scope.bindings.get(name, ())
        return any(binding.kind not in ("function", "class", "import", "from") for binding in bindings)

    def _pass(self, argument: ast.expr, scope: Scope, how: Argument) -> None:
        places = self.spread(argument, scope) if how.slot == "" else self.places(argument, scope)
        if isinstance(argument, ast.Starred):
            places = taken(places)
        for node, path in places:
            node.passes = more(node.passes, (path, how))

    def _entered(self, site: Site, call: ast.Call) -> Iterator[Place]:
        """Yield the functions that a call enters; for `super().__init__(...)` and `Base.__init__(...)` of the bases."""
        if site.word != INIT or not isinstance(call.func, ast.Attribute):
            yield from self.places(call.func, site.scope)
            return
        above, cls = call.func.value, site.scope.owner.parent
        if isinstance(above, ast.Call) and cls is not None and isinstance(cls.node, ast.ClassDef):
            for base in cls.node.bases:
                yield from self.places(base, cls.parent or cls)
        else:
            yield from self.places(above, site.scope)


def _names(node: ast.expr) -> list[str]:
    if isinstance(node, (ast.List, ast.Tuple)):
        return [text_of(each) for each in node.elts]
    return text_of(node).replace(",", " ").split()
