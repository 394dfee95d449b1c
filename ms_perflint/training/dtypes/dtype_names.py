"""The dtype that an expression names: `ms.float16`, `"float16"`, `x.dtype`, `self.dtype`, `config.compute_type`."""

from __future__ import annotations

import ast
from collections.abc import Hashable
from typing import TYPE_CHECKING, Optional

from ms_perflint.index.semantic_index import Binding, Scope
from ms_perflint.index.signature import receiver_name
from ms_perflint.infer.values import Alternative, Value
from ms_perflint.program.program import Program
from ms_perflint.training.dtypes import tensor_ops
from ms_perflint.training.dtypes.dtype import Dtype, concrete

if TYPE_CHECKING:
    from ms_perflint.training.dtypes.dtypes import Dtypes

DTYPE_CALLS = frozenset({"mindspore.ops.dtype", "mindspore.ops.DType()"})
DEPTH = 10  # names for names, before the answer is None


def named(dtypes: Dtypes, node: ast.expr, scope: Scope, depth: int = 0) -> Optional[Dtype]:
    """Return the dtype that an expression names: by its name, if no option changes it, else by the expression."""
    if depth > DEPTH:
        return None
    if isinstance(node, ast.Constant):
        name = _dtype_name(node.value) if isinstance(node.value, str) else ""
        return concrete(name, node, scope) if name else None
    asked = _asked(dtypes, node, scope)
    if asked is not None:
        found = dtypes.of(asked, scope)
        if found is not None:
            return found
        key = _path(dtypes, asked, scope, depth)
        text = scope.module.text(node)
        return Dtype((key, "dtype"), text, (scope.module, node), False) if key is not None else None
    name = constant_dtype(dtypes, node, scope)
    if name:
        return concrete(name, node, scope)
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return None
    binding = _settled(node, scope) if isinstance(node, ast.Name) else None
    if binding is not None and binding.whole is not None:
        found = named(dtypes, binding.whole, binding.scope, depth + 1)
        if found is not None:
            return found
    key = _path(dtypes, node, scope, depth)
    return Dtype(key, scope.module.text(node), (scope.module, node), False) if key is not None else None


def constant_dtype(dtypes: Dtypes, node: ast.expr, scope: Scope) -> str:
    """Return the name of the dtype that an expression is in all programs; "" for others."""
    name = dtype_of(dtypes.program.value(node, scope))
    return name if name and dtype_of(dtypes.value(node, scope)) == name else ""


def dtype_of(value: Value) -> str:
    """Return the name of the dtype that a value is, of MindSpore or NumPy or as a text; "" for others."""
    names = {
        _dtype_name(str(known.constant if isinstance(known.constant, str) else known.api))
        for known in value.alternatives
    }
    return names.pop() if len(names) == 1 and not value.open and not value.overridable else ""


def _asked(dtypes: Dtypes, node: ast.expr, scope: Scope) -> Optional[ast.expr]:
    """Return the tensor whose dtype an expression reads: `x.dtype`, `F.dtype(x)`, `P.DType()(x)`; None if none."""
    if isinstance(node, ast.Attribute) and node.attr == "dtype":
        is_self = isinstance(node.value, ast.Name) and node.value.id == receiver_name(scope)
        known = dtypes.program.value(node.value, scope).alternatives
        return None if is_self or any(k.api for k in known) else node.value
    if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
        names = called(dtypes.program, node, scope)
        return node.args[0] if names and names <= DTYPE_CALLS else None
    return None


def called(program: Program, node: ast.Call, scope: Scope) -> set[str]:
    """Return the names of the callee of a call, `name()` for the result of one; none where there may be others."""
    value = program.value(node.func, scope)
    return set() if value.open else set(map(name_of_callee, value.alternatives))


def name_of_callee(known: Alternative) -> str:
    """Return the name of a function of a library, `name()` for the result of one."""
    return known.api or f"{known.type_api}()"


def _dtype_name(text: str) -> str:
    """Return the dtype of a text or the name of an API; "" for others."""
    root, _, word = text.rpartition(".")
    if root not in ("", "mindspore", "numpy"):
        return ""
    word = tensor_ops.OTHER_NAMES.get(word, word)
    return word if word in tensor_ops.DTYPES else ""


def _settled(node: ast.Name, scope: Scope) -> Optional[Binding]:
    """Return the only binding of a name where it is read, if it keeps one value in its function; None for others."""
    only = only_local(node, scope)
    return only if only is not None and not only.block.loops else None


def _path(dtypes: Dtypes, node: ast.expr, scope: Scope, depth: int) -> Optional[Hashable]:
    """Return a key for the value of names and attributes, if it is the same whenever the function reads them."""
    if isinstance(node, ast.Name):
        binding = _settled(node, scope)
        if binding is not None:
            return (id(binding), "") if binding.kind in ("parameter", "assign") and not binding.path else None
        top = scope.module.scope
        held = top.bindings.get(node.id, []) if home_of(node.id, scope) is None else []
        return (id(held[0]), "") if len(held) == 1 and held[0].kind in ("import", "from", "assign") else None
    if not isinstance(node, ast.Attribute) or depth > DEPTH:
        return None
    if isinstance(node.value, ast.Name) and node.value.id == receiver_name(scope):
        cls = scope.owner.parent
        stored = cls.attributes.get(node.attr, []) if cls is not None else []
        settled = all(binding.scope.name == "__init__" for binding in stored)
        return (id(cls), node.attr) if settled else None
    key = _path(dtypes, node.value, scope, depth + 1)
    return (key, node.attr) if key is not None else None


def home_of(name: str, scope: Scope) -> Optional[Scope]:
    """Return the scope of the function that binds a name, also one in it; None for names from outside."""
    home = scope.home(name)
    return home if home is not None and home.owner is scope.owner else None


def only_local(node: ast.Name, scope: Scope) -> Optional[Binding]:
    """Return the only binding of a name of the function where it is read; None for others."""
    return scope.only(node) if home_of(node.id, scope) is not None else None
