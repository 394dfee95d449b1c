"""What `bprop` of a cell gives: graph mode wants a tuple, one gradient for each input.

Run on 2.10, CPU: a tensor or a list is refused in graph mode ("output should be a tuple"), PyNative takes both.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ms_perflint.index.semantic_index import Scope
from ms_perflint.languages import Message
from ms_perflint.program.program import Program
from ms_perflint.training.graph_mode.branches import computes
from ms_perflint.training.graph_mode.compiled import class_of
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle

_HOPS = 3  # names that stand for one another


def in_gradients(program: Program, function: Scope) -> Iterator[Obstacle]:
    """Yield what `bprop` returns that is no tuple, in the class of a compiled `construct`."""
    cls = class_of(function)
    if cls is None or function.name != "construct":
        return
    for bprop in (each for each in cls.defines if each.name == "bprop" and each.is_function):
        for value, _ in bprop.returns:
            if _is_no_tuple(program, value, bprop, _HOPS):
                yield obstacle(bprop.module, value, "bprop", Message("graph mode wants a tuple from `bprop`"))


def _is_no_tuple(program: Program, node: ast.expr, scope: Scope, hops: int) -> bool:
    """Return whether an expression is a tensor or a list, never a tuple."""
    if isinstance(node, (ast.List, ast.ListComp)):
        return True
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.USub)
    if isinstance(node, ast.BinOp):  # tuples are added and repeated too
        sides = (node.left, node.right)
        return not isinstance(node.op, ast.Add) and not any(isinstance(side, ast.Tuple) for side in sides)
    if isinstance(node, ast.Name) and hops:
        bindings = scope.lookup(node)
        plain = [each.value for each in bindings if each.kind == "assign" and not each.path and each.value is not None]
        return len(plain) == len(bindings) > 0 and all(_is_no_tuple(program, each, scope, hops - 1) for each in plain)
    known = program.value(node.func, scope).alternatives if isinstance(node, ast.Call) else ()
    return bool(known) and all(computes(each.api or each.type_api) for each in known)
