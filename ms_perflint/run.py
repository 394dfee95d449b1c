"""One run of the command line: configuration, files, findings, fixes, report, exit code."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Optional

from ms_perflint.cache import Cache, Memory, default_directory
from ms_perflint.commands.asked import DASK, Options
from ms_perflint.commands.mistakes import UsageError
from ms_perflint.commands.outputs import Output, outputs, tell, write
from ms_perflint.config import Config, load, override
from ms_perflint.core.findings import Finding, Gain, Measurement, Problem, Report, Safety
from ms_perflint.core.source import Disk, Files, Overlay, Source
from ms_perflint.discovery import Found, discover
from ms_perflint.gate import REVIEW, answered, left_out
from ms_perflint.languages import ENGLISH, Message, chosen, say
from ms_perflint.report import COUNTED, FOR_PEOPLE, Outcome, render, render_statistics, rendered, unmeasured
from ms_perflint.report.sources import Sources, position, shown
from ms_perflint.report.style import PLAIN, Style, for_output
from ms_perflint.report.summary import files_of, findings_of

if TYPE_CHECKING:
    from ms_perflint.commands.progress import Progress
    from ms_perflint.commands.stdin import Typed
    from ms_perflint.facts.data import Facts
    from ms_perflint.fixes.fixing import Settled

Measured = Callable[[Finding], Optional[Measurement]]

UNJUDGED = 10  # programs that were judged in part, each told with its reason; of the rest how many


def run(paths: Sequence[str], options: Options) -> int:
    """Return the exit code: 0 nothing left to report, 1 findings left, 2 something could not be done."""
    _refuse(options)
    if options.watch:
        from ms_perflint.commands.watching import watch

        return watch(paths, options)
    typed = _typed(paths, options)
    paths = [typed.path] if typed else paths
    config = settings(paths, options)
    language = chosen(options.lang, config.lang)
    wanted = outputs(options.output_format, options.output_file, config.output_format)
    if options.quiet and options.verbose:
        raise UsageError(Message("--quiet and --verbose: only one of them can hold"))
    if options.statistics and not any(output.format in COUNTED for output in wanted):
        names, name = ", ".join(COUNTED), wanted[0].format
        raise UsageError(Message("--statistics goes with {names}, not with {name}", names=names, name=name))
    clock: list[tuple[str, float]] = [("", time.perf_counter())]
    found = typed.found(config, options.force_exclude) if typed else discover(paths, config, options.force_exclude)
    clock.append((Message("finding files"), time.perf_counter()))
    if not found.files and not found.problems and not options.quiet and not typed:
        tell(say(Message("no Python files found"), language))
    cache = None if options.no_cache else Cache(options.cache_dir or default_directory(), paths, config)
    work = Work(found, config, options, wanted, cache, language, typed)
    problems = {*found.problems, *work.done()}
    clock += [(Message("linting"), work.linted), (Message("fixing and reporting"), time.perf_counter())]
    if cache and work.memory:
        cache.save(work.memory)
    clock.append((Message("keeping the cache"), time.perf_counter()))
    for problem in sorted(problems):
        tell(line(problem, language))
    if options.verbose:
        from ms_perflint.account import account

        for told in account(paths, config, found, work.disk, work.memory, clock, options.config, options.isolated):
            tell(say(told, language))
    if problems - (work.unread if options.exit_zero else set()):
        return 2
    return int((work.left and not options.exit_zero) or (work.fixed and options.exit_non_zero_on_fix))


def _typed(paths: Sequence[str], options: Options) -> Typed | None:
    """Return what the standard input holds where the paths mean it. May raise Mistake."""
    if "-" not in paths:
        return None
    if len(paths) > 1:
        raise UsageError(Message("`-` is the standard input, and goes with no other path"))
    if options.add_noqa is not None:
        raise UsageError(Message("--add-noqa writes into files, and the standard input is none"))
    from ms_perflint.commands.stdin import read

    return read(options.stdin_filename)


class Work:
    """One run over files that were found; `left` and `fixed` count findings when it is done.

    `unread` are the files that are no Python, or cannot be read.
    """

    def __init__(
        self,
        found: Found,
        config: Config,
        options: Options,
        wanted: tuple[Output, ...],
        cache: Cache | None,
        language: str = ENGLISH,
        typed: Typed | None = None,
    ) -> None:
        self.found = found
        self.files = found.files
        self.outputs = wanted
        self.language = language
        self.memory = cache.load() if cache else Memory() if options.fix or options.diff else None
        self.config = config
        self.options = options
        self.style = for_output() if any(output.file is None for output in wanted) else PLAIN
        self.typed = typed  # what came from the standard input: a fix of it is printed, and the report goes to stderr
        self.disk = typed.files() if typed else Disk()
        self._first: Report | None = None
        self.linted = 0.0  # when the files were linted first
        self.left = 0
        self.fixed = 0
        self.unread: set[Problem] = set()

    def lint(self, files: Files) -> Report:
        """Return what the engine finds in the files as `files` has them; those on disk by several processes."""
        report = self._lint(files, self.config)
        self.linted = self.linted or time.perf_counter()
        if self.config.baseline_file is None:
            return report
        from ms_perflint.baseline import spared

        self._first = self._first or report
        return spared(report, self._first)

    def _lint(self, files: Files, config: Config) -> Report:
        known = answered(self.files, files, self.memory, config)
        if known is not None:
            return left_out(known, config, files)
        from ms_perflint.commands.progress import Progress, is_wanted

        on_disk = None if files is self.disk and self.typed is None else files
        jobs = self.options.jobs or os.cpu_count() or 1
        shows = files is self.disk and is_wanted(self.options.quiet)
        with Progress(say(Message("Linting"), self.language), len(self.files), shows) as progress:
            if self.options.scheduler is not None and on_disk is None:
                return self._lint_on_cluster(self.options.scheduler, config, progress)
            from ms_perflint.engine import lint

            return lint(self.files, config, on_disk, jobs, self.memory, done=progress)

    def _lint_on_cluster(self, scheduler: str, config: Config, progress: Progress) -> Report:
        """Return what the workers of a Dask scheduler find in the files on disk. May raise Mistake."""
        from ms_perflint.cluster import ClusterError, connected
        from ms_perflint.engine import lint

        try:
            with connected(scheduler) as cluster:
                return lint(self.files, config, memory=self.memory, done=progress, cluster=cluster)
        except ClusterError as error:
            raise UsageError(error.args[0]) from error

    def done(self) -> set[Problem]:
        """Do what was asked for; return what could not be done."""
        if self.options.add_noqa is not None:
            return self.add_noqa(self.options.add_noqa)
        return self.preview() if self.options.diff else self.report()

    def add_noqa(self, reason: str) -> set[Problem]:
        """Write comments that hide all findings, or show them as a patch; return what could not be done."""
        from ms_perflint import noqa
        from ms_perflint.fixes.fixing import Settled
        from ms_perflint.fixes.writing import write as write_files

        report = self.lint(self.disk)
        self.unread = _unread(report)
        added = noqa.add((finding for finding in report.findings if finding.code != REVIEW), self.disk, reason)
        problems: set[Problem] = set()
        if self.options.diff:
            settled = Settled(report, (), added.changes, ())
            write(patch(settled, (), self.config, self.style, self.language), self.options.output_file)
        else:
            problems.update(write_files(added.changes))
        failed = {problem.path for problem in problems}
        done = [finding.place.path for finding in added.hidden if finding.place.path not in failed]
        findings, files = findings_of(len(done)), files_of(len(set(done)))
        said = Message("Added `# noqa` for {findings} in {files}.", findings=findings, files=files)
        if self.options.diff:
            said = Message("Would add `# noqa` for {findings} in {files}.", findings=findings, files=files)
        if not self.options.quiet:
            tell(say(said, self.language))
        return {*report.problems, *added.problems, *problems}

    def report(self) -> set[Problem]:
        """Lint, mend if asked to, and print the report; return what could not be done."""
        interrupted = self._recovered() if self.options.fix and not self.typed else ()
        settled = self._fix() if self.options.fix else None
        writes = self.options.write_baseline or self.options.extend_baseline
        report = settled.report if settled else self._write_baseline() if writes else self.lint(self.disk)
        files: Files = self.disk if self.typed else Disk()
        if settled and self.typed:
            mended = {change.path: change.after for change in settled.changes}
            self.typed.give_back(mended)
            files = Overlay(files, mended)
        measured = _measurements(report, files)
        not_shown = self._print(report, settled, files, measured)
        counted = [finding for finding in report.findings if not ((told := measured(finding)) and told.refutes)]
        self.left, self.fixed = len(counted), len(settled.fixed) if settled else 0
        self.unread = _unread(report)
        self._say_stale(report)
        self._say_unjudged(report)
        return {*report.problems, *(settled.problems if settled else ()), *interrupted, *not_shown}

    def _print(self, report: Report, settled: Settled | None, files: Files, measured: Measured) -> set[Problem]:
        """Write all reports that are wanted; `files` as the report speaks of them. Return what could not be shown."""
        outcome = Outcome(
            (),
            Sources(files),
            PLAIN,
            partial(self._trust, frozenset(report.files)),
            self.config.unsafe_fixes,
            settled.fixed if settled else None,
            read=bool(report.findings) or not set(report.files) <= {problem.path for problem in report.problems},
            files=report.files,
            problems=self._told({*self.found.problems, *report.problems}),
            quiet=self.options.quiet,
            gain=gain,
            language=self.language,
            programs=partial(self._programs, report.files),
            known=len(report.known),
            measured=measured,
        )
        failed: set[Problem] = set()
        for output in self.outputs:
            show = render_statistics if self.options.statistics and output.format in COUNTED else render
            styled = outcome._replace(style=self.style if output.file is None else PLAIN)
            text, problems = rendered(partial(show, output.format), styled, report.findings, output.format)
            write(text, output.file, aside=bool(settled and self.typed))
            failed.update(problems)
        return failed

    def _told(self, problems: set[Problem]) -> tuple[Problem, ...]:
        """Return problems, sorted, in the language of the run."""
        return tuple(each._replace(message=say(each.message, self.language)) for each in sorted(problems))

    def _write_baseline(self) -> Report:
        """Write the baseline and return what it leaves to report."""
        from ms_perflint import baseline

        report = self._lint(self.disk, self.config._replace(baseline=None))
        is_named = self.options.baseline is not None
        report, said = baseline.write(report, self.config, self.disk, self.options.extend_baseline, is_named)
        if not self.options.quiet:
            tell(say(said, self.language))
        return report

    def _say_unjudged(self, report: Report) -> None:
        """Say which programs were judged in part, and why; of many, some."""
        told = report.unjudged if not self.options.quiet else ()
        for each in told[:UNJUDGED]:
            said = Message(
                "{file}: not judged for {rules}: {reason}; see `ms-perflint program {file}`",
                file=shown(each.entry), rules=", ".join(each.codes), reason=each.reason,
            )  # fmt: skip
            tell(say(said, self.language))
        if len(told) > UNJUDGED:
            rest = Message("{number} more programs were not judged in full", number=len(told) - UNJUDGED)
            tell(say(rest, self.language))

    def _say_stale(self, report: Report) -> None:
        """Say how much of the baseline matches nothing any more."""
        if self.config.baseline_file is not None and not self.options.quiet:
            from ms_perflint import baseline

            said = baseline.stale(report, self.config, self.disk)
            if said:
                tell(say(said, self.language))

    def preview(self) -> set[Problem]:
        """Print what `--fix` would change as a patch, and in comments what it would ask about; write nothing."""
        from ms_perflint.fixes.fixing import settle

        asked: list[tuple[Finding, str]] = []

        def note(finding: Finding, diff: str) -> bool:
            asked.append((finding, diff))
            return False

        self.lint(self.disk)
        settled = settle(self.lint, self.disk, self.config, unsafe=self.config.unsafe_fixes, consent=note)
        write(patch(settled, asked, self.config, self.style, self.language), self.options.output_file)
        self.left = len(settled.report.findings) + len(settled.fixed)
        self.unread = _unread(settled.report)
        if not self.options.quiet:
            tell(say(_would_fix(len(settled.fixed), self.left, len(asked)), self.language))
        return {*settled.report.problems, *settled.problems}

    def _recovered(self) -> tuple[Problem, ...]:
        """Clear away what a killed run has left; return what could not be."""
        from ms_perflint.fixes.recovery import recover

        return recover(self.files)

    def _programs(self, files: tuple[str, ...]) -> tuple[Facts, ...]:
        """Return what is known of the programs among the files."""
        from ms_perflint.commands.describe import programs
        from ms_perflint.commands.progress import Progress, is_wanted

        label = say(Message("Reading programs"), self.language)
        with Progress(label, len(files), is_wanted(self.options.quiet)) as progress:
            return programs(files, self.config, progress)

    def _fix(self) -> Settled:
        """Mend the files; on a terminal ask about unsafe fixes."""
        from ms_perflint.commands.dialogue import Dialogue
        from ms_perflint.fixes.fixing import fix, settle

        options = self.options
        if self.typed:
            return settle(self.lint, self.disk, self.config, unsafe=self.config.unsafe_fixes)
        self.lint(self.disk)  # by several processes; what they find is remembered
        is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        people = is_terminal and all(output.file or output.format in FOR_PEOPLE for output in self.outputs)
        ask = people and not options.no_interactive and not self.config.unsafe_fixes
        consent = Dialogue(self.style, self.language) if ask else None
        return fix(self.lint, self.disk, self.config, unsafe=self.config.unsafe_fixes, consent=consent)

    def _trust(self, given: frozenset[str], finding: Finding) -> Safety | None:
        """Return how far a fix is trusted; one that changes a file that was not given is only shown."""
        if finding.fix is not None and not given.issuperset([edit.path for edit in finding.fix.edits]):
            return Safety.DISPLAY
        return self.config.trust(finding)


def _refuse(options: Options) -> None:
    """Raise Mistake for options that do not go together."""
    if (options.executor == DASK) != (options.scheduler is not None):
        raise UsageError(Message("--executor dask and --scheduler ADDRESS: one needs the other"))
    if options.add_noqa is not None and options.fix:
        message = Message("--fix and --add-noqa: what is mended needs no comment; run one after the other")
        raise UsageError(message)
    if options.write_baseline or options.extend_baseline:
        written = "--extend-baseline" if options.extend_baseline else "--write-baseline"
        others = {"--fix": options.fix, "--diff": options.diff, "--add-noqa": options.add_noqa is not None}
        for other in (name for name, given in {**others, "--no-baseline": options.no_baseline}.items() if given):
            raise UsageError(Message("{one} and {other}: run one after the other", one=written, other=other))


def patch(
    settled: Settled, asked: Sequence[tuple[Finding, str]], config: Config, style: Style, language: str = ENGLISH
) -> str:
    """Return a patch of all changes that `git apply` takes; fixes that need consent stand below it in comments."""
    from ms_perflint.commands.dialogue import coloured
    from ms_perflint.fixes.writing import unified_diff

    parts = [f"# {_marked(finding, config, language)}\n" for finding in sorted(settled.fixed)]
    for change in settled.changes:
        before, after = (Source(change.path, raw).whole.decode() for raw in (change.before, change.after))
        parts.append(coloured(unified_diff(before, after, shown(change.path)), style))
    for finding, diff in asked:
        fix = _marked(finding, config, language)
        left_out = Message("{fix} -- not part of the patch, `--unsafe-fixes` makes it", fix=fix)
        parts.append(f"# {say(left_out, language)}\n")
        parts += [f"# {row}\n" for row in coloured(diff, style).splitlines()]
    return "".join(parts)


def _marked(finding: Finding, config: Config, language: str) -> str:
    """Return what a fix does and how far it is trusted."""
    trust = config.trust(finding)
    message = say(finding.fix.message, language) if finding.fix else ""
    return f"{trust.value if trust else ''}: {position(finding.place)}: {finding.code} {message}"


def settings(paths: Sequence[str], options: Options) -> Config:
    """Return the configuration of the paths with the command line's values on top. May raise ConfigError."""
    config = override(
        load(paths, options.config, options.isolated),
        select=options.select,
        ignore=options.ignore,
        extend_select=options.extend_select,
        per_file_ignores=options.per_file_ignores,
        extend_per_file_ignores=options.extend_per_file_ignores,
        mindspore_version=options.mindspore_version,
        device=options.device,
        unsafe_fixes=options.unsafe_fixes,
        lang=options.lang,
        baseline=options.baseline,
    )
    return config._replace(baseline=None) if options.no_baseline else config


