"""Gradients that graph mode refuses, or holds in one tensor: of a `bprop`, and those that Python changes in place.

Run on 2.10, CPU. `bprop` of a cell has to give a tuple: a tensor or a list is refused ("output should be a tuple").
Gradients that are equal, those of two biases that are added, or of `b_ih` and `b_hh` of an `nn.RNN`,
are one tensor of the compiled graph. `g[:] *= 0.5`, `g[0] = value`, `g.copy_(value)`, `ops.assign(g, value)` and
`ops.assign_add(g, value)` of each gradient change it twice; in PyNative each has its own. Right are `g[...] = value`,
`g.assign_value(value)`, `g *= 0.5` and `g.mul_(0.5)` of a name, which change no other, and a new list of gradients.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Optional

from ms_perflint.index.semantic_index import Binding, Scope, Site
from ms_perflint.index.syntax_forms import word_of
from ms_perflint.infer.parameters import argument
from ms_perflint.languages import Message
from ms_perflint.program.program import Program
from ms_perflint.training.dtypes.host_values import is_computed
from ms_perflint.training.graph_mode.between_steps import acts
from ms_perflint.training.graph_mode.compiled import assigned, gone_through
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle
from ms_perflint.training.training import running_callers, train_sites
from ms_perflint.training.training_steps import calls_gradient

_SEQUENCES = frozenset({"list", "tuple", "zip", "enumerate", "reversed"})
_ASSIGNS = ("assign", "assign_add", "assign_sub", "copy_")
_HOPS = 6  # names, arguments and elements between a gradient function and the change


def in_gradients(program: Program) -> Iterator[Obstacle]:
    """Yield the changes in place, in Python code between steps, of what a gradient function gave."""
    if not any(calls_gradient(program, site) for site in train_sites(program)):
        return
    for tensor, site in _changes(program):
        if _is_gradient(program, tensor, site.scope, _HOPS) and acts(program, site):
            text = Message("graph mode may hold equal gradients in one tensor, which this then changes twice")
            yield obstacle(site.module, site.stmt, "in place", text)


def _changes(program: Program) -> Iterator[tuple[ast.expr, Site]]:
    """Yield the tensors that code changes in part, or gives other data, each with the site of the change."""
    for module in program.modules:
        for stmt, block in module.steps:
            for target in (each for each in assigned(stmt)[0] if isinstance(each, ast.Subscript)):
                if not (isinstance(target.slice, ast.Constant) and target.slice.value is ...):
                    yield target.value, Site.of(target, block)
    for site in (site for word in _ASSIGNS for site in program.sites(word) if isinstance(site.node, ast.Call)):
        tensor = site.base if site.word == "copy_" else next(iter(site.call.args), None)
        if tensor is not None:
            yield tensor, site


def _is_gradient(program: Program, node: Optional[ast.expr], scope: Scope, hops: int, is_item: bool = False) -> bool:
    """Return whether an expression may be a gradient that a gradient function gave; for `is_item`, a list of them."""
    while isinstance(node, ast.Subscript):
        node, is_item = node.value, True
    if not hops:
        return False
    if isinstance(node, ast.Call):
        site = scope.module.site_at(node)
        parts = node.args if is_item and word_of(node.func) in _SEQUENCES else ()
        is_given = any(_is_gradient(program, part, scope, hops - 1, True) for part in parts)
        return is_given or (site is not None and calls_gradient(program, site))
    return isinstance(node, ast.Name) and any(
        _is_gradient(program, value, within, hops - 1, is_item or binding.kind == "for")
        for binding in scope.lookup(node)
        for value, within in _values(program, binding)
    )


def _values(program: Program, binding: Binding) -> Iterator[tuple[Optional[ast.expr], Scope]]:
    """Yield what a name may be: what is assigned, gone through, or passed by callers that run."""
    yield gone_through(binding)[0] or binding.value, binding.scope
    if binding.kind == "parameter":
        for caller in running_callers(program, binding.scope):
            part = argument(program.evaluator, binding, caller).part
            if part is not None:
                yield part.node, part.scope


def in_bprops(program: Program, function: Scope) -> Iterator[Obstacle]:
    """Yield what `bprop` returns other than a tuple, in the class of a compiled `construct`."""
    if function.cls is None or function.name != "construct":
        return
    for bprop in (each for each in function.cls.defines if each.name == "bprop" and each.is_function):
        for value, _ in bprop.returns:
            if _is_no_tuple(program, value, bprop, _HOPS):
                text = Message("graph mode needs a tuple as the result of `bprop`")
                yield obstacle(bprop.module, value, "bprop", text)


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
        values = scope.wholes(node)
        return bool(values) and all(_is_no_tuple(program, each, scope, hops - 1) for each in values)
    return isinstance(node, ast.Call) and program.value(node.func, scope).are(is_computed)
