"""Objects of Python in compiled code: what is compared by `is`, members of enumerations, keys and unions of dicts.

Run on 2.10, CPU. The right side of `is` has to be None, a whole number, a text, a truth value, a dtype or a class that
is no layer: with a member of `Enum`, a function, a cell or an object it fails, with a tensor or a list it does not hold
where it does in Python. `==` and `in` are right for members. A member of `IntEnum` or `(str, Enum)` is its number or
text, also after `is`, and has no `value` and `name`; an enumeration is not gone through. A dict with members of `Enum`,
None, dtypes or classes as keys is made by Python only, and finds none of them: `scales[Kind.A]` is another entry, or
fails. `first | second` of dicts fails.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.syntax_forms import word_of
from ms_perflint.infer.bases import members
from ms_perflint.infer.values import NO_CONSTANT, Alternative, Value
from ms_perflint.languages import Message
from ms_perflint.program.program import Program
from ms_perflint.training.dtypes.dtype_names import dtype_of
from ms_perflint.training.dtypes.tensor_ops import FORMS
from ms_perflint.training.graph_mode.compiled import nodes
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle

_IDENTITIES = (ast.Is, ast.IsNot)
_COMPARED = (int, str, type(None))
_READS = ("get", "pop", "setdefault")  # methods of dicts that take a key first


def in_identities(program: Program, function: Scope) -> Iterator[Obstacle]:
    """Yield the objects of Python in a compiled function that graph mode does not compare, find or read."""
    objects = _Objects(program, function)
    for _, node in nodes(program, function):
        message = objects.misses(node)
        if message is not None:
            yield obstacle(function.module, node, "identity", message)


class _Objects:
    """The objects of Python in a compiled function."""

    def __init__(self, program: Program, function: Scope) -> None:
        self.program = program
        self.function = function

    def misses(self, node: ast.AST) -> Optional[Message]:
        """Return why graph mode does not compile a node, or computes something else; None for others."""
        if isinstance(node, ast.Compare):
            sides = zip((node.left, *node.comparators), node.ops, node.comparators)
            if not all(self._is_compared(left, right) for left, op, right in sides if isinstance(op, _IDENTITIES)):
                return Message("graph mode compares by `is` only None, numbers, texts and types")
        if isinstance(node, ast.Attribute) and self._value(node.value).are(lambda known: _lacks(known, node.attr)):
            return Message("graph mode reads no `{name}` of a member that is a number or text", name=node.attr)
        if any(_is_type(key) or self._value(key).are(_is_odd_key) for key in self._keys(node)):
            return Message("graph mode does not find this key in a dict")
        is_union = isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.BitOr)
        if is_union and self._is_mapping(node.left if isinstance(node, ast.BinOp) else node.target):  # type: ignore[attr-defined]
            return Message("graph mode does not compile `|` of dicts")
        over = node.iter if isinstance(node, (ast.For, ast.comprehension)) else None
        if over is not None and self._value(over).are(self._is_enumeration):
            return Message("graph mode does not go through an enumeration")
        return None

    def _is_compared(self, left: ast.expr, right: ast.expr) -> bool:
        """Return whether graph mode compiles `left is right`, and it holds where it does in Python."""
        if isinstance(right, ast.Constant) or (isinstance(left, ast.Constant) and left.value is None):
            return not isinstance(right, ast.Constant) or isinstance(right.value, _COMPARED)
        is_size = any(isinstance(part, ast.Attribute) and part.attr in FORMS for part in ast.walk(right))
        is_size |= isinstance(right, ast.Call) and word_of(right.func) == "len"
        return is_size or _is_type(right) or self._value(right).are(_is_type_or_constant)

    def _keys(self, node: ast.AST) -> list[ast.expr]:
        """Return the keys by which a node makes a dict or reads one."""
        if isinstance(node, ast.Dict):
            return [key for key in node.keys if key is not None]
        if isinstance(node, ast.Subscript):
            return [node.slice] if self._is_mapping(node.value) else []
        is_read = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _READS
        return node.args[:1] if is_read and self._is_mapping(node.func.value) else []  # type: ignore[attr-defined]

    def _is_mapping(self, node: ast.expr) -> bool:
        return self._value(node).are(lambda known: known.is_mapping)

    def _is_enumeration(self, known: Alternative) -> bool:
        return known.definition is not None and bool(members(self.program.evaluator, known.definition))

    def _value(self, node: ast.expr) -> Value:
        return self.program.value(node, self.function)


def _is_type_or_constant(known: Alternative) -> bool:
    """Return whether something is a constant, a dtype or a class."""
    if known.constant is not NO_CONSTANT:
        return isinstance(known.constant, _COMPARED)
    is_class = known.definition is not None and known.definition.is_class
    return is_class or known.api.startswith(("builtins.", "mindspore.Tensor")) or _is_dtype(known)


def _is_type(node: ast.expr) -> bool:
    """Return whether an expression gives a dtype or a class: `x.dtype`, `type(x)`."""
    is_call = isinstance(node, ast.Call) and word_of(node.func) == "type"
    return is_call or (isinstance(node, ast.Attribute) and node.attr == "dtype")


def _is_dtype(known: Alternative) -> bool:
    return bool(dtype_of(Value((known,)))) and not isinstance(known.constant, str)


def _lacks(known: Alternative, name: str) -> bool:
    """Return whether a member of an enumeration is a number or text, which has no attribute of a name."""
    return known.is_member and isinstance(known.constant, (int, str)) and not hasattr(known.constant, name)


def _is_odd_key(known: Alternative) -> bool:
    """Return whether a key is a member of an enumeration and no number or text, None, a dtype or a class."""
    if known.is_member:
        return not isinstance(known.constant, (int, str))
    is_class = known.definition is not None and known.definition.is_class
    return known.constant is None or _is_dtype(known) or is_class or known.type_api == "builtins.type"
