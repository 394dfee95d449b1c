"""The programs on the rule pages are programs: each of them runs on a real MindSpore.

They are written for an accelerator; here the device, the mixed-precision level and bfloat16 are changed to what a CPU
takes. Programs for several processes are left out (the data-parallel sample stands for them).
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ms_perflint import pages

if TYPE_CHECKING:
    from ms_perflint.pages import Example

ON_CPU = (('"Ascend"', '"CPU"'), ('"O2"', '"O3"'), ("bfloat16", "float16"))
SEVERAL_PROCESSES = "init()"

# Runs `train.py` in each of the folders given, one after the other in one process: MindSpore starts slowly.
DRIVER = """
import os, runpy, sys, threading
import mindspore as ms
folders, sys.argv = sys.argv[1:], ["train.py"]
for folder in folders:
    print("RUN", folder, flush=True)
    os.chdir(folder)
    sys.path.insert(0, folder)
    ms.set_context(mode=ms.PYNATIVE_MODE)
    ms.dataset.config.set_enable_autotune(False)
    runpy.run_path("train.py", run_name="__main__")
    for thread in threading.enumerate():
        if thread.name == "asyn_save_ckpt":
            thread.join()
    sys.path.remove(folder)
    for name in [name for name in sys.modules if name.split(".")[0] == "src"]:
        del sys.modules[name]
print("ALL RAN", flush=True)
"""


def _write_data(folder: Path) -> None:
    """Write the files that the programs read: data of the right shapes, and checkpoints."""
    import mindspore as ms
    import numpy as np
    from mindspore import nn

    random = np.random.RandomState(0)
    shapes = {"sequences": (8, 64), "images": (1, 32, 32), "measurements": (30,)}
    for name in ("train", "valid", "test", *shapes):
        data = random.randn(64, *shapes.get(name, (64,))).astype(np.float32)
        np.savez(folder / f"{name}.npz", data=data, label=random.randint(0, 10, 64).astype(np.int32))
    net = nn.SequentialCell(nn.Dense(64, 128), nn.ReLU(), nn.Dense(128, 10))
    for name in ("net", *(f"net-{epoch}" for epoch in range(10))):
        ms.save_checkpoint(net, str(folder / f"{name}.ckpt"))


def _programs(code: str) -> list[tuple[Example, dict[str, str]]]:
    """Return the examples of a page that one process can run, each with its files."""
    found: list[tuple[Example, dict[str, str]]] = []
    files: dict[str, str] = {}
    for example in pages.page(code).examples:
        files = {**(files if example.kind == "good" else {}), **dict(example.files)}
        if not any(SEVERAL_PROCESSES in text for text in files.values()):
            found.append((example, files))
    return found


@pytest.mark.mindspore
@pytest.mark.skipif(importlib.util.find_spec("mindspore") is None, reason="MindSpore is not installed (extra `proof`)")
@pytest.mark.parametrize("code", [code for code in pages.codes() if _programs(code)])
def test_page_runs_on_mindspore(code: str, tmp_path: Path) -> None:
    folders = []
    for example, files in _programs(code):
        folder = tmp_path / f"row_{example.row}"
        folder.mkdir()
        _write_data(folder)
        for name, text in files.items():
            for accelerator, cpu in ON_CPU:
                text = text.replace(accelerator, cpu)
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        folders.append(str(folder))
    ran = subprocess.run(
        [sys.executable, "-c", DRIVER, *folders],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=600,
    )
    assert ran.returncode == 0 and "ALL RAN" in ran.stdout, ran.stdout[-4000:]
