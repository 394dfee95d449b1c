"""Elements that a program appends to lists, and stores under keys of dicts, in any function."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ms_perflint.core.facts import fact
from ms_perflint.index.semantic_index import Scope, SemanticIndex
from ms_perflint.index.syntax_forms import word_of
from ms_perflint.infer import bases
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.list_changes import identities
from ms_perflint.infer.places import GROWS

GATHERED = frozenset({"sorted", "natsorted", "list", "tuple", "set", "reversed", "max", "min", "next", "iter"})
_ADDS = GROWS | {"put", "heappush"}


def list_of(node: ast.expr, scope: Scope) -> ast.expr:
    """Return the list from which a record or slice is taken."""
    while True:
        if isinstance(node, ast.Name):
            loops = [each.value for each in scope.lookup(node) if each.kind == "for" and each.value is not None]
            if not loops:
                return node
            node = loops[0]
        elif isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call) and word_of(node.func) in {*GATHERED, "heappop"} and node.args:
            node = node.args[0]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func.value
        else:
            return node


def put(evaluator: Evaluator, node: ast.expr, scope: Scope) -> list[tuple[ast.expr, Scope]]:
    """Return the elements that the program adds to the lists that an expression can be."""
    own = identities(evaluator.value(node, scope))
    if not own:
        return []
    found: list[tuple[ast.expr, Scope]] = []
    changes: list[tuple[ast.expr, ast.expr, Scope]] = []
    for word in sorted(_ADDS):
        for site in evaluator.program.sites(word):
            if site.base is not None and isinstance(site.node, ast.Call) and site.node.args:
                changes.append((site.base, site.node.args[-1], site.scope))
    for module in evaluator.program.modules:
        changes += _without_call(module)
    for base, value, inner in changes:
        if not own.isdisjoint(identities(evaluator.value(base, inner))):
            parts = value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]
            found += [(part, inner) for part in parts]
    return found


@fact
def _without_call(module: SemanticIndex) -> list[tuple[ast.expr, ast.expr, Scope]]:
    """Return what a file adds to lists by `x[key] = value` and `x += [value]`: each list, and what it gets."""
    found: list[tuple[ast.expr, ast.expr, Scope]] = []
    for several in module.registered.values():
        stores = (each for each in several if isinstance(each[0], ast.Subscript))
        found += [(target.value, value, block.scope) for target, value, block in stores]
    added = ((stmt, block) for stmt, block in module.steps if isinstance(stmt, ast.AugAssign))
    found += [(stmt.target, stmt.value, block.scope) for stmt, block in added if isinstance(stmt.op, ast.Add)]
    return found


def appended(evaluator: Evaluator, node: ast.expr, scope: Scope) -> list[tuple[ast.expr, Scope]]:
    """Return what is appended to a list of this name, wherever its function, or its class with its bases, does it."""
    word = word_of(node)
    scopes = list(_sharing(evaluator, node, scope))
    found: list[tuple[ast.expr, Scope]] = []
    for site in (site for each in scopes for site in each.calls if site.word in _ADDS):
        call = site.node
        assert isinstance(call, ast.Call)
        base = call.func.value if isinstance(call.func, ast.Attribute) else None
        base = call.args[0] if site.word == "heappush" and call.args else base
        if call.args and type(base) is type(node) and word_of(base) == word:
            last = call.args[-1]
            each = last.elts if site.word == "extend" and isinstance(last, (ast.List, ast.Tuple)) else [last]
            found += [(part, site.scope) for part in each]
    return found


def stored(evaluator: Evaluator, node: ast.expr, scope: Scope, key: object = None) -> list[tuple[ast.expr, Scope]]:
    """Return the values that `name[key] = value` stores in a dict or list of this name; None for any key."""
    scopes = set(_sharing(evaluator, node, scope))
    found: list[tuple[ast.expr, Scope]] = []
    for module in dict.fromkeys(each.module for each in scopes):
        named = (each for (_, word), bindings in module.stores.items() if key in (None, word) for each in bindings)
        pairs = [(each.node, each.value, each.block) for each in named if not each.path]
        for target, value, block in (*pairs, *module.registered.get(word_of(node), ())):
            is_known = isinstance(target, ast.Subscript) and ast.unparse(target.value) == ast.unparse(node)
            if is_known and value is not None and block.scope.owner in scopes:
                found.append((value, block.scope))
    return found


def _sharing(evaluator: Evaluator, node: ast.expr, scope: Scope) -> Iterator[Scope]:
    """Yield the functions that share a list of this name: inner functions do, too."""
    if isinstance(node, ast.Attribute):
        owner = next((each for each in scope.owner.chain() if each.is_class), None)
        if owner is not None:
            for cls in bases.ancestors(evaluator, owner):
                yield from _inside(cls)
            return
    elif isinstance(node, ast.Name):
        home = scope.home(node.id)
        if home is not None:
            yield from (each for each in _inside(home.owner) if each.home(node.id) is home)
            return
    yield scope.owner


def _inside(scope: Scope) -> Iterator[Scope]:
    """Yield a scope and the functions and classes inside of it."""
    yield scope
    for inner in scope.defines:
        yield from _inside(inner)
