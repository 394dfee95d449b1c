"""The execution order of a program: import-time code in import order, then along the calls."""

from __future__ import annotations

import ast
from collections.abc import Generator, Iterator
from typing import Optional, Protocol, Union

from ms_perflint.core.facts import fact
from ms_perflint.core.graphs import reachable
from ms_perflint.index.execution_order import steps_of
from ms_perflint.index.semantic_index import Block, ImportStatement, Scope, SemanticIndex, Site
from ms_perflint.index.syntax_forms import given, name_of
from ms_perflint.infer.database import Files
from ms_perflint.program.live_code import EXPOSING
from ms_perflint.resolve.imports import Roots

AT_END = "automain"  # the decorator of sacred that runs a function at the end of the script
RUNNING = frozenset({"run", "run_commandline"})  # methods of an experiment of sacred that run its `main`
SENDING = "remote"  # the method of a task of ray that runs it elsewhere


class Calls(Files, Protocol):
    """The files of a program, and which of their functions a call enters."""

    roots: Roots  # where its imports are looked for

    def callees(self, site: Site) -> tuple[Scope, ...]:
        """Return the functions of the project that a call enters; where that is open, the few that it may enter."""

    def may_run(self, site: Site) -> bool:
        """Return whether no condition around a call is always false."""


class Order:
    """The positions at which call sites run first, counted as far as they are asked for."""

    def __init__(self, program: Calls) -> None:
        self.program = program
        self._start()

    def _start(self) -> None:
        self.entered: set[Scope] = set()
        self.imported: set[str] = set()
        self.modules = {module.path: module for module in self.program.modules}  # those whose code matters
        self.at: dict[int, int] = {}  # identity of a call, or of the target of a store in an object -> position
        self.open: dict[Block, bool] = {}  # whether no condition around a block is always false
        self._framework: Optional[int] = None
        # below: passed by running the script; others by calling its functions from elsewhere. None: not there yet
        self._by_entry: Optional[int] = None
        self._coming = self._run()

    def close(self) -> None:
        """Cut the reference cycle."""
        self._coming.close()

    # --- questions

    def position(self, node: ast.AST) -> Optional[int]:
        """Return the position of a call, or of the target of a store; None where nothing leads to it."""
        wanted = id(node)
        if wanted not in self.at:
            any(passed == wanted for passed in self._steps())
        return self.at.get(wanted)

    def is_run_by_entry(self, node: ast.AST) -> bool:
        """Return whether running the script passes a call."""
        position = self.position(node)
        return position is not None and (self._by_entry is None or position < self._by_entry)

    @property
    def framework(self) -> Optional[int]:
        """Return the position of the first import of MindSpore; None without one."""
        if self._framework is None:
            any(self._framework is not None for _ in self._steps())
        return self._framework

    # --- the run

    def _steps(self) -> Iterator[int]:
        """Yield what comes next, by identity. After an error the run starts again: no answer is left out."""
        try:
            for passed in self._coming:  # noqa: UP028 - `yield from` would close it with this iterator
                yield passed
        except Exception:
            self._start()
            raise

    def _run(self) -> Generator[int, None, None]:
        """Yield the calls and stores in the order of their positions, by identity."""
        entry = self.program.module(self.program.entry)
        if entry is None:
            return
        yield from self._enter(entry.scope)
        for scope in _decorated(entry, AT_END):
            yield from self._enter(scope)
        for module in self.program.modules:  # imported by functions of which it is not known when they run
            yield from self._enter(module.scope)
        self._by_entry = len(self.at)
        # functions of the entry script count also where `__main__` does not call them
        for scope in entry.scope.defines:
            if scope.is_function:
                yield from self._enter(scope)

    def _enter(self, scope: Scope) -> Iterator[int]:
        """Run a scope: yield its calls and stores in order, each with what it enters."""
        stack = [self._runs(scope)]
        while stack:
            inner = next(stack[-1], None)
            if inner is None:
                stack.pop()
            elif isinstance(inner, int):
                yield inner
            elif not isinstance(inner, Scope):
                stack.append(self._run_file(inner))
            elif inner not in self.entered:
                stack.append(self._runs(inner))

    def _runs(self, scope: Scope) -> Iterator[Union[Scope, str, int]]:
        """Yield the steps of a scope, with the functions that they enter, and the files that they import."""
        if scope in self.entered:
            return
        self.entered.add(scope)
        is_imported = scope.module.path != self.program.entry
        for step, is_of_script in steps_of(scope):
            if is_of_script and is_imported:
                continue
            if isinstance(step, (ast.Import, ast.ImportFrom)):
                yield from self._imported(step, scope.module)
                continue
            if isinstance(step, Site) and not self._may_run(step):
                continue
            self.at.setdefault(id(step.node), len(self.at))
            yield id(step.node)
            if isinstance(step, Site):
                yield from self.program.callees(step) or self._passed_functions(step)
                yield from _registered(step)

    def _may_run(self, site: Site) -> bool:
        """Return whether no condition around a call is always false, asked once for each block."""
        if site.block not in self.open:
            self.open[site.block] = self.program.may_run(site)
        return self.open[site.block]

    def _passed_functions(self, site: Site) -> Iterator[Scope]:
        """Yield the functions that a call passes to a library, which runs them: `data_sink(train_step, dataset)`.

        Also those in a display, and the methods of a class that the command line names: `Fire({"train": Trainer})`;
        `Fire()` takes all of the file.
        """
        todo = list(given(site.node)) if isinstance(site.node, ast.Call) else []
        if site.word in EXPOSING and not todo:
            for scope in site.module.scope.defines:
                yield from (scope,) if scope.is_function else scope.defines
        for node in todo:  # which grows
            if isinstance(node, (ast.Dict, ast.List, ast.Tuple)):
                todo += node.values if isinstance(node, ast.Dict) else node.elts
            elif isinstance(node, ast.Name):
                for scope in self.program.names.resolve(site.module, node.id).scopes:
                    if scope.is_function:
                        yield scope
                    elif site.word in EXPOSING:
                        yield from scope.defines

    def _imported(self, stmt: ImportStatement, importer: SemanticIndex) -> Iterator[str]:
        """Yield the files of the program that an import statement names."""
        names = [stmt.module] if isinstance(stmt, ast.ImportFrom) else [alias.name for alias in stmt.names]
        if any((name or "").partition(".")[0] == "mindspore" for name in names) and not getattr(stmt, "level", 0):
            self._meet_framework()
        yield from (path for path in self.program.names.imported_files(stmt, importer) if path in self.program.paths)

    def _meet_framework(self) -> None:
        self._framework = len(self.at) if self._framework is None else self._framework

    def _run_file(self, path: str) -> Iterator[Union[Scope, str, int]]:
        """Yield the code that importing a file runs, or what it imports, if its own code does not matter."""
        if path in self.modules:
            yield self.modules[path].scope
        elif path not in self.imported:
            self.imported.add(path)
            if self.program.project.imports.taken(path, "mindspore")[0]:
                self._meet_framework()
            others = self.program.project.imports.imported(path, self.program.roots)
            yield from (each for each in others if each in self.program.paths)


