"""MSP101: what is made again in each step is named where it is made; what is compiled again behind a change sees it.

Each form was run on MindSpore 2.10, CPU: `value_and_grad` and train cells that each step makes are compiled in each
step; a name, an attribute, `requires_grad` that changes before they are made is right in them.
"""

from __future__ import annotations

import textwrap

import pytest
from programs import Program

CODE = "MSP101"

START = """
import functools
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops

ms.set_context(mode=ms.PYNATIVE_MODE)
data = ds.MindDataset("train.mindrecord").batch(32, drop_remainder=True)
loss_fn = nn.CrossEntropyLoss()


class Net(nn.Cell):
    scale = 1.0

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(8, 4)

    def construct(self, x):
        return self.dense(x) * self.scale


net = Net()
opt = nn.SGD(net.trainable_params(), 0.1)


def forward(x, y, n=0):
    return loss_fn(net(x), y) * (n + 1)


"""
LOOPS = "for epoch in range(10):\n    for x, y in data.create_tuple_iterator():\n"
STEPS = "    for x, y in data.create_tuple_iterator():\n        value, grads = grad_fn(x, y)\n        opt(grads)\n"
TRAIN = """
    def train(self):
        for epoch in range(10):
            for x, y in data.create_tuple_iterator():
                GRADS
                opt(grads)


Trainer().train()
"""
MAKE = "ms.value_and_grad(forward, None, opt.parameters)"
AGAIN = "compiles this `{}` in every step"


def _trainer(body: str, grads: str = "value, grads = self.grad_fn()(x, y)") -> str:
    return f"class Trainer:\n{textwrap.indent(textwrap.dedent(body), ' ' * 4)}{TRAIN.replace('GRADS', grads)}"


def _loop(body: str) -> str:
    return LOOPS + textwrap.indent(textwrap.dedent(body), " " * 8)


