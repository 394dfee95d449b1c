"""Whether what a network gives is a loss already: then it computes the loss itself, which has to stay in float32."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Collection, Iterator
from typing import Optional

from ms_perflint.index.semantic_index import Binding, Scope, Site
from ms_perflint.index.syntax_forms import word_of

_LOSS = r"(?i)loss(?!y)"
DEPTH = 4  # names behind one another


def is_returned(function: Scope, site: Site) -> bool:
    """Return whether a function returns what a call gives as it is: the loss is computed inside of what it calls."""
    return any(_is_part_of(_first(given), site.node, function, DEPTH) for given, _ in function.returns)


def gives_losses(function: Scope, site: Site) -> bool:
    """Return whether what a function returns is made of what a call gives under the name of a loss.

    `_, loss = net(x, y)`; `out = net(x, y)` and `out["loss_a"] + out.loss_b`.
    """
    named, whole = _results(function, site)
    for given, _ in function.returns:
        for node in _behind(_first(given), function):
            if isinstance(node, ast.Name) and node.id in named:
                return True
            key = node.slice if isinstance(node, ast.Subscript) else None
            word = node.attr if isinstance(node, ast.Attribute) else getattr(key, "value", None)
            of = node.value if isinstance(node, (ast.Attribute, ast.Subscript)) else None
            is_ours = isinstance(of, ast.Name) and of.id in whole
            if is_ours and isinstance(word, str) and re.search(_LOSS, word):
                return True
    return False


def fed_by(construct: Scope, layers: Collection[str], others: Collection[str]) -> list[str]:
    """Return which attributes of `self` a network calls with what layers of it have given out before."""
    found = []
    for site in construct.calls:
        if isinstance(site.node, ast.Call) and site.word in others:
            nodes = (node for given in site.node.args for node in _behind(given, construct, site.node.lineno))
            if any(isinstance(node, ast.Call) and word_of(node.func) in layers for node in nodes):
                found.append(site.word)
    return found


def _first(given: ast.expr) -> ast.expr:
    """Return the loss of what a function returns: the first of several values."""
    return given.elts[0] if isinstance(given, ast.Tuple) and given.elts else given


def _results(function: Scope, site: Site) -> tuple[set[str], set[str]]:
    """Return the names that a call gives a value: those of losses, and those of all that it gives."""
    named: set[str] = set()
    whole: set[str] = set()
    for name, bindings in function.bindings.items():
        for binding in bindings:
            if binding.value is site.node:
                (whole if not binding.path else named).add(name)
    return {name for name in named | whole if re.search(_LOSS, name)}, whole


def _behind(value: ast.expr, function: Scope, until: float = math.inf) -> Iterator[ast.AST]:
    """Yield the expressions of which a value is made in a function, in lines until one."""
    todo, seen = [value], set[str]()
    while todo:
        for node in ast.walk(todo.pop()):
            yield node
            if isinstance(node, ast.Name) and node.id not in seen:
                seen.add(node.id)
                values = (_value(binding) for binding in function.bindings.get(node.id, ()))
                todo += [each for each in values if each is not None and each.lineno < until]


def _value(binding: Binding) -> Optional[ast.expr]:
    return binding.stmt.value if isinstance(binding.stmt, ast.AugAssign) else binding.value


def _is_part_of(value: ast.expr, call: ast.AST, function: Scope, depth: int) -> bool:
    """Return whether an expression is what a call gives, or a part of it: `output.loss`, `loss, _ = net(x)`."""
    while isinstance(value, (ast.Attribute, ast.Subscript)):
        value = value.value
    if value is call:
        return True
    bindings = function.bindings.get(value.id, ()) if isinstance(value, ast.Name) and depth else ()
    values = [binding.value for binding in bindings if binding.value is not None]
    return bool(values) and all(_is_part_of(each, call, function, depth - 1) for each in values)
