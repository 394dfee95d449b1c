"""MSP101: what Python changes between steps, in containers and from stage to stage, and networks that a cell holds.

Each form was run on MindSpore 2.10, CPU, in PyNative and in graph mode: the forms of `READY` give the same losses,
those of `BLOCKED` give others or fail.
"""

from __future__ import annotations

import textwrap

import pytest
from programs import Program, case, expect, join
from readiness import OPTIMIZER, START, cell, forward

CODE = "MSP101"
LOOP = """
    for epoch in range(3):
        for x, y in dataset.create_tuple_iterator():
            value, grads = grad_fn(x, y)
            opt(grads)
    """
GRADS = "grad_fn = ms.value_and_grad(forward, None, opt.parameters)\n"
PLAIN = "def forward(x, y):\n    return loss_fn(net(x), y)\n\n\n"
NET = """
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(8, 4)
            self.alpha = 1.0

        def construct(self, x):
            return self.dense(x) * self.alpha


    """
RUN = f"\ndef run():\n{textwrap.indent(join(LOOP), ' ' * 4)}\n\n"


def stages(name: str, head: str, change: str, made: str = "", steps: str = LOOP) -> tuple[str, tuple[str, ...]]:
    """Return a program that changes something in front of each of several loops over epochs."""
    first = f"net = Net()\n{join(OPTIMIZER)}\n\n{PLAIN}{GRADS}" if not made else PLAIN
    body = textwrap.indent(f"{made}{change}\n{join(steps)}", " " * 4)
    return name, (START, NET, first, f"{head}\n{body}")


MADE = f"net = Net()\n{join(OPTIMIZER)}\n{GRADS}"
RATED = """
    from mindspore.experimental.optim import ASGD, Adagrad, Adam, NAdam, RMSprop

    net = Net()
    opt = MADE


    def forward(x, y):
        return loss_fn(net(x), y)


    grad_fn = ms.value_and_grad(forward, None, opt.trainable_params())
    for epoch in range(3):
        RATE
        for x, y in dataset.create_tuple_iterator():
            value, grads = grad_fn(x, y)
            opt(grads)
    """


def rated(name: str, made: str, rate: str) -> tuple[str, tuple[str, ...]]:
    """Return a program that changes the rate of an optimizer in each epoch."""
    return name, (START, NET, join(RATED).replace("MADE", made).replace("RATE", rate))


HELD = "self.held = [1.0, 2.0]"
READ = "return self.dense(x) * self.held[0]"
TABLE = 'self.held = [{"a": 1.0, "log": []}]'
ENTRY = 'return self.dense(x) * self.held[0]["a"]'

PAIR = """
    class Agent(BASE):
        def __init__(self):
            INIT
            self.actor = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 4))
            self.critic = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 1))

        def both(self, x):
            return self.actor(x), self.critic(x)


    net = Agent()
    """


def pair(name: str, base: str, init: str, body: str, before: str = "") -> tuple[str, tuple[str, ...]]:
    """Return a program that trains two networks which one object holds."""
    made = before + join(PAIR).replace("BASE", base).replace("INIT", init)
    weights = "net.actor.trainable_params()" if base == "object" else ""
    optimizer = join(OPTIMIZER).replace("net.trainable_params()", weights or "net.trainable_params()")
    return name, (START, made, f"{optimizer}\n\ndef forward(x, y):\n    {body}\n\n\n", GRADS, LOOP)


BOTH = "out, value = net.both(x)\n    return loss_fn(out, y) + (value**2).mean()"
EACH = "return loss_fn(net.actor(x), y) + (net.critic(x) ** 2).mean()"
CELL = "super().__init__()"

TRAIN_CELL = """
    net, other = Net(), Net()
    {}
    opt = nn.SGD(net.trainable_params(), 0.1)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), opt)
    for epoch in range(3):
        for x, y in dataset.create_tuple_iterator():
            step(x, y)
        {}
    """
MODEL = """
    net, other = Net(), Net()
    {}
    opt = nn.SGD(net.trainable_params(), 0.1)


    class Hook(ms.train.Callback):
        def on_train_epoch_end(self, run_context):
            {}


    model = ms.train.Model(net, loss_fn, opt)
    model.train(3, dataset, callbacks=[Hook()])
    """
