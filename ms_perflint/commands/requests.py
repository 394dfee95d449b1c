"""The request of a run: files, a text from the standard input, or a change; and conflicts of options."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Optional

from ms_perflint.commands.asked import DASK, READ, Options
from ms_perflint.commands.mistakes import UsageError
from ms_perflint.commands.outputs import Output
from ms_perflint.config.settings import common_parent
from ms_perflint.core.files import ONLY_CONFIGS, Disk, Files
from ms_perflint.core.source import PYTHON
from ms_perflint.discovery import Found, discover
from ms_perflint.languages import Message
from ms_perflint.report import COUNTED

if TYPE_CHECKING:
    from ms_perflint.commands.stdin import Typed
    from ms_perflint.commands.touched import Touched
    from ms_perflint.config.per_file import Configurations
    from ms_perflint.since.states import States


class Request(NamedTuple):
    """The input of a run."""

    paths: Sequence[str]  # as given; for a program with arguments, its files
    found: Found  # the files to lint
    disk: Files  # the files to read from
    typed: Optional[Typed]  # a text from the standard input
    compared: Optional[States]  # the compared states of a repository
    touched: Optional[Touched]  # config files and launch scripts, in place of the programs that read them

    @property
    def change(self) -> tuple[str, ...]:
        """Return the changed files that are no Python, absolute and without links; see `CHANGE`."""
        compared = self.compared.different if self.compared is not None else frozenset()
        named = frozenset(map(os.path.realpath, self.touched.others)) if self.touched is not None else frozenset()
        changed = sorted(path for path in compared | named if not path.endswith(PYTHON))
        is_only = self.touched.are_configs if self.touched is not None else False
        is_only = self.compared.are_configs if self.compared is not None else is_only
        return (*changed, *([ONLY_CONFIGS] if is_only else []))


def request(given: Sequence[str], options: Options, configs: Configurations, typed: Optional[Typed]) -> Request:
    """Return the request of a run. Raises UsageError for an invalid one."""
    compared = compared_states(given, options)
    paths = given
    if configs.run.arguments is not None:
        from ms_perflint.linting.programs import files_of  # here, because most runs lint files

        paths = files_of(configs.run.arguments.entry, configs)
    paths = _with_programs(paths) if compared is not None else paths
    touched = read_by_programs(paths, options, configs) if typed is None else None
    if typed is not None:
        found = typed.found(configs, options.force_exclude)
    elif touched is not None:
        found = touched.found
    else:
        found = discover(paths, configs, options.force_exclude)
    disk: Files = Disk()
    if compared is not None:
        disk = compared.after
        if options.staged:
            from ms_perflint.since.states import staged  # here, because most runs compare nothing

            found = staged(found, compared, paths, configs)
    if typed is not None:
        disk = typed.files()
    return Request(paths, found, disk, typed, compared, touched)


def typed_text(paths: Sequence[str], options: Options) -> Typed | None:
    """Return the text of the standard input if a path is `-`. May raise UsageError."""
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
    """Return the compared states of the repository; None without `--since`. May raise UsageError."""
    if options.since is None:
        if options.staged:
            raise UsageError(Message("--staged goes with --since REV: name the revision to compare with"))
        return None
    from ms_perflint.since.repository import GitError
    from ms_perflint.since.states import states

    try:
        return states(common_parent(paths), options.since, options.staged)
    except GitError as error:
        raise UsageError(error.args[0]) from error


def _with_programs(paths: Sequence[str]) -> list[str]:
    """Return paths, with config files and launch scripts replaced by their projects, whose programs they may change."""
    from ms_perflint.cache.cache import project_root  # here, because most runs compare nothing

    is_read = [path.endswith(READ) and os.path.isfile(path) for path in paths]
    found = (
        project_root(os.path.dirname(os.path.abspath(path))) if read else path for path, read in zip(paths, is_read)
    )
    return list(dict.fromkeys(found))


def read_by_programs(paths: Sequence[str], options: Options, configs: Configurations) -> Touched | None:
    """Return the paths that stand for the programs that read them; None if all are linted themselves.

    A change is compared as a whole, whichever of its files are named.
    """
    others = {os.path.abspath(path) for path in paths if path.endswith(READ) and os.path.isfile(path)}
    if not others or options.since is not None:
        return None
    from ms_perflint.commands.touched import Touched

    return Touched(paths, others, configs, options.force_exclude)


def refuse(options: Options, wanted: Sequence[Output]) -> None:
    """Raise UsageError for conflicting options; `wanted` are the reports."""
    if options.ir is not None and options.profile is None:
        raise UsageError(Message("--ir goes with --profile DIR: it says where the kernels of a profile stand"))
    if options.quiet and options.verbose:
        raise UsageError(Message("--quiet and --verbose exclude each other"))
    if options.statistics and not any(output.format in COUNTED for output in wanted):
        names, name = ", ".join(COUNTED), wanted[0].format
        raise UsageError(Message("--statistics goes with {names}, not with {name}", names=names, name=name))
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
