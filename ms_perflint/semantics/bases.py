"""The classes that a class derives from: the one walk over them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Optional

from ms_perflint.semantics.module import Scope
from ms_perflint.semantics.values import Known

if TYPE_CHECKING:
    from ms_perflint.semantics.evaluator import Evaluator


def lineage(evaluator: Evaluator, cls: Scope) -> Iterator[Known]:
    """Yield a class and all that it derives from: classes of the project, and names outside of it.

    Depth first, as members are looked for, each class of the project once, also where bases form a circle. A base is
    evaluated when it is asked for.
    """
    yield Known(cls, (cls.module, cls.node))
    seen, levels = {cls}, [_bases(evaluator, cls)]
    while levels:
        known = next(levels[-1], None)
        if known is None:
            levels.pop()
        elif not isinstance(known.what, Scope):
            yield known
        elif known.what not in seen:
            seen.add(known.what)
            yield known
            levels.append(_bases(evaluator, known.what))


def ancestors(evaluator: Evaluator, cls: Scope) -> Iterator[Scope]:
    """Yield a class and the classes of the project that it derives from."""
    return (known.what for known in lineage(evaluator, cls) if isinstance(known.what, Scope))


def method(evaluator: Evaluator, cls: Scope, name: str) -> Optional[Scope]:
    """Return the method of a class, its own or that of a base in the project."""
    own = cls.method(name)
    if own is not None:
        return own
    found = (each.method(name) for each in ancestors(evaluator, cls))
    return next((each for each in found if each is not None), None)


def _bases(evaluator: Evaluator, cls: Scope) -> Iterator[Known]:
    """Yield what the bases of a class can be, where that is a class."""
    assert isinstance(cls.node, ast.ClassDef) and cls.parent is not None
    for base in cls.node.bases:
        for known in evaluator.value(base, cls.parent).known:
            if known.api or (isinstance(known.what, Scope) and known.what.is_class):
                yield known
