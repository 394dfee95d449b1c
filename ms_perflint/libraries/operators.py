"""Library model of functions that read members: `operator.attrgetter`, `itemgetter`, `methodcaller`, `getitem`."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.signature import Held, Layer
from ms_perflint.infer import items
from ms_perflint.infer.alternatives import TUPLE, Api, Display
from ms_perflint.infer.evaluator import Evaluator, Library
from ms_perflint.infer.values import TOP, Value, join


def _taken(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the result of a call of `attrgetter("name")` or `itemgetter(key)`; a tuple for several."""
    made = api.receiver.creation if api.receiver is not None else None
    if made is None or not made.call.args or len(node.args) != 1:
        return None
    value = evaluator.value(node.args[0], scope)
    keys = [evaluator.value(key, made.scope) for key in made.call.args]
    found = [_member(evaluator, api.name, value, key, node, scope) for key in keys]
    if len(found) == 1:
        return found[0]
    parts = tuple(Held(node, scope, each) for each in found)
    return evaluator.known(Display(node, scope, TUPLE, parts), node, scope)


def _member(evaluator: Evaluator, name: str, value: Value, keys: Value, node: ast.Call, scope: Scope) -> Value:
    """Return what a getter of a name takes from a value: under one key, or under each that an option gives."""
    if keys.open or not keys.are_constants:
        return TOP
    if name.startswith("operator.itemgetter"):
        return items.under(evaluator, value, keys, node, None, scope)
    found = []
    for key in keys.alternatives:
        held = value if isinstance(key.constant, str) else TOP
        for word in str(key.constant).split("."):
            held = evaluator.members(held, word, node, scope)
        found.append(held if key.by_default else held.as_non_default())
    held = join(found)
    return held._replace(overridable=held.overridable or keys.overridable)


def _called(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the result of a call of `methodcaller("name", argument)`."""
    made = api.receiver.creation if api.receiver is not None else None
    name = evaluator.value(made.call.args[0], made.scope).constant if made is not None and made.call.args else None
    if made is None or len(node.args) != 1 or not isinstance(name, str):
        return None
    methods = evaluator.members(evaluator.value(node.args[0], scope), name, node, scope)
    given = made._replace(first=1)
    return join([*(evaluator.kind(known).call(given) for known in methods.alternatives), *evaluator.rest(methods)])


def _item(evaluator: Evaluator, layer: Layer) -> Value:
    """Return the result of `operator.getitem(object, key)`."""
    held, key = (evaluator.read(each) for each in layer.args)
    return items.under(evaluator, held, key, layer.call, None, layer.scope)


def _attribute(evaluator: Evaluator, layer: Layer) -> Value:
    """Return the result of `getattr(object, name)`, where another function calls it."""
    held, name = (evaluator.read(each) for each in layer.args)
    is_name = isinstance(name.constant, str)
    return evaluator.members(held, str(name.constant), layer.call, layer.scope) if is_name else TOP


MODEL = Library(
    calls={
        **dict.fromkeys(("operator.attrgetter()", "operator.itemgetter()"), (_taken,)),
        "operator.methodcaller()": (_called,),
    },
    readers={"operator.getitem": _item, "builtins.getattr": _attribute},
)
