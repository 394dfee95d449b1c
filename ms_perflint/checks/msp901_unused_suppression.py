"""MSP901: a comment switches a rule off that reports nothing there."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from ms_perflint.check import Check, checks
from ms_perflint.core.findings import Edit, Finding, Fix, Gain, Safety
from ms_perflint.core.source import Source
from ms_perflint.languages import Message
from ms_perflint.suppressions import DISABLED, NOQA, Comment, Suppressions

CODE = r"(?i)[A-Z]+[0-9]*"
OURS = r"MSP[0-9]+"
PROBLEM = "MSP000"  # what flake8 calls a file that could not be looked at


class Named(NamedTuple):
    """A comment that switches rules off by name: the part of it that does, and each code with its place in the text."""

    comment: Comment
    start: int
    codes: tuple[tuple[str, int, int], ...]
    in_file: bool


class UnusedSuppression(Check):
    """A suppression comment names a rule that reports nothing there."""

    code = "MSP901"
    name = "unused-suppression"
    safety = Safety.SAFE
    triggers = ()
    preview = True  # what is unused for one MindSpore version or device may be needed for another
    per_program = False
    reviews = True
    gain = Gain("small", Message("none; the next finding is seen"))

    @classmethod
    def review(
        cls, source: Source, suppressions: Suppressions, found: Sequence[Finding], judged: Collection[str]
    ) -> Iterator[Finding]:
        """Yield a finding for each comment with codes that hide nothing."""
        for named in _named(source, suppressions):
            rows = None if named.in_file else suppressions.joined(named.comment.row)
            codes = {one.code for one in found if rows is None or not set(rows).isdisjoint(one.lines)}
            unused = [code for code in named.codes if _is_unused(code[0].upper(), codes, judged)]
            if unused:
                yield cls._finding(source, named, unused)

    @classmethod
    def _finding(cls, source: Source, named: Named, unused: Sequence[tuple[str, int, int]]) -> Finding:
        text, start = named.comment.text, named.comment.start
        place = source.place(start + len(text[: unused[0][1]].encode()))
        end = source.place(start + len(text[: unused[-1][2]].encode()))
        words = ", ".join(code for code, _, _ in unused)
        if named.in_file:
            message = Message(
                "{codes} suppresses nothing in this file, and would hide what comes; remove it", codes=words
            )
        else:
            message = Message("{codes} suppresses nothing here, and would hide what comes; remove it", codes=words)
        fix = Fix(Message("remove what suppresses nothing"), cls.safety, (_edit(source, named, unused),))
        return Finding(place, cls.code, cls.name, message, end, (named.comment.row,), fix)


def _named(source: Source, suppressions: Suppressions) -> Iterator[Named]:
    """Yield the comments that switch rules off by name, without those that only speak about such comments."""
    for comment in suppressions.comments:
        alone = not source.line(comment.row).decode("utf-8").partition("#")[0].strip()
        for match in re.finditer(NOQA, comment.text):
            before = comment.text[: match.start()]
            if match["codes"] and (not before or (before[-1].isspace() and not alone)):
                yield Named(comment, match.start(), _codes(match), False)
        whole = re.match(DISABLED, comment.text)
        if whole is not None and whole["codes"]:
            yield Named(comment, 0, _codes(whole), True)


def _codes(match: re.Match[str]) -> tuple[tuple[str, int, int], ...]:
    found = re.compile(CODE).finditer(match.string, match.start("codes"), match.end("codes"))
    return tuple((code.group(), *code.span()) for code in found)


def _is_unused(code: str, found: Collection[str], judged: Collection[str]) -> bool:
    """Return whether a code, or prefix of codes, names only rules that were judged and that found nothing."""
    meant = {check.code for check in checks() if check.code.startswith(code)}
    if not meant:
        return re.fullmatch(OURS, code) is not None and code != PROBLEM
    return meant <= set(judged) and meant.isdisjoint(found)


def _edit(source: Source, named: Named, unused: Sequence[tuple[str, int, int]]) -> Edit:
    """Return the edit that takes codes out of a comment, and out of the file what is left of it without any."""
    text, base = named.comment.text, named.comment.start
    kept = [code for code in named.codes if code not in unused]
    first, last = named.codes[0][1], named.codes[-1][2]

    def at(position: int) -> int:
        return base + len(text[:position].encode())

    if kept:
        gaps = {code: text[before[2] : code[1]] for before, code in zip(named.codes, named.codes[1:])}
        parts = [(gaps[code] if code != kept[0] else "") + code[0] for code in kept]
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
