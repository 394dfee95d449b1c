"""Argument binding: the parameters of a function, and the argument that a call passes for each of them.

The syntax tells which argument binds to which parameter, but not what a `*sequence` holds: `bind` takes a function that
opens sequences, so that syntax and evaluator share one walk.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple, Optional

from ms_perflint.index.scopes import Scope, Site

SPREADS = 6  # sequences and mappings inside one another that are followed
PREPARES = frozenset({"functools.partial", "functools.partialmethod"})  # pass arguments of a later call
EACH: Final = object()  # taken from a value: any element of it


class Part(NamedTuple):
    """An expression, and the scope in which it is evaluated."""

    node: ast.expr
    scope: Scope


class Held(NamedTuple):
    """An element of a display or an argument of a call: an expression, or a part of its value."""

    node: ast.expr
    scope: Scope
    known: Any = None  # its value, where that is not what stands there
    taken: tuple[object, ...] = ()  # from its value, one after the other: EACH, or what stands under a key
    is_spread: bool = False  # it stands for all elements of that: `*node`

    @staticmethod
    def of(node: ast.expr, scope: Scope) -> Held:
        """Return an element or an argument as it is written."""
        return Held(node.value, scope, is_spread=True) if isinstance(node, ast.Starred) else Held(node, scope)

    @property
    def is_plain(self) -> bool:
        """Return whether it is the value of its expression, and nothing else."""
        return self.known is None and not self.taken and not self.is_spread


class Read(ast.expr):
    """An argument of a call that stands in no file."""

    _fields = ()
    part: Held


class Applied(ast.Call):
    """The call of a function that `map(function, elements)` makes."""

    @staticmethod
    def of(node: ast.Call, scope: Scope) -> Optional[Applied]:
        """Return the calls that `map(function, elements)` makes as one call with any element; None for other calls."""
        is_map = isinstance(node.func, ast.Name) and node.func.id == "map" and len(node.args) > 1
        if not is_map or any(isinstance(argument, ast.Starred) for argument in node.args):
            return None
        elements: list[ast.expr] = []
        for argument in node.args[1:]:
            element = ast.copy_location(Read(), argument)
            element.part = Held(argument, scope, taken=(EACH,))
            elements.append(element)
        return ast.copy_location(Applied(node.args[0], elements, []), node)


class Layer(NamedTuple):
    """The arguments of one call; those of `partial(f, 1)` are a layer below those of the call of its result."""

    call: ast.Call
    scope: Scope
    first: int = 0  # of its arguments that the function gets: 1 in `partial(f, 1)`
    is_method: bool = False  # made by `partialmethod`: the object comes before all arguments
    row: Optional[tuple[Held, ...]] = None  # what is passed instead, this time, to the first argument of the call
    is_word: bool = False  # the row is the word that `__getattr__` of what the call made is asked for
    callee: Optional[ast.expr] = None  # what is called with the row: a decorator, or `key` in `sorted(x, key=key)`

    @property
    def func(self) -> ast.expr:
        """Return the callee; for `map(x, elements)` and `field(default_factory=x)` that is `x`."""
        if self.callee is not None:
            return self.callee
        if self.row is None or self.is_word:
            return self.call.func
        given = (word.value for word in self.call.keywords if word.arg in ("default_factory", "factory"))
        return self.call.args[0] if self.call.args else next(given, self.call.func)

    @property
    def site(self) -> Optional[Site]:
        """Return the call as a site of its file."""
        return self.scope.module.site_at(self.call)

    @property
    def args(self) -> Iterable[Held]:
        """Return the positional arguments."""
        if self.row is not None:
            return self.row
        return (Held.of(node, self.scope) for node in self.call.args[self.first :])

    @property
    def keywords(self) -> Sequence[ast.keyword]:
        """Return the keyword arguments."""
        return self.call.keywords if self.row is None else ()


class Argument(NamedTuple):
    """The argument for one parameter: an expression or none, unless a `*sequence` or `**mapping` passes another."""

    name: str
    given: Optional[Held] = None
    mappings: tuple[Held, ...] = ()  # each `**mapping` that may pass another one
    is_open: bool = False  # a `*sequence` that is not known, or a later call, may pass another one

    @property
    def part(self) -> Optional[Part]:
        """Return the expression that is certainly passed; None where none is, or another may be."""
        given = self.given
        is_sure = given is not None and given.is_plain and not self.mappings and not self.is_open
        return Part(given.node, given.scope) if is_sure else None  # type: ignore[union-attr]

    @property
    def is_default(self) -> bool:
        """Return whether the call certainly leaves the parameter to its default."""
        return self.given is None and not self.mappings and not self.is_open


Opener = Callable[[Held], Optional[Sequence[Held]]]


def shown(part: Held) -> Optional[Sequence[Held]]:
    """Return the elements of `*(1, 2)`; None for all other expressions."""
    node = part.node
    return [Held.of(element, part.scope) for element in node.elts] if isinstance(node, (ast.Tuple, ast.List)) else None


class Signature(NamedTuple):
    """The parameters that a call can pass; the `self` of a bound method is not among them."""

    slots: tuple[str, ...]  # by position
    words: tuple[str, ...]  # by keyword
    rest: str = ""  # `*rest`
    mapping: str = ""  # `**mapping`

    @staticmethod
    def of(function: Scope, is_bound: bool) -> Signature:
        """Return the signature of a function; with `is_bound`, without its first parameter, which is the object.

        Where `*rest` gets the object, `rest` is not part of the signature: a call does not show all that it holds.
        """
        args: ast.arguments = function.node.args  # type: ignore[union-attr]
        slots = [arg.arg for arg in positional(function)]
        only = len(args.posonlyargs)
        words = [arg.arg for arg in args.kwonlyargs]
        rest = args.vararg.arg if args.vararg is not None and (slots or not is_bound) else ""
        return Signature(
            tuple(slots[is_bound:]),
            (*slots[max(only, is_bound) :], *words),
            rest,
            args.kwarg.arg if args.kwarg is not None else "",
        )

    @staticmethod
    def named(*slots: str, words: Sequence[str] = ()) -> Signature:
        """Return a signature of parameters with a position and a name, and of keyword-only ones (`words`)."""
        return Signature(slots, (*slots, *words))

    def bind(self, *layers: Layer, opened: Opener = shown, is_whole: bool = True) -> Arguments:
        """Return the arguments of a call, the layers of `partial` first; with `is_whole`, no later call passes more."""
        return Arguments(self, layers, opened, is_whole)


class Arguments:
    """The arguments of a call, by parameter of a signature."""

    __slots__ = ("_is_whole", "_layers", "_opened", "signature")

    def __init__(self, signature: Signature, layers: tuple[Layer, ...], opened: Opener, is_whole: bool) -> None:
        self.signature = signature
        self._layers = layers
        self._opened = opened
        self._is_whole = is_whole

    def of(self, name: str) -> Argument:
        """Return the argument for a parameter; for a name that is none, the keyword argument of that name."""
        signature = self.signature
        if name in (signature.rest, signature.mapping):
            return Argument(name, is_open=True)
        is_word = name in signature.words or name not in signature.slots
        argument = self._by_word(name) if is_word else Argument(name)
        if argument.part is not None:
            return argument
        if name in signature.slots:
            part = self._at(signature.slots.index(name))
            if part is not None and not part.is_spread:
                return Argument(name, part)
            argument = argument._replace(is_open=part is not None)
        is_left = argument.given is None and not self._is_whole
        return argument._replace(is_open=True) if is_left else argument

    def rest(self) -> Optional[list[Held]]:
        """Return the arguments of `*rest`, unknown sequences included; None where its first one is not known."""
        found: list[Held] = []
        if not self._is_whole:
            return None
        for position, part in enumerate(self._in_order()):
            if position >= len(self.signature.slots):
                found.append(part)
            elif part.is_spread:
                return None
        return found

    def mapping(self) -> Optional[list[tuple[Optional[str], Held]]]:
        """Return the arguments of `**mapping`, an unknown mapping with None; None where more may be passed later."""
        found: list[tuple[Optional[str], Held]] = []
        for layer in self._layers if self._is_whole else ():
            for name, part in _words(layer):
                if name is None or name not in self.signature.words:
                    found = [each for each in found if name is None or each[0] != name]
                    found.append((name, part))
        return found if self._is_whole else None

    def _by_word(self, name: str) -> Argument:
        argument = Argument(name)
        for layer in self._layers:
            own = next((word.value for word in layer.keywords if word.arg == name), None)
            if own is not None:
                argument = Argument(name, Held(own, layer.scope))
                continue
            for word, part in _words(layer, only_spread=True):
                if word == name:
                    argument = Argument(name, part)
                elif word is None:
                    argument = argument._replace(mappings=(*argument.mappings, part))
        return argument

    def _at(self, slot: int) -> Optional[Held]:
        """Return the positional argument of a slot, or the `*sequence` that may hold it; None without one."""
        if len(self._layers) == 1 and self._layers[0].row is None:  # as almost always
            (layer,) = self._layers
            args = layer.call.args
            if not any(isinstance(node, ast.Starred) for node in args):
                at = slot + layer.first
                return Held(args[at], layer.scope) if at < len(args) else None
        for position, part in enumerate(self._in_order()):
            if position == slot or part.is_spread:
                return part
        return None

    def _in_order(self) -> Iterator[Held]:
        """Yield the positional arguments, elements of known sequences one by one."""
        for layer in self._layers:
            yield from self._flat(layer.args, 0)

    def _flat(self, parts: Iterable[Held], depth: int) -> Iterator[Held]:
        for part in parts:
            inner = self._opened(part) if part.is_spread and depth < SPREADS else None
            if inner is None:
                yield part
            else:
                yield from self._flat(inner, depth + 1)


def _words(layer: Layer, only_spread: bool = False) -> Iterator[tuple[Optional[str], Held]]:
    """Yield keyword arguments and known entries of `**mapping`, in order; an unknown mapping comes with None."""
    for word in layer.keywords:
        if word.arg is None or not only_spread:
            yield from _pairs(word.arg, word.value, layer.scope)


def _pairs(name: Optional[str], node: ast.expr, scope: Scope) -> Iterator[tuple[Optional[str], Held]]:
    """Yield a keyword argument; for `**{"a": 1, **more}` one for each key."""
    keys = node.keys if name is None and isinstance(node, ast.Dict) else [None]
    texts = [key.value if isinstance(key, ast.Constant) else key for key in keys]
    if name is not None or not isinstance(node, ast.Dict) or any(isinstance(text, ast.expr) for text in texts):
        yield name, Held(node, scope)
        return
    for text, value in zip(texts, node.values):
        yield from _pairs(text if text is None else str(text), value, scope)


# --- functions


def positional(function: Scope) -> list[ast.arg]:
    """Return the parameters of a function that can be passed by position."""
    args: ast.arguments = function.node.args  # type: ignore[union-attr]
    return [*args.posonlyargs, *args.args]


def receiver_name(scope: Scope) -> str:
    """Return the name of the first parameter of the method around a scope: `self`, `cls`; "" in other functions."""
    function = scope.owner
    first = positional(function)[:1] if function.is_function and function.is_method else []
    return first[0].arg if first else ""
