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


KEEPS = "class Keeper:\n    def __init__(self):\n        self.items = [1]\n    def add(self, n):\n"
CHANGED = (
    ("        self.items = self.items[:n]\n        self.items.append(3)\n        reveal(self.items[0])\n", "1 3 ..."),
    (
        "        self.items = self.items[:n]\n        self.items.append(3)\n"
        "        self.items = sorted(self.items)\n        reveal(self.items[0])\n",
        "1 3 ...",
    ),
    (
        "        self.items = self.items[n:]\n        self.items = self.items[n:]\n        reveal(self.items[0])\n",
        "1 ...",
    ),
    (
        "        self.items = self.items[n:]\n        self.items.append(3)\n"
        "        self.items = self.items[:n]\n        reveal(self.items[0])\n",
        "1 3 ...",
    ),
    (
        "        self.items.append(3)\n        if len(self.items) > n:\n"
        "            self.items = self.items[1:]\n        reveal(self.items[0])\n",
        "1 3 ...",
    ),
)


@pytest.mark.parametrize(("body", "expected"), CHANGED)
def test_a_list_that_is_cut_again_and_again_holds_also_what_is_added_in_between(body: str, expected: str) -> None:
    assert shown(reveal(KEEPS + body)) == expected


def test_a_slice_in_a_loop_holds_what_the_loop_adds_and_no_other_list_does() -> None:
    loop = "first = [1, 2]\nitems = first\nfor n in unknown():\n    items = items[n:]\n    items.append(3)\n"
    assert shown(reveal(loop + "    reveal(items[0])\n")) == "1 2 3"
    assert shown(reveal(loop + "reveal(first[0])\n")) == "1"


def test_two_slices_in_a_loop_hold_what_is_added_to_either() -> None:
    cut = "    items = items[n:]\n    items.append(3)\n    items = items[:n]\n    items.append(4)\n"
    assert shown(reveal(f"items = [1, 2]\nfor n in unknown():\n{cut}reveal(items[0])\n")) == "1 2 3 4"
