"""What reaches an expression of a network: where a tensor comes from, and what happened to its width on the way."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import NamedTuple, Optional

from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.infer.values import Alternative
from ms_perflint.training.dtypes.tensor_ops import ADDITION, DIVISION
from ms_perflint.training.networks import layers

WHOLE, JOINED, FLAT, PART, LOST = "whole", "joined", "flat", "part", "lost"
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
UNKNOWN: Signal = frozenset({Source(None, LOST)})


class Operation(NamedTuple):
    """What is done to the shape of tensors, or with them and others, by something that is no layer."""

    node: ast.expr
    scope: Scope
    word: str  # the last word of the operator or function; SLICE, ADDED, STATE; "" where it is not known
    operands: tuple[tuple[ast.expr, Signal], ...]  # the elements of a tuple each


def union(signals: Iterable[Signal]) -> Signal:
    """Return what reaches an expression that is any of several."""
    return NOTHING.union(*signals)


def widened(signal: Signal) -> Signal:
    """Return the same signal, or an unknown one for what may come from anywhere, and whatever is added to that."""
    return UNKNOWN if len(signal) > SOURCES or not UNKNOWN.isdisjoint(signal) else signal


def changed(signal: Signal, how: str) -> Signal:
    """Return the same sources after something was done to them; what is lost stays lost."""
    return frozenset(Source(each.origin, each.how if each.how == LOST else how, each.made) for each in signal)
