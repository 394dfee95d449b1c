"""Findings about the suppression comments of a file, after all other rules: runs the checks with `reviews`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from ms_perflint.check import Check
from ms_perflint.core.findings import Finding
from ms_perflint.core.source import Source, SourceError
from ms_perflint.program.program import Program
from ms_perflint.resolve.project import Project
from ms_perflint.suppressions import Suppressions, names_rules

Checks = Sequence[type[Check]]


def review(source: Source, enabled: Checks, found: Sequence[Finding], is_read: Callable[[], bool]) -> list[Finding]:
    """Return the findings of the reviewing checks of a file, given those of the other checks.

    Where not all files were read, only rules count that cannot find anything in such a file.
    """
    reviewing = [check for check in enabled if check.reviews]
    if not reviewing or not names_rules(source.text):
        return []
    suppressions = Suppressions(source)

    def said(judged: Checks) -> list[Finding]:
        codes = {check.code for check in judged}
        return [one for check in reviewing for one in check.review(source, suppressions, found, codes)]

    others = [check for check in enabled if not check.reviews]
    first = said(others)
    return first if not first or is_read() else said([check for check in others if not check.prefilter(source.text)])


def review_unread(path: str, raw: bytes, enabled: Checks) -> list[Finding]:
    """Return the findings about the comments of a file without suspects; none where it is no Python."""
    if not any(check.reviews for check in enabled) or not names_rules(raw):
        return []
    try:
        source = Source(path, raw)
        found = review(source, enabled, (), lambda: True)
        if found:
            ast.parse(source.text.decode())
    except (SourceError, SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    hides = Suppressions(source).hides
    return sorted(one for one in found if not hides(one))


def is_read(path: str, project: Project, program: Callable[[str], Program]) -> bool:
    """Return whether all programs of a file are known, with all of their files."""
    for entry in project.programs(path):
        one = program(entry)
        if not one.is_whole or len(one.all_modules) < len(one.files):
            return False
    return True
