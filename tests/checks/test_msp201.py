"""MSP201 fp32-matmul: what is reported, with which safety, and what is not."""

from __future__ import annotations

import re
import textwrap

import pytest
from programs import Program, case, fires, join, quiet

from ms_perflint.core.findings import Safety
from ms_perflint.edits.expressions import apply

CODE = "MSP201"

IMPORTS = """
    import mindspore as ms
    import mindspore.common.dtype as mstype
    import mindspore.dataset as ds
    import mindspore.numpy as mnp
    import numpy as np
    from mindspore import Model, Tensor, amp, nn, ops

    ms.set_context(mode=ms.GRAPH_MODE)
    dataset = ds.MindDataset("train.mindrecord").batch(32)


    """

NET = """
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 64, 3)
            self.flatten = nn.Flatten()
            self.fc = nn.Dense(64, 64)

        def construct(self, x):
            return self.fc(self.flatten(self.conv(x)))


    """

PARTS = """
    net = Net()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    opt = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    """

READY = join(IMPORTS, NET, PARTS)

DISTANCE = """
    def distance(first, second):
        cast, matmul = ops.Cast(), ops.MatMul(False, True)
        return cast(matmul(cast(first, ms.float16), cast(second, ms.float16)), ms.float32)


    """
EVALUATING = """
    def evaluate(net, data):
        found = [net(each) for each in data]
        return distance(ops.concat(found), ops.concat(found))


    class Evaluating(ms.train.Callback):
        def __init__(self, net):
            self.net = net

        def on_train_epoch_end(self, run_context):
            print(evaluate(self.net, []))
    """
RANKING = """
    class Evaluating(ms.train.Callback):
        def __init__(self, net):
            self.net = net

        def rank(self, data):
            return distance(ops.concat([self.net(each) for each in data]), ops.ones((3, 3)))

        def on_train_end(self, run_context):
            print(self.rank([]))
    """

TRAIN = "model.train(10, dataset, dataset_sink_mode=True)\n"

RUN = join(PARTS, "Model(net, loss, opt).train(10, dataset, dataset_sink_mode=True)\n")

RUN_REPORTED = join(PARTS, "Model(net, loss, opt).train(10, dataset, dataset_sink_mode=True)  # !\n")

GAN = """
    maker = nn.SequentialCell(nn.Dense(64, 64), nn.ReLU(), nn.Dense(64, 64))
    judge = nn.SequentialCell(nn.Dense(64, 64), nn.Tanh(), nn.Dense(64, 1))
    opt_g = nn.Adam(maker.trainable_params())
    opt_d = nn.Adam(judge.trainable_params())


    """
PENALTY = """
    class Judged(nn.Cell):
        def __init__(self, maker, judge):
            super().__init__()
            self.maker = maker
            self.judge = judge
            self.slope = {made}

        def penalty(self, x):
            return ops.square(self.slope{taken}(x)).mean()

        def construct(self, x, z):
            return self.judge(self.maker(z)).mean() - self.judge(x).mean(){more}


    step = nn.TrainOneStepCell(Judged(maker, judge), opt_d)  # ! display-only
    for data, noise in dataset.create_tuple_iterator():
        step(data, noise)
    """
PENALTY_CELL = """
    class Slopes(nn.Cell):
        def __init__(self, judge):
            super().__init__()
            self.judge = judge
            self.slope = {made}

        def construct(self, x):
            return self.slope{taken}(x)


    """
PENALIZED = """
    class JudgeLoss(nn.Cell):
        def __init__(self, maker, judge):
            super().__init__()
            self.maker = maker
            self.judge = judge
            self.of = {init}

        def construct(self, x, z):
            return self.judge(self.maker(z)).mean() - self.judge(x).mean() + ops.square({penalty}).mean()


    step = nn.TrainOneStepCell(JudgeLoss(maker, judge), opt_d)
    for data, noise in dataset.create_tuple_iterator():
        step(data, noise)
    """
PENALTIES = (("ops.GradOperation()", "(self.judge)"), ("ops.grad(judge)", ""), ("ops.GradOperation()(judge)", ""))
STEP = """
    def forward(data, label):
        return loss(net(data), label)


    grad_fn = ms.value_and_grad(forward, None, opt.parameters)
    for data, label in dataset.create_tuple_iterator():
        value, grads = grad_fn(data, label)
        opt(grads)
    """

STEP_REPORTED = STEP.replace("opt.parameters)\n", "opt.parameters)  # ! display-only\n")


EPOCH = """
    def train_epoch(net):
        def forward(data, label):
            return loss(net(data), label)

        grad_fn = ms.value_and_grad(forward, None, opt.parameters)  # ! #SAFETY
        for data, label in dataset.create_tuple_iterator():
            value, grads = grad_fn(data, label)
            opt(grads)


    """


def cell(init: str, construct: str) -> str:
    """Return a network of one cell, from the lines of its `__init__` and what its `construct` returns."""
    head = "class Net(nn.Cell):\n    def __init__(self):\n        super().__init__()\n"
    layers = "".join(f"        {line}\n" for line in init.splitlines())
    return f"{head}{layers}\n    def construct(self, x):\n        return {construct}\n\n\n"


def around(name: str) -> str:
    """Return a cell that calls a network and its loss."""
    init = f"class {name}(nn.Cell):\n    def __init__(self, net, loss):\n        super().__init__()\n"
    kept = "        self.net, self.loss = net, loss\n\n"
    return f"{init}{kept}    def construct(self, x, y):\n        return self.loss(self.net(x), y)\n\n\n"


ADDED = [
    ("appended to a row of cells", "rows = nn.SequentialCell()\nrows.append({layer})\nreturn rows"),
    ("appended in a loop", "rows = nn.CellList()\nfor _ in range(3):\n    rows.append({layer})\nreturn rows"),
    ("extended", "rows = nn.CellList([nn.ReLU()])\nrows.extend([nn.ReLU(), {layer}])\nreturn rows"),
    ("inserted by name", 'rows = nn.SequentialCell()\nrows.insert_child_to_cell("head", {layer})\nreturn rows'),
    ("in a row inside of one", "rows = nn.SequentialCell()\nrows.append(nn.SequentialCell([{layer}]))\nreturn rows"),
    ("appended to a list", "rows = []\nrows.append({layer})\nreturn nn.SequentialCell(rows)"),
    ("appended to a list that is spread", "rows = []\nrows.append({layer})\nreturn nn.SequentialCell(*rows)"),
]
CHAINED = [
    "w = 8\nfor h in {widths}:\n    rows.append(nn.Dense(w, h))\n    w = h",
    "w = {widths}\nfor i in range(len(w) - 1):\n    rows.append(nn.Dense(w[i], w[i + 1]))",
    "w = {widths}\nrows.extend([nn.Dense(w[i - 1], w[i]) for i in range(1, len(w))])",
    "w = {widths}\nfor a, b in zip(w[:-1], w[1:]):\n    rows.append(nn.Dense(in_channels=a, out_channels=b))",
    "w = {widths}\nrows.extend(nn.Dense(a, b) for a, b in zip(w, w[1:]))",
]
NOT_ADDED = [
    ("appended to another row", "rows, others = nn.SequentialCell(), []\nothers.append({layer})\nreturn rows"),
    ("small", "rows = nn.SequentialCell()\nrows.append(nn.Dense(8, 8))\nreturn rows"),
    ("in half precision", "rows = nn.SequentialCell()\nrows.append({layer}.to_float(ms.float16))\nreturn rows"),
]


def added(body: str) -> str:
    """Return a function that makes a network, and a training of that."""
    lines = body.format(layer="nn.Dense(64, 64)").splitlines()
    return "def make():\n" + "".join(f"    {line}\n" for line in lines) + "\n\n"


def chained(body: str, widths: tuple[int, ...]) -> str:
    """Return the lines that make a row of layers, of which each takes the width that the one before gives."""
    return f"rows = nn.SequentialCell()\n{body.format(widths=widths)}\nreturn rows"


FULL_AGAIN = [
    "ops.functional.mixed_precision_cast(ms.float32, self.fc(x))",
    "ops.functional.mixed_precision_cast(mstype.float32, self.fc(x))",
    "F.mixed_precision_cast(dst_type=mstype.float32, input=self.fc(x))",
    "mixed_precision_cast(ms.float32, self.fc(x))",
    "in_dtype(ms.float32, self.fc(x))",
]
HALF_THERE = [
    "ops.functional.mixed_precision_cast(ms.float16, self.fc(x))",
    "F.mixed_precision_cast(self.dtype, self.fc(x))",
    "mixed_precision_cast(x.dtype, self.fc(x))",
    "in_dtype(ms.float16, self.fc(x))",
]
ALLOWED = [  # dtypes that are checked: no tensor becomes one of them
    "check(x.dtype, [ms.float32, ms.float16])",
    "check_type_name('x', x.dtype, (ms.float16, ms.float32), 'Net')",
    "validator.check_tensors_dtypes_same_and_valid({'x': x.dtype}, [ms.float16, ms.float32, ms.float64], 'Net')",
    "_check_input_dtype(F.dtype(x), 'x', [mstype.float32, mstype.bfloat16], 'Net')",
    "self.validate(x, allowed={ms.float32, ms.float16})",
    "is_valid(x.dtype, [ms.int32, ms.float16])",
    # of what is in half precision already, or in no run
    "x.clip(0, 1).half() if x.dtype == ms.float16 else x",
    "x.astype(ms.float16) if ms.float16 == x.dtype else x",
    "x.half() if False else x",
    "x.astype(ms.float16 if 1 > 2 else ms.float32)",
]
NOT_ALLOWED = [
    "x.half() if x.dtype == ms.float32 else x",
    "x if x.dtype == ms.float16 else x.half()",
    "x.half() if True else x",
    "x.half() if input() else x",
    "gradient_checkpoint(x, (ms.float32, ms.float16))",
    "load_check_point(x, [ms.float32, ms.float16])",
    "choose(x, [ms.float32, ms.float16])",
    "check(x, ms.float16)",
    "check(x, [ms.float16])",
    "check(x, [ms.float16, ms.bfloat16])",
    "check(x.astype(ms.float16), [ms.float32])",
    "check(x.astype([ms.float32, ms.float16][0]))",
    "{'fp32': ms.float32, 'fp16': ms.float16}['fp16']",
]
CASTING = """
    from mindspore.ops import functional as F
    from mindspore.ops.functional import mixed_precision_cast
    from mindspore.ops.functional import mixed_precision_cast as in_dtype

    """
HELD = (
    ("in a list", "kinds = [Model]\n", "kinds[0](net, loss, opt)  # !"),
    ("by its name", "", 'getattr(ms, "Model")(net, loss, opt)  # !'),
    ("by a condition", "", "(Model if ms else None)(net, loss, opt)  # !"),
    ("in a class", "class Kinds:\n    Model = Model\n\n\n", "Kinds.Model(net, loss, opt)  # !"),
    ("in a default", "def make(kind=Model):\n    return kind(net, loss, opt)  # !\n\n\n", "make()"),
)
LEVELS_BY_DEVICE = {
    "two arms": 'if args.device == "Ascend":\n    level = "O3"\nelse:\n    level = "O0"\n',
    "one arm that raises the level": 'level = "O0"\nif args.device == "Ascend":\n    level = "O2"\n',
    "one arm that lowers the level": 'level = "O2"\nif args.device == "GPU":\n    level = "O0"\n',
    "arms in an arm": 'if args.device != "CPU":\n    level = "O2"\n    if args.device == "GPU":\n'
    '        level = "O0"\nelse:\n    level = "O0"\n',
}
LEVELS_OF_ALL = {
    "two arms alike": 'if args.device == "Ascend":\n    level = "O0"\nelse:\n    level = "O0"\n',
    "an option beside the device": 'level = "O0"\nif args.device == "Ascend" and args.half:\n    level = "O2"\n',
    "an option for accelerators": 'if args.device == "CPU":\n    level = "O0"\nelse:\n    level = args.level\n',
}


