"""`super()` in compiled code: graph mode begins behind the class of the object, not behind that of the method.

Run on 2.10, CPU: a method that a derived class inherits, or calls by `super()` of its own, calls itself without end
("Exceed function call depth limit"). `super(Middle, self)` and `Middle.construct(self, x)` are right, and so is
`super()` where both classes lead to the same method.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.syntax_forms import name_of
from ms_perflint.infer.bases import ancestors, behind
from ms_perflint.languages import Message
from ms_perflint.program.program import Program
from ms_perflint.training.graph_mode.compiled import compiled_classes
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle

WRONG = Message("graph mode takes this for the `super()` of `{derived}`; write `super({own}, self)`")


def in_supers(program: Program, function: Scope) -> Iterator[Obstacle]:
    """Yield the calls of `super()` in a method that graph mode leads to another method than Python does."""
    cls = function.cls
    if cls is None:
        return
    for site in function.owner.calls:
        is_bare = isinstance(site.base, ast.Call) and name_of(site.base.func) == "super" and not site.base.args
        if not is_bare or not program.evaluator.may_run(site):
            continue
        for derived in compiled_classes(program):
            if derived is cls or not _runs(program, derived, function):
                continue
            if _found(program, derived, derived, site.word) is not _found(program, derived, cls, site.word):
                text = WRONG.filled(derived=derived.name, own=cls.name)
                yield obstacle(function.module, site.node, "super", text)
                return


def _found(program: Program, derived: Scope, cls: Scope, name: str) -> Optional[Scope]:
    """Return the method that `super()` finds behind a class, in the lookup order of a derived one; None outside."""
    classes = (each for known in behind(program.evaluator, derived, cls) if (each := known.definition) is not None)
    return next((found for each in classes if (found := each.method(name)) is not None), None)


def _runs(program: Program, derived: Scope, function: Scope) -> bool:
    """Return whether an object of a class runs a method of a base: inherited, or called by one that overrides it."""
    order = list(ancestors(program.evaluator, derived))
    above = {"super", *(each.name for each in order)}
    for own in filter(None, (each.method(function.name) for each in order)):
        if own is function:
            return True
        bases = (site.base for site in own.calls if site.word == function.name)
        if not any(name_of(each.func if isinstance(each, ast.Call) else each) in above for each in bases):
            return False
    return False
