"""MSP109: an argument for which graph mode compiles again in each step. Run on 2.10, CPU: each call compiles."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Optional

from ms_perflint import edits as edit
from ms_perflint import mindspore_api
from ms_perflint.check import Check
from ms_perflint.core.findings import Edit, Gain, Safety
from ms_perflint.index.semantic_index import Site
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import training

if TYPE_CHECKING:
    import libcst as cst

    from ms_perflint.training.graph_mode.varying import Varying

MUTABLE = "mindspore.mutable"
_DTYPES: Mapping[Optional[type], str] = {int: "mindspore.int32", float: "mindspore.float32"}


class RecompileEachStep(Check):
    """An argument that changes from step to step makes a compiled function recompile."""

    code = "MSP109"
    name = "recompile-each-step"
    preview = True
    safety = Safety.UNSAFE
    gain = Gain("large", Message("each step but the first does without a compilation, a hundred times its own time"))
    triggers = ("()",)  # what is compiled has any name
    looks_inside = False

    def among(self, sites: Sequence[Site]) -> Sequence[Site]:
        """Return the calls that pass such an argument."""
        if not sites or not training.may_train(self.program):
            return ()
        return [site for site in sites if id(site.node) in self._varying]

    def suspect(self, call: Call) -> bool:
        """By meaning: it is given in each step, to something that is compiled for what it is given."""
        return id(call.node) in self._varying

    @cached_property
    def _varying(self) -> dict[int, list[Varying]]:
        from ms_perflint.training.graph_mode.varying import varying_arguments  # here, because most files are clean

        found: dict[int, list[Varying]] = {}
        for each in varying_arguments(self.program):
            found.setdefault(id(each.site.node), []).append(each)
        return found

    def visit_Call(self, node: cst.Call) -> None:
        """By form: at each argument, with a tensor in the place of a number, or `mutable` around a container."""
        call = self.call(node)
        for each in self._varying[id(call.node)] if call is not None else ():
            name = each.callee.name
            if each.is_number:
                says = Message("each new value of this number compiles `{name}` again", name=name)
                advice, reason = Message("pass it as a tensor"), Message("what is a condition becomes control flow")
                fix, safety = self._as_tensor(each), Safety.DISPLAY
            else:
                says = Message("each step passes a new container of tensors, and compiles `{name}` again", name=name)
                advice, reason = Message("say that what it holds changes"), Message("its values are no constants then")
                fix, safety = self._as_mutable(each), Safety.UNSAFE
            self.report(each.node, says, fix, advice=advice, safety=safety, reason=reason)

    def _as_tensor(self, each: Varying) -> Optional[tuple[Edit, ...]]:
        names = ["mindspore.Tensor", *filter(None, [_DTYPES.get(each.kind)])]
        written = [self._name(each, name) for name in names]
        if sum(bool(edits) for _, edits in written) > 1:
            return None  # two imports would meet
        call = f"{written[0][0]}({', '.join([each.site.module.text(each.node), *(name for name, _ in written[1:])])})"
        return self._replaced(each, call, *(edits for _, edits in written))

    def _as_mutable(self, each: Varying) -> Optional[tuple[Edit, ...]]:
        if not mindspore_api.is_in(MUTABLE, self.target.version):
            return None
        name, imports = self._name(each, MUTABLE)
        text = each.site.module.text(each.node)
        bare = isinstance(each.node, ast.Tuple) and not text.startswith("(")
        return self._replaced(each, f"{name}(({text}))" if bare else f"{name}({text})", imports)

    def _name(self, each: Varying, api: str) -> tuple[str, tuple[Edit, ...]]:
        return edit.import_name(each.site.module, api, version=self.target.version, line_length=self.line_length)

    def _replaced(self, each: Varying, text: str, *imports: tuple[Edit, ...]) -> Optional[tuple[Edit, ...]]:
        made = edit.replace_expression(each.site.module, each.node, text)
        return (*made, *(one for edits in imports for one in edits)) if made is not None else None
