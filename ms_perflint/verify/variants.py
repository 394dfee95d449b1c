"""The measured variants of a program: with all fixes of `--fix`, or with those of one rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from ms_perflint.config.settings import Config
from ms_perflint.core.files import Disk, Files
from ms_perflint.core.findings import Edit, Finding, Safety
from ms_perflint.core.reports import Problem, Report
from ms_perflint.core.source import Source, SourceError
from ms_perflint.engine import lint
from ms_perflint.fixes.fixing import settle
from ms_perflint.languages import Message


class Variant(NamedTuple):
    """A program with some fixes: the rules, the grade of the fixes, and the changed files."""

    rules: tuple[str, ...]
    safety: Safety
    contents: Mapping[str, bytes]  # by path; nothing: it cannot be run
    fixed: tuple[Finding, ...]
    reason: str = ""  # why it cannot be run


class Variants(NamedTuple):
    """All variants of a program, and problems."""

    variants: tuple[Variant, ...]
    findings: int
    problems: tuple[Problem, ...]


def variants_of(files: Sequence[str], config: Config, each: bool) -> Variants:
    """Return the variants of a program: one with all fixes of `--fix --unsafe-fixes`, and one for each rule.

    A display-only fix is only in the variant of its rule.
    """
    disk = Disk()
    report = lint(files, config, disk)
    codes = sorted({finding.code for finding in report.findings if finding.fix is not None})
    together = _made(files, config, disk, report)
    single = [_alone(code, files, config, disk, report) for code in codes]
    by_hand = [variant for variant in single if variant.safety is Safety.DISPLAY]
    found = [together] if together.rules and not (each and len(together.rules) == 1) else []
    if each:
        found += single
    else:
        reason = Message("display-only: measured with --each")
        found += [variant._replace(contents={}, reason=reason) for variant in by_hand]
    return Variants(tuple(found), len(report.findings), report.problems)


def _made(files: Sequence[str], config: Config, disk: Files, report: Report) -> Variant:
    """Return a program with all fixes, including unsafe ones; the findings are those of the unchanged program."""
    linted: Callable[[Files], Report] = partial(lint, files, config)
    settled = settle(linted, disk, config, unsafe=True)
    rules = tuple(sorted({finding.code for finding in settled.fixed}))
    safety = max((finding.fix.safety for finding in settled.fixed if finding.fix), default=Safety.SAFE)
    made = [finding for finding in report.findings if finding.fix and finding.fix.safety is not Safety.DISPLAY]
    fixed = tuple(finding for finding in made if finding.code in rules)
    return Variant(rules, safety, {change.path: change.after for change in settled.changes}, fixed)


def _alone(code: str, files: Sequence[str], config: Config, disk: Files, report: Report) -> Variant:
    """Return a program with the fixes of one rule; if all are display-only, with those."""
    variant = _made(files, config._replace(select=(code,), ignore=(), extend_select=()), disk, report)
    return variant if variant.rules else _by_hand(code, files, report, disk)


def _by_hand(code: str, files: Sequence[str], report: Report, disk: Files) -> Variant:
    """Return a program with the display-only fixes of one rule, as far as their edits do not overlap."""
    taken: dict[str, list[Edit]] = {}
    fixed = []
    for finding in report.findings:
        edits = finding.fix.edits if finding.code == code and finding.fix is not None else ()
        if edits and all(edit.path in files and _is_clear(edit, taken.get(edit.path, [])) for edit in edits):
            fixed.append(finding)
            for edit in edits:
                taken.setdefault(edit.path, []).append(edit)
    variant = Variant((code,), Safety.DISPLAY, {}, tuple(fixed))
    try:
        made = {path: Source(path, disk.read(path)).edited(set(edits)) for path, edits in taken.items()}
        for path, content in made.items():
            compile(Source(path, content).text, path, "exec", dont_inherit=True)
    except (OSError, SourceError, SyntaxError, ValueError):
        return variant._replace(reason=Message("the fix is display-only: it would not run as it is"))
    return variant._replace(contents=made) if made else variant._replace(reason=Message("there is no fix to apply"))


def _is_clear(edit: Edit, others: Sequence[Edit]) -> bool:
    """Return whether an edit is the same as one of the others, or touches none of them."""
    return edit in others or all(edit.end < other.start or other.end < edit.start for other in others)
