"""What every front end says of an error that nobody foresaw."""

from __future__ import annotations

import os

from ms_perflint.languages import Message


def internal_error(error: Exception) -> Message:
    """Return on one line that it is to be reported, what it says, and where it was raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code if trace is not None else None
    place = f" ({os.path.basename(code.co_filename)}:{trace.tb_lineno}, {code.co_name})" if trace and code else ""
    what = f"{type(error).__name__}: {' '.join(str(error).split())}{place}"
    return Message("internal error, please report it: {what}", what=what)
