"""Replacement of expressions. The edited statement is parsed and compared, to see whether it needs parentheses."""

from __future__ import annotations

import ast
from bisect import bisect_left
from itertools import takewhile
from typing import TYPE_CHECKING

from ms_perflint.core.findings import Edit
from ms_perflint.edits.layout import comments, indent, line_start, requoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ms_perflint.index.semantic_index import SemanticIndex

_DECORATED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_FORMATTED = ("JoinedStr", "TemplateStr")  # the second since Python 3.14


def replace_expression(module: SemanticIndex, node: ast.expr, text: str) -> tuple[Edit, ...] | None:
    """Return the edit that replaces an expression by `text`, in parentheses where it needs them.

    None inside of f-strings, for assignment targets, where a comment would be lost, and for other nodes.
    """
    start, end = module.span(node)
    if comments(module.source.text[start:end]):
        return None
    try:
        wanted = ast.parse(f"({text}\n)", mode="eval").body
    except SyntaxError:
        return None
    path, text = module.path, requoted(module.tree, module.source, text, node)
    return _proven(module, node, wanted, [(Edit(path, start, end, text),), (Edit(path, start, end, f"({text})"),)])


def wrap(module: SemanticIndex, node: ast.expr, callee: str) -> tuple[Edit, ...] | None:
    """Return the edits that pass an expression to a callee: its own text may have edits. None where that is no call."""
    start, end = module.span(node)
    path, wanted = module.path, ast.parse(f"{callee}({module.text(node)})", mode="eval").body
    return _proven(module, node, wanted, [(Edit(path, start, start, f"{callee}("), Edit(path, end, end, ")"))])


def unwrap(module: SemanticIndex, node: ast.expr, inner: ast.expr) -> tuple[Edit, ...] | None:
    """Return the edits that replace an expression by one of its sub-expressions.

    The text of `inner` is not touched, so that it may have edits of its own. None where comments around it would be
    lost, and as for `replace_expression`.
    """
    (start, end), (first, last) = module.span(node), module.span(inner)
    text, path = module.source.text, module.path
    lost = [span for span in comments(text[start:end]) if not first <= start + span[0] < last]
    if lost or not start <= first <= last <= end:
        return None
    return _proven(
        module,
        node,
        inner,
        [
            tuple(edit for edit in (Edit(path, start, first, ""), Edit(path, last, end, "")) if edit.start < edit.end),
            (Edit(path, start, first, "("), Edit(path, last, end, ")")),
        ],
    )


def ancestors(module: SemanticIndex, node: ast.AST) -> list[ast.AST]:
    """Return the nodes from the module down to `node`; empty if it is not found."""
    row = getattr(node, "lineno", 0)
    stack: list[list[ast.AST]] = [[module.tree]]
    while stack:
        path = stack.pop()
        if path[-1] is node:
            return path
        for _, value in ast.iter_fields(path[-1]):
            if isinstance(value, list):
                stack.extend([*path, child] for child in _at_row(value, row) if isinstance(child, ast.AST))
            elif isinstance(value, ast.AST):
                stack.append([*path, value])
    return []


def _at_row(nodes: Sequence[object], row: int) -> Sequence[object]:
    """Return the statements of a block on a row; for other nodes, all children."""
    if not nodes or not isinstance(nodes[0], ast.stmt):
        return nodes
    first = bisect_left([getattr(node, "end_lineno", 0) for node in nodes], row)
    return list(takewhile(lambda stmt: first_row(stmt) <= row, nodes[first:]))  # type: ignore[arg-type]


def first_row(stmt: ast.stmt) -> int:
    """Return the row on which a statement starts, its decorators included."""
    if isinstance(stmt, _DECORATED) and stmt.decorator_list:
        return min(stmt.lineno, stmt.decorator_list[0].lineno)
    return stmt.lineno


def apply(text: bytes, edits: Sequence[Edit], start: int = 0) -> bytes:
    """Return a text with edits applied; `start` is its offset."""
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start - start] + edit.text.encode() + text[edit.end - start :]
    return text


def _proven(
    module: SemanticIndex, node: ast.expr, wanted: ast.expr, forms: Sequence[tuple[Edit, ...]]
) -> tuple[Edit, ...] | None:
    """Return the first of the edits after which the statement is the old one with `wanted` instead of `node`."""
    path = ancestors(module, node)
    loaded = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
    if not path or not loaded or any(type(parent).__name__ in _FORMATTED for parent in path):
        return None
    stmt = [parent for parent in path if isinstance(parent, ast.stmt)][-1]
    for edits in forms:
        made = _edited(module, stmt, edits)
        if made is not None and _same(stmt, made, node, wanted):
            return edits
    return None


def _edited(module: SemanticIndex, stmt: ast.stmt, edits: Sequence[Edit]) -> ast.stmt | None:
    """Return a statement after edits, parsed alone; None where it does not parse."""
    start, end = module.span(stmt)
    if isinstance(stmt, _DECORATED) and stmt.decorator_list:
        start = line_start(module.source, module.span(stmt.decorator_list[0])[0])
        start += len(indent(module.source, start))
    text = apply(module.source.text[start:end], edits, start)
    if isinstance(stmt, ast.If) and text.startswith(b"elif"):
        text = text[2:]
    compound = hasattr(stmt, "body") or hasattr(stmt, "cases")
    margin = indent(module.source, start) if compound else ""
    lines = f"if 1:\n{margin}" if margin else ""
    try:
        tree = ast.parse(lines + text.decode())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    body = tree.body
    if margin and body and isinstance(body[0], ast.If):
        body = body[0].body
    return body[0] if len(body) == 1 else None


def _same(old: ast.AST, new: ast.AST, node: ast.expr, wanted: ast.expr) -> bool:
    """Return whether two trees are equal but for `wanted` in the place of `node`."""
    pairs: list[tuple[object, object]] = [(old, new)]
    while pairs:
        left, right = pairs.pop()
        left = wanted if left is node else left
        if type(left) is not type(right):
            return False
        if isinstance(left, ast.AST):
            pairs.extend((getattr(left, field, None), getattr(right, field, None)) for field in left._fields)
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return False
            pairs.extend(zip(left, right))
        elif left != right:
            return False
    return True
