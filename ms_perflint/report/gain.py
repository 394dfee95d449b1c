"""The expected gain of fixes, by rule."""

from __future__ import annotations

from ms_perflint.core.findings import SIZES, Finding, Gain


def by_gain(finding: Finding) -> tuple[int, Finding]:
    """Return a sort key: the largest gain first."""
    return SIZES.index(gain(finding.code).size), finding


def gain(code: str) -> Gain:
    """Return the expected gain of fixing the findings of a rule."""
    from ms_perflint.check import gain_of  # here, because it loads all rules

    return gain_of(code)
