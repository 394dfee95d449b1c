"""What stands around the code: its files, the config files that it loads, its launchers, its target."""

from __future__ import annotations

import ast
import os

from ms_perflint.facts.data import Evidence, Fact, Origin
from ms_perflint.facts.reader import Reader, flat, short
from ms_perflint.findings import Place
from ms_perflint.programs import target as targets
from ms_perflint.programs.site import Call
from ms_perflint.semantics.module import Scope
from ms_perflint.semantics.settings import config_files as loads
from ms_perflint.semantics.values import Instance, Tree
from ms_perflint.source import SourceError

HOPS = 3  # from what is read to the path of its file
COMMAND = 120  # characters of a command that are shown
WHY = {
    targets.OPTION: "as asked for",
    targets.PIN: "the newest that the requirements allow",
    targets.IMPORT: "the newest that has what the code imports",
    targets.NEWEST: "the newest known: nothing pins it",
}


def files(reader: Reader) -> Fact:
    """Return how many files the program has; those that cannot be read are the evidence."""
    program = reader.program
    broken = []
    for path in program.files:
        try:
            program.project.parse(path)
        except SourceError as error:
            broken.append(Evidence(Place(path, error.row or 1, error.column or 1), "", f"left out: {error.message}"))
        except OSError as error:
            broken.append(Evidence(Place(path, 1, 1), "", f"left out: {error.strerror or error}"))
    return Fact("files", len(program.files), str(len(program.files)), tuple(broken))


def config_files(reader: Reader) -> Fact:
    """Return the YAML and JSON files that running code loads; and the loads of YAML whose file is not known."""
    program = reader.program
    known: list[Evidence] = []
    unknown: list[Evidence] = []
    for call in program.calls(*sorted(loads.LOADS)):
        trees = [each.what for each in program.value(call.node, call.scope).known if isinstance(each.what, Tree)]
        given, scope = _path_given(reader, call)
        for tree in trees:
            loaded = f"loaded in {os.path.basename(call.module.path)}:{call.node.lineno}"
            known.append(Evidence(Place(tree.path, 1, 1), "", loaded, None, reader.behind(given, scope)))
        if not trees and not call.api.startswith("json"):  # which is as often data
            says, origins = _why_not(reader, given, scope)
            unknown.append(Evidence(reader.place(call), reader.code(call), says, None, origins))
    count = len({each.place.path for each in known})
    says = str(count) if count else "none that is known"
    return Fact("config files", count, says, (*known, *unknown), bool(known or unknown))


def _path_given(reader: Reader, call: Call) -> tuple[ast.expr, Scope]:
    """Return the expression that says which file a call reads: the path behind `open(path)` and `open(path).read()`."""
    given, scope = call.node.args[0] if call.node.args else call.node, call.scope
    for _ in range(HOPS):
        made = (known.what for known in reader.program.value(given, scope).known)
        first = next((what for what in made if isinstance(what, Instance) and what.node is not None), None)
        if first is None or first.node is None:
            break
        if first.node.args:
            return first.node.args[0], first.scope
        if not isinstance(first.node.func, ast.Attribute):
            break
        given, scope = first.node.func.value, first.scope
    return given, scope


def _why_not(reader: Reader, given: ast.expr, scope: Scope) -> tuple[str, tuple[Origin, ...]]:
    """Return why a file is not read."""
    reading = reader.reading(reader.program.value(given, scope), given, scope)
    if isinstance(reading.value, str):
        return f"{reading.text}, and no such file is there", reading.origins
    if reading.text.startswith("None"):
        return "no file by default", reading.origins
    return f"the file is {reading.text}", reading.origins


def launchers(reader: Reader) -> Fact:
    """Return the commands in shell scripts that start the program, with the flags whose values can be told."""
    found: dict[tuple[str, str], Evidence] = {}
    for start in reader.program.starts:
        told = {flag: given for flag, given in start.flags.items() if given.is_bare or given.text is not None}
        flags = [flag if given.is_bare else f"{flag}={given.text}" for flag, given in told.items()]
        others = len(start.flags) - len(flags)
        place = start.script.place(start.command.words[0][1])
        code = flat(" ".join([os.path.basename(reader.program.entry), *flags]))
        says = f"{others} more flags have values that cannot be told" if others else ""
        found.setdefault((place.path, code), Evidence(place, short(code, COMMAND), says))
    count = len(reader.program.starts)
    return Fact("launchers", count, str(count) if count else "none", tuple(found.values()), bool(found))


def version(reader: Reader) -> Fact:
    """Return the MindSpore version that the program is for, and what says it."""
    target = reader.program.target
    number = _dotted(target.version)
    origins = tuple(map(reader.origin, target.version_places))
    evidence = tuple(Evidence(origin.place, origin.text) for origin in origins)
    return Fact("version", number, f"{number}, {WHY[target.source]}", evidence)


def _dotted(version: tuple[int, ...]) -> str:
    """Return a version as people write it: 2.10 for 2.10.0."""
    numbers = version[:-1] if len(version) > 2 and not version[-1] else version
    return ".".join(map(str, numbers))


def device(reader: Reader) -> Fact:
    """Return the devices that the program is for."""
    program, target = reader.program, reader.program.target
    names = ", ".join(target.devices[:-1]) + " or " * (len(target.devices) > 1) + "".join(target.devices[-1:])
    if program.asked.devices:
        return Fact("device", names, f"{names}, as asked for")
    evidence = tuple(
        reader.evidence(call, "device_target")
        for call in program.calls("mindspore.set_context", "mindspore.set_device")
        if call.given("device_target") is not None
    )
    if target.is_cpu:
        return Fact("device", "CPU", "CPU, and nothing else is possible", evidence)
    if not names:
        why = "is set to something unknown" if evidence else "is not set"
        return Fact("device", None, f"{why}: taken for an accelerator", evidence)
    also = ", or another: taken for an accelerator" if target.devices == ("CPU",) else ""
    return Fact("device", names, f"{names}{also}", evidence)
