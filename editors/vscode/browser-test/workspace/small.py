import mindspore as ms
from mindspore import nn
from mindspore.train import CheckpointConfig, Model, ModelCheckpoint

ms.set_context(mode=ms.GRAPH_MODE)
checkpoint = CheckpointConfig(save_checkpoint_steps=100)
model = Model(nn.Dense(16, 16), nn.MSELoss(), nn.SGD([]))
model.train(10, None, callbacks=[ModelCheckpoint("net", config=checkpoint)])
