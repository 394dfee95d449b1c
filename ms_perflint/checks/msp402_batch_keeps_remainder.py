"""MSP402: the last batch of an epoch has fewer rows, and the graph is compiled once more for it. Run on 2.10, CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Gain, Related, Remedy, Safety
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import jit, mode, pipelines, remainders, training
from ms_perflint.training.remainders import DROP

if TYPE_CHECKING:
    import libcst as cst

FEWER = Message("the last batch has fewer rows: the graph is compiled once more for its shape")
MAY = Message("the last batch may have fewer rows: the graph is then compiled once more for its shape")
DROPS = Message("drop the last batch")
LEFT_OUT = Message("the rows of the last batch are left out of each epoch")
NEVER = Message("nothing shuffles the rows: those of the last batch are never trained on")
EVALUATED = Message("the same dataset is evaluated: that needs all rows")
COUNTED = Message("the program stops with an error if rows are left out")
EXPECTED = Message("the program takes as many batches of each epoch as there are with the last one")
SHARED = Message("other datasets are made here too: evaluation needs all rows")


class BatchKeepsRemainder(Check):
    """The last batch of an epoch has fewer rows, so the graph is compiled once more."""

    code = "MSP402"
    name = "batch-keeps-remainder"
    preview = True
    safety = Safety.UNSAFE
    gain = Gain("small", Message("one compilation fewer"))
    triggers = (".batch",)
    blames = (DROP,)
    looks_inside = False

    def suspect(self, call: Call) -> bool:
        """Batches that feed a training in graph mode, the last of which may have fewer rows."""
        program = self.program
        batch = pipelines.api_of(call) if training.may_train(program) else None
        return (
            batch is not None
            and batch.argument(DROP).is_by_default(False)
            and not remainders.is_one_size(batch)
            and program.runs(call)
            and (mode.is_graph_at(program, call) or jit.is_compiled(program))
            and not training.is_demonstration(program)
            and remainders.may_remain(batch)
            and not remainders.is_treated(batch)
        )

    def visit_Call(self, node: cst.Call) -> None:
        """Report the call; the fix is display-only where other pipelines are created there, too."""
        call = self.call(node)
        batch = pipelines.api_of(call) if call is not None else None
        if batch is None:
            return
        remedy = Remedy(None, DROPS, Safety.UNSAFE, NEVER if remainders.is_unshuffled(batch) else LEFT_OUT)
        if remainders.is_shared(batch):
            remedy = Remedy(None, DROPS, Safety.DISPLAY, SHARED)
        elif remainders.is_evaluated(batch):
            remedy = Remedy(None, DROPS, Safety.DISPLAY, EVALUATED)
        elif (counted := remainders.counted(self.program)) is not None:
            related = (Related(counted, Message("this counts the rows or batches of an epoch")),)
            remedy = Remedy(None, DROPS, Safety.DISPLAY, COUNTED, related)
        elif (expected := remainders.expected(batch)) is not None:
            related = (Related(expected, Message("this counts or takes the batches of an epoch")),)
            remedy = Remedy(None, DROPS, Safety.DISPLAY, EXPECTED, related)
        says = FEWER if remainders.is_known(batch) else MAY
        self.report(node, says, edit.decide(remedy, batch, DROP, "True", yaml="true", line_length=self.line_length))
