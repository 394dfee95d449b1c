"""Programs whose network, loop or function may stand in the way of graph mode, put together from their parts."""

from __future__ import annotations

from programs import join

START = """
    import math
    import random

    import numpy as np
    import mindspore as ms
    import mindspore.dataset as ds
    from mindspore import Parameter, Tensor, nn, ops

    ms.set_context(mode=ms.PYNATIVE_MODE)  # !SAFETY
    dataset = ds.MindDataset("train.mindrecord").batch(32, drop_remainder=True)
    loss_fn = nn.CrossEntropyLoss()
    """

NET = "net = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 4))\n"

OPTIMIZER = """
    opt = nn.SGD(net.trainable_params(), 0.1)
    """

LOOP = """
    grad_fn = ms.value_and_grad(forward, None, opt.parameters)
    step = 0
    for epoch in range(3):
        for x, y in dataset.create_tuple_iterator():
            HOOK
            value, grads = grad_fn(x, y)
            opt(grads)
            step += 1
    """

CLASS = """
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(8, 4)
            INIT

        def construct(self, x):
    """

FORWARD = """
    net = Net()


    def forward(x, y):
        return loss_fn(net(x), y)


    """


def forward(name: str, body: str, before: str = "", hook: str = "pass", after: str = "") -> tuple[str, tuple[str, ...]]:
    """Return a program with a hand-written loop whose forward function has this body."""
    lines = "".join(f"    {line}\n" for line in join(body).splitlines())
    function = f"\n\ndef forward(x, y):\n{lines}\n\n"
    return name, (START, NET, before, OPTIMIZER, function, LOOP.replace("HOOK", hook), after)


def cell(name: str, body: str, init: str = "pass", hook: str = "pass", after: str = "") -> tuple[str, tuple[str, ...]]:
    """Return a program with a hand-written loop whose network has this `construct`."""
    lines = "".join(f"        {line}\n" for line in join(body).splitlines())
    made = join(CLASS).replace("INIT", init) + lines + "\n\n"
    return name, (START, made, FORWARD, OPTIMIZER, LOOP.replace("HOOK", hook), after)


def program(name: str, *texts: str) -> tuple[str, tuple[str, ...]]:
    """Return a program of these texts."""
    return name, (START, NET, *texts)
