"""Linting on a cluster: what local processes find, however many workers there are and die; and what cannot be used."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from front import TRAIN, Ran, environment, run_process

from ms_perflint import engine
from ms_perflint.api import lint_paths
from ms_perflint.processes import cluster
from ms_perflint.processes.cluster import ClusterError, Tool, compare, content

distributed = pytest.importorskip("distributed")

# A package with a check that acts when it is asked about a file of a certain name, as the environment of its process
# says, and reports nothing.
ACTS = """
import os
import signal
import time

from ms_perflint.check import Check
from ms_perflint.core.findings import Safety

class Acts(Check):
    "Acts."
    code, name, safety, triggers = "TST101", "acts", Safety.DISPLAY, ("mindspore.train.Model",)

    def suspect(self, call):
        name = os.path.basename(self.program.entry)
        kills = os.environ.get("TEST_KILLS")
        if name == "kills.py" and kills:
            os.kill(int(kills.replace("self", str(os.getpid()))), signal.SIGKILL)
        if name == "waits.py" and os.environ.get("TEST_STARTED"):
            open(os.environ["TEST_STARTED"], "w").close()
            time.sleep(60)
        return False
"""
ODD = "import os\nexec(os.environ.get('TEST_ODD', ''))\n"  # of the site, in each process
PATIENCE = 60  # seconds in which a process of Dask has to be there


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with packages for the workers, as installed."""
    root = tmp_path_factory.mktemp("packages")
    info = root / "acts-1.dist-info"
    info.mkdir()
    (root / "acts.py").write_text(ACTS, encoding="utf-8")
    (root / "sitecustomize.py").write_text(ODD, encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acts\nVersion: 1\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[ms_perflint.checks]\nacts = acts:Acts\n", encoding="utf-8")
    return root


class Dask:
    """A scheduler, and the workers that a test starts."""

    def __init__(self, folder: Path, packages: Path) -> None:
        self._folder = folder
        self._packages = packages
        self.file = folder / "scheduler.json"
        self._processes: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start("scheduler", "--port", "0", "--scheduler-file", str(self.file))
        until(self.file.exists)
        self._client = distributed.Client(scheduler_file=str(self.file), set_as_default=False, timeout=PATIENCE)

    @property
    def address(self) -> str:
        return str(self._client.scheduler.address)

    def environment(self, **more: str) -> dict[str, str]:
        """Return what a process sees that has the packages."""
        own = environment()
        paths = os.pathsep.join((str(self._packages), own["PYTHONPATH"]))
        few = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1", "MS_PERFLINT_NO_CACHE": "1"}
        return {**own, **few, "PYTHONPATH": paths, **more}

    @contextmanager
    def workers(self, count: int, **more: str) -> Iterator[None]:
        """Let there be so many workers, with more in their environment."""
        options = ("--no-nanny", "--nthreads", "1", "--memory-limit", "0", "--local-directory", str(self._folder))
        started = [
            self._start("worker", "--scheduler-file", str(self.file), "--name", f"w{number}", *options, **more)
            for number in range(count)
        ]
        try:
            until(lambda: len(self._client.nthreads()) == count)
            yield
        finally:
            for process in started:
                end(process)
            if self.scheduler.poll() is None:
                until(lambda: not self._client.nthreads())

    def tasks(self) -> int:
        """Return how many tasks the scheduler knows of."""
        return int(self._client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))

    def close(self) -> None:
        for process in self._processes:
            end(process)
        self._client.close(1)

    def _start(self, what: str, *arguments: str, **more: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", "--host", "127.0.0.1", "--no-dashboard"]
        with open(self._folder / "log", "ab") as log:
            process = subprocess.Popen(
                [*command, *arguments], cwd=self._folder, env=self.environment(**more), stdout=log, stderr=log
            )
        self._processes.append(process)
        return process


def until(holds: Callable[[], object]) -> None:
    """Wait until something holds."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory, packages: Path) -> Iterator[Dask]:
    """Return a cluster without workers."""
    made = Dask(tmp_path_factory.mktemp("dask"), packages)
    yield made
    made.close()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a folder of programs, each a project, which make a part each."""
    for number in range(6):
        folder = tmp_path / "programs" / f"project{number:02}"
        folder.mkdir(parents=True)
        (folder / "train.py").write_text(TRAIN + "#" * 200_000, encoding="utf-8")
    (tmp_path / "programs" / "project02" / "broken.py").write_text("import mindspore\n(\n", encoding="utf-8")
    return tmp_path / "programs"


def lint(dask: Dask, folder: Path, *arguments: str, on_cluster: bool = True, **more: str) -> Ran:
    """Run the command line on a folder, on a cluster or by processes."""
    where = ("--executor", "dask", "--scheduler", dask.address) if on_cluster else ("--jobs", "2")
    return run_process(
        "--isolated", "--output-format", "json", *where, *arguments, ".", cwd=folder, env=dask.environment(**more)
    )


def test_a_cluster_finds_what_processes_find(dask: Dask, project: Path, tmp_path: Path) -> None:
    cached = {"MS_PERFLINT_NO_CACHE": "", "MS_PERFLINT_CACHE_DIR": str(tmp_path / "cache")}
    local = lint(dask, project, on_cluster=False)
    assert local.code == 2 and local.out.count("MSP301") >= 6 and "broken.py" in local.err
    with dask.workers(2):
        assert lint(dask, project) == local
        assert lint(dask, project, **cached) == local
        seen = dask.tasks()
    assert seen == 0  # nothing of a run is left behind
    (project / "project02" / "broken.py").unlink()
    again = lint(dask, project, on_cluster=False, **cached)
    assert again.code == 1 and again.out == local.out


def test_a_part_on_which_workers_die_costs_its_file(dask: Dask, project: Path) -> None:
    """The scheduler gives it to two workers; then it is asked for in processes of this machine, in halves."""
    (project / "project04" / "kills.py").write_text(TRAIN, encoding="utf-8")
    local = lint(dask, project, on_cluster=False, TEST_KILLS="self")
    assert str(engine.DIED) in local.err and local.code == 2
    with dask.workers(3, TEST_KILLS="self"):
        assert lint(dask, project, TEST_KILLS="self") == local


def test_a_part_on_which_workers_die_is_done_here_if_it_can_be(dask: Dask, project: Path) -> None:
    (project / "project04" / "kills.py").write_text(TRAIN, encoding="utf-8")
    local = lint(dask, project, on_cluster=False)
    assert "kills.py" in local.out
    with dask.workers(3, TEST_KILLS="self"):
        assert lint(dask, project) == local


def test_a_scheduler_that_dies_ends_the_run(tmp_path: Path, packages: Path, project: Path) -> None:
    (project / "project04" / "kills.py").write_text(TRAIN, encoding="utf-8")
    dask = Dask(tmp_path, packages)
    try:
        address = dask.address
        with dask.workers(1, TEST_KILLS=str(dask.scheduler.pid)):
            ran = lint(dask, project)
    finally:
        dask.close()
    assert ran == Ran(2, "", f"ms-perflint: error: the Dask scheduler at {address} is gone\n")


def test_ctrl_c_cancels_the_tasks(dask: Dask, project: Path, tmp_path: Path) -> None:
    (project / "project04" / "waits.py").write_text(TRAIN + "#" * 900_000, encoding="utf-8")
    started = tmp_path / "started"
    with dask.workers(1, TEST_STARTED=str(started)):
        command = [sys.executable, "-m", "ms_perflint", "--isolated", "--executor", "dask"]
        process = subprocess.Popen(
            [*command, "--scheduler", dask.address, "."],
            cwd=project,
            env=dask.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        until(started.exists)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=PATIENCE)
        assert (process.returncode, out, error) == (130, b"", b"\n")
        until(lambda: dask.tasks() == 0)


CHANGED = """
from ms_perflint.core.files import Disk
read = Disk.read
Disk.read = lambda self, path: read(self, path) + b'#' * path.endswith('03/train.py')
"""
REFUSED = {
    "version": (
        "from ms_perflint import version; version.__version__ = '0.0.1'",
        "has ms-perflint 0.0.1, this machine has",
    ),
    "no package": ("import sys; sys.modules['ms_perflint'] = None", "cannot run ms-perflint: "),
    "another file": (CHANGED, "project03"),
}


@pytest.mark.parametrize(("odd", "expected"), REFUSED.values(), ids=REFUSED)
def test_a_worker_that_would_answer_otherwise_is_named(odd: str, expected: str, dask: Dask, project: Path) -> None:
    with dask.workers(1, TEST_ODD=odd):
        ran = lint(dask, project)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("ms-perflint: error: worker ") and ran.err.count("\n") == 1
    assert expected in ran.err and ("w0" in ran.err or "tcp://127.0.0.1" in ran.err)


HERE: Tool = ("1.0.0", "3.11", ("acts = acts:Acts",))


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        (("1.0.1", "3.11", HERE[2]), "has ms-perflint 1.0.1, this machine has 1.0.0"),
        (("1.0.0", "3.12", HERE[2]), "has Python 3.12, this machine has 3.11"),
        (("1.0.0", "3.1", HERE[2]), "has Python 3.1, this machine has 3.11"),
        (("1.0.0", "3.11", ()), "has checks from other packages none, this machine has acts = acts:Acts"),
        (("1.0.0", "3.11", (*HERE[2], "b = b:B")), "has checks from other packages acts = acts:Acts, b = b:B, this"),
        (("1.0.0", "3.11", ("acts = acts:Others",)), "has checks from other packages acts = acts:Others, this machine"),
        (OSError("timed out"), "cannot run ms-perflint: timed out"),
    ],
    ids=str,
)
def test_each_difference_in_tools_is_said(there: Tool | Exception, expected: str) -> None:
    compare("w0", HERE, HERE)
    with pytest.raises(ClusterError, match=f"^worker w0 {re.escape(expected)}"):
        compare("w0", there, HERE)


@pytest.mark.parametrize("change", ["other", "", "tex", "text ", None], ids=repr)
def test_each_difference_in_files_is_seen(change: str | None, tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("text", encoding="utf-8")
    before = content(str(path))
    assert content(str(path)) == before
    path.unlink()
    if change is not None:
        path.write_text(change, encoding="utf-8")
    assert content(str(path)) != before


def test_a_cluster_without_workers_is_said(dask: Dask, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 1)
    with pytest.raises(ClusterError, match=f"the Dask scheduler at {dask.address} has no workers"):
        lint_paths(project, scheduler=dask.address, isolated=True)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nowhere.invalid:8786", "bad://x:1", "x y", ""])
def test_an_address_at_which_nothing_answers(address: str, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 1)
    with pytest.raises(ClusterError) as error:
        lint_paths(project, scheduler=address, isolated=True)
    assert str(error.value) == f"no Dask scheduler answers at {address}"
