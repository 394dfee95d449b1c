"""However a network is built, the same is known of its layers, its widths, and what feeds what."""

from __future__ import annotations

import os
import re

import pytest
from programs import Program

HEAD = """\
import mindspore as ms
import numpy as np
from collections import OrderedDict
from functools import partial
from mindspore import dataset as ds, nn, ops
from mindspore.train import Model

"""
TRAIN = """

ms.set_context(mode=ms.GRAPH_MODE)
train_set = ds.NumpySlicesDataset(dict(np.load("train.npz"))).batch(32)
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
model = Model(net, loss, nn.Adam(net.trainable_params()))
model.train(10, train_set, dataset_sink_mode=True)
"""


def read(name: str) -> dict[str, str]:
    """Return the networks in a file beside this one, by what stands above them."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        _, *sections = re.split(r"^## ", file.read(), flags=re.MULTILINE)
    return dict(section.split("\n", 1) for section in sections)


WAYS, OTHERS = read("ways.txt"), read("others.txt")


def training(network: str, width: int) -> Program:
    """Return a program that trains a network."""
    return Program({"train.py": HEAD + network.replace("WIDTH", str(width)) + TRAIN}, options={"min-waste": 0})


def found(network: str, width: int, code: str) -> list[tuple[bool, str]]:
    """Return whether each finding of a rule names the width, and the safety of its fix."""
    report = training(network, width).lint(code)
    assert not report.problems
    return [(f" {width} " in each.message, each.fix.safety.value if each.fix else "") for each in report.findings]


@pytest.mark.parametrize("way", WAYS)
def test_matrix_work_is_found_however_a_network_is_built(way: str) -> None:
    assert len(found(WAYS[way], 512, "MSP201")) == 1


@pytest.mark.parametrize("way", WAYS)
def test_a_hidden_width_is_found_however_a_network_is_built(way: str) -> None:
    assert found(WAYS[way], 500, "MSP202") == [(True, "unsafe")]
    assert found(WAYS[way], 512, "MSP202") == []


@pytest.mark.parametrize("way", OTHERS)
def test_a_width_that_feeds_no_layer_is_left_alone(way: str) -> None:
    assert found(OTHERS[way], 500, "MSP202") == []


@pytest.mark.parametrize("way", WAYS)
def test_the_fix_changes_all_that_has_the_width(way: str) -> None:
    (change,) = training(WAYS[way], 500).fix("MSP202").changes
    assert b"500" not in change.after
