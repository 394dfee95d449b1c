"""The progress bar of a long run on a terminal, shown after one second and removed at the end."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Optional

PATIENCE = 1.0  # seconds before the bar is shown
PAUSE = 0.1  # seconds between two updates
WIDE = 30  # characters of the bar
USUAL = 80  # columns of a terminal of unknown width
CLEAR = "\r\x1b[K"


def is_wanted(quiet: bool) -> bool:
    """Return whether progress can be shown: not in CI, not in a pipe."""
    told_not_to = quiet or os.environ.get("CI") or os.environ.get("TERM", "dumb") == "dumb"
    return not told_not_to and sys.stderr.isatty()


class Progress:
    """A counter of finished files, shown on a terminal."""

    def __init__(self, label: str, total: int, shows: bool) -> None:
        self._label, self._total, self._shows = label, total, shows
        self._done = 0
        self._next = time.monotonic() + PATIENCE
        self._is_visible = False

    def __call__(self, count: int) -> None:
        """Count more finished files, perhaps none, and update the bar now and then."""
        self._done += count
        if not self._shows or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + PAUSE
        self._is_visible = True
        import shutil  # here, because few runs take so long

        columns = shutil.get_terminal_size().columns or USUAL  # before Python 3.11 it may be 0
        _print(CLEAR + self.line(columns))

    def line(self, columns: int) -> str:
        """Return the bar as one line that ends before the last column."""
        filled = WIDE * min(self._done, self._total) // max(1, self._total)
        bar = f"{'#' * filled}{'-' * (WIDE - filled)}"
        return f"{self._label} [{bar}] {self._done}/{self._total} files"[: max(0, columns - 1)]

    def __enter__(self) -> Progress:
        """Begin."""
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        """Remove the bar, however the work ended."""
        if self._is_visible:
            _print(CLEAR)


@contextlib.contextmanager
def waiting(label: str) -> Iterator[None]:
    """Show on a terminal the name of a long task without countable parts."""
    timer = threading.Timer(PATIENCE, lambda: _print(f"{label} ..."))
    if is_wanted(quiet=False):
        timer.start()
    try:
        yield
    finally:
        timer.cancel()
        if timer.ident is not None:
            timer.join()
            _print(CLEAR)


def _print(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
