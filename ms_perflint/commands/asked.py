"""What was asked for on the command line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from ms_perflint.commands.outputs import Output
from ms_perflint.core.source import PYTHON

READ = (
    ".yaml",
    ".yml",
    ".json",
    ".toml",
    ".cfg",
    ".ini",
    ".conf",
    ".txt",
    ".sh",
    ".bash",
)  # suffixes of files that programs read, or that start programs
ENDS = (*PYTHON, ".pyi", *READ)  # suffixes of files that a hook may name
EXECUTORS = PROCESSES, DASK = "processes", "dask"


class Options(NamedTuple):
    """The options of a command line; None and () are not set."""

    fix: bool = False
    fix_only: bool = False
    fixable: tuple[str, ...] = ()
    unfixable: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    extend_exclude: tuple[str, ...] = ()
    ignore_noqa: bool = False
    min_gain: str = "small"
    sort: str = "place"
    color: str = "auto"
    unsafe_fixes: bool | None = None
    no_interactive: bool = False
    diff: bool = False
    add_noqa: str | None = None  # the reason, "" for none
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    since: str | None = None  # a git revision
    staged: bool = False
    baseline: str | None = None
    no_baseline: bool = False
    write_baseline: bool = False
    extend_baseline: bool = False
    per_file_ignores: dict[str, list[str]] | None = None
    extend_per_file_ignores: dict[str, list[str]] | None = None
    mindspore_version: str | None = None
    device: str | None = None
    config: str | None = None
    isolated: bool = False
    output_format: tuple[Output, ...] = ()
    output_file: str | None = None
    statistics: bool = False
    quiet: bool = False
    verbose: bool = False
    strict: bool = False
    exit_zero: bool = False
    exit_non_zero_on_fix: bool = False
    jobs: int | None = None
    executor: str = PROCESSES
    scheduler: str | None = None  # the address of the Dask scheduler
    no_cache: bool = False
    cache_dir: str | None = None
    stdin_filename: str | None = None
    force_exclude: bool = False
    watch: bool = False
    profile: str | None = None  # the folder that the profiler wrote
    ir: str | None = None  # the folder of saved graphs
    lang: str | None = None
    arguments: tuple[str, ...] | None = None  # the arguments of the program, behind `--`


def listed(values: Sequence[str]) -> tuple[str, ...]:
    """Return the rules of an option that may be repeated, with several rules separated by commas."""
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


def with_files(words: Sequence[str]) -> list[str]:
    """Return a command line in which an existing file is no option, whatever its name starts with.

    pre-commit puts file names directly behind options: a `--` in between would have to come from the author of the
    options, and would start the arguments of the program.
    """
    end = words.index("--") if "--" in words else len(words)
    return [*(f".{os.sep}{word}" if _is_file(word) else word for word in words[:end]), *words[end:]]


def _is_file(word: str) -> bool:
    """Return whether a word looks like an option and names a file to lint."""
    return word.startswith("-") and word.endswith(ENDS) and os.path.isfile(word)
