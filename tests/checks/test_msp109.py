"""MSP109 recompile-each-step: what is reported, with which safety, and what is not."""

from __future__ import annotations

import pytest
from programs import Program, case, fires, join, quiet

CODE = "MSP109"

HEAD = """
    import random

    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn, ops

    ms.set_context(mode=ms.GRAPH_MODE)
    data = ds.MindDataset("train.mindrecord").batch(32)
    net = nn.Dense(64, 16)
    loss = nn.MSELoss()
    opt = nn.Momentum(net.trainable_params(), 0.01, 0.9)


    class Loss(nn.Cell):
        def construct(self, x, y, rate=1.0):
            return loss(net(x), y) * rate


    class Both(nn.Cell):
        def construct(self, both):
            return loss(net(both[0]), both[1])


    def forward(x, y, rate):
        return loss(net(x), y) * rate


    """
GRAPH = join(
    HEAD,
    """
    step = nn.TrainOneStepCell(Loss(), opt)
    pairs = nn.TrainOneStepCell(Both(), opt)
    grad_fn = ms.value_and_grad(forward, None, opt.parameters)
    """,
)
EAGER = GRAPH.replace("GRAPH_MODE", "PYNATIVE_MODE")
UNKNOWN = GRAPH.replace("ms.set_context(mode=ms.GRAPH_MODE)", "ms.set_context(mode=int(input()))")
ADDING = """
    FIXED = []
    FIXED.append(ms.Tensor(1.0))


    def added(x, y):
        rows = []
        rows.append(x)
        rows.append(y)
        return rows


    def two(x, y):
        rows, others = [], []
        rows.append(x)
        others.append(ms.Tensor(y.asnumpy()))
        return rows, others


    """
LOOP = "for i, (x, y) in enumerate(data.create_tuple_iterator()):\n"
JIT = """
    @ms.jit
    def train_step(x, y, rate):
        value, grads = ms.value_and_grad(forward, None, opt.parameters)(x, y, rate)
        opt(grads)
        return value


    """


def stepping(*lines: str) -> str:
    """Return a loop over the data with these lines."""
    return LOOP + "".join(f"    {line}\n" for line in lines)


SUMS = """
    temp, decay, count, rate = 1.0, 0.99, 0, 2
    temp = 1.0
    zero = 0
    for epoch in range(50):
        for x, y in data.create_tuple_iterator():
            step(x, y, {given}){mark}
            {line}
    """
SHARES = """
    def share(number, most=1000):
        {more}return {body}


    class Timer:
        def __init__(self):
            self.count, self.rounds = 0, 0

        def next(self):
            self.count += 1
            return min(1.0, self.count / 1000)


    timer = Timer()
    for epoch in range(3):
        for i, (x, y) in enumerate(data.create_tuple_iterator()):
            step(x, y, {given}){mark}
        timer.rounds += 1
    """
EPOCHS = """
    for epoch in range({count}):
        for x, y in data.create_tuple_iterator():
            step(x, y, {given}){mark}
    """
STEPS = "import math\n\ntotal = 10 * data.get_dataset_size()\ncount = 0\n"
MANY = (
    "2.0 / (1.0 + np.exp(-10 * i / 1000)) - 1",
    "float(2.0 / (1.0 + math.exp(-10.0 * (i / total))) - 1)",
    "0.5 * (1 + math.cos(math.pi * i / total))",
    "1 - i / total",
    "min(1.0, i / 1000)",
    "max(0.0, 1 - i / total)",
    "min((i + 1) / 50, 2)",
    "max(i, 10)",
    "0.1 + min(0.9, 0.001 * i)",
    "np.clip(i / 500, 0.0, 1.0)",
    "float(np.maximum(0.5 * np.exp(-0.001 * i), 0.1))",
    "round(0.01 * i, 3)",
    "max(0.0, min(1.0, (i - 10) / 50))",
)
ONE_OF_FEW = (
    "min(i, 10)",
    "min(1.0, i / 10)",
    "max(5 - i, 0)",
    "min(0.001, i / 1000)",
    "min(i, int(input()))",
    "min(1, 2)",
    "float(np.clip(i, 0, 3))",
    "round(min(1.0, i / 1000), 1)",
    "np.clip(i / 500, *limits)",
)

