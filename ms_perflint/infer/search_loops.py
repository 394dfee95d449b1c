"""Search loops: `for key, value in table.items(): if key == name: break`, gone through pass by pass.

What a target is where code reads it, in the loop or behind it, and how the loop comes to its `else` and past its end.
"""

from __future__ import annotations

import ast
from itertools import takewhile
from typing import NamedTuple, Optional

from ms_perflint.core.facts import fact
from ms_perflint.index.early_ends import TESTS
from ms_perflint.index.execution_order import happens_before, place, rank
from ms_perflint.index.reachability import BY_DEFAULT, IMPOSSIBLE, OPTIONAL, path_condition
from ms_perflint.index.semantic_index import Binding, Block, Scope, SemanticIndex
from ms_perflint.index.syntax_forms import names_in
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.sequences import MAPPED, whole
from ms_perflint.infer.values import Value, join

PLAIN = (ast.If, ast.Assert)  # what an `if` or `assert` leads to is reached wherever the conditions hold
LEAVING = (ast.Break, ast.Continue, ast.Return)


class _Targets:
    """The targets of a loop that its body does not bind again, as the names of a scope: of any pass."""

    def __init__(self, loop: ast.For, owner: Scope) -> None:
        self.scope = Scope(owner.module, owner, loop)
        for made in owner.binds.get(id(loop), ()):
            others = (each for each in owner.bindings.get(made.name, ()) if each is not made)
            is_only = not any(each.stmt is loop or loop in each.block.loops for each in others)
            if made.kind == "for" and is_only and made in owner.bindings.get(made.name, ()):
                own = Binding(made.name, "for", made.node, made.value, made.path, loop, self.scope.block)
                self.scope.bindings[made.name] = [own]

    def close(self) -> None:
        """Cut the reference cycles."""
        self.scope.bindings.clear()
        self.scope._flow = None
        del self.scope.block


class _Reached(NamedTuple):
    """How a pass comes to a block, and how certain it is: 2 always, 1 by default, 0 not known."""

    reachability: int
    certainty: int


class _Pass(NamedTuple):
    """One pass through a loop: the scope in which its targets have its element, and how the loop comes to it."""

    scope: Scope
    reached: _Reached
    breaks: int  # how it leaves the loop by `break`


class _Course(NamedTuple):
    """The passes through a loop, and how it comes to its end without a `break`."""

    passes: tuple[_Pass, ...]
    end: int

    @property
    def behind(self) -> int:
        """Return how the loop comes to the code behind it."""
        return max([self.end, *(each.breaks for each in self.passes)])


@fact
def _targets(module: SemanticIndex, loop: ast.For, owner: Scope) -> _Targets:
    return _Targets(loop, owner)


@fact
def _ends(module: SemanticIndex, loop: ast.For, owner: Scope) -> list[tuple[ast.AST, Block]]:
    """Return each `break` and `return` that leaves a loop, with its block."""
    found: list[tuple[ast.AST, Block]] = []
    for stmt, block in module.steps[(module.rank(loop) or 0) + 1 :]:
        if stmt.lineno > (loop.end_lineno or 0):  # type: ignore[attr-defined]
            break
        if block.scope is owner and loop in (block.loops[:1] if isinstance(stmt, ast.Break) else block.loops):
            found += [(stmt, block)] if isinstance(stmt, (ast.Break, ast.Return)) else []
    return found


# --- the passes


