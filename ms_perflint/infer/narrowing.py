"""Narrowing: the part of a value that the path condition of a place allows."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Optional

from ms_perflint.index.execution_order import Place, happens_before, place, rank, stored
from ms_perflint.index.predicates import choice
from ms_perflint.index.reachability import (
    BY_DEFAULT,
    IMPOSSIBLE,
    OPTIONAL,
    Condition,
    conditions_between,
    path_condition,
)
from ms_perflint.index.semantic_index import Binding, Block, Scope
from ms_perflint.index.syntax_forms import word_of, words_in
from ms_perflint.infer.alternatives import Constant
from ms_perflint.infer.bases import classes_asked, may_be_ruled_out
from ms_perflint.infer.call_context import CallContext
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.values import NO_CONSTANT, Alternative, Value, join

BINDINGS = 16  # of a name, that are compared with one another


def reachability(evaluator: Evaluator, condition: Condition, scope: Optional[Scope]) -> int:
    """Return how a place behind a condition is reached: IMPOSSIBLE, OPTIONAL or BY_DEFAULT.

    Where the other result ends the program with an error, the place is reached by default.
    """
    inner = read_in(condition.scope, scope)
    if _is_never_false(evaluator, condition, inner):
        return BY_DEFAULT
    value = evaluator.value(condition.test, inner)
    if evaluator.is_pending(value) or value.truth is (not condition.result):
        return IMPOSSIBLE
    if value.default_truth is not (not condition.result) or condition.is_required:
        return BY_DEFAULT
    return IMPOSSIBLE if evaluator.program.is_one_run() else OPTIONAL


def _is_never_false(evaluator: Evaluator, condition: Condition, scope: Scope) -> bool:
    """Return whether it cannot be known that a condition does not hold: `isinstance(data, np.ndarray)`.

    Then the object is not evaluated: a function that checks an argument is called from everywhere.
    """
    test, result = condition.test, condition.result
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, result = test.operand, not result
    if not result or not isinstance(test, ast.Call) or word_of(test.func) != "isinstance" or len(test.args) != 2:
        return False
    return not all(cls is not None and may_be_ruled_out(cls) for cls in classes_asked(evaluator, test, scope))


def read_in(outer: Scope, scope: Optional[Scope]) -> Scope:
    """Return the scope for an evaluation: the call context, if the code stands in its function."""
    return scope if type(scope) is CallContext and scope.function is outer else outer


def remaining(
    evaluator: Evaluator, binding: Binding, value: Value, others: tuple[Binding, ...], scope: Optional[Scope]
) -> Optional[Value]:
    """Return the part of the value of a binding that later bindings do not replace; None for nothing.

    Past `if name is None: name = other` all but None comes, past `if True: name = other` nothing.
    """
    for other in others if len(others) <= BINDINGS else ():
        between = conditions_between(binding.block, other.block) if rank(other) > rank(binding) else []
        parts = [part for condition in between for part in condition.parts]
        own = [p for p in parts if isinstance(node := choice(p.test).node, ast.Name) and node.id == binding.name]
        asked = [part for part in parts if part not in own and not part.is_required]
        rest = [(evaluator.value(each.test, read_in(each.scope, scope)), each.result) for each in asked]
        is_sure = all(value.truth is result for value, result in rest)
        if not parts or not (is_sure or all(value.default_truth is result for value, result in rest)):
            continue
        if is_sure and not own:
            return None
        replaced = [all(_holds(part, each) for part in own) for each in value.alternatives]
        kept = (
            each.as_non_default() if is_replaced else each
            for each, is_replaced in zip(value.alternatives, replaced)
            if not (is_replaced and is_sure)
        )
        value = value._replace(alternatives=tuple(kept))
    return value


def of_paths(evaluator: Evaluator, values: Sequence[tuple[Value, Block, int]], scope: Optional[Scope]) -> Value:
    """Return the join of the values that blocks give, each with how its block is reached.

    What a flag puts in the place of a setting is whatever a user passes: without the flag the setting is known.
    """
    given = [value for value, _, reachability in values if reachability == BY_DEFAULT]
    is_setting = bool(given) and all(value.is_setting for value in given)
    found = []
    for value, block, reachability in values:
        if reachability != BY_DEFAULT:
            value = value.as_non_default()
            if value.open and is_setting and is_behind_flag(evaluator, block, scope):
                value = value._replace(open=False, overridable=True)
        found.append(value)
    return join(found)


def allowed(evaluator: Evaluator, value: Value, conditions: Sequence[Condition]) -> Value:
    """Return the part of a value that conditions on the same value allow: not the default 1 behind `if workers > 1`."""
    if value.only is not None and not value.overridable:
        return value
    for part in (part for condition in conditions for part in condition.parts):
        tested = {known.place for known in evaluator.value(choice(part.test).node, part.scope).alternatives}
        kept = tuple(each for each in value.alternatives if each.place not in tested or not _holds(part.opposite, each))
        if len(kept) < len(value.alternatives):
            value = value._replace(alternatives=kept, open=value.open or value.overridable or not kept)
    return value


def is_behind_flag(evaluator: Evaluator, block: Block, scope: Optional[Scope]) -> bool:
    """Return whether only an option that is on or off leads to a block: one that names a file may name any."""
    for condition in path_condition(block):
        if reachability(evaluator, condition, scope) == OPTIONAL and not isinstance(condition.test, ast.Compare):
            constants = evaluator.value(condition.test, read_in(condition.scope, scope)).constants
            if constants and all(isinstance(constant, bool) for constant in constants):
                return True
    return False


def past(value: Value, store: Binding) -> tuple[Value, bool]:
    """Return the part of the value of an attribute that a store under a test of it leaves, and whether it may run.

    Past `if self.name is None: self.name = other` all but None comes.
    """
    parts = [part for condition in path_condition(store.block) for part in condition.parts]
    if store.block.parent is None:
        return Value(()), True
    if store.block.loops or any(words_in(choice(part.test).node) != words_in(store.node) for part in parts):
        return value, True
    is_for_none = any(_is_none(part, words_in(store.node)) for part in parts)
    kept = tuple(each for each in value.alternatives if not all(_holds(part, each) for part in parts))
    left = [each for each in kept if each.constant is not NO_CONSTANT or (is_for_none and each.truth)]
    may_run = len(kept) < len(value.alternatives) or len(left) < len(kept) or value.open or value.overridable
    return value._replace(alternatives=kept), may_run


def is_for_missing(store: Binding) -> bool:
    """Return whether a store only runs where an attribute is missing: `if not hasattr(self, "name"): self.name = 1`."""
    tests = [node for each in path_condition(store.block) for node in ast.walk(each.test)]
    return any(isinstance(node, ast.Call) and word_of(node.func) == "hasattr" for node in tests)


def is_filling(store: Binding) -> bool:
    """Return whether a store in an attribute only runs where that is None: `if self.name is None: self.name = 1`."""
    asked = [part for each in path_condition(store.block) if not each.is_required for part in each.parts]
    return bool(asked) and all(_is_none(part, words_in(store.node)) for part in asked)


def _holds(condition: Condition, known: Alternative) -> bool:
    """Return whether a condition on one expression certainly holds for one of its alternatives."""
    if isinstance(condition.test, ast.Name):
        return known.truth is condition.result
    is_constant = known.constant is not NO_CONSTANT
    return is_constant and choice(condition.test).holds(known.constant) is condition.result


# --- what is filled in where it is needed first


def filled(evaluator: Evaluator, value: Value, node: ast.expr, scope: Scope) -> Value:
    """Return the value of a name or an attribute where code reads it: not None if code just tested and filled it.

    `if self.made is None: self.made = make()` stands before, or the code runs only if it is not None.
    """
    if len(value.alternatives) < 2:
        return value
    if not any(type(known.what) is Constant and known.what.value is None for known in value.alternatives):
        return value
    read = place(node, scope)
    if read is None or not _is_something(evaluator, node, scope, read):
        return value
    return value._replace(alternatives=tuple(known for known in value.alternatives if known.constant is not None))


def _is_something(evaluator: Evaluator, node: ast.expr, scope: Scope, read: Place) -> bool:
    """Return whether code on the path to a place tests a name or an attribute for None, and sets it then."""
    words = words_in(node)
    if not words:
        return False
    asked = (part for condition in path_condition(read.block) for part in condition.parts)
    if any(_is_none(part, words) is False for part in asked):
        return True
    around = read.block.chain()
    own = [each for each in _own_stores(node, scope) if words_in(each.node) == words and rank(each) < read.rank]
    given = [(each, evaluator.value(each.value, each.scope)) for each in own if each.value is not None]
    emptied = max((rank(each) for each, value in given if None in value.constants), default=-1)
    for binding in (each for each, _ in given if rank(each) > emptied):
        arm = binding.block
        tests = Condition(arm.owner.test, True, scope).parts if isinstance(arm.owner, ast.If) else ()
        is_asked = bool(tests) and all(_is_none(part, words) for part in tests)
        if (is_asked and arm.arm == "body" and arm.parent in around) or happens_before(stored(binding), read):
            return True
    return False


def _own_stores(node: ast.expr, scope: Scope) -> Iterator[Binding]:
    """Yield the values that a function stores in a name or an attribute that it reads."""
    owner = scope.owner
    found: list[Binding] = []
    if isinstance(node, ast.Attribute):
        found.extend(owner.parent.attributes.get(node.attr, ()) if owner.parent is not None else ())
        found.extend(scope.module.stored.get(node.attr, ()))
    found.extend(scope.bound(node))
    return (each for each in found if each.scope.owner is owner and each.kind != "for")  # which may give None


def _is_none(condition: Condition, words: tuple[str, ...]) -> Optional[bool]:
    """Return whether a condition holds only for None, and the like, or never for it; None of other things."""
    asked = choice(condition.test)
    if words_in(asked.node) != words:
        return None
    return asked.holds(None) is condition.result
