"""One line a finding, for editors and for `grep`."""

from __future__ import annotations

from ms_perflint.report import Outcome
from ms_perflint.report.summary import headline, summary


def render(outcome: Outcome) -> str:
    """Return one line for each finding, then the summary."""
    return "".join(f"{line}\n" for line in [*(headline(f, outcome) for f in outcome.findings), *summary(outcome)])
