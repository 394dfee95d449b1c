"""The classes of libraries that a class of the project derives from."""

from __future__ import annotations

from ms_perflint.index.semantic_index import Scope
from ms_perflint.infer.bases import lineage
from ms_perflint.program.program import Program


def base_apis(program: Program, cls: Scope) -> set[str]:
    """Return the canonical names of the classes outside of the project that a class derives from."""
    return {known.api for known in lineage(program.evaluator, cls) if known.api} if cls.is_class else set()
