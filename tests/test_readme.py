"""The README and the pages that show commands show what really happens."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from forbidden_words import forbidden
from readme import CHINESE_README, EXECUTED, README, ROOT, executed, language_of


@pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")
@pytest.mark.parametrize("page", EXECUTED, ids=lambda page: page.name)
def test_the_commands_print_what_a_page_shows(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert executed(text, language_of(page)) == text, "run: python tests/readme.py"


def test_a_block_may_be_a_paragraph_of_another_page() -> None:
    shown = executed("```text from=docs/profile.md start=profile\nold\n```\n")
    assert shown.startswith("```text from=docs/profile.md start=profile\nprofile  CPU, ") and "old" not in shown
    assert "\n\n" not in shown and "where the kernels' time goes\n" in shown and shown.endswith("\n```\n")


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
        elif not block and (match := re.match(r"#+|\||- |\d+\. |!\[|<!--[^>]*-->", line)):
            found.append(f"{match[0]} {line.count(' | ')}" if match[0] == "|" else match[0])
    return found


def test_the_readme_is_the_same_in_both_languages() -> None:
    assert structure(CHINESE_README.read_text("utf-8")) == structure(README.read_text("utf-8"))


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_each_page_is_the_same_in_both_languages(page: Path) -> None:
    chinese = page.parent / "zh" / page.name
    assert structure(chinese.read_text("utf-8")) == structure(page.read_text("utf-8"))


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "zh").glob("*.md")), ids=lambda page: page.name)
def test_each_chinese_page_has_an_english_one(page: Path) -> None:
    assert (page.parent.parent / page.name).exists()


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


DOCS = sorted((ROOT / "docs").rglob("*.md"))
LINK = re.compile(r"\]\((?!https?:)([^)\s#]*)(#[^)\s]*)?\)")


@pytest.mark.parametrize("page", [README, CHINESE_README, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *DOCS])
def test_links_lead_to_what_is_in_the_repository(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    for name, anchor in LINK.findall(text):
        target = (page.parent / name) if name else page
        assert target.exists(), f"{page.name}: {name}"
        if anchor:
            assert anchor[1:] in anchors(target), f"{page.name}: {name}{anchor}"


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub makes them."""
    heads = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


OTHERS = (ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", ROOT / "sample_scripts" / "README.md")


@pytest.mark.parametrize("page", [README, *(ROOT / "docs").glob("*.md"), *OTHERS], ids=lambda page: page.name)
def test_words_of_the_glossary(page: Path) -> None:
    assert not forbidden(page.name, page.read_text("utf-8"))


def test_the_layout_of_the_code_names_what_is_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    table = text[text.index("## How the code is laid out") : text.index("## Debug an answer")]
    named = re.findall(r"`([\w/*]+(?:\.py|/))`", table)
    assert len(named) > 20
    package = ROOT / "ms_perflint"
    missing = [name for name in named if not (list(package.glob(name)) or (ROOT / name).exists())]
    assert missing == []
    folders = {path.name for path in package.iterdir() if path.is_dir() and (path / "__init__.py").is_file()}
    assert folders - {name.strip("/") for name in named} == {"languages", "notebooks"}
