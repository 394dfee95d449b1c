"""The flake8 plugin: the findings and suppressions of the command line, on flake8's own tree and lines.

flake8 decides what is selected and which files are looked at. Versions, devices and the options of rules come from
`[tool.ms-perflint]`, as flake8 reads no pyproject.toml.
"""

from __future__ import annotations

import argparse
import ast
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Optional

from flake8.exceptions import ExecutionError  # type: ignore[import-untyped, unused-ignore]

from ms_perflint import __version__
from ms_perflint.config import Config, ConfigError, load
from ms_perflint.internal import internal_error
from ms_perflint.languages import ENGLISH, of_environment, say

if TYPE_CHECKING:
    from flake8.options.manager import OptionManager  # type: ignore[import-untyped, unused-ignore]

    from ms_perflint.baseline import Baseline
    from ms_perflint.engine import Linter
    from ms_perflint.findings import Finding, Problem
    from ms_perflint.source import Files

PROBLEM = "MSP000"  # the code of what could not be done
Violation = tuple[int, int, str, type]  # row from 1, column from 0, text, plugin


class Run:
    """One run of flake8, or of one of its processes. What a file teaches about its neighbours is kept for them."""

    def __init__(self, options: argparse.Namespace) -> None:
        """Read the configuration. Raises ConfigError."""
        names: list[str] = options.filenames
        self._suppress = not options.disable_noqa
        self._typed: str = options.stdin_display_name if "-" in names else ""  # the name of what comes from stdin
        self._config = _everything(load([self._typed if name == "-" else name for name in names]))
        self._linter: Optional[Linter] = None
        self.language = _language(self._config)
        self._baseline: Optional[Baseline] = None
        if self._config.baseline_file is not None:
            from ms_perflint.baseline import load as load_baseline

            self._baseline = load_baseline(self._config.baseline_file)

    def lint(self, tree: ast.Module, lines: Sequence[str], name: str) -> tuple[Sequence[Finding], Sequence[Problem]]:
        """Return what is found in a file, and what could not be done."""
        from ms_perflint.gate import MARK
        from ms_perflint.source import Disk, Overlay, Source, SourceError, encoded
        from ms_perflint.suppressions import names_rules

        text = "".join(lines)
        if MARK.decode() not in text and not names_rules(text.encode("utf-8", "replace")):
            return (), ()
        path = os.path.abspath(name)
        try:
            raw = encoded(text)
            source = Source(path, raw)
        except SourceError as error:
            return (), [error.problem(path)]
        from ms_perflint.engine import without_collector

        here = Overlay(Disk(), {path: raw})
        if name == self._typed:
            linter = self._made(here)
        else:
            linter = self._linter = self._linter or self._made(Disk())
        with without_collector():
            found: Sequence[Finding] = linter.parsed(source, tree)
        if self._baseline is not None:
            found, _ = self._baseline.divide(found, here)
        problems, linter.problems = linter.problems, []
        return found, problems

    def forget(self) -> None:
        """Start anew with the next file."""
        self._linter = None

    def _made(self, files: Files) -> Linter:
        from ms_perflint.engine import Linter

        return Linter(self._config, files, self._suppress)


class Plugin:
    """What flake8 makes for each file."""

    name = "ms-perflint"
    version = __version__
    current: ClassVar[Optional[Run]] = None  # flake8 hands options to the class, and files to instances

    def __init__(self, tree: ast.Module, lines: list[str], filename: str) -> None:
        self._tree = tree
        self._lines = lines
        self._filename = filename

    @classmethod
    def add_options(cls, manager: OptionManager) -> None:
        """Leave preview rules off until they are selected."""
        with _clearly():
            from ms_perflint.check import checks

            manager.extend_default_ignore([check.code for check in checks() if check.preview])

    @classmethod
    def parse_options(cls, options: argparse.Namespace) -> None:
        """Begin a run: read the configuration of the paths that flake8 was given."""
        with _clearly():
            cls.current = Run(options)

    def run(self) -> Iterator[Violation]:
        """Yield what is found; an error of ours is a line of the report, and flake8 goes on."""
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
            message = f"{PROBLEM} {say(problem.message, run.language)}"
            yield max(problem.row, 1), max(problem.column - 1, 0), message, type(self)


def _language(config: Config) -> str:
    """Return the language that was asked for; flake8 itself speaks English in any locale, and so do we beside it."""
    return of_environment() or config.lang or ENGLISH


def _everything(config: Config) -> Config:
    """Return the configuration with all rules on in all files: flake8 has its own selection."""
    from ms_perflint.check import checks

    codes = tuple(check.code for check in checks())
    return replace(config, select=codes, ignore=(), extend_select=(), per_file_ignores=(), extend_per_file_ignores=())


@contextmanager
def _clearly() -> Iterator[None]:
    """Turn what makes a run impossible into the error that flake8 shows without a traceback."""
    try:
        yield
    except ConfigError as error:
        raise ExecutionError(f"ms-perflint: {error}") from error
    except Exception as error:
        raise ExecutionError(f"ms-perflint: {internal_error(error)}") from error
