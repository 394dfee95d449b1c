"""Library model of records: data classes, classes of attrs and pydantic, named tuples."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Optional, Union

from ms_perflint.index.semantic_index import Binding, Scope
from ms_perflint.index.signature import Held, Signature
from ms_perflint.index.syntax_forms import is_decorated, keywords_of, spelling, word_of
from ms_perflint.infer import calls, commandline, lists, mappings, members, parameters
from ms_perflint.infer.alternatives import TUPLE, Api, Display, Instance, Member
from ms_perflint.infer.bases import ancestors, names_in
from ms_perflint.infer.evaluator import Evaluator, Library
from ms_perflint.infer.narrowing import past
from ms_perflint.infer.sequences import whole
from ms_perflint.infer.values import TOP, Alternative, Value, join

NAMED_TUPLE = "collections.namedtuple"
RECORDS = ("dataclass", "define", "attrs", "frozen", "mutable", "s")  # last words of decorators of such classes
BASES = ("NamedTuple", "BaseModel", "BaseSettings")  # the same, of their bases
FIELDS = ("field", "ib", "attrib", "Field")  # last words of calls that say what a field is
HOMES = ("dataclasses", "attr", "attrs", "pydantic")
AFTERWARDS = frozenset({"__post_init__", "__attrs_post_init__"})  # run behind the constructor
LAYING = ("replace", "evolve", "_replace")
METHODS = frozenset({"_replace", "_asdict", "model_dump"})  # of named tuples, and of models of pydantic


def _is_dataclass(cls: Scope) -> bool:
    """Return whether the values in a class body are defaults of the fields of its instances."""
    is_derived = any(word_of(base) in cls.module.aliases(*BASES) for base in getattr(cls.node, "bases", ()))
    decorators = getattr(cls.node, "decorator_list", ())
    return is_derived or (bool(decorators) and is_decorated(cls.node, *cls.module.aliases(*RECORDS)))


def _field(evaluator: Evaluator, known: Alternative, name: Union[str, int]) -> Optional[Value]:
    """Return the value of a field of a record by the call that created it; None for other objects and names.

    `name` may be the position of a field in a named tuple.
    """
    if name == "_make" and known.type_api == NAMED_TUPLE:
        return Value((Alternative(Api(f"{NAMED_TUPLE}._make", known), known.where),))
    names = _fields(evaluator, known)
    if isinstance(name, int):
        name = names[name] if -len(names) <= name < len(names) else ""
    if name not in names:
        is_method = bool(names) and name in METHODS
        return Value((Alternative(Api(f"{NAMED_TUPLE}.{name}", known), known.where),)) if is_method else None
    default = TOP if known.cls is not None else _tuple_default(evaluator, known, names, name)
    stored: list[Binding] = []
    for cls in _classes(evaluator, known.cls) if known.cls is not None else ():
        stored += cls.attributes.get(name, ())
        if name in cls.bindings and _is_dataclass(cls):
            default = _default(evaluator, evaluator.bindings(cls.flow.at_end(name)))
            if evaluator.program.touching(name):
                default = lists.under_name(cls.bindings[name][-1], cls, default)
            default = default.as_setting()
    if known.is_parsed:
        default = Value(default.alternatives, default.open, True)  # a user may pass another one
        return commandline.named(evaluator.program, name, default, bare=True)
    given = parameters.made_with(evaluator, known, Signature.named(*names)).of(name)
    value = evaluator.passed(given, default)
    later: list[Value] = []
    entered = members.constructed(evaluator, known) if stored else {}
    for each in stored:
        may_run, before = True, value
        if each.scope.owner.name in AFTERWARDS:
            value, may_run = past(value, each)
            later = later if each.block.parent is not None else []
        is_by_itself = value != before and each.block.parent is not None  # `if self.name is None: self.name = other`
        later += [evaluator.weighed(each, None if is_by_itself else entered.get(each.scope))] if may_run else []
    return join([value, *later]) if later else value


def _tuple_default(evaluator: Evaluator, known: Alternative, names: Sequence[str], name: str) -> Value:
    """Return the default of a field by `namedtuple("Name", names, defaults=[...])`, for the last fields."""
    made = known.origin.creation if known.origin is not None else None
    given = keywords_of(made.call).get("defaults") if made is not None else None
    parts = whole(evaluator, evaluator.value(given, made.scope)) if made is not None and given is not None else None
    position = names.index(name) - len(names)
    return evaluator.read(parts[position]) if parts and -len(parts) <= position else TOP


def _copied(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return a record with other fields, by `replace(record, name=value)`, or as a dict, by `asdict(record)`."""
    is_method = api.name.startswith(NAMED_TUPLE)
    record = node.func.value if is_method and isinstance(node.func, ast.Attribute) else next(iter(node.args), None)
    if record is None or len(node.args) > 1:
        return None
    is_laid = api.name.rpartition(".")[2] in LAYING
    words = [(each.arg, Held(each.value, scope)) for each in node.keywords if is_laid]
    computed = [(name, Held(record, scope, TOP)) for name in _computed(evaluator, record, scope) if is_laid]
    return mappings.laid(evaluator, node, [(None, Held(record, scope)), *words, *computed], scope)


