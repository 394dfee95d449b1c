"""MSP101: training in PyNative mode. [seed 000] "usually much faster in static graph mode"."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Optional, Union

from ms_perflint import edits as edit
from ms_perflint import mindspore_api
from ms_perflint.check import Check
from ms_perflint.core.findings import Edit, Gain, Related, Safety
from ms_perflint.index.semantic_index import SemanticIndex
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import conditions, mode, training

if TYPE_CHECKING:
    import libcst as cst

SET = Message("training runs operator by operator: `mode` is PYNATIVE; graph mode compiles the whole step")
SET_BY = Message("training runs operator by operator: `mode` is PYNATIVE by a setting")
SILENT = Message(
    "training runs operator by operator: nothing sets the mode, and its default is PYNATIVE since MindSpore 2.0"
)
SHARED = Message("training runs operator by operator: neither this code nor the scripts that share it set the mode")
UNUSED = Message("training runs operator by operator: the option for the mode is never used")
ADVICE = Message("compile the whole step")
DECIDED = Message("the mode is decided here")
REASON = Message("the first step takes longer, and results differ in the last digits")
JIT = Message("`@jit` on this function compiles the step alone, in either mode")

MOST = 8  # obstacles that are named beside a finding; `ms-perflint program` lists all


class PynativeModeTraining(Check):
    """Training runs op by op in PyNative mode instead of as one compiled graph."""

    code = "MSP101"
    name = "pynative-mode-training"
    safety = Safety.UNSAFE
    symptom = "operator_by_operator"
    gain = Gain("large", Message("a step is computed several times as fast"))
    triggers = (mode.SET_CONTEXT,)
    blames = ("mode",)
    looks_inside = False
    anchored = True

    # --- by meaning

    def suspect(self, call: Call) -> bool:
        """A `set_context` that makes PyNative the mode of the training; or the first one where none says a mode."""
        if not training.speaks_of_training(self.program) or training.is_demonstration(self.program):
            return False
        if not mode.stands_there(call) and not training.is_trained(self.program):
            return False
        value = mode.given(call)
        if value is None:
            return self._is_silent() and call == self._first_context() and not self._is_shared(call)
        if mode.usually(value) != mode.PYNATIVE or mode.are_too_many(self.program):
            return False
        if not self.program.runs(call) or mode.is_opt_in(self.program, call):
            return False
        if conditions.is_for_cpu_only(self.program, call):
            return False
        return self._trains_uncompiled() and not self._is_late(call) and not mode.is_overridden(self.program, call)

    def anchors(self, module: SemanticIndex) -> Sequence[Call]:
        """Where the program says nothing about the mode at all: the call through which the entry script trains."""
        if not self._is_entry(module) or not self._is_silent() or training.is_demonstration(self.program):
            return ()
        first = self._first_context()
        if first is not None and not self._is_shared(first):
            return ()
        site = mode.anchor(self.program)
        return (Call(site, self.program, ""),) if site is not None and self.program.is_run_by_entry(site) else ()

    def _trains_uncompiled(self) -> bool:
        return training.is_trained(self.program) and not self.target.is_cpu and not mode.is_compiled(self.program)

    def _is_silent(self) -> bool:
        """Return whether nothing in a training program says the mode, and the default is PyNative."""
        return (
            training.speaks_of_training(self.program)
            and not mode.is_surely_said(self.program)
            and mindspore_api.default_mode(self.program.version) == mode.PYNATIVE
            and training.may_train_by_entry(self.program)
            and not mode.is_said(self.program)
            and not mode.may_be_said_outside(self.program)
            and training.trains_by_entry(self.program)
            and self._trains_uncompiled()
        )

    def _is_entry(self, module: SemanticIndex) -> bool:
        """Return whether a file is started, not only imported."""
        return self.program.project.entries.is_entry(module.path)

    def _first_context(self) -> Optional[Call]:
        """Return the first `set_context` on the default path of the program."""
        calls = [
            call
            for call in self.program.calls(mode.SET_CONTEXT)
            if self.program.is_run_by_entry(call) and not call.is_optional
        ]
        return min(calls, key=lambda call: self.program.position(call) or 0) if calls else None

    def _is_shared(self, call: Call) -> bool:
        """Return whether several entry scripts use the file in which a call stands."""
        path = call.module.path
        return path != self.program.entry and len(self.program.project.programs(path)) > 2

    def _is_late(self, call: Call) -> bool:
        """Return whether the mode is set when training is over."""
        position, end = self.program.position(call), mode.training_ends(self.program)
        return position is not None and end is not None and position > end

    # --- by form

    def visit_Call(self, node: cst.Call) -> None:
        """Report the value of `mode`, the call that leaves it out, or the call that trains."""
        call = self.call(node)
        if call is None:
            return
        if call.api != mode.SET_CONTEXT:
            self._nothing_said(node, call)
        elif mode.given(call) is None:
            self._mode_missing(node, call)
        else:
            self._mode_given(node, call)

    def _mode_given(self, node: cst.Call, call: Call) -> None:
        given = call.given("mode")
        if given is None:  # spread from a dict: its tables may serve other calls
            self._change(node, SET, None)
            return
        cause = edit.cause_of_mode(call, given)
        if cause is None:
            self._change(given, SET, self._replaced(call.module, self._definition(call, given)))
            return
        related = [Related(place, DECIDED) for place in cause.places]
        reason = Message("other runs take the mode from there too")
        advice = Message("change what decides the mode")
        self.report(
            given,
            SET_BY,
            cause.edits,
            advice=advice,
            safety=Safety.DISPLAY,
            reason=reason,
            related=[*related, *self._obstacles()],
        )

    def _mode_missing(self, node: cst.Call, call: Call) -> None:
        option = mode.unused_option(self.program, call.module)
        if option is not None:
            edits = edit.set_argument(call, "mode", option.text, first=True, line_length=self.line_length)
            self._pass_on(node, option, edits)
            return
        name, imports = self._graph_mode(call)
        added = edit.set_argument(call, "mode", name, first=True, line_length=self.line_length)
        self._change(node, SILENT, (*imports, *added) if added is not None else None)

    def _pass_on(self, node: cst.Call, option: mode.Unused, edits: Optional[Sequence[Edit]]) -> None:
        """An option says graph mode, and nothing reads it."""
        related = [Related(option.place, Message("this option is never used")), *self._obstacles()]
        reason = Message("it makes the option decide")
        advice = Message("pass the option on")
        self.report(node, UNUSED, edits, advice=advice, safety=Safety.DISPLAY, reason=reason, related=related)

    def _graph_mode(self, call: Call) -> tuple[str, Iterable[Edit]]:
        """Return `GRAPH_MODE` with the prefix of the call, and an import where one is needed."""
        callee = call.node.func
        if isinstance(callee, ast.Attribute):
            return call.module.text(callee.value) + ".GRAPH_MODE", ()
        return edit.import_name(
            call.module, "mindspore.GRAPH_MODE", version=self.target.version, line_length=self.line_length
        )

    def _nothing_said(self, node: cst.Call, call: Call) -> None:
        """No `set_context` says a mode, or one in a file that several scripts share."""
        context, imports = edit.import_name(
            call.module, mode.SET_CONTEXT, version=self.target.version, line_length=self.line_length
        )
        option = mode.unused_option(self.program, call.module)
        if option is not None and self._first_context() is None:
            after = edit.insert_after(call.module, option.parsed, f"{context}(mode={option.text})")
            self._pass_on(node, option, (*imports, *after) if after is not None else None)
            return
        if not mindspore_api.is_in(mode.SET_CONTEXT, self.target.version):
            line = "from mindspore import context\ncontext.set_context(mode=context.GRAPH_MODE)"
        elif imports or "." not in context:
            line = "import mindspore\nmindspore.set_context(mode=mindspore.GRAPH_MODE)"
        else:
            line = f"{context}(mode={context.rpartition('.')[0]}.GRAPH_MODE)"
        edits = edit.insert_after_imports(call.module, line)
        if self._first_context() is not None:
            reason = Message("the scripts share a `set_context` that sets other things")
            related = self._obstacles()
            self.report(node, SHARED, edits, advice=ADVICE, safety=Safety.DISPLAY, reason=reason, related=related)
        else:
            self._change(node, SILENT, edits)

    def _definition(self, call: Call, given: ast.expr) -> Optional[ast.expr]:
        """Return the expression to change: what is passed, or what a name that is bound once stands for."""
        if isinstance(given, ast.Name):
            bindings = call.scope.owner.bindings.get(given.id) or call.module.scope.bindings.get(given.id, [])
            assigned = [binding for binding in bindings if binding.kind == "assign" and not binding.path]
            if len(bindings) == 1 and assigned:
                return assigned[0].value
            if assigned:
                return None
        return given

    def _replaced(self, module: SemanticIndex, node: Optional[ast.expr]) -> Optional[tuple[Edit, ...]]:
        """Return the edits that turn a value into graph mode, in the spelling that the file uses."""
        if isinstance(node, ast.Constant):
            return edit.replace_expression(module, node, "False" if node.value is True else "0")
        if isinstance(node, ast.Attribute) and node.attr == "PYNATIVE_MODE":
            return edit.replace_expression(module, node, module.text(node.value) + ".GRAPH_MODE")
        if isinstance(node, ast.Name) and self._is_imported(module, node.id):
            graph = "mindspore.GRAPH_MODE"
            spelling, imports = edit.import_name(
                module, graph, instead=node.id, version=self.target.version, line_length=self.line_length
            )
            changed = edit.replace_expression(module, node, spelling)
            return (*imports, *changed) if changed is not None else None
        return None

    def _is_imported(self, module: SemanticIndex, name: str) -> bool:
        return all(binding.kind == "from" for binding in module.scope.bindings.get(name, ()))

    # --- what stands in the way

    def _change(self, node: Union[cst.CSTNode, ast.expr], message: Message, edits: Optional[Sequence[Edit]]) -> None:
        """Report a mode that one edit changes; what is made in every step is made once first, in the same fix.

        Where something else stands in the way of graph mode, the fix is shown only.
        """
        made, found = self._readiness.made_anew(self.program), self._readiness.obstacles(self.program)
        hoisted = [edit.hoist(each.site, each.before) for each in made]
        related = [*self._obstacles(), *self._steps()]
        changed = tuple(edits) if edits is not None else None
        if found or None in hoisted:
            first = (*found, *(each.obstacle for each, moved in zip(made, hoisted) if moved is None))[0]
            count = len(found) + hoisted.count(None)
            more = Message(
                "training runs operator by operator in PyNative; obstacles to graph mode: {count}", count=count
            )
            advice = Message("change what is named, then the mode")
            reason = first.message
            self.report(node, more, changed, advice=advice, safety=Safety.DISPLAY, reason=reason, related=related)
            return
        if made:
            advice = Message("make `{name}` once, and compile the whole step", name=made[0].name)
            moves = [one for moved in hoisted for one in moved or ()]
            message = Message(
                "training runs operator by operator in PyNative, and makes `{name}` in every step", name=made[0].name
            )
            changed = (*moves, *changed) if changed is not None else None
            self.report(node, message, changed, advice=advice, reason=REASON, related=related)
            return
        self.report(node, message, changed, advice=ADVICE, reason=REASON, related=related)

    @property
    def _readiness(self) -> ModuleType:
        from ms_perflint.training.graph_mode import readiness  # here, because most files are clean

        return readiness

    def _obstacles(self) -> list[Related]:
        found = self._readiness.all_obstacles(self.program)[:MOST]
        return [Related(each.place, each.message) for each in found]

    def _steps(self) -> list[Related]:
        """Return the hand-written functions that take one step: compiling them alone is the alternative."""
        if self.target.version < (2, 0):
            return []
        return [Related(place, JIT) for place in self._readiness.step_functions(self.program)]
