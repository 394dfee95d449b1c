"""The places of the expressions of one file in the assignment graph, and calls that return or call their arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cached_property
from typing import Optional

from ms_perflint.index.semantic_index import COMPREHENSIONS, Binding, Scope, SemanticIndex
from ms_perflint.index.signature import Read
from ms_perflint.index.syntax_forms import given, object_of, text_of, word_of
from ms_perflint.infer.direct_imports import imports, outside, passing
from ms_perflint.infer.nodes import ANY, CALL, ELEMENT, KEY, OWN, Argument, Node, Place, more, results, taken

INIT = "__init__"
ENTERED = {
    "__call__": CALL,
    "construct": CALL,
    "forward": CALL,
    "__getitem__": ELEMENT,
    "__iter__": "",
    "__next__": ELEMENT,
}
# By last words. Calls that give what they are given first, or a container of the same elements
PASSES = frozenset(
    {
        "copy", "deepcopy", "list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "enumerate", "zip",
        "map", "filter", "chain", "cycle", "islice", "product", "repeat", "zip_longest",
        "vars", "to_container", "to_object", "partial", "partialmethod", "staticmethod",
        "jit", "ms_function", "data_sink", "from_iterable", "run_until_complete", "nullcontext", "ib", "attrib",
    }
)  # fmt: skip
MAKES = frozenset(
    {
        "dict", "OrderedDict", "defaultdict", "deque", "SimpleNamespace", "Namespace", "create", "merge",
        "EasyDict", "edict", "AttrDict", "DotDict", "Munch", "munchify", "DefaultMunch", "ConfigDict", "Dict",
        "CfgNode", "CN", "CellList", "SequentialCell", "CellDict", "fromkeys",
    }
)  # fmt: skip
SELVES = frozenset(
    {
        "to_float", "set_train", "shard", "add_prim_attr", "set_grad", "add_flags", "add_flags_recursive", "set_boost",
        "update_parameters_name", "set_comm_fusion", "to", "copy", "clone", "values", "items", "keys", "recompute",
        "result",
    }
)  # fmt: skip
TAKES = frozenset({"get", "pop", "popitem", "setdefault", "next", "popleft", "__getitem__"})
# Methods of containers, by what they do: the one list of them
APPENDS = frozenset({"append", "appendleft", "extend", "extendleft", "insert"})  # of a list or queue
GROWS = APPENDS | {"add"}  # which is also a function of modules: `ops.add(x, y)`
UPDATES = frozenset({"update", "setdefault"})  # of a mapping
SHRINKS = frozenset({"pop", "popitem", "popleft", "clear", "remove", "discard"})
ORDERS = frozenset({"reverse", "rotate", "sort"})
ADDS = GROWS | UPDATES | {"insert_child_to_cell"}
RECORDS = frozenset({"asdict", "_asdict", "model_dump"})  # calls that make a mapping of what a record holds
FACTORIES = frozenset({"factory", "default_factory"})  # keywords for what is called to make a default
SUBMITS = frozenset({"submit", "apply_async"})
ENTERS = frozenset({"enter_context", "enter_async_context"})
PLAIN = PASSES | MAKES | {"wraps", "namedtuple"}  # of modules of Python, what is known more closely
DISPLAYS = (ast.List, ast.Tuple, ast.Set, ast.Dict, *COMPREHENSIONS)
JOINS = (ast.Add, ast.BitOr, ast.Mult)  # operators that make a container of two
NAMESPACES = frozenset({"globals", "locals", "vars", "__dict__"})
HOLDING = RECORDS | MAKES | NAMESPACES | {"map"}  # calls that may make a container


def is_drawn(store: Binding) -> bool:
    """Return whether the graph draws a store deep inside of objects: of an attribute, or of a function by its name."""
    is_named = isinstance(store.value, ast.Name) and store.value.id in store.scope.module.named
    return is_named or isinstance(store.node, ast.Attribute) or isinstance(store.value, ast.Lambda)


def is_this_file(node: ast.expr) -> bool:
    """Return whether an expression is the module around it: `sys.modules[__name__]`."""
    of_name = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name) and node.slice.id == "__name__"
    return of_name and word_of(node.value) == "modules"  # type: ignore[attr-defined]


class Places:
    """The nodes of one file, and the places of its expressions."""

    def __init__(self, module: SemanticIndex) -> None:
        self.module = module
        self.words: dict[str, Node] = {}
        self.locals: dict[tuple[int, str], Node] = {}  # by the scope and the name
        self.lambdas: dict[int, Node] = {}
        self.starred: Optional[Node] = None  # `own_names`, where star imports add to them
        self.given: dict[int, Node] = {}  # by a call whose result is used: the arguments that it gives back
        self._nodes: list[Node] = []
        self._displays: dict[int, Node] = {}
        self._results: dict[int, list[Place]] = {}
        self._homes: dict[tuple[int, str], Node] = {}
        self._outside = imports(module)
        self._passing = passing(module)

    def settle(self) -> None:
        """Drop what only the construction of the graph needs."""
        self._displays.clear()
        self.given.clear()
        self._results.clear()
        self._homes.clear()

    def close(self) -> None:
        """Cut the cycles between nodes, so that memory is released without the garbage collector."""
        for node in self._nodes:
            node.close()
        self._nodes.clear()

    # --- nodes

    def _made(self, word: Optional[str] = None) -> Node:
        node = Node(word)
        self._nodes.append(node)
        return node

    def word(self, word: str) -> Node:
        """Return the node of a word, which all files share."""
        found = self.words.get(word)
        if found is None:
            found = self.words[word] = self._made(word)
        return found

    def variable(self, scope: Scope, name: str) -> Node:
        """Return the node of a name that a scope binds: a variable in functions, else the word."""
        if scope.is_class or scope.parent is None:
            return self.word(name)
        key = (id(scope), name)
        found = self.locals.get(key)
        if found is None:
            found = self.locals[key] = self._made()
        return found

    def name(self, name: str, scope: Scope) -> Node:
        """Return the node of a name where it is read."""
        key = (id(scope), name)
        found = self._homes.get(key)
        if found is None:
            home = scope.home(name)
            if home is not None and home.parent is None and name in self._outside:
                found = self.word(self._outside[name][1])
            else:
                found = self.word(name) if home is None else self.variable(home, name)
            self._homes[key] = found
        return found

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Node:
        """Return the node of an attribute: of what is outside of the project its canonical name, else its word."""
        base: ast.expr = node
        while isinstance(base, ast.Attribute):
            base = base.value
        is_outside = isinstance(base, ast.Name) and base.id in self._outside
        value = outside(node, scope) if is_outside else None
        return self.word(value.alternatives[0].api if value is not None else node.attr)

    def of_function(self, scope: Scope) -> Node:
        """Return the node under which a function, class or lambda is defined."""
        if isinstance(scope.node, ast.Lambda):
            return self._lambda(scope.node)
        assert scope.parent is not None
        return self.variable(scope.parent, scope.name)

    def _lambda(self, node: ast.Lambda) -> Node:
        found = self.lambdas.get(id(node))
        if found is None:
            found = self.lambdas[id(node)] = self._made()
        return found

    def _display(self, node: ast.expr) -> Node:
        found = self._displays.get(id(node))
        if found is None:
            found = self._displays[id(node)] = self._made()
        return found

    # --- expressions

    def places(self, node: Optional[ast.expr], scope: Scope) -> list[Place]:
        """Return the places of an expression."""
        kind = type(node)
        if node is None or kind is ast.Constant:
            return []
        if kind is ast.Name:
            return [(self.name(node.id, scope), "")]  # type: ignore[attr-defined]
        if isinstance(node, ast.Attribute):
            return [(self._attribute(node, scope), "")]
        if isinstance(node, ast.Call):
            known = self._results.get(id(node))
            if known is None:
                known = self._results[id(node)] = self._called(node, scope)
            return known
        if isinstance(node, ast.Subscript):
            return self._subscript(node, scope)
        if isinstance(node, DISPLAYS) or (isinstance(node, ast.BinOp) and isinstance(node.op, JOINS)):
            return self._shown(node, scope)
        if isinstance(node, ast.IfExp):
            return [*self.places(node.body, scope), *self.places(node.orelse, scope)]
        if isinstance(node, ast.BoolOp):
            return [place for value in node.values for place in self.places(value, scope)]
        if isinstance(node, Read):
            return taken(self.places(node.part.node, node.part.scope))
        if isinstance(node, (ast.NamedExpr, ast.Await, ast.Starred)):
            return self.places(node.value, scope)
        return [(self._lambda(node), "")] if isinstance(node, ast.Lambda) else []

    def _called(self, node: ast.Call, scope: Scope) -> list[Place]:
        """Return the places of the result of a call: results, arguments, or elements of these."""
        func = node.func
        word = word_of(func)
        if word == "getattr" and len(node.args) > 1:
            named = text_of(node.args[1])
            found = [(self.word(named), "")] if named else self._computed(node.args[0])
            return [*found, *(place for default in node.args[2:] for place in self.places(default, scope))]
        if word == "eval" and len(node.args) == 1:
            text = text_of(node.args[0]).rpartition(".")[2]
            return [(self.word(text) if text else self.own_names, "")]
        found = results(self.places(func, scope))
        if node.args or node.keywords:
            found.append((self.given.setdefault(id(node), self._made()), ""))
        if word in PASSES:
            for argument in given(node):
                found.extend(self.places(argument, scope))
        for keyword in node.keywords:
            if keyword.arg in FACTORIES:
                found.extend(results(self.places(keyword.value, scope)))
        if word in HOLDING:
            found.extend(self._filled(node, word, scope))
        if word == "reduce" and word_of(node.args[0] if node.args else node) == "getattr":
            found.extend(self._computed(node.args[-1]))
        if word in SUBMITS:  # what waits for the result gives it: `pool.submit(make).result()`
            found.extend(results(place for argument in node.args[:1] for place in self.places(argument, scope)))
        if word == "property":
            found.extend(results(place for argument in node.args for place in self.places(argument, scope)))
        if word in ENTERS:
            found.extend(self.entered(place for argument in node.args for place in self.places(argument, scope)))
        calls = self._calls_given(node) if word not in PLAIN else None
        if calls is not None:
            found.extend(self._handed(node, scope, calls))
        if isinstance(func, ast.Attribute):
            if word in SELVES:
                found.extend(self.places(func.value, scope))
            if word in TAKES:
                found.extend(taken(self.places(func.value, scope)))
                found.extend(self.places(func.value, scope) if word == "get" and not node.args else ())
                found.extend((self.word(KEY + key), "") for key in (text_of(each) for each in node.args[:1]) if key)
                found.extend(place for default in node.args[1:] for place in self.places(default, scope))
        elif word in TAKES or word in ("min", "max", "sum"):  # `sum(lists, [])`
            found.extend(taken(place for argument in node.args for place in self.places(argument, scope)))
        return found

    def _filled(self, node: ast.Call, word: str, scope: Scope) -> list[Place]:
        """Return the place of the container that a call makes, and let its elements flow into it; none of others."""
        is_own = word in NAMESPACES and not node.args and self._is_of_file(word, scope)
        is_local = word == "locals" and not node.args and scope.is_function
        if word not in RECORDS | MAKES and not (word == "map" and node.args) and not is_own and not is_local:
            return []
        made = self._display(node)
        if word in RECORDS:
            self.flow([(self.word(ANY), "")], made, (ELEMENT,))
        if node.args and word in ("map", "defaultdict"):
            self.flow(results(self.places(node.args[0], scope)), made, (ELEMENT,))
        if word in MAKES:
            self.flow((place for argument in node.args for place in self.places(argument, scope)), made, ("", ELEMENT))
            for keyword in node.keywords:
                self._entry(made, keyword.arg, self.places(keyword.value, scope))
        if is_own:
            self.flow([(self.own_names, "")], made, (ELEMENT,))
        for name in scope.bindings if is_local and not is_own else ():
            self._entry(made, name, [(self.variable(scope, name), "")])
        return [(made, "")]

    def spread(self, node: ast.expr, scope: Scope) -> list[Place]:
        """Return the places that `**node` may pass; for `vars(x)` and `x.__dict__` all members of the object."""
        held = object_of(node)
        return [*taken(self.places(node, scope)), *(self._computed(held) if held is not None else ())]

    def _computed(self, base: ast.expr) -> list[Place]:
        """Return the places of a member of an object under a computed name."""
        if is_this_file(base):
            return [(self.own_names, "")]
        return [(self.word(OWN if isinstance(base, ast.Name) and base.id == "self" else ANY), "")]

    @cached_property
    def own_names(self) -> Node:
        """Return the node of all names of the file; `value_flow` adds those of star imports."""
        made, scope = self._made(), self.module.scope
        self.flow([(self.name(name, scope), "") for name in scope.bindings], made, ("",))
        self.starred = made if scope.stars else None
        return made

    def entered(self, places: Iterable[Place]) -> list[Place]:
        """Return the places of the target of a `with`."""
        return [*taken(places), (self.word("__enter__"), CALL)]

    def _calls_given(self, func: ast.expr) -> Optional[bool]:
        """Return whether a call of a function of Python, or of its result, may call what it is given.

        None for other calls, and where the evaluator does not tell either: `itemgetter(*names)(table)`.
        """
        while isinstance(func, (ast.Attribute, ast.Call)):
            if isinstance(func, ast.Call) and any(isinstance(argument, ast.Starred) for argument in func.args):
                return None
            func = func.value if isinstance(func, ast.Attribute) else func.func
        return self._passing.get(func.id) if isinstance(func, ast.Name) else None

    def _handed(self, node: ast.Call, scope: Scope, calls: bool) -> list[Place]:
        """Return the possible results of a function of Python: its arguments, or parts of them (`itemgetter`).

        If it `calls` its arguments with each other, also their results, in any order. A text is the name of a part.
        """
        places = [place for argument in given(node) for place in self.places(argument, scope)]
        named: list[Place] = [(self.word(text.rpartition(".")[2]), "") for text in map(text_of, node.args) if text]
        if not places and not named:
            return []
        made = self._display(node)
        self.flow(taken(places) if isinstance(node.func, ast.Call) else places, made, ("",))
        self.flow((*named, *results(named)), made, (CALL,))  # `attrgetter("name")(holder)`, `methodcaller`
        if calls:
            self.flow(places, made, (ELEMENT,))
            self.flow([(made, CALL)], made, ("", ELEMENT))
            self.flow([(made, ELEMENT)], made, ("",))
            made.passes = more(made.passes, ("", Argument(((made, ""),), 0, True, (0, 1), (made, ""))))
        return [(made, "")]

    def _subscript(self, node: ast.Subscript, scope: Scope) -> list[Place]:
        base = node.value
        named = word_of(base.func if isinstance(base, ast.Call) else base)
        key = text_of(node.slice) if isinstance(node.slice, ast.expr) else ""
        if named in NAMESPACES:
            is_of_file = self._is_of_file(named, scope)
            return [(self.word(key), "")] if key else [(self.own_names if is_of_file else self.word(ANY), "")]
        found = self.places(base, scope)
        if isinstance(node.slice, ast.Slice):
            return found
        own = self.module.defined.get(base.id, ()) if isinstance(base, ast.Name) else ()
        is_class = any(each.is_class for each in own) or (
            isinstance(base, ast.Name) and base.id in self.module.imported
        )
        found = [*found, *taken(found)] if is_class and not key else taken(found)  # `Class[int]` is that class
        return [*found, *([(self.word(KEY + key), "")] if key else [])]

    @staticmethod
    def _is_of_file(name: str, scope: Scope) -> bool:
        """Return whether a function of Python, called without arguments, gives the names of the file."""
        return name == "globals" or (name in ("locals", "vars") and scope.parent is None)

    def _shown(self, node: ast.expr, scope: Scope) -> list[Place]:
        """Return the container that an expression makes, with its elements; `first + second` has those of both."""
        if id(node) in self._displays:
            return [(self._displays[id(node)], "")]
        made = self._display(node)
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values):
                self._entry(made, None if key is None else text_of(key), self.places(value, scope))
                self.flow(self.places(key, scope), made, (ELEMENT,))
        elif isinstance(node, ast.BinOp):
            for side in (node.left, node.right):
                self.flow(taken(self.places(side, scope)), made, (ELEMENT,))
        elif isinstance(node, COMPREHENSIONS):
            value = node.value if isinstance(node, ast.DictComp) else node.elt
            self.flow(self.places(value, self.module.scope_of[id(node)]), made, (ELEMENT,))
        elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            if isinstance(node, ast.Tuple) and len(node.elts) == 2 and (named := text_of(node.elts[0])):
                self.flow(self.places(node.elts[1], scope), self.word(named), ("",))  # of pairs of keys and values
            for element in node.elts:
                as_what = "" if isinstance(element, ast.Starred) else ELEMENT
                self.flow(self.places(element, scope), made, (as_what,))
        return [(made, "")]

    def _entry(self, made: Node, key: Optional[str], places: list[Place]) -> None:
        """Let a container get a value under a key; None: the entries of another one."""
        self.flow(places, made, ("",) if key is None else (ELEMENT,))
        if key:
            self.flow(places, self.word(key), ("",))

    @staticmethod
    def flow(places: Iterable[Place], target: Node, ways: tuple[str, ...]) -> None:
        for node, path in places:
            for way in ways:
                if node is not target or path != way:
                    node.flows = more(node.flows, (path, target, way))
