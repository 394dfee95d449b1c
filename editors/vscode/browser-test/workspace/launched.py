import argparse

import mindspore as ms
from mindspore import nn
from mindspore.train import Model

parser = argparse.ArgumentParser()
parser.add_argument("--mode", type=int, default=0)
args = parser.parse_args()
ms.set_context(mode=args.mode)
model = Model(nn.Dense(16, 16), nn.MSELoss(), nn.SGD([]))
model.train(10, None)
