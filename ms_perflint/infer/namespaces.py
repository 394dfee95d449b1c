"""The namespaces of classes and modules as mappings: `vars(Config)`, `Config.__dict__`, `globals()`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Optional

from ms_perflint.index.execution_order import is_always_passed, never_before, place, stored
from ms_perflint.index.semantic_index import Binding, Scope, SemanticIndex
from ms_perflint.index.signature import Held
from ms_perflint.index.syntax_forms import is_enumeration
from ms_perflint.infer import mappings
from ms_perflint.infer.bulk_updates import sets_by_name
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.places import NAMESPACES
from ms_perflint.infer.values import TOP, Alternative, Value

BEFORE, BEHIND = ("__module__",), ("__dict__", "__weakref__", "__doc__")  # what Python puts into that of a class
OF_MODULE = ("__name__", "__doc__", "__package__", "__loader__", "__spec__", "__builtins__", "__file__", "__cached__")


def of_class(evaluator: Evaluator, known: Alternative, node: ast.expr, scope: Scope) -> Optional[Value]:
    """Return the mapping of the members that a class has by itself; None where code may give it others, and of others.

    Python's own entries are not known.
    """
    cls = known.definition
    if cls is None or not isinstance(cls.node, ast.ClassDef) or is_enumeration(cls.node):
        return None
    is_plain = not cls.node.keywords and (not cls.node.decorator_list or evaluator.libraries.is_record(cls))
    if not is_plain or _is_filled(evaluator, cls) or not all(map(_is_there, cls.bindings.values())):
        return None
    own = ((name, evaluator.members(Value((known,)), name, node, scope)) for name in cls.bindings)
    return _laid(evaluator, [*_unknown(BEFORE), *own, *_unknown(BEHIND)], node, scope)


def of_module(evaluator: Evaluator, module: SemanticIndex, node: ast.expr, scope: Scope) -> Optional[Value]:
    """Return the mapping of the names of a module where its code asks for it; None where not all are known."""
    home, read = module.scope, place(node, scope)
    if home.stars or not NAMESPACES.isdisjoint(module.registered) or read is None:
        return None
    is_own = scope.owner is home  # else all of the module has run
    bound = {
        name: [each for each in home.bindings[name] if not (is_own and never_before(stored(each), read))]
        for name in home.bindings
    }
    names = [name for name, bindings in bound.items() if bindings]
    if not all(_is_there(bound[name]) for name in names):
        return None
    own = (
        (name, evaluator.bindings(tuple(bound[name])) if is_own else evaluator.exported(module, name)) for name in names
    )
    return _laid(evaluator, [*_unknown(OF_MODULE), *own], node, scope)


def _is_there(bindings: Iterable[Binding]) -> bool:
    """Return whether one of some bindings always binds their name, and none removes it."""
    return any(is_always_passed(stored(each)) for each in bindings) and all(each.kind != "delete" for each in bindings)


def _is_filled(evaluator: Evaluator, cls: Scope) -> bool:
    """Return whether code may give a class members that it does not define: `Config.name = value`."""
    holders = {cls.name, "cls"}
    stores = ((base, name) for module in evaluator.program.modules for base, name in module.stores)
    is_stored = any(base.rpartition(".")[2] in holders and name not in cls.bindings for base, name in stores)
    return is_stored or sets_by_name(evaluator)


def _unknown(names: Iterable[str]) -> Iterator[tuple[str, Value]]:
    return ((name, TOP) for name in names)


def _laid(evaluator: Evaluator, entries: Iterable[tuple[str, Value]], node: ast.expr, scope: Scope) -> Value:
    return mappings.laid(evaluator, node, [(name, Held(node, scope, value)) for name, value in entries], scope)
