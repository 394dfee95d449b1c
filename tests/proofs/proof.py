"""A form of a fix, as a training program that is run before and after it on the MindSpore of this interpreter."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from changes import changes, contents
from programs import join

from ms_perflint import pages
from ms_perflint.cli import main
from ms_perflint.config.settings import Config
from ms_perflint.core.findings import Safety
from ms_perflint.core.source import Source
from ms_perflint.engine import lint
from ms_perflint.mindspore_api import parse_version

SAME = 0.0
SCHEDULER = """\
import mindspore as ms
from mindspore.communication import init
ms.set_context(mode=ms.GRAPH_MODE)  # 2.0 takes no other
init()
"""
FORKS = Path(__file__).with_name("forks.py")
TOLERANCE = re.compile(r"relative\s+difference\s+of\s+at\s+most\s+`(?P<most>[\d.e-]+)`")

on_mindspore = pytest.mark.skipif(importlib.util.find_spec("mindspore") is None, reason="needs the extra `proof`")

START = """
    import numpy as np
    import mindspore as ms
    from mindspore import dataset as ds, nn, ops
    from mindspore.train import Model

    """
GRAPH = "ms.set_context(mode=ms.GRAPH_MODE)\n"
SAMPLES = """
    ms.set_seed(1)
    random = np.random.RandomState(1)
    samples = random.randn(128, 64).astype(np.float32)
    labels = (samples @ random.randn(64, 10)).argmax(1).astype(np.int32)
    """
DATA = f"""{SAMPLES.rstrip()}
    train_set = ds.NumpySlicesDataset({{"data": samples, "label": labels}}, shuffle=False).batch(32)
    """
NET = "net = nn.SequentialCell(nn.Dense(64, 128), nn.ReLU(), nn.Dense(128, 10))\n"
PARTS = """
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Adam(net.trainable_params())
    """
MODEL = "model = Model(net, loss, optimizer)\n"
TRAIN = "model.train(3, train_set)\n"
LOOP = """
    losses = []
    for epoch in range(3):
        for data, label in train_set.create_tuple_iterator():
            losses.append(train_step(data, label).asnumpy())
    """


ATTEMPTS = 3  # to bring several processes together
GRACE = 30  # seconds that processes may take to end behind their scheduler


@dataclass(frozen=True)
class Form:
    """A program, what the fix changes in it, and for which target it is offered."""

    code: str
    name: str
    files: Mapping[str, str]
    changes: Mapping[str, str]
    safety: str
    since: str = "2.0"  # the first version that can run the program
    but: str = ""  # a minor version after it for which another form is offered
    version: str = ""  # the version it is for, where that is not the one that runs it
    device: str | None = "Ascend"  # a CPU runs it, and is no target of the rules
    reshaped: Mapping[str, Sequence[int]] = field(default_factory=dict)  # the parameters that get another shape
    steps: int = 12  # that the program takes: three epochs of four
    processes: int = 1
    gain: float = 0.0  # the least factor by which the fix lowers the `cost` that the program counts or measures
    within: str = ""  # a component that the fix puts into the names of parameters

    def __str__(self) -> str:
        return re.sub(r"[^\w.]+", "-", f"{self.code} {self.name}")


def form(
    code: str,
    name: str,
    *texts: str | Mapping[str, str],
    changes: str | Mapping[str, str],
    safety: str,
    since: str = "2.0",
    but: str = "",
    version: str = "",
    device: str | None = "Ascend",
    reshaped: Mapping[str, Sequence[int]] | None = None,
    steps: int = 12,
    processes: int = 1,
    gain: float = 0.0,
    within: str = "",
) -> Form:
    """Return a form from texts that make up `train.py` and from the other files of the program."""
    files = {"train.py": join(*(text for text in texts if isinstance(text, str)))}
    for text in texts:
        if not isinstance(text, str):
            files.update({file: join(content) for file, content in text.items()})
    changed = {"train.py": changes} if isinstance(changes, str) else changes
    lines = {file: join(content) for file, content in changed.items()}
    more = (reshaped or {}, steps, processes, gain, within)
    return Form(code, name, files, lines, safety, since, but, version, device, *more)


@dataclass(frozen=True)
class Ran:
    """What a program did: the loss of each step, shape and digest of each parameter, digest of each checkpoint."""

    losses: Sequence[float]
    weights: Mapping[str, tuple[Sequence[int], str]]
    files: Mapping[str, str]
    rank: int  # of the process, 0 where there is one
    cost: float = 0.0  # what the program counted or measured: compilations, files, seconds


class MindSpore:
    """A process that runs programs, see forks.py."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(FORKS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )

    def close(self) -> None:
        """End the process."""
        self._process.communicate(timeout=60)

    def run(self, *folders: Path) -> list[Ran]:
        """Return what the programs of some folders did; they run at the same time, and none may fail."""
        for folder, error in zip(folders, self.errors(*folders)):
            assert not error, error + _printed(folder)
        return [Ran(**json.loads((folder / "ran.json").read_text(encoding="utf-8"))) for folder in folders]

    def errors(self, *folders: Path) -> list[str]:
        """Return the errors with which the programs of some folders ended, "" where they did not."""
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps([str(folder) for folder in folders]), file=self._process.stdin, flush=True)
        while (answer := self._process.stdout.readline()) != "done\n":
            assert answer, "MindSpore died"
        return [_error(folder) for folder in folders]


def _error(folder: Path, rank: str = "") -> str:
    ran = folder / f"ran{rank}.json"
    return json.loads(ran.read_text(encoding="utf-8")).get("error", "") if ran.exists() else "died"


