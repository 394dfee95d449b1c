"""Decorators that put another function in the place of one, or call it with arguments of their own."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.core.facts import fact
from ms_perflint.index.semantic_index import Scope, SemanticIndex
from ms_perflint.index.signature import Held, Layer, positional
from ms_perflint.infer import calls
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.values import Value


def replaced(evaluator: Evaluator, function: Scope, value: Value) -> Value:
    """Return what the name of a decorated function holds, where `value` is the function.

    That is the function, whatever the decorator: those of real training code register, compile, time or log, and give
    back what the function gives. Not of a decorator of the project that shows something else, but for methods.
    """
    scope = function.parent
    if scope is None or function.is_method:
        return value
    for decorator in reversed(function.node.decorator_list):  # type: ignore[union-attr]
        callee = decorator.func if isinstance(decorator, ast.Call) else decorator
        if not isinstance(callee, (ast.Name, ast.Attribute)):
            continue
        only = evaluator.value(callee, scope).only
        made = only.what if only is not None else None
        if isinstance(made, Scope) and made.is_function and _is_told_apart(made.module, made, callee is not decorator):
            layer = Layer(decorator, scope, row=(Held(decorator, scope, value),), callee=decorator)  # type: ignore[arg-type]
            found = calls.applied(evaluator, layer)
            value = found if found.alternatives and not found.open else value
    return value


@fact
def _is_told_apart(module: SemanticIndex, decorator: Scope, is_called: bool) -> bool:
    """Return whether a decorator gives a function that does not hand on what it is called with, and what comes back.

    `is_called`: it makes the decorator, `@decorator(argument)`.
    """
    made = _made_in(decorator) if is_called else decorator
    own = positional(made)[:1] if made is not None else []
    wrapper = _made_in(made) if made is not None else None
    if wrapper is None or len(own) != 1:
        return False
    name = own[0].arg
    if name not in wrapper.names:
        return True
    mapping = wrapper.node.args.kwarg  # type: ignore[union-attr]
    if mapping is not None and any(
        binding.scope.owner is wrapper
        for (base, _), stores in module.stores.items()
        for binding in stores
        if base == mapping.arg
    ):
        return True
    parameters = {each.arg for each in (*positional(wrapper), *wrapper.node.args.kwonlyargs)}  # type: ignore[union-attr]
    handed = [site.call for site in wrapper.calls if site.word == name and isinstance(site.node, ast.Call)]
    words = (word.arg for call in handed for word in call.keywords if word.arg is not None)
    args = (argument for call in handed for argument in call.args if not isinstance(argument, ast.Starred))
    return not parameters.issuperset(words) or any(_name(argument) not in parameters for argument in args)


def _made_in(function: Scope) -> Optional[Scope]:
    """Return the one function, made inside of it, that a function returns; None of others."""
    names = {_name(node) for node, _ in function.returns}
    found = [each for each in function.defines if each.is_function and {each.name} == names]
    return found[0] if len(found) == 1 else None


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""
