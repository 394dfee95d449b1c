"""What a run found, as text for people or for programs. Reporters decide nothing: they render."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ms_perflint.findings import Finding, Safety
from ms_perflint.report.sources import Sources
from ms_perflint.report.style import PLAIN, Style

FORMATS = ("text", "concise", "json")


@dataclass(frozen=True)
class Outcome:
    """What is left to report after a run, with what a reporter needs to show it."""

    findings: tuple[Finding, ...]
    sources: Sources
    style: Style = PLAIN
    applies: Callable[[Finding], bool] = lambda finding: fixable(finding, Safety.SAFE)  # would `--fix` mend it?
    fixed: int = 0  # findings that were mended before


def fixable(finding: Finding, safety: Safety) -> bool:
    """Return whether a finding has a fix that is at least this trustworthy."""
    return finding.fix is not None and not safety < finding.fix.safety


def render(name: str, outcome: Outcome) -> str:
    """Return the report in the format of that name, with a line end where there is something to say."""
    if name == "json":
        from ms_perflint.report import json

        return json.render(outcome)
    if name == "concise":
        from ms_perflint.report import concise

        return concise.render(outcome)
    from ms_perflint.report import text

    return text.render(outcome)


def render_statistics(name: str, outcome: Outcome) -> str:
    """Return how often each rule was reported, in the format of that name."""
    if name == "json":
        from ms_perflint.report import json

        return json.render_statistics(outcome)
    from ms_perflint.report.summary import render_statistics as table

    return table(outcome)
