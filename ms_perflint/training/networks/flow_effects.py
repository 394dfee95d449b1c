"""What the expressions of networks do beside what they are, and what feeds what by that."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import NamedTuple, Optional, Union

from ms_perflint.index.semantic_index import Binding, Scope
from ms_perflint.training.networks.signals import Made, Operation, Signal, Sources


class Flow(NamedTuple):
    """What feeds what in some modules, in all programs in which their callees are the same."""

    takes: dict[Made, Signal]  # layer -> what it is fed
    made_in: dict[Made, dict[Scope, None]]  # layer -> the functions that make it, as they are called
    places: dict[Made, set[Scope]]  # layer -> the functions that call it
    operations: tuple[Operation, ...]
    ties: tuple[Signal, ...]  # what is as wide as one another
    ends: Signal  # what leaves the networks
    returned: tuple[tuple[ast.expr, Scope, Signal], ...]  # by what
    lost: str  # where more comes together than is told apart, the first place; "" where it does not


Bits = int  # a signal, as `Sources` counts what comes from where


class Fed(NamedTuple):
    """A layer is called in a function, and given something."""

    layer: Made
    signal: Bits
    place: Scope
    made_in: Optional[Scope]  # the function that makes it, as it is called


class Passed(NamedTuple):
    """A parameter is given something."""

    binding: Binding
    signal: Bits


class Tied(NamedTuple):
    """Tensors are as wide as one another."""

    signal: Bits


class Operated(NamedTuple):
    """An `Operation`, so far."""

    node: ast.expr
    scope: Scope
    word: str
    operands: tuple[tuple[ast.expr, Bits], ...]


Effect = Union[Fed, Passed, Tied, Operated]  # of an expression, beside what it is


def covers(new: Effect, earlier: Effect) -> bool:
    """Return whether an effect says all that an earlier one of the same expression says."""
    if isinstance(new, Operated) or isinstance(earlier, Operated):
        return isinstance(new, Operated) and isinstance(earlier, Operated) and new.node is earlier.node
    return earlier.signal | new.signal == new.signal and earlier._replace(signal=new.signal) == new


def flow(
    effects: Iterable[Effect],
    sources: Sources,
    ends: Signal,
    returned: Iterable[tuple[ast.expr, Scope, Signal]],
    lost: str,
) -> Flow:
    """Return what feeds what where expressions have these effects."""
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
