"""Functions and classes that a file hands on as values: the names under which they may be called then.

By names alone, and per file: whether a call is one of a function is asked of its callee afterwards.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Union

from ms_perflint.semantics.forms import word_of
from ms_perflint.semantics.module import Module

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
        found: dict[str, set[Holder]] = {}
        for source, holder in _edges(module):
            if source != holder:
                found.setdefault(source, set()).add(holder)
        module.handed = found
    return module.handed


def _edges(module: Module) -> Iterator[tuple[str, Holder]]:
    for display in module.displays:
        for element in display.values if isinstance(display, ast.Dict) else display.elts:
            yield from ((name, TABLE) for name in names(element))
    for scope in module.scopes:
        groups = (*scope.bindings.values(), *scope.attributes.values())
        for binding in (binding for group in groups for binding in group):
            if binding.kind == "for" or (binding.kind == "assign" and binding.path):
                if binding.name in module.by_word:
                    yield TABLE, binding.name
            elif binding.value is not None and binding.kind in ("assign", "parameter"):
                yield from ((name, binding.name) for name in names(binding.value))
        for value, _ in scope.returns:
            yield from ((name, scope.name + RESULT) for name in names(value))
        for decorator in getattr(scope.node, "decorator_list", ()):
            yield scope.name, (called(decorator), 0)
    for site in module.sites:
        if isinstance(site.node, ast.Call):
            yield from _arguments(site.node, called(site.node.func))


def _arguments(call: ast.Call, callee: str) -> Iterator[tuple[str, Holder]]:
    for slot, argument in enumerate(call.args):
        yield from ((name, (callee, slot)) for name in names(argument))
    for keyword in call.keywords:
        if keyword.arg:
            holder: Holder = TABLE if callee in DICTS else (callee, keyword.arg)
            yield from ((name, holder) for name in names(keyword.value))


def called(node: ast.expr) -> str:
    """Return the name of a callee or decorator; for what another call gave, the name of that with RESULT behind it."""
    return called(node.func) + RESULT if isinstance(node, ast.Call) else word_of(node)


def names(node: ast.expr) -> Iterator[str]:
    """Yield the names that stand for what an expression may be."""
    if isinstance(node, (ast.Name, ast.Attribute)):
        yield word_of(node)
    elif isinstance(node, ast.Subscript):
        yield BY_NAME if isinstance(node.value, ast.Call) and called(node.value.func) in NAMESPACES else TABLE
    elif isinstance(node, ast.Call):
        word = called(node.func)
        yield TABLE if word in TAKES else word + RESULT
    elif isinstance(node, ast.IfExp):
        yield from names(node.body)
        yield from names(node.orelse)
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from names(value)
