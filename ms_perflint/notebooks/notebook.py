"""A notebook as one Python text, and edits of that text as edits of the JSON.

The text has the Python code cells in order, separated by a row with a form feed: code continues
from cell to cell, and an edit belongs to one cell. Edits are spliced into the strings of the JSON where
they are. Everything else stays: layout, outputs, metadata and the escapes of characters.
"""

from __future__ import annotations

import bisect
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Optional

from ms_perflint.core.source import SourceError, Span
from ms_perflint.languages import Message
from ms_perflint.notebooks import magics

SEPARATOR = b"\f\n"
_SPACE = re.compile(r"[ \t\r\n]*")
_CHARACTER = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL
)
_decode = json.JSONDecoder().raw_decode

Change = tuple[int, int, str]  # start and end in the text (bytes) or in a cell (characters), and the new text


@dataclass(frozen=True)
class Cell:
    """A code cell and its part of the text."""

    index: int  # among all cells of the notebook
    start: int
    end: int  # behind the line end after it
    row: int  # of the text, its first one
    rows: int
    hidden: str  # the magic above it: `%%time`

    @property
    def number(self) -> int:
        """Return its number from 1 among cells of all kinds."""
        return self.index + 1

    @property
    def above(self) -> int:
        """Return the number of rows of the text before it, minus its own rows that are not part of the text."""
        return self.row - 1 - self.hidden.count("\n")


class Notebook:
    """The text of a notebook: `written` as it is, `text` with everything but Python blanked out."""

    def __init__(self, body: bytes) -> None:
        """Read the JSON of a notebook. Raises SourceError for other content."""
        self._body = body
        self.cells: tuple[Cell, ...] = ()
        cells: list[Cell] = []
        text: list[bytes] = []
        written: list[bytes] = []
        row, start = 1, 0
        for index, code in _codes(_content(body)):
            raw = code.encode("utf-8", "replace")
            if not raw or not magics.is_python(raw):
                continue
            skipped = magics.hidden(raw)
            if text:
                text.append(SEPARATOR)
                written.append(SEPARATOR)
                row, start = row + 1, start + len(SEPARATOR)
            written.append(raw[skipped:] + b"\n")
            text.append(magics.blanked(written[-1]))
            rows = len(written[-1].splitlines())
            hidden = raw[:skipped].decode("utf-8")
            cells.append(Cell(index, start, start + len(written[-1]), row, rows, hidden))
            row, start = row + rows, cells[-1].end
        self.cells = tuple(cells)
        self.text, self.written = b"".join(text), b"".join(written)
        self._starts = [cell.start for cell in cells]
        self._rows = [cell.row for cell in cells]

    def cell(self, row: int) -> Optional[Cell]:
        """Return the cell of a row of the text; for a row between two cells, the one above."""
        return self.cells[max(0, bisect.bisect_right(self._rows, row) - 1)] if self.cells else None

    def edited(self, changes: Sequence[Change]) -> bytes:
        """Return the JSON with changes of the text. Raises SourceError for a change outside of cells."""
        by_cell: dict[int, list[Change]] = {}
        for start, end, new in changes:
            at = max(0, bisect.bisect_right(self._starts, start) - 1)
            if not self.cells or end > self.cells[at].end:
                raise SourceError(Message("would join two cells"))
            by_cell.setdefault(at, []).append((start, end, new))
        body, pieces = self._body.decode("utf-8"), []
        for at, here in sorted(by_cell.items()):
            strings = _Strings(body, self.cells[at].index)
            pieces += [strings.changed(self._in_cell(self.cells[at], change)) for change in sorted(here)]
        parts, behind = [], 0
        for start, end, new in pieces:
            parts += [body[behind:start], new]
            behind = end
        return "".join([*parts, body[behind:]]).encode("utf-8")

    def position(self, offset: int) -> int:
        """Return the offset in the JSON for an offset in the text."""
        body = self._body.decode("utf-8")
        cell = self.cells[max(0, bisect.bisect_right(self._starts, offset) - 1)]
        start, _, _ = self._in_cell(cell, (offset, offset, ""))
        return len(body[: _Strings(body, cell.index).changed((start, start, ""))[0]].encode("utf-8"))

    def _in_cell(self, cell: Cell, change: Change) -> Change:
        """Return a change of the text as one of the cell, which has no line end behind its last line."""
        start, end, new = change
        last = cell.end - 1
        if end > last:
            if start > last:  # below the last line
                start, end, new = last, last, f"\n{new}"
            end = last
            if new.endswith("\n"):
                new = new[:-2] if new.endswith("\r\n") else new[:-1]
            elif not new and start > cell.start and self.written[start - 1 : start] == b"\n":
                start -= 2 if self.written[start - 2 : start] == b"\r\n" else 1
            elif new or start > cell.start:
                raise SourceError(Message("would join two cells"))
        count = len(cell.hidden)
        first = count + len(self.written[cell.start : start].decode("utf-8"))
        return first, first + len(self.written[start:end].decode("utf-8")), new


# --- the content of the JSON


def codes_of(body: bytes) -> Iterator[tuple[int, str]]:
    """Yield the code of each code cell with the number of the cell, from 1. Raises SourceError."""
    for index, code in _codes(_content(body)):
        yield index + 1, code


