"""The assignment graph of one file: where names, attributes, parameters, elements and results get what they hold.

A flow-insensitive points-to by words. A node is a variable of a function, or a word that all files share: a name of a
module, an attribute, a key. A path says what is taken out of what a node holds: CALL its result, ELEMENT an element.
It finds more than there is, never less than the evaluator knows: it only chooses what the evaluator is asked about.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Optional, Union

from ms_perflint.records import NamedTuple
from ms_perflint.semantics.forms import is_decorated, word_of
from ms_perflint.semantics.module import COMPREHENSIONS, Binding, Module, Scope, Site
from ms_perflint.semantics.parameters import is_method, positional

CALL, ELEMENT = "c", "e"  # steps of a path; an element of an element is an element
DEPTH = 4  # steps of a path that are told apart
ANY = "*"  # the word of what is found by a name that is worked out
OWN = "*self"  # the same, of the object of a method
PROPERTIES = ("property", "cached_property", "lazy_property")
INIT = "__init__"
ENTERED = {"__call__": CALL, "construct": CALL, "forward": CALL, "__getitem__": ELEMENT, "__iter__": "", "__next__": ""}
# By last words. Calls that give what they are given first, or a container of the same elements
PASSES = frozenset(
    {
        "copy", "deepcopy", "list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "enumerate", "zip",
        "map", "filter", "chain", "cycle", "islice", "vars", "to_container", "to_object", "partial", "staticmethod",
        "jit", "ms_function", "data_sink",
    }
)  # fmt: skip
MAKES = frozenset(
    {
        "dict", "OrderedDict", "defaultdict", "deque", "SimpleNamespace", "Namespace", "create", "merge",
        "EasyDict", "edict", "AttrDict", "DotDict", "Munch", "munchify", "DefaultMunch", "ConfigDict", "Dict",
        "CfgNode", "CN", "CellList", "SequentialCell", "CellDict",
    }
)  # fmt: skip
SELVES = frozenset(
    {
        "to_float", "set_train", "shard", "add_prim_attr", "set_grad", "add_flags", "add_flags_recursive", "set_boost",
        "update_parameters_name", "set_comm_fusion", "to", "copy", "clone", "values", "items", "keys", "recompute",
    }
)  # fmt: skip
TAKES = frozenset({"get", "pop", "popitem", "setdefault", "next", "popleft", "__getitem__"})
ADDS = frozenset({"append", "extend", "insert", "add", "update", "setdefault", "appendleft", "insert_child_to_cell"})
NAMESPACES = frozenset({"globals", "locals", "vars", "__dict__"})


class Node:
    """A variable of a function, or what one file says of a word."""

    __slots__ = ("flows", "functions", "key", "passes", "sites")

    def __init__(self, word: Optional[str] = None) -> None:
        self.key: Union[str, Node] = self if word is None else word
        self.flows: list[tuple[str, Node, str]] = []  # path here, the node that gets it, and as what of it
        self.passes: list[tuple[str, Argument]] = []
        self.sites: list[tuple[str, Site]] = []  # the calls of it
        self.functions: list[Scope] = []  # functions, lambdas and classes that are defined under it


Place = tuple[Node, str]


class Argument(NamedTuple):
    """One argument of a call: for which parameters it is passed depends on what the callee is."""

    callees: tuple[Place, ...]
    slot: Union[int, str]  # a position or a keyword
    is_spread: bool = False  # also for later positions, or for any keyword: `*x`, `**x`
    before: tuple[int, ...] = (0, 1)  # how many parameters a method may be given before the first argument
    result: Optional[tuple[Node, str]] = None  # what gets it where the callee returns it as it is


class Assignments:
    """The assignment graph of one file."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.words: dict[str, Node] = {}
        self.locals: dict[tuple[int, str], Node] = {}  # by the scope and the name
        self.returned: set[Node] = set()  # parameters that are returned as they are
        self.fields: dict[str, list[str]] = {}  # of named tuples
        self.lambdas: dict[int, Node] = {}
        self.callees: dict[int, tuple[Place, ...]] = {}  # by the identity of a call: what it enters
        self._displays: dict[int, Node] = {}
        self._given: dict[int, Node] = {}  # by a call whose result is used: the arguments that it gives back
        self._results: dict[int, list[Place]] = {}
        self._homes: dict[tuple[int, str], Node] = {}
        for scope in module.scopes:
            self._scope(scope)
        for stores in module.stored.values():
            for binding in stores:
                self._stored(binding)
        for table in module.registered.values():
            for target, value, block in table:
                self._into(target.value, self.places(value, block.scope), block.scope)
        for site in module.sites:
            if isinstance(site.node, ast.Call):
                self._site(site, site.node)
        self._displays.clear()
        self._given.clear()
        self._results.clear()
        self._homes.clear()

    # --- nodes

    def word(self, word: str) -> Node:
        """Return the node of a word that all files share."""
        found = self.words.get(word)
        if found is None:
            found = self.words[word] = Node(word)
        return found

    def variable(self, scope: Scope, name: str) -> Node:
        """Return the node of a name that a scope binds: its own in functions, the word in modules and classes."""
        if scope.is_class or scope.parent is None:
            return self.word(name)
        key = (id(scope), name)
        found = self.locals.get(key)
        if found is None:
            found = self.locals[key] = Node()
        return found

    def name(self, name: str, scope: Scope) -> Node:
        """Return the node of a name where it is read."""
        key = (id(scope), name)
        found = self._homes.get(key)
        if found is None:
            home = scope.home(name)
            found = self._homes[key] = self.word(name) if home is None else self.variable(home, name)
        return found

    def of_function(self, scope: Scope) -> Node:
        """Return the node under which a function, class or lambda is defined."""
        if isinstance(scope.node, ast.Lambda):
            return self._lambda(scope.node)
        assert scope.parent is not None
        return self.variable(scope.parent, scope.name)

    def _lambda(self, node: ast.Lambda) -> Node:
        found = self.lambdas.get(id(node))
        if found is None:
            found = self.lambdas[id(node)] = Node()
        return found

    def _display(self, node: ast.expr) -> Node:
        found = self._displays.get(id(node))
        if found is None:
            found = self._displays[id(node)] = Node()
        return found

    # --- expressions

    def places(self, node: Optional[ast.expr], scope: Scope) -> list[Place]:
        """Return the nodes and paths that stand for what an expression may be."""
        kind = type(node)
        if node is None or kind is ast.Constant:
            return []
        if kind is ast.Name:
            return [(self.name(node.id, scope), "")]  # type: ignore[attr-defined]
        if kind is ast.Attribute:
            return [(self.word(node.attr), "")]  # type: ignore[attr-defined]
        if isinstance(node, ast.Call):
            known = self._results.get(id(node))
            if known is None:
                known = self._results[id(node)] = self._called(node, scope)
            return known
        if isinstance(node, ast.Subscript):
            return self._subscript(node, scope)
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return self._elements(node, node.elts, scope)
        if isinstance(node, ast.Dict):
            return self._entries(node, zip(node.keys, node.values), scope)
        if isinstance(node, ast.IfExp):
            return [*self.places(node.body, scope), *self.places(node.orelse, scope)]
        if isinstance(node, ast.BoolOp):
            return [place for value in node.values for place in self.places(value, scope)]
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.BitOr, ast.Mult)):
            return self._joined_lists(node, scope)
        if isinstance(node, (ast.NamedExpr, ast.Await, ast.Starred)):
            return self.places(node.value, scope)
        if isinstance(node, ast.Lambda):
            return [(self._lambda(node), "")]
        if isinstance(node, COMPREHENSIONS):
            return self._comprehension(node)
        return []

    def _called(self, node: ast.Call, scope: Scope) -> list[Place]:
        """Return what a call may give: a result, what it is given, or an element of that."""
        func = node.func
        word = word_of(func)
        if word == "getattr" and len(node.args) > 1:
            is_own = isinstance(node.args[0], ast.Name) and node.args[0].id == "self"
            computed = OWN if is_own else ANY
            return [(self.word(_text(node.args[1]) or computed), ""), *self.places(node.args[-1], scope)]
        found = [(each, joined(path, CALL)) for each, path in self.places(func, scope)]
        if node.args or node.keywords:
            found.append((self._given.setdefault(id(node), Node()), ""))
        if word in PASSES:
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                found.extend(self.places(argument, scope))
        if word in MAKES:
            made = self._display(node)
            found.append((made, ""))
            self._flow((place for argument in node.args for place in self.places(argument, scope)), made, ("", ELEMENT))
            for keyword in node.keywords:
                self._entry(made, keyword.arg, self.places(keyword.value, scope))
        if isinstance(func, ast.Attribute):
            if word in SELVES:
                found.extend(self.places(func.value, scope))
            if word in TAKES:
                found.extend(_taken(self.places(func.value, scope)))
                found.extend((self.word(key), "") for key in (_text(each) for each in node.args[:1]) if key)
                found.extend(place for default in node.args[1:] for place in self.places(default, scope))
        elif word in TAKES:
            found.extend(_taken(place for argument in node.args for place in self.places(argument, scope)))
        return found

    def _subscript(self, node: ast.Subscript, scope: Scope) -> list[Place]:
        base = node.value
        named = word_of(base.func if isinstance(base, ast.Call) else base)
        key = _text(node.slice) if isinstance(node.slice, ast.expr) else ""
        if named in NAMESPACES:
            return [(self.word(key or ANY), "")]
        found = self.places(base, scope)
        if isinstance(node.slice, ast.Slice):
            return found
        return [*_taken(found), *([(self.word(key), "")] if key else [])]

    def _elements(self, node: ast.expr, elements: Iterable[ast.expr], scope: Scope) -> list[Place]:
        made = self._displays.get(id(node))
        if made is None:
            made = self._display(node)
            for element in elements:
                as_what = "" if isinstance(element, ast.Starred) else ELEMENT
                self._flow(self.places(element, scope), made, (as_what,))
        return [(made, "")]

    def _joined_lists(self, node: ast.BinOp, scope: Scope) -> list[Place]:
        """Return what `first + second` may be: a container of the elements of both; a number holds nothing."""
        made = self._displays.get(id(node))
        if made is None:
            made = self._display(node)
            for side in (node.left, node.right):
                self._flow(_taken(self.places(side, scope)), made, (ELEMENT,))
        return [(made, "")]

    def _entries(
        self, node: ast.Dict, entries: Iterable[tuple[Optional[ast.expr], ast.expr]], scope: Scope
    ) -> list[Place]:
        made = self._displays.get(id(node))
        if made is None:
            made = self._display(node)
            for key, value in entries:
                places = self.places(value, scope)
                if key is None:
                    self._flow(places, made, ("",))
                    continue
                self._entry(made, _text(key), places)
                self._flow(self.places(key, scope), made, (ELEMENT,))
        return [(made, "")]

    def _entry(self, made: Node, key: Optional[str], places: list[Place]) -> None:
        """Let a container get a value under a key; None: the entries of another one."""
        self._flow(places, made, ("",) if key is None else (ELEMENT,))
        if key:
            self._flow(places, self.word(key), ("",))

    def _comprehension(self, node: ast.expr) -> list[Place]:
        made = self._displays.get(id(node))
        if made is None:
            made = self._display(node)
            inner = self.module.scope_of.get(id(node))
            if inner is not None:
                value = node.value if isinstance(node, ast.DictComp) else node.elt  # type: ignore[attr-defined]
                self._flow(self.places(value, inner), made, (ELEMENT,))
        return [(made, "")]

    @staticmethod
    def _flow(places: Iterable[Place], target: Node, ways: tuple[str, ...]) -> None:
        for node, path in places:
            for way in ways:
                if node is not target or path != way:
                    node.flows.append((path, target, way))

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
                self._flow([(self.word(alias.name), "")], self.variable(scope, name), ("",))
        elif kind == "parameter" and value is not None and scope.parent is not None:
            self._flow(self.places(value, scope.parent), self.variable(scope, name), ("",))
        elif kind == "augment" and isinstance(binding.stmt, ast.AugAssign):
            self._flow(_taken(self.places(binding.stmt.value, binding.scope)), self.variable(scope, name), (ELEMENT,))
        elif value is not None and kind != "parameter":
            self._assigned(binding, self.variable(scope, name))

    def _assigned(self, binding: Binding, target: Node) -> None:
        """Let a target get what an assignment, loop or `with` gives it."""
        value, path = binding.value, binding.path
        while path and isinstance(value, (ast.Tuple, ast.List)) and binding.kind != "for":
            if path[0] >= len(value.elts) or any(isinstance(each, ast.Starred) for each in value.elts[: path[0] + 1]):
                break
            value, path = value.elts[path[0]], path[1:]
        if value is None and isinstance(binding.stmt, ast.Assign):  # `first, *rest = values`
            value = binding.stmt.value
        places = self.places(value, binding.scope)
        if binding.kind == "with":
            self._flow(_taken(places), target, ("",))
            self._flow([(self.word("__enter__"), CALL)], target, ("",))
        if path or binding.kind == "for":
            places = _taken(places)
        self._flow(places, target, ("",))
        if isinstance(value, ast.Call) and word_of(value.func) == "namedtuple" and isinstance(target.key, str):
            self.fields[target.key] = _names(value.args[1]) if len(value.args) > 1 else []

    def _stored(self, binding: Binding) -> None:
        """Let an attribute, or an entry of a container, get what `name.x = value` and `name["x"] = value` give."""
        self._assigned(binding, self.word(binding.name))
        target = binding.node
        if isinstance(target, ast.Subscript):
            self._into(target.value, self.places(binding.value, binding.scope), binding.scope)

    def _into(self, container: ast.expr, places: list[Place], scope: Scope, way: str = ELEMENT) -> None:
        """Let a container get elements, and what it was taken from."""
        for node, path in self.places(container, scope):
            self._flow(places, node, (joined(path, way),))
            if path == "":
                self._back(node, container, scope)

    def _back(self, node: Node, container: ast.expr, scope: Scope) -> None:
        """Let what a container was assigned from get its elements too: it is the same container."""
        home = scope.home(container.id) if isinstance(container, ast.Name) else None
        for binding in home.bindings[container.id] if home is not None else ():  # type: ignore[attr-defined]
            if binding.kind == "assign" and not binding.path:
                for other, path in self.places(binding.value, binding.scope):
                    if other is not node:
                        node.flows.append((ELEMENT, other, joined(path, ELEMENT)))

    def _function(self, function: Scope) -> None:
        node = self.of_function(function)
        node.functions.append(function)
        is_property = is_decorated(function.node, *PROPERTIES)
        ways: list[tuple[Node, str]] = [(node, CALL)]
        cls = function.parent
        if cls is not None and cls.is_class:
            if is_property:
                ways.append((node, ""))
            if function.name in ENTERED:
                ways.append((self.of_function(cls), joined(CALL, ENTERED[function.name])))
            first = positional(function)[:1]
            if first:
                path = "" if is_decorated(function.node, "classmethod") else CALL
                self._flow([(self.of_function(cls), path)], self.variable(function, first[0].arg), ("",))
        for returned, suffix in ((function.returns, ""), (function.yields, ELEMENT)):
            for value, block in returned:
                names: set[str] = set()
                back = self._given_back(function, value, names) if not suffix else None
                if back is not None:
                    self.returned.update(self.variable(function, name) for name in names)
                places = self.places(value, block.scope) if back is None else back
                for target, way in ways:
                    self._flow(places, target, (joined(way, suffix),))
        self._decorated(function, node)

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
        if not isinstance(value, ast.Call):
            return None
        found = [(node, joined(path, CALL)) for node, path in self.places(value.func, function)]
        for argument in (*value.args, *(keyword.value for keyword in value.keywords)):
            inner = self._given_back(function, argument, seen)
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
        if is_method(function) and positional(function)[:1] == [first.node]:
            return None
        found: list[Place] = []
        if value.id not in seen:
            seen.add(value.id)
            for binding in bindings[1:]:
                inner = None
                if binding.kind == "assign" and binding.value is not None and not binding.path:
                    inner = self._given_back(function, binding.value, seen)
                if inner is None:
                    return None
                found.extend(inner)
        return found

    def _class(self, cls: Scope) -> None:
        node = self.of_function(cls)
        node.functions.append(cls)
        assert isinstance(cls.node, ast.ClassDef) and cls.parent is not None
        for base in cls.node.bases:
            self._flow([(each, joined(path, CALL)) for each, path in self.places(base, cls.parent)], node, (CALL,))
        self._decorated(cls, node)

    def _decorated(self, scope: Scope, node: Node) -> None:
        """Pass a function or class to its decorators; its name gets what they give."""
        for decorator in getattr(scope.node, "decorator_list", ()):
            assert scope.parent is not None
            callees = tuple(self.places(decorator, scope.parent))
            if callees:
                node.passes.append(("", Argument(callees, 0)))
                self._flow([(each, joined(path, CALL)) for each, path in callees], node, ("",))

    # --- calls

    def _site(self, site: Site, call: ast.Call) -> None:
        scope = site.scope
        callees = tuple(self._entered(site, call))
        self.callees[id(call)] = callees
        for node, path in callees:
            node.sites.append((path, site))
        arguments: Iterable[ast.expr] = call.args
        func = call.func
        if isinstance(func, ast.Attribute) and site.word in ADDS and call.args:
            way = "" if site.word in ("extend", "update") else ELEMENT
            self._into(func.value, self.places(call.args[-1], scope), scope, way)
        if isinstance(func, ast.Attribute) and site.word == "update":
            for keyword in call.keywords:
                self._into(func.value, self.places(keyword.value, scope), scope)
        first = 0
        if site.word == "partial" and call.args:
            callees, first, arguments = tuple(self.places(call.args[0], scope)), 1, call.args
        if not callees:
            return
        before = self._before(func) if not first else (0, 1)
        given = self._given.get(id(call))
        result = (given, CALL if first else "") if given is not None else None
        is_spread = False
        for slot, argument in enumerate(arguments):
            is_spread = is_spread or isinstance(argument, ast.Starred)
            if slot >= first:
                self._pass(argument, scope, Argument(callees, slot - first, is_spread, before, result))
        for keyword in call.keywords:
            self._pass(keyword.value, scope, Argument(callees, keyword.arg or "", keyword.arg is None, before, result))

    def _before(self, func: ast.expr) -> tuple[int, ...]:
        """Return how many parameters a method may be given before the first argument; none where it is no method."""
        if isinstance(func, ast.Name):
            return ()
        base = func.value if isinstance(func, ast.Attribute) else None
        word = word_of(base) if base is not None else ""
        may_be_class = word[:1].isupper() or word.lstrip("_")[:1].isupper() or word in self.module.imported
        return (0, 1) if base is None or may_be_class or word in self.module.defined else (1,)

    def _pass(self, argument: ast.expr, scope: Scope, how: Argument) -> None:
        places = self.places(argument, scope)
        if isinstance(argument, ast.Starred) or how.slot == "":
            places = _taken(places)
        for node, path in places:
            node.passes.append((path, how))

    def _entered(self, site: Site, call: ast.Call) -> Iterator[Place]:
        """Yield what a call enters: of `super().__init__(...)` and `Base.__init__(...)` the bases."""
        if site.word != INIT or not isinstance(call.func, ast.Attribute):
            yield from self.places(call.func, site.scope)
            return
        above, cls = call.func.value, site.scope.owner.parent
        if isinstance(above, ast.Call) and cls is not None and isinstance(cls.node, ast.ClassDef):
            for base in cls.node.bases:
                yield from self.places(base, cls.parent or cls)
        else:
            yield from self.places(above, site.scope)


def joined(path: str, then: str) -> str:
    """Return a path with more steps behind it."""
    if path[-1:] == ELEMENT == then[:1]:
        then = then[1:]
    return (path + then)[:DEPTH]


def left(path: str, taken: str) -> tuple[str, ...]:
    """Return what is left of a path where a part of it is taken; none where it is another path."""
    if not taken:
        return (path,)
    if not path.startswith(taken):
        return ()
    rest = path[len(taken) :]
    return (rest, ELEMENT + rest) if taken[-1] == ELEMENT else (rest,)


def _taken(places: Iterable[Place]) -> list[Place]:
    return [(node, joined(path, ELEMENT)) for node, path in places]


def _text(node: Optional[ast.expr]) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _names(node: ast.expr) -> list[str]:
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_text(each) for each in node.elts]
    return _text(node).replace(",", " ").split()