def by_device(name: str, text: str, mark: str) -> object:
    """Return a program whose level statements set, with a launcher for either device."""
    options = 'add_argument("--device", default="Ascend"); add_argument("--half", action="store_true")\n'
    head = f"import argparse\nparser = argparse.ArgumentParser()\nadd_argument = parser.add_argument\n{options}"
    head += 'add_argument("--level", default="O0")\nargs = parser.parse_args()\n'
    head += "ms.set_context(mode=0, device_target=args.device)\n"
    made = f"model = Model(net, loss, opt, amp_level=level){mark}\n"
    launch = {f"run_{each}.sh": f"python train.py --device={each}\n" for each in ("GPU", "Ascend")}
    return case(f"level by device: {name}", {"train.py": join(READY, head, text, made, TRAIN), **launch})


FIRES = [
    *(
        case(
            f"a penalty of slopes that no code takes: {made}",
            IMPORTS,
            GAN,
            PENALTY.format(made=made, taken=taken, more=""),
        )
        for made, taken in PENALTIES
    ),
    *(case(f"class that is held {name}", READY, held, f"model = {made}\n", TRAIN) for name, held, made in HELD),
    *(
        case(f"wide behind wide {at} {w}", IMPORTS, added(chained(body, w)), RUN_REPORTED.replace("Net()", "make()", 1))
        for at, body in enumerate(CHAINED)
        for w in ((8, 128, 64, 1), (4, 64, 64, 2))
    ),
    *(
        case(
            f"dtypes that are checked {at}",
            IMPORTS,
            CASTING,
            cell("self.fc = nn.Dense(64, 64)", f"self.fc(x), {check}"),
            RUN_REPORTED,
        )
        for at, check in enumerate(ALLOWED)
    ),
    *(
        case(
            f"a tensor in float32 again {at}", IMPORTS, CASTING, cell("self.fc = nn.Dense(64, 64)", cast), RUN_REPORTED
        )
        for at, cast in enumerate(FULL_AGAIN)
    ),
    *(case(f"layer {name}", IMPORTS, added(body), RUN_REPORTED.replace("Net()", "make()", 1)) for name, body in ADDED),
    case(
        "script with tests beside what it runs",
        {
            "test_fit.py": """
                import mindspore as ms
                from mindspore import Model, nn


                def test_width():
                    assert nn.Dense(64, 128).out_channels == 128


                def fit():
                    net = nn.SequentialCell(nn.Dense(64, 128))
                    model = Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))  # !
                    model.train(1, ms.dataset.MindDataset("a.mindrecord"), dataset_sink_mode=True)


                if __name__ == "__main__":
                    test_width()
                    fit()
                """,
        },
    ),
    case(
        "a layer of which one width is not known",
        IMPORTS,
        cell("self.fc = nn.Dense(dataset.width(), 64)", "self.fc(x)"),
        RUN_REPORTED,
    ),
    case(
        "half precision for a mask, and a dtype that nothing reads",
        IMPORTS,
        cell(
            "self.fc = nn.Dense(64, 64)\nself.equal = ops.Equal()\nself.dtype_of_weights = ms.float16",
            "self.fc(x), ops.cast(self.equal(x, 0), ms.float16).sum()",
        ),
        RUN_REPORTED,
    ),
    case(
        "network from a registry",
        {
            "train.py": """
                import mindspore as ms
                from mindspore import Model, nn

                from src.build import build
                from src import networks

                config = ms.dataset.config
                net = build(config.get_seed())
                model = Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))  # ! no fix
                model.train(10, ms.dataset.MindDataset("a.mindrecord"), dataset_sink_mode=True)
                """,
            "src/__init__.py": "",
            "src/build.py": """
                MODELS = {}


                def register(cls):
                    MODELS[cls.__name__.lower()] = cls
                    return cls


                def build(name):
                    return MODELS[name]()
                """,
            "src/networks.py": """
                from mindspore import nn

                from src.build import register


                @register
                class Small(nn.Cell):
                    def __init__(self):
                        super().__init__()
                        self.fc = nn.Dense(64, 64)

                    def construct(self, x):
                        return self.fc(x)
                """,
        },
    ),
    case(
        "network that a caller gives",
        IMPORTS,
        NET,
        """
        def fit(networks, loss, data):
            for net in networks:
                opt = nn.SGD(net.trainable_params(), 0.1)
                Model(net, loss, opt).train(1, data, dataset_sink_mode=True)  # ! unsafe


        """,
        "fit([Net() for part in dataset.get_col_names()], nn.MSELoss(), dataset)\n",
    ),
    case(
        "train cell of one's own in one branch, a Model with an optimizer in another",
        READY,
        """
        step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt)
        if dataset.get_dataset_size() > 1000:
            model = Model(step)
        else:
            model = Model(net, loss, opt)  # ! unsafe
        """,
        TRAIN,
    ),
    case(
        "half that is no dtype",
        IMPORTS,
        cell(
            "self.fc = nn.Dense(64, 64)\nself.half = ops.Split(axis=1, output_num=2)",
            "self.half(self.fc(x))[0]",
        ),
        RUN_REPORTED,
    ),
    *(
        case(
            f"half precision that is printed: {code}",
            IMPORTS,
            cell("self.fc = nn.Dense(64, 64)", f"self.fc(x), {code}"),
            RUN_REPORTED,
        )
        for code in (
            "print(x.half())",
            "print('x', x.astype(ms.float16).sum())",
            "logger.info('%s', x.to(ms.bfloat16))",
            "print(f'{ops.cast(x, ms.float16)}')",
            "print(self.fc(x).half())",
        )
    ),
    case(
        "half precision for a pooling alone",
        IMPORTS,
        cell(
            "self.fc = nn.Dense(64, 64)\nself.pool = nn.MaxPool2d(3)",
            "self.fc(self.pool(x.astype(ms.float16)).astype(ms.float32))",
        ),
        RUN_REPORTED,
    ),
    case(
        "network of another package of the family",
        IMPORTS,
        """
        import mindcv

        net = mindcv.create_model("resnet50", num_classes=10)
        """,
        PARTS.replace("net = Net()", ""),
        "model = Model(net, loss, opt)  # ! unsafe\n",
        TRAIN,
    ),
    case(
        "pretrained network of another package",
        IMPORTS,
        """
        from mindnlp.transformers import BertForSequenceClassification

        net = BertForSequenceClassification.from_pretrained("bert-base-uncased")
        """,
        PARTS.replace("net = Net()", ""),
        STEP.replace("opt.parameters)\n", "opt.parameters)  # ! no fix\n"),
    ),
    case(
        "layers of another package",
        IMPORTS,
        """
        from mindcv.models import resnet50


        class Net(nn.Cell):
            def __init__(self):
                super().__init__()
                self.layers = resnet50(pretrained=True)

            def construct(self, x):
                return self.layers(x)


        """,
        RUN_REPORTED,
    ),
    case(
        "graph convolutions",
        IMPORTS,
        """
        from mindspore_gl.nn import GCNConv


        class Net(nn.Cell):
            def __init__(self):
                super().__init__()
                self.layer = GCNConv(128, 64)

            def construct(self, x, graph):
                return self.layer(x, graph)


        """,
        RUN_REPORTED,
    ),
    case("model with an optimizer", READY, "model = Model(net, loss, opt)  # ! unsafe\n", TRAIN),
    *(by_device(name, text, "  # !") for name, text in LEVELS_OF_ALL.items()),
    case("explicit O0", READY, 'model = Model(net, loss, opt, metrics={"acc"}, amp_level="O0")  # ! unsafe\n', TRAIN),
    case("O0 by position", READY, 'model = Model(net, loss, opt, None, None, None, "O0")  # ! unsafe\n', TRAIN),
    case(
        "loss scaling of a network in fp32",
        READY,
        """
        scaling = ms.FixedLossScaleManager(1024, drop_overflow_update=False)
        model = Model(net, loss_fn=loss, optimizer=opt, loss_scale_manager=scaling)  # ! unsafe
        """,
        TRAIN,
    ),
    case(
        "network in another file",
        {
            "train.py": """
                import mindspore as ms
                from mindspore import nn

                from src.network import Encoder

                if __name__ == "__main__":
                    ms.set_context(mode=ms.GRAPH_MODE)
                    net = Encoder(64)
                    model = ms.train.Model(  # ! unsafe
                        net,
                        loss_fn=nn.MSELoss(),
                        optimizer=nn.Adam(net.trainable_params()),
                    )
                    model.train(10, ms.dataset.MindDataset("a.mindrecord"), dataset_sink_mode=True)
                """,
            "src/__init__.py": "",
            "src/network.py": """
                import mindspore.nn as nn
                import mindspore.ops.operations as P


                class Encoder(nn.Cell):
                    def __init__(self, width):
                        super().__init__()
                        self.embedding = nn.Embedding(1000, width)
                        self.matmul = P.BatchMatMul(transpose_b=True)

                    def construct(self, tokens):
                        x = self.embedding(tokens)
                        return self.matmul(x, x)
                """,
        },
    ),
    case(
        "level of the config file",
        {
            "train.py": """
                import mindspore as ms
                import yaml
                from mindspore import nn

                with open("default_config.yaml") as file:
                    config = yaml.safe_load(file)
                net = nn.Dense(64, 64)
                opt = nn.SGD(net.trainable_params())
                model = ms.Model(net, nn.MSELoss(), opt, amp_level=config["amp_level"])  # ! display-only
                model.train(10, ms.dataset.MindDataset("a"))
                """,
            "default_config.yaml": 'amp_level: "O0"\n',
        },
    ),
    case(
        "default of an option",
        READY,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--amp_level", default="O0", choices=["O0", "O2", "O3"])
        args = parser.parse_args()
        model = Model(net, loss, opt, amp_level=args.amp_level)  # ! display-only
        """,
        TRAIN,
    ),
    case(
        "CPU can be chosen",
        IMPORTS,
        NET,
        PARTS,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--device", default="CPU", choices=["CPU", "Ascend"])
        args = parser.parse_args()
        ms.set_context(device_target=args.device)
        model = Model(net, loss, opt)  # ! display-only
        """,
        TRAIN,
    ),
    case("recurrent layers", IMPORTS, cell("self.rnn = nn.LSTM(32, 64)", "self.rnn(x)[0]"), RUN_REPORTED),
    case("recurrent, of any input", IMPORTS, cell("self.rnn = nn.GRU(len(x), 22)", "self.rnn(x)[0]"), RUN_REPORTED),
    case("attention", IMPORTS, cell("self.mha = nn.MultiheadAttention(64, 4)", "self.mha(x, x, x)[0]"), RUN_REPORTED),
    case("primitive of many channels", IMPORTS, cell("self.conv = ops.Conv2D(64, 3)", "self.conv(x, x)"), RUN_REPORTED),
    case(
        "operator of Python",
        IMPORTS,
        cell('self.w = ms.Parameter(Tensor(np.ones((64, 64), np.float32)), name="w")', "x @ self.w"),
        RUN_REPORTED,
    ),
    case(
        "einsum",
        IMPORTS,
        cell('self.w = ms.Parameter(ops.ones((64, 64)), name="w")', 'ops.einsum("ij,jk->ik", x, self.w)'),
        RUN_REPORTED,
    ),
    case(
        "functions of mint",
        IMPORTS,
        "from mindspore import mint\n\n\n",
        cell('self.w = ms.Parameter(mint.ones((64, 64)), name="w")', "mint.matmul(x, self.w)"),
        RUN_REPORTED,
    ),
    case("function with gradients", READY, STEP_REPORTED),
    case(
        "train cell of the framework",
        READY,
        """
        step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt)  # ! display-only
        for data, label in dataset.create_tuple_iterator():
            step(data, label)
        """,
    ),
    case(
        "own train cell",
        IMPORTS,
        NET,
        """
        class Step(nn.TrainOneStepCell):
            def __init__(self, network, optimizer, sens=1.0):
                super().__init__(network, optimizer, sens)
                self.gradient = ops.GradOperation(get_by_list=True, sens_param=True)

            def construct(self, data, label):
                value = self.network(data, label)
                scale = ops.fill(value.dtype, value.shape, self.sens)
                self.optimizer(self.gradient(self.network, self.weights)(data, label, scale))
                return value


        """,
        PARTS,
        """
        step = Step(nn.WithLossCell(net, loss), opt)  # ! display-only
        for data, label in dataset.create_tuple_iterator():
            step(data, label)
        """,
    ),
    case(
        "model around a train cell",
        READY,
        """
        step = nn.TrainOneStepWithLossScaleCell(nn.WithLossCell(net, loss), opt, Tensor(1024.0))  # ! display-only
        model = Model(step)
        """,
        TRAIN,
    ),
    case(
        "first of two branches",
        READY,
        """
        import os

        if os.getenv("RANK_SIZE"):
            model = Model(net, loss, opt, metrics={"acc"})  # !
        else:
            model = Model(net, loss, opt)
        """,
        TRAIN,
    ),
    case(
        "settings that are no control",
        READY,
        """
        ms.set_context(jit_level="O1", enable_auto_mixed_precision=True)
        model = Model(net, loss, opt, boost_level="O1")  # ! unsafe
        """,
        TRAIN,
    ),
    case(
        "half precision of NumPy, and of a sort",
        IMPORTS,
        """
        class Ranking(nn.Cell):
            def __init__(self):
                super().__init__()
                self.fc = nn.Dense(64, 64)
                self.top = ops.TopK()

            def construct(self, x):
                scores = self.fc(x)
                return self.top(ops.cast(scores, mstype.float16), 8)[0]


        samples = np.ones((8, 64)).astype(np.float16)
        net = Ranking()
        opt = nn.Adam(net.trainable_params())
        model = Model(net, nn.MSELoss(), opt)  # !
        """,
        TRAIN,
    ),
    case(
        "layer forced to fp32",
        IMPORTS,
        """
        class Net(nn.Cell):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2d(3, 64, 3)
                self.fc = nn.Dense(64, 64).to_float(mstype.float32)  # ! unsafe

            def construct(self, x):
                return self.fc(self.conv(x))


        """,
        RUN,
    ),
    case(
        "network forced to fp32 that computes what is not known in half precision",
        IMPORTS,
        cell("self.fc = nn.Dense(64, 64).to_float(ms.float32)  # ! no fix", "ops.igamma(self.fc(x), x)"),
        "net = Net()\nmodel = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))\n",
        TRAIN,
    ),
    case(
        "network forced to fp32, layer by layer and as a whole",
        IMPORTS,
        cell("self.fc = nn.Dense(64, 64).to_float(ms.float32)", "self.fc(x)"),
        """
        net = Net().to_float(ms.float32)  # ! unsafe
        opt = nn.SGD(net.trainable_params())
        model = Model(net, nn.MSELoss(), opt)
        """,
        TRAIN,
    ),
    case(
        "loss and softmax forced to fp32 are no forced matmul",
        IMPORTS,
        cell(
            "self.fc = nn.Dense(64, 64)\nself.softmax = nn.Softmax().to_float(ms.float32)",
            "self.softmax(self.fc(x))",
        ),
        """
        net = Net()
        loss = nn.MSELoss().to_float(ms.float32)
        model = Model(net, loss, nn.SGD(net.trainable_params()))  # ! unsafe
        """,
        TRAIN,
    ),
    *(
        case(
            f"network with its loss forced to fp32: {whole}",
            IMPORTS,
            cell("self.fc = nn.Dense(64, 64)", "self.fc(x)"),
            around("NetWithLoss"),
            around("LossNet"),
            around("CTCLoss"),
            f"""
            net = Net()
            whole = {whole}.to_float(ms.float32)  # ! display-only
            opt = nn.SGD(net.trainable_params())
            step = nn.TrainOneStepCell(whole, opt)
            """,
            "for x, y in dataset.create_tuple_iterator():\n    step(x, y)\n",
        )
        for whole in (
            "NetWithLoss(net, nn.MSELoss())",
            "LossNet(net, nn.MSELoss())",
            "CTCLoss(net, nn.MSELoss())",
            "nn.WithLossCell(net, nn.MSELoss())",
        )
    ),
    case(
        "loss of the project forced to fp32",
        IMPORTS,
        cell("self.fc = nn.Dense(64, 64)", "self.fc(x)"),
        around("Distance"),
        cell("self.mse = nn.MSELoss()", "self.mse(x)").replace("Net", "NetLoss").replace("(self, x", "(self, x, y"),
        """
        net = Net()
        whole = Distance(net, NetLoss().to_float(ms.float32))
        step = nn.TrainOneStepCell(whole, nn.SGD(net.trainable_params()))  # ! display-only
        """,
        "for x, y in dataset.create_tuple_iterator():\n    step(x, y)\n",
    ),
    *(
        case(
            f"half precision in a function of the evaluation: {given}, {cast}",
            READY,
            f"def accuracy(x, y):\n    x = {cast}\n    return (x.argmax(1) == y).mean()\n\n\n",
            STEP_REPORTED,
            f"for data, label in dataset:\n    out = net(data)\n    print(accuracy({given}, label))\n",
        )
        for given, cast in (
            ("out", "ops.cast(x, ms.float16)"),
            ("net(data)", "x.astype(ms.float16)"),
            ("net(data)", "x.half()"),
        )
    ),
    case(
        "half precision in a metric",
        IMPORTS,
        NET,
        """
        class Closeness(ms.train.Metric):
            def clear(self):
                self.total = 0

            def update(self, *inputs):
                self.total += ops.matmul(inputs[0].astype(ms.float16), inputs[1].astype(ms.float16)).sum()

            def eval(self):
                return self.total


        """,
        PARTS,
        'model = Model(net, loss, opt, metrics={"closeness": Closeness()})  # ! unsafe\n',
        TRAIN,
    ),
    *(
        case(
            f"half precision of what a callback computes: {name}",
            IMPORTS,
            NET,
            DISTANCE,
            head,
            PARTS,
            "Model(net, loss, opt).train(10, dataset, callbacks=cb, dataset_sink_mode=True)  # ! unsafe\n",
        )
        for name, head in (
            ("a function", f"{EVALUATING}\n    cb = [Evaluating(None)]\n"),
            ("a method", f"{RANKING}\n    cb = [Evaluating(None)]\n"),
        )
    ),
    case(
        "half precision in another network",
        IMPORTS,
        NET,
        NET.replace("Net", "Teacher"),
        PARTS,
        """
        teacher = Teacher().to_float(ms.float16)
        targets = teacher(ops.ones((1, 3, 8, 8)))
        other = amp.auto_mixed_precision(Teacher(), "O2")
        Model(net, loss, opt).train(10, dataset, dataset_sink_mode=True)  # ! unsafe
        """,
    ),
    case(
        "half precision in an entry of a table that is not taken",
        IMPORTS,
        NET.replace("def __init__(self)", "def __init__(self, dtype)").replace(
            "nn.Dense(64, 64)", "nn.Dense(64, 64).to_float(dtype)"
        ),
        'DTYPES = {"fp16": ms.float16, "fp32": ms.float32}\n',
        PARTS.replace("Net()", 'Net(DTYPES["fp32"])'),
        "model = Model(net, loss, opt)  # ! unsafe\n",
        TRAIN,
    ),
    case(
        "half precision in an entry of a table that `get` does not take",
        IMPORTS,
        NET.replace("def __init__(self)", "def __init__(self, dtype)").replace(
            "nn.Dense(64, 64)", "nn.Dense(64, 64).to_float(dtype)"
        ),
        'DTYPES = {"fp16": ms.float16, "fp32": ms.float32}\n',
        PARTS.replace("Net()", 'Net(DTYPES.get("fp32"))'),
        "model = Model(net, loss, opt)  # ! unsafe\n",
        TRAIN,
    ),
    case(
        "half precision in a class of a registry that is not taken",
        IMPORTS,
        NET,
        """
        class Half(nn.Cell):
            def __init__(self):
                super().__init__()
                self.fc = nn.Dense(64, 64).to_float(ms.float16)

            def construct(self, x):
                return self.fc(x)


        NETWORKS = {"net": Net, "half": Half}
        net = NETWORKS["net"]()
        """,
        PARTS.replace("net = Net()", ""),
        "model = Model(net, loss, opt)  # ! unsafe\n",
        TRAIN,
    ),
    case(
        "half precision for the softmax of the network alone",
        IMPORTS,
        cell("self.fc = nn.Dense(64, 64)\nself.soft = nn.Softmax().to_float(ms.float16)", "self.soft(self.fc(x))"),
        RUN_REPORTED,
    ),
    case(
        "level of a Model that only evaluates",
        READY,
        """
        tester = Model(net, loss, metrics={"acc"}, amp_level="O2")
        model = Model(net, loss, opt)  # ! unsafe
        """,
        TRAIN,
    ),
    case(
        "level O0 of a network that cannot be seen",
        IMPORTS,
        """
        from zoo import build_network

        net = build_network("resnet50")
        model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()), amp_level="O0")  # ! no fix
        """,
        TRAIN,
    ),
    case(
        "level O0 of a network whose module a config file names",
        IMPORTS,
        """
        import importlib
        import yaml

        config = yaml.safe_load(open("model.yaml"))
        net = getattr(importlib.import_module(config["module"]), config["name"])()
        model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()), amp_level="O0")  # ! no fix
        """,
        TRAIN,
    ),
    case(
        "scaled step of a network of another library",
        IMPORTS,
        """
        from zoo import build_network

        net = build_network("resnet50")
        step = nn.TrainOneStepWithLossScaleCell(net, nn.SGD(net.trainable_params()), Tensor(1024.0))  # ! no fix
        for x, y in dataset:
            step(x, y)
        """,
    ),
    case(
        "loss scale of a network that cannot be seen",
        IMPORTS,
        """
        from zoo import build_network

        net = build_network("resnet50")
        scale = ms.amp.DynamicLossScaleManager()
        model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()), loss_scale_manager=scale)  # ! no fix
        """,
        TRAIN,
    ),
    case(
        "the gradient of an object with its loss",
        READY,
        "grad_fn = ms.value_and_grad(nn.WithLossCell(net, loss), None, opt.parameters)  # ! display-only\n"
        "for data, label in dataset.create_tuple_iterator():\n"
        "    value, grads = grad_fn(data, label)\n    opt(grads)\n",
    ),
    case(
        "a function of Python on a size",
        IMPORTS,
        "import math\n\n\n",
        cell("self.fc = nn.Dense(64, 64)", "self.fc(x) * math.sqrt(x.shape[1])"),
        RUN_REPORTED.replace("# !", "# ! unsafe"),
    ),
    case(
        "adversarial attack before the step",
        IMPORTS,
        NET,
        PARTS,
        """
        def forward(data, label):
            return loss(net(data), label)


        attack = ms.grad(forward, grad_position=0)
        grad_fn = ms.value_and_grad(forward, None, opt.parameters)  # ! display-only
        for data, label in dataset.create_tuple_iterator():
            data = data + 0.01 * ops.sign(attack(data, label))
            value, grads = grad_fn(data, label)
            opt(grads)
        """,
    ),
    case(
        "the training that runs first",
        IMPORTS,
        NET,
        PARTS,
        """
        def tune():
            model = Model(net, loss, opt)
            model.train(1, dataset, dataset_sink_mode=True)


        def warm_up():
            step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt)  # ! display-only
            for data, label in dataset.create_tuple_iterator():
                step(data, label)


        warm_up()
        tune()
        """,
    ),
    case(
        "network of a class that trains it",
        IMPORTS,
        NET,
        """
        class Trainer:
            def __init__(self, net):
                self.net = net
                self.loss = nn.MSELoss()
                self.opt = nn.Adam(net.trainable_params())
                self.grad_fn = ms.value_and_grad(self.forward, None, self.opt.parameters)  # ! display-only

            def forward(self, data, label):
                return self.loss(self.net(data), label)

            def run(self):
                for data, label in dataset.create_tuple_iterator():
                    value, grads = self.grad_fn(data, label)
                    self.opt(grads)


        Trainer(Net()).run()
        """,
    ),
    case(
        "loss inside of the network of a Model",
        READY,
        "model = Model(nn.WithLossCell(net, loss), optimizer=opt)  # ! display-only\n",
        TRAIN,
    ),
    case(
        "loss inside of a class of its own, with a function",
        IMPORTS,
        cell("self.fc = nn.Dense(64, 64)", "ops.cross_entropy(self.fc(x), y)").replace(
            "construct(self, x)", "construct(self, x, y)"
        ),
        """
        net = Net()
        step = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params()))  # ! display-only
        for data, label in dataset.create_tuple_iterator():
            step(data, label)
        """,
    ),
    case(
        "loss in the same cell as a bare product",
        IMPORTS,
        cell(
            'self.w = ms.Parameter(ops.ones((64, 64)), name="w")', "ops.cross_entropy(ops.matmul(x, self.w), y)"
        ).replace("construct(self, x)", "construct(self, x, y)"),
        """
        net = Net()
        step = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params()))  # ! no fix
        for data, label in dataset.create_tuple_iterator():
            step(data, label)
        """,
    ),
    *(
        case(f"step made anew: {name}", IMPORTS, NET, PARTS, EPOCH.replace("#SAFETY", safety), text)
        for name, safety, text in (
            ("in a loop", "display-only", "for epoch in range(10):\n    train_epoch(net)\n"),
            (
                "in a loop of a function",
                "display-only",
                "def run(model):\n    for epoch in range(10):\n        train_epoch(model)\n\n\nrun(net)\n",
            ),
            ("twice in a loop", "no fix", "for epoch in range(5):\n    train_epoch(net)\n    train_epoch(net)\n"),
            ("of each fold", "no fix", "for fold in range(3):\n    net = Net()\n    train_epoch(net)\n"),
            ("by keyword", "no fix", "for fold in range(3):\n    each = Net()\n    train_epoch(net=each)\n"),
            ("of a list", "no fix", "for each in [Net(), Net()]:\n    train_epoch(each)\n"),
            ("while", "no fix", "fold = 3\nwhile fold:\n    fold -= 1\n    each = Net()\n    train_epoch(each)\n"),
            (
                "in a branch of a loop",
                "no fix",
                "for i in range(3):\n    if i:\n        n = Net()\n        train_epoch(n)\n",
            ),
            (
                "of each fold, handed on",
                "no fix",
                "def run(model):\n    train_epoch(model)\n\n\nfor fold in range(3):\n    each = Net()\n    run(each)\n",
            ),
            ("for what a call gives", "no fix", "for epoch in range(10):\n    train_epoch(ms.amp.build(net))\n"),
        )
    ),
    case(
        "step made anew: for an attribute",
        IMPORTS,
        NET,
        PARTS,
        """


        class Trainer:
            def __init__(self):
                self.net = net

            def forward(self, data, label):
                return loss(self.net(data), label)

            def step(self, data, label):
                grad_fn = ms.value_and_grad(self.forward, None, opt.parameters)  # ! no fix
                value, grads = grad_fn(data, label)
                opt(grads)


        trainer = Trainer()
        for data, label in dataset.create_tuple_iterator():
            trainer.step(data, label)
        """,
    ),
    case(
        "loss cell that reads members of the network",
        IMPORTS,
        NET.replace(
            "        def construct", "        def prepare(self, x):\n            return x * 2\n\n        def construct"
        ),
        PARTS,
        """


        class WithLoss(nn.Cell):
            def __init__(self, network):
                super().__init__()
                self.network = network

            def construct(self, x, y):
                return loss(self.network(self.network.prepare(x)), y)


        step = nn.TrainOneStepCell(WithLoss(net), opt)  # ! no fix
        for data, label in dataset.create_tuple_iterator():
            step(data, label)
        """,
    ),
    case(
        "tied weights",
        IMPORTS,
        cell("self.enc = nn.Dense(64, 64)", "self.enc(x) @ self.enc.weight"),
        PARTS,
        "model = Model(net, loss, opt)  # ! display-only\n",
        TRAIN,
    ),
]

