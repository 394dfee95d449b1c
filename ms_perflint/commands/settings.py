"""The configurations of a run: tables, overridden by the command line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial

from ms_perflint.commands.asked import Options
from ms_perflint.commands.mistakes import UsageError
from ms_perflint.config.per_file import Configurations, configurations
from ms_perflint.config.settings import TABLE, Arguments, Config
from ms_perflint.config.values import override
from ms_perflint.core.files import Disk
from ms_perflint.core.findings import Place
from ms_perflint.core.source import NOTEBOOK, PYTHON
from ms_perflint.languages import Message
from ms_perflint.report.sources import shown


def settings(paths: Sequence[str], options: Options, prefix: str = "--") -> Configurations:
    """Return the configurations of a run, overridden by options. May raise ConfigError.

    `prefix` is the text in front of an option's name in errors.
    """
    given = _arguments(paths, options.arguments) if options.arguments is not None else None
    return configurations(paths, partial(_on_top, options, given, prefix), options.config, options.isolated)


def _on_top(options: Options, given: Arguments | None, prefix: str, config: Config) -> Config:
    """Return a configuration, overridden by options. May raise ConfigError."""
    config = override(
        config,
        prefix,
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
        profile=options.profile,
        fixable=options.fixable,
        unfixable=options.unfixable,
        exclude=options.exclude,
        extend_exclude=options.extend_exclude,
    )
    config = override(config, f"{prefix}extend-", ignore=options.extend_ignore)
    config = config._replace(arguments=given, ignore_noqa=options.ignore_noqa, min_gain=options.min_gain)
    return config._replace(baseline=None) if options.no_baseline else config


def _arguments(paths: Sequence[str], words: tuple[str, ...]) -> Arguments:
    """Return the arguments of the checked program. Raises UsageError unless the paths name one program."""
    entry = os.path.abspath(paths[0])
    if len(paths) > 1 or os.path.isdir(entry) or not entry.endswith(PYTHON):
        message = Message(
            "what follows `--` are the arguments of one program: name the script that starts it, and only that, as in "
            "`ms-perflint train.py -- --epochs 3`; `launch` in [{table}] is for several",
            table=TABLE,
        )
        raise UsageError(message)
    refused = _refused(entry, words)
    if refused is not None:
        raise UsageError(refused)
    return Arguments(entry, words, os.getcwd())


def _refused(path: str, words: tuple[str, ...]) -> Message | None:
    """Return the reason why a readable file does not accept the arguments; None if it may."""
    from ms_perflint.linting.judged import is_started  # here, because most runs have no arguments
    from ms_perflint.program.arguments import line
    from ms_perflint.program.program import Program
    from ms_perflint.program.target import Target
    from ms_perflint.resolve.project import Project

    program = Program(Project(Disk()), path, Target())
    if program.module(path) is None:
        return None
    if words and path.endswith(NOTEBOOK):
        return Message("{file}: a notebook takes no arguments", file=shown(path))
    if words and not is_started(program):
        return Message("{file} starts nothing: name the script that starts the program", file=shown(path))
    problems = line(program, "", [(word, Place("", 0, 0)) for word in words], os.getcwd()).problems
    return next((Message("{file}: {reason}", file=shown(path), reason=said) for _, said in problems), None)
