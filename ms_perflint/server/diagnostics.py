"""Findings as diagnostics of the protocol."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from lsprotocol import types

from ms_perflint import pages
from ms_perflint.core.findings import Finding, Place
from ms_perflint.core.reports import Problem
from ms_perflint.server.buffers import Buffer, uri_of
from ms_perflint.server.linting import Checked
from ms_perflint.server.places import Columns

SOURCE = "ms-perflint"


def diagnostics(checked: Checked, cell: int, columns: Columns, buffers: Sequence[Buffer]) -> list[types.Diagnostic]:
    """Return all that is to be shown in a file, or in a cell of it; what is in no cell shows in the first one."""
    problems = [one for one in checked.problems if one.cell == cell or (not one.cell and cell == 1)]
    findings = [one for one in checked.findings if one.place.cell == cell]
    return [
        *(of_problem(problem, checked, columns) for problem in problems),
        *(of_finding(finding, checked, columns, buffers) for finding in findings),
        *(of_unjudged(said) for said in (checked.unjudged if cell <= 1 else ())),
    ]


def of_finding(finding: Finding, checked: Checked, columns: Columns, buffers: Sequence[Buffer]) -> types.Diagnostic:
    """Return a finding, with the places that it rests on and the page of its rule."""
    related = [
        types.DiagnosticRelatedInformation(
            types.Location(
                uri_of(each.place.path, buffers, each.place.cell),
                columns.range(each.place, each.place, checked.sources.get(each.place.path)),
            ),
            each.message,
        )
        for each in finding.related
    ]
    page = pages.url(finding.code, finding.name)
    return types.Diagnostic(
        range=columns.range(finding.place, finding.end, checked.source),
        message=finding.message,
        severity=types.DiagnosticSeverity.Warning,
        code=finding.code,
        code_description=types.CodeDescription(page) if page is not None else None,
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if is_superfluous(finding) else None,
        related_information=related or None,
    )


def of_config(
    path: str, checked: Iterable[Checked], columns: Columns, buffers: Sequence[Buffer]
) -> list[types.Diagnostic]:
    """Return what is to be shown in a config file: the findings that it decides, each with where it is reported."""
    found: dict[tuple[str, int], types.Diagnostic] = {}
    for one in checked:
        for finding, related in ((each, other) for each in one.findings for other in each.related):
            if related.place.path != path:
                continue
            shown = of_finding(finding, one, columns, buffers)
            uri = uri_of(finding.place.path, buffers, finding.place.cell)
            reported = types.DiagnosticRelatedInformation(types.Location(uri, shown.range), finding.message)
            known = found.get((finding.code, related.place.row))
            if known is not None:
                known.related_information = [*(known.related_information or ()), reported]
                continue
            shown.range, shown.tags = columns.rest_of_line(related.place, one.sources.get(path)), None
            shown.related_information = [reported]
            found[finding.code, related.place.row] = shown
    return list(found.values())


def of_problem(problem: Problem, checked: Checked, columns: Columns) -> types.Diagnostic:
    """Return why a file could not be looked at, as far as it could not."""
    place = columns.position(Place(problem.path, problem.row, problem.column), checked.source)
    return types.Diagnostic(
        range=types.Range(place, place),
        message=problem.message,
        severity=types.DiagnosticSeverity.Warning,
        source=SOURCE,
    )


def of_unjudged(said: str) -> types.Diagnostic:
    """Return a hint on the first line: that a program of the file was judged in part, and why."""
    start = types.Position(0, 0)
    return types.Diagnostic(types.Range(start, start), said, severity=types.DiagnosticSeverity.Hint, source=SOURCE)


def is_superfluous(finding: Finding) -> bool:
    """Return whether what was found can go without a replacement: editors show it faded."""
    edits = finding.fix.edits if finding.fix else ()
    return bool(edits) and all(edit.start < edit.end and not edit.text.strip() for edit in edits)


def identity(found: Sequence[types.Diagnostic]) -> str:
    """Return what tells diagnostics from others: editors need not be sent the same ones again."""
    return hashlib.blake2b(repr(found).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