LOW = "def low(x):\n    return ops.cast(x, ms.float16)\n\n\n"
QUIET = [
    *(
        case(
            f"half precision that something else than a callback computes: {name}",
            IMPORTS,
            NET,
            DISTANCE,
            EVALUATING,
            PARTS,
            f"{before}\ncb = [Evaluating(net)]\n",
            "Model(net, loss, opt).train(10, dataset, callbacks=cb, dataset_sink_mode=True)\n",
        )
        for name, before in (
            ("the script", "near = distance(table, table)"),
            ("its dataset", "dataset = dataset.map(lambda x: distance(x, x))"),
        )
    ),
    *(
        case(f"half precision in a function that the training calls: {new}", READY, LOW, STEP.replace(old, new))
        for old, new in (
            ("loss(net(data), label)", "loss(net(low(data)), label)"),
            ("loss(net(data), label)", "loss(low(net(data)), label)"),
            ("grad_fn(data, label)", "grad_fn(low(data), label)"),
            ("grad_fn(data, label)", "grad_fn(low(net(data)), label)"),
            ("dataset.create_tuple_iterator()", "((low(x), y) for x, y in dataset.create_tuple_iterator())"),
        )
    ),
    *(
        case(f"dtypes of a call {at}", IMPORTS, CASTING, cell("self.fc = nn.Dense(64, 64)", f"self.fc(x), {call}"), RUN)
        for at, call in enumerate(NOT_ALLOWED)
    ),
    *(
        case(f"a tensor in another type {at}", IMPORTS, CASTING, cell("self.fc = nn.Dense(64, 64)", cast), RUN)
        for at, cast in enumerate(HALF_THERE)
    ),
    *(case(f"layer {name}", IMPORTS, added(body), RUN.replace("Net()", "make()", 1)) for name, body in NOT_ADDED),
    *(
        case(f"each narrower {at}", IMPORTS, added(chained(body, (8, 64, 32, 16))), RUN.replace("Net()", "make()", 1))
        for at, body in enumerate(CHAINED)
    ),
    *(
        case(f"weight of less than a tile, {name}", IMPORTS, cell(init, construct), RUN)
        for name, init, construct in (
            (
                "in a primitive that is made where it is called",
                "self.w = ms.Parameter(ms.common.initializer.initializer('normal', [10, 1]))",
                "ops.MatMul()(x, self.w)",
            ),
            (
                "in a primitive of its own",
                "self.w = ms.Parameter(ops.ones((128, 8)))\nself.matmul = ops.MatMul()",
                "self.matmul(x, self.w)",
            ),
        )
    ),
    case(
        "weight of less than a tile",
        IMPORTS,
        cell('self.w = ms.Parameter(ops.ones((128, 8)), name="w")', "x @ self.w"),
        RUN,
    ),
    case("convolutions of a few channels", IMPORTS, cell("self.conv = nn.Conv2d(1, 6, (5, 5))", "self.conv(x)"), RUN),
    case("depthwise convolution", IMPORTS, cell("self.conv = nn.Conv2d(64, 64, 3, group=64)", "self.conv(x)"), RUN),
    case(
        "layers that are narrow, whatever the data has",
        IMPORTS,
        cell(
            "self.first = nn.Dense(dataset.width(), 32)\nself.fc = nn.Dense(32, dataset.classes())",
            "self.fc(self.first(x))",
        ),
        RUN,
    ),
    *(
        case(f"primitive of few channels: {made}", IMPORTS, cell(f"self.conv = {made}", "self.conv(x, 0.5 * x)"), RUN)
        for made in ("ops.Conv2D(out_channel=1, kernel_size=(2, 1))", "ops.Conv2D(20, 3)", "ops.Conv3D(3, 3)")
    ),
    case("small recurrent layer", IMPORTS, cell("self.rnn = nn.LSTM(32, 8)", "self.rnn(x)[0]"), RUN),
    case("small recurrent layer of any input", IMPORTS, cell("self.rnn = nn.GRU(len(x), 21)", "self.rnn(x)[0]"), RUN),
    case(
        "layer that is built and never called",
        IMPORTS,
        cell("self.fc = nn.Dense(64, 64)\nself.norm = nn.LayerNorm((64,))", "self.norm(x)"),
        RUN,
    ),
    case(
        "convolution with a constant kernel",
        IMPORTS,
        cell(
            "self.conv = ops.Conv2D(64, 3)\nself.kernel = Tensor(np.ones((64, 64, 3, 3)), ms.float32)",
            "self.conv(x, self.kernel)",
        ),
        RUN,
    ),
    case(
        "half precision of an entry of a table that is taken",
        IMPORTS,
        NET.replace("def __init__(self)", "def __init__(self, dtype)").replace(
            "nn.Dense(64, 64)", "nn.Dense(64, 64).to_float(dtype)"
        ),
        'DTYPES = {"fp16": ms.float16, "fp32": ms.float32}\n',
        PARTS.replace("Net()", 'Net(DTYPES["fp16"])'),
        "model = Model(net, loss, opt)\n",
        TRAIN,
    ),
    case(
        "half precision of an entry of a table that `get` takes",
        IMPORTS,
        NET.replace("def __init__(self)", "def __init__(self, dtype)").replace(
            "nn.Dense(64, 64)", "nn.Dense(64, 64).to_float(dtype)"
        ),
        'DTYPES = {"fp16": ms.float16, "fp32": ms.float32}\n',
        PARTS.replace("Net()", 'Net(DTYPES.get("fp16"))'),
        "model = Model(net, loss, opt)\n",
        TRAIN,
    ),
    case(
        "half precision of an unknown entry of a table",
        IMPORTS,
        NET.replace("def __init__(self)", "def __init__(self, dtype)").replace(
            "nn.Dense(64, 64)", "nn.Dense(64, 64).to_float(dtype)"
        ),
        """
        import os

        DTYPES = {"fp16": ms.float16, "fp32": ms.float32}
        """,
        PARTS.replace("Net()", 'Net(DTYPES[os.environ["DTYPE"]])'),
        "model = Model(net, loss, opt)\n",
        TRAIN,
    ),
    case(
        "half precision in a network that the trained one is given",
        IMPORTS,
        NET,
        """
        class Around(nn.Cell):
            def __init__(self, inner):
                super().__init__()
                self.inner = inner

            def construct(self, x):
                return self.inner(x)


        """,
        PARTS.replace("net = Net()", "net = Around(Net().to_float(ms.float16))"),
        "model = Model(net, loss, opt)\n",
        TRAIN,
    ),
    case(
        "half precision in a part of the network that a function makes",
        IMPORTS,
        """
        def block(width):
            return nn.SequentialCell(nn.Dense(width, width).to_float(ms.float16), nn.ReLU())


        """,
        cell("self.block = block(64)\nself.head = nn.Dense(64, 64)", "self.head(self.block(x))"),
        RUN,
    ),
    case(
        "casts around the network in the function that is differentiated",
        READY,
        """
        def forward(data, label):
            logits = net(data.astype(ms.float16))
            return loss(logits.astype(ms.float32), label)


        grad_fn = ms.value_and_grad(forward, None, opt.parameters)
        for data, label in dataset.create_tuple_iterator():
            value, grads = grad_fn(data, label)
            opt(grads)
        """,
    ),
    case(
        "conversion of what a function returns",
        IMPORTS,
        NET,
        """
        def build():
            return amp.auto_mixed_precision(Net(), "O3")


        """,
        PARTS.replace("Net()", "build()"),
        "model = Model(net, loss, opt)\n",
        TRAIN,
    ),
    case(
        "level of the one of two Models that trains as well",
        READY,
        """
        first = Model(net, loss, opt, amp_level="O2")
        first.train(1, dataset, dataset_sink_mode=True)
        model = Model(net, loss, opt)
        """,
        TRAIN,
    ),
    case(
        "penalty on the slope of the network",
        IMPORTS,
        NET,
        PARTS,
        """
        def critic(data):
            return net(data).mean()


        slope = ms.grad(critic)


        def forward(data, label):
            return loss(net(data), label) + ops.square(slope(data)).mean()


        grad_fn = ms.value_and_grad(forward, None, opt.parameters)
        for data, label in dataset.create_tuple_iterator():
            value, grads = grad_fn(data, label)
            opt(grads)
        """,
    ),
    case(
        "differential equation in a cell",
        IMPORTS,
        cell(
            "self.fc = nn.Dense(2, 64)\nself.mid = nn.Dense(64, 64)\nself.out = nn.Dense(64, 1)",
            "self.out(self.mid(self.fc(x)))",
        ),
        """
        class Residual(nn.Cell):
            def __init__(self, net):
                super().__init__()
                self.net = net
                self.slope = ops.GradOperation(get_all=True)

            def construct(self, points):
                return ops.square(self.slope(self.net)(points)[0]).mean()


        net = Net()
        step = nn.TrainOneStepCell(Residual(net), nn.Adam(net.trainable_params()))
        for (points,) in dataset.create_tuple_iterator():
            step(points)
        """,
    ),
    case(
        "wide layers with a narrow side",
        IMPORTS,
        cell("self.first = nn.Dense(2, 128)\nself.last = nn.Dense(128, 1)", "self.last(self.first(x))"),
        RUN,
    ),
    case("a line through points", IMPORTS, "net = nn.Dense(1, 1)\n", RUN.replace("net = Net()", "")),
    case(
        "a line through points, in a step of one's own",
        IMPORTS,
        cell("self.fc = nn.Dense(2, 1)", "self.fc(x)"),
        PARTS,
        STEP,
    ),
    case(
        "layers of less than a tile",
        IMPORTS,
        cell("width = 8\nself.first = nn.Dense(2, width)\nself.last = nn.Dense(width, 1)", "self.last(self.first(x))"),
        RUN,
    ),
    case(
        "unit test that can be run by itself",
        {
            "test_fit.py": """
                import unittest

                import mindspore as ms
                from mindspore import Model, nn


                class Fits(unittest.TestCase):
                    def test_fit(self):
                        net = nn.SequentialCell(nn.Dense(64, 64))
                        model = Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
                        model.train(1, ms.dataset.MindDataset("a.mindrecord"), dataset_sink_mode=True)


                if __name__ == "__main__":
                    unittest.main()
                """,
        },
    ),
    case(
        "solver that a function of nobody trains",
        IMPORTS,
        NET,
        """
        def fit(net, data):
            opt = nn.SGD(net.trainable_params(), 0.1)
            Model(net, nn.MSELoss(), opt).train(1, data, dataset_sink_mode=True)
        """,
    ),
    case(
        "differences by convolution, in a program that hides its network",
        IMPORTS,
        """
        class Field(nn.Cell):
            def __init__(self):
                super().__init__()
                self.difference = ops.Conv2D(out_channel=1, kernel_size=(2, 1))

            def construct(self, x, kernel):
                return self.difference(x, kernel)


        solvers = {}
        solvers.update(field=Field)
        net = solvers[dataset.get_col_names()[0]]()
        """,
        PARTS.replace("net = Net()", ""),
        "model = Model(net, loss, opt)\n",
        TRAIN,
    ),
    case(
        "half precision by an attribute",
        IMPORTS,
        cell(
            "self.fc = nn.Dense(64, 64)\nself.compute = ms.float16",
            "self.fc(ops.cast(x, self.compute))",
        ),
        RUN,
    ),
    case(
        "network from a registry where a cell may compute in half precision",
        {
            "train.py": """
                import mindspore as ms
                from mindspore import Model, nn

                from src.networks import MODELS

                net = MODELS[ms.dataset.config.get_seed()]()
                model = Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
                model.train(10, ms.dataset.MindDataset("a.mindrecord"), dataset_sink_mode=True)
                """,
            "src/__init__.py": "",
            "src/networks.py": """
                import mindspore as ms
                from mindspore import nn

                MODELS = {}


                def register(cls):
                    MODELS[cls.__name__] = cls
                    return cls


                @register
                class Small(nn.Cell):
                    def __init__(self):
                        super().__init__()
                        self.fc = nn.Dense(64, 64).to_float(ms.float16)

                    def construct(self, x):
                        return self.fc(x)
                """,
        },
    ),
    case(
        "network without matrix work beside one that is not trained",
        IMPORTS,
        NET,
        cell("self.norm = nn.BatchNorm1d(16)", "self.norm(x)").replace("Net", "Scale"),
        RUN.replace("Net()", "Scale()"),
    ),
    case(
        "half precision for a product between two casts",
        IMPORTS,
        cell(
            "self.fc = nn.Dense(64, 64)",
            "self.fc(x.astype(ms.float16)).astype(ms.float32)",
        ),
        RUN,
    ),
    case(
        "network of another package in half precision",
        IMPORTS,
        """
        from mindnlp.transformers import BertForSequenceClassification

        net = BertForSequenceClassification.from_pretrained("bert-base-uncased", ms_dtype="float16")
        """,
        PARTS.replace("net = Net()", ""),
        "model = Model(net, loss, opt)\n",
        TRAIN,
    ),
    *(
        case(
            f"converted by another package: {made}",
            IMPORTS,
            """
            from mindnlp.transformers import BertForSequenceClassification

            bert = BertForSequenceClassification.from_pretrained("bert-base-uncased")
            """,
            f"from {package} import {name}\n\nnet = {made}\nscaler = ms.amp.DynamicLossScaler(2**10, 2, 1000)\n",
            PARTS.replace("net = Net()", ""),
            STEP,
        )
        for package, name, made in (
            ("mindnlp._legacy.amp", "auto_mixed_precision", "auto_mixed_precision(bert, 'O1')"),
            ("mindone.utils.amp", "auto_mixed_precision", "auto_mixed_precision(bert, 'O2', dtype='bf16')"),
            ("mindnlp", "amp", "amp.auto_mixed_precision(bert)"),
            ("mindnlp.amp", "auto_mixed_precision as convert", "convert(bert, 'O1')"),
            ("mindcv.utils", "custom_mixed_precision", "custom_mixed_precision(bert)"),
            ("mindnlp", "amp", "amp.auto_mixed_precision(network=bert)"),
        )
    ),
    case(
        "parts of another package without matrix work",
        IMPORTS,
        """
        from mindcv.models.layers import DropPath, GlobalAvgPooling
        from mindnlp.transformers import BertConfig, BertTokenizer

        tokenizer = BertTokenizer.from_pretrained("bert-base-uncased")
        config = BertConfig.from_pretrained("bert-base-uncased")


        class Net(nn.Cell):
            def __init__(self):
                super().__init__()
                self.pool = GlobalAvgPooling()
                self.drop = DropPath(0.1)

            def construct(self, x):
                return self.drop(self.pool(x))


        """,
        RUN,
    ),
    case(
        "network of a package that nobody knows",
        IMPORTS,
        """
        from zoo.models import create_model

        net = create_model("resnet50")
        """,
        PARTS.replace("net = Net()", ""),
        "model = Model(net, loss, opt)\n",
        TRAIN,
    ),
    case(
        "precision by name, to the network",
        IMPORTS,
        NET.replace("def __init__(self)", "def __init__(self, dtype)"),
        PARTS.replace("Net()", 'Net(compute_dtype="float16")'),
        "model = Model(net, loss, opt)\n",
        TRAIN,
    ),
    case("O2", READY, 'model = Model(net, loss, opt, amp_level="O2")\n', TRAIN),
    case("O3 by position", READY, 'model = Model(net, loss, opt, None, None, None, "O3")\n', TRAIN),
    case(
        "automatic level", READY, 'model = Model(net, loss, opt, amp_level="auto", keep_batchnorm_fp32=False)\n', TRAIN
    ),
    case(
        "level by an option that is O2",
        READY,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--amp_level", default="O2")
        args = parser.parse_args()
        model = Model(net, loss, opt, amp_level=args.amp_level)
        """,
        TRAIN,
    ),
    case(
        "level that nobody knows",
        READY,
        """
        import os

        model = Model(net, loss, opt, amp_level=os.environ["AMP"])
        """,
        TRAIN,
    ),
    case(
        "keywords that cannot be seen",
        READY,
        """
        import json

        with open("model.json") as file:
            model = Model(net, loss, opt, **json.load(file))
        """,
        TRAIN,
    ),
    case("one layer in fp16", IMPORTS, cell("self.fc = nn.Dense(64, 64).to_float(ms.float16)", "self.fc(x)"), RUN),
    case(
        "network in bf16, in another file",
        {
            "train.py": """
                import mindspore as ms
                from mindspore import nn

                from network import Net

                net = Net()
                ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, ms.dataset.MindDataset("a"))
                """,
            "network.py": """
                import mindspore as ms
                from mindspore import nn


                class Net(nn.Cell):
                    def __init__(self):
                        super().__init__()
                        self.fc = nn.Dense(64, 64)
                        self.to_float(ms.bfloat16)

                    def construct(self, x):
                        return self.fc(x)
                """,
        },
    ),
    case(
        "flags",
        READY,
        """
        net.add_flags_recursive(fp16=True)
        model = Model(net, loss, opt)
        """,
        TRAIN,
    ),
    case(
        "flag of one cell",
        IMPORTS,
        cell("self.fc = nn.Dense(64, 64).add_flags(fp16=True)", "self.fc(x)"),
        RUN,
    ),
    case(
        "converted before",
        IMPORTS,
        NET,
        PARTS,
        """
        net = amp.auto_mixed_precision(net, "O2")
        model = Model(net, loss, opt)
        """,
        TRAIN,
    ),
    case(
        "converted before, by own lists",
        IMPORTS,
        NET,
        PARTS,
        """
        net = ms.amp.custom_mixed_precision(net, white_list=[nn.Dense], dtype=ms.bfloat16)
        """,
        STEP,
    ),
    case("converted function", IMPORTS, NET, PARTS, 'net = amp.auto_mixed_precision(net, "O1")\n\n\n', STEP),
    case(
        "train network built with a level",
        READY,
        """
        step = amp.build_train_network(net, opt, loss, level="O2")
        for data, label in dataset.create_tuple_iterator():
            step(data, label)
        """,
    ),
    case(
        "compute type is given to the network",
        IMPORTS,
        """
        class Block(nn.Cell):
            def __init__(self, width, compute_type=mstype.float32):
                super().__init__()
                self.fc = nn.Dense(width, width).to_float(compute_type)

            def construct(self, x):
                return self.fc(x)


        net = Block(64, compute_type=mstype.float16)
        model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
        """,
        TRAIN,
    ),
    case(
        "half precision around the product",
        IMPORTS,
        """
        class Net(nn.Cell):
            def __init__(self):
                super().__init__()
                self.matmul = ops.MatMul()
                self.w = ms.Parameter(ops.ones((64, 64)), name="w")

            def construct(self, x):
                y = self.matmul(ops.cast(x, mstype.float16), ops.cast(self.w, mstype.float16))
                return ops.cast(y, mstype.float32)


        """,
        RUN,
    ),
    case(
        "precision mode of the device",
        READY,
        """
        ms.set_context(ascend_config={"precision_mode": "allow_mix_precision"})
        model = Model(net, loss, opt)
        """,
        TRAIN,
    ),
    case(
        "island in fp32 beside half precision",
        IMPORTS,
        cell(
            "self.body = nn.Dense(64, 64).to_float(ms.float16)\nself.head = nn.Dense(64, 16).to_float(ms.float32)",
            "self.head(self.body(x))",
        ),
        RUN,
    ),
    case(
        "loss in fp32 beside a level",
        READY,
        'model = Model(net, loss.to_float(ms.float32), opt, amp_level="O2")\n',
        TRAIN,
    ),
    case("nothing to multiply", IMPORTS, cell("self.norm = nn.LayerNorm((64,))", "ops.relu(self.norm(x))"), RUN),
    case(
        "network cannot be seen",
        IMPORTS,
        """
        from zoo import build_network

        net = build_network("resnet50")
        model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
        """,
        TRAIN,
    ),
    case(
        "loss scale of a network whose module a config file names, which may compute in FP16",
        IMPORTS,
        """
        import importlib
        import yaml

        config = yaml.safe_load(open("model.yaml"))
        build = getattr(importlib.import_module(config["module"]), config["name"])
        net = build(**config["params"])
        scale = ms.amp.DynamicLossScaleManager()
        model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()), loss_scale_manager=scale)
        """,
        TRAIN,
    ),
    case(
        "scaled step of a network from an unknown table",
        IMPORTS,
        """
        import os

        net = nn.WithLossCell(globals()[os.environ["NET"]](), nn.MSELoss())
        step = nn.TrainOneStepWithLossScaleCell(net, nn.SGD(net.trainable_params()), Tensor(1024.0))
        for x, y in dataset:
            step(x, y)
        """,
    ),
    case(
        "loss scaler around a network that a function is given",
        IMPORTS,
        """
        def train(net, optimizer):
            scaler = ms.amp.StaticLossScaler(1024.0)

            def forward(x, y):
                return scaler.scale(nn.MSELoss()(net(x), y))

            grad = ms.value_and_grad(forward, None, optimizer.parameters)
            for x, y in dataset:
                loss, grads = grad(x, y)
                optimizer(scaler.unscale(grads))
        """,
    ),
    case(
        "one branch has a level",
        READY,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--device", default="Ascend")
        args = parser.parse_args()
        ms.set_context(device_target=args.device)
        if args.device == "Ascend":
            model = Model(net, loss, opt, amp_level="O3")
        else:
            model = Model(net, loss, opt)
        """,
        TRAIN,
    ),
    *(by_device(name, text, "") for name, text in LEVELS_BY_DEVICE.items()),
    case(
        "evaluation with an optimizer",
        READY,
        """
        model = Model(net, loss, opt, metrics={"acc"})
        print(model.eval(dataset))
        """,
    ),
    case(
        "model without an optimizer",
        READY,
        """
        model = Model(net, loss, metrics={"acc"})
        print(model.eval(dataset))
        """,
    ),
    case(
        "train cell only for export",
        READY,
        """
        step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt)
        ms.export(step, ops.ones((1, 3, 8, 8)), ops.ones((1,)), file_name="step", file_format="MINDIR")
        """,
    ),
    case("CPU", IMPORTS, NET, PARTS, 'ms.set_device("CPU")\nmodel = Model(net, loss, opt)\n', TRAIN),
    case("CPU is the configured device", READY, "model = Model(net, loss, opt)\n", TRAIN, device="CPU"),
    case(
        "differential equation",
        IMPORTS,
        cell("self.fc = nn.Dense(2, 64)\nself.out = nn.Dense(64, 1)", "self.out(ops.tanh(self.fc(x)))"),
        """
        net = Net()
        opt = nn.Adam(net.trainable_params())
        slope = ops.grad(net, grad_position=0)


        def residual(points):
            return ops.square(slope(points)[:, 0] - net(points)[:, 0]).mean()


        step_fn = ms.value_and_grad(residual, None, opt.parameters)
        for (points,) in dataset.create_tuple_iterator():
            value, grads = step_fn(points)
            opt(grads)
        """,
    ),
    case(
        "penalty of a discriminator beside a generator",
        IMPORTS,
        GAN,
        """
        def loss_g(z):
            return -judge(maker(z)).mean()


        def loss_d(x, z):
            slopes = slope(x)
            return judge(maker(z)).mean() - judge(x).mean() + ((slopes.norm(dim=1) - 1) ** 2).mean()


        slope = ops.grad(judge)
        grad_g = ms.value_and_grad(loss_g, None, opt_g.parameters)
        grad_d = ms.value_and_grad(loss_d, None, opt_d.parameters)
        for data, noise in dataset.create_tuple_iterator():
            value, grads = grad_g(noise)
            opt_g(grads)
            value, grads = grad_d(data, noise)
            opt_d(grads)
        """,
    ),
    *(
        case(
            f"a penalty of slopes in a method: {made}",
            IMPORTS,
            GAN,
            PENALTY.format(made=made, taken=taken, more=" + self.penalty(x)").replace("  # ! display-only", ""),
        )
        for made, taken in PENALTIES
    ),
    case(
        "penalty in a class that is named a loss",
        IMPORTS,
        GAN,
        """
        class DiscriminatorLoss(nn.Cell):
            def __init__(self, maker, judge):
                super().__init__()
                self.maker = maker
                self.judge = judge
                self.slope = ops.GradOperation()

            def construct(self, x, z):
                slopes = self.slope(self.judge)(x)
                return self.judge(self.maker(z)).mean() - self.judge(x).mean() + ops.square(slopes).mean()


        step = nn.TrainOneStepCell(DiscriminatorLoss(maker, judge), opt_d)
        for data, noise in dataset.create_tuple_iterator():
            step(data, noise)
        """,
    ),
    *(
        case(f"penalty that a loss {name}", IMPORTS, GAN, made, PENALIZED.format(init=init, penalty=penalty))
        for name, made, init, penalty in (
            (
                "makes",
                PENALTY_CELL.format(made="ops.GradOperation()", taken="(self.judge)"),
                "Slopes(judge)",
                "self.of(x)",
            ),
            (
                "makes, of a gradient function",
                PENALTY_CELL.format(made="ops.grad(judge)", taken=""),
                "Slopes(judge)",
                "self.of(x)",
            ),
            (
                "is given in a function",
                "def slopes(net, x):\n    return ops.grad(net)(x)\n",
                "judge",
                "slopes(self.of, x)",
            ),
            ("calls", "slope = ops.grad(judge)\n", "judge", "slope(x)"),
        )
    ),
    case(
        "quantization-aware training",
        IMPORTS,
        NET,
        PARTS,
        """
        from mindspore_gs.quantization import SimulatedQuantizationAwareTraining

        net = SimulatedQuantizationAwareTraining().apply(net)
        model = Model(net, loss, opt)
        """,
        TRAIN,
    ),
    case(
        "own class Model",
        IMPORTS,
        NET,
        """
        class Model:
            def __init__(self, network, loss, optimizer):
                self.network = network

            def train(self, epochs, data):
                print("plays a recording")


        """,
        PARTS,
        "Model(net, loss, opt).train(10, dataset)\n",
    ),
]


