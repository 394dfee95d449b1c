"""Calls of functions under the name of what a library made of them: `sink = data_sink(train_step, dataset); sink()`."""

from __future__ import annotations

from ms_perflint.programs.program import Program, fact
from ms_perflint.semantics.module import Scope, Site
from ms_perflint.semantics.values import Bound

WRAPPERS = (
    "data_sink",
    "jit",
    "ms_function",
    "partial",
)  # by their last words


def calls_of_wrapped(program: Program, function: Scope) -> list[Site]:
    """Return the sites that call what a wrapper made of a function."""
    return _found(program).get(function, [])


@fact
def _found(program: Program) -> dict[Scope, list[Site]]:
    found: dict[Scope, list[Site]] = {}
    for module in program.modules:
        for name in sorted({name for word in WRAPPERS for name in module.holders(word)}):
            for site in module.by_word.get(name, ()):
                for known in program.evaluator.callees(site).known:
                    what = known.what.function if isinstance(known.what, Bound) else known.what
                    if isinstance(what, Scope) and what.is_function:
                        found.setdefault(what, []).append(site)
    return found
