"""Workers: their number, their start and their death change nothing for the rest of a run."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

from ms_perflint import engine
from ms_perflint.config.settings import Config
from ms_perflint.discovery import grouped
from ms_perflint.linting.linter import Linter
from ms_perflint.processes.parts import OF_PROJECT, shares
from ms_perflint.processes.workers import Start, Work, follow, processes, side_by_side

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


def joined(paths: Sequence[str]) -> str:
    return " ".join(paths)


def dies_on_some(paths: Sequence[str]) -> str:
    if "file2" in paths or "file9" in paths:
        os.kill(os.getpid(), signal.SIGKILL)
    return joined(paths)


def spawned(workers: int) -> Executor:
    return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), follow)


def results(parts: Sequence[Sequence[str]], work: Work[str], workers: int, start: Start = processes) -> list[str]:
    """Return what comes back, in the order of the files."""
    found: list[str] = []
    assert side_by_side(parts, work, found.append, workers, start) == []
    return sorted(found, key=lambda result: PATHS.index(result.split()[0]))


def test_each_result_comes_once() -> None:
    expected = [joined(part) for part in PARTS]
    assert results(PARTS, joined, 2) == expected
    assert results(PARTS, joined, 3, spawned) == expected
    assert results(PARTS, joined, 2, ThreadPoolExecutor) == expected


def test_a_result_is_handed_on_when_it_is_there() -> None:
    """The second part ends when the result of the first was taken."""
    taken = threading.Event()

    def waits(paths: Sequence[str]) -> str:
        assert paths is PARTS[0] or taken.wait(60)
        return joined(paths)

    side_by_side(PARTS, waits, lambda result: taken.set(), 2, ThreadPoolExecutor)
    assert taken.is_set()


def test_a_worker_that_dies_takes_one_path_with_it() -> None:
    found: list[str] = []
    dead = side_by_side(PARTS, dies_on_some, found.append, 2)
    assert dead == ["file2", "file9"]
    assert sorted(" ".join(found).split()) == sorted(path for path in PATHS if path not in dead)


def test_what_the_work_raises_is_raised() -> None:
    with pytest.raises(TypeError):
        side_by_side(PARTS, len, print, 2, lambda workers: ThreadPoolExecutor("many"))  # type: ignore[arg-type]
    assert not multiprocessing.active_children()


def made(folder: Path, sizes: Mapping[str, int]) -> list[str]:
    """Make files of these sizes; return their paths in the order of a run."""
    for name, size in sizes.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"#" * size)
    return sorted((str(folder / name) for name in sizes), key=grouped)


def test_parts_are_neighbours_of_about_the_same_size_the_largest_first(tmp_path: Path) -> None:
    sizes = [100, 900_000, 100, 300_000, 300_000, 0, 600_000, 100]
    paths = made(tmp_path, {f"{number}.py": size for number, size in enumerate(sizes)})
    parts = shares([*paths, str(tmp_path / "gone.py")], 2)
    assert sorted(path for part in parts for path in part) == [*paths, str(tmp_path / "gone.py")]
    assert all(list(part) == sorted(part) for part in parts)
    assert 2 < len(parts) <= 8 and parts[:2] == [[paths[1]], [paths[6]]]
    assert shares(paths[:1], 2) == [paths[:1]]
    assert shares([], 2) == [[]]
    assert len(shares(made(tmp_path / "small", {f"{number}/a.py": 9 for number in range(2500)}), 2)) == 3


PROJECTS = {f"{project}/{name}": 60_000 for project in range(9) for name in ("train.py", "src/data.py", "src/net.py")}
WORKERS = 8


def took(parts: Iterable[Sequence[str]], costs: Mapping[str, float]) -> float:
    """Return when the last of the workers ends, each of which takes the next part when it has done one."""
    ends = [0.0] * WORKERS
    for part in parts:
        ends[ends.index(min(ends))] += sum(costs[path] for path in part)
    return max(ends)


@pytest.mark.parametrize(
    "dear",
    [
        (),
        ("8/train.py",),
        ("0/src/net.py",),
        ("3/train.py", "4/train.py"),
        ("7/src/data.py", "8/train.py", "8/src/net.py"),
    ],
    ids=str,
)
def test_parts_that_are_known_to_be_dear_are_handed_out_first(tmp_path: Path, dear: Sequence[str]) -> None:
    """With costs the end is near the bound that no order of work can pass; by bytes alone it is not."""
    paths = made(tmp_path, PROJECTS)
    costs = {path: 5.0 if os.path.relpath(path, tmp_path) in dear else 0.4 for path in paths}
    parts = shares(paths, WORKERS, costs)
    assert shares(paths, WORKERS, dict(reversed(costs.items()))) == parts
    assert sorted(path for part in parts for path in part) == sorted(paths)
    bound = max(sum(costs.values()) / WORKERS, *costs.values())
    assert took(parts, costs) <= 1.25 * bound
    assert not dear or took(reversed(parts), costs) > took(parts, costs)


def test_a_folder_is_divided_only_where_it_is_too_dear_for_a_part(tmp_path: Path) -> None:
    paths = made(tmp_path, {**PROJECTS, "8/train.py": 60_000, "8/src/deep/a.py": 60_000})
    few = shares(paths, 2, dict.fromkeys(paths, 0.07))  # a project fits into a part
    assert all(len({os.path.relpath(path, tmp_path)[0] for path in part}) == 1 for part in few)
    assert len(few) == len({path for path in PROJECTS if path.endswith("train.py")})
    many = shares(paths, 8, dict.fromkeys(paths, 1.0))  # none does
    assert len(many) == len(paths)


IN_ONE = {  # by the folder that is linted: what files of one project import
    "": ("from kit.net import Net", "from kit import data"),
    "kit": ("from kit.net import Net", "from kit.data import make"),
    "deep": ("from src.kit.net import Net", "import src.kit.data"),
    "beside": ("import tool", "from tool import make"),
    "relative": ("from ..net import Net", "from ...kit.data import make"),
}
APART = {
    "own": ("from src.net import Net", "from .net import Net"),  # each project has its own `src`
    "alike": ("import utils", "from mindspore import nn"),  # each project has one
    "few": ("import mindspore", "from project_0.src import net"),  # one of eight imports another
    "none": ("", "import os"),
}


def of_folder(folder: Path, first: str, other: str, names: Sequence[str], most: int = 8) -> list[str]:
    """Make files with one of two imports, the other one in all but `most`; return them in the order of a run."""
    for number, name in enumerate(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        text = first if number < most and number % 2 else other
        (folder / name).write_text(f"{text}\n{'#' * 60_000}\n", encoding="utf-8")
    return sorted((str(folder / name) for name in names), key=grouped)


@pytest.mark.parametrize("where", IN_ONE)
def test_files_of_one_project_are_in_one_part_for_each_worker(where: str, tmp_path: Path) -> None:
    """Each part judges the programs of its files again."""
    home = {"deep": "src/kit", "beside": "tool"}.get(where, "kit")
    names = [f"{home}/{part}/{number}.py" for part in ("net", "data") for number in range(6)]
    names += [f"examples/{number}/train.py" for number in range(6)] if where not in ("kit", "relative") else []
    paths = of_folder(tmp_path, *IN_ONE[where], names, most=99)
    asked = [path for path in paths if where not in ("kit", "relative") or f"{os.sep}kit{os.sep}" in path]
    for workers in (2, 4):
        parts = shares(asked, workers, dict.fromkeys(asked, 1.0))
        assert len(parts) == workers and sorted(path for part in parts for path in part) == sorted(asked)
        assert max(map(len, parts)) - min(map(len, parts)) <= 1
    assert len(shares(asked, 64, dict.fromkeys(asked, 1.0))) == OF_PROJECT


@pytest.mark.parametrize("how", APART)
def test_files_of_several_projects_are_in_as_many_parts_as_there_may_be(how: str, tmp_path: Path) -> None:
    names = [f"project_{number}/{name}" for number in range(8) for name in ("train.py", "src/data.py", "src/net.py")]
    names += [f"project_{number}/utils.py" for number in range(8)] if how == "alike" else []
    paths = of_folder(tmp_path, *reversed(APART[how]), names, most=2 if how == "few" else 99)
    parts = shares(paths, 2, dict.fromkeys(paths, 1.0))
    assert len(parts) > 8 and sorted(path for part in parts for path in part) == sorted(paths)


def test_a_file_on_which_a_process_dies_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [str(tmp_path / name) for name in ("bad.py", "good.py", "other.py")]
    for path in paths:
        Path(path).write_text(SLOW, encoding="utf-8")
    config = Config(str(tmp_path))
    good = [finding for finding in engine.lint(paths, config).findings if finding.place.path != paths[0]]
    assert good
    opened = Linter.file

    def dies(linter: Linter, path: str) -> object:
        return os.kill(os.getpid(), signal.SIGKILL) if path == paths[0] else opened(linter, path)

    monkeypatch.setattr(Linter, "file", dies)  # the workers are forks
    monkeypatch.setattr("ms_perflint.processes.parts.CHEAPEST", 0)
    report = engine.lint(paths, config, jobs=2)
    assert list(report.findings) == good
    assert [(problem.path, problem.message) for problem in report.problems] == [(paths[0], engine.DIED)]


def test_ctrl_c_ends_all_at_once(tmp_path: Path) -> None:
    for number in range(600):
        (tmp_path / f"train_{number}.py").write_text(SLOW + "#" * 4000, encoding="utf-8")
    command = [sys.executable, "-m", "ms_perflint", "--isolated", "--no-cache", "-j", "2", str(tmp_path)]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    children = Path(f"/proc/{run.pid}/task/{run.pid}/children")
    while run.poll() is None and len(children.read_text().split()) < 2:
        time.sleep(0.02)
    workers = children.read_text().split()
    os.killpg(run.pid, signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert (run.returncode, out, err.strip()) == (130, b"", b"")
    assert not any(Path(f"/proc/{worker}").exists() for worker in workers)
