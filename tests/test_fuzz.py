"""Mutated files, a few of those that `python tests/fuzz.py` tries."""

from __future__ import annotations

from collections import Counter
from random import Random

import fuzz
import pytest
from layout_texts import SPECIAL

COUNT, PART = 300, 50


@pytest.mark.parametrize("first", range(0, COUNT, PART))
def test_edits_of_mutated_files(first: int) -> None:
    """`python tests/fuzz.py 1 --from NUMBER` shows one."""
    made: Counter[bool] = Counter()
    for number in range(first, first + PART):
        done = fuzz.tried(number)
        assert not done.wrong, number
        made[done.made] += 1
    assert made[True] > made[False]


def test_a_number_makes_the_same_case() -> None:
    assert fuzz.edited(7) == fuzz.edited(7)
    assert len({fuzz.edited(number).files for number in range(1, 20)}) == 19


@pytest.mark.parametrize(
    "text", [*SPECIAL.values(), "def f(a):\n    if a: return {'b': a[0]}\n    return f'{a!r:>{1}}'\n"]
)
def test_a_mutated_file_means_the_same_in_another_shape(text: str) -> None:
    shapes = {fuzz.mutated(text, Random(number)) for number in range(20)}
    assert len(shapes) > 5
    assert any("#" in shape for shape in shapes - {text})


def test_it_sees_what_is_wrong() -> None:
    """Edits that lose a comment, change something else, or do not parse."""
    text = "x = f(a, b=2)  # why\ny = 1\n"
    case = fuzz.Case("set_argument", "", text, lambda raw: None)
    for edit, why in (
        (fuzz.Edit("", 12, 12, ", new=True"), ""),
        (fuzz.Edit("", 12, 20, ", new=True)"), "comments are lost: ['# why']"),
        (fuzz.Edit("", 12, 12, ", new=True), (b"), "read in another way"),
        (fuzz.Edit("", 12, 12, ", new=True)"), "does not parse"),
        (fuzz.Edit("", 12, 12, ", new=False"), "the tree is another one"),
        (fuzz.Edit("", 12, 12, ", \nnew=True"), "a line ends in new blanks"),
        (fuzz.Edit("", 12, 26, ", new=True)  # why\ny = 2"), "the tree is another one"),
    ):
        wrong = fuzz.judged(case, text.encode(), [edit]).wrong
        assert bool(wrong) is bool(why) and why in " ".join(wrong), (edit, wrong)
