"""Functions that compiled code makes: graph mode gives them what is around them as it is where they are made.

Run on 2.10, CPU. Python reads a name of the enclosing function when the inner one is called. Where that name is bound
again, or its list filled, between the two, graph mode computes other losses; where it is bound only there, it fails.
A lambda in a `for` fails, one that reads the variable of a comprehension computes with another element, and a default
that is a tensor fails.
Same losses: an inner function in a loop that is called in the same pass, a name that is bound again after the last
call, recursion, and a function that another one returns.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Optional

from ms_perflint.index.execution_order import Place, place, stored
from ms_perflint.index.semantic_index import COMPREHENSIONS, FUNCTIONS, Scope
from ms_perflint.index.syntax_forms import descendants, given
from ms_perflint.infer.places import APPENDS, UPDATES
from ms_perflint.languages import Message
from ms_perflint.program.program import Program
from ms_perflint.training.graph_mode.compiled import filled, nodes, steps
from ms_perflint.training.graph_mode.constants import is_constant
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle
from ms_perflint.training.graph_mode.state import free

_FILLS = APPENDS | UPDATES
_Change = tuple[int, frozenset[int]]  # its rank, and the loops around it


def in_closures(program: Program, function: Scope) -> Iterator[Obstacle]:
    """Yield the functions made in a compiled function that graph mode gives something else than Python does."""
    for step, node in nodes(program, function):
        if isinstance(node, (*FUNCTIONS, ast.Lambda)):
            inner = function.module.scope_of[id(node)]
            message = _refused(program, function, inner, step.block.loops) or _changed(program, function, inner)
            if message is not None:
                yield obstacle(function.module, node, "closure", message)


def _refused(program: Program, function: Scope, inner: Scope, loops: list[ast.AST]) -> Optional[Message]:
    """Return why graph mode does not compile an inner function; None if it does."""
    if isinstance(inner.node, ast.Lambda):
        parts = ((inner, inner.node.body), (inner.parent or inner, inner.node.args))
        read = [scope.home(each.id) for scope, part in parts for each in ast.walk(part) if isinstance(each, ast.Name)]
        is_of_element = any(home is not None and isinstance(home.node, COMPREHENSIONS) for home in read)
        if is_of_element or any(isinstance(loop, ast.For) for loop in loops):
            return Message("graph mode does not compile a lambda in a loop")
    arguments: ast.arguments = inner.node.args  # type: ignore[union-attr]
    defaults = [each for each in (*arguments.defaults, *arguments.kw_defaults) if each is not None]
    if not all(is_constant(program, function, each) for each in defaults):
        return Message("graph mode takes no tensor as the default of an inner function")
    return None


def _changed(program: Program, function: Scope, inner: Scope) -> Optional[Message]:
    """Return that a name of the function changes between where an inner function is made and where it is called."""
    made, node = place(inner.node, function), inner.node
    body = [node.body] if isinstance(node, ast.Lambda) else node.body  # type: ignore[union-attr]
    names = {each.id for part in body for each in free(part, frozenset())}
    names = {name for name in names if inner.home(name) is function}
    if made is None or not names:
        return None
    uses = list(_uses(function, inner, made))
    around = frozenset(map(id, made.block.loops))
    for name in sorted(names):
        if any(_is_between(change, made, around, use) for change in _changes(program, function, name) for use in uses):
            return Message("graph mode gives an inner function `{name}` as it is where that is made", name=name)
    return None


def _uses(function: Scope, inner: Scope, made: Place) -> Iterator[Optional[Place]]:
    """Yield where an inner function is called or passed on; None where it is kept, to be called at any time."""
    node, stmt = inner.node, made.step
    name = inner.name
    if isinstance(node, ast.Lambda):
        target = stmt.targets[0] if isinstance(stmt, ast.Assign) and stmt.value is node else None
        name = target.id if isinstance(target, ast.Name) else ""
    calls = [(site, site.node) for site in function.owner.calls if isinstance(site.node, ast.Call)]
    used = {id(part) for site, call in calls for part in (call.func, *([] if site.word in APPENDS else given(call)))}
    reads = function.flow.reads(name) if name else [node]
    own = {id(each) for each in descendants(node)} - {id(node)}
    for read in reads:
        at = place(read, function)
        if id(read) not in own:
            yield at if id(read) in used and at is not None and at.owner is function else None


def _changes(program: Program, function: Scope, name: str) -> Iterator[_Change]:
    """Yield where a function binds a name, or fills the list or dict of that name."""
    for binding in function.bindings[name]:
        at = stored(binding)
        if at is not None:
            loops = (*at.block.loops, *([binding.stmt] if binding.kind == "for" else ()))
            yield at.rank, frozenset(map(id, loops))
    for step in steps(program, function):
        at = place(step.stmt, step.scope)
        if at is not None and any(isinstance(each, ast.Name) and each.id == name for each in filled(step.stmt, _FILLS)):
            yield at.rank, frozenset(map(id, step.block.loops))


def _is_between(change: _Change, made: Place, around: frozenset[int], use: Optional[Place]) -> bool:
    """Return whether a change may happen after an inner function is made, and before it is used."""
    rank, loops = change
    shared = loops & around
    if use is None:
        return rank > made.rank or bool(shared)
    together = loops.intersection(map(id, use.block.loops))
    if not shared <= together:
        return True  # made in a loop, and used behind it
    return rank > made.rank and (rank < use.rank or bool(together - around))
