"""Switches for debugging: which are on, who asks for them, and who reads what they write."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from ms_perflint.core.findings import Place
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training import jit, mode
from ms_perflint.training.devices import target_of

GRAPHS, SYNCHRONOUS, PIPELINE = "graphs", "synchronous", "pipeline"  # what a switch does


class Switch(NamedTuple):
    """A switch, the argument that turns it on ("" for a call that has none), and what it does."""

    api: str
    argument: str
    effect: str


SWITCHES = (
    Switch(mode.SET_CONTEXT, "save_graphs", GRAPHS),
    Switch(mode.SET_CONTEXT, "pynative_synchronize", SYNCHRONOUS),
    Switch("mindspore.launch_blocking", "", SYNCHRONOUS),
    Switch("mindspore.dataset.config.set_debug_mode", "debug_mode_flag", PIPELINE),
)
_VARIABLES: Mapping[str, str] = MappingProxyType({"MS_DEV_SAVE_GRAPHS": GRAPHS, "ASCEND_LAUNCH_BLOCKING": SYNCHRONOUS})


def switched_on(call: Call) -> Iterator[Switch]:
    """Yield the switches that a call turns on by default, and that slow the training."""
    for switch in SWITCHES:
        is_on = not switch.argument or call.argument(switch.argument).default_truth is True
        if switch.api == call.api and is_on and _slows(call.program, switch.effect):
            yield switch


def exported(program: Program) -> Iterator[tuple[str, str, Place]]:
    """Yield the variables by which launchers turn a switch on that slows the training, its effect, and the place."""
    for name, effect in _VARIABLES.items():
        found = program.commands.exported(name)
        if found is not None and found[0] not in ("", "0") and _slows(program, effect):
            yield name, effect, found[1]


def _slows(program: Program, effect: str) -> bool:
    """Return whether a switch slows the mode in which a program trains; graph mode where that is not known."""
    if effect == PIPELINE:
        return True
    is_eager = mode.default_mode(program) == mode.PYNATIVE and not jit.is_compiled(program)
    return is_eager and not target_of(program).is_cpu if effect == SYNCHRONOUS else not is_eager


def is_asked_for(call: Call) -> bool:
    """Return whether the call runs only on request: under a flag that is off by default, or a test of the mode."""
    return call.is_optional or mode.is_opt_in(call.program, call)


def is_named_elsewhere(call: Call, parameter: str) -> bool:
    """Return whether what is passed for a parameter, a path, may be named by other code of the program too.

    No where nothing is passed: the place is the framework's then.
    """
    given = call.given(parameter)
    if given is None:
        return call.is_spread  # it may be among the rest
    text = call.argument(parameter).constant
    if not isinstance(given, ast.Constant) or not isinstance(text, str):
        return True
    word = text.strip("./").encode()
    return not word or sum(module.source.text.count(word) for module in call.program.all_modules) > 1
