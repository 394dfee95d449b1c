"""Runs the README and pages of docs/: `python tests/readme.py` writes what their commands really print into them.

Blocks with `file=` are files in an otherwise empty directory; lines of `console` blocks that start with `$ ` are run
there, in order. A console block with `answers=y,n` is run in a pseudo-terminal with these answers. A block with
`from=docs/profile.md start=profile` is the paragraph of that page that begins with this word. The table of the
rules stands between two comments.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from front import environment, on_terminal

from ms_perflint import pages
from ms_perflint.check import Check, checks
from ms_perflint.core.findings import Gain, Safety
from ms_perflint.languages import CHINESE, ENGLISH

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
CHINESE_README = ROOT / "README.zh-CN.md"
DOCS = ROOT / "docs"
SHOWN = ("explain.md", "profile.md", "program.md")  # pages of docs/ with commands, in both languages
EXECUTED = (README, CHINESE_README, *(home / name for home in (DOCS, DOCS / "zh") for name in SHOWN))
HEADS = {
    ENGLISH: ("Rule", "Reports", "Gain", "Fix", "Default"),
    CHINESE: ("规则", "报告的问题", "预期收益", "修复", "默认"),
}
WORDS = {  # those of the table in Chinese
    "large": "大",
    "medium": "中",
    "small": "小",
    Safety.SAFE.value: "安全",
    Safety.UNSAFE.value: "不安全",
    Safety.DISPLAY.value: "仅供展示",
    "on": "启用",
    "preview": "预览",
}
_RULES = re.compile(r"(?<=^<!-- rules -->\n).*?(?=^<!-- /rules -->$)", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^```(?P<info>[^\n]+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def executed(page: str, language: str = ENGLISH) -> str:
    """Return a page with the output that its commands have now, and the table of today's rules."""
    page = _RULES.sub(lambda _: _table(language), page)
    with tempfile.TemporaryDirectory() as name:
        home = Path(name).resolve()
        return _BLOCK.sub(lambda block: _executed(block, home), page)


def _table(language: str) -> str:
    """Return the table of the rules."""
    rows = [HEADS[language], ("---",) * 5, *(_row(check, language) for check in checks())]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _row(check: type[Check], language: str) -> tuple[str, ...]:
    """Return what the table says of a rule."""
    page = pages.page(check.code, language)
    translated = language == CHINESE and (ROOT / "rules" / "zh" / f"{page.code}-{page.name}.md").is_file()
    folder = "rules/zh" if translated else "rules"
    gain: Gain = check.gain
    words = (gain.size, check.safety.value, "preview" if check.preview else "on")
    said = words if language == ENGLISH else tuple(WORDS[word] for word in words)
    return f"[{page.code}]({folder}/{page.code}-{page.name}.md)", page.summary, *said


def language_of(page: Path) -> str:
    """Return the language of a page."""
    return CHINESE if page == CHINESE_README or page.parent.name == "zh" else ENGLISH


def _executed(block: re.Match[str], home: Path) -> str:
    language, *words = block["info"].split()
    options = dict(word.split("=", 1) for word in words)
    if "file" in options:
        (home / options["file"]).parent.mkdir(parents=True, exist_ok=True)
        (home / options["file"]).write_text(block["text"], encoding="utf-8")
    if "from" in options:
        return f"```{block['info']}\n{_paragraph(ROOT / options['from'], options['start'])}```"
    if language != "console":
        return block[0]
    commands = [line[2:] for line in block["text"].splitlines() if line.startswith("$ ")]
    shown = [f"$ {command}\n{_output(command, options.get('answers', ''), home)}" for command in commands]
    return f"```{block['info']}\n{''.join(shown)}```"


def _paragraph(page: Path, start: str) -> str:
    """Return the lines of a page from the first one that begins with a word to the next empty one."""
    found = re.search(
        rf"^{re.escape(start)} .*?\n(?=\n|```)", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    assert found is not None, f"{page.name}: no paragraph begins with {start}"
    return found[0]


def _output(command: str, answers: str, home: Path) -> str:
    program, *arguments = command.split()
    if answers:
        return on_terminal(*arguments, cwd=home, answers=answers.split(","), env={"NO_COLOR": "1"}).out
    path = os.path.join(os.path.dirname(sys.executable), program)
    done = subprocess.run(
        [path, *arguments],
        cwd=home,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.stdout.decode("utf-8")


if __name__ == "__main__":
    for shown in EXECUTED:
        shown.write_text(executed(shown.read_text(encoding="utf-8"), language_of(shown)), encoding="utf-8")
