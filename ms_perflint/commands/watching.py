"""`--watch`: lint again whenever a file of the project changes, in a terminal beside the editor."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence

import click

from ms_perflint.cache.cache import project_root
from ms_perflint.commands.asked import READ, Options
from ms_perflint.commands.mistakes import UsageError
from ms_perflint.commands.outputs import tell
from ms_perflint.commands.run import run
from ms_perflint.config.settings import EXCLUDE, ConfigError, common_parent
from ms_perflint.core.source import PYTHON
from ms_perflint.languages import Message, chosen, say

MISSING = Message("--watch needs the package watchfiles: pip install watchfiles")
ALONE = Message("--watch only reports: it does not go with --fix, --diff, --add-noqa or `-`")
PAUSE = 200  # milliseconds without changes that end a group of changes


def watch(paths: Sequence[str], options: Options) -> int:
    """Lint, and lint again after each change, until Ctrl-C stops it."""
    if options.fix or options.diff or options.add_noqa is not None or "-" in paths:
        raise UsageError(ALONE)
    try:
        from watchfiles import watch as changes
    except ImportError as error:
        raise UsageError(MISSING) from error
    root = project_root(common_parent(paths))
    if not os.path.isdir(root):
        raise UsageError(Message("{folder}: no such directory", folder=root))
    language = chosen(options.lang)
    once, is_first = options._replace(watch=False), True
    # Watching starts before the first linting, so that no change is missed.
    for batch in changes(root, step=20, debounce=PAUSE, rust_timeout=PAUSE, yield_on_timeout=True):
        if is_first or any(_counts(path, root) for _, path in batch):
            _lint(paths, once, is_first, language)
            now = time.strftime("%H:%M:%S")
            watches = Message("[{now}] Watching {folder} for changes, Ctrl-C ends.", now=now, folder=root)
            tell(say(watches, language))
        is_first = False
    return 0


def _counts(path: str, root: str) -> bool:
    """Return whether a change at a path may change findings."""
    folders = os.path.relpath(path, root).split(os.sep)[:-1]
    return path.endswith((*PYTHON, *READ)) and not any(folder in EXCLUDE for folder in folders)


def _lint(paths: Sequence[str], options: Options, is_first: bool, language: str) -> None:
    """Print the report on a clear screen; an invalid configuration, perhaps half edited, is shown."""
    if sys.stdout.isatty():
        click.clear()
    try:
        run(paths, options)
    except (ConfigError, UsageError) as error:
        if is_first:
            raise
        tell(say(Message("ms-perflint: error: {reason}", reason=error.args[0]), language))
