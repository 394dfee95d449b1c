"""Options that are the fields of data classes: `HfArgumentParser((Model, Data)).parse_args_into_dataclasses()`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Optional

from ms_perflint.semantics import parameters
from ms_perflint.semantics.module import Scope
from ms_perflint.semantics.settings import commandline
from ms_perflint.semantics.signature import Signature
from ms_perflint.semantics.values import Display, Instance, Known, Value

if TYPE_CHECKING:
    from ms_perflint.semantics.evaluator import Evaluator

PARSER = "transformers.HfArgumentParser"  # other libraries, and programs, have it with the same methods
PARSES = "parse_args_into_dataclasses"


class Parsed(ast.Call):
    """A call that nobody wrote: how a parser makes an object of one of its data classes."""


def parsed(evaluator: Evaluator, receiver: Known) -> Optional[Value]:
    """Return the objects that a parser makes of the command line, in their order; None where they are not known."""
    what = receiver.what
    if not isinstance(what, Instance) or what.node is None:
        return None
    given = parameters.made_with(evaluator, what, Signature.named("dataclass_types")).of("dataclass_types").part
    value = evaluator.value(*given) if given is not None else None
    types = value.known[0].what if value is not None and len(value.known) == 1 and not value.open else None
    if isinstance(types, Display) and isinstance(types.node, (ast.Tuple, ast.List)):
        nodes, scope = types.node.elts, types.scope
    elif given is not None and isinstance(types, Scope) and types.is_class:
        nodes, scope = [given.node], given.scope
    else:
        return None
    if any(isinstance(node, ast.Starred) for node in nodes):
        return None
    key = (id(what.node), PARSES)
    if key not in evaluator.made:
        made: list[ast.expr] = [ast.copy_location(Parsed(node, [], []), node) for node in nodes]
        evaluator.made[key] = ast.copy_location(ast.Tuple(made, ast.Load()), what.node)
    return evaluator.known(Display(evaluator.made[key], scope), what.node, what.scope)


def launched(evaluator: Evaluator, name: str, declared: Value) -> Value:
    """Return a field of such an object, as the command lines of the launchers give its option."""
    if len(declared.constants) != 1:
        return declared
    constant = declared.constants[0]
    meaning = commandline.like(constant)
    given = evaluator.program.given((f"--{name}", f"--{name.replace('_', '-')}"))
    return commandline.overridden(
        declared, given, lambda each: True if each.is_bare and isinstance(constant, bool) else meaning(each)
    )
