"""Linting on a cluster: a Dask scheduler hands the parts of a run to its workers, which see the same files.

A worker that would answer otherwise than this machine refuses its part, and the run ends: with another version, other
checks, or other files. What is sent is the configuration, for each file its path, its size and its digest, and what
other workers have found.
"""

from __future__ import annotations

import asyncio
import pickle
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Optional, TypeVar

from ms_perflint.codes import entry_points
from ms_perflint.core.files import Disk
from ms_perflint.core.fingerprints import NOTHING, digest
from ms_perflint.languages import Message
from ms_perflint.version import __version__

if TYPE_CHECKING:
    from distributed import Client

Result = TypeVar("Result")
Tool = tuple[str, str, tuple[str, ...]]  # versions of this package and of Python, and the checks of other packages
Content = tuple[str, int, bytes]  # of a file: its path, its size, its digest
PATIENCE = 10  # seconds in which a scheduler has to answer, and a worker to be there
ALONE = threading.Lock()  # a process lints one part at a time: its threads would only wait for one another
MISSING = Message("--executor dask needs the package distributed: pip install distributed")


class ClusterError(Exception):
    """Why a cluster cannot be used."""


class Cluster:
    """The workers of a Dask scheduler, which lint where processes of this machine would."""

    def __init__(self, client: Client, address: str) -> None:
        self._client = client
        self._address = address
        self._last = time.monotonic()  # when there was a worker

    @property
    def workers(self) -> int:
        """Return how many there are; 0 when the scheduler does not answer."""
        return self._asked() or 0

    def start(self, workers: int) -> Executor:
        """Return an executor of all workers, however many are asked for."""
        return _Tasks(self._client)

    def watched(self, done: Callable[[int], None]) -> Callable[[int], None]:
        """Return what hears how many files are done, and raises ClusterError where there will be no more."""

        def hear(count: int) -> None:
            workers = count or self._asked()
            if self._client.status != "running":  # it may have died while it was asked
                raise _gone(self._address)
            if workers:
                self._last = time.monotonic()
            elif time.monotonic() - self._last > PATIENCE:
                raise _gone(self._address) if workers is None else _empty(self._address)
            done(count)

        return hear

    def _asked(self) -> Optional[int]:
        """Return how many workers the scheduler knows; nothing when it does not answer."""
        try:
            return len(self._client.nthreads(callback_timeout=PATIENCE))
        except (OSError, asyncio.TimeoutError):
            return None


@contextmanager
def connected(address: str) -> Iterator[Cluster]:
    """Give the workers of the scheduler at an address, which all answer as this machine does. Raises ClusterError."""
    try:
        from distributed import Client
    except ImportError as error:
        raise ClusterError(MISSING) from error
    with _silent():
        try:
            with ThreadPoolExecutor(1) as other:  # this thread may have an event loop of its own
                other.submit(asyncio.run, _knock(address)).result()
            client = Client(address, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError, TypeError, asyncio.TimeoutError) as error:
            message = Message("no Dask scheduler answers at {address}", address=address)
            raise ClusterError(message) from error
        try:
            try:
                client.wait_for_workers(1, timeout=PATIENCE)
            except asyncio.TimeoutError as error:
                raise _empty(address) from error
            for worker, there in client.run(tool, on_error="return").items():
                compare(worker, there, tool())
            yield Cluster(client, address)
        finally:
            client.close(PATIENCE)


async def _knock(address: str) -> None:
    """Connect to an address and leave again: a client that cannot connect would go on trying, and complain at exit."""
    from distributed import Security
    from distributed.comm import connect

    arguments = Security().get_connection_args("client")
    comm = await connect(address, timeout=PATIENCE, **arguments)
    await comm.close()


def tool() -> Tool:
    """Return what findings depend on besides the configuration and the files."""
    points = sorted(f"{point.name} = {point.value}" for point in entry_points())  # type: ignore[attr-defined]
    return __version__, ".".join(map(str, sys.version_info[:2])), tuple(points)


def compare(worker: str, there: Tool | Exception, here: Tool) -> None:
    """Raise ClusterError for a worker that has other tools than are here."""
    if isinstance(there, Exception):
        raise ClusterError(Message("worker {worker} cannot run ms-perflint: {reason}", worker=worker, reason=there))
    for what, one, other in zip(("ms-perflint", "Python", Message("checks from other packages")), there, here):
        if one != other:
            message = Message(
                "worker {worker} has {what} {there}, this machine has {here}: install the same",
                worker=worker,
                what=what,
                there=_shown(one),
                here=_shown(other),
            )
            raise ClusterError(message)


def _shown(value: str | Sequence[str]) -> str:
    """Return a version, or the names of checks."""
    return value if isinstance(value, str) else ", ".join(value) or Message("none")


class _Tasks(Executor):
    """Gives the parts of a run to a cluster; a part on which workers die ends as with a broken pool of processes."""

    def __init__(self, client: Client) -> None:
        self._tasks = client.get_executor(pure=False)

    def submit(self, work: Callable[..., Any], /, *args: Any, **keywords: Any) -> Future[Any]:
        """Ask for the result of some work on the files of a part."""
        part, *given = args
        contents = [content(path) for path in part]
        outer: Future[Any] = Future()
        inner = self._tasks.submit(on_worker, tool(), pickle.dumps((work, part, given, contents)))
        inner.add_done_callback(partial(_hand_on, outer))
        return outer

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Cancel what is not done, if that is asked for; else wait for it."""
        self._tasks.shutdown(wait=wait and not cancel_futures)


def _hand_on(outer: Future[Any], inner: Future[Any]) -> None:
    """Let one future end as another did, with the error of a broken pool where workers have died."""
    from distributed import KilledWorker

    try:
        outer.set_result(inner.result())
    except (KilledWorker, CancelledError) as error:
        outer.set_exception(BrokenExecutor(str(error)))
    except Exception as error:
        outer.set_exception(error)


def on_worker(here: Tool, task: bytes) -> object:
    """Return the result of a task, on a worker. Raises ClusterError where it would be another one than at home."""
    from distributed import get_worker

    worker = str(get_worker().name)
    compare(worker, tool(), here)  # it may have come after the run began
    work, part, given, contents = pickle.loads(task)
    with ALONE:
        for before in contents:
            if content(before[0]) != before:
                message = Message(
                    "worker {worker} does not see {file} as it is here: it needs the same files, at the same paths",
                    worker=worker,
                    file=before[0],
                )
                raise ClusterError(message)
        return work(part, *given)


def content(path: str) -> Content:
    """Return what a file holds, in short; nothing where it cannot be read."""
    try:
        raw = Disk().read(path)
    except OSError:
        return path, -1, NOTHING
    return path, len(raw), digest(raw)


def _gone(address: str) -> ClusterError:
    return ClusterError(Message("the Dask scheduler at {address} is gone", address=address))


def _empty(address: str) -> ClusterError:
    return ClusterError(Message("the Dask scheduler at {address} has no workers", address=address))


@contextmanager
def _silent() -> Iterator[None]:
    """Keep what Dask logs of lost connections to itself: what ends a run is said once."""
    import logging

    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
