"""The network."""
import mindspore as ms
from mindspore import nn, ops


class DigitNet(nn.Cell):
    """Two convolutions, one hidden layer."""

    def __init__(self, num_classes):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, stride=2)
        self.conv2 = nn.Conv2d(16, 32, 3, stride=2)
        self.hidden = nn.Dense(32 * 7 * 7, 100)
        self.head = nn.Dense(100, num_classes)
        self.relu = nn.ReLU()
        self.flatten = nn.Flatten()

    def construct(self, images):
        x = ops.cast(images, ms.float32) / 255.0
        x = ops.reshape(x, (-1, 1, 28, 28))
        x = ops.cast(x, ms.float32)
        x = self.relu(self.conv1(x))
        x = self.relu(self.conv2(x))
        x = self.relu(self.hidden(self.flatten(x)))
        return self.head(x)
