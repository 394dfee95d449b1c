"""What was asked for on the command line; and how most command lines are read without click.

To load click, and to tell it of all commands and options, takes a third of a run over one file. Paths, options that
are on or off, and those that take a text are read here; all else, and whatever is wrong, is left to click.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from ms_perflint.cache import CACHE_DIR, NO_CACHE
from ms_perflint.commands.outputs import Output, output
from ms_perflint.languages import VARIABLE, of_environment
from ms_perflint.records import NamedTuple
from ms_perflint.report import FORMATS
from ms_perflint.source import PYTHON

COMPLETION = "_MS_PERFLINT_COMPLETE"  # by which a shell asks
ENDS = (*PYTHON, ".pyi")  # how the names of files end that a hook may name
EXECUTORS = PROCESSES, DASK = "processes", "dask"
CHECK = "check"  # the command that may be left out
COMMANDS = (CHECK, "rule", "program", "config", "completion", "server", "clean")


class Options(NamedTuple):
    """What was asked for on the command line; None and () were not given."""

    fix: bool = False
    unsafe_fixes: bool | None = None
    no_interactive: bool = False
    diff: bool = False
    add_noqa: str | None = None  # the reason, "" for none
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
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
    exit_zero: bool = False
    exit_non_zero_on_fix: bool = False
    jobs: int | None = None
    executor: str = PROCESSES
    scheduler: str | None = None  # the address of it
    no_cache: bool = False
    cache_dir: str | None = None
    stdin_filename: str | None = None
    force_exclude: bool = False
    watch: bool = False
    lang: str | None = None


def _flag(field: str) -> str:
    return "--" + field.replace("_", "-")


FLAGS = {_flag(field): field for field, usual in Options._field_defaults.items() if usual is False}
TEXTS = {
    _flag(field): field
    for field in (
        "baseline",
        "mindspore_version",
        "device",
        "config",
        "output_file",
        "scheduler",
        "cache_dir",
        "stdin_filename",
    )
}
LISTS = {_flag(field): field for field in ("select", "ignore", "extend_select", "output_format")}


def listed(values: Sequence[str]) -> tuple[str, ...]:
    """Return the rules of an option that may be repeated and may hold several, separated by commas."""
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


def with_files(words: Sequence[str]) -> list[str]:
    """Return a command line in which the name of a Python file that is there is no option, whatever it begins with.

    Where file names follow options, as pre-commit puts them, nothing stands between the two: a `--` would have to come
    from the one that writes the options, and what follows it is for the program.
    """
    end = words.index("--") if "--" in words else len(words)
    return [*(f".{os.sep}{word}" if _is_file(word) else word for word in words[:end]), *words[end:]]


def _is_file(word: str) -> bool:
    """Return whether a word looks like an option and names a Python file."""
    return word.startswith("-") and word.endswith(ENDS) and os.path.isfile(word)


def plain(arguments: Sequence[str]) -> tuple[tuple[str, ...], Options] | None:
    """Return the paths and options of `[check] [OPTIONS] PATH...`; None for what takes click to read."""
    if not arguments or os.name == "nt":  # where click stands in for a shell
        return None
    if arguments[0] in COMMANDS[1:] or not _is_plain(os.environ):
        return None
    read = _read(with_files(arguments[1:] if arguments[0] == CHECK else arguments))
    if read is None or not read[0]:
        return None
    paths, given = read
    wanted = tuple(map(output, given.pop("output_format", ())))
    if not all(each.format in FORMATS for each in wanted):
        return None
    values: dict[str, object] = {"lang": of_environment(), "cache_dir": os.environ.get(CACHE_DIR) or None}
    for field, texts in given.items():
        by_default = Options._field_defaults[field]
        values[field] = True if by_default is False else listed(texts) if by_default == () else texts[-1]
    return tuple(paths), Options(**values, output_format=wanted)  # type: ignore[arg-type]


def _is_plain(environment: Mapping[str, str]) -> bool:
    """Return whether the environment asks for nothing that may be wrong."""
    language = environment.get(VARIABLE)
    return not (environment.get(NO_CACHE) or environment.get(COMPLETION) or (language and not of_environment()))


def _read(words: Sequence[str]) -> tuple[list[str], dict[str, list[str]]] | None:
    """Return the paths, and what was given by field; None where a word may mean something else."""
    paths: list[str] = []
    given: dict[str, list[str]] = {}
    left = iter(words)
    for word in left:
        name, equals, value = word.partition("=")
        field = TEXTS.get(name) or LISTS.get(name)
        if not word.startswith("-") or word == "-":
            paths.append(word)
        elif word in FLAGS:
            given[FLAGS[word]] = []
        elif field is None or (not equals and (value := next(left, "-")).startswith("-")):
            return None
        else:
            given.setdefault(field, []).append(value)
    return paths, given
