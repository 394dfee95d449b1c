"""What a NumPy expression is: the dtype of an array, which a tensor made of it takes over."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Optional

from ms_perflint.training.dtypes import tensor_ops
from ms_perflint.training.dtypes.dtype_names import dtype_of

if TYPE_CHECKING:
    from ms_perflint.index.semantic_index import Scope
    from ms_perflint.program.program import Program

# Functions that make an array -> the slot of their dtype, and the dtype without one; "" where their data decide
_MAKERS = {
    "zeros": (1, "float64"),
    "ones": (1, "float64"),
    "empty": (1, "float64"),
    "full": (2, ""),
    "array": (1, ""),
    "asarray": (1, ""),
    "arange": (3, ""),
    "eye": (3, "float64"),
}
DEPTH = 5  # names for names, before the answer is ""


def array_dtype(program: Program, node: ast.expr, scope: Scope, depth: int = 0) -> str:
    """Return the dtype of a NumPy array whose making names it: `np.ones(4, np.float32)`; "" for all else."""
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


def _function(program: Program, node: ast.Call, scope: Scope) -> str:
    """Return which function of NumPy a call runs, or which method of what one gave: `ones`, `ones.astype`."""
    value = program.value(node.func, scope)
    names = {known.api for known in value.alternatives}
    name = names.pop() if len(names) == 1 and not value.open else ""
    return name[len("numpy.") :] if name.startswith("numpy.") else ""


def compares_arrays(program: Program, node: Optional[ast.expr], scope: Scope) -> bool:
    """Return whether an expression compares what functions of NumPy give, element by element."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return False
    if isinstance(node.ops[0], (ast.In, ast.NotIn, ast.Is, ast.IsNot)):
        return False
    sides = (node.left, node.comparators[0])
    return any(isinstance(side, ast.Call) and _function(program, side, scope) for side in sides)
