"""Asynchronous checkpoint saving, where no code reads a checkpoint before it is complete."""

from __future__ import annotations

from typing import Optional

from ms_perflint.core.findings import Related, Remedy, Safety
from ms_perflint.edits.arguments import set_argument
from ms_perflint.edits.imports import name_in
from ms_perflint.edits.settings import decide
from ms_perflint.index.syntax_forms import targets
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import checkpoints
from ms_perflint.training.checkpoints import Reads
from ms_perflint.training.training import MODEL_TRAINS

BACKGROUND = Message("save in the background with `async_save=True`")
JOINED = Message("save in the background with `async_save=True`; `Model.train` waits for the last one")
LATER = Message("save in the background with `async_save=True`, and use the file only when it is complete")
OFTEN = Message("save less often, and in the background with `async_save=True`")
VERBS = {
    "loaded": Message("the file is loaded here"),
    "opened": Message("the file is opened here"),
    "copied": Message("the file, or its folder, is copied here"),
    "moved": Message("the file, or its folder, is moved or renamed here"),
    "removed": Message("the file, or its folder, is removed here"),
    "tested for": Message("the file is tested for here"),
    "uploaded": Message("the file, or its folder, is uploaded here"),
    "packed": Message("the file, or its folder, is packed here"),
    "listed": Message("the folder of the file is listed here"),
    "ended": Message("the program ends here, and waits for no file that is still being written"),
    "given to a command": Message("a command is given the file, or its folder, here"),
}


def save_in_background(call: Call, reads: Reads, line_length: int) -> Remedy:
    """Return the remedy that makes a save, a config or a callback asynchronous; no edits where the file is used."""
    if reads.use is not None:
        return Remedy(None, LATER, related=(Related(reads.use.site.place, VERBS[reads.use.verb]),))
    if call.api == checkpoints.SAVE and (caught := checkpoints.retry(call)) is not None:
        told = Message("no fix is shown: an error of the thread that writes would not reach this `except`")
        return Remedy(None, BACKGROUND, related=(Related(call.module.place(caught), told),))
    remedy = _graded(call, reads)
    if checkpoints.saves_each_step(call):
        remedy = remedy._replace(advice=OFTEN)
    if call.api != checkpoints.CALLBACK:
        return decide(remedy, call, "async_save", "True", yaml="true", line_length=line_length)
    name, imports = name_in(call.program, call.scope, checkpoints.CONFIG, line_length)
    added = set_argument(call, "config", f"{name}(async_save=True)", line_length=line_length)
    return remedy._replace(edits=(*imports, *added) if added else None)


def _graded(call: Call, reads: Reads) -> Remedy:
    """Return a remedy without edits yet: its grade, and the reason."""
    unsafe = Remedy(None, BACKGROUND, Safety.UNSAFE)
    if call.api == checkpoints.SAVE:
        return unsafe._replace(reason=Message("the file may be incomplete when the call returns"))
    if reads.unknown is not None:
        place = reads.unknown.site.place
        related = (Related(place, Message("this checkpoint may be one that is still being written")),)
        reason = Message("a callback loads a checkpoint, perhaps before it is complete")
        return unsafe._replace(reason=reason, related=related)
    if checkpoints.steps_by_hand(call.program) or not call.program.calls(*MODEL_TRAINS):
        return unsafe._replace(
            reason=Message("no `Model.train` waits for the writer of a callback that is driven by hand")
        )
    if call.program.version < (2,):
        return unsafe._replace(reason=Message("it was not tested on MindSpore before 2.0"))
    return Remedy(None, JOINED, Safety.SAFE)


def pass_config(call: Call, config: Call, line_length: int) -> Remedy:
    """Return the remedy that passes an unused config to a callback, and makes it asynchronous."""
    reason = Message("it changes how often checkpoints are saved, and how many are kept")
    related = (Related(config.place, Message("this config is not used")),)
    name = _name(config)
    given = set_argument(call, "config", name, line_length=line_length) if name is not None else None
    if given is None:
        return Remedy(None, "", Safety.DISPLAY, reason, related)
    waits = checkpoints.is_synchronous(config) and not checkpoints.is_refused(config)
    waits = waits and checkpoints.use_of(call).use is None
    background = set_argument(config, "async_save", "True", line_length=line_length) if waits else None
    if background is None:
        return Remedy(given, Message("pass the config on"), Safety.DISPLAY, reason, related)
    advice = Message("pass the config on, and save in the background")
    return Remedy((*given, *background), advice, Safety.DISPLAY, reason, related)


def _name(config: Call) -> Optional[str]:
    """Return the name that a function binds to a new config; None without one, or where it is rebound."""
    only = config.scope.owner.single(next(iter(targets(config.stmt)), None))
    return only.name if only is not None and only.whole is config.node else None
