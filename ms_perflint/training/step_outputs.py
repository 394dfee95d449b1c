"""Callbacks that use `net_outputs`, the result of a step, as the loss.

With an adaptive loss scale, which "O2" sets, it is a tuple: loss, overflow, scale (mindspore 2.10 train/amp.py:766,
nn/wrap/loss_scale.py). With a fixed one that drops no update it is the loss (run on 2.10, CPU).
"""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.core.findings import Place
from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.syntax_forms import descendants, word_of
from ms_perflint.program.program import Program, fact

_OUTPUTS = "net_outputs"
_OF_NUMBERS = frozenset({"float", "int", "round", "abs", "isnan", "isinf", "isfinite", "mean", "sum", "append"})
_ASKS = ("isinstance", "type", "hasattr", "len")  # a callback that looks first takes both


@fact
def read_as_loss(program: Program) -> Optional[Place]:
    """Return where running code uses the result of a step as a number; None without such code."""
    for module in program.modules:
        for scope in module.scopes:
            if scope.is_function and _OUTPUTS in scope.attrs and scope in program.reached:
                node = _read(scope)
                if node is not None:
                    return module.place(node)
    return None


def _read(scope: Scope) -> Optional[ast.expr]:
    if not scope.names.isdisjoint(_ASKS):
        return None
    nodes = list(descendants(scope.node))
    if any(isinstance(node, ast.Subscript) and _is_outputs(node.value, scope) for node in nodes):
        return None  # it takes the tuple apart
    used = (part for node in nodes for part in _numbers(node) if _is_outputs(part, scope))
    return next(used, None)


def _is_outputs(node: ast.expr, scope: Scope) -> bool:
    if isinstance(node, ast.Name):
        given = scope.bindings.get(node.id, ())
        return any(isinstance(each.value, ast.Attribute) and _is_outputs(each.value, scope) for each in given)
    return isinstance(node, ast.Attribute) and node.attr == _OUTPUTS


def _numbers(node: ast.AST) -> list[ast.expr]:
    """Return the operands of a node that have to be a number or a Tensor."""
    if isinstance(node, ast.Attribute):
        return [node.value]
    if isinstance(node, ast.Call):
        return node.args if word_of(node.func) in _OF_NUMBERS else []
    if isinstance(node, ast.Compare):
        is_order = any(isinstance(each, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for each in node.ops)
        return [node.left, *node.comparators] if is_order else []
    if isinstance(node, ast.BinOp):
        return [node.left, node.right] if not isinstance(node.op, ast.Mod) else []
    if isinstance(node, ast.AugAssign):
        return [node.value]
    if isinstance(node, ast.FormattedValue):
        return [node.value] if node.format_spec is not None else []
    return []
