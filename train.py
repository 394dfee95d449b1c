import mindspore as ms
from mindspore import nn
from mindspore.train import Model
from layers import Block


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.block = Block(1024)

    def construct(self, x):
        return self.block(x)

net = Net()
model = Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
model.train(10, ms.dataset.MindDataset("a"), dataset_sink_mode=True)
