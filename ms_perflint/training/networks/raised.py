"""Values of float32 in a network that is converted to half precision, and the casts that take them back.

Run on 2.10, CPU: `softmax(s.astype(float32)).astype(v.dtype) @ v` works in FP16, and fails without the last cast. The
dtype of what the network holds stays the same: `self.weight.dtype`, `self.dtype`.
"""

from __future__ import annotations

import ast

from ms_perflint.index.semantic_index import Site
from ms_perflint.index.syntax_forms import around, word_of
from ms_perflint.program.program import Program
from ms_perflint.training.bases import CELLS
from ms_perflint.training.networks import known_kinds

_BETWEEN = (ast.BinOp, ast.UnaryOp, ast.Attribute, ast.Subscript)


def is_held(dtype: ast.expr) -> bool:
    """Return whether a dtype is that of something the network holds: `self.dtype`, `self.norm.weight.dtype`."""
    while isinstance(dtype, (ast.Attribute, ast.Call)):
        dtype = dtype.value if isinstance(dtype, ast.Attribute) else dtype.args[0] if dtype.args else dtype.func
    return isinstance(dtype, ast.Name) and dtype.id == "self"


def is_taken_back(program: Program, site: Site) -> bool:
    """Return whether only operators that join nothing stand between a value and its cast to the dtype of a tensor."""
    for outer, inner in reversed([*around(site.stmt, site.node)]):
        if isinstance(outer, ast.Call):
            known = program.value(outer.func, site.scope).alternatives
            words = {(each.api or each.type_api).rpartition(".")[2] for each in known} or {word_of(outer.func)}
            casts = [known_kinds.dtype_of(outer, word) for word in words]
            if all(said == "dtype" and given is not None and not is_held(given) for said, given in casts):
                return all(given is not inner for _, given in casts)
            layers = {each.type_api.rpartition(".")[2] for each in known if each.type_api.startswith(CELLS)}
            if not all(known_kinds.is_operator(word) or word in layers for word in words):
                return False
            if any(known_kinds.joins(word) or word in known_kinds.STATEFUL for word in words):
                return False
        elif not isinstance(outer, _BETWEEN) or isinstance(getattr(outer, "op", None), ast.MatMult):
            return False
    return False
