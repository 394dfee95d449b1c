"""What is to be said about the comments of a file once all rules have spoken: asks the checks that have `reviews`."""

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
    """Return what the reviewing ones of the checks that are on in a file say, knowing what the others found.

    Where not all was read, only those are judged that find nothing in such a file whatever its programs do.
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
    """Return what is said about a file in which nothing can be found; nothing where it is no Python."""
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
    """Return whether all programs of a file are known, and all their files were read."""
    for entry in project.programs(path):
        one = program(entry)
        if not one.is_whole or len(one.all_modules) < len(one.files):
            return False
    return True
