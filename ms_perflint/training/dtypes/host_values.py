"""Values that are no tensors: Python numbers, and arrays of NumPy, whose dtype a tensor takes over."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.infer.values import NO_CONSTANT, Alternative
from ms_perflint.program.program import Program
from ms_perflint.training.dtypes import tensor_ops
from ms_perflint.training.dtypes.dtype_names import called, dtype_of, home_of

_INTEGERS = frozenset(
    {"builtins.len", "builtins.int", "mindspore.ops.size", "mindspore.ops.Size()", "mindspore.ops.rank"}
)
_SHAPES = frozenset({"mindspore.ops.shape", "mindspore.ops.Shape()"})
# Functions that make an array -> the slot of their dtype, and the dtype without one; "" where their data decide
_MAKERS = {
    "zeros": (1, "float64"), "ones": (1, "float64"), "empty": (1, "float64"), "eye": (3, "float64"),
    "full": (2, ""), "array": (1, ""), "asarray": (1, ""), "arange": (3, ""),
}  # fmt: skip
DEPTH = 5  # names for names, before the answer is ""


def scalar(program: Program, node: ast.expr, scope: Scope, depth: int = 0) -> Optional[type]:
    """Return `int` or `float` for an expression that is such a number; None for others."""
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
    if isinstance(node, ast.Subscript):
        return int if not isinstance(node.slice, ast.Slice) and _is_shape(program, node.value, scope) else None
    if isinstance(node, ast.Call):
        return _called(program, node, scope)
    return _held(program, node, scope)


def _called(program: Program, node: ast.Call, scope: Scope) -> Optional[type]:
    names = called(program, node, scope)
    if names and names <= _INTEGERS:
        return int
    return float if names and all(name == "builtins.float" or name.startswith("math.") for name in names) else None


def _held(program: Program, node: ast.expr, scope: Scope) -> Optional[type]:
    """Return the type of the number that a name or attribute holds, also one unpacked from a shape; None for others."""
    if isinstance(node, ast.Name) and node.id in scope.bindings:
        bindings = scope.flow.at(node)
        if bindings and all(b.value is not None and b.path and _is_shape(program, b.value, scope) for b in bindings):
            return int
    known = program.value(node, scope).alternatives
    kinds = {float if k.api.startswith("math.") and k.constant is NO_CONSTANT else type(k.constant) for k in known}
    if not kinds or not kinds <= {int, float}:
        return None
    return float if float in kinds else int


def _is_shape(program: Program, node: ast.expr, scope: Scope) -> bool:
    """Return whether an expression is the shape of a tensor."""
    if isinstance(node, ast.Attribute):
        return node.attr == "shape"
    if isinstance(node, ast.Call):
        return bool(called(program, node, scope) & _SHAPES)
    values = scope.wholes(node) if isinstance(node, ast.Name) and node.id in scope.bindings else []
    return bool(values) and all(not isinstance(each, ast.Name) and _is_shape(program, each, scope) for each in values)


def is_computed(known: Alternative) -> bool:
    """Return whether an operator, or a method of its result, computes a tensor or a number."""
    return tensor_ops.computes(known.api or known.type_api)


# --- arrays


def array_dtype(program: Program, node: ast.expr, scope: Scope, depth: int = 0) -> str:
    """Return the dtype of a NumPy array that its creation names: `np.ones(4, np.float32)`; "" for others."""
    if depth > DEPTH:
        return ""
    if not isinstance(node, ast.Call):
        value = program.value(node, scope)
        made = value.alternatives[0].creation if len(value.alternatives) == 1 and not value.open else None
        return array_dtype(program, made.call, made.scope, depth + 1) if made is not None else ""
    word = _function(program, node, scope)
    if word in tensor_ops.DTYPES:
        return word  # `np.float32(0.5)`
    if word.endswith(".astype") and len(node.args) == 1:
        return dtype_of(program.value(node.args[0], scope))
    if word not in _MAKERS or any(isinstance(arg, ast.Starred) for arg in node.args):
        return ""
    slot, default = _MAKERS[word]
    given = next((keyword.value for keyword in node.keywords if keyword.arg in ("dtype", None)), None)
    given = given or (node.args[slot] if slot < len(node.args) else None)
    return dtype_of(program.value(given, scope)) if given is not None else default


def is_array(node: ast.expr, scope: Scope, depth: int = 0) -> bool:
    """Return whether an expression is computed from the values of a tensor on the host: `x.asnumpy().T[0] / 2`."""
    if depth > 20:
        return False
    parts: list[ast.expr] = []
    if isinstance(node, ast.Call):
        if not isinstance(node.func, ast.Attribute):
            return False
        if node.func.attr in tensor_ops.ARRAYS:
            return True
        parts = [node.func.value]
    elif isinstance(node, ast.Subscript) or (isinstance(node, ast.Attribute) and node.attr not in tensor_ops.FORMS):
        parts = [node.value]
    elif isinstance(node, ast.BinOp):
        parts = [node.left, node.right]
    elif isinstance(node, ast.Compare):
        parts = [node.left]
    elif isinstance(node, ast.IfExp):
        parts = [node.body, node.orelse]
    elif isinstance(node, ast.Name) and (home := home_of(node.id, scope)) is not None:
        parts = [each.value for each in home.flow.at(node) if each.value is not None]
    elif isinstance(node, (ast.Tuple, ast.List)):
        parts = node.elts
    return any(is_array(each, scope, depth + 1) for each in parts)


def _function(program: Program, node: ast.Call, scope: Scope) -> str:
    """Return the function of NumPy that a call runs, or the method of its result: `ones.astype`; "" for others."""
    value = program.value(node.func, scope)
    names = {known.api for known in value.alternatives}
    name = names.pop() if len(names) == 1 and not value.open else ""
    return name[len("numpy.") :] if name.startswith("numpy.") else ""


def compares_arrays(program: Program, node: Optional[ast.expr], scope: Scope) -> bool:
    """Return whether an expression compares results of NumPy element by element."""
    return any(isinstance(side, ast.Call) and _function(program, side, scope) for side in compared(node))


def compared(node: Optional[ast.expr]) -> tuple[ast.expr, ...]:
    """Return the two sides of a comparison of values; none of `is` and `in`, and of other expressions."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return ()
    is_of_values = not isinstance(node.ops[0], (ast.In, ast.NotIn, ast.Is, ast.IsNot))
    return (node.left, node.comparators[0]) if is_of_values else ()
