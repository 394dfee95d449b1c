"""The run configurations chosen by the user: findings of other ones only are not shown."""

from __future__ import annotations

from typing import NamedTuple

from ms_perflint.core.findings import Finding


class Choice(NamedTuple):
    """The chosen run configuration of a program."""

    entry: str
    files: frozenset[str]  # entry script of the program
    runs: frozenset[str]  # all run configurations of the program
    run: str

    def hides(self, finding: Finding) -> bool:
        """Return whether a finding applies to other run configurations of the program only."""
        holds = frozenset(finding.configurations)
        return finding.place.path in self.files and bool(holds) and holds <= self.runs and self.run not in holds
