"""Sources of the tensors that reach an expression of a network, and the changes of their width on the way.

Also the effects of expressions, of which the data flow consists.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import reduce
from operator import or_
from typing import Any, NamedTuple, Optional, Union

from ms_perflint.core.facts import fact
from ms_perflint.index.semantic_index import Binding, Scope, Site
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
    """A layer by the call that makes it, in any program."""

    site: Site
    api: str


class Source(NamedTuple):
    """The source of a tensor, and what changed its width on the way."""

    origin: object  # the layer; the call that makes a row of cells; the binding of a parameter; None: not known
    how: str = WHOLE
    made: Optional[Alternative] = None  # the cell of the program that gave it out


Signal = frozenset[Source]
NOTHING: Signal = frozenset()


class Operation(NamedTuple):
    """A change of the shape of tensors, or an operation with several, by what is no layer."""

    node: ast.expr
    scope: Scope
    word: str  # the last word of the operator or function; SLICE, ADDED, STATE; "" where it is not known
    operands: tuple[tuple[ast.expr, Signal], ...]  # the elements of a tuple each


class Sources:
    """The sources of one flow as bits: a signal is a number, and `|` its union.

    Each origin, as each cell gives it out, has a group of bits, one for each change of a width: a change of a whole
    signal moves all its bits at once.
    """

    UNKNOWN = 1 << _HOWS.index(LOST)  # an unknown source, which no change of the width makes known

    def __init__(self) -> None:
        self._all: list[Source] = []  # one of each group of bits
        self._first: dict[tuple[object, Optional[Alternative]], int] = {}  # the first bit of a group
        self._firsts = 0  # all of those
        self._alike: dict[object, int] = {}  # by origin
        self._unmade = 0  # those that no cell is known to give out
        self._given: dict[Alternative, dict[int, int]] = {}  # first bits of groups, and of those as a cell gives them
        self._few: set[int] = set()  # those of the signals that are not too many
        self.facts: dict[tuple[object, ...], Any] = {}
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

    @fact
    def signal(self, bits: int) -> Signal:
        """Return the sources of some bits."""
        ats = range(_GROUP)
        return frozenset([self._source_at(at, first) for at in ats for first in _each(bits >> at & self._firsts)])

    def _source(self, first: int) -> Source:
        """Return one of the sources of a group."""
        return self._all[first.bit_length() // _GROUP]

    @fact
    def _source_at(self, at: int, first: int) -> Source:
        """Return the source of one bit of a group."""
        return self._source(first)._replace(how=_HOWS[at])

    def _groups(self, bits: int) -> int:
        """Return the first bits of the groups of some bits."""
        found = bits
        for at in range(1, _GROUP):
            found |= bits >> at
        return found & self._firsts

    def widened(self, bits: int) -> int:
        """Return some bits; with the unknown source, or too many, the unknown one alone."""
        return self.UNKNOWN if bits & self.UNKNOWN or self.are_too_many(bits) else bits

    def are_too_many(self, bits: int) -> bool:
        """Return whether there are more sources than are distinguished."""
        if bits.bit_length() <= SOURCES or bits in self._few:
            return False
        is_few = bin(bits).count("1") <= SOURCES
        if is_few:
            self._few.add(bits)
        return not is_few

    def alike(self, bits: int) -> int:
        """Return all bits with the same origins, whatever changed their width."""
        found = 0
        for first in _each(self._groups(bits)):
            found |= 0 if first & found else self._alike[self._source(first).origin]
        return found

    def changed(self, bits: int, how: str) -> int:
        """Return some sources after a change of their width; a lost width stays lost."""
        lost = bits & self._firsts << _HOWS.index(LOST)
        return lost | self._groups(bits & ~lost) << _HOWS.index(how)

    def given_out(self, bits: int, cell: Alternative) -> int:
        """Return some sources as the output of a cell; the innermost cell counts."""
        taken = bits & self._unmade & ~self.UNKNOWN
        found = bits & ~taken
        given = self._given.setdefault(cell, {})
        for first in _each(self._groups(taken)):
            own = given.get(first)
            if own is None:
                own = given[first] = self.bit(Source(self._source(first).origin, made=cell))
            found |= (taken >> first.bit_length() - 1 & _WHOLE_GROUP) * own
        return found


def union(signals: Iterable[int]) -> int:
    """Return the sources of an expression that is one of several."""
    return reduce(or_, signals, 0)


def _each(bits: int) -> Iterator[int]:
    """Yield the bits of a number, each as a number."""
    while bits:
        yield bits & -bits
        bits &= bits - 1


# --- effects of expressions, and the data flow that follows from them


class Flow(NamedTuple):
    """The data flow between the layers of some modules, in all programs with the same callees."""

    takes: dict[Made, Signal]  # layer -> what it is fed
    made_in: dict[Made, dict[Scope, None]]  # layer -> the functions that make it, as they are called
    places: dict[Made, set[Scope]]  # layer -> the functions that call it
    operations: tuple[Operation, ...]
    ties: tuple[Signal, ...]  # what is as wide as one another
    ends: Signal  # what leaves the networks
    returned: tuple[tuple[ast.expr, Scope, Signal], ...]  # by what
    lost: str  # where more comes together than is distinguished, the first place; "" where it does not


Bits = int  # a signal, as `Sources` counts what comes from where


class Fed(NamedTuple):
    """A layer in a function has an input."""

    layer: Made
    signal: Bits
    place: Scope
    made_in: Optional[Scope]  # the function that makes it, as it is called


class Passed(NamedTuple):
    """A parameter has an argument."""

    binding: Binding
    signal: Bits


class Tied(NamedTuple):
    """Tensors have the same width."""

    signal: Bits


class Operated(NamedTuple):
    """An `Operation`, with the operands that are known so far."""

    node: ast.expr
    scope: Scope
    word: str
    operands: tuple[tuple[ast.expr, Bits], ...]


Effect = Union[Fed, Passed, Tied, Operated]  # of an expression, beside what it is


def covers(new: Effect, earlier: Effect) -> bool:
    """Return whether an effect includes an earlier one of the same expression."""
    if type(new) is not type(earlier):
        return False
    if isinstance(new, Operated) or isinstance(earlier, Operated):
        return new[0] is earlier[0]
    is_alike = isinstance(new, Tied) or (earlier[0] == new[0] and earlier[2:] == new[2:])
    return is_alike and earlier.signal | new.signal == new.signal


def flow(
    effects: Iterable[Effect],
    sources: Sources,
    ends: Signal,
    returned: Iterable[tuple[ast.expr, Scope, Signal]],
    lost: str,
) -> Flow:
    """Return the data flow of expressions with these effects."""
    found = Flow({}, {}, {}, (), (), ends, tuple(returned), lost)
    takes: dict[Made, Bits] = {}
    ties: dict[Signal, None] = {}
    operations: dict[int, Operation] = {}
    for effect in effects:
        if isinstance(effect, Fed):
            takes[effect.layer] = sources.widened(takes.get(effect.layer, 0) | effect.signal)
            found.places.setdefault(effect.layer, set()).add(effect.place)
            if effect.made_in is not None:
                found.made_in.setdefault(effect.layer, {})[effect.made_in] = None
        elif isinstance(effect, Tied):
            ties[sources.signal(effect.signal)] = None
        elif isinstance(effect, Operated):
            operands = tuple((part, sources.signal(bits)) for part, bits in effect.operands)
            operations[id(effect.node)] = Operation(*effect[:3], operands)
    found.takes.update((layer, sources.signal(bits)) for layer, bits in takes.items())
    return found._replace(ties=tuple(ties), operations=tuple(operations.values()))
