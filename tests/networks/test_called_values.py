"""Layers are found whatever name or value the network calls to make them, and those that it does not make are not."""

from __future__ import annotations

import pytest
from programs import Program, expect

TEXT = """\
import functools
import os
import mindspore as ms
from mindspore import nn, ops
from mindspore.train import Model
import layers
from layers import Block as Renamed, Small
{made}


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        {init}

    def construct(self, x):
        return {called}


net = Net()
model = Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())){mark}
model.train(10, ms.dataset.MindDataset("a"), dataset_sink_mode=True)
"""
LAYERS = """\
from mindspore import nn


class Block(nn.Cell):
    def __init__(self, n):
        super().__init__()
        self.dense = nn.Dense(n, n)

    def construct(self, x):
        return self.dense(x)


class Small(nn.Cell):
    def __init__(self, n):
        super().__init__()
        self.norm = nn.LayerNorm((n,))

    def construct(self, x):
        return self.norm(x)


{}
"""
KEPT = "import layers\n\nmade = layers.Block(1024)\nsmall = layers.Small(1024)\n"
MADE = "self.block = {}"
HEAD = """
class Head(nn.Cell):
    def __init__(self, kind{}):
        super().__init__()
        self.inner = kind(1024)

    def construct(self, x):
        return self.inner(x)
"""
REGISTRY = """
KINDS = {"Block": layers.Block, "Small": Small}


def build(cfg):
    cfg = dict(cfg)
    return KINDS[cfg.pop("type")](**cfg)
"""
BOTH = """\
cells = []
        for kind in {}:
            cells.append(kind(1024))
        self.block = nn.SequentialCell(cells)"""
FOUND = [  # what the module makes, what the constructor does
    ("Layer = layers.Block", MADE.format("Layer(1024)")),
    ("Layer = Renamed", MADE.format("Layer(1024)")),
    ("Layer: type = layers.Block", MADE.format("Layer(1024)")),
    ("Layer, Other = layers.Block, nn.ReLU", MADE.format("Layer(1024)")),
    ("Layer = getattr(layers, 'Block')", MADE.format("Layer(1024)")),
    ("Layer = layers.Block if os.name == 'posix' else nn.Identity", MADE.format("Layer(1024)")),
    ("if os.name == 'posix':\n    Layer = layers.Block\nelse:\n    Layer = Small", MADE.format("Layer(1024)")),
    ("Own = None\nLayer = Own or layers.Block", MADE.format("Layer(1024)")),
    ("Layer = functools.partial(layers.Block, 1024)", MADE.format("Layer()")),
    ("Layer = lambda n: layers.Block(n)", MADE.format("Layer(1024)")),
    ("def pick():\n    return layers.Block\n\n\nLayer = pick()", MADE.format("Layer(1024)")),
    ("", MADE.format("layers.Alias(1024)")),
    ("from layers import Alias as Layer", MADE.format("Layer(1024)")),
    ("Dense = functools.partial(nn.Dense, has_bias=False)", MADE.format("Dense(1024, 1024)")),
    ("dense = lambda n: nn.Dense(n, n)", MADE.format("dense(1024)")),
    ("def make(kind):\n    return kind(1024, 1024)", MADE.format("make(nn.Dense)")),
    ("def make(n, kind=layers.Block):\n    return kind(n)", MADE.format("make(1024)")),
    (
        "def make(kind, n):\n    return kind(n)\n\n\nGIVEN = {'kind': layers.Block, 'n': 1024}",
        MADE.format("make(**GIVEN)"),
    ),
    ("class Maker:\n    make = staticmethod(layers.Block)\n\n\nM = Maker", MADE.format("M.make(1024)")),
    (REGISTRY, MADE.format("build({'type': 'Block', 'n': 1024})")),
    (HEAD.format(""), MADE.format("Head(layers.Block)")),
    (HEAD.format("=layers.Block"), MADE.format("Head()")),
    ("KINDS = [layers.Block]", MADE.format("nn.SequentialCell([kind(1024) for kind in KINDS])")),
    ("KINDS = (Small, layers.Block)", BOTH.format("KINDS")),
    ("Layer = layers.Block", "setattr(self, 'block', Layer(1024))"),
    ("Layer = layers.Block", MADE.format("nn.SequentialCell(*map(Layer, [1024, 1024]))")),
    ("block = layers.Block(1024)", MADE.format("block")),
    ("import kept", MADE.format("kept.made")),
    ("from kept import made as block", MADE.format("block")),
]
NOT_FOUND = [
    ("Layer = layers.Small", MADE.format("Layer(1024)")),
    ("Layer = layers.Block\nLayer = Small", MADE.format("Layer(1024)")),
    ("Layer = layers.Block", MADE.format("Small(1024)")),
    ("Layer = functools.partial(layers.Block, 8)", MADE.format("Layer()")),
    ("Layer = lambda n: Small(n)", MADE.format("Layer(1024)")),
    ("Layer = lambda n: layers.Block(n)", MADE.format("Small(1024)")),
    ("def make(n, kind=layers.Block):\n    return kind(n)", MADE.format("make(1024, Small)")),
    ("def make(n, kind=layers.Block):\n    return kind(n)", MADE.format("make(8)")),
    (REGISTRY, MADE.format("build({'type': 'Small', 'n': 1024})")),
    (HEAD.format(""), MADE.format("Head(Small)")),
    ("KINDS = [layers.Block, Small]", MADE.format("nn.SequentialCell([kind(1024) for kind in KINDS[1:]])")),
    ("KINDS = (Small, nn.ReLU)", BOTH.format("KINDS[:1]")),
    ("", MADE.format("layers.Other(1024)")),
    ("Layer = 1024", MADE.format("Small(Layer)")),
    ("def make(kind):\n    return kind()", MADE.format("make(nn.ReLU)")),
    ("other, block = layers.Block(1024), Small(1024)", MADE.format("block")),
    ("import kept", MADE.format("kept.small")),
    ("block = layers.Block(8)", MADE.format("block")),
]


def _program(made: str, init: str, mark: str) -> Program:
    text = TEXT.format(made=made, init=init, called="self.block(x)", mark=mark)
    return Program(
        {
            "train.py": text,
            "kept.py": KEPT,
            "layers.py": LAYERS.format("Alias = Block\nOther = Small"),
        }
    )


@pytest.mark.parametrize(("made", "init"), FOUND)
def test_what_is_called_is_a_part_of_the_network(made: str, init: str) -> None:
    expect("MSP201", _program(made, init, "  # !"))


@pytest.mark.parametrize(("made", "init"), NOT_FOUND)
def test_what_is_not_called_is_no_part_of_the_network(made: str, init: str) -> None:
    expect("MSP201", _program(made, init, ""))
