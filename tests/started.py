"""The processes that tests start: none may outlive its test."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")
SEEN = (PROC / "self/task" / str(os.getpid()) / "children").exists()  # whether the system tells of children
MARK = "MS_PERFLINT_TESTS"  # in the environment: each process inherits it from the tests that started it
HELPERS = (b"multiprocessing.resource_tracker", b"multiprocessing.forkserver")  # they end with the interpreter
ENDED = "ZX"
HALTED = "Tt" + ENDED
PATIENCE = 10  # seconds in which a process that was told to end has ended


def children(pid: int) -> set[int]:
    """Return the processes that a process has started and that still run."""
    found: set[int] = set()
    with suppress(OSError):
        for task in (PROC / str(pid) / "task").iterdir():
            found.update(map(int, (task / "children").read_text().split()))
    return {child for child in found if _runs(child)}


def marked(value: str) -> set[int]:
    """Return all processes that still run and have this value of MARK, also those whose parents are gone."""
    wanted, found = f"{MARK}={value}".encode(), set()
    for folder in PROC.glob("[0-9]*"):
        with suppress(OSError):
            if wanted in (folder / "environ").read_bytes().split(b"\0") and _runs(int(folder.name)):
                found.add(int(folder.name))
    return found - {os.getpid()}


def after_a_while(value: str) -> set[int]:
    """Return the marked processes that do not end by themselves."""
    until = time.monotonic() + PATIENCE
    while (left := marked(value)) and time.monotonic() < until:
        time.sleep(0.05)
    return left


def end(pids: set[int]) -> list[str]:
    """End processes with all that they started and with their groups; return their command lines."""
    commands = [f"{pid}: {_command(pid).decode(errors='replace')}" for pid in sorted(pids)]
    for pid in [each for parent in pids for each in _family(parent)]:
        with suppress(OSError):
            if os.getpgid(pid) == pid:
                os.killpg(pid, signal.SIGKILL)
            os.kill(pid, signal.SIGKILL)
    for pid in pids:
        with suppress(OSError):  # no child of this process
            os.waitpid(pid, 0)
    return commands


def _family(pid: int) -> Iterator[int]:
    """Yield what a process has started, and itself last: each is halted, so that it starts nothing unseen."""
    with suppress(OSError):
        os.kill(pid, signal.SIGSTOP)
        until = time.monotonic() + PATIENCE
        while _state(pid) not in HALTED and time.monotonic() < until:
            time.sleep(0.001)
    for child in children(pid):
        yield from _family(child)
    yield pid


def _runs(pid: int) -> bool:
    """Return whether a process has not ended and is no helper of the interpreter."""
    return _state(pid) not in ENDED and not any(helper in _command(pid) for helper in HELPERS)


def _state(pid: int) -> str:
    """Return the letter that the system has for the state of a process; that of the dead if it is gone."""
    try:
        return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def _command(pid: int) -> bytes:
    try:
        return (PROC / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").strip()
    except OSError:
        return b""
