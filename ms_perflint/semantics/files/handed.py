"""Functions and classes that a file hands on as values: the names under which they may be called then.

By names alone, and per file: whether a call is one of a function is asked of its callee afterwards.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from typing import Union

from ms_perflint.semantics.forms import word_of
from ms_perflint.semantics.module import Module, Site

TABLE = "[]"  # what is taken out of a table or list, or from an object by a name that is worked out
RESULT = "()"  # behind the name of a function: what it returns
TAKES = frozenset({"get", "pop", "next"})
DICTS = frozenset({"dict", "OrderedDict", "EasyDict", "edict"})
BY_NAME = "getattr" + RESULT  # what is found by its name alone
NAMESPACES = frozenset({"globals", "locals", "vars"})

Passed = tuple[str, Union[int, str]]  # the word of a callee, and the slot or keyword for which something is passed
Holder = Union[str, Passed]


def handed(module: Module) -> dict[str, set[Holder]]:
    """Return by each name that a file hands on what holds it then: another name, or a parameter of a function."""
    if module.handed is None:
        found: defaultdict[str, set[Holder]] = defaultdict(set)
        for source, holder in _edges(module):
            if source != holder:
                found[source].add(holder)
        for site in module.sites:
            if type(site.node) is ast.Call and (site.node.args or site.node.keywords):
                _arguments(site.node, called(site.node.func), found)
        module.handed = dict(found)
    return module.handed


def _edges(module: Module) -> Iterator[tuple[str, Holder]]:
    """Yield what stands for what, but for what calls are given."""
    for display in module.displays:
        for element in display.values if isinstance(display, ast.Dict) else display.elts:
            for name in names(element):
                yield name, TABLE
    for scope in module.scopes:
        for groups in (scope.bindings, scope.attributes):
            for group in groups.values():
                for binding in group:
                    kind = binding.kind
                    if kind == "for" or (kind == "assign" and binding.path):
                        if binding.name in module.by_word:
                            yield TABLE, binding.name
                    elif binding.value is not None and (kind == "assign" or kind == "parameter"):
                        for name in names(binding.value):
                            yield name, binding.name
        for value, _ in scope.returns:
            for name in names(value):
                yield name, scope.name + RESULT
        for decorator in getattr(scope.node, "decorator_list", ()):
            yield scope.name, (called(decorator), 0)


def _arguments(call: ast.Call, callee: str, found: defaultdict[str, set[Holder]]) -> None:
    """Note what a call is given."""
    for slot, argument in enumerate(call.args):
        for name in names(argument):
            found[name].add((callee, slot))
    for keyword in call.keywords:
        if keyword.arg:
            holder: Holder = TABLE if callee in DICTS else (callee, keyword.arg)
            for name in names(keyword.value):
                if name != holder:
                    found[name].add(holder)


def computed(module: Module) -> dict[str, list[Site]]:
    """Return the sites of a file that call what is worked out on the spot, by the names that stand for that."""
    if module.computed is None:
        module.computed = {}
        for site in module.sites:
            if isinstance(site.node, ast.Call) and isinstance(site.node.func, (ast.Call, ast.Subscript, ast.IfExp)):
                for name in names(site.node.func):
                    module.computed.setdefault(name, []).append(site)
    return module.computed


def called(node: ast.expr) -> str:
    """Return the name of a callee or decorator; for what another call gave, the name of that with RESULT behind it."""
    return called(node.func) + RESULT if isinstance(node, ast.Call) else word_of(node)


def names(node: ast.expr) -> tuple[str, ...]:
    """Return the names that stand for what an expression may be."""
    kind = type(node)
    if kind is ast.Constant:
        return ()
    if kind is ast.Name:
        return (node.id,)  # type: ignore[attr-defined]
    if kind is ast.Attribute:
        return (node.attr,)  # type: ignore[attr-defined]
    if isinstance(node, ast.Subscript):
        by_name = isinstance(node.value, ast.Call) and called(node.value.func) in NAMESPACES
        return (BY_NAME if by_name else TABLE,)
    if isinstance(node, ast.Call):
        word = called(node.func)
        return (TABLE if word in TAKES else word + RESULT,)
    if isinstance(node, ast.IfExp):
        return (*names(node.body), *names(node.orelse))
    return tuple(name for value in node.values for name in names(value)) if isinstance(node, ast.BoolOp) else ()