COPY = "for p, q in zip({}.trainable_params(), {}.trainable_params()):\n            {}"

MADE_THERE = """class Fresh(nn.Cell):
        def __init__(self, n=2):
            super().__init__()
            self.dense = nn.Dense(8, 4)
            self.reset(n)
            refill(self)

        def reset(self, n):
            self.n = n
            self.dense.weight.set_data(ops.ones((4, 8)))

        def construct(self, x):
            return self.dense(x) * self.n


    def refill(cell):
        for _, each in cell.cells_and_names():
            if isinstance(each, nn.Dense):
                each.bias.set_data(ops.ones(4))


    net = Fresh()"""
AROUND = "around = nn.SequentialCell([net, nn.ReLU()])"


def weights(name: str, change: str, before: str = "") -> list[tuple[str, tuple[str, ...]]]:
    """Return programs that change weights between the steps of a train cell, and of a Model."""
    return [
        (f"{name}, train cell", (START, NET, join(TRAIN_CELL.format(before, change)))),
        (f"{name}, Model", (START, NET, join(MODEL.format(before, change.replace("\n", "\n    "))))),
    ]


TARGET = """
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(8, 4)

        def construct(self, x):
            return self.dense(x)


    class Agent(nn.Cell):
        def __init__(self):
            super().__init__()
            self.net = Net()
            self.other = MADE

        def construct(self, x):
            return self.net(x)

        def target(self, x):
            return self.other(x)

        def follow(self):
            for p, q in zip(self.net.trainable_params(), self.other.trainable_params()):
                q.set_data(p)


    def train():
        net = Agent()
        opt = nn.SGD(net.net.trainable_params(), 0.1)

        def forward(x, y, t):
            return loss_fn(net(x) + TERM, y)

        grad_fn = ms.value_and_grad(forward, None, opt.parameters)
        for epoch in range(3):
            for x, y in dataset.create_tuple_iterator():
                value, grads = grad_fn(x, y, GIVEN)
                opt(grads)
            CHANGE


    train()
    """
ROW = "nn.SequentialCell(nn.Dense(8, 4), nn.ReLU())"
FIRST = "net.other[0].weight.set_data(ops.ones((4, 8)))"
EACH_OTHER = "for q in net.other.get_parameters():\n                q.assign_value(q * 0.5)"


def target(
    name: str, term: str, change: str = "net.follow()", made: str = "copy.deepcopy(self.net)"
) -> tuple[str, tuple[str, ...]]:
    """Return a program that changes the weights of a second network between steps of a gradient function."""
    body = join(TARGET).replace("MADE", made).replace("TERM", term).replace("CHANGE", change)
    if term != "t":  # run: an argument that is not read makes graph mode see the data
        body = body.replace(", y, t):", ", y):").replace(", GIVEN", "")
    body = body.replace("GIVEN", "net.target(x)")
    return name, ("import copy\n", START, body)


def clipped(name: str, *lines: str, before: str = "", step: str = "value, grads") -> tuple[str, tuple[str, ...]]:
    """Return a program that changes the gradients between the gradient function and the optimizer."""
    change = "".join(f"        {line}\n" for line in lines)
    loop = join(LOOP).replace("value, grads", step).replace("        opt(", f"{change}        opt(")
    return name, (START, NET, MADE.replace(GRADS, f"\n\n{PLAIN}{before}{GRADS}"), loop)


SCALED = "def scale(grads):\n    for g in grads:\n        {}\n\n\n"
EACH_GRAD = "for g in grads:"

