"""Decorators: what a wrapper does with the arguments and the result of the function that it wraps."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Optional

from ms_perflint.core.facts import fact
from ms_perflint.index.semantic_index import Binding, Scope, SemanticIndex
from ms_perflint.index.signature import positional
from ms_perflint.index.syntax_forms import name_of
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.places import SHRINKS, UPDATES


def changing(evaluator: Evaluator, function: Scope) -> Iterator[tuple[ast.expr, Optional[bool]]]:
    """Yield the decorators of a function that come from the project and may change its calls, and whether they do."""
    for decorator in reversed(function.node.decorator_list):  # type: ignore[union-attr]
        callee = decorator.func if isinstance(decorator, ast.Call) else decorator
        if not isinstance(callee, (ast.Name, ast.Attribute)) or function.parent is None:
            continue
        only = evaluator.value(callee, function.parent).only
        made = only.what if only is not None else None
        changes = changes_call(made.module, made, callee is not decorator) if isinstance(made, Scope) else False
        if changes is not False:
            yield decorator, changes


def passes_other(evaluator: Evaluator, function: Scope) -> bool:
    """Return whether a decorator of a function may pass it other arguments than a call does."""
    decorators = getattr(function.node, "decorator_list", ())
    return bool(decorators) and any(changes for _, changes in changing(evaluator, function))


@fact
def given_back(module: SemanticIndex, function: Scope) -> Optional[Binding]:
    """Return the parameter that every `return` of a function returns unchanged; None without one."""
    names = {name_of(node) for node, _ in function.returns}
    if len(names) != 1 or function.yields or not function.is_function:
        return None
    own = function.bindings.get(names.pop(), [])
    if len(own) != 1 or own[0].kind != "parameter":
        return None
    return own[0]


@fact
def changes_call(module: SemanticIndex, decorator: Scope, is_called: bool) -> Optional[bool]:
    """Return whether the wrapper of a decorator changes the arguments of the function, or its result.

    `is_called`: it makes the decorator, `@decorator(argument)`. None where its form does not show the wrapper.
    """
    made = _made_in(decorator) if is_called else decorator
    if made is not None and given_back(module, made) is not None:
        return False
    own = positional(made)[:1] if made is not None and made.is_function else []
    wrapper = _made_in(made) if made is not None else None
    if wrapper is None or len(own) != 1:
        return None
    name = own[0].arg
    if name not in wrapper.names:
        return True
    handed = [site.call for site in wrapper.calls if site.word == name]
    return not are_as_given(wrapper, handed) or not all(_is_given_back(node, name) for node, _ in wrapper.returns)


def are_as_given(wrapper: Scope, calls: Sequence[ast.Call]) -> bool:
    """Return whether a wrapper calls a function only with its own parameters, as it gets them."""
    if changes_own(wrapper):
        return False
    parameters = {each.arg for each in (*positional(wrapper), *wrapper.node.args.kwonlyargs)}  # type: ignore[union-attr]
    spread = {each.arg for each in (wrapper.node.args.vararg, wrapper.node.args.kwarg) if each is not None}  # type: ignore[union-attr]
    args = [each for call in calls for each in call.args]
    words = [each for call in calls for each in call.keywords]
    rest = [each.value for each in args if isinstance(each, ast.Starred)]
    rest += [each.value for each in words if each.arg is None]
    return (
        parameters.issuperset(each.arg for each in words if each.arg is not None)
        and parameters.issuperset(name_of(each) for each in args if not isinstance(each, ast.Starred))
        and spread.issuperset(map(name_of, rest))
    )


def changes_own(wrapper: Scope) -> bool:
    """Return whether a wrapper changes what its `*args` or `**kwargs` holds: `kwargs["a"] = 1`, `kwargs.pop("a")`."""
    arguments, module = wrapper.node.args, wrapper.module  # type: ignore[union-attr]
    names = [each.arg for each in (arguments.vararg, arguments.kwarg) if each is not None]
    if any(len(wrapper.bindings[name]) > 1 for name in names):
        return True
    stores = (each for (base, _), stores in module.stores.items() if base in names for each in stores)
    computed = (block.scope for name in names for _, _, block in module.registered.get(name, ()))
    sites = (site for site in wrapper.calls if site.word in UPDATES or site.word in SHRINKS)
    return (
        any(each.scope.owner is wrapper for each in stores)
        or any(scope.owner is wrapper for scope in computed)
        or any(site.base is not None and name_of(site.base) in names for site in sites)
    )


def _is_given_back(node: ast.expr, name: str) -> bool:
    """Return whether a wrapper may return just what the function of a name returned: `f(x)`, `result`, None."""
    node = node.value if isinstance(node, ast.Await) else node
    if isinstance(node, ast.Name):
        return node.id != name
    return isinstance(node, ast.Constant) or (isinstance(node, ast.Call) and name_of(node.func) == name)


def _made_in(function: Scope) -> Optional[Scope]:
    """Return the one inner function that a function returns; None for others."""
    names = {name_of(node) for node, _ in function.returns}
    found = [each for each in function.defines if each.is_function and {each.name} == names]
    return found[0] if len(found) == 1 else None
