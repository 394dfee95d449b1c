"""Which dtype an expression is: what the evaluator says, where no other program can pass another one."""

from __future__ import annotations

import pytest
from programs import Program

NET = """\
import mindspore as ms
from mindspore import nn, ops
SETUP

class Net(nn.Cell):
    def __init__(self, dtype=ms.float32, name="float32"):
        super().__init__()
        self.dtype = dtype
        self.name = name
        self.dense = nn.Dense(64, 64)

    def construct(self, x):
        x = ops.cast(self.dense(x), ms.float32)
        return ops.cast(x, DTYPE)
"""
TRAIN = """
net = Net(ARGUMENTS)
ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, ms.dataset.MindDataset("a"))
"""
OTHER = (
    "import mindspore as ms\nfrom net import Net\nnet = Net(ARGUMENTS)\nif __name__ == '__main__':\n    print(net)\n"
)


def count(files: dict[str, str]) -> int:
    """Return how many casts of a program are reported."""
    report = Program(files).lint("MSP203")
    assert not report.problems
    return len(report.findings)


def filled(setup: str, dtype: str) -> str:
    """Return the network with a dtype that is held in some way."""
    return NET.replace("SETUP", setup).replace("DTYPE", dtype)


@pytest.mark.parametrize(
    ("arguments", "dtype", "found"),
    [
        ("ms.float32", "self.dtype", 1),
        ("dtype=ms.float32", "self.dtype", 1),
        ("*[ms.float32]", "self.dtype", 1),
        ("**{'dtype': ms.float32}", "self.dtype", 1),
        ("name='float32'", "getattr(ms, self.name)", 1),
        ("ms.float16", "self.dtype", 0),
        ("dtype=ms.float16", "self.dtype", 0),
        ("", "self.dtype", 0),  # by default: a user may pass another
        ("*unknown()", "self.dtype", 0),
        ("**unknown()", "self.dtype", 0),
        ("name='float16'", "getattr(ms, self.name)", 0),
        ("unknown()", "self.dtype", 0),
    ],
)
def test_what_a_script_passes_is_known(arguments: str, dtype: str, found: int) -> None:
    text = filled("", dtype) + TRAIN.replace("ARGUMENTS", arguments)
    assert count({"train.py": text}) == found


@pytest.mark.parametrize("arguments", ["ms.float32", "dtype=ms.float32", "", "ms.float16", "unknown()"])
@pytest.mark.parametrize("other", ["ms.float16", "ms.float32"])
def test_what_scripts_pass_to_a_module_is_not(arguments: str, other: str) -> None:
    files = {
        "net.py": filled("", "self.dtype") + "\n\nif __name__ == '__main__':\n    Net(ms.float32)\n",
        "train.py": OTHER.replace("ARGUMENTS", arguments),
        "eval.py": OTHER.replace("ARGUMENTS", other),
    }
    assert count(files) == 0


@pytest.mark.parametrize(
    ("setup", "dtype"),
    [
        ("WIDE = ms.float32", "WIDE"),
        ("TYPES = {'wide': ms.float32, 'half': ms.float16}", "TYPES['wide']"),
        ("TYPES = (ms.float16, ms.float32)", "TYPES[1]"),
        ("def wide():\n    return ms.float32\n", "wide()"),
        ("class Types:\n    wide = ms.float32\n", "Types.wide"),
    ],
)
def test_what_a_module_holds_itself_is_known_in_all_programs(setup: str, dtype: str) -> None:
    files = {"net.py": filled(setup, dtype), "train.py": OTHER.replace("ARGUMENTS", "")}
    assert count(files) == 1
    files["net.py"] = files["net.py"].replace("float32", "float16").replace("ops.cast(self.dense(x), ms.float16)", "x")
    assert count(files) == 0


@pytest.mark.parametrize("given", ["'float32'", "NAMES[0]"])
def test_a_text_is_no_dtype_of_an_operator(given: str) -> None:
    assert count({"train.py": filled("NAMES = ['float32']", given) + TRAIN.replace("ARGUMENTS", "")}) == 0
