"""Options that are the fields of data classes: `HfArgumentParser((Model, Data)).parse_args_into_dataclasses()`."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.signature import Signature
from ms_perflint.infer import parameters
from ms_perflint.infer.evaluator import Evaluator, Library
from ms_perflint.infer.values import TOP, Alternative, Api, Display, Instance, Value
from ms_perflint.libraries.dataclasses import Parsed

PARSER = "transformers.HfArgumentParser"  # other libraries, and programs, have it with the same methods
PARSES = "parse_args_into_dataclasses"


def _parsed(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the objects that a parser makes of the command line, in their order."""
    if api.receiver is None:
        return None
    objects = _objects(evaluator, api.receiver)
    return objects if objects is not None else TOP


def _objects(evaluator: Evaluator, receiver: Alternative) -> Optional[Value]:
    """Return the same; None where they are not known."""
    what = receiver.what
    if not isinstance(what, Instance) or what.node is None:
        return None
    given = parameters.made_with(evaluator, what, Signature.named("dataclass_types")).of("dataclass_types").part
    value = evaluator.value(*given) if given is not None else None
    types = (
        value.alternatives[0].what if value is not None and len(value.alternatives) == 1 and not value.open else None
    )
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


LIBRARY = Library(calls={f".{PARSES}": (_parsed,)}, methods={PARSES: PARSER})