def _computed(evaluator: Evaluator, record: ast.expr, scope: Scope) -> list[str]:
    """Return the names of the fields that a record gets behind its constructor, which a copy gets anew."""
    classes = (known.cls for known in evaluator.value(record, scope).alternatives if known.cls is not None)
    stored = (item for cls in classes for each in ancestors(evaluator, cls) for item in each.attributes.items())
    return [name for name, found in stored if any(each.scope.owner.name in AFTERWARDS for each in found)]


def _of_row(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the named tuple of `Name._make(values)`; None where not all values are known."""
    parts = whole(evaluator, evaluator.value(node.args[0], scope)) if len(node.args) == 1 else None
    if parts is None or api.receiver is None:
        return None
    return evaluator.known(Instance(Api("", api.receiver), node, scope, row=tuple(parts)), node, scope)


def structured(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the object that a library creates from a data class or a record; None for other arguments."""
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
    """Return the names of the fields of a record, in order; none for other objects and for `self`."""
    if not known.is_made:
        return []
    if known.cls is not None:
        record = _record(evaluator, known.cls)
        return _names_of(evaluator, record) if record is not None else []
    made = known.origin
    return _names(evaluator, made) if made is not None and made.type_api == NAMED_TUPLE else []


def _record(evaluator: Evaluator, cls: Scope) -> Optional[Scope]:
    """Return the data class whose constructor makes the objects of a class: itself, or one that it derives from.

    What a class without a decorator declares is no field, and its base gives the default.
    """
    is_own = _is_dataclass(cls)
    if is_own or not any(map(evaluator.program.decorated_by, RECORDS)):
        return cls if is_own and cls.method("__init__") is None else None
    for each in ancestors(evaluator, cls):
        if each.method("__init__") is not None:
            return None
        if _is_dataclass(each):
            return each if is_decorated(each.node, *each.module.aliases(*RECORDS)) else None
    return None


def _names_of(evaluator: Evaluator, cls: Scope) -> list[str]:
    """Return the names of the fields that a class and its bases declare."""
    stmts = (stmt for each in _classes(evaluator, cls) for stmt in each.node.body)  # type: ignore[union-attr]
    return list(dict.fromkeys(name for stmt in stmts if (name := _named(stmt))))


def _declared(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the result of `fields(record)`: objects with the names of the fields; None for other objects."""
    only = evaluator.value(node.args[0], scope).only if len(node.args) == 1 else None
    cls = (only.cls or only.definition) if only is not None else None
    if cls is None or not cls.is_class or not _is_dataclass(cls):
        return None
    names = _names_of(evaluator, cls)
    parts = (Held(node, scope, evaluator.known(Member(cls, name), node, scope)) for name in names)
    return evaluator.known(Display(node, scope, TUPLE, tuple(parts)), node, scope)


def _classes(evaluator: Evaluator, cls: Scope) -> list[Scope]:
    """Return a data class and its base data classes, the bases first."""
    return [each for each in ancestors(evaluator, cls) if each is cls or _is_dataclass(each)][::-1]


def _named(stmt: ast.stmt) -> str:
    """Return the name of the field that a statement of a class body declares; "" for others."""
    if isinstance(stmt, ast.AnnAssign) and isinstance(stmt.target, ast.Name):
        return stmt.target.id if "ClassVar" not in spelling(stmt.annotation) else ""
    is_made = isinstance(stmt, ast.Assign) and isinstance(stmt.value, ast.Call) and len(stmt.targets) == 1
    return word_of(stmt.targets[0]) if is_made and word_of(stmt.value.func) in FIELDS else ""  # type: ignore[attr-defined]


def _names(evaluator: Evaluator, factory: Alternative) -> list[str]:
    """Return the names of the fields of `namedtuple("Name", "a b")` or `namedtuple("Name", ["a", "b"])`."""
    given = parameters.made_with(evaluator, factory, Signature.named("typename", "field_names")).of("field_names")
    return names_in(evaluator, evaluator.passed(given, TOP))


def _default(evaluator: Evaluator, value: Value) -> Value:
    """Return the default in a class body, or that in `field(default=...)`."""
    home, _, word = value.only.type_api.rpartition(".") if value.only is not None else ("", "", "")
    made = value.only.creation if value.only is not None and word in FIELDS and home in HOMES else None
    if made is None:
        return value
    given = keywords_of(made.call)
    if "default" in given:
        return evaluator.value(given["default"], made.scope)
    if not given.keys().isdisjoint({"default_factory", "factory"}):
        return calls.applied(evaluator, made._replace(row=()))
    first = made.call.args[0] if made.call.args and word != "field" else None
    is_required = isinstance(first, ast.Constant) and first.value is ...
    return evaluator.value(first, made.scope) if first is not None and not is_required else TOP


MODEL = Library(
    calls={
        **dict.fromkeys((f"{home}.fields" for home in HOMES), (_declared,)),
        f"{NAMED_TUPLE}._make": (_of_row,),
        **dict.fromkeys(
            (
                *(f"{home}.{name}" for home in HOMES for name in ("replace", "evolve", "asdict")),
                *(f"{NAMED_TUPLE}.{name}" for name in sorted(METHODS)),
            ),
            (_copied,),
        ),
    },
    field=_field,
    has_field=_has_field,
    afterwards=AFTERWARDS,
    is_record=_is_dataclass,
)
