"""Code that runs in some iterations of a loop only: the last one, the one that leaves the loop, all but the first."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Optional

from ms_perflint.index.reachability import Condition, condition_of, is_caught
from ms_perflint.index.semantic_index import LOOPS, Binding, Block, Scope, Site
from ms_perflint.index.syntax_forms import inside, leaves, names_in, spelling, word_of
from ms_perflint.program.program import Program

_AROUND = frozenset({"enumerate", "reversed", "list", "tqdm"})  # give as many items as they get

TOLD = {"cur_epoch_num", "epoch_num"}  # what callbacks are told (mindspore 2.10 train/model.py:1145, :1060)


def is_in_last_iteration(site: Site) -> bool:
    """Return whether a site runs in the last epoch only: `if epoch == epochs - 1`, `if epoch + 1 == epochs`."""
    return any(_is_last(test, site.block) and "epoch" in ast.unparse(test).lower() for test in _equal(site))


def is_in_one_iteration(site: Site) -> bool:
    """Return whether a site runs at most once in all iterations of the loops around it in its function."""
    loops = site.block.loops
    if loops and _ends_loops(site.block):
        return True
    return any(_is_one(test, site.block) or (len(loops) == 1 and _is_last(test, site.block)) for test in _equal(site))


def has_one_iteration(program: Program, loop: ast.AST, scope: Scope) -> bool:
    """Return whether a loop has at most one iteration, whatever the options: `range(1)`, one literal item."""
    over = loop.iter if isinstance(loop, (ast.For, ast.AsyncFor)) else None
    over = inside(over, *scope.module.aliases(*_AROUND)) if over is not None else None
    if isinstance(over, (ast.Tuple, ast.List)):
        return len(over.elts) <= 1 and not any(isinstance(each, ast.Starred) for each in over.elts)
    if not isinstance(over, ast.Call) or word_of(over.func) not in ("range", "trange"):
        return False
    bounds = [program.value(bound, scope) for bound in over.args]
    numbers = [each.constant for each in bounds if not each.overridable]
    known = [each for each in numbers if isinstance(each, int)]
    return 0 < len(known) == len(bounds) < 3 and len(range(*known)) <= 1


def _equal(site: Site) -> Iterator[ast.Compare]:
    """Yield the comparisons that must hold as `==` or `>=` for a site to run."""
    for part in (part for condition in condition_of(site) for part in condition.parts):
        test, wanted = part.test, (ast.Eq, ast.GtE) if part.result else (ast.NotEq, ast.Lt)
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], wanted):
            yield test


def _is_last(test: ast.Compare, block: Block) -> bool:
    """Return whether a comparison holds in the last iteration of the outermost loop around a block."""
    sides = (test.left, test.comparators[0])
    if isinstance(test.ops[0], (ast.GtE, ast.Lt)):
        moved = [each.left for each in sides if isinstance(each, ast.BinOp) and _is_one_more(each)]
        end = sides[1].left if isinstance(sides[1], ast.BinOp) else sides[1]
        return len(moved) == 1 and _counts(block, sides[0]) and _goes_to(block, end)
    if isinstance(test.left, ast.BinOp) and isinstance(test.left.op, ast.Mod):
        return _counts(block, test.left.left) and _goes_to(block, test.left.right)
    if {_last_word(side, block.scope) for side in sides} == TOLD:
        return True
    plain = [side for side in sides if isinstance(side, (ast.Name, ast.Attribute))]
    if plain and any(isinstance(side, ast.BinOp) and _is_one_more(side) for side in sides):
        return not any(_is_remainder(side, block.scope) for side in sides)
    loop, other = _compared(test, block)
    ends = {spelling(node) for node in ast.walk(loop.iter)} if loop is not None else set()
    return isinstance(other, (ast.Name, ast.Attribute)) and spelling(other) in ends


def _is_remainder(side: ast.expr, scope: Scope) -> bool:
    """Return whether an expression is a remainder, or one more or less, which every few iterations have."""
    node = side.left if isinstance(side, ast.BinOp) and _is_one_more(side) else side
    values = [node, *(binding.value for binding in scope.lookup(node))] if isinstance(node, ast.Name) else [node]
    return any(isinstance(each, ast.BinOp) and isinstance(each.op, ast.Mod) for each in values)


def _last_word(side: ast.expr, scope: Scope) -> str:
    """Return the last word of an expression, or of the only value of a name: `last = cb_params.epoch_num`."""
    only = scope.only(side)
    value = only.value if only is not None and not only.path else None
    return word_of(value if value is not None else side)


def _counts(block: Block, node: ast.expr) -> bool:
    """Return whether an expression is the variable of the outermost loop around a block, or one more or less."""
    node = node.left if isinstance(node, ast.BinOp) and _is_one_more(node) else node
    loop = block.loops[-1] if block.loops else None
    return isinstance(loop, ast.For) and isinstance(node, ast.Name) and ast.unparse(loop.target) == node.id


def _goes_to(block: Block, end: ast.expr) -> bool:
    """Return whether the outermost loop around a block ends there: `range(epochs)`, `range(1, epochs + 1)`."""
    loop = block.loops[-1] if block.loops else None
    over = inside(loop.iter, *block.scope.module.aliases(*_AROUND)) if isinstance(loop, ast.For) else None
    if not isinstance(over, ast.Call) or word_of(over.func) not in ("range", "trange") or len(over.args) not in (1, 2):
        return False
    stop = over.args[-1]
    if len(over.args) == 2 and isinstance(stop, ast.BinOp) and _is_one_more(stop):
        stop = stop.left
    return spelling(stop) == spelling(end)


def _is_one_more(side: ast.BinOp) -> bool:
    return isinstance(side.op, (ast.Add, ast.Sub)) and isinstance(side.right, ast.Constant) and side.right.value == 1


def _is_one(test: ast.Compare, block: Block) -> bool:
    """Return whether a test compares the variable of the outermost loop with a value that the loop does not change."""
    if isinstance(test.ops[0], (ast.GtE, ast.Lt)):
        return False
    loop, other = _compared(test, block)
    if loop is not None and isinstance(other, (ast.Name, ast.Attribute)):
        names = (each for each in ast.walk(loop) if isinstance(each, (ast.Name, ast.Attribute)))
        return ast.unparse(other) not in {ast.unparse(each) for each in names if isinstance(each.ctx, ast.Store)}
    return isinstance(other, ast.Constant)


def _compared(test: ast.Compare, block: Block) -> tuple[Optional[ast.For], Optional[ast.expr]]:
    """Return the outermost loop around a block, and what a test compares with its variable; None for other tests.

    Constants that are added are left out: `epoch + 1 == 10`.
    """
    loops = block.loops
    if not loops or not isinstance(loops[-1], ast.For):
        return None, None
    variables = names_in(loops[-1].target)
    sides = [side.left if _is_moved(side) else side for side in (test.left, test.comparators[0])]  # type: ignore[attr-defined]
    others = [side for side in sides if not (isinstance(side, ast.Name) and side.id in variables)]
    return (loops[-1], others[0]) if len(others) == 1 else (None, None)


def _is_moved(side: ast.expr) -> bool:
    """Return whether an expression is another one and a constant: `epoch + 1`."""
    is_sum = isinstance(side, ast.BinOp) and isinstance(side.op, (ast.Add, ast.Sub))
    return is_sum and isinstance(side.right, ast.Constant)  # type: ignore[attr-defined]


def ends(block: Block, *kinds: type[ast.stmt]) -> bool:
    """Return whether a block is an arm of an `if` whose last statement is of one of some kinds."""
    return isinstance(block.owner, ast.If) and isinstance(_last_statement(block), kinds)


def _last_statement(block: Block) -> Optional[ast.stmt]:
    """Return the last statement of an arm; None of the rest of a block behind an `if` that leaves it."""
    owner, (arm, _, position) = block.owner, block.arm.partition(" ")
    body = owner.handlers[int(position)].body if arm == "handler" else getattr(owner, arm, [])  # type: ignore[union-attr]
    return body[-1] if body and isinstance(body[-1], ast.stmt) else None


def _ends_loops(block: Block) -> bool:
    """Return whether a block, or an arm around it in the innermost loop, ends with leaving all loops around it."""
    for arm in block.chain():
        if isinstance(arm.owner, LOOPS):
            return False
        last = _last_statement(arm)
        if last is not None and leaves(last):
            is_exit = isinstance(last, (ast.Raise, ast.Expr)) and not is_caught(arm)
            return is_exit or isinstance(last, ast.Return) or (isinstance(last, ast.Break) and len(block.loops) == 1)
    return False


# --- the first iterations

_RISES: tuple[type[ast.cmpop], ...] = (ast.Gt, ast.GtE, ast.NotEq)  # of a counter on the left: they begin to hold
_FALLS: tuple[type[ast.cmpop], ...] = (ast.Lt, ast.LtE, ast.Eq)


def is_behind(program: Program, loop: ast.AST, condition: Condition, most: int) -> bool:
    """Return whether a condition compares a counter with a number below `most`, and holds in all later iterations."""
    test, result = condition.test, condition.result
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, result = test.operand, not result
    if isinstance(test, ast.Name):
        return result and _is_counter(loop, test, condition)
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    counter, number, is_turned = test.left, test.comparators[0], False
    if not isinstance(counter, ast.Name) or not _is_counter(loop, counter, condition):
        counter, number, is_turned = number, counter, True
    kinds = _FALLS if result is is_turned else _RISES
    if isinstance(test.ops[0], (ast.Eq, ast.NotEq)):
        kinds = _RISES if result else _FALLS
    value = program.value(number, condition.scope).constant
    is_small = isinstance(value, int) and value < most
    return is_small and isinstance(test.ops[0], kinds) and _is_counter(loop, counter, condition)


def _is_counter(loop: ast.AST, node: ast.expr, condition: Condition) -> bool:
    """Return whether a name counts the iterations of a loop, and no code in the loop sets it back."""
    bindings = condition.scope.lookup(node) if isinstance(node, ast.Name) else ()
    all_of_name = [each for binding in bindings[:1] for each in binding.scope.bindings[binding.name]]
    kinds = [_counts_on(each, loop) for each in all_of_name]
    return None not in kinds and True in kinds


def _counts_on(binding: Binding, loop: ast.AST) -> Optional[bool]:
    """Return whether a binding counts on; False for one outside of the loop, None for one that sets it back."""
    if binding.kind == "for":
        over = binding.stmt.iter if isinstance(binding.stmt, ast.For) else None
        word = word_of(over.func) if isinstance(over, ast.Call) else ""
        return True if (word, binding.path) in (("range", ()), ("enumerate", (0,))) else None
    if binding.kind == "augment" and isinstance(binding.stmt, ast.AugAssign):
        added = binding.stmt.value
        is_number = isinstance(added, ast.Constant) and isinstance(added.value, int)
        return True if is_number and isinstance(binding.stmt.op, ast.Add) else None
    return None if loop in binding.block.loops or binding.kind != "assign" else False