def gain(code: str) -> Gain:
    """Return what mending the findings of a rule may gain."""
    from ms_perflint.check import checks

    return next((check.gain for check in checks() if check.code == code), Gain())


def _measurements(report: Report, files: Files) -> Measured:
    """Return what tells what was measured of findings."""
    if not report.findings:
        return unmeasured
    from ms_perflint.verify.lookup import measurements  # here, because most files are clean

    return measurements(report.findings, files)


def _unread(report: Report) -> set[Problem]:
    """Return the problems that are the files' own: they are no Python, or cannot be read."""
    return {problem for problem in report.problems if not problem.internal}


def _would_fix(fixed: int, number: int, more: int) -> Message:
    """Return what a patch comes to."""
    if more == 0:
        return Message("Would fix {fixed} of {number} findings.", fixed=fixed, number=number)
    return Message(
        "Would fix {fixed} of {number} findings ({more} more with `--unsafe-fixes`).",
        fixed=fixed,
        number=number,
        more=more,
    )


def line(problem: Problem, language: str = ENGLISH) -> str:
    """Return the one line that says what could not be done."""
    cell = f":cell {problem.cell}" if problem.cell else ""
    place = f"{cell}:{problem.row}:{problem.column}" if problem.row else ""
    message = Message("{place}: error: {reason}", place=f"{shown(problem.path)}{place}", reason=problem.message)
    return say(message, language)
