"""MSP102: data is fetched step by step instead of being sunk. [seed 000] on-device execution."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Optional

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Gain, Related, Safety
from ms_perflint.index.predicates import choice
from ms_perflint.index.reachability import excludes, path_condition
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import conditions, mode, training
from ms_perflint.training.callbacks import Cadence, cadences
from ms_perflint.training.training import MODEL_TRAINS

if TYPE_CHECKING:
    import libcst as cst

SINK = "dataset_sink_mode"
GRAPH_CELLS = frozenset({"mindspore.nn.GraphCell"})  # mindspore 2.10 train/model.py:1364 raises for it
DEBUG = "mindspore.dataset.config.set_debug_mode"  # mindspore 2.10 train/model.py:1407 raises for it


class MissingDatasetSinkMode(Check):
    """Each training step waits for the host to send its batch, because dataset sinking is off."""

    code = "MSP102"
    name = "missing-dataset-sink-mode"
    safety = Safety.UNSAFE
    symptom = "waits_for_data"
    gain = Gain("large", Message("no step waits for Python any more"))
    triggers = MODEL_TRAINS
    blames = (SINK,)
    looks_inside = False
    options = {"report-deliberate": False}  # noqa: RUF012

    # --- by meaning

    def suspect(self, call: Call) -> bool:
        """Not sunk, on a path that normal users take, where sinking works and nothing speaks against it."""
        given, value = call.given(SINK), call.argument(SINK)
        if not _is_for_cpu(call):
            if _asks(given, call, self.program.run is not None) and not value.must_be(False):
                return False  # the program decides by itself
            if not value.is_by_default(False):
                return False
        if not self.program.runs(call) or self.target.is_cpu:
            return False
        if conditions.is_for_cpu_only(self.program, call) or mode.is_for_another_mode(self.program, call):
            return False
        if not training.is_trained(self.program) or mode.usual_mode(self.program) == mode.PYNATIVE:
            return False
        if not self._can_sink(call):
            return False
        return bool(self.settings["report-deliberate"]) or not self._is_deliberate(call)

    def _can_sink(self, call: Call) -> bool:
        """Return whether the framework can sink here."""
        receiver = call.receiver
        made = receiver.creation if receiver is not None else None
        if made is not None and made.call.args:
            network = self.program.value(made.call.args[0], made.scope)
            if any(known.type_api in GRAPH_CELLS for known in network.alternatives):
                return False
        return not any(debug.argument("debug_mode_flag").may_be(True) for debug in self.program.calls(DEBUG))

    def _is_deliberate(self, call: Call) -> bool:
        """Return whether a literal False has a reason: callbacks of each step, epochs one by one, another branch."""
        if self._asks_for_a_size(call) or not _is_false(call):
            return False
        if _acts_by_step(call):
            return True
        if call.argument("epoch").must_be(1) and (call.block.loops or not set(cadences(call)) <= {Cadence.EPOCH}):
            return True
        others = [other for other in self.program.calls(*MODEL_TRAINS) if excludes(other.block, call.block)]
        if any(other.argument(SINK).may_be(True) for other in others):
            return True
        by_rank = [other for other in others if self._differ_by_rank(call, other)]
        return any(_is_false(other) and _acts_by_step(other) for other in by_rank)

    def _asks_for_a_size(self, call: Call) -> bool:
        """Return whether a call says how much to sink: whoever writes that wants to sink."""
        return call.given("sink_size") is not None and not call.argument("sink_size").must_be(-1)

    def _differ_by_rank(self, call: Call, other: Call) -> bool:
        """Return whether the rank alone decides which of two calls runs: they are one decision."""
        own, theirs = (set(conditions.conditions(self.program, path_condition(each.block))) for each in (call, other))
        return own != theirs and all("rank" in each.text.lower() for each in own ^ theirs)

    # --- by form

    def visit_Call(self, node: cst.Call) -> None:
        """Report the call of `train` or `fit`."""
        call = self.call(node)
        if call is None:
            return
        related: tuple[Related, ...] = ()
        if _is_for_cpu(call):
            edits = edit.set_argument(call, SINK, "True", line_length=self.line_length)
        else:
            edits, related = edit.set_value(call, SINK, "True", yaml="true", line_length=self.line_length)
        safety, advice, reason = Safety.SAFE, Message("sink the dataset"), None
        if related:
            safety, reason = Safety.DISPLAY, Message("the value is decided elsewhere, for other runs too")
        elif not set(cadences(call)) <= {Cadence.EPOCH}:
            safety, reason = Safety.UNSAFE, Message("callbacks that act after every step then act once per epoch")
        self.report(node, self._message(call), edits, advice=advice, safety=safety, reason=reason, related=related)

    def _message(self, call: Call) -> Message:
        if _is_for_cpu(call):
            return Message(
                "every step waits for Python to send the next batch: "
                "`dataset_sink_mode` is True on a CPU alone, where it does nothing"
            )
        if call.given("sink_size") is not None:
            return Message(
                "every step waits for Python to send the next batch: "
                "`sink_size` does nothing without `dataset_sink_mode=True`"
            )
        if self._is_built(call):
            return Message(
                "every step waits for Python to send the next batch: "
                "`Model.build` compiled for `dataset_sink_mode=True`, and `train` does not use it"
            )
        if call.given(SINK) is None and self.target.oldest < (2,):
            return Message(
                "every step waits for Python to send the next batch: `dataset_sink_mode` is missing, and its default "
                "is False since MindSpore 2.0 (True before); `dataset_sink_mode=True` sends whole epochs"
            )
        if call.given(SINK) is None:
            return Message(
                "every step waits for Python to send the next batch: `dataset_sink_mode` is missing, and its default "
                "is False since MindSpore 2.0; `dataset_sink_mode=True` sends whole epochs"
            )
        return Message(
            "every step waits for Python to send the next batch: "
            "`dataset_sink_mode` is False; `dataset_sink_mode=True` sends whole epochs"
        )

    def _is_built(self, call: Call) -> bool:
        receiver = call.receiver
        return (
            any(build.receiver == receiver for build in self.program.calls("mindspore.train.Model.build"))
            if receiver is not None
            else False
        )


def _asks(given: Optional[ast.expr], call: Call, is_run: bool) -> bool:
    """Return whether an expression decides: `device != "CPU"`, `not sparse`; in a run also one behind a name."""
    bindings = call.scope.lookup(given) if is_run and isinstance(given, ast.Name) else ()
    behind = (binding.value for binding in bindings if binding.kind == "assign")
    return any(isinstance(each, (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.IfExp)) for each in (given, *behind))


def _is_for_cpu(call: Call) -> bool:
    """Return whether sinking is switched on just where there is none: `dataset_sink_mode=device == "CPU"`."""
    given = call.given(SINK)
    if isinstance(given, ast.Name):
        bindings = call.scope.lookup(given)
        given = bindings[0].value if len(bindings) == 1 and bindings[0].kind == "assign" else None
    asked = choice(given) if isinstance(given, (ast.Compare, ast.Call)) else None
    return asked is not None and asked.devices(True) == {"CPU"}


def _is_false(call: Call) -> bool:
    """Return whether a call is given a False that its file shows."""
    return _is_literal(call, call.given(SINK)) and call.argument(SINK).must_be(False)


def _acts_by_step(call: Call) -> bool:
    """Return whether a callback of a training acts after every step, as far as is known."""
    return bool({Cadence.STEP, Cadence.UNKNOWN} & set(cadences(call)))


def _is_literal(call: Call, given: Optional[ast.expr]) -> bool:
    """Return whether a value stands at the call or in a variable of its file: what a config says is no decision."""
    if not isinstance(given, ast.Name):
        return isinstance(given, ast.Constant)
    scope = call.scope.home(given.id)
    return scope is not None and all(binding.kind != "from" for binding in scope.bindings[given.id])
