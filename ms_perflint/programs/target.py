"""For which MindSpore version and which devices a program is."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Optional

from ms_perflint import mindspore_api
from ms_perflint.findings import Place

if TYPE_CHECKING:
    from ms_perflint.programs.program import Program
    from ms_perflint.semantics.module import Module

Version = tuple[int, ...]
DEVICES = ("Ascend", "GPU", "CPU")
RELEASES: tuple[Version, ...] = (
    *((1, minor, 0) for minor in range(11)),
    *((2, minor, 0) for minor in range(11)),
)
PIN = re.compile(
    rb"""^[\s"'-]*mindspore(?:-ascend|-gpu|-cpu)?\s*(?:\[[^\]]*\])?\s*[=~]=\s*["']?(\d+(?:\.\d+)+)""",
    re.MULTILINE | re.IGNORECASE,
)
PIN_FILES = re.compile(r"requirements.*\.txt$|pyproject\.toml$|setup\.cfg$|environment\.ya?ml$")


@dataclass(frozen=True)
class Target:
    """What a program is meant to run on."""

    version: Version = (0,)
    devices: tuple[str, ...] = ()  # those that the program names; empty: unknown
    is_cpu: bool = False  # nothing but the CPU is possible
    places: tuple[Place, ...] = ()  # where the device was read
    capped_below: Optional[Version] = None  # a name that the code imports was removed in this version

    @property
    def is_gpu(self) -> bool:
        """Return whether a GPU is the only accelerator that the program names."""
        return "GPU" in self.devices and "Ascend" not in self.devices


def target_of(program: Program) -> Target:
    """Return the target of a program: what the options say, else what pins and the code itself show."""
    asked = program.asked
    target = _version(program) if asked.version == (0,) else asked
    if asked.devices:
        return replace(target, devices=asked.devices, is_cpu=asked.devices == ("CPU",))
    # `set_context` needs the version to know its parameters, so the version is settled first
    program.__dict__["target"] = target
    return _devices(program, target)


# --- version


def _version(program: Program) -> Target:
    pinned = _pin(program)
    if pinned is not None:
        return Target(pinned)
    cap: Optional[Version] = None
    for path in program.files:
        module = program.module(path) if program.project.contains(path, "mindspore") else None
        for name in _imported(module) if module is not None else ():
            removed = mindspore_api.removed_in(name)
            if removed is not None and (cap is None or removed < cap):
                cap = removed
    if cap is None:
        return Target(mindspore_api.newest())
    return Target(max(release for release in RELEASES if release < cap), capped_below=cap)


def _imported(module: Module) -> Iterator[str]:
    """Yield the full names that a module imports from MindSpore outside of `try`."""
    for imports in module.imported.values():
        for stmt, alias in imports:
            if isinstance(stmt, ast.ImportFrom):
                if not stmt.level and (stmt.module or "").partition(".")[0] == "mindspore":
                    yield f"{stmt.module}.{alias.name}"
            elif alias.name.partition(".")[0] == "mindspore":
                yield alias.name


def _pin(program: Program) -> Optional[Version]:
    """Return the version that a requirements file near the entry script pins."""
    files = program.project.files
    for directory in program.project.ancestors(os.path.dirname(program.entry)):
        for name in sorted(files.names(directory)):
            if PIN_FILES.search(name):
                match = PIN.search(program.project.raw(os.path.join(directory, name)) or b"")
                if match:
                    return mindspore_api.parse_version(match.group(1).decode())
    return None


# --- device


def _devices(program: Program, target: Target) -> Target:
    """Return the target with the devices that running code sets; CPU only where nothing else is possible."""
    names: set[str] = set()
    places: set[Place] = set()
    unknown = optional = False
    for call in program.calls("mindspore.set_context", "mindspore.set_device"):
        name = "device_target"
        if call.given(name) is None and not call.is_spread:
            continue
        value = call.argument(name)
        unknown = unknown or value.open
        optional = optional or value.optional
        for known in value.known:
            if isinstance(known.constant, str):
                names.add(known.constant)
                places.add(known.place)
    devices = tuple(device for device in DEVICES if device in names)
    is_cpu = devices == ("CPU",) and not unknown and not (optional and _names_accelerator(program))
    return replace(target, devices=devices, is_cpu=is_cpu, places=tuple(sorted(places)))


def _names_accelerator(program: Program) -> bool:
    """Return whether the program's code compares with, or lists, an accelerator."""
    for path in program.files:
        raw = program.project.raw(path) or b""
        if any(quote + name + quote in raw for name in (b"Ascend", b"GPU") for quote in (b"'", b'"')):
            return True
    return False
