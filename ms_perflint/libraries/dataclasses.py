"""Objects whose fields are the arguments of the call that makes them: data classes and named tuples."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.signature import Signature
from ms_perflint.index.syntax_forms import is_decorated, word_of
from ms_perflint.infer import calls, commandline, parameters, spreads
from ms_perflint.infer.bases import ancestors, names_in
from ms_perflint.infer.evaluator import Evaluator, Library
from ms_perflint.infer.values import TOP, Alternative, Api, Instance, Value

NAMED_TUPLE = "collections.namedtuple"
FIELD = "dataclasses.field"


def _is_dataclass(cls: Scope) -> bool:
    """Return whether the values in a class body are only defaults of what its instances get."""
    return is_decorated(cls.node, "dataclass") or any(
        word_of(base) == "NamedTuple" for base in getattr(cls.node, "bases", ())
    )


def _field(evaluator: Evaluator, known: Alternative, name: str) -> Optional[Value]:
    """Return a field of an object, as the call that made it set it; None where it is no such object, or no field."""
    names = _fields(evaluator, known)
    if name not in names:
        return None
    default = TOP
    for cls in _classes(evaluator, known.cls) if known.cls is not None else ():
        if name in cls.bindings:
            default = _default(evaluator, evaluator.bindings(cls.flow.at_end(name))).as_setting()
    if known.is_parsed:
        default = Value(default.alternatives, default.open, True)  # a user may pass another one
        return commandline.named(evaluator.program, name, default, bare=True)
    given = parameters.made_with(evaluator, known, Signature.named(*names)).of(name)
    return spreads.passed(evaluator, given, default)


def structured(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the object that a library makes of a data class, or of an object of one; None for anything else."""
    given = evaluator.value(node.args[0], scope) if node.args else TOP
    known = given.only
    if known is None or known.is_object:
        return given if known is not None else None
    is_record = known.definition is not None and _is_dataclass(known.definition)
    return evaluator.known(Instance(known.definition, node, scope, row=()), node, scope) if is_record else None  # type: ignore[arg-type]


def _has_field(evaluator: Evaluator, known: Alternative, name: object) -> Optional[bool]:
    """Return whether a record has a field; None for other objects."""
    names = _fields(evaluator, known)
    return name in names if names else None


def _fields(evaluator: Evaluator, known: Alternative) -> list[str]:
    """Return the names of the fields of a record, in their order; none for other objects, and for `self`."""
    if not known.is_made:
        return []
    if known.cls is not None:
        if not _is_dataclass(known.cls) or known.cls.method("__init__"):
            return []
        fields = (
            each.target.id  # type: ignore[union-attr]
            for scope in _classes(evaluator, known.cls)
            for each in scope.node.body  # type: ignore[union-attr]
            if isinstance(each, ast.AnnAssign) and _is_field(each)
        )
        return list(dict.fromkeys(fields))
    made = known.origin
    return _names(evaluator, made) if made is not None and made.type_api == NAMED_TUPLE else []


def _classes(evaluator: Evaluator, cls: Scope) -> list[Scope]:
    """Return a data class and those that it derives from, the bases first."""
    return [each for each in ancestors(evaluator, cls) if each is cls or _is_dataclass(each)][::-1]


def _is_field(stmt: ast.AnnAssign) -> bool:
    return isinstance(stmt.target, ast.Name) and "ClassVar" not in ast.dump(stmt.annotation)


def _names(evaluator: Evaluator, factory: Alternative) -> list[str]:
    """Return the names that `namedtuple("Name", "a b")` or `namedtuple("Name", ["a", "b"])` gives its fields."""
    given = parameters.made_with(evaluator, factory, Signature.named("typename", "field_names")).of("field_names")
    return names_in(evaluator, spreads.passed(evaluator, given, TOP))


def _default(evaluator: Evaluator, value: Value) -> Value:
    """Return what a default in a class body stands for: itself, or what `field(default=...)` says."""
    made = (
        value.alternatives[0].creation
        if len(value.alternatives) == 1 and value.alternatives[0].type_api == FIELD
        else None
    )
    if made is None:
        return value
    for keyword in made.call.keywords:
        if keyword.arg == "default":
            return evaluator.value(keyword.value, made.scope)
        if keyword.arg == "default_factory":
            return calls.applied(evaluator, made._replace(row=()))
    return TOP


MODEL = Library(field=_field, has_field=_has_field, is_record=_is_dataclass)