def _registered(site: Site) -> Iterator[Scope]:
    """Yield the functions that decorators have registered with the callee, or with the object whose method is called.

    `@cli.command()` of click, `cli()`; `@experiment.main` of sacred, `experiment.run()`. `task.remote()` of ray runs
    the function `task` itself.
    """
    callee = site.callee
    method = callee.attr if isinstance(callee, ast.Attribute) else ""
    holder = callee.value if isinstance(callee, ast.Attribute) else callee
    if not isinstance(holder, ast.Name) or site.scope.home(holder.id) is not site.module.scope:
        return
    registered = _by_decorator(site.module)
    if method in RUNNING:
        yield from (scope for word, scope in registered.get(holder.id, ()) if word == "main")
    elif method == SENDING:
        yield from (scope for scope in site.module.scope.defines if scope.name == holder.id and scope.is_function)
    elif not method and holder.id in registered:
        names = reachable((holder.id,), lambda name: [scope.name for _, scope in registered.get(name, ())])
        yield from (scope for name in names for _, scope in registered.get(name, ()))  # of groups inside of it, too


def _decorated(module: SemanticIndex, word: str) -> Iterator[Scope]:
    """Yield the functions of a file that a method of this name decorates."""
    for found in _by_decorator(module).values():
        yield from (scope for each, scope in found if each == word)


@fact
def _by_decorator(module: SemanticIndex) -> dict[str, list[tuple[str, Scope]]]:
    """Return the functions of a file by the objects whose methods decorate them, each with the method."""
    found: dict[str, list[tuple[str, Scope]]] = {}
    for scope in module.scope.defines:
        decorators = (getattr(each, "func", each) for each in getattr(scope.node, "decorator_list", ()))
        for each in decorators:
            if isinstance(each, ast.Attribute):
                found.setdefault(name_of(each.value), []).append((each.attr, scope))
    return found
