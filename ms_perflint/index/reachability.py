"""Path conditions: the tests on the way to a place, with the results that lead there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from ms_perflint.index.predicates import FLIPPED, choice, key
from ms_perflint.index.scopes import Block, Scope, Site
from ms_perflint.index.syntax_forms import TRY, around, is_main_guard, suppresses

IMPOSSIBLE = 0  # a condition around it is always false
OPTIONAL = 1  # only a user who passes an option, or sets a key, gets there
BY_DEFAULT = 2


def is_of_script(block: Block) -> bool:
    """Return whether a block stands under `if __name__ == "__main__"`: it does not run where its file is imported."""
    return any(arm.arm == "body" and arm.owner is not None and is_main_guard(arm.owner) for arm in block.chain())


class Condition(NamedTuple):
    """A test, and the result that leads to a place; those spelled alike are equal, `args.x` and `config.x` too."""

    test: ast.expr
    result: bool
    scope: Scope  # in which it is read
    is_required: bool = False  # with the other result the program ends in an error

    @property
    def alike(self) -> tuple[str, bool]:
        """Return the key by which conditions are equal: `a != b` is `a == b` with the other result."""
        test = self.test
        is_flipped = isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in FLIPPED
        return key(test), self.result is not is_flipped

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Condition) and self.alike == other.alike

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.alike)

    @property
    def opposite(self) -> Condition:
        """Return the same test with the other result."""
        return Condition(self.test, not self.result, self.scope)

    @property
    def parts(self) -> Iterator[Condition]:
        """Yield the conditions that it implies one by one: `a and not b` holds when `a` is true and `b` is false."""
        test = self.test
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            yield from self._replace(test=test.operand, result=not self.result).parts
        elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is self.result:
            for value in test.values:
                yield from self._replace(test=value).parts
        else:
            yield self

    @property
    def devices(self) -> frozenset[str]:
        """Return the devices for which it can hold: all, unless it compares an expression with names of devices."""
        return choice(self.test).devices(self.result)

    @property
    def text(self) -> str:
        """Return its text for messages, in the words of the source."""
        text = " ".join(self.scope.module.text(self.test).split())
        return text if self.result else f"not {text}"

    @property
    def words(self) -> Iterator[str]:
        """Yield the names, attributes and texts of the test."""
        for node in ast.walk(self.test):
            if isinstance(node, ast.Name):
                yield node.id
            elif isinstance(node, ast.Attribute):
                yield node.attr
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def path_condition(block: Block) -> tuple[Condition, ...]:
    """Return the conditions on the way to a block of a function, class or module, outermost first.

    Those of an early `return`, `continue` or `raise`, of an `assert` and of a `match` are among them.
    """
    if block.conditions is None:
        block.conditions = tuple([condition for arm in reversed(block.chain()) for condition in _of_arm(arm)])
    return block.conditions  # type: ignore[no-any-return]


def condition_of(site: Site) -> list[Condition]:
    """Return the path condition of a site, with the tests in its own statement: `make() if wanted else None`."""
    found, scope = [*path_condition(site.block)], site.block.scope.owner
    for outer, inner in around(site.stmt, site.node):
        scope = site.module.scope_of.get(id(outer), scope) if isinstance(outer, ast.expr) else scope
        found.extend(Condition(test, result, scope) for test, result in _inside(outer, inner))
    return found


def excludes(first: Block, second: Block) -> bool:
    """Return whether two blocks need different results of one test, so that one iteration never runs both."""
    results = {id(each.test): each.result for each in path_condition(first)}
    return any(results.get(id(each.test), each.result) is not each.result for each in path_condition(second))


def conditions_between(first: Block, second: Block) -> list[Condition]:
    """Return the conditions between a block and one inside of it; none where other conditions count, too."""
    found: list[Condition] = []
    around = first.chain()
    is_inside = first in second.chain()
    if not is_inside and (excludes(first, second) or not set(first.loops).isdisjoint(second.loops)):
        return []
    for arm in second.chain():
        if arm in around:
            return found
        own = [*_of_arm(arm)]
        if not own and (not isinstance(arm.owner, (ast.With, ast.AsyncWith)) or suppresses(arm.owner)):
            break
        found.extend(own)
    return []


def _of_arm(arm: Block) -> Iterator[Condition]:
    """Yield the condition that leads from the block around an arm to it."""
    owner, outer = arm.owner, arm.parent
    if outer is not None and isinstance(owner, ast.Assert):
        yield Condition(owner.test, True, outer.scope, not is_caught(outer))
    elif outer is not None and isinstance(owner, ast.If):
        other = owner.orelse if arm.arm == "body" else owner.body
        is_elif = isinstance(outer.owner, ast.If) and outer.owner.orelse[:1] == [owner]  # one of several choices
        is_required = not is_elif and bool(other) and isinstance(other[-1], ast.Raise) and not is_caught(outer)
        yield Condition(owner.test, arm.arm == "body", outer.scope, is_required)


def is_caught(block: Block) -> bool:
    """Return whether an error in a block is caught in its function: by a handler, or by a `with`."""
    for arm in block.chain():
        owner = arm.owner
        is_tried = isinstance(owner, TRY) and arm.arm == "body" and bool(owner.handlers)  # type: ignore[attr-defined]
        if is_tried or (owner is not None and suppresses(owner)):
            return True
    return False


def _inside(outer: ast.AST, inner: ast.AST) -> list[tuple[ast.expr, bool]]:
    """Return the tests of an expression, and their results, under which a part of it is evaluated."""
    if isinstance(outer, ast.IfExp):
        return [(outer.test, inner is outer.body)] if inner is not outer.test else []
    if isinstance(outer, ast.BoolOp):
        before = outer.values[: outer.values.index(inner)] if inner in outer.values else []
        return [(value, isinstance(outer.op, ast.And)) for value in before]
    if isinstance(outer, ast.comprehension):
        return [(test, True) for test in (outer.ifs[: outer.ifs.index(inner)] if inner in outer.ifs else ())]
    loops = getattr(outer, "generators", [])
    return [(test, True) for loop in loops[: loops.index(inner) if inner in loops else None] for test in loop.ifs]