FORMS = [
    # made again in each step
    ("method", _trainer(f"def grad_fn(self):\n    return {MAKE}\n"), [AGAIN.format("value_and_grad")]),
    (
        "property",
        _trainer(f"@property\ndef grad_fn(self):\n    return {MAKE}\n", "value, grads = self.grad_fn(x, y)"),
        [AGAIN.format("value_and_grad")],
    ),
    (
        "gradient operation",
        _trainer(
            "def grad_fn(self):\n    return ops.GradOperation(get_by_list=True)(net, opt.parameters)\n",
            "grads = self.grad_fn()(x)",
        ),
        [AGAIN.format("GradOperation")],
    ),
    (
        "train cell of a method",
        "class Trainer:\n    def step(self):\n"
        "        return nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), opt)\n\n"
        "    def train(self):\n        for epoch in range(10):\n"
        "            for x, y in data.create_tuple_iterator():\n"
        "                self.step()(x, y)\n\n\nTrainer().train()\n",
        [AGAIN.format("TrainOneStepCell")],
    ),
    (
        "function, by a name",
        f"def make():\n    return {MAKE}\n\n\n" + _loop("grad_fn = make()\nvalue, grads = grad_fn(x, y)\nopt(grads)\n"),
        [AGAIN.format("value_and_grad")],
    ),
    (
        "object",
        f"class Step:\n    def __init__(self):\n        self.grad_fn = {MAKE}\n\n    def run(self, x, y):\n"
        "        value, grads = self.grad_fn(x, y)\n        opt(grads)\n\n\n" + _loop("Step().run(x, y)\n"),
        [AGAIN.format("value_and_grad")],
    ),
    (
        "functions in the loop",
        _loop(
            f"""
            def forward_fn(x, y):
                return loss_fn(net(x), y)

            grad_fn = {MAKE.replace("forward", "forward_fn")}

            def step(x, y):
                value, grads = grad_fn(x, y)
                opt(grads)

            step(x, y)
            """
        ),
        [AGAIN.format("value_and_grad")],
    ),
    # made once, or once in each epoch
    (
        "cached property",
        _trainer(
            f"@functools.cached_property\ndef grad_fn(self):\n    return {MAKE}\n", "value, grads = self.grad_fn(x, y)"
        ),
        [],
    ),
    (
        "made where there is none",
        _trainer(
            "made = None\n\ndef grad_fn(self):\n    if self.made is None:\n"
            f"        self.made = {MAKE}\n    return self.made\n"
        ),
        [],
    ),
    (
        "step made once",
        f"def make():\n    grad_fn = {MAKE}\n\n    def step(x, y):\n"
        "        value, grads = grad_fn(x, y)\n        opt(grads)\n\n"
        "    return step\n\n\nstep = make()\n" + _loop("step(x, y)\n"),
        ["compiles the step alone"],
    ),
    (
        "epoch",
        f"for epoch in range(10):\n    grad_fn = {MAKE}\n{STEPS}",
        ["made again in each epoch"],
    ),
    # a change that is compiled
    (
        "attribute before it is made",
        f"for epoch in range(10):\n    net.scale = 0.1 * epoch\n    grad_fn = {MAKE}\n{STEPS}",
        ["made again in each epoch"],
    ),
    (
        "attribute before a function makes it",
        f"def train():\n    grad_fn = {MAKE}\n{STEPS}\n\n"
        "for epoch in range(10):\n    net.scale = 0.1 * epoch\n    train()\n",
        ["made again in each epoch"],
    ),
    (
        "loop variable of the function",
        "for epoch in range(10):\n    def forward_fn(x, y):\n        return loss_fn(net(x), y) * (epoch + 1)\n\n"
        f"    grad_fn = {MAKE.replace('forward', 'forward_fn')}\n{STEPS}",
        ["made again in each epoch"],
    ),
    (
        "frozen before it is made",
        "for stage in range(3):\n    for weight in net.get_parameters():\n        weight.requires_grad = stage == 1\n"
        f"    opt = nn.SGD(net.trainable_params(), 0.1)\n    grad_fn = {MAKE}\n"
        + textwrap.indent(f"for epoch in range(9):\n{STEPS}", "    "),
        [],
    ),
    (
        "weights loaded before it is made",
        'for epoch in range(10):\n    ms.load_param_into_net(net, ms.load_checkpoint("n.ckpt"))\n'
        f"    grad_fn = {MAKE}\n{STEPS}",
        ["made again in each epoch"],
    ),
    (
        "all set to what they are",
        f"grad_fn = {MAKE}\nfor epoch in range(10):\n    for weight in net.get_parameters():\n"
        f"        weight.requires_grad = True\n{STEPS}",
        [],
    ),
    # a change that is not
    (
        "attribute in each step",
        f"for epoch in range(10):\n    grad_fn = {MAKE}\n    for x, y in data.create_tuple_iterator():\n"
        "        net.scale = 0.1 * epoch\n        value, grads = grad_fn(x, y)\n        opt(grads)\n",
        ["keeps the first value of `self.scale`"],
    ),
    (
        "attribute, made in the first epoch",
        f"for epoch in range(10):\n    net.scale = 0.1 * epoch\n    if epoch == 0:\n        grad_fn = {MAKE}\n{STEPS}",
        ["keeps the first value of `self.scale`"],
    ),
    (
        "attribute, made once by the fix",
        _loop(f"net.scale = 0.1 * epoch\ngrad_fn = {MAKE}\nvalue, grads = grad_fn(x, y)\nopt(grads)\n"),
        [AGAIN.format("value_and_grad"), "keeps the first value of `self.scale`"],
    ),
    (
        "network of each epoch, behind its steps",
        f"grad_fn = {MAKE}\nfor epoch in range(10):\n{STEPS}    other = nn.Dense(8, 4)\n    print(other(x))\n",
        [],
    ),
    (
        "network of some steps",
        f"grad_fn = {MAKE}\n{LOOPS}        value, grads = grad_fn(x, y)\n        opt(grads)\n"
        "        if epoch % 2:\n            other = nn.Dense(8, 4)\n            print(other(x))\n",
        [AGAIN.format("Dense")],
    ),
    (
        "frozen later",
        f"grad_fn = {MAKE}\nfor epoch in range(10):\n    for weight in net.get_parameters():\n"
        f"        weight.requires_grad = epoch < 3\n{STEPS}",
        ["goes on training"],
    ),
    (
        "thawed later",
        "net.extra = ms.Parameter(ops.zeros(4), requires_grad=False)\n"
        f"grad_fn = {MAKE}\nfor epoch in range(10):\n"
        f"    if epoch == 3:\n        net.extra.requires_grad = True\n{STEPS}",
        ["goes on training"],
    ),
]

