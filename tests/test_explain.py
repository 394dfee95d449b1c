"""`ms-perflint rule`: pages in a terminal, through its pager, and for programs."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from front import on_terminal, run

from ms_perflint import pages
from ms_perflint.codes import previews
from ms_perflint.languages import ENGLISH, LANGUAGES
from ms_perflint.pages import Example, Page
from ms_perflint.report.markdown import Layout
from ms_perflint.report.page import change, markdown, render, render_brief
from ms_perflint.report.style import PLAIN, Style, width

MOST_LINES = 45  # of a page in short
terminal = pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")
PAGE = """\
# n (MSP1)

Words of `some code` and **bold *and* slanted** words,
with a [page](MSP2-m.md), a [site](https://x.org/a_b) and <https://y.org>.

<!-- made by a script -->

| a | `b` |
|---|:-:|
| 1 | two words \\| and more |

<!-- end -->

## Code

```python bad file=src/a.py
f()  # !

# no heading
```

> 默认同步保存模型，
> *saves*

- one
  more
- two

10. ten
"""
TEXT = """\
n (MSP1)

  Words of `some code` and bold and slanted
  words, with a page, a site <https://x.org/a_b>
  and https://y.org.

  a  `b`
  ─  ────────────────────
  1  two words | and more

Code

  src/a.py:
  > f()

    # no heading

  │ 默认同步保存模型， saves

  - one more
  - two

  10. ten
"""


def laid_out(text: str, columns: int = 48, style: Style = PLAIN) -> list[str]:
    """Return the lines of a Markdown text."""
    return Layout(style, columns).page(text)


def test_a_page_is_laid_out_for_people() -> None:
    page = pages.parse(PAGE, "x.md")
    assert "\n".join(laid_out(markdown(page))) + "\n" == TEXT


def test_colour_changes_nothing_but_colour() -> None:
    coloured = "\n".join(laid_out(markdown(pages.parse(PAGE, "x.md")), style=Style(colour=True)))
    assert "\x1b[1mn (MSP1)\x1b[0m" in coloured
    assert "\x1b[36;1msome\x1b[0m \x1b[36;1mcode\x1b[0m" in coloured
    assert "\x1b[31;1m>\x1b[0m \x1b[31;1mf()\x1b[0m" in coloured
    words = re.sub(r"\x1b\[[0-9;]*m|─+", "", coloured).split()
    assert words == re.sub("[`─]+", "", TEXT).split()


@pytest.mark.parametrize("columns", [40, 80, 100])
@pytest.mark.parametrize("code", pages.codes())
def test_no_line_of_prose_is_wider_than_the_terminal(code: str, columns: int) -> None:
    page = pages.page(code)
    prose = re.sub(r"^```.*?^```$|^\|[^\n]*$", "", markdown(page), flags=re.MULTILINE | re.DOTALL)
    for line in laid_out(prose, columns):
        assert width(line) <= columns or len(line.split()) <= 2, line  # a mark and a word that is too long itself
    rendered = render(page, PLAIN, columns)
    assert "# !" not in rendered
    assert "<!--" not in rendered


def test_a_line_of_chinese_does_not_start_with_a_mark() -> None:
    text = "默认同步保存模型，可能影响训练性能。在模型定义中配置参数为True，即可实现异步保存模型，提升训练性能。"
    lines = laid_out(text, 24)
    assert all(width(line) <= 26 for line in lines)
    assert "".join(line.strip() for line in lines) == text
    assert not [line for line in lines if line.strip()[0] in "，。"]


def test_tables_are_broken_in_their_cells() -> None:
    table = "| name | words |\n|---|---|\n| x | " + "many words " * 8 + "|\n"
    lines = laid_out(table, 40)
    assert all(width(line) <= 40 for line in lines)
    assert " ".join(" ".join(lines[2:]).split()) == "x " + ("many words " * 8).strip()


def test_control_characters_do_not_reach_the_terminal() -> None:
    assert "\x1b" not in "".join(laid_out("a \x1b[31m b `\x1b` \n\n```\n\x1b[2J\n```\n"))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("columns", [80, 100])
@pytest.mark.parametrize("code", pages.codes())
def test_a_page_in_short_fits_on_a_screen(code: str, columns: int, language: str) -> None:
    """It says why, shows what the fix changes, how far it is trusted, how to switch the rule off, and where more is."""
    page = pages.page(code, language)
    off = code in previews()
    text = render_brief(page, off, language, PLAIN, columns)
    assert len(text.splitlines()) <= MOST_LINES
    assert page.title in text and f"ms-perflint rule {code} --full" in " ".join(text.split())
    assert ("--extend-select" if off else f"# noqa: {code}") in text
    assert re.search(r"^    [-+] *\S", text, re.MULTILINE) and "# !" not in text
    assert any(word in text for word in ("unsafe", "safe", "display-only"))


def test_an_example_in_short_is_cut() -> None:
    files = (("a.py", "".join(f"{number}\n" for number in range(40))),)
    examples = (Example("bad", files, {}, 1), Example("good", (("a.py", ""),), {}, 2))
    page = Page("MSP1", "n", "s", "t", {}, examples)
    lines = change(page, 8).splitlines()
    assert len(lines) == 8 and lines[-1] == "..."


def test_formats(tmp_path: Path) -> None:
    page = pages.page("MSP301")
    text = run("rule", "MSP301", cwd=tmp_path, env={"COLUMNS": "90"})
    assert (text.code, text.out) == (0, render_brief(page, False, ENGLISH, PLAIN, 90))
    assert run("rule", "synchronous-checkpoint", cwd=tmp_path, env={"COLUMNS": "90"}) == text
    assert run("rule", "MSP301", "--full", cwd=tmp_path, env={"COLUMNS": "90"}).out == render(page, PLAIN, 90)
    assert run("rule", "MSP301", "--output-format", "markdown", cwd=tmp_path).out == markdown(page)
    found = json.loads(run("rule", "MSP202", "--format", "json", cwd=tmp_path).out)
    assert (found["code"], found["name"], found["url"]) == ("MSP202", "unaligned-shape", pages.page("MSP202").url)
    assert (found["fix"], found["preview"], found["options"]) == ("unsafe", False, {"multiple": 16, "min-waste": 10})
    assert found["explanation"] == markdown(pages.page("MSP202"))
    listed = json.loads(run("rule", "--all", "--output-format", "json", cwd=tmp_path).out)
    assert [each["code"] for each in listed] == list(pages.codes())
    everything = run("rule", "--all", cwd=tmp_path, env={"COLUMNS": "90"}).out
    assert all(render(pages.page(code), PLAIN, 90) in everything for code in pages.codes())


@terminal
def test_less_is_given_colours(tmp_path: Path) -> None:
    less = tmp_path / "less"
    less.write_text("#!/bin/sh\ncat\n", encoding="utf-8")
    less.chmod(0o755)
    ran = on_terminal("rule", "MSP301", cwd=tmp_path, env={"PAGER": str(less)})
    assert ran.out.startswith("\x1b[1msynchronous-checkpoint (MSP301)\x1b[0m\n")


@terminal
def test_a_terminal_shows_pages_through_its_pager(tmp_path: Path) -> None:
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\necho PAGED $LESS\ncat\n", encoding="utf-8")
    pager.chmod(0o755)
    ran = on_terminal("rule", "MSP301", cwd=tmp_path, env={"PAGER": str(pager), "COLUMNS": "90"})
    assert ran.code == 0
    assert ran.out == "PAGED -FRX\n" + re.sub(r"\x1b\[[0-9;]*m", "", ran.out.split("\n", 1)[1])
    assert "\n  Training is blocked while a checkpoint is written.\n" in ran.out
    assert "PAGED" not in run("rule", "MSP301", cwd=tmp_path, env={"PAGER": str(pager)}).out


def test_an_unknown_rule_is_an_error(tmp_path: Path) -> None:
    ran = run("rule", "MSP31", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == 'ms-perflint: error: unknown rule "MSP31", did you mean "MSP301"?\n'
