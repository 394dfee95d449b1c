"""Positions of the protocol: rows and columns from 0, columns in the units of the negotiated encoding."""

from __future__ import annotations

import difflib
from typing import Optional

from lsprotocol import types

from ms_perflint.core.findings import Place
from ms_perflint.core.source import Source

_CODECS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
_WIDTHS = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


class Columns:
    """Counts columns in the units of a position encoding: `utf-8`, `utf-16` or `utf-32`."""

    def __init__(self, encoding: str) -> None:
        self._codec, self._width = _CODECS[encoding], _WIDTHS[encoding]

    def units(self, text: str) -> int:
        """Return the length of a text in units."""
        return len(text) if text.isascii() else len(text.encode(self._codec, "surrogatepass")) // self._width

    def characters(self, line: str, units: int) -> int:
        """Return the number of characters in the first units of a line; all for a shorter line."""
        raw = line.encode(self._codec, "surrogatepass")[: units * self._width]
        return len(raw.decode(self._codec, "ignore"))

    def position(self, place: Place, source: Optional[Source]) -> types.Position:
        """Return a place as a position; in characters if the text of its file is not known."""
        row, column = max(place.line, 1), max(place.column, 1)
        if source is None:
            return types.Position(row - 1, column - 1)
        before = source.line(max(place.row, 1)).decode("utf-8", "replace")[: column - 1]
        return types.Position(row - 1, self.units(before))

    def range(self, start: Place, end: Place, source: Optional[Source]) -> types.Range:
        """Return the range between two places of a file."""
        return types.Range(self.position(start, source), self.position(end, source))

    def rest_of_line(self, start: Place, source: Optional[Source]) -> types.Range:
        """Return the range from a place to the end of its line."""
        line = source.line(max(start.row, 1)).decode("utf-8", "replace").rstrip() if source is not None else ""
        return self.range(start, start._replace(column=max(start.column, len(line) + 1)), source)

    def edits(self, before: bytes, after: bytes) -> list[types.TextEdit]:
        """Return the edits that turn a text (UTF-8) into another, line by line: the editor's marks stay in place."""
        old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)

        def at(row: int) -> types.Position:
            if row < len(old) or not old or old[-1].endswith((b"\n", b"\r")):
                return types.Position(row, 0)
            return types.Position(row - 1, self.units(old[-1].decode()))

        found = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        return [
            types.TextEdit(types.Range(at(start), at(end)), b"".join(new[first:last]).decode())
            for tag, start, end, first, last in found
            if tag != "equal"
        ]


def touch(one: types.Range, other: types.Range) -> bool:
    """Return whether two ranges overlap or touch."""
    return _key(one.start) <= _key(other.end) and _key(other.start) <= _key(one.end)


def _key(position: types.Position) -> tuple[int, int]:
    return position.line, position.character
