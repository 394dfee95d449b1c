"""The call graph of a program by words: which call sites may enter a function, and where a value may be held.

It finds more than there is: each site is asked of the evaluator afterwards.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Union

from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.index.syntax_forms import word_of
from ms_perflint.infer.assignments import Assignments, graph_of
from ms_perflint.infer.places import ANY, CALL, INIT, OWN, Argument, Node, joined, left

if TYPE_CHECKING:
    from ms_perflint.program.program import Program

INSTANCE_METHODS = ("__call__", "construct", "forward")  # run when an object is called
Key = Union[str, Node]
State = tuple[Key, str]  # a node, and what of it is meant
States = dict[State, int]  # with the seeds that get there, as bits


class CallGraph:
    """The assignment graphs of the running modules of a program, as one. Questions are answered once."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._taken: dict[tuple[object, ...], tuple[State, ...]] = {}
        self._parameters: dict[tuple[int, Key, str], tuple[int, tuple[State, ...]]] = {}  # by argument and callee
        self._edges: dict[State, tuple[State, ...]] = {}  # the states that get what one has
        self._passing: dict[State, dict[State, None]] = {}  # callees, and the states that are passed to them
        self._callables: list[Key] = []  # those that are held under other names; the position is that of their bit

    @cached_property
    def _graphs(self) -> tuple[Assignments, ...]:
        return tuple(graph_of(module) for module in self.program.modules)

    # --- questions

    def sites(self, function: Scope) -> tuple[Site, ...]:
        """Return the call sites that may enter a function, or make an object of a class."""
        key = self.key(function)
        indirect = self._indirect.get(key, ()) if (key, "") in self._held else ()
        return tuple(dict.fromkeys((*self.direct_sites(function), *indirect, *self._by_any)))

    def direct_sites(self, function: Scope) -> list[Site]:
        """Return the call sites that may enter a function, or make an object of a class, under its own name."""
        sites = [site for node in self.nodes(self.key(function)) for path, site in node.sites if not path]
        if not function.is_method:
            return sites
        return [site for site in sites if not _is_by_name(site) or graph_of(site.module).is_assigned(site.word)]

    def named(self, site: Site) -> list[Scope]:
        """Return the functions and classes that are defined under the name that a call says."""
        is_name = _is_by_name(site)
        places = graph_of(site.module).callees.get(id(site.node), ())
        nodes = (node for callee, path in places if not path for node in self.nodes(callee.key))
        found = (function for node in nodes for function in node.functions)
        return [each for each in found if not (is_name and not each.is_class and each.is_method)]

    def is_indirect(self, site: Site) -> bool:
        """Return whether a call may enter a function or class that is held under another name."""
        places = graph_of(site.module).callees.get(id(site.node), ())
        return any((node.key, path) in self._functions for node, path in places)

    def instance_sites(self, cls: Scope) -> tuple[Site, ...]:
        """Return the call sites that may call an object of a class."""
        return tuple(self.sites_at(self.reach([(self.key(cls), CALL)], {})))

    def reach(self, seeds: Iterable[State], states: States) -> list[State]:
        """Add to states where a value may be held that some nodes hold, or something of theirs; return these."""
        found = [state for state in dict.fromkeys(seeds) if state not in states]
        states.update(dict.fromkeys(found, 1))
        for state in found:  # grows on the way
            for target in self._edges.get(state) or self._edges_of(state, self._functions):
                if target not in states:
                    states[target] = 1
                    found.append(target)
        return found

    def sites_at(self, states: Iterable[State]) -> list[Site]:
        """Return the sites that call just what is held there."""
        found: dict[Site, None] = {}
        for key, path in states:
            for node in self.nodes(key):
                for taken, site in node.sites:
                    if taken == path or (taken and "" in left(path, taken)):
                        found[site] = None
        return list(found)

    def may_run(self, function: Scope) -> bool:
        """Return whether a function or lambda may be called somewhere, or is passed to a call."""
        states = dict.fromkeys(self.reach([(self.key(function), "")], {}))
        passed = (path == taken for key, path in states for node in self.nodes(key) for taken, _ in node.passes)
        return any(passed) or bool(self.sites_at(states))

    def makers_at(self, states: Iterable[State]) -> Iterator[Site]:
        """Yield the sites that call what is held there, or what gives it when it is called."""
        for key, path in states:
            for node in self.nodes(key):
                for taken, site in node.sites:
                    if path.startswith(taken):
                        yield site

    def key(self, function: Scope) -> Key:
        """Return the key of the node under which a function or class is defined."""
        return graph_of(function.module).of_function(function).key

    # --- nodes

    @cached_property
    def _words(self) -> dict[str, list[Node]]:
        found: dict[str, list[Node]] = {}
        for graph in self._graphs:
            for word, node in graph.words.items():
                others = found.get(word)
                if others is None:
                    found[word] = [node]
                else:
                    others.append(node)
        return found

    def nodes(self, key: Key) -> list[Node]:
        """Return what the files of the program say of a word; of a variable its own node."""
        return self._words.get(key, []) if isinstance(key, str) else [key]

    @cached_property
    def _aliases(self) -> dict[Key, tuple[str, ...]]:
        """Return the other names under which files that do nothing else hand on a function or class."""
        found: dict[Key, dict[str, None]] = {}
        for module in self.program.modules:
            for name in module.imported:
                if not any(node.functions for node in self.nodes(name)):
                    for scope in self.program.names.resolve(module, name).scopes:
                        if scope.name != name:
                            found.setdefault(self.key(scope), {})[name] = None
        return {key: tuple(names) for key, names in found.items()}

    @cached_property
    def _computed(self) -> tuple[str, ...]:
        """Return the words of what the program finds by names that it works out."""
        return tuple(word for word in (ANY, OWN) if word in self._words)

    @cached_property
    def by_decorator(self) -> dict[str, list[Scope]]:
        """Return what is decorated, by the last words of its decorators."""
        found: dict[str, list[Scope]] = {}
        for scope in (scope for module in self.program.modules for scope in module.scopes):
            for decorator in getattr(scope.node, "decorator_list", ()):
                callee = decorator
                while isinstance(callee, ast.Call):
                    callee = callee.func
                for word in sorted(scope.module.spelled(word_of(callee))) or ():
                    found.setdefault(word, []).append(scope)
        return found

    @cached_property
    def _returned(self) -> frozenset[Key]:
        """Return the parameters that functions return as they are."""
        return frozenset(node for graph in self._graphs for node in graph.returned)

    @cached_property
    def _tuples(self) -> dict[Key, list[str]]:
        """Return the words of the fields of named tuples."""
        return {key: names for graph in self._graphs for key, names in graph.fields.items()}

    @cached_property
    def _prepares(self) -> bool:
        """Return whether calls are prepared, whose arguments come behind others: `partial(function, x)(y)`."""
        return any(node.sites for node in self.nodes("partial"))

    # --- where functions are held

    @cached_property
    def _held(self) -> States:
        """Return the functions and classes that are held under other names than their own."""
        seeds: States = {}
        for graph in self._graphs:
            for node in (*graph.words.values(), *graph.locals.values(), *graph.lambdas.values()):
                key = node.key
                if not node.functions or (key, "") in seeds:
                    continue
                if key in self._aliases or any(map(_is_handed_on, self.nodes(key))):
                    seeds[key, ""] = 1 << len(self._callables)
                    self._callables.append(key)
        for word in self._computed:
            seeds[word, ""] = 1 << len(self._callables)
            self._callables.append(word)
        return seeds

    @cached_property
    def _functions(self) -> States:
        """Return where these functions and classes are held."""
        return self._flow(self._held, {})

    @cached_property
    def _indirect(self) -> Mapping[Key, list[Site]]:
        """Return the sites that may call a function or class under another name than its own."""
        found: dict[Key, list[Site]] = {}
        for (key, path), bits in self._functions.items():
            sites = self.sites_at([(key, path)])
            if sites:
                for function in self._of_bits(bits):
                    if function != key or path:
                        found.setdefault(function, []).extend(sites)
        return found

    @cached_property
    def _by_any(self) -> tuple[Site, ...]:
        """Return the sites that call what is found by a name that is worked out."""
        sites = (site for word in self._computed for site in self.sites_at([(word, "")]))
        return (*sites, *(site for word in self._computed for site in self._indirect.get(word, ())))

    def _of_bits(self, bits: int) -> Iterator[Key]:
        while bits:
            lowest = bits & -bits
            yield self._callables[lowest.bit_length() - 1]
            bits ^= lowest

    # --- propagation

    def _flow(self, seeds: States, states: States) -> States:
        """Add all states that seeds reach, which are where functions are held: it tells where more flows."""
        todo: deque[State] = deque()
        queued: set[State] = set()
        grown: dict[State, None] = {}  # callees of which more is known than when something was passed to them

        def add(state: State, bits: int) -> None:
            known = states.get(state, 0)
            if bits | known != known:
                states[state] = bits | known
                if state not in queued:
                    queued.add(state)
                    todo.append(state)
                if state in self._passing:
                    grown[state] = None

        for state, bits in seeds.items():
            add(state, bits)
        while todo:
            state = todo.popleft()
            queued.discard(state)
            bits = states[state]
            for target in self._edges.get(state) or self._edges_of(state, states):
                if bits & ~states.get(target, 0):
                    add(target, bits)
            if not todo:
                for each in dict.fromkeys(each for callee in grown for each in self._passing[callee]):
                    del self._edges[each]
                    queued.add(each)
                    todo.append(each)
                grown.clear()
        return states

    def _edges_of(self, state: State, functions: States) -> tuple[State, ...]:
        if state not in self._edges:
            self._edges[state] = tuple(dict.fromkeys(self._next(state, functions)))
        return self._edges[state]

    def _next(self, state: State, functions: States) -> Iterator[State]:
        """Yield the states that get what one has."""
        key, path = state
        nodes = self.nodes(key)
        for alias in self._aliases.get(key, ()):
            yield alias, path
        if isinstance(key, str) and key not in self._computed:
            for word in self._computed:
                if _may_be_found(nodes, path, word):
                    yield word, path
        for node in nodes:
            for taken, target, way in node.flows:
                for rest in left(path, taken) if taken else (path,):
                    yield target.key, joined(way, rest) if way else rest
            for taken, argument in node.passes:
                for rest in left(path, taken) if taken else (path,):
                    for callee, at in argument.callees:
                        self._passing.setdefault((callee.key, at), {})[state] = None
                        yield from self._passed(callee.key, at, argument, rest, functions)

    def _passed(self, callee: Key, at: str, argument: Argument, rest: str, functions: States) -> Iterator[State]:
        """Yield the parameters that get an argument, and the result of a call that gives it back."""
        bits, asked = functions.get((callee, at), 0), (id(argument), callee, at)
        known = self._parameters.get(asked)
        if known is None or known[0] != bits:
            known = self._parameters[asked] = bits, tuple(self._parameters_of(callee, at, argument, bits))
        for parameter, way in known[1]:
            passed = joined(way, rest) if way else rest
            yield parameter, passed
            if argument.result is not None and parameter in self._returned:
                result, prefix = argument.result
                yield (result, joined(prefix, passed))

    def _parameters_of(self, callee: Key, path: str, argument: Argument, bits: int) -> Iterator[State]:
        """Yield the parameters that may get an argument; of what has none, the word of a keyword.

        `bits`: the functions and classes that are held at the callee.
        """
        found = () if path else self._targets(callee, argument, True)
        is_taken = bool(found)
        yield from found
        for key in self._of_bits(bits):
            if key == callee and not path:
                continue
            found = self._targets(key, argument, False)
            is_taken = is_taken or bool(found)
            yield from found
        if not is_taken and isinstance(argument.slot, str) and argument.slot:
            yield argument.slot, ""

    def _targets(self, key: Key, argument: Argument, is_direct: bool) -> tuple[State, ...]:
        """Return the parameters that an argument may be for, of what is defined under a word or variable."""
        asked = (key, argument.slot, argument.is_spread, argument.before if is_direct else None)
        known = self._taken.get(asked)
        if known is None:
            functions = (function for node in self.nodes(key) for function in node.functions)
            found = [state for function in functions for state in self._slots(function, argument, is_direct)]
            if key in self._tuples and isinstance(argument.slot, int):
                found.extend((name, "") for name in self._tuples[key][argument.slot : argument.slot + 1])
            known = self._taken[asked] = tuple(dict.fromkeys(found))
        return known

    def _slots(self, function: Scope, argument: Argument, is_direct: bool, depth: int = 0) -> Iterator[State]:
        """Yield the parameters of a function, or of the constructor of a class, for which an argument may be."""
        if function.is_class:
            init = function.method(INIT)
            if init is not None:
                yield from graph_of(init.module).parameters(
                    init, argument.slot, argument.is_spread, (1,), not is_direct and self._prepares
                )
            elif depth < 8:
                yield from self._fields(function, argument)
                for base in function.node.bases:  # type: ignore[union-attr]
                    for node in self.nodes(word_of(base)):
                        for each in node.functions:
                            if each.is_class and each is not function:
                                yield from self._slots(each, argument, is_direct, depth + 1)
            return
        yield from graph_of(function.module).parameters(
            function,
            argument.slot,
            argument.is_spread,
            argument.before if is_direct else None,
            not is_direct and self._prepares,
        )

    @staticmethod
    def _fields(cls: Scope, argument: Argument) -> Iterator[State]:
        """Yield the words of the fields of a class that has no constructor of its own: a dataclass."""
        names = [
            stmt.target.id
            for stmt in cls.node.body  # type: ignore[union-attr]
            if isinstance(stmt, ast.AnnAssign) and isinstance(stmt.target, ast.Name)
        ]
        if isinstance(argument.slot, int):
            yield from ((name, "") for name in names[argument.slot : None if argument.is_spread else argument.slot + 1])


def _is_handed_on(node: Node) -> bool:
    """Return whether a file hands on what a node holds, not only what that gives."""
    return any(not path for path, *_ in node.flows) or any(not path for path, _ in node.passes)


def _may_be_found(nodes: list[Node], path: str, word: str) -> bool:
    """Return whether a name that is worked out may be of this: what a word holds, and the objects of a class."""
    is_made = word == ANY and path == CALL
    return not path or (is_made and any(function.is_class for node in nodes for function in node.functions))


def _is_by_name(site: Site) -> bool:
    return isinstance(site.node, ast.Call) and isinstance(site.node.func, ast.Name)
