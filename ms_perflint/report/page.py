"""A rule page in a terminal: the text as it is but for its comments, headings and examples set off."""

from __future__ import annotations

import re

from ms_perflint.pages import Page
from ms_perflint.report.style import Style

_COMMENT = re.compile(r"^<!--[^\n]*-->\n\n?", re.MULTILINE)  # a line of its own, and the empty line behind it


def render(page: Page, style: Style) -> str:
    """Return the page; without colour that is its Markdown. A comment is for those who edit it, and left out."""
    lines = []
    fence = ""
    for line in _COMMENT.sub("", page.text).splitlines():
        bare = line.strip()
        if fence:
            closes = bare.startswith(fence) and not bare.strip(fence[0])
            lines.append(style(line, "grey" if closes else "red" if bare.endswith("# !") else "cyan"))
            fence = "" if closes else fence
        elif bare.startswith(("```", "~~~")):
            fence = bare[: len(bare) - len(bare.lstrip(bare[0]))]
            lines.append(style(line, "grey"))
        else:
            lines.append(style(line, "bold") if line.startswith("#") else line)
    return "".join(f"{line}\n" for line in lines)