@pytest.mark.parametrize("program", FIRES)
def test_fires(program: Program) -> None:
    fires(CODE, program)


@pytest.mark.parametrize("program", QUIET)
def test_not_reported(program: Program) -> None:
    quiet(CODE, program)


def test_code_that_a_fix_repeats_has_the_line_ends_of_edits() -> None:
    text = """
        import mindspore as ms
        from mindspore import nn

        class Net(nn.Cell):
            def __init__(self, width):
                super().__init__()
                self.fc = nn.Dense(64, width)

            def construct(self, x):
                return self.fc(x)

        ms.set_context(mode=ms.GRAPH_MODE)
        with_loss = nn.WithLossCell(Net(
            128,
        ), nn.MSELoss())
        step = nn.TrainOneStepCell(with_loss, nn.SGD(with_loss.trainable_params()))
        for batch in ms.dataset.MnistDataset("mnist"):
            step(*batch)
    """
    (finding,) = Program({"train.py": join(text).replace("\n", "\r\n")}).lint("MSP201").findings
    assert finding.fix is not None
    assert "auto_mixed_precision(Net(\n    128,\n)" in "".join(edit.text for edit in finding.fix.edits)


@pytest.mark.parametrize(
    ("given", "to"),
    [
        ("loss(net(x), y)", "loss_scaler.scale(loss(amp_net(x), y))"),
        ("net(x).mean()", "loss_scaler.scale(amp_net(x).mean())"),
        ("(net(x) - y).abs().mean()", "loss_scaler.scale((amp_net(x) - y).abs().mean())"),
        ("loss(y, net(x))", "loss_scaler.scale(loss(y, amp_net(x)))"),
        ("loss(net(x), y) + loss(net(x * 2), y)", "loss_scaler.scale(loss(amp_net(x), y) + loss(amp_net(x * 2), y))"),
    ],
)
def test_a_network_that_is_bound_anew_is_in_the_loss_that_is_scaled(given: str, to: str) -> None:
    text = (
        "import mindspore as ms\nfrom mindspore import nn\n"
        "net, loss = nn.Dense(784, 304), nn.MSELoss()\nopt = nn.Adam(net.trainable_params())\n\n\n"
        f"def forward(x, y):\n    return {given}\n\n\n"
        "grad = ms.value_and_grad(forward, None, opt.parameters)\n"
        "for x, y in data:\n    value, grads = grad(x, y)\n    opt(grads)\n    print(net.prepare(0))\n"
    )
    (found,) = Program({"train.py": text}).lint("MSP201").findings
    assert found.fix is not None
    assert f"    return {to}\n".encode() in apply(text.encode(), found.fix.edits)


