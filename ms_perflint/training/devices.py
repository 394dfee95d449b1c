"""The devices that a program trains on."""

from __future__ import annotations

import ast
import os
import re

from ms_perflint.core.findings import ACCELERATORS, Place
from ms_perflint.index import execution_order
from ms_perflint.index.reachability import OPTIONAL
from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.infer.commandline import CONFIGS
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program, fact
from ms_perflint.program.target import Target
from ms_perflint.training import conditions
from ms_perflint.training.training import sets_nothing, train_sites, trains_between

DEVICES = ("Ascend", "GPU", "CPU")
_SPELLED = {"ascend": "Ascend", "davinci": "Ascend", "gpu": "GPU", "cpu": "CPU"}


def measured_devices(target: Target) -> tuple[str, ...]:
    """Return the devices whose measurements count: the accelerators of a target, or the CPU if that is certain."""
    return ("CPU",) if target.is_cpu else tuple(each for each in ACCELERATORS if each in target.devices)


@fact
def target_of(program: Program) -> Target:
    """Return the target of a program: that of the command line, else what requirements and the code show."""
    asked, target = program.asked, program.versions
    if asked.devices:
        return target._replace(devices=asked.devices, is_cpu=asked.devices == ("CPU",))
    return _devices(program, target)


def _devices(program: Program, target: Target) -> Target:
    """Return the target with the devices that running code sets; with `is_cpu` where no other device is possible."""
    calls = settings(program)
    is_run = program.run is not None  # whose options decide the device
    calls = [call for call in calls if not is_run or program.evaluator.reachability(call.block) != OPTIONAL]
    values = [call.argument("device_target") for call in calls]
    known = [each for value in values for each in (is_run and value.by_default) or value.alternatives]
    known = [each for each in known if _device(each.constant)]
    names = {_device(each.constant) for each in known}
    places = tuple(sorted({each.place for each in known}))
    is_cpu = (
        names == {"CPU"}
        and not any(value.open for value in values)
        and (_is_always_set(program, calls) or _is_set_by_training(program, calls))
    )
    if is_cpu and any(value.overridable for value in values) and not is_run:
        is_cpu = not _names_accelerator(program) and not any(_has_sibling(program, place) for place in places)
    return target._replace(devices=tuple(each for each in DEVICES if each in names), is_cpu=is_cpu, places=places)


def settings(program: Program) -> list[Call]:
    """Return the running calls that may set the device of a training."""
    calls = [call for call in _calls(program) if not sets_nothing(program, call.scope)]
    return [call for call in calls if not any(_is_replaced(program, call, other) for other in calls)]


def _calls(program: Program) -> list[Call]:
    given = program.calls("mindspore.set_context", "mindspore.set_device")
    return [call for call in given if call.given("device_target") is not None or call.is_spread]


def is_on_cpu(call: Call) -> bool:
    """Return whether the program trains on a CPU, or a function that nothing calls sets one and holds the call."""
    if target_of(call.program).is_cpu or not sets_nothing(call.program, call.scope):
        return target_of(call.program).is_cpu
    own = [each for each in _calls(call.program) if each.scope.owner is call.scope.owner]
    return bool(own) and all(each.argument("device_target").must_be("CPU") for each in own)


def _is_replaced(program: Program, call: Call, other: Call) -> bool:
    """Return whether another call always sets another device again before any training."""
    devices = [(value.open, value.constants) for value in (each.argument("device_target") for each in (call, other))]
    if other.is_spread or devices[0] == devices[1]:
        return False
    is_behind = call.scope.owner is other.scope.owner and other.block in call.block.chain() and call.span < other.span
    is_always = is_behind or _is_set_by_training(program, [other])
    return is_always and program.precedes(call, other) and not trains_between(program, call, other)


def is_cpu_by_default(program: Program) -> bool:
    """Return whether a program trains on a CPU with the default options."""
    if program.asked.devices:
        return False
    calls = [call for call in settings(program) if not conditions.is_on_request(program, call)]
    values = [call.argument("device_target") for call in calls]
    names = {_device(each.constant) for value in values for each in value.by_default}
    return names == {"CPU"} and not any(value.open for value in values)


def _device(constant: object) -> str:
    """Return the device that a text names, in any case; "" for other values."""
    return _SPELLED.get(constant.lower(), "") if isinstance(constant, str) else ""


def _is_always_set(program: Program, calls: list[Call]) -> bool:
    """Return whether one of some calls runs whatever the truth of the conditions: else the device is the package's.

    In a run configuration its options decide conditions, too.
    """
    paths = [frozenset(each) for call in calls for each in conditions.path_conditions(program, call)]
    if program.run is not None:
        paths = [frozenset(each for each in path if not conditions.by_default(program, each)) for path in paths]
    return conditions.always(paths)


def _is_set_by_training(program: Program, calls: list[Call]) -> bool:
    """Return whether one of some calls runs before each training, in its function or before all calls of that."""
    sites = train_sites(program)
    setting = _with_helpers(program, calls) if sites else []
    return bool(sites) and all(_is_set_before(program, site, setting, ()) for site in sites)


def _with_helpers(program: Program, calls: list[Call]) -> list[Site]:
    """Return some calls, and the calls of functions that always make one of them before they return."""
    found: list[Site] = list(calls)
    for site in found:  # it grows
        function = site.scope.owner
        may_return_before = any(isinstance(block.owner, ast.If) for block in site.block.chain())
        is_passed = execution_order.is_always_passed(execution_order.place(site.node, site.scope))
        if function.is_function and is_passed and not may_return_before:
            callers = (each for each in program.callers(function) if program.callees(each) == (function,))
            found += [each for each in callers if each not in found]
    return found


def _is_set_before(program: Program, site: Site, setting: list[Site], seen: tuple[Scope, ...]) -> bool:
    """Return whether one of some calls runs before a site; `seen`: the functions on the way there."""
    function = site.scope.owner
    around = site.block.chain()
    if any(each.scope.owner is function and each.block in around and each.span < site.span for each in setting):
        return True
    if not function.is_function or function in seen:
        return False
    callers = [each for each in program.callers(function) if program.runs(each)]
    return bool(callers) and all(_is_set_before(program, each, setting, (*seen, function)) for each in callers)


def _names_accelerator(program: Program) -> bool:
    """Return whether a text in the code of a program names an accelerator."""
    for path in program.files:
        if any(word in (program.project.raw(path) or b"").lower() for word in (b"ascend", b"gpu")):
            module = program.module(path)
            for node in ast.walk(module.tree) if module is not None else ():
                if isinstance(node, ast.Constant) and _device(node.value) in ACCELERATORS:
                    return True
    return False


def _has_sibling(program: Program, place: Place) -> bool:
    """Return whether another config file in the folder of a place names an accelerator under the same key."""
    directory, loaded = os.path.split(place.path)
    if not loaded.endswith(CONFIGS):
        return False
    lines = (program.project.raw(place.path) or b"").splitlines()
    key = re.match(rb"[\s\"'{]*([\w-]+)", lines[place.row - 1]) if place.row <= len(lines) else None
    if key is None:
        return False
    wanted = re.compile(
        rb"^[\s\"'{,]*" + re.escape(key.group(1)) + rb"[\"']?\s*:\s*[\"']?(?:ascend|gpu)\b",
        re.MULTILINE | re.IGNORECASE,
    )
    asked = (f"*{end}" for end in CONFIGS)
    others = sorted(name for name in program.project.files.named(directory, *asked) if name != loaded)
    raws = (program.project.raw(os.path.join(directory, name)) or b"" for name in others)
    return any(wanted.search(raw) for raw in raws)
