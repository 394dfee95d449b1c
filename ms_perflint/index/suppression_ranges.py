"""Suppression ranges: the rows on which a comment applies to a statement, or to a header of a compound statement."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ms_perflint.index.semantic_index import SemanticIndex

CASE: tuple[type[ast.AST], ...] = (ast.match_case,) if hasattr(ast, "match_case") else ()
NO_HEADER: tuple[type[ast.AST], ...] = (ast.stmt, ast.excepthandler, *CASE)
COLON = rb"(?:[^:#]|#[^\r\n]*[\r\n])*:"  # after the last expression only comments hold others


def rows(module: SemanticIndex, stmt: ast.stmt, row: int) -> tuple[int, ...]:
    """Return `row`, and the first and last row of the statement, header or decorator that holds it."""
    for first, last in _extents(module, stmt):
        if first <= row <= last:
            return tuple(sorted({first, row, last}))
    return (row,)


def _extents(module: SemanticIndex, stmt: ast.stmt) -> Iterator[tuple[int, int]]:
    """Yield the first and last row of each part with a range of its own."""
    for decorator in getattr(stmt, "decorator_list", ()):
        yield decorator.lineno, decorator.end_lineno
    if not hasattr(stmt, "body") and not hasattr(stmt, "cases"):
        yield stmt.lineno, stmt.end_lineno or stmt.lineno
        return
    yield stmt.lineno, _header_end(module, stmt)
    for handler in getattr(stmt, "handlers", ()):
        yield handler.lineno, _header_end(module, handler)
    for case in getattr(stmt, "cases", ()):
        yield case.pattern.lineno, _header_end(module, case)


def _header_end(module: SemanticIndex, owner: ast.AST) -> int:
    """Return the row of the colon that ends a header."""
    end = max((module.span(node)[1] for node in _placed(owner)), default=None)
    if end is None:
        end = module.span(owner)[0]
    colon = re.compile(COLON).match(module.source.text, end)
    return module.source.row(colon.end() - 1 if colon else end)


def _placed(owner: ast.AST) -> Iterator[ast.AST]:
    """Yield the outermost nodes of a header that have a position."""
    decorators = getattr(owner, "decorator_list", ())
    for child in ast.iter_child_nodes(owner):
        if isinstance(child, NO_HEADER) or child in decorators:
            continue
        if getattr(child, "end_lineno", None) is not None:
            yield child
        else:
            yield from _placed(child)
