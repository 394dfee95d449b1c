"""MSP106: only one batch is fetched ahead. [an example: say where the claim comes from]."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Gain, Safety
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import training

if TYPE_CHECKING:
    import libcst as cst


class HostSyncEachStep(Check):
    """Say in one sentence what is slow."""

    code = "MSP106"
    name = "host-sync-each-step"
    preview = True
    safety = Safety.UNSAFE
    gain = Gain("small", Message("more batches are ready before they are needed"))
    triggers = ("mindspore.dataset.config.set_prefetch_size",)
    blames = ("size",)
    looks_inside = False

    def suspect(self, call: Call) -> bool:
        """By meaning: one batch for a normal user, in a program that trains."""
        return call.argument("size").must_be(1) and self.program.runs(call) and training.is_trained(self.program)

    def visit_Call(self, node: cst.Call) -> None:
        """By form: at the call, with the default in place of the number."""
        call = self.call(node)
        if call is None:
            return
        message = Message("training waits for each batch: only one is fetched ahead")
        edits = edit.set_argument(call, "size", "16", line_length=self.line_length)
        advice, reason = Message("fetch 16 ahead, the default"), Message("takes more memory")
        self.report(node, message, edits, advice=advice, reason=reason)
