"""A small network in graph mode, fed batch by batch."""

import mindspore as ms
import numpy as np
from mindspore import dataset as ds
from mindspore import nn
from mindspore.train import Model
from timing import StepTimes

ms.set_context(mode=ms.GRAPH_MODE)

random = np.random.RandomState(0)
inputs = random.randn(32 * 40, 64).astype(np.float32)
labels = random.randint(0, 10, 32 * 40).astype(np.int32)
train_set = ds.NumpySlicesDataset((inputs, labels), ["data", "label"], shuffle=False).batch(32)

net = nn.SequentialCell(nn.Dense(64, 128), nn.ReLU(), nn.Dense(128, 10))
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
Model(net, loss, optimizer).train(1, train_set, callbacks=[StepTimes()])
