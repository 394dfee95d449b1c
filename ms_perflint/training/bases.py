"""The classes of libraries that a class of the project derives from, and whether its objects are cells."""

from __future__ import annotations

from typing import Optional

from ms_perflint import mindspore_api
from ms_perflint.index.semantic_index import Scope
from ms_perflint.infer.bases import lineage, method
from ms_perflint.infer.values import Alternative
from ms_perflint.program.program import Program, fact

CELL = "mindspore.nn.Cell"
PARAMETER = "mindspore.Parameter"
_ATTRIBUTES = frozenset(  # of each cell, also one around a network (mindspore 2.10 train/dataset_helper.py:87)
    {"cls_name", "compile", "construct", "jit_config_dict", "param_prefix", "parameter_layout_dict", "phase"}
    | {"requires_grad", "training"}
)
CELLS = ("mindspore.nn.", "mindspore.mint.nn.", "mindspore.parallel.nn.")  # where the cells of MindSpore are


def is_parameter(known: Alternative) -> bool:
    """Return whether an alternative is a Parameter of MindSpore."""
    return known.type_api == PARAMETER


def base_apis(program: Program, cls: Scope) -> set[str]:
    """Return the canonical names of the classes outside of the project that a class derives from."""
    return {known.api for known in lineage(program.evaluator, cls) if known.api} if cls.is_class else set()


def kin(program: Program, api: str, cls: Optional[Scope]) -> set[str]:
    """Return the classes of libraries that an instance of an API, or of a class of the project, is one of."""
    bases = {api} if cls is None else base_apis(program, cls)
    return bases.union(*map(mindspore_api.ancestors, bases))


@fact
def is_cell_class(program: Program, cls: Optional[Scope]) -> bool:
    """Return whether a class is a cell: it derives from one of MindSpore, or has a method `construct`."""
    if cls is None or not cls.is_class:
        return False
    return CELL in kin(program, "", cls) or method(program.evaluator, cls, "construct") is not None


def is_cell(program: Program, known: Alternative) -> bool:
    """Return whether an alternative is an object of a cell of MindSpore, or of the project."""
    if known.cls is not None:
        return is_cell_class(program, known.cls)
    api = mindspore_api.returned(known.type_api) or known.type_api
    return api == CELL or CELL in mindspore_api.ancestors(api)


def function_of(program: Program, known: Alternative) -> Optional[Scope]:
    """Return the function of the project that a call of something runs: itself, or the `construct` of a cell."""
    if known.cls is not None:
        return method(program.evaluator, known.cls, "construct")
    return known.definition if known.definition is not None and known.definition.is_function else None


def is_member_of_cells(program: Program, name: str) -> bool:
    """Return whether every cell has an attribute or a method of this name."""
    return name in _ATTRIBUTES or mindspore_api.parameters(f"{CELL}.{name}", program.version) is not None
