"""Which calls cast a tensor, what and to which dtype: `ops.cast(x, t)`, `P.Cast()(x, t)`, `x.astype(t)`, `x.half()`."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Optional

from ms_perflint import mindspore_api
from ms_perflint.semantics.module import Scope
from ms_perflint.semantics.values import Instance, Known
from ms_perflint.tensors import tensor_ops
from ms_perflint.tensors.dtype import Dtype, concrete
from ms_perflint.tensors.dtype_names import constant_dtype, named

if TYPE_CHECKING:
    from ms_perflint.tensors.dtypes import Dtypes

FUNCTIONS = ("mindspore.ops.cast", "mindspore.ops.Cast()")
_VALUES = ("input", "input_x", "x")
_TARGETS = ("dtype", "dst_type", "type")
_TENSORS = ("mindspore.ops.", "mindspore.numpy.", "mindspore.mint.", "mindspore.Tensor.")


@dataclass(frozen=True)
class Cast:
    """A call that casts: what, and to which dtype (None: not known)."""

    node: ast.Call
    value: ast.expr
    target: Optional[ast.expr]  # the expression that names the dtype; None for `.half()`
    dtype: Optional[Dtype]


def read_cast(dtypes: Dtypes, node: ast.Call, scope: Scope) -> Optional[Cast]:
    """Return what a call casts; None for other calls, and where that is not clear."""
    if any(isinstance(arg, ast.Starred) for arg in node.args) or any(word.arg is None for word in node.keywords):
        return None
    func = node.func
    if isinstance(func, ast.Attribute) and func.attr in tensor_ops.CAST_METHODS:
        cast = _method(dtypes, node, func, scope)
        if cast is not None:
            return cast
    value = dtypes.program.value(func, scope)
    names = {known.api or f"{known.type_api}()" for known in value.known}
    if value.open or not names or not names <= set(FUNCTIONS):
        return None
    given = {word.arg: word.value for word in node.keywords}
    tensor = node.args[0] if node.args else next((given[name] for name in _VALUES if name in given), None)
    target = node.args[1] if len(node.args) > 1 else next((given[name] for name in _TARGETS if name in given), None)
    if tensor is None or target is None:
        return None
    return Cast(node, tensor, target, None if isinstance(target, ast.Constant) else named(dtypes, target, scope))


def _method(dtypes: Dtypes, node: ast.Call, func: ast.Attribute, scope: Scope) -> Optional[Cast]:
    """A method of a tensor. Arrays, modules, cells and tensors of other frameworks have methods of the same names."""
    receiver = func.value
    value = dtypes.program.value(func, scope)
    known = dtypes.of(receiver, scope)
    if known is None and not all(_of_tensor(k) for k in value.known) and not dtypes.is_tensor(receiver, scope):
        return None
    fixed = tensor_ops.CAST_METHODS[func.attr]
    if fixed is not None:
        sure = not node.args and not node.keywords and _is_tensor(dtypes, receiver, known, value.known, scope)
        return Cast(node, receiver, None, concrete(fixed, node, scope)) if sure else None
    if len(node.args) + len(node.keywords) != 1:
        return None
    target = node.args[0] if node.args else node.keywords[0].value
    own = _names_own(dtypes, target, scope)
    if not own and not _is_tensor(dtypes, receiver, known, value.known, scope):
        return None
    if func.attr == "type_as":
        return Cast(node, receiver, target, dtypes.of(target, scope))
    dtype = named(dtypes, target, scope)
    if func.attr in ("to", "type") and (dtype is None or isinstance(target, ast.Constant)):
        return None  # a device, most likely
    return Cast(node, receiver, target, dtype)


def _names_own(dtypes: Dtypes, target: ast.expr, scope: Scope) -> bool:
    """Return whether a target is one of MindSpore's own dtypes, which only its tensors take."""
    if not isinstance(target, (ast.Name, ast.Attribute)) or not constant_dtype(dtypes, target, scope):
        return False
    return all(known.api.startswith("mindspore.") for known in dtypes.program.value(target, scope).known)


def _is_tensor(
    dtypes: Dtypes, receiver: ast.expr, known: Optional[Dtype], callees: tuple[Known, ...], scope: Scope
) -> bool:
    """Return whether a cast of that receiver is one of a MindSpore tensor."""
    if known is not None and (known.name or known.certain):
        return True
    if (callees and all(_of_tensor(k) for k in callees)) or dtypes.is_tensor(receiver, scope):
        return True
    return (
        not callees and dtypes.in_cell(scope) and isinstance(receiver, (ast.Name, ast.Call, ast.Subscript, ast.BinOp))
    )


def _of_tensor(callee: Known) -> bool:
    """Return whether a callee is a method of what an operator of MindSpore gives."""
    receiver = getattr(callee.what, "receiver", None)
    if not callee.api.startswith("mindspore.") or receiver is None or not isinstance(receiver.what, Instance):
        return False
    kind = receiver.type_api
    return f"{kind}.".startswith(_TENSORS) and "mindspore.nn.Cell" not in mindspore_api.ancestors(kind)
