"""MSP301: the device waits while a checkpoint is written."""

from __future__ import annotations

import libcst as cst

from ms_perflint.check import Check
from ms_perflint.edits import set_argument
from ms_perflint.findings import Safety
from ms_perflint.semantics.site import Call


class SynchronousCheckpoint(Check):
    """The device waits while a checkpoint is written."""

    code = "MSP301"
    name = "synchronous-checkpoint"
    safety = Safety.SAFE
    triggers = ("mindspore.train.CheckpointConfig", "mindspore.train.ModelCheckpoint", "mindspore.save_checkpoint")

    def suspect(self, call: Call) -> bool:
        """By meaning: saved again and again while training, and not asynchronously."""
        if call.argument("async_save").may_be(True):
            return False
        if call.api == "mindspore.save_checkpoint" and not call.repeats():
            return False
        return self.program.trains.is_yes

    def visit_Call(self, node: cst.Call) -> None:
        """By form: where it stands and how it is mended."""
        if call := self.call(node):
            self.report(node, "the device waits while this checkpoint is written", set_argument(call, "async_save", "True"))
