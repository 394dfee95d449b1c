"""MSP501: dataset AutoTune and a profiler of the data pipeline are both on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Gain, Safety
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import devices, profiling

if TYPE_CHECKING:
    import libcst as cst

ALWAYS = Message("AutoTune or the profiler fails, or the run stops: up to 2.3 {place} profiles data too")
ON_REQUEST = Message("AutoTune or the profiler fails, or the run stops: {place} profiles the data pipeline")


class ProfilerWithAutotune(Check):
    """Dataset AutoTune is on while the data pipeline is profiled: one of the two fails, or the run stops."""

    code = "MSP501"
    name = "profiler-with-autotune"
    safety = Safety.UNSAFE
    gain = Gain("small", Message("the profile, or the tuned data pipeline, that was asked for"))
    triggers = (profiling.AUTOTUNE,)
    blames = ("enable",)
    looks_inside = False

    def suspect(self, call: Call) -> bool:
        """AutoTune is on by default, and a profiler of the data pipeline on the same path."""
        return (
            call.argument("enable").is_by_default(True)
            and self.program.runs(call)
            and not devices.is_on_cpu(call)
            and bool(profiling.conflicts(call))
        )

    def visit_Call(self, node: cst.Call) -> None:
        """Report the call that switches AutoTune on, with the profilers as the other places."""
        call = self.call(node)
        if call is None:
            return
        found = profiling.conflicts(call)
        says = ALWAYS if self.target.version < profiling.ON_REQUEST else ON_REQUEST
        says = says.filled(place=found[0][0].place.seen_from(call.module.path))
        self.report(node, says, edit.without_conflict(call, found, self.line_length))
