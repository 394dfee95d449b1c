"""The baseline: accepted findings, in a file under version control.

An entry has the file (relative to the baseline's folder), the rule, and a hash of the normalised statement, so that it
matches after lines move or a formatter runs, and not after the statement is edited. Equal entries of one file are
counted. One entry is one line, so that git merges them, and diffs show which findings are gone.
"""

from __future__ import annotations

import ast
import json
import os
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Protocol

from ms_perflint.config.settings import TABLE, ConfigError, inside
from ms_perflint.core.files import Files, read_regular
from ms_perflint.core.findings import Finding
from ms_perflint.core.fingerprints import digest
from ms_perflint.core.reports import Report
from ms_perflint.core.source import Source, SourceError
from ms_perflint.languages import Message

VERSION = 1
BLOCKS = frozenset(("body", "orelse", "finalbody", "handlers", "cases"))  # fields outside of a header
LAYOUT = frozenset(("ctx", "kind", "type_comment"))  # fields that do not distinguish statements


class Selection(Protocol):
    """An object that tells which rules are on in which files."""

    def selects(self, code: str, path: str) -> bool:
        """Return whether findings of a rule are wanted in a file (absolute)."""


@dataclass(frozen=True, order=True)
class Entry:
    """One accepted finding."""

    path: str  # relative to the folder of the baseline, with slashes
    code: str
    statement: str  # hash of the statement
    occurrence: int  # number among equal entries, from 1


@dataclass(frozen=True)
class Baseline:
    """The accepted findings, and their file."""

    file: str  # absolute
    entries: frozenset[Entry]

    def divide(self, findings: Sequence[Finding], files: Files) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
        """Return the new findings, and the accepted ones."""
        new: list[Finding] = []
        known: list[Finding] = []
        for finding, entry in zip(findings, entries(findings, self.file, files)):
            (known if entry in self.entries else new).append(finding)
        return tuple(new), tuple(known)

    def divided(self, report: Report, files: Files) -> Report:
        """Return a report with the new findings only."""
        new, known = self.divide(report.findings, files)
        return report._replace(findings=new, known=known)

    def gone(self, found: Iterable[Entry], report: Report, config: Selection) -> list[Entry]:
        """Return the entries that match no finding, sorted.

        Only entries of linted or missing files count, and of rules that are on in them: a run over a folder tells
        nothing about other files.
        """
        folder = os.path.dirname(self.file)
        looked_at = set(report.files) - {problem.path for problem in report.problems}
        left = []
        for entry in sorted(self.entries - set(found)):
            path = os.path.normpath(os.path.join(folder, entry.path))
            if config.selects(entry.code, path) if path in looked_at else not os.path.exists(path):
                left.append(entry)
        return left

    def save(self) -> None:
        """Write the file atomically. Raises ConfigError."""
        lines = ",\n".join(json.dumps(asdict(entry)) for entry in sorted(self.entries))
        text = f'{{"version": {VERSION}, "findings": [\n{lines}\n]}}\n'
        try:
            descriptor, temporary = tempfile.mkstemp(dir=os.path.dirname(self.file))
            try:
                with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
                    file.write(text)
                os.chmod(temporary, 0o666 & ~_mask())
                os.replace(temporary, self.file)
            except BaseException:
                os.unlink(temporary)
                raise
        except OSError as error:
            reason = error.strerror or error
            raise ConfigError(
                Message("{file}: cannot be written: {reason}", file=_shown(self.file), reason=reason)
            ) from error


def load(path: str) -> Baseline:
    """Return the baseline in a file. Raises ConfigError without one."""
    try:
        document = json.loads(read_regular(path).decode("utf-8"))
        found = [Entry(**entry) for entry in document["findings"]]
        if document["version"] != VERSION:
            raise ConfigError(
                Message("{file}: was written by another version of ms-perflint: write it again", file=_shown(path))
            )
        return Baseline(os.path.abspath(path), frozenset(found))
    except FileNotFoundError as error:
        message = Message("{file}: there is no such baseline; `--write-baseline` writes it", file=_shown(path))
        raise ConfigError(message) from error
    except OSError as error:
        message = Message("{file}: cannot be read: {reason}", file=_shown(path), reason=error.strerror or error)
        raise ConfigError(message) from error
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        reason = str(error).splitlines()[0]
        message = Message("{file}: is no baseline of ms-perflint: {reason}", file=_shown(path), reason=reason)
        raise ConfigError(message) from error


def nothing_to_write() -> ConfigError:
    """Return the error for a command line that names no baseline."""
    return ConfigError(
        Message("no baseline to write: name it with `--baseline FILE`, or `baseline` in [{table}]", table=TABLE)
    )