EACH = "compiles again for each value of `{}`"
PER_EPOCH = "another `{}` in each epoch"
GRADS = f"grad_fn = {MAKE}\n"
EPOCHS = "for epoch in range(100):\n"
STEP = "def step(x, y, n):\n    value, grads = grad_fn(x, y, n)\n    opt(grads)\n\n\n"
JIT = "compiles the step alone"


def _steps(given: str, after: str = "pass", over: str = "x, y in data.create_tuple_iterator()") -> str:
    return f"    for {over}:\n        value, grads = grad_fn(x, y, {given})\n        opt(grads)\n        {after}\n"


COUNTED = "i, (x, y) in enumerate(data.create_tuple_iterator())"
NUMBERS = [
    ("epoch", GRADS + EPOCHS + _steps("epoch"), [PER_EPOCH.format("epoch")]),
    ("epoch, worked out", f"{GRADS}{EPOCHS}    a = epoch / 100\n{_steps('a')}", [PER_EPOCH.format("a")]),
    (
        "epoch that is passed on",
        f"{GRADS}def train(k):\n{_steps('k')}\n\n{EPOCHS}    train(epoch + 1)\n",
        [PER_EPOCH.format("k")],
    ),
    (
        "epoch through two functions",
        GRADS + STEP + "def train(k):\n    for x, y in data.create_tuple_iterator():\n        step(x, y, k)\n\n\n"
        f"{EPOCHS}    train(epoch)\n",
        [PER_EPOCH.format("n"), JIT],
    ),
    ("step", f"{GRADS}n = 0\n{EPOCHS}{_steps('n', 'n += 1')}", [EACH.format("n")]),
    ("number of the batch", GRADS + EPOCHS + _steps("i", over=COUNTED), [EACH.format("i")]),
    (
        "number of the batch that is passed on",
        f"{GRADS}{STEP}{EPOCHS}    for {COUNTED}:\n        step(x, y, i)\n",
        [EACH.format("n"), JIT],
    ),
    (
        "attribute that counts",
        f"class Trainer:\n    n = 0\n\n    def __init__(self):\n        self.n = 0\n        self.grad_fn = {MAKE}\n\n"
        "    def step(self, x, y):\n        value, grads = self.grad_fn(x, y, self.n)\n        opt(grads)\n"
        "        self.n += 1\n\n\ntrainer = Trainer()\n" + _loop("trainer.step(x, y)\n"),
        [EACH.format("self.n"), JIT],
    ),
    ("part of a number", GRADS + EPOCHS + _steps("i * 0.1", over=COUNTED), [EACH.format("i * 0.1")]),
    (
        "number of NumPy",
        GRADS + "import numpy as np\n" + EPOCHS + _steps("np.float32(i)", over=COUNTED),
        [EACH.format("np.float32(i)")],
    ),
    (
        "number at random",
        GRADS + "import random\n" + EPOCHS + _steps("random.random()"),
        [EACH.format("random.random()")],
    ),
    *(
        (
            f"number at random, {drawn}",
            GRADS
            + "import random\nimport numpy as np\nrng, n = np.random.RandomState(1), int(input())\n"
            + EPOCHS
            + _steps(drawn),
            [EACH.format(drawn)],
        )
        for drawn in (
            "np.random.beta(0.2, 0.2)",
            "np.random.uniform(0.5, 1.5)",
            "rng.beta(0.4, 0.4)",
            "random.gauss(0, 1)",
            "np.random.randint(0, 1000)",
            "random.randint(1, 100)",
            "np.random.randint(n)",
            "rng.rand()",
        )
    ),
    *(
        (f"drawn, {drawn}", GRADS + "import random\nimport numpy as np\n" + EPOCHS + _steps(drawn), [])
        for drawn in ("np.random.randint(0, 4)", "random.randint(0, 1)", "ms.Tensor(np.random.rand())")
    ),
    ("remainder", GRADS + EPOCHS + _steps("i % 4", over=COUNTED), []),
    ("number behind its loop", f"{GRADS}for i in range(100):\n    pass\n{EPOCHS}{_steps('i')}", []),
    ("few epochs", f"{GRADS}for epoch in range(10):\n{_steps('epoch')}", []),
    ("tensor", GRADS + EPOCHS + _steps("ms.Tensor(epoch)"), []),
    ("constant", GRADS + EPOCHS + _steps("3"), []),
    *(
        (
            f"number of the step, {name}",
            f"{GRADS}import numpy as np\n{before}n = 0\n{EPOCHS}{_steps(to, 'n += 1')}",
            [EACH.format(to)],
        )
        for name, before, to in (
            ("limited", "", "min(1.0, n / 50)"),
            ("in two ways", "", "n / 50 if n < 50 else 1.0"),
            ("interpolated", "", "np.interp(n, [0, 50], [0, 1])"),
            ("by a function", "def weight(k):\n    return 1 / (1 + k)\n\n\n", "weight(n)"),
            ("by a schedule", "rates = np.linspace(0, 1, 500)\n", "rates[n]"),
        )
    ),
    *(
        (f"number that goes on, {name}", f"{GRADS}b = 1.0\n{EPOCHS}{_steps(to, then)}", [EACH.format(to)])
        for name, to, then in (
            ("multiplied", "b", "b *= 0.9"),
            ("limited", "b", "b = max(b * 0.9, 0.1)"),
            ("read from the loss", "b", "b = value.item()"),
            ("of the loss", "float(b)", "b = value"),
        )
    ),
    *(
        (f"no number, {name}", f"{GRADS}{before}n = 0\n{EPOCHS}{_steps(to, then)}", [])
        for name, before, to, then in (
            ("limited constant", "", "max(2, 3)", "n += 1"),
            ("size", "", "float(x.shape[0])", "n += 1"),
            ("tensor of a list", "rates = [ms.Tensor(0.1), ms.Tensor(0.2)]\n", "rates[n]", "n += 1"),
            ("tensor by a function", "def weight(k):\n    return ms.Tensor(k)\n\n\n", "weight(n)", "n += 1"),
            ("tensor that is scaled", "", "y", "y *= 0.5"),
        )
    ),
]


