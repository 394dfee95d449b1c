"""What fixing findings may gain, as their rules say."""

from __future__ import annotations

from ms_perflint.core.findings import SIZES, Finding, Gain


def by_gain(finding: Finding) -> tuple[int, Finding]:
    """Return a sort key: what may gain the most first."""
    return SIZES.index(gain(finding.code).size), finding


def gain(code: str) -> Gain:
    """Return what fixing the findings of a rule may gain."""
    from ms_perflint.check import gain_of  # here, because it brings all rules

    return gain_of(code)
