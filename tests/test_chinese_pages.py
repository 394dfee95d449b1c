"""The rule pages in Chinese stay in step with the English ones: sections, examples, figures, links, every change."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from pathlib import Path

import effects
import pytest
import tables
from chinese import in_chinese
from measured import EFFECTS, Effect
from previews import IN_ENGLISH
from test_rules import SECTIONS

from ms_perflint import pages
from ms_perflint.check import checks
from ms_perflint.languages import CHINESE
from ms_perflint.pages import Page

HEADINGS = dict(
    zip(
        SECTIONS,
        ("为什么慢", "实测数据", "示例", "修复后", "修复安全性", "何时无需修改", "选项", "版本与设备", "参考资料"),
    )
)
CODES = [code for code in pages.codes() if code not in IN_ENGLISH]
FENCE = re.compile(r"^```[^\n]*\n.*?^```$", re.MULTILINE | re.DOTALL)
EFFECT = re.compile(
    r"<!-- effect of .*?<!-- end of effect -->\n?|\n<!-- evidence of .*?<!-- end of evidence -->\n", re.DOTALL
)
STATE = re.compile(r"<!-- the English page: (?P<state>\w+) -->\n?\Z")
REMARK = re.compile(r"  # (?!!).*$", re.MULTILINE)  # a comment behind code, but not a mark
TRANSLATED = re.compile(r"^> \*.*\*$", re.MULTILINE)  # what follows a Chinese quotation on the English page
SPAN = re.compile(r"`[^`\n]+`")
FIGURE = re.compile(r"\d+(?:\.\d+)*")
LINK = re.compile(r"<(https?://[^>]+)>|\]\(([^)\s]+)\)")
ROW = re.compile(r"^\|.*\|$", re.MULTILINE)
NAMES = {"MindSpore", "PyNative", "LeNet", "Transformer", "AllReduce", "Cast", "Profiler", "AutoTune"} | {
    *("step", "token", "auto", "float", "ms")
}

each_page = pytest.mark.parametrize("code", CODES)


def both(code: str) -> tuple[Page, Page]:
    """Return the page of a rule in English and in Chinese."""
    return pages.page(code), pages.page(code, CHINESE)


def prose(text: str) -> str:
    """Return what a page says besides examples, measurements and translated quotations."""
    return TRANSLATED.sub("", FENCE.sub("", EFFECT.sub("", STATE.sub("", text))))


def state(text: str) -> str:
    """Return what tells this text of a page from every other one; its measurements are compared by themselves."""
    return hashlib.sha256(EFFECT.sub("", text).encode()).hexdigest()[:12]


def test_every_page_is_there_in_chinese() -> None:
    """A preview rule needs none before it leaves preview."""
    folder = Path(pages.folder())
    names = {path.name for path in folder.glob("*.md")}
    own = {path.name for path in (folder / CHINESE).iterdir()}
    assert own <= names
    assert {name.partition("-")[0] for name in names - own} == IN_ENGLISH


@each_page
def test_a_change_of_the_english_page_is_looked_at(code: str) -> None:
    """Bring the Chinese page up to date, then write the new state of the English one into its last line."""
    english, chinese = both(code)
    seen = STATE.search(chinese.text)
    assert seen is not None, "the last line is `<!-- the English page: STATE -->`"
    assert seen["state"] == state(english.text), f"the English page has changed; its state is now {state(english.text)}"


@each_page
def test_titles_and_headings_are_the_same(code: str) -> None:
    english, chinese = both(code)
    assert (chinese.code, chinese.name) == (english.code, english.name)
    assert list(chinese.sections) == [HEADINGS[name] for name in english.sections]
    assert chinese.summary.endswith("。") and chinese.summary.count("。") == 1


@each_page
def test_examples_are_the_same_but_for_their_remarks(code: str) -> None:
    english, chinese = ([REMARK.sub("", block) for block in FENCE.findall(page.text)] for page in both(code))
    assert chinese == english


@each_page
def test_what_programs_read_is_the_same(code: str) -> None:
    """The safety of the fix, and the names of options."""
    chinese = pages.page(code, CHINESE)
    check = next(check for check in checks() if check.code == code)
    word = re.search(r"\*\*([a-z-]+)\*\*", chinese.sections[HEADINGS["Fix safety"]])
    assert word is not None and word[1] == check.safety.value
    described = re.findall(r"^([a-z-]+) = ", chinese.sections.get(HEADINGS["Options"], ""), re.MULTILINE)
    assert described == list(check.options)


@each_page
def test_code_and_links_in_the_text_are_the_same(code: str) -> None:
    english, chinese = (prose(page.text) for page in both(code))
    assert Counter(SPAN.findall(chinese)) == Counter(SPAN.findall(english))

    def links(text: str) -> list[str]:
        found = [one or other for one, other in LINK.findall(text)]
        return [link.replace("/docs/en/", "/docs/zh-CN/").replace("../../", "../") for link in found]

    assert links(chinese) == links(english)


@each_page
def test_figures_are_the_same_section_by_section(code: str) -> None:
    english, chinese = both(code)
    for heading, text in english.sections.items():
        mine, theirs = prose(chinese.sections[HEADINGS[heading]]), prose(text)
        assert set(FIGURE.findall(mine)) == set(FIGURE.findall(theirs)), heading
        assert [row.count("|") for row in ROW.findall(mine)] == [row.count("|") for row in ROW.findall(theirs)]


@pytest.mark.parametrize("effect", EFFECTS, ids=lambda effect: effect.code)
def test_measurements_are_the_same(effect: Effect) -> None:
    """Both are written by `python benchmarks/effects.py --write`."""
    english = effects.page(effect.code).read_text(encoding="utf-8")
    chinese = effects.chinese_page(effect.code).read_text(encoding="utf-8")
    table = in_chinese(tables.read(english))
    assert tables.block(effect.code, table.markdown, effect.programs) in chinese
    assert tables.genuine(chinese, effect.programs)
    words = re.findall(r"[A-Za-z]{2,}", re.sub(r"`[^`]*`|\*[^*]*\*", "", " ".join((*table.columns, *table.rows))))
    assert set(words) <= NAMES
