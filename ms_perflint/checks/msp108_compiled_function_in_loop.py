"""MSP108: a compiled function or cell is created in each step. Run on 2.10, CPU: each one is compiled again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Optional

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Gain, Related, Remedy, Safety
from ms_perflint.index.semantic_index import Binding, Site
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import training

if TYPE_CHECKING:
    import libcst as cst

    from ms_perflint.training.graph_mode.obstacle import Obstacle
    from ms_perflint.training.graph_mode.recreated import Recreated

RECREATED = Message("each step creates this `{name}`, and compiles it again")
INSIDE = Message("each step compiles the cell that this `{name}` makes")
STEP = Message("put `@ms.jit` on the function of the step, which compiles it once")
ONCE = Message("make it once, before the loop")
STATE = Message("each step begins with new weights, or a new state of the optimizer, which would be kept then")
CHANGED = Message("what is made once keeps a value that changes between steps")
MAY_CHANGE = Message("its arguments may change from step to step")
BOUND = Message("each step binds `{name}` again, which it reads; the function can take it as an argument")
DEFINED = Message("each step defines `{name}` again, too: define it once")


class CompiledFunctionInLoop(Check):
    """A compiled function or cell is created in each training step, and compiled again each time."""

    code = "MSP108"
    name = "compiled-function-in-loop"
    preview = True
    safety = Safety.UNSAFE
    gain = Gain("large", Message("no compilation after the first step"))
    triggers = ("()",)  # a cell has any name
    looks_inside = False

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

    def _change(self, made: Site) -> Optional[Obstacle]:
        """Return a change between steps that is not seen by what is made once."""
        from ms_perflint.training.graph_mode.readiness import change_between_steps  # here, because most files are clean

        return change_between_steps(self.program, made)

    def _bound(self, made: Site) -> Optional[Binding]:
        """Return what each step binds anew, and the call reads."""
        from ms_perflint.training.graph_mode.made_once import bound_anew  # here, because most files are clean

        return bound_anew(made)

    def visit_Call(self, node: cst.Call) -> None:
        """Report the call that creates it; the fix moves its statement in front of the loop."""
        call = self.call(node)
        if call is None:
            return
        recreated = self._recreated[id(call.node)]
        if recreated.is_inside:
            self.report(node, INSIDE.filled(name=recreated.name), Remedy(None, STEP))
            return
        remedy = Remedy(edit.hoist(call, recreated.once), ONCE, reason=MAY_CHANGE)
        bound = self._bound(recreated.site) if remedy.edits is None else None
        change = self._change(recreated.site) if bound is None or bound.kind == "function" else None
        if recreated.is_stateful:
            remedy = remedy._replace(safety=Safety.DISPLAY, reason=STATE)
        elif change is not None:
            related = (Related(change.place, change.message),)
            remedy = remedy._replace(safety=Safety.DISPLAY, reason=CHANGED, related=related)
        elif bound is not None:
            related = (Related(bound.scope.module.place(bound.node), Message("it is bound here")),)
            reason = (DEFINED if bound.kind == "function" else BOUND).filled(name=bound.name)
            remedy = remedy._replace(safety=Safety.DISPLAY, reason=reason, related=related)
        self.report(node, RECREATED.filled(name=recreated.name), remedy)
