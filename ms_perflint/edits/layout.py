"""The layout of source lines: indentation, width, comments."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import unicodedata
from typing import TYPE_CHECKING

from ms_perflint.index.syntax_forms import descendants

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ms_perflint.core.source import Source, Span

BLANK = b" \t\f"
SHORT = 60  # lines of fewer bytes are not measured
LONGEST = 120  # lines above this width, such as texts and tables, are not measured
TAB_WIDTH = 4  # as in ruff
_MARK = re.compile(rb"\#[^\r\n]*|[(),;]")  # the only characters with a meaning between items
_REMARK = re.compile(rb"[ \t\f]*\#[^\r\n]*")


def marks(text: bytes, start: int, end: int) -> Iterator[tuple[str, int]]:
    """Yield brackets, commas, semicolons and "#" (a comment) with their offsets, in a text without strings."""
    for mark in _MARK.finditer(text, start, end):
        yield chr(mark.group()[0]), mark.start()


def remark(source: Source, offset: int) -> int | None:
    """Return the end of the comment behind `offset` on its line; None without one."""
    found = _REMARK.match(source.text, offset)
    return found.end() if found else None


def line_start(source: Source, offset: int) -> int:
    """Return the start of the line of `offset`."""
    return source.starts[source.row(offset) - 1]


def line_end(source: Source, offset: int) -> int:
    """Return the end of the line of `offset`, before the line end."""
    row = source.row(offset)
    return source.starts[row - 1] + len(source.line(row))


def starts_line(source: Source, offset: int) -> bool:
    """Return whether only blanks precede `offset` on its line."""
    return not source.text[line_start(source, offset) : offset].strip(BLANK)


def is_joined(source: Source, row: int) -> bool:
    """Return whether a backslash, perhaps at the end of a comment, joins a row with the one above."""
    return source.line(row - 1).endswith(b"\\")


def indent(source: Source, offset: int) -> str:
    """Return the indentation of the line of `offset`."""
    line = source.line(source.row(offset))
    return line[: len(line) - len(line.lstrip(BLANK))].decode()


def pad(source: Source, offset: int) -> str:
    """Return blanks that align text with `offset`: the indentation of its line, then spaces."""
    before = source.text[line_start(source, offset) : offset].decode()
    own = before[: len(before) - len(before.lstrip(" \t\f"))]
    return own + " " * (width(before) - width(own))


def width(text: str) -> int:
    """Return the number of columns of a text: two for wide characters, none for combining ones."""
    if text.isascii():
        return len(text.expandtabs(TAB_WIDTH))
    columns = 0
    for char in text.expandtabs(TAB_WIDTH):
        if not unicodedata.combining(char):
            columns += 2 if unicodedata.east_asian_width(char) in "WF" else 1
    return columns


def fits(source: Source, offset: int, text: str, line_length: int) -> bool:
    """Return whether `text` fits at `offset` within the line length."""
    line, start = source.line(source.row(offset)), line_start(source, offset)
    if source.text[start : start + len(line)] != line:
        return True  # the code of a magic, like `%time f(x)`, which IPython reads by the line
    return width(line.decode()) + width(text) <= limit(source, line_length)


def limit(source: Source, line_length: int) -> int:
    """Return the line length: as configured, or that of the longest line in the file, up to 120 columns."""
    if source.longest is None:
        lines = (line for line in source.text.splitlines() if len(line) > SHORT)
        code = (line.decode().rstrip() for line in lines if not line.lstrip().startswith(b"#"))
        source.longest = min(max(map(width, code), default=0), LONGEST)
    return max(line_length, source.longest)


def unit(tree: ast.Module, source: Source) -> str:
    """Return one level of indentation in this file: that of its first indented block, by default four spaces."""
    if source.level is None:
        source.level = _unit(tree, source)
    return source.level


def _unit(tree: ast.Module, source: Source) -> str:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, ast.stmt) and isinstance(body, list) and starts_line(source, _start(source, body[0])):
            outer, inner = indent(source, _start(source, node)), indent(source, _start(source, body[0]))
            if inner.startswith(outer) and inner != outer:
                return inner[len(outer) :]
    return "    "


def requoted(tree: ast.Module, source: Source, text: str, old: ast.AST | None = None) -> str:
    """Return new code with the quotes of the string `old` that it replaces, or those that the file prefers."""
    if '"' not in text or "'" in text or "\\" in text:
        return text
    votes = _votes(source, [old] if old is not None else []) or _votes_of_file(tree, source)
    return text.replace('"', "'") if votes > 0 else text


def _votes_of_file(tree: ast.Module, source: Source) -> int:
    """Return how many more strings of a file have single quotes than double quotes; counted once."""
    if source.quotes is None:
        source.quotes = _votes(source, descendants(tree))
    return source.quotes


def _votes(source: Source, nodes: Iterable[ast.AST]) -> int:
    """Return how many more strings have single than double quotes, without strings of several lines."""
    votes = 0
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.lineno == node.end_lineno:
            end = source.offset(node.lineno, node.end_col_offset or 0)
            votes += {b"'": 1, b'"': -1}.get(source.text[end - 1 : end], 0)
    return votes


def _start(source: Source, node: ast.stmt) -> int:
    """Return the offset of a statement."""
    return source.offset(node.lineno, node.col_offset)


def comments(text: bytes) -> tuple[Span, ...]:
    """Return the spans of comments in the text of an expression; "#" in strings does not count."""
    if b"#" not in text:
        return ()
    lines = list(io.StringIO((b"(" + text + b"\n)").decode(), newline=""))  # `splitlines` also splits at form feeds
    found = []
    for token in tokenize.generate_tokens(iter(lines).__next__):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            before = "".join(lines[: row - 1]) + lines[row - 1][:column]
            start = len(before.encode()) - 1  # the added parenthesis
            found.append((start, start + len(token.string.encode())))
    return tuple(found)
