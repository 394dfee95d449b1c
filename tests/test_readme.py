"""The README shows what really happens."""

from __future__ import annotations

import sys

import pytest
from readme import README, executed


@pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")
def test_the_commands_print_what_the_readme_shows() -> None:
    text = README.read_text(encoding="utf-8")
    assert executed(text) == text, "run: python tests/readme.py"


def test_there_is_one_command_to_install_and_run_all_tests() -> None:
    lines = README.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("python3 -m venv") and line.endswith("pytest")] == [
        'python3 -m venv .venv && .venv/bin/pip install -e ".[dev]" && .venv/bin/pytest'
    ]
