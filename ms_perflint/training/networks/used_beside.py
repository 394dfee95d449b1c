"""What code beside uses of a network, and what `auto_mixed_precision` gives does not have: its attributes and items."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ms_perflint import mindspore_api
from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.index.syntax_forms import descendants, is_own
from ms_perflint.training.networks.plans import Use

if TYPE_CHECKING:
    from ms_perflint.program.program import Program

_MEMBERS = frozenset({"training", "phase", "requires_grad"})  # of every cell, beside its methods


def arguments(node: ast.Call) -> list[ast.expr]:
    """Return what a call is given, without what it spreads."""
    given = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg is not None)]
    return [argument for argument in given if not isinstance(argument, ast.Starred)]


def members(program: Program, root: ast.AST, is_base: Callable[[ast.expr], bool]) -> list[ast.Attribute]:
    """Return the attributes of some expressions that not every cell has."""
    found = [node for node in descendants(root) if isinstance(node, ast.Attribute) and is_base(node.value)]
    return [node for node in found if node.attr not in _MEMBERS and not _is_of_all_cells(program, node.attr)]


def _is_of_all_cells(program: Program, name: str) -> bool:
    return mindspore_api.parameters(f"mindspore.nn.Cell.{name}", program.version) is not None


def takes_apart(scope: Scope, is_base: Callable[[ast.expr], bool]) -> bool:
    """Return whether code loops over an expression, or takes an item of it: what converts it can do neither."""
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
    """Return whether an attribute of a network's own is used in its file, or in a function that it is passed to.

    What `auto_mixed_precision` gives has no such attribute (run on 2.10).
    """
    text = ast.unparse(use.node)

    def same(node: ast.expr) -> bool:
        return type(node) is type(use.node) and ast.unparse(node) == text

    if members(program, use.module.tree, same):
        return True
    sites = (site for scope in use.module.scopes for site in scope.calls if isinstance(site.node, ast.Call))
    return any(
        _reads_members(program, callee, site.node, same)
        for site in sites
        if isinstance(site.node, ast.Call) and any(same(each) for each in arguments(site.node))
        for callee in _callees(program, site)
    )


def _callees(program: Program, site: Site) -> Iterator[Scope]:
    for known in program.evaluator.callees(site).alternatives:
        function = known.definition
        if function is not None and function.is_class:
            function = function.method("__init__")
        if function is not None and function.is_function:
            yield function


def _reads_members(program: Program, function: Scope, call: ast.Call, same: Callable[[ast.expr], bool]) -> bool:
    """Return whether a function reads attributes of the parameter that a call passes the network for."""
    names = [arg.arg for arg in function.node.args.args]  # type: ignore[union-attr]
    passed = [name for name, given in zip(names[function.is_method :], call.args) if same(given)]
    passed += [word.arg for word in call.keywords if word.arg is not None and same(word.value)]
    if members(program, function.node, lambda base: isinstance(base, ast.Name) and base.id in passed):
        return True
    cls = function.parent if function.is_method else None
    kept = [
        name
        for name, bindings in (cls.attributes.items() if cls is not None else ())
        if any(isinstance(binding.value, ast.Name) and binding.value.id in passed for binding in bindings)
    ]
    return cls is not None and bool(members(program, cls.node, lambda base: any(is_own(base, n) for n in kept)))


def is_read_by_taker(program: Program, use: Use) -> bool:
    """Return whether what is made of a network, its loss cell, reads members of it: `self.network.prepare(...)`."""

    def same(node: ast.expr) -> bool:
        return node is use.node

    calls = (site for site in use.scope.owner.calls if isinstance(site.node, ast.Call))
    takers = (site for site in calls if any(map(same, arguments(site.node))))  # type: ignore[arg-type]
    return any(
        callee.name == "__init__" and _reads_members(program, callee, site.node, same)  # type: ignore[arg-type]
        for site in takers
        for callee in _callees(program, site)
    )
