"""The run configurations that a user has chosen: findings that hold for others only are not shown."""

from __future__ import annotations

from typing import NamedTuple

from ms_perflint.core.findings import Finding


class Choice(NamedTuple):
    """The run configuration of a program whose findings are shown."""

    entry: str
    files: frozenset[str]  # of the program
    runs: frozenset[str]  # all that it has
    run: str

    def hides(self, finding: Finding) -> bool:
        """Return whether a finding holds for other run configurations of the program only."""
        holds = frozenset(finding.configurations)
        return finding.place.path in self.files and bool(holds) and holds <= self.runs and self.run not in holds
