"""Which expressions in code that computes are numbers or texts, and no tensors."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Optional

from ms_perflint.index.semantic_index import Binding, Scope
from ms_perflint.index.syntax_forms import word_of
from ms_perflint.infer.values import NO_CONSTANT

if TYPE_CHECKING:
    from ms_perflint.program.program import Program

_SHAPES = frozenset({"shape", "size", "ndim"})


def _counts(binding: Binding) -> bool:
    """Return whether a name counts what a loop goes through: `for i, layer in enumerate(layers)`."""
    is_first = binding.kind == "for" and binding.path == (0,)
    return is_first and isinstance(binding.value, ast.Call) and word_of(binding.value.func) == "enumerate"


class Numbers:
    """Asks whether expressions are numbers: of shapes, and of constants."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def compares(self, node: ast.Compare, function: Scope) -> bool:
        """Return whether a comparison has the same answer in half precision: nothing in it is computed there."""
        operands = (node.left, *node.comparators)
        is_text = any(isinstance(each, ast.Constant) and isinstance(each.value, str) for each in operands)
        if is_text or all(isinstance(each, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for each in node.ops):
            return True
        return all(self.is_number(each, function) or self._is_setting(each, function) for each in operands)

    def _is_setting(self, node: ast.expr, function: Scope) -> bool:
        """Return whether an expression is an attribute of `self` that is no object: code that computes sets none."""
        is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
        return is_own and not any(each.is_object for each in self.program.value(node, function).alternatives)

    def is_number(self, node: Optional[ast.expr], function: Scope, depth: int = 6) -> bool:
        """Return whether an expression is a number or text, and no tensor: of shapes, and of constants."""
        if node is None or not depth:
            return False
        if isinstance(node, (ast.Constant, ast.JoinedStr)):
            return True
        parts: list[ast.expr] = []
        if isinstance(node, ast.Attribute) and node.attr in _SHAPES:
            return True
        if isinstance(node, ast.Subscript):
            return self.is_number(node.value, function, depth - 1)
        if isinstance(node, ast.BinOp):
            parts = [node.left, node.right]
        elif isinstance(node, ast.UnaryOp):
            parts = [node.operand]
        elif isinstance(node, (ast.Tuple, ast.List)):
            parts = node.elts
        elif isinstance(node, ast.Call):
            return self._gives_number(node, function, depth)
        elif isinstance(node, ast.Name) and (bindings := function.bindings.get(node.id)):
            if any(binding.kind == "parameter" for binding in bindings):
                return self._is_constant(node, function)
            counted = [binding for binding in bindings if _counts(binding)]
            if len(counted) == len(bindings):
                return True
            parts = [binding.value for binding in bindings if binding.value is not None and binding not in counted]
        if parts:
            return all(self.is_number(each, function, depth - 1) for each in parts)
        return self._is_constant(node, function)

    def _gives_number(self, node: ast.Call, function: Scope, depth: int) -> bool:
        word = word_of(node.func)
        if word in ("len", "int", "range", "shape", "size", "Shape", "dim", "ndimension", "numel", "isinstance"):
            return True
        site = function.module.site_at(node)
        apis = self.program.apis(site) if site is not None else ()
        if any(api.startswith("mindspore.ops.Shape") for api in apis):
            return True
        is_math = bool(apis) and all(api.startswith("math.") for api in apis)
        return is_math and all(self.is_number(each, function, depth - 1) for each in node.args)

    def _is_constant(self, node: ast.expr, function: Scope) -> bool:
        value = self.program.value(node, function)
        return (
            bool(value.alternatives)
            and not value.open
            and all(each.constant is not NO_CONSTANT or each.is_display for each in value.alternatives)
        )
