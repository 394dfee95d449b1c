"""MSP301: the device waits while a checkpoint is written. [seed 001]: 2450 against 2200 images/s."""

from __future__ import annotations

import ast
import os
from typing import TYPE_CHECKING, Optional

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Edit, Gain, Related, Safety
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import checkpoints, training
from ms_perflint.training.repetition import is_every_step, repeats
from ms_perflint.training.training import MODEL_TRAINS

if TYPE_CHECKING:
    import libcst as cst

    from ms_perflint.training.checkpoints import Reads
    from ms_perflint.training.file_uses import Use


DECIDED = Message("the value is decided elsewhere, for other runs too")
SAVED = Message(
    "training waits while this checkpoint is written, again and again; `async_save=True` writes it in the background"
)
OFTEN = Message(
    "training waits while this checkpoint is written, after every step; `async_save=True` writes it in the background, "
    "but gains little: save less often as well"
)
REFUSED = Message(
    "training waits while this checkpoint is written, again and again; "
    "MindSpore 2.4 and 2.5 write `safetensors` files in no other way"
)
VERBS = {
    "loaded": Message("the file is loaded here"),
    "opened": Message("the file is opened here"),
    "copied": Message("the file, or its folder, is copied here"),
    "moved": Message("the file, or its folder, gets another name here"),
    "removed": Message("the file, or its folder, is removed here"),
    "tested for": Message("the file is tested for here"),
    "uploaded": Message("the file, or its folder, is uploaded here"),
    "packed": Message("the folder of the file is packed here"),
    "listed": Message("the folder of the file is listed here"),
    "given to a command": Message("a command is given the file, or its folder, here"),
}


