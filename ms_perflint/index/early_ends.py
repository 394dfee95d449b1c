"""Blocks behind an early `return`, `continue` or `raise`: the code behind it runs only where the test fails."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ms_perflint.index.scopes import DEAD, Block
from ms_perflint.index.semantic_index import SemanticIndex
from ms_perflint.index.syntax_forms import leaves

TESTS = 3  # around what leaves: behind more of them, that a place is passed is not ruled out


def behind(stmt: ast.stmt, block: Block) -> Block:
    """Return the block of the statements behind one: an arm of each `if` and `assert` in it that may leave."""
    module, todo = block.scope.module, [stmt]
    while todo:
        stmt = todo.pop()
        if leaves(stmt):
            block = Block(block.scope, block, stmt, DEAD)
        elif isinstance(stmt, ast.Assert):
            block = Block(block.scope, block, stmt, "body")
        elif id(stmt) in module.chains:
            todo.extend(reversed(module.chains[id(stmt)]))
        elif isinstance(stmt, ast.If):
            first, other = leaves(stmt.body[-1]), bool(stmt.orelse) and leaves(stmt.orelse[-1])
            if first != other:  # all come through the other arm: `elif b: return`
                block = Block(block.scope, block, stmt, "orelse" if first else "body")
                todo.extend(reversed(stmt.orelse if first else stmt.body))
            else:
                for inner in _nested(stmt):
                    module.worded[id(inner.test)] = _text(module, inner.test)
                    block = Block(block.scope, block, inner, "orelse")
    return block


def _nested(stmt: ast.If, tests: tuple[ast.expr, ...] = ()) -> Iterator[ast.If]:
    """Yield the nested `if a: if b: return` as one `if a and b: return`."""
    other = ast.copy_location(ast.UnaryOp(ast.Not(), stmt.test), stmt.test)
    for test, arm in ((stmt.test, stmt.body), (other, stmt.orelse)):
        if arm and leaves(arm[-1]) and tests:
            both = ast.copy_location(ast.BoolOp(ast.And(), [*tests, test]), stmt.test)
            yield ast.copy_location(ast.If(both, arm, []), stmt)
        elif len(tests) < TESTS:
            for inner in arm:
                if isinstance(inner, ast.If):
                    yield from _nested(inner, (*tests, test))


def _text(module: SemanticIndex, test: ast.expr) -> str:
    """Return the text of the joined test of nested `if` statements, which stands in no file as a whole."""
    assert isinstance(test, ast.BoolOp)
    texts = []
    for part in test.values:
        is_other = isinstance(part, ast.UnaryOp) and part.col_offset == part.operand.col_offset  # an `else`
        texts.append(f"not {module.text(part.operand)}" if is_other else module.text(part))  # type: ignore[attr-defined]
    return f"({' and '.join(texts)})"
