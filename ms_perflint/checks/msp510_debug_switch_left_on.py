"""MSP510: a switch for debugging is on while a program trains. Run on 2.10, CPU: graphs on disk slow the first step."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Optional

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Edit, Gain, Related, Safety
from ms_perflint.index.semantic_index import SemanticIndex
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import mode, training
from ms_perflint.training.debugging import is_asked_for, is_named_elsewhere

if TYPE_CHECKING:
    import libcst as cst

GRAPHS = Message("every compilation writes its graphs to disk, and the first step takes several times as long")
SYNCHRONOUS = Message("Python waits for each operator: the device stands still in between")
PIPELINE = Message("the data pipeline runs in debug mode: one sample at a time, in one thread")
LAUNCH = "mindspore.launch_blocking"
PIPELINE_DEBUG = "mindspore.dataset.config.set_debug_mode"
PATH = "save_graphs_path"


class Switch(NamedTuple):
    """A switch, the argument that turns it on ("" for a call that has none), and what it costs."""

    api: str
    argument: str
    says: Message
    eager: Optional[bool] = None  # whether it slows PyNative only, or graph mode only


SWITCHES = (
    Switch(mode.SET_CONTEXT, "save_graphs", GRAPHS, eager=False),
    Switch(mode.SET_CONTEXT, "pynative_synchronize", SYNCHRONOUS, eager=True),
    Switch(LAUNCH, "", SYNCHRONOUS, eager=True),
    Switch(PIPELINE_DEBUG, "debug_mode_flag", PIPELINE),
)
VARIABLES = {"MS_DEV_SAVE_GRAPHS": (GRAPHS, False), "ASCEND_LAUNCH_BLOCKING": (SYNCHRONOUS, True)}  # of launchers


class DebugSwitchLeftOn(Check):
    """A debugging switch is on during training."""

    code = "MSP510"
    name = "debug-switch-left-on"
    preview = True
    safety = Safety.UNSAFE
    gain = Gain("medium", Message("the first step, or each one, takes a fraction of the time"))
    triggers = (mode.SET_CONTEXT, LAUNCH, PIPELINE_DEBUG)
    blames = ("save_graphs", "pynative_synchronize", "debug_mode_flag")
    looks_inside = False
    anchored = True

    def suspect(self, call: Call) -> bool:
        """By meaning: a switch is on for a normal user, in a program that trains in a mode that it slows."""
        return any(self._on(call)) and self.program.runs(call) and self._trains() and not is_asked_for(call)

    def anchors(self, module: SemanticIndex) -> Sequence[Call]:
        """Where launchers switch it on: the call through which the entry script trains."""
        is_entry = module.path == self.program.entry and self.program.project.entries.is_entry(module.path)
        if not is_entry or not any(self._exported()) or not self._trains():
            return ()
        site = mode.anchor(self.program)
        return (Call(site, self.program, ""),) if site is not None else ()

    def visit_Call(self, node: cst.Call) -> None:
        """By form: at the call, once for each switch."""
        call = self.call(node)
        if call is None:
            return
        if not call.api:
            for says, related in self._exported():
                self.report(node, says, related=(related,))
        for switch in self._on(call):
            edits, places = self._off(call, switch)
            safety, reason = self._grade(call, switch, bool(places))
            advice = Message("switch it off")
            self.report(node, switch.says, edits, advice=advice, safety=safety, reason=reason, related=places)

    def _on(self, call: Call) -> Iterator[Switch]:
        for switch in SWITCHES:
            is_on = not switch.argument or call.argument(switch.argument).default_truth is True
            if switch.api == call.api and is_on and self._slows(switch.eager):
                yield switch

    def _exported(self) -> Iterator[tuple[Message, Related]]:
        for name, (says, eager) in VARIABLES.items():
            exported = self.program.exported(name)
            if exported is not None and exported[0] not in ("", "0") and self._slows(eager):
                yield says, Related(exported[1], Message("`{name}` is set here", name=name))

    def _slows(self, eager: Optional[bool]) -> bool:
        """Return whether a switch slows the mode in which the program trains; graph mode where that is not known."""
        if eager is None:
            return True
        is_eager = mode.usual_mode(self.program) == mode.PYNATIVE and not mode.is_compiled(self.program)
        return is_eager == eager and not (eager and self.target.is_cpu)

    def _trains(self) -> bool:
        return training.is_trained(self.program) and not training.is_demonstration(self.program)

    def _off(self, call: Call, switch: Switch) -> tuple[Optional[tuple[Edit, ...]], tuple[Related, ...]]:
        """Return the edits that switch it off, and the places that decide where it is not the call."""
        given = call.given(switch.argument) if switch.argument else None
        others = {word.arg for word in call.node.keywords} - {switch.argument, PATH}
        if given is None or (isinstance(given, ast.Constant) and not others and len(call.node.args) <= 1):
            is_alone = isinstance(call.stmt, ast.Expr) and call.stmt.value is call.node
            return (edit.delete_statement(call.module, call.stmt) if is_alone else None), ()
        if not isinstance(given, ast.Constant):
            return edit.set_value(call, switch.argument, "False", yaml="false", line_length=self.line_length)
        also = (PATH,) if switch.argument == "save_graphs" else ()
        return edit.remove_argument(call, switch.argument, *also), ()

    def _grade(self, call: Call, switch: Switch, elsewhere: bool) -> tuple[Safety, Optional[Message]]:
        """Return how far the fix may be trusted, and why it is not safe."""
        if elsewhere:
            return Safety.DISPLAY, Message("the value is decided elsewhere, for other runs too")
        if switch.argument != "save_graphs":
            return Safety.UNSAFE, Message("errors are then reported later than where they arise")
        if is_named_elsewhere(call, PATH):
            return Safety.UNSAFE, Message("something may read the graphs in that folder")
        return Safety.SAFE, None
