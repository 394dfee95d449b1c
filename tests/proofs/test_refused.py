"""What MindSpore refuses is not offered: each program fails as the fix would have made it, and has no such fix."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from programs import join
from proofs.proof import DATA, GRAPH, NET, PARTS, START, MindSpore, on_mindspore, version

from ms_perflint import lint_source
from ms_perflint.mindspore_api import parse_version

READY = (START, GRAPH, DATA, NET, PARTS)
CHECKPOINTS = """
    from mindspore.train import CheckpointConfig, ModelCheckpoint

    config = CheckpointConfig(format="safetensors")
    Model(net, loss, optimizer).train(3, train_set, callbacks=[ModelCheckpoint("net", "checkpoints", config)])
    """
SAVES = """
    train_step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()
    for epoch in range(3):
        for data, label in train_set.create_tuple_iterator():
            train_step(data, label)
        ms.save_checkpoint(net, f"net-{epoch}", format="safetensors")
    """
GRAPH_CELL = """
    ms.export(net, ms.Tensor(samples[:32]), file_name="net", file_format="MINDIR")
    model = Model(nn.GraphCell(ms.load("net.mindir")))
    model.train(3, train_set)
    """
DEBUG = """
    ds.config.set_debug_mode(True)
    train_set = train_set.repeat(1)
    model = Model(net, loss, optimizer)
    model.train(3, train_set)
    """


@dataclass(frozen=True)
class Refusal:
    """A program, the change that MindSpore refuses with an error, and the versions that do."""

    code: str
    name: str
    program: str
    change: tuple[str, str]
    refused: str  # what of the change no fix writes
    error: str
    versions: tuple[str, str] = ("2.0", "3")  # the first, and the first after them

    def __str__(self) -> str:
        return re.sub(r"[^\w.]+", "-", f"{self.code} {self.name}")


REFUSED = [
    Refusal(
        "MSP102",
        "number for a truth value",
        join(*READY, "Model(net, loss, optimizer).train(3, train_set)\n"),
        ("train_set)\n", "train_set, dataset_sink_mode=1)\n"),
        "dataset_sink_mode=1",
        "TypeError",
    ),
    Refusal(
        "MSP102",
        "sunk GraphCell",
        join(*READY, GRAPH_CELL),
        ("model.train(3, train_set)", "model.train(3, train_set, dataset_sink_mode=True)"),
        "dataset_sink_mode",
        "ValueError",
    ),
    Refusal(
        "MSP102",
        "sunk data set in debug mode",
        join(*READY, DEBUG),
        ("model.train(3, train_set)", "model.train(3, train_set, dataset_sink_mode=True)"),
        "dataset_sink_mode",
        "ValueError",
    ),
    Refusal(
        "MSP201",
        "level O2 on a CPU",
        join(*READY, 'ms.set_context(device_target="CPU")\nModel(net, loss, optimizer).train(3, train_set)\n'),
        ("optimizer)", 'optimizer, amp_level="O2")'),
        "amp_level",
        "ValueError",
    ),
    Refusal(
        "MSP201",
        "level without optimizer",
        join(
            *READY,
            "model = Model(nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer))\nmodel.train(3, train_set)\n",
        ),
        ("optimizer))", 'optimizer), amp_level="O2")'),
        "amp_level",
        "ValueError",
    ),
    Refusal(
        "MSP301",
        "safetensors in the background",
        join(*READY, CHECKPOINTS),
        ('format="safetensors"', 'format="safetensors", async_save=True'),
        "async_save",
        "ValueError",
        versions=("2.4", "2.6"),
    ),
    Refusal(
        "MSP301",
        "one of safetensors in the background",
        join(*READY, SAVES),
        ('format="safetensors"', 'format="safetensors", async_save=True'),
        "async_save",
        "ValueError",
        versions=("2.4", "2.6"),
    ),
]


@pytest.mark.parametrize("refusal", REFUSED, ids=str)
def test_is_not_offered(refusal: Refusal) -> None:
    first = refusal.versions[0]
    report = lint_source(refusal.program, select=[refusal.code], mindspore_version=first)
    edits = [edit.text for finding in report.findings if finding.fix for edit in finding.fix.edits]
    assert not report.problems
    assert not [text for text in edits if refusal.refused in text]


@pytest.mark.mindspore
@on_mindspore
@pytest.mark.parametrize("refusal", REFUSED, ids=str)
def test_is_refused(refusal: Refusal, mindspore: MindSpore, tmp_path: Path) -> None:
    first, behind = map(parse_version, refusal.versions)
    if parse_version(version()) < first:
        pytest.skip("what it is about is not there yet")
    before, after = refusal.change
    assert refusal.program.count(before) == 1
    (tmp_path / "train.py").write_text(refusal.program.replace(before, after), encoding="utf-8")
    (error,) = mindspore.errors(tmp_path)
    assert bool(re.search(rf"^{refusal.error}\b", error, re.MULTILINE)) == (parse_version(version()) < behind), error