FIRES = [
    *(case(f"computed: {each}", GRAPH, STEPS, stepping(f"step(x, y, {each})  # ! display-only")) for each in MANY),
    case(
        "limited, of many epochs",
        GRAPH,
        EPOCHS.format(count=50, given="min(1.0, epoch / 100)", mark="  # ! display-only"),
    ),
    *(
        case(f"the next number: {line}", GRAPH, SUMS.format(given="temp", line=line, mark="  # ! display-only"))
        for line in (
            "temp *= 0.999",
            "temp = temp * 0.999",
            "temp /= 2",
            "temp = temp - 0.001",
            "temp *= decay",
            "temp = max(0.1, temp * 0.99)",
            "temp = np.maximum(temp * decay, 0.1)",
        )
    ),
    *(
        case(
            f"of a function: {body}; {given}",
            GRAPH,
            SHARES.format(more="", body=body, given=given, mark="  # ! display-only"),
        )
        for body, given in (
            ("min(1.0, number / most)", "share(i)"),
            ("0.5 ** (number / most)", "share(number=i)"),
            ("0", "timer.next()"),
        )
    ),
    case("at random, limited", GRAPH, stepping("k = np.random.rand()", "step(x, y, max(k, 1 - k))  # ! display-only")),
    case("the number of the step", GRAPH, stepping("step(x, y, i)  # ! display-only")),
    case("arithmetic", GRAPH, stepping("step(x, y, 1.0 / (i + 1))  # ! display-only")),
    case("by keyword", GRAPH, stepping("step(x, y, rate=i)  # ! display-only")),
    case("a name for it", GRAPH, stepping("rate = 0.01 * i", "step(x, y, rate)  # ! display-only")),
    case("a number of NumPy", GRAPH, stepping("step(x, y, np.float32(i))  # ! display-only")),
    case("at random", GRAPH, stepping("step(x, y, random.random())  # ! display-only")),
    case("at random, by a name", GRAPH, stepping("k = np.random.beta(0.2, 0.2)", "step(x, y, k)  # ! display-only")),
    case("at random, of many", GRAPH, stepping("step(x, y, np.random.randint(0, 100))  # ! display-only")),
    case(
        "of a generator",
        GRAPH,
        "rng = np.random.default_rng()\n",
        stepping("step(x, y, rng.random())  # ! display-only"),
    ),
    case(
        "a counter",
        GRAPH,
        """
        steps = 0
        for x, y in data.create_tuple_iterator():
            step(x, y, steps)  # ! display-only
            steps += 1
        """,
    ),
    case(
        "the number of the epoch",
        GRAPH,
        """
        for epoch in range(200):
            for x, y in data.create_tuple_iterator():
                step(x, y, epoch)  # ! display-only
        """,
    ),
    case(
        "as many as the dataset has",
        GRAPH,
        """
        batches = data.create_dict_iterator()
        for i in range(data.get_dataset_size()):
            batch = next(batches)
            step(batch["x"], batch["y"], i)  # ! display-only
        """,
    ),
    case("a gradient function", GRAPH, stepping("value, grads = grad_fn(x, y, i)  # ! display-only", "opt(grads)")),
    case("jit in PyNative", EAGER, JIT, stepping("train_step(x, y, i)  # ! display-only")),
    case("jit, whatever the mode", UNKNOWN, JIT, stepping("train_step(x, y, i)  # ! display-only")),
    case(
        "the result of jit",
        EAGER,
        """
        def train_step(x, y, rate):
            value, grads = grad_fn(x, y, rate)
            opt(grads)
            return value


        compiled = ms.jit(train_step)
        """,
        stepping("compiled(x, y, i)  # ! display-only"),
    ),
    case(
        "handed on",
        GRAPH,
        """
        def train_step(x, y, i):
            value, grads = grad_fn(x, y, i)
            opt(grads)
            return value


        """,
        stepping("train_step(x, y, i)  # ! display-only"),
    ),
    case("a tuple", GRAPH, stepping("pairs((x, y))  # ! unsafe")),
    case("a list", GRAPH, stepping("pairs([x, y])  # ! unsafe")),
    case("sums in a list", GRAPH, stepping("pairs([x * 2, 1 - y])  # ! unsafe")),
    case("a comprehension", GRAPH, stepping("pairs([x * k for k in range(2)])  # ! unsafe")),
    case("a copy", GRAPH, stepping("both = [x, y]", "pairs(tuple(both))  # ! unsafe")),
    # `mutable` takes no text and no None (run on 2.10: TypeError)
    case("a dict with a text", GRAPH, stepping('pairs({"x": x, "how": "mean"})  # ! no fix')),
    case("a tuple with None", GRAPH, stepping("pairs((x, None))  # ! no fix")),
    case("a text in a name", GRAPH, stepping('how = "mean"', "pairs([x, how])  # ! no fix")),
    case("a text inside of a tuple", GRAPH, stepping('pairs((x, (y, "mean")))  # ! no fix')),
    case("None in a container with a name", GRAPH, stepping("both = (x, None)", "pairs(both)  # ! no fix")),
    case("a number beside a tensor", GRAPH, stepping("pairs((x, 2))  # ! unsafe")),
    case("a truth value beside a tensor", GRAPH, stepping("pairs((x, True))  # ! unsafe")),
    *(
        case(
            f"a number that {name}",
            GRAPH.replace("return loss(net(both[0]), both[1])", f"{use}"),
            stepping(f"pairs((x, y, {number}))  # ! {safety}"),
        )
        for name, use, number, safety in (
            (
                "bounds a loop",
                "return sum([loss(net(both[0]), both[1]) * i for i in range(both[2])])",
                3,
                "display-only",
            ),
            ("bounds a loop, by its name", "x, y, n = both; return sum([net(x) for i in range(n)])", 3, "display-only"),
            ("is a rate of dropout", "return loss(ops.dropout(net(both[0]), both[2]), both[1])", 0.1, "display-only"),
            ("is a factor", "return loss(net(both[0]), both[1]) * both[2]", 3, "unsafe"),
            ("is a factor in a loop", "return sum([net(both[0]) * both[2] for i in range(3)])", 2, "unsafe"),
            ("is an axis", "return net(both[0]).sum(both[2]).mean()", 1, "unsafe"),
            ("is a condition", "return net(both[0]).sum() if both[2] else both[1].sum()", True, "unsafe"),
        )
    ),
    case("a dict with texts for keys", GRAPH, stepping('pairs({"x": x, "y": y})  # ! unsafe')),
    case("a container in one", GRAPH, stepping("pairs((x, (y, 1.0)))  # ! unsafe")),
    *(
        case(
            f"elements added later: {added}",
            GRAPH,
            ADDING,
            stepping("both = [x]", f"both.append({added})", f"pairs(both)  # ! {safety}"),
        )
        for added, safety in (
            ("y", "unsafe"),
            ("net(y)", "unsafe"),
            ("None", "no fix"),
            ("'mean'", "no fix"),
            ("1.0", "unsafe"),
        )
    ),
    *(
        case(f"all elements added: {at}", GRAPH, ADDING, stepping(*lines))
        for at, lines in enumerate(
            (
                ("both = []", "both.append(x)", "both.append(y)", "pairs(both)  # ! unsafe"),
                (
                    "both = []",
                    "for part in (x, y):",
                    "    both.append(part * 2)",
                    "both.append(x)",
                    "pairs(both)  # ! unsafe",
                ),
                ("both = list()", "both += [x]", "both.append(y)", "pairs(both)  # ! unsafe"),
                ("both = added(x, y)", "pairs(both)  # ! unsafe"),
                ("first, second = two(x, y)", "pairs(second)  # ! unsafe"),
            )
        )
    ),
    case("a tuple with a name", GRAPH, stepping("both = x, y", "pairs(both)  # ! unsafe")),
    case(
        "a dict",
        GRAPH,
        """
        class Named(nn.Cell):
            def construct(self, both):
                return loss(net(both["x"]), both["y"])


        named = nn.TrainOneStepCell(Named(), opt)
        for batch in data.create_dict_iterator():
            named({"x": batch["x"], "y": batch["y"]})  # ! unsafe
        """,
    ),
    case("what a cell gives", GRAPH, stepping("step(x, y)", "print(Loss()(x, y))", "pairs((net(x), y))  # ! unsafe")),
    case("a whole batch", GRAPH, "for batch in data.create_tuple_iterator():\n    pairs(batch)  # ! unsafe\n"),
    case("part of a batch", GRAPH, "for batch in data.create_tuple_iterator():\n    pairs(batch[:2])  # ! unsafe\n"),
    case("a batch as a tuple", GRAPH, "for i, batch in enumerate(data):\n    pairs(tuple(batch))  # ! unsafe\n"),
    case(
        "a row that is unpacked",
        GRAPH,
        "for batch in data.create_tuple_iterator():\n    both, z = batch[:2], batch[0]\n    pairs(both)  # ! unsafe\n",
    ),
    case(
        "a batch that is handed on",
        GRAPH,
        """
        def train_step(batch):
            return pairs(batch)


        for batch in data.create_tuple_iterator():
            train_step(batch)  # ! unsafe
        """,
    ),
    case(
        "worked out of what is handed on",
        GRAPH,
        """
        def train_step(x, y, i):
            return step(x, y, i / 100)  # ! display-only


        """,
        stepping("train_step(x, y, i)"),
    ),
    case("both", GRAPH, stepping("step((x, y), y, i)  # !!")),
    case(
        "in a function",
        GRAPH,
        """
        def train_step(x, y):
            return pairs((x, y))  # ! unsafe


        """,
        stepping("train_step(x, y)"),
    ),
]
ARMS = """
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", default="graph")
    parser.add_argument("--eager", action="store_true")
    args = parser.parse_args()


    def train():
        for i, (x, y) in enumerate(data.create_tuple_iterator()):
            step(x, y, i){end}


    {test}:
        ms.set_context(mode=ms.PYNATIVE_MODE)
        train()
    else:
        for x, y in data.create_tuple_iterator():
            pairs(ms.mutable((x, y)))
    """
