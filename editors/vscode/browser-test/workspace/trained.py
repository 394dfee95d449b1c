"""A script that any machine with MindSpore can run."""

import mindspore as ms
import numpy as np
from mindspore import nn
from mindspore.train import Model

ms.set_context(mode=ms.PYNATIVE_MODE)
rows = [(np.ones(8, np.float32), np.ones(1, np.float32))] * 256
data = ms.dataset.GeneratorDataset(rows, ["data", "label"]).batch(32)
net = nn.SequentialCell([nn.Dense(8, 8), nn.ReLU(), nn.Dense(8, 1)])
model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
model.train(10, data, dataset_sink_mode=False)
