"""What the code of a network calls by a name of a value, as no name of a definition leads to it."""

from __future__ import annotations

import ast

from ms_perflint.index.scopes import OWNERS
from ms_perflint.index.semantic_index import Scope, SemanticIndex, Site
from ms_perflint.infer.values import Alternative
from ms_perflint.program.program import Program, fact


@fact
def called_values(program: Program, function: Scope) -> tuple[Alternative, ...]:
    """Return what a function calls by a name of a value: `Layer(64)`, where `Layer = partial(Block, 64)`.

    Names of definitions lead to these, see `networks.loaded`. The names in a lambda are among those of the code around.
    """
    is_all = isinstance(function.node, ast.Lambda)
    sites = (site for site in function.calls_inside if is_all or _is_of_value(program, site))
    return tuple(known for site in sites for known in program.evaluator.callees(site).alternatives)


def _is_of_value(program: Program, site: Site) -> bool:
    """Return whether no name of a definition is called, and no attribute of an object of the function."""
    if not isinstance(site.node, ast.Call):
        return False
    func = site.node.func
    name = func.value if isinstance(func, ast.Attribute) else func
    if not isinstance(name, ast.Name):
        return name is func
    bound = [each for each in site.scope.lookup(name) if each.scope.parent is not None]
    if any(not isinstance(each.node, (*OWNERS, ast.alias)) for each in bound):
        return name is func  # `self.layer(x)`, `x.mean()`: what makes the object is called, too
    if any(_may_assign(name.id, module) for module in program.names.resolve(site.module, name.id).modules):
        return True
    members = program.names.resolve_member(site.module, site.word).modules if name is not func else ()
    return any(_may_assign(site.word, module) for module in members)


def _may_assign(name: str, module: SemanticIndex) -> bool:
    """Return whether a module that binds a name, which an import may rename, may assign a value to it."""
    bindings = module.scope.bindings.get(name)
    return bindings is None or not all(isinstance(each.node, OWNERS) for each in bindings)
