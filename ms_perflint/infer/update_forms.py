"""Updates of many settings at once by their form: `vars(args).update(settings)`, `setattr(args, key, value)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple, Optional

from ms_perflint.core.facts import fact
from ms_perflint.index.semantic_index import Block, Scope, SemanticIndex, Site
from ms_perflint.index.signature import receiver_name
from ms_perflint.index.syntax_forms import name_of, object_of, word_of
from ms_perflint.infer import setting_loops
from ms_perflint.infer.call_context import CallContext
from ms_perflint.infer.changes import CONTAINERS, touching
from ms_perflint.infer.evaluator import Library

SETATTR, UPDATE, SETDEFAULT, ITEM, OWN, EXEC = "setattr", "update", "setdefault", "[]", "__dict__", "exec"
NAMED = "="  # what gives any settings later: `put = object.update`, `partial(setattr, object, "name")`
CLASS = "__class__"
LISTED = "merge_from_list"  # of names and values, in turn
INSIDE = "."  # the same, of the objects inside of an object: `["inner.name", 2]`


class Update(NamedTuple):
    """A place that updates many settings of an object."""

    word: str
    receiver: ast.expr
    node: ast.expr  # the call, or the target `object[key]`
    block: Block
    key: Optional[ast.expr] = None  # of one setting, in a loop over their names
    value: Optional[ast.expr] = None
    first: int = 0  # the argument that is laid over it; those before are the object

    @property
    def loop(self) -> Optional[setting_loops.Loop]:
        """Return the loop over names of settings in which it updates one of them; None without one."""
        return setting_loops.of_key(self.key, self.block) if self.key is not None else None


@fact
def of_file(module: SemanticIndex, merges: frozenset[str]) -> list[Update]:
    """Return the updates in a file, in source order; of objects that update themselves, those of attributes."""
    words = (SETATTR, f"__{SETATTR}__", UPDATE, SETDEFAULT, EXEC, "partial", *merges)
    calls = [site for word in words for site in module.by_word.get(word, ())]
    found = [update for site in calls for update in _of_call(merges, site)]
    stores = (store for stores in module.registered.values() for store in stores)
    found += [update for store in stores if (update := _of_store(*store)) is not None]
    for one in (each for name in (OWN, CLASS) for each in module.stored.get(name, ())):
        if isinstance(one.node, ast.Attribute):
            word, value = (OWN, one.value) if one.name == OWN and not one.path else (NAMED, None)
            found.append(Update(word, one.node.value, one.node, one.block, None, value))
    for stmt, block in module.steps:
        if type(stmt) is ast.AugAssign and type(stmt.op) is ast.BitOr:  # `settings |= {"name": value}`
            found.append(Update(OWN, stmt.target, stmt.target, block, None, stmt.value))
    named = (each for several in touching(module).values() for each in several if each.word == UPDATE)
    found += [Update(NAMED, each.about, each.node, each.block) for each in named]  # type: ignore[arg-type]
    counting = (update for update in found if not is_own(update.receiver) or _is_of_attributes(update))
    return sorted(counting, key=lambda update: (update.node.lineno, update.node.col_offset))


def updates_itself(cls: Scope) -> bool:
    """Return whether methods of a class set attributes of their object by computed names."""
    found = (each for each in of_file(cls.module, frozenset()) if is_own(each.receiver))
    return OWN in cls.attributes or any(each.block.scope.owner.parent is cls for each in found)


def takes_parameter(update: Update, scope: Scope) -> bool:
    """Return whether an update lays a parameter of its function over an object, for whatever call of the function."""
    node = update.node
    given = [*node.args, *(word.value for word in node.keywords)] if isinstance(node, ast.Call) else []
    bound = [each for name in map(name_of, given) for each in scope.bindings.get(name, ())]
    return not isinstance(scope, CallContext) and any(each.kind == "parameter" for each in bound)


def updates_in(libraries: Library, scope: Scope, name: str, is_mapping: bool) -> list[Update]:
    """Return the updates in a method, in source order; for a mapping also those of its items."""
    found = [update for site in scope.calls for update in _of_call(libraries.merges, site)]
    cls = scope.owner.parent
    for one in cls.attributes.get(OWN, ()) if cls is not None else ():  # `self.__dict__ = settings`
        node, is_here = one.node, one.scope.owner is scope.owner and not one.path
        is_other = one.value is not None and word_of(one.value) != receiver_name(scope)
        if isinstance(node, ast.Attribute) and is_here and is_other:
            found.append(Update(OWN, node.value, node, one.block, None, one.value))
    stores = (store for each in scope.module.registered.values() for store in each)
    items = [_of_store(*store) for store in stores if store[2].scope.owner is scope.owner]
    found += [each for each in items if each is not None and (is_mapping or object_of(each.receiver) is not None)]
    if is_mapping:
        found += [update for site in scope.calls for update in _of_base(libraries, site)]
        for one in scope.module.stored.get(name, ()):
            if isinstance(one.node, ast.Subscript) and one.scope.owner is scope.owner:
                found.append(Update(ITEM, one.node.value, one.node, one.block, one.node.slice, one.whole))
    return sorted(found, key=lambda update: (update.node.lineno, update.node.col_offset))


def _of_base(libraries: Library, site: Site) -> Iterator[Update]:
    """Yield the update that `super().__init__(settings)` and `dict.update(self, settings)` are of a mapping."""
    node = site.node
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return
    receiver, first = node.func.value, 0
    if isinstance(receiver, ast.Name) and libraries.is_mapping(receiver.id) and node.args:
        receiver, first = node.args[0], 1
    elif site.word != "__init__" or not is_own(receiver):
        return
    is_one = len(node.args) == first + 1 or (len(node.args) == first and bool(node.keywords))
    if site.word in ("__init__", UPDATE) and is_one:
        yield Update(UPDATE, receiver, node, site.block, first=first)


def _of_store(target: ast.Subscript, value: ast.expr, block: Block) -> Optional[Update]:
    """Return the update that `object[key] = value` is in a loop over names of settings; None elsewhere.

    `vars(object)[key] = value` is one everywhere.
    """
    loop = setting_loops.of_key(target.slice, block)
    is_of_items = loop is None or setting_loops.is_over_numbers(loop, block.scope)
    if is_of_items and object_of(target.value) is None:
        return None
    return Update(ITEM, target.value, target, block, target.slice, value)


def _of_call(merges: frozenset[str], site: Site) -> Iterator[Update]:
    """Yield the update of a call, if its syntax is one."""
    node = site.node
    is_spread = isinstance(node, ast.Call) and any(isinstance(argument, ast.Starred) for argument in node.args)
    if not isinstance(node, ast.Call) or (is_spread and site.word != UPDATE):
        return
    if site.word == "partial" and len(node.args) > 1 and name_of(node.args[0]) == SETATTR:
        yield Update(NAMED, node.args[1], node, site.block, next(iter(node.args[2:]), None))
    if site.word == UPDATE and name_of(site.base or node) == "OmegaConf" and len(node.args) > 2:
        yield Update(NAMED, node.args[0], node, site.block, node.args[1])
    if site.word == UPDATE and name_of(site.base or node) in CONTAINERS and node.args:  # `dict.update(settings, x=1)`
        yield Update(UPDATE, node.args[0], node, site.block, first=1)
    elif isinstance(node.func, ast.Name) and node.func.id == SETATTR and len(node.args) == 3:
        if not isinstance(node.args[1], ast.Constant):
            yield Update(SETATTR, node.args[0], node, site.block, node.args[1], node.args[2])
    elif isinstance(node.func, ast.Attribute) and site.word == f"__{SETATTR}__" and len(node.args) in (2, 3):
        *holder, key, value = node.args
        if not isinstance(key, ast.Constant):
            yield Update(SETATTR, holder[0] if holder else node.func.value, node, site.block, key, value)
    elif isinstance(node.func, ast.Name) and node.func.id == EXEC and len(node.args) > 1:  # the last gets its names
        yield Update(EXEC, node.args[-1], node, site.block)
    elif isinstance(node.func, ast.Attribute) and site.word == SETDEFAULT and len(node.args) == 2:
        if isinstance(node.args[0], ast.Constant):
            yield Update(SETDEFAULT, node.func.value, node, site.block, node.args[0], node.args[1])
    elif isinstance(node.func, ast.Attribute) and len(node.args) <= 1:
        is_text = any(isinstance(argument, ast.Constant) for argument in node.args)  # `hash.update("text")`
        is_given = bool(node.args or node.keywords) and not is_text
        if site.word in merges or (site.word == UPDATE and is_given):
            yield Update(site.word, node.func.value, node, site.block)
        if site.word == LISTED and node.args:
            yield Update(INSIDE, node.func.value, node, site.block)


def is_own(receiver: ast.expr) -> bool:
    """Return whether an object updates itself: `self`, `super()`, `self.__dict__`, `vars(self)`."""
    if isinstance(receiver, ast.Name):
        return receiver.id == "self"
    if isinstance(receiver, ast.Call) and name_of(receiver.func) == "super":
        return True
    return name_of(object_of(receiver) or receiver) == "self"


def _is_of_attributes(update: Update) -> bool:
    """Return whether a method sets attributes of its object: `setattr(self, key, value)`, `vars(self).update(more)`.

    What `__setattr__` and `__setitem__` set is what a store in the object gives them.
    """
    method = update.block.scope.owner
    is_own = method.is_method and method.name not in ("__setattr__", "__setitem__")
    return is_own and (update.word == SETATTR or (update.word in (UPDATE, ITEM) and bool(object_of(update.receiver))))
