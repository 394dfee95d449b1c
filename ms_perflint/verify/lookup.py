"""Whether something that was measured is kept for findings: most projects keep nothing, and are asked no further."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Optional

from ms_perflint.core.findings import Finding, Measurement
from ms_perflint.core.source import Files

NAME = os.path.join(".ms_perflint", "verify.json")


def measurements(findings: Sequence[Finding], files: Files) -> Callable[[Finding], Optional[Measurement]]:
    """Return what tells what `verify` measured of findings; `files` says whether their programs have changed."""
    folders = {os.path.dirname(os.path.realpath(finding.place.path)) for finding in findings}
    if not any(map(project_of, folders)):
        return unmeasured
    from ms_perflint.verify.kept import Kept

    return Kept(files).of


def unmeasured(finding: Finding) -> Optional[Measurement]:
    """Return what was measured of a finding: nothing."""
    return None


@lru_cache(maxsize=1000)
def project_of(folder: str) -> Optional[str]:
    """Return the nearest directory upward that keeps measurements."""
    if os.path.isfile(os.path.join(folder, NAME)):
        return folder
    above = os.path.dirname(folder)
    return project_of(above) if above != folder else None