FIRES += [
    case(
        "the arm that graph mode takes",
        GRAPH,
        ARMS.format(test="if not args.eager", end="  # ! display-only").replace("PYNATIVE", "GRAPH"),
    ),
]

QUIET = [
    *(case(f"one of few: {each}", GRAPH, STEPS, stepping(f"step(x, y, {each})")) for each in ONE_OF_FEW),
    *(
        case(
            f"limited, of {count} epochs: {each}",
            GRAPH,
            EPOCHS.format(count=count, given=each, mark=""),
        )
        for count, each in ((50, "max(100, epoch)"), (50, "max(45, epoch)"), (10, "min(1.0, epoch / 100)"))
    ),
    *(
        case(f"of a function: {more}{body}; {given}", GRAPH, SHARES.format(more=more, body=body, given=given, mark=""))
        for more, body, given in (
            ("", "min(2, number)", "share(i)"),
            ("", "min(1.0, number / most)", "share(7)"),
            ("", "ms.Tensor(number / most)", "share(i)"),
            ("if number < 9: return 0.5\n        ", "number", "share(i)"),
            ("", "0", "timer.rounds"),
        )
    ),
    case("at random, limited to one", GRAPH, stepping("step(x, y, max(np.random.rand(), 2))")),
    *(
        case(f"no next number: {line}", GRAPH, SUMS.format(given=line.split()[0], line=line, mark=""))
        for line in (
            "temp *= -1",
            "temp = -temp",
            "temp = 1 - temp",
            "temp *= 1.0",
            "temp *= float(input())",
            "temp **= 2",
            "temp = max(0.5, temp * 0.5)",
            "temp = max(temp * float(input()), 0.1)",
            "zero *= 2",
            "temp = 0.5",
        )
    ),
    *(
        case(f"what only PyNative mode runs: {test}", GRAPH, ARMS.format(test=test, end=""))
        for test in ("if args.eager", 'if args.mode == "pynative"', 'if args.mode != "graph"')
    ),
    case("PyNative", EAGER, stepping("step(x, y, i)", "pairs((x, y))")),
    case("unknown mode", UNKNOWN, stepping("step(x, y, i)", "pairs((x, y))")),
    case("a tensor", GRAPH, stepping("step(x, y, ms.Tensor(i, ms.int32))")),
    case("one of few at random", GRAPH, stepping("step(x, y, np.random.randint(0, 4))")),
    case("at random below an unknown number", GRAPH, stepping("step(x, y, np.random.randint(0, int(input())))")),
    case("an array at random", GRAPH, stepping("step(x, y, np.random.normal(0, 1, 4))")),
    case("tensors alone", GRAPH, stepping("step(x, y)")),
    case("mutable", GRAPH, stepping("pairs(ms.mutable((x, y)))")),
    case("a copy of numbers", GRAPH, stepping("both = [1.0, 2.0]", "pairs(tuple(both))")),
    case("few numbers in a tuple", GRAPH, stepping("both = (i % 3, 0.1 * (i % 2))", "pairs(both)")),
    case("a constant", GRAPH, stepping("step(x, y, 0.5)")),
    *(
        case(f"constants, or nothing, added: {at}", GRAPH, ADDING, stepping(*lines))
        for at, lines in enumerate(
            (
                ("sizes = []", "sizes.append(3)", "step(x, y, sizes)"),
                ("sizes, others = [1], []", "others.append(x)", "step(x, y, sizes)"),
                ("step(x, y, FIXED)", "kept = [x]"),
                ("step(x, y, opaque())",),
            )
        )
    ),
    case("a container of constants", GRAPH, stepping("step(x, y, (1, 0, 0))")),
    case("few values by a remainder", GRAPH, stepping("step(x, y, i % 2)")),
    case("few values by a comparison", GRAPH, stepping("step(x, y, i > 100)")),
    case(
        "few epochs",
        GRAPH,
        """
        for epoch in range(3):
            for x, y in data.create_tuple_iterator():
                step(x, y, epoch)
        """,
    ),
    case(
        "epochs that nobody knows",
        GRAPH,
        """
        for epoch in range(int(input())):
            for x, y in data.create_tuple_iterator():
                step(x, y, epoch)
        """,
    ),
    case(
        "set_inputs",
        GRAPH,
        "free = ms.Tensor(shape=[None, None], dtype=ms.float32)\nstep.set_inputs(free, free)\n",
        stepping("step(x, y, i)"),
    ),
    case(
        "the same tuple again",
        GRAPH,
        """
        x, y = ops.ones((8, 64), ms.float32), ops.ones((8, 16), ms.float32)
        both = (x, y)
        for i in range(1000):
            pairs(both)
        """,
    ),
    case(
        "a function of Python",
        GRAPH,
        """
        def train_one_epoch(epoch):
            for x, y in data.create_tuple_iterator():
                print(epoch, step(x, y))


        for epoch in range(100):
            train_one_epoch(epoch)
        """,
    ),
    case(
        "a class of Python",
        GRAPH,
        """
        class Trainer:
            def __call__(self, x, y, i):
                print(i)
                return step(x, y)


        trainer = Trainer()
        """,
        stepping("trainer(x, y, i)"),
    ),
    case(
        "a cell that is called in Python",
        GRAPH,
        """
        class Wrapper(nn.Cell):
            def __call__(self, both, i):
                print(i)
                return step(*both)

            def construct(self, x, y):
                return x


        wrapper = Wrapper()
        """,
        stepping("wrapper((x, y), i)"),
    ),
    case("an optimizer takes tuples apart", GRAPH, stepping("value, grads = grad_fn(x, y, 1.0)", "opt((grads[0], x))")),
    case("compiled once", EAGER, JIT.replace("@ms.jit", "@ms.jit(compile_once=True)"), stepping("train_step(x, y, i)")),
    case(
        "compiled for any of a kind",
        EAGER,
        JIT.replace("@ms.jit", "@ms.jit(input_signature=(data, labels, ms.Tensor(0)))"),
        stepping("train_step(x, y, i)"),
    ),
    case(
        "from bytecode",
        EAGER,
        JIT.replace("@ms.jit", '@ms.jit(capture_mode="bytecode")'),
        stepping("train_step(x, y, i)"),
    ),
    case(
        "every so many steps",
        GRAPH,
        stepping("step(x, y)", "if i % 100 == 0:", "    print(Loss()(x, y, i))"),
    ),
    case(
        "evaluation",
        GRAPH,
        stepping("step(x, y)"),
        """
        measure = Loss()
        for i, (x, y) in enumerate(data.create_tuple_iterator()):
            print(measure(x, y, i))
        """,
    ),
    case(
        "nothing trains",
        HEAD,
        """
        measure = Loss()
        for i, (x, y) in enumerate(data.create_tuple_iterator()):
            print(measure(x, y, i))
        """,
    ),
    case("inside of the graph", EAGER, JIT.replace("opt(grads)", "Loss()((x, y), y)"), stepping("train_step(x, y, 1)")),
    case("all of a row", GRAPH, "for row in data.create_tuple_iterator():\n    step(*row)\n"),
    case(
        "a tuple of NumPy",
        GRAPH,
        """
        for x, y in data.create_tuple_iterator(output_numpy=True):
            step(ms.Tensor(x), ms.Tensor(y))
            pairs((x, y))
        """,
    ),
    case(
        "a tuple of NumPy, with a name for the rows",
        GRAPH,
        """
        rows = data.create_tuple_iterator(output_numpy=True)
        for x, y in rows:
            step(ms.Tensor(x), ms.Tensor(y))
            pairs((x, y))
        """,
    ),
    case(
        "a whole batch of NumPy",
        GRAPH,
        """
        for batch in data.create_tuple_iterator(output_numpy=True):
            step(ms.Tensor(batch[0]), ms.Tensor(batch[1]))
            pairs(batch)
        """,
    ),
    case("one column of a batch", GRAPH, "for batch in data:\n    step(batch[0], batch[1])\n"),
    case(
        "one of a few networks",
        GRAPH,
        """
        several = [nn.TrainOneStepCell(Loss(), opt) for _ in range(4)]
        for x, y in data.create_tuple_iterator():
            for number in range(4):
                several[number](x, y, number)
        """,
    ),
    case(
        "a wrapper of Python that takes a list apart",
        GRAPH,
        """
        class Wrapper:
            def __init__(self, step):
                self.step = step

            def __call__(self, inputs, sample):
                return self.step(*inputs)


        wrapper = Wrapper(step)
        for sample in data.create_dict_iterator():
            wrapper([sample["x"], sample["y"]], sample)
        """,
    ),
    case(
        "a function that only prints the number",
        GRAPH,
        """
        def train_step(x, y, number):
            value, grads = grad_fn(x, y, 1.0)
            opt(grads)
            if number % 10 == 0:
                print(value)


        """,
        stepping("train_step(x, y, i)"),
    ),
    case("with a tensor in it", GRAPH, stepping("scale = ops.ones((1,), ms.float32)", "step(x, y, scale * i)")),
    case("of what nobody knows", GRAPH, stepping("import other", "step(x, y, other.rate(i))")),
    case(
        "an attribute of MindSpore's Model",
        HEAD,
        """
        model = ms.Model(net, loss, opt)
        for epoch in range(100):
            model.train(1, data)
        """,
    ),
]


