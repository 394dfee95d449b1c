"""MSP201 fp32-matmul: layers that derive from one of MindSpore's count by their widths, as that one does."""

from __future__ import annotations

import pytest
from programs import Program, join

CODE = "MSP201"

HEAD = """
    import numpy as np

    import mindspore as ms
    from mindspore import nn

    ms.set_context(mode=ms.GRAPH_MODE)


    """

TRAIN = """
    net = nn.SequentialCell({made})
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params()))
    for batch in range(1000):
        step(ms.Tensor(np.random.rand(4, 8)), ms.Tensor(np.random.rand(4, 8)))
    """

CLASSES = [
    "class Own(nn.Dense):\n    pass",
    "class Own(nn.Dense):\n    def construct(self, x):\n        return super().construct(x) * 0.5",
    "class Own(nn.Dense):\n    def construct(self, x):\n        return self.matmul(x, self.weight)",
    "class Own(nn.Dense):\n    def __init__(self, into, out):\n        super().__init__(into, out, has_bias=True)",
    "class Own(nn.Dense):\n    def __init__(self, into, out):\n        super(Own, self).__init__(into, out)",
    "class Own(nn.Conv1d):\n    def __init__(self, into, out, size=3):\n        super().__init__(into, out, size)",
    "class Base(nn.Dense):\n    pass\n\n\nclass Own(Base):\n    pass",
    "class Base(nn.Dense):\n    pass\n\n\nclass Own(Base):\n"
    "    def __init__(self, into, out):\n        super().__init__(into, out)",
]


def training(cls: str, made: str) -> Program:
    """Return a program that trains what is made of a class."""
    return Program({"train.py": f"{join(HEAD)}{cls}\n\n\n{join(TRAIN.replace('{made}', made))}"})


@pytest.mark.parametrize("cls", CLASSES)
def test_small_products_are_quiet(cls: str) -> None:
    assert not training(cls, "Own(8, 8)").lint(CODE).findings


@pytest.mark.parametrize("made", ["Own(128, 128)", "Own(8, 8), Own(128, 128)"])
@pytest.mark.parametrize("cls", CLASSES)
def test_large_products_are_reported(cls: str, made: str) -> None:
    assert len(training(cls, made).lint(CODE).findings) == 1


SELF_TEST = join(
    HEAD,
    """
    class Head(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(128, 128)

        def construct(self, x):
            return self.fc(x)


    if __name__ == "__main__":
        step = nn.TrainOneStepCell(nn.WithLossCell(Head(), nn.MSELoss()), nn.SGD(Head().trainable_params()))
        for batch in range(1000):
            step(ms.Tensor(np.random.rand(4, 128)), ms.Tensor(np.random.rand(4, 128)))
    """,
)


@pytest.mark.parametrize(
    ("files", "count"), [({"heads/__init__.py": "", "heads/head.py": SELF_TEST}, 0), ({"train.py": SELF_TEST}, 1)]
)
def test_a_demonstration_of_a_module_is_no_training(files: dict[str, str], count: int) -> None:
    assert len(Program(files).lint(CODE).findings) == count


BESIDE = """
    import mindspore as ms
    from mindspore import nn
    import mindspore.dataset as ds

    ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")


    class Own(BASE):
        def step_end(self, run_context):
            print(ms.Tensor(1.0, ms.float16))


    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(64, 64)

        def construct(self, x):
            return self.fc(x)


    net = Net()
    model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
    model.train(3, ds.MindDataset("a").batch(32), callbacks=[Own()])
    """
INSIDE = """
    import mindspore as ms
    from mindspore import nn
    import mindspore.dataset as ds

    ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")


    class Own(BASE):
        def construct(self, x, y):
            return super().construct(x * 2, y)


    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(64, 64)
            self.own = Own()

        def construct(self, x, y):
            return self.own(self.fc(x), y)


    net = Net()
    model = ms.Model(net, optimizer=nn.SGD(net.trainable_params()))
    model.train(3, ds.MindDataset("a").batch(32))
    """


@pytest.mark.parametrize(
    "base",
    [
        *("ms.train.Callback", "ms.train.LossMonitor", "ms.train.TimeMonitor"),
        *("ms.train.Metric", "ms.train.Accuracy", "nn.Accuracy", "nn.MSELoss"),
    ],
)
def test_half_precision_of_what_is_no_network_does_not_count(base: str) -> None:
    assert len(Program({"train.py": join(BESIDE.replace("BASE", base))}).lint(CODE).findings) == 1


@pytest.mark.parametrize("base", ["object", "tools.Unknown"])
def test_half_precision_of_what_may_be_a_network_counts(base: str) -> None:
    assert not Program({"train.py": join(BESIDE.replace("BASE", base))}).lint(CODE).findings


@pytest.mark.parametrize("base", ["nn.MSELoss", "nn.LossBase", "nn.SoftmaxCrossEntropyWithLogits", "nn.CTCLoss"])
def test_a_class_is_a_loss_by_what_its_base_derives_from(base: str) -> None:
    (finding,) = Program({"train.py": join(INSIDE.replace("BASE", base))}).lint(CODE).findings
    assert finding.fix is None
    assert any("`Own` is not known to work" in each.message for each in finding.related)


OF_LOSS = """
    import mindspore as ms
    from mindspore import nn, ops
    from mindcv import create_model
    import mindspore.dataset as ds

    ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")


    class Own(BASE):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner

        def construct(self, x, y):
            return ops.abs(self.inner(x) - y).mean()


    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(64, 64)

        def construct(self, x):
            return self.fc(x)


    net = NETWORK
    own = Own(INNER)
    own.to_float(ms.float16)
    model = ms.Model(net, own, nn.SGD(net.trainable_params()))
    model.train(3, ds.MindDataset("a").batch(32))
    """


def _reported(base: str, network: str, inner: str) -> int:
    text = join(OF_LOSS.replace("BASE", base).replace("NETWORK", network).replace("INNER", inner))
    return len(Program({"train.py": text}).lint(CODE).findings)


@pytest.mark.parametrize("network", ["Net()", 'create_model("vit")'])
@pytest.mark.parametrize("base", ["nn.LossBase", "nn.MSELoss", "nn.SoftmaxCrossEntropyWithLogits", "ms.train.Accuracy"])
def test_a_loss_in_half_precision_sets_no_network(base: str, network: str) -> None:
    assert _reported(base, network, "nn.Identity()")


@pytest.mark.parametrize(
    ("base", "network", "inner"),
    [
        ("nn.LossBase", 'create_model("vit")', "Net()"),
        ("nn.LossBase", 'create_model("vit")', "net"),
        ("nn.LossBase", "Net()", "tools.unknown()"),
        ("nn.Cell", 'create_model("vit")', "nn.Identity()"),
        ("tools.Unknown", 'create_model("vit")', "nn.Identity()"),
    ],
)
def test_what_may_be_a_network_in_half_precision_sets_it(base: str, network: str, inner: str) -> None:
    assert not _reported(base, network, inner)
