"""Options of the command line: what a parser gives, and the default of each option."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Optional

from ms_perflint.semantics import commandline
from ms_perflint.semantics.module import FUNCTIONS, Scope, Site
from ms_perflint.semantics.values import NO_CONSTANT, OPEN, Api, Constant, Instance, Known, Options, Value, union

if TYPE_CHECKING:
    from ms_perflint.semantics.evaluate import Evaluator


def parsed(receiver: Known) -> Value:
    """Return what `parse_args()` of a parser gives."""
    if isinstance(receiver.what, Instance):
        return Value((Known(Options(parser_of(receiver.what)), receiver.where, receiver.usual),))
    return OPEN


def options_of(known: Known) -> Value:
    """Return the first element of what `parse_known_args()` gives."""
    what = known.what
    receiver = what.type.receiver if isinstance(what, Instance) and isinstance(what.type, Api) else None
    return parsed(receiver) if receiver is not None else OPEN


def parser_of(instance: Instance) -> Instance:
    """Return the parser to which a group or sub-parser belongs."""
    while (
        isinstance(instance.type, Api)
        and instance.type.receiver is not None
        and isinstance(instance.type.receiver.what, Instance)
    ):
        instance = instance.type.receiver.what
    return instance


def option(evaluator: Evaluator, options: Options, name: str) -> Value:
    added = [site for site in evaluator.program.options(options.parser) if option_names(evaluator, site) & {name}]
    return union([option_default(evaluator, site) for site in added]) if added else OPEN


def option_names(evaluator: Evaluator, site: Site) -> set[str]:
    """Return the attribute that an `add_argument` call makes."""
    assert isinstance(site.node, ast.Call)
    for keyword in site.node.keywords:
        if keyword.arg == "dest":
            return {str(c) for c in evaluator.value(keyword.value, site.scope).constants}
    flags = [arg.value for arg in site.node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    long = [flag for flag in flags if flag.startswith("--")] or flags
    return {flag.lstrip("-").replace("-", "_") for flag in long[:1]}


def option_default(evaluator: Evaluator, site: Site) -> Value:
    """Return what an option gives a user who passes nothing more than the launchers do, and what else it can be."""
    assert isinstance(site.node, ast.Call)
    flags = (arg.value for arg in site.node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str))
    meaning = commandline.of_option({keyword.arg: keyword.value for keyword in site.node.keywords if keyword.arg})
    return commandline.overridden(_declared(evaluator, site), evaluator.program.given(flags), meaning)


def _declared(evaluator: Evaluator, site: Site) -> Value:
    """Return what an option gives a user who does not pass it, and what else it can be."""
    assert isinstance(site.node, ast.Call)
    given = {keyword.arg: keyword.value for keyword in site.node.keywords if keyword.arg}
    action = given.get("action")
    kind = action.value if isinstance(action, ast.Constant) else None
    if kind in ("store_true", "store_false"):
        default: object = kind == "store_false"
        if "default" in given:
            constants = evaluator.value(given["default"], site.scope).constants
            default = bool(constants[0]) if len(constants) == 1 else default
        where = (site.module, site.node)
        return Value((Known(Constant(default), where), Known(Constant(not default), where, False)))
    if "default" not in given:
        known = Known(Constant(None), (site.module, site.node))
        return Value((known,), False, True)
    value = evaluator.value(given["default"], site.scope)
    converted = tuple(
        Known(Constant(_as(known.constant, given.get("type"))), known.where, known.usual)
        if isinstance(known.what, Constant)
        else known
        for known in value.known
    )
    choices = given.get("choices")
    if isinstance(choices, (ast.List, ast.Tuple)):
        others = [evaluator.value(choice, site.scope).rarely() for choice in choices.elts]
        return union([Value(converted, value.open), *others])
    return Value(converted, value.open, True)


def _as(constant: object, kind: Optional[ast.expr]) -> object:
    """Convert a default that is text as argparse does: by the option's type."""
    converted = commandline.read(constant, kind) if isinstance(constant, str) else constant
    return constant if converted is NO_CONSTANT else converted


def decorated_option(evaluator: Evaluator, function: Scope, name: str) -> Optional[Value]:
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
        flags = [arg.value for arg in decorator.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        if name not in flags and name not in {flag.lstrip("-").replace("-", "_").split("/")[0] for flag in flags}:
            continue
        given = {keyword.arg: keyword.value for keyword in decorator.keywords if keyword.arg}
        if "default" in given:
            value = evaluator.value(given["default"], function.parent)
            declared = Value(value.known, value.open, True)
        else:
            default = Constant(False) if "is_flag" in given else Constant(None)
            declared = Value((Known(default, (function.module, decorator)),), False, True)
        return commandline.overridden(declared, evaluator.program.given(flags), commandline.of_option(given))
    return None
