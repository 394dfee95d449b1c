"""Options that decorators of click give to a function."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.semantic_index import FUNCTIONS, Binding, Scope
from ms_perflint.infer import commandline
from ms_perflint.infer.evaluator import Evaluator, Library
from ms_perflint.infer.values import TOP, Alternative, Constant, Value
from ms_perflint.libraries.argparse import flags_of


def _option(evaluator: Evaluator, binding: Binding, function: Scope) -> Optional[Value]:
    """Return what `@click.option("--name", default=...)` gives a parameter; None where no option is meant."""
    if not isinstance(function.node, FUNCTIONS) or function.parent is None:
        return None
    for decorator in function.node.decorator_list:
        if (
            not isinstance(decorator, ast.Call)
            or not isinstance(decorator.func, ast.Attribute)
            or decorator.func.attr != "option"
        ):
            continue
        flags = flags_of(decorator)
        if binding.name not in {*flags, *(flag.lstrip("-").replace("-", "_").split("/")[0] for flag in flags)}:
            continue
        given = {keyword.arg: keyword.value for keyword in decorator.keywords if keyword.arg}
        if "default" in given:
            value = evaluator.value(given["default"], function.parent)
            declared = Value(value.alternatives, value.open, True)
        elif "required" in given or "prompt" in given:
            declared = TOP
        else:
            default = Constant(False) if "is_flag" in given else Constant(None)
            declared = Value((Alternative(default, (function.module, decorator)),), False, True)
        where = function.module, decorator
        pairs = [flag.split("/") for flag in flags if "/" in flag]
        if pairs:
            on, off = ([pair[at].strip() for pair in pairs] for at in (0, 1))
            return commandline.switched(evaluator.program, declared, on, off, where)
        return commandline.overridden(declared, evaluator.program.given(flags), commandline.of_option(given), where)
    return None


MODEL = Library(parameters=(_option,), closed=("click.",))
