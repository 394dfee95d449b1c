"""Library model of click and typer, and of `fire.Fire(main)`, `tyro.cli(main)` and the like."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.semantic_index import FUNCTIONS, Binding, Scope
from ms_perflint.index.signature import Layer, Signature
from ms_perflint.index.syntax_forms import keywords_of, word_of
from ms_perflint.infer import commandline
from ms_perflint.infer.alternatives import Api, Constant, Instance
from ms_perflint.infer.evaluator import Evaluator, Library
from ms_perflint.infer.queries import query
from ms_perflint.infer.values import NO_CONSTANT, TOP, Alternative, Value
from ms_perflint.libraries.argparse import flags_of

CALLS = ("fire.Fire", "typer.run", "tyro.cli", "jsonargparse.CLI", "jsonargparse.auto_cli")  # of functions
DECLARING = ("typer.Option", "typer.Argument")
COMMANDS = ("typer.Typer.command", "typer.Typer.callback")


def _option(evaluator: Evaluator, binding: Binding, function: Scope) -> Optional[Value]:
    """Return the value of a parameter by `@click.option("--name", default=...)` or `argument`; None without these."""
    if not isinstance(function.node, FUNCTIONS) or function.parent is None:
        return None
    for decorator in function.node.decorator_list:
        if not isinstance(decorator, ast.Call) or word_of(decorator.func) not in ("option", "argument"):
            continue
        flags = flags_of(decorator)
        if binding.name not in {*flags, *(flag.lstrip("-").replace("-", "_").split("/")[0] for flag in flags)}:
            continue
        given = keywords_of(decorator)
        if "default" in given:
            value = evaluator.value(given["default"], function.parent)
            kind = word_of(given["type"]) if "type" in given else ""
            declared = Value((*(_converted(known, kind) for known in value.alternatives),), value.open, True)
        elif "required" in given or "prompt" in given or word_of(decorator.func) == "argument":
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


def _converted(known: Alternative, kind: str) -> Alternative:
    """Return a default; a text as the number that the option is."""
    is_text = isinstance(known.constant, str) and kind in ("int", "float")
    number = commandline.read(str(known.constant), kind) if is_text else NO_CONSTANT
    return known._replace(what=Constant(number)) if number is not NO_CONSTANT else known


# --- functions and data classes that are given to a library


def _given(evaluator: Evaluator, binding: Binding, function: Scope) -> Optional[Value]:
    """Return the value of a parameter with a default of a function that a library calls; None for others."""
    if binding.value is None or function.parent is None:
        return None
    if function not in _called(evaluator) and not _is_command(evaluator, function):
        return None
    default = _default(evaluator, evaluator.value(binding.value, function.parent))
    declared = Value(default.alternatives, default.open, True)
    return commandline.named(evaluator.program, binding.name, declared, bare=True)


def _default(evaluator: Evaluator, default: Value) -> Value:
    """Return the default of a parameter: for `typer.Option(1)` its first argument, TOP for `...`."""
    only = default.only
    made = only.creation if only is not None and only.type_api in DECLARING else None
    if made is None:
        return default
    given = Signature.named("default").bind(Layer(made.call, made.scope)).of("default")
    value = evaluator.passed(given, TOP)
    return TOP if value.constant is ... else value


@query
def _called(evaluator: Evaluator) -> frozenset[Scope]:
    """Return the functions of the program that a library calls with the options of the command line."""
    words = sorted({api.rpartition(".")[2] for api in CALLS})
    sites = (site for word in words for site in evaluator.program.sites(word))
    asked = [site for site in sites if isinstance(site.node, ast.Call) and site.node.args]
    known = [site for site in asked if any(each.api in CALLS for each in evaluator.callees(site).alternatives)]
    given = [evaluator.value(site.call.args[0], site.scope) for site in known]
    functions = {each.definition for value in given for each in value.alternatives}
    return frozenset(each for each in functions if each is not None and not evaluator.program.callers(each))


def _is_command(evaluator: Evaluator, function: Scope) -> bool:
    """Return whether a decorator registers a function as a command of typer."""
    outer = function.parent
    decorators = function.node.decorator_list if isinstance(function.node, FUNCTIONS) and outer is not None else []
    callees = (evaluator.value(each.func, outer) for each in decorators if isinstance(each, ast.Call) and outer)
    return any(known.api in COMMANDS for callee in callees for known in callee.alternatives)


def _parsed(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the object that a library creates from the command line; None for a function."""
    types = evaluator.value(node.args[0], scope).only if node.args else None
    cls = types.definition if types is not None else None
    if cls is None or not cls.is_class:
        return None
    return Value((Alternative(Instance(cls, node, scope, (), True), (scope.module, node)),))


MODEL = Library(
    calls=dict.fromkeys(("tyro.cli", "jsonargparse.CLI", "simple_parsing.parse"), (_parsed,)),
    parameters=(_option, _given),
    closed=("click.",),
)
