"""MSP109: an argument for which graph mode compiles again in each step. Run on 2.10, CPU: each call compiles."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Gain, Safety
from ms_perflint.index.semantic_index import Site
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import training

if TYPE_CHECKING:
    import libcst as cst

    from ms_perflint.training.graph_mode.varying import Varying

NUMBER = Message("each new value of this number compiles `{name}` again")
CONTAINER = Message("each step passes a new container of tensors, and compiles `{name}` again")


class RecompileEachStep(Check):
    """An argument that changes from step to step makes a compiled function recompile."""

    code = "MSP109"
    name = "recompile-each-step"
    preview = True
    safety = Safety.UNSAFE
    gain = Gain("large", Message("no compilation after the first step"))
    triggers = ("()",)  # a compiled function has any name
    looks_inside = False

    def narrowed(self, sites: Sequence[Site]) -> Sequence[Site]:
        """Return the calls that pass such an argument."""
        if not sites or not training.may_train(self.program):
            return ()
        return [site for site in sites if id(site.node) in self._varying]

    def suspect(self, call: Call) -> bool:
        """It is passed in each step, to a function that is compiled for the values of its arguments."""
        return id(call.node) in self._varying

    @cached_property
    def _varying(self) -> dict[int, list[Varying]]:
        from ms_perflint.training.graph_mode.varying import varying_arguments  # here, because most files are clean

        found: dict[int, list[Varying]] = {}
        for each in varying_arguments(self.program):
            found.setdefault(id(each.site.node), []).append(each)
        return found

    def visit_Call(self, node: cst.Call) -> None:
        """Report each argument: a number becomes a tensor, a container gets `mutable` around it."""
        call = self.call(node)
        for each in self._varying[id(call.node)] if call is not None else ():
            says = (NUMBER if each.is_number else CONTAINER).filled(name=each.callee.name)
            self.report(each.node, says, edit.pass_as_input(self.program, each, self.line_length))
