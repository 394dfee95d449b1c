"""What a condition on a name leaves of the name's values."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.reachability import IMPOSSIBLE, OPTIONAL, USUAL
from ms_perflint.index.semantic_index import Binding, Block, Scope
from ms_perflint.infer.call_context import CallContext
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.values import NO_CONSTANT, Alternative, Value, truth

BINDINGS = 16  # of a name, that are compared with one another


def remaining(binding: Binding, value: Value, others: tuple[Binding, ...]) -> Value:
    """Return what of a name's value comes past `if name is None: name = other`: all but None."""
    tests = [test for other in others if (test := _replaces(other, binding)) is not None]
    if not tests:
        return value
    known = tuple(each for each in value.alternatives if not any(_holds(test, binding.name, each) for test in tests))
    return Value(known, value.open, value.overridable)


def left(evaluator: Evaluator, binding: Binding, others: tuple[Binding, ...], scope: Optional[Scope]) -> int:
    """Return how a binding comes past others further down, in arms of its own block, that take its place."""
    way = USUAL
    for other in others if len(others) <= BINDINGS else ():
        arms = _arms_between(binding, other)
        if not arms:
            continue
        answers = [evaluator.value(arm.owner.test, _inner(arm, scope)) for arm in arms]  # type: ignore[union-attr]
        wanted = [arm.arm == "body" for arm in arms]
        if all(answer.truth is want for answer, want in zip(answers, wanted)):
            return IMPOSSIBLE
        if all(answer.default_truth is want for answer, want in zip(answers, wanted)):
            way = OPTIONAL
    return way


def _arms_between(binding: Binding, other: Binding) -> list[Block]:
    """Return the arms that lead from the block of a binding down to another one; none where it is no such one."""
    found: list[Block] = []
    for arm in other.block.chain():
        if arm is binding.block:
            return found if _line(binding.node) < _line(other.node) else []
        if not isinstance(arm.owner, ast.If):
            return []
        found.append(arm)
    return []


def _inner(arm: Block, scope: Optional[Scope]) -> Scope:
    """Return the scope in which the test of an arm is read: the activation, where it is one of its function."""
    outer = arm.scope
    return scope if isinstance(scope, CallContext) and scope.function is outer else outer


def _replaces(other: Binding, binding: Binding) -> Optional[ast.expr]:
    """Return the test under which, further down in the same block, another binding takes the place of this one."""
    owner = other.block.owner
    if not isinstance(owner, ast.If) or other.block.arm != "body" or other.block.parent is not binding.block:
        return None
    return owner.test if _line(binding.node) < _line(owner) else None


def _line(node: ast.AST) -> int:
    return getattr(node, "lineno", 0)


def _holds(test: ast.expr, name: str, known: Alternative) -> bool:
    """Return whether a test on a name certainly holds for one of its values."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _is_name(test.operand, name) and truth(known) is False
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and _is_name(test.left, name):
        other = test.comparators[0]
        if isinstance(test.ops[0], (ast.Is, ast.Eq)) and isinstance(other, ast.Constant):
            constant = known.constant
            return constant is not NO_CONSTANT and type(constant) is type(other.value) and constant == other.value
    return False


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
