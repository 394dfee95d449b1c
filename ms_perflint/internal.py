"""What every front end says of an error that nobody foresaw."""

from __future__ import annotations

import os


def internal_error(error: Exception) -> str:
    """Return on one line that it is to be reported, what it says, and where it was raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code if trace is not None else None
    place = f" ({os.path.basename(code.co_filename)}:{trace.tb_lineno}, {code.co_name})" if trace and code else ""
    return f"internal error, please report it: {type(error).__name__}: {' '.join(str(error).split())}{place}"
