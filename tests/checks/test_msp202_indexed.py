"""MSP202: widths that a loop takes from a list by their index."""

from __future__ import annotations

import pytest
from checks.test_msp202 import CODE, IMPORTS, TRAIN, cell
from programs import Program, join

from ms_perflint.core.findings import Safety

ROW = "self.rows = nn.SequentialCell(rows)"
# What makes a row of layers of `n`
INDEXED = [
    "rows = []\nfor i in range(len(n) - 1):\n    rows.append(nn.Dense(n[i], n[i + 1]))\n" + ROW,
    "rows = []\nfor i in range(1, len(n)):\n    rows.append(nn.Dense(n[i - 1], n[i]))\n" + ROW,
    "rows = []\nfor i in range(3):\n    rows += [nn.Dense(n[i], n[i + 1]), nn.ReLU()]\n" + ROW,
    "self.rows = nn.SequentialCell(*[nn.Dense(n[i], n[i + 1]) for i in range(3)])",
    "self.n = n\nrows = []\nfor i in range(3):\n    rows.append(nn.Dense(self.n[i], self.n[i + 1]))\n" + ROW,
    "rows = []\nfor i, o in zip(n[:-1], n[1:]):\n    rows.append(nn.Dense(i, o))\n" + ROW,
]
NOT_REPORTED = [
    (INDEXED[0], "[64, 128, 32, 100]"),  # the head
    (INDEXED[1], "[100, 64, 128]"),  # the input
    (INDEXED[0], "[64, 128, 32, 64]"),
    (INDEXED[0], "[64, 200, 300, 64]"),  # little waste
    (INDEXED[3].replace("nn.Dense", "unknown"), "[64, 100, 20, 64]"),
    (INDEXED[0], "[64, unknown(), 20, 64]"),
    (INDEXED[0], "[int(input()) for _ in range(4)]"),
    (INDEXED[0].replace("n[i + 1]", "n[unknown(i)]").replace("n[i]", "64"), "[64, 100, 20, 64]"),
    ("self.rows = nn.SequentialCell(nn.Dense(64, 64), nn.Dense(64, n[unknown()]))", "[100, 20]"),
]


def _program(made: str, sizes: str) -> Program:
    text = join(IMPORTS, cell(made, "return self.rows(x)", "self, n"), TRAIN)
    return Program({"train.py": text.replace("Net()", f"Net({sizes})")})


@pytest.mark.parametrize("made", INDEXED)
def test_reported(made: str) -> None:
    findings = _program(made, "[64, 100, 20, 64]").lint(CODE).findings
    assert len(findings) == 2
    assert all(each.fix is not None and each.fix.safety is Safety.UNSAFE for each in findings)
    assert {edit.text for each in findings if each.fix for edit in each.fix.edits} == {"112", "32"}


@pytest.mark.parametrize(("made", "sizes"), NOT_REPORTED)
def test_not_reported(made: str, sizes: str) -> None:
    assert not _program(made, sizes).lint(CODE).findings
