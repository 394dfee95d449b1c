"""Properties of a file before and after edits. Nothing here uses the code under test.

Texts are bytes as they stand on disk; offsets count bytes of the UTF-8 text without byte order mark, as edits do.
"""

from __future__ import annotations

import ast
import codecs
import io
import re
import tokenize
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Optional

Edit = tuple[int, int, str]  # start, end, new text with "\n" for line ends
Span = tuple[int, int]
_LINE_END = re.compile(rb"\r\n|\r|\n")
_BLANK = re.compile(rb"(?:[\s;\\]|#[^\r\n]*)*")
_DEEP = (RecursionError, MemoryError)


@dataclass(frozen=True)
class Text:
    """A file: its UTF-8 text, and what it takes to get back to the bytes."""

    utf8: bytes
    encoding: str
    mark: bytes  # the byte order mark

    @classmethod
    def of(cls, raw: bytes) -> Text:
        """Return a file's bytes as text. Raises the errors of Python for an invalid file."""
        encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
        mark = codecs.BOM_UTF8 if raw.startswith(codecs.BOM_UTF8) else b""
        encoding = "utf-8" if mark else encoding
        return cls(raw[len(mark) :].decode(encoding).encode(), encoding, mark)

    def starts(self) -> list[int]:
        """Return the starts of the lines."""
        return [0, *(match.end() for match in _LINE_END.finditer(self.utf8))]

    def offset(self, row: int, column: int) -> int:
        """Return the offset of a row and a column, both from 1, the column in characters."""
        start = self.starts()[row - 1]
        return start + len(self.utf8[start:].decode()[: column - 1].encode())


def spliced(raw: bytes, edits: Iterable[Edit]) -> bytes:
    """Return a file with edits applied; the bytes between them are copied."""
    text = Text.of(raw)
    end_of_line = _LINE_END.search(text.utf8)
    newline = end_of_line.group().decode() if end_of_line else "\n"
    parts, done = [text.mark], 0
    for start, end, new in sorted(set(edits)):
        if not done <= start <= end <= len(text.utf8):
            raise ValueError("edits overlap, or lie outside of the file")
        parts += [_bytes(raw, text, done, start), new.replace("\n", newline).encode(text.encoding)]
        done = end
    return b"".join([*parts, _bytes(raw, text, done, len(text.utf8))])


def _bytes(raw: bytes, text: Text, start: int, end: int) -> bytes:
    """Return the bytes on disk of a range of the text."""
    if text.encoding == "utf-8":
        return raw[len(text.mark) + start : len(text.mark) + end]
    first, last = (len(text.utf8[:offset].decode().encode(text.encoding)) for offset in (start, end))
    return raw[first:last]


class Moved:
    """Where the offsets of a file are after edits, and where they were before."""

    def __init__(self, raw: bytes, edits: Iterable[Edit]) -> None:
        text = Text.of(raw)
        found = _LINE_END.search(text.utf8)
        newline = found.group().decode() if found else "\n"
        self.before: list[Span] = []
        self.after: list[Span] = []
        self.gone: list[bool] = []  # nothing but comments takes the place
        shift = 0
        for start, end, new in sorted(set(edits)):
            size = len(new.replace("\n", newline).encode())
            self.before.append((start, end))
            self.after.append((start + shift, start + shift + size))
            self.gone.append(_BLANK.fullmatch(new.encode()) is not None)
            shift += size - (end - start)

    def ahead(self, offset: int) -> int:
        """Return the offset in the edited text of a byte that no edit removes."""
        at = bisect_right(self.before, (offset, offset)) - 1
        return offset if at < 0 else offset - self.before[at][1] + self.after[at][1]

    def border(self, offset: int, span: Span) -> Optional[Span]:
        """Return the possible offsets of a node's first or last byte in the edited text; None if it is removed."""
        for before, after, gone in zip(self.before, self.after, self.gone):
            if before[0] <= offset < before[1]:
                whole = gone or (before[0] <= span[0] and span[1] <= before[1])
                exact = (after[0], after[0] + 1) if before[0] == span[0] else after
                exact = (after[1] - 1, after[1]) if before[1] == span[1] else exact
                return None if whole else exact
        at = self.ahead(offset)
        behind = [after[1] for before, after in zip(self.before, self.after) if before == (span[1], span[1])]
        return at, max([at + 1, *behind]) if offset == span[1] - 1 else at + 1

    def back(self, offset: int) -> Optional[int]:
        """Return the old offset of a byte of the edited text; None for new text."""
        at = bisect_right(self.after, (offset, float("inf"))) - 1
        if at < 0:
            return offset
        if offset < self.after[at][1]:
            return None
        return offset - self.after[at][1] + self.before[at][1]

    def edit_at(self, offset: int) -> Optional[Span]:
        """Return the edit with the new text at an offset of the edited text; None for old text."""
        at = bisect_right(self.after, (offset, float("inf"))) - 1
        return self.before[at] if at >= 0 and self.after[at][0] <= offset < self.after[at][1] else None