BLOCKED = [
    clipped("gradients scaled by a slice", EACH_GRAD, "    g[:] *= 0.5"),
    clipped("gradients set by a slice", EACH_GRAD, "    g[:] = g * 0.5"),
    clipped("rows of gradients", "for i, g in enumerate(grads):", "    g[0] = 0.0"),
    clipped("gradients by index", "for i in range(len(grads)):", "    grads[i][:] *= 0.5"),
    clipped("all gradients assigned", EACH_GRAD, "    ops.assign(g, g * 0.5)"),
    clipped("gradients copied into", EACH_GRAD, "    g.copy_(g * 0.5)"),
    clipped("gradients beside weights", "for w, g in zip(opt.parameters, grads):", "    ops.assign_add(g, w * 0.1)"),
    clipped("gradients assigned in a list", "done = [ops.assign(g, g * 0.5) for g in grads]"),
    clipped("gradients in a function", "scale(grads)", before=SCALED.format("g[:] *= 0.5")),
    clipped(
        "gradients by another name",
        "rows = list(result[1])",
        "scale(grads=rows)",
        "grads = result[1]",
        before=SCALED.format("g[:] *= 0.5"),
        step="result",
    ),
    # a target network that the compiled code reads
    target("a target that the step calls", "0.1 * net.target(x)"),
    target("a target that the step calls itself", "0.1 * net.other(x)"),
    target("a target whose weight the step reads", "0.1 * ops.matmul(x, net.other.dense.weight.T)"),
    target("a target that is passed on", "0.1 * (lambda cell: cell(x))(net.other)"),
    target("the trained network", "t", "net.net.dense.weight.set_data(net.net.dense.weight * 0.5)"),
    target("a layer of a row that the step calls", "net.other(x)", FIRST, ROW),
    # weights: PyNative does not train them any more
    *weights("other data", "net.dense.weight.set_data(ops.ones((4, 8)))"),
    *weights("other data by a name", "w = net.dense.weight\n        w.set_data(ops.ones((4, 8)))"),
    *weights("other data of each", "for p in net.get_parameters():\n            p.set_data(p * 0.5)"),
    *weights("a value", "net.dense.weight.assign_value(Tensor(np.ones((4, 8), np.float32)))"),
    *weights("all of it by a name", "w = net.dense.weight\n        w[...] = w * 0.5"),
    *weights("all of it", "net.dense.weight[...] = net.dense.weight * 0.5"),
    *weights("data", "net.dense.weight.data = net.dense.weight * 0.5"),
    *weights("another weight", "net.dense.weight = net.dense.weight * 0.5"),
    *weights("a checkpoint", 'ms.load_param_into_net(net, ms.load_checkpoint("best.ckpt"))'),
    *weights("a weight of the optimizer", "p = opt.parameters[0]\n        p.set_data(p * 0.5)"),
    *weights("a weight by its name", "d = net.parameters_dict()\n        d['dense.weight'].set_data(ops.ones((4, 8)))"),
    *weights("weights of another network", COPY.format("net", "other", "p.set_data(q)")),
    *weights("a checkpoint of a cell around it", "ms.load_param_into_net(around, net.parameters_dict())", AROUND),
    *weights("weights that a method fills again", "net.reset(3)", MADE_THERE),
    *weights("weights that a function fills again", "refill(net)", MADE_THERE),
    # items of containers
    *(
        cell(f"items changed by {hook}", READ, HELD, hook)
        for hook in (
            "del net.held[0]",
            "rates = net.held\n            rates[0] = step * 0.1",
            "rates = net.held\n            rates.insert(0, step * 0.1)",
            "rates = net.held\n            del rates[0]",
            "first = net\n            rates = first.held\n            rates[:] = [step * 0.1]",
        )
    ),
    cell("entry of an item behind a name", ENTRY, TABLE, 'row = net.held[0]\n            row["a"] = step'),
    cell("entry of each item", ENTRY, TABLE, 'for row in net.held:\n                row["a"] = step'),
    cell("all of an item", ENTRY, TABLE, "net.held[0].update(a=step)"),
    *(
        forward(f"global changed by {hook}", "return loss_fn(net(x), y) * scales[0]", before, hook)
        for before, hook in (
            ("scales = [1.0, 2.0]\n", "scales.insert(0, step * 0.1)"),
            ("scales = [1.0, 2.0]\n", "del scales[0]"),
            ("scales = [1.0, 2.0]\nrates = scales\n", "rates[0] = step * 0.1"),
            ("scales = [1.0, 2.0]\n\n\ndef change():\n    scales[0] += 0.1\n\n\n", "change()"),
        )
    ),
    forward(
        "list in a global dict",
        'return loss_fn(net(x), y) * state["scales"][0]',
        'state = {"scales": [1.0, 2.0]}\n',
        'state["scales"].insert(0, step * 0.1)',
    ),
    # items of arrays, settings of layers and losses, data of a Parameter beside the network
    *(
        forward(f"array changed by {hook}", "return loss_fn(net(x), y) * float(rates[0])", before, hook)
        for before, hook in (
            ("rates = np.ones(2)\n", "rates[0] = step * 0.1"),
            ("rates = np.ones(2).astype(np.float32)\n", "rates[0] *= 0.9"),
            ("rates = np.linspace(0, 1, 5)\n", "rates[:] = step * 0.1"),
            ("rates = np.array([1.0, 2.0])\n", "rates.fill(step * 0.1)"),
            ("rates = np.ones(2)\n\n\ndef change():\n    rates[0] *= 0.9\n\n\n", "change()"),
        )
    ),
    cell(
        "array of a network",
        "return self.dense(x) * float(self.held[0])",
        "self.held = np.ones(2)",
        "net.held[0] = 0.5",
    ),
    *(
        forward(f"setting changed by {hook}", "return (part(net(x)) * y).mean()", f"part = {made}\n", hook)
        for made, hook in (
            ("nn.Dropout(p=0.5)", "part.p = 0.1"),
            ("nn.LeakyReLU(0.1)", "part.alpha = 0.1 * step"),
            ("nn.BatchNorm1d(4)", "part.use_batch_statistics = False"),
        )
    ),
    *(
        forward(
            f"setting of a loss changed by {hook}", "return part(net(x), net(x) * 2).mean()", f"part = {made}\n", hook
        )
        for made, hook in (
            ("nn.HuberLoss()", "part.delta = 0.1 * step"),
            ("nn.HuberLoss()", "setattr(part, 'delta', 0.1 * step)"),
            ("nn.L1Loss()", "part.reduction = 'sum'"),
        )
    ),
    *(
        forward(f"Parameter changed by {hook}", "return loss_fn(net(x), y) * scale", before, hook)
        for before, hook in (
            ("scale = ms.Parameter(Tensor(1.0))\n", "scale.set_data(scale * 0.9)"),
            ("scale = ms.Parameter(Tensor(1.0))\n", "scale.assign_value(Tensor(0.5, ms.float32))"),
            ("scale = ms.Parameter(Tensor(1.0))\nother = scale\n", "other.set_data(scale * 0.9)"),
        )
    ),
    # rates
    *(
        rated(f"rate of a group of {name}", f"{name}(net.trainable_params(), 0.1)", rate)
        for rate in ('opt.param_groups[0]["lr"] = 0.01', 'for group in opt.param_groups:\n        group["lr"] = 0.01')
        for name in ("Adam", "RMSprop", "Adagrad", "NAdam", "ASGD")
    ),
    rated("rate of a layer", "nn.SGD(net.trainable_params(), 0.1)", "opt.learning_rate.set_data(Tensor(0.01))"),
    *(
        rated(f"rate by {rate}", "nn.Adam(net.trainable_params(), 0.1)", rate)
        for rate in (
            "opt.get_lr().set_data(0.01)",
            "rate = opt.get_lr()\n    rate.set_data(Tensor(0.01))",
            "rate = opt.learning_rate\n    rate.set_data(Tensor(0.01))",
            "opt.learning_rate.assign_value(Tensor(0.01))",
            "opt.learning_rate[...] = 0.01",
        )
    ),
    rated("a new rate", "nn.SGD(net.trainable_params(), 0.1)", "opt.learning_rate = Tensor(0.01)"),
    # from stage to stage
    stages("attribute of each stage", "for stage in range(3):", "net.alpha = 0.5 * stage"),
    stages("attribute of each round", "step = 0\nwhile step < 9:", "step += 1\nnet.alpha = 0.5 * step"),
    stages("learning rate of each update", "for update in range(1, 9):", "opt.learning_rate.set_data(0.1 / update)"),
    stages("weights of each task", "for task in range(3):", "net.dense.weight.set_data(ops.ones((4, 8)))"),
    stages(
        "attribute of each stage, in a function", f"{RUN}for stage in range(3):", "net.alpha = stage", steps="run()\n"
    ),
    # names of Parameters
    pair("two networks of a plain object", "object", "pass", BOTH),
    pair("two networks of a plain object, one by one", "object", "pass", EACH),
]

