"""What nodes of assignment graphs hold, as bits, and how that moves from one to another."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Optional, Union

from ms_perflint.infer.nodes import PATHS, Node, joined, left

Key = Union[str, Node]
Held = dict[Key, int]  # what nodes hold, each value as a bit: for each of PATHS the values of which that is held
AT = {path: position for position, path in enumerate(PATHS)}


class Moves:
    """The flow from a node to another one: from which of PATHS to which."""

    __slots__ = ("_bits", "_by_distance", "_width")

    def __init__(self, *steps: tuple[int, int]) -> None:
        self._by_distance: dict[int, list[int]] = {}  # paths that go equally far
        for at, to in dict.fromkeys(steps):
            self._by_distance.setdefault(to - at, []).append(at)
        self._width = 0
        self._bits: list[tuple[int, int, int]] = []  # of as many values: those that go together, how far up, and down

    def of(self, bits: int, width: int) -> int:
        """Return what a node holds, of `width` values, as what another one gets of it."""
        if width != self._width:
            self._width, values = width, (1 << width) - 1
            self._bits = [
                (sum(values << at * width for at in ats), max(far, 0) * width, max(-far, 0) * width)
                for far, ats in self._by_distance.items()
            ]
        found = 0
        for taken, up, down in self._bits:
            found |= (bits & taken) << up >> down
        return found


def numbered(keys: Iterable[Key]) -> dict[Key, int]:
    """Return a bit for each key."""
    return {key: 1 << position for position, key in enumerate(dict.fromkeys(keys))}


def moved(bits: int, moves: Optional[Moves], width: int) -> int:
    """Return the values of a node, of `width` values, that flow to another one."""
    return bits if moves is None else moves.of(bits, width)


def part_of(bits: int, path: str, width: int) -> int:
    """Return the values that a node holds under a path."""
    return bits >> AT[path] * width & ((1 << width) - 1)


@lru_cache(maxsize=len(PATHS) ** 2)
def moves_between(path: str, way: str) -> Optional[Moves]:
    """Return the flow from a part of a node, by its path, to a part of another one."""
    if not path and not way:
        return None
    return Moves(*((at, AT[joined(way, rest)]) for at, each in enumerate(PATHS) for rest in left(each, path)))
