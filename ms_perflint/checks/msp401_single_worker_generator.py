"""MSP401: one worker makes all rows of a training set. Run on 2.10, CPU: two take half the time."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Optional

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Edit, Gain, Related, Safety
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import pipelines, sources, training

if TYPE_CHECKING:
    import libcst as cst

WORKERS = "num_parallel_workers"
CONFIG = "mindspore.dataset.config"  # holds what the user, or the number of cores, says


class SingleWorkerGenerator(Check):
    """One worker loads all rows of a training set, and loading a row takes work."""

    code = "MSP401"
    name = "single-worker-generator"
    preview = True
    safety = Safety.UNSAFE
    gain = Gain("medium", Message("rows are made side by side"))
    triggers = (pipelines.GENERATOR,)
    blames = (WORKERS,)
    looks_inside = False

    def suspect(self, call: Call) -> bool:
        """By meaning: a training set of rows that one worker reads or makes."""
        program = self.program
        if not call.argument(WORKERS).is_by_default(1) or not training.may_train(program) or not program.runs(call):
            return False
        if sources.work_of(program, call) is None or sources.is_tuned(program):
            return False
        return bool(pipelines.pipelines_with(program, call)) and not training.is_demonstration(program)

    def visit_Call(self, node: cst.Call) -> None:
        """By form: at the call, with as many workers as the other stages have."""
        call = self.call(node)
        work = sources.work_of(self.program, call) if call is not None else None
        if call is None or work is None:
            return
        message = Message("one worker makes all rows: the source does `{name}` for each of them", name=work.site.word)
        related = [Related(work.site.module.source.place(work.site.span[0]), Message("what it does for each row"))]
        safety, reason = Safety.UNSAFE, Message("rows are made in other threads or processes, each with its own memory")
        if work.stored is not None:
            module = work.stored.scope.module
            place = module.source.place(module.span(work.stored.node)[0])
            related.append(Related(place, Message("each row changes the source here: workers would not agree")))
            safety, reason = Safety.DISPLAY, Message("each row changes the source, which several workers cannot share")
        elif not isinstance(call.given(WORKERS), (ast.Constant, type(None))):
            safety, reason = Safety.DISPLAY, Message("the value is decided elsewhere, for other runs too")
        advice = Message("take as many workers as other stages do")
        self.report(node, message, self._more(call), advice=advice, safety=safety, reason=reason, related=related)

    def _more(self, call: Call) -> Optional[tuple[Edit, ...]]:
        """Return the edits that take as many workers as the configuration says: a number above the cores raises."""
        name, imports = edit.import_name(
            call.module, CONFIG, version=self.program.version, line_length=self.line_length
        )
        edits = edit.set_argument(call, WORKERS, f"{name}.get_num_parallel_workers()", line_length=self.line_length)
        return (*imports, *edits) if edits is not None else None
