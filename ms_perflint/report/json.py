"""A list of findings for other programs. Rows and columns count from 1, columns in characters."""

from __future__ import annotations

import json

from ms_perflint import pages
from ms_perflint.core.findings import Edit, Finding, Place
from ms_perflint.report import Outcome
from ms_perflint.report.sources import Sources
from ms_perflint.report.summary import statistics
from ms_perflint.report.unjudged import NAME


def render(outcome: Outcome) -> str:
    """Return the findings as a JSON list; pure ASCII, so that no encoding can spoil it."""
    return json.dumps([_finding(finding, outcome) for finding in outcome.findings], indent=2) + "\n"


def render_statistics(outcome: Outcome) -> str:
    """Return how often each rule was reported, as a JSON list; programs that were not judged come without a code."""
    keys = ("count", "code", "name", "fixable")
    rows: list[tuple[object, ...]] = [*statistics(outcome)]
    rows += [(len(outcome.unjudged), None, NAME, 0)] if outcome.unjudged else []
    return json.dumps([dict(zip(keys, row)) for row in rows], indent=2) + "\n"


def _finding(finding: Finding, outcome: Outcome) -> dict[str, object]:
    return {
        "code": finding.code,
        "name": finding.name,
        "message": finding.message,
        **_file(finding.place),
        "location": _location(finding.place),
        "end_location": _location(finding.end),
        "fix": _fix(finding, outcome),
        "related": [
            {**_file(related.place), "location": _location(related.place), "message": related.message}
            for related in finding.related
        ],
        "url": pages.url(finding.code, finding.name),
        "measured": measured._asdict() if (measured := outcome.measured(finding)) is not None else None,
        "configurations": list(finding.configurations) or None,
        "help": finding.help or None,
    }


def _file(place: Place) -> dict[str, object]:
    """Return the file of a place; in a notebook also the cell, in which rows count."""
    return {"filename": place.path, "cell": place.cell} if place.cell else {"filename": place.path}


def _location(place: Place) -> dict[str, int]:
    return {"row": place.line, "column": place.column}


def _fix(finding: Finding, outcome: Outcome) -> dict[str, object] | None:
    """Return the fix; None without one, or when one of its files cannot be read any more."""
    fix = outcome.fix(finding)
    if fix is None:
        return None
    edits = [_edit(edit, outcome.sources) for edit in fix.edits]
    reason = outcome.say(fix.reason) if fix.reason is not None else None
    made: dict[str, object] = {
        "applicability": fix.safety.value,
        "message": fix.message,
        "reason": reason,
        "edits": edits,
    }
    return made if all(edits) else None


def _edit(edit: Edit, sources: Sources) -> dict[str, object] | None:
    source = sources.get(edit.path)
    if source is None:
        return None
    start = source.place(edit.start)
    return {
        **_file(start),
        "content": source.worded(edit),
        "location": _location(start),
        "end_location": _location(source.place(edit.end)),
    }
