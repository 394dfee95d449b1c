"""MSX101: a rule of another package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Remedy, Safety
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call

if TYPE_CHECKING:
    import libcst as cst


class NoSummary(Check):
    """A summary is collected more often than our team allows."""

    code, name = "MSX101", "summary-too-often"
    safety = Safety.UNSAFE
    triggers = ("mindspore.train.SummaryCollector",)
    options = {"least": 10}  # noqa: RUF012

    def suspect(self, call: Call) -> bool:
        """A frequency that is certainly below the limit of the team."""
        found = call.argument("collect_freq").constant
        least = self.settings["least"]
        return isinstance(found, int) and isinstance(least, int) and found < least and self.program.runs(call)

    def visit_Call(self, node: cst.Call) -> None:
        """Report the call, and raise its frequency."""
        call = self.call(node)
        if call is not None:
            edits = edit.set_argument(call, "collect_freq", str(self.settings["least"]), line_length=self.line_length)
            advice, reason = Message("collect less often"), Message("the summary has fewer points")
            remedy = Remedy(edits, advice, Safety.UNSAFE, reason)
            self.report(node, Message("each summary stops the training for a moment"), remedy)
