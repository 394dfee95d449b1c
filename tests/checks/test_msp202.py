"""MSP202 unaligned-shape: what is reported, with which safety, and what is not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from programs import Program, case, fires, quiet

from ms_perflint.api import lint_paths

CODE = "MSP202"

IMPORTS = """
    import mindspore as ms
    import mindspore.dataset as ds
    from mindspore import Parameter, Tensor, nn, ops
    from mindspore.common.initializer import initializer

    ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")


    """

TRAIN = """
    net = Net()
    model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()), amp_level="O2")
    model.train(10, ds.MindDataset("train.mindrecord").batch(32), dataset_sink_mode=True)
    """


def cell(init: str, construct: str, signature: str = "self") -> str:
    """Return a network of one cell, from the lines of its `__init__` and the lines of its `construct`."""
    layers = "".join(f"        {line}\n" for line in init.splitlines())
    body = "".join(f"        {line}\n" for line in construct.splitlines())
    head = f"class Net(nn.Cell):\n    def __init__({signature}):\n        super().__init__()\n"
    return f"{head}{layers}\n    def construct(self, x):\n{body}\n\n"


LAYERS = "return nn.SequentialCell(nn.Dense(64, hidden), nn.ReLU(), nn.Dense(hidden, 10))"


TEACHER = """
    class Teacher(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(784, 1000)

        def construct(self, x):
            return self.fc(x)


    class Wider(Net):
        pass


    class Around(nn.Cell):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner

        def construct(self, x):
            return self.inner(x)


    """
LOADS = [  # what is loaded beside the training, and the safety of the fix
    ("another network", "ms.load_checkpoint('a.ckpt', net=Teacher())", "unsafe"),
    ("another network, from a dict", "ms.load_param_into_net(Teacher(), ms.load_checkpoint('a.ckpt'))", "unsafe"),
    ("another network, from a name", "a = ms.load_checkpoint('a')\nms.load_param_into_net(Teacher(), a)", "unsafe"),
    ("a cell around another network", "ms.load_checkpoint('a.ckpt', Around(Teacher()))", "unsafe"),
    ("a layer", "ms.load_checkpoint('a.ckpt', nn.Dense(784, 1000))", "unsafe"),
    ("the network", "ms.load_param_into_net(Net(), ms.load_checkpoint('a.ckpt'))", "display-only"),
    ("a network that derives from it", "ms.load_checkpoint('a.ckpt', Wider())", "display-only"),
    ("a cell around the network", "ms.load_checkpoint('a.ckpt', Around(Net()))", "display-only"),
    ("a network that is not known", "import zoo\nms.load_checkpoint('a.ckpt', zoo.make())", "display-only"),
    ("an optimizer", "ms.load_checkpoint('a.ckpt', nn.Adam(Teacher().trainable_params()))", "display-only"),
    ("nothing that is known", "stored = ms.load_checkpoint('a.ckpt')\nprint(stored)", "display-only"),
    ("both networks", "for net in Teacher(), Net():\n    ms.load_checkpoint('a', net)", "display-only"),
]  # fmt: skip


def loading(what: str, lines: str, safety: str) -> object:
    """Return a program that trains a network with a free width, after it loads weights."""
    layers = f"self.fc1 = nn.Dense(784, 500)  # ! {safety}\nself.fc2 = nn.Dense(500, 10)"
    net = cell(layers, "return self.fc2(ops.relu(self.fc1(x)))")
    return case(f"weights are loaded into {what}", IMPORTS, net, TEACHER, lines + "\n", TRAIN)


READ_BACK = "ms.load_param_into_net(Net(), ms.load_checkpoint({}))\n"
OPTIONS = "import argparse\nparser = argparse.ArgumentParser()\n{}args = parser.parse_args()\n"
FLAG = 'parser.add_argument("--{}", action="store_true")\n'
SAVES_BEST = """
    class Best(ms.Callback):
        def on_train_epoch_end(self, run_context):
            if run_context.original_args().net_outputs < 1:
                ms.save_checkpoint(net, "best.ckpt")


    """
READS_BACK = [  # what runs before the training, and after it; the safety of the fix
    ("which it has saved", "", "ms.save_checkpoint(net, 'a.ckpt')\n" + READ_BACK.format("'a.ckpt'"), "unsafe"),
    ("saved without the ending", "", "ms.save_checkpoint(net, 'a')\n" + READ_BACK.format("'a.ckpt'"), "unsafe"),
    (
        "saved in a loop, under a name made of its counter",
        "",
        "for i in range(3):\n    path = f'{i}.ckpt'\n    ms.save_checkpoint(net, path)\n    "
        + READ_BACK.format("f'{i}.ckpt'"),
        "unsafe",
    ),
    (
        "saved by a function, and loaded by another",
        "def save(where):\n    ms.save_checkpoint(net, where)\n\n\ndef test(where):\n    " + READ_BACK.format("where"),
        "save('a.ckpt')\ntest('a.ckpt')",
        "unsafe",
    ),
    (
        "saved where the loss is low",
        "",
        "for i in range(3):\n    if ask(i) < 1:\n        ms.save_checkpoint(net, 'a.ckpt')\n"
        + READ_BACK.format("'a.ckpt'"),
        "unsafe",
    ),
    ("of another name", "", "ms.save_checkpoint(net, 'a.ckpt')\n" + READ_BACK.format("'b.ckpt'"), "display-only"),
    (
        "of an earlier run, where there is one",
        "import os\nif os.path.exists('a.ckpt'):\n    " + READ_BACK.format("'a.ckpt'"),
        "ms.save_checkpoint(net, 'a.ckpt')",
        "display-only",
    ),
    (
        "saved with an option only",
        OPTIONS.format(FLAG.format("save")),
        "if args.save:\n    ms.save_checkpoint(net, 'a.ckpt')\n" + READ_BACK.format("'a.ckpt'"),
        "display-only",
    ),
    (
        "loaded by a function that also runs alone",
        OPTIONS.format(FLAG.format("test"))
        + "def test():\n    "
        + READ_BACK.format("'a.ckpt'")
        + "if args.test:\n    test()\n",
        "ms.save_checkpoint(net, 'a.ckpt')\ntest()",
        "display-only",
    ),
    (
        "that an option names",
        OPTIONS.format('parser.add_argument("--path")\n'),
        "ms.save_checkpoint(net, 'a.ckpt')\n" + READ_BACK.format("args.path"),
        "display-only",
    ),
    (
        "saved by a ModelCheckpoint, which takes another name beside files of an earlier run",
        "",
        "model.train(1, ds.MindDataset('train.mindrecord'), callbacks=[ms.ModelCheckpoint('a', '.')])\n"
        + READ_BACK.format("'a-1_10.ckpt'"),
        "display-only",
    ),
]


def read_back(what: str, before: str, after: str, safety: str) -> object:
    """Return a program that loads weights of a network with a free width after it has trained it."""
    layers = f"self.fc1 = nn.Dense(784, 500)  # ! {safety}\nself.fc2 = nn.Dense(500, 10)"
    net = cell(layers, "return self.fc2(ops.relu(self.fc1(x)))")
    return case(f"a run loads a file {what}", IMPORTS, net, before + "\n", TRAIN, after + "\n")


def made(what: str, head: str, *, marker: str = "") -> Program:
    """Return a program that trains what a function makes of a hidden width; `head`: the function, `...`: its body."""
    return case(
        what, IMPORTS, "from functools import partial\n\n", head.replace("...", LAYERS + marker) + "\n", TRAINED
    )


TRAINED = """
    model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()), amp_level="O2")
    model.train(10, ds.MindDataset("train.mindrecord").batch(32), dataset_sink_mode=True)
    """
STATIC = "class A:\n    @staticmethod\n    def make({}):\n        ...\n\n"
MADE = "def make({}):\n    ...\n\n"
BOUND = [  # how 100 is passed for the hidden width
    ("to a function", MADE.format("hidden") + "net = make(100)"),
    ("to a static method", STATIC.format("hidden") + "net = A.make(100)"),
    ("to a static method of an object", STATIC.format("hidden") + "net = A().make(100)"),
    ("to a static method, as the second argument", STATIC.format("name, hidden") + "net = A.make('x', 100)"),
    (
        "to a static method that is none by a decorator",
        "class A:\n    def make(hidden):\n        ...\n\n    make = staticmethod(make)\n\nnet = A.make(100)",
    ),
    (
        "to a static method of a class with an outdated base",
        STATIC.format("hidden").replace("A:", "A(object):") + "net = A.make(100)",
    ),
    ("by `partial`", MADE.format("hidden") + "build = partial(make, 100)\nnet = build()"),
    ("by a keyword of `partial`", MADE.format("hidden=128") + "build = partial(make, hidden=100)\nnet = build()"),
    ("to what `partial` makes", MADE.format("name, hidden") + "build = partial(make, 'x')\nnet = build(100)"),
    (
        "in place of what `partial` passes",
        MADE.format("hidden") + "build = partial(make, hidden=128)\nnet = build(hidden=100)",
    ),
    ("by `partial` to a static method", STATIC.format("hidden") + "build = partial(A.make, 100)\nnet = build()"),
    ("to a static method, and another one too", STATIC.format("hidden") + "net = A.make(100)\nother = A.make(128)"),
    ("in a sequence", MADE.format("hidden") + "sizes = (100,)\nnet = make(*sizes)"),
    ("in a mapping", MADE.format("hidden") + "net = make(**{'hidden': 100})"),
    ("by default, behind an empty sequence", MADE.format("hidden=100") + "net = make(*())"),
]
NOT_BOUND = [  # where another number, or one that is not known, is passed
    ("to another parameter of a static method", STATIC.format("number, hidden") + "net = A.make(100, 128)"),
    ("in a sequence that is not known", MADE.format("hidden=100") + "net = make(*unknown())"),
    ("in a mapping that is not known", MADE.format("hidden=100") + "net = make(**unknown())"),
    (
        "by `partial`, and replaced",
        MADE.format("hidden") + "build = partial(make, hidden=100)\nnet = build(hidden=128)",
    ),
    (
        "by `partial`, and perhaps replaced",
        MADE.format("hidden") + "build = partial(make, hidden=100)\nnet = build(**unknown())",
    ),
    (
        "by `partial`, to a parameter before",
        MADE.format("number, hidden") + "build = partial(make, 100)\nnet = build(128)",
    ),
    (
        "by `partial`, which leaves the width to others",
        MADE.format("name, hidden=100") + "run(partial(make, 'x'))\nnet = make('x')",
    ),
]

HELD = 'class LabelSettings:\n    hidden = 100\n    labels = 100\n\n\nNUM_CLASSES = 100\nclass_name = "hidden"\n'


def held(width: str, marker: str = "") -> Program:
    """Return a program with two layers of a width."""
    layers = f"self.fc1 = nn.Dense(784, {width}){marker}\nself.fc2 = nn.Dense({width}, 10)"
    return case(f"the width `{width}`", IMPORTS, HELD, cell(layers, "return self.fc2(self.fc1(x))"), TRAIN)


def numbered(output: str, said: str = "self.inner(x, 5)", marker: str = "") -> str:
    """Return a network in which a layer of 50 feeds a second one as `output` says, with a parameter `times`."""
    return f"""
        class Inner(nn.Cell):
            def __init__(self):
                super().__init__()
                self.mean = nn.Dense(784, 50){marker}
                self.head = nn.Dense(50, 784)

            def construct(self, x, times):
                return self.head({output})


        class Net(nn.Cell):
            def __init__(self):
                super().__init__()
                self.inner = Inner()

            def construct(self, x, given=None):
                return {said}
        """


CHOICES = [
    "WIDTH = {0}\nif args.wide:\n    WIDTH = {1}",
    "if args.wide:\n    WIDTH = {1}\nelse:\n    WIDTH = {0}",
    "WIDTH = {1} if args.wide else {0}",
    "WIDTH = [{0}, {1}][args.wide]",
    "WIDTH = {{'small': {0}, 'large': {1}}}[args.size]",
    "WIDTH, _ = ({1}, 2) if args.wide else ({0}, 1)",
    "class A:\n    width = {0}\n\n\nclass B:\n    width = {1}\n\n\nWIDTH = (B if args.wide else A).width",
    "def width(wide):\n    if wide:\n        return {1}\n    return {0}\n\n\nWIDTH = width(args.wide)",
]


def chosen(usual: str, other: str, text: str, marker: str) -> object:
    """Return a case: an option chooses the width, which is the usual one by default."""
    options = """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--wide", type=bool, default=False)
        parser.add_argument("--size", default="small", choices=["small", "large"])
        args = parser.parse_args()
        """
    layers = f"self.fc1 = nn.Dense(64, WIDTH){marker}\nself.fc2 = nn.Dense(WIDTH, 2)"
    body = cell(layers, "return self.fc2(ops.relu(self.fc1(x)))")
    return case(f"by default {usual} of {text}", IMPORTS, options, text.format(usual, other) + "\n\n\n", body, TRAIN)


FIRES = [
    *(held(width, "  # ! unsafe") for width in ("LabelSettings.hidden", "getattr(LabelSettings, class_name)")),
    *(
        case(
            f"a parameter that is a number says how an operator works: {output}",
            IMPORTS,
            numbered(output, marker="  # ! unsafe"),
            TRAIN,
        )
        for output in (
            "ops.repeat_interleave(self.mean(x), times, 0)",
            "ops.tile(self.mean(x), (times, 1))",
            "ops.roll(self.mean(x), times, 0)",
            "ops.clamp(self.mean(x), 0, times)",
            "ops.softmax(self.mean(x), times)",
            "self.mean(x).expand_dims(times).squeeze(times)",
        )
    ),
    *(loading(*each) for each in LOADS),
    *(read_back(*each) for each in READS_BACK),
    case(
        "a run loads a file that its callback has saved",
        IMPORTS,
        cell("self.fc1 = nn.Dense(784, 500)  # ! unsafe\nself.fc2 = nn.Dense(500, 10)", "return self.fc2(self.fc1(x))"),
        SAVES_BEST,
        TRAIN.replace("dataset_sink_mode", "callbacks=[Best()], dataset_sink_mode"),
        READ_BACK.format("'best.ckpt'"),
    ),
    *(made(f"a width that is passed {how}", head, marker="  # ! unsafe") for how, head in BOUND),
    case(
        "what a class hands on to the one that makes it",
        IMPORTS,
        """
        class Features(nn.Cell):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2d(1, 32, 5)
                self.fc = nn.Dense(512, 50)  # ! unsafe

            def construct(self, x):
                return ops.relu(self.fc(ops.flatten(self.conv(x), start_dim=1)))


        class Net(nn.Cell):
            def __init__(self):
                super().__init__()
                self.features = Features()
                self.head = nn.Dense(50, 10)

            def construct(self, x):
                return self.head(self.features(x))


        """,
        TRAIN,
    ),
    case(
        "a thousand units that are no classes",
        IMPORTS,
        cell(
            "self.fc1 = nn.Dense(784, 1000)  # ! unsafe\nself.fc2 = nn.Dense(1000, 10)",
            "return self.fc2(ops.relu(self.fc1(x)))",
        ),
        TRAIN,
    ),
    case(
        "hidden width",
        IMPORTS,
        cell(
            "self.fc1 = nn.Dense(784, 500)  # ! unsafe\nself.fc2 = nn.Dense(500, 10)",
            "return self.fc2(ops.relu(self.fc1(x)))",
        ),
        TRAIN,
    ),
    case(
        "hidden width by keyword, normalisation and dropout between",
        IMPORTS,
        cell(
            "self.fc1 = nn.Dense(in_channels=64, out_channels=200)  # ! unsafe\n"
            "self.norm = nn.BatchNorm1d(200)\n"
            "self.drop = nn.Dropout(p=0.1)\n"
            "self.fc2 = nn.Dense(in_channels=200, out_channels=1)",
            "return self.fc2(self.drop(self.norm(self.fc1(x))))",
        ),
        TRAIN,
    ),
    case(
        "constant of the module",
        IMPORTS,
        "HIDDEN = 300\n\n\n",
        cell(
            "self.fc1 = nn.Dense(64, HIDDEN)  # ! unsafe\nself.fc2 = nn.Dense(HIDDEN, 8)",
            "x = self.fc1(x)\nreturn self.fc2(x)",
        ),
        TRAIN,
    ),
    case(
        "default of a parameter",
        IMPORTS,
        cell(
            "self.fc1 = nn.Dense(64, width)  # ! unsafe\nself.fc2 = nn.Dense(width, 8)",
            "return self.fc2(ops.relu(self.fc1(x)))",
            "self, width=100",
        ),
        TRAIN,
    ),
    case(
        "hidden size of a recurrent layer",
        IMPORTS,
        cell(
            "self.rnn = nn.LSTM(input_size=64, hidden_size=150, batch_first=True)  # ! unsafe\n"
            "self.fc = nn.Dense(150, 5)",
            "x, _ = self.rnn(x)\nreturn self.fc(x[:, -1])",
        ),
        TRAIN,
    ),
    case(
        "channels of an own convolution",
        IMPORTS,
        cell(
            "self.conv1 = nn.Conv2d(3, 20, 3)  # ! unsafe\n"
            "self.bn1 = nn.BatchNorm2d(20)\n"
            "self.conv2 = nn.Conv2d(20, 64, 3)\n"
            "self.fc = nn.Dense(64, 10)",
            "x = ops.relu(self.bn1(self.conv1(x)))\nreturn self.fc(self.conv2(x).mean((2, 3)))",
        ),
        TRAIN,
    ),
    case(
        "layers in a row",
        IMPORTS,
        cell(
            "self.body = nn.SequentialCell(\n"
            "    nn.Dense(64, 100),  # ! unsafe\n"
            "    nn.ReLU(),\n"
            "    nn.Dense(100, 50),  # ! unsafe\n"
            "    nn.ReLU(),\n"
            "    nn.Dense(50, 2),\n"
            ")",
            "return self.body(x)",
        ),
        TRAIN,
    ),
    case(
        "weights of a product",
        IMPORTS,
        cell(
            "self.matmul = ops.MatMul()\n"
            'self.w1 = Parameter(initializer("normal", (784, 300)), name="w1")  # ! unsafe\n'
            'self.w2 = Parameter(initializer("normal", (300, 10)), name="w2")',
            "x = self.matmul(x, self.w1)\nreturn self.matmul(ops.relu(x), self.w2)",
        ),
        TRAIN,
    ),
    *(
        case(
            f"weights of a product, cast: {right}",
            IMPORTS,
            cell(
                'self.w1 = Parameter(initializer("normal", (784, 300)), name="w1")  # ! unsafe\n'
                "self.cast = ops.Cast()\n"
                "self.head = nn.Dense(300, 10)",
                f"return self.head(ops.relu(ops.matmul(x, {right})))",
            ),
            TRAIN,
        )
        for right in (
            "self.w1.astype(x.dtype)",
            "self.w1.to(ms.float16)",
            "self.w1.astype(dtype=x.dtype)",
            "ops.cast(self.w1, x.dtype)",
            "ops.cast(self.w1, dtype=x.dtype)",
            "ops.Cast()(self.w1, x.dtype)",
            "self.cast(self.w1, x.dtype)",
            "self.w1.astype(ms.float16).astype(x.dtype)",
        )
    ),
    case(
        "two producers that are added",
        IMPORTS,
        cell(
            "self.left = nn.Dense(64, 100)  # ! unsafe\n"
            "self.right = nn.Dense(64, 100)  # ! unsafe\n"
            "self.out = nn.Dense(100, 4)",
            "return self.out(self.left(x) + self.right(x))",
        ),
        TRAIN,
    ),
    case(
        "part of a split",
        IMPORTS,
        cell(
            "self.gates = nn.Dense(64, 2 * 24)  # !\nself.out = nn.Dense(24, 4)",
            "a, b = ops.split(self.gates(x), 24, axis=1)\nreturn self.out(ops.sigmoid(a) * b)",
        ),
        TRAIN,
    ),
    *(
        case(
            f"convolutions of mint: {word}",
            IMPORTS,
            "from mindspore import mint\n\n\n",
            cell(
                f"self.c1 = mint.nn.{word}(64, 250, 3)  # ! unsafe\nself.c2 = mint.nn.{word}(250, 10, 3)",
                "return self.c2(mint.nn.functional.relu(self.c1(x)))",
            ),
            TRAIN,
        )
        for word in ("Conv1d", "Conv2d", "Conv3d", "ConvTranspose2d")
    ),
    case(
        "layers of mint",
        IMPORTS,
        "from mindspore import mint\n\n\n",
        cell(
            "self.fc1 = mint.nn.Linear(64, 250)  # ! unsafe\nself.fc2 = mint.nn.Linear(250, 10)",
            "return self.fc2(mint.nn.functional.relu(self.fc1(x)))",
        ),
        TRAIN,
    ),
    case(
        "product of literal shapes",
        IMPORTS,
        cell(
            "self.fc = nn.Dense(64, 16)",
            "mixed = ops.matmul(ops.ones((64, 100), ms.float32), ops.ones((100, 64), ms.float32))  # !\n"
            "return self.fc(x + mixed)",
        ),
        TRAIN,
    ),
    case(
        "padding that adds sixteen to an aligned number",
        IMPORTS,
        """
        def padded(count):
            return (count // 16 + 1) * 16  # ! unsafe


        class Net(nn.Cell):
            def __init__(self, classes):
                super().__init__()
                self.fc = nn.Dense(64, padded(classes))

            def construct(self, x):
                return self.fc(x)


        """,
        TRAIN.replace("Net()", "Net(1008)"),
    ),
    case(
        "the same padding, factors the other way round",
        IMPORTS,
        cell(
            "self.width = 16 * (1 + count // 16)  # ! unsafe\nself.fc = nn.Dense(64, self.width)",
            "return self.fc(x)",
            "self, count=1008",
        ),
        TRAIN,
    ),
    case(
        "program loads a checkpoint",
        IMPORTS,
        cell(
            "self.fc1 = nn.Dense(784, 500)  # ! display-only\nself.fc2 = nn.Dense(500, 10)",
            "return self.fc2(ops.relu(self.fc1(x)))",
        ),
        """
        net = Net()
        ms.load_checkpoint("pretrained.ckpt", net)
        model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()), amp_level="O2")
        model.train(10, ds.MindDataset("train.mindrecord").batch(32), dataset_sink_mode=True)
        """,
    ),
    case(
        "width of the config file",
        {
            "train.py": """
                import mindspore as ms
                import yaml
                from mindspore import nn, ops

                with open("default_config.yaml") as file:
                    config = yaml.safe_load(file)


                class Net(nn.Cell):
                    def __init__(self):
                        super().__init__()
                        self.fc1 = nn.Dense(64, config["hidden"])  # ! display-only
                        self.fc2 = nn.Dense(config["hidden"], 8)

                    def construct(self, x):
                        return self.fc2(ops.relu(self.fc1(x)))


                net = Net()
                ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, ms.dataset.MindDataset("a"))
                """,
            "default_config.yaml": "hidden: 100\n",
        },
    ),
    case(
        "width is given in another file",
        {
            "train.py": """
                import mindspore as ms
                from mindspore import nn

                from network import Mixer

                net = Mixer(100)
                ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, ms.dataset.MindDataset("a"))
                """,
            "network.py": """
                from mindspore import nn, ops


                class Mixer(nn.Cell):
                    def __init__(self, width):
                        super().__init__()
                        self.fc1 = nn.Dense(64, width)  # ! display-only
                        self.fc2 = nn.Dense(width, 64)

                    def construct(self, x):
                        return self.fc2(ops.gelu(self.fc1(x)))
                """,
        },
    ),
    *(chosen("100", "96", text, "  # !") for text in CHOICES),
    case(
        "GPU counts by eight",
        IMPORTS,
        cell(
            "self.fc1 = nn.Dense(64, 100)  # !\nself.fc2 = nn.Dense(100, 40)\nself.fc3 = nn.Dense(40, 2)",
            "return self.fc3(self.fc2(self.fc1(x)))",
        ),
        TRAIN,
        device="GPU",
    ),
    case(
        "own multiple",
        IMPORTS,
        cell(
            "self.fc1 = nn.Dense(64, 48)  # !\nself.fc2 = nn.Dense(48, 2)",
            "return self.fc2(ops.relu(self.fc1(x)))",
        ),
        TRAIN,
        options={"multiple": 32},
    ),
]

QUIET = [
    *(
        case(
            f"a parameter that is a tensor in one call: {said}", IMPORTS, numbered("self.mean(x) + times", said), TRAIN
        )
        for said in (
            "self.inner(x, x)",
            "self.inner(x, 1) + self.inner(x, x)",
            "self.inner(x, times=x)",
            "self.inner(x, *x)",
            "self.inner(x, ops.ones((50,)))",
            "self.inner(x, given)",
            "self.inner(x, [x])",
            "self.inner(x, 1 if self.training else x)",
        )
    ),
    *map(held, ("LabelSettings.labels", "NUM_CLASSES", "LabelSettings().labels", "int(NUM_CLASSES)")),
    *(
        case(
            f"a product with what is no weight: {right}",
            IMPORTS,
            cell(
                'self.w1 = Parameter(initializer("normal", (784, 300)), name="w1")\nself.head = nn.Dense(300, 10)',
                f"other = ops.ones((784, 300), ms.float32)\nreturn self.head(ops.relu(ops.matmul(x, {right})))",
            ),
            TRAIN,
        )
        for right in (
            "other.astype(self.w1.dtype)",
            "ops.cast(other, self.w1.dtype)",
            "self.w1.dot(other)",
            "self.w1.expand(other)",
            "ops.stack((self.w1.astype(x.dtype), other))",
        )
    ),
    *(made(f"a width that is passed {how}", head) for how, head in NOT_BOUND),
    case(
        "a width of a published network, in the order of its layers",
        IMPORTS,
        cell(
            "self.a = nn.Conv2d(1, 20, 5)\nself.b = nn.Conv2d(20, 50, 5)\n"
            "self.c = nn.Dense(800, 500)\nself.d = nn.Dense(500, 10)",
            "return self.d(self.c(ops.flatten(self.b(self.a(x)))))",
        ),
        TRAIN,
    ),
    case(
        "a head beside a layer of another class that takes in as many",
        IMPORTS,
        """
        class Other(nn.Cell):
            def __init__(self):
                super().__init__()
                self.body = nn.Dense(64, 32)
                self.head = nn.Dense(32, 50)

            def construct(self, x):
                return self.head(self.body(x))


        class Words(nn.Cell):
            def __init__(self):
                super().__init__()
                self.fc = nn.Dense(50, 10)

            def construct(self, x):
                return self.fc(x)


        class Net(nn.Cell):
            def __init__(self):
                super().__init__()
                self.other = Other()
                self.words = Words()

            def construct(self, x, y):
                return self.other(x), self.words(y)


        """,
        TRAIN,
    ),
    case(
        "aligned",
        IMPORTS,
        cell(
            "self.fc1 = nn.Dense(784, 512)\nself.fc2 = nn.Dense(512, 48)\nself.fc3 = nn.Dense(48, 16)",
            "return self.fc3(self.fc2(self.fc1(x)))",
        ),
        TRAIN,
    ),
    case("number of classes", IMPORTS, cell("self.fc = nn.Dense(512, 100)", "return self.fc(x)"), TRAIN),
    case(
        "classes of ImageNet",
        IMPORTS,
        cell("self.body = nn.Dense(64, 1001)\nself.head = nn.Dense(1001, 1000)", "return self.head(self.body(x))"),
        TRAIN,
    ),
    case(
        "classes by a parameter",
        IMPORTS,
        cell("self.head = nn.Dense(2048, num_classes)", "return self.head(x)", "self, num_classes=37"),
        TRAIN,
    ),
    case(
        "boxes and anchors",
        IMPORTS,
        cell(
            "self.body = nn.Conv2d(3, 64, 3)\n"
            "self.boxes = nn.Conv2d(64, 9 * 4, 1)\n"
            "self.scores = nn.Conv2d(64, 3 * 85, 1)",
            "x = self.body(x)\nreturn self.boxes(x), self.scores(x)",
        ),
        TRAIN,
    ),
    case(
        "landmarks and offsets",
        IMPORTS,
        cell(
            "self.landmarks = nn.Dense(256, 136)\nself.offsets = nn.Conv2d(64, 18, 3)",
            "return self.landmarks(x), self.offsets(x)",
        ),
        TRAIN,
    ),
    case(
        "unaligned input alone",
        IMPORTS,
        cell("self.fc1 = nn.Dense(39, 512)\nself.fc2 = nn.Dense(512, 16)", "return self.fc2(self.fc1(x))"),
        TRAIN,
    ),
    case(
        "small sizes",
        IMPORTS,
        cell(
            "self.conv1 = nn.Conv2d(1, 6, 5)\nself.conv2 = nn.Conv2d(6, 12, 5)\nself.fc = nn.Dense(12, 4)",
            "return self.fc(self.conv2(self.conv1(x)).mean((2, 3)))",
        ),
        TRAIN,
    ),
    case(
        "depthwise and grouped convolutions",
        IMPORTS,
        cell(
            "self.deep = nn.Conv2d(72, 72, 3, group=72)\n"
            "self.groups = nn.Conv2d(72, 120, 1, group=4)\n"
            "self.out = nn.Conv2d(120, 64, 1)",
            "return self.out(self.groups(self.deep(x)))",
        ),
        TRAIN,
    ),
    case(
        "published network by the name of its class",
        IMPORTS,
        """
        class LeNet5(nn.Cell):
            def __init__(self, classes=10):
                super().__init__()
                self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
                self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
                self.fc1 = nn.Dense(16 * 5 * 5, 120)
                self.fc2 = nn.Dense(120, 84)
                self.fc3 = nn.Dense(84, classes)

            def construct(self, x):
                x = self.conv2(self.conv1(x)).reshape((-1, 400))
                return self.fc3(ops.relu(self.fc2(ops.relu(self.fc1(x)))))


        """,
        TRAIN.replace("Net()", "LeNet5()"),
    ),
    case(
        "published network by the name of its function",
        IMPORTS,
        """
        def mobilenet_v3_small():
            return nn.SequentialCell(nn.Conv2d(3, 72, 1), nn.ReLU(), nn.Conv2d(72, 24, 1), nn.Conv2d(24, 16, 1))


        """,
        TRAIN.replace("Net()", "mobilenet_v3_small()"),
    ),
    case(
        "part of a published network",
        IMPORTS,
        """
        class InceptionBlock(nn.Cell):
            def __init__(self):
                super().__init__()
                self.narrow = nn.Conv2d(64, 24, 1)
                self.wide = nn.Conv2d(24, 40, 3)
                self.last = nn.Conv2d(40, 64, 1)

            def construct(self, x):
                return self.last(self.wide(self.narrow(x)))


        """,
        TRAIN.replace("Net()", "InceptionBlock()"),
    ),
    case(
        "widths that are aligned together",
        IMPORTS,
        cell(
            "self.left = nn.Dense(64, 24)\nself.right = nn.Dense(64, 40)\nself.out = nn.Dense(64, 4)",
            "return self.out(ops.concat((self.left(x), self.right(x)), axis=1))",
        ),
        TRAIN,
    ),
    case(
        "width that nobody knows",
        IMPORTS,
        """
        import os

        WIDTH = int(os.environ["WIDTH"])


        """,
        cell("self.fc1 = nn.Dense(64, WIDTH)\nself.fc2 = nn.Dense(WIDTH, 2)", "return self.fc2(self.fc1(x))"),
        TRAIN,
    ),
    *(chosen("96", "100", text, "") for text in CHOICES),
    case(
        "width that callers choose",
        IMPORTS,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--width", type=int, required=True)
        args = parser.parse_args()


        """,
        cell("self.fc1 = nn.Dense(64, args.width)\nself.fc2 = nn.Dense(args.width, 2)", "return self.fc2(self.fc1(x))"),
        TRAIN,
    ),
    case(
        "rounding up",
        IMPORTS,
        """
        def padded(count):
            return (count + 15) // 16 * 16


        def guarded(count):
            return count if count % 16 == 0 else (count // 16 + 1) * 16


        def guarded_by_statement(count):
            if count % 16 != 0:
                count = (count // 16 + 1) * 16
            return count


        """,
        cell("self.fc = nn.Dense(64, padded(1000))", "return self.fc(x)"),
        TRAIN,
    ),
    case(
        "arithmetic that pads nothing",
        IMPORTS,
        """
        def blocks(count):
            return (count // 16 + 1) * 8


        """,
        cell("self.fc = nn.Dense(64, 16)", "return self.fc(x)"),
        TRAIN,
    ),
    case(
        "CPU",
        """
        import mindspore as ms
        from mindspore import nn

        ms.set_device("CPU")
        net = nn.SequentialCell(nn.Dense(64, 100), nn.ReLU(), nn.Dense(100, 2))
        model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
        model.train(1, ms.dataset.MindDataset("a.mindrecord"))
        """,
    ),
    case(
        "GPU counts by eight",
        IMPORTS,
        cell("self.fc1 = nn.Dense(64, 104)\nself.fc2 = nn.Dense(104, 2)", "return self.fc2(self.fc1(x))"),
        TRAIN,
        device="GPU",
    ),
    case(
        "vocabulary",
        IMPORTS,
        cell(
            "self.words = nn.Embedding(30522, 128)\nself.fc = nn.Dense(128, 30522)",
            "return self.fc(self.words(x))",
        ),
        TRAIN,
    ),
    case(
        "unit test",
        {
            "tests/test_dense.py": """
                import mindspore as ms
                from mindspore import nn


                def test_two_layers():
                    net = nn.SequentialCell(nn.Dense(7, 33), nn.Dense(33, 5))
                    assert net(ms.ops.ones((2, 7))).shape == (2, 5)
                """,
        },
    ),
    case(
        "converted network that only infers",
        {
            "network.py": """
                from mindspore import nn


                class MindSporeModel(nn.Cell):
                    def __init__(self):
                        super().__init__()
                        self.dense_0 = nn.Dense(in_channels=9216, out_channels=4095)
                        self.dense_1 = nn.Dense(in_channels=4095, out_channels=10)

                    def construct(self, x):
                        return self.dense_1(self.dense_0(x))
                """,
            "infer.py": """
                import mindspore as ms

                from network import MindSporeModel

                net = MindSporeModel()
                ms.load_checkpoint("converted.ckpt", net)
                print(net(ms.ops.ones((1, 9216))).argmax())
                """,
        },
    ),
    case(
        "layers of another library",
        """
        import mindspore as ms
        import torch.nn as nn
        from mindspore import nn as msnn

        teacher = nn.Sequential(nn.Linear(64, 100), nn.ReLU(), nn.Linear(100, 2))
        net = msnn.Dense(64, 64)
        ms.Model(net, msnn.MSELoss(), msnn.SGD(net.trainable_params())).train(1, ms.dataset.MindDataset("a"))
        """,
    ),
]


