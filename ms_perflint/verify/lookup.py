"""The lookup of stored measurements, which is cheap for the many projects without any."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Optional

from ms_perflint.core.files import Files
from ms_perflint.core.findings import Finding, Measurement
from ms_perflint.report import unmeasured

NAME = os.path.join(".ms_perflint", "verify.json")


def measurements(
    findings: Sequence[Finding], files: Files, device_of: Callable[[str], Optional[str]]
) -> Callable[[Finding], Optional[Measurement]]:
    """Return a function from findings to measurements of `verify`; `files` tells whether their programs have changed.

    `device_of` returns the configured device of a file.
    """
    known: dict[str, Optional[str]] = {}
    folders = {os.path.dirname(path) for path in {finding.place.path for finding in findings}}
    if not any(project_of(os.path.realpath(folder), known) for folder in folders):
        return unmeasured
    from ms_perflint.verify.kept import Kept

    return Kept(files, device_of).of


def project_of(folder: str, known: dict[str, Optional[str]]) -> Optional[str]:
    """Return the nearest directory upward with measurements; `known` memoises results."""
    if folder not in known:
        above = os.path.dirname(folder)
        if os.path.isfile(os.path.join(folder, NAME)):
            known[folder] = folder
        else:
            known[folder] = project_of(above, known) if above != folder else None
    return known[folder]
