"""One run of the command line: configuration, files, findings, fixes, report, exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import click

from ms_perflint.config import Config, load, override
from ms_perflint.discovery import discover
from ms_perflint.engine import lint
from ms_perflint.findings import Problem
from ms_perflint.report import Outcome, render, render_statistics
from ms_perflint.report.sources import Sources, shown
from ms_perflint.report.style import PLAIN, Style
from ms_perflint.source import Disk


@dataclass(frozen=True)
class Options:
    """What was asked for on the command line; None and () were not given."""

    fix: bool = False
    unsafe_fixes: bool | None = None
    no_interactive: bool = False
    diff: bool = False
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    mindspore_version: str | None = None
    device: str | None = None
    config: str | None = None
    isolated: bool = False
    output_format: str = "text"
    output_file: str | None = None
    statistics: bool = False
    exit_zero: bool = False
    exit_non_zero_on_fix: bool = False
    jobs: int | None = None


def run(paths: Sequence[str], options: Options) -> int:
    """Return the exit code: 0 nothing left to report, 1 findings left, 2 something could not be done."""
    config = settings(paths, options)
    found = discover(paths, config)
    if not found.files and not found.problems:
        click.echo("no Python files found", err=True)
    report = lint(found.files, config, jobs=options.jobs or os.cpu_count() or 1)
    outcome = Outcome(report.findings, Sources(Disk()), _style(options))
    text = (
        render_statistics(options.output_format, outcome)
        if options.statistics
        else render(options.output_format, outcome)
    )
    _write(text, options)
    problems = sorted({*found.problems, *report.problems})
    for problem in problems:
        click.echo(line(problem), err=True)
    return 2 if problems else 1 if report.findings and not options.exit_zero else 0


def settings(paths: Sequence[str], options: Options) -> Config:
    """Return the configuration of the paths with the command line's values on top. May raise ConfigError."""
    return override(
        load(paths, options.config, options.isolated),
        select=options.select,
        ignore=options.ignore,
        extend_select=options.extend_select,
        mindspore_version=options.mindspore_version,
        device=options.device,
        unsafe_fixes=options.unsafe_fixes,
    )


def line(problem: Problem) -> str:
    """Return the one line that says what could not be done."""
    place = f":{problem.row}:{problem.column}" if problem.row else ""
    return f"{shown(problem.path)}{place}: error: {problem.message}"


def _style(options: Options) -> Style:
    """Return whether to colour: on a terminal, unless NO_COLOR; with FORCE_COLOR elsewhere too."""
    if options.output_file is not None or os.environ.get("NO_COLOR"):
        return PLAIN
    terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    return Style(colour=terminal or bool(os.environ.get("FORCE_COLOR")))


def _write(text: str, options: Options) -> None:
    """Print a report, or write it to the file that was named."""
    if options.output_file is None:
        sys.stdout.write(text)
        return
    try:
        with open(options.output_file, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise click.ClickException(f"cannot write {options.output_file}: {error.strerror}") from error
