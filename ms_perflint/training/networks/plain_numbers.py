"""Which expressions in code that computes are numbers or texts, not tensors, and which numbers float16 holds."""

from __future__ import annotations

import ast
import math
from typing import Optional

from ms_perflint.index.semantic_index import Binding, Scope
from ms_perflint.index.syntax_forms import is_own, word_of
from ms_perflint.infer.bases import ancestors
from ms_perflint.infer.parameters import argument
from ms_perflint.infer.values import NO_CONSTANT
from ms_perflint.program.program import Program

Seen = frozenset[object]  # of functions, each with a name

_DEPTH = 6  # names and attributes that are made of one another
_LARGEST, _SMALLEST = 60000, 1e-4  # of a number in float16
_SHAPES = frozenset({"shape", "size", "ndim"})


def is_held(number: float) -> bool:
    """Return whether float16 holds a number with some room, or an infinity."""
    return not number or math.isinf(number) or _SMALLEST <= abs(number) <= _LARGEST


def _counts(binding: Binding) -> bool:
    """Return whether a name counts the iterations of a loop: `for i, layer in enumerate(layers)`."""
    is_first = binding.kind == "for" and binding.path == (0,)
    return is_first and isinstance(binding.value, ast.Call) and word_of(binding.value.func) == "enumerate"


def _parts(node: ast.expr) -> list[ast.expr]:
    """Return the operands or elements that have to be numbers for an expression to be one."""
    if isinstance(node, ast.BinOp):
        return [node.left] if isinstance(node.op, (ast.FloorDiv, ast.Mod)) else [node.left, node.right]
    if isinstance(node, (ast.Tuple, ast.List)):
        return node.elts
    return [node.operand if isinstance(node, ast.UnaryOp) else node.value]  # type: ignore[attr-defined]


class Numbers:
    """Decides whether expressions are numbers: shapes, constants, and what is computed from these."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def is_number(self, node: Optional[ast.expr], function: Scope, seen: Seen = frozenset()) -> bool:
        """Return whether an expression is a number or text, not a tensor.

        `seen`: the names and attributes from which it is computed. In a cycle the other operands decide.
        """
        if node is None or len(seen) > _DEPTH:
            return False
        if isinstance(node, (ast.Constant, ast.JoinedStr)) or (
            isinstance(node, ast.Attribute) and node.attr in _SHAPES
        ):
            return True
        if isinstance(node, (ast.Subscript, ast.UnaryOp, ast.BinOp, ast.Tuple, ast.List)):
            return all(self.is_number(each, function, seen) for each in _parts(node))
        if isinstance(node, ast.Call):
            return self._gives_number(node, function, seen)
        found = self._bindings(node, function)
        if found and (function, found[0].name) in seen:
            return True
        seen |= {(function, each.name) for each in found[:1]}
        if found and all(self.is_bound(each, seen) for each in found):
            return True
        value = self.program.value(node, function)
        return value.are_only(lambda known: known.constant is not NO_CONSTANT or known.is_display)

    def _bindings(self, node: ast.expr, function: Scope) -> list[Binding]:
        """Return the bindings of a name of a function, of one around it, or of an attribute of its class."""
        if isinstance(node, ast.Name):
            home = function.home(node.id)
            return list(home.bindings.get(node.id, ())) if home is not None else []
        if not is_own(node) or function.cls is None:
            return []
        classes = ancestors(self.program.evaluator, function.cls)
        return [binding for each in classes for binding in each.attributes.get(word_of(node), ())]

    def is_bound(self, binding: Binding, seen: Seen = frozenset()) -> bool:
        """Return whether a binding gives a number; a parameter, in all calls."""
        if binding.kind != "parameter":
            return _counts(binding) or self.is_number(binding.value, binding.scope.owner, seen)
        parts = [argument(self.program.evaluator, binding, site).part for site in self.program.callers(binding.scope)]
        given = [part for part in parts if part is not None]
        if isinstance(binding.value, ast.Constant) and isinstance(binding.value.value, (int, float)):
            values = (self.program.value(part.node, part.scope) for part in given)
            return not any(known.is_object for value in values for known in value.alternatives)
        return bool(given) and all(self.is_number(part.node, part.scope.owner, seen) for part in given)

    def _gives_number(self, node: ast.Call, function: Scope, seen: Seen) -> bool:
        word = word_of(node.func)
        if word in ("len", "int", "range", "shape", "size", "Shape", "dim", "ndimension", "numel", "isinstance"):
            return True
        site = function.module.site_at(node)
        apis = self.program.apis(site) if site is not None else ()
        if any(api.startswith("mindspore.ops.Shape") for api in apis):
            return True
        is_math = bool(apis) and all(api.startswith("math.") for api in apis)
        return is_math and all(self.is_number(each, function, seen) for each in node.args)
