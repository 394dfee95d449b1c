"""Notebooks for tests, as Jupyter writes them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

OUTPUT = {"name": "stdout", "output_type": "stream", "text": ["损失 <b>0.1</b>\n", "a\\b\n"]}
MARKDOWN = "# "  # how cells start that are no code

IMPORTS = """\
%matplotlib inline
import mindspore as ms
from mindspore import nn
from mindspore.train import CheckpointConfig, Model, ModelCheckpoint"""
NETWORK = """\
%%time
model = Model(nn.ReLU(), nn.MSELoss(), nn.SGD(net.trainable_params()))
model?"""
TRAINING = """\
found = !ls -la "logs
config = CheckpointConfig(save_checkpoint_steps=100)
%time model.train(10, dataset, callbacks=[ModelCheckpoint("net", config=config)])

found"""
CELLS = ("# Train", IMPORTS, "%%bash\necho 'it is", NETWORK, TRAINING)


def notebook(cells: Sequence[str] = CELLS, *, as_lists: bool = True, **metadata: Any) -> dict[str, Any]:
    """Return a notebook of nbformat 4 with these cells; those that start with `# ` and are short are Markdown."""
    made: list[dict[str, Any]] = []
    for code in cells:
        source = code.splitlines(keepends=True) if as_lists else code
        if code.startswith(MARKDOWN) and "\n" not in code:
            made.append({"cell_type": "markdown", "metadata": {}, "source": source})
        else:
            cell = {"cell_type": "code", "execution_count": 1, "metadata": {"tags": ["é"]}, "outputs": [OUTPUT]}
            made.append({**cell, "source": source})
    return {"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 4}


def written(content: dict[str, Any], **layout: Any) -> str:
    """Return a notebook as a file holds it; `layout` as for `json.dumps`."""
    return json.dumps(content, **{"indent": 1, "ensure_ascii": False, **layout}) + "\n"


def worksheets(cells: Sequence[str] = CELLS) -> dict[str, Any]:
    """Return a notebook of nbformat 3."""
    made = [
        {"cell_type": "code", "collapsed": False, "input": code.splitlines(True), "language": "python", "metadata": {}}
        for code in cells
    ]
    sheet = {"cells": [{**cell, "outputs": []} for cell in made], "metadata": {}}
    return {"metadata": {"name": ""}, "nbformat": 3, "nbformat_minor": 0, "worksheets": [sheet]}


def codes(content: dict[str, Any]) -> list[str]:
    """Return the code of the code cells."""
    cells = content["cells"] if "cells" in content else content["worksheets"][0]["cells"]
    return ["".join(cell.get("source", cell.get("input"))) for cell in cells if cell["cell_type"] == "code"]
