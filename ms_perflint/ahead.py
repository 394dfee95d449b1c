"""Lint all files of a flake8 run at once, before flake8 distributes them over its processes.

The files of a program share imports. flake8 spreads them over its processes, and each would read the imports again.
They are linted here as on the command line: together, with the same cache. Where a result is missing, or its file has
changed since, the plugin lints that file alone, as flake8 has read it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Optional

from ms_perflint.cache.cache import Cache, Memory
from ms_perflint.config.settings import Config
from ms_perflint.core.files import Disk, Files
from ms_perflint.core.findings import Finding
from ms_perflint.core.fingerprints import NOTHING, Fingerprint, digest, renewed
from ms_perflint.core.reports import Problem, Report, Unjudged, reported
from ms_perflint.linting.prefilter import answered, left_out


@dataclass(frozen=True)
class Answer:
    """The findings in a file, and the fingerprint of the file."""

    fingerprint: Fingerprint
    findings: Sequence[Finding]
    problems: Sequence[Problem]

    def holds(self) -> bool:
        """Return whether the file is unchanged."""
        return renewed(self.fingerprint, Disk()) is not None


def linted(
    paths: Sequence[str],
    config: Config,
    cache: Optional[Cache],
    jobs: int,
    tell: Callable[[Sequence[Unjudged]], None],
) -> Mapping[str, Answer]:
    """Lint files in a number of processes, and store the results in the cache; `tell` gets programs judged in part."""
    disk, memory = Disk(), cache.load() if cache is not None else None
    fingerprints = _fingerprints(paths, disk)
    known = answered(tuple(fingerprints), disk, memory, config)
    report = (
        left_out(known, config, disk) if known is not None else _looked_at(tuple(fingerprints), config, memory, jobs)
    )
    if cache is not None and memory is not None:
        cache.save(memory)
    tell(report.unjudged)
    return _answers(fingerprints, report)


def recalled(paths: Sequence[str], config: Config, cache: Cache) -> Mapping[str, Answer]:
    """Return the cached results of files."""
    disk, memory = Disk(), cache.load()
    findings, left = memory.recall(paths, disk)
    known = tuple(frozenset(paths).difference(left))
    return _answers(_fingerprints(known, disk), left_out(reported(findings, (), known), config, disk))


def _looked_at(paths: Sequence[str], config: Config, memory: Optional[Memory], jobs: int) -> Report:
    """Return a report on the files, with a problem for each one whose process died."""
    from ms_perflint.engine import DIED, lint

    report = lint(paths, config, jobs=jobs, memory=memory)
    fatal = tuple(problem for problem in report.problems if problem.message == DIED)
    again = {problem.path for problem in report.problems}.difference(problem.path for problem in fatal)
    return report._replace(problems=fatal, files=tuple(path for path in report.files if path not in again))


def _fingerprints(paths: Iterable[str], files: Files) -> dict[str, Fingerprint]:
    """Return the fingerprints of the readable files."""
    fingerprints = {}
    for path in paths:
        status = files.status(path)
        with suppress(OSError):
            content = NOTHING if status is not None else digest(files.read(path))
            fingerprints[path] = Fingerprint(path, False, status, content)
    return fingerprints


def _answers(fingerprints: Mapping[str, Fingerprint], report: Report) -> Mapping[str, Answer]:
    """Return the result of each file in a report."""
    findings: dict[str, list[Finding]] = {}
    for finding in report.findings:
        findings.setdefault(finding.place.path, []).append(finding)
    problems = {problem.path: (problem,) for problem in report.problems}
    return {path: Answer(fingerprints[path], findings.get(path, ()), problems.get(path, ())) for path in report.files}
