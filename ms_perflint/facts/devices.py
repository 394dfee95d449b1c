"""Facts about checkpoints, parallel training and profilers."""

from __future__ import annotations

from dataclasses import replace
from typing import Optional

from ms_perflint.facts.data import Evidence, Fact
from ms_perflint.facts.reader import Reader, Reading
from ms_perflint.facts.words import DEPENDS, NO, NONE, UNKNOWN, YES, also, both, either
from ms_perflint.infer.values import Value
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import checkpoints, conditions, parallel, profiling
from ms_perflint.training.repetition import repeats

ASYNC = "async_save"
SAVED = Message("async_save {value}")
ONCE = "once"
NOT_SET = Message("not set")


def checkpoints_of(reader: Reader) -> Fact:
    """Return whether checkpoints are written during the training, and whether saving blocks it."""
    program = reader.program
    saves = [_saved(reader, call) for call in program.calls(checkpoints.SAVE)]
    configs = [_config(reader, call) for call in program.calls(checkpoints.CONFIG)]
    bare = [
        Evidence(call.place, reader.code(call), Message("no config: training waits, after every step"), False)
        for call in program.calls(checkpoints.CALLBACK)
        if checkpoints.config_of(call)[1]
    ]
    found = (*configs, *bare, *saves)
    answers = {evidence.value for evidence in found if evidence.value != ONCE}
    if not found:
        return Fact(Message("checkpoints"), None, NONE, (), False)
    if not answers:
        says = Message("none is known to be written while training goes on")
        return Fact(Message("checkpoints"), ONCE, says, found)
    answer: Optional[bool] = answers == {True} if None not in answers and len(answers) == 1 else None
    unknown = UNKNOWN if answers == {None} else DEPENDS
    words = {True: Message("asynchronous"), False: Message("synchronous"), None: unknown}
    return Fact(Message("checkpoints"), answer, words[answer], found)


def _saved(reader: Reader, call: Call) -> Evidence:
    again = repeats(reader.program, call)
    role = Message("per step or per epoch of a training")
    if again and checkpoints.use_of(call).use is not None:
        role = Message("per step or per epoch of a training, and reads the file")
    found = reader.evidence(call, ASYNC, says=SAVED)
    if again:
        return replace(found, says=also(role, found.says))
    return replace(found, says=Message("no repetition is known"), value=ONCE, origins=())


def _config(reader: Reader, call: Call) -> Evidence:
    users = checkpoints.callbacks_with(reader.program, call)
    once = checkpoints.saves_once(call)
    role = Message("saves after the last epoch") if once else ""
    if not users:
        role = Message("no ModelCheckpoint is known to get it")
    found = reader.evidence(call, ASYNC, "save_checkpoint_steps", says=SAVED, more=role)
    return found if users and not once else replace(found, value=ONCE)


def parallel_mode(reader: Reader) -> Fact:
    """Return the parallel modes that are set, each with its gradient AllReduce fusion."""
    program = reader.program
    found, is_set, is_by_default = [], False, False
    for call in filter(program.runs, program.calls(parallel.SET)):
        sets = parallel.settings(call)
        sets_mode = sets is None or "parallel_mode" in sets
        if sets_mode or _portions(sets):
            found.append(_parallel(reader, call, sets))
            is_set = is_set or sets_mode
            is_by_default = is_by_default or not conditions.is_on_request(program, call)
    modes = dict.fromkeys(evidence.value for evidence in found if evidence.value is not None)
    if not found:
        return Fact(Message("parallel mode"), None, NOT_SET, (), False)
    more = Message("fusion buckets of gradients are set elsewhere") if parallel.is_fusion_set_elsewhere(program) else ""
    answer = next(iter(modes)) if len(modes) == 1 else None
    says = either([str(each) for each in modes]) if modes else UNKNOWN if is_set else NOT_SET
    if modes and not is_by_default:
        answer, says = None, Message("{value} on request", value=says)
    return Fact(Message("parallel mode"), answer, also(says, more), tuple(found))


def _portions(sets: object) -> tuple[str, ...]:
    assert isinstance(sets, dict)
    return tuple(name for name in (parallel.FUSION, parallel.INDICES) if parallel.sets_fusion(sets, (name,)))


def _parallel(reader: Reader, call: Call, sets: object) -> Evidence:
    named = _portions(sets) if isinstance(sets, dict) else ()
    value = sets.get("parallel_mode") if isinstance(sets, dict) else None
    if not isinstance(value, Value):
        says = Message("sets {names}", names=both(named)) if named else Message("its settings are not known")
        return reader.told(call, Reading(None, says), "parallel_mode", *named)
    given = call.given("parallel_mode")
    reading = reader.reading(value, given if given is not None else call.node, call.scope)
    fusion = both(named) if named else Message("no fusion of gradients")
    return reader.told(call, replace(reading, text=also(reading.text, fusion)), "parallel_mode", *named)


def profiler(reader: Reader) -> Fact:
    """Return the profilers that the program creates."""
    calls = reader.program.calls(*profiling.PROFILERS)
    says = Message("data pipeline {value}")
    found = [reader.evidence(call, "data_process", "start_profile", says=says) for call in calls]
    return Fact(Message("profiler"), bool(found), YES if found else NONE, tuple(found), bool(found))


def autotune(reader: Reader) -> Fact:
    """Return whether dataset AutoTune is on, and which profilers it meets."""
    found = []
    for call in reader.program.calls(profiling.AUTOTUNE):
        met = [each.place for each, _ in profiling.conflicts(call)]
        places = ", ".join(place.named for place in met)
        meets = Message("meets the profiler in {places}", places=places) if met else ""
        found.append(reader.evidence(call, "enable", more=meets))
    answers = {evidence.value for evidence in found}
    answer = next(iter(answers)) if len(answers) == 1 else None
    says = (YES if answer else NO) if isinstance(answer, bool) else UNKNOWN
    return Fact(Message("AutoTune"), answer, says if found else NONE, tuple(found), bool(found))
