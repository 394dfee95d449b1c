"""Values that change from step to step as graph inputs: a number as a tensor, a container as `mutable`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Optional

from ms_perflint import mindspore_api
from ms_perflint.core.findings import Edit, Place, Related, Remedy, Safety
from ms_perflint.edits.expressions import replace_expression
from ms_perflint.edits.imports import import_name
from ms_perflint.infer.values import Value
from ms_perflint.languages import Message
from ms_perflint.program.program import Program
from ms_perflint.training.graph_mode.varying import Varying

MUTABLE = "mindspore.mutable"
DEPTH = 4  # containers in one another
_DTYPES: Mapping[Optional[type], str] = {int: "mindspore.int32", float: "mindspore.float32"}


def pass_as_input(program: Program, each: Varying, line_length: int) -> Remedy:
    """Return the remedy that makes an argument a graph input, so that a new value does not recompile."""
    version = program.version

    def name(api: str) -> tuple[str, tuple[Edit, ...]]:
        return import_name(each.site.module, api, version=version, scope=each.site.scope, line_length=line_length)

    text = each.site.module.text(each.node)
    if each.is_number:
        advice, reason = Message("pass it as a tensor"), Message("a condition on it becomes control flow of the graph")
        written = [name(api) for api in ("mindspore.Tensor", *filter(None, [_DTYPES.get(each.kind)]))]
        tensor = f"{written[0][0]}({', '.join([text, *(dtype for dtype, _ in written[1:])])})"
        meets = sum(bool(edits) for _, edits in written) > 1  # two imports would conflict
        edits = None if meets else _replaced(each, tensor, *(edits for _, edits in written))
        return Remedy(edits, advice, Safety.DISPLAY, reason)
    advice, reason = (
        Message("mark the container as `mutable`"),
        Message("its elements are then not constants of the graph"),
    )
    if not mindspore_api.is_in(MUTABLE, version):
        return Remedy(None, advice, Safety.UNSAFE, reason)
    refused = next(_refused(program, program.value(each.node, each.site.scope), DEPTH), None)
    if refused is not None:
        told = Message("no fix is shown: `mutable` takes no text and no None; pass it apart from the tensors")
        return Remedy(None, advice, Safety.UNSAFE, reason, (Related(refused, told),))
    mutable, imports = name(MUTABLE)
    is_bare = isinstance(each.node, ast.Tuple) and not text.startswith("(")
    container = f"{mutable}(({text}))" if is_bare else f"{mutable}({text})"
    return Remedy(_replaced(each, container, imports), advice, Safety.UNSAFE, reason)


def _refused(program: Program, value: Value, depth: int) -> Iterator[Place]:
    """Yield the elements that `mutable` refuses, a text or None, of all containers that a value can be."""
    for known in value.alternatives if depth else ():
        for part in known.parts if known.is_display else ():
            element = program.evaluator.read(part)
            if any(isinstance(constant, (str, bytes, type(None))) for constant in element.constants):
                yield part.scope.module.place(part.node)
            yield from _refused(program, element, depth - 1)


def _replaced(each: Varying, text: str, *imports: tuple[Edit, ...]) -> Optional[tuple[Edit, ...]]:
    made = replace_expression(each.site.module, each.node, text)
    return (*made, *(one for edits in imports for one in edits)) if made is not None else None
