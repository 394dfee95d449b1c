"""Whether something that was measured is kept for findings: most projects keep nothing, and are asked no further."""

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
    """Return what tells what `verify` measured of findings; `files` says whether their programs have changed.

    `device_of` gives the device that the configuration of a file sets.
    """
    known: dict[str, Optional[str]] = {}
    folders = {os.path.dirname(path) for path in {finding.place.path for finding in findings}}
    if not any(project_of(os.path.realpath(folder), known) for folder in folders):
        return unmeasured
    from ms_perflint.verify.kept import Kept

    return Kept(files, device_of).of


def project_of(folder: str, known: dict[str, Optional[str]]) -> Optional[str]:
    """Return the nearest directory upward that keeps measurements; `known` holds what was answered before."""
    if folder not in known:
        above = os.path.dirname(folder)
        if os.path.isfile(os.path.join(folder, NAME)):
            known[folder] = folder
        else:
            known[folder] = project_of(above, known) if above != folder else None
    return known[folder]
