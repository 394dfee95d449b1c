"""One line a finding, below a heading for each file."""

from __future__ import annotations

from itertools import groupby

from ms_perflint.core.findings import Finding
from ms_perflint.report import Outcome
from ms_perflint.report.sources import shown, spot
from ms_perflint.report.summary import code, star, summary


def render(outcome: Outcome) -> str:
    """Return the findings by file, then the summary."""
    blocks = [
        _file(path, list(findings), outcome)
        for path, findings in groupby(outcome.findings, key=lambda finding: finding.place.path)
    ]
    return "\n".join("".join(f"{line}\n" for line in lines) for lines in [*blocks, summary(outcome)] if lines)


def _file(path: str, findings: list[Finding], outcome: Outcome) -> list[str]:
    """Return the lines of one file, its places in a column."""
    style = outcome.style
    places = [spot(finding.place) for finding in findings]
    wide = max(map(len, places))
    lines = [
        f"  {place:<{wide}}  {code(finding, outcome)}{star(finding, outcome)} {finding.message}"
        for place, finding in zip(places, findings)
    ]
    return [f"{style(shown(path), 'bold')}:", *lines]
