"""The net below all tests: whatever they start is found, and ended with all that it started itself."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
import started

pytestmark = pytest.mark.skipif(not started.SEEN, reason="needs /proc")
SLEEP = ("sleep", "1000")
MORE = "for each in 1 2 3 4 5 6 7 8 9; do sleep 1000 & sleep 0.001; done; wait"


def forked() -> int:
    """Return a copy of this process that waits for a signal."""
    child = os.fork()
    if child == 0:
        signal.pause()
        os._exit(0)
    return child


def in_a_thread() -> int:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(subprocess.Popen, SLEEP).result().pid


WAYS: dict[str, Callable[[], int]] = {
    "a child": lambda: subprocess.Popen(SLEEP).pid,
    "a child with a session of its own": lambda: subprocess.Popen(SLEEP, start_new_session=True).pid,
    "a child that ignores signals": lambda: subprocess.Popen(["sh", "-c", "trap '' TERM INT; sleep 1000"]).pid,
    "a child that starts more and more": lambda: subprocess.Popen(["sh", "-c", MORE]).pid,
    "a child with children": lambda: subprocess.Popen(["sh", "-c", "sleep 1000 & sleep 1000 & wait"]).pid,
    "a fork": forked,
    "a child of a thread": in_a_thread,
}


@pytest.mark.parametrize("way", WAYS)
def test_children_are_found_and_ended(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(started.MARK, way)
    before = started.children(os.getpid())
    child = WAYS[way]()
    left = started.children(os.getpid()) - before
    assert left == {child}
    assert [line.partition(":")[0] for line in started.end(left)] == [str(child)]
    assert started.children(os.getpid()) == before
    assert started.after_a_while(way) == set()


def test_a_process_without_its_parent_is_found_by_its_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(started.MARK, "an orphan")
    before = started.children(os.getpid())
    subprocess.run(["sh", "-c", "sleep 1000 >/dev/null 2>&1 &"], check=True)
    assert started.children(os.getpid()) == before
    (orphan,) = started.marked("an orphan")
    assert len(started.end({orphan})) == 1
    assert started.after_a_while("an orphan") == set()


def test_what_has_ended_is_not_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(started.MARK, "ended")
    process = subprocess.Popen(["true"])
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it has, and waits to be asked for its exit code
    assert process.pid not in started.children(os.getpid())
    assert started.marked("ended") == set()
    assert process.wait() == 0
