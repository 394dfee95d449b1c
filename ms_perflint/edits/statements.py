"""Deletion of statements, and insertion of lines between them."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from ms_perflint.core.findings import Edit
from ms_perflint.edits.comments import readable
from ms_perflint.edits.expressions import ancestors, first_row
from ms_perflint.edits.layout import BLANK, indent, is_joined, line_start, requoted, starts_line, unit
from ms_perflint.index.syntax_forms import children

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ms_perflint.index.semantic_index import SemanticIndex

_JOINT = re.compile(rb"[ \t\f]*;(?:[ \t\f]|\\(?:\r\n|\r|\n))*")  # the text between `a` and `b` in `a; b`
_REST = re.compile(
    rb"((?:[ \t\f]*;)?)[ \t\f]*(?:\#[^\r\n]*)?(?=[\r\n]|\Z)"
)  # text that may follow a statement on its last line


def delete_statement(module: SemanticIndex, stmt: ast.stmt) -> tuple[Edit, ...] | None:
    """Return the edit that deletes a simple statement with its lines; its comments get lines of their own.

    The only statement of a block becomes `pass`. None for compound statements, and where lines cannot be distinguished.
    Comments in a statement that shares its lines are deleted with it.
    Suppressions and other comments for tools are deleted with their code.
    """
    path = ancestors(module, stmt)
    if is_compound(stmt) or len(path) < 2:
        return None
    start, end = module.span(stmt)
    block = _block(path[-2], stmt)
    index = block.index(stmt)
    if len(block) == 1 and not isinstance(path[-2], ast.Module):
        return (_passed(module, start, end),)
    if index + 1 < len(block) and _joined(module, stmt, block[index + 1]):
        return (Edit(module.path, start, module.span(block[index + 1])[0], ""),)
    if index and _joined(module, block[index - 1], stmt):
        return (Edit(module.path, module.span(block[index - 1])[1], end, ""),)
    return _delete_lines(module, start, end, index == 0)


def insert_before(module: SemanticIndex, stmt: ast.stmt, line: str) -> tuple[Edit, ...] | None:
    """Return the edit that inserts a line above a statement and its comments, with its indentation.

    Behind `;` or `if x:` a simple statement goes on the same line. None before `elif` and `__future__` imports.
    """
    source, start = module.source, module.span(stmt)[0]
    line = requoted(module.tree, source, line)
    if source.text.startswith(b"elif", start) or is_future(stmt):
        return None
    top = source.starts[first_row(stmt) - 1]
    if starts_line(source, start) and not is_joined(source, source.row(top)):
        top = _above_comments(module, stmt, top)
        margin = indent(source, top)
        top += margin.rfind("\f") + 1  # a form feed stays where it divides the file
        margin = margin[margin.rfind("\f") + 1 :]
        return (Edit(module.path, top, top, "".join(f"{margin}{part}\n" for part in _indented(module, line))),)
    added = ast.parse(line).body
    if is_compound(stmt) or len(added) != 1 or is_compound(added[0]) or "\n" in line:
        return None
    return (Edit(module.path, start, start, f"{line}; "),)


def insert_after(module: SemanticIndex, stmt: ast.stmt, lines: str) -> tuple[Edit, ...] | None:
    """Return the edit that inserts lines below a statement, with its indentation; None where it shares a line."""
    source, (start, end) = module.source, module.span(stmt)
    if not starts_line(source, start) or _REST.match(source.text, end) is None:
        return None
    if source.text[end:].lstrip(BLANK).startswith(b";"):
        return None
    margin, row = indent(source, start), source.row(end)
    parts = _indented(module, requoted(module.tree, source, lines))
    text = "\n".join(f"{margin}{part}" if part else "" for part in parts)
    offset = source.starts[row]
    ended = source.text[:offset].endswith((b"\n", b"\r"))
    return (Edit(module.path, offset, offset, f"{text}\n" if ended else f"\n{text}"),)


def _above_comments(module: SemanticIndex, stmt: ast.stmt, top: int) -> int:
    """Return the start of the comments above a statement; `top` is the start of its first line.

    Comments at the top of the file are about the file. The last line of a string may look like a comment.
    """
    source, row = module.source, module.source.row(top)
    path = ancestors(module, stmt)
    around = children(path[-2]) if len(path) > 1 else []
    ends: list[int] = []
    for node in around:  # which grows in the loop
        end = getattr(node, "end_lineno", row)
        if end < row:  # nested strings end no later
            ends.append(end)
        elif node is stmt or getattr(node, "lineno", 0) < row:
            around.extend(children(node))
    first, margin = row, indent(source, top)
    while first - 1 > max(ends, default=0) and source.line(first - 1).startswith(f"{margin}#".encode()):
        first -= 1
    return source.starts[first - 1] if first > 1 else top


def _indented(module: SemanticIndex, lines: str) -> list[str]:
    """Return lines, given with four spaces for a level, with the indentation of the file."""
    level = unit(module.tree, module.source)
    found = []
    for line in lines.split("\n"):
        text = line.lstrip(" ")
        depth = len(line) - len(text)
        found.append(level * (depth // 4) + " " * (depth % 4) + text)
    return found


def insert_below(module: SemanticIndex, index: int, lines: str) -> Edit:
    """Return the edit that inserts lines below a statement of the module, and below others on its last line."""
    source, body = module.source, module.tree.body
    row = body[index].end_lineno or 0
    for stmt in body[index + 1 :]:
        if first_row(stmt) > row and not is_joined(source, row + 1):
            break
        row = max(row, stmt.end_lineno or 0)
    offset = source.starts[row]
    ended = source.text[:offset].endswith((b"\n", b"\r"))
    return Edit(module.path, offset, offset, f"{lines}\n" if ended else f"\n{lines}")


def free(module: SemanticIndex, name: str) -> str:
    """Return a name that no scope of a file binds yet."""
    taken = {bound for scope in module.scopes for bound in (*scope.bindings, *scope.attributes)}
    while name.rpartition(".")[2] in taken:
        name += "_"
    return name


def is_compound(stmt: ast.stmt) -> bool:
    """Return whether a statement contains others."""
    return hasattr(stmt, "body") or hasattr(stmt, "cases")


def is_future(stmt: ast.stmt) -> bool:
    """Return whether a statement is a `from __future__ import`."""
    return isinstance(stmt, ast.ImportFrom) and stmt.module == "__future__"


def _block(parent: ast.AST, stmt: ast.stmt) -> Sequence[ast.AST]:
    """Return the block of statements that contains `stmt`."""
    return next(value for _, value in ast.iter_fields(parent) if isinstance(value, list) and stmt in value)


def _joined(module: SemanticIndex, left: ast.AST, right: ast.AST) -> bool:
    """Return whether two statements are joined by a semicolon."""
    between = module.source.text[module.span(left)[1] : module.span(right)[0]]
    return _JOINT.fullmatch(between) is not None


def _passed(module: SemanticIndex, start: int, end: int) -> Edit:
    """Return the edit that replaces a statement by `pass`, with its comments above and behind."""
    source, rest = module.source, _REST.match(module.source.text, end)
    if rest is None:
        return Edit(module.path, start, end, "pass")
    inside = readable(source, start, end) if starts_line(source, start) else []
    above = "".join(f"{text}\n{indent(source, start)}" for _, text in inside)
    behind = readable(source, end, rest.end())
    return Edit(module.path, start, rest.end(1) if behind else rest.end(), f"{above}pass")


def _delete_lines(module: SemanticIndex, start: int, end: int, is_first: bool) -> tuple[Edit, ...] | None:
    """Return the edit that deletes the lines of a statement; None where they contain other code, too.

    Blank lines that would be superfluous are deleted, too; `is_first`: it is the first of its block.
    """
    source = module.source
    top, rest = line_start(source, start), _REST.match(source.text, end)
    if source.text[top:start].strip(BLANK) or rest is None or is_joined(source, source.row(top)):
        return None
    if remarks := readable(source, start, rest.end()):
        texts, (last, text) = [text for _, text in remarks], remarks[-1]
        is_behind = last >= end  # it stays where it is
        lines = f"\n{indent(source, start)}".join([*texts[:-1], "" if is_behind else text])
        return (Edit(module.path, start, last if is_behind else rest.end(), lines),)
    first, last = source.row(top), source.row(end)
    above, below = _blanks(module, first, -1), _blanks(module, last, 1)
    if last + below >= len(source.starts) - 1:
        first -= above
    elif is_first and not source.line(first - 1).strip(BLANK).startswith(b"#"):
        last += below
    elif above and below:
        first -= min(above, below)
    top, bottom = source.starts[first - 1], source.starts[last]
    if top and not source.text[:bottom].endswith((b"\n", b"\r")):
        above = first - 1  # the file keeps its end without a line end
        return (Edit(module.path, source.starts[above - 1] + len(source.line(above)), bottom, ""),)
    if source.text[:top].endswith(b"\r") and source.text.startswith(b"\n", bottom):  # these two would become one
        return (Edit(module.path, top - 1, source.starts[last - 1] + len(source.line(last)), ""),)
    return (Edit(module.path, top, bottom, ""),)


def _blanks(module: SemanticIndex, row: int, step: int) -> int:
    """Return the number of blank lines above or below a row."""
    source, count = module.source, 0
    while 1 <= (next_row := row + step * (count + 1)) < len(source.starts) and not source.line(next_row).strip(b" \t"):
        count += 1
    return count
