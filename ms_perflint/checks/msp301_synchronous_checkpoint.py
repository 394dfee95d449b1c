"""MSP301: training is blocked while a checkpoint is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Gain, Remedy, Safety
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import checkpoints, devices, family, training

if TYPE_CHECKING:
    import libcst as cst

    from ms_perflint.training.checkpoints import Reads

REPEATED = Message("saving this checkpoint blocks training each time: no `async_save`")
EACH_STEP = Message("saving this checkpoint blocks training after every step: no `async_save`")
REFUSED = Message("saving blocks training each time: MindSpore 2.4 and 2.5 write `safetensors` in no other way")
OTHER_FORMAT = Message("save as `ckpt`, or with MindSpore 2.6, in the background with `async_save=True`")
UNUSED = Message("saving blocks training after every step: the config in {place} goes to no callback")
ENDED = Message("saving blocks training each time; no fix, since {place} ends the program at once")
USED = Message("saving blocks training each time; no fix, since {place} uses the file")


class SynchronousCheckpoint(Check):
    """Training is blocked while a checkpoint is written."""

    code = "MSP301"
    name = "synchronous-checkpoint"
    safety = Safety.SAFE
    symptom = "saves"
    gain = Gain("medium", Message("no wait at a checkpoint"))
    triggers = (checkpoints.CONFIG, checkpoints.CALLBACK, checkpoints.SAVE)
    blames = ("async_save",)
    looks_inside = False

    def suspect(self, call: Call) -> bool:
        """A checkpoint is saved per step or per epoch of a training, and synchronously."""
        program = self.program
        return (
            not devices.is_on_cpu(call)
            and not family.is_part(call.module, family.ADAPTERS)
            and checkpoints.is_synchronous(call)
            and (training.is_trained(program) or (training.is_library(program) and call.api == checkpoints.SAVE))
            and program.runs(call)
            and checkpoints.saves_repeatedly(call)
        )

    def visit_Call(self, node: cst.Call) -> None:
        """Report the config, a callback without one, or the save."""
        call = self.call(node)
        if call is None:
            return
        unused = checkpoints.unused_config(self.program, call) if call.api == checkpoints.CALLBACK else None
        if unused is not None:
            says = UNUSED.filled(place=unused.place.seen_from(call.module.path))
            self.report(node, says, edit.pass_config(call, unused, self.line_length))
        elif checkpoints.is_refused(call):
            self.report(node, REFUSED, Remedy(None, OTHER_FORMAT))
        else:
            reads = checkpoints.use_of(call)
            self.report(node, self._says(call, reads), edit.save_in_background(call, reads, self.line_length))

    def _says(self, call: Call, reads: Reads) -> Message:
        if reads.use is None:
            return EACH_STEP if checkpoints.saves_each_step(call) else REPEATED
        says = ENDED if reads.use.verb == "ended" else USED
        return says.filled(place=reads.use.site.place.seen_from(call.module.path))
