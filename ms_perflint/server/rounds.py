"""A thread that lints, one task at a time, for the newest state only, and off the main loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from ms_perflint.server.linting import Answers, Linting, State, Voided

STACK = 64 << 20  # bytes: code may be nested as deeply as on the main thread of a command line
Result = TypeVar("Result")


class Rounds:
    """The results of open documents, computed again after each change; used from the loop that created it."""

    def __init__(self, state: Callable[[Callable[[], bool]], State]) -> None:
        """Take the function that returns the current state, given a function that tells whether it is outdated."""
        self.linting = Linting()
        self._state = state
        self._number = 1  # of the state; it grows with each change
        self._answered = 0  # the state that `_answers` are for
        self._answers = Answers()
        self._turn = asyncio.Lock()
        self._news = asyncio.Event()
        threading.stack_size(STACK)
        self._thread = ThreadPoolExecutor(1, "linting")
        self._thread.submit(int)  # starts the thread, with that stack
        threading.stack_size(0)

    @property
    def number(self) -> int:
        """Return the number of the state: it grows with each change."""
        return self._number

    def changed(self) -> None:
        """Record a change of the state, which voids the current work."""
        self._number += 1
        self._news.set()
        self._news = asyncio.Event()

    def end(self) -> None:
        """End the thread."""
        self._number += 1
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def after(self, number: int) -> None:
        """Wait until there is a newer state than this one."""
        while self._number == number:
            await self._news.wait()

    async def latest(self) -> Answers:
        """Return the results of all open files in the current state; parallel requests share them."""
        async with self._turn:
            while self._answered != self._number:
                self._answered, self._answers = await self._do(self.linting.open)
            return self._answers

    async def do(self, work: Callable[[State], Result]) -> Result:
        """Return the result of a function of the state; it is called again if the state changes meanwhile."""
        return (await self._do(work))[1]

    async def _do(self, work: Callable[[State], Result]) -> tuple[int, Result]:
        """Return also the number of the state that the result is for."""
        loop = asyncio.get_running_loop()
        while True:
            number = self._number
            state = self._state(partial(self._is, number))
            try:
                return number, await loop.run_in_executor(self._thread, work, state)
            except Voided:
                continue

    def _is(self, number: int) -> bool:
        return number == self._number
