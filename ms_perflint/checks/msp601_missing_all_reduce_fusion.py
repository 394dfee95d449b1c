"""MSP601: data-parallel training without gradient AllReduce fusion, or with a single AllReduce at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Gain, Safety
from ms_perflint.index.semantic_index import Site
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import gradient_fusion, parallel, training

if TYPE_CHECKING:
    import libcst as cst

IN_VAIN = Message("unfused gradients: `all_reduce_fusion_config` alone has no effect on 2.4")
ONE_BY_ONE = Message("unfused gradients: each parameter has an AllReduce of its own{condition}")
ON_ASCEND = Message("one AllReduce per parameter on Ascend, a single late one on GPU{condition}")
AT_THE_END = Message("one AllReduce for all gradients waits for the whole backward pass{condition}")
MAX_SWITCH = 22  # longer conditions are cut in the message
BY_DEVICE = (2, 3)  # since this version one AllReduce per parameter on Ascend, a single late one on GPU


class MissingAllReduceFusion(Check):
    """The AllReduce of data-parallel gradients is badly grouped: one per parameter, or one after the backward pass."""

    code = "MSP601"
    name = "missing-all-reduce-fusion"
    safety = Safety.UNSAFE
    symptom = "all_reduces"
    gain = Gain("medium", Message("gradients are added up while others are still computed"))
    triggers = (parallel.SET,)
    blames = (parallel.INDICES,)  # where it has no effect; with fusion buckets nothing is reported
    looks_inside = False

    def suspect(self, call: Call) -> bool:
        """Data-parallel training in graph mode, with unfused gradients."""
        return (
            training.is_trained(self.program)
            and gradient_fusion.is_data_parallel(call)
            and self.program.runs(call)
            and gradient_fusion.may_compile(self.program, call)
            and gradient_fusion.is_missing(call)
        )

    def concerns(self, site: Site) -> bool:
        """A program that trains in graph mode, and not on one device."""
        sets = parallel.settings(Call(site, self.program, parallel.SET)) or {}
        return gradient_fusion.may_compile(self.program, site) and parallel.default_modes(sets) != {"stand_alone"}

    def visit_Call(self, node: cst.Call) -> None:
        """Report the call that sets the parallel mode."""
        call = self.call(node)
        if call is not None:
            self.report(node, self._says(call), edit.fuse(call, self.line_length))

    def _says(self, call: Call) -> Message:
        version, sets = self.program.version, parallel.settings(call) or {}
        if gradient_fusion.indices_do_nothing(self.program) and parallel.INDICES in sets:
            return IN_VAIN
        says = ONE_BY_ONE if version >= gradient_fusion.UNFUSED else ON_ASCEND if version >= BY_DEVICE else AT_THE_END
        switch = gradient_fusion.switch(call)
        text = switch if len(switch) <= MAX_SWITCH else f"{switch[:MAX_SWITCH]}..."
        return says.filled(condition=Message(" (when `{condition}`)", condition=text) if switch else "")
