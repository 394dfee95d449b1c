"""The last measurements, stored in the project, as evidence for findings until the program changes."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

from ms_perflint.config.settings import inside, relative
from ms_perflint.core.files import Disk, Files, read_regular
from ms_perflint.core.findings import Finding, Measurement
from ms_perflint.languages import Message
from ms_perflint.verify.lookup import NAME, project_of
from ms_perflint.verify.results import (
    CHANGES_LOSS,
    FAILS,
    FASTER,
    NOT_MEASURED,
    SAME,
    Measured,
    Result,
    as_json,
    changed,
    variant_of,
)

if TYPE_CHECKING:
    from ms_perflint.verify.variants import Variant

VERSION = 1
QUIET = 0.1  # noise up to which "no difference" refutes a finding
LARGEST = 10_000_000  # bytes of a kept file
CONFIRMED, REFUTED, NOT_MEASURABLE, NOT_SEEN = "confirmed", "refuted", "not-measurable", "not-seen"
ORDER = (CONFIRMED, REFUTED, NOT_SEEN, NOT_MEASURABLE)  # of measurements in several programs, the first one counts

Key = tuple[str, int, int, str]  # path in the project, row, column, code
DeviceOf = Callable[[str], Optional[str]]  # the device that the configuration of a file sets


def keep(
    project: str, files: Iterable[str], result: Result, variants: Sequence[Variant], devices: Sequence[str] = ()
) -> None:
    """Write the measurements of a program into its project, beside those of others. May raise OSError.

    `devices` are the target devices of the program.
    """
    path = os.path.join(project, NAME)
    kept = _read(path)
    own = [each for each in sorted({os.path.realpath(file) for file in files}) if inside(each, project)]
    kept[relative(os.path.realpath(result.program), project)] = {
        "files": {relative(file, project): _digest(read_regular(file)) for file in own},
        "result": {**as_json(result), "program": relative(os.path.realpath(result.program), project)},
        "devices": list(devices),
        "findings": [[list(_key(finding, project)) for finding in variant.fixed] for variant in variants],
    }
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump({"version": VERSION, "programs": kept}, file, indent=1, sort_keys=True)
        file.write("\n")
    os.replace(path + ".new", path)


class Kept:
    """The stored measurements of findings."""

    def __init__(self, files: Optional[Files] = None, device_of: DeviceOf = lambda path: None) -> None:
        """Take the current files, and a function for the configured device of a file."""
        self._files = files if files is not None else Disk()
        self._device_of = device_of
        self._projects: dict[str, Optional[str]] = {}  # by directory
        self._known: dict[str, Mapping[Key, Measurement]] = {}  # by project

    def of(self, finding: Finding) -> Optional[Measurement]:
        """Return the measurement of a finding's fix; None without one, or if its program has changed."""
        path = os.path.realpath(finding.place.path)
        project = project_of(os.path.dirname(path), self._projects)
        if project is None:
            return None
        if project not in self._known:
            self._known[project] = self._measurements(project)
        told = self._known[project].get(_key(finding, project))
        device = self._device_of(finding.place.path) if told is not None else None
        return told.on((device,)) if told is not None and device else told

    def _measurements(self, project: str) -> Mapping[Key, Measurement]:
        """Return the measurements of the findings of a project."""
        found: dict[Key, list[Measurement]] = {}
        for program in _read(os.path.join(project, NAME)).values():
            try:
                if self._is_unchanged(project, program["files"]):
                    for key, measurement in _of_program(program):
                        found.setdefault(key, []).append(measurement)
            except (AttributeError, KeyError, TypeError, ValueError):  # it was not written by this version
                continue
        return {key: min(several, key=_rank) for key, several in found.items()}

    def _is_unchanged(self, project: str, digests: Mapping[str, str]) -> bool:
        try:
            return all(_digest(self._files.read(os.path.join(project, file))) == was for file, was in digests.items())
        except OSError:
            return False


def _rank(measurement: Measurement) -> tuple[bool, int]:
    """Return a sort key of measurements in several programs: those on a target device of their program come first."""
    return not measurement.on_target, ORDER.index(measurement.verdict)


def _read(path: str) -> dict[str, Any]:
    """Return the stored data of programs, by path; nothing for an unreadable file."""
    try:
        document = json.loads(read_regular(path, LARGEST))
        programs = document["programs"] if document["version"] == VERSION else {}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}
    return programs if isinstance(programs, dict) else {}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _key(finding: Finding, project: str) -> Key:
    """Return the key of a finding, valid while its program does not change."""
    place = finding.place
    return relative(os.path.realpath(place.path), project), place.row, place.column, finding.code


class _Told(NamedTuple):
    """One variant, with the findings that it fixes."""

    measured: Measured
    keys: tuple[Key, ...]


def _of_program(program: Mapping[str, Any]) -> Iterable[tuple[Key, Measurement]]:
    """Yield the measurements of the findings of one program, of a rule alone if available."""
    result = program["result"]
    told = [
        _Told(variant_of(variant), tuple((str(path), row, column, str(code)) for path, row, column, code in findings))
        for variant, findings in zip(result["variants"], program["findings"])
    ]
    best: dict[Key, Measured] = {}
    for each in sorted(told, key=lambda one: (one.measured.verdict == NOT_MEASURED, len(one.measured.rules))):
        for key in each.keys:
            best.setdefault(key, each.measured)
    for key, measured in best.items():
        if measured.verdict != NOT_MEASURED:
            found = _measurement(key, measured, str(result["date"]), str(result["device"]))
            yield key, found.on([str(device) for device in program.get("devices", ())])


def _measurement(key: Key, measured: Measured, date: str, device: str) -> Measurement:
    """Return the measurement of a finding in a variant; several rules together refute none of them."""
    change = measured.change
    said = _said(measured)
    others = [code for code in measured.rules if code != key[-1]]
    if others:
        said = Message("{said}, together with {rules}", said=said, rules=", ".join(others))
    evidence = Message("measured {date} on {device}: {said}", date=date, device=device, said=said)
    is_gain = measured.verdict == FASTER and change is not None
    saved = measured.before - measured.after if is_gain and measured.before and measured.after else None
    share = -change if is_gain and change is not None else None
    return Measurement(_verdict(measured, bool(others)), saved, share, evidence, "verify", date, device)


def _verdict(measured: Measured, is_together: bool) -> str:
    """Return the verdict on a finding; "no difference" refutes nothing if the times of steps vary much."""
    if measured.verdict == FASTER:
        return CONFIRMED
    if measured.verdict == FAILS or is_together:
        return NOT_MEASURABLE
    return NOT_SEEN if measured.verdict == SAME and _noise(measured) > QUIET else REFUTED


def _noise(measured: Measured) -> float:
    """Return the noise of the times of steps, relative to their median."""
    spread = max((each for each in (measured.spread_before, measured.spread) if each is not None), default=0.0)
    return spread / 2 / measured.before if measured.before else 0.0


def _said(measured: Measured) -> Message:
    """Return the effect of a variant, in words."""
    if measured.verdict == FAILS:
        return Message("the program fails with the fix")
    if measured.verdict == CHANGES_LOSS:
        return Message("the fix changes the loss")
    if measured.verdict == SAME:
        noise = f"{_noise(measured):.0%}".replace("%", " %")
        return Message("no difference within the noise of ± {noise}", noise=noise)
    return changed(measured.change or 0.0)
