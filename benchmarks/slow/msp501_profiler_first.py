"""A profiler that covers the data pipeline, and then a pipeline with AutoTune."""

import mindspore as ms
import numpy as np
from mindspore import dataset as ds
from mindspore import nn
from mindspore.profiler import profile, tensorboard_trace_handler
from mindspore.train import Model
from timing import StepTimes

ms.set_context(mode=ms.GRAPH_MODE)
ds.config.set_enable_autotune(True, "./tuned")

random = np.random.RandomState(0)
inputs = random.randn(32 * 30, 64).astype(np.float32)
labels = random.randint(0, 10, 32 * 30).astype(np.int32)
train_set = ds.NumpySlicesDataset((inputs, labels), ["data", "label"], shuffle=False).batch(32)

net = nn.SequentialCell(nn.Dense(64, 128), nn.ReLU(), nn.Dense(128, 10))
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
model = Model(net, loss, optimizer)
with profile(data_process=True, on_trace_ready=tensorboard_trace_handler("profile")):
    model.train(1, train_set, callbacks=[StepTimes()])
