"""MSP101: a callback changes the network of its training, which `construct` reads: graph mode keeps the first value.

Each form was run on MindSpore 2.10, CPU, in PyNative and in graph mode.
"""

from __future__ import annotations

import textwrap

import pytest
from programs import Program

CODE = "MSP101"
HEAD = """
import mindspore as ms
import mindspore.dataset as ds
from mindspore import Model, nn
from mindspore.train import Callback

ms.set_context(mode=ms.PYNATIVE_MODE)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(4, 1)
        self.k = 0.0
        self.other = 0.0

    def set_k(self, value):
        self.k = value

    def construct(self, x, y):
        return ((self.dense(x) - y) ** 2).mean() + self.k


class Adding(nn.Cell):
    def __init__(self):
        super().__init__()
        self.k = 0.0

    def construct(self, out, y):
        return ((out - y) ** 2).mean() + self.k


class Up(Callback):
"""
TAIL = """

data = ds.MindDataset("a.mindrecord").batch(4)
net = Net()
optimizer = nn.SGD(net.trainable_params(), 0.1)
"""
WITH_OPTIMIZER = "Model(net, optimizer=optimizer)"
WITH_LOSS = "Model(net, Adding(), optimizer)"
WITH_CELL = "Model(nn.TrainOneStepCell(net, optimizer))"
HOOK = "def on_train_epoch_begin(self, run_context):\n    "


def linted(callback: str, model: str) -> list[str]:
    text = f"{HEAD}{textwrap.indent(callback, '    ')}\n{TAIL}model = {model}\n"
    (finding,) = Program({"train.py": f"{text}model.train(9, data, callbacks=[Up()])\n"}).lint(CODE).findings
    return [str(each.message) for each in finding.related]


CHANGES = {
    "directly": (f"{HOOK}run_context.original_args().network.k += 1.0", WITH_OPTIMIZER),
    "parameters by a name": (f"{HOOK}p = run_context.original_args()\n    p.network.k += 1.0", WITH_OPTIMIZER),
    "network by a name": (f"{HOOK}net = run_context.original_args().network\n    net.k = 2.0 * net.k", WITH_OPTIMIZER),
    "by a key": (f'{HOOK}p = run_context.original_args()\n    p["network"].k += 1.0', WITH_OPTIMIZER),
    "setattr": (f'{HOOK}p = run_context.original_args()\n    setattr(p.network, "k", p.cur_epoch_num)', WITH_OPTIMIZER),
    "method of the network": (
        f"{HOOK}p = run_context.original_args()\n    p.network.set_k(p.cur_epoch_num)",
        WITH_OPTIMIZER,
    ),
    "kept in begin": (
        "def begin(self, run_context):\n    self.net = run_context.original_args().network\n\n"
        "def epoch_end(self, run_context):\n    self.net.k += 1.0",
        WITH_OPTIMIZER,
    ),
    "parameters kept in begin": (
        "def on_train_begin(self, run_context):\n    self.p = run_context.original_args()\n\n"
        "def on_train_epoch_end(self, run_context):\n    self.p.network.k += 1.0",
        WITH_OPTIMIZER,
    ),
    "helper method": (
        f"{HOOK}self.change(run_context.original_args())\n\ndef change(self, p):\n    p.network.k += 1.0",
        WITH_OPTIMIZER,
    ),
    "train_network, the same": (f"{HOOK}run_context.original_args().train_network.network.k += 1.0", WITH_CELL),
    "train_network, in the step": (
        f"{HOOK}run_context.original_args().train_network.network.k += 1.0",
        WITH_OPTIMIZER,
    ),
    "train_network, without an optimizer": (
        f"{HOOK}run_context.original_args().train_network.k += 1.0",
        "Model(net)",
    ),
    "train_network, in the loss": (
        f"{HOOK}run_context.original_args().train_network.network._backbone.k += 1.0",
        WITH_LOSS,
    ),
    "the loss": (f"{HOOK}run_context.original_args().loss_fn.k += 1.0", WITH_LOSS),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_a_callback_changes_in_the_network_is_an_obstacle(name: str) -> None:
    notes = linted(*CHANGES[name])
    assert any("keeps the first value of `self.k`" in note for note in notes)


OTHERS = {
    "reads it": (f"{HOOK}print(run_context.original_args().network.k)", WITH_OPTIMIZER),
    "another attribute": (f"{HOOK}run_context.original_args().network.other += 1.0", WITH_OPTIMIZER),
    "of the parameters": (f"{HOOK}run_context.original_args().k = 1.0", WITH_OPTIMIZER),
    "of itself": (f"{HOOK}self.k = run_context.original_args().cur_epoch_num", WITH_OPTIMIZER),
    "of the step around it": (f"{HOOK}run_context.original_args().train_network.k = 5.0", WITH_OPTIMIZER),
    "of the optimizer": (f"{HOOK}run_context.original_args().optimizer.k = 5.0", WITH_OPTIMIZER),
    "method that is no hook": (
        "def close(self, run_context):\n    run_context.original_args().network.k = 1.0",
        WITH_OPTIMIZER,
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_compiled_code_does_not_read_is_none(name: str) -> None:
    assert not linted(*OTHERS[name])
