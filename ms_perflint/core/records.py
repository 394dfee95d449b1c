"""Named tuples that are equal by some of their fields."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import TypeVar

Record = TypeVar("Record", bound=tuple[object, ...])


def equal_by(*fields: str) -> Callable[[type[Record]], type[Record]]:
    """Return a class decorator that compares records by some of their fields alone."""

    def decorate(cls: type[Record]) -> type[Record]:
        key = itemgetter(*(cls._fields.index(field) for field in fields))  # type: ignore[attr-defined]

        def equal(self: Record, other: object) -> bool:
            return type(other) is cls and bool(key(self) == key(other))

        def unequal(self: Record, other: object) -> bool:
            return type(other) is not cls or bool(key(self) != key(other))

        def number(self: Record) -> int:
            return hash(key(self))

        cls.__eq__ = equal  # type: ignore[assignment]
        cls.__ne__ = unequal  # type: ignore[assignment]
        cls.__hash__ = number  # type: ignore[assignment]
        return cls

    return decorate
