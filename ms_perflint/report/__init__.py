"""What a run found, as text for people or for programs. Reporters decide nothing: they render."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ms_perflint.findings import Finding, Safety
from ms_perflint.report.sources import Sources
from ms_perflint.report.style import PLAIN, Style

FORMATS = ("text", "concise", "json")


def as_written(finding: Finding) -> Safety | None:
    """Return how far the rule itself trusts its fix."""
    return finding.fix.safety if finding.fix else None


@dataclass(frozen=True)
class Outcome:
    """What is left to report after a run, with what a reporter needs to show it."""

    findings: tuple[Finding, ...]
    sources: Sources
    style: Style = PLAIN
    trust: Callable[[Finding], Safety | None] = as_written  # under the configuration of the run
    unsafe: bool = False  # whether `--fix` makes unsafe fixes without asking
    fixed: tuple[Finding, ...] | None = None  # what was mended before; None when nothing was to be mended
    read: bool = True  # whether some file could be linted

    def mends(self, finding: Finding) -> bool:
        """Return whether `--fix`, with the settings of the run, mends this finding."""
        return self.trust(finding) is Safety.SAFE or (self.unsafe and self.trust(finding) is Safety.UNSAFE)

    def could_mend(self, finding: Finding) -> bool:
        """Return whether it takes `--unsafe-fixes` to mend this finding."""
        return self.trust(finding) is Safety.UNSAFE and not self.unsafe


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
