"""A dense layer whose result is cast to the dtype that it has already."""

import argparse

import mindspore as ms
import numpy as np
from mindspore import dataset as ds
from mindspore import nn, ops
from mindspore.train import Model
from timing import StepTimes

parser = argparse.ArgumentParser()
parser.add_argument("--mode", type=int, default=ms.GRAPH_MODE)
args = parser.parse_args()
ms.set_context(mode=args.mode)


class Net(nn.Cell):
    """One dense layer and a sum over positions."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(64, 256)

    def construct(self, x):
        x = ops.cast(self.dense(x), ms.float32)
        x = ops.transpose(x, (0, 2, 1))
        x = ops.cast(x, ms.float32)
        return ops.reduce_sum(x, 2)


random = np.random.RandomState(0)
inputs = random.randn(16 * 30, 512, 64).astype(np.float32)
targets = random.randn(16 * 30, 256).astype(np.float32)
train_set = ds.NumpySlicesDataset((inputs, targets), ["data", "label"], shuffle=False).batch(16)

net = Net()
optimizer = nn.Momentum(net.trainable_params(), 0.0001, 0.9)
Model(net, nn.MSELoss(), optimizer).train(1, train_set, callbacks=[StepTimes()])