def write(
    report: Report, config: Selection, file: str, files: Files, extend: bool, within: str | None
) -> tuple[Report, str]:
    """Write a baseline without stale entries; new findings are added if it is new or to be extended.

    Return the report that is left, and a summary. May raise ConfigError, also for a file outside of `within`, the
    project whose settings name it: a repository that is linted must not choose what is overwritten.
    """
    if within is not None and not inside(os.path.realpath(file), os.path.realpath(within)):
        raise ConfigError(
            Message(
                "{file}: a configuration names it, outside of {folder}: name it with `--baseline` to write it",
                file=_shown(file),
                folder=within,
            )
        )
    found = tuple(entries(report.findings, file, files))
    is_new = not os.path.exists(file)
    before = Baseline(file, frozenset()) if is_new else load(file)
    gone = before.gone(found, report, config)
    after = Baseline(file, (before.entries - set(gone)) | (set(found) if is_new or extend else set()))
    if is_new or after != before:
        after.save()
    said = Message(
        "{file}: {number} in total ({added} added, {removed} removed)",
        file=_shown(file),
        number=len(after.entries),
        added=len(after.entries - before.entries),
        removed=len(gone),
    )
    return after.divided(report, files), said


def stale(report: Report, config: Selection, file: str, files: Files) -> str:
    """Return a line about the stale entries of a baseline; "" without any."""
    baseline = load(file)
    found = entries(sorted([*report.findings, *report.known]), baseline.file, files)
    gone = baseline.gone(found, report, config)
    if not gone:
        return ""
    some = ", ".join(dict.fromkeys(f"{entry.path} {entry.code}" for entry in gone[:3]))
    return Message(
        "{file}: {number} of {all} findings are gone ({some}); `--write-baseline` removes what is gone",
        file=_shown(baseline.file),
        number=len(gone),
        all=len(baseline.entries),
        some=some + (", ..." if len(gone) > 3 else ""),
    )


def spared(report: Report, first: Report) -> Report:
    """Return a report without fixes for findings that the baseline accepted in the first report, and not in this one.

    While files are fixed, another fix may change the statement around such a finding.
    """
    left = Counter(map(_kind, first.known)) - Counter(map(_kind, report.known))
    findings = []
    for finding in report.findings:
        findings.append(finding._replace(fix=None) if left[_kind(finding)] > 0 else finding)
        left[_kind(finding)] -= 1
    return report._replace(findings=tuple(findings)) if first.known else report


def _kind(finding: Finding) -> tuple[str, str]:
    return finding.place.path, finding.code


def entries(findings: Iterable[Finding], file: str, files: Files) -> Iterator[Entry]:
    """Yield the entry of each finding (sorted) for a baseline at a path."""
    seen: Counter[tuple[str, str, str]] = Counter()
    for path, group in groupby(findings, lambda finding: finding.place.path):
        name, statements = _relative(path, os.path.dirname(file)), _Statements(path, files)
        for finding in group:
            key = (name, finding.code, statements.hash(finding))
            seen[key] += 1
            yield Entry(*key, seen[key])


class _Statements:
    """The statements of one file, to be found by position."""

    def __init__(self, path: str, files: Files) -> None:
        self._spans: list[tuple[int, int, ast.stmt]] = []
        try:
            self._source = Source(path, files.read(path))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(self._source.text.decode())
        except (OSError, SourceError, SyntaxError, ValueError, RecursionError, MemoryError):
            return
        for node in ast.walk(tree):
            if isinstance(node, ast.stmt):
                first = min([node, *getattr(node, "decorator_list", ())], key=lambda part: part.lineno)
                start = self._source.offset(first.lineno, first.col_offset)
                end = self._source.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
                self._spans.append((start, end, node))

    def hash(self, finding: Finding) -> str:
        """Return the hash of the innermost statement around a finding; without one, of its message."""
        offset = self._source.at(finding.place) if self._spans else 0
        around = [(start, -end, at) for at, (start, end, _) in enumerate(self._spans) if start <= offset < end]
        text = normalised(self._spans[max(around)[2]][2]) if around else finding.message
        return digest(text.encode("utf-8", "backslashreplace"))[:8].hex()


def normalised(stmt: ast.stmt) -> str:
    """Return a statement, or the header of a compound one, as text that is independent of layout, comments and
    Python's version."""
    parts: list[str] = []
    todo: list[tuple[str, object]] = [("", stmt)]
    while todo:
        name, value = todo.pop()
        if isinstance(value, ast.AST):
            left = BLOCKS | LAYOUT if value is stmt else LAYOUT
            inside: Iterable[tuple[str, object]] = ast.iter_fields(value)
            if isinstance(value, ast.JoinedStr):
                inside = [("values", [part for part in value.values if not _is_empty(part)])]
            fields = [(field, inner) for field, inner in inside if field not in left]
            parts.append(f"{name}={type(value).__name__}(")
            todo += [(")", None), *reversed(fields)]
        elif isinstance(value, list):
            todo += [(name, inner) for inner in reversed(value)]
        elif value is not None:
            parts.append(f"{name}={value!a},")
        elif name == ")":
            parts.append(name)
    return "".join(parts)


def _is_empty(part: ast.expr) -> bool:
    """Return whether a part of an f-string is empty text, which early releases of Python 3.12 add to formats."""
    return isinstance(part, ast.Constant) and part.value == ""


def _relative(path: str, folder: str) -> str:
    try:
        return os.path.relpath(path, folder).replace(os.sep, "/")
    except ValueError:  # another drive
        return path.replace(os.sep, "/")


def _shown(path: str) -> str:
    return _relative(path, os.getcwd())


def _mask() -> int:
    """Return the umask."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
