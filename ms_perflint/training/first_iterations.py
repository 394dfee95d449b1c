"""Conditions that fail in the first iterations of a loop only: `if step >= 5:`, where a warm-up is left out."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.reachability import Condition
from ms_perflint.index.semantic_index import Binding
from ms_perflint.index.syntax_forms import word_of
from ms_perflint.program.program import Program

_RISES: tuple[type[ast.cmpop], ...] = (ast.Gt, ast.GtE, ast.NotEq)  # of a counter on the left: they begin to hold
_FALLS: tuple[type[ast.cmpop], ...] = (ast.Lt, ast.LtE, ast.Eq)


def is_behind(program: Program, loop: ast.AST, condition: Condition, most: int) -> bool:
    """Return whether a condition compares a counter with a number below `most`, and holds in all later iterations."""
    test, result = condition.test, condition.result
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, result = test.operand, not result
    if isinstance(test, ast.Name):
        return result and _is_counter(loop, test, condition)
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    counter, number, is_turned = test.left, test.comparators[0], False
    if not isinstance(counter, ast.Name) or not _is_counter(loop, counter, condition):
        counter, number, is_turned = number, counter, True
    kinds = _FALLS if result is is_turned else _RISES
    if isinstance(test.ops[0], (ast.Eq, ast.NotEq)):
        kinds = _RISES if result else _FALLS
    value = program.value(number, condition.scope).constant
    is_small = isinstance(value, int) and value < most
    return is_small and isinstance(test.ops[0], kinds) and _is_counter(loop, counter, condition)


def _is_counter(loop: ast.AST, node: ast.expr, condition: Condition) -> bool:
    """Return whether a name counts the iterations of a loop, and no code in the loop sets it back."""
    bindings = condition.scope.lookup(node) if isinstance(node, ast.Name) else ()
    all_of_name = [each for binding in bindings[:1] for each in binding.scope.bindings[binding.name]]
    kinds = [_counts(each, loop) for each in all_of_name]
    return None not in kinds and True in kinds


def _counts(binding: Binding, loop: ast.AST) -> Optional[bool]:
    """Return whether a binding counts on; False for one outside of the loop, None for one that sets it back."""
    if binding.kind == "for":
        over = binding.stmt.iter if isinstance(binding.stmt, ast.For) else None
        word = word_of(over.func) if isinstance(over, ast.Call) else ""
        return True if (word, binding.path) in (("range", ()), ("enumerate", (0,))) else None
    if binding.kind == "augment" and isinstance(binding.stmt, ast.AugAssign):
        added = binding.stmt.value
        is_number = isinstance(added, ast.Constant) and isinstance(added.value, int)
        return True if is_number and isinstance(binding.stmt.op, ast.Add) else None
    return None if loop in binding.block.loops or binding.kind != "assign" else False
