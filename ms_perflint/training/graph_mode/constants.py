"""Expressions whose values are known when graph mode compiles: constants, shapes and attributes of the network."""

from __future__ import annotations

import ast

from ms_perflint.index.semantic_index import Binding, Scope
from ms_perflint.index.syntax_forms import children, is_own, word_of
from ms_perflint.infer.parameters import argument
from ms_perflint.program.program import Program
from ms_perflint.training.dtypes.tensor_ops import FORMS
from ms_perflint.training.graph_mode.compiled import is_compiled
from ms_perflint.training.training import running_callers


def is_constant(program: Program, function: Scope, node: ast.AST, hops: int = 4) -> bool:
    """Return whether an expression consists of constants, shapes and attributes of the network."""
    if isinstance(node, ast.Attribute):
        return node.attr in FORMS or is_own(node) or is_constant(program, function, node.value, hops)
    if isinstance(node, ast.Name) and hops:
        if function.home(node.id) is not function:
            return True
        return all(is_set(program, function, each, hops - 1) for each in function.flow.at(node))
    if isinstance(node, ast.Call) and word_of(node.func) == "len":
        return True
    return not isinstance(node, ast.Name) and all(is_constant(program, function, each, hops) for each in children(node))


def is_set(program: Program, function: Scope, binding: Binding, hops: int) -> bool:
    """Return whether a binding gives a constant; a parameter, whether compiled code passes one in each call."""
    if binding.kind != "parameter":
        value = binding.value if binding.kind == "assign" else None
        return value is not None and is_constant(program, function, value, hops)
    found = running_callers(program, function) if hops else []
    parts = [(each.scope, argument(program.evaluator, binding, each).part) for each in found]
    return bool(parts) and all(
        part is not None and is_compiled(program, scope) and is_constant(program, part.scope, part.node, hops - 1)
        for scope, part in parts
    )


def is_whole(node: ast.expr) -> bool:
    """Return whether an expression is a literal whole number."""
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(inner, ast.Constant) and type(inner.value) is int
