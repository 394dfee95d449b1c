"""`ms-perflint explain FILE:LINE`: why something is reported there, or nothing."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from front import Ran, run

PROGRAM = """\
import mindspore as ms
from mindspore import nn
from mindspore.dataset import MindDataset

ms.set_context(mode=ms.PYNATIVE_MODE)
net = nn.Dense(64, 64)
model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
model.train(10, MindDataset("train.mindrecord"), dataset_sink_mode=False)
"""
GRAPH = PROGRAM.replace("PYNATIVE", "GRAPH")


def explain(folder: Path, place: str, *options: str, **files: str) -> Ran:
    """Return what is said of a place in `train.py`, and in other files by their names without the suffix."""
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return run("explain", "--isolated", *options, place, cwd=folder)


def told(folder: Path, place: str, *options: str, **files: str) -> list[dict[str, object]]:
    """Return what the rules make of a place."""
    ran = explain(folder, place, "--output-format", "json", *options, **files)
    assert (ran.code, ran.err) == (0, "")
    rules: list[dict[str, object]] = json.loads(ran.out)["rules"]
    return rules


def test_a_finding_comes_with_its_fix_and_what_was_asked(tmp_path: Path) -> None:
    (rule,) = told(tmp_path, "train.py:5", train=PROGRAM)
    assert (rule["code"], rule["reported"], rule["applicability"]) == ("MSP101", True, "unsafe")
    assert rule["reason"]
    assert rule["expression"] == "ms.set_context(mode=ms.PYNATIVE_MODE)"
    assert {"question": "this call can run", "answer": True} in rule["questions"]  # type: ignore[operator]


@pytest.mark.parametrize(
    ("text", "decided"),
    [
        (PROGRAM, "default_mode"),  # nothing is sunk in PyNative mode
        (GRAPH.replace("ms.GRAPH_MODE", 'ms.GRAPH_MODE, device_target="CPU"'), "is_on_cpu"),
        (GRAPH.replace("sink_mode=False", "sink_mode=True"), "is_off"),
    ],
)
def test_where_nothing_is_reported_the_condition_that_decided_it_is_named(
    text: str, decided: str, tmp_path: Path
) -> None:
    (rule,) = told(tmp_path, "train.py:8", train=text)
    assert (rule["code"], rule["reported"], rule["message"]) == ("MSP102", False, None)
    stop = rule["decided_at"]
    assert isinstance(stop, dict)
    assert decided in stop["code"]
    assert Path(stop["filename"]).read_text().splitlines()[stop["row"] - 1].strip() == stop["code"]


@pytest.mark.parametrize(
    ("net", "loss", "said"),
    [
        ("nn.Dense(64, 64).to_float(ms.float16)", "nn.MSELoss()", "FP16 or BF16 reaches, or may reach, a network"),
        ("Pinn()", "None", "derivatives by inputs enter the loss"),
        ("nn.Dense(16, 112)", "nn.MSELoss()", "no matmul or convolution is known in a trained network, or all are"),
        ("nn.ReLU()", "nn.MSELoss()", "no matmul or convolution is known in a trained network, or all are"),
    ],
)
def test_what_keeps_a_training_in_fp32_unreported_is_named(net: str, loss: str, said: str, tmp_path: Path) -> None:
    pinn = (
        "class Pinn(nn.Cell):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc = nn.Dense(64, 64)\n"
        "        self.slope = ms.grad(self.fc)\n    def construct(self, x):\n        return self.slope(x).mean()\n"
    )
    text = GRAPH.replace("net = nn.Dense(64, 64)", f"{pinn}net = {net}").replace("nn.MSELoss()", loss)
    row = next(at for at, line in enumerate(text.splitlines(), 1) if line.startswith("model = "))
    (rule,) = told(tmp_path, f"train.py:{row}", "--select", "MSP201", train=text)
    assert not rule["reported"]
    assert any(each["question"].startswith(said) and each["answer"] for each in rule["questions"])  # type: ignore[index,attr-defined]


def test_answers_that_leave_it_open_stand_apart_from_those_that_decide(tmp_path: Path) -> None:
    lines = [line.strip() for line in explain(tmp_path, "train.py:8", train=PROGRAM).out.splitlines()]
    first = lines.index("checked in this order; none of these answers decides:")
    decided = next(at for at, line in enumerate(lines) if line.startswith("decided at "))
    assert first < lines.index("yes  this call can run") < decided == len(lines) - 1
    sinks = PROGRAM.replace("sink_mode=False", "sink_mode=True")
    decided_at, answer = explain(tmp_path, "train.py:8", train=sinks).out.splitlines()[-2:]
    assert "is_off" in decided_at
    assert answer.strip() == "no   the call trains without dataset sinking with the default options"


def test_two_expressions_on_a_line_are_told_apart(tmp_path: Path) -> None:
    text = "from mindspore import nn\n\nnet = nn.SequentialCell(nn.Dense(784, 128), nn.Dense(128, 10))\n"
    said = explain(tmp_path, "train.py:3", "--select", "MSP202", train=text).out
    assert "MSP202 unaligned-shape, `nn.Dense(784, 128)`: not reported" in said
    assert "MSP202 unaligned-shape, `nn.Dense(128, 10)`: not reported" in said
    assert len({line for line in said.splitlines() if "decided at" in line}) == 1  # not where `widths` is made first


def test_a_comment_and_the_configuration_are_named_where_they_hide_a_finding(tmp_path: Path) -> None:
    hidden = PROGRAM.replace("PYNATIVE_MODE)", "PYNATIVE_MODE)  # noqa: MSP101")
    said = explain(tmp_path, "train.py:5", train=hidden).out
    assert (
        "MSP101 pynative-mode-training, `ms.set_context(mode=ms.PYNATIVE_MODE)`: found, and not reported: a comment"
        in said
    )
    (tmp_path / "pyproject.toml").write_text('[tool.ms-perflint]\nper-file-ignores = {"train.py" = ["MSP101"]}\n')
    (tmp_path / "train.py").write_text(PROGRAM)
    ran = run("explain", "train.py:5", cwd=tmp_path)
    assert "found, and not reported: the configuration switches the rule off in this file" in ran.out


def test_a_call_of_something_else_is_named(tmp_path: Path) -> None:
    own = "class Trainer:\n    def train(self, epochs): ...\n\n\nimport mindspore\nTrainer().train(10)\n"
    (rule,) = told(tmp_path, "train.py:6", "--select", "MSP102", train=own)
    assert (rule["reported"], rule["questions"], rule["decided_at"]) == (False, [], None)
    assert "the function that is called here is not known" in explain(tmp_path, "train.py:6", "--select", "MSP102").out


def test_a_module_is_asked_about_in_all_programs_that_run_it(tmp_path: Path) -> None:
    module = PROGRAM.replace("model.train", "def fit():\n    model.train").replace("PYNATIVE", "GRAPH")
    start = 'from models import fit\n\nif __name__ == "__main__":\n    fit()\n'
    on_cpu = f'import mindspore\n\nmindspore.set_device("CPU")\n{start}'
    ran = explain(tmp_path, "models.py:9", "--select", "MSP102", models=module, one=start, two=on_cpu)
    assert "3 programs run this file; shown: " in ran.out
    assert "MSP102 missing-dataset-sink-mode, `model.train(" in ran.out
    assert ": reported in 2 of 3 programs" in ran.out


def test_a_line_without_a_question_leads_to_those_with_one(tmp_path: Path) -> None:
    ran = explain(tmp_path, "train.py:1", train=PROGRAM)
    assert "no enabled rule checks this line" in ran.out
    (lines,) = [line for line in ran.out.splitlines() if line.startswith("in this file")]
    assert {"5", "8"} <= set(lines.replace(",", "").split())


def test_a_finding_elsewhere_that_rests_on_the_line_is_named(tmp_path: Path) -> None:
    text = PROGRAM.replace(
        "ms.set_context(mode=ms.PYNATIVE_MODE)", "MODE = ms.PYNATIVE_MODE\nms.set_context(mode=MODE)"
    )
    assert "MSP101 at train.py:6:" in explain(tmp_path, "train.py:5", train=text).out


def test_a_line_of_a_notebook_is_one_of_a_cell(tmp_path: Path) -> None:
    first, rest = PROGRAM.split("\nms.set", 1)
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": part} for part in (first, f"ms.set{rest}")]
    document = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "train.ipynb").write_text(json.dumps(document))
    ran = run("explain", "--isolated", "train.ipynb:cell 2:1", cwd=tmp_path)
    assert "MSP101 pynative-mode-training, `ms.set_context(mode=ms.PYNATIVE_MODE)`: reported" in ran.out
    assert "write train.ipynb:cell NUMBER:LINE" in run("explain", "--isolated", "train.ipynb:1", cwd=tmp_path).err


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("train.py", '"train.py" is not a place: write FILE:LINE, like train.py:14'),
        ("msp301", "MSP301 is a rule: `ms-perflint rule MSP301` explains it"),
        ("train.py:99", "train.py has no such line: 99"),
        ("train.py:0", "train.py has no such line: 0"),
        ("config.yaml:1", "config.yaml: not a Python file"),
        ("gone.py:1", "gone.py"),
        ("broken.py:1", "broken.py:1:"),
    ],
)
def test_a_place_that_is_none_says_so(place: str, why: str, tmp_path: Path) -> None:
    ran = explain(tmp_path, place, train=PROGRAM, broken="def\n")
    assert (ran.code, ran.out) == (2, "")
    assert why in ran.err


def test_a_place_may_be_taken_over_from_a_report(tmp_path: Path) -> None:
    assert explain(tmp_path, "train.py:5:16:", train=PROGRAM).out == explain(tmp_path, "train.py:5").out


def test_what_watched_the_interpreter_before_goes_on(tmp_path: Path) -> None:
    before = sys.gettrace()
    explain(tmp_path, "train.py:5", train=PROGRAM)
    assert sys.gettrace() is before


def test_what_is_said_is_that_of_one_run(tmp_path: Path) -> None:
    text = GRAPH.replace("import mindspore as ms", "import argparse\n\nimport mindspore as ms")
    options = "parser = argparse.ArgumentParser()\nparser.add_argument('--sink', default='true')\n"
    text = text.replace("net =", options + "args = parser.parse_args()\nnet =").replace(
        "mode=False", "mode=args.sink == 'true'"
    )
    (tmp_path / "train.py").write_text(text)
    place = f"train.py:{len(text.splitlines())}"
    assert ": not reported" in run("explain", "--isolated", place, cwd=tmp_path).out
    assert ": reported" in run("explain", "--isolated", place, "--", "--sink", "false", cwd=tmp_path).out


def test_a_finding_in_another_program_than_the_one_shown_names_it(tmp_path: Path) -> None:
    shared = "def fit(model, data):\n    model.train(10, data, dataset_sink_mode=False)\n"
    scripts = {
        name: text.replace("model.train(10, ", "fit(model, ").replace(", dataset_sink_mode=False", "")
        for name, text in (("one", f"from shared import fit\n{PROGRAM}"), ("two", f"from shared import fit\n{GRAPH}"))
    }
    ran = explain(tmp_path, "shared.py:2", "--select", "MSP102", shared=shared, **scripts)
    assert "shown: one.py" in ran.out and "\n  in the program two.py\n" in ran.out
