"""MSP101: the training flag of cells, which Python changes between steps.

Each form was run on MindSpore 2.10, CPU, in PyNative and in graph mode: those of `SAME` give the same losses, those of
`OTHER` others.
"""

from __future__ import annotations

import pytest
from programs import Program, join

HEAD = """
    import mindspore as ms
    from mindspore import nn

    ms.set_context(mode=ms.PYNATIVE_MODE)
    data = ms.dataset.MindDataset("train.mindrecord").batch(32)


    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(64, 128)
            self.bn = nn.BatchNorm1d(128)

        def freeze(self):
            self.bn.set_train(False)

        def construct(self, x):
            return self.bn(self.fc(x))


    net, teacher = Net(), Net()
    opt = nn.SGD(net.trainable_params(), 0.1)


    def forward(x, y):
        return ((net(x) - y) ** 2).mean()


    def evaluate(net):
        net.set_train(False)
        return [net(x) for x, y in data.create_tuple_iterator()]


    def restored(net):
        net.set_train(False)
        found = [net(x) for x, y in data.create_tuple_iterator()]
        net.set_train(True)
        return found


    grad_fn = ms.value_and_grad(forward, None, opt.parameters)
    """
GUARDED = 'if __name__ == "__main__":\n    net, teacher = '
FROZEN = "    for _, each in net.cells_and_names():\n        if isinstance(each, nn.BatchNorm1d):\n"
FROZEN += "            each.set_train(False)\n"


def loop(before: str = "", after: str = "", in_step: str = "", start: str = "", step: str = "") -> str:
    """Return epochs with code in front of the steps, behind them, and in each of them."""
    return (
        f"{start}for epoch in range(3):\n{before}    for i, (x, y) in enumerate(data.create_tuple_iterator()):\n{step}"
        f"        value, grads = grad_fn(x, y)\n        opt(grads)\n{in_step}{after}"
    )


ON, OFF, EVALUATED = "    net.set_train()\n", "    net.set_train(False)\n", "    evaluate(net)\n"
CALLED = "def run(train):\n    net.set_train(train)\n    for x, y in data.create_tuple_iterator():\n        if train:\n"
CALLED += "            value, grads = grad_fn(x, y)\n            opt(grads)\n\n\n"
SAME = {
    "never": loop(),
    "at the beginning of each epoch": loop(ON, OFF),
    "by a function at the beginning of each epoch": loop(ON, EVALUATED),
    "restored": loop(start="net.set_train()\n", after="    restored(net)\n"),
    "behind the evaluation": loop(after=f"    if epoch == 1:\n        evaluate(net)\n    {ON}"),
    "passed on": f"{CALLED}for epoch in range(3):\n    run(True)\n    run(False)\n",
    "of another network": loop("    teacher.set_train(False)\n"),
    "of a network that is made there": loop(
        start="net.set_train()\n", after="    other = Net()\n    evaluate(other)\n"
    ),
    "part of the network in each epoch": loop(ON + FROZEN),
    "in each step": loop(ON, in_step=f"        evaluate(net)\n    {ON}"),
}
OTHER = {
    "not restored": loop(start="net.set_train()\n", after=OFF),
    "not restored by a function": loop(start="net.set_train()\n", after=EVALUATED),
    "not restored in a step": loop(ON, in_step="        if i == 1:\n            evaluate(net)\n").replace(ON, "", 1),
    "part of the network in later epochs": loop(f"{ON}    if epoch > 0:\n        net.bn.set_train(False)\n"),
    "by a method": loop(start="net.set_train()\n", after="    net.freeze()\n"),
    **{
        f"of a cell around it: {made}": loop(start=f"net.set_train()\nouter = {made}\n", after="    evaluate(outer)\n")
        for made in (
            "nn.SequentialCell(net, nn.ReLU())",
            "nn.SequentialCell([net])",
            "nn.WithEvalCell(net, nn.MSELoss())",
        )
    },
    "computed in each epoch": loop("    net.set_train(epoch < 1)\n"),
    "computed in each step": loop(step="        net.set_train(i % 2 == 0)\n"),
}


@pytest.mark.parametrize("text", SAME.values(), ids=SAME)
def test_a_flag_that_is_the_same_in_each_step_keeps_the_fix(text: str) -> None:
    assert _reason(text).startswith("the first step takes longer")


