"""Abstract values: the alternatives that an expression can be, each with the place where it was read."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple, Optional, Union

from ms_perflint import mindspore_api
from ms_perflint.core.findings import Place
from ms_perflint.core.records import equal_by
from ms_perflint.index.semantic_index import Scope, SemanticIndex, Site
from ms_perflint.index.signature import Held, Layer, positional
from ms_perflint.index.syntax_forms import word_of
from ms_perflint.infer.alternatives import (
    DICT,
    Api,
    Bound,
    ConfigDocument,
    Constant,
    Display,
    Instance,
    Member,
    Options,
    What,
)


@equal_by("what", "by_default", "prepared", "outer", "copied")
class Alternative(NamedTuple):
    """One possible value of an expression, and where it was read."""

    what: What
    where: Union[Place, tuple[SemanticIndex, ast.AST]]
    by_default: bool = True  # it is what the default options give
    prepared: tuple[Layer, ...] = ()  # the arguments that `partial` passes when it is called
    outer: Optional[Scope] = None  # of a function that is made in another one: the call of that
    copied: Optional[ast.Call] = None  # the call that made it, as an independent copy of an object

    @property
    def place(self) -> Place:
        """Return where it was read."""
        if isinstance(self.where, Place):
            return self.where
        module, node = self.where
        if not hasattr(node, "lineno"):
            return Place(module.path, 1, 1)
        return module.place(node)

    @property
    def constant(self) -> object:
        """Return the Python constant it stands for, MindSpore's own constants included; NO_CONSTANT for others."""
        what = self.what
        kind = type(what)
        if kind is Constant:
            return what.value  # type: ignore[union-attr]
        if kind is Api:
            return mindspore_api.constant(what.name, NO_CONSTANT)  # type: ignore[union-attr]
        if kind is Member:
            return what if what.data is None else what.data.value  # type: ignore[union-attr]
        return NO_CONSTANT

    @property
    def truth(self) -> Optional[bool]:
        """Return what `bool()` of it is; None where that is not known."""
        constant, what = self.constant, self.what
        if constant is not NO_CONSTANT:
            return bool(constant)
        if isinstance(what, (Display, Instance)):
            return what.truth
        return True if isinstance(what, (Scope, SemanticIndex, Bound)) or self.is_function or self.is_exported else None

    @property
    def is_exported(self) -> bool:
        """Return whether it is what MindSpore itself exports, such as a dtype: that is never None."""
        return self.api.startswith("mindspore.") and self.api[len("mindspore.") :] in mindspore_api.exports("mindspore")

    @property
    def is_function(self) -> bool:
        """Return whether it is a function or class of MindSpore, or a method of an object of it."""
        name = self.what.name if isinstance(self.what, Api) else ""
        return name.startswith("mindspore.") and mindspore_api.parameters(name, mindspore_api.newest()) is not None

    @property
    def is_member(self) -> bool:
        """Return whether it is a member of an enumeration."""
        return isinstance(self.what, Member)

    @property
    def api(self) -> str:
        """Return the canonical name if it is an Api, else ""."""
        return self.what.name if isinstance(self.what, Api) else ""

    @property
    def type_api(self) -> str:
        """Return the canonical name of what it is an instance of, if that is an Api, else ""."""
        if isinstance(self.what, Instance) and isinstance(self.what.type, Api):
            return self.what.type.name
        return ""

    @property
    def is_object(self) -> bool:
        """Return whether it is an instance of something."""
        return isinstance(self.what, Instance)

    @property
    def is_display(self) -> bool:
        """Return whether it is a list, tuple, set or dict that code shows."""
        return isinstance(self.what, Display)

    @property
    def shown(self) -> Optional[Held]:
        """Return the expression by which code shows a list, tuple, set or dict; None of other things."""
        return Held(self.what.node, self.what.scope) if isinstance(self.what, Display) else None  # type: ignore[arg-type]

    @property
    def parts(self) -> tuple[Held, ...]:
        """Return the elements of a list or tuple, the values of a dict, as code shows them; none for other things.

        Of a comprehension it is the one element for all.
        """
        return self.what.parts if isinstance(self.what, Display) else ()

    @property
    def is_mapping(self) -> bool:
        """Return whether it is a mapping that the program, or a file of it, shows."""
        what = self.what
        return (
            isinstance(what, Options)
            or (isinstance(what, Display) and what.kind == DICT)
            or (isinstance(what, ConfigDocument) and isinstance(what.data, dict))
        )

    @property
    def is_options(self) -> bool:
        """Return whether it is what a command-line parser returns."""
        return isinstance(self.what, Options)

    @property
    def document(self) -> str:
        """Return the path of the config document of which it is a part; "" for others."""
        return self.what.path if isinstance(self.what, ConfigDocument) else ""

    @property
    def definition(self) -> Optional[Scope]:
        """Return the function of the project that it is, also taken from an object, or the class; None for others."""
        what = self.what.function if isinstance(self.what, Bound) else self.what
        return what if isinstance(what, Scope) else None

    @property
    def cls(self) -> Optional[Scope]:
        """Return the class of the project that it is an instance of; None for others."""
        what = self.what
        return what.type if type(what) is Instance and isinstance(what.type, Scope) else None

    @property
    def creation(self) -> Optional[Layer]:
        """Return the call that made it; None of `self`, of what a library or `map` makes, and of other things."""
        what = self.what
        is_shown = self.is_made and what.row is None  # type: ignore[union-attr]
        return Layer(what.node, what.scope) if is_shown else None  # type: ignore[union-attr, arg-type]

    @property
    def made_by(self) -> Optional[Scope]:
        """Return the scope whose code makes it, if it is an object or is shown there; None for others."""
        what = self.what
        return what.scope.owner if isinstance(what, (Display, Instance)) else None

    @property
    def maker(self) -> Optional[Site]:
        """Return the call that made it as a site of its file; None where it has no `creation`."""
        made = self.creation
        return made.site if made is not None else None

    @property
    def is_made(self) -> bool:
        """Return whether it is an instance that some call makes, and not `self`."""
        return isinstance(self.what, Instance) and self.what.node is not None

    @property
    def is_any(self) -> bool:
        """Return whether it is any of several: `self`, or the class of a class method, or what derives from these."""
        what = self.what
        if isinstance(what, Instance):
            return what.node is None
        return isinstance(what, Scope) and isinstance(self.where[1], ast.arg)

    @property
    def is_parsed(self) -> bool:
        """Return whether it is an object that a library makes of the command line."""
        return isinstance(self.what, Instance) and self.what.is_parsed

    @property
    def receiver(self) -> Optional[Alternative]:
        """Return the object of which it is a member; None for others."""
        return self.what.receiver if isinstance(self.what, (Api, Bound)) else None

    @property
    def origin(self) -> Optional[Alternative]:
        """Return the object that was called, or of which a method was called, to make it; None for others."""
        made_by = self.what.type if isinstance(self.what, Instance) else None
        return made_by.receiver if isinstance(made_by, Api) else None

    @property
    def identity(self) -> object:
        """Return the identity of an object, which is equal wherever it is evaluated, also with call contexts."""
        what = self.what
        if isinstance(what, Options):
            return Options, what.parser.identity
        if isinstance(what, Display):
            return Display, id(what.node), what.kind, what.parts[0].taken if what.parts else ()
        if isinstance(what, Instance) and what.node is not None:
            return Instance, id(what.node), what.is_parsed and what.type, what.row
        return what

    def as_copy(self, node: ast.Call) -> Alternative:
        """Return the copy that a call makes of an object; of what does not change the thing."""
        changes = isinstance(self.what, (Instance, Options, ConfigDocument))
        return self._replace(copied=node) if changes else self

    def copying(self, member: Value) -> Value:
        """Return what a deep copy has of a member of its original: a copy; what other objects have, the thing."""
        node = self.copied
        if node is None or word_of(node.func) != "deepcopy":
            return member
        held = (each._replace(copied=node) if each.is_display else each.as_copy(node) for each in member.alternatives)
        return member._replace(alternatives=tuple(held))

    def as_non_default(self) -> Alternative:
        """Return the same, as non-default: it needs an option."""
        return self._replace(by_default=False) if self.by_default else self


