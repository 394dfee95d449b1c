"""The namespaces of classes and modules: as mappings, `vars(Config)`, `globals()`, and what code stores in them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Optional

from ms_perflint.core.facts import fact
from ms_perflint.index.execution_order import is_always_passed, never_before, place, stored
from ms_perflint.index.reachability import BY_DEFAULT, IMPOSSIBLE
from ms_perflint.index.semantic_index import Binding, Scope, SemanticIndex, Site
from ms_perflint.index.signature import Held
from ms_perflint.index.syntax_forms import is_enumeration, object_of, text_of, word_of
from ms_perflint.infer import mappings
from ms_perflint.infer.bulk_updates import sets_by_name
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.places import NAMESPACES, is_this_file
from ms_perflint.infer.tables import receiver_of
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


def stored_in(evaluator: Evaluator, module: SemanticIndex, name: str) -> Iterator[Value]:
    """Yield the values that a name of a module gets otherwise: `module.name = value`, `globals()["name"] = value`."""
    for own in module.deep.get(name, ()):
        if _is_namespace(receiver_of(own), own.scope):
            yield evaluator.weighed(own)
    for site in _updates(module):
        yield from _updated(evaluator, site, name)
    if _binds_any(module) or any(_may_execute(site, name) for site in module.by_word.get("exec", ())):
        yield Value((), True)
    named, deep = evaluator.program.all_stores(name)
    for store in (*named, *(each for each in deep if _is_loaded(receiver_of(each)))):
        node = store.node
        if store.scope.module is module and _is_namespace(receiver_of(store), store.scope):
            yield evaluator.weighed(store)
        is_other = isinstance(node, ast.Attribute) and word_of(node.value) != "self"
        if is_other and any(k.what is module for k in evaluator.value(node.value, store.scope).alternatives):  # type: ignore[attr-defined]
            yield evaluator.weighed(store)


def _is_loaded(node: ast.expr) -> bool:
    """Return whether an expression is another module by its name: `sys.modules["settings"]`."""
    return isinstance(node, ast.Subscript) and word_of(node.value) == "modules" and not is_this_file(node)


def _is_namespace(node: ast.expr, scope: Scope) -> bool:
    """Return whether an expression is the module around it, or its names: `globals()`, `sys.modules[__name__]`."""
    if isinstance(node, ast.Name):
        home = scope.home(node.id)
        only = home.single(node) if home is not None else None
        node = only.whole if only is not None and only.whole is not None else node
    of_object = object_of(node)
    if is_this_file(node) or (of_object is not None and _is_namespace(of_object, scope)):
        return True
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.args
    return is_call and word_of(node.func) in ("globals", "locals", "vars")  # type: ignore[attr-defined]


@fact
def _binds_any(module: SemanticIndex) -> bool:
    """Return whether a file binds names that it computes: `globals()[key] = value`.

    Also by `setattr(sys.modules[__name__], key, value)`.
    """
    stored = [(target.value, block.scope) for stores in module.registered.values() for target, _, block in stores]
    set_by = [site for site in module.by_word.get("setattr", ()) if len(site.call.args) > 1]
    named = [(site.call.args[0], site.scope) for site in set_by if not text_of(site.call.args[1])]
    return any(_is_namespace(base, scope) for base, scope in (*stored, *named))


@fact
def _updates(module: SemanticIndex) -> list[Site]:
    """Return the calls that bind names of a file by what they put in its namespace: `globals().update(settings)`."""
    sites = module.by_word.get("update", ())
    return [site for site in sites if site.base is not None and _is_namespace(site.base, site.scope)]


def _updated(evaluator: Evaluator, site: Site, name: str) -> Iterator[Value]:
    """Yield what such a call puts under a name; an open value where that is not known."""
    reachability, call, scope = evaluator.reachability(site.block), site.call, site.scope
    given = [*call.args, *(each.value for each in call.keywords if each.arg is None)]
    values = [evaluator.value(each.value, scope) for each in call.keywords if each.arg == name]
    for mapping in given if not values else ():
        held = evaluator.value(mapping, scope)
        has = mappings.held(evaluator, held, name) if not isinstance(mapping, ast.Starred) else None
        if has is not False and not evaluator.is_pending(held):
            values.append(evaluator.read(Held(mapping, scope, taken=(name,))) if has else Value((), True))
    for value in values if reachability != IMPOSSIBLE else ():
        yield value if reachability == BY_DEFAULT else value.as_non_default()


def _may_execute(site: Site, name: str) -> bool:
    """Return whether a call of `exec` may bind a global name of its file."""
    args = site.call.args if isinstance(site.callee, ast.Name) else []
    is_global = (
        site.scope.parent is None if len(args) == 1 else any(_is_namespace(each, site.scope) for each in args[1:2])
    )
    return is_global and name in (text_of(args[0]) or name)


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
