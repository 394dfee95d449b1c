"""Walks over graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def reachable(start: Iterable[T], after: Callable[[T], Iterable[T]]) -> dict[T, None]:
    """Return some nodes and all reachable ones, each once, in the order found; `after` gives the successors."""
    found = dict.fromkeys(start)
    todo = list(found)
    while todo:
        new = [each for each in dict.fromkeys(after(todo.pop())) if each not in found]
        found.update(dict.fromkeys(new))
        todo.extend(new)
    return found
