"""MSP501: data set AutoTune and a profiler of the data pipeline are both on. [seed 001]."""

from __future__ import annotations

import ast
import os
from typing import TYPE_CHECKING, Optional

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Edit, Gain, Related, Safety
from ms_perflint.index.reachability import Condition
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import profiling
from ms_perflint.training.conditions import Pass

if TYPE_CHECKING:
    import libcst as cst

OFF = Message("turn AutoTune off while a profiler is on, or remove a profiler that is done with")
REMOVED = Message("remove the profiler, or turn AutoTune off while it is on with `set_enable_autotune(False)`")
# Why a fix is shown only
LEFT_OFF = Message("AutoTune stays off once profiling is over")
UNSEEN = Message("nothing here reads the profile, but you may want to look at it")


class ProfilerWithAutotune(Check):
    """Dataset AutoTune and dataset profiling are both on, and one of them has no effect."""

    code = "MSP501"
    name = "profiler-with-autotune"
    safety = Safety.UNSAFE
    gain = Gain("small", Message("the profile, or the tuned data pipeline, that was asked for"))
    triggers = (profiling.AUTOTUNE,)
    blames = ("enable",)
    looks_inside = False

    def suspect(self, call: Call) -> bool:
        """By meaning: AutoTune is on for a normal user, and a profiler of the data pipeline on the same path."""
        if not call.argument("enable").is_by_default(True) or not self.program.runs(call) or self.target.is_cpu:
            return False
        return bool(profiling.conflicts(call))

    def visit_Call(self, node: cst.Call) -> None:
        """By form: at the call that switches AutoTune on, with the profiler as the other place."""
        call = self.call(node)
        if call is None:
            return
        found = profiling.conflicts(call)
        first = found[0][0]
        edits, advice, flag, places = self._mend(call, found)
        related = [Related(each.place, Message("the data pipeline is profiled from here")) for each, _ in found]
        if flag is not None:
            safety, reason = Safety.UNSAFE, Message("runs with `{flag}` are no longer tuned", flag=flag.text)
        else:
            safety = Safety.DISPLAY
            reason = LEFT_OFF
            removed = self._removed(found)
            if removed is not None:
                edits, advice, reason, places = removed, REMOVED, UNSEEN, ()
        self.report(
            node,
            self._message(call, first),
            edits,
            advice=advice,
            safety=safety,
            reason=reason,
            related=(*related, *places),
        )

    def _removed(self, found: list[tuple[profiling.Profiling, Pass]]) -> Optional[tuple[Edit, ...]]:
        """Return the edits that take out the only profiler, where nothing uses what it writes."""
        call = profiling.made_by(self.program, found[0][0]) if len(found) == 1 else None
        return edit.remove_profiler(call) if call is not None and not profiling.is_read(call) else None

    def _message(self, call: Call, first: profiling.Profiling) -> Message:
        row, file = first.place.line, os.path.basename(first.place.path)
        here = first.place.path == call.module.path
        place = Message("line {row}", row=row) if here else Message("line {row} of {file}", row=row, file=file)
        if self.target.version < profiling.ON_REQUEST:
            return Message(
                "AutoTune does nothing, or the run stops with an error, while the data pipeline is profiled "
                "in {place} (up to 2.3 every profiler covers it); turn it off in profiled runs",
                place=place,
            )
        return Message(
            "AutoTune does nothing, or the run stops with an error, while the data pipeline is profiled "
            "in {place}; turn it off in profiled runs",
            place=place,
        )

    def _mend(
        self, call: Call, found: list[tuple[profiling.Profiling, Pass]]
    ) -> tuple[Optional[tuple[Edit, ...]], str, Optional[Condition], tuple[Related, ...]]:
        """Return the edits that turn AutoTune off, what they do, the flag that they ask, and what else decides."""
        given = call.given("enable")
        first, own = found[0]
        flag = profiling.switch(call, first, own) if len(found) == 1 else None
        if flag is not None and isinstance(given, ast.Constant):
            text = f"not {flag.text}"
            edits = edit.set_argument(call, "enable", text, line_length=self.line_length)
            return edits, Message("turn AutoTune off when `{flag}` is set", flag=flag.text), flag, ()
        changed, places = edit.set_value(call, "enable", "False", yaml="false", line_length=self.line_length)
        if changed is not None and isinstance(given, ast.Constant):
            changed = (*changed, *(edit.remove_argument(call, "filepath_prefix") or ()))
        return changed, OFF, None, places
