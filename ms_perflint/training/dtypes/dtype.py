"""A dtype as far as a program shows it, and the dtypes of arithmetic."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable
from typing import NamedTuple, Optional

from ms_perflint.core.records import equal_by
from ms_perflint.index.semantic_index import Scope, SemanticIndex
from ms_perflint.training.dtypes import tensor_ops


@equal_by("key")
class Dtype(NamedTuple):
    """A dtype by its name, or by the expression that has it. `where`: the place that decides it."""

    key: Hashable  # "float32"; a tuple for the dtype of something known
    spelling: str
    where: tuple[SemanticIndex, ast.AST]
    certain: bool = True  # of a tensor for sure, not of whatever a call or a caller gives

    @property
    def name(self) -> str:
        """Return the name of the dtype; "" where it is not known."""
        return self.key if isinstance(self.key, str) else ""

    @property
    def is_float(self) -> bool:
        """Return whether it is a known kind of float."""
        return self.name in tensor_ops.FLOATS

    @property
    def is_whole(self) -> bool:
        """Return whether it is known, and one of whole numbers or of masks."""
        return self.name == "bool_" or self.name in tensor_ops.INTEGERS

    @property
    def is_number(self) -> bool:
        """Return whether it is known and not bool."""
        return bool(self.name) and self.name != "bool_"


def concrete(name: str, node: ast.AST, scope: Scope) -> Dtype:
    """Return the dtype of that name, decided at a node."""
    return Dtype(name, name, (scope.module, node))


def same(dtypes: Iterable[Optional[Dtype]]) -> Optional[Dtype]:
    """Return the only dtype of several; None where they differ, or one is not known."""
    found = list(dtypes)
    if not found or found[0] is None or any(dtype != found[0] for dtype in found):
        return None
    uncertain = [dtype for dtype in found if dtype is not None and not dtype.certain]
    return uncertain[0] if uncertain else found[0]


def combined(op: ast.operator, left: Dtype, right: Dtype) -> Optional[Dtype]:
    """Return the dtype of an operation on two tensors; None where the version or mixed precision decides."""
    if left == right:
        return left if _keeps(op, left) else None
    if not isinstance(op, (ast.Add, ast.Sub, ast.Mult, ast.Div)):
        return None
    for one, other in ((left, right), (right, left)):
        if (one.name, other.name) in tensor_ops.WIDER and other.is_float:
            return other
        if one.name in tensor_ops.INTEGERS and other.is_float and not isinstance(op, ast.Div):
            return other  # int32 and float32 make float32, int32 and float16 float16 (mindspore 2.0, 2.7, 2.10)
    return None


def with_scalar(op: ast.operator, dtype: Dtype, kind: type) -> Optional[Dtype]:
    """Return the dtype of an operation on a tensor and a Python number; None where the number may decide."""
    if dtype.is_float:
        return dtype if _keeps(op, dtype) else None
    fits = kind is int and dtype.name in ("int32", "int64") and not isinstance(op, (ast.Div, ast.Pow))
    return dtype if fits else None


def _keeps(op: ast.operator, dtype: Dtype) -> bool:
    """Return whether an operation on two values of one dtype gives that dtype."""
    if isinstance(op, (ast.BitAnd, ast.BitOr, ast.BitXor)):
        return bool(dtype.name) and not dtype.is_float
    if isinstance(op, ast.Div):
        return dtype.is_float
    if isinstance(op, ast.Pow):
        return dtype.name == "float32"  # half precision is computed in float32 under some levels
    return isinstance(op, (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)) and dtype.name != "bool_"


def kept(word: str, dtype: Dtype) -> bool:
    """Return whether an operator gives the dtype of its first operand."""
    if word in tensor_ops.KEEP:
        return True
    if word in tensor_ops.KEEP_NUMBER:
        return dtype.is_number
    if word in tensor_ops.KEEP_FLOAT:
        return dtype.is_float
    return word in tensor_ops.KEEP_FLOAT32 and dtype.name == "float32"