class SynchronousCheckpoint(Check):
    """Training stops while each checkpoint is written."""

    code = "MSP301"
    name = "synchronous-checkpoint"
    safety = Safety.SAFE
    symptom = "saves"
    gain = Gain("medium", Message("no wait at a checkpoint"))
    triggers = (checkpoints.CONFIG, checkpoints.CALLBACK, checkpoints.SAVE)
    blames = ("async_save",)
    looks_inside = False

    def suspect(self, call: Call) -> bool:
        """By meaning: saved again and again while training, and not asynchronously."""
        if self.target.is_cpu:
            return False
        if call.api == checkpoints.CALLBACK:
            return checkpoints.config_of(call)[1] and training.is_trained(self.program) and self.program.runs(call)
        if not call.argument("async_save").is_by_default(False):
            return False
        if not training.is_trained(self.program) or not self.program.runs(call):
            return False
        if call.api == checkpoints.SAVE:
            return repeats(self.program, call)
        return bool(checkpoints.callbacks_with(self.program, call)) and not checkpoints.saves_once(call)

    def visit_Call(self, node: cst.Call) -> None:
        """By form: which of the three APIs, and how it is mended."""
        call = self.call(node)
        if call is None:
            return
        if call.api == checkpoints.SAVE:
            self._save(node, call)
        elif call.api == checkpoints.CONFIG:
            edits, related = edit.set_value(call, "async_save", "True", yaml="true", line_length=self.line_length)
            self._config(node, call, edits, related, "async_save=True")
        else:
            self._callback(node, call)

    def _save(self, node: cst.Call, call: Call) -> None:
        """A bare save is joined by nothing: whoever reads the file while training goes on would find half of it."""
        if self._is_refused(call):
            self.report(node, REFUSED)
            return
        use = checkpoints.use_of_saved(call)
        if use is not None:
            self._used(node, call, use)
            return
        edits, related = edit.set_value(call, "async_save", "True", yaml="true", line_length=self.line_length)
        safety, reason = Safety.UNSAFE, Message("nothing waits for the writer: the file is complete only later")
        if related:
            safety, reason = Safety.DISPLAY, DECIDED
        self.report(
            node,
            OFTEN if is_every_step(self.program, call) else SAVED,
            edits,
            advice=Message("save in the background"),
            safety=safety,
            reason=reason,
            related=related,
        )

    def _used(self, node: cst.Call, call: Call, use: Use) -> None:
        """Report a save without a fix: something uses the file, and would meet half of it, or none."""
        site = use.site
        place = site.module.source.place(site.span[0])
        here = site.module is call.module
        where = (
            Message("line {row}", row=place.line)
            if here
            else Message("line {row} of {file}", row=place.line, file=os.path.basename(place.path))
        )
        message = Message(
            "training waits while each checkpoint is written; no fix, since {where} uses the file",
            where=where,
        )
        self.report(node, message, related=[Related(place, VERBS[use.verb])])

    def _config(
        self, node: cst.Call, call: Call, edits: Optional[tuple[Edit, ...]], related: tuple[Related, ...], argument: str
    ) -> None:
        if self._is_refused(call):
            self.report(node, REFUSED)
            return
        reads = checkpoints.reads_of(self.program, call)
        if reads.use is not None:
            self._used(node, call, reads.use)
            return
        safety, reason = self._grade(reads)
        if related:
            safety, reason = Safety.DISPLAY, DECIDED
        message = self._of_config(call, argument, safety is Safety.SAFE)
        advice = Message("save in the background")
        if safety is Safety.SAFE:
            advice = Message("save in the background; `Model.train` waits for the last one")
        elif reads.unknown is not None:
            place = reads.unknown.site.module.source.place(reads.unknown.site.span[0])
            related = (*related, Related(place, Message("this checkpoint may be one that is still being written")))
        self.report(node, message, edits, advice=advice, safety=safety, reason=reason, related=related)

    def _of_config(self, call: Call, argument: str, is_safe: bool) -> Message:
        """Return what is wrong with a config; what is not safe has another text."""
        if self._saves_every_step(call):
            if is_safe:
                return Message(
                    "training waits while each checkpoint is written; `{argument}` writes it in the background, "
                    "but saves after every step gain little: save less often as well",
                    argument=argument,
                )
            return Message(
                "training waits while each checkpoint is written; with `{argument}` it is complete only later, "
                "and saves after every step gain little: save less often as well",
                argument=argument,
            )
        if is_safe:
            return Message(
                "training waits while each checkpoint is written; `{argument}` writes it in the background",
                argument=argument,
            )
        return Message(
            "training waits while each checkpoint is written; with `{argument}` it is complete only later",
            argument=argument,
        )

    def _callback(self, node: cst.Call, call: Call) -> None:
        """A ModelCheckpoint without config saves synchronously, after every step."""
        unused = checkpoints.unused_config(self.program, call)
        if unused is not None:
            place = unused.module.source.place(unused.span[0])
            message = Message(
                "training waits while each checkpoint is written, after every step: "
                "the config made in line {row} is given to no callback",
                row=place.line,
            )
            edits, advice = self._passed_on(call, unused)
            self.report(
                node,
                message,
                edits,
                advice=advice,
                safety=Safety.DISPLAY,
                reason=Message("it changes how often checkpoints are saved, and how many are kept"),
                related=[Related(place, Message("this config is not used"))],
            )
            return
        spelling, imports = edit.import_name(
            call.module, checkpoints.CONFIG, version=self.program.version, line_length=self.line_length
        )
        added = edit.set_argument(call, "config", f"{spelling}(async_save=True)", line_length=self.line_length)
        edits = (*imports, *added) if added else None
        self._config(node, call, edits, (), f"config={spelling}(async_save=True)")

    def _passed_on(self, call: Call, config: Call) -> tuple[Optional[tuple[Edit, ...]], str]:
        """Return the edits that give a callback the config that nobody uses, and what they do."""
        name = _name(config)
        given = edit.set_argument(call, "config", name, line_length=self.line_length) if name is not None else None
        if given is None:
            return None, ""
        waits = config.argument("async_save").is_by_default(False) and not self._is_refused(config)
        waits = waits and checkpoints.reads_of(self.program, call).use is None
        background = edit.set_argument(config, "async_save", "True", line_length=self.line_length) if waits else None
        if background is None:
            return given, Message("pass the config on")
        return (*given, *background), Message("pass the config on, and save in the background")

    def _grade(self, reads: Reads) -> tuple[Safety, Optional[Message]]:
        """Return how far the fix may be trusted, and why it is not safe."""
        if reads.unknown is not None:
            return Safety.UNSAFE, Message("a callback loads a checkpoint, perhaps before it is complete")
        if checkpoints.steps_by_hand(self.program) or not self.program.calls(*MODEL_TRAINS):
            return Safety.UNSAFE, Message("no `Model.train` waits for the writer of a callback that is driven by hand")
        if self.program.version < (2,):
            return Safety.UNSAFE, Message("it was not run before MindSpore 2.0")
        return Safety.SAFE, None

    def _is_refused(self, call: Call) -> bool:
        """Return whether MindSpore raises an error for the format and `async_save` together.

        mindspore 2.4 train/callback/_checkpoint.py:100, 2.5 train/serialization.py:601; run on a build of 2.5.
        """
        has_format = call.api in (checkpoints.CONFIG, checkpoints.SAVE)
        return has_format and (2, 4) <= self.program.version < (2, 6) and call.argument("format").may_be("safetensors")

    def _saves_every_step(self, call: Call) -> bool:
        """Return whether checkpoints are so many that writing them in the background gains nothing."""
        if call.given("save_checkpoint_seconds") is not None:
            return False
        if call.api == checkpoints.CONFIG and not call.argument("save_checkpoint_steps").is_by_default(1):
            return False
        return not any(train.argument("dataset_sink_mode").may_be(True) for train in self.program.calls(*MODEL_TRAINS))


def _name(config: Call) -> Optional[str]:
    """Return the name under which a function has the config that it makes; None where it has none, or rebinds it."""
    stmt = config.stmt
    if isinstance(stmt, ast.Assign) and stmt.value is config.node and isinstance(stmt.targets[0], ast.Name):
        name = stmt.targets[0].id
        return name if len(config.scope.owner.bindings.get(name, ())) == 1 else None
    return None