def _course(evaluator: Evaluator, loop: ast.For, scope: Scope) -> Optional[_Course]:
    """Return the passes through a loop of a function or module, or of a call; None where not all are known."""
    parts = whole(evaluator, evaluator.value(loop.iter, scope))
    if not parts or len(parts) > MAPPED:
        return None
    made, ends = _targets(scope.module, loop, scope.owner).scope, _ends(scope.module, loop, scope.owner)
    found, reached = [], _Reached(BY_DEFAULT, 2)
    optional = IMPOSSIBLE if evaluator.program.is_one_run() else OPTIONAL
    for part in parts:
        if reached.reachability == IMPOSSIBLE:
            break
        inner = evaluator.call_context(made, None, scope, None, (part,), scope)
        leaves = [(stmt, _reached(evaluator, stmt, block, loop, inner)) for stmt, block in ends]
        breaks = max((how.reachability for stmt, how in leaves if isinstance(stmt, ast.Break)), default=IMPOSSIBLE)
        found.append(_Pass(inner, reached, min(reached.reachability, breaks)))
        is_left = max((how.certainty for _, how in leaves if how.reachability != IMPOSSIBLE), default=0)
        may_leave = max((how.reachability for _, how in leaves), default=IMPOSSIBLE)
        left = (BY_DEFAULT, optional, IMPOSSIBLE)[is_left]
        certainty = min(reached.certainty, 2 - may_leave)
        reached = _Reached(min(reached.reachability, left), certainty)
    return _Course(tuple(found), reached.reachability)


def _reached(evaluator: Evaluator, node: ast.AST, block: Block, loop: ast.For, scope: Scope) -> _Reached:
    """Return how a node in a block of the body of a loop is reached in one pass."""
    body = next(arm for arm in block.chain() if arm.owner is loop and arm.arm == "body")
    reachability, certainty = BY_DEFAULT, 2 if _is_passed(scope.module, node, block, loop) else 0
    optional = IMPOSSIBLE if evaluator.program.is_one_run() else OPTIONAL
    if block.is_dead:
        return _Reached(IMPOSSIBLE, 0)
    for condition in path_condition(block)[len(path_condition(body)) :]:
        value, result = evaluator.value(condition.test, scope), condition.result
        if evaluator.is_pending(value) or value.truth is (not result):
            return _Reached(IMPOSSIBLE, 0)
        if value.default_truth is (not result) and not condition.is_required:
            reachability = optional
        certainty = min(certainty, 2 if value.truth is result else 1 if value.default_truth is result else 0)
    return _Reached(reachability, certainty)


@fact
def _is_passed(module: SemanticIndex, node: ast.AST, block: Block, loop: ast.For) -> bool:
    """Return whether a pass that meets the path condition of a node in the loop certainly comes to it."""
    first, at = module.rank(loop) or 0, module.rank(node) or 0
    before = [each for stmt, each in module.steps[first + 1 : at] if isinstance(stmt, LEAVING)]
    return all(
        len(between) <= TESTS and all(isinstance(arm.owner, PLAIN) for arm in between)
        for between in (_between(each, loop) for each in (block, *before))
    )


def _between(block: Block, loop: ast.For) -> list[Block]:
    """Return the arms around a block in the body of a loop."""
    return list(takewhile(lambda arm: arm.owner is not loop, block.chain()))


# --- what the targets are


def is_chosen(node: ast.Name, binding: Binding, scope: Scope) -> bool:
    """Return whether the target of a loop is read where not all elements count: under a test, or behind the loop."""
    is_target = binding.kind == "for" and not isinstance(scope.node, ast.For)  # the scope of one pass
    return is_target and _is_chosen(scope.module, node, binding, scope.owner)


@fact
def _is_chosen(module: SemanticIndex, node: ast.Name, binding: Binding, owner: Scope) -> bool:
    loop, block = binding.stmt, _block(node, owner)
    if not isinstance(loop, ast.For) or block is None or node.id not in _targets(module, loop, owner).scope.bindings:
        return False
    if loop not in block.loops:
        return module.rank(node) != module.rank(loop)
    if _ends(module, loop, owner):
        return True
    body = next(arm for arm in block.chain() if arm.owner is loop)
    names = _targets(module, loop, owner).scope.bindings.keys()
    tests = (each.test for each in path_condition(block)[len(path_condition(body)) :])
    return any(not names.isdisjoint(names_in(test)) for test in tests)


