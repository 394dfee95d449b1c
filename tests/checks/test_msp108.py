"""MSP108 compiled-function-in-loop: what is reported, with which safety, and what is not."""

from __future__ import annotations

import textwrap

import pytest
from programs import Program, case, fires, join, quiet

CODE = "MSP108"

GRAPH = """
    from functools import lru_cache

    import mindspore as ms
    import mindspore.dataset as ds
    from mindspore import nn, ops

    ms.set_context(mode=ms.GRAPH_MODE)
    data = ds.MindDataset("train.mindrecord").batch(32)
    net = nn.Dense(64, 16)
    loss = nn.MSELoss()
    params = net.trainable_params()
    opt = nn.Momentum(params, 0.01, 0.9)


    def forward(x, y):
        return loss(net(x), y)


    """
EAGER = GRAPH.replace("GRAPH_MODE", "PYNATIVE_MODE")
ARMS = """
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", default="graph")
    parser.add_argument("--eager", action="store_true")
    parser.add_argument("--flip", action="store_true")
    args = parser.parse_args()
    ms.set_context(mode=ms.PYNATIVE_MODE if args.eager or args.mode != "graph" else ms.GRAPH_MODE)


    def by_hand(rows):
        for x, y in rows.create_tuple_iterator():
            {made}
            value, grads = grad_fn(x, y)
            opt(grads)


    def run(rows):
        by_hand(rows)


    {test}:
        run(data)
    else:
        step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt)
        for x, y in data.create_tuple_iterator():
            step(x, y)
    """
MADE = "grad_fn = ms.value_and_grad(forward, None, params)"
UNKNOWN = GRAPH.replace("ms.set_context(mode=ms.GRAPH_MODE)", "ms.set_context(mode=int(input()))")
GOOD = "step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt)\n"
TWO = """
    nets = [nn.Dense(64, 16), nn.Dense(64, 16)]
    opts = [nn.SGD(each.trainable_params()) for each in nets]
    """
CALLED = """
    for epoch in range(50):
        for x, y in data.create_tuple_iterator():
            train_step(x, y)
    """

CLASSES = """
    from mindspore.experimental.optim import Adam

    SCALE = ms.Tensor(1024.0)


    class Own(nn.Optimizer):
        def __init__(self, params):
            super().__init__(0.1, params)

        def construct(self, grads):
            return grads


    class Wide(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(64, 64)

        def construct(self, x):
            return self.fc(x)


    class Twice(nn.Cell):
        def construct(self, x):
            return x * 2


    """
ONCE = "grad_fn = ms.value_and_grad(forward, None, params)\n"
CLIPPED = """
    value, grads = grad_fn(x, y)
    grads = ops.clip_by_global_norm(grads, 1.0)  # ! no fix
    opt(grads)
    """


def _clipped(head: str, indent: int = 4) -> str:
    """Return a block in which the gradients are clipped."""
    return join(head) + textwrap.indent(join(CLIPPED), " " * indent)


TRAINER = """
    class Trainer:
        def __init__(self, net, opt):
            self.net = net
            self.opt = opt

        def forward(self, x, y):
            return loss(self.net(x), y)

        def train_step(self, x, y):
            {made}
            self.opt(grads)

        def train(self):
            for x, y in data.create_tuple_iterator():
                self.train_step(x, y)


    Trainer(net, opt).train()
    """
KEPT = "self.grad = ms.value_and_grad(self.forward, None, self.opt.parameters)"
USED = "\n        value, grads = self.grad(x, y)"


def _trainer(made: str, *changes: tuple[str, str]) -> str:
    """Return a trainer class whose step makes something, with changes of its text."""
    text = join(TRAINER)
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text.replace("{made}", made)


