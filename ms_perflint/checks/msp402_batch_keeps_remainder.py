"""MSP402: the last batch of an epoch has fewer rows, and the graph is compiled once more for it. Run on 2.10, CPU."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Optional

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Gain, Safety
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import mode, pipelines, training

if TYPE_CHECKING:
    import libcst as cst

DROP = "drop_remainder"


class BatchKeepsRemainder(Check):
    """The last batch of an epoch has fewer rows, so the graph is compiled once more."""

    code = "MSP402"
    name = "batch-keeps-remainder"
    preview = True
    safety = Safety.UNSAFE
    gain = Gain("small", Message("one compilation less"))
    triggers = (".batch",)
    blames = (DROP,)
    looks_inside = False

    def suspect(self, call: Call) -> bool:
        """By meaning: batches that feed a training in graph mode, the last of which may have fewer rows."""
        batch = pipelines.api_of(call) if training.may_train(self.program) else None
        if batch is None or not batch.argument(DROP).is_by_default(False) or self._is_one_size(batch):
            return False
        if not self.program.runs(call) or not self._compiles() or training.is_demonstration(self.program):
            return False
        fed = [each for each in pipelines.pipelines_with(self.program, call) if not each.is_sunk]
        return bool(fed) and not any(self._divides(batch, each) for each in fed)

    def visit_Call(self, node: cst.Call) -> None:
        """By form: at the call, with the argument, where no other pipeline is made there too."""
        call = self.call(node)
        batch = pipelines.api_of(call) if call is not None else None
        if batch is None:
            return
        message = Message("the last batch has fewer rows: the graph is compiled once more for its shape")
        edits, places = edit.set_value(batch, DROP, "True", yaml="true", line_length=self.line_length)
        safety, reason = Safety.UNSAFE, Message("the rows of the last batch are left out of each epoch")
        if places:
            safety, reason = Safety.DISPLAY, Message("the value is decided elsewhere, for other runs too")
        elif self._is_shared(batch):
            safety, reason = Safety.DISPLAY, Message("other data sets are made here too: evaluation needs all rows")
        advice = Message("drop the last batch")
        self.report(node, message, edits, advice=advice, safety=safety, reason=reason, related=places)

    def _compiles(self) -> bool:
        return mode.usual_mode(self.program) == mode.GRAPH or mode.is_compiled(self.program)

    def _is_one_size(self, batch: Call) -> bool:
        """Return whether all batches have one size: one row, or all rows."""
        given, size = batch.given("batch_size"), batch.argument("batch_size")
        words = {each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "") for each in _nodes(given)}
        is_made = any(known.definition is not None for known in size.alternatives)  # a function chooses the size
        return is_made or 1 in size.constants or not words.isdisjoint({"len", "get_dataset_size"})

    def _divides(self, batch: Call, pipeline: pipelines.Pipeline) -> bool:
        """Return whether no rows are left, or whether what is batched are batches."""
        at = pipeline.position(batch)
        before = pipeline.stages[at + 1 :]
        if any(pipelines.is_batch(stage) for stage in (*pipeline.stages[:at], *before)):
            return True
        rows, sizes = pipelines.rows(self.program, before), batch.argument("batch_size").constants
        return rows is not None and all(isinstance(size, int) and size > 0 and rows % size == 0 for size in sizes)

    def _is_shared(self, batch: Call) -> bool:
        """Return whether the function that makes it is called in several places."""
        owner = batch.scope.owner
        return owner.is_function and len(training.callers(self.program, owner)) > 1


def _nodes(given: Optional[ast.expr]) -> list[ast.AST]:
    return list(ast.walk(given)) if given is not None else []
