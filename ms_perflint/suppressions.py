"""`# noqa` and `# ms-perflint: disable-file`: the same in every front end.

flake8 applies its own reading of `# noqa`, whatever a plugin does. So the same rules apply here: comments are searched
in the text of a row, also in strings; rows joined by a string or a backslash count as one; and `# flake8: noqa` on its
own line applies to the whole file, whatever follows (flake8 7.5 defaults.py: NOQA_INLINE_REGEXP, NOQA_FILE).
"""

from __future__ import annotations

import io
import re
import token as kinds
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Optional

from ms_perflint.core.findings import Finding, Place
from ms_perflint.core.source import Source

if TYPE_CHECKING:
    import tokenize

NOQA = r"(?i)#\s*noqa(?P<codes>:\s?(?:[A-Z]+[0-9]+[,\s]*)+)?"
SKIPPED = rb"(?im)^[ \t\f]*# flake8[:=][ \t]*noqa"
DISABLED = (
    r"(?i)#\s*ms-perflint:\s*disable-file\b\s*(?P<given>[=:]\s*)?"
    r"(?P<codes>(?(given)[A-Z]+[0-9]*|[A-Z]+[0-9]+)(?:\s*,\s*[A-Z]+[0-9]*|\s+[A-Z]+[0-9]+)*)?"
)
NAMES = rb"(?i)noqa[ \t]*:|disable-file"
SEPARATORS = r"[,:=\s]+"


class Comment(NamedTuple):
    """A comment of a file, from the `#` on."""

    row: int
    start: int  # offsets in `Source.text`
    end: int
    text: str


class Suppressions:
    """The suppression comments of one file."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def hides(self, finding: Finding) -> bool:
        """Return whether a comment on the file, or on a row of the statement, suppresses a finding."""
        return self.hides_file(finding.code) or any(self.on_row(row, finding.code) for row in finding.lines)

    def hides_file(self, code: str) -> bool:
        """Return whether a comment suppresses a rule in the whole file."""
        return any(not codes or _matches(codes, code) for codes in self._file)

    def on_row(self, row: int, code: str) -> bool:
        """Return whether a row has a `# noqa` for a rule."""
        if not self._has_noqa:
            return False
        found = (_codes(match["codes"]) for match in re.finditer(NOQA, self._row(row)))
        return any(not codes or _matches(codes, code) for codes in found)

    def joined(self, row: int) -> range:
        """Return the suppression range of a comment on a row: the row, and those joined with it."""
        return self._joined.get(row, range(row, row + 1))

    @cached_property
    def comments(self) -> tuple[Comment, ...]:
        """Return the comments of the file, in order."""
        found = []
        for token in tokens(self._source.text):
            if token.type == kinds.COMMENT:
                row, column = token.start
                start = self._source.at(Place(self._source.path, row, column + 1))
                found.append(Comment(row, start, start + len(token.string.encode()), token.string))
        return tuple(found)

    def _row(self, row: int) -> str:
        """Return the text of a row and of the rows joined with it."""
        return "\n".join(self._source.line(each).decode("utf-8") for each in self.joined(row))

    @cached_property
    def _has_noqa(self) -> bool:
        return b"noqa" in self._source.text.lower()

    @cached_property
    def _joined(self) -> dict[int, range]:
        """Row -> all rows that are joined with it by strings and backslashes."""
        found: dict[int, range] = {}
        rows: list[int] = []
        for token in tokens(self._source.text):
            if token.type in (kinds.DEDENT, kinds.ENDMARKER):
                continue
            rows += [token.start[0], token.end[0]]
            if token.type in (kinds.NL, kinds.NEWLINE):
                joined = range(min(rows), max(rows) + 1)
                if len(joined) > 1:
                    found.update(dict.fromkeys(joined, joined))
                rows = []
        return found

    @cached_property
    def _file(self) -> tuple[tuple[str, ...], ...]:
        """The codes in each comment on the whole file; no codes mean all rules."""
        text = self._source.text
        if re.search(SKIPPED, text):
            return ((),)
        if b"disable-file" not in text.lower():
            return ()
        matches = [match for comment in self.comments if (match := re.match(DISABLED, comment.text))]
        # A "=" without codes is a typo, and must not hide everything.
        return tuple(_codes(match["codes"]) for match in matches if match["codes"] or not match["given"])


def names_rules(text: bytes) -> bool:
    """Return whether a file may have suppression comments with codes."""
    return re.search(NAMES, text) is not None


def tokens(text: bytes) -> Iterator[tokenize.TokenInfo]:
    """Yield the tokens of a file, up to the first error."""
    import tokenize  # here, because most files have no suppression

    try:
        yield from tokenize.generate_tokens(io.StringIO(text.decode("utf-8"), newline=None).readline)
    except (tokenize.TokenError, SyntaxError):
        return


def _codes(text: Optional[str]) -> tuple[str, ...]:
    return tuple(code.upper() for code in re.split(SEPARATORS, text or "") if code)


def _matches(codes: tuple[str, ...], code: str) -> bool:
    """Return whether one of the codes is a rule's code or a prefix of it, as in flake8."""
    return any(code.startswith(each) for each in codes)