@pytest.mark.parametrize(
    ("text", "told"), [form[1:] for form in (*FORMS, *NUMBERS)], ids=[form[0] for form in (*FORMS, *NUMBERS)]
)
def test_what_is_named(text: str, told: list[str]) -> None:
    (finding,) = Program({"train.py": START + text}, device="Ascend").lint(CODE).findings
    found = [str(related.message) for related in finding.related]
    assert len(found) == len(told), found
    assert all(any(part in each for each in found) for part in told), found


TORCH = (
    "import argparse\nimport torch\n\nparser = argparse.ArgumentParser()\n"
    f'parser.add_argument("--framework", default="ms")\nargs = parser.parse_args()\n{GRADS}'
)
OF_TORCH = "loss = criterion(model(x), y)\n        loss.backward()\n        optim.step()\n"
MADE = "model = torch.nn.Linear(8, 4)\noptim = torch.optim.SGD(model.parameters(), 0.1)\n"
STEPS_BESIDE = f"{TORCH}for x, y in data.create_tuple_iterator():\n"
ARMS = [
    ("loss of MindSpore", _loop("loss = forward(x, y)\nloss.backward()\nopt.step()\n"), ["`backward()`"]),
    (
        "PyTorch imported",
        f"import torch\n\n{_loop('loss = forward(x, y)' + chr(10) + 'loss.backward()' + chr(10) + 'opt.step()')}",
        ["`backward()`"],
    ),
    (
        "loss of PyTorch",
        f"import torch\n\n{MADE}criterion = torch.nn.CrossEntropyLoss()\n"
        f"{STEPS_BESIDE}    value, grads = grad_fn(x, y)\n"
        f'    opt(grads)\n    if args.framework == "torch":\n        {OF_TORCH}',
        [],
    ),
    (
        "optimizer of PyTorch",
        f"import torch\n\nmodel, criterion = input(), input()\n{MADE}{STEPS_BESIDE}    value, grads = grad_fn(x, y)\n"
        f'    opt(grads)\n    if args.framework == "torch":\n        {OF_TORCH}',
        [],
    ),
    (
        "other arm",
        f'{STEPS_BESIDE}    if args.framework == "ms":\n        value, grads = grad_fn(x, y)\n        opt(grads)\n'
        "    else:\n        loss = made(x, y)\n        loss.backward()\n",
        [],
    ),
]


@pytest.mark.parametrize(("text", "told"), [form[1:] for form in ARMS], ids=[form[0] for form in ARMS])
def test_what_pytorch_trains_is_not_named(text: str, told: list[str]) -> None:
    test_what_is_named(text, told)
