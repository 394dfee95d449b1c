"""MSP510: a switch for debugging is on while a program trains. Run on 2.10, CPU: graphs on disk slow the first step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Gain, Related, Remedy, Safety
from ms_perflint.index.semantic_index import SemanticIndex
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import debugging, mode, training

if TYPE_CHECKING:
    import libcst as cst

SAYS = {
    debugging.GRAPHS: Message("every compilation writes its graphs to disk: the first step takes longer"),
    debugging.SYNCHRONOUS: Message("Python waits for each operator: the device is idle in between"),
    debugging.PIPELINE: Message("the data pipeline runs in debug mode: one sample at a time, in one thread"),
}


class DebugSwitchLeftOn(Check):
    """A debugging switch is on during training."""

    code = "MSP510"
    name = "debug-switch-left-on"
    preview = True
    safety = Safety.UNSAFE
    gain = Gain("medium", Message("the first step, or each one, takes less time"))
    triggers = tuple(dict.fromkeys(switch.api for switch in debugging.SWITCHES))
    blames = tuple(switch.argument for switch in debugging.SWITCHES if switch.argument)
    looks_inside = False
    anchored = True

    def suspect(self, call: Call) -> bool:
        """A switch is on by default, in a program that trains in a mode that it slows."""
        is_on = any(True for _ in debugging.switched_on(call)) and self.program.runs(call)
        if not is_on or not self._trains() or debugging.is_asked_for(call):
            return False
        return not mode.is_without_training(self.program, call)

    def anchors(self, module: SemanticIndex) -> Sequence[Call]:
        """If launchers switch it on: the call through which the entry script trains."""
        is_entry = module.path == self.program.entry and self.program.project.entries.is_entry(module.path)
        if not is_entry or not any(True for _ in debugging.exported(self.program)) or not self._trains():
            return ()
        site = mode.anchor(self.program)
        return (Call(site, self.program, ""),) if site is not None else ()

    def _trains(self) -> bool:
        return training.is_trained(self.program) and not training.is_demonstration(self.program)

    def visit_Call(self, node: cst.Call) -> None:
        """Report the call, once for each switch."""
        call = self.call(node)
        if call is None:
            return
        for name, effect, place in debugging.exported(self.program) if not call.api else ():
            related = (Related(place, Message("`{name}` is set here", name=name)),)
            self.report(node, SAYS[effect], Remedy(None, Message("set it for debugging only"), related=related))
        for switch in debugging.switched_on(call):
            self.report(node, SAYS[switch.effect], edit.switch_off(call, switch, self.line_length))
