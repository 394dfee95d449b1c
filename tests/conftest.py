"""What all tests share."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator

import pytest
import started


@pytest.fixture(autouse=True, scope="session")
def _alike_everywhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the caches of tested command lines out of the user's directory, and let them speak English in any locale."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MS_PERFLINT_CACHE_DIR", str(tmp_path_factory.mktemp("caches")))
        patch.setenv("MS_PERFLINT_LANG", "en")
        if sys.dont_write_bytecode:  # else each program that is started compiles the whole package
            patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
            patch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path_factory.mktemp("bytecode")))
        yield


@pytest.fixture(autouse=True, scope="session")
def _signals_are_heard() -> Iterator[None]:
    """Let started programs hear signals that a shell lets its background jobs ignore.

    A process inherits that a signal is ignored, but not the function that handles it.
    """
    numbers = (signal.SIGINT, getattr(signal, "SIGHUP", signal.SIGINT))
    ignored = [number for number in numbers if signal.getsignal(number) is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, lambda *_: None)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.fixture(autouse=True, scope="session")
def _no_process_is_left() -> Iterator[None]:
    """Fail the run when it leaves a process behind, in whichever way that came to be."""
    value = str(os.getpid())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(started.MARK, value)
        yield
    if started.SEEN:
        left = started.end(started.after_a_while(value))
        assert not left, f"the tests left processes behind: {left}"


@pytest.fixture(autouse=True)
def _processes_end_with_their_test(request: pytest.FixtureRequest) -> Iterator[None]:
    """End what a test has started and not ended; that is an error of the test, unless it failed halfway."""
    if not started.SEEN:
        yield
        return
    before, failed = started.children(os.getpid()), request.session.testsfailed
    yield
    left = started.end(started.children(os.getpid()) - before)
    assert not left or request.session.testsfailed > failed, f"the test left processes behind: {left}"
