"""The sample programs: what is found in them, what fixing changes, and that they train as well afterwards.

The tests marked `mindspore` run the programs on the MindSpore of the running interpreter.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import front
import pytest
from changes import changes, contents

from ms_perflint.mindspore_api import parse_version

SAMPLES = Path(__file__).resolve().parent.parent / "sample_scripts"

FINDINGS = [
    ("custom_loop.py", 48, "MSP201"),
    ("custom_loop.py", 61, "MSP301"),
    ("custom_loop.py", 73, "MSP101"),
    ("data_parallel.py", 58, "MSP601"),
    ("lenet.py", 65, "MSP201"),
    ("lenet.py", 68, "MSP301"),
    ("lenet.py", 71, "MSP102"),
    ("zoo_project/src/dataset.py", 12, "MSP501"),
    ("zoo_project/src/network.py", 13, "MSP202"),
    ("zoo_project/src/network.py", 21, "MSP203"),
    ("zoo_project/train.py", 28, "MSP201"),
]
LEFT = [  # display-only
    ("custom_loop.py", 48, "MSP201"),
    ("zoo_project/src/dataset.py", 12, "MSP501"),
    ("zoo_project/train.py", 28, "MSP201"),
]
CHANGES = {
    "custom_loop.py": """\
-        ms.save_checkpoint(network, path)
+        ms.save_checkpoint(network, path, async_save=True)
-    ms.set_context(mode=ms.PYNATIVE_MODE)
+    ms.set_context(mode=ms.GRAPH_MODE)
""",
    "data_parallel.py": """\
+        comm_fusion={"allreduce": {"mode": "auto", "config": None}},
""",
    "lenet.py": """\
-                  loss_scale_manager=loss_scale_manager)
+                  loss_scale_manager=loss_scale_manager,
+                  amp_level="O2")
-    config = CheckpointConfig(save_checkpoint_steps=steps)
+    config = CheckpointConfig(save_checkpoint_steps=steps, async_save=True)
-    model.train(args.epochs, dataset, callbacks=callbacks)
+    model.train(args.epochs, dataset, callbacks=callbacks, dataset_sink_mode=True)
""",
    "zoo_project/src/network.py": """\
-        self.hidden = nn.Dense(32 * 7 * 7, 100)
-        self.head = nn.Dense(100, num_classes)
+        self.hidden = nn.Dense(32 * 7 * 7, 112)
+        self.head = nn.Dense(112, num_classes)
-        x = ops.cast(x, ms.float32)
""",
}


class Ran(NamedTuple):
    """A finished program: exit code and what it printed."""

    code: int
    out: str
    err: str


def run(command: Sequence[str], cwd: Path, timeout: float, env: Mapping[str, str] | None = None) -> Ran:
    """Run a command; when it takes too long, end it together with the processes that it started."""
    settings = {**os.environ, **(env or {})}
    with subprocess.Popen(
        command,
        cwd=cwd,
        env=settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return Ran(process.returncode, out, err)


def ms_perflint(folder: Path, *options: str) -> Ran:
    """Run the tool over a folder, without the configuration around it."""
    ran = front.run("check", "--isolated", *options, ".", cwd=folder)
    return Ran(ran.code, ran.out, ran.err)


def fix(folder: Path) -> Ran:
    """Apply all fixes of the files in a folder."""
    return ms_perflint(folder, "--fix", "--unsafe-fixes", "--no-interactive")


def found(folder: Path) -> list[tuple[str, int, str]]:
    """Return file, row and code of each finding in a folder."""
    ran = ms_perflint(folder, "--output-format", "json")
    assert ran.err == ""
    findings = json.loads(ran.out)
    assert ran.code == (1 if findings else 0)
    return [(_relative(folder, each["filename"]), each["location"]["row"], each["code"]) for each in findings]


def _relative(folder: Path, filename: str) -> str:
    """Return a reported file name, absolute or not, as it is called in the folder."""
    return (folder / filename).resolve().relative_to(folder.resolve()).as_posix()


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    """Return a copy of the samples, without what a run may have left there."""
    left = shutil.ignore_patterns(
        "__pycache__", "checkpoints", "kernel_meta", "msrun_log", "profile", "rank_*", "*.ckpt"
    )
    return Path(shutil.copytree(SAMPLES, tmp_path / "samples", ignore=left))


def test_findings(samples: Path) -> None:
    assert found(samples) == FINDINGS


def test_fix_changes_these_lines_only(samples: Path) -> None:
    before = contents(samples)
    assert fix(samples).code == 1  # the display-only findings are left
    after = contents(samples)
    assert changes(before, after) == CHANGES
    assert [(name, code) for name, _, code in found(samples)] == [(name, code) for name, _, code in LEFT]
    fix(samples)
    assert contents(samples) == after


def test_readme_tells_the_findings() -> None:
    told = []
    for line in (SAMPLES / "README.md").read_text(encoding="utf-8").splitlines():
        if name := re.match(r"\| `([\w/]+\.py)` \|", line):
            told += [(name[1], int(row), code) for code, row in re.findall(r"(MSP\d{3}) \(line (\d+)\)", line)]
    assert sorted(told) == FINDINGS


def has_mindspore() -> bool:
    """Return whether there is a MindSpore on which the samples run."""
    return importlib.util.find_spec("mindspore") is not None and parse_version(version("mindspore")) >= (2, 7)


on_mindspore = pytest.mark.skipif(not has_mindspore(), reason="needs the extra `proof`, MindSpore 2.7 or later")


def losses(printed: str) -> list[float]:
    """Return the loss of each epoch, as LossMonitor or the sample itself prints it."""
    return [float(loss) for loss in re.findall(r"^epoch.* loss (?:is )?([\d.e+-]+)$", printed, re.MULTILINE)]


def train(folder: Path, *command: str, env: Mapping[str, str] | None = None) -> list[float]:
    """Run a sample with this interpreter's MindSpore, return its three losses; they must fall."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])  # msrun starts "python"
    ran = run(command, folder, timeout=300, env={"PATH": path, "PYTHONDONTWRITEBYTECODE": "1", **(env or {})})
    assert ran.code == 0, ran.out + ran.err
    printed = losses(ran.out)
    assert len(printed) == 3, ran.out + ran.err
    assert printed[0] > printed[1] > printed[2]
    return printed


