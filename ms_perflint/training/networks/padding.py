"""Formulas that pad a number to a multiple."""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import NamedTuple, Optional

from ms_perflint.index.reachability import condition_of
from ms_perflint.index.semantic_index import Site
from ms_perflint.index.syntax_forms import has_remainder, name_of, whole_number


class Padding(NamedTuple):
    """`(count // multiple + 1) * multiple`: one multiple too many where the count is aligned."""

    number: ast.expr
    multiple: int


def may_pad(node: ast.expr) -> bool:
    """Return whether the expression is a sum times a literal, as formulas that round up are."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
        return False
    sides = (node.left, node.right)
    return any(isinstance(side, ast.Constant) for side in sides) and any(isinstance(side, ast.BinOp) for side in sides)


def overpadded(site: Site, multiples: Collection[int]) -> Optional[Padding]:
    """Return the formula of a product that also pads aligned numbers, without a guard around it; None for others."""
    node = site.node
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
        return None
    for blocks, factor in ((node.left, node.right), (node.right, node.left)):
        size = whole_number(factor)
        if size is not None and size in multiples:
            count = _one_more(blocks, size)
            # `(n - 1) // 16 + 1` and `(n + 15) // 16` round up already
            rounds = isinstance(count, ast.BinOp) and isinstance(count.op, (ast.Add, ast.Sub))
            if count is not None and not rounds and not _is_guarded(site):
                return Padding(count, size)
    return None


def _one_more(node: ast.expr, size: int) -> Optional[ast.expr]:
    """Return n of `n // size + 1` and `1 + n // size`."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return None
    for blocks, one in ((node.left, node.right), (node.right, node.left)):
        if (
            whole_number(one) == 1
            and isinstance(blocks, ast.BinOp)
            and isinstance(blocks.op, ast.FloorDiv)
            and whole_number(blocks.right) == size
        ):
            return blocks.left
    return None


def _is_guarded(site: Site) -> bool:
    """Return whether a condition around a site tests the remainder."""
    tests = [condition.test for condition in condition_of(site)]
    tests.extend(arm.owner.test for arm in site.block.chain() if isinstance(arm.owner, ast.While))
    return any(_asks_remainder(test) for test in tests)


def _asks_remainder(test: ast.expr) -> bool:
    calls = (node for node in ast.walk(test) if isinstance(node, ast.Call))
    return has_remainder(test) or any(name_of(node.func) == "divmod" for node in calls)
