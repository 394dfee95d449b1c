"""Records are what named tuples of `typing` are."""

from __future__ import annotations

import pickle
import typing

from ms_perflint.records import NamedTuple


class Ours(NamedTuple):
    """A record."""

    path: str
    row: int = 1
    rest: tuple[str, ...] = ()

    @property
    def twice(self) -> int:
        """Return a value that is worked out."""
        return 2 * self.row

    def __str__(self) -> str:
        return self.path


class Theirs(typing.NamedTuple):
    """A record."""

    path: str
    row: int = 1
    rest: tuple[str, ...] = ()

    @property
    def twice(self) -> int:
        """Return a value that is worked out."""
        return 2 * self.row

    def __str__(self) -> str:
        return self.path


def test_a_record_is_a_named_tuple() -> None:
    one, other = Ours("a", rest=("b",)), Theirs("a", rest=("b",))
    assert one == other == ("a", 1, ("b",)) and hash(one) == hash(other)
    assert (str(one), repr(one), one.twice) == (str(other), repr(other).replace("Theirs", "Ours"), other.twice)
    assert one._replace(row=2) == other._replace(row=2) and one._asdict() == other._asdict()
    assert pickle.loads(pickle.dumps(one)) == one and type(pickle.loads(pickle.dumps(one))) is Ours
    names = "__doc__", "__module__", "_fields", "_field_defaults"
    assert all(getattr(Ours, name) == getattr(Theirs, name) for name in names)
    assert Ours.__mro__[1:] == Theirs.__mro__[1:] and not hasattr(one, "__dict__")
    assert (Ours.__name__, Ours.__qualname__, list(Ours.__annotations__)) == ("Ours", "Ours", ["path", "row", "rest"])
