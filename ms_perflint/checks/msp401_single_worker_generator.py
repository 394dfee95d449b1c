"""MSP401: one worker loads all rows of a training set. Run on 2.10, CPU: two take half the time."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Gain, Related, Remedy, Safety
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import pipelines, sources, training

if TYPE_CHECKING:
    import libcst as cst

WORKERS = "num_parallel_workers"
CONFIG = "mindspore.dataset.config"  # has the value of the user, or the number of cores

ONE = Message("one worker makes all rows: the source does `{name}` for each of them")
MORE = Message("take as many workers as other stages do")  # a number above the cores raises
APART = Message("rows are made in other threads or processes, each with its own memory")
CHANGED = Message("each row changes what outlives it, which several workers cannot share")
SHARED = Message("workers share the position in an open file, and each has the same copy of a random generator")
DRAWS = Message("workers draw the same numbers from NumPy unless the program calls `mindspore.set_seed`")
TOLD = Message("the program changes the source between epochs, which workers do not see: they have their own copy")
COMPUTED = Message("MindSpore may leave one worker to a source that calls its operators or layers")
AGAIN = Message("workers begin with the same seed at each iterator: every epoch draws the same random numbers")


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
        """A training set whose rows one worker loads."""
        program = self.program
        return (
            call.argument(WORKERS).is_by_default(1)
            and training.may_train(program)
            and program.runs(call)
            and sources.work_of(program, call) is not None
            and not sources.is_tuned(program)
            and bool(pipelines.pipelines_with(program, call))
            and not training.is_demonstration(program)
        )

    def visit_Call(self, node: cst.Call) -> None:
        """Report the call; the fix sets the number of workers of the other stages."""
        call = self.call(node)
        work = sources.work_of(self.program, call) if call is not None else None
        if call is None or work is None:
            return
        name, imports = edit.name_in(self.program, call.scope, CONFIG, self.line_length)
        edits = edit.set_argument(call, WORKERS, f"{name}.get_num_parallel_workers()", line_length=self.line_length)
        remedy = Remedy((*imports, *edits) if edits is not None else None, MORE, Safety.UNSAFE, APART)
        related = [Related(work.site.place, Message("what it does for each row"))]
        if work.changed is not None:
            remedy = remedy._replace(safety=Safety.DISPLAY, reason=CHANGED)
            related.append(Related(work.changed, Message("each row changes this: workers would not agree")))
        elif work.shared is not None:
            remedy = remedy._replace(safety=Safety.DISPLAY, reason=SHARED)
            related.append(Related(work.shared, Message("this is made once, before the workers start")))
        elif work.computed is not None:
            remedy = remedy._replace(safety=Safety.DISPLAY, reason=COMPUTED)
            related.append(Related(work.computed.place, Message("it computes here")))
        elif work.told is not None:
            remedy = remedy._replace(safety=Safety.DISPLAY, reason=TOLD)
            related.append(Related(work.told, Message("the program changes it here")))
        elif work.drawn is not None:
            remedy = remedy._replace(safety=Safety.DISPLAY, reason=DRAWS)
            related.append(Related(work.drawn.place, Message("each worker draws the same number here")))
        elif work.again is not None:
            remedy = remedy._replace(safety=Safety.DISPLAY, reason=AGAIN)
            related.append(Related(work.again.place, Message("every epoch draws the same numbers here")))
        elif not isinstance(call.given(WORKERS), (ast.Constant, type(None))):
            remedy = remedy._replace(edits=None)  # the passed value would be ignored, and no number suits all hosts
            related += [edit.decided_here(known, WORKERS) for known in call.argument(WORKERS).by_default]
        self.report(node, ONE.filled(name=work.site.word), remedy._replace(related=tuple(related)))
