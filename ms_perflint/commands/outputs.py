"""Where reports go: to the standard output or to files, several of them in one run."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NamedTuple

from ms_perflint.commands.mistakes import UsageError
from ms_perflint.languages import Message, escaped


class Output(NamedTuple):
    """One report that is wanted: its format, and the file it goes to; None is the standard output."""

    format: str
    file: str | None = None


def output(text: str) -> Output:
    """Return the report that is asked for as FORMAT or FORMAT=FILE."""
    name, _, file = text.partition("=")
    return Output(name, file or None)


def outputs(asked: Sequence[Output], file: str | None, default: str) -> tuple[Output, ...]:
    """Return the reports of a run: those asked for, else the default one; `file` is for the one that names none.

    Raises Mistake where two of them would go to the same place, or `file` has no report to take.
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
    """Print a report, `aside` on stderr, or write it to the file that was named. May raise Mistake."""
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
        if file is None:  # else the interpreter tries again when it ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        place = file or Message("the report")
        message = Message("cannot write {place}: {reason}", place=place, reason=error.strerror)
        raise UsageError(message) from error


def tell(text: str) -> None:
    """Print a line beside the report, on stderr, without what a terminal would obey."""
    import click  # here, because most runs have nothing to say

    click.echo(escaped(text), err=True)