STEPS = "for x, y in data.create_tuple_iterator():\n"
TAKES = "\n\ndef train_step(x, y):\n"
FIRES = [
    *(
        case(f"methods that return the cell: {name}", GRAPH, f"{STEPS}    {made}  # ! no fix{used}")
        for name, made, used in (
            (
                "set_train",
                "step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt).set_train()",
                "\n    step(x, y)",
            ),
            (
                "two",
                "step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt).set_grad().set_train()",
                "\n    step(x, y)",
            ),
            ("called at once", "nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt).set_train()(x, y)", ""),
        )
    ),
    case(
        "methods that return the cell, in an attribute",
        GRAPH,
        _trainer(
            "self.cell = nn.TrainOneStepCell(nn.WithLossCell(self.net, loss), self.opt).set_train()  # ! no fix"
            "\n        self.cell(x, y)\n        grads = ()"
        ),
    ),
    case(
        "loss that returns itself",
        GRAPH,
        GOOD,
        f"{STEPS}    step(x, y)\n    measure = nn.MAELoss().to_float(ms.float32)  # ! no fix\n    measure(net(x), y)\n",
    ),
    case(
        "attribute of a trainer, in its loop",
        GRAPH,
        _trainer(
            "grads = ()",
            (
                "            self.train_step(x, y)",
                f"            {KEPT}  # ! unsafe{USED}\n        self.opt(grads)".replace("\n", "\n    "),
            ),
        ),
    ),
    *(
        case(f"attribute of a trainer, {name}", GRAPH, _trainer(f"{made}  # ! {mark}{used}", *changes))
        for name, made, mark, used, *changes in (
            ("gradients", KEPT, "unsafe", USED),
            ("parameters", KEPT.replace("opt.parameters", "net.trainable_params()"), "unsafe", USED),
            ("global names", "self.grad = ms.value_and_grad(forward, None, params)", "unsafe", USED),
            (
                "made in a branch of each step",
                f"if True:\n            {KEPT}",
                "no fix",
                USED,
            ),
            (
                "gradient operation",
                "self.grad = ops.GradOperation(get_by_list=True)(self.forward, self.opt.parameters)",
                "no fix",
                "\n        grads = self.grad(x, y)",
            ),
            (
                "train cell",
                "self.cell = nn.TrainOneStepCell(nn.WithLossCell(self.net, loss), self.opt)",
                "no fix",
                "\n        self.cell(x, y)\n        grads = ()",
            ),
            (
                "optimizer set anew",
                KEPT,
                "no fix",
                USED,
                ("        for x, y", "        self.opt = opt\n        for x, y"),
            ),
            ("of a parameter", KEPT.replace("self.opt.parameters", "y"), "no fix", USED),
            ("of the object", KEPT.replace("self.forward", "self"), "no fix", USED),
            ("names differ", KEPT, "no fix", USED, ("__init__(self, net, opt)", "__init__(this, net, opt)")),
            (
                "set in a branch",
                KEPT,
                "no fix",
                USED,
                ("        self.opt = opt", "        if opt:\n            self.opt = opt"),
            ),
            (
                "returns first",
                KEPT,
                "no fix",
                USED,
                ("        self.opt = opt", "        self.opt = opt\n        return"),
            ),
            (
                "a property",
                KEPT,
                "no fix",
                USED,
                ("    def forward(self, x, y):", "    @property\n    def forward(self):"),
            ),
            (
                "set by another method, too",
                KEPT,
                "no fix",
                USED,
                ("    def train(self):", "    def reset(self):\n        self.grad = None\n\n    def train(self):"),
            ),
        )
    ),
    case("gradients clipped in the loop", GRAPH, ONCE, _clipped(STEPS)),
    case("gradients clipped in a function", GRAPH, ONCE, _clipped(TAKES), "\n", CALLED),
    case(
        "gradients clipped in a method",
        GRAPH,
        ONCE,
        _clipped("\n\nclass Trainer:\n    def train_step(self, x, y):\n", 8),
        "\n",
        CALLED.replace("train_step(", "Trainer().train_step("),
    ),
    case(
        "gradients in the loop",
        GRAPH,
        """
        for epoch in range(50):
            for x, y in data.create_tuple_iterator():
                grad_fn = ms.value_and_grad(forward, None, params)  # ! unsafe
                value, grads = grad_fn(x, y)
                opt(grads)
        """,
    ),
    case(
        "called at once",
        GRAPH,
        """
        for x, y in data.create_tuple_iterator():
            value, grads = ms.value_and_grad(forward, None, params)(x, y)  # ! no fix
            opt(grads)
        """,
    ),
    case(
        "in a function that each step calls",
        GRAPH,
        """
        def train_step(x, y):
            grad_fn = ms.grad(forward, None, params)  # ! unsafe
            opt(grad_fn(x, y))
        """,
        CALLED,
    ),
    case(
        "in a method",
        GRAPH,
        """
        class Trainer:
            def train_step(self, x, y):
                grad_fn = ms.value_and_grad(forward, None, params)  # ! no fix
                value, grads = grad_fn(x, y)
                opt(grads)
                return value

            def run(self):
                for x, y in data.create_tuple_iterator():
                    print(self.train_step(x, y))


        Trainer().run()
        """,
    ),
    case(
        "train cell",
        GRAPH,
        """
        for x, y in data.create_tuple_iterator():
            step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt)  # ! unsafe
            step(x, y)
        """,
    ),
    case(
        "what an epoch of one batch makes",
        GRAPH,
        """
        x, y = ops.ones((8, 64), ms.float32), ops.ones((8, 16), ms.float32)
        for epoch in range(500):
            grad_fn = ms.value_and_grad(forward, None, params)  # ! unsafe
            value, grads = grad_fn(x, y)
            opt(grads)
        """,
    ),
    case(
        "GradOperation, made and applied",
        GRAPH,
        """
        for x, y in data.create_tuple_iterator():
            gradient = ops.GradOperation(get_by_list=True)  # ! unsafe
            opt(gradient(forward, ms.ParameterTuple(params))(x, y))
        """,
    ),
    case(
        "loss cell beside the step",
        GRAPH,
        GOOD,
        """
        for x, y in data.create_tuple_iterator():
            step(x, y)
            print(nn.MAELoss()(net(x), y))  # ! no fix
        """,
    ),
    case(
        "cell of its own",
        GRAPH,
        GOOD,
        """
        class Measure(nn.Cell):
            def construct(self, x, y):
                return (x - y).abs().mean()


        for x, y in data.create_tuple_iterator():
            step(x, y)
            measure = Measure()  # ! unsafe
            print(measure(net(x), y))
        """,
    ),
    case(
        "jit in PyNative",
        EAGER,
        """
        def train_step(x, y):
            value, grads = ms.value_and_grad(forward, None, params)(x, y)
            opt(grads)


        for x, y in data.create_tuple_iterator():
            compiled = ms.jit(train_step)  # ! unsafe
            compiled(x, y)
        """,
    ),
    case(
        "jit, whatever the mode, with options",
        UNKNOWN,
        """
        def train_step(x, y):
            value, grads = ms.value_and_grad(forward, None, params)(x, y)
            opt(grads)


        for x, y in data.create_tuple_iterator():
            ms.jit(train_step, compile_once=True)(x, y)  # ! no fix
        """,
    ),
    case(
        "function with the decorator",
        EAGER,
        """
        def train_step(x, y):
            @ms.jit
            def compiled(x, y):
                return forward(x, y)

            value = compiled(x, y)  # ! no fix
            opt(ms.grad(forward, None, params)(x, y))
            return value

        """,
        CALLED,
    ),
    case(
        "optimizer in PyNative",
        EAGER,
        """
        grad_fn = ms.grad(forward, None, params)
        for x, y in data.create_tuple_iterator():
            adam = nn.Adam(params, 0.01)  # ! display-only
            adam(grad_fn(x, y))
        """,
    ),
    *(
        case(
            f"made in each step, {name}",
            GRAPH,
            CLASSES,
            "grad_fn = ms.grad(forward, None, params)\nfor x, y in data.create_tuple_iterator():\n"
            f"    made = {made}  # ! {safety}\n    {call}\n    opt(grad_fn(x, y))\n",
        )
        for name, made, call, safety in (
            # each step begins with a new state, or new weights
            ("momentum", "nn.Momentum(params, 0.01, 0.9)", "made(grad_fn(x, y))", "display-only"),
            ("SGD with momentum", "nn.SGD(params, 0.01, momentum=0.9)", "made(grad_fn(x, y))", "display-only"),
            ("experimental", "Adam(params, 0.01)", "made(grad_fn(x, y))", "display-only"),
            ("own optimizer", "Own(params)", "made(grad_fn(x, y))", "display-only"),
            ("layer", "nn.Dense(64, 64)", "made(x)", "display-only"),
            ("own cell with a layer", "Wide()", "made(x)", "display-only"),
            ("norm", "nn.BatchNorm1d(64)", "made(x)", "display-only"),
            (
                "step with its optimizer",
                "nn.TrainOneStepCell(nn.WithLossCell(net, loss), nn.Adam(params))",
                "made(x, y)",
                "display-only",
            ),
            (
                "step that scales",
                "nn.TrainOneStepWithLossScaleCell(nn.WithLossCell(net, loss), opt, SCALE)",
                "made(x, y)",
                "display-only",
            ),
            # nothing that a step changes
            ("plain SGD", "nn.SGD(params, 0.01)", "made(grad_fn(x, y))", "unsafe"),
            ("SGD without momentum", "nn.SGD(params, 0.01, momentum=0.0)", "made(grad_fn(x, y))", "unsafe"),
            ("step", "nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt)", "made(x, y)", "unsafe"),
            ("loss", "nn.CrossEntropyLoss()", "made(net(x), y)", "unsafe"),
            ("gradients", "ms.value_and_grad(forward, None, params)", "made(x, y)", "unsafe"),
            ("own cell without weights", "Twice()", "made(x)", "unsafe"),
            ("activation", "nn.ReLU()", "made(x)", "unsafe"),
        )
    ),
    case(
        "made by a helper",
        GRAPH,
        """
        def make():
            return ms.value_and_grad(forward, None, params)  # ! no fix


        for x, y in data.create_tuple_iterator():
            grad_fn = make()
            value, grads = grad_fn(x, y)
            opt(grads)
        """,
    ),
    case(
        "three networks of one step",
        GRAPH,
        """
        def critic(x, y):
            return loss(net(x), y) * 2


        for epoch in range(10):
            for x, y in data.create_tuple_iterator():
                first = ms.value_and_grad(forward, None, params)  # ! unsafe
                value, grads = first(x, y)
                opt(grads)
                second = ms.value_and_grad(critic, None, params)  # ! unsafe
                value, grads = second(x, y)
                opt(grads)
        """,
    ),
    case(
        "of a function of the loop",
        GRAPH,
        """
        for x, y in data.create_tuple_iterator():
            def part(x):
                return loss(net(x), y)

            grad_fn = ms.grad(part, None, params)  # ! no fix
            opt(grad_fn(x))
        """,
    ),
    case(
        "behind a condition that all meet",
        GRAPH,
        """
        FUSED = True
        for x, y in data.create_tuple_iterator():
            if FUSED:
                step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt)  # !
                step(x, y)
        """,
    ),
    case(
        "behind the end of the loop",
        GRAPH,
        """
        for i, (x, y) in enumerate(data.create_tuple_iterator()):
            if i > 1000:
                break
            step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt)  # ! no fix
            step(x, y)
        """,
    ),
    case(
        "networks that each step goes through: zip",
        GRAPH,
        TWO,
        """
        for x, y in data.create_tuple_iterator():
            for model, own in zip(nets, opts):
                step = nn.TrainOneStepCell(nn.WithLossCell(model, loss), own)  # ! no fix
                step(x, y)
        """,
    ),
    case(
        "networks that each step goes through: enumerate",
        GRAPH,
        TWO,
        """
        for x, y in data.create_tuple_iterator():
            for i, model in enumerate(nets):
                own = opts[i]
                step = nn.TrainOneStepCell(nn.WithLossCell(model, loss), own)  # ! no fix
                step(x, y)
        """,
    ),
    case(
        "networks that each step goes through: a number of them",
        GRAPH,
        TWO,
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--ensemble_num", type=int, default=2)
        args = parser.parse_args()
        for x, y in data.create_tuple_iterator():
            for i in range(args.ensemble_num):
                model, own = nets[i], opts[i]
                step = nn.TrainOneStepCell(nn.WithLossCell(model, loss), own)  # ! no fix
                step(x, y)
        """,
    ),
    case(
        "networks that each step goes through: phases",
        GRAPH,
        TWO,
        """
        for x, y in data.create_tuple_iterator():
            for phase in (0, 1):
                model, own = nets[phase], opts[phase]
                step = nn.TrainOneStepCell(nn.WithLossCell(model, loss), own)  # ! no fix
                step(x, y)
        """,
    ),
    case(
        "networks that each step goes through: a display",
        GRAPH,
        TWO,
        """
        for x, y in data.create_tuple_iterator():
            for model, own in ((nets[0], opts[0]), (nets[1], opts[1])):
                step = nn.TrainOneStepCell(nn.WithLossCell(model, loss), own)  # ! no fix
                step(x, y)
        """,
    ),
    case(
        "of each network, and the same for all",
        GRAPH,
        TWO,
        """
        for epoch in range(10):
            for x, y in data.create_tuple_iterator():
                for model, own in zip(nets, opts):
                    measure = nn.MAELoss()  # ! unsafe
                    step = nn.TrainOneStepCell(nn.WithLossCell(model, loss), own)  # ! no fix
                    step(x, y)
                    print(measure(model(x), y))
        """,
    ),
]
FIRES += [
    case(f"an arm of {test}", GRAPH, ARMS.format(made=f"{MADE}  # ! unsafe", test=test))
    for test in (
        'if args.mode == "graph"',
        "if not args.eager",
        "if args.flip",  # of another option: graph mode is on there, too
        "if args.mode",
    )
]
FIRES += [
    case(
        "compiled in the arm of PyNative mode",
        GRAPH,
        ARMS.format(
            made="grad_fn = ms.jit(ms.value_and_grad(forward, None, params))  # ! unsafe", test="if args.eager"
        ),
    ),
]

QUIET = [
    *(
        case(f"methods that return the cell: {name}", head, text)
        for name, head, text in (
            (
                "made once",
                GRAPH,
                f"step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt)\n{STEPS}    step.set_train()(x, y)\n",
            ),
            (
                "PyNative",
                EAGER,
                f"{STEPS}    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt).set_train()\n    step(x, y)\n",
            ),
            (
                "not called",
                GRAPH,
                f"{GOOD}{STEPS}    step(x, y)\n    other = nn.WithLossCell(net, loss).set_train()\n    print(other)\n",
            ),
            (
                "once per epoch",
                GRAPH,
                "for epoch in range(50):\n    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt).set_train()\n"
                "    for x, y in data.create_tuple_iterator():\n        step(x, y)\n",
            ),
            (
                "of something else",
                GRAPH,
                f"{GOOD}{STEPS}    step(x, y)\n    print(Meter().set_train()(x))\n".replace("Meter", "dict"),
            ),
        )
    ),
    *(
        case(f"attribute of a trainer, {name}", head, _trainer(made, *changes))
        for name, head, made, *changes in (
            ("PyNative", EAGER, KEPT + USED),
            ("unknown mode", UNKNOWN, KEPT + USED),
            ("made once", GRAPH, USED[9:], ("        self.opt = opt\n", f"        self.opt = opt\n        {KEPT}\n")),
            ("made if there is none", GRAPH, f"if self.grad is None:\n            {KEPT}{USED}"),
            ("made at the first step", GRAPH, f"if not hasattr(self, 'grad'):\n            {KEPT}{USED}"),
            (
                "once per epoch",
                GRAPH,
                USED[9:],
                ("        for x, y", f"        {KEPT}\n        for x, y"),
            ),
            ("made and not called", GRAPH, "self.other = ms.grad(self.forward)\n        grads = ()"),
            (
                "of another object",
                GRAPH,
                f"{KEPT}\n        value, grads = other.grad(x, y)",
                ("class Trainer", "other = load()\n\n\nclass Trainer"),
            ),
            ("made after it is called", GRAPH, f"{USED[9:]}\n        {KEPT}"),
        )
    ),
    *(
        case(f"gradients clipped {name}", mode, ONCE, _clipped(head, indent).replace("  # ! no fix", ""), "\n", run)
        for name, mode, head, indent, run in (
            ("in PyNative", EAGER, STEPS, 4, "pass"),
            ("in an unknown mode", UNKNOWN, STEPS, 4, "pass"),
            ("in a compiled step", GRAPH, TAKES.replace("def", "@ms.jit\ndef"), 4, CALLED),
            ("in a step that is compiled after", GRAPH, TAKES, 4, f"train_step = ms.jit(train_step)\n{join(CALLED)}"),
            ("now and then", GRAPH, f"for at in range(99):\n    {STEPS}        if at % 10 == 0:\n", 12, "pass"),
        )
    ),
    case(
        "each gradient clipped",
        GRAPH,
        ONCE,
        _clipped(STEPS).replace("clip_by_global_norm(grads, 1.0)  # ! no fix", "clip_by_value(grads, -1.0, 1.0)"),
    ),
    *(
        case(f"what only PyNative mode runs: {test}", GRAPH, ARMS.format(made=MADE, test=test))
        for test in (
            "if args.eager",
            'if args.mode == "pynative"',
            'if args.mode != "graph"',
            "if args.eager and args.flip",
            'if args.eager or args.mode == "pynative"',
            'if not args.mode == "graph"',
        )
    ),
    case(
        "made once",
        GRAPH,
        """
        grad_fn = ms.value_and_grad(forward, None, params)
        for x, y in data.create_tuple_iterator():
            value, grads = grad_fn(x, y)
            opt(grads)
        """,
    ),
    case(
        "PyNative",
        EAGER,
        """
        for x, y in data.create_tuple_iterator():
            grad_fn = ms.value_and_grad(forward, None, params)
            value, grads = grad_fn(x, y)
            opt(grads)
        """,
    ),
    case(
        "train cell in PyNative",
        EAGER,
        """
        for x, y in data.create_tuple_iterator():
            step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt)
            step(x, y)
        """,
    ),
    case(
        "unknown mode",
        UNKNOWN,
        """
        for x, y in data.create_tuple_iterator():
            grad_fn = ms.value_and_grad(forward, None, params)
            value, grads = grad_fn(x, y)
            opt(grads)
        """,
    ),
    case(
        "GradOperation made once",
        GRAPH,
        """
        gradient = ops.GradOperation(get_by_list=True)
        weights = ms.ParameterTuple(params)
        for x, y in data.create_tuple_iterator():
            opt(gradient(forward, weights)(x, y))
        """,
    ),
    case(
        "in construct",
        GRAPH,
        """
        class Step(nn.Cell):
            def construct(self, x, y):
                grads = ops.GradOperation(get_by_list=True)(forward, params)(x, y)
                return opt(grads)


        step = Step()
        for x, y in data.create_tuple_iterator():
            step(x, y)
        """,
    ),
    case(
        "in a jit function",
        GRAPH,
        """
        @ms.jit
        def train_step(x, y):
            grad_fn = ms.value_and_grad(forward, None, params)
            value, grads = grad_fn(x, y)
            opt(grads)
            return value

        """,
        CALLED,
    ),
    case(
        "once per epoch",
        GRAPH,
        """
        for epoch in range(50):
            grad_fn = ms.value_and_grad(forward, None, params)
            for x, y in data.create_tuple_iterator():
                value, grads = grad_fn(x, y)
                opt(grads)
        """,
    ),
    case(
        "once per epoch, in a function",
        GRAPH,
        """
        def train_epoch():
            step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt)
            for x, y in data.create_tuple_iterator():
                step(x, y)


        for epoch in range(50):
            train_epoch()
        """,
    ),
    case(
        "after the steps of an epoch",
        GRAPH,
        GOOD,
        """
        for epoch in range(50):
            for x, y in data.create_tuple_iterator():
                step(x, y)
            measure = nn.MAELoss()
            print(measure(net(x), y))
        """,
    ),
    case(
        "kept in an attribute",
        GRAPH,
        """
        class Trainer:
            def __init__(self):
                self.step = None

            def train_step(self, x, y):
                if self.step is None:
                    self.step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt)
                return self.step(x, y)


        trainer = Trainer()
        for x, y in data.create_tuple_iterator():
            trainer.train_step(x, y)
        """,
    ),
    case(
        "kept in a name",
        GRAPH,
        """
        step = None
        for x, y in data.create_tuple_iterator():
            if step is None:
                step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt)
            step(x, y)
        """,
    ),
    case(
        "kept by lru_cache",
        GRAPH,
        """
        @lru_cache(maxsize=None)
        def make():
            return ms.value_and_grad(forward, None, params)


        for x, y in data.create_tuple_iterator():
            grad_fn = make()
            value, grads = grad_fn(x, y)
            opt(grads)
        """,
    ),
    case(
        "kept in a dictionary",
        GRAPH,
        """
        KEPT = {}


        def make(key):
            if key not in KEPT:
                KEPT[key] = ms.value_and_grad(forward, None, params)
            return KEPT[key]


        for x, y in data.create_tuple_iterator():
            grad_fn = make(1)
            value, grads = grad_fn(x, y)
            opt(grads)
        """,
    ),
    case(
        "not called",
        GRAPH,
        GOOD,
        """
        made = []
        for x, y in data.create_tuple_iterator():
            step(x, y)
            cell = nn.Dense(64, 16)
            made.append(cell)
        """,
    ),
    case(
        "a cell of a cell that is made",
        GRAPH,
        """
        cells = [nn.Dense(64, 64) for _ in range(3)]
        for i in range(3):
            cells.append(nn.SequentialCell(nn.Dense(64, 64), nn.ReLU()))
        """,
        GOOD,
        """
        for x, y in data.create_tuple_iterator():
            step(x, y)
        """,
    ),
    case(
        "every so many steps",
        GRAPH,
        GOOD,
        """
        for i, (x, y) in enumerate(data.create_tuple_iterator()):
            step(x, y)
            if i % 100 == 0:
                measure = nn.MAELoss()
                print(measure(net(x), y))
        """,
    ),
    case(
        "every so many steps, by continue",
        GRAPH,
        GOOD,
        """
        for i, (x, y) in enumerate(data.create_tuple_iterator()):
            step(x, y)
            if i % 100:
                continue
            measure = nn.MAELoss()
            print(measure(net(x), y))
        """,
    ),
    case(
        "a loop over folds",
        GRAPH,
        """
        for fold in range(5):
            model = nn.Dense(64, 16)
            step = nn.TrainOneStepCell(nn.WithLossCell(model, loss), nn.SGD(model.trainable_params()))
            for x, y in data.create_tuple_iterator():
                step(x, y)
        """,
    ),
    case(
        "every tenth step for each network",
        GRAPH,
        TWO,
        """
        steps = [nn.TrainOneStepCell(nn.WithLossCell(model, loss), own) for model, own in zip(nets, opts)]
        for i, (x, y) in enumerate(data.create_tuple_iterator()):
            if i % 10 == 0:
                for model in nets:
                    measure = nn.MAELoss()
                    print(measure(model(x), y))
            for model, step in zip(nets, steps):
                step(x, y)
        """,
    ),
    case(
        "networks in each of several trainings",
        GRAPH,
        TWO,
        """
        x, y = ops.ones((8, 64), ms.float32), ops.ones((8, 16), ms.float32)
        for trial in range(3):
            for model, own in zip(nets, opts):
                step = nn.TrainOneStepCell(nn.WithLossCell(model, loss), own)
                step(x, y)
        """,
    ),
    case(
        "a loop over networks",
        GRAPH,
        """
        x, y = ops.ones((8, 64), ms.float32), ops.ones((8, 16), ms.float32)
        for model in [nn.Dense(64, 16), nn.Dense(64, 16, has_bias=False)]:
            step = nn.TrainOneStepCell(nn.WithLossCell(model, loss), opt)
            step(x, y)
        """,
    ),
    case(
        "evaluation",
        GRAPH,
        GOOD,
        """
        for x, y in data.create_tuple_iterator():
            step(x, y)
        for x, y in data.create_tuple_iterator():
            measure = nn.MAELoss()
            print(measure(net(x), y))
        """,
    ),
    case(
        "nothing trains",
        GRAPH,
        """
        for x, y in data.create_tuple_iterator():
            measure = nn.WithLossCell(net, loss)
            print(measure(x, y))
        """,
    ),
    case(
        "no cell",
        GRAPH,
        GOOD,
        """
        class Meter:
            def __call__(self, value):
                return float(value)


        for x, y in data.create_tuple_iterator():
            meter = Meter()
            print(meter(step(x, y)))
            print(ops.ReduceMean()(x))
        """,
    ),
    case(
        "optimizer that is only made",
        EAGER,
        """
        grad_fn = ms.grad(forward, None, params)
        for x, y in data.create_tuple_iterator():
            opt(grad_fn(x, y))
            spare = nn.Adam(params, 0.01)
        """,
    ),
    case(
        "at one step",
        GRAPH,
        GOOD,
        """
        for i, (x, y) in enumerate(data.create_tuple_iterator()):
            if i == 50000:
                step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt)
            step(x, y)
        """,
    ),
    case(
        "at some epochs",
        GRAPH,
        GOOD,
        """
        for epoch in range(100):
            if epoch + 1 in (30, 60):
                step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt)
            for x, y in data.create_tuple_iterator():
                step(x, y)
        """,
    ),
    case(
        "train cell beside the losses that is not called",
        GRAPH,
        GOOD,
        """
        for x, y in data.create_tuple_iterator():
            step(x, y)
            for number in range(3):
                spare = nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt)
                spare.set_train()
        """,
    ),
    case(
        "in a handler",
        GRAPH,
        GOOD,
        """
        for x, y in data.create_tuple_iterator():
            try:
                step(x, y)
            except RuntimeError:
                again = nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt)
                again(x, y)
        """,
    ),
]


@pytest.mark.parametrize("program", FIRES)
def test_reported(program: Program) -> None:
    fires(CODE, program)


@pytest.mark.parametrize(
    ("read", "change"),
    [
        ("scale", "scale = 1 / (1 + i)"),
        ("net.alpha", "net.alpha = 1 / (1 + i)"),
        ("net.alpha", "setattr(net, 'alpha', 1 / (1 + i))"),
        ("table['a']", "table['a'] = 1 / (1 + i)"),
        ("len(table)", "table[i] = 1"),
        ("float(array[0])", "array[0] = 1 / (1 + i)"),
        ("weight", "weight.set_data(weight * 0.5)"),
        ("hub(net(x), y)", "hub.delta = 1 / (1 + i)"),
        ("nn.Dropout()(x).sum()", "net.set_train(i % 2 == 0)"),
    ],
)
@pytest.mark.parametrize("mode", ["GRAPH", "PYNATIVE"])
def test_what_changes_between_steps_is_not_made_once(read: str, change: str, mode: str) -> None:
    if ("set_train" in change or "set_data" in change) and mode == "PYNATIVE":
        pytest.skip("what is trained")
    made = "grad_fn = ms.value_and_grad(scaled, None, params)\n    value, grads = grad_fn(x, y)\n    opt(grads)\n"
    if mode == "PYNATIVE":
        made = "value, grads = first(x, y)\n    opt(grads)\n    graph = ms.jit(scaled)\n    graph(x, y)\n"
    text = (
        "import numpy as np\n\nscale, table, array = 1.0, {'a': 1.0}, np.ones(1)\nnet.alpha = 1.0\n"
        "weight, hub = ms.Parameter(ms.Tensor(1.0)), nn.HuberLoss()\n"
        "first = ms.value_and_grad(forward, None, params)\n\n\n"
        f"def scaled(x, y):\n    return loss(net(x), y) * {read}\n\n\n"
        f"for i, (x, y) in enumerate(data.create_tuple_iterator()):\n    CHANGE\n    {made}"
    )
    for each, reason in ((change, "what is made once keeps a value"), ("pass", "its arguments may change")):
        (finding,) = (
            Program({"train.py": join(GRAPH).replace("GRAPH", mode) + text.replace("CHANGE", each)}).lint(CODE).findings
        )
        assert finding.fix is not None
        assert str(finding.fix.reason).startswith(reason)


@pytest.mark.parametrize(
    ("drawn", "reason"),
    [
        ("random.random()", "what is made once keeps a value"),
        ("np.random.uniform(0.5, 1.5)", "what is made once keeps a value"),
        ("float(np.random.rand())", "what is made once keeps a value"),
        ("ops.rand(1)", "its arguments may change"),
        ("np.sqrt(2.0)", "its arguments may change"),
    ],
)
@pytest.mark.parametrize("mode", ["GRAPH", "PYNATIVE"])
def test_what_is_drawn_when_it_compiles_is_not_made_once(drawn: str, reason: str, mode: str) -> None:
    made = "grad_fn = ms.value_and_grad(scaled, None, params)\n    value, grads = grad_fn(x, y)\n    opt(grads)\n"
    if mode == "PYNATIVE":
        made = "value, grads = first(x, y)\n    opt(grads)\n    graph = ms.jit(scaled)\n    graph(x, y)\n"
    text = (
        "import random\nimport numpy as np\n\nfirst = ms.value_and_grad(forward, None, params)\n\n\n"
        f"def scaled(x, y):\n    return loss(net(x), y) * {drawn}\n\n\n"
        f"for x, y in data.create_tuple_iterator():\n    {made}"
    )
    (finding,) = Program({"train.py": join(GRAPH).replace("GRAPH", mode) + text}).lint(CODE).findings
    assert finding.fix is not None
    assert str(finding.fix.reason).startswith(reason)


@pytest.mark.parametrize(
    ("lines", "reason", "row"),
    [
        (["scale = 1 / (1 + i)", "DEF", "MADE"], "each step binds `scale` again", 1),
        (["DEF", "MADE", "scale = 1 / (1 + i)"], "each step binds `scale` again", 6),
        (["scaled = None", "scaled = forward", "MADE"], "each step binds `scaled` again", 2),
        (["DEF", "MADE"], "each step defines `scaled` again", 1),
        (["scaled = forward", "MADE"], "each step binds `scaled` again", 1),
        (["weights = list(params)", "DEF", "MADE2"], "each step binds `weights` again", 1),
    ],
)
@pytest.mark.parametrize("is_in_function", [False, True])
def test_what_keeps_it_in_the_loop_is_named(lines: list[str], reason: str, row: int, is_in_function: bool) -> None:
    made = "grad_fn = ms.value_and_grad(scaled, None, params)\nvalue, grads = grad_fn(x, y)\nopt(grads)"
    parts = {
        "DEF": "def scaled(x, y):\n    return loss(net(x), y) * scale",
        "MADE": made,
        "MADE2": made.replace("params", "weights"),
    }
    body = "\n".join(parts.get(line, line) for line in lines)
    loop = "for i, (x, y) in enumerate(data.create_tuple_iterator()):\n"
    head = join(GRAPH) + "scale = 1.0\n"
    inside = body.replace("\n", "\n    ")
    text = f"{head}{loop}    {inside}\n"
    if is_in_function:
        text = f"{head}def step(x, y, i):\n    {inside}\n\n\n{loop}    step(x, y, i)\n"
    (finding,) = Program({"train.py": text}).lint(CODE).findings
    assert finding.fix is None
    assert reason in str(finding.help)
    assert [each.place.row for each in finding.related] == [head.count("\n") + 1 + row]


@pytest.mark.parametrize("program", QUIET)
def test_not_reported(program: Program) -> None:
    quiet(CODE, program)