READY = [
    *(
        rated(f"rate by {rate}", "nn.Adam(net.trainable_params(), 0.1)", rate)
        for rate in (
            "ops.assign(opt.get_lr(), Tensor(0.01))",
            "rates = np.zeros(3)\n    rates[...] = 0.1",
            "learning_rate = np.zeros(3)\n    learning_rate[...] = 0.1",
        )
    ),
    clipped("gradients scaled by name", EACH_GRAD, "    g *= 0.5"),
    clipped("gradients set as a whole", EACH_GRAD, "    g[...] = g * 0.5"),
    clipped("gradients by value", EACH_GRAD, "    g.assign_value(g * 0.5)"),
    clipped("new gradients", "grads = tuple(g * 0.5 for g in grads)"),
    clipped(
        "gradients in a list of their own", "grads = list(grads)", "grads[0] = grads[0] * 0.5", "grads = tuple(grads)"
    ),
    clipped("gradients as arrays", EACH_GRAD, "    a = g.asnumpy()", "    a[:] = 0.0"),
    clipped("rows of another list", "rows = [0.0, 1.0]", "rows[0] = value"),
    clipped("function without a caller", "pass", before=SCALED.format("g[:] *= 0.5")),
    target("a target that Python calls", "t"),
    target("a target of its own class", "t", made="Net()"),
    target("a target by its value", "t", EACH_OTHER),
    target("a copied row", "t", FIRST, f"copy.copy({ROW})"),
    target("a row that Python calls", "t", FIRST, ROW),
    target("a target that is loaded", "t", "ms.load_param_into_net(net.other, net.net.parameters_dict())"),
    target("a target that is assigned", "0.1 * net.other(x)", "ops.assign(net.other.dense.weight, ops.ones((4, 8)))"),
    *weights("assigned", "ops.assign(net.dense.weight, net.dense.weight * 0.5)"),
    *weights("a slice by a name", "w = net.dense.weight\n        w[:] = w * 0.5"),
    *weights("a row by a name", "w = net.dense.weight\n        w[0] = 0.0"),
    *weights("a row", "net.dense.weight[0] = 0.0"),
    *weights("multiplied in a loop", "for p in net.trainable_params():\n            p *= 0.5"),
    *weights("copied", "net.dense.weight.copy_(net.dense.weight * 0.5)"),
    *weights("another network", "other.dense.weight.set_data(net.dense.weight)"),
    *weights("another network by a loop", COPY.format("net", "other", "q.set_data(p)")),
    *weights("a checkpoint of another network", "ms.load_param_into_net(other, net.parameters_dict())"),
    *weights("a network that is made there", "fresh = Fresh()\n        print(fresh(ops.ones((1, 8))))", MADE_THERE),
    *weights("a checkpoint of a network that is made there", "ms.load_param_into_net(Net(), net.parameters_dict())"),
    *weights("the data of a list", "rows = [1, 2]\n        rows[0] = 3"),
    *weights("nothing", "pass", "net.dense.weight.set_data(ops.ones((4, 8)))"),
    cell("another item behind a name", READ, HELD, "rates = net.held\n            rates[1] = step * 0.1"),
    cell("another entry of an item", READ, "self.held = {0: 1.0, 1: []}", "net.held[1].append(step)"),
    cell("copy of a container", READ, HELD, "rates = list(net.held)\n            rates[0] = step * 0.1"),
    forward(
        "list in a global dict that is not read",
        'return loss_fn(net(x), y) * state["scale"]',
        'state = {"scale": 1.0, "log": []}\n',
        'state["log"].append(step)',
    ),
    forward("global list of losses", "return loss_fn(net(x), y)", "losses = []\n", "losses.append(step)"),
    forward(
        "global list of losses beside one that is read",
        "return loss_fn(net(x), y) * scales[0]",
        "losses = []\nscales = [1.0, 2.0]\n",
        "losses.append(step)",
    ),
    *(
        forward(f"array left by {hook}", "return loss_fn(net(x), y) * float(rates[0])", before, hook)
        for before, hook in (
            ("rates, log = np.ones(2), np.zeros(99)\n", "log[step] = 1.0"),
            ("rates = np.ones(2)\n", "rows = np.zeros(3)\n            rows[0] = step"),
            ("rates = np.ones(2)\n", "rates.sum()"),
            ("rates = np.ones(2)\nrates[0] = 0.5\n", "pass"),
        )
    ),
    *(
        forward(f"setting left by {hook}", "return (part(net(x)) * y).mean()", f"part = {made}\n", hook)
        for made, hook in (
            ("nn.BatchNorm1d(4)", "part.momentum = 0.1"),
            ("nn.BatchNorm1d(4)", "part.eps = 0.1"),
            ("nn.ReLU()", "args = lambda: 0\n            args.p = step"),
            ("nn.Dropout(p=0.5)", "opt.alpha = step"),
        )
    ),
    *(
        forward(f"Parameter left by {hook}", "return loss_fn(net(x), y) * scale", before, hook)
        for before, hook in (
            ("scale = ms.Parameter(Tensor(1.0))\n", "ops.assign(scale, scale * 0.9)"),
            ("scale = ms.Parameter(Tensor(1.0))\nbest = ms.Parameter(Tensor(1.0))\n", "best.set_data(best * 0.9)"),
            ("scale = ms.Parameter(Tensor([1.0]))\n", "scale[0] = 0.5"),
            ("scale = ms.Parameter(Tensor([1.0]))\nscale.set_data(Tensor([0.5]))\n", "pass"),
        )
    ),
    stages("a network of its own for each fold", "for fold in range(3):", "net.alpha = 0.5 * fold", MADE),
    stages("nothing that is read", "for stage in range(3):", "opt.stage = stage"),
    pair("two networks of a cell without `construct`", "nn.Cell", CELL, BOTH),
    pair("two networks of a cell, one by one", "nn.Cell", CELL, EACH),
    pair("two networks of a base class", "Base", CELL, BOTH, "class Base(nn.Cell):\n    pass\n\n\n"),
    rated(
        "rate in a dict of the script", "nn.SGD(net.trainable_params(), 0.1)", 'opt.group = {}\n    opt.group["lr"] = 1'
    ),
    pair("two networks of a loss", "nn.LossBase", CELL, BOTH),
]


