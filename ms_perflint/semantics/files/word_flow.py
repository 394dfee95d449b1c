"""Where a file hands on what a name holds: to other names, to parameters, to functions and classes. By words alone.

The word of a function with RESULT behind it stands for what calling it gives.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Optional

from ms_perflint.records import NamedTuple
from ms_perflint.semantics.files.handed import DICTS, RESULT
from ms_perflint.semantics.forms import is_decorated, word_of
from ms_perflint.semantics.module import FUNCTIONS, Binding, Module, Scope, Site
from ms_perflint.semantics.signature import is_method

PROPERTIES = ("property", "cached_property", "lazy_property")
INIT = "__init__"
Table = dict[str, set[str]]
Slots = dict[int, tuple[str, ...]]  # the parameters that the slots of a call may be of


class WordFlow(NamedTuple):
    """What one file says, by the word that hands on what it holds; besides `made` and `renamed` of the module."""

    names: Table  # keywords and properties that get it
    members: Table  # attributes, and keywords of classes, that get it
    unknown: set[str]  # attributes that get what no word stands for
    makers: Table  # functions that return it, and classes that hold or call it
    passed: dict[str, set[tuple[str, int]]]  # the slots of calls, by the callee's word
    functions: dict[str, list[Slots]]  # name -> the parameters of what has it


def word_flow(module: Module) -> WordFlow:
    """Return how a file hands things on."""
    found = WordFlow({}, {}, set(), {}, {}, {})
    for sites in module.by_word.values():
        for site in sites:
            if isinstance(site.node, ast.Call):
                _arguments(site, site.node, found)
    for stores in module.stored.values():
        _members((store for store in stores if _root(store.node) not in module.imported), found)
    for scope in module.scopes:
        if scope.is_class:
            _of_class(scope, found)
        elif scope.name:
            _of_function(scope, found)
    return found


# --- calls


def _arguments(site: Site, call: ast.Call, found: WordFlow) -> None:
    for keyword in call.keywords:
        if keyword.arg and (word := _source(keyword.value)):
            found.names.setdefault(word, set()).add(keyword.arg)
            if site.word[:1].isupper() or site.word in DICTS:
                found.members.setdefault(word, set()).add(keyword.arg)
    if call.args:
        entered = _entered(site, call)
        for slot, argument in enumerate(call.args):
            if word := _source(argument):
                passed = found.passed.setdefault(word, set())
                for callee in entered:
                    passed.add((callee, slot))


def _entered(site: Site, call: ast.Call) -> tuple[str, ...]:
    """Return the words of what a call enters: of `super().__init__(...)` and `Base.__init__(...)` the bases."""
    if site.word != INIT or not isinstance(call.func, ast.Attribute):
        return (site.word,)
    above, cls = call.func.value, site.scope.owner.parent
    if isinstance(above, ast.Call) and cls is not None and isinstance(cls.node, ast.ClassDef):
        return tuple(word_of(base) for base in cls.node.bases)
    return (word_of(above),)


# --- functions and classes


def _of_function(scope: Scope, found: WordFlow) -> None:
    """Note what a function returns."""
    is_property = is_decorated(scope.node, *PROPERTIES)
    for value, _ in scope.returns:
        for part in getattr(value, "elts", (value,)):
            if word := _source(part):
                found.makers.setdefault(word, set()).add(scope.name)
                if is_property:
                    found.names.setdefault(word, set()).add(scope.name)
                    found.members.setdefault(word, set()).add(scope.name)
    if isinstance(scope.node, FUNCTIONS):
        found.functions.setdefault(scope.name, []).append(_slots(scope))


def _of_class(scope: Scope, found: WordFlow) -> None:
    """Note what a class is built on and calls, and what its attributes get."""
    assert isinstance(scope.node, ast.ClassDef)
    called = {site.word for method in scope.defines for site in method.calls}
    for word in (*map(word_of, scope.node.bases), *called):
        found.makers.setdefault(word, set()).add(scope.name)
    for bindings in (*scope.attributes.values(), *scope.bindings.values()):
        _members((binding for binding in bindings if binding.kind != "function"), found)
    init = scope.method(INIT)
    if init is not None:
        found.functions.setdefault(scope.name, []).append(_slots(init))


def _slots(function: Scope) -> Slots:
    """Return by slot the names of parameters; a method may be called on an object, and on its class."""
    names = [argument.arg for argument in function.node.args.args]  # type: ignore[union-attr]
    if not is_method(function) and names[:1] != ["self"]:
        return {slot: (name,) for slot, name in enumerate(names)}
    names[:1] = [""]
    return {slot: tuple(names[slot : slot + 2]) for slot in range(len(names))}


# --- attributes


def _members(bindings: Iterable[Binding], found: WordFlow) -> None:
    """Note what attributes get; not those of imported modules and classes: `Tensor.size = size`."""
    for binding in bindings:
        words = _words(binding.value) if binding.kind == "assign" and not binding.path else None
        if words is None:
            found.unknown.add(binding.name)
        for word in words or ():
            found.members.setdefault(word, set()).add(binding.name)


def _words(node: Optional[ast.expr]) -> Optional[tuple[str, ...]]:
    """Return the words of what an expression may hold; None where none stands for it."""
    if isinstance(node, ast.IfExp):
        first, other = _words(node.body), _words(node.orelse)
        return (*first, *other) if first is not None and other is not None else None
    if isinstance(node, (ast.Constant, ast.Compare, ast.JoinedStr)):
        return ()
    if isinstance(node, (ast.Call, ast.Name, ast.Attribute)):
        return tuple(_sources(node)) or None
    return None


def _sources(node: ast.expr) -> Iterator[str]:
    """Yield the word of an expression, and those of the calls on whose results it is a call: `made().set_train()`."""
    while word := _source(node):
        yield word
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return
        node = node.func.value


def _root(node: ast.AST) -> str:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _source(node: ast.expr) -> str:
    """Return the word of a name; of a call that of the callee, with RESULT."""
    kind = type(node)
    if kind is ast.Constant:
        return ""
    if kind is ast.Name:
        return node.id  # type: ignore[attr-defined, no-any-return]
    if not isinstance(node, ast.Call):
        return word_of(node)
    word = word_of(node.func)
    return word + RESULT if word else ""
