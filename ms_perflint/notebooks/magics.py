"""IPython syntax in cells, which is blanked out so that offsets of the Python code stay.

A magic, a shell line or a question is replaced by text with the same number of bytes and rows:
`%matplotlib inline` becomes a `0` and spaces, the command in `names = !ls` an unknown name, and of
`%time train()` the call stays.
"""

from __future__ import annotations

import re

PYTHON_CELLS = frozenset(
    {b"capture", b"debug", b"prun", b"pypy", b"python", b"python3", b"pyspy", b"time", b"timeit", b"memray_flamegraph"}
)
_CELL = re.compile(rb"\s*%%([\w.]*)[^\n]*\n?")
# a magic without its sign: two words in a row are no Python, unless one is an operator
_BARE = (
    rb"[ \t]*(?P<command>(?:pip3?|conda|mamba|ls|cd|cat|cp|mv|rm|mkdir)[ \t]+"
    rb"(?!(?:and|else|for|if|in|is|not|or)\b)(?=[\w./~$]|-\w))"
)
_BARE_COMMAND = re.compile(_BARE)
_MAY_HOLD = re.compile(rb"^[ \t]*[%!?/,;]|\?[ \t]*\r?$|=[ \t]*[%!]|^" + _BARE, re.MULTILINE)
_ESCAPED = re.compile(rb"[ \t]*([%!?/,;])")
_RUNS = re.compile(rb"[ \t]*%(?:time|timeit|prun)(?:[ \t]+-\w+(?:[ \t]+\d+)?)*[ \t]+(?=[^\s-])")
_COMPOUND = re.compile(rb"(?:async|class|def|for|if|try|while|with)\b|@")
_REST = re.compile(rb"(?:[^\\\n]|\\\r?\n|\\)*")  # to the end of a line, and of lines joined by backslashes
_TOKEN = re.compile(
    rb"""(?P<text>\#[^\n]*|'''(?:\\.|[^\\])*?'''|\"\"\"(?:\\.|[^\\])*?\"\"\"|'(?:\\.|[^\\'\n])*'|"(?:\\.|[^\\"\n])*")
    |(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<join>\\\r?\n)|(?P<end>\n)
    |(?P<given>(?<![=!<>%])=[ \t]*(?=%\w|!))|(?P<other>[^\s#'"()\[\]{}\\=]+|.)""",
    re.VERBOSE | re.DOTALL,
)
NOTHING = b"0"  # a statement that does nothing
UNKNOWN = b"_1"  # an unknown expression


def is_python(cell: bytes) -> bool:
    """Return whether a cell is Python, perhaps below a `%%time` or the like."""
    magic = _CELL.match(cell)
    return magic is None or magic.group(1) in PYTHON_CELLS


def hidden(cell: bytes) -> int:
    """Return the length in bytes of a magic for the whole cell at its top, with the line end."""
    magic = _CELL.match(cell)
    return magic.end() if magic else 0


def blanked(cell: bytes) -> bytes:
    """Return a cell with everything but Python blanked out."""
    if not _MAY_HOLD.search(cell):
        return cell
    parts, at = [], 0
    while at < len(cell):
        part = _statement(cell, at)
        parts.append(part)
        at += len(part)
    return b"".join(parts)


def _statement(cell: bytes, start: int) -> bytes:
    """Return the line at `start`, with those that brackets, strings and backslashes join with it, as Python."""
    runs = _RUNS.match(cell, start)
    if runs and not _COMPOUND.match(cell, runs.end()) and not _ESCAPED.match(cell, runs.end()):
        margin = runs.group().index(b"%")
        return runs.group()[:margin] + _filled(runs.group()[margin:], b"0;") + _statement(cell, runs.end())
    if escaped := _ESCAPED.match(cell, start):
        return cell[start : escaped.start(1)] + _blank(cell, escaped.start(1), NOTHING)
    if bare := _BARE_COMMAND.match(cell, start):
        return cell[start : bare.start("command")] + _blank(cell, bare.start("command"), NOTHING)
    depth, last = 0, b""
    for token in _TOKEN.finditer(cell, start):
        depth += (token.lastgroup == "open") - (token.lastgroup == "close" and depth > 0)
        if token.lastgroup == "given" and not depth:
            return cell[start : token.end()] + _blank(cell, token.end(), UNKNOWN)
        if token.lastgroup == "end" and not depth:
            return _line(cell[start : token.end()], last)
        if token.group().strip() and not token.group().startswith(b"#"):
            last = token.group()
    return _line(cell[start:], last)


def _line(line: bytes, last: bytes) -> bytes:
    """Return a line as Python; `last` is its last word: one that ends with `?` is a question."""
    if not last.endswith(b"?"):
        return line
    margin = len(line) - len(line.lstrip())
    return line[:margin] + _filled(line[margin:], NOTHING)


def _blank(cell: bytes, start: int, instead: bytes) -> bytes:
    """Return the replacement of a command up to the end of its line."""
    rest = _REST.match(cell, start)
    assert rest is not None
    return _filled(rest.group() + cell[rest.end() : rest.end() + 1], instead)


def _filled(text: bytes, instead: bytes) -> bytes:
    """Return `instead`, padded with spaces to the same length and rows."""
    blank = re.sub(rb"[^\r\n]", b" ", text)
    return instead + blank[len(instead) :] if len(blank.split(b"\n")[0].rstrip(b"\r")) >= len(instead) else text
