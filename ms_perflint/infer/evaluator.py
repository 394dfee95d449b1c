"""The questions that the modules of the evaluator ask of one another, through the evaluator of one program."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, NamedTuple, Optional, Protocol, TypeVar, Union

from ms_perflint.index.reachability import BY_DEFAULT
from ms_perflint.index.semantic_index import Binding, Block, Scope, SemanticIndex, Site
from ms_perflint.index.signature import Argument, Held, Layer, Part
from ms_perflint.infer.alternatives import Api, Options
from ms_perflint.infer.call_context import CallContext, modules_of
from ms_perflint.infer.database import Database
from ms_perflint.infer.queries import Queries
from ms_perflint.infer.shared_answers import SharedAnswers
from ms_perflint.infer.values import BOTTOM, TOP, Alternative, Value


class Evaluator(Protocol):
    """The evaluator of one program: what other answers tell is written here, the rest in `ProgramEvaluator`."""

    program: Database
    queries: Queries
    libraries: Library
    _call_contexts: dict[tuple[object, ...], CallContext]
    _shared: Optional[SharedAnswers]

    def call_context(
        self,
        function: Scope,
        call: Optional[Layer],
        caller: Scope,
        receiver: Optional[Alternative] = None,
        passed: tuple[Held, ...] = (),
        outer: Optional[Scope] = None,
    ) -> CallContext:
        """Return the call context of a call of a function; equal calls share one."""
        what = receiver.what if receiver is not None else None
        key = id(function), call, id(caller), what, passed, id(outer)
        found = self._call_contexts.get(key)
        if found is None:

            def enter(name: str) -> CallContext:
                return CallContext(function, call, caller, receiver, name, passed, outer)

            is_own = self.queries.is_own(modules_of((function, call, caller, receiver, passed, outer)))
            if is_own or self._shared is None:
                found = enter(f"@{len(self._call_contexts)}")
            else:
                found = self._shared.context((*key, receiver), enter)
            self._call_contexts[key] = found
        return found

    def exported(self, module: SemanticIndex, name: str) -> Value:
        """Return the value of a name of a module after the module ran."""

    def binding(self, binding: Binding, scope: Optional[Scope] = None) -> Value:
        """Return the value of one binding; `scope`: the call context in which it is evaluated."""

    def bindings(self, bindings: tuple[Binding, ...], scope: Optional[Scope] = None) -> Value:
        """Return the joined values of some bindings, without those in unreachable blocks."""

    def weighed(self, binding: Binding, scope: Optional[Scope] = None) -> Value:
        """Return the value of one binding; non-default where only an option leads to it."""
        value = self.binding(binding, scope)
        return value if self.reachability(binding.block, scope) == BY_DEFAULT else value.as_non_default()

    def value(self, node: ast.expr, scope: Scope) -> Value:
        """Return the value of an expression in a scope."""

    def read(self, part: Held) -> Value:
        """Return the value of a part of a display or of an argument; for `*sequence`, that of the sequence."""

    def passed(self, argument: Argument, default: Value) -> Value:
        """Return the value of an argument; `default` where the call passes none."""

    def known(self, what: object, node: ast.AST, scope: Scope) -> Value:
        """Return the value with one alternative, read at a node."""
        return Value((Alternative(what, (scope.module, node)),))  # type: ignore[arg-type]

    def kind(self, known: Alternative) -> Kind[Any]:
        """Return the object that answers questions about an alternative, by its kind."""

    def members(self, base: Value, name: str, node: ast.expr, scope: Scope, absent: Value = TOP) -> Value:
        """Return the value of `base.name`; `node` is that expression, `absent` what is read without the member."""

    def item(self, known: Alternative, key: object) -> Value:
        """Return the value of `known[key]`."""
        return self.kind(known).item(key)

    def holds(self, known: Alternative, key: object) -> Optional[bool]:
        """Return whether an object has a setting; None where it is not known."""
        return self.kind(known).contains(key)

    def operated(self, known: Alternative, name: str, layer: Optional[Layer] = None) -> Optional[Value]:
        """Return the result of a special method of an object, such as `__getitem__`; None without the method."""

    def each(self, value: Value) -> Value:
        """Return what any element of a list is."""

    def is_pending(self, value: Value) -> bool:
        """Return whether an operand is BOTTOM in a cycle that is not solved yet."""
        return not value.alternatives and not value.open and self.queries.may_grow()

    def rest(self, value: Value) -> list[Value]:
        """Return the values that the open part of an operand adds to a result: none, or one that is open."""
        return [] if value.alternatives and not value.open else [TOP] if value.open else [self.empty()]

    def empty(self) -> Value:
        """Return the value of an expression without a known one: TOP, or BOTTOM in a cycle that is not solved yet."""
        return BOTTOM if self.queries.may_grow() else TOP

    def callees(self, site: Site) -> Value:
        """Return the value of the callee of a call site."""
        return self.value(site.node.func, site.scope) if isinstance(site.node, ast.Call) else BOTTOM

    def reachability(self, block: Block, scope: Optional[Scope] = None) -> int:
        """Return how a block is reached: IMPOSSIBLE, OPTIONAL (only with an option), or BY_DEFAULT."""


class Reading(NamedTuple):
    """An expression that reads a setting of an object: `object.name`, `object[name]`."""

    base: Value  # what the object can be
    name: object
    node: ast.expr
    scope: Scope
    holder: Optional[ast.expr] = None  # the expression of the object
    absent: Value = TOP  # what is read where the setting is not there


# --- kinds of values

T = TypeVar("T")


class Kind(Generic[T]):
    """The answers about one alternative, by its kind; the base class knows none."""

    __slots__ = ("evaluator", "known", "what")

    def __init__(self, evaluator: Evaluator, known: Alternative) -> None:
        self.evaluator, self.known = evaluator, known
        self.what: T = known.what  # type: ignore[assignment]

    def attribute(self, name: str, node: ast.expr, scope: Scope) -> Value:
        """Return the value of its member `name`; `node` is the expression that reads it."""
        return TOP

    def item(self, key: object) -> Value:
        """Return its value under a key."""
        return TOP

    def elements(self) -> Value:
        """Return the joined elements of an iteration over it."""
        return TOP

    def call(self, layer: Layer) -> Value:
        """Return the result of calling it."""
        return TOP

    def contains(self, key: object) -> Optional[bool]:
        """Return whether it has a setting; None where it is not known, and for objects without settings."""
        return None


# --- libraries

Call = Callable[[Evaluator, Api, ast.Call, Scope], Optional[Value]]  # what a call gives; None: just an instance of it


class Library(NamedTuple):
    """A library model, by qualified name; ".name" stands for methods of that name, "name." for a package."""

    calls: Mapping[str, tuple[Call, ...]] = {}
    computed: Mapping[str, Callable[..., Any]] = {}  # functions of Python's data that are just run
    readers: Mapping[str, Callable[[Evaluator, Layer], Value]] = {}  # of two arguments, also where `reduce` calls them
    attributes: Mapping[str, Callable[[Evaluator, str], Value]] = {}  # of what a name stands for
    items: Mapping[str, Callable[[Evaluator, Alternative, object], Value]] = {}  # also of what a call gives
    settings: Mapping[str, Callable[[Evaluator, Alternative, str], Value]] = {}  # of an instance
    documents: Mapping[str, Callable[[Evaluator, ast.Call, Scope], tuple[Alternative, ...]]] = {}  # that a call loads
    parameters: tuple[Callable[[Evaluator, Binding, Scope], Optional[Value]], ...] = ()  # what decorators give them
    field: Callable[[Evaluator, Alternative, Union[str, int]], Optional[Value]] = lambda *_: None  # of a record
    has_field: Callable[[Evaluator, Alternative, object], Optional[bool]] = lambda *_: None
    afterwards: frozenset[str] = frozenset()  # methods of records that run behind the constructor
    is_record: Callable[[Scope], bool] = lambda *_: False  # whose class body holds only defaults
    option: Callable[[Evaluator, Options, str], Value] = lambda *_: TOP  # of the result of a parser
    has_option: Callable[[Evaluator, Alternative, str], Optional[bool]] = lambda *_: None
    behind: Callable[[Evaluator, Alternative], list[Part]] = lambda *_: []  # operands of the defaults of options
    methods: Mapping[str, str] = {}  # method -> class of the objects that have it, whatever their name
    command_line: frozenset[str] = frozenset()  # results that only a user passes
    mappings: frozenset[str] = frozenset()  # last words of classes whose keys are attributes
    rows: frozenset[str] = frozenset()  # classes whose objects hold the objects that they are given
    merges: frozenset[str] = frozenset()  # methods that lay a config file over their object
    closed: tuple[str, ...] = ()  # beginnings of names whose objects hold no settings

    @property
    def loaders(self) -> list[str]:
        """Return the last words of the functions that load config documents."""
        return sorted({name.rpartition(".")[2] for name in self.documents})

    def called(self, name: str) -> tuple[Call, ...]:
        """Return the handlers for a call of a name, in the order in which they are tried."""
        keys = name, f"{name.partition('.')[0]}.", f".{name.rpartition('.')[2]}"
        return tuple(handler for key in keys for handler in self.calls.get(key, ()))

    def subscripted(self, name: str) -> Optional[Callable[[Evaluator, Alternative, object], Value]]:
        """Return the handler for items of an object of this name, or of the result of a call of it."""
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
