"""`verify` without MindSpore: copies, processes, records, verdicts, and what is kept."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from front import TRAIN, run, run_process

from ms_perflint.config.settings import Config
from ms_perflint.core.findings import Safety
from ms_perflint.report import verify as report
from ms_perflint.report.style import Style
from ms_perflint.verify import measure, processes, records, steps, verdicts
from ms_perflint.verify.copying import MANY, SMALL, copy, place_of
from ms_perflint.verify.measure import Program, once, where
from ms_perflint.verify.records import Run
from ms_perflint.verify.results import Measured, Result
from ms_perflint.verify.variants import variants_of

unix = pytest.mark.skipif(sys.platform == "win32", reason="needs processes of Unix")


def made(folder: Path, **files: str) -> Path:
    """Return a folder with files: `a__b_py` is `a/b.py`."""
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_py", ".py").replace("_txt", ".txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


# --- the copy


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project with sources, small and large files."""
    folder = made(tmp_path / "project", tools__train_py="1", net__cells_py="2", data__small_txt="3", log_txt="old")
    (folder / ".git").mkdir()
    (folder / "data" / "large.bin").write_bytes(b"x" * (SMALL + 1))
    (folder / "many").mkdir()
    for number in range(MANY + 1):
        (folder / "many" / f"{number}.txt").touch()
    return folder


def copied(project: Path, cwd: Path, target: Path, contents: dict[str, bytes]) -> Path:
    entry = str(project / "tools" / "train.py")
    place = place_of(entry, [entry], str(cwd))
    target.mkdir()
    copy(place, str(target), contents)
    return target / os.path.relpath(project, place.top)


def test_small_files_are_copied_and_large_ones_linked(project: Path, tmp_path: Path) -> None:
    found = copied(project, project, tmp_path / "copy", {str(project / "net" / "cells.py"): b"fixed"})
    assert (found / "net" / "cells.py").read_bytes() == b"fixed"
    assert (project / "net" / "cells.py").read_bytes() == b"2"
    assert not (found / "data" / "small.txt").is_symlink()
    assert (found / "data" / "large.bin").is_symlink()
    assert (found / "many").is_symlink() and (found / ".git").is_symlink()
    assert len((found / "data" / "large.bin").read_bytes()) == SMALL + 1


@pytest.mark.parametrize("inside", [".", "tools", ".."])
def test_the_working_directory_is_in_the_copy(project: Path, tmp_path: Path, inside: str) -> None:
    cwd = (project / inside).resolve()
    found = copied(project, cwd, tmp_path / "copy", {})
    assert (found / "tools" / "train.py").read_text() == "1"


