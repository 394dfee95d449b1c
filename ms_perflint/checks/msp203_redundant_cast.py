"""MSP203: a cast that changes nothing. Checked bit for bit, forward and gradients, on mindspore 2.0, 2.7 and 2.10."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Gain, Safety
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training.dtypes import tensor_ops
from ms_perflint.training.dtypes.casts import FUNCTIONS
from ms_perflint.training.dtypes.redundant_casts import Redundant, RedundantCasts

if TYPE_CHECKING:
    import libcst as cst

SAME = Message("this value is {dtype} already: the cast is one more operator to launch or compile")
SAME_AS = Message("this value has the dtype `{dtype}`: the cast is one more operator to launch or compile")
COMPARED = Message("a comparison is bool_ already: the cast changes nothing")
MADE_IN = Message("this tensor is made in {first} and then cast to {wanted}, an operator that copies it")
MADE = Message("this tensor is made and then cast to {wanted}, an operator that copies it")
AND_BACK = Message("cast to {there} and back to {back} around operators that only move data: two casts for nothing")


class RedundantCast(Check):
    """A cast that can be left out: the tensor has the dtype, could be created in it, or is cast there and back."""

    code = "MSP203"
    name = "redundant-cast"
    safety = Safety.SAFE
    symptom = "casts"
    gain = Gain("small", Message("one or two fewer passes over a tensor"))
    triggers = (*FUNCTIONS, *(f".{method}" for method in tensor_ops.CAST_METHODS))
    looks_inside = False
    per_program = False

    @cached_property
    def _casts(self) -> RedundantCasts:
        return RedundantCasts(self.program)

    def suspect(self, call: Call) -> bool:
        """The value has the dtype already, is created there, or was widened from it."""
        return self._casts.find(call) is not None

    def visit_Call(self, node: cst.Call) -> None:
        """Report the cast; of a pair, the second one."""
        call = self.call(node)
        found = self._casts.find(call) if call is not None else None
        if call is not None and found is not None:
            self.report(node, _says(found), edit.drop_cast(call, found, self.line_length))


def _says(found: Redundant) -> Message:
    wanted = found.dtype.name or found.dtype.spelling
    if found.same is not None:
        name = found.same.name
        return SAME.filled(dtype=name) if name else SAME_AS.filled(dtype=found.same.spelling)
    if found.made is not None:
        made_in = found.made.dtype.name if found.made.dtype is not None else ""
        return MADE_IN.filled(first=made_in, wanted=wanted) if made_in else MADE.filled(wanted=wanted)
    if found.first is not None and found.first.dtype is not None:
        return AND_BACK.filled(there=found.first.dtype.name, back=wanted)
    return COMPARED
