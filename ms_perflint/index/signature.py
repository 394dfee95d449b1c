"""The parameters of what is called, and what a call passes for each of them: the one argument binding.

Which expression of a call is for which parameter is a question of syntax. What a `*sequence` holds is not: `bind` takes
a function that opens it, so that a reader of the syntax and the evaluator share one walk.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple, Optional

from ms_perflint.index.semantic_index import Scope, Site

SPREADS = 6  # sequences and mappings inside one another that are followed
PREPARES = frozenset({"functools.partial", "functools.partialmethod"})  # pass arguments of a later call
EACH: Final = object()  # taken from a value: any element of it


class Part(NamedTuple):
    """An expression, and the scope in which it is read."""

    node: ast.expr
    scope: Scope


class Held(NamedTuple):
    """What a display holds, or a call passes: an expression, or what is taken from one, which stands in no file."""

    node: ast.expr
    scope: Scope
    known: Any = None  # its value, where that is not what stands there
    taken: tuple[object, ...] = ()  # from its value, one after the other: EACH, or what stands under a key
    is_spread: bool = False  # it stands for all elements of that: `*node`

    @staticmethod
    def of(node: ast.expr, scope: Scope) -> Held:
        """Return an element of a display, or an argument, as it is written there."""
        return Held(node.value, scope, is_spread=True) if isinstance(node, ast.Starred) else Held(node, scope)

    @property
    def is_plain(self) -> bool:
        """Return whether it is just what stands there."""
        return self.known is None and not self.taken and not self.is_spread


class Read(ast.expr):
    """An argument of a call that stands in no file."""

    _fields = ()
    part: Held


class Applied(ast.Call):
    """The call of a function that `map(function, elements)` makes."""

    @staticmethod
    def of(node: ast.Call, scope: Scope) -> Optional[Applied]:
        """Return the call of a function for any of some elements, where it is one of `map`."""
        if not is_map(node) or any(isinstance(argument, ast.Starred) for argument in node.args):
            return None
        elements: list[ast.expr] = []
        for argument in node.args[1:]:
            element = ast.copy_location(Read(), argument)
            element.part = Held(argument, scope, taken=(EACH,))
            elements.append(element)
        return ast.copy_location(Applied(node.args[0], elements, []), node)


def is_map(node: ast.Call) -> bool:
    """Return whether a call is one of `map(function, elements)`."""
    return isinstance(node.func, ast.Name) and node.func.id == "map" and len(node.args) > 1


class Layer(NamedTuple):
    """The arguments of one call; those of `partial(f, 1)` lie below those of the call of what it makes."""

    call: ast.Call
    scope: Scope
    first: int = 0  # of its arguments that the function gets: 1 in `partial(f, 1)`
    is_method: bool = False  # made by `partialmethod`: the object comes before all arguments
    row: Optional[tuple[Held, ...]] = None  # what is passed instead, this time, to the first argument of the call
    is_word: bool = False  # the row is the word that `__getattr__` of what the call made is asked for
    callee: Optional[ast.expr] = None  # what is called with the row: a decorator, or `key` in `sorted(x, key=key)`

    @property
    def func(self) -> ast.expr:
        """Return the expression of what is called: that which `map(x, elements)` and `field(default_factory=x)` get."""
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
        """Return what is passed by position."""
        if self.row is not None:
            return self.row
        return (Held.of(node, self.scope) for node in self.call.args[self.first :])

    @property
    def keywords(self) -> Sequence[ast.keyword]:
        """Return what is passed by keyword."""
        return self.call.keywords if self.row is None else ()


class Argument(NamedTuple):
    """What a call passes for a parameter: an expression, or nothing, unless what it spreads passes another one."""

    name: str
    given: Optional[Held] = None
    mappings: tuple[Held, ...] = ()  # each `**mapping` that may pass another one
    is_open: bool = False  # a `*sequence` that is not known, or a later call, may pass another one

    @property
    def part(self) -> Optional[Part]:
        """Return the expression that is passed for sure; None where nothing is, or something else may be."""
        given = self.given
        is_sure = given is not None and given.is_plain and not self.mappings and not self.is_open
        return Part(given.node, given.scope) if is_sure else None  # type: ignore[union-attr]

    @property
    def is_default(self) -> bool:
        """Return whether the call leaves the parameter to its default for sure."""
        return self.given is None and not self.mappings and not self.is_open


Opener = Callable[[Held], Optional[Sequence[Held]]]


def shown(part: Held) -> Optional[Sequence[Held]]:
    """Return the elements of `*(1, 2)`; None for all other expressions."""
    node = part.node
    return [Held.of(element, part.scope) for element in node.elts] if isinstance(node, (ast.Tuple, ast.List)) else None


class Signature(NamedTuple):
    """The parameters that a call can pass: without the one that gets the object of a method."""

    slots: tuple[str, ...]  # by position
    words: tuple[str, ...]  # by keyword
    rest: str = ""  # `*rest`
    mapping: str = ""  # `**mapping`

    @staticmethod
    def of(function: Scope, is_bound: bool) -> Signature:
        """Return the signature of a function; `is_bound`: its first parameter gets the object that it is called on.

        Where `*rest` gets the object, `rest` is not part of the signature: a call does not show all that it holds.
        """
        args: ast.arguments = function.node.args  # type: ignore[union-attr]
        slots = [arg.arg for arg in positional(function)]
        only = len(getattr(args, "posonlyargs", ()))
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
        """Return a signature of parameters that have a position and a name, and of some (`words`) with a name alone."""
        return Signature(slots, (*slots, *words))

    def bind(self, *layers: Layer, opened: Opener = shown, is_whole: bool = True) -> Arguments:
        """Return what a call passes; `is_whole`: no later call passes more. The layers of `partial` come first."""
        return Arguments(self, layers, opened, is_whole)


class Arguments:
    """What a call passes for the parameters of a signature."""

    __slots__ = ("_is_whole", "_layers", "_opened", "signature")

    def __init__(self, signature: Signature, layers: tuple[Layer, ...], opened: Opener, is_whole: bool) -> None:
        self.signature = signature
        self._layers = layers
        self._opened = opened
        self._is_whole = is_whole

    def of(self, name: str) -> Argument:
        """Return what is passed for one parameter; of one that a signature does not know, what a keyword passes."""
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
        """Return what `*rest` gets, with sequences that are not known; None where it is not known what comes first."""
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
        """Return what `**mapping` gets, by name, and (None) mappings that it may get more from; None if not known."""
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
        """Return what is passed in a slot, or the `*sequence` that may pass it; None where nothing is."""
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
        """Yield what is passed by position; a `*sequence` that is not known as it is."""
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
    """Yield what a call passes by keyword, or in what it spreads, in order; without a name what may hold any."""
    for word in layer.keywords:
        if word.arg is None or not only_spread:
            yield from _pairs(word.arg, word.value, layer.scope)


def _pairs(name: Optional[str], node: ast.expr, scope: Scope) -> Iterator[tuple[Optional[str], Held]]:
    """Yield a keyword; of `**{"a": 1, **more}` each key."""
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
    return [*getattr(args, "posonlyargs", []), *args.args]


def receiver_name(scope: Scope) -> str:
    """Return how the method that runs a scope calls its object, or its class; "" in functions and static methods."""
    function = scope.owner
    first = positional(function)[:1] if function.is_function and function.is_method else []
    return first[0].arg if first else ""
