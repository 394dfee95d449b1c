"""The flake8 plugin: the findings and suppressions of the command line.

flake8 decides on selected rules and linted files. Version, device and options of rules come from
`[tool.ms-perflint]`, as flake8 reads no pyproject.toml. Files are linted before flake8 distributes them; standard
input, or a file that has changed since, is linted by flake8's tree and lines.
"""

from __future__ import annotations

import argparse
import ast
import gc
import multiprocessing
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Optional

from flake8.discover_files import expand_paths  # type: ignore[import-untyped, unused-ignore]
from flake8.exceptions import ExecutionError  # type: ignore[import-untyped, unused-ignore]
from flake8.style_guide import Decision, DecisionEngine  # type: ignore[import-untyped, unused-ignore]

from ms_perflint.codes import codes, previews
from ms_perflint.config.per_file import Group, configurations
from ms_perflint.config.settings import Config, ConfigError
from ms_perflint.core.internal import internal_error
from ms_perflint.core.reports import Problem
from ms_perflint.languages import ENGLISH, escaped, of_environment, say
from ms_perflint.processes.collector import without_collector
from ms_perflint.version import __version__

if TYPE_CHECKING:
    from flake8.options.manager import OptionManager  # type: ignore[import-untyped, unused-ignore]

    from ms_perflint.ahead import Answer
    from ms_perflint.baseline import Baseline
    from ms_perflint.cache.cache import Cache
    from ms_perflint.core.files import Files
    from ms_perflint.core.findings import Finding
    from ms_perflint.core.reports import Problem, Unjudged
    from ms_perflint.linting.linter import Linter

PROBLEM = "MSP000"  # the code of errors
OFF = ("", "0", "f", "false", "n", "no", "off")  # values of environment variables that mean no
Violation = tuple[int, int, str, type]  # row from 1, column from 0, text, plugin


class Run:
    """One run of flake8, or of one of its processes. Results about other files of a program are kept for them."""

    def __init__(self, options: argparse.Namespace) -> None:
        """Read the configuration, and lint all files if their names are known. Raises ConfigError."""
        names: list[str] = options.filenames
        self._options = options
        self._suppress = not options.disable_noqa
        self._typed: str = options.stdin_display_name if "-" in names else ""  # the file name of the standard input
        paths = [self._typed if name == "-" else name for name in names]
        self._configs = configurations(paths, self._shown)
        self._linter: Optional[Linter] = None
        self.language = _language(self._configs.run)
        self._baselines: dict[str, Baseline] = {}
        if self._configs.run.baseline_file is not None:
            self._baseline(self._configs.run.baseline_file)
        with without_collector():
            self._answers = self._ahead() if self._suppress and _names_files(options) and self._selected else {}
            gc.freeze()  # all current objects stay to the end: the garbage collector skips them in every process

    @cached_property
    def _selected(self) -> tuple[str, ...]:
        """Return the rules that flake8 may select, in all files."""
        decider = DecisionEngine(self._options)
        return tuple(code for code in codes() if decider.decision_for(code) is Decision.Selected)

    def _shown(self, config: Config) -> Config:
        """Return a configuration with the rules that flake8 may select."""
        return config._replace(
            select=self._selected, ignore=(), extend_select=(), per_file_ignores=(), extend_per_file_ignores=()
        )

    def _baseline(self, file: str) -> Baseline:
        """Return a baseline; each is read once. May raise ConfigError."""
        if file not in self._baselines:
            from ms_perflint.baseline import load

            self._baselines[file] = load(file)
        return self._baselines[file]

    def _ahead(self) -> Mapping[str, Answer]:
        """Return the results for the files of this run before flake8 starts; errors are reported with their file."""
        from ms_perflint import ahead

        answers: dict[str, Answer] = {}
        for config, files in self._groups():
            cache = _cache(self._options, config)
            with suppress(Exception):
                if multiprocessing.parent_process() is None:
                    answers.update(ahead.linted(files, config, cache, _jobs(self._options), self._tell))
                elif cache is not None:
                    answers.update(ahead.recalled(files, config, cache))
        return answers

    def _groups(self) -> tuple[Group, ...]:
        """Return the files of this run by configuration, without files whose configuration is broken."""
        usable = []
        for path in _files(self._options):
            with suppress(ConfigError):
                self._configs.of(path)
                usable.append(path)
        return self._configs.groups(usable)

    def _tell(self, found: Sequence[Unjudged]) -> None:
        """Print on stderr which programs were judged in part: a report of flake8 has no place for it.

        Preview rules are left out: only flake8 knows which of them are selected.
        """
        off = previews()
        about = (each._replace(codes=tuple(code for code in each.codes if code not in off)) for each in found)
        told = [each for each in about if each.codes]
        if told and not self._options.quiet:
            from ms_perflint.report.unjudged import lines

            for said in lines(told, bool(self._options.verbose)):
                print(escaped(say(said, self.language)), file=sys.stderr)

    def lint(self, tree: ast.Module, lines: Sequence[str], name: str) -> tuple[Sequence[Finding], Sequence[Problem]]:
        """Return the findings and errors of a file."""
        path = os.path.abspath(name)
        known = self._answers.get(path)
        if known is not None and known.holds():
            return known.findings, known.problems
        if not self._selected:
            return (), ()
        try:
            return self._linted(tree, "".join(lines), path, name)
        except ConfigError as error:
            return (), [Problem(path, 0, 0, error.args[0])]

    def _linted(self, tree: ast.Module, text: str, path: str, name: str) -> tuple[Sequence[Finding], Sequence[Problem]]:
        """Return the findings in a file that flake8 has read and parsed."""
        from ms_perflint.core.files import Disk, Overlay
        from ms_perflint.core.source import Source, SourceError, encoded
        from ms_perflint.linting.prefilter import MARK, imports_local
        from ms_perflint.suppressions import names_rules

        content = text.encode("utf-8", "replace")
        if MARK not in content and not imports_local(path, content, Disk()) and not names_rules(content):
            return (), ()
        try:
            raw = encoded(text)
            source = Source(path, raw)
        except SourceError as error:
            return (), [error.problem(path)]
        here, config = Overlay(Disk(), {path: raw}), self._configs.of(path)
        if name == self._typed:
            linter = self._made(here, config)
        elif self._linter is not None and self._linter.config is config:
            linter = self._linter
        else:
            linter = self._linter = self._made(Disk(), config)
        with without_collector():
            found: Sequence[Finding] = linter.parsed(source, tree)
        if config.baseline_file is not None:
            found, _ = self._baseline(config.baseline_file).divide(found, here)
        return found, linter.taken_problems()

    def forget(self) -> None:
        """Forget results, so that the next file is linted afresh."""
        self._linter = None

    def _made(self, files: Files, config: Config) -> Linter:
        from ms_perflint.linting.linter import Linter

        return Linter(config, files, self._suppress)


