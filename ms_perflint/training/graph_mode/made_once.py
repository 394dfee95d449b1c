"""Where that which each step makes again can be made once: in front of the loop or function, or in `__init__`."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable
from typing import NamedTuple, Optional

from ms_perflint.index.semantic_index import Binding, Scope, Site
from ms_perflint.index.signature import receiver_name
from ms_perflint.index.syntax_forms import descendants, name_of, only_target, word_of
from ms_perflint.infer.bases import ancestors
from ms_perflint.program.program import Program
from ms_perflint.training.graph_mode.set_by_calls import all_stores

_PARAMETERS = ("trainable_params", "get_parameters", "parameters_dict")  # methods; the flag changes what they return
_FLAG = "requires_grad"


class Once(NamedTuple):
    """A place for a statement: in front of another one, or below it."""

    stmt: ast.stmt
    is_below: bool = False


def once(program: Program, site: Site) -> Optional[Once]:
    """Return where the statement of a site can stand, to run once; None where it cannot be moved."""
    target = only_target(site.stmt)
    if getattr(site.stmt, "value", None) is not site.node or not _is_movable(site):
        return None
    if isinstance(target, ast.Name):
        is_only = site.scope.single(target) is not None
    elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        stores = all_stores(program, target.attr)
        is_only = all(each.stmt is site.stmt or each.scope.owner.name == "__init__" for each in stores)
    else:
        return None
    names = [node for node in descendants(site.node) if isinstance(node, ast.Name)]
    if not is_only:
        return None
    if site.block.loops:
        return _loop(site, names)
    if site.block.owner is not None:
        return None
    if isinstance(target, ast.Name):
        return _function(site.scope, names, target.id)
    return _init(program, site, target)


def _is_movable(site: Site) -> bool:
    """Return whether a call binds no name, and its names are bound in the file."""
    nodes = list(descendants(site.node))
    if any(isinstance(node, (ast.Lambda, ast.NamedExpr)) for node in nodes):
        return False
    names = (node.id for node in nodes if isinstance(node, ast.Name))
    return all(site.scope.home(name) is not None or hasattr(builtins, name) for name in names)


def _loop(site: Site, names: list[ast.Name]) -> Optional[Once]:
    """Return the place before the outermost loop that binds nothing which a site reads."""
    around = site.block.loops
    if site.block.owner is not around[0]:
        return None
    read = {node.attr for node in descendants(site.node) if isinstance(node, ast.Attribute)}
    homes = ((name.id, site.scope.home(name.id)) for name in names)
    bound = {id(each.stmt) for name, home in homes if home is not None for each in home.bindings[name]}
    free = None
    for loop in around:
        nodes = descendants(loop)
        stores = (each for each in nodes if isinstance(each, ast.Attribute) and not isinstance(each.ctx, ast.Load))
        if not bound.isdisjoint(map(id, nodes)) or any(each.attr in read for each in stores):
            break  # what it reads may differ from iteration to iteration
        free = loop
    return Once(free) if isinstance(free, ast.stmt) else None


def bound_anew(made: Site) -> Optional[Binding]:
    """Return what each step binds anew of the names that a call reads, or a function defined there; None if none.

    That is the function itself, if nothing that it reads is bound anew.
    """
    scope, loops = made.scope, made.block.loops
    if not loops and not scope.owner.is_function:
        return None
    inside = {id(node) for node in descendants(loops[0] if loops else scope.owner.node)}

    def anew(found: Iterable[Binding]) -> Optional[Binding]:
        return next((each for each in found if each.kind != "parameter" and id(each.stmt) in inside), None)

    names = [node for node in descendants(made.node) if isinstance(node, ast.Name)]
    bound = list(filter(None, map(anew, map(scope.lookup, names))))
    functions = [inner for each in bound for inner in scope.owner.defines if inner.node is each.node]
    closed = (name for each in functions for name in sorted(each.names) if each.home(name) is scope.owner)
    read = (anew(scope.owner.bindings[name]) for name in closed)
    found = [*bound, *filter(None, read)]
    return next((each for each in found if each.kind != "function"), found[0] if found else None)


def _function(function: Scope, names: list[ast.Name], target: str) -> Optional[Once]:
    """Return the place before a function, where all names are bound outside of it; None where they are not."""
    parent = function.parent
    if not function.is_function or parent is None or parent.is_class or target in parent.bindings:
        return None
    node = function.node
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    return Once(node) if all(_is_bound_before(function, name.id, parent, node) for name in names) else None


def _is_bound_before(function: Scope, name: str, around: Scope, node: ast.stmt) -> bool:
    """Return whether a name that a function reads is bound outside of it, and if that is around it, before a node."""
    home = function.home(name)
    bound = around.bindings[name] if home is around else ()
    return home is not function and all(
        each.block.parent is None and getattr(each.stmt, "lineno", 0) < node.lineno for each in bound
    )


def _init(program: Program, site: Site, target: ast.Attribute) -> Optional[Once]:
    """Return the end of `__init__` of the object in whose method a site stands, if all that it reads is set there."""
    function, cls = site.scope, site.scope.parent
    init = cls.method("__init__") if cls is not None and cls.is_class else None
    if init is None or cls is None or cls.parent is None or not isinstance(cls.node, ast.ClassDef):
        return None
    own, nodes = receiver_name(function), list(descendants(site.node))
    if not own or own != receiver_name(init) or not isinstance(target.value, ast.Name) or target.value.id != own:
        return None
    names = [node.id for node in nodes if isinstance(node, ast.Name)]
    words = [node.attr for node in nodes if isinstance(node, ast.Attribute) and name_of(node.value) == own]
    if len(words) < names.count(own) or not all(_is_set(program, init, cls, word) for word in words):
        return None
    if not all(_is_bound_before(function, name, cls.parent, cls.node) for name in names if name != own):
        return None
    calls = [node for node in nodes if isinstance(node, ast.Call) and node is not site.node]
    if any(word_of(call.func) not in _PARAMETERS for call in calls) or (calls and all_stores(program, _FLAG)):
        return None
    body = init.node.body if isinstance(init.node, ast.FunctionDef) else []
    if any(isinstance(node, (ast.Return, ast.Raise)) for stmt in body for node in ast.walk(stmt)):
        return None
    return Once(body[-1], is_below=True) if body else None


def _is_set(program: Program, init: Scope, cls: Scope, word: str) -> bool:
    """Return whether an attribute is a method of a class, or set in its `__init__`, in each case and nowhere else."""
    stores = all_stores(program, word)
    if not stores:
        method = next(filter(None, (each.method(word) for each in ancestors(program.evaluator, cls))), None)
        return method is not None and not getattr(method.node, "decorator_list", ())
    return len(stores) == 1 and stores[0].scope is init and stores[0].block.parent is None
