"""What a value is, in programs that are run too: the answer has to hold for what they do.

`run_programs.txt` has a program under each heading, behind `=>` what the evaluator says of what it reveals, and other
files between `@ name.py` and `@ train.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from executed import SERIES, run, wrong
from reveal import reveal, shown


def _programs() -> dict[str, tuple[dict[str, str], str]]:
    """Return the files of each program, by its heading, and what the evaluator says."""
    found: dict[str, tuple[dict[str, str], str]] = {}
    page = Path(__file__).with_name("run_programs.txt").read_text("utf-8")
    for section in page.split("\n## ")[1:]:
        title, _, text = section.partition("\n")
        assert title not in found, title
        text, _, expected = text.partition("\n=> ")
        first, *others = f"@ train.py\n{text}".split("\n@ ")
        files = {}
        for part in (first[2:], *others):
            name, _, content = part.partition("\n")
            files[name] = files.get(name, "") + content + "\n"
        found[title] = files, expected.strip()
    return found


PROGRAMS = _programs()


@pytest.mark.parametrize("title", PROGRAMS)
def test_a_value_of_a_program_that_is_run(title: str) -> None:
    files, expected = PROGRAMS[title]
    assert sorted(shown(reveal(files)).split()) == sorted(expected.split())
    assert not wrong(files, [run(files, seed) for seed in range(2 * SERIES)])
