"""Train a small network on several devices, each with its share of the data.

Started by msrun, see run_data_parallel.sh.
"""
import argparse

import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn
from mindspore.communication import get_group_size, get_rank, init
from mindspore.train import LossMonitor, Model


class PatternNet(nn.Cell):
    """Two convolutions, two dense layers."""

    def __init__(self, num_classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3)
        self.conv2 = nn.Conv2d(16, 32, 3)
        self.hidden = nn.Dense(32 * 4 * 4, 64)
        self.head = nn.Dense(64, num_classes)
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()

    def construct(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.pool(self.relu(self.conv2(x)))
        x = self.relu(self.hidden(self.flatten(x)))
        return self.head(x)


def create_dataset(num_samples, batch_size, rank, ranks):
    """This process's share of noisy copies of ten fixed 16 x 16 patterns."""
    rng = np.random.default_rng(0)
    patterns = rng.normal(size=(10, 1, 16, 16))
    labels = rng.integers(0, 10, num_samples)
    images = patterns[labels] + 0.5 * rng.normal(size=(num_samples, 1, 16, 16))
    data = {"image": images.astype(np.float32), "label": labels.astype(np.int32)}
    dataset = ds.NumpySlicesDataset(data, shuffle=True,
                                    num_shards=ranks, shard_id=rank)
    return dataset.batch(batch_size, drop_remainder=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--loss_scale", type=float, default=1024.0)
    args = parser.parse_args()

    ms.set_seed(1)
    ms.set_context(mode=ms.GRAPH_MODE)
    init()
    ms.set_auto_parallel_context(
        parallel_mode=ms.ParallelMode.DATA_PARALLEL,
        gradients_mean=True,
    )

    dataset = create_dataset(1024, args.batch_size, get_rank(), get_group_size())

    network = PatternNet()
    loss_fn = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(network.trainable_params(), args.lr, 0.9,
                            loss_scale=args.loss_scale)
    loss_scale_manager = ms.amp.FixedLossScaleManager(args.loss_scale, False)
    model = Model(network, loss_fn, optimizer, amp_level="O2",
                  loss_scale_manager=loss_scale_manager)

    callbacks = []
    if get_rank() == 0:
        callbacks.append(LossMonitor(dataset.get_dataset_size()))
    model.train(args.epochs, dataset, callbacks=callbacks, dataset_sink_mode=True)


if __name__ == "__main__":
    main()
