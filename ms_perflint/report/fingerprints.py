"""Fingerprints of findings, which stay the same while lines around them move."""

from __future__ import annotations

import hashlib
from collections import Counter

from ms_perflint.core.findings import Finding
from ms_perflint.report import Outcome
from ms_perflint.report.root import below

LENGTH = 32  # hexadecimal digits


def fingerprints(outcome: Outcome, root: str) -> list[str]:
    """Return the fingerprint of each finding: of its file, rule, lines, and the number of equal ones above."""
    seen: Counter[tuple[str, str, str]] = Counter()
    found = []
    for finding in outcome.findings:
        key = (below(finding.place.path, root), finding.code, _lines(finding, outcome))
        found.append(hashlib.sha256(repr((*key, seen[key])).encode()).hexdigest()[:LENGTH])
        seen[key] += 1
    return found


def _lines(finding: Finding, outcome: Outcome) -> str:
    """Return the reported lines without layout; nothing for a missing file."""
    source = outcome.sources.get(finding.place.path)
    if source is None:
        return ""
    rows = range(finding.place.row, finding.end.row + 1)
    return " ".join(b" ".join(source.line(row) for row in rows).decode("utf-8", "replace").split())
