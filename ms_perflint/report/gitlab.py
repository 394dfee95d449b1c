"""GitLab's Code Quality report: a JSON list that the widget of a merge request compares with its target branch."""

from __future__ import annotations

import json

from ms_perflint import pages
from ms_perflint.core.findings import Finding, Place
from ms_perflint.report import Outcome
from ms_perflint.report.fingerprints import fingerprints
from ms_perflint.report.root import below, root_of

SEVERITIES = {"large": "major", "medium": "minor", "small": "info"}  # by what mending it may gain


def render(outcome: Outcome) -> str:
    """Return the findings as a JSON list, pure ASCII."""
    root = root_of(outcome.files)
    marks = fingerprints(outcome, root)
    found = [_finding(finding, outcome, root, mark) for finding, mark in zip(outcome.findings, marks)]
    return json.dumps(found, indent=2) + "\n"


def _finding(finding: Finding, outcome: Outcome, root: str, fingerprint: str) -> dict[str, object]:
    place, end = map(outcome.sources.in_file, (finding.place, finding.end))
    return {
        "type": "issue",
        "check_name": finding.code,
        "description": f"{finding.code}: {finding.message}",
        "categories": ["Performance"],
        "severity": SEVERITIES[outcome.gain(finding.code).size],
        "fingerprint": fingerprint,
        "location": {
            "path": below(finding.place.path, root),
            "positions": {"begin": _position(place), "end": _position(end)},
        },
        "url": pages.url(finding.code, finding.name),
    }


def _position(place: Place) -> dict[str, int]:
    return {"line": place.row, "column": place.column}
