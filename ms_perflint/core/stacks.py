"""Stacks for calls that go deeper than the stack of one thread allows."""

from __future__ import annotations

import threading
from collections.abc import Callable

SIZE = 1 << 24  # bytes of a stack; memory is taken for those alone that are used


def on_new_stack(work: Callable[[], object]) -> None:
    """Do some work on a stack of its own, and wait for it; raises what it raises."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            raised.append(error)

    before = threading.stack_size(SIZE)
    try:
        thread = threading.Thread(target=run, daemon=True)  # the end of the process does not wait for it
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    if raised:
        raise raised.pop()
