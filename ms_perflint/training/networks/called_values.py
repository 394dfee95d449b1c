"""What the code of a network calls or keeps by a name of a value, as no name of a definition leads to it."""

from __future__ import annotations

import ast

from ms_perflint.index.scopes import OWNERS
from ms_perflint.index.semantic_index import Scope, SemanticIndex
from ms_perflint.infer.values import Alternative
from ms_perflint.program.program import Program, fact
from ms_perflint.training.bases import is_cell


@fact
def called_values(program: Program, function: Scope) -> tuple[Alternative, ...]:
    """Return what a function calls by a name of a value: `Layer(64)`, where `Layer = partial(Block, 64)`.

    Names of definitions lead to these, see `networks.loaded`. The names in a lambda are among those of the code around.
    A method may keep what the module makes, and another one calls it: `self.net = net`.
    """
    is_all = isinstance(function.node, ast.Lambda)
    calls = [site for site in function.calls_inside if isinstance(site.node, ast.Call)]
    sites = [site for site in calls if is_all or _is_of_value(program, site.call.func, site.scope, is_called=True)]
    found = [known for site in sites for known in program.evaluator.callees(site).alternatives]
    attributes = function.cls.attributes.values() if function.cls is not None else ()
    for binding in (each for bindings in attributes for each in bindings if each.scope.owner is function):
        value = binding.whole
        if isinstance(value, (ast.Name, ast.Attribute)) and _is_of_value(program, value, binding.scope):
            found += [known for known in program.value(value, binding.scope).alternatives if is_cell(program, known)]
    return tuple(found)


def _is_of_value(program: Program, node: ast.expr, scope: Scope, is_called: bool = False) -> bool:
    """Return whether an expression is no name of a definition, and no attribute of an object of the function.

    A name that the function binds counts where it is called: what makes the object is called, too.
    """
    name = node.value if isinstance(node, ast.Attribute) else node
    if not isinstance(name, ast.Name):
        return name is node
    bound = [each for each in scope.lookup(name) if each.scope.parent is not None]
    if any(not isinstance(each.node, (*OWNERS, ast.alias)) for each in bound):
        return is_called and name is node
    if any(_may_assign(name.id, module) for module in program.names.resolve(scope.module, name.id).modules):
        return True
    if not isinstance(node, ast.Attribute):
        return False
    members = program.names.resolve_member(scope.module, node.attr).modules
    return any(_may_assign(node.attr, module) for module in members)


def _may_assign(name: str, module: SemanticIndex) -> bool:
    """Return whether a module that binds a name, which an import may rename, may assign a value to it."""
    bindings = module.scope.bindings.get(name)
    return bindings is None or not all(isinstance(each.node, OWNERS) for each in bindings)
