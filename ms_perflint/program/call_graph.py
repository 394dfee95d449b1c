"""The call graph of a program by words: the call sites that may enter a function, and the holders of a value.

It over-approximates: the evaluator is asked about each site afterwards.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import Any, Protocol, Union

from ms_perflint.core.facts import fact
from ms_perflint.index.semantic_index import Scope, SemanticIndex, Site
from ms_perflint.index.syntax_forms import word_of
from ms_perflint.infer.assignments import graph_of
from ms_perflint.infer.nodes import CALL, OWN, PATHS
from ms_perflint.program.moves import AT, Held, Key, numbered, part_of
from ms_perflint.program.value_flow import State, ValueFlow
from ms_perflint.resolve.resolver import Resolver

GROUP = 64  # sites that may enter the same functions, from which on they are asked once for all of these
INSTANCE_METHODS = ("__call__", "construct", "forward")  # run when an object is called
Called = dict[int, list[Site]]  # sites by what they may call, as bits


class Code(Protocol):
    """The running code of a program."""

    names: Resolver

    @property
    def modules(self) -> tuple[SemanticIndex, ...]:
        """Return the modules with running code, the entry script first."""

    def is_live(self, site: Site) -> bool:
        """Return whether the function, class body or module that evaluates a site runs."""


class CallGraph:
    """The assignment graphs of the running modules of a program, joined."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.facts: dict[tuple[object, ...], Any] = {}  # what `fact` keeps

    @cached_property
    def _flow(self) -> ValueFlow:
        return ValueFlow(self.code.modules, self.code.names)

    # --- questions

    def sites(self, function: Scope) -> tuple[Site, ...]:
        """Return the call sites that may enter a function, or make an object of a class, without those of `groups`."""
        bit = self._flow.callables.get(self.key(function), 0)
        return tuple(dict.fromkeys((*self.direct_sites(function), *_few(bit, self._indirect if bit else {}))))

    def groups(self, function: Scope) -> tuple[Union[str, int], ...]:
        """Return the groups of further such sites: under a computed name, or with many functions in common."""
        bit = self._flow.callables.get(self.key(function), 0)
        is_member = function.cls is not None or function.name in self._members  # also by `self.make = make`
        words = [word for word in self._flow.computed if word != OWN or bit or is_member]
        return (*words, *_groups(bit, self._indirect if bit else {}))

    @fact
    def group(self, name: Union[str, int]) -> tuple[Site, ...]:
        """Return the sites of a group in this program."""
        if isinstance(name, int):
            return _group(name, self._indirect)
        by_name = self.named_by((name,))
        return tuple(dict.fromkeys((*by_name, *_of(self._flow.callables.get(name, 0), self._indirect))))

    def direct_sites(self, function: Scope) -> list[Site]:
        """Return the call sites that may enter a function, or make an object of a class, under its own name."""
        sites = list(self.named_by((self.key(function),)))
        if not function.is_method:
            return sites
        return [site for site in sites if not _is_by_name(site) or graph_of(site.module).is_assigned(site.word)]

    def named_by(self, keys: Iterable[Key]) -> Iterator[Site]:
        """Yield the sites of running code that call what some nodes hold."""
        sites = (site for key in keys for node in self._flow.nodes(key) for path, site in node.sites if not path)
        return filter(self.code.is_live, sites)

    def named(self, site: Site) -> list[Scope]:
        """Return the functions and classes that are defined under the name of a callee."""
        found: list[Scope] = []
        for node, path in graph_of(site.module).callees.get(id(site.node), ()):
            if not path:
                found.extend(self._flow.defined.get(node.key, ()) if isinstance(node.key, str) else node.functions)
        if found and _is_by_name(site):
            return [each for each in found if each.is_class or not each.is_method]
        return found

    def is_indirect(self, site: Site) -> bool:
        """Return whether a call may enter a function or class that is held under another name."""
        held = self._flow.functions
        for node, path in graph_of(site.module).callees.get(id(site.node), ()):
            if node.key in held and self._flow.functions_at(node.key, path):
                return True
        return False

    def calls_object(self, site: Site) -> bool:
        """Return whether a call may call an object of a class with `__call__`."""
        return id(site.node) in self._object_calls

    def is_held(self, function: Scope) -> bool:
        """Return whether a function or class is held under another name than its own."""
        return self.key(function) in self._flow.callables

    def instance_sites(self, cls: Scope) -> tuple[Site, ...]:
        """Return the call sites that may call an object of a class with a method for calls, but for those of groups."""
        bits, called = self._instances
        return tuple(dict.fromkeys(_few(bits.get(self.key(cls), 0), called)))

    def instance_groups(self, cls: Scope) -> tuple[int, ...]:
        """Return the groups of further such sites."""
        bits, called = self._instances
        return _groups(bits.get(self.key(cls), 0), called)

    @fact
    def instance_group(self, number: int) -> tuple[Site, ...]:
        """Return the sites of such a group in this program."""
        return _group(number, self._instances[1])

    def reach(self, seeds: Iterable[State], held: Held) -> Held:
        """Add the places that may hold the values of some nodes, and return the new ones."""
        before = dict(held)
        self._flow.flow(((key, 1 << AT[path]) for key, path in seeds), held, 1)
        if not before:
            return dict(held)
        return {key: new for key, bits in held.items() if (new := bits & ~before.get(key, 0))}

    def is_passed_on(self, name: str) -> bool:
        """Return whether a file passes on what has this name, or calls it in another form: `partial(name)()`.

        Such a file says its last word: before the graphs of all files are there, no other one is needed.
        """
        if "_flow" in vars(self):
            return name in self._passed_on
        word = name.rpartition(".")[2].encode()
        modules = [module for module in self.code.modules if word in module.source.text]
        return any(name in passed_on(module) for module in modules)

    @cached_property
    def _passed_on(self) -> frozenset[str]:
        return frozenset().union(*map(passed_on, self.code.modules))

    def sites_at(self, held: Held) -> list[Site]:
        """Return the sites that call the values in some places."""
        return [site for sites in self._called(held, 1, {}).values() for site in sites]

    def makers_at(self, held: Held) -> Iterator[Site]:
        """Yield the sites that call the values in some places, or calls that give these."""
        for key, bits in held.items():
            for node in self._flow.nodes(key):
                for taken, site in node.sites:
                    if any(bits >> at & 1 for at, path in enumerate(PATHS) if path.startswith(taken)):
                        yield site

    def may_run(self, function: Scope) -> bool:
        """Return whether a lambda may be called, or is passed to a call."""
        key = self.key(function)
        is_called = any(not taken for node in self._flow.nodes(key) for taken, _ in node.sites)
        return is_called or bool(self._flow.callables.get(key, 0) & self._running)

    def key(self, function: Scope) -> Key:
        """Return the key of the node under which a function or class is defined."""
        return graph_of(function.module).of_function(function).key

    @cached_property
    def by_decorator(self) -> dict[str, list[Scope]]:
        """Return the decorated functions and classes, by the last words of their decorators."""
        found: dict[str, list[Scope]] = {}
        for scope in (scope for module in self.code.modules for scope in module.scopes):
            for decorator in getattr(scope.node, "decorator_list", ()):
                callee = decorator
                while isinstance(callee, ast.Call):
                    callee = callee.func
                for word in sorted(scope.module.aliases(word_of(callee))) or ():
                    found.setdefault(word, []).append(scope)
        return found

    # --- where functions are held

    @cached_property
    def _indirect(self) -> Called:
        """Return the sites that may call functions and classes under other names than their own."""
        flow = self._flow
        return self._called(flow.functions, len(flow.callables), flow.callables)

    @cached_property
    def _instances(self) -> tuple[dict[Key, int], Called]:
        """Return the classes whose objects can be called, each as a bit, and the sites that may do so."""
        classes = (scope for module in self.code.modules for scope in module.scopes if scope.is_class)
        bits = numbered(self.key(cls) for cls in classes if any(map(cls.method, INSTANCE_METHODS)))
        held: Held = {}
        self._flow.flow(((key, bit << AT[CALL] * len(bits)) for key, bit in bits.items()), held, len(bits))
        return bits, self._called(held, len(bits), {})

    @cached_property
    def _object_calls(self) -> frozenset[int]:
        """Return the calls that may call an object of a class with `__call__`, by identity."""
        bits, called = self._instances
        wanted = 0
        for cls in (scope for module in self.code.modules for scope in module.scopes if scope.is_class):
            wanted |= bits[self.key(cls)] if cls.method("__call__") is not None else 0
        return frozenset(id(site.node) for each, sites in called.items() if each & wanted for site in sites)

    @cached_property
    def _members(self) -> frozenset[str]:
        """Return the names of the members of objects and classes, without methods."""
        modules = self.code.modules
        found = {name for module in modules for name in module.stored}
        for cls in (scope for module in modules for scope in module.scopes if scope.is_class):
            found |= cls.attributes.keys()
            found |= {name for name, all_of_it in cls.bindings.items() if any(b.kind != "function" for b in all_of_it)}
        return frozenset(found)

    @cached_property
    def _running(self) -> int:
        """Return the functions and classes that are called under other names, or passed to calls."""
        found = 0
        for bits in self._indirect:
            found |= bits
        for key in self._flow.functions:
            for path in {path for node in self._flow.nodes(key) for path, _ in node.passes}:
                found |= self._flow.functions_at(key, path)
        return found

    def _called(self, held: Held, width: int, own: dict[Key, int]) -> Called:
        """Return the sites that call values under other names than their own."""
        found: Called = {}
        for key, bits in held.items():
            for node in self._flow.nodes(key):
                for path, site in node.sites:
                    called = part_of(bits, path, width) & ~(0 if path else own.get(key, 0))
                    if called and self.code.is_live(site):
                        found.setdefault(called, []).append(site)
        return found


@fact
def passed_on(module: SemanticIndex) -> frozenset[str]:
    """Return the names whose values a file passes on, or calls in another form: `partial(name)()`."""
    return frozenset(
        name
        for name, node in graph_of(module).words.items()
        if node.is_passed_on or any(site.word != name.rpartition(".")[2] for _, site in node.sites)
    )


def _of(bit: int, called: Called) -> Iterator[Site]:
    """Yield the sites that may call a value."""
    return (site for bits, sites in called.items() if bits & bit for site in sites)


def _few(bit: int, called: Called) -> Iterator[Site]:
    """Yield the sites that may call a value, without those of groups."""
    return (site for bits, sites in called.items() if bits & bit and len(sites) < GROUP for site in sites)


def _groups(bit: int, called: Called) -> tuple[int, ...]:
    """Return the numbers of the groups of sites that may call a value."""
    return tuple(number for number, (bits, sites) in enumerate(called.items()) if bits & bit and len(sites) >= GROUP)


def _group(number: int, called: Called) -> tuple[Site, ...]:
    """Return the sites of a group."""
    return tuple(dict.fromkeys(next(islice(called.values(), number, None), ())))


def _is_by_name(site: Site) -> bool:
    return isinstance(site.callee, ast.Name)
