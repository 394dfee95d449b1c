"""How the work grows with one file: twice the code is at most a little more than twice the calls of functions.

All calls that Python makes are counted, whatever makes them: time is noise on a shared machine, counts are not.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType

import pytest

from ms_perflint.config.settings import Config
from ms_perflint.core.files import Nowhere, Overlay
from ms_perflint.engine import lint

HEAD = """
import argparse
import mindspore as ms
from mindspore import nn, ops
from mindspore.train import CheckpointConfig, Model, ModelCheckpoint
"""
TRAIN = "Model(nn.Dense(100, 101), nn.MSELoss()).train(10, [])"
FEW = 40


def _each(count: int, text: str) -> str:
    return "".join(text.replace("@", str(number)) for number in range(count))


def _functions(count: int) -> str:
    body = (
        "def f@(data):\n    config = CheckpointConfig(save_checkpoint_steps=100)\n"
        "    model = Model(nn.Dense(100, 101), nn.MSELoss(), nn.Momentum([], 0.1, 0.9))\n"
        "    model.train(10, data, callbacks=[ModelCheckpoint(config=config)])\n"
    )
    return _each(count, body) + _each(count, "f@([])\n")


def _in_one_function(count: int) -> str:
    return f"def main(data):\n{_each(count, f'    {TRAIN}' + chr(10))}main([])\n"


def _in_one_class(count: int) -> str:
    return f"class A:\n{_each(count, f'    def f@(self):{chr(10)}        {TRAIN}{chr(10)}')}A().f0()\n"


def _at_module_level(count: int) -> str:
    return _each(count, f"model@ = Model(nn.Dense(100, 101), nn.MSELoss())\nmodel@.train(10, [])\n{TRAIN}\n")


def _options(count: int) -> str:
    options = _each(count, "parser.add_argument('--o@', type=int, default=@)\n")
    used = _each(count, "print(args.o@)\n")
    return (
        f"parser = argparse.ArgumentParser()\n{options}args = parser.parse_args()\n"
        f"ms.set_context(mode=args.o1)\n{used}Model(nn.Dense(args.o2, 8)).train(args.o3, [])\n"
    )


def _settings(count: int) -> str:
    made = f"def log(): pass\ndef work():\n{_each(count, '    log()' + chr(10))}"
    filled = f"def fill(args):\n{_each(count, '    args.o@ = 9@' + chr(10))}"
    used = _each(count, "    Model(nn.Dense(args.o@, 101), nn.MSELoss()).train(10, [])\n")
    head = "parser = argparse.ArgumentParser()\nargs = parser.parse_args()\n"
    return f"{made}{filled}def main(args):\n    work()\n    fill(args)\n{used}{head}main(args)\n"


def _layers(count: int) -> str:
    made = "".join(f"        self.d{n} = nn.Dense({100 + n}, {101 + n})\n" for n in range(count))
    used = _each(count, "        x = self.d@(x)\n")
    init = "    def __init__(self):\n        super().__init__()\n"
    head, end = f"class Net(nn.Cell):\n{init}", "        return x\nModel(Net(), nn.MSELoss()).train(10, [])\n"
    return f"{head}{made}    def construct(self, x):\n{used}{end}"


def _cells(count: int) -> str:
    cell = (
        "class N@(nn.Cell):\n    def __init__(self):\n        super().__init__()\n        self.d = nn.Dense(100, 101)\n"
        "    def construct(self, x):\n        return self.d(x)\n"
    )
    return _each(count, cell) + "Model(N0(), nn.MSELoss()).train(10, [])\n"


def _casts(count: int) -> str:
    body = _each(count, "        x = ops.cast(x, ms.float32)\n        x = ops.relu(x)\n")
    head = "class Net(nn.Cell):\n    def construct(self, x):\n"
    return f"{head}{body}        return x\nModel(Net(), nn.MSELoss()).train(10, [])\n"


def _configs(count: int) -> str:
    made = _each(count, "c@ = CheckpointConfig(save_checkpoint_steps=9@)\ncallback@ = ModelCheckpoint(config=c@)\n")
    return f"{made}Model(nn.Dense(8, 8)).train(10, [], callbacks=[{_each(count, 'callback@, ')}])\n"


def _own_callbacks(count: int) -> str:
    made = _each(count, "class C@(ModelCheckpoint): pass\n")
    made += _each(count, "callback@ = C@(CheckpointConfig(save_checkpoint_steps=9@))\n")
    return f"{made}Model(nn.Dense(8, 8)).train(10, [], callbacks=[{_each(count, 'callback@, ')}])\n"


def _one_width(count: int) -> str:
    made = _each(count, "        self.a@ = nn.Dense(8@, 100)\n        self.b@ = nn.Dense(100, 8@)\n")
    init = "    def __init__(self):\n        super().__init__()\n"
    return f"class Net(nn.Cell):\n{init}{made}Model(Net(), nn.MSELoss()).train(10, [])\n"


def _copies(count: int) -> str:
    """Return a loop that replaces a dict by copies of it: each is made of any of them."""
    copies = _each(count, "    if data[@]:\n        target = target.copy()\n")
    used = f"Model(nn.Dense(target['width'], 101), nn.MSELoss()).train(10, [])\n{TRAIN}\n"
    return f"target = {{'width': 8, 'rows': 100}}\nfor data in load():\n{copies}{used}"


def _joined(count: int) -> str:
    """Return a loop that joins names to a path: each is joined to any of them."""
    joined = _each(
        count, "    if data[@]:\n        path = os.path.join(path, 'a@')\n    if data[-@]:\n        path += '-@'\n"
    )
    callback = "ModelCheckpoint(directory=path)"
    used = f"Model(nn.Dense(8, 101), nn.MSELoss()).train(10, [], callbacks=[{callback}])\n{TRAIN}\n"
    return f"import os\npath = 'out'\nfor data in load():\n{joined}{used}"


def _kept(count: int) -> str:
    """Return a loop that adds files to a list, and removes them: each list is made of any of them."""
    kept = _each(
        count, "    if data[@]:\n        kept = kept + ['a@.ckpt']\n    if data[-@]:\n        kept = kept[1:]\n"
    )
    saved = "    ms.save_checkpoint(net, 'a.ckpt')\n    for path in kept:\n        os.remove(path)\n"
    used = f"Model(nn.Dense(8, 101), nn.MSELoss()).train(10, [])\n{TRAIN}\n"
    return f"import os\nkept = []\nfor data in load():\n{kept}{saved}{used}"


def _in_loop(count: int) -> str:
    """Return a loop with much code around an update of settings, one of which is read in many places."""
    loop = "    for name, given in settings.items():\n"
    body = _each(count, "        log('@', name, given)\n")
    used = _each(count, "Model(nn.Dense(args.width, 8@), nn.MSELoss()).train(10, [])\n")
    function = f"def fill(args, settings):\n{loop}{body}        value = given\n        setattr(args, name, value)\n"
    head = "parser = argparse.ArgumentParser()\nargs = parser.parse_args()\nfill(args, {'width': 101})\n"
    return f"def log(*words): pass\n{function}{head}{used}"


SHAPES = [
    _functions, _in_one_function, _in_one_class, _at_module_level, _options, _settings, _layers, _cells, _casts,
    _configs, _own_callbacks, _in_loop,
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__.strip("_"))
def test_twice_the_code_is_twice_the_work(shape: Callable[[int], str]) -> None:
    _calls(shape(3))  # what is loaded and remembered once
    few, more, most = (_calls(shape(count)) for count in (FEW, 2 * FEW, 4 * FEW))
    assert most - more <= 2.2 * (more - few)


def test_widths_that_all_have_to_change_together_are_named_by_each_finding() -> None:
    _calls(_one_width(3))
    few, more, most = (_calls(_one_width(count)) for count in (10, 20, 40))
    assert most - more <= 4.4 * (more - few)  # there are as many of them as findings


@pytest.mark.parametrize("shape", [_copies, _joined, _kept], ids=lambda shape: shape.__name__.strip("_"))
def test_what_is_made_of_one_another_does_not_multiply(shape: Callable[[int], str]) -> None:
    _calls(shape(3))
    assert _calls(shape(12)) <= 9 * _calls(shape(4))


def _calls(text: str) -> int:
    """Return how many functions are called while a script is linted."""
    path = os.path.join(os.sep, "program", "train.py")
    config = Config(os.path.dirname(path), select=("ALL",))
    count = 0

    def counted(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        report = lint([path], config, Overlay(Nowhere(), {path: (HEAD + text).encode()}))
    finally:
        sys.setprofile(before)
    assert report.findings and not report.problems
    return count
