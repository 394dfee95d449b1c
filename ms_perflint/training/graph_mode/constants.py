"""Expressions whose values are known when graph mode compiles: constants, shapes and attributes of the network."""

from __future__ import annotations

import ast

from ms_perflint.index.semantic_index import Binding, Scope
from ms_perflint.index.signature import Argument
from ms_perflint.index.syntax_forms import children, is_own, word_of
from ms_perflint.infer.parameters import argument
from ms_perflint.program.program import Program
from ms_perflint.training.dtypes.tensor_ops import FORMS, NO_TENSOR, known_word
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
    if isinstance(node, ast.Call) and (word_of(node.func) == "len" or _gives_form(program, function, node.func)):
        return True
    return not isinstance(node, ast.Name) and all(is_constant(program, function, each, hops) for each in children(node))


def _gives_form(program: Program, function: Scope, callee: ast.expr) -> bool:
    """Return whether a callee gives the form of a tensor: `ops.shape(x)`, `self.get_shape(x)` of `ops.Shape()`."""
    known = program.value(callee, function)
    words = [known_word(each.api or each.type_api) for each in known.alternatives]
    return bool(words) and not known.open and all(word in NO_TENSOR for word in words)


def is_set(program: Program, function: Scope, binding: Binding, hops: int) -> bool:
    """Return whether a binding gives a constant; a parameter, whether compiled code passes one in each call."""
    if binding.kind != "parameter":
        value = binding.value if binding.kind == "assign" else None
        return value is not None and is_constant(program, function, value, hops)
    found = running_callers(program, function) if hops else []
    passed = [(each.scope, argument(program.evaluator, binding, each)) for each in found]
    return bool(passed) and all(
        is_compiled(program, scope)
        and (
            _is_default(binding, given)
            if (part := given.part) is None
            else is_constant(program, part.scope, part.node, hops - 1)
        )
        for scope, given in passed
    )


def _is_default(binding: Binding, given: Argument) -> bool:
    """Return whether a call leaves a parameter at its default."""
    return binding.value is not None and given.given is None and not given.mappings and not given.is_open


def is_whole(node: ast.expr) -> bool:
    """Return whether an expression is a literal whole number."""
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(inner, ast.Constant) and type(inner.value) is int
