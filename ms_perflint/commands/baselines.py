"""The baselines of a run: writing them, and reporting stale entries."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ms_perflint import baseline
from ms_perflint.commands.asked import Options
from ms_perflint.config.per_file import Configurations, Group
from ms_perflint.core.files import Files
from ms_perflint.core.reports import Report, joined

Written = tuple[Report, list[str]]


def write(
    groups: Sequence[Group], configs: Configurations, disk: Files, options: Options, lint: Callable[[Group], Report]
) -> Written:
    """Write the baselines; return the report that is left, and lines about them. Raises ConfigError."""
    by_file = _by_file(groups)
    if not any(by_file):
        raise baseline.nothing_to_write()
    parts, told = [], []
    for file, members in by_file.items():
        report = joined(lint(each._replace(config=each.config._replace(baseline=None))) for each in members)
        if file is not None:
            within = members[0].config.root if options.baseline is None else None
            report, said = baseline.write(report, configs, file, disk, options.extend_baseline, within)
            told.append(said)
        parts.append(report)
    return joined(parts), told


def stale(groups: Sequence[Group], configs: Configurations, disk: Files, report: Report) -> list[str]:
    """Return lines about baselines with stale entries."""
    by_file = _by_file(groups)
    parts = {file: {path for each in members for path in each.paths} for file, members in by_file.items() if file}
    said = (baseline.stale(report.only(paths), configs, file, disk) for file, paths in parts.items())
    return [each for each in said if each]


def _by_file(groups: Sequence[Group]) -> dict[str | None, list[Group]]:
    """Return the groups of files by their baseline."""
    found: dict[str | None, list[Group]] = {}
    for group in groups:
        found.setdefault(group.config.baseline_file, []).append(group)
    return found
