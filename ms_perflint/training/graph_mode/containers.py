"""Lists, tuples and dicts of tensors that are passed to a compiled step: graph mode takes them as constants.

Run on 2.10, CPU: a train cell and a gradient function that are given `[x, y]`, `(x, y)` or `{"x": x}` compile again in
each step, which takes 5 to 10 times as long as the step in PyNative. `step(*batch)` and a list that is made in compiled
code are compiled once.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Optional

from ms_perflint.index.semantic_index import Binding, Scope, Site
from ms_perflint.index.syntax_forms import descendants, word_of
from ms_perflint.infer.bases import method
from ms_perflint.infer.parameters import argument as argument_of
from ms_perflint.infer.values import Alternative
from ms_perflint.languages import Message
from ms_perflint.program.program import Program
from ms_perflint.training.graph_mode.compiled import Step, steps
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle
from ms_perflint.training.repetition import repeats
from ms_perflint.training.training import MODEL_TRAINS, train_sites
from ms_perflint.training.training_steps import GRADS

_BATCHES = frozenset({"create_dict_iterator", "create_tuple_iterator"})
AGAIN = Message("graph mode compiles again in each step for a list, tuple or dict of tensors: pass them one by one")


def in_arguments(program: Program) -> Iterator[Obstacle]:
    """Yield the first argument of each training step that is a container of tensors of that step."""
    models = {id(call.node) for call in program.calls(*MODEL_TRAINS)}
    for site in train_sites(program):
        node = site.node
        if not isinstance(node, ast.Call) or id(node) in models:
            continue
        given = [*node.args, *(word.value for word in node.keywords if word.arg is not None)]
        plain = (each for each in given if not isinstance(each, ast.Starred))
        first = next((each for each in plain if _holds_tensors(program, each, site.scope, set())), None)
        if first is not None:
            yield obstacle(site.module, first, "container", AGAIN)
            continue
        for function in _given_functions(program, site):
            read = _read_by_key(function)
            if read is not None:
                yield obstacle(function.module, read, "container", AGAIN)


def _given_functions(program: Program, site: Site) -> Iterator[Scope]:
    """Yield the functions of the project that a step calls: what is differentiated, the `construct` of a cell."""
    for known in program.evaluator.callees(site).alternatives:
        made = known.creation
        if known.cls is not None:
            construct = method(program.evaluator, known.cls, "construct")
            if construct is not None:
                yield construct
        elif made is not None and known.type_api in GRADS and made.call.args:
            for each in program.value(made.call.args[0], made.scope).alternatives:
                if each.definition is not None and not each.definition.is_class:
                    yield each.definition


def _read_by_key(function: Scope) -> Optional[ast.Subscript]:
    """Return where a function takes an entry of a parameter by a string: `batch["image"]`."""
    given = {each.arg for each in getattr(function.node, "args", ast.arguments([], [], None, [], [], None, [])).args}
    for node in descendants(function.node):
        if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Constant):
            continue
        if isinstance(node.slice.value, str) and isinstance(node.value, ast.Name) and node.value.id in given:
            return node
    return None


def _holds_tensors(program: Program, argument: ast.expr, scope: Scope, seen: set[Binding]) -> bool:
    """Return whether an argument is a container of tensors of the step, also where callers pass it on."""
    if _is_slice(program, argument, scope):
        return True
    if isinstance(argument, ast.Name):
        for each in scope.lookup(argument):
            if _is_batch(program, each) or _is_part(program, each) or _is_passed(program, each, seen):
                return True
    shown = (each for each in program.value(argument, scope).alternatives if each.is_display)
    return any(_changes(program, each) and _is_made_again(program, each) for each in shown)


def _is_passed(program: Program, binding: Binding, seen: set[Binding]) -> bool:
    """Return whether a running call passes such a container as a parameter."""
    if binding.kind != "parameter" or binding in seen or not binding.scope.is_function:
        return False
    seen.add(binding)
    for site in program.callers(binding.scope):
        part = argument_of(program.evaluator, binding, site).part if isinstance(site.node, ast.Call) else None
        if part is not None and program.runs(site) and _holds_tensors(program, *part, seen):
            return True
    return False


def _is_part(program: Program, binding: Binding) -> bool:
    """Return whether a name is a slice of a whole batch, a list too: `inputs, label = batch[:-1], batch[-1]`."""
    value = binding.value if binding.kind == "assign" else None
    for index in binding.path:
        is_shown = isinstance(value, ast.Tuple) and isinstance(index, int) and index < len(value.elts)
        value = value.elts[index] if is_shown else None  # type: ignore[union-attr]
    return value is not None and _is_slice(program, value, binding.scope)


def _is_slice(program: Program, value: ast.expr, scope: Scope) -> bool:
    """Return whether an expression is `batch[1:]`, `list(batch)` or `tuple(batch)` of a whole batch."""
    whole: Optional[ast.expr] = None
    if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice):
        whole = value.value
    elif isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in ("list", "tuple"):
        whole = value.args[0] if len(value.args) == 1 else None
    return isinstance(whole, ast.Name) and any(_is_batch(program, each) for each in scope.lookup(whole))


def _is_batch(program: Program, binding: Binding) -> bool:
    """Return whether a loop over a dataset gives a name a whole batch: `for batch in data.create_dict_iterator()`."""
    loop = binding.stmt
    over: Optional[ast.expr] = loop.iter if isinstance(loop, ast.For) else None
    path: tuple[object, ...] = ()
    while isinstance(over, ast.Call) and word_of(over.func) in ("enumerate", "tqdm") and over.args:
        path = (*path, 1) if word_of(over.func) == "enumerate" else path
        over = over.args[0]
    if over is None or tuple(binding.path) != path:
        return False
    if isinstance(over, ast.Call) and word_of(over.func) in _BATCHES:
        return True
    known = program.value(over, binding.scope)
    return bool(known.alternatives) and not known.open and all(map(_gives_batches, known.alternatives))


def _gives_batches(known: Alternative) -> bool:
    """Return whether something is a dataset, or an iterator of one, also one that was made of another."""
    while not known.type_api and known.origin is not None:
        known = known.origin
    return known.type_api.startswith("mindspore.dataset.")


def _changes(program: Program, known: Alternative) -> bool:
    """Return whether a container holds something else than constants."""
    values = [program.evaluator.read(part) for part in known.parts]
    return any(len(value.constants) != len(value.alternatives) or not value.alternatives for value in values)


def _is_made_again(program: Program, known: Alternative) -> bool:
    """Return whether a container is made again for each step."""
    step = _step_of(program, known.shown.node, known.shown.scope) if known.shown is not None else None
    return step is not None and repeats(program, step.site, even_once=True)


def _step_of(program: Program, node: ast.AST, scope: Scope) -> Optional[Step]:
    """Return the innermost statement of a scope in which an expression stands."""
    found = [step for step in steps(program, scope.owner) if any(each is node for each in descendants(step.stmt))]
    return found[-1] if found else None
