"""Tests in compiled code on what a loop over a dataset passes: `if labels[i] > 0` is one on a tensor.

Run on 2.10, CPU: after such a test, too, a name has to be of one type in both of its branches.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Optional

from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.infer.parameters import argument
from ms_perflint.program.program import Program
from ms_perflint.training.graph_mode.branches import in_arms
from ms_perflint.training.graph_mode.compiled import nodes
from ms_perflint.training.graph_mode.counters import Loops, passed
from ms_perflint.training.graph_mode.obstacle import Obstacle
from ms_perflint.training.graph_mode.set_names import in_set_names
from ms_perflint.training.graph_mode.varying import given_functions
from ms_perflint.training.training import train_sites

_HOPS = 3  # calls that pass a tensor on


def in_batch_tests(program: Program, function: Scope) -> Iterator[Obstacle]:
    """Yield the differences between the arms of tests on parameters that are tensors of a batch."""
    tested: dict[str, tuple[Site, ast.Name]] = {}
    for step, node in nodes(program, function):
        for part in ast.walk(node.test) if isinstance(node, (ast.If, ast.IfExp)) else ():
            name = _name(part)
            if name is not None and any(each.kind == "parameter" for each in function.bindings.get(name.id, ())):
                tested.setdefault(name.id, (step, name))
    given = frozenset(name for name, (step, node) in tested.items() if _is_of_batch(program, step, node))
    if given:
        yield from in_arms(program, function, given)
        yield from in_set_names(program, function, given)


def _name(side: ast.AST) -> Optional[ast.Name]:
    """Return the name that a side of a comparison is, or of which it is an item: `y > 0`, `y[i] > 0`."""
    left = side.left if isinstance(side, ast.Compare) and not isinstance(side.ops[0], (ast.Is, ast.IsNot)) else None
    while isinstance(left, ast.Subscript):
        left = left.value
    return left if isinstance(left, ast.Name) else None


def _is_of_batch(program: Program, site: Site, node: ast.expr, hops: int = _HOPS) -> bool:
    """Return whether an expression is a tensor of a batch, which a loop over a dataset gives."""
    while isinstance(node, ast.Subscript):
        node = node.value
    loops = Loops(program, certain=True)
    bindings = site.scope.lookup(node) if isinstance(node, ast.Name) else ()
    over = (each for each in bindings if each.kind == "for" and each.value is not None and len(each.path) < 2)
    if any(loops.gives_data(each.site, each.value, arrays=False) for each in over if each.value is not None):
        return True
    given = [*passed(program, node, site), *_given_by_steps(program, node, site)] if hops else []
    return any(_is_of_batch(program, caller, each, hops - 1) for caller, each in given)


def _given_by_steps(program: Program, node: ast.expr, site: Site) -> Iterator[tuple[Site, ast.expr]]:
    """Yield what gradient functions pass for a parameter of what they differentiate, with the calls."""
    for binding in site.scope.lookup(node) if isinstance(node, ast.Name) else ():
        for step in train_sites(program) if binding.kind == "parameter" else ():
            if isinstance(step.node, ast.Call) and site.scope in given_functions(program, step):
                part = argument(program.evaluator, binding, step).part
                if part is not None and part.scope is step.scope:
                    yield step, part.node
