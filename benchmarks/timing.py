"""Run a command and tell what it took."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass

KILOBYTE = 1 if sys.platform == "darwin" else 1024  # what `ru_maxrss` counts in, in bytes
ALLOWED = frozenset({0, 1})  # a linter that found something is no failure


@dataclass(frozen=True)
class Took:
    """What a command took, with the processes that it started and waited for."""

    wall: float  # seconds
    cpu: float  # seconds, of user and system
    peak: int  # bytes; the largest resident memory of one process


def run(command: Sequence[str], typed: str = "") -> Took:
    """Return what a command took; RuntimeError with the end of what it said when it failed."""
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as given:
        given.write(typed.encode())
        given.seek(0)
        start = time.perf_counter()
        process = subprocess.Popen(command, stdin=given, stdout=said, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in ALLOWED:
            said.seek(0)
            end = said.read()[-2000:].decode(errors="replace")
            raise RuntimeError(f"{command[0]} ended with {process.returncode}:\n{end}")
    return Took(wall, used.ru_utime + used.ru_stime, used.ru_maxrss * KILOBYTE)
