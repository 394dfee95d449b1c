"""What a run has made of a file gives back its memory without the garbage collector, which is off during a run."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from examples import examples

from ms_perflint import engine
from ms_perflint.check import checks
from ms_perflint.config.settings import Config
from ms_perflint.core.source import Source
from ms_perflint.index.index_builder import module_of

PROGRAM = b"""
import os
from lib import *

class Net(Base):
    def __init__(self, width):
        self.width = width
        self.step = lambda x: [y for y in x if y]

    def run(self, data):
        for row in data:
            yield self.step(row)

def main(net=Net(3)):
    net.width = 4
    table = {}
    table[net.width] = net
    if net:
        return main(net)

if __name__ == "__main__":
    with open(os.path) as file:
        main(file)
"""


# a network that is read whole, a save whose file is used, a default that no launcher takes, lists that may change
TRAIN = """
import argparse
import mindspore as ms
from mindspore import nn
from net import Net

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="Ascend")
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--sizes", default="[8, 8]")
args = parser.parse_args()
ms.set_context(mode=ms.PYNATIVE_MODE, device_target=args.device)
names = ["a", "b"]
names[0] = args.device
net = Net(eval(args.sizes))
model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
model.train(args.epochs, ms.dataset.MnistDataset("data"), dataset_sink_mode=False)
for epoch in range(args.epochs):
    ms.save_checkpoint(net, f"{names[0]}/net_{epoch}.ckpt")
    open(f"{names[1]}/net_{epoch}.ckpt")
"""
NET = """
import numpy as np
import mindspore as ms
from mindspore import nn

class Net(nn.Cell):
    def __init__(self, sizes):
        super().__init__()
        self.layers = nn.SequentialCell([nn.Dense(size, 10) for size in sizes])

    def construct(self, x):
        return self.layers(ms.ops.cast(x, ms.float32) * x) + self.layers(x) * self.layers(x)
"""


@contextmanager
def without_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


def left_behind(folder: Path) -> list[str]:
    """Return what a run over a folder has left to the collector, but for what Python's own functions make."""
    paths = sorted(str(path) for path in folder.rglob("*.py"))
    engine.lint(paths, Config(str(folder)))  # loads modules, and what is made once
    with without_collector():
        engine.lint(paths, Config(str(folder)))
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        names = {f"{type(each).__module__}.{type(each).__qualname__}" for each in gc.garbage}
    return sorted(name for name in names if name.startswith(("ms_perflint.", "ast.")))


def test_a_closed_module_leaves_nothing_to_collect() -> None:
    with without_collector():
        module = module_of(Source("/train.py", PROGRAM))
        assert all(scope.flow.scope is scope for scope in module.scopes)
        function = weakref.ref(module.defined["main"][0].node)
        tree = weakref.ref(module.tree)
        module.close()
        assert function() is None
        del module
        assert tree() is None
        assert gc.collect() == 0


@pytest.mark.parametrize("code", [check.code for check in checks()])
def test_a_run_leaves_nothing_of_the_programs_of_a_rule(code: str, tmp_path: Path) -> None:
    for number, example in enumerate(examples(code)):
        for name, text in example.files:
            path = tmp_path / str(number) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    assert not left_behind(tmp_path)


def test_a_run_leaves_nothing_of_a_program_with_launchers(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    (tmp_path / "net.py").write_text(NET, encoding="utf-8")
    for name in ("CPU", "GPU"):
        (tmp_path / f"run_{name}.sh").write_text(f"python train.py --device {name} --sizes '[4]'\n", encoding="utf-8")
    assert not left_behind(tmp_path)
