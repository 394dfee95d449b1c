"""The outputs of reports: the standard output and files, also several in one run."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NamedTuple

from ms_perflint.commands.mistakes import UsageError
from ms_perflint.languages import Message, escaped


class Output(NamedTuple):
    """One requested report: its format and file; None is the standard output."""

    format: str
    file: str | None = None


def output(text: str) -> Output:
    """Return the output in a text FORMAT or FORMAT=FILE."""
    name, _, file = text.partition("=")
    return Output(name, file or None)


def outputs(asked: Sequence[Output], file: str | None, default: str) -> tuple[Output, ...]:
    """Return the outputs of a run, by default one; `file` is for the one without a file.

    Raises UsageError for two reports with the same file, or if no report is left for `file`.
    """
    wanted = tuple(asked) or (Output(default),)
    bare = [each.format for each in wanted if each.file is None]
    if len(bare) > 1:
        message = Message(
            "{formats} would go to the same place: name a file, like `--output-format {format}=FILE`",
            formats=", ".join(bare),
            format=bare[0],
        )
        raise UsageError(message)
    if file is not None and not bare:
        message = Message("each --output-format names its own file, and nothing is left for {file}", file=file)
        raise UsageError(message)
    found = tuple(each._replace(file=each.file if each.file is not None else file) for each in wanted)
    files = [os.path.realpath(each.file) for each in found if each.file is not None]
    twice = next((each for each in files if files.count(each) > 1), None)
    if twice is not None:
        message = Message("two reports would be written to {file}", file=os.path.relpath(twice))
        raise UsageError(message)
    return found


def write(text: str, file: str | None, aside: bool = False) -> None:
    """Print a report, `aside` on stderr, or write it to its file. May raise UsageError."""
    try:
        if file is None:
            stream = sys.stderr if aside else sys.stdout
            stream.write(text)
            stream.flush()
            return
        os.makedirs(os.path.dirname(os.path.abspath(file)), exist_ok=True)
        with open(file, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as opened:
            opened.write(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        if file is None:  # otherwise the interpreter tries again when it ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        place = file or Message("the report")
        message = Message("cannot write {place}: {reason}", place=place, reason=error.strerror)
        raise UsageError(message) from error


def tell(text: str) -> None:
    """Print a line on stderr, without control characters."""
    import click  # here, because most runs print nothing

    click.echo(escaped(text), err=True)
