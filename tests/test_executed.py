"""Programs made at random are run, and do what the evaluator says: see `executed.py`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from executed import run, tried, wrong

CASES = 200
KNOWN: frozenset[int] = frozenset()  # in which a closed answer is wrong, still
FEATURED = 200


def cases(count: int, known: frozenset[int]) -> Iterator[object]:
    for number in range(count):
        marks = [pytest.mark.xfail(reason="a known gap", strict=True)] if number in known else []
        yield pytest.param(number, marks=marks)


@pytest.mark.parametrize("number", [*cases(CASES, KNOWN)])
def test_a_program_does_what_is_said_of_it(number: int) -> None:
    files, found, _ = tried(number)
    assert not found, "\n".join([*found, *(f"@ {name}\n{text}" for name, text in files.items())])


@pytest.mark.parametrize("number", [*cases(FEATURED, frozenset())])
def test_a_program_with_a_feature_does_what_is_said_of_it(number: int) -> None:
    files, found, _ = tried(number, is_featured=True)
    assert not found, "\n".join([*found, *(f"@ {name}\n{text}" for name, text in files.items())])


def test_a_wrong_answer_is_found() -> None:
    files = {
        "train.py": "class S:\n    def __exit__(self, *a):\n        return True\n    __enter__ = __exit__\nreveal(1)"
    }
    assert not wrong(files, [run(files)])
    told = run({"train.py": files["train.py"].replace("reveal(1)", "reveal(2)")})
    assert wrong(files, [told]) == ["train.py:5: 2, not 1"]
