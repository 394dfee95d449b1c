"""Cells that a cell keeps in a list, tuple or dict of Python: it does not hold them, so that nothing names them apart.

Run on 2.10, CPU: their Parameters have no prefix and are not among `trainable_params()`; graph mode refuses two of one
name ("its name 'd.weight' already exists"), PyNative does not. `CellList`, `SequentialCell`, `setattr` and attributes
name them.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from ms_perflint.index.semantic_index import COMPREHENSIONS, Scope, Site
from ms_perflint.index.syntax_forms import descendants, word_of
from ms_perflint.infer.bases import ancestors
from ms_perflint.infer.values import Alternative
from ms_perflint.languages import Message
from ms_perflint.program.program import Program
from ms_perflint.training.graph_mode.compiled import class_of
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle
from ms_perflint.training.graph_mode.shared_names import names_of, renames

_HOLDS = ("CellList", "SequentialCell", "CellDict", "insert_child_to_cell", "setattr")
_HOPS = 3  # cells that are given to one another
UNHELD = Message("cells in a list have Parameters of the same names: `nn.CellList` tells them apart")


def in_containers(program: Program, function: Scope) -> Iterator[Obstacle]:
    """Yield the containers of Python from which a compiled method takes cells whose Parameters have the same names."""
    cls = class_of(function)
    if cls is None or not function.is_function or renames(program):
        return
    for name, node in sorted(_own_attributes(function).items()):
        if not _is_display(program, node, function):
            continue
        counts: Counter[str] = Counter()
        for value, scope, times in _elements(program, cls, name):
            for known in program.value(value, scope).alternatives[:1]:
                counts.update(dict.fromkeys(_names(program, known, _HOPS), times))
        if any(times > 1 for times in counts.values()):
            yield obstacle(function.module, node, "names", UNHELD)


def _names(program: Program, known: Alternative, hops: int) -> Iterator[str]:
    """Yield the names of the Parameters of a cell; those of the cells that it is given without their prefix."""
    yield from names_of(program, known)
    made = known.creation
    for argument in made.call.args if made is not None and hops and known.cls is not None else ():
        for each in program.value(argument, made.scope).alternatives:  # type: ignore[union-attr]
            yield from _names(program, each, hops - 1)


def _own_attributes(function: Scope) -> dict[str, ast.Attribute]:
    """Return where a method first reads each attribute of its object, by name."""
    found: dict[str, ast.Attribute] = {}
    for node in descendants(function.node) if function.attrs else ():
        is_load = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
        if is_load and isinstance(node.value, ast.Name) and node.value.id == "self":  # type: ignore[attr-defined]
            found.setdefault(node.attr, node)  # type: ignore[attr-defined, arg-type]
    return found


def _is_display(program: Program, node: ast.Attribute, function: Scope) -> bool:
    """Return whether an attribute is a list, tuple or dict that is written in the program."""
    value = program.value(node, function)
    return not value.open and bool(value.alternatives) and all(each.is_display for each in value.alternatives)


def _elements(program: Program, cls: Scope, name: str) -> Iterator[tuple[ast.expr, Scope, int]]:
    """Yield the calls that make the elements of a container of an object, and how often each is made, at least."""
    for owner in ancestors(program.evaluator, cls):
        for binding in owner.attributes.get(name, ()):
            scope, value = binding.scope, binding.value
            if value is None or _is_held(scope, value, name):
                return
            local = value.id if isinstance(value, ast.Name) else ""
            for known in program.value(value, scope).alternatives:
                many = 2 if known.shown is not None and isinstance(known.shown.node, COMPREHENSIONS) else 1
                yield from ((part.node, part.scope, many) for part in known.parts if isinstance(part.node, ast.Call))
            for site in scope.owner.calls:
                call = site.node
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and _is_append(call):
                    to, given = call.func.value, call.args[0]
                    is_there = _is_name(to, local) or _is_attribute(to, name)
                    if is_there and (isinstance(given, ast.Call) or _is_made_there(given, site)):
                        yield given, site.scope, 2 if site.block.loops else 1


def _is_made_there(node: ast.expr, site: Site) -> bool:
    """Return whether a name stands for what the same pass of a loop made."""
    made = site.scope.lookup(node) if isinstance(node, ast.Name) else []
    return bool(made) and all(isinstance(each.value, ast.Call) and each.block.loops for each in made)


def _is_append(node: ast.Call) -> bool:
    return word_of(node.func) == "append" and len(node.args) == 1


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_attribute(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == name


def _is_held(scope: Scope, value: ast.expr, name: str) -> bool:
    """Return whether the function that fills a container gives it, or its elements, to a cell that names them."""
    calls = (site.node for site in scope.owner.calls if isinstance(site.node, ast.Call))
    held = [node for node in calls if word_of(node.func) in _HOLDS]
    local = value.id if isinstance(value, ast.Name) else ""
    inside = (each for node in held for each in ast.walk(node) if isinstance(each, (ast.Name, ast.Attribute)))
    return any(_is_name(each, local) or _is_attribute(each, name) for each in inside) or any(
        word_of(node.func) in _HOLDS[3:] for node in held
    )
