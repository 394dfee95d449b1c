"""The engine over the sample programs: what it finds does not depend on gate, order, company or processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ms_perflint import engine
from ms_perflint.check import Check
from ms_perflint.config.settings import Config
from ms_perflint.core.files import Nowhere, Overlay
from ms_perflint.core.findings import Finding, Fix, Place, Safety
from ms_perflint.discovery import discover
from ms_perflint.linting import linter, merging

SAMPLES = Path(__file__).parent.parent / "sample_scripts"


@pytest.fixture(scope="module")
def config() -> Config:
    return Config(str(SAMPLES))


@pytest.fixture(scope="module")
def files(config: Config) -> tuple[str, ...]:
    found = tuple(discover([str(SAMPLES)], config).files)
    assert len(found) >= 7
    return found


def test_the_gate_hides_nothing(files: tuple[str, ...], config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    gated = engine.lint(files, config)
    monkeypatch.setattr(Check, "prefilter", lambda raw: True)
    monkeypatch.setattr(linter, "MARK", b"")
    assert engine.lint(files, config) == gated
    assert gated.findings


def test_a_file_alone_is_told_the_same(files: tuple[str, ...], config: Config) -> None:
    together = engine.lint(files, config)
    alone = [finding for path in files for finding in engine.lint([path], config).findings]
    assert sorted(alone) == list(together.findings)


def test_the_order_of_paths_does_not_matter(files: tuple[str, ...], config: Config) -> None:
    assert engine.lint(files[::-1], config) == engine.lint(files, config)


def test_processes_find_the_same(files: tuple[str, ...], config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ms_perflint.processes.parts.CHEAPEST", 0)
    assert engine.lint(files, config, jobs=2) == engine.lint(files, config)


def test_one_broken_file_does_not_stop_the_others(files: tuple[str, ...], config: Config, tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("import mindspore\nmodel.train(1,\n")
    report = engine.lint([*files, str(broken)], config)
    assert report.findings == engine.lint(files, config).findings
    (problem,) = report.problems
    assert (problem.path, problem.row) == (str(broken), 2)


def test_a_file_without_mindspore_is_told_where_it_does_not_parse(config: Config) -> None:
    path, other = (os.path.join(os.sep, "p", name) for name in ("other.py", "fine.py"))
    report = engine.lint([path, other], config, Overlay(Nowhere(), {path: b"this is not Python (", other: b"x = 1"}))
    assert report.findings == ()
    assert [problem.path for problem in report.problems] == [path]


TRAIN = """
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

import mindspore as ms
from mindspore import nn
from mindspore.train import Model
from pkg import callbacks, {name}

if __name__ == "__main__":
    {name}.start()
    net = {name}.network()
    model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
    model.{method}(10, {name}.data(), callbacks=[callbacks.checkpoints()])
"""
PART = """
import mindspore as ms
from mindspore import nn

def start():
    ms.set_context(mode=ms.{mode})

def network():
    return nn.Dense(32, 32)

def data():
    return ms.dataset.GeneratorDataset([], ["x"])
"""
TREE = {
    "pkg/__init__.py": "",
    "pkg/callbacks.py": """
from mindspore.train import CheckpointConfig, ModelCheckpoint

def checkpoints():
    return ModelCheckpoint("net", config=CheckpointConfig(save_checkpoint_steps=100))
""",
    "pkg/slow.py": PART.format(mode="PYNATIVE_MODE"),
    "pkg/fast.py": PART.format(mode="GRAPH_MODE"),
    "tools/train.py": TRAIN.format(name="slow", method="train"),
    "tools/finetune.py": TRAIN.format(name="fast", method="train"),
    "tools/evaluate.py": TRAIN.format(name="fast", method="eval"),
}


def test_a_tree_of_programs_is_told_the_same_file_by_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in TREE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    config = Config(str(tmp_path))
    paths = discover([str(tmp_path)], config).files
    together = engine.lint(paths, config)
    found = {(os.path.relpath(finding.place.path, tmp_path), finding.code) for finding in together.findings}
    assert {(os.path.join("pkg", "callbacks.py"), "MSP301"), (os.path.join("pkg", "slow.py"), "MSP101")} <= found
    assert {code for path, code in found if path == os.path.join("pkg", "fast.py")} == set()
    assert sorted(f for path in paths for f in engine.lint([path], config).findings) == list(together.findings)
    monkeypatch.setattr("ms_perflint.processes.parts.CHEAPEST", 0)
    assert engine.lint(paths, config, jobs=2) == together


def _finding(fix: Fix | None) -> dict[tuple[object, ...], Finding]:
    place = Place("a.py", 1, 1)
    return {(place, place): Finding(place, "MSP301", "name", "message", place, (1,), fix)}


def test_one_program_is_enough_and_the_weakest_fix_counts() -> None:
    safe, unsafe = Fix("fix", Safety.SAFE, ()), Fix("fix", Safety.UNSAFE, ())
    (merged,) = merging.merged([_finding(safe), {}, _finding(unsafe)])
    assert merged.fix is not None
    assert merged.fix.safety is Safety.UNSAFE
    (merged,) = merging.merged([_finding(safe), _finding(None)])
    assert merged.fix is None


def test_libcst_is_imported_for_the_first_suspect_only(tmp_path: Path) -> None:
    clean = "import mindspore as ms\nms.set_context(mode=ms.GRAPH_MODE)\n"
    (tmp_path / "clean.py").write_text(clean, encoding="utf-8")
    (tmp_path / "train.py").write_text(f"{clean}model = ms.Model(net)\nmodel.train(1, data)\n", encoding="utf-8")
    code = (
        "import sys\nfrom ms_perflint import lint_paths\n"
        "found = lint_paths(sys.argv[1], isolated=True).findings\nprint(len(found), 'libcst' in sys.modules)"
    )
    for name, expected in (("clean.py", "0 False"), ("train.py", "1 True")):
        done = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / name)], capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == expected
