"""MSP101 pynative-mode-training: what is reported, with which safety, and what is not."""

from __future__ import annotations

import pytest
from programs import Program, case, fires, join, quiet

from ms_perflint.core.findings import Safety

CODE = "MSP101"

IMPORTS = """
    import mindspore as ms
    import mindspore.dataset as ds
    from mindspore import context, nn, ops


    """

NETWORK = """
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(64, 16)

        def construct(self, x):
            return self.fc(x)


    dataset = ds.MindDataset("train.mindrecord").batch(32)
    net = Net()
    loss = nn.MSELoss()
    opt = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    """

TRAIN = join(
    NETWORK,
    """
    model = ms.Model(net, loss, opt)
    model.train(10, dataset, dataset_sink_mode=True)
    """,
)

GRADIENT = join(
    NETWORK,
    """

    def forward(data, label):
        return loss(net(data), label)


    grad_fn = ms.value_and_grad(forward, None, opt.parameters)
    """,
)

STEP = join(
    GRADIENT,
    """

    def train_step(data, label):
        value, grads = grad_fn(data, label)
        opt(grads)
        return value


    """,
)

LOOP = """
    for epoch in range(10):
        for data, label in dataset.create_tuple_iterator():
            train_step(data, label)
    """

OPTIONS = """
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--device_target", default="Ascend", choices=["Ascend", "GPU", "CPU"])
    parser.add_argument("--mode", type=int, default=1)
    parser.add_argument("--distribute", action="store_true")
    parser.add_argument("--debug", action="store_true")
    parser.add_argument("--graph", action="store_true")
    args = parser.parse_args()
    """

PYNATIVE = "ms.set_context(mode=ms.PYNATIVE_MODE)\n"
MARKED = PYNATIVE.replace("\n", "  # ! unsafe\n")

STEPS_BY_KIND = join(
    GRADIENT,
    """


    def make_function():
        @ms.jit
        def train_step(data, label):
            value, grads = grad_fn(data, label)
            opt(grads)
            return value

        return train_step


    def make_cell():
        return nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt).set_train()


    """,
)

ONE_STEP_OF_TWO = {
    "in one loop": join("train_step = make_cell() if args.debug else make_function()\n", LOOP),
    "in two branches": """
    if args.debug:
        train_step = make_cell()
    else:
        train_step = make_function()
    for data, label in dataset.create_tuple_iterator():
        if args.debug:
            train_step(data, label)
        else:
            train_step(data, label)
    """,
}

CELL_ON_REQUEST = """
    if args.debug:
        cell = make_cell()
        for data, label in dataset.create_tuple_iterator():
            cell(data, label)
    else:
        train_step = make_function()
        for data, label in dataset.create_tuple_iterator():
            train_step(data, label)
    """

KINDS = """
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--kind", default="gr")
    parser.add_argument("--device_target", default="Ascend")
    args = parser.parse_args()
    """

ADAPTS = """
    class Adapted(nn.Cell):
        def __init__(self, net, loss):
            super().__init__()
            self.loss = nn.WithLossCell(net, loss)
            self.weights = net.trainable_params()
            self.grad = ops.GradOperation(get_by_list=True)
            self.optim = nn.Adam(self.weights)

        def construct(self, data, label, is_train=True):
            grads = self.adapt(data, label)
            if is_train:
                self.optim(grads)
            return self.loss(data, label)

        def adapt(self, data, label):
            grads = self.grad(self.loss, self.weights)(data, label)
            for weight, grad in zip(self.weights, grads):
                ops.assign(weight, weight - 0.5 * grad)
            return grads


    cell = Adapted(net, loss)
    batches = dataset.create_tuple_iterator()
    """

STEPPED = """
    class Agent:
        def __init__(self):
            self.optim = nn.Adam(net.trainable_params())
            self.gather = Accumulator({given})
            self.grads = ms.value_and_grad(forward, None, self.optim.parameters)

        def step(self, data, label):
            value, grads = self.grads(data, label)
            self.{call}
            return value


    def forward(data, label):
        return loss(net(data), label)


    agent = Agent()
    for data, label in dataset.create_tuple_iterator():
        agent.step(data, label)
    """
FROM_LIBRARY = "from toolbox import Accumulator\n"
HELD = """
    class Mine(nn.Optimizer):
        def construct(self, gradients):
            return gradients


    class Agent:
        def __init__(self, inner):
            self.inner = inner
            self.table = {{"a": inner}}
            self.others = [inner]
            self.grads = ms.value_and_grad(forward, None, net.trainable_params())

        def learn(self, data, label):
            value, grads = self.grads(data, label)
            {call}
            return value


    def forward(data, label):
        return loss(net(data), label)


    agent = Agent({made})
    for data, label in dataset.create_tuple_iterator():
        agent.learn(data, label)
    """
HOLDS_ONE = [
    ("an attribute", "self.inner(grads)", "nn.Adam(net.trainable_params())"),
    ("a name", "update = self.inner; update(grads)", "nn.Adam(net.trainable_params())"),
    ("an entry of a dictionary", 'self.table["a"](grads)', "nn.Adam(net.trainable_params())"),
    ("an element of a list", "[each(grads) for each in self.others]", "nn.Adam(net.trainable_params())"),
    ("an own optimizer", "self.inner(grads)", "Mine(0.1, net.trainable_params())"),
]
HOLDS_NONE = [
    ("another cell", "self.inner(grads)", "nn.Dense(32, 32)"),
    ("an optimizer that is not called", "print(self.inner, grads)", "nn.Adam(net.trainable_params())"),
    (
        "an optimizer that is called under a condition that never holds",
        "if False: self.inner(grads)",
        "nn.Adam(net.trainable_params())",
    ),
    ("a class", "self.inner(grads)", "nn.Adam"),
    ("a function of its name", "inner(grads)", "nn.Adam(net.trainable_params())"),
]
GIVES_STEPS = [
    ("a library's object that has the optimizer", "self.optim, 4", "gather(grads)"),
    ("a library's object that has it by keyword", "steps=4, optimizer=self.optim", "gather(grads)"),
    ("the method `construct` of the optimizer", "4", "optim.construct(grads)"),
    ("the method `step` of the optimizer", "4", "optim.step(grads)"),
]
GIVES_NO_STEPS = [
    ("a library's object that has the parameters", "self.optim.parameters", "gather(grads)"),
    ("a method of a library's object", "net, 4", "gather.construct(grads)"),
    ("a library's object that has the optimizer and is not called", "self.optim, 4", "show = print(grads)"),
]
ARMS = """
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--{name}", action="store_true")
    args = parser.parse_args()
    if args.{name}:
        context.set_context(mode=context.PYNATIVE_MODE, device_target="{one}"){mark}
    else:
        context.set_context(mode=context.GRAPH_MODE, device_target="{other}")
    """
PLACES = [
    ("modelArts_mode", "Ascend", "Ascend"),
    ("in_cloud", "Ascend", "Ascend"),
    ("multi_device_mode", "Ascend", "Ascend"),
    ("remote", "Ascend", "GPU"),
    ("small", "GPU", "Ascend"),
]
CHECKED = """
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="ascend")
    device = parser.parse_args().device
    {check}
    if device == "ascend":
        context.set_context(mode=context.PYNATIVE_MODE, device_target="Ascend")  # ! unsafe
    else:
        context.set_context(mode=context.GRAPH_MODE, device_target="GPU")
    """
CHECKS = [  # of all three devices
    "if device not in ('ascend', 'gpu', 'cpu'): raise ValueError",
    "if not device in ['ascend', 'gpu', 'cpu']: raise ValueError",
    "assert device in {'ascend', 'gpu', 'cpu'}",
    "if device.upper() not in ('ASCEND', 'GPU', 'CPU'): sys.exit(1)",
    "assert device in ('ascend', 'gpu', 'cpu', 'none')",
]
SWITCHES = [("run_mode", "Ascend", "GPU"), ("eager", "Ascend", "GPU"), ("remote", "Ascend", "Ascend")]

# Contexts of which one is for a CPU alone, and the mark of the call that trains
ON_CPU = [
    (
        "and one for others",
        """
        if len(sys.argv) > 1:
            device = sys.argv[1]
            if device == "CPU":
                ms.set_context(device_target="CPU")
            else:
                ms.set_context(device_target="Ascend", device_id=int(device))  # ! unsafe
        """,
        "",
    ),
    (
        "in front of two others",
        """
        device = sys.argv[1]
        if device == "CPU":
            ms.set_context(device_target="CPU")
        elif device == "GPU":
            ms.set_context(device_target="GPU")  # ! unsafe
        else:
            ms.set_context(device_target="Ascend")
        """,
        "",
    ),
    (
        "by a count",
        """
        if len(sys.argv) < 2:
            ms.set_context(device_target="CPU")
        else:
            ms.set_context(device_target="Ascend", device_id=int(sys.argv[1]))  # ! unsafe
        """,
        "",
    ),
    (
        "alone",
        """
        device = sys.argv[1]
        if device == "CPU":
            ms.set_context(device_target=device)
        """,
        "  # ! unsafe",
    ),
    (
        "and one for all",
        """
        device = sys.argv[1]
        if device == "CPU":
            ms.set_context(device_target="CPU")
        ms.set_context(max_call_depth=10000)  # ! unsafe
        """,
        "",
    ),
    (
        "which may be a GPU",
        """
        device = sys.argv[1]
        if device in ("CPU", "GPU"):
            ms.set_context(device_target=device)  # ! unsafe
        """,
        "",
    ),
]