def test_the_loss_scaler_is_made_once_where_the_gradient_function_is_made_in_each_step() -> None:
    text = (
        "import mindspore as ms\nfrom mindspore import nn\n"
        "net, loss = nn.Dense(784, 304), nn.MSELoss()\nopt = nn.Adam(net.trainable_params())\n\n\n"
        "def forward(x, y):\n    return loss(net(x), y)\n\n\n"
        "for epoch in range(10):\n    for x, y in data:\n"
        "        grad = ms.value_and_grad(forward, None, opt.parameters)\n"
        "        value, grads = grad(x, y)\n        opt(grads)\n"
    )
    (found,) = Program({"train.py": text}).lint("MSP201").findings
    assert found.fix is not None
    (made,) = [edit for edit in found.fix.edits if "StaticLossScaler" in edit.text]
    assert made.start == text.index("for epoch")


@pytest.mark.parametrize(
    ("scaler", "says", "converted"),
    [
        ("ms.amp.DynamicLossScaler(2**16, 2, 1000)", "the loss is scaled already", '(net, "O2")'),
        ("ms.amp.StaticLossScaler(1.0)", "which needs no loss scaling", '(net, "O2", ms.bfloat16)'),
    ],
)
@pytest.mark.parametrize(
    "forward", ["return scaler.scale(loss(net(x), y))", "l = loss(net(x), y)\n    return scaler.scale(l)"]
)
def test_a_loss_that_a_scaler_scales_is_not_scaled_again(scaler: str, says: str, converted: str, forward: str) -> None:
    text = (
        "import mindspore as ms\nfrom mindspore import nn\n"
        f"net, loss, scaler = nn.Dense(784, 304), nn.MSELoss(), {scaler}\nopt = nn.Adam(net.trainable_params())\n\n\n"
        f"def forward(x, y):\n    {forward}\n\n\ngrad = ms.value_and_grad(forward, None, opt.parameters)\n"
        "for x, y in data:\n    value, grads = grad(x, y)\n    opt(scaler.unscale(grads))\n"
    )
    (found,) = Program({"train.py": text}).lint("MSP201").findings
    assert found.fix is not None and says in str(found.fix.message)
    assert [each.text for each in found.fix.edits] == [f"net = ms.amp.auto_mixed_precision{converted}\n"]


