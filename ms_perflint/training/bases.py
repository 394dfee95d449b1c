"""The classes of libraries that a class of the project derives from."""

from __future__ import annotations

from typing import Optional

from ms_perflint import mindspore_api
from ms_perflint.index.semantic_index import Scope
from ms_perflint.infer.bases import lineage
from ms_perflint.program.program import Program

CELL = "mindspore.nn.Cell"


def base_apis(program: Program, cls: Scope) -> set[str]:
    """Return the canonical names of the classes outside of the project that a class derives from."""
    return {known.api for known in lineage(program.evaluator, cls) if known.api} if cls.is_class else set()


def kin(program: Program, api: str, cls: Optional[Scope]) -> set[str]:
    """Return the classes of libraries that an instance of an API, or of a class of the project, is one of."""
    bases = {api} if cls is None else base_apis(program, cls)
    return bases.union(*map(mindspore_api.ancestors, bases))