def test_a_network_beside_is_known_where_the_optimizer_takes_some_of_the_weights() -> None:
    some = join(HEAD).replace(
        "SGD(net.trainable_params(),", "SGD(list(filter(lambda p: p.name, net.get_parameters())),"
    )
    text = loop(start="net.set_train()\n", after="    evaluate({})\n")
    assert _reason(text.format("teacher"), code=some).startswith("the first step takes longer")
    assert _reason(text.format("net"), code=some).startswith("graph mode keeps the training flag")


@pytest.mark.parametrize("text", OTHER.values(), ids=OTHER)
def test_a_flag_that_later_steps_change_is_an_obstacle(text: str) -> None:
    assert _reason(text).startswith("graph mode keeps the training flag")
    assert _reason(text, "BatchNorm1d(128)", "Dense(128, 128)").startswith("the first step takes longer")  # reads none


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (loop(after=OFF), "the first step takes longer"),  # new cells begin with the flag off
        (loop(in_step="        if i == 1:\n            evaluate(net)\n"), "the first step takes longer"),
        (loop(after=OFF, start="nn.SequentialCell(net).set_train()\n"), "graph mode keeps the training flag"),
        (loop(after=OFF, start="net.bn.training = True\n"), "graph mode keeps the training flag"),
        (loop(after=OFF, start="ms.amp.build_train_network(net, opt, nn.MSELoss())\n"), "graph mode keeps the"),
        (loop(after=OFF, start="nn.WithGradCell(net, nn.MSELoss())\n"), "graph mode keeps the training flag"),
        (loop(after=OFF, start="ms.Model(net, nn.MSELoss(), opt).train(1, data)\n"), "graph mode keeps the training"),
    ],
)
def test_a_flag_that_nothing_switches_on_keeps_the_fix(text: str, expected: str) -> None:
    assert _reason(text, code=join(HEAD).replace("    net.set_train(True)\n", "")).startswith(expected)


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        # `layers.py` has a BatchNorm that the program does not make
        ("Net(layers.plain)", "the first step takes longer"),
        ("Net(layers.normalised)", "graph mode keeps the training flag"),
        ("Net(layers.passed)", "graph mode keeps the training flag"),
        (f"None, None\n{GUARDED}Net(nn.BatchNorm1d)", "graph mode keeps the training flag"),
        ("Net(lambda n: nn.TransformerEncoderLayer(n, 4))", "graph mode keeps the training flag"),
        # layers that may hold a Dropout
        ("Net(lambda n: nn.LSTM(n, 4, 2, dropout=0.3))", "graph mode keeps the training flag"),
        ("Net(lambda n: nn.GRU(n, 4, num_layers=layers.count(), dropout=0.3))", "graph mode keeps the training flag"),
        ("Net(lambda n: nn.MultiheadAttention(n, 4, 0.2))", "graph mode keeps the training flag"),
        ("Net(lambda n: nn.Transformer(n, 4))", "graph mode keeps the training flag"),
        ("Net(lambda n: nn.Transformer(n, 4, dropout=0))", "the first step takes longer"),
        ("Net(lambda n: nn.LSTM(n, 4, 2))", "the first step takes longer"),
        ("Net(lambda n: nn.RNN(n, 4, dropout=0.3))", "the first step takes longer"),  # drops between its layers
        ("Net(lambda n: nn.MultiheadAttention(n, 4, dropout=0.0))", "the first step takes longer"),
    ],
)
def test_layers_that_are_made_and_may_drop_or_normalise_read_the_flag(new: str, expected: str) -> None:
    layers = """
        from mindspore import nn

        def plain(n): return nn.Dense(n, n)
        def normalised(n): return nn.BatchNorm1d(n)
        def made(n, layer): return layer(n)
        def passed(n): return made(n, nn.BatchNorm1d)
        """
    code = join(HEAD).replace("Net(), Net()", f"{new}, None").replace("import nn", "import nn\nimport layers", 1)
    code = code.replace("__init__(self)", "__init__(self, last)").replace("nn.BatchNorm1d(128)", "last(128)")
    assert _reason(OTHER["not restored"], code=code, layers=join(layers)).startswith(expected)


def _reason(text: str, old: str = "", new: str = "", code: str = join(HEAD), layers: str = "") -> str:
    code += text
    files = {"train.py": code.replace(old, new) if old else code, "layers.py": layers}
    (finding,) = Program(files).lint("MSP101").findings
    assert finding.fix is not None
    return str(finding.fix.reason)
