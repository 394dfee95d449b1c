"""Is this expression a plain Python number?"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Optional

from ms_perflint.infer.values import NO_CONSTANT

if TYPE_CHECKING:
    from ms_perflint.index.semantic_index import Scope
    from ms_perflint.program.program import Program

_INTEGERS = frozenset(
    {"builtins.len", "builtins.int", "mindspore.ops.size", "mindspore.ops.Size()", "mindspore.ops.rank"}
)
_SHAPES = frozenset({"mindspore.ops.shape", "mindspore.ops.Shape()"})


def scalar(program: Program, node: ast.expr, scope: Scope, depth: int = 0) -> Optional[type]:
    """Return `int` or `float` for what is such a number; None for all else."""
    if depth > 20:
        return None
    if isinstance(node, ast.Constant):
        return type(node.value) if type(node.value) in (int, float) else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        return scalar(program, node.operand, scope, depth + 1)
    if isinstance(node, ast.BinOp):
        kinds = {scalar(program, side, scope, depth + 1) for side in (node.left, node.right)}
        if None in kinds:
            return None
        return float if float in kinds or isinstance(node.op, (ast.Div, ast.Pow)) else int
    if isinstance(node, ast.Attribute) and node.attr in ("ndim", "size"):
        return int
    if isinstance(node, ast.Subscript):
        return int if not isinstance(node.slice, ast.Slice) and _is_shape(program, node.value, scope) else None
    if isinstance(node, ast.Call):
        return _called(program, node, scope)
    return _held(program, node, scope)


def _called(program: Program, node: ast.Call, scope: Scope) -> Optional[type]:
    names = _names(program, node, scope)
    if names and names <= _INTEGERS:
        return int
    return float if names and all(name == "builtins.float" or name.startswith("math.") for name in names) else None


def _held(program: Program, node: ast.expr, scope: Scope) -> Optional[type]:
    """A name or attribute: a number by all that is known of it, or unpacked from a shape."""
    if isinstance(node, ast.Name) and node.id in scope.bindings:
        bindings = scope.flow.at(node)
        if bindings and all(b.value is not None and b.path and _is_shape(program, b.value, scope) for b in bindings):
            return int
    known = program.value(node, scope).alternatives
    kinds = {type(k.constant) for k in known if k.constant is not NO_CONSTANT}
    if not known or any(k.constant is NO_CONSTANT and not k.api.startswith("math.") for k in known):
        return None
    if any(k.constant is NO_CONSTANT for k in known):
        kinds.add(float)
    if not kinds <= {int, float}:
        return None
    return float if float in kinds else int


def _is_shape(program: Program, node: ast.expr, scope: Scope) -> bool:
    """Return whether an expression is the shape of a tensor."""
    if isinstance(node, ast.Attribute):
        return node.attr == "shape"
    if isinstance(node, ast.Call):
        return bool(_names(program, node, scope) & _SHAPES)
    if isinstance(node, ast.Name) and node.id in scope.bindings:
        bindings = scope.flow.at(node)
        return bool(bindings) and all(
            b.value is not None
            and not b.path
            and not isinstance(b.value, ast.Name)
            and _is_shape(program, b.value, scope)
            for b in bindings
        )
    return False


def _names(program: Program, node: ast.Call, scope: Scope) -> set[str]:
    value = program.value(node.func, scope)
    return set() if value.open else {known.api or f"{known.type_api}()" for known in value.alternatives}
