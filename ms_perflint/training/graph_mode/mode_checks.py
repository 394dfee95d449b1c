"""Tests of the mode that end the program in graph mode: `if get_context("mode") != PYNATIVE_MODE: raise TypeError`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Union

from ms_perflint.index.reachability import Condition
from ms_perflint.index.syntax_forms import EXITS, descendants, word_of
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training.conditions import by_default, is_on_request
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle
from ms_perflint.training.mode import GRAPH, mode_of

Check = Union[ast.If, ast.Assert]
_EITHER = frozenset({True, False})
_EQUAL, _HELD, _OTHER = (ast.Eq, ast.Is), (ast.In, ast.NotIn), (ast.NotEq, ast.IsNot, ast.NotIn)


def in_mode_checks(program: Program) -> Iterator[Obstacle]:
    """Yield the running tests that may raise an error, or exit, because the mode is that of graphs."""
    for call in program.calls("mindspore.get_context"):
        if not call.argument("attr_key").must_be("mode") or is_on_request(program, call):
            continue
        for check in _checks(call):
            if _ends(program, call, check):
                yield obstacle(call.module, check.test, "mode", Message("the program ends here in graph mode"))


def _checks(call: Call) -> Iterator[Check]:
    """Yield the tests that read the mode which a call gives: its own statement, or those of the name that it gets."""
    if isinstance(call.stmt, (ast.If, ast.Assert)):
        yield call.stmt
    elif isinstance(call.stmt, (ast.Assign, ast.AnnAssign)) and call.stmt.value is call.node:
        for node in descendants(call.scope.owner.node):
            if isinstance(node, (ast.If, ast.Assert)) and any(_is_mode(call, each) for each in ast.walk(node.test)):
                yield node


def _is_mode(call: Call, node: ast.AST) -> bool:
    """Return whether an expression is a call, or a name that is given its result alone."""
    return node is call.node or (isinstance(node, ast.Name) and call.scope.sole(node) is call.node)


def _ends(program: Program, call: Call, check: Check) -> bool:
    """Return whether a test may fail, or lead to an arm that does, with the default options."""
    tested = Condition(check.test, True, call.scope)
    if isinstance(check, ast.Assert):
        return _may_hold(program, call, tested.opposite)
    arms = (tested, check.body), (tested.opposite, check.orelse)
    return any(_fails(arm) and _may_hold(program, call, condition) for condition, arm in arms)


def _fails(arm: Sequence[ast.stmt]) -> bool:
    """Return whether statements end in an error, or end the program."""
    last = arm[-1] if arm else None
    is_call = isinstance(last, ast.Expr) and isinstance(last.value, ast.Call)
    return isinstance(last, ast.Raise) or (is_call and word_of(last.value.func) in EXITS)  # type: ignore[union-attr]


def _may_hold(program: Program, call: Call, condition: Condition) -> bool:
    """Return whether a condition may hold in graph mode with the default options."""
    return all(_may_be(program, call, part) for part in condition.parts)


def _may_be(program: Program, call: Call, condition: Condition) -> bool:
    test, result = condition.test, condition.result
    if _is_mode(call, test):
        return result is bool(GRAPH)
    if isinstance(test, ast.Compare) and any(_is_mode(call, each) for each in (test.left, *test.comparators)):
        return result in _compared(program, call, test)
    return by_default(program, condition) is not False


def _compared(program: Program, call: Call, test: ast.Compare) -> frozenset[bool]:
    """Return the results that a comparison of the mode may have in graph mode."""
    operator, others = test.ops[0], [each for each in (test.left, *test.comparators) if not _is_mode(call, each)]
    if len(others) != 1:
        return _EITHER
    value, is_held = program.value(others[0], call.scope), isinstance(operator, _HELD)
    value = program.evaluator.each(value) if is_held else value
    modes = {mode_of(each) for each in value.alternatives}
    if value.open or not modes or None in modes or not isinstance(operator, (*_EQUAL, *_HELD, *_OTHER)):
        return _EITHER
    found = {GRAPH in modes} if is_held else {each == GRAPH for each in modes}
    return frozenset(each is not isinstance(operator, _OTHER) for each in found)