class Plugin:
    """The plugin, which flake8 creates for each file."""

    name = "ms-perflint"
    version = __version__
    current: ClassVar[Optional[Run]] = None  # flake8 passes options to the class, and files to instances

    def __init__(self, tree: ast.Module, lines: list[str], filename: str) -> None:
        self._tree = tree
        self._lines = lines
        self._filename = filename

    @classmethod
    def add_options(cls, manager: OptionManager) -> None:
        """Make preview rules off by default."""
        with _clearly():
            manager.extend_default_ignore(previews())
        manager.add_option(
            "--ms-perflint-no-cache",
            action="store_true",
            parse_from_config=True,
            help="Neither use nor keep the cache of ms-perflint.",
        )

    @classmethod
    def parse_options(cls, options: argparse.Namespace) -> None:
        """Start a run: read the configuration of flake8's paths."""
        with _clearly():
            cls.current = Run(options)

    def run(self) -> Iterator[Violation]:
        """Yield the findings; an internal error becomes a line of the report."""
        run = self.current
        assert run is not None
        try:
            findings, problems = run.lint(self._tree, self._lines, self._filename)
        except Exception as error:
            run.forget()
            yield 1, 0, f"{PROBLEM} {internal_error(error)}", type(self)
            return
        for finding in findings:
            yield (
                finding.place.row,
                finding.place.column - 1,
                f"{finding.code} {say(finding.message, run.language)}",
                type(self),
            )
        for problem in problems:
            message = f"{PROBLEM} {escaped(say(problem.message, run.language))}"
            yield max(problem.row, 1), max(problem.column - 1, 0), message, type(self)


def _language(config: Config) -> str:
    """Return the language that is set, by default English: flake8 speaks English in any locale."""
    return of_environment() or config.lang or ENGLISH


def _names_files(options: argparse.Namespace) -> bool:
    """Return whether flake8 has file names already: its API gets them later."""
    return "-" not in options.filenames and not options.bug_report and "flake8.api.legacy" not in sys.modules


def _files(options: argparse.Namespace) -> list[str]:
    """Return the absolute paths of the files that flake8 will lint."""
    found = expand_paths(
        paths=options.filenames,
        stdin_display_name=options.stdin_display_name,
        filename_patterns=options.filename,
        exclude=(*options.exclude, *options.extend_exclude),
    )
    return list(dict.fromkeys(map(os.path.abspath, found)))


def _jobs(options: argparse.Namespace) -> int:
    """Return flake8's number of processes."""
    count: int = options.jobs.n_jobs
    return (os.cpu_count() or 1) if options.jobs.is_auto else count


def _cache(options: argparse.Namespace, config: Config) -> Optional[Cache]:
    """Return the cache of a run; None without one."""
    from ms_perflint.cache.cache import CACHE_DIR, NO_CACHE, Cache, default_directory

    if options.ms_perflint_no_cache or os.environ.get(NO_CACHE, "").lower() not in OFF:
        return None
    return Cache(os.environ.get(CACHE_DIR) or default_directory(), options.filenames, config)


@contextmanager
def _clearly() -> Iterator[None]:
    """Turn errors that end a run into one that flake8 shows without a traceback."""
    try:
        yield
    except ConfigError as error:
        raise ExecutionError(f"ms-perflint: {error}") from error
    except Exception as error:
        raise ExecutionError(f"ms-perflint: {internal_error(error)}") from error
