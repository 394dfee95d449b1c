"""Facts about the surroundings of the code: files, config files, launchers, target."""

from __future__ import annotations

import ast
import os
from collections.abc import Sequence

from ms_perflint.core.findings import Place
from ms_perflint.core.source import SourceError, flat, short
from ms_perflint.facts.data import Evidence, Fact, Origin
from ms_perflint.facts.reader import Reader
from ms_perflint.facts.words import NONE, either
from ms_perflint.index.semantic_index import Scope
from ms_perflint.languages import Message
from ms_perflint.linting.linter import Linter
from ms_perflint.program import target as targets
from ms_perflint.program.call_site import Call
from ms_perflint.training.devices import target_of

HOPS = 3  # steps from a load to the path of its file
COMMAND = 120  # characters of a command that are shown
WHY = {
    targets.OPTION: Message("as asked for"),
    targets.PIN: Message("the newest that the requirements allow"),
    targets.IMPORT: Message("the newest that has what the code uses"),
    targets.NEWEST: Message("the newest known: nothing pins it"),
}


def files(reader: Reader) -> Fact:
    """Return the number of the program's files, with unreadable files as evidence."""
    program = reader.program
    broken = []
    for path in program.files:
        try:
            program.project.parse(path)
        except SourceError as error:
            says = Message("left out: {reason}", reason=error.message)
            broken.append(Evidence(Place(path, error.row or 1, error.column or 1), "", says))
        except OSError as error:
            says = Message("left out: {reason}", reason=error.strerror or error)
            broken.append(Evidence(Place(path, 1, 1), "", says))
    return Fact(Message("files"), len(program.files), str(len(program.files)), tuple(broken))


def judged(linter: Linter, entry: str) -> tuple[Fact, ...]:
    """Return the reason why a program was judged in part; nothing for one that was judged as a whole."""
    gap = linter.runner.why_unjudged(entry)
    gaps = {} if gap is not None else linter.runner.gaps(entry, linter.asked_of(entry))
    reason = gap.reason if gap is not None else next(iter(gaps.values()), None)
    return (Fact(Message("judged"), False, Message("in part: {reason}", reason=reason)),) if reason else ()


def config_files(reader: Reader) -> Fact:
    """Return the YAML and JSON files that the program loads, and loads of YAML files that are not known."""
    program = reader.program
    known: list[Evidence] = []
    unknown: list[Evidence] = []
    for call in program.calls(*sorted(program.evaluator.libraries.documents)):
        paths = [each.document for each in program.value(call.node, call.scope).alternatives if each.document]
        given, scope = _path_given(reader, call)
        for path in paths:
            loaded = Message("loaded in {place}", place=call.place.named)
            known.append(Evidence(Place(path, 1, 1), "", loaded, None, reader.behind(given, scope)))
        if not paths and not call.api.startswith("json"):  # JSON files are as often data
            says, origins = _why_not(reader, given, scope)
            unknown.append(Evidence(call.place, reader.code(call), says, None, origins))
    count = len({each.place.path for each in known})
    says = str(count) if count else Message("none that is known")
    return Fact(Message("config files"), count, says, (*known, *unknown), bool(known or unknown))


def _path_given(reader: Reader, call: Call) -> tuple[ast.expr, Scope]:
    """Return the expression for the file that a call reads: the path of `open(path)` and `open(path).read()`."""
    given, scope = call.node.args[0] if call.node.args else call.node, call.scope
    for _ in range(HOPS):
        made = (known.creation for known in reader.program.value(given, scope).alternatives)
        first = next((layer for layer in made if layer is not None), None)
        if first is None:
            break
        if first.call.args:
            return first.call.args[0], first.scope
        if not isinstance(first.call.func, ast.Attribute):
            break
        given, scope = first.call.func.value, first.scope
    return given, scope


def _why_not(reader: Reader, given: ast.expr, scope: Scope) -> tuple[str, tuple[Origin, ...]]:
    """Return the reason why a file is not read."""
    reading = reader.reading(reader.program.value(given, scope), given, scope)
    if isinstance(reading.value, str):
        return Message("{path}, and no such file is there", path=reading.text), reading.origins
    if reading.text.startswith("None"):
        return Message("no file by default"), reading.origins
    return Message("the file is {path}", path=reading.text), reading.origins


def launchers(reader: Reader) -> Fact:
    """Return the commands in shell scripts that start the program, with flags of known values."""
    found: dict[tuple[str, str], Evidence] = {}
    for start in reader.program.commands.starts:
        told = {flag: given for flag, given in start.flags.items() if given.is_bare or given.text is not None}
        flags = [flag if given.is_bare else f"{flag}={given.text}" for flag, given in told.items()]
        others = len(start.flags) - len(flags)
        place = start.script.place(start.command.words[0][1])
        code = flat(" ".join([os.path.basename(reader.program.entry), *flags]))
        one = Message("one more flag has a value that cannot be told")
        several = Message("{number} more flags have values that cannot be told", number=others)
        says = several if others > 1 else one if others else ""
        found.setdefault((place.path, code), Evidence(place, short(code, COMMAND), says))
    count = len(reader.program.commands.starts)
    return Fact(Message("launchers"), count, str(count) if count else NONE, tuple(found.values()), bool(found))


def version(reader: Reader) -> Fact:
    """Return the MindSpore version of the program, with its evidence."""
    target = target_of(reader.program)
    number = _dotted(target.version)
    origins = tuple(map(reader.origin, target.version_places))
    evidence = tuple(Evidence(origin.place, origin.text) for origin in origins)
    says = Message("{version}, {why}", version=number, why=WHY[target.source])
    return Fact(Message("version"), number, says, evidence)


def _dotted(version: tuple[int, ...]) -> str:
    """Return a version in short form: 2.10 for 2.10.0."""
    numbers = version[:-1] if len(version) > 2 and not version[-1] else version
    return ".".join(map(str, numbers))


def device(reader: Reader) -> Fact:
    """Return the target devices of the program."""
    program, target = reader.program, target_of(reader.program)
    name, names = Message("device"), _named(target.devices)
    if program.asked.devices:
        return Fact(name, names, Message("{devices}, as asked for", devices=names))
    evidence = tuple(
        reader.evidence(call, "device_target")
        for call in program.calls("mindspore.set_context", "mindspore.set_device")
        if call.given("device_target") is not None
    )
    if target.is_cpu:
        return Fact(name, "CPU", Message("CPU, and nothing else is possible"), evidence)
    if not names and evidence:
        return Fact(name, None, Message("is set to something unknown: taken for an accelerator"), evidence)
    if not names:
        return Fact(name, None, Message("is not set: taken for an accelerator"), evidence)
    if target.devices == ("CPU",):
        return Fact(name, names, Message("CPU, or another: taken for an accelerator"), evidence)
    return Fact(name, names, names, evidence)


def _named(devices: Sequence[str]) -> str:
    """Return devices as alternatives: "Ascend, GPU or CPU"."""
    return either([part for part in (", ".join(devices[:-1]), *devices[-1:]) if part]) if devices else ""