CONVERTED = [
    case(
        "train cell with an optimizer of the project",
        IMPORTS,
        NET,
        """
        class Slow(nn.SGD):
            def construct(self, grads):
                return super().construct(grads)


        class Step(nn.Cell):
            def __init__(self, network, optimizer):
                super().__init__(auto_prefix=False)
                self.network, self.optimizer = network, optimizer
                self.weights = optimizer.parameters
                self.grad = ops.GradOperation(get_by_list=True)

            def construct(self, x, y):
                value = self.network(x, y)
                return ops.depend(value, self.optimizer(self.grad(self.network, self.weights)(x, y)))


        net = Net()
        opt = Slow(net.trainable_params(), 0.1)
        step = Step(nn.WithLossCell(net, nn.MSELoss()), opt)
        for data, label in dataset.create_tuple_iterator():
            step(data, label)
        """,
    ),
    case(
        "loss of an object that is no cell",
        IMPORTS,
        NET,
        """
        class Normal:
            def __init__(self, inverse):
                self.inverse = inverse

            def log_prob(self, x):
                return ops.matmul(x, self.inverse).mean()


        class NormalLoss(nn.Cell):
            def __init__(self, prior):
                super().__init__()
                self.prior = prior

            def construct(self, out, y):
                return -self.prior.log_prob(out)


        class WithLoss(nn.Cell):
            def __init__(self, net, loss_fn):
                super().__init__()
                self.net, self.loss_fn = net, loss_fn

            def construct(self, x, y):
                return self.loss_fn(self.net(x), y)


        prior = Normal(Tensor(np.eye(64, dtype=np.float32)))
        net = Net()
        step = nn.TrainOneStepCell(WithLoss(net, NormalLoss(prior)), nn.Adam(net.trainable_params()))
        for data, label in dataset.create_tuple_iterator():
            step(data, label)
        """,
    ),
    case(
        "loss of a library with weights",
        IMPORTS,
        NET,
        """
        from losses import WeightedLoss

        net = Net()
        both = WeightedLoss(2)
        opt = nn.SGD([*net.trainable_params(), *both.trainable_params()], 0.1)


        def forward(data, label):
            out = net(data)
            return both((out - label).abs().mean(), ((out - label) ** 2).mean())


        grad_fn = ms.value_and_grad(forward, None, opt.parameters)
        for data, label in dataset.create_tuple_iterator():
            value, grads = grad_fn(data, label)
            opt(grads)
        """,
    ),
]


