"""The command line: reads arguments, calls the engine, prints, sets the exit code. It decides nothing else.

Exit codes: 0 nothing is left to report, 1 findings are left, 2 the run itself failed.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Optional

from ms_perflint.commands.front import answer
from ms_perflint.commands.help import asked
from ms_perflint.commands.mistakes import INTERRUPTED, UsageError
from ms_perflint.commands.outputs import tell
from ms_perflint.config.settings import ConfigError
from ms_perflint.languages import Message, say

ENOUGH = 1  # the exit code when the report is not read to its end


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code; whatever goes wrong is one line on stderr."""
    _open_streams()
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _ended)
    sys.exit(_code(arguments))


def _open_streams() -> None:
    """Open the streams that were closed on the way here, on nothing: no other file may get their numbers."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 it stays open


def _ended(number: int, _: Optional[FrameType]) -> None:
    """Leave as after an interrupt: nothing stays half done, and the code says which signal it was."""
    raise SystemExit(128 + number)


def _code(arguments: Sequence[str] | None) -> int:
    """Return the exit code of a run."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a file's text must not stop its report
    words = sys.argv[1:] if arguments is None else arguments
    try:
        return answer(arguments)
    except (ConfigError, UsageError) as error:
        return _failed(error.args[0], words)
    except (KeyboardInterrupt, EOFError):
        tell("")  # what comes next stands below the ^C of the terminal
        return INTERRUPTED
    except BrokenPipeError:  # the reader has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ENOUGH
    except Exception as error:
        from ms_perflint.core.internal import internal_error

        return _failed(internal_error(error), words)


def _failed(reason: str, words: Sequence[str]) -> int:
    """Say why nothing was done and return the exit code for it."""
    tell(say(Message("ms-perflint: error: {reason}", reason=reason), asked(words)))
    return 2
