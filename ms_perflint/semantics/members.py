"""What `object.name` can be: of modules, classes, objects, settings."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Optional

from ms_perflint import mindspore_api
from ms_perflint.semantics import apis, configs, containers, importing
from ms_perflint.semantics.forms import word_of
from ms_perflint.semantics.module import FUNCTIONS, Module, Scope
from ms_perflint.semantics.values import (
    NOTHING,
    OPEN,
    Api,
    Bound,
    Display,
    Instance,
    Known,
    Namespace,
    Options,
    Tree,
    Value,
    union,
)

if TYPE_CHECKING:
    from ms_perflint.semantics.evaluate import Evaluator


DICT_METHODS = frozenset({"get", "items", "keys", "values", "update", "pop", "setdefault", "copy"})


def members(evaluator: Evaluator, base: Value, name: str, node: ast.expr, scope: Scope) -> Value:
    """Return what `base.name` can be; `node` is that expression."""
    there = [known for known in base.known if known.constant is not None]  # None has no members: it is set later
    values = [member(evaluator, known, name, node, scope) for known in there or base.known]
    if base.open or not base.known:
        values.append(OPEN)
    set_elsewhere = containers.stored(evaluator, node, name, scope)
    if set_elsewhere is not None:
        values = [value for value in values if value.known] + [set_elsewhere]
    value = union(values)
    return Value(value.known, value.open, True) if base.optional else value


def member(evaluator: Evaluator, known: Known, name: str, node: ast.expr, scope: Scope) -> Value:
    """Return what the member `name` of one known thing is."""
    what = known.what
    if isinstance(what, Module):
        return evaluator.exported(what, name)
    if isinstance(what, Namespace):
        return importing.inside(evaluator, what, name, node, scope)
    if isinstance(what, Api):
        return evaluator.known(Api(mindspore_api.canonical(f"{what.name}.{name}"), what.receiver), node, scope)
    if isinstance(what, Scope) and what.is_class:
        return _of_class(evaluator, what, name, None, node, scope)
    if isinstance(what, Instance):
        return _of_instance(evaluator, known, what, name, node, scope)
    if isinstance(what, (Options, Tree)):
        return configs.lookup(evaluator, known, name)
    if isinstance(what, Display):
        if isinstance(what.node, ast.Dict) and name in DICT_METHODS:
            return evaluator.known(Api(f"builtins.dict.{name}", known), node, scope)
        setting = containers.item(evaluator, known, name)
        return Value(setting.known, setting.open, True)  # of an `EasyDict`: what a user may set in another way
    return OPEN


def _of_instance(evaluator: Evaluator, known: Known, what: Instance, name: str, node: ast.expr, scope: Scope) -> Value:
    if isinstance(what.type, Scope):
        found = _of_class(evaluator, what.type, name, known, node, scope)
        if found.known or what.node is None:
            return found
        return configs.setting(evaluator, what, name)
    if what.type.name.startswith("mindspore.") or apis.has_members(what.type.name):
        return evaluator.known(Api(mindspore_api.canonical(f"{what.type.name}.{name}"), known), node, scope)
    found = configs.setting(evaluator, what, name)
    return found if found.known else evaluator.known(Api(f"{what.type.name}.{name}", known), node, scope)


def _of_class(
    evaluator: Evaluator, cls: Scope, name: str, receiver: Optional[Known], node: ast.expr, scope: Scope
) -> Value:
    """A member of a class of the project: set on self, made in the class body, or inherited."""
    key = (id(cls), name)
    found = evaluator.remember(key, _own_member, evaluator, cls, name)
    if found.known or found.open:
        return _take(evaluator, found, receiver)
    assert isinstance(cls.node, ast.ClassDef) and cls.parent is not None
    for base in cls.node.bases:
        for known in evaluator.value(base, cls.parent).known:
            if isinstance(known.what, Scope) and known.what.is_class and known.what is not cls:
                inherited = _of_class(evaluator, known.what, name, receiver, node, scope)
            elif isinstance(known.what, Api) and known.what.name.startswith("mindspore."):
                inherited = evaluator.known(
                    Api(mindspore_api.canonical(f"{known.what.name}.{name}"), receiver), node, scope
                )
            else:
                continue
            if inherited.known:
                return inherited
    return OPEN


def _own_member(evaluator: Evaluator, cls: Scope, name: str) -> Value:
    stored = cls.attributes.get(name, [])
    if stored:
        return union([evaluator.weighed(binding) for binding in stored])
    if name in cls.bindings:
        value = evaluator.bindings(cls.flow.at_end(name))
        return Value(value.known, value.open, True) if _is_dataclass(cls) else value
    return NOTHING


def _take(evaluator: Evaluator, value: Value, receiver: Optional[Known]) -> Value:
    """Take functions from an object: methods are bound, properties are read."""
    if receiver is None or not any(isinstance(k.what, Scope) and k.what.is_function for k in value.known):
        return value
    values = []
    for known in value.known:
        function = known.what
        if isinstance(function, Scope) and isinstance(function.node, FUNCTIONS):
            if any(
                isinstance(d, ast.Name) and d.id in ("property", "cached_property")
                for d in function.node.decorator_list
            ):
                values.append(evaluator.returned(function))
                continue
            known = Known(Bound(function, receiver), known.where, known.usual)
        values.append(Value((known,)))
    return union([*values, *([OPEN] if value.open else [])])


def _is_dataclass(cls: Scope) -> bool:
    """Return whether the values in a class body are only defaults of what its instances get."""
    decorators = getattr(cls.node, "decorator_list", ())
    return any(word_of(d.func if isinstance(d, ast.Call) else d) == "dataclass" for d in decorators)
