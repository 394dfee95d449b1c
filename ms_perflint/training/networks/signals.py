"""What reaches an expression of a network: where a tensor comes from, and what happened to its width on the way."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import reduce
from operator import or_
from typing import NamedTuple, Optional

from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.infer.values import Alternative
from ms_perflint.training.dtypes.tensor_ops import ADDITION, DIVISION
from ms_perflint.training.networks import layers

WHOLE, JOINED, FLAT, PART, LOST = _HOWS = ("whole", "joined", "flat", "part", "lost")
SPLITS = frozenset({"split", "chunk", "Split", "split_with_size", "tensor_split", "SplitV", "unbind"})
CONCATS = frozenset({"concat", "Concat", "cat", "concatenate", "hstack"})
FLATTENS = frozenset({"reshape", "view", "flatten", "Reshape", "Flatten", "T", "mT", "ravel"})
TIES = ADDITION | DIVISION  # operators that give what both of their operands are as wide as
PRODUCTS = frozenset(api.rpartition(".")[2].partition("(")[0] for api in layers.PRODUCTS)
RESHAPES = frozenset({"reshape", "view", "Reshape", "broadcast_to", "expand"})
STACKS = frozenset({"stack", "Stack"})
SLICE, ADDED, STATE = "[]", "+", "state"
SHAPING = RESHAPES | SPLITS | CONCATS | STACKS | PRODUCTS | TIES | {SLICE, ADDED, STATE, ""}
SOURCES = 1000  # of a signal: what may come from more is widened, and known to come from none of them; that is said

_GROUP = len(_HOWS)
_WHOLE_GROUP = (1 << _GROUP) - 1


class Made(NamedTuple):
    """A layer: the call that makes it, in any program."""

    site: Site
    api: str


class Source(NamedTuple):
    """Where a tensor comes from, and what happened to its width on the way."""

    origin: object  # the layer; the call that makes a row of cells; the binding of a parameter; None: not known
    how: str = WHOLE
    made: Optional[Alternative] = None  # the cell of the program that gave it out


Signal = frozenset[Source]
NOTHING: Signal = frozenset()


class Operation(NamedTuple):
    """What is done to the shape of tensors, or with them and others, by something that is no layer."""

    node: ast.expr
    scope: Scope
    word: str  # the last word of the operator or function; SLICE, ADDED, STATE; "" where it is not known
    operands: tuple[tuple[ast.expr, Signal], ...]  # the elements of a tuple each


class Sources:
    """The sources of one flow as bits: a signal is a number there, and `|` its union.

    Each origin, as each cell gives it out, has as many bits side by side as there are things that happen to a width:
    what happens to a whole signal moves all of its bits at once.
    """

    UNKNOWN = 1 << _HOWS.index(LOST)  # what may come from anywhere; it stays that whatever is done to it

    def __init__(self) -> None:
        self._all: list[Source] = []  # one of each group of bits
        self._first: dict[tuple[object, Optional[Alternative]], int] = {}  # the first bit of a group
        self._firsts = 0  # all of those
        self._alike: dict[object, int] = {}  # by origin
        self._unmade = 0  # those that no cell is known to give out
        self._given_out: dict[tuple[int, Alternative], int] = {}
        self._signals: dict[int, Signal] = {}
        self.bit(Source(None, LOST))

    def bit(self, source: Source) -> int:
        """Return the bit of a source."""
        key = source.origin, source.made
        first = self._first.get(key)
        if first is None:
            first = self._first[key] = 1 << _GROUP * len(self._all)
            self._all.append(source)
            self._firsts |= first
            self._alike[source.origin] = self._alike.get(source.origin, 0) | first * _WHOLE_GROUP
            self._unmade |= first * _WHOLE_GROUP if source.made is None else 0
        return first << _HOWS.index(source.how)

    def signal(self, bits: int) -> Signal:
        """Return the sources that bits stand for."""
        if bits not in self._signals:
            self._signals[bits] = frozenset(self._sources(bits))
        return self._signals[bits]

    def _sources(self, bits: int) -> Iterator[Source]:
        while bits:
            at, how = divmod((bits & -bits).bit_length() - 1, _GROUP)
            yield self._all[at]._replace(how=_HOWS[how])
            bits &= bits - 1

    def widened(self, bits: int) -> int:
        """Return the same bits, or the unknown one for what may come from anywhere, and whatever is added to that."""
        return self.UNKNOWN if bits & self.UNKNOWN or self.are_too_many(bits) else bits

    def are_too_many(self, bits: int) -> bool:
        """Return whether more sources come together than are told apart."""
        return bits.bit_length() > SOURCES and bin(bits).count("1") > SOURCES

    def alike(self, bits: int) -> int:
        """Return all that has the same origins, whatever happened to it."""
        return union(self._alike[origin] for origin in {source.origin for source in self._sources(bits)})

    def changed(self, bits: int, how: str) -> int:
        """Return the same sources after something was done to them; what is lost stays lost."""
        lost = bits & self._firsts << _HOWS.index(LOST)
        others = union(bits >> at for at in range(_HOWS.index(LOST))) & self._firsts
        return lost | others << _HOWS.index(how)

    def given_out(self, bits: int, cell: Alternative) -> int:
        """Return the same sources as a cell gives them out; the innermost one counts."""
        taken = bits & self._unmade & ~self.UNKNOWN
        if (taken, cell) not in self._given_out:
            made = (self.bit(source._replace(made=cell)) for source in self._sources(taken))
            self._given_out[taken, cell] = union(made)
        return bits & ~taken | self._given_out[taken, cell]


def union(signals: Iterable[int]) -> int:
    """Return what reaches an expression that is any of several."""
    return reduce(or_, signals, 0)
