"""MSP301: the device waits while a checkpoint is written. [seed 001]: 2450 against 2200 images/s."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Optional

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Edit, Gain, Related, Safety
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import checkpoints, training
from ms_perflint.training.repetition import repeats
from ms_perflint.training.training import MODEL_TRAINS

if TYPE_CHECKING:
    import libcst as cst


class SynchronousCheckpoint(Check):
    """The device waits while a checkpoint is written."""

    code = "MSP301"
    name = "synchronous-checkpoint"
    safety = Safety.SAFE
    gain = Gain("medium", Message("no wait at a checkpoint"))
    triggers = (checkpoints.CONFIG, checkpoints.CALLBACK, checkpoints.SAVE)
    blames = ("async_save",)
    looks_inside = False

    def suspect(self, call: Call) -> bool:
        """By meaning: saved again and again while training, and not asynchronously."""
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
            message = Message(
                "training waits while this checkpoint is written, again and again; "
                "MindSpore 2.4 and 2.5 write `safetensors` files in no other way"
            )
            self.report(node, message)
            return
        if checkpoints.read_later(call):
            message = Message(
                "training waits while this checkpoint is written, again and again; "
                "the program uses the file afterwards, so wait for it before you save with `async_save=True`"
            )
            self.report(node, message)
            return
        edits, related = edit.set_value(call, "async_save", "True", yaml="true", line_length=self.line_length)
        safety = Safety.DISPLAY if related else Safety.UNSAFE
        self.report(
            node,
            Message(
                "training waits while this checkpoint is written, again and again; "
                "`async_save=True` writes it in the background"
            ),
            edits,
            advice=Message("save in the background; the file is complete only later"),
            safety=safety,
            related=related,
        )

    def _config(
        self, node: cst.Call, call: Call, edits: Optional[tuple[Edit, ...]], related: tuple[Related, ...], argument: str
    ) -> None:
        if self._saves_every_step(call):
            message = Message(
                "training waits while each checkpoint is written; `{argument}` writes it in the background, "
                "but saves after every step gain little: save less often as well",
                argument=argument,
            )
        else:
            message = Message(
                "training waits while each checkpoint is written; `{argument}` writes it in the background",
                argument=argument,
            )
        advice = Message("save in the background; `Model.train` waits for the last one")
        safety = self._safety(call)
        if safety is None:
            edits = None
        elif related:
            safety = Safety.DISPLAY
        self.report(node, message, edits, advice=advice, safety=safety, related=related)

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
        waits = config.argument("async_save").is_by_default(False) and self._safety(config) is not None
        background = edit.set_argument(config, "async_save", "True", line_length=self.line_length) if waits else None
        if background is None:
            return given, Message("pass the config on")
        return (*given, *background), Message("pass the config on, and save in the background")

    def _safety(self, call: Call) -> Optional[Safety]:
        """Return how far the fix may be trusted; None where there is none."""
        if self._is_refused(call):
            return None
        loads, lists = checkpoints.read_by_callback(self.program)
        if lists:
            return None
        by_hand = checkpoints.driven_by_hand(self.program) or not self.program.calls(*MODEL_TRAINS)
        return Safety.UNSAFE if by_hand or loads or self.program.version < (2,) else Safety.SAFE

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
