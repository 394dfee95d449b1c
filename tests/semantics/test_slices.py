"""A list that is made of slices of itself, call by call, holds what it was made of at first."""

from __future__ import annotations

import pytest
from reveal import reveal, shown

AGAIN = "def take(items, n):\n    reveal(items[0])\n    take({}, n)\ntake([1, 2], unknown())\n"
WAYS = (
    "items[n:]",
    "items[:n][n:]",
    "items[n : n + 1] * n",
    "list(items[n:])",
    "items[n:] + items[:n]",
    "[each for each in items[n:]]",
)


@pytest.mark.parametrize("way", WAYS)
def test_slices_of_slices_come_to_an_end(way: str) -> None:
    assert shown(reveal(AGAIN.format(way))) == "1 2"


def test_what_is_added_to_a_slice_is_in_the_slices_of_it() -> None:
    added = "items = [1, 2]\nfew = items[unknown():]\nfew.append(3)\nreveal(few[unknown():][0])\n"
    assert shown(reveal(added)) == "1 2 3"
