"""Parallel work: in processes that end with the run that started them, or in those of an executor.

A process that dies, killed for its memory or by a fault in a library, loses one path. Stopping the run stops all
processes at once. Results are passed on as they arrive, and the caller must not depend on their order.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, suppress
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

Result = TypeVar("Result")
Work = Callable[..., Result]  # of the paths of a part, and what is given for it; it must be possible to pickle it
Given = Callable[[Sequence[str]], tuple[Any, ...]]
TICK = 0.25  # seconds between two reports of progress
Start = Callable[[int], Executor]  # starts so many workers


def processes(count: int) -> Executor:
    """Return so many processes that wait for work."""
    return ProcessPoolExecutor(count, initializer=follow)


def nothing(part: Sequence[str]) -> tuple[Any, ...]:
    """Give nothing for a part but its paths."""
    return ()


def side_by_side(
    parts: Sequence[Sequence[str]],
    work: Work[Result],
    take: Callable[[Result], None],
    workers: int,
    start: Start = processes,
    done: Callable[[int], None] = lambda count: None,
    given: Given = nothing,
) -> list[str]:
    """Give the results of the parts to `take`, each as soon as it is there; return the paths on which workers died.

    `done` is called with the number of paths that are done since the last call, and with 0 from time to time. `given`
    returns the further arguments of the work on a part.
    """
    with _started(start, workers) as executor:
        left = _asked(executor, work, parts, take, given, done)
    return [path for part in left for path in _one_by_one(part, work, take, given)]


def _one_by_one(part: Sequence[str], work: Work[Result], take: Callable[[Result], None], given: Given) -> Iterator[str]:
    """Yield the paths of a part on which a process dies: where one does, it is asked for in halves."""
    with _started(processes, 1) as executor:
        left = _asked(executor, work, [part], take, given)
    if not left:
        return
    if len(part) == 1:
        yield part[0]
        return
    middle = len(part) // 2
    yield from _one_by_one(part[:middle], work, take, given)
    yield from _one_by_one(part[middle:], work, take, given)


def _asked(
    executor: Executor,
    work: Work[Result],
    parts: Sequence[Sequence[str]],
    take: Callable[[Result], None],
    given: Given,
    done: Callable[[int], None] = lambda count: None,
) -> list[Sequence[str]]:
    """Give the results of the parts to `take`; return the parts that were not done when a worker died."""
    asked: dict[Future[Result], int] = {}
    with _unheard(), suppress(BrokenExecutor):
        for number, part in enumerate(parts):
            asked[executor.submit(work, part, *given(part))] = number
    left = set(range(len(parts)))
    while asked:
        ended, _ = wait(asked, TICK, FIRST_COMPLETED)
        count = 0
        for number, future in sorted((asked.pop(future), future) for future in ended):
            with suppress(BrokenExecutor):
                take(future.result())
                left.discard(number)
            count += len(parts[number])
        done(count)
    return [parts[number] for number in sorted(left)]


@contextmanager
def _started(start: Start, workers: int) -> Iterator[Executor]:
    """Give workers that end with the block: at once where it is left by an exception, as by Ctrl-C."""
    others = set(multiprocessing.active_children())
    executor = start(workers)
    try:
        yield executor
    except BaseException:
        own = set(multiprocessing.active_children()) - others
        for process in own:
            process.kill()  # one that has only begun still hears a request as its parent does, and would tell of it
        # the thread that watches processes ends with them; left behind, it would be in the way of the exit
        executor.shutdown(wait=bool(own), cancel_futures=True)
        raise
    executor.shutdown()


@contextmanager
def _unheard() -> Iterator[None]:
    """Keep Ctrl-C back while processes start: they inherit that, and never hear of it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def follow() -> None:
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