def _printed(folder: Path, rank: str = "") -> str:
    return (folder / f"printed{rank}.txt").read_text(encoding="utf-8", errors="replace")[-3000:]


def run_together(folder: Path, count: int) -> Ran:
    """Return what rank 0 of several processes of one program did; what `msrun` does, also where there is none."""
    assert any(_ends_together(folder, count) for _ in range(ATTEMPTS)), "nobody brings the processes together"
    for rank in map(str, range(count)):
        assert not (error := _error(folder, rank)), error + _printed(folder, rank)
    ran = [Ran(**json.loads((folder / f"ran{rank}.json").read_text(encoding="utf-8"))) for rank in range(count)]
    return next(one for one in ran if one.rank == 0)


def _ends_together(folder: Path, count: int) -> bool:
    """Run the processes of a program; return False when they did not meet: the scheduler's port may be taken."""
    cluster = {"MS_WORKER_NUM": str(count), "MS_SCHED_HOST": "127.0.0.1", "MS_SCHED_PORT": str(free_port())}
    commands = [[sys.executable, "-c", SCHEDULER]]
    commands += [[sys.executable, str(FORKS), str(folder), str(rank)] for rank in range(count)]
    roles = [{"MS_ROLE": "MS_SCHED"}, *({"MS_ROLE": "MS_WORKER", "MS_NODE_ID": str(rank)} for rank in range(count))]
    processes = [
        subprocess.Popen(
            command, env={**os.environ, **cluster, **role}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for command, role in zip(commands, roles)
    ]
    scheduler, *workers = processes
    try:
        for _ in range(600):
            alone = scheduler.poll() is not None
            try:
                for worker in workers:
                    worker.wait(timeout=GRACE if alone else 1)
                return not any("init_cluster" in _error(folder, str(rank)) for rank in range(count))
            except subprocess.TimeoutExpired:
                if alone:
                    return False
        raise AssertionError("the processes do not end")
    finally:
        for process in processes:
            process.kill()
            process.wait()


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port: int = server.getsockname()[1]
        return port


def version() -> str:
    """Return the version of the MindSpore that runs the programs."""
    return importlib.metadata.version("mindspore")


def tolerance(code: str) -> float:
    """Return by how much a fix may change a loss, as the page of its rule says under "Fix safety"."""
    section = pages.page(code).sections["Fix safety"]
    if found := TOLERANCE.search(section):
        return float(found["most"])
    assert "bit for bit" in section
    return SAME


def is_offered(form: Form, version: str) -> bool:
    """Return whether a form is for a version of MindSpore, as far as that depends on the version."""
    wanted = parse_version(version)
    return wanted >= parse_version(form.since) and (not form.but or wanted[:2] != parse_version(form.but)[:2])


def fixed(form: Form, folder: Path, version: str) -> tuple[Path, Path]:
    """Return folders with a form before and after its fix for a version; the fix changes what the form says."""
    before, after = _write(form, folder / "before"), _write(form, folder / "after")
    _mend(form, after, form.version or version)
    assert changes(contents(before), contents(after)) == form.changes
    return before, after


def prove(form: Form, mindspore: MindSpore, folder: Path) -> None:
    """Run a form before and after its fix, and compare."""
    if not is_offered(form, version()):
        pytest.skip("not offered for this version of MindSpore")
    before, after = fixed(form, folder, version())
    for path in after.rglob("*.py"):  # a CPU has no BF16 (run on 2.10)
        path.write_text(path.read_text(encoding="utf-8").replace("bfloat16", "float16"), encoding="utf-8")
    if form.processes > 1:
        first, second = (run_together(each, form.processes) for each in (before, after))
    else:
        first, second = mindspore.run(before, after)
    if form.gain:
        assert first.cost >= form.gain * max(second.cost, 1e-9), (first.cost, second.cost)
        return
    assert len(first.losses) == len(second.losses) == form.steps
    assert first.files.keys() == second.files.keys()
    shapes = {name: shape for name, (shape, _) in first.weights.items()}
    named = {name.replace(form.within, ""): shape for name, (shape, _) in second.weights.items()}
    assert named == {**shapes, **form.reshaped}
    assert len(named) == len(second.weights)
    if form.reshaped:  # another network: it trains as well
        for losses in (first.losses, second.losses):
            assert sum(losses[-4:]) < sum(losses[:4]), losses
        return
    most = tolerance(form.code)
    if most == SAME:
        assert first == second
    else:
        assert second.losses == pytest.approx(first.losses, rel=most)


def _write(form: Form, folder: Path) -> Path:
    for name, text in form.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def _mend(form: Form, folder: Path, target: str) -> None:
    """Make the fixes of a form; those that are shown only are made as a person would make them."""
    config = Config(root=str(folder), select=(form.code,), mindspore_version=parse_version(target), device=form.device)
    report = lint([str(path) for path in sorted(folder.rglob("*.py"))], config)
    assert report.findings, "nothing is reported"
    assert {finding.fix.safety.value if finding.fix else "no fix" for finding in report.findings} == {form.safety}
    if form.safety == Safety.DISPLAY.value:
        edits = [edit for finding in report.findings if finding.fix for edit in finding.fix.edits]
        for path in {edit.path for edit in edits}:
            source = Source(path, Path(path).read_bytes())
            Path(path).write_bytes(source.spliced([edit for edit in edits if edit.path == path]))
        return
    options = ["--select", form.code, "--mindspore-version", target, "--jobs", "1"]
    options += ["--device", form.device] if form.device else []
    with pytest.raises(SystemExit):
        main(["check", "--isolated", "--fix", "--unsafe-fixes", "--no-interactive", *options, str(folder)])
