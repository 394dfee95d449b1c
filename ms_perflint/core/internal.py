"""Internal errors: what every front end says of them, and how one file is kept from costing the others."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

from ms_perflint.languages import Message

Answer = TypeVar("Answer")


class Errors:
    """Internal errors in reading, parsing or scanning a file on behalf of others, by file; the first one counts."""

    def __init__(self) -> None:
        self._found: dict[str, Message] = {}

    def guard(self, path: str, ask: Callable[[], Answer], otherwise: Answer) -> Answer:
        """Return what a file says; `otherwise` where an internal error prevents it, which is kept."""
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
    """Return one line: that the error is to be reported, what it says, and where it was raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code if trace is not None else None
    place = f" ({os.path.basename(code.co_filename)}:{trace.tb_lineno}, {code.co_name})" if trace and code else ""
    what = f"{type(error).__name__}: {' '.join(str(error).split())}{place}"
    return Message("internal error, please report it: {what}", what=what)
