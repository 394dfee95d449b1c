"""A source file: its decoded text, positions in it, and the encoding back to bytes."""

from __future__ import annotations

import bisect
import io
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Optional

from ms_perflint.core.findings import Edit, Place
from ms_perflint.core.reports import Problem
from ms_perflint.languages import Message

if TYPE_CHECKING:
    from ms_perflint.notebooks.notebook import Cell, Notebook

BOM = b"\xef\xbb\xbf"
NOTEBOOK = ".ipynb"
PYTHON = (".py", NOTEBOOK)  # how the names of files end that are, or hold, Python
LETTERS = rb"\w\x80-\xff"  # in sets of patterns of bytes, where `\w` is ASCII: the bytes of names of any script
LETTER = rb"[" + LETTERS + rb"]"
NAME = rb"[A-Za-z_\x80-\xff]" + LETTER + rb"*"
START = rb"(?<!" + LETTER + rb")"  # where a name may start: in front of other bytes than ASCII `\b` fails
Span = tuple[int, int]  # byte offsets in Source.text, end excluded


class SourceError(Exception):
    """A file that cannot be read as Python text; row and column are 0 where there is no position.

    In a notebook the row counts in the cell `cell`.
    """

    def __init__(self, message: str, row: int = 0, column: int = 0, cell: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.row = row
        self.column = column
        self.cell = cell

    def problem(self, path: str) -> Problem:
        """Return the problem of the file at `path`."""
        return Problem(path, self.row, self.column, self.message, self.cell)


class Unreadable(Exception):
    """An expression that LibCST cannot read: syntax newer than the installed LibCST knows."""


class TooDeep(Unreadable):
    """An expression nested so deeply that LibCST would overflow the stack: it may kill the process."""


class Source:
    """One file: its UTF-8 text without BOM, and what is needed to write it back to disk.

    All offsets (spans of nodes, edits) are byte offsets in `text`; that is also how `ast` counts columns. Of a
    notebook, `text` holds the code of its cells: only this class and the reports need to know.
    """

    def __init__(self, path: str, raw: bytes) -> None:
        """Decode `raw`; raises SourceError when it is no Python text."""
        self.path = path
        self.bom = raw.startswith(BOM)
        body = raw[len(BOM) :] if self.bom else raw
        self._starts: Optional[list[int]] = None
        self.quotes: Optional[int] = None  # see `edits.layout`, which counts them on first use
        self.level: Optional[str] = None  # of indentation, in the same way
        self.longest: Optional[int] = None  # line, in the same way
        self._notebook: Optional[Notebook] = None
        self.lost: tuple[SourceError, ...] = ()  # why cells of a notebook are no part of its text
        if path.endswith(NOTEBOOK):
            self._read_notebook(body)
            return
        if b"\0" in body:
            row = body.count(b"\n", 0, body.index(b"\0")) + 1
            raise SourceError(Message("the file contains a NUL byte"), row, 1)
        self.encoding = _encoding(raw)
        self.text = self.written = self.whole = _to_utf8(body, self.encoding)

    def _read_notebook(self, body: bytes) -> None:
        from ms_perflint.notebooks.notebook import Notebook  # most runs meet none

        self._notebook = Notebook(body)
        self.encoding = "utf-8"
        self.text = self._notebook.text
        self.written = self._notebook.written  # as `text`, with what IPython alone understands
        self.whole = body  # the file as its diff shows it
        if b"\0" in self.text:
            raise self.error(Message("the cell contains a NUL character"), self.row(self.text.index(b"\0")), 1)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Return the cells of a notebook that are part of its text; none of other files."""
        return self._notebook.cells if self._notebook is not None else ()

    @property
    def is_notebook(self) -> bool:
        """Return whether the file is the JSON of a notebook."""
        return self._notebook is not None

    def lose(self, lost: Iterable[tuple[Cell, SourceError]]) -> None:
        """Blank out cells of the text, which keeps its offsets and rows, and record why."""
        for cell, error in lost:
            blank = re.sub(rb"[^\r\n]", b" ", self.text[cell.start : cell.end])
            self.text = self.text[: cell.start] + blank + self.text[cell.end :]
            self.lost = (*self.lost, error)

    def edited(self, edits: Iterable[Edit]) -> bytes:
        """Return the bytes of the file with edits applied, which do not overlap. May raise SourceError."""
        if self._notebook is None:
            return self.encode(self.spliced(edits))
        body = self._notebook.edited([(edit.start, edit.end, self.added(edit).decode()) for edit in edits])
        return BOM + body if self.bom else body

    def spliced(self, edits: Iterable[Edit], start: int = 0, end: Optional[int] = None) -> bytes:
        """Return the text from `start` to `end` with edits applied, which do not overlap."""
        parts = []
        for edit in sorted(edits):
            parts += [self.written[start : edit.start], self.added(edit)]
            start = edit.end
        return b"".join([*parts, self.written[start:end]])

    def added(self, edit: Edit) -> bytes:
        """Return the text of an edit as bytes of the file."""
        return self.worded(edit).encode()

    def worded(self, edit: Edit) -> str:
        """Return the text of an edit with the line end of the line where it starts.

        Where that line has none, or where CR and LF would meet, with the line end of a line next to it.
        """
        if "\n" not in edit.text:
            return edit.text
        row = self.row(edit.start)
        ends = (self._line_end(near) for near in (row, row - 1, row + 1))
        texts = [edit.text.replace("\n", end) for end in ends if end]
        return next((text for text in texts if not self._joins(edit, text)), texts[0] if texts else edit.text)

    def _line_end(self, row: int) -> str:
        """Return the line end of a row; "" for the last row of a file or cell without one."""
        if not 1 <= row < len(self.starts):
            return ""
        cell = self._cell(row)
        line = self.text[self.starts[row - 1] : self.starts[row]]
        is_last = cell is not None and row == cell.row + cell.rows - 1
        return "" if is_last else line[len(line.rstrip(b"\r\n")) :].decode()

    def _joins(self, edit: Edit, text: str) -> bool:
        """Return whether a CR and an LF meet at the border of an edit with this text."""
        before, after = self.text[max(0, edit.start - 1) : edit.start], self.text[edit.end : edit.end + 1]
        return (before == b"\r" and text[0] == "\n") or (text[-1] == "\r" and after == b"\n")

    def encode(self, text: bytes) -> bytes:
        """Return `text` (UTF-8) as bytes for the disk: in the file's encoding, with its BOM. May raise SourceError."""
        try:
            body = text if self.encoding == "utf-8" else text.decode("utf-8").encode(self.encoding)
        except UnicodeEncodeError as error:
            message = Message(
                "the fixed text cannot be written as {encoding}: {reason}", encoding=self.encoding, reason=error.reason
            )
            raise SourceError(message) from error
        return BOM + body if self.bom else body

    @property
    def starts(self) -> list[int]:
        """Return the offset at which each line starts; lines end at \\n, \\r\\n and \\r, as Python's do."""
        if self._starts is None:
            starts = [0]
            for line in self.text.splitlines(keepends=True):
                starts.append(starts[-1] + len(line))
            self._starts = starts
        return self._starts

    def offset(self, row: int, column: int) -> int:
        """Return the offset of an `ast` position: row from 1, column in UTF-8 bytes from 0."""
        return self.starts[row - 1] + column

    def row(self, offset: int) -> int:
        """Return the row (from 1) that holds `offset`."""
        return max(1, min(bisect.bisect_right(self.starts, offset), max(1, len(self.starts) - 1)))

    def place(self, offset: int) -> Place:
        """Return the place of an offset: row and column from 1, the column in characters."""
        if offset == len(self.text) and self.text.endswith((b"\n", b"\r")):
            return self._place(len(self.starts), 1)  # below the last line
        row = self.row(offset)
        before = self.text[self.starts[row - 1] : offset]
        return self._place(row, len(before.decode("utf-8", "replace")) + 1)

    def _place(self, row: int, column: int) -> Place:
        cell = self._cell(row)
        return Place(self.path, row, column, cell.number, cell.above) if cell else Place(self.path, row, column)

    def _cell(self, row: int) -> Optional[Cell]:
        return self._notebook.cell(row) if self._notebook is not None else None

    def error(self, message: str, row: int, column: int) -> SourceError:
        """Return a SourceError at a position of the text."""
        place = self._place(row, column)
        return SourceError(message, place.line, column, place.cell) if row else SourceError(message)

    def rows(self, row: int) -> range:
        """Return the rows of the cell around a row, or of the whole file."""
        cell = self._cell(row)
        return range(cell.row, cell.row + cell.rows) if cell else range(1, len(self.starts))

    def at(self, place: Place) -> int:
        """Return the offset of a place; a column beyond the end of the line counts as the end."""
        before = self.line(place.row).decode("utf-8", "replace")[: place.column - 1]
        return self.offset(place.row, len(before.encode()))

    def in_file(self, place: Place) -> Place:
        """Return the place in the file on disk; a notebook is JSON there."""
        if self._notebook is None:
            return place
        body = self.whole[: self._notebook.position(self.at(place))]
        last = body[body.rfind(b"\n") + 1 :].decode("utf-8", "replace")
        return Place(self.path, body.count(b"\n") + 1, len(last) + 1)

    def line(self, row: int) -> bytes:
        """Return the bytes of a row (from 1) without its line end; b"" outside of the file."""
        if not 1 <= row < len(self.starts):
            return b""
        return self.written[self.starts[row - 1] : self.starts[row]].rstrip(b"\r\n")


def _encoding(raw: bytes) -> str:
    """Return the codec of a source by PEP 263; SourceError for an unknown one."""
    head = raw[:1024]
    if b"coding" not in head:
        return "utf-8"
    import tokenize  # here, because most files say nothing of their encoding

    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
    except SyntaxError as error:
        raise SourceError(str(error.msg or error), 1, 1) from error
    return "utf-8" if encoding == "utf-8-sig" else encoding


def encoded(text: str) -> bytes:
    """Return a text as the bytes of a file, in the encoding that its first lines name. May raise SourceError."""
    try:
        body = text.encode("utf-8")
        encoding = _encoding(body)
        return body if encoding == "utf-8" else text.encode(encoding)
    except UnicodeError as error:
        raise SourceError(Message("the text cannot be encoded: {reason}", reason=error)) from error


def _to_utf8(body: bytes, encoding: str) -> bytes:
    """Return the body as UTF-8; SourceError with the position of the first bad byte."""
    try:
        text = body.decode(encoding)
        if (
            encoding != "utf-8" and "coding" not in text[:1024]
        ):  # utf-16 and others in which its own name reads otherwise
            raise UnicodeError
        return body if encoding == "utf-8" else text.encode("utf-8")
    except UnicodeDecodeError as error:
        row = body.count(b"\n", 0, error.start) + 1
        column = error.start - (body.rfind(b"\n", 0, error.start) + 1) + 1
        message = Message(
            "the file is not valid {encoding}: bad byte at offset {offset}", encoding=encoding, offset=error.start
        )
        raise SourceError(message, row, column) from error
    except (UnicodeError, LookupError) as error:  # half characters of utf-7, codecs that are none for text
        raise SourceError(Message("the file is not valid {encoding}", encoding=encoding), 1, 1) from error


def flat(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())


def short(text: str, longest: int) -> str:
    """Return a text, cut to at most so many characters."""
    return text if len(text) <= longest else f"{text[: longest - 3]}..."
