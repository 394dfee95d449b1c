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
        first = next((each for each in plain if _holds_tensors(program, each, site)), None)
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


def _holds_tensors(program: Program, argument: ast.expr, site: Site) -> bool:
    if isinstance(argument, ast.Name) and any(map(_is_batch, site.scope.lookup(argument))):
        return True
    shown = (each for each in program.value(argument, site.scope).alternatives if each.is_display)
    return any(_changes(program, each) and _is_made_again(program, each) for each in shown)


def _is_batch(binding: Binding) -> bool:
    """Return whether a loop over a dataset gives a name a whole batch: `for batch in data.create_dict_iterator()`."""
    loop = binding.stmt
    over: Optional[ast.expr] = loop.iter if isinstance(loop, ast.For) else None
    path: tuple[object, ...] = ()
    while isinstance(over, ast.Call) and word_of(over.func) in ("enumerate", "tqdm") and over.args:
        path = (*path, 1) if word_of(over.func) == "enumerate" else path
        over = over.args[0]
    return isinstance(over, ast.Call) and word_of(over.func) in _BATCHES and tuple(binding.path) == path


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
