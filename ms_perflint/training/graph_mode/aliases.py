"""Lists, dicts and tensors that compiled code changes under one name and reads under another.

Run on 2.10, CPU. `x[0] = value`, `rows.append(value)` and `d["a"] = value` change the object of that name alone: in
graph mode another name of it, the argument of the caller, the list or dict in which it is, the tensor of which it is a
view and the variable of the enclosing function keep what they had. So the loss differs, or what is read is not there.
Right is a function that returns what it changed, where its caller goes on with the result, and each read under the
name that was used for the change.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Optional

from ms_perflint.index.execution_order import happens_before, is_replaced, never_before, place, root, stored
from ms_perflint.index.semantic_index import Binding, Scope, Site
from ms_perflint.index.syntax_forms import children, descendants, given, names_in, word_of
from ms_perflint.infer.parameters import argument
from ms_perflint.infer.places import APPENDS, UPDATES
from ms_perflint.languages import Message
from ms_perflint.program.program import Program
from ms_perflint.training.graph_mode.compiled import assigned, filled, gone_through, is_compiled, steps
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle
from ms_perflint.training.training import running_callers

_FILLS = APPENDS | UPDATES


def in_aliases(program: Program, function: Scope) -> Iterator[Obstacle]:
    """Yield the changes of an object in a compiled function that the program reads later under another name."""
    for step in steps(program, function):
        for name, is_inside in _changed(step.stmt):
            is_shared = is_inside and _is_element_read(function, step, name)
            if is_shared or _is_read_elsewhere(program, function, step, name):
                text = Message("graph mode changes `{name}` alone, not the object that it shares", name=name.id)
                yield obstacle(function.module, step.stmt, "alias", text)


def _changed(stmt: ast.stmt) -> Iterator[tuple[ast.Name, bool]]:
    """Yield the names whose objects a statement changes, `x[0] = 1`, and whether something in them: `x[0][0] = 1`."""
    for each in filled(stmt, _FILLS):
        inner = each
        while isinstance(inner, ast.Subscript):
            inner = inner.value
        if isinstance(inner, ast.Name):
            yield inner, inner is not each


def _is_element_read(function: Scope, step: Site, name: ast.Name) -> bool:
    """Return whether what was put into a list or dict may be read later under its own name: `rows = [x]`.

    Run: `rows[0][0] = value` leaves `x` as it was; in a tuple it fails.
    """
    shown = [each.whole for each in function.flow.at(name)]
    if any(isinstance(each, ast.Tuple) for each in shown):
        return True
    same = (each for each in function.owner.calls if isinstance(each.base, ast.Name) and each.base.id == name.id)
    held: list[ast.AST] = [part for each in same if each.word in APPENDS for part in given(each.call)]
    held += [part for each in shown if isinstance(each, (ast.List, ast.Dict)) for part in children(each)]
    parts = (each for each in held if isinstance(each, ast.expr))
    return any(_is_view(function, each) and _is_read_after(function, step, each) for each in parts)


def _is_read_elsewhere(program: Program, function: Scope, step: Site, name: ast.Name) -> bool:
    """Return whether the object of a name, which a step changes, may be read later under another name."""
    home = function.home(name.id)
    if home is not function:  # of an enclosing function: only that one sees it
        return home is not None and home.is_function and is_compiled(program, home) and name.id in home.names
    for binding in function.flow.at(name):
        if binding.kind == "parameter":
            for site in running_callers(program, function):
                part = argument(program.evaluator, binding, site).part
                is_kept = part is not None and is_compiled(program, site.scope) and _is_view(site.scope, part.node)
                if is_kept and _is_read_after(site.scope, site, part.node):  # type: ignore[union-attr]
                    return True
        elif (source := _shared(function, binding)) is not None and _is_read_after(function, step, source):
            return True
    return _is_kept_under_another(function, step, name)


def _shared(function: Scope, binding: Binding) -> Optional[ast.expr]:
    """Return the name or item whose object a binding shares: `x = y`, `x = y[0]`, `for x in y`; None if none."""
    if not isinstance(binding.stmt, ast.For):
        return binding.whole if _is_view(function, binding.whole) else None
    over, _ = gone_through(binding)
    return over if _is_view(function, over) else None


def _is_view(function: Scope, node: Optional[ast.expr]) -> bool:
    """Return whether an expression is a name of the function, or an item of it, also by a tensor (run: `z[rows]`)."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return isinstance(node, ast.Name) and function.home(node.id) is function


def _is_kept_under_another(function: Scope, step: Site, name: ast.Name) -> bool:
    """Return whether another name or a list was given the object of a name before a step, and is read after it."""
    made = {id(each) for each in function.flow.at(name)}
    changed = place(step.stmt, step.scope)
    for node in descendants(function.node):
        targets, value = assigned(node) if isinstance(node, (ast.Assign, ast.AnnAssign)) else ([], None)
        held = value.elts if isinstance(value, (ast.List, ast.Tuple)) and len(targets) == 1 else [value]
        same = [each for each in held if isinstance(each, ast.Name) and each.id == name.id]
        if not any(made.intersection(map(id, function.flow.at(each))) for each in same):
            continue
        if never_before(place(node, function), changed):
            continue
        others = [each.id for each in targets if isinstance(each, ast.Name) and each.id != name.id]
        if _is_new_between(function, node, step, name, {name.id, *others}):
            continue
        later = (load for other in others for load in _later(function, step, other))
        if any(binding.stmt is node for load in later for binding in function.flow.at(load)):
            return True
    return False


def _is_new_between(function: Scope, shares: ast.AST, step: Site, name: ast.Name, names: set[str]) -> bool:
    """Return whether a name gets a new object on each path from where others get its object to a step that changes it.

    `row = []` at the beginning of each pass, or behind `last = row` (run: graph mode gives the same).
    """
    shared, changed = place(shares, function), place(step.stmt, step.scope)
    for binding in function.flow.at(name):
        at, new = stored(binding), binding.whole if binding.kind == "assign" else None
        if new is None or not names.isdisjoint(names_in(new)) or at is None or shared is None or changed is None:
            continue
        if at.rank < shared.rank and happens_before(at, changed) and is_replaced(shared, at, changed):
            return True
        if at.rank > shared.rank and at.block is shared.block and not shared.rank < changed.rank < at.rank:
            between = function.module.steps[shared.rank : at.rank]
            return not any(isinstance(each, ast.Continue) for each, _ in between)
    return False


def _is_read_after(function: Scope, step: Site, node: ast.expr) -> bool:
    """Return whether the object of a name, also that of which an item is, may be loaded after a step."""
    name = root(node)
    if name is None or any(word_of(each) == name.id for each in assigned(step.stmt)[0]):
        return False  # `rows = fill(rows)`
    made = {id(each) for each in function.flow.at(name)}
    later = (each for each in _later(function, step, name.id) if each is not name)
    return any(made.intersection(map(id, function.flow.at(each))) for each in later)


def _later(function: Scope, step: Site, name: str) -> Iterator[ast.Name]:
    """Yield the loads of a name of a function that may come after a step."""
    first = place(step.stmt, step.scope)
    for node in function.flow.reads(name) if first is not None and function.home(name) is function else ():
        second = place(node, function)
        if isinstance(node.ctx, ast.Load) and second is not None and not never_before(first, second):
            yield node
