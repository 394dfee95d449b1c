"""Products with the weight of a layer, or with a parameter of the cell, which fail in half precision."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import NamedTuple, Optional

from ms_perflint.index.semantic_index import Scope, SemanticIndex, Site
from ms_perflint.index.syntax_forms import is_own, position
from ms_perflint.infer.values import Value
from ms_perflint.program.program import Program
from ms_perflint.training.bases import is_parameter
from ms_perflint.training.networks import networks

_WEIGHTS = frozenset({"weight", "embedding_table", "weight_ih", "weight_hh"})  # of a layer: `self.enc.weight`
_FUNCTIONS = frozenset(
    {"matmul", "mm", "bmm", "dense", "linear", "einsum", "addmm", "baddbmm", "mv", "dot", "tensordot"}
)
_CONVOLUTIONS = frozenset({"conv1d", "conv2d", "conv3d"})
_SPELLED = _FUNCTIONS | _CONVOLUTIONS | {"@"}
_PRODUCTS = frozenset({"mindspore.ops.MatMul()", "mindspore.ops.BatchMatMul()"})  # in an attribute of the cell
_ADDED = frozenset({"addmm", "baddbmm", "addbmm"})  # what is added stands in front
_BIASED = frozenset({"dense", "linear", "conv1d", "conv2d", "conv3d"})
_CASTS = frozenset({"cast", "stop_gradient", "shape", "zeros_like", "ones_like"})
_KEEPING = frozenset({"reshape", "view", "transpose", "permute", "swapaxes", "expand_dims", "unsqueeze", "squeeze"})


class Tied(NamedTuple):
    """A product with the weight of a layer, which stays in float32 when the network computes in half precision."""

    module: SemanticIndex
    weight: ast.expr
    other: ast.expr


def tied(program: Program, values: Iterable[Value]) -> tuple[Tied, ...]:
    """Return the products of a network with the weight of a layer, which stop in half precision.

    `x @ self.enc.weight` and `ops.matmul` raise in graph mode, as do `x @ self.A` and `ops.conv2d` with a parameter of
    the cell; the primitive `MatMul` takes the parameter itself, and raises for what is made of it, `self.A.T` (run on
    2.10).
    """
    reached = (scope for scope in networks.reach(program, values).scopes if scope.is_function and scope.is_method)
    methods = sorted(reached, key=lambda scope: (scope.module.path, position(scope.node)))
    sites = ((method, site) for method in methods for site in method.calls)
    products = ((method, site, found) for method, site in sites if (found := _tied(program, method, site)))
    return tuple(each for method, site, found in products for each in (found, *_bias(program, site, found)))


def _bias(program: Program, site: Site, found: Tied) -> tuple[Tied, ...]:
    """Return the bias of `ops.dense(x, self.weight, self.bias)`, which is cast with the weight."""
    given = site.node.args[2:3] if isinstance(site.node, ast.Call) and site.word in _BIASED else []
    is_parameter = any(_is_of_parameter(program, each, site.scope) for each in given)
    return (Tied(site.module, given[0], found.other),) if is_parameter else ()


def _tied(program: Program, method: Scope, site: Site) -> Optional[Tied]:
    node = site.node
    is_function = site.word in _SPELLED and _is_function(program, site)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        is_function = True
        operands = [node.left, node.right]
    elif isinstance(node, ast.Call) and (
        is_function or (len(node.args) == 2 and not _PRODUCTS.isdisjoint(program.apis(site)))
    ):
        start = site.word in _ADDED
        operands = node.args[start : start + 2]
    else:
        return None
    if len(operands) != 2:
        return None
    for operand, other in (operands, operands[::-1]):
        only = method.single(operand) if isinstance(operand, ast.Name) else None
        value = only.value if only is not None and only.value is not None else operand
        held = (each for each in ast.walk(value) if isinstance(each, ast.Attribute) and each.attr in _WEIGHTS)
        if is_function and any(is_own(each.value) for each in held):
            return Tied(site.module, operand, other)
        is_itself = isinstance(value, ast.Attribute) and value.attr != "T"
        if (is_function or not is_itself) and _is_of_parameter(program, value, site.scope):
            return Tied(site.module, operand, other)
    return None


def _is_of_parameter(program: Program, node: ast.expr, scope: Scope) -> bool:
    """Return whether an expression is a parameter of the cell, or made of one in its dtype: `self.A[i] * 2`.

    An operator casts the parameter itself, `self.A * 2`, and so does a primitive; a function does not (run on 2.10).
    """
    if isinstance(node, ast.BinOp):
        sides = [each for each in (node.left, node.right) if not is_own(each)]
        return any(_is_of_parameter(program, each, scope) for each in sides)
    if isinstance(node, (ast.Subscript, ast.UnaryOp)):
        return _is_of_parameter(program, node.value if isinstance(node, ast.Subscript) else node.operand, scope)
    if isinstance(node, ast.Call):
        callee = node.func
        is_kept = isinstance(callee, ast.Attribute) and callee.attr in _KEEPING
        if is_kept and _is_of_parameter(program, callee.value, scope):  # type: ignore[attr-defined]
            return True
        site = scope.module.site_at(node)
        is_computed = site is not None and site.word not in _CASTS and _is_function(program, site)
        return is_computed and any(_is_of_parameter(program, each, scope) for each in node.args[:1])
    if not isinstance(node, ast.Attribute):
        return False
    if is_own(node):
        known = program.value(node, scope)
        return known.are_only(is_parameter)
    return node.attr == "T" and _is_of_parameter(program, node.value, scope)


def _is_function(program: Program, site: Site) -> bool:
    """Return whether a callee is a function of MindSpore, and no primitive in an attribute of the cell."""
    return any(not api.endswith("()") for api in program.apis(site))
