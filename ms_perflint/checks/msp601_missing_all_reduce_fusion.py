"""MSP601: the gradients of data-parallel training travel one by one, or all at the very end. [seed 000]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Optional

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Edit, Gain, Related, Safety
from ms_perflint.index.predicates import DEVICES
from ms_perflint.infer.values import Value
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import mode, parallel, training
from ms_perflint.training.conditions import is_switch

if TYPE_CHECKING:
    import libcst as cst

AUTO = '{"allreduce": {"mode": "auto", "config": None}}'  # portions of 64 MB
RESNET50 = "[85, 160]"  # two portions of 161 gradients
FUSES_IN_PORTIONS = (
    1,
    8,
)  # `comm_fusion` acts under data parallelism (RELEASE.md 1.7, cc@v1.8.0 parallel_context.cc:91)
ONE_BY_ONE = (2, 4)  # fusion is off by default (cc@v2.4.0 utils/parallel_context.cc:56)
INDICES_ACT_AGAIN = (2, 5)  # indices alone switch the fusion on (cc@v2.5.0 utils/parallel_context.cc:242)


class MissingAllReduceFusion(Check):
    """Data-parallel training does not fuse gradients: one AllReduce per parameter, or one after the backward pass."""

    code = "MSP601"
    name = "missing-all-reduce-fusion"
    safety = Safety.UNSAFE
    symptom = "all_reduces"
    gain = Gain("medium", Message("gradients travel while others are still computed"))
    triggers = (parallel.SET,)
    blames = (parallel.INDICES,)  # where it has no effect; with fusion buckets nothing is reported
    looks_inside = False

    def suspect(self, call: Call) -> bool:
        """By meaning: data-parallel training in graph mode, whose gradients nothing puts into portions."""
        if not training.is_trained(self.program):
            return False
        sets = parallel.settings(call)
        if sets is None or parallel.data_parallel(sets) is None or parallel.is_alone(sets):
            return False
        if not self.program.runs(call):
            return False
        if parallel.sets_portions(sets, self._names) or not self._compiles():
            return False
        if (
            parallel.serves_parameters(self.program)
            or parallel.shards_optimizer(self.program)
            or parallel.restores(call)
        ):
            return False
        if parallel.portioned_elsewhere(self.program) or not parallel.reduces(self.program):
            return False
        reach = parallel.Reach(self.program, call)
        return not reach.portioned(self._names, not self._indices_do_nothing) and not reach.replaced()

    def visit_Call(self, node: cst.Call) -> None:
        """By form: at the call, with the portions as one keyword more."""
        call = self.call(node)
        if call is None:
            return
        sets = parallel.settings(call) or {}
        edits, advice, safety = self._mend(call)
        related = self._origin(call, sets)
        if safety is Safety.DISPLAY:
            reason = Message("it acts from MindSpore 1.8 on, and the network is not at hand to count its gradients")
        else:
            reason = Message("gradients are summed in other groups: losses differ in their last digits")
        message = self._message(call, sets)
        self.report(node, message, edits, advice=advice, safety=safety, reason=reason, related=related)

    # --- meaning

    @property
    def _indices_do_nothing(self) -> bool:
        return ONE_BY_ONE <= self.program.version < INDICES_ACT_AGAIN

    @property
    def _by_indices(self) -> bool:
        """Return whether the fix gives indices: the only way in old versions, the known one for ResNet-50."""
        if self.program.version < FUSES_IN_PORTIONS:
            return True
        return not self._indices_do_nothing and parallel.is_resnet50(self.program)

    @property
    def _names(self) -> tuple[str, ...]:
        """Return the settings that make portions in the target's version."""
        return (parallel.PORTIONS,) if self._indices_do_nothing else (parallel.PORTIONS, parallel.INDICES)

    def _compiles(self) -> bool:
        """Return whether the program trains in graph mode, or does so on one of the paths that normal users take."""
        usual = mode.usual_mode(self.program)
        if usual is not None:
            return usual == mode.GRAPH
        said = (mode.given(call) for call in mode.settings(self.program))
        return any(
            mode.mode_of(known) == mode.GRAPH for value in said if value is not None for known in value.by_default
        )

    # --- form

    def _message(self, call: Call, sets: Mapping[str, Value]) -> Message:
        version = self.program.version
        if self._indices_do_nothing and parallel.INDICES in sets:
            return Message(
                "`all_reduce_fusion_config` alone has no effect on 2.4, each parameter gets an AllReduce of its own; "
                "set `comm_fusion`"
            )
        if version >= ONE_BY_ONE:
            state = Message("each parameter gets an AllReduce of its own (from 2.4 on)")
        elif version >= (2, 3):
            state = Message(
                "each parameter gets an AllReduce of its own on Ascend; on GPU one waits for the backward pass (2.3)"
            )
        else:
            state = Message("a single AllReduce for all gradients waits for the whole backward pass (up to 2.2)")
        return Message(
            "{state}: set `{setting}`, so that a few of them overlap with the backward pass{condition}",
            state=state,
            setting=parallel.INDICES if self._by_indices else parallel.PORTIONS,
            condition=self._switch(call),
        )

    def _switch(self, call: Call) -> str:
        """Return under which option the call runs, if a user must ask for it."""
        for condition in parallel.Reach(self.program, call).passes[0]:
            if is_switch(self.program, condition) and condition.devices == DEVICES:
                return Message(" (when `{condition}`)", condition=condition.text)
        return ""

    def _origin(self, call: Call, sets: Mapping[str, Value]) -> tuple[Related, ...]:
        """Return where the parallel mode was read, if that is another file or line."""
        known = parallel.data_parallel(sets)
        assert known is not None
        rows = range(call.node.lineno, (call.node.end_lineno or call.node.lineno) + 1)
        if known.place.path == call.module.path and known.place.row in rows:
            return ()
        return (Related(known.place, Message("data-parallel mode comes from here")),)

    def _mend(self, call: Call) -> tuple[Optional[tuple[Edit, ...]], str, Safety]:
        """Return the edits that make portions, what they do, and how safe they are."""
        portions = edit.set_argument(call, parallel.PORTIONS, AUTO, line_length=self.line_length)
        if self.program.version < FUSES_IN_PORTIONS:
            counted = self._counted(call)
            if counted is not None:
                advice = Message("split the gradients in two portions, counted when the network is there")
                return counted, advice, Safety.UNSAFE
            advice = Message(
                "reduce gradients in portions of 64 MB, which overlap with the backward pass (from 1.8 on)"
            )
            return portions, advice, Safety.DISPLAY
        if self._by_indices:
            edits = edit.set_argument(call, parallel.INDICES, RESNET50, line_length=self.line_length)
            return edits, Message("reduce the gradients of ResNet-50 in two portions"), Safety.UNSAFE
        advice = Message("reduce gradients in portions of 64 MB, which overlap with the backward pass")
        return portions, advice, Safety.UNSAFE

    def _counted(self, call: Call) -> Optional[tuple[Edit, ...]]:
        """Return the edits that set indices before the one Model is made; of a small network the two may be equal."""
        model = parallel.only_model(self.program)
        if model is None:
            return None
        setter, imports = edit.import_name(
            model.module, parallel.SET, version=self.program.version, line_length=self.line_length
        )
        if model.module is call.module:
            setter, imports = call.module.text(call.node.func), ()
        network = model.module.text(model.given("network"))  # type: ignore[arg-type]
        count = f"count = len({network}.trainable_params())"
        line = f"{setter}(all_reduce_fusion_config=sorted({{count // 2, count - 1}}))"
        added = edit.insert_before(model.module, model.stmt, f"{count}\n{line}")
        return (*imports, *added) if added is not None else None
