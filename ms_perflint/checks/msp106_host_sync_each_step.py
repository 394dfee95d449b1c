"""MSP106: Python waits for the device in every step, to read a tensor. No cost could be shown on a CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Gain, Related, Remedy, Safety
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import devices, host_reads, removable_reads, training

if TYPE_CHECKING:
    import libcst as cst

READS = Message("Python waits for the device in every step: `{read}` reads a tensor")
KEEP = Message("keep the tensor, and read it after the loop or every 100 steps")
KEPT = Message("the code that uses the value must accept a tensor")


class HostSyncEachStep(Check):
    """Python reads a tensor in each training step, and waits for the device."""

    code = "MSP106"
    name = "host-sync-each-step"
    preview = True
    safety = Safety.DISPLAY
    gain = Gain("small", Message("the next step is launched while the device is still busy"))
    triggers = tuple(host_reads.TRIGGERS)
    looks_inside = False
    in_libraries = False

    def suspect(self, call: Call) -> bool:
        """The first of the reads in a loop that takes steps on an accelerator, or in a function that it calls."""
        if not training.may_train(self.program) or not (call.block.loops or call.scope.owner.is_function):
            return False
        if not host_reads.reads_from(self.program, call) or not self.program.runs(call):
            return False
        return not devices.is_on_cpu(call) and not training.is_demonstration(self.program)

    def visit_Call(self, node: cst.Call) -> None:
        """Report the first read, with the others beside it."""
        call = self.call(node)
        if call is None:
            return
        reads = host_reads.reads_from(self.program, call)
        # each read is replaced by its tensor, if all can be left out
        changes = [edit.unwrap(each.module, *read) for each in reads for read in removable_reads.unread(each)]
        is_whole = all(changes) and all(each.node in removable_reads.removable(self.program) for each in reads)
        edits = tuple(one for each in changes for one in each or ()) if is_whole else None
        related = tuple(Related(each.place, Message("read here too")) for each in reads[1:])
        says = READS.filled(read=host_reads.written(call))
        self.report(node, says, Remedy(edits, KEEP, Safety.DISPLAY, KEPT, related))