def _cases(programs: list[tuple[str, tuple[str, ...]]], safety: str) -> list[object]:
    return [case(name, join(*texts).replace("# !SAFETY", f"# ! {safety}")) for name, texts in programs]


def _inside(name: str, texts: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Return the same program, whose code stands in a function."""
    imports, start, body = join(*texts).partition("ms.set_context(")
    return f"{name}, in a function", (f"{imports}\ndef main():\n{textwrap.indent(start + body, ' ' * 4)}\n\nmain()\n",)


@pytest.mark.parametrize("program", _cases([*BLOCKED, *(_inside(*each) for each in BLOCKED)], "display-only"))
def test_what_changes_between_steps_is_named(program: Program) -> None:
    expect(CODE, program)
    (finding,) = program.lint(CODE).findings
    assert finding.fix is not None and finding.fix.reason
    words = (
        "first value",
        "learning rate",
        "`learning_rate`",
        "first `lr`",
        "gets other data",
        "have a Parameter",
        "equal gradients",
    )
    assert any(word in finding.fix.reason for word in words), finding.fix.reason


@pytest.mark.parametrize("program", _cases([*READY, *(_inside(*each) for each in READY)], "unsafe"))
def test_what_stays_as_it_is_keeps_the_fix(program: Program) -> None:
    expect(CODE, program)
