"""What a run is about besides its paths: a text that is typed, a change; and what does not go together."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ms_perflint.commands.asked import DASK, READ, Options
from ms_perflint.commands.mistakes import UsageError
from ms_perflint.config import common_parent
from ms_perflint.languages import Message

if TYPE_CHECKING:
    from ms_perflint.commands.stdin import Typed
    from ms_perflint.commands.touched import Touched
    from ms_perflint.configurations import Configurations
    from ms_perflint.since.states import States


def typed_text(paths: Sequence[str], options: Options) -> Typed | None:
    """Return what the standard input holds where the paths mean it. May raise Mistake."""
    if "-" not in paths:
        return None
    if len(paths) > 1:
        raise UsageError(Message("`-` is the standard input, and goes with no other path"))
    if options.since is not None:
        raise UsageError(Message("--since compares files in a git repository, and the standard input is none"))
    if options.add_noqa is not None:
        raise UsageError(Message("--add-noqa writes into files, and the standard input is none"))
    from ms_perflint.commands.stdin import read

    return read(options.stdin_filename)


def compared_states(paths: Sequence[str], options: Options) -> States | None:
    """Return the states of the repository that are compared; None where none are. May raise Mistake."""
    if options.since is None:
        if options.staged:
            raise UsageError(Message("--staged says which state --since REV looks at: it needs that"))
        return None
    from ms_perflint.since.repository import GitError
    from ms_perflint.since.states import states

    try:
        return states(common_parent(paths), options.since, options.staged)
    except GitError as error:
        raise UsageError(error.args[0]) from error


def read_by_programs(paths: Sequence[str], options: Options, configs: Configurations) -> Touched | None:
    """Return what stands for the programs that read some of the paths; None where all of these are linted themselves.

    A change is looked at as a whole, whatever of it is named.
    """
    others = {os.path.abspath(path) for path in paths if path.endswith(READ) and os.path.isfile(path)}
    if not others or options.since is not None:
        return None
    from ms_perflint.commands.touched import Touched

    return Touched(paths, others, configs, options.force_exclude)


def refuse(options: Options) -> None:
    """Raise Mistake for options that do not go together."""
    if (options.executor == DASK) != (options.scheduler is not None):
        raise UsageError(Message("--executor dask and --scheduler ADDRESS: one needs the other"))
    if options.add_noqa is not None and options.fix:
        message = Message("--fix and --add-noqa: what is fixed needs no comment; run one after the other")
        raise UsageError(message)
    if options.write_baseline or options.extend_baseline:
        written = "--extend-baseline" if options.extend_baseline else "--write-baseline"
        others = {
            "--since": options.since is not None,
            "--fix": options.fix,
            "--diff": options.diff,
            "--add-noqa": options.add_noqa is not None,
            "--no-baseline": options.no_baseline,
        }
        for other in (name for name, given in others.items() if given):
            raise UsageError(Message("{one} and {other}: run one after the other", one=written, other=other))
