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
from textwrap import dedent
from types import MappingProxyType

import pytest

from ms_perflint import engine
from ms_perflint.cache.cache import Memory
from ms_perflint.config.settings import Config
from ms_perflint.core.files import Disk
from ms_perflint.discovery import grouped
from ms_perflint.linting import judged
from ms_perflint.linting.check_runner import CheckRunner
from ms_perflint.linting.linter import Linter
from ms_perflint.processes import parts as in_parts
from ms_perflint.processes.parts import NEIGHBOURS, OF_PROJECT, hands
from ms_perflint.processes.workers import Start, Work, follow, processes, side_by_side
from ms_perflint.program.program import Program

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


def shares(
    paths: Sequence[str], workers: int, costs: Mapping[str, float] = MappingProxyType({})
) -> list[Sequence[str]]:
    return in_parts.shares(paths, workers, costs).parts


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


@pytest.mark.parametrize("workers", [2, 3, 64])
def test_a_project_is_dealt_in_hands_with_as_many_scripts_and_neighbours_together(workers: int, tmp_path: Path) -> None:
    names = ("train.py", "eval.py", "src/net.py")
    project = [f"{number}/{name}" for number in range(20) for name in names] + [f"tools/{n}.py" for n in range(30)]
    for name in project:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("" if "/src/" in name else "if __name__ == '__main__':\n    main()\n")
    paths = [str(tmp_path / name) for name in project]
    dealt = hands([*paths, str(tmp_path / "gone.py")], workers)
    assert sorted(path for hand in dealt for path in hand) == sorted([*paths, str(tmp_path / "gone.py")])
    assert len(dealt) == min(workers, OF_PROJECT)
    scripts = [sum("/src/" not in path for path in hand) for hand in dealt]
    assert max(scripts) - min(scripts) <= NEIGHBOURS
    assert all((paths[3] in hand) == (paths[4] in hand) for hand in dealt)
    assert hands(paths[:1], workers) == [paths[:1]]


KIT = {
    "kit/__init__.py": "",
    "kit/run.py": """
        import mindspore as ms
        from mindspore import nn

        def run(data, mode):
            ms.set_context(mode=mode)
            net = nn.Dense(16, 16)
            model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
            model.train(3, data, dataset_sink_mode=False)
        """,
    **{
        f"examples/{number}/train.py": f"""
        import mindspore as ms
        from kit.run import run
        from data import make

        run(make({number}), ms.{"PYNATIVE_MODE" if number % 2 else "GRAPH_MODE"})
        """
        for number in range(8)
    },
}


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Make a project that several workers share; return its files."""
    monkeypatch.setattr("ms_perflint.processes.parts.CHEAPEST", 0)
    (tmp_path / ".git").mkdir()
    for name, text in KIT.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(dedent(text), encoding="utf-8")
    paths = sorted((str(tmp_path / name) for name in KIT), key=grouped)
    assert in_parts.shares(paths, 2).divided == [paths]
    return paths


def test_each_program_of_a_project_is_judged_by_one_worker(
    kit: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, judge = Config(str(tmp_path)), CheckRunner._judge
    alone = engine.lint(kit, config)
    assert {os.path.basename(finding.place.path) for finding in alone.findings} == {"run.py"}
    log = tmp_path / "judged.log"

    def noted(runner: CheckRunner, entry: str) -> None:
        with log.open("a", encoding="utf-8") as file:
            file.write(f"{entry}\n")
        judge(runner, entry)

    monkeypatch.setattr(CheckRunner, "_judge", noted)  # the workers are forks
    assert engine.lint(kit, config, jobs=2) == alone
    judged = log.read_text("utf-8").splitlines()
    assert len(judged) == len(set(judged))
    assert {path for path in kit if path.endswith("train.py")} <= set(judged)


def test_what_fails_in_the_program_of_a_project_is_told_as_in_one_process(
    kit: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = judged.is_trained

    def fails(program: Program) -> bool:
        if program.entry.endswith("3/train.py"):
            raise ValueError("broken")
        return asked(program)

    monkeypatch.setattr(judged, "is_trained", fails)
    config = Config(str(tmp_path))
    report = engine.lint(kit, config)
    assert any("broken" in problem.message for problem in report.problems)
    assert engine.lint(kit, config, jobs=2) == report


def test_what_workers_consulted_for_one_another_is_remembered(kit: list[str], tmp_path: Path) -> None:
    config, memory = Config(str(tmp_path)), Memory()
    engine.lint(kit, config, jobs=2, memory=memory)
    assert memory.recall(kit, Disk())[1] == []
    library, script = str(tmp_path / "kit/run.py"), tmp_path / "examples/2/train.py"
    script.write_text(script.read_text("utf-8").replace("GRAPH_MODE", "PYNATIVE_MODE"), encoding="utf-8")
    left = memory.recall(kit, Disk())[1]
    assert {library, str(script)} <= set(left)
    assert engine.lint(kit, config, jobs=2, memory=memory) == engine.lint(kit, config)


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
