"""What a parameter can be: its default, and what the call sites of the program pass."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Optional

from ms_perflint.semantics import options
from ms_perflint.semantics.module import FUNCTIONS, Binding, Scope
from ms_perflint.semantics.values import NOTHING, OPEN, Instance, Value, union
from ms_perflint.semantics.ways import USUAL

if TYPE_CHECKING:
    from ms_perflint.semantics.evaluate import Evaluator


def parameter(evaluator: Evaluator, binding: Binding) -> Value:
    function = binding.scope
    if not function.is_function:
        return OPEN
    assert isinstance(function.node, FUNCTIONS)
    args = function.node.args
    slot = _slot(binding)
    if slot == -1 and function.parent is not None:
        return evaluator.known(Instance(function.parent, None, function), binding.node, function)
    if binding.node in (args.vararg, args.kwarg):
        return OPEN
    default = (
        evaluator.value(binding.value, function.parent) if binding.value is not None and function.parent else NOTHING
    )
    return _passed(evaluator, function, binding, slot, default)


def _slot(binding: Binding) -> Optional[int]:
    """Return which argument of a call a parameter takes: -1 for the object itself, None where it has no slot."""
    function = binding.scope
    assert isinstance(function.node, FUNCTIONS)
    args = function.node.args
    positional = [*getattr(args, "posonlyargs", []), *args.args]
    if binding.node not in positional:
        return None
    method = function.parent is not None and function.parent.is_class
    static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.node.decorator_list)
    return positional.index(binding.node) - (method and not static)


def given_for(call: ast.Call, binding: Binding) -> Optional[ast.expr]:
    """Return the expression that a call of its function passes for a parameter; None where it shows none."""
    return argument_at(call, binding.name, _slot(binding))


def _passed(evaluator: Evaluator, function: Scope, binding: Binding, slot: Optional[int], default: Value) -> Value:
    values: list[Value] = []
    for site in evaluator.program.callers(function):
        assert isinstance(site.node, ast.Call)
        given = argument_at(site.node, binding.name, slot)
        if given is None and (
            any(k.arg is None for k in site.node.keywords) or any(isinstance(a, ast.Starred) for a in site.node.args)
        ):
            values.append(Value(default.known, True))
        else:
            value = evaluator.value(given, site.scope) if given is not None else default
            values.append(value if evaluator.way(site.block) == USUAL else value.rarely())
    option = options.decorated_option(evaluator, function, binding.name)
    if option is not None:
        return option
    return union(values) if values else Value(default.known, True)


def argument_at(call: ast.Call, name: str, slot: Optional[int]) -> Optional[ast.expr]:
    """Return the expression that a call passes for a parameter, by keyword or by slot; None where it passes none."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    if (
        slot is not None
        and 0 <= slot < len(call.args)
        and not any(isinstance(a, ast.Starred) for a in call.args[: slot + 1])
    ):
        return call.args[slot]
    return None