@pytest.mark.parametrize("program", CONVERTED)
def test_only_networks_are_converted(program: Program) -> None:
    (finding,) = program.lint(CODE).findings
    assert finding.fix is not None
    converted = [name for edit in finding.fix.edits for name in re.findall(r"auto_mixed_precision\((\w+)", edit.text)]
    assert converted == ["net"]


def reading(body: str, made: str = "Model(net, loss, opt)") -> Program:
    """Return a program with a callback that does something with `net_outputs`."""
    lines = "".join(f"        {line}\n" for line in join(body).splitlines())
    callback = f"\n\nclass Losses(ms.train.Callback):\n    def step_end(self, run_context):\n{lines}\n\n"
    run = f"{made}.train(10, dataset, callbacks=[Losses()], dataset_sink_mode=True)\n"
    return Program({"train.py": join(IMPORTS, callback, NET, PARTS, run)})


OUTPUTS = "run_context.original_args().net_outputs"


@pytest.mark.parametrize(
    "body",
    [
        f"print({OUTPUTS}.asnumpy())",
        f"loss = {OUTPUTS}\nself.total += float(loss)",
        f"loss = {OUTPUTS}\nself.mean = (self.mean + loss) / 2",
        f"parameters = run_context.original_args()\nloss = {OUTPUTS}\nprint(loss.mean())",
        f"value = {OUTPUTS}\nif np.isnan(value):\n    run_context.request_stop()",
        f'print(f"{{{OUTPUTS}:.3f}}")',
    ],
)
def test_a_callback_that_reads_the_loss_gets_a_scale_that_leaves_it_one(body: str) -> None:
    program = reading(body)
    (finding,) = program.lint(CODE).findings
    assert finding.fix is not None
    assert finding.fix.safety is Safety.UNSAFE
    assert any("net_outputs" in each.message for each in finding.related)
    (change,) = program.fix(CODE).changes
    assert b'amp_level="O2"' in change.after
    assert b"FixedLossScaleManager(1024.0, drop_overflow_update=False)" in change.after
    assert b"loss_scale=1024.0" in change.after


def test_without_place_for_a_fixed_scale_there_is_no_fix() -> None:
    program = reading(f"print({OUTPUTS}.asnumpy())", 'Model(net, loss, opt, amp_level="O0")')
    (finding,) = program.lint(CODE).findings
    assert finding.fix is None
    assert any("becomes a tuple" in each.message for each in finding.related)


@pytest.mark.parametrize(
    "body",
    [
        f"print({OUTPUTS})",
        f"loss = {OUTPUTS}\nif isinstance(loss, tuple):\n    loss = loss[0]\nprint(loss.asnumpy())",
        f"print({OUTPUTS}[0].asnumpy())",
        "print(run_context.original_args().cur_step_num)",
    ],
)
def test_a_callback_that_takes_a_tuple_keeps_the_scale_that_adapts(body: str) -> None:
    (change,) = reading(body).fix(CODE).changes
    assert b'amp_level="O2"' in change.after
    assert b"FixedLossScaleManager" not in change.after


def chosen(default: str) -> Program:
    """Return a program whose device is an option with a default."""
    option = f"""
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--device", default="{default}", choices=["Ascend", "GPU", "CPU"])
        ms.set_context(device_target=parser.parse_args().device)
        """
    return Program({"train.py": join(IMPORTS, option, NET, RUN)})


@pytest.mark.parametrize(
    ("default", "safety", "reason"),
    [("CPU", Safety.DISPLAY, "a CPU by default"), ("GPU", Safety.UNSAFE, "loss curve")],
)
def test_half_precision_is_shown_only_where_the_default_is_a_cpu(default: str, safety: Safety, reason: str) -> None:
    (finding,) = chosen(default).lint(CODE).findings
    assert finding.fix is not None
    assert finding.fix.safety is safety
    assert reason in (finding.fix.reason or "")


@pytest.mark.parametrize(
    ("flag", "safety"),
    [
        ('"--no-gpu", action="store_true"', Safety.UNSAFE),
        ('"--no-gpu", type=bool, default=False', Safety.UNSAFE),
        ('"--no-gpu", action="store_false"', Safety.DISPLAY),
        ('"--no-gpu", type=bool, default=True', Safety.DISPLAY),
    ],
)
def test_a_cpu_under_an_option_is_the_default_where_that_is_on(flag: str, safety: Safety) -> None:
    option = f"""
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument({flag})
        if parser.parse_args().no_gpu:
            ms.set_context(device_target="CPU")
        """
    (finding,) = Program({"train.py": join(IMPORTS, option, NET, RUN)}).lint(CODE).findings
    assert finding.fix is not None and finding.fix.safety is safety


@pytest.mark.parametrize(
    ("context", "manager", "is_said"),
    [
        ("", "", True),
        ("", ", loss_scale_manager=ms.FixedLossScaleManager(1024.0)", True),
        ("", ", loss_scale_manager=ms.FixedLossScaleManager(1024.0, drop_overflow_update=False)", False),
        ('ms.set_context(device_target="Ascend")\n', "", False),
        ('ms.set_device("GPU")\n', "", False),
    ],
)
def test_a_device_that_is_not_known_may_be_a_cpu(context: str, manager: str, is_said: bool) -> None:
    run = f"Model(net, loss, opt{manager}).train(10, dataset, dataset_sink_mode=True)\n"
    (finding,) = Program({"train.py": join(IMPORTS, context, NET, PARTS, run)}).lint(CODE).findings
    assert finding.fix is not None
    assert ("`O2` raises" in (finding.fix.reason or "")) is is_said


INSIDE_A_CLASS = """
    class Agent:
        def __init__(self, config):
            self.net, self.other = Net(), Net()
            self.opt = nn.Adam([*self.net.trainable_params(), *self.other.trainable_params()])
            {first}
            self.second = ms.value_and_grad(self.other_loss, None, self.opt.parameters)
            for data, label in dataset.create_tuple_iterator():
                self.learn(data, label)

        def net_loss(self, data, label):
            return ((self.net(data) - label) ** 2).mean()

        def other_loss(self, data, label):
            return ((self.other(data) - label) ** 2).mean()

        def learn(self, data, label):
            if self.first is not None:
                _, grads = self.first(data, label)
                self.opt(grads)
            _, others = self.second(data, label)
            self.opt(others)


    Agent({{}})
    """


@pytest.mark.parametrize(
    "first",
    [
        "self.first = ms.value_and_grad(self.net_loss, None, self.opt.parameters)",
        "if config:\n    self.first = ms.value_and_grad(self.net_loss, None, self.opt.parameters)",
        "if config:\n    pass\nelse:\n    self.first = ms.value_and_grad(self.net_loss, None, self.opt.parameters)",
        "with open('log'):\n    self.first = ms.value_and_grad(self.net_loss, None, self.opt.parameters)",
        "try:\n    self.first = ms.value_and_grad(self.net_loss, None, self.opt.parameters)\nfinally:\n    pass",
    ],
)
def test_the_loss_scaler_is_there_for_all_gradient_functions(first: str) -> None:
    body = INSIDE_A_CLASS.format(first=first.replace("\n", "\n" + " " * 12))
    (finding,) = Program({"train.py": join(IMPORTS, NET, body)}).lint(CODE).findings
    assert finding.fix is not None
    made = [each.text for each in finding.fix.edits if "StaticLossScaler" in each.text]
    assert made == ["        self.loss_scaler = amp.StaticLossScaler(1024.0)\n"]


LAYERS = """
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.graph = nn.Dense(64, 64)
            self.fc = nn.Dense(64, 64)
            self.extra = {extra}
            self.loss = nn.MSELoss()

        def construct(self, x, y):
            return self.loss(self.fc(self.extra(self.graph(x))), y)


    net = Net()
    step = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params()))
    for data, label in dataset.create_tuple_iterator():
        step(data, label)
    """


@pytest.mark.parametrize(
    ("extra", "lines"),
    [
        ("nn.ReLU()", []),
        ("nn.Dropout(p=0.1)", []),
        ("nn.Embedding(64, 64)", []),
        ("nn.AvgPool2d(2)", []),
        ("nn.SequentialCell(nn.ReLU(), nn.Dropout(p=0.1))", []),
        ("nn.LayerNorm((64,))", ["self.extra.to_float(mstype.float32)"]),
        ("nn.BatchNorm1d(64)", ["self.extra.to_float(mstype.float32)"]),
        ("nn.Dense(64, 64)", ["self.extra.to_float(mstype.float16)"]),
    ],
)
def test_only_layers_with_matmul_are_set_to_half_precision(extra: str, lines: list[str]) -> None:
    body = LAYERS.format(extra=extra)
    (finding,) = Program({"train.py": join(IMPORTS, "\n\n", body)}).lint(CODE).findings
    assert finding.fix is not None
    found = [line.strip() for each in finding.fix.edits for line in each.text.splitlines() if ".to_float(" in line]
    assert [line for line in found if "extra" in line] == lines
    assert {"self.fc.to_float(mstype.float16)", "self.loss.to_float(mstype.float32)"} <= set(found)


@pytest.mark.parametrize(
    "opt",
    [
        "nn.Adam(net.trainable_params())",
        "nn.SGD(net.trainable_params(), 0.1)",
        "nn.Momentum(net.trainable_params(), 0.1, 0.9)",
    ],
)
def test_a_model_without_loss_function_is_shown_a_fixed_scale(opt: str) -> None:
    run = f"net = Net()\nopt = {opt}\nModel(nn.WithLossCell(net, nn.MSELoss()), optimizer=opt).train(10, dataset)\n"
    (finding,) = Program({"train.py": join(IMPORTS, NET, run)}).lint(CODE).findings
    assert finding.fix is not None
    text = "".join(each.text for each in finding.fix.edits)
    assert "FixedLossScaleManager(1024.0, drop_overflow_update=False)" in text
    assert "loss_scale=1024.0" in text


def test_an_optimizer_without_loss_scale_leaves_the_scale_that_adapts() -> None:
    run = "net = Net()\nopt = nn.AdamWeightDecay(net.trainable_params())\n"
    run += "Model(nn.WithLossCell(net, nn.MSELoss()), optimizer=opt).train(10, dataset)\n"
    (finding,) = Program({"train.py": join(IMPORTS, NET, run)}).lint(CODE).findings
    assert finding.fix is not None
    assert "DynamicLossScaleManager()" in "".join(each.text for each in finding.fix.edits)


PRODUCT = """
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(64, 64)
            self.A = ms.Parameter(ops.ones((64, 64)))
            self.table = Tensor(np.ones((64, 64)), ms.float32)
            self.matmul = ops.MatMul()

        def construct(self, x):
            x = self.fc(x)
            return {}


    """


