"""How the program trains: where, through which functions, in which mode, with or without sinking."""

from __future__ import annotations

from typing import Optional

from ms_perflint.facts.data import Evidence, Fact
from ms_perflint.facts.reader import Reader
from ms_perflint.programs import callbacks, conditions, mode, training
from ms_perflint.programs.program import Program
from ms_perflint.programs.site import Call
from ms_perflint.semantics.module import Scope, Site

MODES = {mode.GRAPH: "graph", mode.PYNATIVE: "PyNative"}
ACTS = {
    callbacks.Cadence.EPOCH: "act per epoch",
    callbacks.Cadence.LOG: "print per step",
    callbacks.Cadence.STEP: "act per step",
    callbacks.Cadence.UNKNOWN: "are not all known",
}
HOPS = 8  # functions on the way to a site


def trains(reader: Reader) -> Fact:
    """Return whether the program trains, and each site that does."""
    program = reader.program
    found = []
    for site in program.train_sites:
        today = "" if program.is_run_by_entry(site) else "; no call from the script is known"
        when, origins = reader.when(site)
        says = f"{_route(program, site)}{today}"
        found.append(Evidence(reader.place(site), reader.code(site), says, True, origins, when))
    if found:
        return Fact("trains", True, "yes", tuple(found))
    if not program.is_whole:
        return Fact("trains", None, "unknown: so much code may run that only the entry script is read")
    if training.is_unit_test(program):
        return Fact("trains", False, "no: it is a unit test")
    if not any(program.project.contains(path, "mindspore") for path in program.files):
        return Fact("trains", False, "no: it does not use MindSpore")
    return Fact("trains", False, "no: nothing that runs calls Model.train, Model.fit or a training step")


def _route(program: Program, site: Site) -> str:
    """Return the functions through which a site is reached, outermost first."""
    names: list[str] = []
    seen: set[Scope] = set()
    scope = site.scope.owner
    while scope.is_function and scope not in seen and len(seen) < HOPS:
        seen.add(scope)
        cls = scope.parent
        names.append(f"{cls.name}.{scope.name}" if cls is not None and cls.is_class else scope.name)
        sites = [other for other in training.callers(program, scope) if program.runs(other)]
        known = [(at, other) for other in sites if (at := program.position(other)) is not None]
        if not known:
            break
        scope = min(known, key=lambda pair: pair[0])[1].scope.owner
    return f"in {' > '.join(reversed(names))}" if names else "at the top of the script"


def execution_mode(reader: Reader) -> Fact:
    """Return the execution mode, and each `set_context` that says one."""
    program = reader.program
    said = sorted(program.mode_settings, key=lambda call: _order(program, call))
    evidence = tuple(_mode_set(reader, call) for call in said)
    answer = MODES.get(program.mode) if program.mode is not None else None
    if answer is None and not evidence:
        return Fact("mode", None, "unknown")  # of a program that is read only in part
    jit = ", but every step is compiled by `jit`" if mode.is_compiled(program) else ""
    if not said:
        version = ".".join(map(str, program.target.version[:2]))
        return Fact("mode", answer, f"{answer}, the default of {version}: nothing sets it{jit}")
    return Fact("mode", answer, f"{answer or 'unknown'}{jit}", evidence)


def _order(program: Program, call: Call) -> tuple[int, str, int]:
    position = program.position(call)
    return (position if position is not None else 1 << 30, call.module.path, call.node.lineno)


def _mode_set(reader: Reader, call: Call) -> Evidence:
    program = reader.program
    value = mode.given(call)
    meant = MODES.get(usual) if value is not None and (usual := mode.usually(value)) is not None else None
    if mode.is_opt_in(program, call):
        role = "only on request"
    elif mode.is_overridden(program, call):
        role = "overridden later"
    elif conditions.is_for_cpu_only(program, call):
        role = "only on a CPU"
    else:
        role = ""
    found = reader.evidence(call, "mode")
    named = meant or found.says
    return Evidence(found.place, found.code, f"{named}, {role}" if role else named, meant, found.origins, found.when)


def sink_mode(reader: Reader) -> Fact:
    """Return whether `Model.train` and `fit` sink the data set, and when their callbacks act."""
    found = []
    for call in reader.program.calls(*training.MODEL_TRAINS):
        acts = sorted({ACTS[each] for each in callbacks.cadences(call)})
        says = f"{{}}; callbacks {', '.join(acts)}" if acts else "{}; no callbacks"
        found.append(reader.evidence(call, "dataset_sink_mode", says=says))
    answers = {evidence.value for evidence in found}
    answer: Optional[bool] = answers == {True} if None not in answers and len(answers) == 1 else None
    says = {True: "yes", False: "no", None: "unknown" if len(answers) < 2 else "it depends"}[answer]
    return Fact("sink mode", answer, says, tuple(found), bool(found))
