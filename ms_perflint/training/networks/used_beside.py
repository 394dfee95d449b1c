"""Attributes and items of a network that other code uses, and a converted network does not have."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Optional

from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.index.syntax_forms import descendants, is_own, plainly_given
from ms_perflint.infer import bases
from ms_perflint.infer.parameters import parameters_given
from ms_perflint.program.program import Program
from ms_perflint.training.bases import is_member_of_cells
from ms_perflint.training.networks.plans import Use

_NAMES = frozenset({"construct", "parameters_and_names", "name_cells", "cells"})  # other ones of a converted network


def members(program: Program, root: ast.AST, is_base: Callable[[ast.expr], bool]) -> list[ast.Attribute]:
    """Return the attributes of some expressions that not every cell has."""
    found = [node for node in descendants(root) if isinstance(node, ast.Attribute) and is_base(node.value)]
    return [node for node in found if node.attr in _NAMES or not is_member_of_cells(program, node.attr)]


def takes_apart(scope: Scope, is_base: Callable[[ast.expr], bool]) -> bool:
    """Return whether code loops over an expression, or takes an item of it: a converted network allows neither."""
    for node in descendants(scope.node):
        taken: list[ast.expr] = []
        if isinstance(node, (ast.For, ast.comprehension)):
            taken = [node.iter, *(node.iter.args if isinstance(node.iter, ast.Call) else ())]
        elif isinstance(node, ast.Subscript):
            taken = [node.value]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("len", "list"):
            taken = node.args
        if any(map(is_base, taken)):
            return True
    return False


def is_used_beside(program: Program, use: Use) -> bool:
    """Return whether code in the file of a network, or a function that is given it, uses an attribute of its own.

    The result of `auto_mixed_precision` has no such attribute (run on 2.10).
    """
    text = ast.unparse(use.node)

    def same(node: ast.expr) -> bool:
        return type(node) is type(use.node) and ast.unparse(node) == text

    if members(program, use.module.tree, same):
        return True
    sites = (site for scope in use.module.scopes for site in scope.calls)
    return any(_is_read_by_callee(program, site, same) for site in sites)


def is_read_by_taker(program: Program, use: Use) -> bool:
    """Return whether a function or loss cell that is given a converted network reads members of it.

    `self.network.prepare(...)`
    """

    def same(node: ast.expr) -> bool:
        return node is use.node

    return any(_is_read_by_callee(program, site, same) for site in use.scope.owner.calls)


def _is_read_by_callee(program: Program, site: Site, same: Callable[[ast.expr], bool]) -> bool:
    """Return whether a call is given a network of which the callee, or its result, reads members."""
    if not isinstance(site.node, ast.Call) or not any(map(same, plainly_given(site.node))):
        return False
    for known in program.evaluator.callees(site).alternatives:
        cls = known.definition if known.definition is not None and known.definition.is_class else None
        function = known.definition if cls is None else bases.method(program.evaluator, cls, "__init__")
        if function is None or not function.is_function:
            continue
        if _reads(program, function, cls or function.parent, parameters_given(program.evaluator, function, site, same)):
            return True
    return False


def _reads(program: Program, function: Scope, cls: Optional[Scope], passed: frozenset[str]) -> bool:
    """Return whether a function reads members of some parameters, or its class of the attributes that hold them."""
    if members(program, function.node, lambda base: isinstance(base, ast.Name) and base.id in passed):
        return True
    kept = _kept(program, function, passed) if cls is not None and cls.is_class else frozenset()
    classes = bases.ancestors(program.evaluator, cls) if kept and cls is not None else ()
    return any(members(program, each.node, lambda base: any(is_own(base, name) for name in kept)) for each in classes)


def _kept(program: Program, function: Scope, passed: frozenset[str], depth: int = 4) -> frozenset[str]:
    """Return the attributes in which a class, or a base whose `__init__` is called, stores some parameters."""

    def is_passed(node: Optional[ast.expr]) -> bool:
        return isinstance(node, ast.Name) and node.id in passed

    attributes = function.parent.attributes.items() if function.parent is not None else ()
    found = {name for name, bindings in attributes if any(is_passed(each.value) for each in bindings)}
    for site in function.calls if depth and passed else ():
        if site.word == "__init__":
            for init in {known.definition for known in program.evaluator.callees(site).alternatives}:
                if init is not None and init.is_function:
                    found |= _kept(program, init, parameters_given(program.evaluator, init, site, is_passed), depth - 1)
    return frozenset(found)
