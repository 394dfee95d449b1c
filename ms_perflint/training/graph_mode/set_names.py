"""Names that a test on a tensor sets: to other types in its arms, or to what they began as in the first pass of a loop.

Run on 2.10, CPU: `h = x`, then `if h.sum() > 2: h = x * 2` in each pass does not compile ("parameters number of the
function"). It does where the new value reads the name itself (`h * 2`) or nothing that the name began as, where the
loop sets one of both ahead of the test, and where a test on a number is around it.

Nor does a name compile that is a tensor after one arm and a number after the other, if it is read behind the test; one
that is a number after both does, of two types too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Optional, Union

from ms_perflint.index.semantic_index import LOOPS, Scope
from ms_perflint.languages import Message
from ms_perflint.program.program import Program
from ms_perflint.training.graph_mode.branches import Tensors
from ms_perflint.training.graph_mode.compiled import steps
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle

_HOPS = 4  # names that stand for one another


def in_set_names(program: Program, function: Scope, given: frozenset[str] = frozenset()) -> Iterator[Obstacle]:
    """Yield the tests on tensors of a compiled function that set a name to two types, or to what it began as.

    `given`: the parameters that are tensors.
    """
    tensors = Tensors(program, function, given)
    for step in steps(program, function):
        if isinstance(step.stmt, ast.If) and step.stmt.orelse and _is_of_two_types(function, step.stmt, tensors):
            text = Message("graph mode needs values of one type in both branches of a test on a tensor")
            yield obstacle(function.module, step.stmt, "arms", text)
    for step in steps(program, function):
        body: list[ast.stmt] = step.stmt.body if isinstance(step.stmt, LOOPS) else []
        inside = {id(node) for stmt in body for node in ast.walk(stmt)}
        for at, stmt in enumerate(body):
            test = stmt.value if isinstance(stmt, ast.Assign) else stmt
            if not isinstance(test, (ast.If, ast.IfExp)):
                continue
            for name, value in (each for each in _sets(stmt) if _is_left(test, each[0])):
                read = {each.id: each for each in ast.walk(value) if isinstance(each, ast.Name)}
                began = _began_as(function, name, body[at:], inside) if name not in read else set()
                kept = (read[each] for each in began.intersection(read))
                is_alike = any(all(id(each.stmt) not in inside for each in function.flow.at(load)) for load in kept)
                if is_alike and tensors.is_tested(test.test):
                    text = Message("graph mode does not compile a test on a tensor that sets `{name}` back", name=name)
                    yield obstacle(function.module, stmt, "arms", text)
                    return


def _is_of_two_types(function: Scope, test: ast.If, tensors: Tensors) -> bool:
    """Return whether a name that is read behind a test is a tensor after one arm, and a constant after the other."""
    arms = [{id(each) for stmt in arm for each in ast.walk(stmt)} for arm in (test.body, test.orelse)]
    for name in dict.fromkeys(name for name, value in _sets(test) if isinstance(value, ast.Constant)):
        for load in function.flow.reads(name):
            reaching = function.flow.at(load)
            sides = [[each.whole for each in reaching if id(each.stmt) in arm and each.whole] for arm in arms]
            pairs = [(one, other) for one in sides[0] for other in sides[1]]
            if any(
                tensors.differ(*pair) and not all(isinstance(each, ast.Constant) for each in pair) for pair in pairs
            ):
                return tensors.is_tested(test.test)
    return False


def _sets(stmt: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that the arms of a test set, `if test: x = y` and `x = y if test else z`, each with its value."""
    for node in ast.walk(stmt):
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(target, ast.Name):
            value = node.value  # type: ignore[attr-defined]
            is_choice = node is stmt and isinstance(value, ast.IfExp)
            yield from ((target.id, each) for each in ((value.body, value.orelse) if is_choice else (value,)))


def _is_left(test: Union[ast.If, ast.IfExp], name: str) -> bool:
    """Return whether one arm of a test leaves a name as it is, or reads it: both arms without it compile."""
    arms = (test.body, test.orelse) if isinstance(test, ast.If) else ([test.body], [test.orelse])
    nodes = [[each for part in arm for each in ast.walk(part) if isinstance(each, ast.Name)] for arm in arms]
    is_read = any(each.id == name and isinstance(each.ctx, ast.Load) for arm in nodes for each in arm)
    return is_read or (not all(name in {each.id for each in arm} for arm in nodes) and isinstance(test, ast.If))


def _began_as(function: Scope, name: str, behind: list[ast.stmt], inside: set[int]) -> set[str]:
    """Return the names that are the same object as a name where a loop begins, if statements in it read that one."""
    reads = {id(each) for each in function.flow.reads(name)}
    loads = [node for stmt in behind for node in ast.walk(stmt) if id(node) in reads]
    return {each for load in loads for each in _origins(function, load, inside)}  # type: ignore[arg-type]


def _origins(function: Scope, load: ast.Name, inside: set[int], hops: int = _HOPS) -> Iterator[str]:
    """Yield the names outside of a loop whose object a name in it may be: `x` for `h = x`."""
    for binding in function.flow.at(load):
        source: Optional[ast.expr] = binding.whole
        if isinstance(source, ast.Name) and hops:
            if id(binding.stmt) not in inside:
                yield source.id
            yield from _origins(function, source, inside, hops - 1)
