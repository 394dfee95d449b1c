"""A LeNet on 32 images a step, in PyNative mode."""

import mindspore as ms
import numpy as np
from mindspore import dataset as ds
from mindspore import nn
from mindspore.train import Model
from timing import StepTimes

ms.set_context(mode=ms.PYNATIVE_MODE)

random = np.random.RandomState(0)
images = random.randn(32 * 20, 1, 32, 32).astype(np.float32)
labels = random.randint(0, 10, 32 * 20).astype(np.int32)
train_set = ds.NumpySlicesDataset((images, labels), ["image", "label"], shuffle=False).batch(32)

net = nn.SequentialCell(
    nn.Conv2d(1, 6, 5, pad_mode="valid"),
    nn.ReLU(),
    nn.MaxPool2d(2, 2),
    nn.Conv2d(6, 16, 5, pad_mode="valid"),
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
