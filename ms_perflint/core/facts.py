"""What is computed once, and kept by the object that it is about."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Protocol, TypeVar

_UNASKED = object()
Work = TypeVar("Work", bound=Callable[..., Any])


class Keeper(Protocol):
    """What keeps its facts, by the function that works them out and its arguments."""

    facts: dict[tuple[object, ...], Any]


def fact(work: Work) -> Work:
    """Return a function, or method, that computes its answer once for each first argument and the others."""

    @wraps(work)
    def asked(keeper: Keeper, *arguments: object) -> Any:
        key = work, *arguments
        found = keeper.facts.get(key, _UNASKED)
        if found is _UNASKED:
            found = keeper.facts[key] = work(keeper, *arguments)
        return found

    return asked  # type: ignore[return-value]
