"""The README and the pages that show commands show what really happens."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from readme import CHINESE_README, EXECUTED, README, ROOT, executed, language_of


@pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")
@pytest.mark.parametrize("page", EXECUTED, ids=lambda page: page.name)
def test_the_commands_print_what_a_page_shows(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert executed(text, language_of(page)) == text, "run: python tests/readme.py"


def test_there_is_one_command_to_install_and_run_all_tests() -> None:
    lines = README.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("python3 -m venv") and "/pytest" in line] == [
        'python3 -m venv .venv && .venv/bin/pip install -e ".[dev]" && .venv/bin/pytest -n auto'
    ]


def structure(text: str) -> list[str]:
    """Return the form of a page: headings by level, blocks by language, rows of tables, list items, pictures."""
    found = []
    block = False
    for line in text.splitlines():
        if line.startswith("```"):
            block = not block
            found += [line] if block else []
        elif not block and (match := re.match(r"#+|\||- |!\[|<!--[^>]*-->", line)):
            found.append(f"{match[0]} {line.count(' | ')}" if match[0] == "|" else match[0])
    return found


def test_the_readme_is_the_same_in_both_languages() -> None:
    assert structure(CHINESE_README.read_text("utf-8")) == structure(README.read_text("utf-8"))


def test_a_part_that_one_language_lacks_is_seen() -> None:
    page = "# A\n\n- b\n\n```sh\n# c\n```\n\n| d | e |\n|---|---|\n"
    assert structure(page) == ["#", "- ", "```sh", "| 1", "| 0"]
    for line in page.splitlines():
        if line and line not in ("# c", "```"):
            assert structure(page.replace(line, "text")) != structure(page)


def test_the_readme_is_read_in_two_minutes() -> None:
    text = re.sub(r"^```.*?^```$|^\|.*?$", "", README.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert len(text.split()) < 650, "words outside of code and tables; people read some 250 in a minute"


def test_the_pictures_show_what_is_printed_now() -> None:
    command = (sys.executable, str(ROOT / "scripts" / "pictures.py"))
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.stdout, done.returncode) == ("all pictures are up to date\n", 0), f"{done.stderr}{command} --write"