class _NoConstant:
    def __repr__(self) -> str:
        return "NO_CONSTANT"


NO_CONSTANT = _NoConstant()


def _key(known: Alternative) -> tuple[str, int, int, bool, str]:
    """Return the sort key of alternatives: their places, by default before others, constants by their text."""
    where = known.where
    if isinstance(where, Place):
        path, row, column = where.path, where.row, where.column
    else:
        path, row, column = where[0].path, getattr(where[1], "lineno", 1), getattr(where[1], "col_offset", 0)
    return path, row, column, not known.by_default, repr(known.constant)


class Value(NamedTuple):
    """The possible values of an expression.

    `open`: also something that the program does not show; `optional`: also whatever a user passes.
    """

    alternatives: tuple[Alternative, ...]
    open: bool = False
    overridable: bool = False

    @property
    def constants(self) -> tuple[object, ...]:
        """Return the constants among what is known, in the order of their places."""
        return tuple(k.constant for k in self.alternatives if k.constant is not NO_CONSTANT)

    def are(self, is_so: Callable[[Alternative], bool]) -> bool:
        """Return whether something is known of it, and a predicate holds for all of that."""
        return bool(self.alternatives) and all(map(is_so, self.alternatives))

    def are_only(self, is_so: Callable[[Alternative], bool]) -> bool:
        """Return whether all that it can be is known, and a predicate holds for all of it."""
        return not self.open and self.are(is_so)

    @property
    def are_constants(self) -> bool:
        """Return whether something is known of it, and all of that is constants."""
        return self.are(lambda known: known.constant is not NO_CONSTANT)

    @property
    def only(self) -> Optional[Alternative]:
        """Return the only known alternative; None if there are several."""
        return self.alternatives[0] if len(self.alternatives) == 1 and not self.open else None

    def denotes(self, definition: Scope) -> bool:
        """Return whether a function or class of the project is one of its alternatives."""
        return any(known.definition is definition for known in self.alternatives)

    @property
    def when_set(self) -> tuple[Alternative, ...]:
        """Return the alternatives where a member is read, or the value is called: None does not count there."""
        if len(self.alternatives) < 2:
            return self.alternatives
        return tuple(known for known in self.alternatives if known.constant is not None) or self.alternatives

    @property
    def constant(self) -> object:
        """Return the constant that is the one thing that it can be; else NO_CONSTANT."""
        only = self.only
        return only.constant if only is not None else NO_CONSTANT

    @property
    def identities(self) -> set[object]:
        """Return the identities of what it can be."""
        return {known.identity for known in self.alternatives}

    @property
    def by_default(self) -> tuple[Alternative, ...]:
        """Return what it is with the default options."""
        return tuple(known for known in self.alternatives if known.by_default)

    def may_be(self, constant: object) -> bool:
        """Return whether it can be this constant: also when nothing is known."""
        return (
            self.open
            or self.overridable
            or any(_is(known, constant) or known.constant is NO_CONSTANT for known in self.alternatives)
        )

    def must_be(self, constant: object) -> bool:
        """Return whether it can be nothing else."""
        return not self.overridable and self.are_only(partial(_is, constant=constant))

    def is_by_default(self, constant: object) -> bool:
        """Return whether with the default options it is certainly this value."""
        defaults = self.by_default
        return not self.open and bool(defaults) and all(_is(known, constant) for known in defaults)

    @property
    def truth(self) -> Optional[bool]:
        """Return what `bool()` of it must be; None when both can be."""
        return None if self.open or self.overridable else _truth(self.alternatives)

    @property
    def default_truth(self) -> Optional[bool]:
        """Return what `bool()` of it is with the default options; None when that is not known."""
        return _truth(self.by_default) if self.by_default and not self.open else None

    @property
    def is_setting(self) -> bool:
        """Return whether it is known, and made to be set in another way: constants and mappings."""
        known = self.alternatives
        return not self.open and bool(known) and all(k.constant is not NO_CONSTANT or k.is_mapping for k in known)

    def as_non_default(self) -> Value:
        """Return the same, as non-default: it needs an option."""
        return Value(tuple(known.as_non_default() for known in self.alternatives), self.open, self.overridable)

    def without_constants(self) -> Value:
        """Return the same, open instead of with constants: it may be any."""
        kept = tuple(known for known in self.alternatives if not isinstance(known.what, Constant))
        return Value(kept, True, self.overridable)

    def of_part(self, known: Alternative, member: Value) -> Value:
        """Return a member of one alternative: non-default where that is, and another one that is set is the default."""
        is_chosen = not known.by_default and any(each.by_default for each in self.when_set)
        return member.as_non_default() if is_chosen else member

    def overridden_with(self, whole: Value) -> Value:
        """Return the same as a part or result of another value: overridable where that is, but for library names."""
        is_chosen = any(not known.api for known in self.alternatives) if whole.overridable else False
        return Value(self.alternatives, self.open, True) if is_chosen else self

    def as_setting(self) -> Value:
        """Return the same, as a setting: constants are there to be set in another way, functions and dtypes are not."""
        if self.alternatives and all(known.constant is NO_CONSTANT for known in self.alternatives):
            return self
        return Value(self.alternatives, self.open, True)


