"""Numbers of Python that count up among the arguments of a step: graph mode compiles again for each value.

Run on 2.10, CPU. In each step this is slower than PyNative. In each epoch it is a compilation, of 0.7 s for LeNet and
3.8 s for two transformer blocks (PyNative loses as much in four steps), and a graph that stays, of 7 and 46 MB.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple, Optional

from ms_perflint.index.semantic_index import Binding, Site
from ms_perflint.index.syntax_forms import inside, word_of
from ms_perflint.infer.parameters import argument
from ms_perflint.languages import Message
from ms_perflint.program.program import Program, fact
from ms_perflint.training.graph_mode.compiled import class_of
from ms_perflint.training.graph_mode.made_anew import maker_of
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle
from ms_perflint.training.step_loops import is_step_loop
from ms_perflint.training.training import callers, train_sites

FEW = 20  # values: each is compiled once, and kept
_STEPS = re.compile(r"(?i)epoch|step|iter|batch")
_COUNTS = {"enumerate": (0,), "range": (), "trange": ()}  # of loops: where the number stands in their variable
_KEEP = ("int", "float")
_HOPS = 6  # names and functions on the way to a loop


class Number(NamedTuple):
    """An argument of a training step that is a number, and the loop in which it counts."""

    site: Site
    node: ast.expr
    name: str
    is_each_step: bool

    @property
    def obstacle(self) -> Obstacle:
        """Return it as an obstacle."""
        text = Message("graph mode compiles again for each value of `{name}`: pass a Tensor", name=self.name)
        return obstacle(self.site.module, self.node, "number", text)


def in_numbers(program: Program) -> Iterator[Obstacle]:
    """Yield the numbers that have another value in each step."""
    yield from (each.obstacle for each in numbers(program) if each.is_each_step)


def number_per_epoch(program: Program) -> Optional[Number]:
    """Return the first number that has another value in each epoch; None if none."""
    return next((each for each in numbers(program) if not each.is_each_step), None)


@fact
def numbers(program: Program) -> tuple[Number, ...]:
    """Return the arguments of training steps that are numbers which count up."""
    found: list[Number] = []
    for site in train_sites(program):
        known = program.evaluator.callees(site).alternatives
        is_compiled = bool(known) and all(maker_of(program, each) is not None for each in known)
        if not isinstance(site.node, ast.Call) or not is_compiled:
            continue
        for given in (*site.node.args, *(word.value for word in site.node.keywords if word.arg is not None)):
            loops = list(_loops(program, site, given, _HOPS))
            if loops:
                is_each_step = any(is_step_loop(program, loop) for loop in loops)
                found.append(Number(site, given, ast.unparse(given), is_each_step))
    return tuple(found)


def counts(program: Program, site: Site, given: ast.Name) -> bool:
    """Return whether a name counts in a loop, to more than a few: of `range`, or the first of `enumerate`.

    Also a number that the loop works out from one that counts: `t = i / steps`.
    """
    return any(True for _ in _loops(program, site, given, _HOPS))


def _loops(program: Program, site: Site, given: ast.expr, hops: int) -> Iterator[ast.AST]:
    """Yield the loops in which an expression counts, that a caller passes too."""
    if not hops:
        return
    if isinstance(given, ast.Name):
        for binding in site.scope.lookup(given):
            yield from _of_binding(program, site, binding, given.id, hops)
    elif isinstance(given, ast.Attribute):
        yield from _of_attribute(program, site, given)
    elif isinstance(given, ast.BinOp):
        yield from _of_sum(program, site, given, "", hops - 1)
    elif isinstance(given, ast.Call) and word_of(given.func) in _KEEP and len(given.args) == 1:
        yield from _loops(program, site, given.args[0], hops)


def _of_binding(program: Program, site: Site, binding: Binding, name: str, hops: int) -> Iterator[ast.AST]:
    over = _counted(binding.stmt)
    is_loop = over is not None and _COUNTS.get(word_of(over.func)) == binding.path
    if over is not None and is_loop and (binding.path or _is_long(program, over, site, name)):
        yield binding.stmt
    if _is_added(binding) and binding.block.loops:
        yield binding.block.loops[0]
    value = binding.value if binding.kind == "assign" and not binding.path and binding.block.loops else None
    if isinstance(value, ast.BinOp):
        yield from _of_sum(program, site, value, name, hops - 1)
    if binding.kind == "parameter" and binding.scope is site.scope:
        for caller in callers(program, site.scope):
            part = argument(program.evaluator, binding, caller).part if program.runs(caller) else None
            if part is not None and part.node is not binding.value and part.scope is caller.scope:
                yield from _loops(program, caller, part.node, hops - 1)


def _of_sum(program: Program, site: Site, value: ast.BinOp, own: str, hops: int) -> Iterator[ast.AST]:
    """Yield the loops of a number that is worked out from one that counts, and else from constants alone."""
    parts = list(ast.walk(value))
    names = [each for each in parts if isinstance(each, ast.Name) and each.id != own]
    if any(isinstance(each, (ast.Call, ast.Subscript, ast.Attribute)) for each in parts):
        return
    loops = {each: list(_loops(program, site, each, hops)) for each in names}
    if all(loops[each] or program.value(each, site.scope).constants for each in names):
        yield from (loop for each in names for loop in loops[each])


def _of_attribute(program: Program, site: Site, given: ast.Attribute) -> Iterator[ast.AST]:
    """Yield the loops in which a method of the same class counts an attribute: `self.step += 1`."""
    owner = class_of(site.scope.owner)
    is_own = owner is not None and isinstance(given.value, ast.Name) and given.value.id == "self"
    for binding in owner.attributes.get(given.attr, ()) if is_own and owner is not None else ():
        if _is_added(binding):
            yield from binding.block.loops[:1] or _around(program, site)


def _around(program: Program, site: Site) -> list[ast.AST]:
    """Return the innermost loop around a site, or around the calls of its function."""
    if site.block.loops:
        return site.block.loops[:1]
    return [loop for caller in callers(program, site.scope.owner) for loop in caller.block.loops[:1]]


def _is_added(binding: Binding) -> bool:
    """Return whether a number is added: `step += 1`."""
    stmt = binding.stmt
    is_sum = isinstance(stmt, ast.AugAssign) and isinstance(stmt.op, (ast.Add, ast.Sub))
    return is_sum and isinstance(stmt.value, ast.Constant) and isinstance(stmt.value.value, (int, float))  # type: ignore[attr-defined]


def _counted(stmt: ast.AST) -> Optional[ast.Call]:
    """Return what a loop goes through, behind a progress bar: `tqdm(range(n))`."""
    over = inside(stmt.iter, "tqdm") if isinstance(stmt, ast.For) else None
    return over if isinstance(over, ast.Call) else None


def _is_long(program: Program, call: ast.Call, site: Site, name: str) -> bool:
    """Return whether a `range` has more than a few numbers, by its end or by what its variable is called."""
    end = call.args[1 if len(call.args) > 1 else 0] if call.args else None
    numbers = program.value(end, site.scope).constants if end is not None else ()
    if numbers and all(isinstance(each, int) for each in numbers):
        return max(each for each in numbers if isinstance(each, int)) >= FEW
    return bool(_STEPS.search(name))
