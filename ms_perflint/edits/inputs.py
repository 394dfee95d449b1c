"""Values that change from step to step as graph inputs: a number as a tensor, a container as `mutable`."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Optional

from ms_perflint import mindspore_api
from ms_perflint.core.findings import Edit, Remedy, Safety
from ms_perflint.edits.expressions import replace_expression
from ms_perflint.edits.imports import import_name
from ms_perflint.languages import Message
from ms_perflint.training.graph_mode.varying import Varying

MUTABLE = "mindspore.mutable"
_DTYPES: Mapping[Optional[type], str] = {int: "mindspore.int32", float: "mindspore.float32"}


def pass_as_input(each: Varying, version: mindspore_api.Version, line_length: int) -> Remedy:
    """Return the remedy that makes an argument a graph input, so that a new value does not recompile."""

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
    mutable, imports = name(MUTABLE)
    is_bare = isinstance(each.node, ast.Tuple) and not text.startswith("(")
    container = f"{mutable}(({text}))" if is_bare else f"{mutable}({text})"
    return Remedy(_replaced(each, container, imports), advice, Safety.UNSAFE, reason)


def _replaced(each: Varying, text: str, *imports: tuple[Edit, ...]) -> Optional[tuple[Edit, ...]]:
    made = replace_expression(each.site.module, each.node, text)
    return (*made, *(one for edits in imports for one in edits)) if made is not None else None
