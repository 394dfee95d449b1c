"""The calls that cast a tensor, and to which dtype: `ops.cast(x, t)`, `P.Cast()(x, t)`, `x.astype(t)`, `x.half()`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple, Optional

from ms_perflint import mindspore_api
from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.syntax_forms import given as all_given
from ms_perflint.index.syntax_forms import is_spread, word_of
from ms_perflint.infer.values import Alternative
from ms_perflint.training.bases import CELL
from ms_perflint.training.dtypes import tensor_ops
from ms_perflint.training.dtypes.dtype import Dtype, concrete
from ms_perflint.training.dtypes.dtype_names import called, constant_dtype, named
from ms_perflint.training.dtypes.graph_scopes import compiled_scopes, in_cell
from ms_perflint.training.dtypes.host_values import is_array

if TYPE_CHECKING:
    from ms_perflint.training.dtypes.dtypes import Dtypes

FUNCTIONS = ("mindspore.ops.cast", "mindspore.ops.Cast()")
WORDS = ("cast", "Cast", "astype", "to")
_VALUES = ("input", "input_x", "x")
_TARGETS = ("dtype", "dst_type", "type")
_TENSORS = (*tensor_ops.FAMILIES, "mindspore.Tensor.")


class Cast(NamedTuple):
    """A call that casts a value to a dtype; None for an unknown dtype."""

    node: ast.Call
    value: ast.expr
    target: Optional[ast.expr]  # the expression that names the dtype; None for `.half()`
    dtype: Optional[Dtype]


def without_casts(node: ast.expr) -> ast.expr:
    """Return what calls cast, as far as their words tell: `w` of `w.astype(t)`, `w.to(t)` and `ops.cast(w, t)`."""
    while isinstance(node, ast.Call) and (passed := all_given(node)):
        func = node.func.func if isinstance(node.func, ast.Call) else node.func  # `ops.Cast()(w, t)`
        if word_of(func) not in WORDS:
            break
        node = node.func.value if isinstance(node.func, ast.Attribute) and len(passed) < 2 else passed[0]
    return node


def read_cast(dtypes: Dtypes, node: ast.Call, scope: Scope) -> Optional[Cast]:
    """Return the cast that a call makes; None for other calls, and if it is not known whether they cast."""
    if is_spread(node):
        return None
    form = by_method(dtypes, node, scope)
    if form is not None and _is_of_tensor(dtypes, form, scope):
        return form
    given = {word.arg: word.value for word in node.keywords}
    tensor = node.args[0] if node.args else next((given[name] for name in _VALUES if name in given), None)
    target = node.args[1] if len(node.args) > 1 else next((given[name] for name in _TARGETS if name in given), None)
    if tensor is None or target is None or len(all_given(node)) > 2:
        return None
    names = called(dtypes.program, node, scope)
    if not names or not names <= set(FUNCTIONS):
        return None
    is_text = any(isinstance(each, str) for each in dtypes.program.value(target, scope).constants)
    return Cast(node, tensor, target, None if is_text else named(dtypes, target, scope))


def by_method(dtypes: Dtypes, node: ast.Call, scope: Scope) -> Optional[Cast]:
    """Return the cast that a method call makes if its receiver is a tensor; None for other calls."""
    func = node.func
    if not isinstance(func, ast.Attribute) or func.attr not in tensor_ops.CAST_METHODS:
        return None
    fixed, given = tensor_ops.CAST_METHODS[func.attr], all_given(node)
    if fixed is not None:
        return Cast(node, func.value, None, concrete(fixed, node, scope)) if not given else None
    if len(given) != 1:
        return None
    if func.attr == "type_as":
        return Cast(node, func.value, given[0], dtypes.of(given[0], scope))
    dtype = named(dtypes, given[0], scope)
    if func.attr in ("to", "type") and (dtype is None or isinstance(given[0], ast.Constant)):
        return None  # a device, most likely
    return Cast(node, func.value, given[0], dtype)


def _is_of_tensor(dtypes: Dtypes, cast: Cast, scope: Scope) -> bool:
    """Return whether the method of a cast is one of a tensor.

    Arrays, modules, cells and tensors of other frameworks have methods of the same names.
    """
    receiver = cast.value
    known = dtypes.of(receiver, scope)
    if known is not None and known.name:
        return True
    callees = dtypes.program.value(cast.node.func, scope).alternatives
    own = cast.target is not None and _names_own(dtypes, cast.target, scope)
    if cast.target is not None and not own and in_cell(dtypes.program, scope):
        if scope.owner not in compiled_scopes(dtypes.program, scope.module):
            return bool(callees) and all(_of_tensor(k) for k in callees)  # `predict` of a network takes arrays
        if is_array(receiver, scope):
            return False
    if known is not None and known.certain:
        return True
    if known is None and not all(_of_tensor(k) for k in callees) and not dtypes.is_tensor(receiver, scope):
        return False
    return own or _is_tensor(dtypes, receiver, callees, scope)


def _names_own(dtypes: Dtypes, target: ast.expr, scope: Scope) -> bool:
    """Return whether a target is a dtype of MindSpore, which only its tensors take."""
    if not isinstance(target, (ast.Name, ast.Attribute)) or not constant_dtype(dtypes, target, scope):
        return False
    return all(known.api.startswith("mindspore.") for known in dtypes.program.value(target, scope).alternatives)


def _is_tensor(dtypes: Dtypes, receiver: ast.expr, callees: tuple[Alternative, ...], scope: Scope) -> bool:
    """Return whether a receiver of unknown dtype is a tensor of MindSpore."""
    if (callees and all(_of_tensor(k) for k in callees)) or dtypes.is_tensor(receiver, scope):
        return True
    return (
        not callees
        and in_cell(dtypes.program, scope)
        and isinstance(receiver, (ast.Name, ast.Call, ast.Subscript, ast.BinOp))
    )


def _of_tensor(callee: Alternative) -> bool:
    """Return whether a callee is a method of the result of an operator of MindSpore."""
    if not callee.api.startswith("mindspore.") or callee.receiver is None or not callee.receiver.is_object:
        return False
    kind = callee.receiver.type_api
    return f"{kind}.".startswith(_TENSORS) and CELL not in mindspore_api.ancestors(kind)
