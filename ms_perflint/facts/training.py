"""Facts about the training: its sites, their callers, the execution mode, sinking."""

from __future__ import annotations

from dataclasses import replace
from typing import Optional

from ms_perflint.facts.data import Evidence, Fact
from ms_perflint.facts.reader import Reader, Reading
from ms_perflint.facts.words import UNKNOWN, YES, also, listed, yes_or_no
from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.languages import Message
from ms_perflint.linting import judged
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training import callbacks, conditions, jit, mode, training
from ms_perflint.training.devices import target_of
from ms_perflint.training.graph_mode import readiness
from ms_perflint.training.graph_mode.unproven import unproven
from ms_perflint.training.other_frameworks import is_of_another_framework
from ms_perflint.training.training import sets_nothing

MODES = {mode.GRAPH: Message("graph"), mode.PYNATIVE: Message("PyNative")}
ACTS = {
    callbacks.Cadence.EPOCH: Message("act per epoch"),
    callbacks.Cadence.LOG: Message("print per step"),
    callbacks.Cadence.STEP: Message("act per step"),
    callbacks.Cadence.UNKNOWN: Message("are not all known"),
}
HOPS = 8  # functions on the way to a site


def trains(reader: Reader) -> Fact:
    """Return whether the program trains, with each training site."""
    program = reader.program
    found = []
    for site in training.train_sites(program):
        today = "" if program.is_run_by_entry(site) else Message("no call from the script is known")
        found.append(reader.told(site, Reading(True, also(_route(program, site), today))))
    name = Message("trains")
    if found:
        return Fact(name, True, YES, tuple(found))
    if training.is_unit_test(program):
        return Fact(name, False, Message("no: it is a unit test"))
    is_named = any(program.project.contains(path, "mindspore") for path in program.files)
    if is_of_another_framework(program) or not is_named:
        return Fact(name, False, Message("no: it does not use MindSpore"))
    if not program.is_whole and judged.may_train(program):
        return Fact(name, None, Message("unknown: so much code may run that only the entry script is read"))
    why = judged.unjudged(program)
    if why is not None:
        return Fact(name, None, Message("unknown: {why}", why=why))
    return Fact(name, False, Message("no: nothing that runs calls Model.train, Model.fit or a training step"))


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
    return Message("in {route}", route=" > ".join(reversed(names))) if names else Message("at the top of the script")


def execution_mode(reader: Reader) -> Fact:
    """Return the execution mode, with each `set_context` that sets one."""
    program = reader.program
    setting = (call for call in mode.settings(program) if not sets_nothing(program, call.scope))
    said = sorted(setting, key=lambda call: _order(program, call))
    evidence = tuple(_mode_set(reader, call) for call in said)
    by_default = mode.default_mode(program)
    answer = MODES.get(by_default) if by_default is not None else None
    if answer is None and not evidence:
        return Fact(Message("mode"), None, UNKNOWN)  # a program that is read only in part
    says = answer or UNKNOWN
    if not said:
        version = ".".join(map(str, target_of(program).version[:2]))
        says = Message("{mode}, the default of {version}: nothing sets it", mode=says, version=version)
    if jit.is_compiled(program):
        says = Message("{mode}, but every step is compiled by `jit`", mode=says)
    return Fact(Message("mode"), answer, says, evidence)


def graph_mode(reader: Reader) -> Optional[Fact]:
    """Return the obstacles to graph mode of a program that trains in PyNative mode; None for others."""
    program = reader.program
    name = Message("graph mode")
    if mode.default_mode(program) != mode.PYNATIVE or not training.train_sites(program) or jit.is_compiled(program):
        return None
    found = readiness.all_obstacles(program)
    evidence = tuple(Evidence(each.place, each.code, each.message, each.kind) for each in found)
    if not found:
        doubt = unproven(program)
        open_ = (Evidence(doubt.place, doubt.code, doubt.message, doubt.kind),) if doubt is not None else ()
        return Fact(name, 0, Message("no obstacles known"), open_)
    says = Message("1 obstacle") if len(found) == 1 else Message("{count} obstacles", count=len(found))
    return Fact(name, len(found), says, evidence)


def _order(program: Program, call: Call) -> tuple[int, str, int]:
    position = program.position(call)
    return (position if position is not None else 1 << 30, call.module.path, call.node.lineno)


def _mode_set(reader: Reader, call: Call) -> Evidence:
    program = reader.program
    by_default = mode.default_mode_set(call)
    mode_name = MODES.get(by_default) if by_default is not None else None
    found = reader.evidence(call, "mode")
    says, role = mode_name or found.says, _role(program, call)
    if role:
        says = Message("{mode}, {role}", mode=says, role=role)
    return replace(found, says=says, value=mode_name)


def _role(program: Program, call: Call) -> str:
    """Return the reason why a mode may not take effect; "" without one."""
    if mode.is_opt_in(program, call):
        return Message("only on request")
    if mode.is_fallback(program, call):
        return Message("only where another setting fails")
    if mode.is_overridden(program, call):
        return Message("overridden later")
    return Message("only on a CPU") if conditions.is_for_cpu_only(program, call) else ""


def sink_mode(reader: Reader) -> Fact:
    """Return whether `Model.train` and `fit` sink the dataset, and the frequency of their callbacks."""
    found = []
    for call in reader.program.calls(*training.MODEL_TRAINS):
        acts = sorted({ACTS[each] for each in callbacks.cadences(call)})
        callback = Message("callbacks {act}", act=listed(acts)) if acts else Message("no callbacks")
        found.append(reader.evidence(call, "dataset_sink_mode", more=callback))
    answer, says = yes_or_no({evidence.value for evidence in found})
    return Fact(Message("sink mode"), answer, says, tuple(found), bool(found))
