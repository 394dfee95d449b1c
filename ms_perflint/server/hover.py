"""Hover texts: a finding with its fix, and the page of a rule in short."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Optional

from lsprotocol import types

from ms_perflint import pages
from ms_perflint.core.findings import Finding, Measurement
from ms_perflint.core.source import Source
from ms_perflint.fixes.writing import unified_diff
from ms_perflint.languages import Message, say
from ms_perflint.report.page import tip, why
from ms_perflint.report.profile import worded
from ms_perflint.report.text import labelled
from ms_perflint.server.linting import Checked, language_of
from ms_perflint.server.places import Columns, touch

WEB = Message("Read it on the web")
COMMENT = re.compile(r"#.*\b(?:noqa|ms-perflint)\b.*", re.IGNORECASE)
CODE = re.compile(r"\b[A-Z]+[0-9]+\b", re.IGNORECASE)
MOST = 6  # lines of a diff: a hover text has at most 20


def hover(checked: Checked, cell: int, at: types.Position, columns: Columns, markdown: bool) -> Optional[types.Hover]:
    """Return the hover text at a position in a file, or in a cell of it; None without one."""
    if checked.source is None:
        return None
    language = language_of(checked.config)
    point = types.Range(at, at)
    named = _named(checked.source.line(_row(checked.source, cell, at)).decode("utf-8", "replace"), at, columns)
    if named is not None:
        where, code = named
        return _hover([_page(code, language, tip)], where, markdown)
    findings = [finding for finding in checked.findings if finding.place.cell == cell]
    here = [finding for finding in findings if touch(_range(finding, checked, columns), point)]
    if not here:
        return None
    codes = dict.fromkeys(finding.code for finding in here)
    parts = [*(_shown(finding, checked) for finding in here), *(_page(code, language, why) for code in codes)]
    return _hover(parts, _range(here[0], checked, columns), markdown)


def _hover(parts: Iterable[str], where: types.Range, markdown: bool) -> types.Hover:
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    text = "\n\n---\n\n".join(part.strip() for part in parts if part)
    return types.Hover(types.MarkupContent(kind, text), where)


def _row(source: Source, cell: int, at: types.Position) -> int:
    """Return the row of the text at a position; 0 in a cell that is no Python."""
    if not cell:
        return at.line + 1
    return next((at.line + 1 + each.above for each in source.cells if each.number == cell), 0)


def _named(line: str, at: types.Position, columns: Columns) -> Optional[tuple[types.Range, str]]:
    """Return the rule whose code is at a position in a suppression comment."""
    comment = COMMENT.search(line)
    if comment is None:
        return None
    character = columns.characters(line, at.character)
    for match in CODE.finditer(line, comment.start()):
        code = match[0].upper()
        if match.start() <= character <= match.end() and code in pages.codes():
            start, end = (types.Position(at.line, columns.units(line[:end])) for end in match.span())
            return types.Range(start, end), code
    return None


def _shown(finding: Finding, checked: Checked) -> str:
    """Return a finding in words, with its measurements, and the diff of its fix."""
    trust = checked.config.trust(finding)
    language = language_of(checked.config)
    told = [say(_told(measurement), language) for measurement in _measurements(finding, checked)]
    unread = [say(checked.unread, language)] if checked.unread else []
    measured = "".join(f"\n\n{each}" for each in (*told, *unread))
    by_hand = f"\n\n{finding.help}" if finding.help else ""
    if finding.fix is None or trust is None:
        return f"**{finding.code}** {finding.message}{measured}{by_hand}"
    lines = "".join(_diffs(finding, checked)).splitlines()
    diff = "\n".join(lines if len(lines) <= MOST else [*lines[: MOST - 1], "..."])
    advice = say(labelled(finding.fix.trusted(trust)), language)
    return f"**{finding.code}** {finding.message}{measured}\n\n{advice}\n\n```diff\n{diff}\n```"


def _measurements(finding: Finding, checked: Checked) -> Iterator[Measurement]:
    """Yield the measurements of a finding, by the profiler and by `verify`."""
    for known in (checked.profiled, checked.measured):
        if finding in known:
            yield known[finding]


def _told(measurement: Measurement) -> str:
    """Return a measurement in words; for a profile with its date."""
    said = worded(measurement)
    if measurement.source != "profile":
        return said
    where, date = measurement.device, measurement.date
    return Message("profile of {date}, {device}: {said}", date=date, device=where, said=said)


def _diffs(finding: Finding, checked: Checked) -> Iterator[str]:
    """Yield the changes of a fix, file by file, without context lines."""
    edits = finding.fix.edits if finding.fix else ()
    for path in sorted({edit.path for edit in edits}):
        source = checked.sources.get(path)
        if source is not None:
            after = source.spliced([edit for edit in edits if edit.path == path])
            diff = unified_diff(source.text.decode(), after.decode(), path)
            yield "".join(row for row in diff.splitlines(keepends=True)[3:] if row[:1] in "+-" and row.strip())


def _page(code: str, language: str, part: Callable[[pages.Page], str]) -> str:
    """Return a part of the page of a rule with a link to all of it; "" where there is none."""
    try:
        page = pages.page(code, language)
    except pages.PageError:
        return ""
    text = part(page).rstrip()
    return f"{text}\n\n[{say(WEB, language)}]({page.url})" if page.url else text


def _range(finding: Finding, checked: Checked, columns: Columns) -> types.Range:
    return columns.range(finding.place, finding.end, checked.source)