@pytest.mark.parametrize("program", FIRES)
def test_reported(program: Program) -> None:
    fires(CODE, program)


@pytest.mark.parametrize("program", QUIET)
def test_not_reported(program: Program) -> None:
    quiet(CODE, program)


CUT = "graph mode loses all gradients by `{}` of a tensor in Python"
TYPES = "graph mode needs values of one type in both branches of a test on a tensor"
LIST = "graph mode loses all gradients where a tensor is the index of a list in Python"
FILLED = "graph mode does not compile a list that is filled as often as a tensor says"
AFTER = "graph mode needs `k` to be a tensor before this test on a tensor, too"
FLOWS = "a condition on it becomes control flow of the graph"


@pytest.mark.parametrize(
    "body, reason",
    [
        ("return loss(net(x), y) * min(1.0, rate / 10)", CUT.format("min")),
        ("k = (1 + rate) / 10\n    return loss(net(x), y) * max(0.1, k)", CUT.format("max")),
        ("k = rate / 10 if rate < 10 else 1.0\n    return loss(net(x), y) * k", TYPES),
        ("k = rate * 0.1\n    if rate > 10:\n        k = 1.0\n    return loss(net(x), y) * k", AFTER),
        ("return loss(net(x), y) * [0.1 * i for i in range(99)][rate]", LIST),
        ("return sum(loss(net(x), y) for i in range(rate))", FILLED),
        ("return loss(net(x), y) * (1.0 if rate > 10 else 0.5)", FLOWS),
        ("if rate > 10:\n        return loss(net(x), y) * 2\n    return loss(net(x), y)", FLOWS),
        ("return sum(loss(net(x), y) for i in range(int(rate)))", FILLED),
        ("return loss(net(x), y) * min(x.shape[0], 4) * 0.9**rate", FLOWS),
        ("return loss(net(x + table[rate]), y)", FLOWS),
    ],
)
@pytest.mark.parametrize("step", ["grad_fn(x, y, i)", "grad_fn(x, y, rate=i)"])
def test_what_keeps_a_number_from_being_a_tensor_is_named(body: str, reason: str, step: str) -> None:
    head = GRAPH.replace("return loss(net(x), y) * rate\n\n\nstep", f"{body}\n\n\nstep")
    loop = stepping(f"value, grads = {step}", "opt(grads)")
    text = f"{head}table = ops.ones((99, 64))\n{loop}"
    (finding,) = Program({"train.py": text}, device="Ascend").lint(CODE).findings
    assert finding.fix is not None
    assert finding.fix.reason == reason
    assert [each.message for each in finding.related] == [reason] * (reason != FLOWS)