# What an entry script does to reach a training whose loop stands in another file
ELSEWHERE = [
    (
        "a method of an object",
        "def main():\n    trainer = Trainer(net, opt)\n    trainer.fit(dataset)  # ! unsafe\n\n\nmain()\n",
    ),
    (
        "a method of what is made there",
        "def main():\n    Trainer(net, opt).fit(dataset)  # ! unsafe\n\n\nif __name__ == '__main__':\n    main()\n",
    ),
    ("a function", "def main():\n    fit(Trainer(net, opt), dataset)  # ! unsafe\n\n\nmain()\n"),
    (
        "a function behind two others",
        "def run(trainer):\n    fit(trainer, dataset)  # ! unsafe\n\n\n"
        "def main():\n    run(Trainer(net, opt))\n\n\nmain()\n",
    ),
    (
        "a method behind one of the file",
        "class Work:\n    def run(self):\n        self.trainer = Trainer(net, opt)\n"
        "        self.trainer.fit(dataset)  # ! unsafe\n\n\nWork().run()\n",
    ),
    (
        "a loop around the call",
        "def run(trainer):\n    trainer.fit(dataset)\n\n\n"
        "trainer = Trainer(net, opt)\nfor epoch in range(3):\n    run(trainer)  # ! unsafe\n",
    ),
    (
        "the first of two",
        "def main():\n    trainer = Trainer(net, opt)\n    trainer.fit(dataset)  # ! unsafe\n"
        "    fit(trainer, dataset)\n\n\nmain()\n",
    ),
]
LOOP_ELSEWHERE = """
    import mindspore as ms
    from mindspore import nn


    class Trainer:
        def __init__(self, net, opt):
            self.net, self.opt, self.loss = net, opt, nn.MSELoss()
            self.grads = ms.value_and_grad(self.forward, None, opt.parameters)

        def forward(self, data, label):
            return self.loss(self.net(data), label)

        def fit(self, rows):
            for data, label in rows.create_tuple_iterator():
                value, grads = self.grads(data, label)
                self.opt(grads)


    def fit(trainer, rows):
        trainer.fit(rows)
    """

RETURNS = """
def set_up(on=True):
    if on:
        try:
            ms.set_context(mode={first})
            return
        except RuntimeError:
            {error}
    ms.set_context(mode=1, device_target="GPU")


set_up()
"""
INHERITED = """
    class Root:
        def __init__(self):
            self.prepare()

        def prepare(self):
            context.set_context(mode=0)


    class Basic(Root):
        size = 1


    class Trainer({base}):
        {init}

        def train(self):
            ms.Model(net, loss, opt).train(10, dataset, dataset_sink_mode=True)


    class Log:
        def __init__(self):
            self.lines = []
    """
TRAINER = "\n\ncontext.set_context(mode=1)\nTrainer().train()\n"
BY_A_CONSTRUCTOR = [
    ("an inherited constructor", "Root", "epochs = 3"),
    ("a constructor that a base inherits", "Basic", "epochs = 3"),
    ("`super()`", "Basic", "def __init__(self):\n            super().__init__()"),
    ("`super(Trainer, self)`", "Root", "def __init__(self):\n            super(Trainer, self).__init__()"),
    ("a base by name", "Root", "def __init__(self):\n            Root.__init__(self)"),
]

# Ways back to graph mode behind an evaluation in PyNative mode, and whether the training goes on in PyNative mode
RESTORES = [
    ("the function", "", "context.set_context(mode=0)", False),
    ("a `finally`", "try:\n            print()\n        finally:\n            ", "context.set_context(mode=0)", False),
    ("what was set", "", "context.set_context(mode=before)", False),
    ("a test", "if input():\n            ", "context.set_context(mode=0)", True),
    ("a training", "ms.Model(net, loss, opt).train(1, dataset)\n        ", "context.set_context(mode=0)", True),
]
EVALUATED = """
    def train():
        ms.Model(net, loss, opt).train(10, dataset, callbacks=[Evaluate()], dataset_sink_mode=True)


    def evaluate():
        before = ms.get_context("mode")
        context.set_context(mode=context.PYNATIVE_MODE){mark}
        print(ms.Model(net, loss, metrics={{"loss"}}).eval(dataset))
        {around}{setting}


    class Evaluate(ms.Callback):
        def epoch_end(self, run_context):
            {called}


    context.set_context(mode=context.GRAPH_MODE)
    train()
    """


def restored(name: str, around: str, setting: str, is_reported: bool) -> tuple[object, ...]:
    """Return the texts of a program whose callback evaluates in PyNative mode."""
    mark = "  # !" if is_reported else ""
    return (IMPORTS, NETWORK, EVALUATED.format(mark=mark, around=around, setting=setting, called="evaluate()"))


# The first arm evaluates, the second one trains, behind what an option or a config chooses
TASKS = {
    "in the script": """
        if settings["evaluate"]:
            ms.set_context(mode=1, device_target="GPU")MARK
            print(model.eval(dataset))
        else:
            ms.set_context(mode=0, device_target="Ascend")
            model.train(10, dataset, dataset_sink_mode=True)
        """,
    "of a function": """
        def main(settings):
            if not settings["evaluate"]:
                ms.set_context(mode=0, device_target="Ascend")
                return model.train(10, dataset, dataset_sink_mode=True)
            ms.set_context(mode=1, device_target="GPU")MARK
            return model.eval(dataset)


        main(settings)
        """,
    "in functions that it calls": """
        def train():
            model.train(10, dataset, dataset_sink_mode=True)


        def evaluate():
            ms.set_context(mode=1, device_target="GPU")MARK
            print(model.eval(dataset))


        if settings["task"] == "train":
            ms.set_context(mode=0, device_target="Ascend")
            train()
        elif settings["task"] == "evaluate":
            evaluate()
        """,
}
TRAINS = "model = ms.Model(net, loss, opt)\nmodel.train(10, dataset, dataset_sink_mode=True){}\n"
SWITCHED = [  # graph mode is off by default
    ("a flag", "", "if args.graph:\n    ms.set_context(mode=ms.GRAPH_MODE)\n"),
    ("a number", "", "if args.mode == 0:\n    ms.set_context(mode=0)\n"),
    ("a text", "", "if args.run_mode != 'eager':\n    context.set_context(mode=context.GRAPH_MODE)\n"),
    ("a helper", "", "def set_up():\n    if args.graph:\n        ms.set_context(mode=0)\n\nset_up()\n"),
    ("a helper called for it", "", "def compiled():\n    ms.set_context(mode=0)\n\nif args.graph:\n    compiled()\n"),
    (
        "behind a return",
        "",
        "def set_up():\n    if not args.graph:\n        return\n    ms.set_context(mode=0)\n\nset_up()\n",
    ),
    ("and debugging", "", "if args.graph:\n    ms.set_context(mode=0)\nif args.debug:\n    ms.set_context(mode=1)\n"),
    ("a device", "ms.set_context(device_target=args.device_target)", "if args.graph:\n    ms.set_context(mode=0)\n"),
]
SET = [  # ... or on, or another condition decides
    ("on by default", "if args.kind == 'gr':\n    ms.set_context(mode=ms.GRAPH_MODE)\n"),
    ("off by a flag", "if not args.debug:\n    ms.set_context(mode=ms.GRAPH_MODE)\n"),
    ("a device", "if args.device_target == 'GPU':\n    ms.set_context(mode=ms.GRAPH_MODE)\n"),
    ("distribution", "if args.distribute:\n    ms.set_context(mode=ms.GRAPH_MODE)\n"),
    ("unknown", "if input():\n    ms.set_context(mode=ms.GRAPH_MODE)\n"),
    ("the environment", "import os\n\nif os.environ['GRAPH']:\n    ms.set_context(mode=ms.GRAPH_MODE)\n"),
    ("a library", "import toolbox\n\ntoolbox.init_context()\nif args.graph:\n    ms.set_context(mode=ms.GRAPH_MODE)\n"),
    ("one of two", "ms.set_context(mode=0)\nif args.graph:\n    ms.set_context(mode=ms.GRAPH_MODE)\n"),
    (
        "a name in a text",
        "getattr(ms, 'set_context')(mode=0)\nif args.graph:\n    ms.set_context(mode=ms.GRAPH_MODE)\n",
    ),
]
RUN_MODE = join(OPTIONS).replace(
    "args =", "parser.add_argument('--run_mode', default='eager')\nparser.add_argument('--kind', default='gr')\nargs ="
)
CHOOSES = "import json\n\nmodel = ms.Model(net, loss, opt)\nsettings = json.load(open('settings.json'))\n"


