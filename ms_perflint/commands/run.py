"""One run of the command line: configuration, files, findings, fixes, report, exit code."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Optional

from ms_perflint.cache.cache import Memories, Memory, default_directory
from ms_perflint.commands.asked import Options
from ms_perflint.commands.mistakes import UsageError
from ms_perflint.commands.outputs import Output, outputs, tell, write
from ms_perflint.commands.requests import Request, refuse, request, typed_text
from ms_perflint.commands.settings import settings
from ms_perflint.config.per_file import Configurations, Group, unread
from ms_perflint.config.settings import Config
from ms_perflint.core.files import Disk, Files, Overlay
from ms_perflint.core.findings import Finding, Measurement
from ms_perflint.core.reports import Problem, Report, joined
from ms_perflint.languages import ENGLISH, Message, chosen, say
from ms_perflint.linting.prefilter import answered, left_out
from ms_perflint.report import (
    BY_GAIN,
    COUNTED,
    SORTED,
    Outcome,
    render,
    render_statistics,
    rendered,
    unmeasured,
)
from ms_perflint.report.gain import by_gain, gain
from ms_perflint.report.sources import Sources, shown, spot_of
from ms_perflint.report.style import PLAIN, for_output

if TYPE_CHECKING:
    from ms_perflint.commands.progress import Progress
    from ms_perflint.facts.data import Facts
    from ms_perflint.fixes.fixing import Settled
    from ms_perflint.profile.joined import Joined
    from ms_perflint.since.comparison import Comparison
    from ms_perflint.since.states import States

Measured = Callable[[Finding], Optional[Measurement]]


def run(paths: Sequence[str], options: Options) -> int:
    """Return the exit code: 0 nothing left to report, 1 findings left, 2 errors."""
    options = options._replace(fix=options.fix or options.fix_only)
    if options.watch:
        from ms_perflint.commands.watching import watch

        return watch(paths, options)
    clock: list[tuple[str, float]] = [("", time.perf_counter())]
    typed = typed_text(paths, options)
    paths = [typed.path] if typed else paths
    configs = settings(paths, options)
    language = chosen(options.lang, configs.run.lang)
    wanted = outputs(options.output_format, options.output_file, configs.run.output_format)
    refuse(options, wanted)
    for hint in unread(paths) if options.config is None and not options.isolated and not options.quiet else ():
        tell(say(hint, language))
    for word in configs.run.idle if not options.quiet else ():
        tell(say(Message("`{word}` selects nothing: preview rules need their full code", word=word), language))
    asked = request(paths, options, configs, typed)
    clock.append((Message("finding files"), time.perf_counter()))
    is_none = not asked.found.files and not asked.found.problems
    if is_none and asked.touched is None and not typed and not options.quiet:
        tell(say(Message("no Python files found"), language))
    directory = None if options.no_cache else options.cache_dir or default_directory()
    work = Work(asked, configs, options, wanted, Memories(directory, asked.paths), language)
    with closing(asked.compared) if asked.compared is not None else nullcontext():
        problems = {*asked.found.problems, *work.done()}
    clock += [(Message("linting"), work.linted), (Message("fixing and reporting"), time.perf_counter())]
    work.memories.save()
    clock.append((Message("keeping the cache"), time.perf_counter()))
    for problem in sorted(sorted(problems), key=lambda each: each.order):
        tell(line(problem, language))
    if options.verbose:
        _tell_account(asked, configs, work, clock)
    if problems - (work.unread if options.exit_zero else set()):
        return 2
    fails = (work.left and not options.exit_zero) or (work.fixed and options.exit_non_zero_on_fix)
    return int(bool(fails or (work.unjudged and options.strict)))


def _tell_account(asked: Request, configs: Configurations, work: Work, clock: list[tuple[str, float]]) -> None:
    """Print which files the run read, and the time of each stage."""
    from ms_perflint.report.account import account

    options = work.options
    said = account(asked.paths, configs, asked.found, work.disk, work.memories, clock, options.config, options.isolated)
    for told in said:
        tell(say(told, work.language))


class Work:
    """One run over discovered files; `left` and `fixed` count findings at the end.

    `unread` are files that are unreadable, or no Python.
    """

    def __init__(
        self,
        asked: Request,
        configs: Configurations,
        options: Options,
        wanted: tuple[Output, ...],
        memories: Memories,
        language: str,
    ) -> None:
        self.found = asked.found
        self.files = asked.found.files
        self.outputs = wanted
        self.language = language
        change = asked.change
        self.groups = tuple(
            group._replace(config=group.config._replace(change=change)) if change else group
            for group in configs.groups(self.files) or (Group(configs.run, ()),)
        )
        self.configs = configs
        self.memories = memories
        self.options = options
        self.style = for_output(options.color) if any(output.file is None for output in wanted) else PLAIN
        self.typed = (
            asked.typed
        )  # the text of the standard input: its fixed form is printed, and the report goes to stderr
        self.disk = asked.disk
        self.comparison = self._compared(asked.compared) if asked.compared is not None else None
        self.touched = asked.touched
        self.unchanged = _unchanged(asked, options)  # the reason why nothing is linted
        self.older = 0  # number of findings that the change did not cause
        self._first: Report | None = None
        self.linted = 0.0  # time of the first linting
        self.left = 0
        self.fixed = 0
        self.unjudged = 0  # programs judged in part
        self.unread: set[Problem] = set()

    def lint(self, files: Files) -> Report:
        """Return the report of the engine on some files, read from `files`; several processes lint those on disk."""
        if self.unchanged:
            return Report((), (), self.files)
        report = joined(self._lint(files, group) for group in self.groups)
        if self.touched is not None:
            known = {number: self._memory(group.config) or Memory() for number, group in enumerate(self.groups)}
            report = self.touched.only(report, self.groups, known)
        if self.comparison is not None:
            report, self.older = self.comparison.worse(report, files)
        self.linted = self.linted or time.perf_counter()
        if self.comparison is None and all(group.config.baseline_file is None for group in self.groups):
            return report
        from ms_perflint.baseline import spared

        self._first = self._first or report
        return spared(report, self._first)

    def _lint(self, files: Files, group: Group) -> Report:
        """Return the report on files with the same configuration."""
        config, paths = group
        memory = self._memory(config)
        known = answered(paths, files, memory, config)
        if known is not None:
            return left_out(known, config, files)
        on_disk = None if files is self.disk and isinstance(files, Disk) else files
        jobs = self.options.jobs or os.cpu_count() or 1
        with self._progress(Message("Linting"), paths) as progress:
            if self.options.scheduler is not None and on_disk is None:
                return self._lint_on_cluster(self.options.scheduler, group, memory, progress)
            from ms_perflint.engine import lint

            return lint(paths, config, on_disk, jobs, memory, done=progress)

    def _compared(self, compared: States) -> Comparison:
        """Return the comparison with the state before a change."""
        from ms_perflint.since.comparison import Comparison

        return Comparison(compared, self._lint_before)

    def _memory(self, config: Config) -> Memory | None:
        """Return the memory of a configuration; None without a cache, if nothing is linted twice."""
        is_twice = self.options.fix or self.options.diff or self.comparison is not None or self.touched is not None
        return self.memories.of(config, held=is_twice)

    def _lint_before(self, paths: Sequence[str], files: Files) -> Report:
        """Return the report on files before the change, with the current settings."""
        from ms_perflint.engine import lint

        parts, asked = [], frozenset(paths)
        for config, members in self.groups:
            memory = self.memories.of(config, held=True)
            old = [self.comparison.old(path) for path in members if path in asked] if self.comparison else []
            alone = config._replace(baseline=None)
            apart = memory.apart() if memory is not None else None
            with self._progress(Message("Linting the old state"), old) as progress:
                parts += [lint(old, alone, files, memory=apart, done=progress)] if old else []
        return joined(parts)

    def _progress(self, label: Message, paths: Sequence[str]) -> Progress:
        """Return a progress bar for the work on some files."""
        from ms_perflint.commands.progress import Progress, is_wanted

        return Progress(say(label, self.language), len(paths), is_wanted(self.options.quiet))

    def _lint_on_cluster(self, scheduler: str, group: Group, memory: Memory | None, progress: Progress) -> Report:
        """Return the report of a Dask scheduler's workers on files on disk. May raise UsageError."""
        from ms_perflint.engine import lint
        from ms_perflint.processes.cluster import ClusterError, connected

        try:
            with connected(scheduler) as cluster:
                return lint(group.paths, group.config, memory=memory, done=progress, cluster=cluster)
        except ClusterError as error:
            raise UsageError(error.args[0]) from error

    def done(self) -> set[Problem]:
        """Run the requested action; return problems."""
        if self.options.add_noqa is None and not self.options.diff:
            return self.report()
        from ms_perflint.commands import changing

        reason = self.options.add_noqa
        return changing.preview(self) if reason is None else changing.add_noqa(self, reason)

    def report(self) -> set[Problem]:
        """Lint, fix if requested, and print the report; return problems."""
        settled, interrupted = self._fixed() if self.options.fix else (None, ())
        writes = self.options.write_baseline or self.options.extend_baseline
        report = settled.report if settled else self._known() if writes else self.lint(self.disk)
        files: Files = Disk() if isinstance(self.disk, Disk) else self.disk
        if settled and self.typed:
            fixed = {change.path: change.after for change in settled.changes}
            self.typed.print_fixed(fixed)
            files = Overlay(files, fixed)
        profiled = self._profiled(report, files)
        measured = _measurements(report, files, self.configs) if profiled is None else profiled.measured.get
        not_shown = self._print(report, settled, files, measured, profiled)
        left = sum(1 for finding in report.findings if not ((told := measured(finding)) and told.refutes))
        self.left = 0 if self.options.fix_only else left
        self.fixed = len(settled.fixed) if settled else 0
        self.unread = report.unread
        self._say_stale(report)
        self.say_unjudged(report)
        return {*report.problems, *(settled.problems if settled else ()), *interrupted, *not_shown}

    def _fixed(self) -> tuple[Settled, tuple[Problem, ...]]:
        """Apply fixes; the result includes problems with leftovers of a killed run."""
        from ms_perflint.commands import changing

        interrupted = changing.recovered(self) if not self.typed else ()
        return changing.fix(self), interrupted

    def _profiled(self, report: Report, files: Files) -> Joined | None:
        """Return the findings with evidence of a profile; None without one. May raise UsageError.

        A profile in the configuration belongs to one program, and is ignored for others.
        """
        folder = self.options.profile or self.configs.run.profile_folder
        if folder is None or not (self.options.profile or report.findings):
            return None
        from ms_perflint.commands import profiled

        try:
            profile = profiled.read(folder)
            return profiled.joined(profile, self.options.ir, report.findings, report.files, self.configs, files)
        except UsageError as error:
            if self.options.profile:
                raise
            if not self.options.quiet:
                tell(say(Message("profile not used: {reason}", reason=error.args[0]), self.language))
            return None

    def _print(
        self, report: Report, settled: Settled | None, files: Files, measured: Measured, profiled: Joined | None = None
    ) -> set[Problem]:
        """Write all requested reports, with the files `files`. Return problems."""
        known = {*self.found.problems, *report.problems}
        outcome = Outcome(
            (),
            Sources(files),
            PLAIN,
            self.configs.trust,
            self.configs.unsafe_fixes,
            settled.fixed if settled else None,
            read=bool(report.findings or (settled and settled.fixed))
            or not set(report.files) <= {problem.path for problem in known},
            files=report.files,
            problems=self._told(known),
            quiet=self.options.quiet,
            gain=gain,
            language=self.language,
            programs=partial(self._programs, report.files),
            known=len(report.known) - self.older,
            older=self.older,
            profiled=profiled,
            fix_only=self.options.fix_only,
            declined=settled.declined if settled else frozenset(),
            unjudged=report.unjudged,
            trained=len(report.trained),
            measured=measured,
            unchanged=self.unchanged or _nothing_enabled(self.groups),
        )
        failed: set[Problem] = set()
        for output in self.outputs:
            show = render_statistics if self.options.statistics and output.format in COUNTED else render
            styled = outcome._replace(style=self.style if output.file is None else PLAIN)
            findings = profiled.findings if profiled is not None else report.findings
            if self.options.fix_only:
                findings = ()
            if self.options.sort == BY_GAIN and output.format in SORTED:
                findings = tuple(sorted(findings, key=by_gain))
            text, problems = rendered(partial(show, output.format), styled, findings, output.format)
            write(text, output.file, aside=bool(settled and self.typed))
            failed.update(problems)
        return failed

    def _told(self, problems: set[Problem]) -> tuple[Problem, ...]:
        """Return problems, sorted, in the language of the run."""
        ordered = sorted(sorted(problems), key=lambda each: each.order)
        return tuple(each._replace(message=say(each.message, self.language)) for each in ordered)

    def _known(self) -> Report:
        """Write the baselines and return the report that is left."""
        from ms_perflint.commands import baselines

        lint = partial(self._lint, self.disk)
        report, said = baselines.write(self.groups, self.configs, self.disk, self.options, lint)
        self._tell(said)
        return report

    def _say_stale(self, report: Report) -> None:
        """Print lines about stale entries of baselines."""
        if any(group.config.baseline_file is not None for group in self.groups):
            from ms_perflint.commands import baselines

            self._tell(baselines.stale(self.groups, self.configs, self.disk, report))

    def _tell(self, said: Sequence[str]) -> None:
        """Print a line about the run, unless it is quiet."""
        for each in said if not self.options.quiet else ():
            tell(say(each, self.language))

    def say_unjudged(self, report: Report) -> None:
        """Print which files and programs were not judged; with `--strict`, programs judged in part fail the run."""
        self._tell(tuple(self.touched.said(report)) if self.touched is not None else ())
        self.unjudged = len(report.unjudged)
        if report.unjudged and (self.options.strict or not self.options.quiet):
            from ms_perflint.report.unjudged import lines  # here, because most runs judge all programs

            for said in lines(report.unjudged, self.options.verbose):
                tell(say(said, self.language))

    def _programs(self, files: tuple[str, ...]) -> tuple[Facts, ...]:
        """Return the facts of the programs among the files."""
        from ms_perflint.commands.describe import programs

        with self._progress(Message("Reading programs"), files) as progress:
            return programs(files, self.configs, progress)


def _unchanged(asked: Request, options: Options) -> str:
    """Return the message that nothing changed since the given revision; "" after a change."""
    if asked.compared is None or not asked.compared.is_same:
        return ""
    if options.staged:
        return Message("nothing staged differs from {revision}", revision=options.since)
    return Message("nothing changed since {revision}", revision=options.since)


def _nothing_enabled(groups: Sequence[Group]) -> str:
    """Return the message that no rule is enabled in any of the files; "" otherwise, or without files."""
    asked = [(config, path) for config, paths in groups for path in paths]
    if not asked or any(config.selects(code, path) for config, path in asked for code in config.codes):
        return ""
    return Message("no rule is enabled")


def _measurements(report: Report, files: Files, configs: Configurations) -> Measured:
    """Return a function from findings to measurements."""
    if not report.findings:
        return unmeasured
    from ms_perflint.verify.lookup import measurements  # here, because most files are clean

    return measurements(report.findings, files, lambda path: configs.of(path).device)


def line(problem: Problem, language: str = ENGLISH) -> str:
    """Return the line about a problem."""
    place = f"{shown(problem.path)}{spot_of(problem)}"
    message = Message("{place}: error: {reason}", place=place, reason=problem.message)
    return say(message, language)
