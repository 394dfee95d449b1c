"""Linting of buffers as an overlay over the disk. Each pass reuses what earlier ones read and found.

It runs in a thread of its own, with the engine of the command line over an overlay: results in a memory are computed
again only if a consulted file has changed, and unchanged files are not parsed again.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Optional

from ms_perflint.baseline import Baseline
from ms_perflint.baseline import load as load_baseline
from ms_perflint.cache.cache import Memory
from ms_perflint.config.settings import Config, ConfigError, PerDirectory
from ms_perflint.core.files import Disk, Files, Nowhere, Overlay, Status
from ms_perflint.core.findings import Finding, Measurement, in_language
from ms_perflint.core.internal import internal_error
from ms_perflint.core.reports import Problem, Report
from ms_perflint.core.source import NOTEBOOK, PYTHON, Source, SourceError
from ms_perflint.discovery import discover
from ms_perflint.engine import lint
from ms_perflint.fixes.fixing import Settled, settle
from ms_perflint.fixes.writing import Change
from ms_perflint.languages import chosen, of_environment, say
from ms_perflint.linting.linter import Linter
from ms_perflint.linting.prefilter import MARK
from ms_perflint.report.unjudged import line
from ms_perflint.resolve.parsed import Parsed
from ms_perflint.server.buffers import Buffer
from ms_perflint.server.choices import Choice
from ms_perflint.server.settings import Folders
from ms_perflint.verify.lookup import measurements

KEPT = 4_000_000  # bytes of source that stay parsed between two passes
MEMORIES = 8  # number of configurations with a memory


class Voided(BaseException):
    """The current work is outdated by a newer edit. Code that isolates errors does not catch it."""


@dataclass(frozen=True)
class State:
    """The open documents and the settings at one moment."""

    buffers: tuple[Buffer, ...]
    folders: Folders
    is_current: Callable[[], bool] = field(compare=False)
    choices: tuple[Choice, ...] = ()  # of run configurations

    def shows(self, finding: Finding) -> bool:
        """Return whether a finding is shown under the chosen run configurations."""
        return not any(choice.hides(finding) for choice in self.choices)

    def contents(self) -> dict[str, bytes]:
        """Return the texts of the overlay."""
        found = {}
        for buffer in self.buffers:
            try:
                if not buffer.is_untitled:
                    found[buffer.path] = buffer.raw
            except SourceError:  # its coding line is incomplete: meanwhile the file on disk is used
                continue
        return found

    def files(self) -> Files:
        """Return the files as the editor sees them."""
        return _Current(Overlay(Disk(), self.contents()), self.is_current)

    def files_around(self, path: str) -> Files:
        """Return the files around an open one; for an unsaved text, the text alone."""
        for buffer in self.buffers:
            if buffer.path == path and buffer.is_untitled:
                return Overlay(Nowhere(), {path: buffer.raw})
        return self.files()


@dataclass(frozen=True)
class Checked:
    """The results of one file, with the texts of all files that they refer to."""

    path: str
    config: Config
    findings: tuple[Finding, ...] = ()
    problems: tuple[Problem, ...] = ()
    sources: Mapping[str, Optional[Source]] = field(default_factory=dict)
    unjudged: tuple[str, ...] = ()  # reasons why programs of the file were judged in part
    measured: Mapping[Finding, Measurement] = field(default_factory=dict)  # by `verify`
    profiled: Mapping[Finding, Measurement] = field(default_factory=dict)
    unread: str = ""  # the reason why the profile is unreadable

    @property
    def configs(self) -> tuple[str, ...]:
        """Return the config files that findings depend on."""
        places = (related.place.path for finding in self.findings for related in finding.related)
        return tuple(dict.fromkeys(path for path in places if not path.endswith(PYTHON)))

    @property
    def source(self) -> Optional[Source]:
        """Return the text of the file itself; None for an unreadable one."""
        return self.sources.get(self.path)


@dataclass(frozen=True)
class Answers:
    """The results of some files, and errors of their configuration."""

    checked: Mapping[str, Checked] = field(default_factory=dict)  # by path
    errors: tuple[str, ...] = ()


class Linting:
    """The linter of the server, with bounded memory between two passes."""

    def __init__(self) -> None:
        self._parsed = Parsed(KEPT)
        self._memories: dict[str, Memory] = {}  # by configuration, the one used last at the end
        self._good: dict[str, Config] = {}  # the last valid configuration of a path
        self._baselines: dict[str, Baseline] = {}  # the last valid ones, by file
        self._decided: dict[str, dict[str, None]] = {}  # by config file, the files with findings that it decides

    def open(self, state: State) -> Answers:
        """Return the results of all open Python files, and of scripts behind open config files. Raises Voided."""
        named = {buffer.path: None for buffer in state.buffers if buffer.is_python and not buffer.is_untitled}
        for buffer in state.buffers:  # scripts whose findings depend on an open config file
            named.update(self._decided.get(buffer.path, {}))
        answers = self.files(tuple(named), state)
        untitled = [buffer for buffer in state.buffers if buffer.is_python and buffer.is_untitled]
        alone = {buffer.path: _alone(buffer, self._config(buffer.path, state.folders, True)[0]) for buffer in untitled}
        return Answers({**answers.checked, **alone}, answers.errors)

    def files(self, paths: Sequence[str], state: State) -> Answers:
        """Return the results of files, by their nearest configurations. Raises Voided."""
        with _young_garbage():
            answers = self._files(paths, state)
            self._parsed.trim()
        return answers

    def _files(self, paths: Sequence[str], state: State) -> Answers:
        files, errors = state.files(), []
        groups: dict[str, tuple[Config, list[str]]] = {}
        for path in paths:
            config, error = self._config(path, state.folders)
            errors += [error] if error else []
            groups.setdefault(repr(config), (config, []))[1].append(path)
        checked: dict[str, Checked] = {}
        for key, (config, members) in groups.items():
            wanted = [path for path in members if not state.folders.is_excluded(path, config)]
            checked.update({path: Checked(path, config) for path in members})
            report = self._lint(wanted, config, files, self._memory(key))
            report = report._replace(findings=tuple(filter(state.shows, report.findings)))
            checked.update(_by_path(report, config, files))
        self._note_configs(checked.values())
        return Answers(checked, tuple(dict.fromkeys(errors)))

    def _lint(self, paths: Sequence[str], config: Config, files: Files, memory: Optional[Memory] = None) -> Report:
        """Return a report without findings in the last valid baseline."""
        report = lint(paths, config._replace(baseline=None), files, memory=memory, parsed=self._parsed)
        known = self._baselines.get(config.baseline_file or "")
        return known.divided(report, files) if known is not None else report

    def _note_configs(self, checked: Iterable[Checked]) -> None:
        for each in checked:
            for path in each.configs:
                self._decided.setdefault(path, {})[each.path] = None

    def linter(self, path: str, state: State) -> Linter:
        """Return a linter of the program of a file, with the files as the editor sees them."""
        config = self._config(path, state.folders)[0]._replace(baseline=None)
        return Linter(config, state.files_around(path), parsed=self._parsed)

    def below(self, state: State) -> tuple[str, ...]:
        """Return the Python files to lint in the folders of the workspace, without notebooks."""
        found: dict[str, None] = {}
        for folder in state.folders.paths:
            files = discover([folder], self._settings(folder, state.folders)).files
            found.update(dict.fromkeys(path for path in files if not path.endswith(NOTEBOOK)))
        return tuple(found)

    def fixed(self, checked: Checked, state: State) -> Optional[Change]:
        """Return the change of a file by all safe fixes, as with `--fix`; None without any."""
        config, path = checked.config, checked.path
        settled: Settled = settle(
            lambda files: self._lint([path], config, files),
            state.files_around(path),
            config,
            unsafe=config.unsafe_fixes,
        )
        return next(iter(settled.changes), None)

    def _memory(self, key: str) -> Memory:
        """Return the memory of a configuration."""
        self._memories[key] = self._memories.pop(key) if key in self._memories else Memory()
        if len(self._memories) > MEMORIES:
            del self._memories[next(iter(self._memories))]
        return self._memories[key]

    def _settings(self, folder: str, folders: Folders) -> PerDirectory:
        """Return the settings below a folder; for invalid ones, the last valid ones."""
        try:
            return folders.configs(folder)
        except ConfigError:
            return self._config(folder, folders)[0]

    def _config(self, path: str, folders: Folders, isolated: bool = False) -> tuple[Config, str]:
        """Return the configuration of a path, or the last valid one, and its error or that of its baseline."""
        try:
            config = self._good[path] = folders.config(path, isolated)
            if config.baseline_file is not None:
                self._baselines[config.baseline_file] = load_baseline(config.baseline_file)
            return config, ""
        except ConfigError as error:
            config = self._good.get(path) or Config(root=path)
            return config, say(error.args[0], language_of(config))


@contextmanager
def _young_garbage() -> Iterator[None]:
    """Collect the garbage that a pass leaves while it is young: later all that is kept would be looked through."""
    gc.disable()
    try:
        yield
    finally:
        gc.collect(0)
        gc.enable()


class _Current(Files):
    """Files whose reading raises Voided after a newer edit."""

    def __init__(self, base: Files, is_current: Callable[[], bool]) -> None:
        self.base = base
        self.is_current = is_current
        self._names: dict[str, frozenset[str]] = {}

    def read(self, path: str) -> bytes:
        """Return the bytes of a file. Raises Voided."""
        if not self.is_current():
            raise Voided
        return self.base.read(path)

    def _listing(self, directory: str) -> frozenset[str]:
        """Return the names in a directory."""
        if directory not in self._names:
            self._names[directory] = self.base._listing(directory)
        return self._names[directory]

    def status(self, path: str) -> Optional[Status]:
        """Return what changes with every change of a file or directory."""
        return self.base.status(path)


def language_of(config: Config) -> str:
    """Return the language of messages for the editor."""
    return chosen(of_environment(), config.lang)


def _is_told(problem: Problem, files: Files) -> bool:
    """Return whether this server reports a problem: other servers report those of code without MindSpore."""
    try:
        return MARK in files.read(problem.path)
    except OSError:
        return True


def _by_path(report: Report, config: Config, files: Files) -> dict[str, Checked]:
    """Return a report file by file, in the language that is set."""
    language = language_of(config)
    found: dict[str, Checked] = {}
    measured = measurements(report.findings, files, lambda path: config.device)
    for path in report.files:
        told = [each for each in report.problems if each.path == path and _is_told(each, files)]
        problems = tuple(each._replace(message=say(each.message, language)) for each in told)
        try:
            findings = tuple(in_language(each, language) for each in report.findings if each.place.path == path)
            unjudged = tuple(say(line(each), language) for each in report.unjudged if path in (each.entry, *each.files))
            known = {each: effect for each in findings if (effect := measured(each)) is not None}
            found[path] = Checked(path, config, findings, problems, _sources(path, findings, files), unjudged, known)
        except Exception as error:
            failed = Problem(path, 0, 0, internal_error(error), internal=True)
            found[path] = Checked(path, config, (), (*problems, failed))
    return found


def _sources(path: str, findings: Iterable[Finding], files: Files) -> dict[str, Optional[Source]]:
    """Return the texts of a file and of all files in its findings."""
    paths = {path: None}
    for finding in findings:
        paths.update(dict.fromkeys(edit.path for edit in (finding.fix.edits if finding.fix else ())))
        paths.update(dict.fromkeys(related.place.path for related in finding.related))
    return {each: _source(each, files) for each in paths}


def _source(path: str, files: Files) -> Optional[Source]:
    try:
        return Source(path, files.read(path))
    except (OSError, SourceError):
        return None


def _alone(buffer: Buffer, config: Config) -> Checked:
    """Return the results of an unsaved text; no file is read for it."""
    try:
        files = Overlay(Nowhere(), {buffer.path: buffer.raw})
    except SourceError as error:
        return Checked(buffer.path, config, (), (Problem(buffer.path, error.row, error.column, error.message),))
    return _by_path(lint([buffer.path], config, files), config, files)[buffer.path]