def checkpoints(folder: Path) -> dict[str, int]:
    """Return name and size of the checkpoints that a sample wrote, and remove them."""
    written = {path.name: path.stat().st_size for path in (folder / "checkpoints").glob("*.ckpt")}
    shutil.rmtree(folder / "checkpoints")
    return written


@pytest.mark.mindspore
@on_mindspore
@pytest.mark.parametrize(
    ("script", "tolerance"),
    [
        ("lenet.py", 0.03),  # fp16 instead of fp32; observed 0.006
        ("custom_loop.py", 0.001),  # the same arithmetic, compiled; observed 0
    ],
)
def test_trains_as_well_after_the_fix(samples: Path, script: str, tolerance: float) -> None:
    before = train(samples, sys.executable, script)
    saved = checkpoints(samples)
    fix(samples)
    assert train(samples, sys.executable, script) == pytest.approx(before, abs=tolerance)
    assert len(saved) == 3
    assert checkpoints(samples) == saved


@pytest.mark.mindspore
@on_mindspore
def test_project_trains_as_well_after_the_fix(samples: Path) -> None:
    """The wider layer starts from other random weights: observed 0.07 apart; half precision adds less than 0.001."""
    project = samples / "zoo_project"
    before = train(project, sys.executable, "train.py")
    fix(samples)
    after = train(project, sys.executable, "train.py")
    assert after == pytest.approx(before, abs=0.2)
    mixed = train(project, sys.executable, "train.py", "--amp_level", "O2")  # what the display-only fix asks for
    assert mixed == pytest.approx(after, abs=0.03)


@pytest.mark.mindspore
@on_mindspore
def test_data_parallel_fuses_its_gradients_after_the_fix(samples: Path) -> None:
    """Six parameters: six AllReduce before, one after (counted in the graph that MindSpore runs), same losses."""
    before, separate = _train_on_two_processes(samples)
    fix(samples)
    after, fused = _train_on_two_processes(samples)
    assert after == pytest.approx(before, abs=0.001)
    assert (separate, fused) == (6, 1)


def _train_on_two_processes(folder: Path) -> tuple[list[float], int]:
    """Return the losses of the data-parallel sample and the number of AllReduce in its last saved graph."""
    graphs = folder / "graphs"
    env = {"PORT": str(_free_port()), "MS_DEV_SAVE_GRAPHS": "2", "MS_DEV_SAVE_GRAPHS_PATH": str(graphs)}
    printed = train(folder, "bash", "run_data_parallel.sh", env=env)
    saved = sorted(graphs.glob("rank_0/**/hwopt_pm_*.ir"), key=lambda path: path.stem.rpartition("_")[2])
    counts = [path.read_text(encoding="utf-8", errors="replace").count(" = AllReduce(") for path in saved]
    shutil.rmtree(graphs)
    return printed, [count for count in counts if count][-1]


def _free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port: int = server.getsockname()[1]
        return port
