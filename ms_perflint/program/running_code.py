"""The code of a program that runs: its modules, call sites, stores and call graph."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from ms_perflint.core.facts import fact
from ms_perflint.index.semantic_index import Binding, Scope, SemanticIndex, Site
from ms_perflint.infer.changes import Change, touching
from ms_perflint.program import live_code
from ms_perflint.program.call_graph import CallGraph
from ms_perflint.program.moves import Held
from ms_perflint.resolve.project import Project
from ms_perflint.resolve.resolver import Resolver


class RunningCode:
    """What runs of the files of a program: one object for all of its run configurations that run the same."""

    def __init__(self, project: Project, files: tuple[str, ...], names: Resolver, reached: set[Scope]) -> None:
        self.project = project
        self.entry = files[0]  # path of the entry script
        self.files = files
        self.names = names
        self.reached = reached  # the scopes that run
        self._kept = ("_kept", *vars(self))  # what stays when it is closed
        self._forget()

    def _forget(self) -> None:
        """Start without answers."""
        self.facts: dict[tuple[object, ...], Any] = {}  # what `fact` keeps

    def close(self) -> None:
        """Forget all answers, which can be asked for again: it cuts the cycle through the call graph."""
        kept = {name: vars(self)[name] for name in self._kept}
        self.__dict__.clear()
        self.__dict__.update(kept)
        self._forget()

    @cached_property
    def modules(self) -> tuple[SemanticIndex, ...]:
        """Return the modules with running code, the entry script first: see `live_code`."""
        paths = {scope.module.path for scope in self.reached}
        found = (self.project.module(path) for path in self.files if path in paths)
        return tuple(module for module in found if module is not None)

    @cached_property
    def call_graph(self) -> CallGraph:
        """Return the call graph."""
        return CallGraph(self)

    def is_live(self, site: Site) -> bool:
        """Return whether the function, class body or module that evaluates a site runs."""
        return live_code.runs_at_once(self.entry, site) or site.scope.evaluated_in in self.reached

    # --- calls

    @fact
    def sites(self, word: str) -> list[Site]:
        """Return the call sites whose callee may be something named `word`."""
        return [site for module in self.modules for site in module.sites_of(word)]

    @fact
    def passed_on(self, api: str) -> tuple[Site, ...]:
        """Return the call sites that may call an API, or what has this word, by another name or out of a container.

        In the assignment graph a function of an imported module has its name in full, a method its last word.
        """
        word = api.rpartition(".")[2]
        names = dict.fromkeys((api, word))
        if not any(map(self.call_graph.is_passed_on, names)):
            return ()
        sites = self.sites(word)
        held: Held = {}
        self.call_graph.reach([(name, "") for name in names], held)
        return tuple(site for site in self.call_graph.sites_at(held) if site not in sites)

    # --- classes

    def decorated_by(self, word: str) -> Sequence[Scope]:
        """Return the functions and classes whose decorator may be something named `word`."""
        return self.call_graph.by_decorator.get(word, ())

    @cached_property
    def deriving(self) -> dict[str, list[SemanticIndex]]:
        """Return the modules whose classes may have bases of a name, by name: that contain it, or rename it."""
        found: dict[str, list[SemanticIndex]] = {}
        for module in self.modules:
            for word in module.derived.keys() | module.renamed.keys():
                found.setdefault(word, []).append(module)
        return found

    # --- stores

    @fact
    def stores(self, name: str) -> tuple[Binding, ...]:
        """Return the stores of running code under a name: `object.name = value`, `object["name"] = value`."""
        stores = (store for module in self.modules for store in module.stored.get(name, ()))
        return tuple(store for store in stores if self.is_live(store.site))

    @fact
    def all_stores(self, name: str) -> tuple[tuple[Binding, ...], tuple[Binding, ...]]:
        """Return these, and apart the stores in what is reached over more steps: `a.b.c.name = v`, `f().name = v`."""
        deep = (store for module in self.modules for store in module.deep.get(name, ()))
        return self.stores(name), tuple(store for store in deep if self.is_live(store.site))

    def stores_anywhere(self, name: str) -> tuple[Binding, ...]:
        """Return all stores under a name."""
        stores, deep = self.all_stores(name)
        return (*stores, *deep)

    @fact
    def touching(self, word: str) -> tuple[Change, ...]:
        """Return the possible changes of a list or dict whose expression has this last word."""
        return tuple(change for module in self.modules for change in touching(module).get(word, ()))
