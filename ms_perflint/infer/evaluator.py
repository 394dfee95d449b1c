"""The questions that the modules of the evaluator ask of one another, through the evaluator of one program."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, NamedTuple, Optional, Protocol, TypeVar, Union

from ms_perflint.index.semantic_index import Binding, Block, Scope, SemanticIndex, Site
from ms_perflint.index.signature import Argument, Held, Layer, Part
from ms_perflint.infer.call_context import CallContext
from ms_perflint.infer.database import Database
from ms_perflint.infer.queries import Queries
from ms_perflint.infer.values import TOP, Alternative, Api, Display, Instance, Options, Value


class Evaluator(Protocol):
    """Evaluates expressions of one program."""

    queries: Queries
    libraries: Library

    @property
    def program(self) -> Database:
        """Return the program."""

    def call_context(
        self,
        function: Scope,
        call: Optional[Layer],
        caller: Scope,
        receiver: Optional[Alternative] = None,
        passed: tuple[Held, ...] = (),
        outer: Optional[Scope] = None,
    ) -> CallContext:
        """Return a function as one call enters it: the same one whenever it is asked for."""

    def exported(self, module: SemanticIndex, name: str) -> Value:
        """Return what a name of a module of the project is when the module has run."""

    def binding(self, binding: Binding, scope: Optional[Scope] = None) -> Value:
        """Return what one binding gives its name; `scope`: the call context in which it is asked for."""

    def bindings(self, bindings: tuple[Binding, ...], scope: Optional[Scope] = None) -> Value:
        """Return what any of these bindings can give; those in arms that cannot run are left out."""

    def weighed(self, binding: Binding, scope: Optional[Scope] = None) -> Value:
        """Return what one binding gives: as non-default where only an option leads to it."""

    def value(self, node: ast.expr, scope: Scope) -> Value:
        """Return what an expression, read in a scope, can be."""

    def read(self, part: Held) -> Value:
        """Return what a part of a display, or what a call passes, can be; of `*sequence`, the sequence."""

    def passed(self, argument: Argument, default: Value) -> Value:
        """Return what a parameter gets from a call, where `default` is what it is when the call passes nothing."""

    def known(self, what: object, node: ast.AST, scope: Scope) -> Value:
        """Return the value that is just this, read at this node."""

    def kind(self, known: Alternative) -> Kind[Any]:
        """Return what answers for values of this kind."""

    def members(self, base: Value, name: str, node: ast.expr, scope: Scope) -> Value:
        """Return what `base.name` can be; `node` is that expression."""

    def item(self, known: Alternative, key: object) -> Value:
        """Return what `known[key]` can be."""

    def holds(self, known: Alternative, key: object) -> Optional[bool]:
        """Return whether an object has a setting; None where that is not known."""

    def operated(self, known: Alternative, name: str, layer: Optional[Layer] = None) -> Optional[Value]:
        """Return what an operator gets from a method of an object: `__getitem__`; None where it has no such method."""

    def elements(self, value: Value) -> tuple[tuple[Alternative, ...], bool]:
        """Return what a list can hold where it is made, and whether it can hold more."""

    def is_pending(self, value: Value) -> bool:
        """Return whether nothing is known of an operand yet, in a cycle under way."""

    def rest(self, value: Value) -> list[Value]:
        """Return what the unknown part of an operand adds to a result: nothing, or that the result is open too."""

    def empty(self) -> Value:
        """Return what an expression is for which nothing was found: open, or BOTTOM in a cycle under way."""

    def callees(self, site: Site) -> Value:
        """Return what the callee of a call site can be."""

    def reachability(self, block: Block, scope: Optional[Scope] = None) -> int:
        """Return how a block is reached: IMPOSSIBLE, only with an OPTIONAL choice of the user, or BY_DEFAULT."""


# --- kinds of values

T = TypeVar("T")


class Search(Protocol):
    """A bounded search through lists that are made of lists."""

    def of(self, value: Value, depth: int) -> Value:
        """Return what a sequence holds."""

    def display(self, what: Display, depth: int) -> Value:
        """Return what one list holds where it is made, and what the code around it adds."""

    def added(self, what: Union[Display, Instance], depth: int) -> Iterator[Value]:
        """Yield what is added to a list after it was made."""


class Kind(Generic[T]):
    """What one value answers, by its kind: by itself, that nothing is known. `truth` needs no evaluator."""

    __slots__ = ("evaluator", "known", "what")

    def __init__(self, evaluator: Evaluator, known: Alternative) -> None:
        self.evaluator, self.known = evaluator, known
        self.what: T = known.what  # type: ignore[assignment]

    def attribute(self, name: str, node: ast.expr, scope: Scope) -> Value:
        """Return what its member `name` is; `node` is the expression that reads it."""
        return TOP

    def item(self, key: object) -> Value:
        """Return what stands in it under a key."""
        return TOP

    def elements(self, search: Search, depth: int) -> Value:
        """Return what a loop over it goes through."""
        return TOP

    def call(self, layer: Layer) -> Value:
        """Return what calling it gives."""
        return TOP

    def contains(self, key: object) -> Optional[bool]:
        """Return whether it has a setting; None where that is not known, also of what holds no settings."""
        return None


# --- libraries

Call = Callable[[Evaluator, Api, ast.Call, Scope], Optional[Value]]  # what a call gives; None: just an instance of it


class Library(NamedTuple):
    """What libraries mean to the evaluator, by qualified name; ".name": methods of that name, "name.": a package."""

    calls: Mapping[str, tuple[Call, ...]] = {}
    computed: Mapping[str, Callable[..., Any]] = {}  # functions of Python's data that are just run
    attributes: Mapping[str, Callable[[Evaluator, str], Value]] = {}  # of what a name stands for
    items: Mapping[str, Callable[[Evaluator, Alternative, object], Value]] = {}  # also of what a call gives
    settings: Mapping[str, Callable[[Evaluator, Alternative, str], Value]] = {}  # of an instance
    documents: Mapping[str, Callable[[Evaluator, ast.Call, Scope], tuple[Alternative, ...]]] = {}  # that a call loads
    parameters: tuple[Callable[[Evaluator, Binding, Scope], Optional[Value]], ...] = ()  # what decorators give them
    field: Callable[[Evaluator, Alternative, Union[str, int]], Optional[Value]] = lambda *_: None  # of a record
    has_field: Callable[[Evaluator, Alternative, object], Optional[bool]] = lambda *_: None
    is_record: Callable[[Scope], bool] = lambda *_: False  # whose class body holds only defaults
    option: Callable[[Evaluator, Options, str], Value] = lambda *_: TOP  # of what a parser returns
    has_option: Callable[[Evaluator, Alternative, str], Optional[bool]] = lambda *_: None
    behind: Callable[[Evaluator, Alternative], list[Part]] = lambda *_: []  # what defaults of options are made of
    methods: Mapping[str, str] = {}  # that tell of which class an object is, whatever it is called here
    command_line: frozenset[str] = frozenset()  # what gives nothing but what a user passes
    mappings: frozenset[str] = frozenset()  # last words of classes whose keys are attributes
    rows: frozenset[str] = frozenset()  # classes whose objects hold the objects that they are given
    merges: frozenset[str] = frozenset()  # methods that lay a config file over their object
    closed: tuple[str, ...] = ()  # beginnings of names whose objects hold no settings

    def called(self, name: str) -> tuple[Call, ...]:
        """Return what may know what a call of a name gives, in the order in which they are asked."""
        keys = name, f"{name.partition('.')[0]}.", f".{name.rpartition('.')[2]}"
        return tuple(handler for key in keys for handler in self.calls.get(key, ()))

    def subscripted(self, name: str) -> Optional[Callable[[Evaluator, Alternative, object], Value]]:
        """Return what knows what stands in an object of this name, or that a call of it makes."""
        return self.items.get(name) or self.items.get(f".{name.rpartition('.')[2]}")

    def is_mapping(self, name: str) -> bool:
        """Return whether a name is that of a class whose keys are attributes."""
        return name.rpartition(".")[2] in self.mappings


def joined(libraries: Iterable[Library]) -> Library:
    """Return several libraries as one."""
    whole: dict[str, Any] = {}
    for library in libraries:
        for field, value in library._asdict().items():
            if field == "calls":
                calls = whole.setdefault(field, {})
                for name, handlers in value.items():
                    calls[name] = (*calls.get(name, ()), *handlers)
            elif isinstance(value, Mapping):
                whole[field] = {**whole.get(field, {}), **value}
            elif isinstance(value, (tuple, frozenset)):
                whole[field] = type(value)((*whole.get(field, ()), *value))
            elif value is not Library._field_defaults[field]:
                whole[field] = value
    return Library(**whole)
