"""Workers: their number, their start and their death change nothing for the rest of a run."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

from ms_perflint import discovery, engine
from ms_perflint.config import Config
from ms_perflint.discovery import shares
from ms_perflint.workers import follow, side_by_side

PATHS = [f"file{number}" for number in range(12)]
PARTS = [PATHS[at : at + 4] for at in range(0, 12, 4)]
SLOW = """
import mindspore as ms
from mindspore import nn

def main():
    net = nn.Dense(16, 16)
    model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
    ms.set_context(mode=ms.GRAPH_MODE)
    model.train(3, data)

main()
"""


def hear_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever runs the tests in the background ignores it


def joined(paths: Sequence[str]) -> str:
    return " ".join(paths)


def dies_on_some(paths: Sequence[str]) -> str:
    if "file2" in paths or "file9" in paths:
        os.kill(os.getpid(), signal.SIGKILL)
    return joined(paths)


def spawned(workers: int) -> Executor:
    return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), follow)


def test_results_come_in_the_order_of_the_parts() -> None:
    expected = [joined(part) for part in PARTS], list[str]()
    assert side_by_side(PARTS, joined, 2) == expected
    assert side_by_side(PARTS, joined, 3, spawned) == expected
    assert side_by_side(PARTS, joined, 2, ThreadPoolExecutor) == expected


def test_a_worker_that_dies_takes_one_path_with_it() -> None:
    results, dead = side_by_side(PARTS, dies_on_some, 2)
    assert dead == ["file2", "file9"]
    assert " ".join(results).split() == [path for path in PATHS if path not in dead]


def test_what_the_work_raises_is_raised() -> None:
    with pytest.raises(TypeError):
        side_by_side(PARTS, len, 2, lambda workers: ThreadPoolExecutor("many"))  # type: ignore[arg-type]
    assert not multiprocessing.active_children()


def test_parts_are_neighbours_of_about_the_same_size(tmp_path: Path) -> None:
    sizes = [100, 900_000, 100, 300_000, 300_000, 0, 600_000, 100]
    paths = [str(tmp_path / f"{number}.py") for number in range(len(sizes))]
    for path, size in zip(paths, sizes):
        Path(path).write_bytes(b"#" * size)
    parts = shares([*paths, str(tmp_path / "gone.py")], 2)
    assert [path for part in parts for path in part] == [*paths, str(tmp_path / "gone.py")]
    assert 2 < len(parts) <= 8
    assert all(parts)
    assert len(shares(paths, 1)) == 1
    assert shares(paths[:1], 2) == [paths[:1]]
    assert shares([], 2) == [[]]


def test_a_file_on_which_a_process_dies_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [str(tmp_path / name) for name in ("bad.py", "good.py", "other.py")]
    for path in paths:
        Path(path).write_text(SLOW, encoding="utf-8")
    config = Config(str(tmp_path))
    good = [finding for finding in engine.lint(paths, config).findings if finding.place.path != paths[0]]
    assert good
    opened = engine.Linter.file

    def dies(linter: engine.Linter, path: str) -> object:
        return os.kill(os.getpid(), signal.SIGKILL) if path == paths[0] else opened(linter, path)

    monkeypatch.setattr(engine.Linter, "file", dies)  # the workers are forks
    monkeypatch.setattr(discovery, "PART", 1)
    report = engine.lint(paths, config, jobs=2)
    assert list(report.findings) == good
    assert [(problem.path, problem.message) for problem in report.problems] == [(paths[0], engine.DIED)]


def test_ctrl_c_ends_all_at_once(tmp_path: Path) -> None:
    for number in range(600):
        (tmp_path / f"train_{number}.py").write_text(SLOW + "#" * 4000, encoding="utf-8")
    command = [sys.executable, "-m", "ms_perflint", "--isolated", "--no-cache", "-j", "2", str(tmp_path)]
    run = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, preexec_fn=hear_ctrl_c
    )
    children = Path(f"/proc/{run.pid}/task/{run.pid}/children")
    while run.poll() is None and len(children.read_text().split()) < 2:
        time.sleep(0.02)
    workers = children.read_text().split()
    os.killpg(run.pid, signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert (run.returncode, out, err.strip()) == (130, b"", b"")
    assert not any(Path(f"/proc/{worker}").exists() for worker in workers)
