"""Expressions as LibCST nodes with file offsets: the only module that uses both `ast` and LibCST.

Findings need single expressions only: LibCST takes ten times as long as `ast` for the same text. A whole file is parsed
only after it was fixed, as a check.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import libcst as cst
from libcst.metadata import ByteSpanPositionProvider, CodeSpan, MetadataWrapper

from ms_perflint.core.source import TooDeep, Unreadable
from ms_perflint.languages import Message

if TYPE_CHECKING:
    from ms_perflint.core.source import Span
    from ms_perflint.index.semantic_index import SemanticIndex, Site

_T = TypeVar("_T")

MAX_DEPTH = 80  # levels of `ast`; libcst 1.9 overflows the recursion limit from about 100 nested calls on
MAX_FILE_DEPTH = 200  # levels of a whole file: no crash below some thousands, but quadratic time


class Visitor(cst.CSTVisitor):
    """An adapter that calls the `visit_` and `leave_` methods of an object, which is no `cst.CSTVisitor`."""

    def __init__(self, methods: object, goes_on: bool = True) -> None:
        super().__init__()
        self.methods = methods
        self.goes_on = goes_on  # whether to visit nodes inside of the first node

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Call `visit_Call(node)` or the like; return whether to visit the children."""
        visit = getattr(self.methods, f"visit_{type(node).__name__}", None)
        return (visit is None or visit(node) is not False) and self.goes_on

    def on_leave(self, original_node: cst.CSTNode) -> None:
        """Call `leave_Call(node)` or the like."""
        leave = getattr(self.methods, f"leave_{type(original_node).__name__}", None)
        if leave is not None:
            leave(original_node)


class Slice:
    """One expression, parsed by LibCST from its text in parentheses.

    The root is the expression itself, so that no search by position is needed. Its first `lpar` is the
    parenthesis put around the slice, not one of the file.
    """

    def __init__(self, module: SemanticIndex, node: ast.expr, tree: cst.Module) -> None:
        self.module = module
        self.node = node
        self._tree = tree
        self._start = module.span(node)[0]
        self._spans: dict[cst.CSTNode, CodeSpan] | None = None

    @property
    def root(self) -> cst.BaseExpression:
        """Return the expression."""
        line = cst.ensure_type(self._tree.body[0], cst.SimpleStatementLine)
        return cst.ensure_type(line.body[0], cst.Expr).value

    def span(self, node: cst.CSTNode) -> Span:
        """Return the offsets of a node in `Source.text`, without its own parentheses."""
        if self._spans is None:
            # No copy: the tree belongs to this slice, has no node twice, and nodes keep their identity.
            wrapper = MetadataWrapper(self._tree, unsafe_skip_copy=True)
            self._spans = dict(_bounded(lambda: wrapper.resolve(ByteSpanPositionProvider)))
        place = self._spans[node]
        start = self._start + place.start - 1  # the added parenthesis
        return start, start + place.length

    def argument(self, given: ast.expr) -> cst.Arg | None:
        """Return the argument of this call that contains an expression of the file."""
        start, end = self.module.span(given)
        for arg in cst.ensure_type(self.root, cst.Call).args:
            first, last = self.span(arg)
            if first <= start and end <= last:
                return arg
        return None

    def comments(self, arg: cst.Arg) -> list[tuple[int, str]]:
        """Return the comments inside of an argument, and behind it on its last line, with their offsets."""
        behind = arg.comma.whitespace_after if isinstance(arg.comma, cst.Comma) else arg.whitespace_after_arg
        below = behind.empty_lines if isinstance(behind, cst.ParenthesizedWhitespace) else ()
        found: list[tuple[int, str]] = []
        nodes: list[cst.CSTNode] = [arg]
        while nodes:
            node = nodes.pop()
            if isinstance(node, cst.Comment):
                found.append((self.span(node)[0], node.value))
            nodes += [child for child in node.children if child not in below]
        return sorted(found)

    def visit(self, visitor: cst.CSTVisitor) -> None:
        """Visit the expression. Raises TooDeep."""
        _bounded(lambda: self.root.visit(visitor))


def parse(module: SemanticIndex, node: ast.expr) -> Slice:
    """Return the slice of one expression. Raises Unreadable, or TooDeep before LibCST gets deeply nested code."""
    start, end = module.span(node)
    # Decoded, because bytes may contain what looks like an encoding cookie.
    return _slice(module, node, lambda: module.source.text[start:end].decode("utf-8"))


def parse_site(site: Site) -> Slice:
    """Return the slice of a site, as `parse` does.

    Inside of an f-string, where positions are wrong before Python 3.12, it is built from the tree.
    """
    if site.fstring is None:
        return parse(site.module, site.node)
    return _slice(site.module, site.node, lambda: ast.unparse(site.node))


def _slice(module: SemanticIndex, node: ast.expr, text: Callable[[], str]) -> Slice:
    """Return the slice of an expression with a text."""
    if deeper(node, MAX_DEPTH):
        raise TooDeep(Message("nested more than {limit} levels deep", limit=MAX_DEPTH))
    try:
        # Not `parse_expression`, which loses CRLF.
        return Slice(module, node, _bounded(lambda: cst.parse_module(f"({text()})")))
    except cst.ParserSyntaxError as error:
        raise Unreadable(error.message) from error


def deeper(node: ast.AST, limit: int) -> bool:
    """Return whether a tree has more than `limit` levels, without recursion."""
    level, below = 0, [node]
    while below and level <= limit:
        below = [child for parent in below for child in ast.iter_child_nodes(parent)]
        level += 1
    return level > limit


def _bounded(read: Callable[[], _T]) -> _T:
    """Return the result of `read`. Raises TooDeep where the recursion overflows."""
    try:
        return read()
    except RecursionError:
        raise TooDeep(Message("nested too deeply for LibCST")) from None


def reads(text: bytes) -> bool:
    """Return whether LibCST parses a whole file; True for one that is too deep for LibCST."""
    try:
        if not deeper(ast.parse(text.decode("utf-8")), MAX_FILE_DEPTH):
            cst.parse_module(text.decode("utf-8"))
    except (cst.ParserSyntaxError, SyntaxError, ValueError):
        return False
    except RecursionError:
        return True
    return True
