"""Three dense layers of width 1024 in float32; one program for Ascend and CPU."""

import argparse

import mindspore as ms
import numpy as np
from mindspore import dataset as ds
from mindspore import nn
from mindspore.train import Model
from timing import StepTimes

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="Ascend", choices=["Ascend", "CPU"])
args = parser.parse_args()
ms.set_context(mode=ms.GRAPH_MODE, device_target=args.device)

random = np.random.RandomState(0)
inputs = random.randn(64 * 30, 1024).astype(np.float32)
targets = random.randn(64 * 30, 1024).astype(np.float32)
train_set = ds.NumpySlicesDataset((inputs, targets), ["data", "label"], shuffle=False).batch(64)

net = nn.SequentialCell(nn.Dense(1024, 1024), nn.ReLU(), nn.Dense(1024, 1024), nn.ReLU(), nn.Dense(1024, 1024))
optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
Model(net, nn.MSELoss(), optimizer).train(1, train_set, callbacks=[StepTimes()])
