"""Lowering of `match` statements to `if` chains, and of expressions that only choose what runs to an `if`.

The chain shares its subject, the bodies of its cases and their places with the `match`; only its tests are new.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Optional, TypeVar

Node = TypeVar("Node", bound=ast.AST)


class Case(NamedTuple):
    """One case of a `match`: its expressions, and the `if` that replaces it (None: it always matches)."""

    reads: tuple[ast.expr, ...]  # values of the pattern, and the guard
    names: tuple[ast.Assign, ...]  # what the pattern binds
    body: list[ast.stmt]
    branch: Optional[ast.If]
    text: str  # what its test asks


def cases(stmt: Any, text: Callable[[ast.AST], str]) -> tuple[list[Case], list[ast.stmt]]:
    """Return the cases of a `match`, and the equivalent statements; `text` returns the source of a node."""
    found: list[Case] = []
    chain: list[ast.stmt] = []
    for each in reversed(stmt.cases):
        test = _test(stmt.subject, each.pattern)
        reads = tuple(_values(each.pattern))
        asked = _asked(stmt.subject, each.pattern, test, text)
        if each.guard is not None:
            reads = (*reads, each.guard)
            test = each.guard if test is None else _at(ast.BoolOp(ast.And(), [test, each.guard]), each.pattern)
            asked = f"{asked} and {text(each.guard)}"
        names = tuple(_names(stmt.subject, each.pattern))
        body = [*names, *each.body]
        branch = _at(ast.If(test, body, chain), each.pattern) if test is not None else None
        if branch is not None:
            branch.end_lineno, branch.end_col_offset = stmt.end_lineno, stmt.end_col_offset
        found.insert(0, Case(reads, names, each.body, branch, asked))
        chain = [branch] if branch is not None else body
    return found, chain


def choice(stmt: ast.Expr) -> Optional[ast.If]:
    """Return the `if` that a statement is by its form: `flag and run()`, `run() if flag else stop()`."""
    node = stmt.value
    if isinstance(node, ast.IfExp):
        body, other = (_at(ast.Expr(part), part) for part in (node.body, node.orelse))
        return _at(ast.If(node.test, [body], [other]), stmt)
    if not isinstance(node, ast.BoolOp):
        return None
    test, *rest = node.values
    then = rest[0] if len(rest) == 1 else _at(ast.BoolOp(node.op, rest), rest[0])
    then.end_lineno, then.end_col_offset = node.end_lineno, node.end_col_offset
    if isinstance(node.op, ast.Or):
        test = _at(ast.UnaryOp(ast.Not(), test), test)
    return _at(ast.If(test, [_at(ast.Expr(then), then)], []), stmt)


def _test(subject: ast.expr, pattern: Any) -> Optional[ast.expr]:
    """Return the test of a pattern on the subject; None where it always matches."""
    kind = type(pattern).__name__
    if kind == "MatchValue":
        return _at(ast.Compare(subject, [ast.Eq()], [pattern.value]), pattern)
    if kind == "MatchSingleton":
        constant = _at(ast.Constant(pattern.value), pattern)
        return _at(ast.Compare(subject, [ast.Is()], [constant]), pattern)
    if kind == "MatchAs":
        return _test(subject, pattern.pattern) if pattern.pattern is not None else None
    if kind != "MatchOr":
        return _unknown(subject, pattern)
    if all(type(part).__name__ == "MatchValue" for part in pattern.patterns):
        values = _at(ast.Tuple([part.value for part in pattern.patterns], ast.Load()), pattern)
        return _at(ast.Compare(subject, [ast.In()], [values]), pattern)
    tests = [_test(subject, part) for part in pattern.patterns]
    return None if None in tests else _at(ast.BoolOp(ast.Or(), [test for test in tests if test is not None]), pattern)


def _asked(subject: ast.expr, pattern: Any, test: Optional[ast.expr], text: Callable[[ast.AST], str]) -> str:
    """Return the source text of the test of a pattern."""
    if not isinstance(test, ast.Compare):
        return f"match {text(subject)}: case {text(pattern)}"
    if isinstance(test.ops[0], ast.In):
        return f"{text(subject)} in ({', '.join(text(part) for part in pattern.patterns)})"
    return f"{text(subject)} {'==' if isinstance(test.ops[0], ast.Eq) else 'is'} {text(pattern)}"


def _names(subject: ast.expr, pattern: Any) -> Iterator[ast.Assign]:
    """Yield the captures of a pattern as assignments of the subject, of a part of it, or of something unknown."""
    kind = type(pattern).__name__
    name = getattr(pattern, "name", None) or getattr(pattern, "rest", None)
    if isinstance(name, str):
        value = subject if kind in ("MatchAs", "MatchStar") else _unknown(subject, pattern)
        yield _at(ast.Assign([_at(ast.Name(name, ast.Store()), pattern)], value), pattern)
    if kind == "MatchAs" and pattern.pattern is not None:
        yield from _names(subject, pattern.pattern)
    elif kind == "MatchSequence":
        stars = [at for at, part in enumerate(pattern.patterns) if type(part).__name__ == "MatchStar"]
        for at, part in enumerate(pattern.patterns):
            yield from _names(_element(subject, at, len(pattern.patterns), stars, part), part)
    elif kind == "MatchMapping":
        for key, part in zip(pattern.keys, pattern.patterns):
            yield from _names(_at(ast.Subscript(subject, key, ast.Load()), part), part)
    elif kind == "MatchClass":
        for word, part in zip(pattern.kwd_attrs, pattern.kwd_patterns):
            yield from _names(_at(ast.Attribute(subject, word, ast.Load()), part), part)
    for part in pattern.patterns if kind in ("MatchClass", "MatchOr") else ():
        yield from _names(_unknown(subject, part), part)


def _element(subject: ast.expr, at: int, count: int, stars: list[int], part: Any) -> ast.expr:
    """Return the element of a sequence for one of `count` patterns, behind a star from its end; for a star a list."""
    index: ast.expr = _at(ast.Constant(at - count if stars and at > stars[0] else at), part)
    if at in stars:
        end = _at(ast.Constant(at + 1 - count), part) if at + 1 < count else None
        index = _at(ast.Slice(index, end, None), part)
    return _at(ast.Subscript(subject, index, ast.Load()), part)


def _unknown(subject: ast.expr, pattern: Any) -> ast.expr:
    """Return an expression with an unknown value, for a part of the subject."""
    return _at(ast.Starred(subject, ast.Load()), pattern)


def _at(node: Node, pattern: Any) -> Node:
    return ast.copy_location(node, pattern)


def _values(pattern: Any) -> Iterator[ast.expr]:
    """Yield the expressions that a pattern compares with: values, keys of mappings, classes."""
    for node in ast.walk(pattern):
        for field in ("value", "cls"):
            part = getattr(node, field, None)
            if not isinstance(node, ast.expr) and isinstance(part, ast.expr):
                yield part
