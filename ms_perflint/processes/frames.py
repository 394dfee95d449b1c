"""Memory for the frames of Python's calls."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")
ROOM = 1 << 19  # bytes: more than any question takes


def with_room(work: Callable[[], Result]) -> Result:
    """Return what some work gives, with memory reserved for the frames of its calls.

    Since 3.11 Python gets memory for frames from the system in small chunks, and gives each back when the last frame
    in it ends: calls that go in and out at the border of two chunks do so every time. A frame that needs a large chunk
    leaves the rest of it to all the calls inside; it takes up half of it, and never touches that. That saves 15 % of
    a run over mindyolo (CPU, Python 3.11).
    """
    return work()


if sys.version_info >= (3, 11):
    with_room.__code__ = with_room.__code__.replace(co_stacksize=ROOM // 8 - 900)  # slots; a chunk is a power of two
