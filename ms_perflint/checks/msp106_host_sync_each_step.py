"""MSP106: Python waits for the device in every step, to read a tensor. No cost could be shown on a CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Edit, Gain, Related, Safety
from ms_perflint.index.semantic_index import Site
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import host_reads, training

if TYPE_CHECKING:
    import libcst as cst


class HostSyncEachStep(Check):
    """Python reads a tensor in each training step, and waits for the device."""

    code = "MSP106"
    name = "host-sync-each-step"
    preview = True
    safety = Safety.DISPLAY
    gain = Gain("small", Message("the next step is launched while the device is still busy"))
    triggers = tuple(host_reads.TRIGGERS)
    looks_inside = False

    def suspect(self, call: Call) -> bool:
        """By meaning: the first of the reads in a loop that takes steps on an accelerator."""
        if not training.may_train(self.program) or not call.block.loops or not self.program.runs(call):
            return False
        return bool(self._reads(call)) and not self.target.is_cpu and not training.is_demonstration(self.program)

    def visit_Call(self, node: cst.Call) -> None:
        """By form: at the first read, with the tensor in its place where it can be read later."""
        call = self.call(node)
        reads = self._reads(call) if call is not None else ()
        if call is None or not reads:
            return
        message = Message(
            "Python waits for the device in every step: `{read}` reads a tensor", read=host_reads.written(call)
        )
        related = [Related(each.module.source.place(each.span[0]), Message("read here too")) for each in reads[1:]]
        advice = Message("keep the tensor, and read it after the loop or every 100 steps")
        reason = Message("what takes the value must do with a tensor")
        self.report(node, message, self._kept(call), advice=advice, reason=reason, related=related)

    def _reads(self, call: Site) -> tuple[Site, ...]:
        """Return the reads of a loop of which a call is the first; none for other calls."""
        found = (reads for reads in host_reads.reads_of_steps(self.program) if reads[0].node is call.node)
        return next(found, ())

    def _kept(self, call: Call) -> Optional[tuple[Edit, ...]]:
        tensor = host_reads.tensor_of(call)
        return edit.unwrap(call.module, call.node, tensor) if tensor is not None else None
