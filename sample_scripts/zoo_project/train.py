"""Train the digit classifier: python train.py [--config_path FILE] [--epochs 3]."""
import mindspore as ms
from mindspore import nn
from mindspore.profiler import profile, tensorboard_trace_handler
from mindspore.train import LossMonitor, Model

from src.config import config
from src.dataset import create_dataset
from src.network import DigitNet


def train():
    ms.set_seed(1)
    ms.set_context(mode=ms.GRAPH_MODE)

    dataset = create_dataset(
        config.num_samples, config.num_classes, config.batch_size
    )
    network = DigitNet(config.num_classes)
    loss_fn = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(
        network.trainable_params(),
        learning_rate=config.learning_rate,
        momentum=config.momentum,
        loss_scale=config.loss_scale,
    )
    loss_scale_manager = ms.amp.FixedLossScaleManager(config.loss_scale, False)
    model = Model(
        network,
        loss_fn=loss_fn,
        optimizer=optimizer,
        amp_level=config.amp_level,
        loss_scale_manager=loss_scale_manager,
    )

    profiler = profile(
        data_process=True,
        on_trace_ready=tensorboard_trace_handler(config.profile_dir),
    )
    model.train(
        config.epochs,
        dataset,
        callbacks=[LossMonitor(dataset.get_dataset_size())],
        dataset_sink_mode=config.dataset_sink_mode,
    )
    profiler.stop()

    ms.save_checkpoint(network, config.checkpoint_path)


if __name__ == "__main__":
    train()
