"""MSP202: layers that a script only calls to look at their results belong to no trained network."""

from __future__ import annotations

import pytest
from checks.test_msp202 import CODE, IMPORTS, TRAIN, cell
from notebooks import notebook, written
from programs import Program, join

LAYER = "layer = nn.Dense(784, 100)\n"
ROW = "row = nn.SequentialCell(nn.Flatten(), layer, nn.ReLU(), nn.Dense(100, 10))\n"
SHOWN = f"{LAYER}{ROW}"
NETWORK = cell("self.fc = nn.Dense(64, 128)", "return self.fc(x)")
NOT_REPORTED = [
    f"{SHOWN}print(row(x).shape)\n",
    f"{SHOWN}y = row(x)\nprint(layer(x), type(layer))\n",
    f"{SHOWN}print(row)\nrow\n",
    f'{SHOWN}print(f"the row: {{row}}")\n',
    f"{SHOWN}for part in batches:\n    print(row(part))\n",
    f"{SHOWN}print([row(part) for part in batches])\n",
    f"{SHOWN}",
    "print(nn.SequentialCell(nn.Dense(784, 100), nn.Dense(100, 10))(x))\n",
    f"{LAYER}row = nn.SequentialCell([layer, nn.Dense(100, 10)])\nrow(x)\n",
    f"{LAYER}inner = nn.SequentialCell(layer, nn.ReLU())\nrow = nn.SequentialCell(inner, nn.Dense(100, 10))\nrow(x)\n",
    f"{SHOWN}row(x)\nrow = Net()\nms.Model(row)\n",  # another one under the same name
    f"{SHOWN}print(row(x))\nclass Other:\n    row = 1\n",
]
REPORTED = [
    f"{SHOWN}ms.Model(row)\n",
    f"{SHOWN}other = row\nms.Model(other)\n",
    f"{SHOWN}opt = nn.SGD(row.trainable_params(), 0.1)\n",
    f"{SHOWN}def forward(x):\n    return row(x)\n",
    f"{SHOWN}forward = lambda x: row(x)\n",
    f"{SHOWN}class Loss(nn.Cell):\n    def construct(self, x):\n        return row(x)\n",
    f"{SHOWN}net = Net()\nnet.head = row\n",
    f"{SHOWN}rows = [row]\nms.Model(rows[0])\n",
    f"{SHOWN}for each in [row]:\n    ms.Model(each)\n",
    f'{SHOWN}rows = {{"row": row}}\n',
    f"{SHOWN}print(row(x))\ntrain(row)\n",
    f"{SHOWN}if x:\n    row = Net()\nms.Model(row)\n",
    f"a = {SHOWN}b = a\n",
    f"{LAYER}rows = (layer, nn.ReLU(), nn.Dense(100, 10))\nrow = nn.SequentialCell(*rows)\nms.Model(row)\n",
    f"def made():\n    {LAYER}    {ROW}    return row\nms.Model(made())\n",
]


def _program(text: str) -> Program:
    return Program({"train.py": join(IMPORTS, NETWORK, text, TRAIN)})


@pytest.mark.parametrize("text", NOT_REPORTED)
def test_not_reported(text: str) -> None:
    assert not _program(text).lint(CODE).findings


@pytest.mark.parametrize("text", REPORTED)
def test_reported(text: str) -> None:
    assert _program(text).lint(CODE).findings


def test_a_layer_that_another_script_imports_is_reported() -> None:
    files = {
        "shown.py": join(IMPORTS, SHOWN),
        "train.py": join(IMPORTS, "from shown import row\nms.Model(row).train(1, d)\n"),
    }
    assert Program(files).lint(CODE).findings


def test_cells_of_a_notebook_are_one_script() -> None:
    cells = [join(IMPORTS, SHOWN), "print(row(x))\n", join(NETWORK, TRAIN)]
    assert not Program({"a.ipynb": written(notebook(cells))}).lint(CODE).findings
    assert Program({"a.ipynb": written(notebook([*cells, "ms.Model(row)\n"]))}).lint(CODE).findings
