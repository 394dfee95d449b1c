"""The execution order of a program: import-time code in import order, then along the calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, Optional, Union

from ms_perflint.index.execution_order import steps_of
from ms_perflint.index.semantic_index import Block, ImportStatement, Scope, SemanticIndex, Site

if TYPE_CHECKING:
    from ms_perflint.program.protocols import Calls


class Order(NamedTuple):
    """The positions at which call sites run first."""

    at: dict[int, int]  # identity of a call, or of the target of a store in an object -> position
    words: frozenset[str]  # of the sites that running the script passes
    run_by_entry: int  # below: passed by running the script; others by calling its functions from elsewhere
    framework: Optional[int]  # position of the first import of MindSpore


def order(program: Calls) -> Order:
    """Return the execution order of the call sites of a program."""
    return _Order(program).run()


class _Order:
    def __init__(self, program: Calls) -> None:
        self.program = program
        self.entered: set[Scope] = set()
        self.imported: set[str] = set()
        self.modules = {module.path: module for module in program.modules}  # those whose code matters
        self.at: dict[int, int] = {}
        self.open: dict[Block, bool] = {}  # whether no condition around a block is always false
        self.words: set[str] = set()
        self.framework: Optional[int] = None

    def run(self) -> Order:
        entry = self.program.module(self.program.entry)
        count, words = 0, frozenset[str]()
        if entry is not None:
            self.enter(entry.scope)
            for module in self.program.modules:  # imported by functions of which it is not known when they run
                self.enter(module.scope)
            count, words = len(self.at), frozenset(self.words)
            # functions of the entry script count also where `__main__` does not call them
            for scope in entry.scope.defines:
                if scope.is_function:
                    self.enter(scope)
        return Order(self.at, words, count, self.framework)

    def enter(self, scope: Scope) -> None:
        """Run a scope: its imports, calls and stores in order, each with what it enters."""
        stack = [self._runs(scope)]
        while stack:
            inner = next(stack[-1], None)
            if inner is None:
                stack.pop()
            elif not isinstance(inner, Scope):
                stack.append(self._run_file(inner))
            elif inner not in self.entered:
                stack.append(self._runs(inner))

    def _runs(self, scope: Scope) -> Iterator[Union[Scope, str]]:
        """Yield the functions that the steps of a scope enter, and the files that they import."""
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
            if isinstance(step, Site):
                self.words.add(step.word)
                yield from self.program.callees(step) or self._passed_functions(step)

    def _may_run(self, site: Site) -> bool:
        """Return whether no condition around a call is always false, asked once for each block."""
        if site.block not in self.open:
            self.open[site.block] = self.program.may_run(site)
        return self.open[site.block]

    def _passed_functions(self, site: Site) -> list[Scope]:
        """Return the functions that a call passes to a library, which runs them: `data_sink(train_step, dataset)`."""
        found: list[Scope] = []
        if isinstance(site.node, ast.Call):
            for given in (*site.node.args, *[keyword.value for keyword in site.node.keywords]):
                if isinstance(given, ast.Name):
                    resolved = self.program.names.resolve(site.module, given.id).scopes
                    found.extend(scope for scope in resolved if scope.is_function)
        return found

    def _imported(self, stmt: ImportStatement, importer: SemanticIndex) -> Iterator[str]:
        """Yield the files of the program that an import statement names."""
        names = [stmt.module] if isinstance(stmt, ast.ImportFrom) else [alias.name for alias in stmt.names]
        if any((name or "").partition(".")[0] == "mindspore" for name in names) and not getattr(stmt, "level", 0):
            self._meet_framework()
        yield from (path for path in self.program.names.imported_files(stmt, importer) if path in self.program.paths)

    def _meet_framework(self) -> None:
        self.framework = len(self.at) if self.framework is None else self.framework

    def _run_file(self, path: str) -> Iterator[Union[Scope, str]]:
        """Yield the code that importing a file runs, or what it imports, if its own code does not matter."""
        if path in self.modules:
            yield self.modules[path].scope
        elif path not in self.imported:
            self.imported.add(path)
            if self.program.project.imports.taken(path, "mindspore")[0]:
                self._meet_framework()
            others = self.program.project.imports.imported(path, self.program.roots)
            yield from (each for each in others if each in self.program.paths)
