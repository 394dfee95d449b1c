"""A LeNet (ten parameters) on several processes, each with 32 images a step."""

import mindspore as ms
import numpy as np
from mindspore import dataset as ds
from mindspore import nn
from mindspore.communication import get_group_size, get_rank, init
from mindspore.train import Model
from timing import StepTimes

ms.set_context(mode=ms.GRAPH_MODE)
init()
ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True)

random = np.random.RandomState(0)
images = random.randn(32 * 20 * get_group_size(), 1, 32, 32).astype(np.float32)
labels = random.randint(0, 10, len(images)).astype(np.int32)
train_set = ds.NumpySlicesDataset(
    (images, labels), ["image", "label"], shuffle=False, num_shards=get_group_size(), shard_id=get_rank()
).batch(32)

net = nn.SequentialCell(
    nn.Conv2d(1, 6, 5, pad_mode="valid", has_bias=True),
    nn.ReLU(),
    nn.MaxPool2d(2, 2),
    nn.Conv2d(6, 16, 5, pad_mode="valid", has_bias=True),
    nn.ReLU(),
    nn.MaxPool2d(2, 2),
    nn.Flatten(),
    nn.Dense(400, 120),
    nn.ReLU(),
    nn.Dense(120, 84),
    nn.ReLU(),
    nn.Dense(84, 10),
)
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
Model(net, loss, optimizer).train(1, train_set, callbacks=[StepTimes()])
