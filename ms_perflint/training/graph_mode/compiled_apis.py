"""The names that graph mode compiles: APIs of MindSpore and of libraries for it; and what the files do not show."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.syntax_forms import plainly_given
from ms_perflint.infer import list_changes
from ms_perflint.infer.values import NO_CONSTANT, Alternative, Value
from ms_perflint.libraries.mindspore import ROWS
from ms_perflint.program.program import Program
from ms_perflint.training.family import GRAPHS, is_of
from ms_perflint.training.training_steps import root

COMPILED_APIS = tuple(
    f"mindspore.{name}"
    for name in (
        "nn.", "ops.", "mint.", "numpy.", "scipy.", "amp.", "boost.", "experimental.optim.", "parallel.", "common.",
        "Tensor", "Parameter.", "tensor", "grad", "value_and_grad", "jit",
    )
)  # fmt: skip
_PYNATIVE_ONLY = "mindspore.ops.HookBackward"  # run: it gives the gradient as it is, without a call of the hook
DICTS = ("builtins.dict", "collections.OrderedDict")
DEPTH = 4  # rows of cells inside of one another


def is_seen(program: Program, value: Value) -> bool:
    """Return whether all that a network or function can be is of the project, of MindSpore, or of a library for it."""
    known = [root(each)[0] for each in value.alternatives if each.constant is NO_CONSTANT]
    if not known or (value.open and not all(map(is_of_mindspore, known))):
        return False
    if any(made_outside(program, each) is not None for each in known):
        return False
    return all(each.cls or each.definition or is_compiled_api(each.api or each.type_api) for each in known)


def made_outside(program: Program, known: Alternative, depth: int = DEPTH) -> Optional[Alternative]:
    """Return the result of another package, also in a row of cells, which the files do not show; None without one."""
    known, _ = root(known)
    made = known.creation
    if made is None or not depth or is_of(known.type_api, GRAPHS):
        return None
    held = _held(program, known, made.call, made.scope) if known.type_api in (*ROWS, *DICTS) else []
    if not held and known.type_api not in ROWS:
        return known if known.type_api.partition(".")[0] not in ("", "mindspore", "builtins") else None
    return next((found for each in held if (found := made_outside(program, each, depth - 1)) is not None), None)


def _held(program: Program, known: Alternative, call: ast.Call, scope: Scope) -> list[Alternative]:
    """Return the elements of a row of cells, or the values of a dict of them: `SequentialCell(OrderedDict(pairs))`."""
    evaluator = program.evaluator
    found = list(evaluator.each(Value((known,))).alternatives)
    for node in plainly_given(call):
        value = program.value(node, scope)
        if known.type_api in DICTS:
            found += evaluator.each(evaluator.each(value)).alternatives
        elif any(each.is_mapping for each in value.alternatives):
            parts = [evaluator.read(part) for each in value.alternatives for part in each.parts]
            more = list_changes.additions(evaluator, node, scope)
            parts += [program.value(each.added, each.block.scope) for each in more if each.added is not None]
            found += [each for part in parts for each in part.alternatives]
    return found


def is_compiled_api(api: str) -> bool:
    """Return whether graph mode compiles an API of MindSpore, or of a library for it."""
    return api != _PYNATIVE_ONLY and (api.startswith(COMPILED_APIS) or is_of(api, GRAPHS))


def is_of_mindspore(known: Alternative) -> bool:
    """Return whether something is of MindSpore, or a method of the result of a call, mostly a tensor."""
    return (known.api or known.type_api).startswith(("mindspore.", "."))
