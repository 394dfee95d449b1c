"""The places of a program that may hold functions and other values: the flow through its assignment graphs."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple, Optional, Union

from ms_perflint.core.graphs import reachable
from ms_perflint.index.semantic_index import Scope, SemanticIndex
from ms_perflint.index.syntax_forms import word_of
from ms_perflint.infer.assignments import graph_of
from ms_perflint.infer.nodes import ANY, CALL, KEY, OWN, Argument, Node, joined
from ms_perflint.infer.places import INIT
from ms_perflint.program.moves import AT, Held, Key, Moves, moved, moves_between, numbered, part_of
from ms_perflint.resolve.resolver import Resolver

State = tuple[Key, str]  # a node, and what of it
Edge = tuple[Key, Optional[Moves]]  # a node that gets something, and what; None: all that the other one holds
Before = Optional[tuple[int, ...]]  # see Argument; None for what is held under another name
EQUAL = 4096  # sets of values, from which on it is not looked any more whether a new one is equal to one of them
DIRECT = 8  # edges of a fan, up to which it needs no others: it costs less than what they share
_ITSELF = Moves((AT[""], AT[""]))
_MADE = Moves((AT[""], AT[""]), (AT[CALL], AT[CALL]))


class Passed(Node):
    """The arguments of calls in one position, for the parameters of the functions at a place."""

    __slots__ = ("argument", "at", "callee", "givers", "known", "ways")

    def __init__(self, callee: Key, at: str, argument: Argument) -> None:
        super().__init__()
        self.callee = callee
        self.at = at
        self.argument = argument  # one of them: others differ in what gets the result
        self.known = 0  # functions to which it gets so far, besides what the callee is by its name
        self.ways: dict[str, None] = {}  # as what of themselves functions give it back
        self.givers: list[tuple[Key, str, Node, str]] = []  # who passes what of it, and what gets that back as what


class ValueFlow:
    """The edges between the nodes of a program, and the places that hold functions after the flow."""

    def __init__(self, modules: Sequence[SemanticIndex], names: Resolver) -> None:
        self.modules = modules
        self.names = names
        self.graphs = tuple(graph_of(module) for module in modules)
        self._taken: dict[tuple[object, ...], tuple[State, ...]] = {}
        self._edges: dict[Key, list[Edge]] = {}
        self._passed: dict[tuple[object, ...], Passed] = {}
        self._open: list[Passed] = []  # those that may get to more functions when these have flown further
        self._fans: dict[tuple[object, ...], Optional[Node]] = {}
        self._back: dict[Node, dict[str, None]] = {}  # as what of themselves the functions of a fan give back
        self._where: Held = {}  # `functions`, so far
        self._places: dict[Key, int] = {}  # of nodes in a sweep: below 0, the last one first
        self._placed: list[Key] = []

    @cached_property
    def functions(self) -> Held:
        """Return the places that hold `callables`."""
        self._run(self.callables.items(), self._where, len(self.callables))
        return self._where

    def functions_at(self, key: Key, path: str) -> int:
        """Return the functions and classes at a place, also under their own names."""
        return part_of(self.functions.get(key, 0), path, len(self.callables))

    def flow(self, seeds: Iterable[tuple[Key, int]], held: Held, width: int) -> None:
        """Spread the values of nodes, of `width` values, until nothing changes."""
        if self.functions is not held:  # which tell for what parameters an argument is
            self._run(seeds, held, width)

    # --- nodes

    @cached_property
    def _words(self) -> dict[str, list[Node]]:
        found: dict[str, list[Node]] = {}
        for graph in self.graphs:
            for word, node in graph.words.items():
                found.setdefault(word, []).append(node)
        return found

    @cached_property
    def defined(self) -> dict[str, list[Scope]]:
        """Return the functions and classes that are defined under words."""
        found: dict[str, list[Scope]] = {}
        for graph in self.graphs:
            for node in graph.defining:
                if isinstance(node.key, str):
                    found.setdefault(node.key, []).extend(node.functions)
        return found

    def nodes(self, key: Key) -> list[Node]:
        """Return the nodes of a word in all files; of a variable its own node."""
        return self._words.get(key, []) if isinstance(key, str) else [key]

    @cached_property
    def callables(self) -> dict[Key, int]:
        """Return the functions and classes that are held under other names than their own, each as a bit."""
        passed_on = set[Key]().union(*(graph.passed_on for graph in self.graphs))
        keys = dict.fromkeys(node.key for graph in self.graphs for node in graph.defining)
        return numbered((*[key for key in keys if key in passed_on or key in self._aliases], *self.computed))

    @cached_property
    def _by_position(self) -> list[Key]:
        return list(self.callables)

    @cached_property
    def _aliases(self) -> dict[Key, tuple[Key, ...]]:
        """Return where else a value of a name is found: under the names of files that only rename it.

        For a name that a star import adds to a file: the node of all names of this file. For a class that inherits
        class methods: their parameters for it.
        """
        found: dict[Key, dict[Key, None]] = {}
        for module in self.modules:
            for name in module.imported:
                if name not in self.defined:
                    for scope in self.names.resolve(module, name).scopes:
                        if scope.name != name:
                            found.setdefault(graph_of(scope.module).of_function(scope).key, {})[name] = None
            starred = graph_of(module).starred
            if starred is not None:
                for name in self.names.starred(module):
                    found.setdefault(name, {})[starred] = None
        for cls, receivers in self._inheriting():
            found.setdefault(graph_of(cls.module).of_function(cls).key, {}).update(dict.fromkeys(receivers))
        return {key: tuple(names) for key, names in found.items()}

    def _inheriting(self) -> Iterator[tuple[Scope, list[Node]]]:
        """Yield the classes below one whose class methods call or pass on the class, with the parameters for it."""
        derived: dict[str, list[Scope]] = {}
        for module in self.modules:
            for word, classes in module.derived.items():
                derived.setdefault(word, []).extend(classes)
        for graph in self.graphs:
            for name, own in graph.receivers.items():
                used = [node for node in own if node.sites or node.is_passed_on]
                below = reachable(derived.get(name, ()), lambda cls: derived.get(cls.name, ())) if used else ()
                yield from ((cls, used) for cls in below)

    @cached_property
    def computed(self) -> tuple[str, ...]:
        """Return the words of members under computed names."""
        return tuple(word for word in (ANY, OWN) if word in self._words)

    @cached_property
    def _returned(self) -> frozenset[Key]:
        """Return the parameters that functions return as they are."""
        return frozenset(node for graph in self.graphs for node in graph.returned)

    @cached_property
    def _tuples(self) -> dict[Key, list[str]]:
        """Return the words of the fields of named tuples."""
        return {key: names for graph in self.graphs for key, names in graph.fields.items()}

    @cached_property
    def _prepares(self) -> bool:
        """Return whether the program prepares calls, whose arguments follow others: `partial(function, x)(y)`."""
        return any(node.sites for node in self.nodes("partial"))

    # --- propagation

    def _run(self, seeds: Iterable[tuple[Key, int]], held: Held, width: int) -> None:
        """Spread the values of nodes until nothing changes.

        Each node passes on its new values, in sweeps: behind its sources and before its targets.
        """
        new: Held = {}  # what is not passed on yet
        equal: dict[int, int] = {}  # many hold the same
        added: list[tuple[Key, Edge]] = []
        while True:
            for key, bits in seeds:
                if bits := bits & ~held.get(key, 0):
                    held[key] = held.get(key, 0) | bits
                    new[key] = new.get(key, 0) | bits
            if not (new or added):
                break
            ahead = [self._place(key) for key in new]
            while ahead:
                heapify(ahead)
                behind: list[int] = []
                while ahead:
                    place = heappop(ahead)
                    key = self._placed[~place]
                    bits = new.pop(key)
                    if len(equal) > EQUAL:
                        equal.clear()
                    for target, moves in self._edges[key]:
                        got = bits if moves is None else moves.of(bits, width)
                        known = held.get(target, 0)
                        more = got & ~known
                        if not more:
                            continue
                        held[target] = equal.setdefault(got | known, got | known)
                        if target in new:
                            new[target] |= more
                        else:
                            new[target] = more
                            to = self._places[target]
                            heappush(ahead, to) if to > place else behind.append(to)
                ahead = behind
            added = self._to_functions() or self._to_words()
            seeds = [(edge[0], moved(held.get(key, 0), edge[1], width)) for key, edge in added]
            for key, edge in added:
                self._edges[key].append(edge)
                self._place(edge[0])
        self._open.clear()  # from now on no function gets anywhere else

    def _place(self, key: Key) -> int:
        """Return the position of a node in a sweep: before its targets, except in cycles."""
        if key not in self._places:
            self._places[key] = 0
            stack = [(key, iter(self._edges_of(key)))]
            while stack:
                first, edges = stack[-1]
                for inner, _ in edges:
                    if inner not in self._places:
                        self._places[inner] = 0
                        stack.append((inner, iter(self._edges_of(inner))))
                        break
                else:
                    stack.pop()
                    self._places[first] = ~len(self._placed)
                    self._placed.append(first)
        return self._places[key]

    def _edges_of(self, key: Key) -> list[Edge]:
        """Return the targets of a node, with the flow."""
        if key in self._edges:
            return self._edges[key]
        nodes = self.nodes(key)
        found: list[Edge] = []
        if key in self._aliases:
            found += [(alias, None) for alias in self._aliases[key]]
        if isinstance(key, str) and key[:1] != KEY and key not in self.computed:
            if KEY + key in self._words:
                found.append((KEY + key, None))
            if self.computed:
                functions = [function for node in nodes for function in node.functions]
                is_made = any(function.is_class for function in functions)
                is_method = any(function.cls is not None for function in functions)
                made = {ANY: _MADE if is_made else _ITSELF, OWN: _MADE if is_made or is_method else _ITSELF}
                found.extend((word, made[word]) for word in self.computed)
        for node in nodes:
            own = node.edges
            if own is None:
                own = node.edges = _own_edges(node)
            if not (own.passes or found or nodes[1:]):
                self._edges[key] = own.flows  # the same in all programs
                break
            found += own.flows
            for asked, argument, path, moves in own.passes:
                passed = self._passed.get(asked)
                if passed is None:
                    passed = self._passed[asked] = self._passed_to(asked[0], asked[1], argument)
                found.append((passed, moves))
                if argument.result is not None:
                    giver = (key, path, *argument.result)
                    passed.givers.append(giver)
                    found.extend(edge for _, edge in _given_back(giver, passed.ways))
        else:
            self._edges[key] = found if len(found) < 2 else list(dict.fromkeys(found))
        return self._edges[key]

    def _passed_to(self, callee: Key, at: str, argument: Argument) -> Passed:
        made = Passed(callee, at, argument)
        self._open.append(made)
        targets = () if at else self._targets(callee, argument.slot, argument.is_spread, argument.before)
        self._edges[made] = [(key, moves_between("", way)) for key, way in targets]
        made.ways.update((way, None) for key, way in targets if key in self._returned)
        if callee in self.computed and not at:  # what it calls is only known to the evaluator
            made.ways[""] = None
        return made

    def _to_functions(self) -> list[tuple[Key, Edge]]:
        """Return new edges from arguments to parameters of functions that their callees hold by now."""
        added: list[tuple[Key, Edge]] = []
        for passed in self._open:
            own = 0 if passed.at else self.callables.get(passed.callee, 0)
            new = part_of(self._where.get(passed.callee, 0), passed.at, len(self.callables)) & ~(own | passed.known)
            passed.known |= new
            fan = self._fan(new, passed.argument.slot, passed.argument.is_spread) if new else None
            if fan is not None:
                added.append((passed, (fan, None)))
                ways = [way for way in self._back[fan] if way not in passed.ways]
                passed.ways.update(dict.fromkeys(ways))
                added.extend(edge for giver in passed.givers for edge in _given_back(giver, ways))
        return added

    def _to_words(self) -> list[tuple[Key, Edge]]:
        """Return edges from keyword arguments that no function takes to their words."""
        slots = ((passed, passed.argument.slot) for passed in self._open if not self._edges[passed])
        return [(passed, (word, None)) for passed, word in slots if isinstance(word, str) and word]

    def _fan(self, bits: int, slot: Union[int, str], is_spread: bool) -> Optional[Node]:
        """Return a node with edges to the parameters of some functions for an argument; None without any.

        It has edges to nodes of halves of these, which it shares with others for nearly the same functions.
        """
        asked = bits, slot, is_spread
        if asked in self._fans:
            return self._fans[asked]
        edges: list[Edge]
        first, last = (bits & -bits).bit_length() - 1, bits.bit_length() - 1
        if first == last:
            targets = self._targets(self._by_position[first], slot, is_spread, None)
            edges = [(key, moves_between("", way)) for key, way in targets]
            back = dict.fromkeys(way for key, way in targets if key in self._returned)
        else:
            level = (first ^ last).bit_length() - 1
            middle = last >> level << level
            halves = (bits & ((1 << middle) - 1), bits >> middle << middle)
            fans = [fan for half in halves if (fan := self._fan(half, slot, is_spread)) is not None]
            edges = [(fan, None) for fan in fans]
            inner = dict.fromkeys(edge for fan in fans for edge in self._edges[fan])
            if len(inner) <= DIRECT:
                edges = list(inner)
            back = dict.fromkeys(way for fan in fans for way in self._back[fan])
        made = self._fans[asked] = Node() if edges else None
        if made is not None:
            self._edges[made], self._back[made] = edges, back
        return made

    # --- parameters

    def _targets(self, key: Key, slot: Union[int, str], is_spread: bool, before: Before) -> tuple[State, ...]:
        """Return the parameters for an argument of what is defined under a word or variable."""
        asked = key, slot, is_spread, before
        known = self._taken.get(asked)
        if known is None:
            functions = (function for node in self.nodes(key) for function in node.functions)
            found = [state for function in functions for state in self._slots(function, slot, is_spread, before)]
            if key in self._tuples and isinstance(slot, int):
                found.extend((name, "") for name in self._tuples[key][slot : slot + 1])
            known = self._taken[asked] = tuple(dict.fromkeys(found))
        return known

    def _slots(
        self, function: Scope, slot: Union[int, str], is_spread: bool, before: Before, seen: tuple[Scope, ...] = ()
    ) -> Iterator[State]:
        """Yield the parameters of a function, or of the constructor of a class, for an argument."""
        is_open = before is None and self._prepares
        if not function.is_class:
            yield from graph_of(function.module).parameters(function, slot, is_spread, before, is_open)
            return
        init = function.method(INIT)
        if init is not None:
            yield from graph_of(init.module).parameters(init, slot, is_spread, (1,), is_open)
        elif function not in seen:
            yield from _fields(function, slot, is_spread)
            for base in function.node.bases:  # type: ignore[union-attr]
                for node in self.nodes(word_of(base)):
                    for each in node.functions:
                        if each.is_class and each is not function:
                            yield from self._slots(each, slot, is_spread, before, (*seen, function))


def _given_back(giver: tuple[Key, str, Node, str], ways: Iterable[str]) -> Iterator[tuple[Key, Edge]]:
    """Yield the edges to the result of a call that returns one of its arguments."""
    key, path, result, prefix = giver
    return ((key, (result.key, moves_between(path, joined(prefix, way)))) for way in ways)


class _OwnEdges(NamedTuple):
    """The edges in one file, which are the same in all programs."""

    flows: list[Edge]
    passes: list[tuple[tuple[Any, ...], Argument, str, Optional[Moves]]]  # by what `Passed` are distinguished


def _own_edges(node: Node) -> _OwnEdges:
    flows = dict.fromkeys((target.key, moves_between(path, way)) for path, target, way in node.flows)
    passes = [
        ((callee.key, at, argument.slot, argument.is_spread, argument.before), argument, path, moves_between(path, ""))
        for path, argument in node.passes
        for callee, at in argument.callees
    ]
    return _OwnEdges(list(flows), passes)


def _fields(cls: Scope, slot: Union[int, str], is_spread: bool) -> Iterator[State]:
    """Yield the words of the fields of a class that has no constructor of its own: a dataclass."""
    names = [
        stmt.target.id
        for stmt in cls.node.body  # type: ignore[union-attr]
        if isinstance(stmt, ast.AnnAssign) and isinstance(stmt.target, ast.Name)
    ]
    if isinstance(slot, int):
        yield from ((name, "") for name in names[slot : None if is_spread else slot + 1])
