"""A rule page in a terminal: the text as it is, headings and examples set off."""

from __future__ import annotations

from ms_perflint.pages import Page
from ms_perflint.report.style import Style


def render(page: Page, style: Style) -> str:
    """Return the page; without colour that is its Markdown."""
    lines = []
    fence = ""
    for line in page.text.splitlines():
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
