"""Training programs that set no execution mode: that is the default of MindSpore then."""

from __future__ import annotations

from typing import Optional

from ms_perflint import mindspore_api
from ms_perflint.index.semantic_index import SemanticIndex, Site
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training import conditions, devices, jit, mode, training
from ms_perflint.training.devices import target_of
from ms_perflint.training.followed import End


def is_pynative(program: Program) -> bool:
    """Return whether the program trains in PyNative mode because no call sets the mode by default."""
    return (
        _is_unset(program)
        and mode.setup_by_library(program) is None
        and training.trains_by_entry(program)
        and trains_uncompiled(program)
    )


def hidden(program: Program) -> Optional[Message]:
    """Return the call of a library that may set the mode of a training that no other call sets; None without one."""
    site = mode.setup_by_library(program) if _is_unset(program) else None
    if site is None or not training.trains_by_entry(program) or not trains_uncompiled(program):
        return None
    return End(site.node, site.scope).said(program)


def _is_unset(program: Program) -> bool:
    """Return whether a program trains, no call sets the mode by default, and the default is PyNative mode."""
    return (
        training.mentions_training(program)
        and not mode.is_set_by_entry(program)
        and mindspore_api.default_mode(program.version) == mode.PYNATIVE
        and training.is_trained(program)  # others ask that too; the execution order takes all that runs to find
        and (not mode.is_set(program) or bool(mode.optional_settings(program)))
    )


def trains_uncompiled(program: Program) -> bool:
    """Return whether the program trains on an accelerator, with a training step that `jit` does not compile."""
    return training.is_trained(program) and not target_of(program).is_cpu and not jit.is_compiled(program)


def is_place(call: Call) -> bool:
    """Return whether the call is the first `set_context` of its program, in a file of no other entry script."""
    return call == first_context(call.program) and not _is_shared(call)


def first_context(program: Program) -> Optional[Call]:
    """Return the first `set_context` that runs by default and not for a CPU alone; None without one."""
    run = (call for call in program.calls(mode.SET_CONTEXT) if program.is_run_by_entry(call))
    calls = [
        call
        for call in run
        if not call.is_optional
        and call not in mode.optional_settings(call.program)
        and not any(mode.tests_of_mode(program, call))
        and not conditions.is_for_cpu_only(program, call)
        and not is_beside_cpu(call)
    ]
    return min(calls, key=lambda call: program.position(call) or 0) if calls else None


def anchor(program: Program, module: SemanticIndex) -> Optional[Site]:
    """Return the call in the entry script that leads to the training, where no `set_context` could set the mode."""
    if not program.project.entries.is_entry(module.path) or not is_pynative(program):
        return None
    first = None if training.is_demonstration(program) else first_context(program)
    if training.is_demonstration(program) or (first is not None and not _is_shared(first)):
        return None
    site = mode.anchor(program)
    return site if site is not None and program.is_run_by_entry(site) else None


def _is_shared(call: Call) -> bool:
    """Return whether the file of a call belongs to several entry scripts."""
    path = call.module.path
    return path != call.program.entry and len(call.program.project.programs(path)) > 2


def is_beside_cpu(call: Call) -> bool:
    """Return whether a `set_context` in the block of the call sets the CPU, and the command line names no device."""
    if call.program.asked.devices:
        return False
    beside = [each for each in call.program.calls(mode.SET_CONTEXT) if each.block == call.block]
    given = [each for each in beside if each.given("device_target") is not None]
    is_cpu = bool(given) and all(each.argument("device_target").must_be("CPU") for each in given)
    is_idle = training.sets_nothing(call.program, call.scope)
    return is_cpu and (is_idle or any(each in devices.settings(call.program) for each in given))
