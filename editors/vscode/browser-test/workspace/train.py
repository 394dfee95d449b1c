"""A script that trains, with what matters in a config file."""

import mindspore as ms
import yaml
from mindspore import nn
from mindspore.train import CheckpointConfig, LossMonitor, Model, ModelCheckpoint

with open("config.yaml", encoding="utf-8") as file:
    config = yaml.safe_load(file)

ms.set_context(mode=ms.PYNATIVE_MODE)
data = ms.dataset.MnistDataset("mnist").batch(32)
net = nn.Dense(784, 10)
model = Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params()))
checkpoint = CheckpointConfig(save_checkpoint_steps=100, async_save=config["checkpoint"]["async_save"])
model.train(10, data, callbacks=[LossMonitor(), ModelCheckpoint("net", config=checkpoint)], dataset_sink_mode=False)
