"""`launch` in the settings: the same run configurations on the command line, in flake8 and in editors."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from editor import editing, uri_of
from front import environment, run

TRAIN = """\
import argparse

import mindspore as ms
import yaml
from mindspore import nn

parser = argparse.ArgumentParser()
parser.add_argument("--config", default="configs/none.yaml")
with open(parser.parse_args().config) as file:
    config = yaml.safe_load(file)
ms.set_context(mode=config["mode"])
net = nn.Dense(64, 128)
model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()), amp_level="O2")
model.train(10, ms.dataset.MindDataset("a.mindrecord"), dataset_sink_mode=True)
"""
SAYS = "with 1 of 2 run configurations: configs/eager.yaml"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Return a project whose program is started with two config files."""
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "graph.yaml").write_text("mode: 0\n", encoding="utf-8")
    (tmp_path / "configs" / "eager.yaml").write_text("mode: 1\n", encoding="utf-8")
    table = '[tool.ms-perflint]\nlaunch = ["train.py --config configs/*.yaml"]\n'
    (tmp_path / "pyproject.toml").write_text(table, encoding="utf-8")
    return tmp_path


def test_on_the_command_line(here: Path) -> None:
    ran = run("--no-cache", "--output-format", "json", "train.py", cwd=here)
    (finding,) = json.loads(ran.out)
    assert finding["message"].endswith(SAYS)
    assert [os.path.basename(each) for each in finding["configurations"]] == ["eager.yaml"]


def test_in_flake8(here: Path) -> None:
    command = [sys.executable, "-m", "flake8", "--select", "MSP", "train.py"]
    done = subprocess.run(
        command, cwd=here, env=environment(), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.rstrip().endswith(SAYS), done.stderr


def test_in_an_editor(here: Path) -> None:
    async def scenario() -> None:
        async with editing(here) as editor:
            editor.open(here / "train.py")
            assert await editor.found(here / "train.py") == ["MSP101"]
            (shown,) = editor.published[uri_of(here / "train.py")].diagnostics
            assert SAYS in shown.message

    asyncio.run(scenario())
