"""What one cause makes is one finding: a config of four callbacks, an option of two calls, a network of two models."""

from __future__ import annotations

import pytest
from programs import join

from ms_perflint.api import lint_source

START = """
    import mindspore as ms
    import mindspore.dataset as ds
    from mindspore import nn
    from mindspore.train import CheckpointConfig, Model, ModelCheckpoint

    """
GRAPH = "ms.set_context(mode=ms.GRAPH_MODE)\n"
PARTS = """
    net = nn.SequentialCell(nn.Dense(64, 100), nn.ReLU(), nn.Dense(100, 10))
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    data = ds.MindDataset("train.mindrecord").batch(32)
    """
MODEL = 'model = Model(net, loss, nn.Adam(net.trainable_params()), amp_level="O2")\n'
TRAIN = "model.train(10, data, dataset_sink_mode=True)\n"
CASES = {
    "MSP101": (
        START,
        "ms.set_context(mode=ms.PYNATIVE_MODE)\n",
        PARTS,
        MODEL,
        TRAIN,
        "model.fit(10, data, data, dataset_sink_mode=True)\n",
    ),
    "MSP201": (START, GRAPH, PARTS, "model = Model(net, loss, nn.Adam(net.trainable_params()))\n", TRAIN, TRAIN),
    "MSP202": (START, GRAPH, PARTS, MODEL, TRAIN, TRAIN),
    "MSP301": (
        START,
        GRAPH,
        PARTS,
        MODEL,
        """
        config = CheckpointConfig(save_checkpoint_steps=100)
        callbacks = [ModelCheckpoint(name, config=config) for name in ("a", "b")]
        callbacks += [ModelCheckpoint("c", config=config), ModelCheckpoint("d", config=config)]
        model.train(10, data, callbacks=callbacks, dataset_sink_mode=True)
        """,
    ),
    "MSP402": (START, GRAPH, PARTS, MODEL, "model.train(9, data)\nmodel.train(9, data)\n"),
    "MSP601": (
        START,
        GRAPH,
        """
        from mindspore.communication import init

        init()
        ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
        """,
        PARTS,
        MODEL,
        TRAIN,
        TRAIN,
    ),
}


@pytest.mark.parametrize("code", CASES)
def test_one_cause_is_one_finding(code: str) -> None:
    found = lint_source(join(*CASES[code]), select=[code], device="Ascend").findings
    assert [each.code for each in found] == [code], found
