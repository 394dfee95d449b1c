"""Dicts that a comprehension takes from another mapping: `{k: v for k, v in vars(args).items() if v is not None}`."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.signature import Held
from ms_perflint.index.syntax_forms import name_of
from ms_perflint.infer import mappings, sequences
from ms_perflint.infer.alternatives import DICT, TUPLE, Constant, Display
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.values import MANY, TOP, Alternative, Value


def mapped(evaluator: Evaluator, node: ast.DictComp, scope: Scope) -> Value:
    """Return the dict of a comprehension; one that keeps the keys of options, or of a config file, laid over these."""
    value, over = sequences.mapped(evaluator, node, scope), _over(node)
    if value is not MANY or over is None or not evaluator.value(over, scope).are(_is_read):
        return value
    return evaluator.known(Display(node, scope, DICT, (Held(over, scope),), (None,)), node, scope)


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
    over = _over(node)
    if over is None or not isinstance(node, ast.DictComp):
        return TOP, None
    is_kept: Optional[bool] = True
    given = evaluator.read(Held(over, scope, taken=(name,)))
    whatever = _answers(evaluator, node, scope, name, TOP)
    if False in whatever:  # which no option changes
        return TOP, False
    if None in whatever:
        told = [(known, _answers(evaluator, node, scope, name, Value((known,)))) for known in given.alternatives]
        kept = tuple(known for known, answers in told if False not in answers)
        is_kept = any(known.by_default for known in kept)
        is_known = not given.open and not any(None in answers for _, answers in told)
        is_kept = is_kept if is_known and not (is_kept and len(kept) < len(told)) else None
        given = given._replace(alternatives=kept)
    answers = (is_kept, mappings.held(evaluator, evaluator.value(over, scope), name))
    value = evaluator.value(node.value, _in_pass(evaluator, node, scope, name, given))
    return value, False if False in answers else None if None in answers else True


def _answers(evaluator: Evaluator, node: ast.DictComp, scope: Scope, name: object, value: Value) -> set[Optional[bool]]:
    """Return what the conditions of a comprehension say of a key with a value."""
    inner = _in_pass(evaluator, node, scope, name, value)
    return {evaluator.value(test, inner).truth for test in node.generators[0].ifs}


def _in_pass(evaluator: Evaluator, node: ast.DictComp, scope: Scope, name: object, value: Value) -> Scope:
    """Return the scope of a comprehension in the pass for a key with a value."""
    over = node.generators[0].iter
    element = evaluator.known(Constant(name), over, scope)
    if isinstance(node.generators[0].target, ast.Tuple):
        pair = Display(over, scope, TUPLE, (Held(over, scope, element), Held(over, scope, value)))
        element = evaluator.known(pair, over, scope)
    return sequences.inside(evaluator, node, scope, (Held(over, scope, element),))


def _over(node: ast.AST) -> Optional[ast.expr]:
    """Return the mapping of which a comprehension gives each key a value; None for others."""
    each = node.generators[0] if isinstance(node, ast.DictComp) and len(node.generators) == 1 else None
    if each is None or not isinstance(node, ast.DictComp):
        return None
    over, targets = each.iter, each.target.elts if isinstance(each.target, ast.Tuple) else [each.target]
    names, method = [name_of(target) for target in targets], ""
    if isinstance(over, ast.Call) and isinstance(over.func, ast.Attribute) and over.func.attr in ("items", "keys"):
        method, over = over.func.attr, over.func.value
    is_plain = "" not in names and name_of(node.key) == names[0] and len(names) == 1 + (method == "items")
    return over if is_plain else None
