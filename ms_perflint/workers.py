"""Work side by side: in processes that end with the run that started them, or wherever an executor takes it.

A process that dies, killed for its memory or by a fault in a library, takes one path with it. Whoever stops the run
stops them at once. What comes back stands in the order of the paths, however many processes there are.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, ProcessPoolExecutor, wait
from contextlib import contextmanager, suppress
from multiprocessing.process import BaseProcess
from typing import Optional, TypeVar

Result = TypeVar("Result")
Work = Callable[[Sequence[str]], Result]  # it must be possible to pickle it
TICK = 0.25  # seconds after which it is told again how far the work is
Start = Callable[[int], Executor]  # starts so many workers


def processes(count: int) -> Executor:
    """Return so many processes that wait for work."""
    return ProcessPoolExecutor(count, initializer=follow)


def side_by_side(
    parts: Sequence[Sequence[str]],
    work: Work[Result],
    workers: int,
    start: Start = processes,
    done: Callable[[int], None] = lambda count: None,
) -> tuple[list[Result], list[str]]:
    """Return the results of the parts, in their order; and the paths on which workers died.

    How many paths more are done is told to `done`, and 0 from time to time while nothing is.
    """
    with _started(start, workers) as executor:
        found = _asked(executor, work, parts, done)
    results: list[Result] = []
    dead: list[str] = []
    for part, result in zip(parts, found):
        for path, again in [(part[0], result)] if result is not None else _one_by_one(part, work, start):
            if again is None:
                dead.append(path)
            else:
                results.append(again)
    return results, dead


def _one_by_one(part: Sequence[str], work: Work[Result], start: Start) -> Iterator[tuple[str, Optional[Result]]]:
    """Yield the results for a part on which a worker may have died, in halves where it did: None for one path alone."""
    with _started(start, 1) as executor:
        result = _asked(executor, work, [part])[0]
    if result is not None or len(part) == 1:
        yield part[0], result
        return
    middle = len(part) // 2
    yield from _one_by_one(part[:middle], work, start)
    yield from _one_by_one(part[middle:], work, start)


def _asked(
    executor: Executor,
    work: Work[Result],
    parts: Sequence[Sequence[str]],
    done: Callable[[int], None] = lambda count: None,
) -> list[Optional[Result]]:
    """Return the results of the parts; None for those that were not done when a worker died."""
    futures = []
    with _unheard(), suppress(BrokenExecutor):
        for part in parts:
            futures.append(executor.submit(work, part))
    sizes = {future: len(part) for future, part in zip(futures, parts)}
    pending = set(futures)
    while pending:
        ended, pending = wait(pending, TICK, FIRST_COMPLETED)
        done(sum(sizes[future] for future in ended))
    found: list[Optional[Result]] = [None] * len(parts)
    for position, future in enumerate(futures):
        with suppress(BrokenExecutor):
            found[position] = future.result()
    return found


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
