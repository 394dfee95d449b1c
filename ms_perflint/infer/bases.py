"""Base classes: the one walk over them; and members of enumerations."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping
from typing import Optional, Union

from ms_perflint import mindspore_api
from ms_perflint.index.execution_order import is_always_passed, stored
from ms_perflint.index.semantic_index import Binding, Scope
from ms_perflint.index.syntax_forms import is_decorated, is_enumeration
from ms_perflint.infer.alternatives import Api, Constant, Display, Instance, Member
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.queries import query
from ms_perflint.infer.sequences import whole
from ms_perflint.infer.values import NO_CONSTANT, TOP, Alternative, Value, join

_SHOWN: Mapping[type[ast.AST], type] = {
    ast.List: list, ast.ListComp: list, ast.Tuple: tuple, ast.Dict: dict, ast.DictComp: dict,
    ast.Set: set, ast.SetComp: set,
}  # fmt: skip
DATA = (dict, list, tuple, set, str, bytes, int, float, complex, bool)  # of which no class, function or dtype is one
PLAIN = ("builtins.object", "abc.ABC")  # classes whose members no library uses
ENUMS = frozenset({"enum.Enum", "enum.Flag"})  # of which no member equals its value
NUMBERS = frozenset({"enum.IntEnum", "enum.IntFlag", "enum.StrEnum", "builtins.int", "builtins.str"})


@query(bottom=(), top=())
def lineage(evaluator: Evaluator, cls: Scope) -> tuple[Alternative, ...]:
    """Return a class and its ancestors: classes of the project, and names outside of it.

    In lookup order: depth first, but a common base comes behind all of its derived classes.
    In a cycle of bases, each class comes once.
    """
    seen, done = {cls}, dict[object, Alternative]()  # the last one first
    stack = [(Alternative(cls, (cls.module, cls.node)), reversed(_bases(evaluator, cls)))]
    while stack:
        below, above = stack[-1]
        known = next(above, None)
        if known is None:
            stack.pop()
            done.setdefault(below.what, below)
        elif not isinstance(known.what, Scope):
            done.setdefault(known.what, known)
        elif known.what not in seen:
            seen.add(known.what)
            stack.append((known, reversed(_bases(evaluator, known.what))))
    return (*reversed(done.values()),)


def behind(evaluator: Evaluator, cls: Scope, below: Scope) -> tuple[Alternative, ...]:
    """Return what stands behind one of the bases of a class, or behind itself, in lookup order."""
    order = lineage(evaluator, cls)
    at = next((i for i, known in enumerate(order) if known.what is below), -1)
    return order[at + 1 :]


def ancestors(evaluator: Evaluator, cls: Scope) -> Iterator[Scope]:
    """Yield a class and its base classes in the project."""
    return (known.what for known in lineage(evaluator, cls) if isinstance(known.what, Scope))


def has_any(evaluator: Evaluator, known: Alternative) -> bool:
    """Return whether an object of a class of the project has each attribute: its `__getattr__` raises no error."""
    cls, shown = known.cls, known.shown
    if shown is not None and isinstance(shown.node, ast.Call):  # the dict that it takes an object of a plain class for
        only = evaluator.value(shown.node.func, shown.scope).only
        cls = only.definition if only is not None else None
    classes = ancestors(evaluator, cls) if cls is not None and cls.is_class else ()
    named = next((each.bindings["__getattr__"][-1] for each in classes if "__getattr__" in each.bindings), None)
    if named is None or named.kind == "function":
        return named is not None and not any(isinstance(each, ast.Raise) for each in ast.walk(named.node))
    return any(each.api.endswith(".get") for each in evaluator.binding(named).alternatives)


def distance(evaluator: Evaluator, base: Value, held: Value) -> int:
    """Return how far above some objects or classes the class is in which a value is stored; 0 for themselves."""
    named = [known.definition for known in held.alternatives]
    if not named or any(each is None or not each.is_class for each in named):
        return 0
    below = (known.cls or known.definition for known in base.alternatives)
    above = [list(ancestors(evaluator, each)) for each in below if each is not None and each.is_class]
    is_object = any(known.cls is not None for known in base.alternatives)
    return max((classes.index(each) for classes in above for each in named if each in classes), default=0) + is_object


def stores_themselves(evaluator: Evaluator, base: Value, name: str) -> bool:
    """Return whether a method of some objects stores a value in them, and not in their class."""
    above = (cls for known in base.alternatives if known.cls is not None for cls in ancestors(evaluator, known.cls))
    own = (store.scope.owner.node for cls in above for store in cls.attributes.get(name, ()))
    return not all(is_decorated(node, "classmethod") for node in own)


def is_mapping(evaluator: Evaluator, cls: Scope) -> bool:
    """Return whether a class derives from dict or a similar class."""
    return any(evaluator.libraries.is_mapping(known.api) for known in lineage(evaluator, cls) if known.api)


def entered_by(evaluator: Evaluator, known: Alternative) -> Optional[Scope]:
    """Return what a call of something enters: of an object its `__call__`, else the function or class; None without."""
    return method(evaluator, known.cls, "__call__") if known.cls is not None else known.definition


def method(evaluator: Evaluator, cls: Scope, name: str) -> Optional[Scope]:
    """Return the method of a class or of a base in the project."""
    own = cls.method(name)
    if own is not None:
        return own
    found = (each.method(name) for each in ancestors(evaluator, cls))
    return next((each for each in found if each is not None), None)


def is_iterable(evaluator: Evaluator, known: Alternative) -> bool:
    """Return whether a method gives the elements of an object of the project, whatever it has under a number."""
    return known.cls is not None and method(evaluator, known.cls, "__iter__") is not None


def _bases(evaluator: Evaluator, cls: Scope) -> list[Alternative]:
    """Return the values of the bases of a class."""
    assert isinstance(cls.node, ast.ClassDef) and cls.parent is not None
    found = [known for base in cls.node.bases for known in evaluator.value(base, cls.parent).alternatives]
    return [known for known in found if known.api or (isinstance(known.what, Scope) and known.what.is_class)]


def classes_asked(evaluator: Evaluator, node: ast.Call, scope: Scope) -> list[Optional[Alternative]]:
    """Return the classes in a call of `isinstance`, each None where it is not known."""
    named = evaluator.value(node.args[1], scope)
    parts = whole(evaluator, named)
    classes = [evaluator.read(part) for part in parts] if parts is not None else [named]
    return [value.only for value in classes]


def is_instance(evaluator: Evaluator, known: Alternative, cls: Alternative) -> Optional[bool]:
    """Return whether an alternative is an instance of a class; None where it is not known."""
    made = _python_class(known)
    if made is not None:
        wanted = _wanted(cls)
        return issubclass(made, wanted) if wanted is not None else False if may_be_ruled_out(cls) else None
    if _wanted(cls) in DATA and (isinstance(known.what, Scope) or known.is_exported or known.is_function):
        return False
    own = lineage(evaluator, known.cls) if known.cls is not None else (known._replace(what=Api(known.type_api)),)
    if cls.definition is not None:
        is_one = any(each.definition is cls.definition for each in own)
        return True if is_one else False if known.is_made and _is_whole(evaluator, own) else None
    is_one = any(cls.api in (each.api, *mindspore_api.ancestors(each.api)) for each in own)
    return True if is_one else None


def _is_whole(evaluator: Evaluator, classes: Iterable[Alternative]) -> bool:
    """Return whether all bases of some classes are known, and of the project."""
    for each in classes:
        cls = each.definition
        nodes = cls.node.bases if cls is not None and isinstance(cls.node, ast.ClassDef) else []
        above = [evaluator.value(base, cls.parent or cls) for base in nodes] if cls is not None else []
        if (cls is None and each.api not in PLAIN) or any(value.open or not value.alternatives for value in above):
            return False
    return True


def may_be_ruled_out(cls: Alternative) -> bool:
    """Return whether objects can be known to be no instances of a class: not for classes of other libraries."""
    return cls.definition is not None or cls.api.startswith("mindspore.") or _wanted(cls) is not None


def _wanted(cls: Alternative) -> Optional[type]:
    """Return a built-in class; None for others."""
    wanted = getattr(builtins, cls.api.partition("builtins.")[2], None)
    return wanted if isinstance(wanted, type) else None


def _python_class(known: Alternative) -> Optional[type]:
    """Return the built-in class of an alternative; None for others."""
    if known.constant is not NO_CONSTANT:
        return type(known.constant) if not isinstance(known.constant, Member) else None
    return _SHOWN.get(type(known.what.node)) if isinstance(known.what, Display) else None


# --- members of classes and objects


def has(evaluator: Evaluator, known: Alternative, name: str) -> Optional[bool]:
    """Return whether a class or object of the project has a member that code names; None for others."""
    answer = has_by_class(evaluator, known, name)
    return None if answer is False and any(evaluator.program.stores(name)) else answer


def has_by_class(evaluator: Evaluator, known: Alternative, name: str) -> Optional[bool]:
    """Return whether a class or object of the project has a member by its class; None where that is not known."""
    cls = known.cls or known.definition
    if cls is None or not cls.is_class or known.is_any:
        return None
    is_open = False
    for each in lineage(evaluator, cls):
        if not isinstance(each.what, Scope):
            is_open = is_open or each.api not in PLAIN
            continue
        stores = each.what.attributes.get(name, ()) if known.cls is not None else ()
        if name in each.what.bindings or any(map(is_always_stored, stores)):
            return True
        has_meta_class = bool(getattr(each.what.node, "keywords", ()))
        is_computed = each.what.method("__getattr__") is not None or each.what.method("__getattribute__") is not None
        is_open = is_open or bool(stores) or has_meta_class or each.what.may_set(name) or is_computed
    return None if is_open else False


def is_always_stored(binding: Binding) -> bool:
    """Return whether the constructor always sets an attribute."""
    return binding.scope.owner.name == "__init__" and is_always_passed(stored(binding))


# --- enumerations


def members(evaluator: Evaluator, owner: object) -> Mapping[str, Value]:
    """Return the members of an enumeration by name; none for other classes and objects."""
    if isinstance(owner, Scope):
        return _members(evaluator, owner) if is_enumeration(owner.node) else {}
    is_made = isinstance(owner, Instance) and isinstance(owner.type, Api) and owner.type.name in ENUMS | NUMBERS
    return _listed(evaluator, owner) if is_made else {}  # type: ignore[arg-type]


def _members(evaluator: Evaluator, cls: Scope) -> Mapping[str, Value]:
    kinds = {known.api for known in lineage(evaluator, cls)}
    if not any(kind.startswith("enum.") for kind in kinds) or cls.method("__new__") is not None:
        return {}
    found: dict[str, Value] = {}
    for name, bindings in cls.bindings.items():
        binding = bindings[-1]
        if binding.kind == "assign" and not name.startswith("_"):
            value = evaluator.bindings(cls.flow.at_end(name))
            if any(known.type_api == "enum.auto" for known in value.alternatives):
                number = name.lower() if "enum.StrEnum" in kinds else len(found) + 1
                value = evaluator.known(Constant(number), binding.node, cls)
            found[name] = value
    return found


def _listed(evaluator: Evaluator, made: Instance) -> Mapping[str, Value]:
    """Return the members of `Enum("Name", "a b")`, numbered from 1."""
    if made.node is None or len(made.node.args) != 2:
        return {}
    names = names_in(evaluator, evaluator.value(made.node.args[1], made.scope))
    return {name: evaluator.known(Constant(number), made.node, made.scope) for number, name in enumerate(names, 1)}


def member(evaluator: Evaluator, owner: Union[Scope, Instance], name: object) -> Optional[Value]:
    """Return the member of an enumeration with a name; None without one."""
    known_members = members(evaluator, owner)
    value = known_members.get(name) if isinstance(name, str) else None
    if value is None:
        return None
    if value.constant is not NO_CONSTANT:  # of several names for one value, the first is that of the member
        name = next(each for each, other in known_members.items() if other.constant == value.constant)
    is_data = isinstance(owner, Scope) and any(known.api in NUMBERS for known in lineage(evaluator, owner))
    made = [
        known._replace(what=Member(owner, str(name), Constant(known.constant) if is_data else None))
        for known in value.alternatives
        if not is_data or known.constant is not NO_CONSTANT
    ]
    made = made if is_data else made[:1]
    return Value(tuple(made), not made)


def listed(evaluator: Evaluator, owner: Scope) -> Optional[Value]:
    """Return the members of an enumeration; None for other classes."""
    names = members(evaluator, owner)
    return join(member(evaluator, owner, name) or TOP for name in names) if names else None


def called(evaluator: Evaluator, owner: Union[Scope, Instance], node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the member of an enumeration with a value: `Mode(1)`; None for other calls."""
    found = members(evaluator, owner) if len(node.args) == 1 else {}
    if not found:
        return None
    value = evaluator.value(node.args[0], scope)
    same = [
        member(evaluator, owner, name) or TOP
        for name, each in found.items()
        if any(constant in value.constants for constant in each.constants)
    ]
    return join([*same, *([TOP] if value.open or len(value.constants) != len(value.alternatives) or not same else [])])


def of_member(evaluator: Evaluator, what: Member, name: str, known: Alternative) -> Optional[Value]:
    """Return `.value` and `.name` of a member of an enumeration; None for other names."""
    if name in ("name", "_name_"):
        return Value((known._replace(what=Constant(what.name)),))
    return members(evaluator, what.owner)[what.name] if name in ("value", "_value_") else None


def names_in(evaluator: Evaluator, value: Value) -> list[str]:
    """Return the names in `"a b"` or `["a", "b"]`; none where they are not known."""
    if len(value.constants) == 1 and isinstance(value.constants[0], str):
        return value.constants[0].replace(",", " ").split()
    found = evaluator.each(value)
    return [str(known.constant) for known in found.alternatives] if not found.open else []