def _content(body: bytes) -> dict[str, Any]:
    """Return the notebook. Raises SourceError with the position for other content."""
    try:
        content = json.loads(body.decode("utf-8"))
    except json.JSONDecodeError as error:
        message = Message("the notebook is not valid JSON: {reason}", reason=error.msg)
        raise SourceError(message, error.lineno, error.colno) from error
    except UnicodeDecodeError as error:
        row = body.count(b"\n", 0, error.start) + 1
        message = Message("the notebook is not valid utf-8: bad byte at offset {offset}", offset=error.start)
        raise SourceError(message, row, 1) from error
    except (RecursionError, ValueError) as error:  # integers of thousands of digits
        raise SourceError(Message("the notebook is nested too deeply, or holds what cannot be read")) from error
    if not isinstance(content, dict) or not isinstance(content.get("cells", content.get("worksheets")), list):
        raise SourceError(Message("the file is no notebook: it has no list of cells"), 1, 1)
    return content


def _codes(content: dict[str, Any]) -> Iterator[tuple[int, str]]:
    """Yield the index and the code of each code cell; none for a notebook in another language."""
    if not _is_python(content.get("metadata")):
        return
    for index, cell in enumerate(_cells(content)):
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            code = cell.get("source", cell.get("input"))
            lines = [line for line in (code if isinstance(code, list) else [code]) if isinstance(line, str)]
            if cell.get("language", "python") == "python":
                yield index, "".join(lines)


def _cells(content: dict[str, Any]) -> list[Any]:
    """Return the cells; before format 4 they are in worksheets."""
    if isinstance(content.get("cells"), list):
        return list(content["cells"])
    sheets = (sheet.get("cells") for sheet in content["worksheets"] if isinstance(sheet, dict))
    return [cell for sheet in sheets if isinstance(sheet, list) for cell in sheet]


def _is_python(metadata: object) -> bool:
    """Return whether a notebook has a Python kernel, also by default."""
    if not isinstance(metadata, dict):
        return True
    info, kernel = metadata.get("language_info"), metadata.get("kernelspec")
    name = info.get("name") if isinstance(info, dict) else None
    name = name or (kernel.get("language") if isinstance(kernel, dict) else None)
    return not isinstance(name, str) or name.lower() in ("python", "ipython")


# --- offsets in the JSON


class _Strings:
    """The strings of the JSON with the code of a cell."""

    def __init__(self, body: str, index: int) -> None:
        members = dict(_members(body, _place_of_cell(body, index)))
        start, end = members["source"] if "source" in members else members["input"]
        spans = (
            [span for span in _elements(body, start) if body[span[0]] == '"'] if body[start] == "[" else [(start, end)]
        )
        self._ascii = body.isascii()
        self._between = f'"{_gap(body, spans)}"' if body[start] == "[" else ""
        tokens = (_CHARACTER.finditer(body, first + 1, last - 1) for first, last in spans)
        self._characters = [token for each in tokens for token in each]
        self._offsets = [character.start() for character in self._characters] + [spans[-1][1] - 1]

    def changed(self, change: Change) -> Change:
        """Return a change of the code as one of the JSON; each line of a list is a string of its own."""
        start, end, new = change
        is_last = end == len(self._characters)
        parts = re.split(r"(?<=\n)(?!\Z)" if is_last else r"(?<=\n)", new)
        if start == end and is_last and start and self._characters[-1].group() == "\\n":
            parts.insert(0, "")  # the last string is a whole line
        encoded = self._between.join(json.dumps(part, ensure_ascii=self._ascii)[1:-1] for part in parts)
        return self._offsets[start], self._offsets[end], encoded


def _place_of_cell(body: str, index: int) -> int:
    """Return the start of a cell."""
    members = dict(_members(body, _skip(body, 0)))
    if "cells" in members and body[members["cells"][0]] == "[":
        return [start for start, _ in _elements(body, members["cells"][0])][index]
    cells = []
    for sheet, _ in _elements(body, members["worksheets"][0]):
        inner = dict(_members(body, sheet)) if body[sheet] == "{" else {}
        if "cells" in inner and body[inner["cells"][0]] == "[":
            cells += [start for start, _ in _elements(body, inner["cells"][0])]
    return cells[index]


def _members(body: str, at: int) -> Iterator[tuple[str, Span]]:
    """Yield the names of the object at an offset, with the spans of their values."""
    at = _skip(body, at + 1)
    while body[at] != "}":
        name, at = _decode(body, at)
        start = _skip(body, _skip(body, at) + 1)
        end = _decode(body, start)[1]
        yield name, (start, end)
        at = _behind_comma(body, end)


def _elements(body: str, at: int) -> Iterator[Span]:
    """Yield the spans of the elements of the list at an offset."""
    at = _skip(body, at + 1)
    while body[at] != "]":
        end = _decode(body, at)[1]
        yield at, end
        at = _behind_comma(body, end)


def _behind_comma(body: str, at: int) -> int:
    at = _skip(body, at)
    return _skip(body, at + 1) if body[at] == "," else at


def _skip(body: str, at: int) -> int:
    found = _SPACE.match(body, at)
    return found.end() if found else at


def _gap(body: str, literals: list[Span]) -> str:
    """Return the separator of two strings of a list."""
    if len(literals) > 1:
        return body[literals[0][1] : literals[1][0]]
    before = body[: literals[0][0]]
    return "," + (before[len(before.rstrip()) :] or " ")
