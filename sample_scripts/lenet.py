"""Train LeNet-5 on synthetic digits with Model.train."""
import argparse

import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn
from mindspore.train import CheckpointConfig, LossMonitor, Model, ModelCheckpoint


class LeNet5(nn.Cell):
    """Two convolutions, three dense layers."""

    def __init__(self, num_classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.fc1 = nn.Dense(16 * 5 * 5, 120)
        self.fc2 = nn.Dense(120, 84)
        self.fc3 = nn.Dense(84, num_classes)
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()

    def construct(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.pool(self.relu(self.conv2(x)))
        x = self.flatten(x)
        x = self.relu(self.fc1(x))
        x = self.relu(self.fc2(x))
        return self.fc3(x)


def create_dataset(num_samples, batch_size):
    """Noisy copies of ten fixed 32 x 32 patterns, one for each class."""
    rng = np.random.default_rng(0)
    patterns = rng.normal(size=(10, 1, 32, 32))
    labels = rng.integers(0, 10, num_samples)
    images = patterns[labels] + 0.5 * rng.normal(size=(num_samples, 1, 32, 32))
    data = {"image": images.astype(np.float32), "label": labels.astype(np.int32)}
    dataset = ds.NumpySlicesDataset(data, shuffle=True)
    return dataset.batch(batch_size, drop_remainder=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--loss_scale", type=float, default=1024.0)
    parser.add_argument("--checkpoint_dir", default="checkpoints")
    args = parser.parse_args()

    ms.set_seed(1)
    ms.set_context(mode=ms.GRAPH_MODE)

    dataset = create_dataset(1024, args.batch_size)
    steps = dataset.get_dataset_size()

    network = LeNet5()
    loss_fn = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(network.trainable_params(), args.lr, 0.9,
                            loss_scale=args.loss_scale)
    loss_scale_manager = ms.amp.FixedLossScaleManager(args.loss_scale, False)
    model = Model(network, loss_fn, optimizer,
                  loss_scale_manager=loss_scale_manager)

    config = CheckpointConfig(save_checkpoint_steps=steps)
    checkpoint = ModelCheckpoint("lenet", args.checkpoint_dir, config)
    callbacks = [LossMonitor(steps), checkpoint]
    model.train(args.epochs, dataset, callbacks=callbacks)


if __name__ == "__main__":
    main()
