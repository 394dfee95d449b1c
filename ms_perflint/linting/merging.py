"""Merging of findings: one for each place, over run configurations and programs; the fix stays where all agree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Optional

from ms_perflint.core.findings import Edit, Finding, Related, Safety
from ms_perflint.languages import Message

DEFAULTS = "defaults"  # the run configuration of a user who passes nothing more than all launchers do
Found = dict[tuple[object, ...], Finding]  # by place


def only_shown(finding: Finding, reason: Message) -> Finding:
    """Return a finding with a display-only fix and the reason; a fix that is display-only before keeps its reason."""
    fix = finding.fix
    if fix is None or (fix.safety is Safety.DISPLAY and fix.reason is not None):
        return finding
    return finding._replace(fix=fix._replace(safety=Safety.DISPLAY, reason=reason))


class Ran(NamedTuple):
    """The findings in a file of a program in one run configuration."""

    name: str
    found: Found
    comes_to: Callable[[Finding], bool]  # whether it runs what a finding is about, with the options that it gives


def over_runs(
    by_run: Sequence[Ran], is_local: Callable[[Finding], bool], beyond: int = 0, are_meant: bool = True
) -> Found:
    """Return the findings of a program in a file, over its run configurations.

    One that does not hold for all says for which: for those that come to it, where there are such. Where they need
    different fixes, none is made; nor where others would be changed: a fix that `is_local` changes none that does not
    come to it. What `beyond` these have is not known: what holds for all of these names them, and says so where more
    are not meant at all.
    """
    out: Found = {}
    for key in dict.fromkeys(key for run in by_run for key in run.found):
        having = [run for run in by_run if key in run.found]
        holds = [run for run in having if run.comes_to(run.found[key])] or having
        found = sorted((run.found[key] for run in holds), key=lambda each: len(each.message))  # no condition: first
        unfixed = next((each for each in found if each.fix is None), None)  # it says why there is none
        if unfixed is not None:
            first = unfixed
        elif len(set(map(_edits, found))) > 1:
            first = only_shown(found[0], Message("the run configurations need different fixes"))
        else:
            first = max(found, key=_weakness)
        names = tuple(run.name for run in holds)
        is_of_all = len(names) == len(by_run) and (are_meant or not beyond)
        if not is_of_all:
            is_own = is_local(first) and not any(run.comes_to(first) for run in by_run if key not in run.found)
            if not is_own:
                first = only_shown(first, Message("it would change the other run configurations too"))
            first = _of_some(first, names, len(by_run) + beyond)
        out[key] = first._replace(configurations=names) if is_of_all and beyond else first
    return out


def _of_some(finding: Finding, names: tuple[str, ...], every: int) -> Finding:
    """Return a finding whose message names the run configurations for which it holds."""
    said, name = finding.message, next((each for each in names if each != DEFAULTS), names[0])
    message = Message("{message}, with 1 of {every} run configurations: {name}", message=said, every=every, name=name)
    if len(names) > 1:
        message = Message(
            "{message}, with {some} of {every} run configurations, for example {name}",
            message=said, some=len(names), every=every, name=name,
        )  # fmt: skip
    return finding._replace(message=message, configurations=names)


def _edits(finding: Finding) -> Optional[tuple[Edit, ...]]:
    return finding.fix.edits if finding.fix is not None else None


def _advice(finding: Finding) -> str:
    return finding.fix.message if finding.fix is not None else finding.help


def _weakness(finding: Finding) -> int:
    return list(Safety).index(finding.fix.safety) if finding.fix is not None else -1


def merged(by_program: Sequence[Found]) -> list[Finding]:
    """Return the findings of a file: one program that reports is enough; the fix stays if all that report agree.

    They agree where they make the same edits, or each makes its own in files of its own: a literal that each of several
    scripts passes to a shared function. The finding with the least safe fix counts then.
    """
    out: list[Finding] = []
    keys = dict.fromkeys(key for found in by_program for key in found)
    for key in keys:
        reports = [found[key] for found in by_program if key in found]
        reports.sort(key=lambda report: bool(report.configurations))  # what holds in a whole program comes first
        first = reports[0]
        edits = set(map(_edits, reports))
        joined = _joined(reports) if len(edits) > 1 else None
        if joined is not None:
            out.append(joined)
        elif len(edits) > 1:
            unfixed = next((report for report in reports if report.fix is None), None)  # it says why there is none
            text = Message("no fix is shown: the programs that run this need different ones")
            noted = first._replace(fix=None, related=(*first.related, Related(first.place, text)), help=_advice(first))
            out.append(unfixed if unfixed is not None else noted)
        elif first.fix is None:
            out.append(first)
        else:
            out.append(max(reports, key=_weakness))
    return out


def _joined(reports: Sequence[Finding]) -> Optional[Finding]:
    """Return a finding with the edits of all programs that report it; None where these differ in some file."""
    made: dict[str, set[tuple[Edit, ...]]] = {}
    for report in reports:
        if report.fix is None or report.fix.safety is Safety.DISPLAY:
            return None
        for path in {edit.path for edit in report.fix.edits}:
            made.setdefault(path, set()).add(tuple(edit for edit in report.fix.edits if edit.path == path))
    if any(len(edits) > 1 for edits in made.values()):
        return None
    weakest = max(reports, key=_weakness)
    assert weakest.fix is not None
    joined = tuple(sorted(edit for (edits,) in made.values() for edit in edits))
    return weakest._replace(fix=weakest.fix._replace(edits=joined))
