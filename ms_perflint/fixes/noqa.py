"""Write `# noqa` for findings: behind code, never into a string, merged with existing comments."""

from __future__ import annotations

import ast
import os
import re
import tokenize
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from ms_perflint.core.files import Files, read_regular
from ms_perflint.core.findings import Edit, Finding
from ms_perflint.core.reports import Problem
from ms_perflint.core.source import Source, SourceError
from ms_perflint.fixes.writing import Change
from ms_perflint.languages import Message
from ms_perflint.suppressions import NOQA, Comment, Suppressions, tokens

CODE = re.compile(r"[A-Z]+[0-9]+", re.IGNORECASE)
LARGEST = 10_000_000  # bytes of a file with settings
OPENING = frozenset(("FSTRING_START", "TSTRING_START"))  # from Python 3.12 and 3.14 on
CLOSING = frozenset(("FSTRING_END", "TSTRING_END"))


RUFF = Message('ruff removes these comments (RUF102) unless its settings say `lint.external = ["MSP"]`')


@dataclass(frozen=True)
class Added:
    """The files with comments, and the findings that they suppress."""

    changes: tuple[Change, ...]
    problems: tuple[Problem, ...]  # reasons why comments could not be written
    hidden: tuple[Finding, ...]


def ruff_removes(directory: str) -> bool:
    """Return whether ruff, with the nearest settings upward from a directory, removes these codes as unknown.

    False for a project without settings of ruff, which does not use it.
    """
    while True:
        for name in ("ruff.toml", ".ruff.toml", "pyproject.toml"):
            try:
                raw = read_regular(os.path.join(directory, name), LARGEST)
            except OSError:
                continue
            if name != "pyproject.toml" or b"[tool.ruff" in raw:
                return re.search(rb"external\s*=\s*\[[^\]]*[\"']MSP", raw) is None
        if directory == os.path.dirname(directory):
            return False
        directory = os.path.dirname(directory)


def add(findings: Iterable[Finding], files: Files, reason: str = "") -> Added:
    """Return the files with comments that suppress some findings (sorted); nothing is written."""
    changes: list[Change] = []
    problems: list[Problem] = []
    hidden: list[Finding] = []
    for path, group in groupby(findings, lambda finding: finding.place.path):
        here = list(group)
        try:
            before = files.read(path)
            source = Source(path, before)
            after = _suppressed(source, here, reason)
            hides = Suppressions(Source(path, after)).hides
        except (OSError, SourceError) as error:
            reason = error.message if isinstance(error, SourceError) else error.strerror or str(error)
            problems.append(Problem(path, 0, 0, Message("no comment was written: {reason}", reason=reason)))
            continue
        hidden += [finding for finding in here if hides(finding)]
        problems += [_unplaced(finding) for finding in here if not hides(finding)]
        if after != before:
            changes.append(Change(path, before, after, (path,)))
    return Added(tuple(changes), tuple(problems), tuple(hidden))


def _unplaced(finding: Finding) -> Problem:
    message = Message("{code} could not be suppressed: there is no place for a comment", code=finding.code)
    place = finding.place
    return Problem(place.path, place.line, place.column, message, place.cell)


def _suppressed(source: Source, findings: Iterable[Finding], reason: str) -> bytes:
    """Return a file with comments for its findings. Raises SourceError where they would change more than comments."""
    codes: dict[int, set[str]] = {}
    suppressions = Suppressions(source)
    inside = _rows_inside(source)
    for finding in findings:
        row = _row(finding, suppressions, inside)
        if row is not None:
            codes.setdefault(row, set()).add(finding.code)
    comments = {comment.row: comment for comment in suppressions.comments}
    edits = [_edit(source, row, sorted(found), comments.get(row), reason) for row, found in codes.items()]
    after = source.edited(edits)
    if not _means_the_same(source.text, Source(source.path, after).text):
        raise SourceError(Message("it would change more than comments; please report this"))
    return after


def _row(finding: Finding, suppressions: Suppressions, inside: frozenset[int]) -> int | None:
    """Return the row for the comment: the reported one, or the last or first one of the statement."""
    for row in (finding.place.row, *reversed(finding.lines)):
        last = suppressions.joined(row)[-1]
        if last not in inside:
            return last
    return None


def _rows_inside(source: Source) -> frozenset[int]:
    """Return the rows that end in a string or with a backslash."""
    suppressions = Suppressions(source)
    rows: set[int] = set()
    starts: list[int] = []  # starts of open f-strings
    for token in tokens(source.text):
        name = tokenize.tok_name[token.type]
        rows.update(suppressions.joined(token.start[0])[:-1])
        if name in OPENING:
            starts.append(token.start[0])
        elif name in CLOSING and starts:
            rows.update(range(starts.pop(), token.end[0]))
    return frozenset(rows)


def _edit(source: Source, row: int, codes: Sequence[str], comment: Comment | None, reason: str) -> Edit:
    """Return the edit that adds codes to the `# noqa` of a row, or a new comment."""
    found = re.search(NOQA, comment.text) if comment is not None else None
    if comment is not None and found is not None and found["codes"]:
        *_, last = CODE.finditer(comment.text, found.start("codes"), found.end("codes"))
        rest = comment.text[last.end() :].strip()
        at = comment.start + len(comment.text[: last.end()].encode())
        why = f" {reason}" if reason and not rest else ""
        return Edit(source.path, at, at if rest else comment.end, f", {', '.join(codes)}{why}")
    line = source.line(row)
    start = source.offset(row, len(line.rstrip(b" \t\f")))
    text = f"  # noqa: {', '.join(codes)} {reason}"
    return Edit(source.path, start, source.offset(row, len(line)), text.rstrip())


def _means_the_same(before: bytes, after: bytes) -> bool:
    """Return whether two texts have the same syntax tree."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.dump(ast.parse(before.decode())) == ast.dump(ast.parse(after.decode()))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
