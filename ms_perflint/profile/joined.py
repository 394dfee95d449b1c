"""A profile joined with findings: verdicts, and the kernels that take the most time with their lines."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple, Optional

from ms_perflint.core.findings import Finding, Measurement, Place
from ms_perflint.core.source import Source
from ms_perflint.languages import Message
from ms_perflint.profile.kernels import Profile
from ms_perflint.profile.symptoms import CONFIRMED, Asked, Symptom, numbers_of
from ms_perflint.profile.text_layout import ProfileError
from ms_perflint.profile.user_code import UserCode

HOT = 10  # rows of the table of hot kernels


class Hot(NamedTuple):
    """The time of one attribute of one class in a step."""

    owner: str  # "Block.fc"
    types: tuple[str, ...]  # of its kernels, the most expensive first
    us: float
    place: Optional[Place]
    codes: tuple[str, ...] = ()  # of findings on that line


class Joined(NamedTuple):
    """The evidence of a profile for a run of the linter."""

    profile: Profile
    findings: tuple[Finding, ...]  # the largest bound first
    measured: Mapping[Finding, Measurement]
    hot: tuple[Hot, ...]


def join(
    profile: Profile,
    findings: Sequence[Finding],
    sources: Sequence[Source],
    symptom_of: Callable[[str], Optional[Symptom]],
    lines: Mapping[str, tuple[str, int]],
    is_known: Callable[[str], bool],
) -> Joined:
    """Return findings with the evidence of a profile.

    `sources` are the files of the program, `symptom_of` returns the symptom of a rule, `lines` come from saved graphs,
    and `is_known` tells whether a class is the framework's. Raises ProfileError for the profile of another program.
    """
    code = UserCode(sources)
    _refuse_another(profile, code, is_known)
    by_path = {source.path: source for source in sources}
    measured = {}
    for finding in findings:
        if (symptom := symptom_of(finding.code)) is not None:
            measured[finding] = _measured(finding, profile, code, by_path.get(finding.place.path), symptom, lines)
    ranked = sorted(findings, key=lambda finding: _rank(measured.get(finding)))
    return Joined(profile, tuple(ranked), measured, _hot(profile, code, ranked, lines))


def _rank(measured: Optional[Measurement]) -> tuple[bool, float]:
    """Return a sort key of findings: confirmed ones first, then the larger bound."""
    if measured is None:
        return True, 0.0
    return measured.verdict != CONFIRMED, -(measured.upper_ms or 0.0)


def _measured(
    finding: Finding,
    profile: Profile,
    code: UserCode,
    source: Optional[Source],
    symptom: Symptom,
    lines: Mapping[str, tuple[str, int]],
) -> Measurement:
    """Return the evidence of a profile for one finding."""
    text = source.text[source.at(finding.place) : source.at(finding.end)] if source is not None else b""
    seen = symptom(Asked(profile, code, finding, code.spot(finding.place), numbers_of(text), lines))
    upper = seen.upper_us
    share = round(profile.share(upper), 4) if upper is not None else None
    upper_ms = round(upper / 1000, 4) if upper is not None else None
    return Measurement(seen.verdict, upper_ms, share, seen.evidence, "profile", profile.date, profile.device)


def _refuse_another(profile: Profile, code: UserCode, is_known: Callable[[str], bool]) -> None:
    """Raise ProfileError if the profile and the program have classes, but none in common."""
    time: dict[str, float] = {}
    for kernel in profile.kernels:
        for name in {cell.name for cell in kernel.name.cells}:
            if not is_known(name):
                time[name] = time.get(name, 0.0) + kernel.total_us
    top = sorted(time, key=lambda name: (-time[name], name))[:HOT]
    if top and code.classes and not any(name in code.classes for name in top):
        names = ", ".join(top[:3])
        message = Message(
            "{folder}: the profile of another program: no class like {names} in these files",
            folder=profile.folder,
            names=names,
        )
        raise ProfileError(message)


def _hot(
    profile: Profile, code: UserCode, findings: Collection[Finding], lines: Mapping[str, tuple[str, int]]
) -> tuple[Hot, ...]:
    """Return the times of the classes' attributes, the largest first; with `lines`, the times of lines."""
    time: dict[tuple[str, str, Optional[tuple[str, int]]], dict[str, float]] = {}
    for kernel in profile.kernels:
        owner = code.owner(kernel)
        if owner is not None:
            by_type = time.setdefault((*owner, lines.get(kernel.name.operator)), {})
            by_type[kernel.type] = by_type.get(kernel.type, 0.0) + kernel.total_us / profile.window
    found = []
    for (name, attribute, line), by_type in time.items():
        place = Place(line[0], line[1], 1) if line is not None else code.place(name, attribute)
        at = (place.path, place.row) if place is not None else None
        codes = {finding.code for finding in findings if (finding.place.path, finding.place.row) == at}
        types = tuple(sorted(by_type, key=lambda kind: -by_type[kind])[:3])
        owner_name = f"{name}.{attribute}" if attribute else name
        found.append(Hot(owner_name, types, sum(by_type.values()), place, tuple(sorted(codes))))
    return tuple(sorted(found, key=lambda hot: (-hot.us, hot.owner))[:HOT])
