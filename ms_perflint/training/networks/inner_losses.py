"""Whether the output of a network is a loss: then the network computes it, and it has to stay in float32."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence

from ms_perflint.core.facts import fact
from ms_perflint.core.graphs import reachable
from ms_perflint.index.semantic_index import Binding, Scope, SemanticIndex, Site
from ms_perflint.index.syntax_forms import word_of

_LOSS = r"(?i)loss(?!y)"
DEPTH = 4  # names behind one another


def is_returned(function: Scope, site: Site) -> bool:
    """Return whether a function returns the result of a call as it is."""
    return any(_is_part_of(_first(given), site.node, function, DEPTH) for given, _ in function.returns)


def gives_losses(function: Scope, site: Site) -> bool:
    """Return whether a function returns a value computed from a loss in the result of a call, by its name.

    `_, loss = net(x, y)`; `out = net(x, y)` and `out["loss_a"] + out.loss_b`.
    """
    return any(_is_loss_of(node, function, site) for node in _returned(function.module, function))


@fact
def _returned(module: SemanticIndex, function: Scope) -> tuple[ast.AST, ...]:
    """Return the names and members from which the results of a function of a file are computed."""
    made_of = (node for given, _ in function.returns for node in _behind(_first(given), function))
    return tuple(node for node in made_of if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)))


def _is_loss_of(node: ast.AST, function: Scope, site: Site) -> bool:
    """Return whether an expression reads the result of a call, or a part of it, under the name of a loss."""
    if isinstance(node, ast.Name):
        given = [binding for binding in function.lookup(node) if binding.value is site.node]
        return bool(given) and re.search(_LOSS, node.id) is not None
    if not isinstance(node, (ast.Attribute, ast.Subscript)) or not isinstance(node.value, ast.Name):
        return False
    given = [each for each in function.lookup(node.value) if each.value is site.node and not each.path]
    return bool(given) and re.search(_LOSS, word_of(node)) is not None


def fed_by(construct: Scope, layers: Collection[str], others: Collection[str]) -> list[str]:
    """Return the attributes of `self` that a network calls with the output of some of its layers."""
    found = []
    for site in construct.calls:
        if isinstance(site.node, ast.Call) and site.word in others:
            nodes = (node for given in site.node.args for node in _behind(given, construct))
            if any(isinstance(node, ast.Call) and word_of(node.func) in layers for node in nodes):
                found.append(site.word)
    return found


def _first(given: ast.expr) -> ast.expr:
    """Return the loss of a returned expression: the first of several values."""
    return given.elts[0] if isinstance(given, ast.Tuple) and given.elts else given


def _behind(value: ast.expr, function: Scope) -> Iterator[ast.AST]:
    """Return the expressions from which a value of a function is computed."""

    def before(value: ast.expr) -> Iterator[ast.expr]:
        names = (node for node in ast.walk(value) if isinstance(node, ast.Name))
        own = (binding for name in names for binding in function.lookup(name) if binding.scope is function)
        return (part for binding in own for part in _parts(binding))

    return (node for each in reachable([value], before) for node in ast.walk(each))


def _parts(binding: Binding) -> Sequence[ast.expr]:
    """Return the expressions that give a binding its value; for `x += y` the earlier value of `x` is one."""
    if isinstance(binding.stmt, ast.AugAssign):
        return binding.stmt.target, binding.stmt.value
    return (binding.value,) if binding.value is not None else ()


def _is_part_of(value: ast.expr, call: ast.AST, function: Scope, depth: int) -> bool:
    """Return whether an expression is the result of a call, or a part of it: `output.loss`, `loss, _ = net(x)`."""
    while isinstance(value, (ast.Attribute, ast.Subscript)):
        value = value.value
    if value is call:
        return True
    bindings = function.bindings.get(value.id, ()) if isinstance(value, ast.Name) and depth else ()
    values = [binding.value for binding in bindings if binding.value is not None]
    return bool(values) and all(_is_part_of(each, call, function, depth - 1) for each in values)
