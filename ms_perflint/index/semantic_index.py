"""The semantic index of a file: scopes, bindings, blocks and sites. It depends on the bytes of that file only."""

from __future__ import annotations

import ast
import os
from bisect import bisect_right
from functools import cached_property
from typing import Any, Optional, Union

from ms_perflint.core.findings import Place
from ms_perflint.core.graphs import reachable
from ms_perflint.core.source import Source, Span
from ms_perflint.index.parsing import parse
from ms_perflint.index.scopes import (
    COMPREHENSIONS,
    DEAD,
    FUNCTIONS,
    LOOPS,
    Binding,
    Block,
    ImportStatement,
    Scope,
    Site,
)

__all__ = [
    "COMPREHENSIONS", "DEAD", "FUNCTIONS", "LOOPS", "Binding", "Block", "ImportStatement", "Scope", "SemanticIndex",
    "Site",
]  # fmt: skip


class SemanticIndex:
    """The semantic index of one file; `index_builder.module_of` fills it."""

    def __init__(self, source: Source, tree: Optional[ast.Module] = None) -> None:
        """Hold a tree, or parse the source. Raises SourceError with the position of a syntax error."""
        self.source = source
        self.path = source.path
        self.directory = os.path.dirname(source.path)
        self.tree = parse(source) if tree is None else tree
        self._borrowed = tree is not None  # the caller uses it after this
        self.sites: list[Site] = []
        self.by_word: dict[str, list[Site]] = {}
        self.scopes: list[Scope] = []
        self.steps: list[tuple[ast.AST, Block]] = []  # statements, handlers and cases, as they follow one another
        self.stores: dict[tuple[str, str], list[Binding]] = {}  # (name, attribute) -> `name.attribute = value`
        self.stored: dict[str, list[Binding]] = {}  # attribute -> the same, whatever the object
        self.deep: dict[str, list[Binding]] = {}  # attribute -> `a.b.c.attribute = value`, `call().attribute = value`
        self.defined: dict[str, list[Scope]] = {}  # name -> functions and classes, nested ones and methods included
        self.derived: dict[str, list[Scope]] = {}  # last word of a base -> classes
        self.scope_of: dict[int, Scope] = {}  # id of a def, class, lambda or comprehension -> its scope
        # name -> `name[key] = value` where the key is computed
        self.registered: dict[str, list[tuple[ast.Subscript, ast.expr, Block]]] = {}
        # name -> the imports that bind it, in any scope
        self.imported: dict[str, list[tuple[ast.stmt, ast.alias]]] = {}
        self.renamed: dict[str, set[str]] = {}  # last word of a name -> other names it gets: `as`, `x = name`
        self.displays: list[Union[ast.Dict, ast.List, ast.Tuple, ast.Set]] = []
        # last word of a callee -> names bound to what it returns: `self.x = name()`
        self.made: dict[str, set[str]] = {}
        self.chains: dict[int, list[ast.stmt]] = {}  # id of a `match`, or of `flag and run()` -> the `if` that it is
        self.worded: dict[int, str] = {}  # id of a test that stands in no source -> how it reads
        self.facts: dict[tuple[object, ...], Any] = {}
        self.scope = Scope(self, None, self.tree)

    @cached_property
    def named(self) -> frozenset[str]:
        """Return the names that the file defines or imports anywhere, or binds in its outermost scope."""
        return frozenset((*self.defined, *self.scope.bindings, *self.imported))

    @cached_property
    def words(self) -> frozenset[str]:
        """Return the attributes that the file loads anywhere, and the last words of all callees."""
        guarded = () if self.scope.main is None else (self.scope.main.attrs,)
        return frozenset(self.by_word).union(*guarded, *(scope.attrs for scope in self.scopes))

    def aliases(self, *names: str) -> set[str]:
        """Return some names, and the other names that this file gives them: by `import ... as`, or `x = name`."""
        renamed = [word for word in names if word in self.renamed]  # mostly none
        return {*names, *reachable(renamed, lambda word: self.renamed.get(word, ()))} if renamed else set(names)

    def sites_of(self, word: str) -> list[Site]:
        """Return the sites whose callee has this last word, or an alias of it in this file."""
        if word not in self.renamed:
            return self.by_word.get(word, [])
        return [site for spelling in sorted(self.aliases(word)) for site in self.by_word.get(spelling, ())]

    def site_at(self, node: ast.expr) -> Optional[Site]:
        """Return the site of an expression; None for an expression that is no site."""
        return self._sites.get(id(node))

    @cached_property
    def _sites(self) -> dict[int, Site]:
        return {id(site.node): site for site in self.sites}

    def rank(self, node: ast.AST) -> Optional[int]:
        """Return the index of the step that is or evaluates a node; None for a node that stands in no source."""
        row = getattr(node, "lineno", None)
        if row is None:
            return None
        behind = bisect_right(self._starts, (row, getattr(node, "col_offset", 0)))
        return behind - 1 if behind else 0

    @cached_property
    def _starts(self) -> list[tuple[int, int]]:
        """Return where the steps start: row and column."""
        firsts: list[Any] = [[*getattr(step, "decorator_list", ()), step][0] for step, _ in self.steps]
        return [(first.lineno, first.col_offset) for first in firsts]

    def calls(self, node: ast.AST) -> bool:
        """Return whether an expression is the callee of a call."""
        return id(node) in self._called

    @cached_property
    def _called(self) -> frozenset[int]:
        return frozenset(id(site.node.func) for site in self.sites if isinstance(site.node, ast.Call))

    def result_names(self, word: str) -> set[str]:
        """Return the names that may hold the result of a call of `word`."""
        found: set[str] = set()
        for spelling in self.aliases(word):
            for name in self.made.get(spelling, ()):
                found |= self.aliases(name)
        return found

    def span(self, node: ast.AST) -> Span:
        """Return the byte offsets of a node in `source.text`."""
        source = self.source
        return (
            source.offset(node.lineno, node.col_offset),  # type: ignore[attr-defined]
            source.offset(node.end_lineno, node.end_col_offset),  # type: ignore[attr-defined]
        )

    def place(self, node: ast.AST) -> Place:
        """Return where a node starts."""
        return self.source.place(self.span(node)[0])

    def text(self, node: ast.AST) -> str:
        """Return the source text of a node."""
        if id(node) in self.worded:
            return self.worded[id(node)]
        start, end = self.span(node)
        return self.source.text[start:end].decode("utf-8")

    def close(self) -> None:
        """Cut the reference cycles, so that memory is released without the garbage collector."""
        for scope in self.scopes:
            for slot in Scope.__slots__:
                if isinstance(getattr(scope, slot), (dict, list)):
                    getattr(scope, slot).clear()
            scope._flow = None
            if scope.main is not None:
                del scope.main.block
            scope.main = None
            del scope.block
        for each in self.facts.values():
            if hasattr(each, "close"):  # an answer about the module that holds references to it
                each.close()
        for held in vars(self).values():
            if isinstance(held, (dict, list)):
                held.clear()
        if not self._borrowed:
            self.tree.body = []
        del self.scope