ALTERNATIVES = 64  # of one expression, before it is open
TOP = Value((), True)
MANY = Value((), True)  # open, since there are too many alternatives; for one call there may be few
BOTTOM = Value(())


def join(values: Iterable[Value]) -> Value:
    """Return the join of several values, sorted by place; open if there are too many alternatives.

    An alternative that is both default and non-default is default.
    """
    values = list(values)
    if len(values) == 1:
        return values[0]
    found: dict[tuple[object, ...], Alternative] = {}
    for value in values:
        for known in value.alternatives:
            receiver = known.what.receiver if isinstance(known.what, Api) else None
            key = known.what, receiver and receiver.what, known.prepared, known.outer, known.copied
            before = found.setdefault(key, known)
            if before is not known and isinstance(known.what, Bound):
                found[key] = _of_either(before, known)
            elif known.by_default > before.by_default:
                found[key] = known
    if len(found) > ALTERNATIVES:
        return MANY
    ordered = tuple(found.values()) if len(found) < 2 else tuple(sorted(found.values(), key=_key))
    return Value(ordered, any(value.open for value in values), any(value.overridable for value in values))


def _of_either(first: Alternative, other: Alternative) -> Alternative:
    """Return a method that is bound to one of two objects: where they differ, to any object of its class."""
    known = other if other.by_default > first.by_default else first
    assert isinstance(first.what, Bound) and isinstance(other.what, Bound)
    function, receiver, own = first.what.function, first.what.receiver, positional(first.what.function)
    if receiver.what == other.what.receiver.what or function.parent is None or not own:
        return known
    what: What = Instance(function.parent, None, function) if receiver.cls is not None else function.parent
    return known._replace(what=Bound(function, Alternative(what, (function.module, own[0]))))


def is_same(answer: object, other: object, anywhere: bool = False) -> bool:
    """Return whether two answers are equal, and were read in the same places (outside of code `anywhere`)."""
    if answer != other or not isinstance(answer, Value) or not isinstance(other, Value):
        return answer == other
    return all(map(partial(_is_same, anywhere=anywhere), answer.alternatives, other.alternatives))


def _is_same(known: Optional[Alternative], other: Optional[Alternative], anywhere: bool) -> bool:
    if known is other or known is None or other is None:
        return known is other
    is_outside = anywhere and isinstance(known.where, Place) and isinstance(other.where, Place)
    if known != other or not (is_outside or known.where == other.where):
        return False
    return _is_same(known.receiver, other.receiver, anywhere) and _is_same(known.origin, other.origin, anywhere)


def _is(known: Alternative, constant: object) -> bool:
    value = known.constant
    return type(value) is type(constant) and value == constant


def _truth(knowns: Iterable[Alternative]) -> Optional[bool]:
    answers = {known.truth for known in knowns}
    return answers.pop() if len(answers) == 1 else None
