"""Fixes of several rules that meet in one program: in which order they are made, and what comes out."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from programs import ROOT, join

from ms_perflint.commands.asked import Options
from ms_perflint.commands.outputs import Output
from ms_perflint.commands.run import run
from ms_perflint.config.settings import Config
from ms_perflint.core.files import Files, Nowhere, Overlay
from ms_perflint.core.reports import Report
from ms_perflint.engine import lint
from ms_perflint.fixes.fixing import Consent, Settled, settle

HEAD = """\
import mindspore as ms
from mindspore import nn
from mindspore.train import Model, ModelCheckpoint

ms.set_context(mode=ms.GRAPH_MODE)
net = nn.SequentialCell(nn.Dense(64, 128), nn.ReLU(), nn.Dense(128, 16))
loss = nn.MSELoss()
optimizer = nn.Adam(net.trainable_params())
data = ms.dataset.GeneratorDataset([], "x")
"""
MODEL = 'model = Model(net, loss, optimizer, amp_level="O2")\n'
TRAIN = "model.train(10, data)\n"
PYNATIVE = HEAD.replace("GRAPH", "PYNATIVE")
CELL = """\
import mindspore as ms
from mindspore import nn, ops


class Net(nn.Cell):
    def construct(self, x):
"""


TRAINED = """

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()), amp_level="O2")
model.train(1, ms.dataset.MindDataset("a"), dataset_sink_mode=True)
"""


def settled(text: str, *select: str, consent: Consent | None = None) -> tuple[str, Settled]:
    """Return what becomes of a program when all its fixes are made, and how; all comes to an end."""
    path = f"{ROOT}/train.py"
    config = Config(root=ROOT, select=select or ("ALL",))

    def report(files: Files) -> Report:
        return lint([path], config, files)

    outcome = settle(report, Overlay(Nowhere(), {path: text.encode()}), config, unsafe=consent is None, consent=consent)
    assert outcome.problems == ()
    return (outcome.changes[0].after.decode() if outcome.changes else text), outcome


def codes(outcome: Settled) -> list[str]:
    """Return the rules whose fixes were made, in the order in which they were."""
    return [finding.code for finding in outcome.fixed]


def test_sink_mode_comes_up_when_the_mode_is_fixed() -> None:
    text, outcome = settled(PYNATIVE + MODEL + TRAIN)
    assert text == HEAD + MODEL + "model.train(10, data, dataset_sink_mode=True)\n"
    assert codes(outcome) == ["MSP101", "MSP102"]


def test_sink_mode_does_not_come_up_where_the_mode_stays() -> None:
    assert settled(PYNATIVE + MODEL + TRAIN, "MSP102")[0] == PYNATIVE + MODEL + TRAIN
    assert settled(PYNATIVE + MODEL + TRAIN, "MSP101")[0] == HEAD + MODEL + TRAIN
    asked: list[str] = []

    def refuse(found: object, diff: str, left: int) -> bool:
        asked.append(diff)
        return False

    text, outcome = settled(PYNATIVE + MODEL + TRAIN, consent=refuse)
    assert text == PYNATIVE + MODEL + TRAIN
    assert len(asked) == 1 and "+ms.set_context(mode=ms.GRAPH_MODE)" in asked[0]
    assert [finding.code for finding in outcome.report.findings] == ["MSP101"]


def test_fusion_comes_up_when_the_mode_is_fixed() -> None:
    parallel = 'ms.set_auto_parallel_context(parallel_mode="data_parallel")\n'
    text, outcome = settled(PYNATIVE + parallel + MODEL + TRAIN)
    assert codes(outcome)[0] == "MSP101"
    assert sorted(codes(outcome)) == ["MSP101", "MSP102", "MSP601"]
    assert "comm_fusion" in text


def test_profiler_and_sink_mode_in_one_block() -> None:
    lines = 'ms.dataset.config.set_enable_autotune(True, "tuned")\nwith ms.Profiler(data_process=True): '
    text, outcome = settled(HEAD + MODEL + lines + TRAIN)
    assert text.endswith(
        'ms.dataset.config.set_enable_autotune(True, "tuned")\n'
        "with ms.Profiler(data_process=True): model.train(10, data, dataset_sink_mode=True)\n"
    )
    assert codes(outcome) == ["MSP102"]
    assert [finding.code for finding in outcome.report.findings] == ["MSP501"]


def test_two_fixes_share_one_import() -> None:
    head = HEAD.replace("import mindspore as ms\n", "import mindspore.dataset\n").replace("ms.", "mindspore.")
    head = head.replace("import mindspore.dataset\n", "from mindspore import context, dataset\n")
    head = head.replace("mindspore.set_context(mode=mindspore.", "context.set_context(mode=context.")
    head = head.replace("mindspore.dataset", "dataset")
    text, outcome = settled(
        f'{head}{MODEL}first = ModelCheckpoint("a")\nsecond = ModelCheckpoint("b")\n'
        "model.train(10, data, callbacks=[first, second], dataset_sink_mode=True)\n"
    )
    assert text.count("import CheckpointConfig") + text.count(", CheckpointConfig") == 1
    assert text.count("config=CheckpointConfig(async_save=True)") == 2
    assert codes(outcome) == ["MSP301", "MSP301"]


def test_two_names_come_to_one_import() -> None:
    head = """\
        from mindspore import PYNATIVE_MODE, dataset, nn, set_context
        from mindspore.train import Model, ModelCheckpoint

        set_context(mode=PYNATIVE_MODE)
        net = nn.Dense(64, 16)
        model = Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()), amp_level="O2")
        data = dataset.GeneratorDataset([], "x")
        saver = ModelCheckpoint("net")
        model.train(10, data, callbacks=[saver], dataset_sink_mode=True)
        """
    text, outcome = settled(join(head))
    assert text.count("import") == 2
    assert {"GRAPH_MODE", "CheckpointConfig"} <= set(re.findall(r"\w+", text.split("\n\n")[0]))
    assert codes(outcome) == ["MSP101", "MSP301"]


def test_a_formula_in_a_cast() -> None:
    text, outcome = settled(
        f"{CELL}        n = x.shape[0]\n"
        "        y = ops.cast(ops.cast(x, ms.float16), ms.float16).reshape((n // 16 + 1) * 16, 4)\n"
        f"        return ops.zeros(((n // 16 + 1) * 16, 4), ms.float32).astype(ms.float16) + y\n{TRAINED}"
    )
    assert text == (
        f"{CELL}        n = x.shape[0]\n"
        "        y = ops.cast(x, ms.float16).reshape((n + 15) // 16 * 16, 4)\n"
        f"        return ops.zeros(((n + 15) // 16 * 16, 4), ms.float16) + y\n{TRAINED}"
    )
    assert sorted(codes(outcome)) == ["MSP202", "MSP202", "MSP203", "MSP203"]


def test_a_cast_that_another_cast_makes_needless() -> None:
    text, outcome = settled(
        f"{CELL}        x = ops.cast(x, ms.float16)\n"
        "        y = ops.reshape(ops.cast(x, ms.float32), (2, 3))\n"
        "        return ops.cast(ops.cast(y, ms.float16), ms.float16)\n"
    )
    assert text == (
        f"{CELL}        x = ops.cast(x, ms.float16)\n        y = ops.reshape(x, (2, 3))\n        return y\n"
    )
    assert set(codes(outcome)) == {"MSP203"}


def test_three_rules_on_one_line_lay_it_out_one_after_the_other() -> None:
    text, outcome = settled(HEAD + 'Model(net, loss, optimizer).train(9, data, callbacks=ModelCheckpoint("n"))\n')
    assert sorted(codes(outcome)) == ["MSP102", "MSP201", "MSP301"]
    assert max(map(len, text.split("\n"))) <= 88
    assert settled(text)[0] == text


def test_two_rules_in_one_call_that_is_an_argument() -> None:
    head = HEAD.replace("Model, ", "CheckpointConfig, Model, ")
    text, outcome = settled(
        f"{head}{MODEL}model.train(9, data, callbacks=[ModelCheckpoint(config=CheckpointConfig())])\n"
    )
    assert text == (
        f"{head}{MODEL}"
        "model.train(9, data, callbacks=[ModelCheckpoint(config=CheckpointConfig(async_save=True))],\n"
        "            dataset_sink_mode=True)\n"
    )
    assert codes(outcome) == ["MSP102", "MSP301"]


# --- what is shown is what is made

SHOWN = {
    "several rules": PYNATIVE + MODEL + "model.train(9, data, callbacks=[ModelCheckpoint('é')])  # 汉\n",
    "line ends of Windows": (
        HEAD + MODEL + 'x = "汉"; model.train(9, data, callbacks=[ModelCheckpoint("n")])\n'
    ).replace("\n", "\r\n"),
    "no line end": HEAD + MODEL + "model.train(\n    9,\n    data,\n)",
}


@pytest.mark.parametrize("text", SHOWN.values(), ids=list(SHOWN))
def test_the_patch_is_what_is_written(
    tmp_path: Path, text: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "train.py"
    path.write_bytes(text.encode())
    options = {"isolated": True, "unsafe_fixes": True, "jobs": 1}
    assert run(["train.py"], Options(diff=True, output_file="fix.patch", **options)) == 1  # type: ignore[arg-type]
    assert path.read_bytes() == text.encode()
    run(["train.py"], Options(fix=True, no_interactive=True, **options))  # type: ignore[arg-type]
    made = path.read_bytes()
    assert made != text.encode()
    path.write_bytes(text.encode())
    command = ["git", "apply", "--whitespace=nowarn", "fix.patch"]
    subprocess.run(command, cwd=tmp_path, check=True, env={"GIT_DIR": "/nowhere", "PATH": "/usr/bin:/bin"})
    assert path.read_bytes() == made


@pytest.mark.parametrize("code", ["MSP101", "MSP102", "MSP201", "MSP301"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_edits_in_json_are_those_that_are_made(
    tmp_path: Path, code: str, end: str, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "train.py"
    body = HEAD.replace("ms.set_context(mode=ms.GRAPH_MODE)\n", "") if code == "MSP101" else HEAD
    model = MODEL.replace(', amp_level="O2"', "") if code == "MSP201" else MODEL
    text = f'# 汉\n{body}{model}model.train(9, data, callbacks=[ModelCheckpoint("é")])\n'.replace("\n", end)
    path.write_bytes(text.encode())
    options = {"isolated": True, "unsafe_fixes": True, "jobs": 1, "select": (code,)}
    run([str(path)], Options(output_format=(Output("json"),), **options))  # type: ignore[arg-type]
    (found,) = json.loads(capfd.readouterr().out)
    lines = text.splitlines(keepends=True)
    starts = [sum(map(len, lines[:row])) for row in range(len(lines) + 1)]

    def offset(place: dict[str, int]) -> int:
        return starts[place["row"] - 1] + place["column"] - 1

    for edit in sorted(found["fix"]["edits"], key=lambda edit: offset(edit["location"]), reverse=True):
        text = text[: offset(edit["location"])] + edit["content"] + text[offset(edit["end_location"]) :]
    run([str(path)], Options(fix=True, no_interactive=True, **options))  # type: ignore[arg-type]
    assert path.read_bytes().decode() == text
