"""`# noqa` and `# ms-perflint: disable-file`: the same in every front end."""

from __future__ import annotations

import io
import re
import tokenize
from functools import cached_property
from typing import Optional

from ms_perflint.findings import Finding
from ms_perflint.source import Source

_CODE = r"[A-Z]+[0-9]*"
NOQA = re.compile(rf"#\s*noqa(?P<codes>:\s?{_CODE}(?:[,\s]+{_CODE})*)?", re.IGNORECASE)
FILE = re.compile(
    rf"#\s*(?:ms-perflint:\s*disable-file(?:=(?P<own>{_CODE}(?:[,\s]+{_CODE})*))?|flake8[:=]\s*noqa(?P<flake8>:\s?{_CODE}(?:[,\s]+{_CODE})*)?\s*$)",
    re.IGNORECASE,
)
SEPARATORS = re.compile(r"[,\s]+")


class Suppressions:
    """What the comments of one file switch off."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def hides(self, finding: Finding) -> bool:
        """Return whether a comment on the file, or on a row of the statement, switches the finding off."""
        return self.hides_file(finding.code) or any(self.on_row(row, finding.code) for row in finding.lines)

    def hides_file(self, code: str) -> bool:
        """Return whether a comment switches the rule off in the whole file."""
        return any(not codes or _matches(codes, code) for codes in self._file)

    def on_row(self, row: int, code: str) -> bool:
        """Return whether the `# noqa` of a row, where there is one, means this rule."""
        line = self._source.line(row)
        if b"noqa" not in line.lower():
            return False
        match = NOQA.search(line.decode("utf-8"))
        if match is None:
            return False
        codes = _codes(match["codes"])
        return not codes or _matches(codes, code)

    @cached_property
    def _file(self) -> tuple[tuple[str, ...], ...]:
        """The codes of each comment on the file; empty codes mean all rules."""
        text = self._source.text
        if b"disable-file" not in text and b"flake8" not in text:
            return ()
        found = []
        for comment in comments(text):
            match = FILE.match(comment)
            if match is not None:
                found.append(_codes(match["own"] or match["flake8"]))
        return tuple(found)


def comments(text: bytes) -> list[str]:
    """Return the comments of a file; those in front of an error where it cannot be read to its end."""
    found = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text.decode("utf-8")).readline):
            if token.type == tokenize.COMMENT:
                found.append(token.string)
    except (tokenize.TokenError, SyntaxError):
        pass
    return found


def _codes(text: Optional[str]) -> tuple[str, ...]:
    return tuple(code.upper() for code in SEPARATORS.split((text or "").lstrip(":").strip()) if code)


def _matches(codes: tuple[str, ...], code: str) -> bool:
    """Return whether one of the codes is the rule's code or a prefix of it, as flake8 reads them."""
    return any(code.startswith(each) for each in codes)
