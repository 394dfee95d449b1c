"""Train a small perceptron with a hand-written loop around value_and_grad."""
import argparse
import os

import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn


class Perceptron(nn.Cell):
    """Two hidden layers of 128."""

    def __init__(self, features, num_classes):
        super().__init__()
        self.layers = nn.SequentialCell(
            nn.Dense(features, 128),
            nn.ReLU(),
            nn.Dense(128, 128),
            nn.ReLU(),
            nn.Dense(128, num_classes),
        )

    def construct(self, x):
        return self.layers(x)


def create_dataset(num_samples, features, num_classes, batch_size):
    """Points around one centre for each class."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(num_classes, features))
    labels = rng.integers(0, num_classes, num_samples)
    points = centres[labels] + rng.normal(size=(num_samples, features))
    data = {"point": points.astype(np.float32), "label": labels.astype(np.int32)}
    dataset = ds.NumpySlicesDataset(data, shuffle=True)
    return dataset.batch(batch_size, drop_remainder=True)


def train(args):
    dataset = create_dataset(1024, 64, 10, args.batch_size)
    network = Perceptron(64, 10)
    loss_fn = nn.CrossEntropyLoss()
    optimizer = nn.Adam(network.trainable_params(), learning_rate=args.lr)

    def forward(points, labels):
        return loss_fn(network(points), labels)

    grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)

    os.makedirs(args.checkpoint_dir, exist_ok=True)
    network.set_train()
    for epoch in range(1, args.epochs + 1):
        losses = []
        for points, labels in dataset.create_tuple_iterator(num_epochs=1):
            loss, grads = grad_fn(points, labels)
            optimizer(grads)
            losses.append(loss)
        mean = np.mean([float(loss.asnumpy()) for loss in losses])
        print(f"epoch {epoch} loss {mean:.4f}", flush=True)
        path = os.path.join(args.checkpoint_dir, f"perceptron_{epoch}.ckpt")
        ms.save_checkpoint(network, path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=0.001)
    parser.add_argument("--checkpoint_dir", default="checkpoints")
    args = parser.parse_args()

    ms.set_seed(1)
    ms.set_context(mode=ms.PYNATIVE_MODE)
    train(args)


if __name__ == "__main__":
    main()
