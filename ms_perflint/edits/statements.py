"""Delete statements, and insert lines between them."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from ms_perflint.edits.expressions import ancestors, first_row
from ms_perflint.edits.layout import BLANK, indent, line_start, starts_line
from ms_perflint.findings import Edit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ms_perflint.semantics.module import Module

_JOINT = re.compile(rb"[ \t\f]*;(?:[ \t\f]|\\(?:\r\n|\r|\n))*")  # what stands between `a` and `b` in `a; b`
_REST = re.compile(rb"[ \t\f]*;?[ \t\f]*(?:\#[^\r\n]*)?(?=[\r\n]|\Z)")  # what may follow a statement on its last line


def delete_statement(module: Module, stmt: ast.stmt) -> tuple[Edit, ...] | None:
    """Return the edit that deletes a simple statement with its lines and the comment at its end.

    The only statement of a block becomes `pass`. None for compound statements, and where lines cannot be told apart.
    """
    path = ancestors(module, stmt)
    if is_compound(stmt) or len(path) < 2:
        return None
    start, end = module.span(stmt)
    block = _block(path[-2], stmt)
    index = block.index(stmt)
    if len(block) == 1 and not isinstance(path[-2], ast.Module):
        rest = _REST.match(module.source.text, end)
        return (Edit(module.path, start, rest.end() if rest else end, "pass"),)
    if index + 1 < len(block) and _joined(module, stmt, block[index + 1]):
        return (Edit(module.path, start, module.span(block[index + 1])[0], ""),)
    if index and _joined(module, block[index - 1], stmt):
        return (Edit(module.path, module.span(block[index - 1])[1], end, ""),)
    return _delete_lines(module, start, end)


def insert_before(module: Module, stmt: ast.stmt, line: str) -> tuple[Edit, ...] | None:
    """Return the edit that inserts a line in front of a statement, with the same indentation.

    Behind `;` or `if x:` a simple statement is put on the same line. None before `elif` and `__future__` imports.
    """
    source, start = module.source, module.span(stmt)[0]
    if source.text.startswith(b"elif", start) or is_future(stmt):
        return None
    top = source.starts[first_row(stmt) - 1]
    if starts_line(source, start) and not _continued(module, top):
        margin = indent(source, top)
        return (Edit(module.path, top, top, "".join(f"{margin}{part}\n" for part in line.split("\n"))),)
    added = ast.parse(line).body
    if is_compound(stmt) or len(added) != 1 or is_compound(added[0]) or "\n" in line:
        return None
    return (Edit(module.path, start, start, f"{line}; "),)


def insert_below(module: Module, index: int, lines: str) -> Edit:
    """Return the edit that inserts lines below a statement of the module, and below all that shares its last line."""
    source, body = module.source, module.tree.body
    row = body[index].end_lineno or 0
    for stmt in body[index + 1 :]:
        if first_row(stmt) > row and not source.line(row).endswith(b"\\"):
            break
        row = max(row, stmt.end_lineno or 0)
    offset = source.starts[row]
    ended = source.text[:offset].endswith((b"\n", b"\r"))
    return Edit(module.path, offset, offset, f"{lines}\n" if ended else f"\n{lines}")


def is_compound(stmt: ast.stmt) -> bool:
    """Return whether a statement holds others."""
    return hasattr(stmt, "body") or hasattr(stmt, "cases")


def is_future(stmt: ast.stmt) -> bool:
    """Return whether a statement is a `from __future__ import`."""
    return isinstance(stmt, ast.ImportFrom) and stmt.module == "__future__"


def _block(parent: ast.AST, stmt: ast.stmt) -> Sequence[ast.AST]:
    """Return the statements among which `stmt` stands."""
    fields = [value for _, value in ast.iter_fields(parent) if isinstance(value, list)]
    return next(value for value in fields if any(member is stmt for member in value))


def _joined(module: Module, left: ast.AST, right: ast.AST) -> bool:
    """Return whether two statements stand behind each other with a semicolon."""
    between = module.source.text[module.span(left)[1] : module.span(right)[0]]
    return _JOINT.fullmatch(between) is not None


def _continued(module: Module, top: int) -> bool:
    """Return whether the line that starts at `top` goes on with the one before, by a backslash."""
    return module.source.line(module.source.row(top) - 1).endswith(b"\\") if top else False


def _delete_lines(module: Module, start: int, end: int) -> tuple[Edit, ...] | None:
    """Return the edit that deletes the lines of a statement; None where they hold something else too."""
    source = module.source
    top, rest = line_start(source, start), _REST.match(source.text, end)
    if source.text[top:start].strip(BLANK) or rest is None or _continued(module, top):
        return None
    bottom = source.starts[source.row(end)]
    if top and not source.text[:bottom].endswith((b"\n", b"\r")):
        above = source.row(top) - 1  # the file goes on to end without a line end
        return (Edit(module.path, source.starts[above - 1] + len(source.line(above)), bottom, ""),)
    return (Edit(module.path, top, bottom, ""),)
