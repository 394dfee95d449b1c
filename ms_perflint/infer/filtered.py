"""Dicts that a comprehension takes from another mapping: `{k: v for k, v in vars(args).items() if v is not None}`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.signature import Held
from ms_perflint.index.syntax_forms import name_of
from ms_perflint.infer import mappings, sequences, setting_loops
from ms_perflint.infer.alternatives import DICT, Display
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.setting_loops import Loop
from ms_perflint.infer.values import MANY, TOP, Alternative, Value


def mapped(evaluator: Evaluator, node: ast.DictComp, scope: Scope) -> Value:
    """Return the dict of a comprehension; one that keeps the keys of options, or of a config file, laid over these."""
    value, loop = sequences.mapped(evaluator, node, scope), _loop(node)
    if value is not MANY or loop is None or not evaluator.value(loop.over, scope).are(_is_read):
        return value
    return evaluator.known(Display(node, scope, DICT, (Held(loop.over, scope),), (None,)), node, scope)


def _is_read(known: Alternative) -> bool:
    return known.is_mapping and not known.is_display


def is_one(display: Display) -> bool:
    """Return whether a dict is taken from a mapping whose keys are not all known."""
    return isinstance(display.node, ast.DictComp) and display.keys == (None,)


def is_shown(known: Alternative) -> bool:
    """Return whether code shows a display, also its keys."""
    return isinstance(known.what, Display) and not is_one(known.what)


def entry(evaluator: Evaluator, display: Display, name: object) -> Value:
    """Return the value under a key; open where it may be left out, optional where it is by default."""
    value, answer = _kept(evaluator, display, name)
    if answer is False:
        return Value((), False, True) if value.overridable else TOP
    return value._replace(open=value.open or answer is None)


def holds(evaluator: Evaluator, display: Display, name: object) -> Optional[bool]:
    """Return whether such a dict has a key by default; None where that is not known."""
    return _kept(evaluator, display, name)[1]


def _kept(evaluator: Evaluator, display: Display, name: object) -> tuple[Value, Optional[bool]]:
    """Return what a comprehension keeps of the value under a key, and whether it has the key by default."""
    node, scope = display.node, display.scope
    loop = _loop(node)
    if loop is None or not isinstance(node, ast.DictComp):
        return TOP, None
    part = setting_loops.at_key(evaluator, node.value, loop, name, scope)
    value = evaluator.read(part) if part is not None else TOP
    answers = [mappings.held(evaluator, evaluator.value(loop.over, scope), name)]
    for test in _tests(node.generators[0].ifs):
        if _asks_value(test, loop):
            kept = tuple(known for known in value.alternatives if _passes(known, test))
            left = any(known.by_default for known in kept)
            answers.append(None if value.open or (left and len(kept) < len(value.alternatives)) else left)
            value = value._replace(alternatives=kept)
        else:
            answers.append(setting_loops.comes(evaluator, test, loop, name, scope))
            value = value if answers[-1] is not False else TOP  # which no option changes
    return value, False if False in answers else None if None in answers else True


def _tests(tests: list[ast.expr]) -> Iterator[ast.expr]:
    """Yield conditions that all have to hold."""
    for test in tests:
        yield from _tests(test.values) if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else (test,)


def _asks_value(test: ast.expr, loop: Loop) -> bool:
    """Return whether a condition asks whether the value is set: `v`, `v is not None`."""
    is_none = isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.IsNot)
    is_none = is_none and isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value is None  # type: ignore[attr-defined]
    asked = test.left if is_none else test  # type: ignore[attr-defined]
    return loop.value is not None and name_of(asked) == loop.value


def _passes(known: Alternative, test: ast.expr) -> bool:
    return known.truth is not False if isinstance(test, ast.Name) else known.constant is not None


def _loop(node: ast.AST) -> Optional[Loop]:
    """Return the loop of a comprehension that gives each key of a mapping a value; None for others."""
    each = node.generators[0] if isinstance(node, ast.DictComp) and len(node.generators) == 1 else None
    if each is None or not isinstance(node, ast.DictComp):
        return None
    over, targets = each.iter, each.target.elts if isinstance(each.target, ast.Tuple) else [each.target]
    names = [name_of(target) for target in targets]
    if isinstance(over, ast.Call) and isinstance(over.func, ast.Attribute) and over.func.attr in ("items", "keys"):
        is_paired, over = over.func.attr == "items", over.func.value
    else:
        is_paired = False
    is_plain = "" not in names and name_of(node.key) == names[0] and len(names) == 1 + is_paired
    return Loop(over, names[0], names[1] if is_paired else None, node) if is_plain else None
