"""MSP108: a compiled function or cell is created in each step. Run on 2.10, CPU: each one is compiled again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Gain, Remedy, Safety
from ms_perflint.index.semantic_index import Site
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import training

if TYPE_CHECKING:
    from ms_perflint.training.graph_mode.recreated import Recreated

RECREATED = Message("each step creates this `{name}`, and compiles it again")
INSIDE = Message("each step compiles the cell that this `{name}` makes")
STEP = Message("put `@ms.jit` on the function of the step, which compiles it once")


class CompiledFunctionInLoop(Check):
    """A compiled function or cell is created in each training step, and compiled again each time."""

    code = "MSP108"
    name = "compiled-function-in-loop"
    preview = True
    safety = Safety.UNSAFE
    gain = Gain("large", Message("no compilation after the first step"))
    triggers = ("()",)  # a cell has any name

    def narrowed(self, sites: Sequence[Site]) -> Sequence[Site]:
        """Return the calls that create a function or cell to be compiled in each step."""
        if not sites or not training.may_train(self.program):
            return ()
        return [site for site in sites if id(site.node) in self._recreated]

    def suspect(self, call: Call) -> bool:
        """Each step creates it, and calls it."""
        return id(call.node) in self._recreated

    @cached_property
    def _recreated(self) -> dict[int, Recreated]:
        from ms_perflint.training.graph_mode.recreated import recompiled_per_step  # here, because most files are clean

        return {id(each.site.node): each for each in recompiled_per_step(self.program)}

    def visit(self, call: Call) -> None:
        """Report the call that creates it; the fix moves its statement in front of the loop."""
        recreated = self._recreated[id(call.node)]
        if recreated.is_inside:
            self.report(call.node, INSIDE.filled(name=recreated.name), Remedy(None, STEP))
            return
        self.report(call.node, RECREATED.filled(name=recreated.name), edit.make_once(call, recreated))