def test_what_stands_beside_the_project_is_found(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(project.parent, data__near_txt="near")
    made(project, train_py="print(open('../data/near.txt').read())\nopen('../data/new.txt', 'w').close()\n")
    found = tried(project, monkeypatch)
    assert found.output == "near\n" and not (project.parent / "data" / "new.txt").exists()


def test_links_of_the_project_stay_links(project: Path, tmp_path: Path) -> None:
    made(tmp_path, elsewhere__weights_txt="w")
    (project / "weights").symlink_to(tmp_path / "elsewhere")
    (project / "broken").symlink_to(tmp_path / "nowhere")
    found = copied(project, project, tmp_path / "copy", {})
    assert (found / "weights" / "weights.txt").read_text() == "w"


def test_without_a_marker_the_program_is_the_project(tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    files = [str(folder / "a" / "tools" / "train.py"), str(folder / "a" / "net" / "cells.py")]
    assert place_of(files[0], files, str(folder)) == (str(folder / "a"), str(folder), folder.anchor)


# --- a run, of programs that import no MindSpore


@dataclass(frozen=True)
class Tried:
    """What became of a program that ran in a copy."""

    error: str
    output: str
    left: dict[str, str]  # small files of the copy


def tried(folder: Path, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> Tried:
    monkeypatch.chdir(folder)
    program = Program(str(folder / "train.py"), (str(folder / "train.py"),), **{"seconds": 20.0, **settings})
    left: dict[str, str] = {}

    def look(copy: Path) -> None:
        left.update({str(path.relative_to(copy)): path.read_text() for path in copy.rglob("*.txt")})

    found, output = once(program, where(program), {}, look=look)
    return Tried(found.error, output, left)


WRITING = """
import os
for name in ("log.txt", "many/0.txt"):
    with open(name, "a") as file:
        file.write("new")
with open("data/link.txt", "w") as file:
    file.write("new")
os.rename("data/small.txt", "many/moved.txt")
os.remove("many/1.txt")
os.makedirs("many/deep/er")
print(sorted(os.listdir("many"))[:2], os.path.exists("data/large.bin"))
"""


def texts(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*.txt")}


def test_what_a_program_writes_stays_in_the_copy(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(project, train_py=WRITING)
    (project / "data" / "link.txt").symlink_to(project / "many" / "2.txt")
    before = texts(project)
    found = tried(project, monkeypatch)
    assert (found.error, found.output) == ("no training step was seen", "['0.txt', '10.txt'] True\n")
    assert (found.left["log.txt"], found.left["many/0.txt"], found.left["data/link.txt"]) == ("oldnew", "new", "new")
    assert found.left["many/2.txt"] == ""
    assert texts(project) == before and not (project / ".ms_perflint").exists()


SAVES = """
import os
path = os.path.realpath("data/large.bin")
os.chmod(path, 0o200)
DONE
with open(path, "wb") as file:
    file.write(b"new")
with open("data/large.bin", "rb") as file:
    print(file.read())
"""


@pytest.mark.parametrize("done", ["os.remove(path)", "os.truncate(path, 0)", "os.utime(path, (1, 1))", "pass"])
def test_a_program_saves_a_large_file_again(project: Path, monkeypatch: pytest.MonkeyPatch, done: str) -> None:
    made(project, train_py=SAVES.replace("DONE", done))
    large = project / "data" / "large.bin"
    before = large.stat()
    assert tried(project, monkeypatch).output == "b'new'\n"
    after = large.stat()
    assert (after.st_mode, after.st_size, after.st_mtime) == (before.st_mode, before.st_size, before.st_mtime)


def test_a_path_without_links_stays_in_the_copy(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("data/large.bin", "many/0.txt", "data/small.txt", "new.bin", "/")
    made(project, train_py=f"import os\nfor name in {names}:\n    print(os.path.relpath(os.path.realpath(name)))\n")
    found = tried(project, monkeypatch).output.splitlines()
    assert found[:-1] == list(names[:-1]) and set(found[-1]) == {".", "/"}


@pytest.mark.parametrize(
    "done", ["open(path, 'w')", "os.remove(path)", "os.rename('log.txt', path)", "os.mkdir(path)", "os.chmod(path, 0)"]
)
def test_a_program_cannot_write_into_the_project(project: Path, monkeypatch: pytest.MonkeyPatch, done: str) -> None:
    made(project, train_py=f"import os\npath = {str(project / 'data' / 'small.txt')!r}\n{done}\n")
    found = tried(project, monkeypatch)
    assert found.error.startswith("PermissionError: ") and "is in the project" in found.error
    assert (project / "data" / "small.txt").read_text() == "3"


def test_arguments_and_relative_paths_lead_into_the_copy(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import os, sys\nprint(open(sys.argv[1]).read(), open(sys.argv[2][6:]).read(), __file__ != sys.argv[3])\n"
    made(project, train_py=text)
    small = str(project / "data" / "small.txt")
    found = tried(project, monkeypatch, arguments=("data/small.txt", f"--out={small}", str(project / "train.py")))
    assert found.output.startswith("3 3 ")


def test_modules_of_an_installed_project_are_those_of_the_copy(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(project, train_py="import cells\nprint('copy' in cells.__file__)\n")
    monkeypatch.setenv("PYTHONPATH", str(project / "net"))
    assert tried(project, monkeypatch).output == "True\n"


def test_the_users_sitecustomize_is_run(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(project, train_py="import sys\nprint(sys.mine)\n", net__sitecustomize_py="import sys\nsys.mine = 'mine'\n")
    monkeypatch.setenv("PYTHONPATH", str(project / "net"))
    assert tried(project, monkeypatch).output == "mine\n"


def test_the_first_line_of_an_error_is_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(project, train_py="raise ValueError('one\\ntwo')\n")
    assert tried(project, monkeypatch).error == "ValueError: one"
    made(project, train_py="import sys\nsys.exit(3)\n")
    assert tried(project, monkeypatch).error == "exit code 3"


def test_a_launcher_starts_the_program(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(project, train_py="import sys\nprint(sys.argv[1:], sys.executable)\n")
    (project / "run.sh").write_text('cd "$(dirname "$0")" && python train.py by-script "$@"\n', encoding="utf-8")
    found = tried(project, monkeypatch, launch="run.sh", arguments=("--lr", "1"))
    assert found.output.startswith("['by-script', '--lr', '1'] ")
    assert "['--lr', '1']" in tried(project, monkeypatch, launch="env A=1", arguments=("--lr", "1")).output


MPIRUN = """#!/bin/sh
[ "$1 $2" = "-n 2" ] && shift 2
for rank in 1 0; do OMPI_COMM_WORLD_RANK=$rank "$@" & done
wait
"""


@unix
def test_mpirun_starts_python_itself(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The words of a launcher that names no interpreter are followed by the one that was chosen, in each process."""
    said = "f\"{os.environ['OMPI_COMM_WORLD_RANK']} {sys.argv[1:]}\\n\".encode()"
    made(project, train_py=f"import os, sys\nos.write(1, {said})\n")  # in one piece: the other process writes too
    launcher = project / "bin" / "mpirun"
    launcher.parent.mkdir()
    launcher.write_text(MPIRUN, encoding="utf-8")
    launcher.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(launcher.parent), os.environ["PATH"]]))
    found = tried(project, monkeypatch, launch="mpirun -n 2", arguments=("--lr", "1"))
    assert sorted(found.output.splitlines()) == ["0 ['--lr', '1']", "1 ['--lr', '1']"]


@pytest.mark.parametrize(
    ("variable", "value", "rank"),
    [("OMPI_COMM_WORLD_RANK", "1", 1), ("RANK_ID", "0", 0), ("MS_NODE_ID", "3", 3), ("RANK_ID", "", None)],
)
def test_the_rank_is_that_of_the_launcher(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, rank: int | None
) -> None:
    for name in ("RANK_ID", "OMPI_COMM_WORLD_RANK", "MS_NODE_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, value)
    assert steps._rank() == rank


# --- processes


STARTS = (
    "import os, subprocess, sys, time\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']{})\n"
)


@unix
@pytest.mark.parametrize("options", ["", ", start_new_session=True"])
@pytest.mark.parametrize(
    "end", ["", "time.sleep(600)", "import signal; signal.signal(15, signal.SIG_IGN); time.sleep(600)"]
)
def test_no_process_is_left(tmp_path: Path, options: str, end: str) -> None:
    start = time.monotonic()
    ended = processes.run([sys.executable, "-c", STARTS.format(options) + end], str(tmp_path), os.environ, 1.5)
    assert ended.code is None and time.monotonic() - start < 15


@unix
def test_no_process_is_left_after_an_interrupt(tmp_path: Path) -> None:
    slow = STARTS.format("") + "time.sleep(600)"
    code = "import os, sys\nfrom ms_perflint.verify.processes import run\n"
    code += f"run([sys.executable, '-c', {slow!r}], '.', os.environ, 600)\n"
    process = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stderr=subprocess.DEVNULL)
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    assert process.wait(20) != 0


@unix
def test_processes_end_soon_once_all_is_done(tmp_path: Path) -> None:
    start = time.monotonic()
    processes.run([sys.executable, "-c", "import time; time.sleep(60)"], str(tmp_path), os.environ, 60, lambda: True)
    assert time.monotonic() - start < 20


def test_output_and_exit_code_are_told(tmp_path: Path) -> None:
    text = "import sys; print('x' * 300000 + 'end'); sys.exit(4)"
    code, output = processes.run([sys.executable, "-c", text], str(tmp_path), os.environ, 20)
    assert (code, len(output), output[-4:]) == (4, processes.SHOWN, "end\n")


# --- records


def written(folder: Path, name: str, *lines: object) -> None:
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def interval(wall: float, steps: int = 1, *losses: float | None) -> dict[str, object]:
    return {"steps": steps, "wall": wall, "cpu": wall / 2, "losses": list(losses)}


def test_the_lowest_rank_is_read(tmp_path: Path) -> None:
    written(tmp_path, "1", {"rank": 1}, interval(1.0), interval(0.5))
    written(tmp_path, "2", {"rank": 0}, interval(2.0, 1, 3.0), interval(0.25, 1, None), {"end": True, "peak_memory": 7})
    found = records.read(tmp_path)
    assert (found.first, found.steps, found.cpu, found.losses) == (2000, (250,), (125,), (3.0, None))
    assert (found.peak_memory, found.is_done, records.is_done(tmp_path)) == (7, True, True)


def test_the_first_steps_warm_up(tmp_path: Path) -> None:
    written(tmp_path, "1", {"rank": None}, *(interval(number) for number in range(1, 21)))
    assert records.read(tmp_path).steps == tuple(1000.0 * number for number in range(7, 21))
    assert not records.is_done(tmp_path)


def test_steps_that_are_sunk_share_a_time(tmp_path: Path) -> None:
    written(tmp_path, "1", {"rank": None}, interval(3.0, 10), interval(1.0, 10), interval(1.0, 10))
    found = records.read(tmp_path)
    assert (found.steps, found.first) == ((100.0, 100.0), 2100.0)


def test_an_error_of_a_worker_comes_before_that_of_its_launcher(tmp_path: Path) -> None:
    written(tmp_path, "1", {"rank": None}, {"error": "RuntimeError: a worker failed"})
    written(tmp_path, "2", {"rank": 1}, {"error": "ValueError: why"})
    assert records.read(tmp_path) == Run(error="ValueError: why")


def test_a_program_that_fails_after_some_steps_is_not_done(tmp_path: Path) -> None:
    written(tmp_path, "1", {"rank": None}, interval(1.0), interval(1.0), {"error": "ValueError: x"}, {"end": True})
    found = records.read(tmp_path)
    assert (found.error, found.is_done) == ("ValueError: x", False)


def test_a_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    written(tmp_path, "1", {"rank": None}, interval(1.0), interval(2.0))
    with open(tmp_path / "1.jsonl", "a", encoding="utf-8") as file:
        file.write('{"steps": 1, "wa')
    assert records.read(tmp_path).steps == (2000.0,)


# --- verdicts


def runs(*medians: float, spread: float = 0.1) -> list[Run]:
    return [Run(tuple(median * (1 + spread * (at - 5) / 5) for at in range(11))) for median in medians]


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        (runs(10, 10.1), runs(5, 5.1), "faster"),
        (runs(5, 5.1), runs(10, 10.1), "slower"),
        (runs(10, 10.1), runs(10, 10.1), "same"),
        (runs(10, 10.1), runs(9.8, 9.9), "same"),  # the middle halves overlap
        (runs(10, 20), runs(7, 7.1), "same"),  # runs of the same program differ by more
        (runs(10, 11), runs(7, 7.1), "faster"),
        (runs(10, 10.1, spread=1.5), runs(5, 5.1, spread=1.5), "same"),
        ([Run()], runs(5), "not-measured"),
        (runs(5), [Run()], "not-measured"),
    ],
)
def test_speed(before: Sequence[Run], after: Sequence[Run], verdict: str) -> None:
    assert verdicts.speed(before, after) == verdict


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("before", "after", "difference", "changes"),
    [
        ([2.0, 1.0], [2.0, 1.0], 0.0, False),
        ([2.0, 1.0], [2.0, 1.01], 0.005, False),
        ([2.0, 1.0], [2.0, 1.1], 0.05, True),
        ([2.0, 1.0], [2048.0, 1024.0], 0.0, False),  # loss scaling
        ([2.0, 1.0], [4.0, 2.0], 1.0, True),
        ([NAN, 1.0], [NAN, 1.0], 0.0, False),
        ([2.0, 1.0], [NAN, 1.0], INF, True),
        ([0.0, 0.0], [0.0, 0.0], 0.0, False),
        ([None, 1.0], [None, 1.0], 0.0, False),
        ([None], [1.0], None, False),
        ([2.0], [], None, False),
    ],
)
def test_losses(before: list[float], after: list[float], difference: float | None, changes: bool) -> None:
    one, two = [Run(losses=tuple(before))], [Run(losses=tuple(after))]
    found = verdicts.loss_difference(one, two)
    assert found == (difference if difference is None else pytest.approx(difference))
    assert verdicts.changes_loss(one, two) is changes


def test_losses_that_differ_from_run_to_run_prove_nothing() -> None:
    before = [Run(losses=(2.0, 1.0)), Run(losses=(2.0, 1.3))]
    assert not verdicts.changes_loss(before, [Run(losses=(2.0, 1.5))])
    assert verdicts.changes_loss(before, [Run(losses=(2.0, 2.1))])


# --- variants


def test_variants(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(TRAIN, encoding="utf-8")
    config = Config(root=str(tmp_path), device="Ascend", mindspore_version=(2, 10))
    (together,) = variants_of([str(path)], config, each=False).variants
    alone = variants_of([str(path)], config, each=True).variants
    assert set(together.rules) >= {code for variant in alone[1:] for code in variant.rules} >= {"MSP101", "MSP301"}
    assert all(len(variant.rules) == 1 and variant.contents for variant in alone[1:])
    assert alone[0] == together and together.safety is Safety.UNSAFE


# --- the command


def test_help_and_mistakes(tmp_path: Path) -> None:
    made(tmp_path, train_py=TRAIN)
    assert "--each" in run("verify", "--help", cwd=tmp_path).out
    ran = run("verify", "none.py", cwd=tmp_path)
    assert (ran.code, ran.err) == (
        2,
        "ms-perflint: error: none.py: no Python script: name the one that starts the program\n",
    )
    ran = run("verify", "train.py", "--python", "/nowhere/python", cwd=tmp_path)
    assert ran.code == 2 and "/nowhere/python cannot be run" in ran.err


def test_an_interpreter_without_mindspore_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(tmp_path, train_py=TRAIN)
    monkeypatch.setattr(measure, "has_mindspore", lambda python: False)
    monkeypatch.setattr("ms_perflint.commands.verify.has_mindspore", lambda python: False)
    ran = run("verify", "train.py", cwd=tmp_path)
    assert ran.code == 2 and "has no MindSpore: name the interpreter that trains with --python" in ran.err


# --- what is kept


def kept(folder: Path, *variants: dict[str, object], device: str = "Ascend910B", devices: Sequence[str] = ()) -> None:
    """Keep measurements of the findings in TRAIN, as `verify` writes them."""
    import hashlib

    text = (folder / "train.py").read_bytes()
    shown = json.loads(run("train.py", "--isolated", "--output-format", "json", cwd=folder).out)
    findings = [["train.py", *each["location"].values(), each["code"]] for each in shown]
    none = {"before": None, "after": None, "spread": None}
    whole = [
        {
            "rules": ["MSP301"], "applicability": "safe", "step_ms": none, "first_step_ms": none,
            "loss": {"largest_difference": None}, "error": None, **variant,
        }
        for variant in variants
    ]  # fmt: skip
    program = {
        "files": {"train.py": hashlib.sha256(text).hexdigest()},
        "result": {"date": "2026-11-22", "device": device, "variants": whole},
        "devices": list(devices),
        "findings": [findings for _ in whole],
    }
    (folder / ".ms_perflint").mkdir(exist_ok=True)
    document = {"version": 1, "programs": {"train.py": program}}
    (folder / ".ms_perflint" / "verify.json").write_text(json.dumps(document), encoding="utf-8")


def measured(folder: Path, *options: str) -> dict[str, Any] | None:
    asked = ("--isolated", "--select", "MSP301", "--output-format", "json", *options)
    found = json.loads(run("train.py", *asked, cwd=folder).out)
    answer: dict[str, Any] | None = found[0]["measured"]
    return answer


TIMES = {"before": 10.0, "after": 6.2, "spread": 0.4}
SLOW = {"before": 10.0, "after": 12.0, "spread": 0.4}
NOISY = {"before": 10.0, "after": 9.0, "spread": 8.0}


@pytest.mark.parametrize(
    ("variant", "verdict", "evidence"),
    [
        ({"verdict": "faster", "step_ms": TIMES}, "confirmed", "38 % less time per step"),
        ({"verdict": "slower", "step_ms": SLOW}, "refuted", "20 % more time per step"),
        ({"verdict": "same", "step_ms": TIMES}, "refuted", "no difference within the noise of ± 2 %"),
        ({"verdict": "same", "step_ms": NOISY}, "not-seen", "no difference within the noise of ± 40 %"),
        ({"verdict": "changes-loss", "step_ms": TIMES}, "refuted", "the fix changes the loss"),
        ({"verdict": "fails"}, "not-measurable", "the program fails with the fix"),
        (
            {"verdict": "slower", "step_ms": SLOW, "rules": ["MSP101", "MSP301"]},
            "not-measurable",
            "20 % more time per step, together with MSP101",
        ),
    ],
)
def test_a_finding_shows_what_was_measured(
    tmp_path: Path, variant: dict[str, object], verdict: str, evidence: str
) -> None:
    made(tmp_path, train_py=TRAIN)
    assert measured(tmp_path) is None
    kept(tmp_path, variant)
    found = measured(tmp_path)
    said = f"measured 2026-11-22 on Ascend910B: {evidence}"
    assert found is not None and (found["verdict"], found["evidence"]) == (verdict, said)
    ran = run("train.py", "--isolated", "--select", "MSP301", cwd=tmp_path)
    assert f"note: {said}\n" in ran.out and ran.code == (0 if verdict == "refuted" else 1)
    assert ("1 does not count: a measurement refutes it." in ran.out) is (verdict == "refuted")
    (tmp_path / "train.py").write_text(TRAIN + "\n# changed\n", encoding="utf-8")
    assert measured(tmp_path) is None


@pytest.mark.parametrize(
    ("device", "devices", "options", "counts"),
    [
        ("CPU", (), (), False),
        ("CPU", ("CPU",), (), True),
        ("CPU", ("Ascend",), (), False),
        ("CPU", ("CPU",), ("--device", "Ascend"), False),
        ("Ascend910B", (), (), True),
        ("Ascend910B", ("GPU",), (), False),
        ("Ascend910B", ("Ascend", "GPU"), (), True),
        ("NVIDIA A100", ("GPU",), (), True),
        ("NVIDIA A100", (), ("--device", "Ascend"), False),
    ],
)
def test_another_device_refutes_nothing(
    tmp_path: Path, device: str, devices: Sequence[str], options: Sequence[str], counts: bool
) -> None:
    """Where a program names no device, accelerators are meant."""
    made(tmp_path, train_py=TRAIN)
    kept(tmp_path, {"verdict": "slower", "step_ms": SLOW}, device=device, devices=devices)
    found = measured(tmp_path, *options)
    assert found is not None and (found["verdict"], found["on_target"]) == ("refuted", counts)
    ran = run("train.py", "--isolated", "--select", "MSP301", *options, cwd=tmp_path)
    assert ran.code == (0 if counts else 1)
    assert ("; the program is for another device, and the finding counts\n" in ran.out) is not counts
    page = run("train.py", "--isolated", "--select", "MSP301", *options, "--output-format", "html", cwd=tmp_path).out
    assert ("the program is for another device, and the finding counts</p>" in page) is not counts


def test_a_device_of_the_program_counts_more_than_another_one(tmp_path: Path) -> None:
    made(tmp_path, train_py=TRAIN)
    kept(tmp_path, {"verdict": "slower", "step_ms": SLOW})
    here = json.loads((tmp_path / ".ms_perflint" / "verify.json").read_text(encoding="utf-8"))
    kept(tmp_path, {"verdict": "faster", "step_ms": TIMES}, device="CPU")
    path = tmp_path / ".ms_perflint" / "verify.json"
    both = json.loads(path.read_text(encoding="utf-8"))
    both["programs"]["other.py"] = here["programs"]["train.py"]
    path.write_text(json.dumps(both), encoding="utf-8")
    found = measured(tmp_path)
    assert found is not None and (found["verdict"], found["device"]) == ("refuted", "Ascend910B")


def test_a_rule_alone_counts_more_than_all_together(tmp_path: Path) -> None:
    made(tmp_path, train_py=TRAIN)
    alone, together = {"verdict": "slower", "step_ms": SLOW}, {"verdict": "faster", "step_ms": TIMES}
    kept(tmp_path, {**together, "rules": ["MSP101", "MSP301"]}, alone, {"verdict": "not-measured"})
    found = measured(tmp_path)
    assert found is not None and found["verdict"] == "refuted"


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"version": 1, "programs": [1]}', '{"version": 1, "programs": {"a": 1}}', "[" * 10000]
)
def test_what_is_kept_and_broken_says_nothing(tmp_path: Path, text: str) -> None:
    made(tmp_path, train_py=TRAIN)
    kept(tmp_path, {"verdict": "faster", "step_ms": TIMES})
    (tmp_path / ".ms_perflint" / "verify.json").write_text(text, encoding="utf-8")
    assert measured(tmp_path) is None


@pytest.mark.parametrize("form", ["html", "sarif"])
def test_reports_carry_what_was_measured(tmp_path: Path, form: str) -> None:
    made(tmp_path, train_py=TRAIN)
    kept(tmp_path, {"verdict": "faster", "step_ms": TIMES})
    assert (
        "measured 2026-11-22 on Ascend910B" in run("train.py", "--isolated", "--output-format", form, cwd=tmp_path).out
    )


def test_nothing_is_loaded_where_nothing_is_kept(tmp_path: Path) -> None:
    made(tmp_path, train_py=TRAIN)
    ran = run_process("train.py", "--isolated", cwd=tmp_path, env={"PYTHONVERBOSE": "1"})
    assert "verify.kept" not in ran.err and "verify.lookup" in ran.err


def test_an_editor_shows_what_was_measured(tmp_path: Path) -> None:
    types = pytest.importorskip("lsprotocol.types")
    from ms_perflint.core.files import Disk
    from ms_perflint.engine import lint
    from ms_perflint.server.hover import hover
    from ms_perflint.server.linting import _by_path
    from ms_perflint.server.places import Columns

    made(tmp_path, train_py=TRAIN)
    kept(tmp_path, {"verdict": "faster", "step_ms": TIMES})
    path, config = str(tmp_path / "train.py"), Config(root=str(tmp_path), select=("MSP301",))
    checked = _by_path(lint([path], config), config, Disk())[path]
    place = checked.findings[0].place
    at = types.Position(place.row - 1, place.column)
    shown = hover(checked, 0, at, Columns(types.PositionEncodingKind.Utf16), True)
    assert "measured 2026-11-22 on Ascend910B: 38 % less time per step" in shown.contents.value


@pytest.mark.parametrize("verdict", [*report.SAID])
def test_a_terminal_shows_each_verdict_as_a_file_does(verdict: str) -> None:
    variant = Measured(("MSP301",), "safe", verdict, 2.0, 1.0, 0.1, 0.1)
    result = Result("train.py", (), "CPU", "2.10.0", 20, 3, 2.0, 0.1, 9.0, None, 0.0, "2026-11-23", (variant,))
    coloured = report.render("text", result, Style(colour=True))
    assert "\x1b[1m" in coloured
    plain = [line.rstrip() for line in re.sub(r"\x1b\[[\d;]*m", "", coloured).splitlines()]
    assert plain == report.render("text", result).splitlines()
