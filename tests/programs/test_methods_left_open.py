"""Methods that a base class leaves open: what `self` has is that of the classes which derive from it."""

from __future__ import annotations

import pytest
from programs import Program, join

HEAD = """
    import numpy as np

    import mindspore as ms
    from mindspore import nn

    ms.set_context(mode=ms.GRAPH_MODE)


    class Trainer:
        def __init__(self):
            self.net = self.build()

        def build(self):
            {body}

        def run(self):
            step = nn.TrainOneStepCell(nn.WithLossCell(self.net, nn.MSELoss()), nn.SGD(self.net.trainable_params()))
            for batch in range(1000):
                step(ms.Tensor(np.random.rand(4, 128)), ms.Tensor(np.random.rand(4, 128)))


    """
OWN = """
    class Own(Trainer):
        def build(self):
            return nn.SequentialCell(nn.Dense(128, 128))


    Own().run()
    """
OPEN = (
    "pass",
    "...",
    '"""Return the network."""',
    "raise NotImplementedError",
    "raise NotImplementedError('a network')",
)
FILLED = ("return nn.SequentialCell(nn.ReLU())", "return None", "return unknown()")


def training(body: str, own: str = OWN) -> Program:
    """Return a program whose base class has such a method."""
    return Program({"train.py": join(HEAD.replace("{body}", body), own)})


@pytest.mark.parametrize("body", [*OPEN, '"""Return it."""\n            raise NotImplementedError'])
def test_a_method_that_is_left_open_is_that_of_the_derived_class(body: str) -> None:
    assert len(training(body).lint("MSP201").findings) == 1


@pytest.mark.parametrize("body", OPEN)
def test_it_is_that_of_each_derived_class(body: str) -> None:
    other = OWN.replace("Own", "Other").replace("nn.Dense(128, 128)", "nn.ReLU()")
    assert len(training(body, join(other, OWN)).lint("MSP201").findings) == 1


@pytest.mark.parametrize("body", OPEN)
def test_nothing_is_known_where_no_class_derives_from_it(body: str) -> None:
    assert not training(body, "Trainer().run()\n").lint("MSP201").findings


@pytest.mark.parametrize("body", FILLED)
def test_a_method_that_does_something_is_not_left_open(body: str) -> None:
    assert not training(body, join(OWN.replace("build(", "make("))).lint("MSP201").findings