def line_ends(raw: bytes) -> frozenset[bytes]:
    """Return the kinds of line ends in a file."""
    return frozenset(match.group() for match in _LINE_END.finditer(Text.of(raw).utf8))


def parsed(raw: bytes) -> ast.Module:
    """Return the tree of a file. Raises SyntaxError and its like."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(Text.of(raw).utf8.decode())


def reads(raw: bytes) -> bool:
    """Return whether LibCST parses a file."""
    import libcst as cst

    try:
        cst.parse_module(Text.of(raw).utf8.decode())
    except (cst.ParserSyntaxError, *_DEEP):
        return False
    return True


def differences(before: bytes, after: bytes, edits: Sequence[Edit]) -> list[str]:
    """Return the differences of a file's trees before and after edits, outside of the edited nodes.

    An expression or statement that no edit reaches is there again, at its place and in the same blocks; what an edit
    reaches into, and does not end, is there again as the same kind of node; and what is clear of new text was there
    before. Empty for trees too deep to be compared.
    """
    moved = Moved(before, edits)
    try:
        old, new = _Tree(before), _Tree(after)
        lost = [old.line(node) for node, span in old.clear(moved.before, False) if not new.has(node, span, moved, old)]
        came = [new.line(node) for node, span in new.clear(moved.after, True) if not old.had(node, span, moved, new)]
        split = [old.line(node) for node, span in old.spans() if not new.keeps(node, span, moved)]
    except _DEEP:
        return []
    changed = [f"read in another way: {line}" for line in split]
    return changed + [f"not there any more: {line}" for line in lost] + [f"was not there: {line}" for line in came]


class _Tree:
    """The tree of a file, its nodes by the span they take."""

    def __init__(self, raw: bytes) -> None:
        self.text = Text.of(raw)
        self.starts = self.text.starts()
        self.tree = parsed(raw)
        self.by_span: dict[Span, list[ast.AST]] = {}
        self.blocks: dict[int, tuple[str, ...]] = {}
        for node, blocks in _walk(self.tree):
            self.blocks[id(node)] = blocks
            if (span := self.span(node)) is not None:
                self.by_span.setdefault(span, []).append(node)

    def span(self, node: ast.AST) -> Optional[Span]:
        """Return the span of a node with its decorators; None for nodes without a place."""
        if not hasattr(node, "end_col_offset"):
            return None
        start = self.starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        for decorator in getattr(node, "decorator_list", ()):
            start = min(start, self.starts[decorator.lineno - 1] + decorator.col_offset)
        return start, self.starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]

    def line(self, node: ast.AST) -> str:
        """Return a node in readable form: its row and its code."""
        return f"row {getattr(node, 'lineno', 0)}: {ast.unparse(node)[:80]!r}"

    def clear(self, edits: Sequence[Span], closed: bool) -> Iterator[tuple[ast.AST, Span]]:
        """Yield the largest nodes that no edit reaches, and where they stand; `closed`: nor borders on."""
        stack: list[ast.AST] = [self.tree]
        while stack:
            node = stack.pop()
            span = self.span(node)
            grows = closed or _is_open_ended(node)
            reach = span
            if span is not None and (closed or grows) and hasattr(node, "body"):  # statements at its end may come or go
                reach = span[0], _BLANK.match(self.text.utf8, span[1]).end()  # type: ignore[union-attr]
            if span is not None and not any(_reaches(edit, reach or span, grows) for edit in edits):
                yield node, span
            elif not isinstance(node, ast.JoinedStr):  # the places in it are wrong before Python 3.12
                stack.extend(ast.iter_child_nodes(node))

    def has(self, node: ast.AST, span: Span, moved: Moved, other: _Tree) -> bool:
        """Return whether a node of the tree before stands here in the tree after."""
        return self._same(node, (moved.ahead(span[0]), moved.ahead(span[1] - 1) + 1), other)

    def had(self, node: ast.AST, span: Span, moved: Moved, other: _Tree) -> bool:
        """Return whether a node of the tree after stood here in the tree before."""
        start, last = moved.back(span[0]), moved.back(span[1] - 1)
        return start is not None and last is not None and self._same(node, (start, last + 1), other)

    def spans(self) -> Iterator[tuple[ast.AST, Span]]:
        """Yield all nodes that have a place, without what stands in f-strings."""
        stack: list[ast.AST] = [self.tree]
        while stack:
            node = stack.pop()
            if (span := self.span(node)) is not None:
                yield node, span
            if not isinstance(node, ast.JoinedStr):
                stack.extend(ast.iter_child_nodes(node))

    def keeps(self, node: ast.AST, span: Span, moved: Moved) -> bool:
        """Return whether a node of the tree before that edits reach into is here as a node of its kind, or need not."""
        if not any(_reaches(edit, span, _is_open_ended(node)) for edit in moved.before):
            return True
        start, end = moved.border(span[0], span), moved.border(span[1] - 1, span)
        if start is None or end is None:
            return True
        starts, ends = (any(each[0] <= at < each[1] for each in moved.before) for at in (span[0], span[1] - 1))
        if starts and ends:  # it was around what stays, as a cast is
            return True
        spans = [(start[0], end[1])] if start[0] == start[1] - 1 and end[0] == end[1] - 1 else self.by_span
        kind = type(node), type(getattr(node, "op", None))
        return any(
            (type(found), type(getattr(found, "op", None))) == kind
            for first, last in spans
            if start[0] <= first < start[1] and end[0] < last <= end[1]
            for found in self.by_span.get((first, last), ())
        )

    def _same(self, node: ast.AST, span: Span, other: _Tree) -> bool:
        """Return whether a node like one of another tree stands at a span."""
        dump, blocks = ast.dump(node), other.blocks[id(node)]
        return any(
            ast.dump(found) == dump and (not isinstance(node, ast.stmt) or self.blocks[id(found)] == blocks)
            for found in self.by_span.get(span, ())
        )


def _walk(tree: ast.AST) -> Iterator[tuple[ast.AST, tuple[str, ...]]]:
    """Yield all nodes, and the kinds of the statements and blocks that hold them."""
    stack: list[tuple[ast.AST, tuple[str, ...]]] = [(tree, ())]
    while stack:
        node, blocks = stack.pop()
        yield node, blocks
        for name, value in ast.iter_fields(node):
            inside = (*blocks, f"{type(node).__name__}.{name}") if isinstance(node, (ast.stmt, ast.Module)) else blocks
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    stack.append((child, inside))


def _is_open_ended(node: ast.AST) -> bool:
    """Return whether more at its end, a name or a statement, leaves it the same statement."""
    is_block = isinstance(node, (ast.stmt, ast.ExceptHandler)) and hasattr(node, "body")
    return is_block or isinstance(node, (ast.Import, ast.ImportFrom))


def _reaches(edit: Span, span: Span, closed: bool) -> bool:
    """Return whether an edit changes what stands at a span; what borders on it does not, unless the span is closed."""
    if closed:
        return edit[0] <= span[1] and span[0] <= edit[1]
    if edit[0] == edit[1]:
        return span[0] < edit[0] < span[1]
    return edit[0] < span[1] and span[0] < edit[1]
