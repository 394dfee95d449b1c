"""MSP101: training in PyNative mode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Optional

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Gain, Safety
from ms_perflint.index.semantic_index import SemanticIndex
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import conditions, mode, training, unset_mode

if TYPE_CHECKING:
    import libcst as cst

SAYS = {
    "given": Message("`mode` is PYNATIVE: each step runs op by op, not as one compiled graph"),
    "setting": Message("a setting makes `mode` PYNATIVE: each step runs op by op, not as one compiled graph"),
    "unset": Message("no `mode` is set, and the default is PYNATIVE since MindSpore 2.0: each step runs op by op"),
    "optional": Message("no `mode` is set by default, and PyNative is the default: each step runs op by op"),
    "shared": Message("the shared `set_context` sets no `mode`: each step runs op by op (PyNative is the default)"),
    "unused": Message("the option for the mode is never used: each step runs op by op (PyNative is the default)"),
}
BLOCKED = Message("each step runs op by op in PyNative mode; obstacles to graph mode: {count}")
UNPROVEN = Message("each step runs op by op in PyNative mode; graph mode is not known to compile all of it")
RECREATES = Message("each step runs op by op in PyNative mode, and creates a new `{name}`")


class PynativeModeTraining(Check):
    """The network is trained op by op (PyNative mode) instead of as one compiled graph (graph mode)."""

    code = "MSP101"
    name = "pynative-mode-training"
    safety = Safety.UNSAFE
    symptom = "operator_by_operator"
    gain = Gain("large", Message("a step is computed several times as fast"))
    triggers = (mode.SET_CONTEXT,)
    blames = ("mode",)
    looks_inside = False
    anchored = True

    def suspect(self, call: Call) -> bool:
        """A `set_context` that sets PyNative mode for the training, or the first one where none sets a mode."""
        program = self.program
        if not training.mentions_training(program) or training.is_demonstration(program):
            return False
        if not mode.is_mode_written(call) and not training.is_trained(program):
            return False
        value = mode.given(call)
        if value is None:
            return unset_mode.is_pynative(program) and unset_mode.is_place(call)
        return (
            mode.default_mode_of(value) == mode.PYNATIVE
            and not mode.are_too_many(program)
            and program.runs(call)
            and not mode.is_opt_in(program, call)
            and not mode.is_fallback(program, call)
            and not conditions.is_for_cpu_only(program, call)
            and not unset_mode.is_beside_cpu(call)
            and unset_mode.trains_uncompiled(program)
            and not mode.is_without_training(program, call)
            and not mode.is_overridden(program, call)
        )

    def anchors(self, module: SemanticIndex) -> Sequence[Call]:
        """Without any `set_context`: the call through which the entry script trains."""
        site = unset_mode.anchor(self.program, module)
        return (Call(site, self.program, ""),) if site is not None else ()

    def gap(self) -> Optional[Message]:
        """Return the call of a library that may set the mode, if no other call does."""
        return unset_mode.hidden(self.program)

    def visit_Call(self, node: cst.Call) -> None:
        """Report the value of `mode`, the call that leaves it out, or the call that trains."""
        call = self.call(node)
        if call is None:
            return
        given = call.given("mode") if call.api == mode.SET_CONTEXT else None
        change = edit.to_graph_mode(call, self.line_length)
        says = SAYS[change.origin]
        if change.obstacles:
            says = BLOCKED.filled(count=change.obstacles)
        elif change.is_unproven:
            says = UNPROVEN
        elif change.recreated:
            says = RECREATES.filled(name=change.recreated)
        self.report(given or node, says, change.remedy)
