"""A pipeline with AutoTune that runs already when a profiler starts."""

import mindspore as ms
import numpy as np
from mindspore import dataset as ds
from mindspore import nn
from mindspore.profiler import profile, tensorboard_trace_handler
from timing import figure

ms.set_context(mode=ms.GRAPH_MODE)
ds.config.set_enable_autotune(True, "./tuned")

random = np.random.RandomState(0)
inputs = random.randn(32 * 30, 64).astype(np.float32)
labels = random.randint(0, 10, 32 * 30).astype(np.int32)
train_set = ds.NumpySlicesDataset((inputs, labels), ["data", "label"], shuffle=False).batch(32)

net = nn.SequentialCell(nn.Dense(64, 128), nn.ReLU(), nn.Dense(128, 10))
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer)

steps = 0
for data, label in train_set.create_tuple_iterator(num_epochs=1):
    steps += 1
    if steps == 10:
        profiler = profile(data_process=True, on_trace_ready=tensorboard_trace_handler("profile"))
    step(data, label)
profiler.stop()
figure("steps", steps)
