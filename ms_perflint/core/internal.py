"""Internal errors: their text in all front ends, and their isolation, so that one file does not stop the others."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

from ms_perflint.languages import Message

Answer = TypeVar("Answer")


class Errors:
    """Internal errors while a file was read, parsed or scanned for others, by file; the first one counts."""

    def __init__(self) -> None:
        self._found: dict[str, Message] = {}

    def guard(self, path: str, ask: Callable[[], Answer], otherwise: Answer) -> Answer:
        """Return the answer about a file; after an internal error, which is recorded, `otherwise`."""
        try:
            return ask()
        except Exception as error:
            self._found.setdefault(path, internal_error(error))
            return otherwise

    def taken(self) -> dict[str, Message]:
        """Return the errors since the last call, by file."""
        found, self._found = self._found, {}
        return found


def internal_error(error: Exception) -> Message:
    """Return one line with a request to report the error, its text, and where it was raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code if trace is not None else None
    place = f" ({os.path.basename(code.co_filename)}:{trace.tb_lineno}, {code.co_name})" if trace and code else ""
    what = f"{type(error).__name__}: {' '.join(str(error).split())}{place}"
    return Message("internal error, please report it: {what}", what=what)
