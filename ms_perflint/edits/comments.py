"""Comments in code that an edit removes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ms_perflint.edits.layout import comments
from ms_perflint.suppressions import NOQA, Suppressions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ms_perflint.core.findings import Edit
    from ms_perflint.core.source import Source

_SUPPRESSION = re.compile(rf"{NOQA}\s*")  # a suppression without any reason
# Comments for tools about their line, which on a line of their own would apply to other code
_TO_TOOLS = re.compile(r"(?i)#\s*(?:(?:type|pyright|mypy|pylint|ruff|fmt|yapf|isort|pragma|pytype)\s*:|nosec\b)")


def readable(source: Source, start: int, end: int) -> list[tuple[int, str]]:
    """Return the comments for people between two offsets, each with its offset."""
    text = source.text[start:end]
    found = [(start + first, text[first:last].decode().rstrip()) for first, last in comments(text)]
    return [(at, each) for at, each in found if is_readable(each)]


def is_readable(comment: str) -> bool:
    """Return whether a comment is for people: neither a suppression without a reason, nor for another tool."""
    return not _SUPPRESSION.fullmatch(comment) and not _TO_TOOLS.match(comment)


def is_lost(source: Source, edits: Sequence[Edit]) -> bool:
    """Return whether edits of a file remove a comment other than a suppression on the changed code."""
    over = [edit for edit in edits if b"#" in source.text[edit.start : edit.end]]
    if not over:
        return False
    gone = [
        comment.text.rstrip()
        for comment in Suppressions(source).comments
        if any(edit.start < comment.end and comment.start < edit.end for edit in over)
    ]
    return any(not _SUPPRESSION.fullmatch(each) and all(each not in edit.text for edit in over) for each in gone)