def any_waste(program: Program) -> Program:
    """Return a program whose widths count however little of a tile they leave empty, where it does not say more."""
    return replace(program, options={"min-waste": 0, **program.options})


@pytest.mark.parametrize("program", FIRES)
def test_fires(program: Program) -> None:
    fires(CODE, any_waste(program))


@pytest.mark.parametrize("program", QUIET)
def test_not_reported(program: Program) -> None:
    quiet(CODE, any_waste(program))


@pytest.mark.parametrize(
    "folder, root, is_reported",
    [
        ("test/project", "test/project", True),
        ("tests", "tests", True),
        ("test/project", "", True),
        ("project/tests", "project", False),
        ("project/tests/nets", "project", False),
        ("project/testing", "project", False),
    ],
)
def test_folders_of_tests_are_those_of_the_project(folder: str, root: str, is_reported: bool, tmp_path: Path) -> None:
    (tmp_path / folder).mkdir(parents=True)
    if root:
        (tmp_path / root / ".git").mkdir()
    script = tmp_path / folder / "train.py"
    script.write_text(
        "import mindspore as ms\nfrom mindspore import nn\n\nms.set_context(mode=ms.GRAPH_MODE)\n"
        "net = nn.SequentialCell(nn.Dense(784, 100), nn.ReLU(), nn.Dense(100, 10))\n"
        'model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()), amp_level="O2")\n'
        "model.train(2, ms.dataset.MnistDataset('mnist').batch(32), dataset_sink_mode=True)\n"
    )
    found = lint_paths(script, select=["MSP202"], device="Ascend").findings
    assert [each.code for each in found] == ["MSP202"] * is_reported
