"""What happens beside the steps: checkpoints, other devices, profilers."""

from __future__ import annotations

import os
from typing import Optional

from ms_perflint.facts.data import Evidence, Fact
from ms_perflint.facts.reader import Reader
from ms_perflint.programs import checkpoints, parallel, profiling
from ms_perflint.programs.site import Call
from ms_perflint.semantics.values import Value

ASYNC = "async_save"
NO = {True: "yes", False: "no", None: "unknown"}


def checkpoints_of(reader: Reader) -> Fact:
    """Return whether checkpoints are written while the training goes on, and whether it waits for them."""
    program = reader.program
    saves = [_saved(reader, call) for call in program.calls(checkpoints.SAVE)]
    configs = [_config(reader, call) for call in program.calls(checkpoints.CONFIG)]
    bare = [
        Evidence(reader.place(call), reader.code(call), "no config: training waits, after every step", False)
        for call in program.calls(checkpoints.CALLBACK)
        if checkpoints.config_of(call)[1]
    ]
    found = (*configs, *bare, *saves)
    answers = {evidence.value for evidence in found if evidence.value != ONCE}
    if not found:
        return Fact("checkpoints", None, "none", (), False)
    if not answers:
        return Fact("checkpoints", ONCE, "none is known to be written while training goes on", found)
    answer: Optional[bool] = answers == {True} if None not in answers and len(answers) == 1 else None
    says = {True: "asynchronous", False: "synchronous", None: "unknown" if answers == {None} else "it depends"}
    return Fact("checkpoints", answer, says[answer], found)


ONCE = "once"


def _saved(reader: Reader, call: Call) -> Evidence:
    again = call.repeats()
    read = ", and reads the file" if again and checkpoints.read_later(call) else ""
    says = f"again and again while training{read}; {ASYNC} {{}}" if again else "no repetition is known"
    found = reader.evidence(call, ASYNC, says=says)
    return found if again else Evidence(found.place, found.code, found.says, ONCE, (), found.when)


def _config(reader: Reader, call: Call) -> Evidence:
    users = checkpoints.callbacks_with(reader.program, call)
    once = checkpoints.saves_once(call)
    role = "no ModelCheckpoint is known to get it" if not users else "saves after the last epoch" if once else ""
    found = reader.evidence(call, ASYNC, "save_checkpoint_steps", says=f"{ASYNC} {{}}{f'; {role}' if role else ''}")
    if users and not once:
        return found
    return Evidence(found.place, found.code, found.says, ONCE, found.origins, found.when)


def parallel_mode(reader: Reader) -> Fact:
    """Return the parallel modes that are set, each with what puts the gradients into portions."""
    program = reader.program
    found = []
    for call in program.calls(parallel.SET):
        sets = parallel.settings(call)
        if sets is None or "parallel_mode" in sets or _portions(sets):
            found.append(_parallel(reader, call, sets))
    modes = dict.fromkeys(evidence.value for evidence in found if evidence.value is not None)
    if not found:
        return Fact("parallel mode", None, "not set", (), False)
    also = "; portions of gradients are set elsewhere" if parallel.portioned_elsewhere(program) else ""
    answer = next(iter(modes)) if len(modes) == 1 else None
    return Fact("parallel mode", answer, f"{' or '.join(map(str, modes)) or 'unknown'}{also}", tuple(found))


def _portions(sets: object) -> tuple[str, ...]:
    assert isinstance(sets, dict)
    return tuple(name for name in (parallel.PORTIONS, parallel.INDICES) if parallel.sets_portions(sets, (name,)))


def _parallel(reader: Reader, call: Call, sets: object) -> Evidence:
    named = _portions(sets) if isinstance(sets, dict) else ()
    value = sets.get("parallel_mode") if isinstance(sets, dict) else None
    when, origins = reader.when(call)
    code = reader.code(call, "parallel_mode", *named)
    if not isinstance(value, Value):
        says = f"sets {' and '.join(named)}" if named else "what it sets is not known"
        return Evidence(reader.place(call), code, says, None, origins, when)
    given = call.given("parallel_mode")
    reading = reader.reading(value, given if given is not None else call.node, call.scope)
    portions = " and ".join(named) if named else "no portions of gradients"
    return Evidence(
        reader.place(call),
        code,
        f"{reading.text}; {portions}",
        reading.value,
        tuple(dict.fromkeys((*reading.origins, *origins))),
        when,
    )


def profiler(reader: Reader) -> Fact:
    """Return the profilers that the program makes."""
    calls = reader.program.calls(*profiling.PROFILERS)
    found = [reader.evidence(call, "data_process", "start_profile", says="data pipeline {}") for call in calls]
    return Fact("profiler", bool(found), "yes" if found else "none", tuple(found), bool(found))


def autotune(reader: Reader) -> Fact:
    """Return whether dataset AutoTune is on, and which profilers it meets."""
    found = []
    for call in reader.program.calls(profiling.AUTOTUNE):
        met = [each.place for each, _ in profiling.conflicts(call)]
        places = ", ".join(f"{os.path.basename(place.path)}:{place.line}" for place in met)
        found.append(reader.evidence(call, "enable", says=f"{{}}{f'; meets the profiler in {places}' if met else ''}"))
    answers = {evidence.value for evidence in found}
    answer = next(iter(answers)) if len(answers) == 1 else None
    says = NO.get(answer if isinstance(answer, bool) else None, "unknown")
    return Fact("AutoTune", answer, says if found else "none", tuple(found), bool(found))
