"""Processes that work for a run and end with it, however it ends."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.process import BaseProcess


@contextmanager
def workers(jobs: int) -> Iterator[Executor]:
    """Start so many processes; where the run is interrupted they begin nothing new."""
    with ProcessPoolExecutor(jobs, initializer=_follow) as executor:
        try:
            yield executor
        except BaseException:
            executor.shutdown(cancel_futures=True)
            raise


def _follow() -> None:
    """Make this process end with the one that started it: by its word, not by an interrupt meant for all of them."""
    gc.disable()  # it does nothing that needs it
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN if name == "SIGINT" else signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: BaseProcess) -> None:
    """Wait for the end of another process, however it comes, and end this one."""
    parent.join()
    os._exit(1)
