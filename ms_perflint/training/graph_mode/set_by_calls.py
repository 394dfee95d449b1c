"""Stores in objects by calls, `setattr(net, name, 1)`, `state.update(k=1)`, `vars(net)["k"] = 1`; changed containers.

Containers are changed in objects, `net.state[i] = x`, `net.log.append(x)`, and under names of other scopes.

Run on 2.10, CPU: compiled code keeps the first value of each of these forms, as it does of an assignment.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ms_perflint.index.semantic_index import Binding, Block, Scope, SemanticIndex
from ms_perflint.index.syntax_forms import object_of, targets, text_of, word_of
from ms_perflint.infer.places import ADDS, ORDERS, SHRINKS
from ms_perflint.program.program import Program, fact

_CHANGES = ADDS | SHRINKS | ORDERS | {"fill"}
_NAMESPACES = ("globals", "vars", "__dict__")
_PLACES = (ast.Name, ast.Attribute, ast.Subscript)
_HOPS = 4  # names that stand for one another


def stored(program: Program, name: str) -> list[Binding]:
    """Return the stores of a name in objects by calls; the node of each is `object.name` or `object["name"]`."""
    return [each for each in _stores(program) if each.name == name and not isinstance(each.node, ast.Name)]


def all_stores(program: Program, name: str) -> list[Binding]:
    """Return the stores of an attribute, in `self` or another object, also those by calls."""
    classes = (scope for module in program.modules for scope in module.scopes if scope.is_class)
    own = [binding for scope in classes for binding in scope.attributes.get(name, ())]
    return [*own, *program.code.stores_anywhere(name), *stored(program, name)]


def stored_globals(program: Program, module: SemanticIndex, name: str) -> list[Binding]:
    """Return the stores of a global name through `globals()` in the functions of a module."""
    own = (each for each in _stores(program) if isinstance(each.node, ast.Name) and each.scope.module is module)
    return [each for each in own if each.name == name]


def changed_items(program: Program, name: str) -> list[Binding]:
    """Return the changes of items in containers that objects hold under a name; the node of each is `object.name`."""
    return [each for each in _changed_items(program) if each.name == name and isinstance(each.node, ast.Attribute)]


def changed_names(program: Program) -> list[Binding]:
    """Return the changes of items in containers under names of modules, and of functions around others."""
    return [each for each in _changed_items(program) if isinstance(each.node, ast.Name)]


def keys_of(change: Binding) -> frozenset[object]:
    """Return the constant keys of the items that a change replaces or changes; none where they are computed."""
    by = change.stmt
    if change.path or not isinstance(by, ast.Call) or word_of(by.func) != "update" or by.args:
        return frozenset(change.path)
    return frozenset(word.arg for word in by.keywords)


def is_store(change: Binding) -> bool:
    """Return whether a change is also a store of an item: `state["k"] = 1`, `state.update(k=1)`."""
    by = change.stmt
    if isinstance(by, ast.Subscript):
        return isinstance(by.ctx, ast.Store) and not isinstance(by.value, ast.Subscript)
    return not change.path


@fact
def _changed_items(program: Program) -> tuple[Binding, ...]:
    found: list[tuple[ast.expr, ast.AST, Block]] = []
    for module in program.modules:
        for table in module.registered.values():
            found += [(target.value, target, block) for target, _, block in table]
        by_text = (each for stores in module.stored.values() for each in stores)
        found += [(each.node.value, each.node, each.block) for each in by_text if isinstance(each.node, ast.Subscript)]
        lost = [(each, block) for stmt, block in module.steps if isinstance(stmt, ast.Delete) for each in stmt.targets]
        found += [(each.value, each, block) for each, block in lost if isinstance(each, ast.Subscript)]
    for word in sorted(_CHANGES):
        for site in program.sites(word):
            if site.base is not None:
                found.append((site.base, site.node, site.block))
    held = ((_whole(container, block.scope, _HOPS, _key(node)), node, block) for container, node, block in found)
    return tuple(
        Binding(word_of(holder), "augment", holder, None, key, node, block)
        for (holder, key), node, block in held
        if isinstance(holder, ast.Attribute) or (isinstance(holder, ast.Name) and _is_shared(holder, block.scope))
    )


def _key(node: ast.AST) -> tuple[Any, ...]:
    return (node.slice.value,) if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) else ()


def _whole(node: ast.expr, scope: Scope, hops: int, key: tuple[Any, ...]) -> tuple[ast.expr, tuple[Any, ...]]:
    """Return the container that an item is in, however deep, and its key there: of `net.state["old"][i]` `net.state`.

    Of a name what it stands for: `rates = net.rates`, `for row in net.rows`. No key where that is not written.
    """
    while isinstance(node, ast.Subscript):
        key, node = _key(node), node.value
    only = scope.only(node) if hops else None
    if only is None or only.path or only.kind not in ("assign", "for") or not isinstance(only.value, _PLACES):
        return node, key
    return _whole(only.value, only.scope, hops - 1, key if only.kind == "assign" else ())


def _is_shared(name: ast.Name, scope: Scope) -> bool:
    """Return whether other functions may read a name: a name of a module, or of a function with inner functions."""
    home = scope.home(name.id)
    return home is not None and (home is home.module.scope or (home.is_function and bool(home.defines)))


@fact
def _stores(program: Program) -> tuple[Binding, ...]:
    """Return the stores by calls; the node of one of a global name is the name."""
    found: list[Binding] = []
    for module in program.modules:
        for site in module.sites_of("setattr"):
            call = site.call
            if isinstance(call.func, ast.Name) and len(call.args) == 3:
                for name in program.value(call.args[1], site.scope).constants:
                    if isinstance(name, str):
                        target = ast.Attribute(call.args[0], name, ast.Store())
                        found.append(_stored(target, name, call.args[2], call, site.block))
        for site in module.sites_of("update"):
            if site.base is not None:
                for name, value in _entries(site.call):
                    found.append(_member(site.base, name, value, site.call, site.block))
        if program.project.contains_any(module.path, _NAMESPACES):
            found += _by_item(module)
    return tuple(found)


def _entries(call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """Yield what a mapping is given by name: `update(k=1)`, `update({"k": 1})`, `update(dict(k=1))`."""
    unnamed = [word.value for word in call.keywords if word.arg is None]
    yield from ((word.arg, word.value) for word in call.keywords if word.arg is not None)
    for given in [*call.args, *unnamed]:
        if isinstance(given, ast.Dict):
            yield from ((text, value) for key, value in zip(given.keys, given.values) if (text := text_of(key)))
        elif _is_call(given, "dict"):
            yield from _entries(given)  # type: ignore[arg-type]


def _by_item(module: SemanticIndex) -> Iterator[Binding]:
    """Yield what is assigned to an entry of a namespace: `globals()["k"] = 1`, `vars(net)["k"] = 1`."""
    for stmt, block in module.steps:
        for target in [stmt.target] if isinstance(stmt, ast.AugAssign) else targets(stmt):
            name = text_of(target.slice) if isinstance(target, ast.Subscript) else ""
            base = target.value if isinstance(target, ast.Subscript) else target
            if name and (_is_call(base, "globals") or object_of(base) is not None):
                yield _member(base, name, stmt.value, stmt, block)  # type: ignore[attr-defined]


def _member(base: ast.expr, name: str, value: ast.expr, node: ast.AST, block: Block) -> Binding:
    """Return the store of an entry of a mapping, which may be a namespace."""
    holder = object_of(base)
    if holder is not None:
        return _stored(ast.Attribute(holder, name, ast.Store()), name, value, node, block)
    is_global = _is_call(base, "globals")
    target = ast.Name(name, ast.Store()) if is_global else ast.Subscript(base, ast.Constant(name), ast.Store())
    return _stored(target, name, value, node, block)


def _stored(target: ast.expr, name: str, value: ast.expr, node: ast.AST, block: Block) -> Binding:
    """Return a store as a binding of the kind "augment": it defines no name."""
    return Binding(name, "augment", ast.copy_location(target, node), value, (), node, block)


def _is_call(node: ast.expr, word: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == word
