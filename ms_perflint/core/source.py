"""Files as the engine sees them: decoded text, positions, and the only way to the disk."""

from __future__ import annotations

import bisect
import errno
import io
import os
import re
import stat
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Optional, Protocol

from ms_perflint.core.findings import Edit, Place, Problem
from ms_perflint.languages import Message

if TYPE_CHECKING:
    from ms_perflint.notebooks.notebook import Cell, Notebook

BOM = b"\xef\xbb\xbf"
NOTEBOOK = ".ipynb"
PYTHON = (".py", NOTEBOOK)  # how the names of files end that are, or hold, Python
Span = tuple[int, int]  # byte offsets in Source.text, end excluded
LARGEST = 100_000_000  # bytes of a file that is read; more in a file of our own says who reads it
SETTLED = 2_000_000_000  # ns; file systems count time in steps of up to two seconds
IN_FOLDERS = "*/"  # starts what is asked for in the folders of a directory
DEEPEST = 100  # folders inside one another; links to folders, which may go in circles, are not followed
BELOW = "**/"  # starts what is asked for in a directory and all folders below it
FOLDERS = 32  # folders in a directory after which it is a collection, not a project


class SourceError(Exception):
    """A file that cannot be read as Python text; row and column are 0 where there is no position.

    In a notebook the row counts in a cell, and `cell` says in which.
    """

    def __init__(self, message: str, row: int = 0, column: int = 0, cell: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.row = row
        self.column = column
        self.cell = cell

    def problem(self, path: str) -> Problem:
        """Return what to say of the file at `path`."""
        return Problem(path, self.row, self.column, self.message, self.cell)


class Source:
    """One file: its UTF-8 text without BOM, and how to get back to the bytes on disk.

    All offsets (spans of nodes, edits) are byte offsets in `text`; that is also how `ast` counts columns. Of a
    notebook, `text` holds the code of its cells: only this class, and who shows places to people, need to know.
    """

    def __init__(self, path: str, raw: bytes) -> None:
        """Decode `raw`; raises SourceError when it is no Python text."""
        self.path = path
        self.bom = raw.startswith(BOM)
        body = raw[len(BOM) :] if self.bom else raw
        self._starts: Optional[list[int]] = None
        self.quotes: Optional[int] = None  # see `edits.layout`, which counts them on first use
        self.level: Optional[str] = None  # of indentation, in the same way
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
        """Leave cells out of the text, which keeps its offsets and rows, and note why."""
        for cell, error in lost:
            blank = re.sub(rb"[^\r\n]", b" ", self.text[cell.start : cell.end])
            self.text = self.text[: cell.start] + blank + self.text[cell.end :]
            self.lost = (*self.lost, error)

    def edited(self, edits: Iterable[Edit]) -> bytes:
        """Return the bytes for the disk with edits made that do not overlap. May raise SourceError."""
        if self._notebook is None:
            return self.encode(self.spliced(edits))
        body = self._notebook.edited([(edit.start, edit.end, self.added(edit).decode()) for edit in edits])
        return BOM + body if self.bom else body

    def spliced(self, edits: Iterable[Edit], start: int = 0, end: Optional[int] = None) -> bytes:
        """Return what is written from `start` to `end`, with edits of it made that do not overlap."""
        parts = []
        for edit in sorted(edits):
            parts += [self.written[start : edit.start], self.added(edit)]
            start = edit.end
        return b"".join([*parts, self.written[start:end]])

    def added(self, edit: Edit) -> bytes:
        """Return what an edit puts into the file, as bytes."""
        return self.worded(edit).encode()

    def worded(self, edit: Edit) -> str:
        """Return what an edit puts into the file, with the line end of the line where it begins.

        Of a line without one, and where it would join with another into a third kind, that of a line next to it.
        """
        if "\n" not in edit.text:
            return edit.text
        row = self.row(edit.start)
        ends = (self._line_end(near) for near in (row, row - 1, row + 1))
        texts = [edit.text.replace("\n", end) for end in ends if end]
        return next((text for text in texts if not self._joins(edit, text)), texts[0] if texts else edit.text)

    def _line_end(self, row: int) -> str:
        """Return the line end of a row; "" where it has none of its own: of the last row of a file or a cell."""
        if not 1 <= row < len(self.starts):
            return ""
        cell = self._cell(row)
        line = self.text[self.starts[row - 1] : self.starts[row]]
        is_last = cell is not None and row == cell.row + cell.rows - 1
        return "" if is_last else line[len(line.rstrip(b"\r\n")) :].decode()

    def _joins(self, edit: Edit, text: str) -> bool:
        """Return whether a CR and an LF meet where a text takes the place of an edit."""
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
        """Return the error that stands at a position of the text."""
        place = self._place(row, column)
        return SourceError(message, place.line, column, place.cell) if row else SourceError(message)

    def rows(self, row: int) -> range:
        """Return the rows around a row that are shown together: those of its cell, or of the whole file."""
        cell = self._cell(row)
        return range(cell.row, cell.row + cell.rows) if cell else range(1, len(self.starts))

    def at(self, place: Place) -> int:
        """Return the offset of a place; what lies behind the end of its line is the end of it."""
        before = self.line(place.row).decode("utf-8", "replace")[: place.column - 1]
        return self.offset(place.row, len(before.encode()))

    def in_file(self, place: Place) -> Place:
        """Return where a place is in the file itself: that of a notebook is JSON."""
        if self._notebook is None:
            return place
        body = self.whole[: self._notebook.position(self.at(place))]
        last = body[body.rfind(b"\n") + 1 :].decode("utf-8", "replace")
        return Place(self.path, body.count(b"\n") + 1, len(last) + 1)

    def line(self, row: int) -> bytes:
        """Return what is written in a row (from 1) without its line end; b"" outside of the file."""
        if not 1 <= row < len(self.starts):
            return b""
        return self.written[self.starts[row - 1] : self.starts[row]].rstrip(b"\r\n")


def unreadable(error: OSError) -> Message:
    """Return what to say of a file that the disk does not give."""
    return Message("cannot be read: {reason}", reason=error.strerror or error)


def _encoding(raw: bytes) -> str:
    """Return the codec that PEP 263 gives to these bytes; SourceError when there is none."""
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


Status = tuple[int, int, int, int]  # when a file was modified and changed (ns), its size, its number


class Files(Protocol):
    """The only way to files. What a directory holds is asked for by name: an answer depends on nothing else in it."""

    def read(self, path: str) -> bytes:
        """Return the bytes of a regular file; OSError when it cannot be read."""

    def status(self, path: str) -> Optional[Status]:
        """Return what changes with every change of a file or directory; None where nothing tells that for sure."""

    def _listing(self, directory: str) -> frozenset[str]:
        """Return the names in a directory, for files behind other files; empty when it cannot be listed."""

    def named(self, directory: str, *asked: str) -> frozenset[str]:
        """Return those names in a directory that are asked for: `train.py`, `*.py`, `*requirements*.txt`.

        `*/*.py` asks for them in the folders of the directory; none of these counts where there are many, and `*/` asks
        for the folders then. `**/*.py` asks for them in the directory and all folders below it.
        """
        names = self._listing(directory)
        below = tuple([each for each in asked if each.startswith(BELOW)])
        deeper = tuple(
            [each[len(IN_FOLDERS) :] for each in asked if each.startswith(IN_FOLDERS) and each != IN_FOLDERS]
        )
        folders = _folders(names) if below or deeper or IN_FOLDERS in asked else []
        is_many = len(folders) > FOLDERS
        found = set(_among(names, (*asked, *[each[len(BELOW) :] for each in below])))
        for folder in folders if below or not is_many else ():
            inner = os.path.join(directory, folder)
            all_below = below if inner.count(os.sep) < DEEPEST and not os.path.islink(inner) else ()
            names = self.named(inner, *all_below, *(() if is_many else deeper))
            found.update(os.path.join(folder, name) for name in names)
        return frozenset(found.union(folders if is_many and IN_FOLDERS in asked else ()))


def _folders(names: frozenset[str]) -> list[str]:
    """Return the names that may be of folders with code."""
    return [name for name in names if "." not in name and name[:2] != "__"]


def _among(names: frozenset[str], asked: Sequence[str]) -> frozenset[str]:
    """Return the names that are asked for: whole, or by a pattern that starts with a star."""
    patterns = [each[1:].rpartition("*") for each in asked if each.startswith("*")]
    whole = names.intersection(asked)
    if not patterns:
        return whole
    ends = tuple([end for _, _, end in patterns])
    return whole.union(
        name
        for name in names
        if name.endswith(ends)
        and any(name.endswith(end) and inner in name[: len(name) - len(end)] for inner, _, end in patterns)
    )


class Disk(Files):
    """The files of this machine; a directory stays as it was when it was listed first."""

    def __init__(self) -> None:
        self._listed: dict[str, tuple[frozenset[str], Optional[Status]]] = {}

    def read(self, path: str) -> bytes:
        """Return the bytes of a regular file; OSError when it cannot be read or is no regular file."""
        return read_regular(path)

    def _listing(self, directory: str) -> frozenset[str]:
        """Return the names in a directory, listed once; empty when it cannot be listed."""
        if directory not in self._listed:
            status = _status(directory)  # before the names: what changes in between is then seen as changed
            try:
                self._listed[directory] = frozenset(os.listdir(directory)), status
            except OSError:
                self._listed[directory] = frozenset(), None
        return self._listed[directory][0]

    def status(self, path: str) -> Optional[Status]:
        """Return the times, the size and the number of a file or directory; None where they may not tell."""
        return self._listed[path][1] if path in self._listed else _status(path)


def _status(path: str) -> Optional[Status]:
    """Return the status of what is there; None where it changed so lately that another change may not show in it."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    modified, changed, settled = found.st_mtime_ns, found.st_ctime_ns, time.time_ns() - SETTLED
    if modified > settled or changed > settled:
        return None
    return modified, changed, found.st_size, found.st_ino


def without_waiting(path: str, flags: int) -> int:
    """Return an open file; a pipe without a writer is not waited for."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_regular(path: str, most: int = LARGEST, opener: Callable[[str, int], int] = without_waiting) -> bytes:
    """Return the bytes of a file; OSError when it is no regular file, holds more than `most`, or cannot be read.

    Every file that a repository brings is read by this function: a pipe, a device or a huge file stops no run.
    """
    with open(path, "rb", opener=opener) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, Message("not a regular file"))
        if status.st_size > most:
            raise OSError(errno.EFBIG, Message("larger than {most} MB", most=most // 1_000_000))
        return file.read()


class Overlay(Files):
    """Texts that stand in front of the disk: stdin, editor buffers, fix passes, rule pages."""

    def __init__(self, base: Files, contents: dict[str, bytes]) -> None:
        self.base = base
        self.contents = contents  # absolute path -> bytes as they would stand on disk

    def read(self, path: str) -> bytes:
        """Return the text laid over `path`, else what the base holds."""
        return self.contents[path] if path in self.contents else self.base.read(path)

    def _listing(self, directory: str) -> frozenset[str]:
        """Return the names in a directory, laid-over files and their folders included."""
        prefix = directory.rstrip(os.sep) + os.sep
        laid = {path[len(prefix) :].split(os.sep)[0] for path in self.contents if path.startswith(prefix)}
        return self.base._listing(directory) | laid

    def status(self, path: str) -> Optional[Status]:
        """Return None where something is laid over a file, or into a directory; else what the base says."""
        prefix = path.rstrip(os.sep) + os.sep
        is_covered = path in self.contents or any(laid.startswith(prefix) for laid in self.contents)
        return None if is_covered else self.base.status(path)


CHANGE = "\1change"  # a directory that is nowhere: its names are what a change is about, as paths without links, and
ONLY_CONFIGS = "\1only"  # where these are config files, and nothing else changed


def with_change(files: Files, paths: Collection[str]) -> Files:
    """Return files with what a change is about: it is noted, as of names in a directory, what is asked of that."""
    return _Changed(files, frozenset(paths)) if paths else files


class _Changed(Files):
    """Files with a directory `CHANGE`."""

    def __init__(self, base: Files, paths: frozenset[str]) -> None:
        self.base = base
        self._paths = paths

    def read(self, path: str) -> bytes:
        """Return what the base has."""
        return self.base.read(path)

    def _listing(self, directory: str) -> frozenset[str]:
        """Return what the base says, and what changed."""
        return self._paths if directory == CHANGE else self.base._listing(directory)

    def status(self, path: str) -> Optional[Status]:
        """Return what the base says; nothing tells for sure what changed."""
        return self.base.status(path) if path != CHANGE else None


class Nowhere(Files):
    """No files at all: the base for text that comes without a disk."""

    def read(self, path: str) -> bytes:
        """Raise FileNotFoundError for every path."""
        raise FileNotFoundError(path)

    def _listing(self, directory: str) -> frozenset[str]:
        """Return nothing."""
        return frozenset()

    def status(self, path: str) -> Optional[Status]:
        """Return None: nothing is there."""
        return None