def chosen(name: str, mark: str) -> object:
    """Return a program that evaluates in PyNative mode, and also trains there if the line is marked."""
    text = join(TASKS[name]).replace("MARK", f"  {mark}" if mark else "")
    text = text.replace("model.eval(dataset)", "model.fit(10, dataset)") if mark else text
    return case(f"PyNative mode in another arm {name}{': it trains' if mark else ''}", IMPORTS, NETWORK, CHOOSES, text)


FIRES = [
    case(
        "ForwardValueAndGrad by weights",
        """
        import mindspore as ms
        from mindspore import nn

        ms.set_context(mode=ms.PYNATIVE_MODE)  # ! unsafe
        net = nn.Dense(4, 4)
        opt = nn.Adam(net.trainable_params())
        step = nn.ForwardValueAndGrad(nn.WithLossCell(net, nn.MSELoss()), opt.parameters, get_by_list=True)
        for x, y in data:
            loss, grads = step(x, y)
            opt(grads)
        """,
    ),
    *(
        case(
            f"graph mode is off by default: {name}",
            IMPORTS,
            RUN_MODE,
            f"{before}  # ! display-only\n" if before else "",
            text,
            NETWORK,
            TRAINS.format("" if before else "  # ! display-only"),
        )
        for name, before, text in SWITCHED
    ),
    *(chosen(name, "# ! unsafe") for name in TASKS),
    *(
        case(
            f"a mode that a thread is given: {start}",
            IMPORTS,
            NETWORK,
            f"""
            import threading
            def train(mode, epochs=10):
                ms.set_context(mode=mode)  # !
                ms.Model(net, loss, opt).train(epochs, dataset, dataset_sink_mode=True)
            {start}
            """,
        )
        for start in (
            "threading.Thread(target=train, args=(ms.PYNATIVE_MODE,)).start()",
            "threading.Thread(target=train, kwargs={'mode': ms.PYNATIVE_MODE}).start()",
            "pool.submit(train, ms.PYNATIVE_MODE, epochs=3)",
            "pool.submit(train, mode=ms.PYNATIVE_MODE)",
        )
    ),
    *(case(f"graph mode is set again by {way[0]}", *restored(*way)) for way in RESTORES if way[3]),
    case(
        "a helper sets the CPU and the mode, and the device is set again",
        IMPORTS,
        NETWORK,
        """
        def set_up():
            context.set_context(mode=1, device_target="CPU")  # !
        set_up()
        context.set_context(device_target="GPU")
        ms.Model(net, loss, opt).train(10, dataset, dataset_sink_mode=True)
        """,
    ),
    *(
        case(
            f"the setting of a `try`, with {name} in its handler",
            IMPORTS,
            "try:\n    ms.set_context(mode=1, device_target='Ascend')  # !\n",
            f"except RuntimeError:\n    ms.set_context(mode={other}, device_target='{device}')\n",
            TRAIN,
        )
        for name, other, device in (("a CPU", 1, "CPU"), ("a GPU", 1, "GPU"), ("graph mode", 0, "GPU"))
    ),
    case(
        "behind a `try` that returns, which is not passed by default",
        IMPORTS,
        RETURNS.format(first=0, error="pass").replace('"GPU")', '"GPU")  # !').replace("set_up()\n", "set_up(False)\n"),
        TRAIN,
    ),
    *(
        case(
            f"a loop in another file, through {name}",
            {
                "train.py": join(IMPORTS, "from loop import Trainer, fit\n\n\n", NETWORK, "\n\n", call),
                "loop.py": LOOP_ELSEWHERE,
            },
        )
        for name, call in ELSEWHERE
    ),
    *(
        case(
            f"a context for a CPU, {name}",
            "import sys\n",
            IMPORTS,
            NETWORK,
            contexts,
            f"ms.Model(net, loss, opt).train(10, dataset){mark}\n",
        )
        for name, contexts, mark in ON_CPU
    ),
    *(
        case(
            f"a step through {name}",
            IMPORTS,
            FROM_LIBRARY,
            NETWORK,
            "context.set_context(mode=1)  # !\n",
            STEPPED.format(given=given, call=call),
        )
        for name, given, call in GIVES_STEPS
    ),
    *(
        case(
            f"an optimizer under another name: {name}",
            IMPORTS,
            "ms.set_context(mode=ms.PYNATIVE_MODE)  # !\n",
            NETWORK,
            HELD.format(call=call, made=made),
        )
        for name, call, made in HOLDS_ONE
    ),
    *(
        case(f"under --{name}", IMPORTS, ARMS.format(name=name, one=one, other=other, mark="  # ! unsafe"), TRAIN)
        for name, one, other in PLACES
    ),
    *(
        case(f"behind a check of the device: {check}", IMPORTS, "import sys\n", CHECKED.format(check=check), TRAIN)
        for check in CHECKS
    ),
    case(
        "a context of the project that says no mode, and one of MindSpore for something else",
        IMPORTS,
        NETWORK,
        """
        def build_context(config):
            print(config)
        build_context({})
        ms.set_auto_parallel_context(parallel_mode="data_parallel")
        model = ms.Model(net, loss, opt)
        model.train(10, dataset, dataset_sink_mode=True)  # ! unsafe
        """,
    ),
    case(
        "a cell that steps its optimizer under a flag that is set",
        IMPORTS,
        "ms.set_context(mode=ms.PYNATIVE_MODE)  # !\n",
        NETWORK,
        ADAPTS,
        "for data, label in batches:\n    cell(data, label)\n",
    ),
    case(
        "an option chooses the mode, and its default is PyNative",
        IMPORTS,
        KINDS,
        """
        if args.kind == "py":
            context.set_context(mode=context.GRAPH_MODE)
        else:
            context.set_context(mode=context.PYNATIVE_MODE)  # !
        """,
        TRAIN,
    ),
    case(
        "the branch of another device is a path of its own",
        IMPORTS,
        KINDS,
        """
        if args.device_target == "GPU":
            context.set_context(mode=context.PYNATIVE_MODE)  # !
        else:
            context.set_context(mode=context.GRAPH_MODE)
        """,
        TRAIN,
    ),
    case("constant of the package", IMPORTS, "ms.set_context(mode=ms.PYNATIVE_MODE)  # ! unsafe\n", TRAIN),
    case(
        "constant of the module context",
        IMPORTS,
        """
        context.set_context(mode=context.PYNATIVE_MODE, device_target="Ascend")  # ! unsafe
        """,
        TRAIN,
    ),
    case(
        "bare names",
        IMPORTS,
        """
        from mindspore import PYNATIVE_MODE, set_context

        set_context(device_target="Ascend", mode=PYNATIVE_MODE)  # ! unsafe
        """,
        TRAIN,
    ),
    case("number", IMPORTS, "context.set_context(mode=1)  # ! unsafe\n", TRAIN),
    case("True counts as one", IMPORTS, "context.set_context(mode=True, device_id=0)  # ! unsafe\n", TRAIN),
    case(
        "local name with one definition",
        IMPORTS,
        """
        run_mode = context.PYNATIVE_MODE
        context.set_context(mode=run_mode)  # ! unsafe
        """,
        TRAIN,
    ),
    case(
        "call over several lines",
        IMPORTS,
        """
        ms.set_context(mode=ms.PYNATIVE_MODE,  # ! unsafe
                       device_target="Ascend",
                       device_id=0)
        """,
        TRAIN,
    ),
    case("default of an option", IMPORTS, OPTIONS, "ms.set_context(mode=args.mode)  # ! display-only\n", TRAIN),
    case(
        "word in the config file",
        {
            "train.py": """
                import mindspore as ms
                import yaml
                from mindspore import nn

                with open("default_config.yaml") as file:
                    config = yaml.safe_load(file)
                MODES = {"graph": ms.GRAPH_MODE, "pynative": ms.PYNATIVE_MODE}
                ms.set_context(mode=MODES[config["context_mode"]])  # !
                net = nn.Dense(16, 16)
                model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
                model.train(10, ms.dataset.MindDataset("a.mindrecord"))
                """,
            "default_config.yaml": """
                epochs: 10
                context_mode: pynative
                """,
        },
    ),
    case(
        "number in the config file",
        {
            "train.py": """
                import mindspore as ms
                import yaml
                from mindspore import nn

                with open("default_config.yaml") as file:
                    config = yaml.safe_load(file)
                ms.set_context(mode=config["mode"])  # ! display-only
                net = nn.Dense(16, 16)
                model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
                model.train(10, ms.dataset.MindDataset("a.mindrecord"))
                """,
            "default_config.yaml": "mode: 1  # pynative\n",
        },
    ),
    case(
        "keywords in a dict",
        IMPORTS,
        """
        settings = {"mode": ms.PYNATIVE_MODE, "device_target": "Ascend"}
        ms.set_context(**settings)  # ! no fix
        """,
        TRAIN,
    ),
    case(
        "graph mode only for those who ask",
        IMPORTS,
        OPTIONS,
        "ms.set_context(mode=ms.GRAPH_MODE if args.graph else ms.PYNATIVE_MODE)  # !\n",
        TRAIN,
    ),
    case(
        "helper in another file",
        {
            "train.py": """
                import mindspore as ms
                from mindspore import nn

                from src.env import init_env

                if __name__ == "__main__":
                    init_env("Ascend")
                    net = nn.Dense(16, 16)
                    model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
                    model.train(10, ms.dataset.MindDataset("a.mindrecord"))
                """,
            "src/__init__.py": "",
            "src/env.py": """
                from mindspore import context


                def init_env(device):
                    context.set_context(mode=context.PYNATIVE_MODE, device_target=device)  # ! unsafe
                """,
        },
    ),
    case(
        "imported file sets it on import",
        {
            "main.py": """
                import mindspore as ms
                from mindspore import nn

                from network import Net

                net = Net()
                model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
                model.train(10, ms.dataset.MindDataset("a.mindrecord"))
                """,
            "network.py": """
                import mindspore.context as context
                from mindspore import nn

                context.set_context(mode=context.PYNATIVE_MODE)  # !


                class Net(nn.Cell):
                    def __init__(self):
                        super().__init__()
                        self.fc = nn.Dense(16, 16)

                    def construct(self, x):
                        return self.fc(x)
                """,
        },
    ),
    case(
        "last call wins",
        IMPORTS,
        """
        ms.set_context(mode=ms.GRAPH_MODE)
        ms.set_context(mode=ms.PYNATIVE_MODE)  # !
        """,
        TRAIN,
    ),
    case(
        "every device branch",
        IMPORTS,
        OPTIONS,
        """
        if args.device_target == "Ascend":
            context.set_context(mode=context.PYNATIVE_MODE, device_target="Ascend")  # ! unsafe
        else:
            context.set_context(mode=context.PYNATIVE_MODE, device_target="GPU")  # ! unsafe
        """,
        TRAIN,
    ),
    case(
        "only the distributed branch is compiled",
        IMPORTS,
        OPTIONS,
        """
        if args.distribute:
            ms.set_context(mode=ms.GRAPH_MODE)
        else:
            ms.set_context(mode=ms.PYNATIVE_MODE)  # ! unsafe
        """,
        TRAIN,
    ),
    case(
        "option that says what to do, not in which mode",
        IMPORTS,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--mode", choices=["train", "eval"])
        parser.add_argument("--model")
        args = parser.parse_args()
        if args.mode == "train":
            ms.set_context(mode=ms.PYNATIVE_MODE)  # ! unsafe
        if args.model == "small":
            ms.set_context(mode=ms.PYNATIVE_MODE)  # ! unsafe
        """,
        TRAIN,
    ),
    case(
        "CPU is the default, but accelerators can be chosen",
        IMPORTS,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--device", default="CPU", choices=["CPU", "GPU", "Ascend"])
        args = parser.parse_args()
        ms.set_context(mode=ms.PYNATIVE_MODE, device_target=args.device)  # !
        """,
        TRAIN,
    ),
    case("own loop", IMPORTS, "ms.set_context(mode=ms.PYNATIVE_MODE)  # !\n", STEP, LOOP),
    case(
        "train cell that is called",
        IMPORTS,
        "ms.set_context(mode=ms.PYNATIVE_MODE)  # !\n",
        NETWORK,
        """
        step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt)
        step.set_train()
        for item in dataset.create_dict_iterator():
            step(item["data"], item["label"])
        """,
    ),
    case(
        "only the evaluation is compiled",
        IMPORTS,
        """
        ms.set_context(mode=ms.PYNATIVE_MODE)  # !


        @ms.jit
        def evaluate(data):
            return ops.relu(data)


        """,
        STEP,
        LOOP,
        "evaluate(ops.ones((1, 64)))\n",
    ),
    *(
        case(f"step is compiled on request: {made}", IMPORTS, OPTIONS, MARKED, STEP, f"{made}\n", LOOP)
        for made in (
            "if args.graph:\n    train_step = ms.jit(train_step)",
            "train_step = ms.jit(train_step) if args.graph else train_step",
            "if args.debug:\n    compiled = ms.jit(train_step)",
        )
    ),
    *(
        case(
            f"step is compiled on request, {what}", IMPORTS, OPTIONS, f"{PYNATIVE.rstrip()}  # !\n", STEPS_BY_KIND, text
        )
        for what, text in (
            (what, text.replace("args.debug", "not args.graph")) for what, text in ONE_STEP_OF_TWO.items()
        )
    ),
    case("nothing says the mode, 2.x", IMPORTS, 'context.set_context(device_target="Ascend")  # ! unsafe\n', TRAIN),
    case(
        "nothing says the mode, only the first call speaks",
        IMPORTS,
        """
        ms.set_context(device_target="GPU")  # ! unsafe
        ms.set_context(max_call_depth=10000)
        """,
        TRAIN,
    ),
    case(
        "option for the mode that nobody uses",
        IMPORTS,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--mode", type=int, default=ms.GRAPH_MODE)
        parser.add_argument("--device_target", default="Ascend")
        args = parser.parse_args()
        ms.set_context(device_target=args.device_target)  # ! display-only
        """,
        TRAIN,
    ),
    case(
        "no set_context at all",
        IMPORTS,
        NETWORK,
        """
        model = ms.Model(net, loss, opt)
        model.train(10, dataset, dataset_sink_mode=True)  # ! unsafe
        """,
    ),
    case(
        "no set_context, step that sinks its data",
        IMPORTS,
        STEP,
        """
        def main():
            sink_process = ms.data_sink(train_step, dataset, sink_size=1)
            for epoch in range(10):
                for _ in range(100):
                    value = sink_process()  # ! unsafe
                print(epoch, value)


        main()
        """,
    ),
    case(
        "only the device is set",
        IMPORTS,
        'ms.set_device("Ascend", 0)\n',
        NETWORK,
        "ms.Model(net, loss, opt).fit(10, dataset)  # ! unsafe\n",
    ),
    case(
        "no set_context, own loop",
        IMPORTS,
        STEP,
        """
        for epoch in range(10):
            for data, label in dataset.create_tuple_iterator():
                value = train_step(data, label)  # ! unsafe
            print(epoch, value)
        """,
    ),
    case(
        "no set_context, loop in a helper of another file",
        {
            "train.py": """
                import mindspore.dataset as ds
                from mindspore import nn

                from loop import run

                if __name__ == "__main__":
                    net = nn.Dense(16, 16)
                    run(net, ds.MindDataset("a.mindrecord").batch(32))  # !
                """,
            "loop.py": """
                from mindspore import nn


                def run(net, dataset):
                    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params()))
                    for data, label in dataset.create_tuple_iterator():
                        step(data, label)
                """,
        },
    ),
    case(
        "helper without a mode",
        {
            "train.py": """
                import mindspore as ms
                from mindspore import nn

                from env import prepare

                prepare("Ascend")
                net = nn.Dense(16, 16)
                ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, ms.dataset.MindDataset("a"))
                """,
            "env.py": """
                import mindspore as ms


                def prepare(device):
                    ms.set_seed(1)
                    ms.set_context(device_target=device)  # !
                """,
        },
    ),
    case(
        "helper without a mode that two entry scripts share",
        {
            "train_small.py": """
                import mindspore as ms
                from mindspore import nn

                from env import prepare

                if __name__ == "__main__":
                    prepare("Ascend")
                    net = nn.Dense(16, 16)
                    model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
                    model.train(1, ms.dataset.MindDataset("a"))  # ! display-only
                """,
            "train_large.py": """
                import mindspore as ms
                from mindspore import nn

                from env import prepare

                if __name__ == "__main__":
                    prepare("GPU")
                    net = nn.Dense(1024, 1024)
                    model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
                    model.train(90, ms.dataset.MindDataset("b"))  # ! display-only
                """,
            "env.py": """
                import mindspore as ms


                def prepare(device):
                    ms.set_context(device_target=device)
                """,
        },
    ),
    case(
        "default of 1.2 is PyNative", IMPORTS, 'context.set_context(device_target="GPU")  # !\n', TRAIN, version=(1, 2)
    ),
    case(
        "explicit on 1.9",
        IMPORTS,
        "context.set_context(mode=context.PYNATIVE_MODE)  # ! unsafe\n",
        TRAIN,
        version=(1, 9),
    ),
    case(
        "a README is no pin",
        {
            "train.py": """
                import mindspore as ms
                from mindspore import nn

                ms.set_context(device_target="Ascend")  # !
                net = nn.Dense(16, 16)
                ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, ms.dataset.MindDataset("a"))
                """,
            "README.md": "Needs mindspore==1.9.0\n",
        },
    ),
    case(
        "a picture is what is trained",
        IMPORTS,
        """
        ms.set_context(mode=ms.PYNATIVE_MODE)  # ! display-only
        picture = ms.Parameter(ops.ones((8, 64), ms.float32), name="picture")
        opt = nn.Adam([picture])
        label = ops.ones((8, 10), ms.float32)


        def forward(picture):
            return loss(net(picture), label)


        grad_fn = ms.grad(forward, grad_position=0)
        for _ in range(100):
            opt((grad_fn(picture),))
        """,
    ),
]

LEVELS = """
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--level", type=int, default=3)
    args = parser.parse_args()
    """
LEVEL = "if args.level == {0}:\n    ms.set_context(mode={1})\n"

OUTSIDE = (
    "zoo.init_env(mode, seed=1)",
    "zoo.utils.env.init_env(mode=mode)",
    "zoo.setup_env(**options)",
    "zoo.prepare_environment(options)",
    "zoo.set_runtime()",
    "zoo.init(mode=mode)",
    "zoo.launch(main, mode)",
    "zoo.context.init_project(args=options)",
    "zoo.core.ctx.start()",
)

QUIET = [
    case(
        "ForwardValueAndGrad by inputs, as attacks take it",
        """
        import mindspore as ms
        from mindspore import nn

        ms.set_context(mode=ms.PYNATIVE_MODE)
        net = nn.Dense(4, 4)
        opt = nn.Adam(net.trainable_params())
        step = nn.ForwardValueAndGrad(nn.WithLossCell(net, nn.MSELoss()), get_all=True)
        for x, y in data:
            loss, grads = step(x, y)
            opt(grads)
        """,
    ),
    *(case(f"graph mode is on: {name}", IMPORTS, RUN_MODE, text, TRAIN) for name, text in SET),
    case("graph mode is off, and the default", IMPORTS, RUN_MODE, SWITCHED[0][2], TRAIN, version=(1, 9)),
    *(chosen(name, "") for name in TASKS),
    *(case(f"graph mode is set again by {way[0]}", *restored(*way)) for way in RESTORES if not way[3]),
    *(
        case(
            f"graph mode is set later, in {name}",
            IMPORTS,
            NETWORK,
            INHERITED.format(base=base, init=init),
            TRAINER,
        )
        for name, base, init in BY_A_CONSTRUCTOR
    ),
    *(
        case(f"PyNative mode is set only where graph mode fails, {name}", IMPORTS, text, TRAIN)
        for name, text in (
            ("in a handler", "try:\n    ms.set_context(mode=0)\nexcept RuntimeError:\n    ms.set_context(mode=1)\n"),
            ("behind a `try`", RETURNS.format(first=0, error="pass")),
            ("behind a `try` with other code in its handler", RETURNS.format(first=0, error="print('no device')")),
        )
    ),
    case(
        "the lines that set the mode set the CPU, in one of several functions",
        IMPORTS,
        NETWORK,
        """
        def first():
            ms.set_context(mode=ms.PYNATIVE_MODE)
            ms.set_context(device_target="CPU")
            ms.Model(net, loss, opt).train(10, dataset)
        def second():
            ms.set_context(device_target="CPU", mode=ms.PYNATIVE_MODE)
            ms.Model(net, loss, opt).train(10, dataset)
        first() if input() else second()
        """,
    ),
    *(
        case(
            f"no step through {name}",
            IMPORTS,
            FROM_LIBRARY,
            NETWORK,
            "context.set_context(mode=1)\n",
            STEPPED.format(given=given, call=call),
        )
        for name, given, call in GIVES_NO_STEPS
    ),
    *(
        case(
            f"no optimizer under another name: {name}",
            IMPORTS,
            "def inner(x):\n    return x\n\n\n",
            "ms.set_context(mode=ms.PYNATIVE_MODE)\n",
            NETWORK.replace("opt = ", "given = "),
            HELD.format(call=call, made=made),
        )
        for name, call, made in HOLDS_NONE
    ),
    *(
        case(f"the mode is chosen by --{name}", IMPORTS, ARMS.format(name=name, one=one, other=other, mark=""), TRAIN)
        for name, one, other in SWITCHES
    ),
    case(
        "a cell that adapts what it evaluates",
        IMPORTS,
        "ms.set_context(mode=ms.PYNATIVE_MODE)\n",
        NETWORK,
        ADAPTS,
        "for data, label in batches:\n    cell(data, label, False)\n",
    ),
    case(
        "an option chooses the mode, whatever its name",
        IMPORTS,
        KINDS,
        """
        if args.kind == "py":
            context.set_context(mode=context.PYNATIVE_MODE)
        else:
            context.set_context(mode=context.GRAPH_MODE)
        """,
        TRAIN,
    ),
    case("more settings than anybody writes", IMPORTS, LEVELS, *(LEVEL.format(n, n % 2) for n in range(100)), TRAIN),
    case("graph mode", IMPORTS, "ms.set_context(mode=ms.GRAPH_MODE)\n", TRAIN),
    case("graph mode by number", IMPORTS, "context.set_context(mode=0, device_target='Ascend')\n", TRAIN),
    case("graph mode, own loop", IMPORTS, "ms.set_context(mode=ms.GRAPH_MODE)\n", STEP, LOOP),
    case(
        "graph mode in a second call",
        IMPORTS,
        """
        ms.set_context(device_target="Ascend")
        ms.set_context(mode=ms.GRAPH_MODE)
        """,
        TRAIN,
    ),
    case(
        "last call wins",
        IMPORTS,
        """
        ms.set_context(mode=ms.PYNATIVE_MODE)
        ms.set_context(mode=ms.GRAPH_MODE)
        """,
        TRAIN,
    ),
    case(
        "entry script overrides what an import sets",
        {
            "train.py": """
                import mindspore as ms
                from mindspore import nn

                import network

                ms.set_context(mode=ms.GRAPH_MODE)
                net = network.make()
                ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, ms.dataset.MindDataset("a"))
                """,
            "network.py": """
                import mindspore as ms
                from mindspore import nn

                ms.set_context(mode=ms.PYNATIVE_MODE)


                def make():
                    return nn.Dense(16, 16)
                """,
        },
    ),
    case(
        "mode is set by a helper",
        {
            "train.py": """
                import mindspore as ms
                from mindspore import nn

                from env import prepare

                prepare()
                net = nn.Dense(16, 16)
                ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, ms.dataset.MindDataset("a"))
                """,
            "env.py": """
                from mindspore import context


                def prepare():
                    context.set_context(mode=context.GRAPH_MODE)
                """,
        },
    ),
    case(
        "for debugging only",
        IMPORTS,
        OPTIONS,
        """
        ms.set_context(mode=ms.GRAPH_MODE)
        if args.debug:
            ms.set_context(mode=ms.PYNATIVE_MODE)
        """,
        TRAIN,
    ),
    case(
        "else of a mode that is graph by default",
        IMPORTS,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--run_mode", default="GRAPH", choices=["GRAPH", "PYNATIVE"])
        args = parser.parse_args()
        if args.run_mode == "GRAPH":
            ms.set_context(mode=ms.GRAPH_MODE)
        else:
            ms.set_context(mode=ms.PYNATIVE_MODE)
        """,
        TRAIN,
    ),
    case(
        "local name that only an option turns to PyNative",
        IMPORTS,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--pynative", action="store_true")
        args = parser.parse_args()
        mode = context.GRAPH_MODE
        if args.pynative:
            mode = context.PYNATIVE_MODE
        context.set_context(mode=mode)
        """,
        TRAIN,
    ),
    case(
        "option whose default is graph",
        IMPORTS,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--mode", type=int, default=0, help="0 is graph, 1 is pynative")
        args = parser.parse_args()
        ms.set_context(mode=args.mode)
        """,
        TRAIN,
    ),
    case(
        "conditional expression whose default is graph",
        IMPORTS,
        OPTIONS,
        "ms.set_context(mode=ms.PYNATIVE_MODE if args.debug else ms.GRAPH_MODE)\n",
        TRAIN,
    ),
    case(
        "config file says graph",
        {
            "train.py": """
                import mindspore as ms
                import yaml
                from mindspore import nn

                with open("default_config.yaml") as file:
                    config = yaml.safe_load(file)
                ms.set_context(mode=config["mode"])
                net = nn.Dense(16, 16)
                ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, ms.dataset.MindDataset("a"))
                """,
            "default_config.yaml": "mode: 0\n",
            "debug_config.yaml": "mode: 1\n",
        },
    ),
    case(
        "nobody knows",
        IMPORTS,
        """
        import os

        ms.set_context(mode=int(os.environ["MODE"]))
        """,
        TRAIN,
    ),
    case(
        "keywords that cannot be seen",
        IMPORTS,
        """
        import json

        with open("context.json") as file:
            ms.set_context(**json.load(file))
        """,
        TRAIN,
    ),
    case("default of 1.9 is graph", IMPORTS, 'context.set_context(device_target="GPU")\n', TRAIN, version=(1, 9)),
    case(
        "requirements pin a version whose default is graph",
        {
            "train.py": """
                import mindspore as ms
                from mindspore import nn

                ms.set_context(device_target="Ascend")
                net = nn.Dense(16, 16)
                ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, ms.dataset.MindDataset("a"))
                """,
            "requirements.txt": """
                numpy>=1.17
                mindspore-ascend==1.8.1
                """,
        },
    ),
    case(
        "evaluation",
        IMPORTS,
        """
        ms.set_context(mode=ms.PYNATIVE_MODE)
        net = nn.Dense(16, 16)
        ms.load_checkpoint("net.ckpt", net)
        model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()), metrics={"loss"})
        print(model.eval(ds.MindDataset("val.mindrecord").batch(32)))
        """,
    ),
    case(
        "inference",
        IMPORTS,
        """
        context.set_context(mode=context.PYNATIVE_MODE, device_target="Ascend")
        net = nn.Dense(16, 16)
        net.set_train(False)
        for item in ds.MindDataset("val.mindrecord").create_dict_iterator():
            print(net(item["data"]).argmax())
        """,
    ),
    case(
        "export of a train cell",
        IMPORTS,
        """
        context.set_context(mode=context.PYNATIVE_MODE)
        net = nn.Dense(16, 16)
        cell = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params()))
        ms.export(cell, ops.ones((1, 16)), ops.ones((1, 16)), file_name="step", file_format="MINDIR")
        """,
    ),
    case(
        "preprocessing",
        IMPORTS,
        """
        context.set_context(mode=context.PYNATIVE_MODE)
        for item in ds.ImageFolderDataset("images").create_dict_iterator():
            print(ops.relu(item["image"]).mean())
        """,
    ),
    case(
        "evaluation script beside a training script",
        {
            "train.py": """
                import mindspore as ms
                from mindspore import nn

                ms.set_context(mode=ms.GRAPH_MODE)
                net = nn.Dense(16, 16)
                ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, ms.dataset.MindDataset("a"))
                """,
            "eval.py": """
                import mindspore as ms
                from mindspore import nn

                ms.set_context(mode=ms.PYNATIVE_MODE)
                print(ms.Model(nn.Dense(16, 16), nn.MSELoss(), metrics={"loss"}).eval(ms.dataset.MindDataset("b")))
                """,
        },
    ),
    case(
        "test over both modes",
        {
            "tests/test_train.py": """
                import mindspore as ms
                import pytest
                from mindspore import nn


                @pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
                def test_train(mode):
                    ms.set_context(mode=mode)
                    net = nn.Dense(16, 16)
                    ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, ms.dataset.MindDataset("a"))
                """,
        },
    ),
    case("CPU", IMPORTS, 'ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")\n', TRAIN),
    case("CPU by set_device, nothing says the mode", IMPORTS, 'ms.set_device("CPU")\n', TRAIN),
    case(
        "CPU by default, and nothing else is named",
        IMPORTS,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--device_target", default="CPU")
        args = parser.parse_args()
        ms.set_context(mode=ms.PYNATIVE_MODE, device_target=args.device_target)
        """,
        TRAIN,
    ),
    case("CPU is the configured device", IMPORTS, "ms.set_context(mode=ms.PYNATIVE_MODE)\n", TRAIN, device="CPU"),
    case(
        "step is compiled by a decorator",
        IMPORTS,
        "ms.set_context(mode=ms.PYNATIVE_MODE)\n",
        GRADIENT,
        """


        @ms.jit
        def train_step(data, label):
            value, grads = grad_fn(data, label)
            opt(grads)
            return value


        """,
        LOOP,
    ),
    case(
        "step is compiled, and its loss has the slope of the network",
        IMPORTS,
        "ms.set_context(mode=ms.PYNATIVE_MODE)\n",
        GRADIENT,
        """


        def penalty(data):
            slope_fn = ops.grad(net)
            return slope_fn(data).square().mean()


        def forward_with_penalty(data, label):
            return loss(net(data), label) + penalty(data)


        grad_fn = ms.value_and_grad(forward_with_penalty, None, opt.parameters)


        @ms.jit
        def train_step(data, label):
            value, grads = grad_fn(data, label)
            opt(grads)
            return value


        """,
        LOOP,
    ),
    case(
        "step that sinks its data is compiled",
        IMPORTS,
        STEP,
        """
        sink_process = ms.data_sink(train_step, dataset, sink_size=1, jit_config=ms.JitConfig())
        for _ in range(1000):
            sink_process()
        """,
    ),
    case(
        "step is compiled, nothing says the mode",
        IMPORTS,
        GRADIENT,
        """


        @ms.jit(jit_level="O1")
        def train_step(data, label):
            value, grads = grad_fn(data, label)
            opt(grads)
            return value


        """,
        LOOP,
    ),
    case(
        "step is compiled by a call",
        IMPORTS,
        "ms.set_context(mode=ms.PYNATIVE_MODE)\n",
        STEP,
        """
        compiled = ms.jit(train_step)
        for data, label in dataset.create_tuple_iterator():
            compiled(data, label)
        """,
    ),
    *(
        case(f"step is compiled by default, {what}", IMPORTS, OPTIONS, PYNATIVE, STEPS_BY_KIND, text)
        for what, text in {**ONE_STEP_OF_TWO, "a train cell on request": CELL_ON_REQUEST}.items()
    ),
    *(
        case(f"step is compiled unless asked: {made}", IMPORTS, OPTIONS, PYNATIVE, STEP, f"{made}\n", LOOP)
        for made in (
            "if not args.debug:\n    train_step = ms.jit(train_step)",
            "train_step = train_step if args.debug else ms.jit(train_step)",
            "if int(input()):\n    train_step = ms.jit(train_step)",
        )
    ),
    case(
        "step is compiled, in the words of 1.x",
        IMPORTS,
        """
        from mindspore import ms_function

        context.set_context(mode=context.PYNATIVE_MODE)
        """,
        GRADIENT,
        """


        @ms_function
        def train_step(data, label):
            value, grads = grad_fn(data, label)
            opt(grads)
            return value


        """,
        LOOP,
        version=(1, 10),
    ),
    case(
        "step of a trainer, compiled in the class of which objects are made",
        IMPORTS,
        NETWORK,
        """


        class Trainer:
            def __init__(self):
                self.grad_fn = ms.value_and_grad(lambda x, y: loss(net(x), y), None, opt.parameters)

            def step(self, x, y):
                value, grads = self.grad_fn(x, y)
                opt(grads)
                return value

            def run(self):
                for x, y in dataset:
                    self.step(x, y)


        class Compiled(Trainer):
            @ms.jit
            def step(self, x, y):
                value, grads = self.grad_fn(x, y)
                opt(grads)
                return value


        Compiled().run()
        """,
    ),
    case(
        "train cell with a compiled construct",
        IMPORTS,
        "ms.set_context(mode=ms.PYNATIVE_MODE)\n",
        NETWORK,
        """


        class Step(nn.TrainOneStepCell):
            @ms.jit
            def construct(self, data, label):
                value = self.network(data, label)
                grads = self.grad(self.network, self.weights)(data, label, self.sens)
                self.optimizer(grads)
                return value


        step = Step(nn.WithLossCell(net, loss), opt)
        for data, label in dataset.create_tuple_iterator():
            step(data, label)
        """,
    ),
    case(
        "trainer of a library that is written for PyNative",
        """
        import mindspore as ms
        from mindnlp.engine import Trainer, TrainingArguments
        from mindnlp.transformers import AutoModelForSequenceClassification

        ms.set_context(mode=ms.PYNATIVE_MODE)
        model = AutoModelForSequenceClassification.from_pretrained("bert-base-chinese")
        trainer = Trainer(model=model, args=TrainingArguments("out"), train_dataset=None)
        trainer.train()
        """,
    ),
    case(
        "mode is only asked for",
        IMPORTS,
        """
        ms.set_context(mode=ms.GRAPH_MODE)
        if ms.get_context("mode") == ms.PYNATIVE_MODE:
            print("this will be slow")
        """,
        TRAIN,
    ),
    case(
        "own function of that name",
        IMPORTS,
        """
        def set_context(mode):
            print("mode of the user interface:", mode)


        set_context(mode=1)
        context.set_context(mode=context.GRAPH_MODE)
        """,
        TRAIN,
    ),
    case(
        "own object of that name",
        IMPORTS,
        """
        from renderer import context as drawing

        drawing.set_context(mode=drawing.PYNATIVE_MODE)
        ms.set_context(mode=ms.GRAPH_MODE)
        """,
        TRAIN,
    ),
    case(
        "built, but never trained",
        IMPORTS,
        "ms.set_context(mode=ms.PYNATIVE_MODE)\n",
        NETWORK,
        """
        model = ms.Model(net, loss, opt)
        print(sum(parameter.size for parameter in net.trainable_params()))
        """,
    ),
    case(
        "text and comments",
        IMPORTS,
        '''
        """Set ms.set_context(mode=ms.PYNATIVE_MODE) while you debug."""
        # ms.set_context(mode=ms.PYNATIVE_MODE)
        ms.set_context(mode=ms.GRAPH_MODE)
        ''',
        TRAIN,
    ),
    case(
        "a function changes the mode that the settings hold",
        IMPORTS,
        """
        class Settings:
            mode = ms.PYNATIVE_MODE


        def choose(settings):
            settings.mode = ms.GRAPH_MODE


        settings = Settings()
        choose(settings)
        ms.set_context(mode=settings.mode)
        """,
        TRAIN,
    ),
    case(
        "a library builds the context",
        IMPORTS,
        "from mindformers.core.context import build_context\n",
        "build_context({})\n",
        TRAIN,
    ),
    case(
        "a library builds the context, by its module",
        IMPORTS,
        "import mindformers\n",
        "mindformers.core.context.build_context({})\n",
        TRAIN,
    ),
    case(
        "a library inits the context",
        IMPORTS,
        "from mindformers import init_context\n",
        "init_context(use_parallel=False)\n",
        TRAIN,
    ),
    case(
        "a library sets the context up, in a function",
        IMPORTS,
        "from zoo import setup_context as prepare\n",
        "def start():\n    prepare()\nstart()\n",
        TRAIN,
    ),
    case(
        "a library configures the context",
        IMPORTS,
        "from zoo.tools import configure_ctx\n",
        "configure_ctx('GPU')\n",
        TRAIN,
    ),
    *(
        case(f"a library may set the mode: {call}", IMPORTS, f"import zoo\nmode, options = 0, {{}}\n{call}\n", TRAIN)
        for call in OUTSIDE
    ),
    case(
        "gradients are taken in what only a compiled step calls",
        IMPORTS,
        NETWORK,
        """
        def held(fn):
            grad = ops.GradOperation(get_by_list=True)
            def run(*args):
                return fn(*args), grad(fn, opt.parameters)(*args)
            return run
        def forward(x, y):
            return loss(net(x), y)
        grad_fn = held(forward)
        def step(x, y):
            value, grads = grad_fn(x, y)
            opt(grads)
            return value
        train_step = ms.jit(step)
        for x, y in dataset:
            train_step(x, y)
        """,
    ),
    case(
        "the same, with the decorator",
        IMPORTS,
        NETWORK,
        """
        def held(fn):
            grad = ops.GradOperation(get_by_list=True)
            def run(*args):
                return fn(*args), grad(fn, opt.parameters)(*args)
            return run
        def forward(x, y):
            return loss(net(x), y)
        grad_fn = held(forward)
        @ms.jit
        def train_step(x, y):
            value, grads = grad_fn(x, y)
            opt(grads)
            return value
        for x, y in dataset:
            train_step(x, y)
        """,
    ),
    case(
        "compiled steps whose functions take gradients inside of one another",
        IMPORTS,
        NETWORK,
        """
        def held(fn):
            grad = ops.GradOperation(get_by_list=True)
            def run(*args):
                return fn(*args), grad(fn, opt.parameters)(*args)
            return run
        def penalty(x):
            value, _ = held(net)(x)
            return value.mean()
        def forward(x, y):
            return loss(net(x), y) + penalty(x)
        grad_fn = held(forward)
        @ms.jit
        def train_step(x, y):
            value, grads = grad_fn(x, y)
            opt(grads)
            return value
        for x, y in dataset:
            train_step(x, y)
        """,
    ),
]


HELD = [
    ("class Config:\n    mode = ms.PYNATIVE_MODE\n", "Config.mode", "ms.GRAPH_MODE"),
    ("class Config:\n    def __init__(self):\n        self.mode = 1\n", "Config().mode", "0"),
    ('config = {"mode": context.PYNATIVE_MODE}\n', 'config["mode"]', "context.GRAPH_MODE"),
    ("from types import SimpleNamespace\nconfig = SimpleNamespace(mode=1)\n", "config.mode", "0"),
]


@pytest.mark.parametrize(("before", "given", "text"), HELD)
def test_a_mode_that_something_holds_is_changed_there_for_display(before: str, given: str, text: str) -> None:
    files = {"train.py": join(IMPORTS, before, f"ms.set_context(mode={given})\n", TRAIN)}
    (finding,) = Program(files).lint(CODE).findings
    assert finding.fix is not None
    assert (finding.fix.safety, [edit.text for edit in finding.fix.edits]) == (Safety.DISPLAY, [text])


def test_a_spread_without_a_mode_sets_none() -> None:
    contexts = 'options = dict(device_target="Ascend")\nms.set_context(mode=ms.GRAPH_MODE)\nms.set_context(**options)\n'
    assert not Program({"train.py": join(IMPORTS, contexts, TRAIN)}).lint(CODE).findings


UNREACHED = [
    "if False:\n    run()\n",
    "WANTED = 0\nif WANTED:\n    run()\n",
    "import sys\nsys.exit()\nrun()\n",
    "raise SystemExit\nrun()\n",
    "def main():\n    return\n    run()\nmain()\n",
    "def main(train=False):\n    if train:\n        run()\nmain(False)\n",
]
REACHED = [
    "if True:\n    run()\n",
    "import sys\nif not sys.argv:\n    sys.exit()\nrun()\n",
    "def main(train=False):\n    if train:\n        run()\nmain(True)\n",
]
RUN = join(
    IMPORTS,
    STEP,
    """
    def run():
        for data, label in dataset.create_tuple_iterator():
            train_step(data, label)


    """,
)


@pytest.mark.parametrize("text", UNREACHED)
def test_no_mode_is_missed_where_running_the_script_comes_to_no_step(text: str) -> None:
    assert not Program({"train.py": RUN + text}).lint(CODE).findings


@pytest.mark.parametrize("text", REACHED)
def test_a_mode_is_missed_where_running_the_script_comes_to_a_step(text: str) -> None:
    assert len(Program({"train.py": RUN + text}).lint(CODE).findings) == 1


@pytest.mark.parametrize("program", FIRES)
def test_fires(program: Program) -> None:
    fires(CODE, program)


@pytest.mark.parametrize("program", QUIET)
def test_not_reported(program: Program) -> None:
    quiet(CODE, program)


@pytest.mark.parametrize(
    "call",
    [
        'zoo.init_weights(mode="fan_out")',
        'zoo.set_logger("run.log", mode="w")',
        "zoo.set_seed(1)",
        "zoo.make_env(0)",
        "zoo.context.get_rank()",
        "import multiprocessing.context; multiprocessing.context.Process(target=print).start()",
        "np.random.seed(0)",
        "ms.set_seed(0)",
    ],
)
def test_other_calls_of_libraries_set_no_mode(call: str) -> None:
    text = join(IMPORTS, f"import numpy as np\nimport zoo\n{call}\n", TRAIN)
    (finding,) = Program({"train.py": text}).lint(CODE).findings
    assert "no `mode` is set" in finding.message


def test_what_runs_in_one_mode_alone_is_not_the_place_to_set_it() -> None:
    held = """
    if ms.get_context("mode") == ms.GRAPH_MODE:
        ms.set_context(max_device_memory="8GB")
    """
    (finding,) = Program({"train.py": join(IMPORTS, held, TRAIN)}).lint(CODE).findings
    assert "no `mode` is set" in finding.message
    assert finding.fix is not None and not any(each.text.startswith("mode=") for each in finding.fix.edits)


UNUSED = """
    import argparse

    import mindspore as ms
    from mindspore import nn, ops


    def options():
        parser = argparse.ArgumentParser("train", add_help=False)
        parser.add_argument("--mode", type=int, default={default}, help="graph (0) or PyNative (1)")
        group = parser.add_argument_group("optimizer")
        group.add_argument("--lr", type=float, default=0.1)
        return parser


    def main(args):
        net, loss_fn = nn.Dense(64, 64), nn.MSELoss()
        opt = nn.Adam(net.trainable_params(), args.lr)

        def forward(x, y):
            return loss_fn(net(x), y)

        grad_fn = ms.value_and_grad(forward, None, opt.parameters)
        {body}
        for _ in range(10):
            x = ops.ones((64, 64), ms.float32)
            loss, grads = grad_fn(x, x)
            opt(grads)


    """


@pytest.mark.parametrize(
    ("parsed", "line"),
    [
        ("args = options().parse_args()\nmain(args)\n", "ms.set_context(mode=args.mode)\n"),
        ("opts = options().parse_args([])\nmain(opts)\n", "ms.set_context(mode=opts.mode)\n"),
        (
            'if __name__ == "__main__":\n    parser = argparse.ArgumentParser(parents=[options()])\n'
            "    args = parser.parse_args()\n    main(args)\n",
            "    ms.set_context(mode=args.mode)\n",
        ),
        (
            "def run():\n    args = options().parse_args()\n    main(args)\n\n\nrun()\n",
            "    ms.set_context(mode=args.mode)\n",
        ),
    ],
)
def test_an_unused_option_is_wired_in_where_nothing_sets_a_context(parsed: str, line: str) -> None:
    program = Program({"train.py": join(UNUSED.format(default=0, body="") + "\n", parsed)})
    (finding,) = program.lint(CODE).findings
    assert "never used" in finding.message
    assert finding.fix is not None
    assert finding.fix.safety is Safety.DISPLAY
    assert [each.text for each in finding.fix.edits] == [line]


@pytest.mark.parametrize("name", ["eval_mode", "data_sink_mode", "step-mode", "train.mode", "model"])
def test_an_option_of_another_mode_is_not_wired_in(name: str) -> None:
    text = join(UNUSED.format(default=0, body=""), "args = options().parse_args()\nmain(args)\n")
    (finding,) = Program({"train.py": text.replace("--mode", f"--{name}")}).lint(CODE).findings
    assert "never used" not in finding.message


@pytest.mark.parametrize("default", ["False", "bool(0)"])
def test_a_switch_is_no_mode(default: str) -> None:
    text = join(UNUSED.format(default=default, body=""), "args = options().parse_args()\nmain(args)\n")
    (finding,) = Program({"train.py": text}).lint(CODE).findings
    assert "never used" not in finding.message


@pytest.mark.parametrize(("default", "body"), [(1, ""), (0, "print(args.mode)")])
def test_an_option_that_is_read_or_says_pynative_is_not_wired_in(default: int, body: str) -> None:
    text = join(UNUSED.format(default=default, body=body), "args = options().parse_args()\nmain(args)\n")
    (finding,) = Program({"train.py": text}).lint(CODE).findings
    assert "never used" not in finding.message


HELPERS = """
    import argparse

    {imports}


    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(64, 16)

        def construct(self, x):
            return self.fc(x)


    def train():
        net = Net()
        model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
        model.train(10, MindDataset("a.mindrecord"))


    """
TRAINING = "from mindspore import nn\nfrom mindspore.dataset import MindDataset\nfrom mindspore.train import Model\n"
EVALUATION = "from train import Net\n\nif __name__ == '__main__':\n    print(Net())\n"


@pytest.mark.parametrize(
    ("imports", "end", "lines"),
    [
        (
            "import mindspore as ms\n",
            'if __name__ == "__main__":\n    parser = argparse.ArgumentParser()\n    train()\n',
            ["    ms.set_context(mode=ms.GRAPH_MODE)\n"],
        ),
        (
            "import mindspore\n",
            'if __name__ == "__main__":\n    # all epochs\n    train()\n',
            ["    mindspore.set_context(mode=mindspore.GRAPH_MODE)\n"],
        ),
        (
            "from mindspore import context\n",
            'if "__main__" == __name__: train()\n',
            ["context.set_context(mode=context.GRAPH_MODE); "],
        ),
        (
            "",
            'def main():\n    train()\n\n\nif __name__ == "__main__":\n\tmain()\n',
            ["\nimport mindspore\n", "\tmindspore.set_context(mode=mindspore.GRAPH_MODE)\n"],
        ),
        (
            "import mindspore as ms\n",
            'if __name__ == "__main__":\n    print("a")\nelse:\n    pass\nif __name__ == "__main__":\n    train()\n',
            ["    ms.set_context(mode=ms.GRAPH_MODE)\n"],
        ),
    ],
)
def test_the_mode_of_a_file_that_others_import_is_set_under_its_guard(imports: str, end: str, lines: list[str]) -> None:
    text = join(HELPERS).replace("{imports}", f"{imports}{TRAINING}") + end
    (finding,) = Program({"train.py": text, "eval.py": EVALUATION}).lint(CODE).findings
    assert finding.fix is not None and finding.fix.safety is Safety.UNSAFE
    added = [each.text for each in finding.fix.edits]
    assert [text.lstrip("\n") for text in added] == [line.lstrip("\n") for line in lines]
    (alone,) = Program({"train.py": text}).lint(CODE).findings
    assert alone.fix is not None and alone.fix.safety is Safety.UNSAFE
    assert not any(each.text.startswith((" ", "\t")) for each in alone.fix.edits)


@pytest.mark.parametrize("guarded", ["    print('done')\n", "    import evaluate\n\n    evaluate.run()\n"])
def test_the_mode_of_an_import_that_trains_is_shown(guarded: str) -> None:
    end = f'train()\nif __name__ == "__main__":\n{guarded}'
    text = join(HELPERS).replace("{imports}", f"import mindspore as ms\n{TRAINING}") + end
    (finding,) = Program({"train.py": text, "eval.py": EVALUATION}).lint(CODE).findings
    assert finding.fix is not None and finding.fix.safety is Safety.DISPLAY
    assert finding.fix.reason == "other programs import this file, and would get the mode too"


# Calls of `set_context` that do not stand under its name; {} is the mode
INDIRECT = [
    'getattr(ms, "set_context")(mode={})  # !',
    'setup = getattr(context, "set_context")\nsetup(mode={})  # !',
    "functools.partial(ms.set_context, mode={})()  # !",
    "setup = functools.partial(ms.set_context, mode={})\nsetup()  # !",
    "setup = functools.partial(ms.set_context, mode={})\nsetup(device_target='Ascend')  # !",
    "for setup in [ms.set_context]:\n    setup(mode={})  # !",
    "def call(function, **given):\n    function(**given)  # !\n\n\ncall(ms.set_context, mode={})",
    "def call(function):\n    function(mode={})  # !\n\n\ncall(ms.set_context)",
    "class Setup:\n    context = staticmethod(ms.set_context)\n\n\nSetup.context(mode={})  # !",
    "(ms.set_context if True else print)(mode={})  # !",
]
# Those that are not found
UNKNOWN = [
    'name = "set_context"\ngetattr(ms, name)(mode={})',
    'for name, given in {{"set_context": {{"mode": {}}}}}.items():\n    getattr(ms, name)(**given)',
    'vars(ms)["set_context"](mode={})',
    'ms.context.__dict__["set_context"](mode={})',
    'import operator\n\noperator.methodcaller("set_context", mode={})(ms)',
    'exec("ms.set_context(mode={})")',
]


@pytest.mark.parametrize("text", INDIRECT)
def test_the_mode_is_set_by_an_indirect_call(text: str) -> None:
    fires(CODE, Program({"train.py": join("import functools\n", IMPORTS) + text.format(1) + "\n" + TRAIN}))


@pytest.mark.parametrize("text", [*(each.replace("  # !", "").format(0) for each in INDIRECT)])
def test_graph_mode_is_set_by_an_indirect_call(text: str) -> None:
    quiet(CODE, Program({"train.py": join("import functools\n", IMPORTS) + text + "\n" + TRAIN}))


@pytest.mark.parametrize("mode", [0, 1])
@pytest.mark.parametrize("text", UNKNOWN)
def test_a_call_by_a_name_in_a_text_may_set_the_mode(text: str, mode: int) -> None:
    quiet(CODE, Program({"train.py": join("import functools\n", IMPORTS) + text.format(mode) + "\n" + TRAIN}))


TRAINS_BY_NAME = [
    'getattr(model, "train")(10, dataset)',
    'run = getattr(model, "train")\nrun(10, dataset)',
    'import operator\n\noperator.attrgetter("train")(model)(10, dataset)',
]


@pytest.mark.parametrize("call", TRAINS_BY_NAME)
def test_a_training_by_a_name_in_a_text(call: str) -> None:
    text = join(IMPORTS, "ms.set_context(mode=ms.PYNATIVE_MODE)  # !\n", TRAIN[: TRAIN.index("model.train")])
    fires(CODE, Program({"train.py": f"{text}{call}\n"}))


# An option that chooses the mode out of what the code holds, and what the edit replaces by what, if there is one
CHOSEN = [
    ("ms.set_context(mode={0: ms.GRAPH_MODE, 1: ms.PYNATIVE_MODE}[args.mode])", [("1", "0")]),
    ("MODES = {0: ms.GRAPH_MODE, 1: ms.PYNATIVE_MODE}\nms.set_context(mode=MODES[args.mode])", [("1", "0")]),
    ("ms.set_context(mode=[ms.GRAPH_MODE, ms.PYNATIVE_MODE][args.mode])", [("1", "0")]),
    ("ms.set_context(mode={1: ms.PYNATIVE_MODE, 2: ms.GRAPH_MODE}.get(args.mode))", [("1", "2")]),
    ("ms.set_context(mode={0: ms.GRAPH_MODE}.get(args.mode, ms.PYNATIVE_MODE))", [("1", "0")]),
    ("ms.set_context(mode={'graph': 0, 'eager': 1}[args.kind])", [('"eager"', '"graph"')]),
    ("ms.set_context(mode={0: 0, 1: 1, 2: 0}[args.mode])", []),
    ("ms.set_context(mode=ms.PYNATIVE_MODE if args.mode else ms.GRAPH_MODE)", [("1", "0")]),
    ("mode = ms.GRAPH_MODE\nif args.mode == 1:\n    mode = ms.PYNATIVE_MODE\nms.set_context(mode=mode)", [("1", "0")]),
    ("if args.mode:\n    mode = 1\nelse:\n    mode = 0\nms.set_context(mode=mode)", [("1", "0")]),
    ("if not args.mode:\n    mode = 0\nelse:\n    mode = 1\nms.set_context(mode=mode)", [("1", "0")]),
    (
        "def pick(mode):\n    return [ms.GRAPH_MODE, ms.PYNATIVE_MODE][mode]\n\n\nms.set_context(mode=pick(args.mode))",
        [],
    ),
    ("ms.set_context(mode=args.mode)", [("1", "0")]),
]


@pytest.mark.parametrize(("text", "edits"), CHOSEN)
def test_the_option_that_chooses_a_mode_is_changed(text: str, edits: list[tuple[str, str]]) -> None:
    options = join(OPTIONS).replace("args = ", 'parser.add_argument("--kind", default="eager")\nargs = ')
    program = join(IMPORTS) + options + text + "\n" + TRAIN
    (finding,) = Program({"train.py": program}).lint(CODE).findings
    made = finding.fix.edits if finding.fix is not None else ()
    assert finding.fix is None or finding.fix.safety is Safety.DISPLAY
    assert [(program[each.start : each.end], each.text) for each in made] == edits
