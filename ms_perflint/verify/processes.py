"""Runs a command with all the processes that it starts, and ends them all."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

MARK = "MS_PERFLINT_VERIFY_RUN"  # in the environment: each process inherits it
PATIENCE = 3.0  # seconds that processes get to end by themselves
PAUSE = 0.05  # seconds between two looks at what still runs
SHOWN = 200_000  # bytes of the output that are kept


class Ended(NamedTuple):
    """How a command ended: its exit code, None after the time limit, and the end of what it printed."""

    code: int | None
    output: str


def never() -> bool:
    """Return that nothing is done before the processes have ended."""
    return False


def run(
    command: Sequence[str], cwd: str, env: Mapping[str, str], seconds: float, is_done: Callable[[], bool] = never
) -> Ended:
    """Run a command until it and all that it started have ended, at most for so many seconds; none is left behind.

    A launcher may end before the processes that it has started: they count too. Once `is_done` says so, all have only
    a moment left. May raise OSError.
    """
    mark = uuid.uuid4().hex
    latest = time.monotonic() + seconds
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env={**env, MARK: mark},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            in_time = _wait(process, mark, latest, is_done)
        finally:  # also after Ctrl-C
            _end(process, mark)
        return Ended(process.returncode if in_time else None, _tail(output))


def _wait(process: subprocess.Popen[bytes], mark: str, latest: float, is_done: Callable[[], bool]) -> bool:
    """Wait until all processes have ended, or all is done; return whether that was in time."""
    while process.poll() is None or _running(process.pid, mark):
        if is_done():
            latest = min(latest, time.monotonic() + PATIENCE)
            is_done = never
        if time.monotonic() > latest:
            return False
        time.sleep(PAUSE)
    return True


def _end(process: subprocess.Popen[bytes], mark: str) -> None:
    """End all processes of a run: they are asked to, and then they have to."""
    for number in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        if process.poll() is None:
            _signal_group(process.pid, number)
        for pid in _running(process.pid, mark):
            with contextlib.suppress(OSError):
                os.kill(pid, number)
        until = time.monotonic() + PATIENCE
        while (process.poll() is None or _running(process.pid, mark)) and time.monotonic() < until:
            time.sleep(PAUSE)
    process.wait()


def _signal_group(pid: int, number: int) -> None:
    if hasattr(os, "killpg"):
        with contextlib.suppress(OSError):
            os.killpg(pid, number)
    else:
        with contextlib.suppress(OSError):
            os.kill(pid, number)


def _running(group: int, mark: str) -> list[int]:
    """Return the processes of a run that have not ended, also those that left the group; not its first one.

    Where the system does not tell of processes: none.
    """
    wanted = f"{MARK}={mark}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = (folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            if fields[0] in "ZX" or int(folder.name) == group:
                continue
            if int(fields[2]) == group or wanted in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found


def _tail(output: IO[bytes]) -> str:
    """Return the end of what was printed."""
    size = output.seek(0, os.SEEK_END)
    output.seek(max(0, size - SHOWN))
    return output.read().decode("utf-8", "replace")
