"""From files to a report: cached findings, and the work of several processes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Optional

from ms_perflint.cache.cache import Memory
from ms_perflint.cache.packing import Session, shared
from ms_perflint.check import checks_of
from ms_perflint.config.settings import Config
from ms_perflint.core.files import Disk, Files, with_change
from ms_perflint.core.findings import Finding
from ms_perflint.core.fingerprints import Recorder
from ms_perflint.core.reports import Problem, Report, reported
from ms_perflint.core.stacks import with_room
from ms_perflint.discovery import grouped
from ms_perflint.languages import Message
from ms_perflint.linting.check_runner import JudgedPrograms
from ms_perflint.linting.linter import Linter
from ms_perflint.linting.prefilter import left_out
from ms_perflint.linting.remembered import taken_over
from ms_perflint.processes.collector import without_collector
from ms_perflint.resolve.parsed import Parsed

if TYPE_CHECKING:
    from ms_perflint.processes.cluster import Cluster

HANDED_OVER = 500  # files whose sessions are learnt together before the end of a run
DIED = Message("the process that linted it died, perhaps for lack of memory: try a smaller --jobs")

Done = Callable[[int], None]
Learn = Callable[[Iterable[Session]], None]


def untold(count: int) -> None:
    """Ignore the number of finished files."""


def lint(
    paths: Sequence[str],
    config: Config,
    files: Optional[Files] = None,
    jobs: int = 1,
    memory: Optional[Memory] = None,
    parsed: Optional[Parsed] = None,
    done: Done = untold,
    cluster: Optional[Cluster] = None,
) -> Report:
    """Return the findings in the files at `paths` (absolute); imported files are read, and not reported.

    Results in the memory are reused, and new ones are added to it. Files in `parsed` are not parsed again. `done` gets
    the number of newly finished files. A cluster replaces processes.
    """
    ordered = sorted(dict.fromkeys(paths), key=grouped)
    now = with_change(files or Disk(), config.change)
    known, left = memory.recall(ordered, now) if memory is not None else ([], ordered)
    done(len(ordered) - len(left))
    findings, problems = known, set[Problem]()
    costs: dict[str, int] = {}  # of what is done ahead, by file, in microseconds
    checks = checks_of(frozenset(config.codes)) if memory is not None else ()
    judged = taken_over(memory.taken_outdated(), now, checks) if memory is not None else []

    def take(part: _Part) -> None:
        findings.extend(map(shared, part.findings))
        problems.update(part.problems)
        if memory is not None:
            memory.learn(one.with_cost(costs) for one in part.sessions)

    work = partial(_lint, config=config, files=files, remember=memory is not None, parsed=parsed)
    workers = 1 if files is not None else cluster.workers if cluster is not None else jobs
    parts: list[Sequence[str]] = [left]
    divided: list[Sequence[str]] = []
    if workers > 1 and len(left) > 1:
        from ms_perflint.processes.parts import shares  # here, because a run over one file needs no parts

        parts, divided = shares(left, workers, memory.costs(left) if memory is not None else {})
    if left and (len(parts) > 1 or cluster is not None):
        shared_out = _SharedOut(workers, cluster)
        judge = partial(_judge, config=config, remember=memory is not None)
        for project in divided:
            there = shared_out.judged(project, judge, judged)
            judged += there
            costs.update(dict.fromkeys(project, sum(each.cost for each in there) // len(project)))
        dead = shared_out.lint(parts, work, judged, take, done)
        problems.update(Problem(path, 0, 0, DIED) for path in dead)
    elif left:
        take(work(left, judged, done=done, learn=memory.learn if memory is not None else None))
    return left_out(reported(findings, problems, ordered), config, files or Disk())


class _Part(NamedTuple):
    """The findings in some files of a run."""

    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    sessions: tuple[Session, ...]


class _SharedOut:
    """A run that is shared out to processes of this machine, or to the workers of a cluster."""

    def __init__(self, workers: int, cluster: Optional[Cluster]) -> None:
        from ms_perflint.processes.parts import hands  # here, because it takes a while to import
        from ms_perflint.processes.workers import processes, side_by_side

        self._workers, self._hands, self._side_by_side = workers, hands, side_by_side
        self._start = cluster.start if cluster is not None else processes
        self._watched = cluster.watched if cluster is not None else lambda done: done

    def judged(
        self, project: Sequence[str], judge: Callable[..., JudgedPrograms], known: Iterable[JudgedPrograms]
    ) -> list[JudgedPrograms]:
        """Return what the programs of a project find that are not known yet: each is judged by one worker."""
        found: list[JudgedPrograms] = []
        entries = frozenset(entry for each in known for entry in each.consulted)
        asked = self._hands([path for path in project if path not in entries], self._workers)
        work = partial(judge, coming=project)
        self._side_by_side(asked, work, found.append, self._workers, self._start, self._watched(untold))
        return found

    def lint(
        self,
        parts: Sequence[Sequence[str]],
        work: Callable[..., _Part],
        judged: Sequence[JudgedPrograms],
        take: Callable[[_Part], None],
        done: Done,
    ) -> list[str]:
        """Lint files in parts, with what programs of them have found; return the files on which workers died."""

        def given(part: Sequence[str]) -> tuple[Sequence[JudgedPrograms]]:
            return ([each.within(part) for each in judged if not each.files.isdisjoint(part)],)

        return self._side_by_side(parts, work, take, self._workers, self._start, self._watched(done), given)


def _judge(paths: Sequence[str], coming: Sequence[str], config: Config, remember: bool) -> JudgedPrograms:
    """Return what the programs of some files find in all files of their project."""
    start = time.process_time_ns()
    disk = with_change(Disk(), config.change)
    recorder = Recorder(disk) if remember else None
    linter = Linter(config, recorder or disk, coming=coming)
    with without_collector():
        judged = with_room(partial(linter.judge, paths))
    cost = (time.process_time_ns() - start) // 1000
    return judged._replace(fingerprints=recorder.fingerprints if recorder is not None else (), cost=cost)


def _lint(
    paths: Sequence[str],
    judged: Sequence[JudgedPrograms] = (),
    *,
    config: Config,
    files: Optional[Files],
    remember: bool,
    parsed: Optional[Parsed],
    done: Done = untold,
    learn: Optional[Learn] = None,
) -> _Part:
    """Return the findings in files, without the sessions that were learnt meanwhile."""
    now = with_change(files or Disk(), config.change)
    linter = Linter(config, now, remember=remember, parsed=parsed, coming=paths, judged=judged)
    with without_collector():
        findings = with_room(partial(_found, linter, paths, done, learn))
    return _Part(tuple(findings), tuple(linter.problems), tuple(linter.sessions))


def _found(linter: Linter, paths: Sequence[str], done: Done, learn: Optional[Learn]) -> list[Finding]:
    """Return the findings in files, with the cost of each session; pass sessions to `learn` before the end."""
    findings: list[Finding] = []
    start, kept = time.process_time_ns(), 0
    for path in paths:
        before = time.process_time_ns()
        findings += linter.file(path)
        kept += 1
        if _priced(linter.sessions, before - start):
            start = before
            if learn is not None and kept >= HANDED_OVER:
                learn(linter.sessions)
                linter.sessions.clear()
                kept = 0
        done(1)
    linter.end()
    _priced(linter.sessions, time.process_time_ns() - start)
    return findings


def _priced(sessions: list[Session], cost: int) -> bool:
    """Return whether another session has ended, whose cost in nanoseconds is then set."""
    has_ended = bool(sessions) and not sessions[-1].cost
    if has_ended:
        sessions[-1] = sessions[-1]._replace(cost=max(1, cost // 1000))
    return has_ended
