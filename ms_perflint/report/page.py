"""A rule page as Markdown, for a terminal, and as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Optional

from ms_perflint.pages import Page
from ms_perflint.report.markdown import Layout
from ms_perflint.report.style import Style

if TYPE_CHECKING:
    from ms_perflint.check import Check

_COMMENT = re.compile(r"^<!--[^\n]*-->\n\n?", re.MULTILINE)  # a line of its own, and the empty line behind it


def render(page: Page, style: Style, columns: int) -> str:
    """Return the page laid out for a terminal of that width, with its address below where it has one."""
    address = ["", style(page.url, "underlined")] if page.url else []
    lines = [*Layout(style, columns).page(markdown(page)), *address]
    return "".join(f"{line}\n" for line in lines)


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
