"""Methods that classes override, or leave open: `self` has those of the classes which derive from one, too."""

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


NET = """
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(128, 128)

        def construct(self, x):
            return self.fc(x)


    """
LARGE, SMALL = "return nn.SequentialCell(nn.Dense(128, 128))", "return nn.SequentialCell(nn.ReLU())"


@pytest.mark.parametrize(
    ("body", "own", "count"),
    [
        (SMALL, OWN, 1),
        (LARGE, OWN, 1),
        (SMALL, OWN.replace("nn.Dense(128, 128)", "nn.ReLU()"), 0),
        (SMALL, OWN.replace("build(", "make("), 0),
        (LARGE, OWN.replace("build(", "make("), 1),
        (SMALL, OWN.replace("Own(Trainer)", "Own"), 0),
    ],
)
def test_a_method_may_be_that_of_the_class_or_of_one_that_derives_from_it(body: str, own: str, count: int) -> None:
    assert len(training(body, own).lint("MSP201").findings) == count


def test_what_graph_mode_cannot_compile_in_the_network_of_a_derived_class_is_named() -> None:
    own = OWN.replace("return nn.SequentialCell(nn.Dense(128, 128))", "return Net()")
    net = NET.replace("return", "import random\n\n            return")
    text = join(HEAD.replace("{body}", LARGE).replace("GRAPH", "PYNATIVE"), net, own)
    (finding,) = Program({"train.py": text}).lint("MSP101").findings
    assert finding.fix is not None and finding.fix.reason == "graph mode does not compile `import`"


PROPERTY = "@property\n        def made(self):\n            "


@pytest.mark.parametrize(
    ("base", "own", "net", "count"),
    [
        ("kind = None", "kind = Net", "self.kind()", 1),
        ("kind = None", "kind = staticmethod(lambda: Net())", "self.kind()", 1),
        ("made = None", "made = Net()", "self.made", 1),
        (PROPERTY + "raise NotImplementedError", PROPERTY + "return Net()", "self.made", 1),
        (PROPERTY + "pass", PROPERTY + "return Net()", "self.made", 1),
        (PROPERTY + "raise NotImplementedError", "made = Net()", "self.made", 1),
        ("kind = None", "kind = nn.ReLU", "self.kind()", 0),
        ("kind = nn.ReLU", "other = Net", "self.kind()", 0),
        (PROPERTY + "raise NotImplementedError", PROPERTY + "return nn.ReLU()", "self.made", 0),
        (PROPERTY + "return nn.ReLU()", "other = Net()", "self.made", 0),
    ],
)
def test_a_member_that_is_left_open_is_that_of_the_derived_class(base: str, own: str, net: str, count: int) -> None:
    head = HEAD.replace("self.build()", net).replace("def build(self):\n            {body}", base)
    derived = OWN.replace("def build(self):\n            return nn.SequentialCell(nn.Dense(128, 128))", own)
    findings = Program({"train.py": join(NET, head, derived)}).lint("MSP201").findings
    assert [each.fix is not None for each in findings] == [True] * count  # no fix where the network is not known
