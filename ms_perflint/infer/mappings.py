"""Mappings that are made of other mappings: `{**a, "x": 1}`, `a | b`, `OmegaConf.merge(a, b)`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.infer import sequences
from ms_perflint.infer.values import (
    BOTTOM,
    NO_CONSTANT,
    TOP,
    Alternative,
    Constant,
    Display,
    Options,
    Value,
    join,
)

if TYPE_CHECKING:
    from ms_perflint.infer.evaluator import Evaluator

DEPTH = 6  # mappings inside one another, before nobody knows whether they hold a key


class Merged(ast.Dict):
    """Mappings that are laid over one another, those inside of them too."""


def is_mapping(value: Value) -> bool:
    """Return whether it is a mapping that the program, or a file of it, shows."""
    return bool(value.alternatives) and all(known.is_mapping for known in value.alternatives)


def laid(evaluator: Evaluator, node: ast.AST, parts: Sequence[tuple[Optional[str], ast.expr]], scope: Scope) -> Value:
    """Return the mapping that a call or an operator makes of keys, and (None) of all that other mappings hold."""
    return _made(evaluator, node, ast.Dict, parts, scope)


def called(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Optional[Value]:
    """`EasyDict({...})`, `dict(a, b=1)`: the display that it was made of; None where it is made of something else."""
    if len(node.args) == 1 and not node.keywords:
        value = evaluator.value(node.args[0], scope)
        shown = value.alternatives and all(
            isinstance(known.what, Display) and isinstance(known.what.node, ast.Dict) for known in value.alternatives
        )
        return value if shown else sequences.paired(evaluator, node, scope)
    if len(node.args) > 1 or any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    parts: list[tuple[Optional[str], ast.expr]] = [(None, argument) for argument in node.args]
    parts.extend((keyword.arg, keyword.value) for keyword in node.keywords)
    return laid(evaluator, node, parts, scope)


def merged(evaluator: Evaluator, node: ast.AST, layers: Sequence[ast.expr], scope: Scope) -> Value:
    """Return mappings laid over one another on all levels, the last on top."""
    return _made(evaluator, node, Merged, [(None, layer) for layer in layers], scope)


def _made(
    evaluator: Evaluator,
    node: ast.AST,
    kind: type[ast.Dict],
    parts: Sequence[tuple[Optional[str], ast.expr]],
    scope: Scope,
) -> Value:
    key = (id(node), kind.__name__)
    if key not in evaluator.made:
        keys: list[Optional[ast.expr]] = [
            ast.copy_location(ast.Constant(name), part) if name is not None else None for name, part in parts
        ]
        evaluator.made[key] = ast.copy_location(kind(keys, [part for _, part in parts]), node)
    return evaluator.known(Display(evaluator.made[key], scope), node, scope)


def entry(evaluator: Evaluator, display: Display, name: object) -> Value:
    """Return what a dict display holds under a key: the last that says it speaks."""
    node = display.node
    assert isinstance(node, ast.Dict)
    found: list[tuple[ast.expr, Value]] = []
    is_open = is_optional = False
    answer: Optional[bool]
    for key, given in zip(reversed(node.keys), reversed(node.values)):
        if key is not None:
            if _said(evaluator, key, display.scope) != name:
                continue
            part, answer, value = given, True, evaluator.value(given, display.scope)
        elif _is_command_line(evaluator, given, display.scope):
            is_optional = True
            continue
        else:
            part = item(evaluator, given, name)
            value = evaluator.value(part, display.scope)
            answer = held(evaluator, evaluator.value(given, display.scope), name)
        if value.alternatives and answer is not False:
            found.append((part, value))
        is_open = is_open or (answer is None and not value.alternatives)
        if answer and not (isinstance(node, Merged) and is_mapping(value)):
            break
    if isinstance(node, Merged) and len(found) > 1 and is_mapping(found[0][1]):
        result = merged(
            evaluator, found[0][0], [part for part, value in reversed(found) if is_mapping(value)], display.scope
        )
    elif found:
        result = join([value for _, value in found])
    else:
        return TOP if node.keys else BOTTOM
    return Value(result.alternatives, result.open or is_open, result.overridable or is_optional)


def _said(evaluator: Evaluator, key: ast.expr, scope: Scope) -> object:
    """Return the constant that a key is; NO_CONSTANT for others."""
    if isinstance(key, ast.Constant):
        return key.value
    value = evaluator.value(key, scope)
    return value.alternatives[0].constant if len(value.alternatives) == 1 and not value.open else NO_CONSTANT


def held(evaluator: Evaluator, holders: Value, name: object, depth: int = 0) -> Optional[bool]:
    """Return whether a mapping, where it is laid over another one, has a key; None where that is not known."""
    if holders.open or not holders.alternatives or depth > DEPTH:
        return None
    answers = set()
    for known in holders.alternatives:
        what = known.what
        if isinstance(what, Display) and isinstance(what.node, ast.Dict):
            answers.add(_shown(evaluator, what, name, depth))
        else:
            answers.add(evaluator.holds(known, name))
    return answers.pop() if len(answers) == 1 else None


def _shown(evaluator: Evaluator, display: Display, name: object, depth: int) -> Optional[bool]:
    """Return whether a dict display has a key where it is made."""
    node = display.node
    assert isinstance(node, ast.Dict)
    answers: set[Optional[bool]] = set()
    for key, given in zip(node.keys, node.values):
        if key is None:
            answers.add(held(evaluator, evaluator.value(given, display.scope), name, depth + 1))
        else:
            said = _said(evaluator, key, display.scope)
            answers.add(said == name if said is not NO_CONSTANT else None)
    return True if True in answers else None if None in answers else False


def item(evaluator: Evaluator, node: ast.expr, name: object) -> ast.expr:
    """Return `node[name]` as an expression: the same one whenever it is asked for."""
    key = (id(node), ("item", name))
    if key not in evaluator.made:
        index = ast.copy_location(ast.Constant(name), node)  # type: ignore[arg-type]
        evaluator.made[key] = ast.copy_location(ast.Subscript(node, index, ast.Load()), node)
    return evaluator.made[key]


def _is_command_line(evaluator: Evaluator, node: ast.expr, scope: Scope) -> bool:
    value = evaluator.value(node, scope)
    return bool(value.alternatives) and all(
        known.type_api in evaluator.libraries.command_line for known in value.alternatives
    )


# --- objects that hold settings


def membership(evaluator: Evaluator, holders: Value, name: object, node: ast.AST, scope: Scope) -> Optional[Value]:
    """Return what `name in holder` and `hasattr(holder, name)` give; None where that is not known."""
    answers = {evaluator.holds(known, name) for known in holders.by_default}
    if holders.open or len(answers) != 1 or None in answers:
        return None
    is_fixed = (
        all(isinstance(known.what, (Options, Display)) for known in holders.alternatives) and not holders.overridable
    )
    return Value((Alternative(Constant(answers.pop()), (scope.module, node)),), False, not is_fixed)


def with_default(evaluator: Evaluator, holders: Value, name: object, default: Optional[Value]) -> Value:
    """Return what `get(name, default)` gives for a setting that was not found."""
    if default is None:
        return TOP
    is_absent = (
        bool(holders.alternatives)
        and not holders.open
        and all(known.by_default and evaluator.holds(known, name) is False for known in holders.alternatives)
    )
    return Value(default.alternatives, default.open or not is_absent, default.overridable or is_absent)
