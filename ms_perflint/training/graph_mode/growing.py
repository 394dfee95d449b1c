"""Inputs that grow from call to call: a cell that writes a text token by token is compiled again for each length.

Run on 2.10, CPU: each new shape takes as long as the first call.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ms_perflint.index.semantic_index import LOOPS, Binding, Site
from ms_perflint.index.syntax_forms import word_of
from ms_perflint.infer.bases import method
from ms_perflint.infer.values import Alternative
from ms_perflint.languages import Message
from ms_perflint.program.program import Program
from ms_perflint.training.graph_mode.compiled import is_compiled
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle

_JOINS = ("concat", "cat", "concatenate", "hstack", "append")
WRAPS = frozenset({"Tensor", "tensor", "array", "asarray", "expand_dims", "unsqueeze", "astype", "cast"})


def in_growing(program: Program) -> Iterator[Obstacle]:
    """Yield the first call of a cell, from Python, in each loop that makes its input longer with each pass."""
    for module in program.modules:
        if not program.project.contains_any(module.path, _JOINS):
            continue
        met: set[ast.AST] = set()
        for site in module.sites:
            loop = next((each for each in site.block.loops if isinstance(each, LOOPS)), None)
            if loop is None or loop in met or not isinstance(site.node, ast.Call):
                continue
            grown = (each for each in site.node.args if _grows(site, each, loop))
            first = next(grown, None)
            runs = first is not None and program.runs(site) and not is_compiled(program, site.scope)
            if runs and _is_of_cell(program, site):
                met.add(loop)
                text = Message("an input that grows with each pass: graph mode compiles once per length")
                yield obstacle(module, site.node, "shapes", text)


def _grows(site: Site, node: ast.expr, loop: ast.AST) -> bool:
    """Return whether an argument is longer in each pass of a loop."""
    if isinstance(node, ast.Call) and word_of(node.func) in WRAPS:
        inner = node.func.value if isinstance(node.func, ast.Attribute) and not node.args else None
        return any(_grows(site, each, loop) for each in (*node.args[:1], *([inner] if inner is not None else [])))
    if not isinstance(node, ast.Name):
        return False
    own = [each for each in site.scope.lookup(node) if loop in each.block.loops]
    return all(map(_is_joined, own)) if own else _is_appended(site, node.id, loop)  # else it begins anew in each pass


def _is_joined(binding: Binding) -> bool:
    """Return whether a name is put together of what it was in the pass before and something else."""
    value = binding.value if binding.kind == "assign" and not binding.path else None
    while isinstance(value, ast.Call) and word_of(value.func) in WRAPS and value.args:
        value = value.args[0]
    if not isinstance(value, ast.Call):
        return False
    callee = value.func.func if isinstance(value.func, ast.Call) else value.func  # `ops.Concat(1)((a, b))`
    parts = [each for arg in value.args for each in ast.walk(arg) if isinstance(each, ast.Name)]
    again = (each for each in parts if each.id == binding.name and binding in binding.scope.lookup(each))
    return word_of(callee).lower() in _JOINS and next(again, None) is not None


def _is_appended(site: Site, name: str, loop: ast.AST) -> bool:
    """Return whether a loop appends to a list."""
    calls = (each.node for each in site.scope.calls if loop in each.block.loops)
    callees = (each.func for each in calls if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute))
    return any(each.attr == "append" and word_of(each.value) == name for each in callees)


def _is_of_cell(program: Program, site: Site) -> bool:
    known = program.evaluator.callees(site).alternatives
    return bool(known) and all(_is_cell(program, each) for each in known)


def _is_cell(program: Program, known: Alternative) -> bool:
    return known.cls is not None and method(program.evaluator, known.cls, "construct") is not None
