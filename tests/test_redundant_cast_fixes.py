"""What the fixes of MSP203 make of a cell: its lines before, its lines after."""

from __future__ import annotations

import os

import pytest
from programs import Program, join

from ms_perflint.core.findings import Safety

HEAD = """
    import mindspore as ms
    import numpy as np
    from mindspore import Tensor, nn, ops


    """


def cell(construct: str, init: str = "pass") -> str:
    """Return a cell, from the lines of its `construct` and of its `__init__`."""
    parts = ["class Net(nn.Cell):", "    def __init__(self):", *(f"        {line}" for line in init.splitlines()), ""]
    parts += ["    def construct(self, x):", *(f"        {line}" for line in construct.splitlines())]
    return "\n".join(parts) + "\n"


def fixed(text: str) -> str:
    """Return what the fixes of MSP203 make of a program, without its imports."""
    before = join(HEAD, text)
    (change,) = Program({"train.py": before}).fix("MSP203").changes
    after = change.after.decode()
    return after[len(join(HEAD)) :] if after.startswith(join(HEAD)) else after


def safeties(files: dict[str, str]) -> list[Safety | None]:
    """Return the safety of each fix that MSP203 offers in a program."""
    report = Program(files).lint("MSP203")
    return [finding.fix.safety if finding.fix else None for finding in report.findings]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = ops.cast(x, ms.float16)\nx = x.astype(ms.float16)\nreturn x", "x = ops.cast(x, ms.float16)\nreturn x"),
        ("x = x.half()\nreturn (x + x).half().sum()", "x = x.half()\nreturn (x + x).sum()"),
        (
            "a = ops.ones((2,), ms.float32)\nb = a.half()\nreturn x * b",
            "a = ops.ones((2,), ms.float16)\nb = a\nreturn x * b",
        ),
        ("return x + ops.zeros((2,)).astype(np.float16)", "return x + ops.zeros((2,), dtype=ms.float16)"),
        ("return x + ops.zeros((2,)).astype(x.dtype)", "return x + ops.zeros((2,), dtype=x.dtype)"),
        ("return x + ops.ones((2,), ms.float32).to(x.dtype)", "return x + ops.ones((2,), x.dtype)"),
        ("return x + ops.arange(8).astype(ms.float32)", "return x + ops.arange(8, dtype=ms.float32)"),
        (
            "y = x.half()\nz = y.float()\nz = z.reshape(-1)\nreturn z.half()",
            "y = x.half()\nz = y\nz = z.reshape(-1)\nreturn z",
        ),
        ("y = x.half()\nif y.ndim:\n    y = y.half()\nreturn y", "y = x.half()\nif y.ndim:\n    pass\nreturn y"),
    ],
)
def test_lines(before: str, after: str) -> None:
    assert fixed(cell(before)) == cell(after)


def test_the_last_use_takes_the_definition_along() -> None:
    before = cell("x = x.float()\nreturn self.cast(x, ms.float32)", "super().__init__()\nself.cast = ops.Cast()")
    assert fixed(before) == cell("x = x.float()\nreturn x", "super().__init__()")


def test_a_definition_in_use_stays() -> None:
    construct = "x = self.cast(x, ms.float32)\nreturn {}"
    before = cell(construct.format("self.cast(x, ms.float32)"), "self.cast = ops.Cast()")
    assert fixed(before) == cell(construct.format("x"), "self.cast = ops.Cast()")


def test_a_definition_that_another_file_reads_stays() -> None:
    net = join(HEAD) + cell("x = x.float()\nreturn self.cast(x, ms.float32)", "self.cast = ops.Cast()")
    train = "from net import Net\n\n\nclass Other(Net):\n    def construct(self, x):\n        return self.cast(x, 1)\n"
    settled = Program({"net.py": net, "train.py": train}).fix("MSP203")
    (change,) = settled.changes
    assert os.path.basename(change.path) == "net.py"
    assert b"self.cast = ops.Cast()" in change.after and b"return x\n" in change.after


@pytest.mark.parametrize(
    ("construct", "safety"),
    [
        ("return x * Tensor([0.5, 2.0], ms.float32).half()", Safety.SAFE),
        ("return x * Tensor([0.1, 2.0], ms.float32).half()", Safety.UNSAFE),
        ("return x * ops.full((2,), 1, dtype=ms.int32).half()", Safety.SAFE),
        ("y = x.half()\nz = y.half()\nz += 1.0\nreturn y + z", Safety.UNSAFE),
        ("y = ops.tanh(x.half()).half()\ny += 1.0\nreturn y", Safety.SAFE),
        ("y = x.half()\nz = y.half()\nops.assign(y, x)\nreturn z", Safety.UNSAFE),
    ],
)
def test_safety(construct: str, safety: Safety) -> None:
    assert safeties({"train.py": join(HEAD) + cell(construct)}) == [safety]


@pytest.mark.parametrize(
    "construct",
    [
        "return x * ops.full((2,), 0.5, dtype=ms.int32).astype(ms.float16)",
        "return x * Tensor([0.5], ms.float32).astype(ms.int32)",
        "return x * ops.arange(0, 1, 0.1).astype(ms.int32)",
        "y = x.half().float()\nreturn y.reshape(-1).half() + y.sum()",  # the wide value is used besides
        "y = x.half()\nfor _ in range(3):\n    y = y / 2 + x\nreturn y.half()",
        "y = x.half()\ny += Tensor(1.0, ms.float32)\nreturn y.half()",  # in place or not, by version and mode
        "parts = self.split(x)\nreturn parts[0].astype(parts[1].dtype)",
        "a, *b = x, x.half()\nreturn b.half()",
    ],
)
def test_not_reported(construct: str) -> None:
    assert safeties({"train.py": join(HEAD) + cell(construct)}) == []


def test_what_is_made_once_may_be_cast() -> None:
    script = "def export(net):\n    ms.export(net, ms.ops.zeros((1, 3), ms.float32).astype(np.float32))\n"
    assert safeties({"export.py": join(HEAD) + script}) == []
