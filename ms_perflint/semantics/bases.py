"""The classes that a class derives from."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ms_perflint.semantics.module import Scope
from ms_perflint.semantics.values import Known

if TYPE_CHECKING:
    from ms_perflint.semantics.evaluate import Evaluator


def bases(evaluator: Evaluator, cls: Scope) -> Iterator[Known]:
    """Yield the bases of a class: classes of the project, and those of MindSpore."""
    assert isinstance(cls.node, ast.ClassDef) and cls.parent is not None
    for base in cls.node.bases:
        for known in evaluator.value(base, cls.parent).known:
            is_class = isinstance(known.what, Scope) and known.what.is_class and known.what is not cls
            if is_class or known.api.startswith("mindspore."):
                yield known
