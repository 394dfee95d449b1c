"""Values that change from step to step as graph inputs: a number as a tensor, a container as `mutable`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Optional

from ms_perflint import mindspore_api
from ms_perflint.core.findings import Edit, Place, Related, Remedy, Safety
from ms_perflint.edits.expressions import replace_expression
from ms_perflint.edits.imports import name_in
from ms_perflint.index.semantic_index import Site
from ms_perflint.infer import list_changes
from ms_perflint.infer.values import Value
from ms_perflint.languages import Message
from ms_perflint.program.program import Program
from ms_perflint.training.graph_mode.compiled import is_compiled
from ms_perflint.training.graph_mode.varying import Varying, wanting_number

MUTABLE = "mindspore.mutable"
DEPTH = 4  # containers in one another
_DTYPES: Mapping[Optional[type], str] = {int: "mindspore.int32", float: "mindspore.float32"}


def pass_as_input(program: Program, each: Varying, line_length: int) -> Remedy:
    """Return the remedy that makes an argument a graph input, so that a new value does not recompile."""
    scope, text = each.site.scope, each.site.module.text(each.node)
    if each.is_number:
        advice, reason = Message("pass it as a tensor"), Message("a condition on it becomes control flow of the graph")
        apis = ("mindspore.Tensor", *filter(None, [_DTYPES.get(each.kind)]))
        written = [name_in(program, scope, api, line_length) for api in apis]
        tensor = f"{written[0][0]}({', '.join([text, *(dtype for dtype, _ in written[1:])])})"
        meets = sum(bool(edits) for _, edits in written) > 1  # two imports would conflict
        edits = None if meets else _replaced(each, tensor, *(edits for _, edits in written))
        wants = wanting_number(program, each)
        related = (Related(wants.place, wants.message),) if wants is not None else ()
        return Remedy(edits, advice, Safety.DISPLAY, wants.message if wants is not None else reason, related)
    advice, reason = (
        Message("mark the container as `mutable`"),
        Message("its elements are then not constants of the graph"),
    )
    if not mindspore_api.is_in(MUTABLE, program.version):
        return Remedy(None, advice, Safety.UNSAFE, reason)
    value = program.value(each.node, scope)
    added = list_changes.added(program.evaluator, each.node, scope)
    parts = [*_parts(program, value), *((program.value(part, at), at.module.place(part)) for part, at in added)]
    refused = next(_holds(program, parts, (str, bytes, type(None)), DEPTH), None)
    if refused is not None:
        told = Message("no fix is shown: `mutable` takes no text and no None; pass it apart from the tensors")
        return Remedy(None, advice, Safety.UNSAFE, reason, (Related(refused, told),))
    mutable, imports = name_in(program, scope, MUTABLE, line_length)
    is_bare = isinstance(each.node, ast.Tuple) and not text.startswith("(")
    container = f"{mutable}(({text}))" if is_bare else f"{mutable}({text})"
    remedy = Remedy(_replaced(each, container, imports), advice, Safety.UNSAFE, reason)
    needs = _needs_constant(program) if any(_holds(program, parts, (int, float), DEPTH)) else None
    if needs is None:
        return remedy
    told = Message("this may need the number of the container, as a constant")
    apart = Message("its numbers are then no constants: pass apart what has to be one")
    return remedy._replace(safety=Safety.DISPLAY, reason=apart, related=(Related(needs.place, told),))


def _needs_constant(program: Program) -> Optional[Site]:
    """Return a call in compiled code that takes no variable number: `range(n)`, the rate of a dropout; None if none.

    Run on 2.10, CPU: as a factor, axis, index, size, slice, power or condition the number of a container compiles.
    """
    for site in (*program.sites("range"), *program.sites("dropout")):
        given = site.call.args[-1:] if is_compiled(program, site.scope.owner) else []
        if any(isinstance(each, (ast.Name, ast.Subscript)) for each in given):
            return site
    return None


def _parts(program: Program, value: Value) -> Iterator[tuple[Value, Place]]:
    """Yield the elements of all containers that a value can be, as they are made, with their places."""
    for known in value.alternatives:
        for part in known.parts if known.is_display else ():
            yield program.evaluator.read(part), part.scope.module.place(part.node)


def _holds(
    program: Program, parts: Iterable[tuple[Value, Place]], types: tuple[type, ...], depth: int
) -> Iterator[Place]:
    """Yield the places of elements, also of containers in them, that are constants of some types; no truth values."""
    for element, place in parts if depth else ():
        if any(isinstance(each, types) and not isinstance(each, bool) for each in element.constants):
            yield place
        yield from _holds(program, _parts(program, element), types, depth - 1)


def _replaced(each: Varying, text: str, *imports: tuple[Edit, ...]) -> Optional[tuple[Edit, ...]]:
    made = replace_expression(each.site.module, each.node, text)
    return (*made, *(one for edits in imports for one in edits)) if made is not None else None
