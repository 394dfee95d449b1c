"""GitLab's Code Quality report: a JSON list that the widget of a merge request compares with its target branch."""

from __future__ import annotations

import hashlib
import json

from ms_perflint import pages
from ms_perflint.core.findings import Finding, Place
from ms_perflint.core.reports import Unjudged
from ms_perflint.report import Outcome
from ms_perflint.report.fingerprints import fingerprints
from ms_perflint.report.root import below, root_of
from ms_perflint.report.unjudged import NAME, reason

SEVERITIES = {"large": "major", "medium": "minor", "small": "info"}  # by what a fix may gain


def render(outcome: Outcome) -> str:
    """Return the findings as a JSON list, pure ASCII, and the programs that were judged in part."""
    root = root_of(outcome.files)
    marks = fingerprints(outcome, root)
    found = [_finding(finding, outcome, root, mark) for finding, mark in zip(outcome.findings, marks)]
    found += [_unjudged(each, outcome, root) for each in outcome.unjudged]
    return json.dumps(found, indent=2) + "\n"


def _finding(finding: Finding, outcome: Outcome, root: str, fingerprint: str) -> dict[str, object]:
    place, end = map(outcome.sources.in_file, (finding.place, finding.end))
    page = pages.url(finding.code, finding.name)
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
        **({"url": page} if page is not None else {}),
    }


def _unjudged(each: Unjudged, outcome: Outcome, root: str) -> dict[str, object]:
    path, first = below(each.entry, root), {"line": 1, "column": 1}
    return {
        "type": "issue",
        "check_name": NAME,
        "description": outcome.say(reason(each)),
        "categories": ["Performance"],
        "severity": "info",
        "fingerprint": hashlib.sha256("\0".join((NAME, path, *each.codes)).encode("utf-8", "replace")).hexdigest(),
        "location": {"path": path, "positions": {"begin": first, "end": first}},
    }


def _position(place: Place) -> dict[str, int]:
    return {"line": place.row, "column": place.column}
