"""Memoised facts: computed once, and stored in the object that they are about."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Protocol, TypeVar

_UNASKED = object()
Work = TypeVar("Work", bound=Callable[..., Any])


class Keeper(Protocol):
    """An object that stores its facts, by the function that computes them and its arguments."""

    facts: dict[tuple[object, ...], Any]


def fact(work: Work) -> Work:
    """Return a function or method that stores its answers in its first argument, by the other arguments."""

    @wraps(work)
    def asked(keeper: Keeper, *arguments: object) -> Any:
        key = work, *arguments
        found = keeper.facts.get(key, _UNASKED)
        if found is _UNASKED:
            found = keeper.facts[key] = work(keeper, *arguments)
        return found

    return asked  # type: ignore[return-value]
