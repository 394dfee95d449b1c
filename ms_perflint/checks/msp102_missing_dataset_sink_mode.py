"""MSP102: the dataset is not sunk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Gain, Place, Related, Remedy, Safety
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import conditions, devices, mode, remainders, sinking, training
from ms_perflint.training.callbacks import Cadence, batch_read, cadences, changes_by_step, inside_network
from ms_perflint.training.graph_mode import shapes
from ms_perflint.training.sinking import SINK

if TYPE_CHECKING:
    import libcst as cst

FALSE = Message("each step waits for Python to send a batch: `dataset_sink_mode` is False")
CPU_ONLY = Message(
    "each step waits for Python to send a batch: `dataset_sink_mode` is on only for CPU, which ignores it"
)
SIZE_ALONE = Message("each step waits for Python to send a batch: `sink_size` acts only in sink mode")
BUILT = Message("each step waits for Python to send a batch: `Model.build` compiled for sinking, but sinking is off")
ABSENT = Message("each step waits for Python to send a batch: no `dataset_sink_mode` (default False since 2.0)")
ABSENT_IN_SOME = Message(
    "each step waits for Python to send a batch: no `dataset_sink_mode` (default False, before 2.0 True)"
)
ADVICE = Message("enable dataset sinking with `dataset_sink_mode=True`")
CHANGES = Message(
    "a callback changes the learning rate or weights, or stops, after a step; it then acts once per epoch"
)
INSIDE = Message("a callback reads an attribute of `train_network`, which is a cell around the network in sink mode")
BATCH = Message("a callback reads `train_dataset_element`, which is empty in sink mode")
SMALLER = Message("the last batch may be smaller; sinking in graph mode takes batches of one shape")
FEWER = Message("the last batch has fewer rows; sinking in graph mode takes batches of one shape")
VARYING = Message("batches of varying shape; sinking in graph mode takes batches of one shape")
MADE = Message("a function makes the batches; sinking in graph mode takes batches of one shape")
STEPS = Message("an epoch then has `sink_size` steps, not all batches of the dataset")
BY_STEP = Message("callbacks that act after every step then act once per epoch")


class MissingDatasetSinkMode(Check):
    """Each training step waits for Python to send its batch, because dataset sinking is off."""

    code = "MSP102"
    name = "missing-dataset-sink-mode"
    safety = Safety.UNSAFE
    symptom = "waits_for_data"
    gain = Gain("large", Message("no step waits for Python any more"))
    triggers = training.MODEL_TRAINS
    blames = (SINK,)
    looks_inside = False
    options = {"report-deliberate": False}  # noqa: RUF012

    def suspect(self, call: Call) -> bool:
        """No sinking by default, in a training where sinking works and nothing contradicts it."""
        program = self.program
        return (
            sinking.is_off_by_default(call)
            and program.runs(call)
            and not devices.is_on_cpu(call)
            and not conditions.is_for_cpu_only(program, call)
            and not mode.is_under_untaken_mode_test(program, call)
            and training.is_trained(program)
            and mode.default_mode(program) != mode.PYNATIVE  # MSP101 comes first
            and not sinking.is_pynative_by_default(program)
            and not sinking.is_before_the_mode(call)
            and sinking.can_sink(call)
            and (bool(self.settings["report-deliberate"]) or not sinking.is_deliberate(call))
        )

    def visit_Call(self, node: cst.Call) -> None:
        """Report the call of `train` or `fit`."""
        call = self.call(node)
        if call is None:
            return
        remedy = _graded(call)
        if sinking.is_on_for_cpu(call):
            remedy = remedy._replace(edits=edit.set_argument(call, SINK, "True", line_length=self.line_length))
        else:
            remedy = edit.decide(remedy, call, SINK, "True", yaml="true", line_length=self.line_length)
        self.report(node, self._says(call), remedy)

    def _says(self, call: Call) -> Message:
        if sinking.is_on_for_cpu(call):
            return CPU_ONLY
        if sinking.asks_for_a_size(call):
            return SIZE_ALONE
        if sinking.is_built(call):
            return BUILT
        if call.passes(SINK):
            return FALSE
        return ABSENT_IN_SOME if self.target.oldest < (2,) else ABSENT


def _graded(call: Call) -> Remedy:
    """Return a remedy without edits yet, with the grade of sinking by the callbacks of the call."""
    inside = inside_network(call)
    if inside is not None:
        return _graded_by(Safety.DISPLAY, INSIDE, inside, Message("the attribute of the network"))
    read = batch_read(call)
    if read is not None:
        return _graded_by(Safety.DISPLAY, BATCH, read, Message("the batch of the step"))
    varying = next(shapes.of_batches(call.program), None)
    if varying is not None:
        return _graded_by(Safety.DISPLAY, VARYING, varying.place, Message("these batches"))
    kinds = set(cadences(call))
    changing = changes_by_step(call) if Cadence.STEP in kinds else None
    if changing is not None:
        return _graded_by(Safety.DISPLAY, CHANGES, changing.place, Message("this callback acts in every step"))
    kept = remainders.kept(call)
    if kept is not None:
        grade = (Safety.DISPLAY, FEWER) if kept.is_smaller else (Safety.UNSAFE, SMALLER)
        return _graded_by(*grade, kept.batch.place, Message("this keeps the last batch"))
    if sinking.counts_other_steps(call):
        return Remedy(None, ADVICE, Safety.UNSAFE, STEPS)
    if not kinds <= {Cadence.EPOCH}:
        return Remedy(None, ADVICE, Safety.UNSAFE, BY_STEP)
    made = remainders.made_by_function(call)
    if made is not None:
        return _graded_by(Safety.UNSAFE, MADE, made.place, Message("these batches"))
    return Remedy(None, ADVICE, Safety.SAFE)


def _graded_by(safety: Safety, reason: Message, place: Place, text: Message) -> Remedy:
    return Remedy(None, ADVICE, safety, reason, (Related(place, text),))
