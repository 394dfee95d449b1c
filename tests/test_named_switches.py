"""A finding on a path that the default options do not take names the test that leads there."""

from __future__ import annotations

import pytest
from programs import Program, join

HEAD = """
    import argparse

    import mindspore as ms
    from mindspore import nn

    parser = argparse.ArgumentParser()
    parser.add_argument("--cloud", action="store_true")
    parser.add_argument("--distribute", type=int, default=0)
    parser.add_argument("--dataset", default="local")
    args = parser.parse_args()
    """
TRAIN = """
    net = nn.Dense(64, 64)
    dataset = ms.dataset.MindDataset("train.mindrecord").batch(32)
    model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()), amp_level="O2")
    model.train(3, dataset, dataset_sink_mode=True)
    """
EAGER, GRAPH = "ms.set_context(mode=ms.PYNATIVE_MODE)\n", "ms.set_context(mode=ms.GRAPH_MODE)\n"
SAVE = """
    if args.cloud:
        saver = ms.ModelCheckpoint(config=ms.CheckpointConfig(save_checkpoint_steps=100))
        model.train(3, dataset, callbacks=[saver], dataset_sink_mode=True)
    """
NAMED = [
    (f"if args.cloud:\n    {EAGER}else:\n    {GRAPH}", TRAIN, "only where `args.cloud`"),
    (f"if not args.distribute:\n    {GRAPH}else:\n    {EAGER}", TRAIN, "only where `args.distribute`"),
    (f"if args.dataset == 'local':\n    {GRAPH}else:\n    {EAGER}", TRAIN, "`args.dataset == 'local'` is false"),
    (f"if args.cloud and args.distribute:\n    {EAGER}else:\n    {GRAPH}", TRAIN, "only where `args.cloud`"),
    (
        f"def start(far):\n    if far:\n        {EAGER}    else:\n        {GRAPH}\nstart(args.cloud)\n",
        TRAIN,
        "where `far`",
    ),
    (GRAPH, join(TRAIN, SAVE), "only where `args.cloud`"),
]
NOT_NAMED = [
    (EAGER, TRAIN),
    (f"if not args.cloud:\n    {EAGER}else:\n    {GRAPH}", TRAIN),
    (f"if args.dataset == 'local':\n    {EAGER}else:\n    {GRAPH}", TRAIN),
    (f"if not args.cloud:\n    raise SystemExit('no cloud')\n{EAGER}", TRAIN),
    (GRAPH, join(TRAIN, SAVE.replace("args.cloud", "unknown()"))),
    (GRAPH, join(TRAIN, SAVE.replace("if args.cloud:", "if not args.cloud:"))),
    (GRAPH, join(TRAIN, SAVE.replace("if args.cloud:", "for _ in range(3):"))),
]


def _notes(text: str, train: str, **files: str) -> list[str]:
    """Return the notes of the one finding of a program."""
    program = Program({"train.py": join(HEAD, text, train), **files})
    findings = program.lint("MSP101").findings or program.lint("MSP301").findings
    (finding,) = findings
    return [str(each.message) for each in finding.related if str(each.message).startswith("not by default")]


@pytest.mark.parametrize(("text", "train", "said"), NAMED)
def test_named(text: str, train: str, said: str) -> None:
    (note,) = _notes(text, train)
    assert note.endswith(said)


@pytest.mark.parametrize(("text", "train"), NOT_NAMED)
def test_not_named(text: str, train: str) -> None:
    assert not _notes(text, train)


def test_not_named_where_the_launcher_leads_there() -> None:
    text = f"if args.cloud:\n    {EAGER}else:\n    {GRAPH}"
    assert not _notes(text, TRAIN, **{"run.sh": "python train.py --cloud\n"})
