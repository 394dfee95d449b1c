"""One network in many ways of building it, and programs that train it."""

from __future__ import annotations

HEAD = """\
import mindspore as ms
import numpy as np
from collections import OrderedDict
from functools import partial
from mindspore import dataset as ds, nn, ops
from mindspore.train import Model
"""
TRAIN = """
ms.set_context(mode=ms.GRAPH_MODE)
train_set = ds.NumpySlicesDataset(dict(np.load("train.npz"))).batch(32)
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
model = Model(NET, loss, nn.Adam(NET.trainable_params()))
model.train(10, train_set, dataset_sink_mode=True)
"""
CELL = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        {init}

    def construct(self, x):
        {construct}

net = Net()
"""


def cell(init: str, construct: str = "return self.net(x)", before: str = "") -> str:
    """Return a network of one cell."""
    indent = "\n        "
    made = CELL.format(init=init.replace("\n", indent), construct=construct.replace("\n", indent))
    return before + "\n" + made


CHAIN = "return self.head(ops.relu(self.fc(x)))"
EACH = "for layer in self.layers:\n    x = layer(x)\nreturn x"
# WIDTH is the one hidden width
WAYS = {
    "attributes": cell("self.fc = nn.Dense(64, WIDTH)\nself.head = nn.Dense(WIDTH, 10)", CHAIN),
    "sequential": "net = nn.SequentialCell(nn.Dense(64, WIDTH), nn.ReLU(), nn.Dense(WIDTH, 10))",
    "sequential of a list": "net = nn.SequentialCell([nn.Dense(64, WIDTH), nn.ReLU(), nn.Dense(WIDTH, 10)])",
    "starred list": "layers = [nn.Dense(64, WIDTH), nn.ReLU(), nn.Dense(WIDTH, 10)]\nnet = nn.SequentialCell(*layers)",
    "appended": cell(
        "layers = []\nlayers.append(nn.Dense(64, WIDTH))\nlayers.append(nn.ReLU())\nlayers.append(nn.Dense(WIDTH, 10))\n"
        "self.net = nn.SequentialCell(*layers)"
    ),
    "loop over pairs": cell(
        "layers = []\nfor i, o in [(64, WIDTH), (WIDTH, 10)]:\n    layers.append(nn.Dense(i, o))\n"
        "self.net = nn.SequentialCell(layers)"
    ),
    "loop over a name": cell(
        "layers = []\nfor i, o in PAIRS:\n    layers.append(nn.Dense(i, o))\nself.layers = nn.CellList(layers)",
        EACH,
        "PAIRS = ((64, WIDTH), (WIDTH, 10))",
    ),
    "running width": cell(
        "layers = []\nwidth = 64\nfor o in (WIDTH, 10):\n    layers.append(nn.Dense(width, o))\n    width = o\n"
        "self.layers = nn.CellList(layers)",
        EACH,
    ),
    "list comprehension": cell(
        "self.layers = nn.CellList([nn.Dense(i, o) for i, o in [(64, WIDTH), (WIDTH, 10)]])", EACH
    ),
    "lambda": cell(
        "dense = lambda i, o: nn.Dense(i, o)\nself.fc = dense(64, WIDTH)\nself.head = dense(WIDTH, 10)", CHAIN
    ),
    "function": cell(
        "self.fc = make(64, WIDTH)\nself.head = make(WIDTH, 10)",
        CHAIN,
        "def make(i, o):\n    return nn.Dense(i, o, has_bias=False)\n",
    ),
    "function of a block": cell(
        "self.fc = make(64, WIDTH)\nself.head = nn.Dense(WIDTH, 10)",
        CHAIN,
        "def make(i, o):\n    return nn.SequentialCell(nn.Dense(i, o), nn.BatchNorm1d(o), nn.ReLU())\n",
    ),
    "function of a pair": cell(
        "self.fc, self.head = make(WIDTH)",
        CHAIN,
        "def make(width):\n    return nn.Dense(64, width), nn.Dense(width, 10)\n",
    ),
    "method": CELL.format(
        init="self.fc = self.make(64, WIDTH)\n        self.head = self.make(WIDTH, 10)\n\n"
        "    def make(self, i, o):\n        return nn.Dense(i, o)",
        construct=CHAIN,
    ),
    "static method": CELL.format(
        init="self.fc = self.make(64, WIDTH)\n        self.head = self.make(WIDTH, 10)\n\n"
        "    @staticmethod\n    def make(i, o):\n        return nn.Dense(i, o)",
        construct=CHAIN,
    ),
    "partial": cell(
        "dense = partial(nn.Dense, has_bias=False)\nself.fc = dense(64, WIDTH)\nself.head = dense(WIDTH, 10)", CHAIN
    ),
    "another name": cell("dense = nn.Dense\nself.fc = dense(64, WIDTH)\nself.head = dense(WIDTH, 10)", CHAIN),
    "table of classes": cell(
        'self.fc = LAYERS["dense"](64, WIDTH)\nself.head = LAYERS["dense"](WIDTH, 10)',
        CHAIN,
        'LAYERS = {"dense": nn.Dense, "conv": nn.Conv2d}',
    ),
    "registry": cell(
        'self.fc = LAYERS["Fc"](64, WIDTH)\nself.head = LAYERS["Fc"](WIDTH, 10)',
        CHAIN,
        "LAYERS = {}\n\ndef register(cls):\n    LAYERS[cls.__name__] = cls\n    return cls\n\n@register\nclass Fc(nn.Cell):\n"
        "    def __init__(self, i, o):\n        super().__init__()\n        self.dense = nn.Dense(i, o)\n\n"
        "    def construct(self, x):\n        return self.dense(x)\n",
    ),
    "block": cell(
        "self.fc = Block(64, WIDTH)\nself.head = Block(WIDTH, 10)",
        CHAIN,
        "class Block(nn.Cell):\n    def __init__(self, i, o):\n        super().__init__()\n        self.dense = nn.Dense(i, o)\n\n"
        "    def construct(self, x):\n        return self.dense(x)\n",
    ),
    "dict of cells": cell(
        'self.cells_ = {"fc": nn.Dense(64, WIDTH), "head": nn.Dense(WIDTH, 10)}',
        'return self.cells_["head"](self.cells_["fc"](x))',
    ),
    "cell dict": cell(
        'self.layers = nn.CellDict({"fc": nn.Dense(64, WIDTH), "head": nn.Dense(WIDTH, 10)})',
        'return self.layers["head"](self.layers["fc"](x))',
    ),
    "ordered dict": "net = nn.SequentialCell(OrderedDict([('fc', nn.Dense(64, WIDTH)), ('head', nn.Dense(WIDTH, 10))]))",
    "appended to a cell": cell(
        "self.net = nn.SequentialCell()\nself.net.append(nn.Dense(64, WIDTH))\nself.net.append(nn.Dense(WIDTH, 10))"
    ),
    "base class": "class Base(nn.Cell):\n    def __init__(self):\n        super().__init__()\n        self.fc = nn.Dense(64, WIDTH)\n"
    + cell("self.head = nn.Dense(WIDTH, 10)", CHAIN).replace("nn.Cell", "Base"),
    "parameter": cell("self.fc = nn.Dense(64, width)\nself.head = nn.Dense(width, 10)", CHAIN)
    .replace("__init__(self)", "__init__(self, width)")
    .replace("Net()", "Net(WIDTH)"),
    "built by a function": "def build(width):\n    return nn.SequentialCell(nn.Dense(64, width), nn.Dense(width, 10))\n\nnet = build(WIDTH)",
    "inner function": cell(
        "def dense(i, o):\n    return nn.Dense(i, o)\nself.fc = dense(64, WIDTH)\nself.head = dense(WIDTH, 10)", CHAIN
    ),
}


TWO = "self.fc = nn.Dense(64, WIDTH)\nself.head = nn.Dense(WIDTH, 10)"
# The same layers, and WIDTH is the width of nothing that stays inside of the network
OTHERS = {
    "not called one after the other": cell(TWO, "return self.fc(x), self.head(y)").replace("self, x", "self, x, y"),
    "the other way round": cell(TWO, "return self.fc(self.head(x))"),
    "only the last": cell("self.fc = nn.Dense(64, 32)\nself.head = nn.Dense(32, WIDTH)", CHAIN),
    "sequential": "net = nn.SequentialCell(nn.Dense(64, 32), nn.ReLU(), nn.Dense(32, WIDTH))",
    "rows beside one another": cell(
        "self.fc = nn.SequentialCell(nn.Dense(64, WIDTH))\nself.head = nn.SequentialCell(nn.Dense(WIDTH, 10))",
        "return self.fc(x), self.head(x)",
    ),
    "loop over pairs": cell(
        "layers = []\nfor i, o in [(WIDTH, 32), (32, 10)]:\n    layers.append(nn.Dense(i, o))\n"
        "self.net = nn.SequentialCell(layers)"
    ),
    "running width": cell(
        "layers = []\nwidth = WIDTH\nfor o in (32, 10):\n    layers.append(nn.Dense(width, o))\n    width = o\n"
        "self.layers = nn.CellList(layers)",
        EACH,
    ),
    "list comprehension": cell(
        "self.layers = nn.CellList([nn.Dense(i, o) for i, o in [(WIDTH, 32), (32, WIDTH)]])", EACH
    ),
    "lambda": cell(
        "dense = lambda i, o: nn.Dense(i, o)\nself.fc = dense(WIDTH, 32)\nself.head = dense(32, WIDTH)", CHAIN
    ),
    "function": cell(
        "self.fc = make(64, WIDTH)\nself.head = make(WIDTH, 10)",
        "return self.fc(x), self.head(x)",
        "def make(i, o):\n    return nn.Dense(i, o)\n",
    ),
    "two functions": cell(
        "self.fc = make(64)\nself.head = other(10)",
        "return self.fc(x), self.head(x)",
        "def make(i):\n    return nn.Dense(i, WIDTH)\n\ndef other(o):\n    return nn.Dense(WIDTH, o)\n",
    ),
    "function of a pair": cell(
        "self.fc, self.head = make(WIDTH)",
        "return self.fc(x), self.head(x)",
        "def make(width):\n    return nn.Dense(64, width), nn.Dense(width, 10)\n",
    ),
    "partial": cell(
        "dense = partial(nn.Dense, has_bias=False)\nself.fc = dense(WIDTH, 32)\nself.head = dense(32, 10)", CHAIN
    ),
    "table of classes": cell(
        'self.fc = LAYERS["dense"](64, WIDTH)\nself.head = LAYERS["norm"]((WIDTH,))',
        CHAIN,
        'LAYERS = {"dense": nn.Dense, "norm": nn.LayerNorm}',
    ),
    "registry": WAYS["registry"].replace(CHAIN, "return self.fc(x), self.head(x)"),
    "block": WAYS["block"].replace(CHAIN, "return self.fc(x), self.head(x)"),
    "dict of cells": WAYS["dict of cells"].replace(
        'self.cells_["head"](self.cells_["fc"](x))', 'self.cells_["head"](x), self.cells_["fc"](x)'
    ),
    "added to the input": cell(
        "self.fc = nn.Dense(WIDTH, WIDTH)\nself.head = nn.Dense(WIDTH, 10)", "return self.head(x + self.fc(x))"
    ),
    "parameter": WAYS["parameter"].replace(CHAIN, "return self.fc(x), self.head(x)"),
    "cut": cell(TWO.replace("head = nn.Dense(WIDTH", "head = nn.Dense(32"), "return self.head(self.fc(x)[:, :32])"),
    "a width for each caller": WAYS["built by a function"].replace("build(WIDTH)", "build(int(input()))"),
}


def program(network: str, width: int) -> str:
    """Return a program that trains a network."""
    return HEAD + network.replace("WIDTH", str(width)) + TRAIN.replace("NET", "net")
