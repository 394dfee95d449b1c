"""Whole numbers with the constants from which a program computes them, and their value for other constants."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, Optional

from ms_perflint.core.findings import Place
from ms_perflint.index.reachability import BY_DEFAULT
from ms_perflint.index.semantic_index import Binding, Scope, SemanticIndex
from ms_perflint.index.signature import Part, receiver_name
from ms_perflint.infer.computing import OPERATORS
from ms_perflint.infer.parameters import argument
from ms_perflint.infer.queries import query
from ms_perflint.infer.values import Alternative, Value
from ms_perflint.program.inputs import Inputs
from ms_perflint.program.program import Program

_OPERATORS: Mapping[type[ast.operator], Callable[..., int]] = {
    kind: OPERATORS[kind] for kind in (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv)
}


class Origin(NamedTuple):
    """A constant from which a number is computed."""

    place: Place
    value: int
    module: Optional[SemanticIndex]  # None in a config file
    node: Optional[ast.Constant]
    optional: bool  # a user may give another by an option or a config file


class Number(NamedTuple):
    """A known whole number. Without origins it is not known where it is written."""

    value: int
    origins: tuple[Origin, ...] = ()
    parts: tuple[Number, ...] = ()  # of an operation; the choices of a name that has one value from several places
    operator: Optional[type[ast.operator]] = None

    def at(self, changed: Mapping[Place, int]) -> int:
        """Return the value for other constants at some places."""
        if self.operator is not None:
            try:
                return _OPERATORS[self.operator](self.parts[0].at(changed), self.parts[1].at(changed))
            except ZeroDivisionError:
                return self.value
        if self.parts:
            return self.parts[0].at(changed)
        return next((changed[origin.place] for origin in self.origins if origin.place in changed), self.value)


def number(program: Inputs, node: ast.expr, scope: Scope) -> Optional[Number]:
    """Return the one whole number that an expression is; None where it can be another, or is not known."""
    if isinstance(node, ast.Constant):
        return Number(node.value, (literal(node, scope.module),)) if type(node.value) is int else None
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        left = number(program, node.left, scope)
        right = number(program, node.right, scope) if left is not None else None
        return _operation(type(node.op), left, right) if left is not None and right is not None else None
    return next(iter(_evaluated(program, node, scope)), None)


@query(bottom=())
def _evaluated(program: Inputs, node: ast.expr, scope: Scope) -> tuple[Number, ...]:
    """Return the one whole number that an expression is by default; none where it can be another, or is not known."""
    value = program.evaluator.value(node, scope)
    usual = value.by_default or value.alternatives
    if value.open or not value.are_constants or len({known.constant for known in usual}) != 1:
        return ()
    constant = usual[0].constant
    if type(constant) is not int:
        return ()
    binding = only_binding(node, scope)
    found = _bound(program, binding, constant) if binding is not None else None
    return (found or Number(constant, _origins(usual[0], constant, value.overridable)),)


def numbers(program: Inputs, node: ast.expr, scope: Scope) -> tuple[Number, ...]:
    """Return the whole numbers that an expression is, in the order of loops and calls; none where it may be another."""
    one = number(program, node, scope)
    if one is not None or not isinstance(node, (ast.Name, ast.Subscript)):
        return (one,) if one is not None else ()
    value = program.evaluator.value(node, scope)
    if value.open or any(type(known.constant) is not int for known in value.alternatives):
        return ()
    if isinstance(node, ast.Subscript):  # `sizes[i]` in a loop
        return _looped(value) if not value.overridable else ()
    found: list[Number] = []
    bound = scope.lookup(node)
    usual = [each for each in bound if program.evaluator.reachability(each.block, scope) == BY_DEFAULT]
    for binding in usual or bound:
        if binding.whole is not None:
            each = numbers(program, binding.whole, binding.scope)
        else:
            each = _looped(value) if binding.kind == "for" else _passed_in_turn(program, binding)
        if not each:
            return ()
        found.extend(each)
    origins: dict[int, tuple[Origin, ...]] = {}
    for known in found:
        origins[known.value] = tuple(dict.fromkeys((*origins.get(known.value, ()), *known.origins)))
    return tuple(Number(constant, made) for constant, made in origins.items())


def _looped(value: Value) -> tuple[Number, ...]:
    """Return the whole numbers of a loop, or of the items that a loop takes."""
    constants = ((known, known.constant) for known in value.alternatives)
    return tuple(
        Number(constant, _origins(known, constant, value.overridable))
        for known, constant in constants
        if isinstance(constant, int)
    )


@query(bottom=())
def _passed_in_turn(program: Inputs, binding: Binding) -> tuple[Number, ...]:
    """Return the whole numbers that the callers of a function pass for a parameter, one after the other."""
    if binding.kind != "parameter" or not binding.scope.is_function:
        return ()
    found: list[Number] = []
    for part in _parts(program, binding):
        each = numbers(program, *part) if part is not None else ()
        if not each:
            return ()
        found.extend(each)
    return tuple(found)


def _parts(program: Inputs, binding: Binding) -> Iterator[Optional[Part]]:
    """Yield what each caller of a function passes for a parameter, or its default; None where it is not known."""
    parent = binding.scope.parent
    default = Part(binding.value, parent) if binding.value is not None and parent is not None else None
    for site in program.callers(binding.scope):
        given = argument(program.evaluator, binding, site)
        yield default if given.is_default else given.part


def literal(node: ast.Constant, module: SemanticIndex) -> Origin:
    """Return a literal whole number, with itself as origin."""
    assert isinstance(node.value, int)
    return Origin(module.place(node), node.value, module, node, False)


def _operation(kind: type[ast.operator], left: Number, right: Number) -> Optional[Number]:
    try:
        value = _OPERATORS[kind](left.value, right.value)
    except ZeroDivisionError:
        return None
    return Number(value, (*left.origins, *right.origins), (left, right), kind)


def _origins(known: Alternative, constant: int, optional: bool) -> tuple[Origin, ...]:
    """Return the literals of a known constant; none where it is computed."""
    if isinstance(known.where, Place):
        return (Origin(known.where, constant, None, None, True),)
    module, node = known.where
    if isinstance(node, ast.Constant) and type(node.value) is int and node.value == constant:
        return (Origin(known.place, constant, module, node, optional),)
    return ()


def only_binding(node: ast.expr, scope: Scope) -> Optional[Binding]:
    """Return the only binding of a name, or of an attribute of `self`; None where there are several."""
    cls = scope.owner.parent
    if not isinstance(node, ast.Attribute) or cls is None or not isinstance(node.value, ast.Name):
        return scope.only(node)
    found = cls.attributes.get(node.attr, ()) if node.value.id == receiver_name(scope) else ()
    return found[0] if len(found) == 1 else None


def _bound(program: Inputs, binding: Binding, constant: int) -> Optional[Number]:
    """Return the number of a binding, with its origins; None where they are not known."""
    found: Optional[Number] = None
    if binding.whole is not None:
        found = number(program, binding.whole, binding.scope)
    elif binding.kind == "parameter" and binding.scope.is_function:
        found = _passed(program, binding)
    return found if found is not None and found.value == constant else None


def _passed(program: Inputs, binding: Binding) -> Optional[Number]:
    """Return the number that all callers of a function pass for a parameter, or its default; None for several."""
    choices: list[Number] = []
    for part in _parts(program, binding):
        choice = number(program, *part) if part is not None else None
        if choice is None:
            return None
        choices.append(choice)
    if not choices or len({choice.value for choice in choices}) != 1:
        return None
    if len(choices) == 1:
        return choices[0]
    origins = tuple(dict.fromkeys(origin for choice in choices for origin in choice.origins))
    return Number(choices[0].value, origins, tuple(choices))


# --- numbers in config files


def is_sole(program: Program, origin: Origin) -> bool:
    """Return whether the config files beside that of an origin have no other number under the same key."""
    raw = program.project.raw(origin.place.path) or b""
    lines = raw.splitlines()
    key = lines[origin.place.row - 1].partition(b":")[0].strip() if origin.place.row <= len(lines) else b""
    if not key:
        return False
    directory = os.path.dirname(origin.place.path)
    pattern = re.compile(rb"^\s*" + re.escape(key) + rb"\s*:\s*(\S+?),?\s*(?:#.*)?$", re.MULTILINE)
    for name in sorted(program.project.files.named(directory, "*.yaml", "*.yml", "*.json")):
        text = program.project.raw(os.path.join(directory, name)) or b""
        if any(match.group(1) != str(origin.value).encode() for match in pattern.finditer(text)):
            return False
    return True