def _block(node: ast.AST, owner: Scope) -> Optional[Block]:
    """Return the block of a scope in which a node stands."""
    at = owner.module.rank(node)
    block = owner.module.steps[at][1] if at is not None else None
    return block if block is not None and block.scope is owner else None


def target(evaluator: Evaluator, node: ast.Name, binding: Binding, scope: Scope) -> Optional[Value]:
    """Return the value of the target of a loop where the scope of the loop reads it; None where it is any element."""
    loop, block = binding.stmt, _block(node, scope.owner)
    if not isinstance(loop, ast.For) or block is None:
        return None
    course = _course(evaluator, loop, scope)
    if course is None:
        return None
    found: list[tuple[Scope, int]] = []
    if loop in block.loops:
        for each in course.passes:
            how = _reached(evaluator, node, block, loop, each.scope).reachability
            found.append((each.scope, min(each.reached.reachability, how)))
    else:
        is_else = any(arm.owner is loop and arm.arm == "orelse" for arm in block.chain())
        found += [(each.scope, each.breaks) for each in course.passes if not is_else]
        found.append((course.passes[-1].scope, course.end))
    made = _targets(scope.module, loop, scope.owner).scope.bindings[node.id][0]
    taken = [(evaluator.binding(made, inner), how) for inner, how in found if how != IMPOSSIBLE]
    if not taken:
        return None
    value = join(value if how == BY_DEFAULT else value.as_non_default() for value, how in taken)
    return value._replace(overridable=value.overridable or any(how == OPTIONAL for _, how in taken))


# --- how the loop is left


def at_end(evaluator: Evaluator, loop: ast.For, scope: Scope) -> int:
    """Return how a loop comes to its `else`."""
    course = _course(evaluator, loop, scope)
    return course.end if course is not None else BY_DEFAULT


def past(evaluator: Evaluator, node: ast.expr, block: Block, function: Scope) -> int:
    """Return how a `return` of a function is reached past the loops before it that may return."""
    around, found = block.chain(), BY_DEFAULT
    for other, arm in function.returns:
        loop = arm.loops[0] if arm.loops else None
        if other is node:
            break
        outer = next((each.parent for each in arm.chain() if each.owner is loop), None)
        if isinstance(loop, ast.For) and loop not in block.loops and outer in around:
            course = _course(evaluator, loop, function)
            found = min(found, course.behind if course is not None else BY_DEFAULT)
    return found


def kept(
    evaluator: Evaluator, bindings: tuple[Binding, ...], node: ast.expr, scope: Scope
) -> tuple[tuple[Binding, ...], tuple[Binding, ...]]:
    """Return the bindings of a name that no loop before a read replaces, and those that one replaces by default."""
    certain = dict.fromkeys(bindings, 0)
    for other in bindings:
        loop = other.block.loops[0] if other.block.loops else None
        before = [each for each in bindings if rank(each) < rank(other)]
        if not isinstance(loop, ast.For) or other.scope is not scope.owner or not before:
            continue
        if not happens_before(place(loop, other.scope), place(node, scope)) or loop in _loops(node, scope):
            continue
        how = _comes_to(evaluator, other, loop, scope)
        for each in before:
            if loop not in each.block.loops and each.stmt is not loop:
                certain[each] = max(certain[each], how)
    left = tuple(each for each in bindings if certain[each] < 2)
    return tuple(each for each in left if not certain[each]), tuple(each for each in left if certain[each])


def _loops(node: ast.AST, scope: Scope) -> list[ast.AST]:
    block = _block(node, scope.owner)
    return block.loops if block is not None else []


def _comes_to(evaluator: Evaluator, binding: Binding, loop: ast.For, scope: Scope) -> int:
    """Return whether a loop comes to a binding in its body: 2 always, 1 by default, 0 not known."""
    course, certain = _course(evaluator, loop, scope), [0]
    for each in course.passes if course is not None else ():
        how = _reached(evaluator, binding.stmt, binding.block, loop, each.scope)
        certain.append(min(each.reached.certainty, how.certainty))
    return max(certain)
