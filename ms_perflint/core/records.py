"""Records: tuples whose fields have names, made faster than `typing` makes them.

`typing` compiles the annotation of each field to see whether it is one. There are fifty records in every run.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    _MADE = ("__annotations__", "__module__", "__qualname__")  # what the new class has by itself

    class _Records(type):
        """Makes a named tuple of each class that is derived from `NamedTuple`."""

        def __new__(cls, name: str, bases: tuple[type, ...], body: Mapping[str, object]) -> type:
            fields = body.get("__annotations__", {})
            usual = [body[field] for field in fields if field in body]
            made = namedtuple(name, fields, defaults=usual, module=body["__module__"])
            made.__annotations__ = fields
            made.__qualname__ = body["__qualname__"]
            for key in body.keys() - set(fields) - set(_MADE):
                setattr(made, key, body[key])
            return made

    NamedTuple = type.__new__(_Records, "NamedTuple", (), {})

Record = TypeVar("Record", bound=tuple[object, ...])


def equal_by(*fields: str) -> Callable[[type[Record]], type[Record]]:
    """Return what makes records of a class equal by some of their fields alone, and never equal to anything else."""

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
