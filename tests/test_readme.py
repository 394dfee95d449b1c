"""The README and the pages that show commands show what really happens."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from readme import EXECUTED, README, executed


@pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")
@pytest.mark.parametrize("page", EXECUTED, ids=lambda page: page.name)
def test_the_commands_print_what_a_page_shows(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert executed(text) == text, "run: python tests/readme.py"


def test_a_block_may_be_a_paragraph_of_another_page() -> None:
    shown = executed("```text from=docs/profile.md start=profile\nold\n```\n")
    assert shown.startswith("```text from=docs/profile.md start=profile\nprofile  CPU, ") and "old" not in shown
    assert "\n\n" not in shown and "where the kernels' time goes\n" in shown and shown.endswith("\n```\n")


def test_there_is_one_command_to_install_and_run_all_tests() -> None:
    lines = README.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("python3 -m venv") and "/pytest" in line] == [
        'python3 -m venv .venv && .venv/bin/pip install -e ".[dev]" && .venv/bin/pytest -n auto'
    ]
