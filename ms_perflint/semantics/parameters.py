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
    positional = [*getattr(args, "posonlyargs", []), *args.args]
    cls = function.parent if function.parent is not None and function.parent.is_class else None
    static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.node.decorator_list)
    if cls is not None and not static and positional and positional[0] is binding.node:
        return evaluator.known(Instance(cls, None, function), binding.node, function)
    if binding.node in (args.vararg, args.kwarg):
        return OPEN
    default = (
        evaluator.value(binding.value, function.parent) if binding.value is not None and function.parent else NOTHING
    )
    return _passed(evaluator, function, binding, positional, cls is not None and not static, default)


def _passed(
    evaluator: Evaluator, function: Scope, binding: Binding, positional: list[ast.arg], method: bool, default: Value
) -> Value:
    callers = evaluator.program.callers(function)
    slot = positional.index(binding.node) if binding.node in positional else None
    if slot is not None and method:
        slot -= 1
    values: list[Value] = []
    for site in callers:
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
