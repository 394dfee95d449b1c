"""Suppression comments with codes, and the removal of a code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ms_perflint.core.findings import Edit
from ms_perflint.core.source import Source
from ms_perflint.suppressions import DISABLED, NOQA, Comment, Suppressions

CODE = r"(?i)[A-Z]+[0-9]*"


class Code(NamedTuple):
    """A code in a comment, with its span in the text."""

    text: str
    start: int
    end: int


class Named(NamedTuple):
    """A suppression comment with codes: the span of the suppression, and each code."""

    comment: Comment
    start: int
    codes: tuple[Code, ...]
    in_file: bool


def named(source: Source, suppressions: Suppressions) -> Iterator[Named]:
    """Yield the suppression comments with codes, without comments that only mention one."""
    for comment in suppressions.comments:
        alone = not source.line(comment.row).decode("utf-8").partition("#")[0].strip()
        for match in re.finditer(NOQA, comment.text):
            before = comment.text[: match.start()]
            if match["codes"] and (not before or (before[-1].isspace() and not alone)):
                yield Named(comment, match.start(), _codes(match), False)
        whole = re.match(DISABLED, comment.text)
        if whole is not None and whole["codes"]:
            yield Named(comment, 0, _codes(whole), True)


def _codes(match: re.Match[str]) -> tuple[Code, ...]:
    found = re.compile(CODE).finditer(match.string, match.start("codes"), match.end("codes"))
    return tuple(Code(code.group(), *code.span()) for code in found)


def without(source: Source, named: Named, unused: Sequence[Code]) -> Edit:
    """Return the edit that removes codes from a comment, and the suppression itself if none is left."""
    text, base = named.comment.text, named.comment.start
    kept = [code for code in named.codes if code not in unused]
    first, last = named.codes[0].start, named.codes[-1].end

    def at(position: int) -> int:
        return base + len(text[:position].encode())

    if kept:
        gaps = {code: text[before.end : code.start] for before, code in zip(named.codes, named.codes[1:])}
        parts = [(gaps[code] if code != kept[0] else "") + code.text for code in kept]
        return Edit(source.path, at(first), at(last), "".join(parts))
    rest = text[last:].lstrip(" \t,:")
    rest = rest if rest.startswith("#") or not rest else f"# {rest}"
    start = at(named.start)
    if rest:
        return Edit(source.path, start, named.comment.end, rest)
    line = source.offset(named.comment.row, 0)
    ahead = source.text[line:start]
    if ahead.strip():
        return Edit(source.path, line + len(ahead.rstrip(b" \t\f")), named.comment.end, "")
    following = source.starts[named.comment.row]
    return Edit(source.path, line, following, "")
