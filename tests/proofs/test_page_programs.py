"""The programs on the rule pages are programs: each of them runs on a real MindSpore.

They are written for an accelerator; here the device, the mixed-precision level and bfloat16 are changed to what a CPU
takes. Programs for several processes are left out (the forms of MSP601 stand for them), and those that import what
the MindSpore at hand does not have yet.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

import pytest
from examples import sources
from proofs.proof import MindSpore, on_mindspore, version

from ms_perflint import pages
from ms_perflint.mindspore_api import added_in, parse_version

ON_CPU = (('"Ascend"', '"CPU"'), ('"O2"', '"O3"'), ("bfloat16", "float16"))
SEVERAL_PROCESSES = "init()"


def _programs(code: str) -> dict[str, Mapping[str, str]]:
    """Return the programs of a rule that one process can run, each with its files, by page and row."""
    found: dict[str, Mapping[str, str]] = {}
    files: dict[str, str] = {}
    for number, page in enumerate(sources(code)):
        for example in page.examples:
            files = {**(files if example.kind == "good" else {}), **dict(example.files)}
            if not any(SEVERAL_PROCESSES in text for text in files.values()):
                found[f"page_{number}_row_{example.row}"] = files
    return found


def _is_there(text: str) -> bool:
    """Return whether MindSpore has everything that a file imports from it."""
    imports = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]
    names = [f"{node.module}.{alias.name}" for node in imports for alias in node.names]
    return all((added_in(name) or (0,)) <= parse_version(version()) for name in names)


def _write(files: Mapping[str, str], folder: Path) -> Path:
    for name, text in files.items():
        for accelerator, cpu in ON_CPU:
            text = text.replace(accelerator, cpu)
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


# Writes the files that the programs read: data of the right shapes, one file per row, MNIST, and checkpoints.
DATA = """\
import os
import struct

import mindspore as ms
import numpy as np
from mindspore import nn
from mindspore.mindrecord import FileWriter

random = np.random.RandomState(0)
shapes = {"sequences": (8, 64), "images": (1, 32, 32), "measurements": (30,)}
for name in ("train", "valid", "test", *shapes):
    data = random.randn(64, *shapes.get(name, (64,))).astype(np.float32)
    np.savez(f"{name}.npz", data=data, label=random.randint(0, 10, 64).astype(np.int32))
for name in ("train", "test"):
    writer = FileWriter(f"{name}.mindrecord", overwrite=True)
    writer.add_schema({"data": {"type": "float32", "shape": [64]}, "label": {"type": "int32"}})
    for row in range(64):
        writer.write_raw_data([{"data": random.randn(64).astype(np.float32), "label": row % 10}])
    writer.commit()
for row in range(64):
    np.savez(f"row-{row}.npz", data=random.randn(64).astype(np.float32), label=np.int32(row % 10))
with open("train.txt", "w") as names:
    names.write(" ".join(f"row-{row}.npz" for row in range(64)))
os.makedirs("mnist", exist_ok=True)
with open("mnist/train-images-idx3-ubyte", "wb") as images:
    images.write(struct.pack(">IIII", 2051, 64, 28, 28) + bytes(64 * 28 * 28))
with open("mnist/train-labels-idx1-ubyte", "wb") as labels:
    labels.write(struct.pack(">II", 2049, 64) + bytes(row % 10 for row in range(64)))
weights = nn.SequentialCell(nn.Dense(64, 128), nn.ReLU(), nn.Dense(128, 10))
for name in ("net", *(f"net-{epoch}" for epoch in range(10))):
    ms.save_checkpoint(weights, f"{name}.ckpt")
"""


@pytest.mark.mindspore
@on_mindspore
@pytest.mark.parametrize("code", [code for code in pages.codes() if _programs(code)])
def test_page_runs(code: str, mindspore: MindSpore, tmp_path: Path) -> None:
    programs = {
        row: files
        for row, files in _programs(code).items()
        if all(_is_there(text) for name, text in files.items() if name.endswith(".py"))
    }
    folders = [tmp_path / row for row in programs]
    mindspore.run(*(_write({"train.py": DATA}, folder) for folder in folders))
    for row, files in programs.items():
        mindspore.run(_write(files, tmp_path / row))
