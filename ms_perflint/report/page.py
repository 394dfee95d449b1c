"""A rule page as Markdown, for a terminal, and as JSON: whole, and in short."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Optional

from ms_perflint.languages import Message, say
from ms_perflint.pages import Example, Page
from ms_perflint.report.markdown import Layout
from ms_perflint.report.style import Style

if TYPE_CHECKING:
    from ms_perflint.check import Check

CONTEXT = 1  # lines around a change in an example
MOST, FEW = 16, 8  # lines of an example in a brief page, in an editor

_COMMENT = re.compile(r"^<!--[^\n]*-->\n\n?", re.MULTILINE)  # a line of its own, and the empty line behind it
_ANY = re.compile("")
_EXAMPLE = re.compile(r"^```\w+ bad", re.MULTILINE)
_SAFETY = re.compile(r"\A\*\*[a-z-]+\*\*")  # the section on the safety of the fix begins with its word
_NUMBER = re.compile(r" \[[0-9]+\]")
_MARK = re.compile(r"[ \t]*# !+$", re.MULTILINE)


def render(page: Page, style: Style, columns: int) -> str:
    """Return the page laid out for a terminal of that width, with its address below where it has one."""
    address = ["", style(page.url, "underlined")] if page.url else []
    lines = [*_laid_out(markdown(page), style, columns), *address]
    return "".join(f"{line}\n" for line in lines)


def render_brief(page: Page, off: bool, language: str, style: Style, columns: int) -> str:
    """Return the page in short for a terminal: why, an example, how far the fix is trusted, and how to switch it off.

    `off`: the rule is off until it is selected.
    """
    lines = _laid_out(brief(page, off, language), style, columns)
    return "".join(f"{line}\n" for line in lines)


def brief(page: Page, off: bool, language: str) -> str:
    """Return the page in short as Markdown."""
    why, example, safety = (_heading(page, form) for form in (_ANY, _EXAMPLE, _SAFETY))
    switch = Message("Off by default; switch it on with `--extend-select {code}`.", code=page.code)
    if not off:
        switch = Message(
            'Switch it off with `# noqa: {code}` on the line, or `ignore = ["{code}"]` in the configuration.',
            code=page.code,
        )
    whole = Message("The whole page, with evidence and exceptions: `ms-perflint rule {code} --full`", code=page.code)
    parts = [
        f"# {page.title}",
        page.summary,
        *(f"## {why}", _paragraph(page.sections[why])),
        *(f"## {example}", f"```diff\n{change(page, MOST)}\n```"),
        *(f"## {safety}", _paragraph(page.sections[safety])),
        f"- {say(switch, language)}\n- {say(whole, language)}",
    ]
    return "\n\n".join(parts) + "\n"


def why(page: Page) -> str:
    """Return the first paragraph on why it is slow, on one line."""
    return _paragraph(page.sections[_heading(page, _ANY)])


def tip(page: Page) -> str:
    """Return the title, why it is slow, and what the fix changes as Markdown of few lines."""
    return f"# {page.title}\n\n{page.summary}\n\n{why(page)}\n\n```diff\n{change(page, FEW)}\n```"


def _heading(page: Page, form: re.Pattern[str]) -> str:
    """Return the heading of the first section that has this form, in whatever language."""
    return next(name for name, text in page.sections.items() if form.search(text))


def _paragraph(section: str) -> str:
    """Return the first paragraph of a section on one line, without the numbers of references."""
    return _NUMBER.sub("", section.split("\n\n", 1)[0].replace("\n", " "))


def change(page: Page, most: int) -> str:
    """Return what the fix changes in the first example of a page as a diff of at most so many lines."""
    lines = list(_changed(*page.examples[:2]))
    return "\n".join(lines if len(lines) <= most else [*lines[: most - 1], "..."])


def _changed(bad: Example, good: Example) -> Iterator[str]:
    """Yield the changed lines of an example with the lines around them."""
    fixed = dict(good.files)
    hunks = 0
    for name, text in bad.files:
        before, after = (_MARK.sub("", each).splitlines() for each in (text, fixed.get(name, text)))
        for line in difflib.unified_diff(before, after, n=CONTEXT, lineterm=""):
            if line.startswith("@@"):
                hunks += 1
                yield from ("...",) if hunks > 1 else ()
            elif line.strip() and not line.startswith(("---", "+++")):
                yield line


def _laid_out(text: str, style: Style, columns: int) -> list[str]:
    return Layout(style, columns).page(text)


def markdown(page: Page) -> str:
    """Return the page as it is written, without the comments for those who edit it."""
    return _COMMENT.sub("", page.text)


def as_json(pages: Sequence[tuple[Page, Optional[type[Check]]]]) -> str:
    """Return pages with what their rules say of themselves as a JSON list; of one page, as an object."""
    rows = [_object(page, check) for page, check in pages]
    return json.dumps(rows if len(rows) != 1 else rows[0], indent=2) + "\n"


def _object(page: Page, check: Optional[type[Check]]) -> dict[str, object]:
    own = {"fix": check.safety.value, "preview": check.preview, "options": dict(check.options)} if check else {}
    return {
        "code": page.code,
        "name": page.name,
        "summary": page.summary,
        "url": page.url,
        **own,
        "explanation": markdown(page),
    }
