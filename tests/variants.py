"""The same programs in the shapes that files come in: line ends, tabs, encodings, comments in every line.

A variant has the findings of the original; where a file cannot take a shape, there is none.
"""

from __future__ import annotations

import ast
import codecs
import io
import re
import tokenize
from collections.abc import Callable, Mapping
from typing import Optional

from properties import Text, parsed

_COOKIE = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*[-\w.]+", re.MULTILINE)
_IMPORTANT = re.compile(r"#\s*(noqa|ms-perflint|type:)")


def varied(raw: bytes, name: str) -> Optional[bytes]:
    """Return a file in another shape; None where it cannot take it, or has it already."""
    try:
        before = parsed(raw)
        made = VARIANTS[name](Text.of(raw).utf8.decode().replace("\r\n", "\n").replace("\r", "\n"))
        if made is None or made == raw:
            return None
        return made if len(parsed(made).body) >= len(before.body) else None
    except (SyntaxError, ValueError, LookupError, RecursionError, MemoryError, tokenize.TokenError):
        return None


def _crlf(text: str) -> bytes:
    return text.replace("\n", "\r\n").encode()


def _cr(text: str) -> Optional[bytes]:
    """Python's own tokenizer takes a lone `\\r` for a line end only where it decodes the file."""
    return text.replace("\n", "\r").encode() if "\\\n" not in text else None


def _tabs(text: str) -> bytes:
    return re.sub(r"^(?: {4})+", lambda match: "\t" * (len(match.group()) // 4), text, flags=re.MULTILINE).encode()


def _mark(text: str) -> Optional[bytes]:
    return None if _COOKIE.search(text[:200]) else codecs.BOM_UTF8 + text.encode()


def _encoded(text: str, encoding: str, comment: str) -> bytes:
    """Return a text with a cookie and a comment that shows it; what the encoding lacks becomes a question mark."""
    first, rest = text.split("\n", 1) if text.startswith("#!") else ("", text)
    body = _COOKIE.sub("# (the encoding is named above)", rest[:200]) + rest[200:]
    shebang = f"{first}\n" if first else ""
    return f"{shebang}# -*- coding: {encoding} -*-\n# {comment}\n{body}".encode(encoding, "replace")


def _latin(text: str) -> bytes:
    return _encoded(text, "latin-1", "é")


def _gbk(text: str) -> bytes:
    return _encoded(text, "gbk", "训练")


def _unended(text: str) -> bytes:
    return text.rstrip("\n").encode()


def _form_feeds(text: str) -> bytes:
    """A form feed in front of each statement of the module, as some editors divide pages."""
    rows = {stmt.lineno for stmt in ast.parse(text).body}
    lines = text.split("\n")
    return "\n".join(f"\f{line}" if row in rows else line for row, line in enumerate(lines, 1)).encode()


def _wide(text: str) -> bytes:
    """Characters of several bytes in front of each simple statement, on its line."""
    tree = ast.parse(text)
    docstrings = {
        id(node.body[0])
        for node in ast.walk(tree)
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.Module)) and node.body
    }
    lines = text.split("\n")
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Assign, ast.Expr, ast.Return, ast.AugAssign)) or id(node) in docstrings:
            continue
        line = lines[node.lineno - 1]
        column = len(line.encode()[: node.col_offset].decode())
        above = lines[node.lineno - 2] if node.lineno > 1 else ""
        if not line[:column].strip() and not above.endswith("\\"):
            lines[node.lineno - 1] = f"{line[:column]}'多é😀'; {line[column:]}"
    return "\n".join(lines).encode()


def _commented(text: str) -> bytes:
    """A comment behind every line that can have one."""
    lines = text.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        row, column = token.start
        if token.type in (tokenize.NEWLINE, tokenize.NL) and lines[row - 1][:column].strip() and "#" not in token.line:
            lines[row - 1] = f"{lines[row - 1][:column].rstrip()}  # 注é"
    return "\n".join(lines).encode()


def _semicolons(text: str) -> bytes:
    """A semicolon behind every simple statement that ends its line."""
    lines = text.split("\n")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Assign, ast.Expr, ast.Return, ast.AugAssign, ast.Import, ast.ImportFrom)):
            line = lines[(node.end_lineno or 1) - 1]
            column = len(line.encode()[: node.end_col_offset].decode())
            if not line[column:].strip():
                lines[(node.end_lineno or 1) - 1] = f"{line[:column]} ;"
    return "\n".join(lines).encode()


def _broken(text: str) -> bytes:
    """A line break behind every opening bracket and in front of every closing one."""
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    lines = text.split("\n")
    for token in reversed(tokens):
        if token.type == tokenize.OP and token.string in ("(", ")"):
            row, column = token.start
            at = column + 1 if token.string == "(" else column
            lines[row - 1] = f"{lines[row - 1][:at]}\n  {lines[row - 1][at:]}"
    return "\n".join(lines).encode()


VARIANTS: Mapping[str, Callable[[str], Optional[bytes]]] = {
    "crlf": _crlf,
    "cr": _cr,
    "tabs": _tabs,
    "mark": _mark,
    "latin-1": _latin,
    "gbk": _gbk,
    "unended": _unended,
    "form feeds": _form_feeds,
    "wide": _wide,
    "commented": _commented,
    "semicolons": _semicolons,
    "broken": _broken,
}
