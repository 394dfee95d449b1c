"""Where nothing in a training program says the execution mode: the default of MindSpore decides."""

from __future__ import annotations

from typing import Optional

from ms_perflint import mindspore_api
from ms_perflint.index.semantic_index import SemanticIndex, Site
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training import conditions, jit, mode, training
from ms_perflint.training.devices import target_of
from ms_perflint.training.followed import End


def is_pynative(program: Program) -> bool:
    """Return whether nothing in the training program sets the mode, and the default is PyNative."""
    return (
        _is_unsaid(program)
        and mode.said_outside(program) is None
        and training.trains_by_entry(program)
        and trains_uncompiled(program)
    )


def hidden(program: Program) -> Optional[Message]:
    """Return the call of a library that may set the mode of a training, where nothing else says it."""
    site = mode.said_outside(program) if _is_unsaid(program) else None
    if site is None or not training.trains_by_entry(program) or not trains_uncompiled(program):
        return None
    return End(site.node, site.scope).said(program)


def _is_unsaid(program: Program) -> bool:
    """Return whether a training program sets no mode itself, and the default is PyNative."""
    return (
        training.mentions_training(program)
        and not mode.is_surely_said(program)
        and mindspore_api.default_mode(program.version) == mode.PYNATIVE
        and training.is_trained(program)  # others ask that too; the execution order takes all that runs to find
        and not mode.is_said(program)
        and training.may_train_by_entry(program)
    )


def trains_uncompiled(program: Program) -> bool:
    """Return whether the program trains on an accelerator, in steps that no `jit` compiles."""
    return training.is_trained(program) and not target_of(program).is_cpu and not jit.is_compiled(program)


def is_place(call: Call) -> bool:
    """Return whether this is the first `set_context` of the program, in a file that no other script shares."""
    return call == first_context(call.program) and not _is_shared(call)


def first_context(program: Program) -> Optional[Call]:
    """Return the first `set_context` on the default path of a program that is not for a CPU alone."""
    run = (call for call in program.calls(mode.SET_CONTEXT) if program.is_run_by_entry(call))
    calls = [
        call
        for call in run
        if not call.is_optional
        and not any(mode.tests_of_mode(program, call))
        and not conditions.is_for_cpu_only(program, call)
        and not is_beside_cpu(call)
    ]
    return min(calls, key=lambda call: program.position(call) or 0) if calls else None


def anchor(program: Program, module: SemanticIndex) -> Optional[Site]:
    """Return the call of the entry script that trains, where no `set_context` is the place to set the mode."""
    if not program.project.entries.is_entry(module.path) or not is_pynative(program):
        return None
    first = None if training.is_demonstration(program) else first_context(program)
    if training.is_demonstration(program) or (first is not None and not _is_shared(first)):
        return None
    site = mode.anchor(program)
    return site if site is not None and program.is_run_by_entry(site) else None


def _is_shared(call: Call) -> bool:
    """Return whether several entry scripts use the file in which a call stands."""
    path = call.module.path
    return path != call.program.entry and len(call.program.project.programs(path)) > 2


def is_beside_cpu(call: Call) -> bool:
    """Return whether the same lines that set the mode say that the device is a CPU, and no option says another."""
    if call.program.asked.devices:
        return False
    beside = [each for each in call.program.calls(mode.SET_CONTEXT) if each.block == call.block]
    devices = [each.argument("device_target") for each in beside if each.given("device_target") is not None]
    return bool(devices) and all(each.must_be("CPU") for each in devices)
