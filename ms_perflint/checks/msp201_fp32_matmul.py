"""MSP201: matmul and convolution in FP32, where the device is made for half precision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Optional

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Gain, Safety
from ms_perflint.index.semantic_index import Site
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import training
from ms_perflint.training.networks import train_cells, undecided_precision

if TYPE_CHECKING:
    import libcst as cst

PLAIN = Message("matmul and convolution run in FP32; an accelerator computes FP16 or BF16 several times as fast")
SCALED = Message("loss scaling, but FP32 matmul and convolution; an accelerator computes FP16 several times as fast")
FORCED = Message("matmul and convolution forced to FP32; an accelerator computes FP16 or BF16 several times as fast")


class Fp32Matmul(Check):
    """Training computes its matmuls and convolutions in FP32 instead of in mixed precision."""

    code = "MSP201"
    name = "fp32-matmul"
    safety = Safety.UNSAFE
    symptom = "full_precision"
    gain = Gain("large", Message("matmul and convolution take a fraction of the time"))
    triggers = ("()",)  # a custom train cell has any name
    blames = tuple(train_cells.LEVELS.values())
    looks_inside = False
    in_libraries = False

    def narrowed(self, sites: Sequence[Site]) -> Sequence[Site]:
        """Return the calls that by their names may create the training, or force FP32; none in a library."""
        return undecided_precision.narrowed(self.program, sites)

    def suspect(self, call: Call) -> bool:
        """The one call of the program that decides its precision, if that is FP32."""
        if not training.is_trained(self.program) or undecided_precision.is_without_work(self.program):
            return False
        if undecided_precision.is_half(self.program) or undecided_precision.needs_full(self.program):
            return False
        return id(call.node) in undecided_precision.suspects(self.program)

    def gap(self) -> Optional[Message]:
        """Return the place where the trained networks cannot be followed, if nothing sets half precision."""
        return undecided_precision.hidden(self.program)

    def visit_Call(self, node: cst.Call) -> None:
        """Report the call that creates the training, or the layer that is forced."""
        call = self.call(node)
        if call is None:
            return
        suspect = undecided_precision.suspects(self.program)[id(call.node)]
        says = FORCED if suspect.is_forced else SCALED if suspect.is_scaled else PLAIN
        self.report(node, says, edit.MixedPrecision(self.program, self.line_length).remedy(suspect))