@pytest.mark.parametrize(
    ("product", "cast"),
    [
        ("x @ self.A", "self.A.astype(x.dtype)"),
        ("ops.matmul(x, self.A)", "self.A.astype(x.dtype)"),
        ("x @ self.A.T", "self.A.T.astype(x.dtype)"),
        ("ops.matmul(x, self.A[:32])", "self.A[:32].astype(x.dtype)"),
        ("x @ self.A.reshape(64, 64)", "self.A.reshape(64, 64).astype(x.dtype)"),
        ("self.matmul(x, self.A.T)", "self.A.T.astype(x.dtype)"),
        ("self.matmul(x, self.A)", ""),
        ("x @ self.A.astype(x.dtype)", ""),
        ("x * self.A", ""),
    ],
)
def test_a_product_with_a_parameter_of_the_cell_is_cast(product: str, cast: str) -> None:
    (finding,) = Program({"train.py": join(IMPORTS, PRODUCT.format(product), RUN)}).lint(CODE).findings
    assert finding.fix is not None
    assert finding.fix.safety is (Safety.DISPLAY if cast else Safety.UNSAFE)
    assert [each.text for each in finding.fix.edits if ".astype" in each.text] == ([cast] if cast else [])


TYPED = """
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--half", action="store_true")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--dtype", required=True)
    args = parser.parse_args()
    DTYPES = {{"fp16": ms.float16, "fp32": ms.float32}}


    class Block(nn.Cell):
        def __init__(self, {parameters}):
            super().__init__()
            self.fc = nn.Dense(64, 64).to_float(dtype)

        def construct(self, x):
            return self.fc(x)


    """
BUILD = """
    def build(dtype=ms.float32):
        return Block(dtype)


    """
CHOSEN = """
    class Chosen:
        dtype = ms.float32


    """


@pytest.mark.parametrize(
    ("parameters", "made", "is_reported"),
    [
        ("dtype=ms.float32", "Block()", True),
        ("*, dtype=mstype.float32", "Block()", True),
        ("dtype", "build()", True),
        ("width=64, dtype=ms.float32", "Block(64)", True),
        ("dtype", "Block(Chosen.dtype)", True),
        ("dtype", "build(ms.float32)", True),
        ("dtype=ms.float16", "Block()", False),
        ("dtype=ms.float32", "Block(ms.float16)", False),
        ("dtype", "build(dtype=ms.bfloat16)", False),
        ("dtype", "Block(ms.float32 if args.full else ms.float16)", False),
        ("dtype", "Block(ms.float16 if args.half else ms.float32)", False),
        ("dtype", "Block(DTYPES[args.dtype])", False),
        ("dtype", "Block(getattr(ms, args.dtype))", False),
    ],
)
def test_a_layer_in_float32_by_default_is_no_control(parameters: str, made: str, is_reported: bool) -> None:
    parts = PARTS.replace("Net()", made)
    helpers = (BUILD if "build" in made else "") + (CHOSEN if "Chosen" in made else "")
    texts = (IMPORTS, TYPED.format(parameters=parameters), helpers, parts, "model = Model(net, loss, opt)\n", TRAIN)
    assert bool(Program({"train.py": join(*texts)}).lint(CODE).findings) is is_reported


@pytest.mark.parametrize(
    ("imports", "use", "is_reported"),
    [
        ("from mindflow.utils import load_yaml_config", "load_yaml_config('a.yaml')", True),
        ("from mindflow.utils import log_timer, print_log", "print_log('start')", True),
        ("import sciai.utils.log as log", "log.info('start')", True),
        ("from sciai.utils import print_log\nfrom mindflow import cell", "print_log('start')", True),
        ("from mindflow.pde import Burgers", "Burgers(net)", False),
        ("from mindelec.solver import Solver", "Solver(net)", False),
        ("from mindflow.utils import print_log\nfrom sciai.operators import grad", "print_log(grad(net))", False),
        ("import mindflow", "mindflow.utils.print_log('start')", False),
        ("from mindflow import load_yaml_config", "load_yaml_config('a.yaml')", False),
    ],
)
def test_a_library_for_differential_equations_needs_float32(imports: str, use: str, is_reported: bool) -> None:
    text = join(IMPORTS, f"{imports}\n", NET, PARTS, f"{use}\n", "model = Model(net, loss, opt)\n")
    text += "model.train(10, dataset, dataset_sink_mode=True)\n"
    assert bool(Program({"train.py": text}).lint(CODE).findings) is is_reported


LAMBDA_LOOP = """
for data, label in dataset.create_tuple_iterator():
    value, grads = grad_fn(data, label)
    opt(grads)
"""
OF_FORWARD = "grad_fn = ms.value_and_grad(forward, None, opt.parameters)"
OF_LAMBDAS = [
    f"forward = lambda data, label: loss(net(data), label)\n{OF_FORWARD}",
    "grad_fn = ms.value_and_grad(lambda data, label: loss(net(data), label), None, opt.parameters)",
    "logits = lambda x: net(x)\ngrad_fn = ms.value_and_grad(lambda x, y: loss(logits(x), y), None, opt.parameters)",
    f"def forward(data, label):\n    run = lambda x: net(x)\n    return loss(run(data), label)\n{OF_FORWARD}",
    "def made(net):\n    return lambda data, label: loss(net(data), label)\n"
    "grad_fn = ms.value_and_grad(made(net), None, opt.parameters)",
]
BESIDE_LAMBDAS = [
    # another lambda of the same function computes the product
    "small = nn.Dense(4, 4)\nother = lambda x: net(x)\n"
    f"forward = lambda data, label: loss(small(data), label)\n{OF_FORWARD}",
    f"half = net.to_float(ms.float16)\nforward = lambda data, label: loss(half(data), label)\n{OF_FORWARD}",
    f"forward = lambda data, label: loss(net(data.astype(ms.float16)), label)\nnet.to_float(ms.float16)\n{OF_FORWARD}",
    f"forward = lambda data, label: (lambda y: loss(nn.ReLU()(data), y))(label)\n{OF_FORWARD}",
    "grad_fn = ms.value_and_grad(lambda data, label: loss(data, label), None, opt.parameters)\nlambda x: net(x)",
    "net = amp.auto_mixed_precision(net, 'O2')\n"
    "grad_fn = ms.value_and_grad(lambda data, label: loss(net(data), label), None, opt.parameters)",
]


@pytest.mark.parametrize("made", OF_LAMBDAS)
def test_a_lambda_computes_what_is_trained(made: str) -> None:
    (finding,) = Program({"train.py": f"{READY}\n{made}{LAMBDA_LOOP}"}).lint(CODE).findings
    added = [edit.text for edit in finding.fix.edits] if finding.fix is not None else []
    is_here = "def made(net)" not in made  # where its network has a name that a conversion can be bound to
    assert any(text.startswith("net = amp.auto_mixed_precision(net,") for text in added) is is_here


@pytest.mark.parametrize("made", BESIDE_LAMBDAS)
def test_what_another_lambda_computes_is_not_trained(made: str) -> None:
    report = Program({"train.py": f"{READY}\n{made}{LAMBDA_LOOP}"}).lint(CODE)
    assert not report.problems
    assert not report.findings


NAMED_LOSSES = [
    "def loss_fn(data, label):\n    return loss(net(data), label)\n\n\ndef forward(data, label):\n"
    "    return loss_fn(data, label)\n",
    "def compute_loss(model, data, label):\n    return loss(model(data), label)\n\n\ndef forward(data, label):\n"
    "    return compute_loss(net, data, label)\n",
    "def made(model):\n    def loss_fn(data, label):\n        return loss(model(data), label)\n\n"
    "    def forward(data, label):\n        return loss_fn(data, label)\n\n    return forward\n\n\n"
    "forward = made(net)\n",
    "def p_losses(model, data, label):\n    return loss(run(model, data), label)\n\n\ndef run(model, data):\n"
    "    return model(data)\n\n\ndef forward(data, label):\n    return p_losses(net, data, label)\n",
]
LOSSES_ALONE = [
    # the loss multiplies, and the network does not
    "small = nn.ReLU()\n\n\ndef contrastive_loss(a, b):\n    return ops.matmul(a, b.T).mean()\n\n\n"
    "def forward(data, label):\n    return contrastive_loss(small(data), label)\n",
    "small = nn.ReLU()\n\n\ndef loss_of(a, b):\n    return (a @ b.T).mean()\n\n\n"
    "def forward(data, label):\n    return loss_of(small(data), label)\n",
    # derivatives by inputs enter the loss
    "def residual_loss(model, data):\n    return ops.square(ms.grad(model)(data)).mean()\n\n\n"
    "def forward(data, label):\n    return residual_loss(net, data)\n",
    "half = net.to_float(ms.float16)\n\n\ndef loss_fn(data, label):\n    return loss(half(data), label)\n\n\n"
    "def forward(data, label):\n    return loss_fn(data, label)\n",
    "def loss_fn(data, label):\n    return loss(net(data.astype(ms.float16)), label)\n\n\n"
    "net.to_float(ms.float16)\n\n\ndef forward(data, label):\n    return loss_fn(data, label)\n",
]


@pytest.mark.parametrize("forward", NAMED_LOSSES)
def test_a_function_named_like_a_loss_that_calls_the_network_is_none(forward: str) -> None:
    report = Program({"train.py": f"{READY}\n{forward}{OF_FORWARD}{LAMBDA_LOOP}"}).lint(CODE)
    assert not report.problems
    assert len(report.findings) == 1


@pytest.mark.parametrize("forward", LOSSES_ALONE)
def test_a_function_named_like_a_loss_is_one(forward: str) -> None:
    report = Program({"train.py": f"{READY}\n{forward}{OF_FORWARD}{LAMBDA_LOOP}"}).lint(CODE)
    assert not report.problems
    assert not report.findings


SAMPLER = """
    class Sampled(nn.Cell):
        def __init__(self, net):
            super().__init__()
            self.net = net
            self.latent = ms.Parameter(ops.ones((32, 64)), requires_grad=False)
            self.kept = []
            self.term = 0

        def energy(self, x):
            return ops.square(self.net(x)).mean()

        def move(self, x):
            {made}

        def construct(self, x):
            out = self.net(self.latent)
            {used}


    sampled = Sampled(net)


    def forward(data, label):
        return loss(sampled(data), label)


    """
SET = "slope = ms.grad(self.energy)(self.latent)\n            self.latent.set_data(self.latent - slope)"
SAMPLERS = [
    (SET, "self.move(x)\n            return out", True),
    (
        "ops.assign(self.latent, self.latent - ms.grad(self.energy)(self.latent))",
        "self.move(x)\n            return out",
        True,
    ),
    (
        "slope = ops.GradOperation()(self.energy)(x)\n            ops.assign(self.latent, slope)",
        "self.move(x)\n            return out",
        True,
    ),
    ("return ms.grad(self.energy)(x)", "return out + self.move(x)", False),
    ("return ms.grad(self.energy)(x)", "slope = self.move(x)\n            return out + slope", False),
    ("self.term = ms.grad(self.energy)(x)", "self.move(x)\n            return out + self.term", False),
    ("self.kept.append(ms.grad(self.energy)(x))", "self.move(x)\n            return out + self.kept[0]", False),
    (SET, "self.move(x)\n            return out + ms.grad(self.energy)(x)", False),
]


@pytest.mark.parametrize(("made", "used", "is_reported"), SAMPLERS)
def test_derivatives_that_move_latent_variables_enter_no_loss(made: str, used: str, is_reported: bool) -> None:
    text = f"{READY}\n{join(SAMPLER.format(made=made, used=used))}{OF_FORWARD}{LAMBDA_LOOP}"
    report = Program({"train.py": text}).lint(CODE)
    assert not report.problems
    assert bool(report.findings) is is_reported


def test_a_function_that_runs_as_a_statement_takes_derivatives_for_a_loss() -> None:
    body = "slope = ms.grad(net)\n\n\ndef forward(data, label):\n    return loss(slope(data), label)\n\n\n"
    text = f"{READY}\ndef main():\n{textwrap.indent(f'{body}{OF_FORWARD}{LAMBDA_LOOP}', '    ')}\n\nmain()\n"
    assert not Program({"train.py": text}).lint(CODE).findings
