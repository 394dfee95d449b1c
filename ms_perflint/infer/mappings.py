"""Mappings built from other mappings: `{**a, "x": 1}`, `a | b`, `OmegaConf.merge(a, b)`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from itertools import product
from typing import Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.signature import Held
from ms_perflint.infer import filtered, sequences
from ms_perflint.infer.alternatives import DICT, Constant, Display
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.queries import query
from ms_perflint.infer.values import BOTTOM, NO_CONSTANT, TOP, Alternative, Value, join

Has = Callable[[Alternative, object], Optional[bool]]
Answers = frozenset[Optional[bool]]  # whether mappings have a key


def is_mapping(value: Value) -> bool:
    """Return whether it is a known mapping: a dict display, options, or a config document."""
    return value.are(lambda known: known.is_mapping)


def laid(evaluator: Evaluator, node: ast.AST, parts: Sequence[tuple[Optional[str], Held]], scope: Scope) -> Value:
    """Return the mapping of some keys and, for the key None, of all entries of other mappings."""
    return evaluator.known(of_words(evaluator, node, parts, scope), node, scope)


def of_words(evaluator: Evaluator, node: ast.AST, parts: Sequence[tuple[Optional[str], Held]], scope: Scope) -> Display:
    """Return that mapping as a display."""
    keys = (
        part._replace(known=evaluator.known(Constant(name), part.node, part.scope)) if name is not None else None
        for name, part in parts
    )
    return Display(node, scope, DICT, tuple(part for _, part in parts), tuple(keys))


def called(evaluator: Evaluator, node: ast.Call, scope: Scope, is_deep: bool = False) -> Optional[Value]:
    """`EasyDict({...})`, `dict(a, b=1)`: the display that it was made of; None where it is made of something else.

    `is_deep`: mappings inside are made anew, too.
    """
    if len(node.args) == 1 and not node.keywords:
        value = evaluator.value(node.args[0], scope)
        held = Held(node.args[0], scope)
        if is_mapping(value) and any(known.is_options for known in value.alternatives):
            return laid(evaluator, node, [(None, held)], scope)
        return copied(evaluator, node, held, value, is_deep) or sequences.paired(evaluator, node, scope)
    if len(node.args) > 1 or any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    parts: list[tuple[Optional[str], Held]] = [(None, Held(argument, scope)) for argument in node.args]
    parts.extend((keyword.arg, Held(keyword.value, scope)) for keyword in node.keywords)
    return laid(evaluator, node, parts, scope)


def copied(evaluator: Evaluator, node: ast.Call, held: Held, value: Value, is_deep: bool = False) -> Optional[Value]:
    """Return the copy that a call makes of a known dict; None for others.

    A dict that is made in the call, `EasyDict({...})`, is returned itself.
    """
    if not value.are(lambda known: known.is_mapping and known.is_display):
        return None
    if isinstance(held.node, (ast.Dict, ast.DictComp, ast.Call)):
        return value
    return evaluator.known(Display(node, held.scope, DICT, (held,), (None,), is_deep), node, held.scope)


def merged(evaluator: Evaluator, node: ast.AST, layers: Sequence[Held], scope: Scope) -> Value:
    """Return mappings merged on all levels; the last one wins."""
    return evaluator.known(Display(node, scope, DICT, tuple(layers), (None,) * len(layers), True), node, scope)


def entry(evaluator: Evaluator, display: Display, name: object) -> Value:
    """Return the value of a dict display under a key: the last entry counts."""
    if filtered.is_one(display):
        return filtered.entry(evaluator, display, name)
    found: list[tuple[Held, Value]] = []
    is_open = is_optional = is_replaced = False
    answer: Optional[bool]
    for key, given in zip(reversed(display.keys), reversed(display.parts)):
        if key is not None:
            if said(evaluator, key) != name:
                continue
            part, answer, value = given, True, evaluator.read(given)
        elif evaluator.read(given).are(lambda known: known.type_api in evaluator.libraries.command_line):
            is_optional = True
            continue
        else:
            part = given._replace(taken=(*given.taken, name))
            below = evaluator.read(given)
            value, answer = evaluator.read(part), held(evaluator, below, name)
            is_optional = is_optional or (answer is False and value.overridable and not value.open)
            if answer is False and value.alternatives and all(known.is_display for known in below.alternatives):
                answer = None if value.open or value.overridable else True  # it was stored after that was made
        if value.alternatives and answer is not False:
            found.append((part, value.as_non_default() if is_replaced else value))
        is_replaced = is_replaced or (answer is None and key is None and _is_by_default(evaluator, given, name))
        is_open = is_open or (answer is None and not value.alternatives)
        if answer and not (display.is_deep and is_mapping(value)):
            break
    is_laid = len(found) > 1 or (bool(found) and all(known.is_display for known in found[0][1].alternatives))
    if display.is_deep and is_laid and is_mapping(found[0][1]):
        layers = [part for part, value in reversed(found) if is_mapping(value)]
        result = merged(evaluator, found[0][0].node, layers, display.scope)
    elif found:
        result = join([value for _, value in found])
    else:
        return TOP if display.keys else BOTTOM
    return Value(result.alternatives, result.open or is_open, result.overridable or is_optional)


def _is_by_default(evaluator: Evaluator, mapping: Held, name: object) -> bool:
    """Return whether a mapping that an option chooses has a key with the default options: `b if args.fast else {}`."""
    value = evaluator.read(mapping)
    return len(value.by_default) < len(value.alternatives) and bool(held(evaluator, Value(value.by_default), name))


def said(evaluator: Evaluator, key: Held) -> object:
    """Return the constant of a key; NO_CONSTANT for others."""
    return evaluator.read(key).constant


def held(evaluator: Evaluator, holders: Value, name: object) -> Optional[bool]:
    """Return whether mappings have a key where they are merged; None where it is not known."""
    return _agreed(_held(evaluator, holders, name))


def shown(evaluator: Evaluator, display: Display, name: object) -> Optional[bool]:
    """Return whether a dict display has a key where it is created."""
    return _agreed(_shown(evaluator, display, name))


def _agreed(answers: Answers) -> Optional[bool]:
    return next(iter(answers)) if len(answers) == 1 else None


def _held(evaluator: Evaluator, holders: Value, name: object) -> Answers:
    """Return what any of these mappings answers."""
    answers: set[Optional[bool]] = set() if holders.alternatives and not holders.open else {None}
    for known in holders.alternatives if not answers else ():
        what = known.what
        if isinstance(what, Display) and what.kind == DICT:
            answers |= _shown(evaluator, what, name)
        else:
            answers.add(evaluator.holds(known, name))
    return frozenset(answers)


@query(bottom=frozenset(), top=frozenset((None,)))
def _shown(evaluator: Evaluator, display: Display, name: object) -> Answers:
    """Return what a dict display answers, for any mappings that it is made of: copies may be made of one another."""
    if filtered.is_one(display):
        return frozenset((filtered.holds(evaluator, display, name),))
    found: Answers = frozenset((False,))
    for key, given in zip(display.keys, display.parts):
        constant = said(evaluator, key) if key is not None else NO_CONSTANT
        if key is None:
            answers = _held(evaluator, evaluator.read(given), name)
        else:
            answers = frozenset((constant == name if constant is not NO_CONSTANT else None,))
        found = frozenset(True if True in both else None if None in both else False for both in product(found, answers))
    return found


# --- objects that hold settings


def with_default(
    evaluator: Evaluator, holders: Value, name: object, default: Optional[Value], has: Optional[Has] = None
) -> Value:
    """Return the result of `get(name, default)` for a setting without a value; `has` tells whether an object has it."""
    if default is None:
        return TOP
    holds = has or evaluator.holds
    is_absent = holders.are_only(lambda known: known.by_default and holds(known, name) is False)
    is_shown = has is not None or all(map(filtered.is_shown, holders.alternatives))
    is_overridable = default.overridable or (is_absent and not is_shown)
    return Value(default.alternatives, default.open or not is_absent, is_overridable)
