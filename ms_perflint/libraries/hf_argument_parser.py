"""Library model of HfArgumentParser, whose options are fields of data classes."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.signature import Held, Signature
from ms_perflint.infer import parameters, sequences
from ms_perflint.infer.alternatives import TUPLE, Api, Display, Instance
from ms_perflint.infer.evaluator import Evaluator, Library
from ms_perflint.infer.values import TOP, Alternative, Value

PARSER = "transformers.HfArgumentParser"  # other libraries, and programs, have it with the same methods
PARSES = "parse_args_into_dataclasses"


def _parsed(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the tuple of records that a parser creates from the command line."""
    return None if api.receiver is None else _objects(evaluator, api.receiver, node, scope) or TOP


def _objects(evaluator: Evaluator, receiver: Alternative, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the records; None where their classes are not known."""
    parser = receiver.creation
    if parser is None:
        return None
    given = parameters.made_with(evaluator, receiver, Signature.named("dataclass_types")).of("dataclass_types").part
    value = evaluator.value(*given) if given is not None else None
    types = value.only if value is not None else None
    if given is None or types is None:
        return None
    is_class = types.definition is not None and types.definition.is_class
    parts = sequences.whole(evaluator, Value((types,))) if types.is_display else [Held(*given)] if is_class else None
    if parts is None:
        return None
    made = tuple(part._replace(known=_made(evaluator.read(part), node, scope)) for part in parts)
    return evaluator.known(Display(node, scope, TUPLE, made), parser.call, parser.scope)


def _made(types: Value, node: ast.Call, scope: Scope) -> Value:
    """Return the records of some classes."""
    objects = tuple(
        known._replace(what=Instance(known.definition, node, scope, (), True))
        for known in types.alternatives
        if known.definition is not None and known.definition.is_class
    )
    return Value(objects, types.open or len(objects) < len(types.alternatives))


MODEL = Library(calls={f".{PARSES}": (_parsed,)}, methods={PARSES: PARSER})
