"""Names that only an import from MindSpore binds: their value is the same in every program.

Also names from modules of Python whose functions return or call their arguments.
"""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint import mindspore_api
from ms_perflint.core.facts import fact
from ms_perflint.index.semantic_index import Scope, SemanticIndex
from ms_perflint.index.syntax_forms import imported_name
from ms_perflint.infer.alternatives import Api
from ms_perflint.infer.values import Alternative, Value

PACKAGE = "mindspore"  # never a module of the project
CALLING = frozenset({"asyncio", "concurrent", "contextlib", "dataclasses", "functools", "itertools"})
HANDING = CALLING | {"collections", "copy", "operator", "types", "typing", "weakref"}  # some only hand it on


def outside(node: ast.expr, scope: Scope) -> Optional[Value]:
    """Return the API that `nn` or `nn.Dense` denotes in a scope; None where a program has to be asked."""
    words: list[str] = []
    base = node
    while type(base) is ast.Attribute:
        words.append(base.attr)
        base = base.value
    module = scope.module
    if type(base) is not ast.Name or base.id not in module.imported:  # as most often
        return None
    alias, api = imports(module).get(base.id, (None, ""))
    if alias is None or not _is_of_module(base.id, scope):
        return None
    spelled = base.id
    for word in reversed(words):
        if (spelled, word) in module.stores:  # `ms.name = value` lays something over it
            return None
        spelled, api = f"{spelled}.{word}", mindspore_api.canonical(f"{api}.{word}")
    return Value((Alternative(Api(api), (module, node if words else alias)),))


@fact
def imports(module: SemanticIndex) -> dict[str, tuple[ast.alias, str]]:
    """Return the names of a module that only one import from MindSpore binds, with their APIs."""
    found: dict[str, tuple[ast.alias, str]] = {}
    for name, bindings in module.scope.bindings.items():
        api = _imported(bindings[0].stmt, bindings[0].node) if len(bindings) == 1 else None
        if api is not None:
            assert isinstance(bindings[0].node, ast.alias)
            found[name] = (bindings[0].node, mindspore_api.canonical(api))
    return found


def passing(module: SemanticIndex) -> dict[str, bool]:
    """Return the names that a file imports from modules of Python whose functions return their arguments.

    With each, whether they may call them, too.
    """
    homes = [
        (name, _home(stmt, alias).partition(".")[0]) for name, found in module.imported.items() for stmt, alias in found
    ]
    return {name: home in CALLING for name, home in homes if home in HANDING}


def _home(stmt: ast.stmt, alias: ast.alias) -> str:
    """Return the module of an import; "" for a relative one."""
    if isinstance(stmt, ast.ImportFrom):
        return "" if stmt.level else stmt.module or ""
    return alias.name


def _imported(stmt: ast.AST, alias: ast.AST) -> Optional[str]:
    """Return the full name of an import from MindSpore; None for other statements and packages."""
    if not isinstance(alias, ast.alias):
        return None
    dotted = imported_name(stmt, alias)
    return dotted if dotted.partition(".")[0] == PACKAGE else None


def _is_of_module(name: str, scope: Scope) -> bool:
    """Return whether a name in a scope denotes that of the module: no scope between them may bind it."""
    inner = next(each for each in scope.enclosing() if each.parent is None or name in each.bindings or each.stars)
    return inner is scope.module.scope
