"""Two transformer blocks (width 128, 4 heads) on 8 sequences of 64 a step, in PyNative mode."""

import mindspore as ms
import numpy as np
from mindspore import dataset as ds
from mindspore import nn, ops
from mindspore.train import Model
from timing import StepTimes

ms.set_context(mode=ms.PYNATIVE_MODE)


class Block(nn.Cell):
    """Attention and two dense layers, each behind a normalisation and with a way around it."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before_attention = nn.LayerNorm((width,))
        self.before_dense = nn.LayerNorm((width,))
        self.query = nn.Dense(width, width)
        self.key = nn.Dense(width, width)
        self.value = nn.Dense(width, width)
        self.out = nn.Dense(width, width)
        self.dense = nn.SequentialCell(nn.Dense(width, 4 * width), nn.ReLU(), nn.Dense(4 * width, width))
        self.product = ops.BatchMatMul()
        self.transposed = ops.BatchMatMul(transpose_b=True)
        self.softmax = nn.Softmax()

    def split(self, x):
        batch, length, width = x.shape
        return x.reshape((batch, length, self.heads, width // self.heads)).transpose((0, 2, 1, 3))

    def attend(self, x):
        query, key, value = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        weights = self.softmax(self.transposed(query, key) * 0.18)
        return self.out(self.product(weights, value).transpose((0, 2, 1, 3)).reshape(x.shape))

    def construct(self, x):
        x = x + self.attend(self.before_attention(x))
        return x + self.dense(self.before_dense(x))


random = np.random.RandomState(0)
inputs = random.randn(8 * 20, 64, 128).astype(np.float32)
targets = random.randn(8 * 20, 64, 128).astype(np.float32)
train_set = ds.NumpySlicesDataset((inputs, targets), ["data", "label"], shuffle=False).batch(8)

net = nn.SequentialCell(Block(128, 4), Block(128, 4))
optimizer = nn.Adam(net.trainable_params(), 0.001)
Model(net, nn.MSELoss(), optimizer).train(1, train_set, callbacks=[StepTimes()])
