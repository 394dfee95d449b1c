"""Saves 200 MB after each of a few steps, and lets every file be finished before the next step."""

import threading
import time

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn
from timing import figure

ms.set_context(mode=ms.GRAPH_MODE)

net = nn.SequentialCell(nn.Dense(5000, 5000), nn.Dense(5000, 5000))
optimizer = nn.SGD(net.trainable_params(), 0.001)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
data = Tensor(np.ones((1, 5000), np.float32))

calls = []
for _ in range(6):
    step(data, data).asnumpy()
    start = time.perf_counter()
    ms.save_checkpoint(net, "net.ckpt")
    calls.append(time.perf_counter() - start)
    for thread in threading.enumerate():  # the writer of this file
        if thread.name == "asyn_save_ckpt":
            thread.join()
figure("call_ms", 1000 * min(calls))
