"""Functions that run another one by the class of their argument: `functools.singledispatch`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Optional

from ms_perflint.index.semantic_index import FUNCTIONS, Scope
from ms_perflint.index.signature import Layer, positional
from ms_perflint.infer import bases, calls
from ms_perflint.infer.call_context import NESTED, depth_of
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.queries import query
from ms_perflint.infer.values import BOTTOM, TOP, Alternative, Value, join

SINGLE = "singledispatch"
DECORATORS = (SINGLE, "singledispatchmethod")
REGISTER = "register"


def called(evaluator: Evaluator, function: Scope, layer: Layer) -> Value:
    """Return the result of a function that is chosen by the class of the first argument."""
    first = next(iter(layer.args), None)
    if first is None or first.is_spread or function.is_method or depth_of(layer.scope) >= NESTED:
        return TOP
    known = _implementations(evaluator, function)
    value = evaluator.read(first)
    chosen = [_chosen(evaluator, each, function, known) for each in value.alternatives]
    contexts = [evaluator.call_context(each, layer, layer.scope) if each is not None else None for each in chosen]
    found = (calls.returned(evaluator, each) if each is not None else TOP for each in contexts)
    return join([*found, *evaluator.rest(value)])


def _chosen(
    evaluator: Evaluator, known: Alternative, function: Scope, implementations: tuple[tuple[Value, Scope], ...]
) -> Optional[Scope]:
    """Return the function that runs for an argument; None where that is not known."""
    fitting = []
    for value, implementation in implementations:
        answer = bases.is_instance(evaluator, known, value.only) if value.only is not None else None
        if answer is None:
            return None
        fitting += [implementation] if answer else []
    return fitting[0] if len(fitting) == 1 else function if not fitting else None


@query
def _implementations(evaluator: Evaluator, function: Scope) -> tuple[tuple[Value, Scope], ...]:
    """Return the functions that decorators register, each with its class, which is TOP where a call registers one."""
    for site in evaluator.program.sites(REGISTER):
        given = [*site.call.args, *site.call.keywords]
        if len(given) > 1 and site.base is not None and evaluator.value(site.base, site.scope).denotes(function):
            return ((TOP, function),)
    return tuple(_registered(evaluator, function))


def _registered(evaluator: Evaluator, function: Scope) -> Iterator[tuple[Value, Scope]]:
    """Yield the functions that decorators register for a function, each with the class of its argument."""
    for each in evaluator.program.decorated_by(REGISTER):
        if not isinstance(each.node, FUNCTIONS) or each.parent is None:
            continue
        for decorator in each.node.decorator_list:
            callee = decorator.func if isinstance(decorator, ast.Call) else decorator
            base = callee.value if isinstance(callee, ast.Attribute) and callee.attr == REGISTER else None
            if base is not None and evaluator.value(base, each.parent).denotes(function):
                args = decorator.args if isinstance(decorator, ast.Call) else []
                cls = args[0] if args else next((own.annotation for own in positional(each)[:1]), None)
                yield evaluator.value(cls, each.parent) if cls is not None else BOTTOM, each
