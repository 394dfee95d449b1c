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
    """Return all diagnostics of a file, or of a cell of it; those outside of cells are in the first one."""
    problems = [one for one in checked.problems if one.cell == cell or (not one.cell and cell == 1)]
    findings = [one for one in checked.findings if one.place.cell == cell]
    return [
        *(of_problem(problem, checked, columns) for problem in problems),
        *(of_finding(finding, checked, columns, buffers) for finding in findings),
        *(of_unjudged(said) for said in (checked.unjudged if cell <= 1 else ())),
    ]


def of_finding(finding: Finding, checked: Checked, columns: Columns, buffers: Sequence[Buffer]) -> types.Diagnostic:
    """Return the diagnostic of a finding, with its related places and the page of its rule."""
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
    """Return the diagnostics of a config file: the findings that depend on it, each with its place."""
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
    """Return the diagnostic of a problem of a file."""
    place = columns.position(Place(problem.path, problem.row, problem.column), checked.source)
    return types.Diagnostic(
        range=types.Range(place, place),
        message=problem.message,
        severity=types.DiagnosticSeverity.Warning,
        source=SOURCE,
    )


def of_unjudged(said: str) -> types.Diagnostic:
    """Return a hint on the first line: a program of the file was judged in part, with the reason."""
    start = types.Position(0, 0)
    return types.Diagnostic(types.Range(start, start), said, severity=types.DiagnosticSeverity.Hint, source=SOURCE)


def is_superfluous(finding: Finding) -> bool:
    """Return whether the reported code is superfluous, which editors show faded."""
    edits = finding.fix.edits if finding.fix else ()
    return bool(edits) and all(edit.start < edit.end and not edit.text.strip() for edit in edits)


def identity(found: Sequence[types.Diagnostic]) -> str:
    """Return the identity of diagnostics, so that equal ones are not sent again."""
    return hashlib.blake2b(repr(found).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
