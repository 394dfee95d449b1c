"""Where a name is looked up: one question, whichever rule or fix asks it."""

from __future__ import annotations

import pytest
from reveal import reveal, shown

from ms_perflint.api import fix_source

SEEN = [
    ("x = 1\nclass A:\n    x = 2\n    def f(self):\n        reveal(x)\n", "1"),
    ("x = 1\nclass A:\n    x = 2\n    reveal(x)\n", "2"),
    ("x = 1\nclass A:\n    x = 2\n    y = lambda self: reveal(x)\n", "1"),
    ("x = 1\nclass A:\n    x = [2]\n    y = [reveal(e) for e in x]\n", "2"),
    ("x = 1\nclass A:\n    x = 2\n    class B:\n        reveal(x)\n", "1"),
    ("x = 1\ndef f():\n    x = 2\n    class A:\n        x = 3\n        def g(self):\n            reveal(x)\n", "2"),
    ("x = 1\ndef f():\n    x = 2\n    return lambda: reveal(x)\n", "2"),
    ("x = 1\ndef f():\n    x = 2\n    def g():\n        reveal(x)\n    x = 3\n", "3"),
    ("class A:\n    x = 2\n    def f(self):\n        reveal(x)\n", "..."),
]


@pytest.mark.parametrize(("text", "expected"), SEEN)
def test_what_a_name_is(text: str, expected: str) -> None:
    assert shown(reveal(text)) == expected


TRAINER = """\
import mindspore as ms
from mindspore import Model, nn
from mindspore.train import CheckpointConfig, ModelCheckpoint

data = ms.dataset.MindDataset("train.mindrecord").batch(32)
{before}

class Trainer:
    {inside}

    def run(self, net):
        ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")
        model = Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.01, 0.9))
        {train}

Trainer().run(nn.Dense(64, 16))
"""
SINKS = "model.train(10, data, dataset_sink_mode=sink)"
SAVES = (
    "model.train(10, data, [ModelCheckpoint(config=CheckpointConfig(save_checkpoint_steps=steps, async_save=True))])"
)


def test_the_fix_changes_the_name_that_the_method_reads() -> None:
    text = TRAINER.format(before="sink = False", inside="sink = 3", train=SINKS)
    fixed = fix_source(text, unsafe=True, select=["MSP102"])
    assert fixed.text == text.replace("sink = False", "sink = True")
    assert not fixed.report.problems


@pytest.mark.parametrize("inside", ["pass", "steps = 100", "steps = steps_of = None"])
def test_an_attribute_of_the_class_changes_no_answer(inside: str) -> None:
    text = TRAINER.format(before="steps = data.get_dataset_size()", inside=inside, train=SAVES)
    (finding,) = fix_source(text, select=["MSP102"]).fixed
    assert finding.code == "MSP102" and finding.fix is not None and finding.fix.safety.value == "safe"
