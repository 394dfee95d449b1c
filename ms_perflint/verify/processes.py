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

MARK = "MS_PERFLINT_VERIFY_RUN"  # environment variable that each process inherits
PATIENCE = 3.0  # seconds for processes to end by themselves
PAUSE = 0.05  # seconds between two checks for running processes
SHOWN = 200_000  # largest number of bytes of output


class Ended(NamedTuple):
    """The end of a command: its exit code, None after the time limit, and the end of its output."""

    code: int | None
    output: str


def never() -> bool:
    """Return False: the run is done only when the processes have ended."""
    return False


def run(
    command: Sequence[str], cwd: str, env: Mapping[str, str], seconds: float, is_done: Callable[[], bool] = never
) -> Ended:
    """Run a command until it and all its processes have ended, up to a time limit; all are ended then.

    A launcher may end before the processes that it has started, which count, too. Once `is_done` is true, all have only
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
    """Wait until all processes have ended, or the run is done; return whether that was in time."""
    while process.poll() is None or _running(process.pid, mark):
        if is_done():
            latest = min(latest, time.monotonic() + PATIENCE)
            is_done = never
        if time.monotonic() > latest:
            return False
        time.sleep(PAUSE)
    return True


def _end(process: subprocess.Popen[bytes], mark: str) -> None:
    """End all processes of a run: first by SIGTERM, then by SIGKILL."""
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
    """Return the running processes of a run, without the first one, but with those that left the group.

    None on systems without /proc.
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
    """Return the end of the output."""
    size = output.seek(0, os.SEEK_END)
    output.seek(max(0, size - SHOWN))
    return output.read().decode("utf-8", "replace")
