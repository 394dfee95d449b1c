"""What code puts into tables, and whether any takes it out: an entry that no running code takes out does not run.

`register(Net)` loads the name of a class, as `Net()` does; it alone makes nothing of the class run.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ms_perflint.core.facts import fact
from ms_perflint.index.execution_order import root_name
from ms_perflint.index.semantic_index import Scope, SemanticIndex, Site
from ms_perflint.index.signature import Layer, Signature
from ms_perflint.index.syntax_forms import given, text_of, word_of
from ms_perflint.infer import registries
from ms_perflint.resolve.resolver import NOTHING

if TYPE_CHECKING:
    from ms_perflint.infer.database import Files

# What a function may do with what it puts into a table, besides: to read its name, and to ask what it is
_NAMING = frozenset({"__doc__", "__module__", "__name__", "__qualname__"})
_ASKING = frozenset({"callable", "isclass", "isfunction", "isinstance", "issubclass"})


class Given(NamedTuple):
    """A name of a file of which a scope does nothing but give what it means to some calls, and use no result."""

    name: str
    sites: tuple[Site, ...]

    @property
    def keys(self) -> frozenset[str]:
        """Return the keys under which these calls may put it into a table."""
        texts = (text_of(node) for site in self.sites for node in ast.walk(site.node))
        return frozenset((self.name.lower(), *(text.lower() for text in texts if text)))


@fact
def _given(module: SemanticIndex, scope: Scope) -> tuple[Given, ...]:
    sites: dict[str, list[Site]] = {}
    passed: set[int] = set()
    for site in scope.calls:
        if isinstance(site.stmt, ast.Expr) and site.stmt.value is site.node:
            for node in given(site.node):  # type: ignore[arg-type]
                if isinstance(node, ast.Name) and node.id in module.named:
                    sites.setdefault(node.id, []).append(site)
                    passed.add(id(node))
    if not sites:
        return ()
    used = {node.id for node in ast.walk(scope.node) if isinstance(node, ast.Name) and id(node) not in passed}
    return tuple(Given(name, tuple(found)) for name, found in sites.items() if name not in used)


def only_given(scope: Scope) -> tuple[Given, ...]:
    """Return the names of its file with which a scope does nothing but give them to calls that are statements."""
    return _given(scope.module, scope)


@fact
def filling(module: SemanticIndex) -> dict[str, frozenset[str]]:
    """Return the tables of a module that functions fill with what they are given, and the names of these functions."""
    filled = {table: registries.fillers(module, table) for table in module.registered}
    return {table: names for table, names in filled.items() if names}


def takes(scope: Scope, table: str) -> bool:
    """Return whether a scope may take something out of a table: it loads it, not to fill it or to look for a key."""
    names = scope.module.aliases(table)
    if names.isdisjoint(scope.names) and names.isdisjoint(scope.attrs):
        return False
    if scope is scope.module.scope.main:  # of which the statements are not at hand
        return True
    others = {id(node) for each in ast.walk(scope.node) for part in _untaken(each) for node in ast.walk(part)}
    return any(
        id(node) not in others and word_of(node) in names and isinstance(node.ctx, ast.Load)
        for node in ast.walk(scope.node)
        if isinstance(node, (ast.Name, ast.Attribute))
    )


def _untaken(node: ast.AST) -> Iterable[ast.AST]:
    """Return the parts of a statement or expression that take nothing out of the tables that they name."""
    if isinstance(node, ast.Assign):
        return [target for target in node.targets if isinstance(target, ast.Subscript)]
    if isinstance(node, ast.Compare):
        return [other for sign, other in zip(node.ops, node.comparators) if isinstance(sign, (ast.In, ast.NotIn))]
    return [node] if isinstance(node, (ast.Delete, ast.Raise)) else ()


class Tables:
    """The tables of a program that functions fill, as far as is known what runs."""

    def __init__(self, program: Files) -> None:
        self.program = program
        self.put: list[tuple[Given, Scope]] = []  # what running scopes do no more with than put it into a table
        # of the tables out of which running code takes: the names of what fills them, and where these functions are
        self._fillers: dict[str, set[SemanticIndex]] = {}

    @property
    def words(self) -> tuple[str, ...]:
        """Return the names of the functions that fill the tables out of which running code takes."""
        return tuple(sorted(self._fillers))

    def note(self, modules: Iterable[SemanticIndex], running: Collection[Scope]) -> None:
        """Note out of which tables of some modules running scopes take."""
        for module in modules:
            for table, words in filling(module).items():
                is_known = all(module in self._fillers.get(word, ()) for word in words)
                if not is_known and self._are_used(words) and any(takes(scope, table) for scope in running):
                    for word in words:
                        self._fillers.setdefault(word, set()).add(module)

    def _are_used(self, words: frozenset[str]) -> bool:
        """Return whether decorators or calls with one of these names put something into a table."""
        if any(site.word in words for given, _ in self.put for site in given.sites):
            return True
        return any(self.program.project.decorates(path, tuple(sorted(words))) for path in self.program.files)

    def removed(self, chosen: Callable[[Given, Scope], bool]) -> list[tuple[Given, Scope]]:
        """Return some of what calls put into tables, which is not held here any longer."""
        found = [each for each in self.put if chosen(*each)]
        self.put = [each for each in self.put if each not in found]
        return found

    def holds(self, given: Given, scope: Scope) -> bool:
        """Return whether calls in a scope may put something into a table out of which running code takes."""
        return any(self._fills(site.call.func, scope.module) for site in given.sites)

    def is_put(self, scope: Scope, words: Collection[str]) -> bool:
        """Return whether a decorator with one of these words puts a function or class into such a table."""
        names = [
            each.func if isinstance(each, ast.Call) else each for each in getattr(scope.node, "decorator_list", ())
        ]
        return any(word_of(name) in words and self._fills(name, scope.module) for name in names)

    def _fills(self, callee: ast.expr, module: SemanticIndex) -> bool:
        """Return whether what a file calls may fill such a table, by its name."""
        homes, name = self._fillers.get(word_of(callee), set()), root_name(callee)
        known = self.program.names.resolve(module, name) if homes and name else NOTHING
        own = {scope.module for scope in known.scopes}
        if own and own.issuperset(known.modules) and not any(getattr(each.node, "bases", ()) for each in known.scopes):
            return not own.isdisjoint(homes)
        return bool(homes) and not self._is_of_library(name, module)  # it may be any object, or have a base

    def _is_of_library(self, name: str, module: SemanticIndex) -> bool:
        """Return whether a name of a file holds what a library made: `scale = MultitypeFuncGraph("scale")`."""
        values = [binding.value for binding in module.scope.bindings.get(name, ())]
        makers = [root_name(value.func) for value in values if isinstance(value, ast.Call)]
        if not values or len(makers) < len(values):
            return False
        return all(each in module.imported and self.program.names.resolve(module, each) == NOTHING for each in makers)

    @staticmethod
    def is_only_put(given: Given, scope: Scope, modules: Iterable[SemanticIndex]) -> bool:
        """Return whether calls in a scope only put something into tables: all functions of modules that they may enter.

        False where no such function is known.
        """
        words = {site.word for site in given.sites}
        functions = [each for module in modules for word in words for each in module.defined.get(word, ())]
        return bool(functions) and all(each.is_function and _only_fills(each, given, scope) for each in functions)


def _only_fills(function: Scope, given: Given, scope: Scope) -> bool:
    """Return whether a function only puts into tables what calls in a scope give it."""
    stored = tuple(_stored(function))
    signature = Signature.of(function, function.is_method) if stored else Signature.named()
    for site in given.sites:
        arguments = signature.bind(Layer(site.call, scope))
        parts = [part.node for name in stored if (part := arguments.of(name).part) is not None]
        if not any(isinstance(node, ast.Name) and node.id == given.name for node in parts):
            return False
    return True


def _stored(function: Scope) -> Iterator[str]:
    """Yield the parameters of which a function reads but the name, and puts them into a table."""
    stores = [
        value for found in function.module.registered.values() for _, value, block in found if block.scope is function
    ]
    stored = {id(node): node.id for value in stores for node in _parts(value) if isinstance(node, ast.Name)}
    signature = Signature.of(function, is_bound=False)
    for name in dict.fromkeys(stored.values()):
        if name in (*signature.slots, *signature.words) and len(function.bindings[name]) == 1:
            loads = [node for node in ast.walk(function.node) if isinstance(node, ast.Name) and node.id == name]
            harmless = {id(part) for each in ast.walk(function.node) for part in _looked_at(each)}
            if all(id(node) in stored or id(node) in harmless for node in loads):
                yield name


def _parts(value: ast.expr) -> Sequence[ast.expr]:
    return value.values if isinstance(value, ast.Dict) else (value,)


def _looked_at(node: ast.AST) -> Sequence[ast.AST]:
    """Return the parts of a statement or expression that call nothing of what they mean, and keep it nowhere."""
    if isinstance(node, ast.Attribute):
        return (node.value,) if node.attr in _NAMING else ()
    if isinstance(node, ast.Call):
        return node.args if word_of(node.func) in _ASKING else ()
    if isinstance(node, ast.Compare):
        return (node.left, *node.comparators)
    if isinstance(node, ast.UnaryOp):
        return (node.operand,)
    return (node.value,) if isinstance(node, (ast.FormattedValue, ast.Return)) and node.value is not None else ()
