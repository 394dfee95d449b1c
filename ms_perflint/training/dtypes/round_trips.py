"""Casts to a wider dtype and back around operators that only move data, and other holders of what is cast."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.execution_order import root_name
from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.signature import receiver_name
from ms_perflint.index.syntax_forms import position, targets, word_of
from ms_perflint.infer.queries import query
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training.dtypes import tensor_ops
from ms_perflint.training.dtypes.casts import Cast, read_cast
from ms_perflint.training.dtypes.creations import only_value
from ms_perflint.training.dtypes.dtypes import Dtypes


def widening(dtypes: Dtypes, back: Cast, scope: Scope) -> Optional[Cast]:
    """Return the cast to a wider float that `back` undoes; None without one, or where the wide value has other uses."""
    node = back.value
    names: list[ast.Name] = []
    if back.dtype is None or not back.dtype.is_float:
        return None
    while True:
        if isinstance(node, ast.Name):
            value = scope.sole(node) if node not in names else None
            if value is None:
                return None
            names.append(node)
            node = value
        elif isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call):
            cast = read_cast(dtypes, node, scope)
            if cast is not None:
                is_alone = _widens(dtypes, cast, back, scope) and all(only_value(name, scope) for name in names)
                return cast if is_alone else None
            word, first = dtypes.operator(node, scope)
            if word not in tensor_ops.MOVES or first is None:
                return None
            node = first
        else:
            return None


def _widens(dtypes: Dtypes, cast: Cast, back: Cast, scope: Scope) -> bool:
    before = dtypes.of(cast.value, scope)
    if before is None or cast.dtype is None or before != back.dtype:
        return False
    return (before.name, cast.dtype.name) in tensor_ops.WIDER


def is_changed_in_place(call: Call, first: Cast) -> bool:
    """Return whether the result of a cast, or the value in place of it, is changed in place behind `first`.

    `first`: the cast itself, or the one that it undoes.
    """
    value = first.value
    if not isinstance(value, (ast.Name, ast.Subscript, ast.Attribute)):
        return False  # something new, that nothing else holds
    if _is_consumed(call):
        return False
    roots = {root_name(node) for node in (value, *targets(call.stmt))}
    made = call.module.site_at(first.node) or call
    again = {id(node) for loop in made.block.loops for node in ast.walk(loop)}
    owner = call.scope.owner
    kept = {receiver_name(owner)} | (roots - set(owner.bindings))  # what the next call of the function finds again
    for root, node in _changes(call.program, owner):
        is_behind = node is None or position(node)[2:] > position(made.stmt)[:2]
        if root in roots and (is_behind or root in kept or id(node) in again):
            return True
    return False


def _is_consumed(call: Call) -> bool:
    """Return whether an operator computes another value from the result of a cast, which has no name."""
    outer = next((each for each in ast.walk(call.stmt) if call.node in ast.iter_child_nodes(each)), None)
    if isinstance(outer, (ast.BinOp, ast.Compare, ast.UnaryOp)):
        return True
    if not isinstance(outer, ast.Call):
        return False
    known = call.program.value(outer.func, call.scope).alternatives
    words = {tensor_ops.known_word(each.api or each.type_api) for each in known}
    return bool(words) and words.isdisjoint({"", *tensor_ops.KEEP})


@query
def _changes(program: Program, function: Scope) -> tuple[tuple[str, Optional[ast.AST]], ...]:
    """Return the names of the values that a function changes in place, with the node; None in inner functions."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    inner = [node for node in ast.walk(function.node) if isinstance(node, functions) and node is not function.node]
    apart = {id(node) for each in inner for node in ast.walk(each)}
    found = ((_changed(node), node) for node in ast.walk(function.node))
    return tuple((root, None if id(node) in apart else node) for root, node in found if root)


def _changed(node: ast.AST) -> str:
    """Return the name of the value that a node changes in place; "" without one."""
    if isinstance(node, ast.AugAssign):
        return root_name(node.target)
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        return root_name(node)
    if isinstance(node, ast.Call):
        func, word = node.func, word_of(node.func)
        is_in_place = word.endswith("_") and not word.startswith("_") and not word.endswith("__")  # `x.add_(y)`
        if isinstance(func, ast.Attribute) and (is_in_place or word in ("assign_value", "set_data", "itemset")):
            return root_name(func.value)
        if word.lower().startswith(("assign", "scatter")) and node.args:
            return root_name(node.args[0])
    return ""
