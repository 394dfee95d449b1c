"""Named tuples that are equal by some of their fields."""

from __future__ import annotations

from typing import NamedTuple

from ms_perflint.core.records import equal_by


@equal_by("path")
class Read(NamedTuple):
    """What was read, and how often."""

    path: str
    times: int = 1


class Other(NamedTuple):
    """A named tuple with the same fields."""

    path: str
    times: int = 1


def test_records_are_equal_by_their_key() -> None:
    assert Read("a") == Read("a", 2) and hash(Read("a")) == hash(Read("a", 2))
    assert Read("a") != Read("b") and len({Read("a"), Read("a", 2), Read("b")}) == 2


def test_a_record_equals_nothing_of_another_class() -> None:
    assert Read("a") != Other("a") and Read("a") != ("a", 1)
