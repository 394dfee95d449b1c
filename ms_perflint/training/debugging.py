"""Switches for debugging: those that are on, their options, and the code that reads their output."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Optional

from ms_perflint.core.findings import Place
from ms_perflint.index.reachability import condition_of
from ms_perflint.index.semantic_index import Site
from ms_perflint.index.syntax_forms import TRY
from ms_perflint.infer import tables
from ms_perflint.infer.alternatives import Api
from ms_perflint.infer.path_values import Path
from ms_perflint.infer.paths import paths
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training import conditions, environment, jit, mode
from ms_perflint.training.devices import target_of

if TYPE_CHECKING:
    from ms_perflint.training.file_uses import Use

GRAPHS, SYNCHRONOUS, PIPELINE = "graphs", "synchronous", "pipeline"  # what a switch does


class Switch(NamedTuple):
    """A switch: its API, the argument that turns it on ("" for a call without one), and its effect."""

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
    """Yield the switches that a call turns on with the default options, and that slow the training."""
    for switch in SWITCHES:
        is_on = not switch.argument or call.argument(switch.argument).default_truth is True
        is_slow = switch.api == call.api and is_on and _slows(call.program, switch.effect)
        if is_slow and not _is_turned_off(call, switch):
            yield switch


def _is_turned_off(call: Call, switch: Switch) -> bool:
    """Return whether a later call may turn a switch off again before the training starts, with the default options."""
    program, known, start = call.program, condition_of(call), mode.training_starts(call.program)
    for other in program.calls(switch.api) if switch.argument else ():
        later = program.position(other)
        is_behind = program.precedes(call, other) and (start is None or later is None or later <= start)
        is_off = other.given(switch.argument) is not None and other.argument(switch.argument).default_truth is False
        if is_behind and is_off and program.runs(other):
            more = (condition for condition in condition_of(other) if condition not in known)
            if all(conditions.by_default(program, each) is not False for each in more):
                return True
    return False


def exported(program: Program) -> Iterator[tuple[str, str, Place]]:
    """Yield the variables by which launchers or code slow the training, each with its effect and its place.

    Graphs are saved also where code sets the variable after the import. Run on 2.10.
    """
    for name, effect in _VARIABLES.items():
        found = program.inputs.exported(name) or _set_in_code(program, name)
        if found is not None and found[0] not in ("", "0") and _slows(program, effect):
            yield name, effect, found[1]


def _set_in_code(program: Program, name: str) -> Optional[tuple[str, Place]]:
    """Return the text that code sets a variable to with the default options, with its place; None for others."""
    found = [each for each in environment.writes(program, name) if _is_run(program, each[0])]
    if len(found) != 1 or conditions.is_on_request(program, found[0][0]):
        return None
    site, node = found[0]
    if tables.is_deleted(
        program.evaluator, program.evaluator.known(Api(tables.ENVIRONMENT), node, site.scope), name, node
    ):
        return None
    text = program.value(node, site.scope).constant
    unsure = any(conditions.by_default(program, each) is None for each in condition_of(site))
    return (text, site.module.place(site.stmt)) if isinstance(text, str) and not unsure else None


def _is_run(program: Program, site: Site) -> bool:
    """Return whether a site runs, at the module level or in a function that is called."""
    owner = site.scope.owner
    return program.runs(site) and (not owner.is_function or bool(program.callers(owner)))


def _slows(program: Program, effect: str) -> bool:
    """Return whether an effect slows a program in its mode; an unknown mode counts as graph mode."""
    if effect == PIPELINE:
        return True
    is_eager = mode.default_mode(program) == mode.PYNATIVE and not jit.is_compiled(program)
    return is_eager and not target_of(program).is_cpu if effect == SYNCHRONOUS else not is_eager


def is_asked_for(call: Call) -> bool:
    """Return whether the call needs an option that is off by default, also one for the mode, or an error."""
    return call.is_optional or mode.is_opt_in(call.program, call) or _is_handler(call)


def _is_handler(call: Call) -> bool:
    """Return whether a call runs where something fails."""
    return any(isinstance(each.owner, TRY) and each.arm.startswith("handler") for each in call.block.chain())


def use_of_graphs(call: Call, parameter: str) -> Optional[Use]:
    """Return a use of the folder that a call passes for a parameter, or of a file in it, behind the call.

    Where the call passes none, the graphs are in the working directory. Run on 2.10.
    """
    from ms_perflint.training.file_uses import use_after  # here, because few programs save graphs

    given = call.given(parameter)
    folders = paths(call.program.evaluator, given, call.scope) if given is not None else ()
    written = [each for path in folders for each in (path, path.added(Path(("/graph.ir",))))]
    return use_after(call.program, call, written if given is not None else [Path(("graph.ir",))])


def is_named_elsewhere(call: Call, parameter: str) -> bool:
    """Return whether other code of the program may name the path that a call passes for a parameter.

    Where the call passes none, the framework chooses the path.
    """
    given = call.given(parameter)
    if given is None:
        return call.is_spread  # `**options` may pass it
    text = call.argument(parameter).constant
    if not isinstance(given, ast.Constant) or not isinstance(text, str):
        return True
    word = text.strip("./").encode()
    return not word or sum(module.source.text.count(word) for module in call.program.all_modules) > 1
