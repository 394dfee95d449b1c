"""MSP101, graph-mode readiness: which programs keep the fix, which have an obstacle that makes it display-only.

Each form was run on MindSpore 2.10, CPU, in PyNative and in graph mode: the forms of `READY` give the same losses,
those of `BLOCKED` fail, give others, or are slower.
"""

from __future__ import annotations

import pytest
from programs import Program, case, expect, join
from readiness import LOOP, NET, OPTIMIZER, START, cell, forward, program

from ms_perflint.core.findings import Safety

CODE = "MSP101"


def sliced(name: str, loop: str, bounds: str) -> tuple[str, tuple[str, ...]]:
    """Return a program that takes its steps on parts of one batch."""
    steps = f"""
        x, y = next(dataset.create_tuple_iterator())
        grad_fn = ms.value_and_grad(forward, None, opt.parameters)
        for i in {loop}:
            value, grads = grad_fn(x[{bounds}], y[{bounds}])
            opt(grads)
        """
    return program(name, OPTIMIZER, PLAIN, steps)


PAIR = """

def forward(pair, y):
    return loss_fn(net(pair[0] + pair[1]), y)


grad_fn = ms.value_and_grad(forward, None, opt.parameters)
"""
GRADIENT = "grad_fn = ms.value_and_grad(forward, None, opt.parameters)\n"
EPISODE = """rows = []
            {loop}:
                rows.append(x[0])
                if {over}:
                    break
            y = Tensor({rows})"""
PLAIN = "\n\ndef forward(x, y):\n    return loss_fn(net(x), y)\n\n\n"

OTHER = "other = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 4))\n"


ROWS = (
    "def down():\n    return nn.Dense(8, 8)\n\n\ndef up():\n    return nn.Dense(8, 8)\n\n\n"
    "class Rows(nn.Cell):\n    def __init__(self):\n        super().__init__()\n        self.last = []\n        MADE\n"
    "        self.out = nn.Dense(8, 4)\n\n    def construct(self, x):\n        for each in self.rows:\n"
    "            x = each(x)\n        for each in self.last:\n            x = each(x)\n        return self.out(x)\n\n\n"
    "rows = Rows()\n"
)


def holding(
    name: str, inner: str, prefix: str = "", body: str = "whole(x, y)", start: str = ""
) -> tuple[str, tuple[str, ...]]:
    """Return a program with a second network, and a cell that holds the first one and computes the loss."""
    head = f"class Whole(nn.Cell):\n    def __init__(self, net):\n        super().__init__({prefix})\n"
    loss = f"        self.net = net\n\n    def construct(self, x, y):\n        return loss_fn({inner}, y)\n\n\n"
    return forward(name, f"return {body}", f"{start}{OTHER}\n\n{head}{loss}whole = Whole(net)\n")


BLOCKED = [
    # refused by the compiler
    forward("try", "try:\n    return loss_fn(net(x), y)\nexcept ValueError:\n    return loss_fn(net(x), y) * 0"),
    cell("try in construct", "try:\n    return self.dense(x)\nfinally:\n    pass"),
    forward("with", 'with open("log.txt") as file:\n    return loss_fn(net(x), y)'),
    cell("with no_grad", "with ms._no_grad():\n    other = self.dense(x)\nreturn self.dense(x) + other"),
    forward("import", "import cmath\nreturn loss_fn(net(x), y) * cmath.pi"),
    forward("del", "out = net(x)\nother = out * 2\ndel other\nreturn loss_fn(out, y)"),
    forward("walrus", "if (out := net(x)).shape[0] > 3:\n    return loss_fn(out, y)\nreturn loss_fn(net(x), y)"),
    forward("set comprehension", "return loss_fn(net(x), y) * len({k for k in (1, 2)})"),
    forward("while else", "i = 0\nwhile i < 2:\n    i += 1\nelse:\n    i = 3\nreturn loss_fn(net(x), y) * i"),
    forward("global that is written", "global n\nn += 1\nreturn loss_fn(net(x), y)", "n = 0\n", after="print(n)\n"),
    forward(
        "generator that is called",
        "return sum(parts(net(x)))",
        "def parts(out):\n    for i in range(3):\n        yield (out * i).mean()\n",
    ),
    cell(
        "weight that gets other data",
        "return self.dense(x) * self.alpha",
        "self.alpha = Parameter(Tensor(1.0), requires_grad=False)",
        "net.alpha.set_data(Tensor(1.0 * step))",
    ),
    cell("weights loaded", "return self.dense(x)", hook='ms.load_param_into_net(net, ms.load_checkpoint("n.ckpt"))'),
    cell("set_data", "self.m.set_data(x.mean(0))\nreturn self.dense(x)", "self.m = Parameter(ops.zeros(8))"),
    cell("Parameter made", "return self.dense(x) + Parameter(ops.zeros(4))"),
    forward("trainable_params", "return loss_fn(net(x), y) + sum((p * p).sum() for p in net.trainable_params())"),
    forward(
        "name of a Parameter",
        'return loss_fn(net(x), y) + sum([(p * p).sum() for p in weights if "weight" in p.name])',
        "weights = net.trainable_params()\n",
    ),
    forward(
        "dict keyed by Parameters",
        "total = loss_fn(net(x), y)\nfor p in weights:\n    total = total + scales[p] * (p * p).sum()\nreturn total",
        "weights = net.trainable_params()\nscales = {p: 0.1 for p in weights}\n",
    ),
    forward(
        "list that is extended in a tensor while",
        "parts = []\ni = x.sum() * 0\nwhile i < 3:\n    parts.extend([i, i])\n    i = i + 1\nreturn loss_fn(net(x), y)",
    ),
    forward(
        "list with more in front in a tensor while",
        "parts = []\ni = x.sum() * 0\nwhile i < 3:\n    parts.insert(0, i)\n    i = i + 1\nreturn loss_fn(net(x), y)",
    ),
    forward(
        "list that is added to in a tensor while",
        "parts = []\ni = x.sum() * 0\nwhile i < 3:\n    parts += [i]\n    i = i + 1\nreturn loss_fn(net(x), y)",
    ),
    forward(
        "tuple that grows in a tensor while",
        "parts = (y,)\ni = x.sum() * 0\nwhile i < 3:\n    parts += (y,)\n    i = i + 1\nreturn loss_fn(net(x), y)",
    ),
    forward(
        "list that grows in a tensor while",
        "parts = []\ni = x.sum() * 0\nwhile i < 3:\n    parts.append(i)\n    i = i + 1\nreturn loss_fn(net(x), y)",
    ),
    forward("tolist", "first = y.tolist()\nreturn loss_fn(net(x), y) * first[0]"),
    forward("NumPy array of ones", "return loss_fn(net(x) + Tensor(np.ones(4), ms.float32), y)"),
    forward(
        "fields of a dataclass",
        "pair = Pair(net(x), 2)\nreturn loss_fn(pair.out, y) * pair.scale",
        "import dataclasses\n\n\n@dataclasses.dataclass\nclass Pair:\n    out: object\n    scale: int\n",
    ),
    # run once
    forward("asnumpy in the loss", "value = loss_fn(net(x), y)\nreturn value * float(value.asnumpy())"),
    forward(
        "asnumpy of a label", "w = np.where(y.asnumpy() > 1, 2.0, 1.0)\nreturn loss_fn(net(x), y) * Tensor(w).mean()"
    ),
    forward(
        "asnumpy into a list", "value = loss_fn(net(x), y)\nlog.append(value.asnumpy())\nreturn value", "log = []\n"
    ),
    forward("math of a tensor", "out = net(x)\nreturn loss_fn(out, y) * math.exp(out.mean())"),
    forward("max of a tensor and a number", "return max(loss_fn(net(x), y), 0.1)"),
    forward("count, at least one", "return loss_fn(net(x), y) / max(int((y > 0).sum()), 1)"),
    forward("list at a tensor", "rates = [0.1, 0.2]\nreturn loss_fn(net(x), y) * rates[y.max() % 2]"),
    forward("loss or a number", "value = loss_fn(net(x), y)\nreturn value if value.mean() < 9 else 0.0"),
    forward("result or None", "value = loss_fn(net(x), y)\nif value.mean() > 9:\n    return None\nreturn value"),
    forward("random number of Python", "return loss_fn(net(x), y) * random.random()"),
    forward("random number of NumPy", "return loss_fn(net(x), y) * np.random.rand()"),
    program(
        "random number in a lambda",
        OPTIMIZER,
        "forward = lambda x, y: loss_fn(net(x), y) * random.random()\n",
        LOOP.replace("HOOK", "pass"),
    ),
    forward("random choice", "if random.random() > 0.5:\n    return loss_fn(net(x), y)\nreturn loss_fn(net(x), y) * 2"),
    # changed by Python between steps
    cell("attribute changed", "return self.dense(x) * self.alpha", "self.alpha = 1.0", "net.alpha = float(step)"),
    cell(
        "flag changed once",
        "if self.warm:\n    return self.dense(x) * 2\nreturn self.dense(x)",
        "self.warm = True",
        "if epoch == 2:\n                net.warm = False",
    ),
    cell(
        "attribute with a Tensor changed",
        "return self.dense(x) * self.a",
        "self.a = Tensor(1.0)",
        "net.a = Tensor(2.0 * step)",
    ),
    forward("global changed", "return loss_fn(net(x), y) * scale", "scale = 1.0\n", "scale = scale * 0.9"),
    forward("loop variable read", "return loss_fn(net(x), y) * (epoch + 1)"),
    forward(
        "object changed",
        "return loss_fn(net(x), y) * config.scale",
        "class Config:\n    scale = 1.0\n\n\nconfig = Config()\n",
        "config.scale = step * 0.1",
    ),
    forward(
        "entry of a dict changed",
        'return loss_fn(net(x), y) * state["s"]',
        'state = {"s": 1.0}\n',
        'state["s"] = step * 0.1',
    ),
    cell(
        "weights frozen later",
        "return self.dense(x)",
        hook="for p in net.get_parameters():\n                p.requires_grad = step < 2",
    ),
    *(
        forward(
            f"data of weights of {rows}",
            "return loss_fn(net(x), y)",
            hook=f"for p in net.{rows}():\n                p.set_data(p * 0.9)",
        )
        for rows in ("get_parameters", "trainable_params", "untrainable_params")
    ),
    *(
        cell(f"{name} between steps", "return self.dense(x)", hook=store)
        for name, store in (
            ("weights that are replaced", "for p in net.trainable_params():\n                p[...] = p * 0.9"),
            ("a weight that is replaced", "net.dense.weight[...] = net.dense.weight * 0.9"),
            ("a weight that is given", "net.dense.weight = net.dense.weight * 0.9"),
            ("a weight that is multiplied", "net.dense.weight *= 0.9"),
        )
    ),
    forward(
        "learning rate by set_data", "return loss_fn(net(x), y)", hook="opt.learning_rate.set_data(Tensor(0.1 * step))"
    ),
    program(
        "argument that counts",
        OPTIMIZER,
        "\n\ndef forward(x, y, k):\n    return loss_fn(net(x), y) * (k + 1)\n\n\n",
        """
        grad_fn = ms.value_and_grad(forward, None, opt.parameters)
        for step, (x, y) in enumerate(dataset.create_tuple_iterator()):
            value, grads = grad_fn(x, y, step)
            opt(grads)
        """,
    ),
    *(
        program(
            f"argument that counts: {name}",
            OPTIMIZER,
            "\n\ndef forward(x, y, k):\n    return loss_fn(net(x), y) * (k + 1)\n\n\n",
            "from tqdm import tqdm\n\nx, y = next(dataset.create_tuple_iterator())\n",
            f"grad_fn = ms.value_and_grad(forward, None, opt.parameters)\nfor i in {loop}:\n    t = i / 100\n"
            f"    value, grads = grad_fn(x, y, {given})\n    opt(grads)\n",
        )
        for name, loop, given in (("behind a bar", "tqdm(range(100))", "i"), ("worked out", "range(100)", "t"))
    ),
    # the same by calls
    *(
        cell(f"attribute changed by {hook}", "return self.dense(x) * self.alpha", "self.alpha = 1.0", hook)
        for hook in (
            'setattr(net, "alpha", step * 0.1)',
            'for name in ("alpha", "beta"):\n                setattr(net, name, step * 0.1)',
            "vars(net).update(alpha=step * 0.1)",
            'net.__dict__.update({"alpha": step * 0.1})',
            'vars(net)["alpha"] = step * 0.1',
            'net.__dict__["alpha"] += 0.1',
        )
    ),
    *(
        forward(f"global changed by {hook}", "return loss_fn(net(x), y) * scale", "scale = 1.0\n", hook)
        for hook in (
            "globals().update(scale=step * 0.1)",
            'globals().update({"scale": step * 0.1})',
            'globals()["scale"] = step * 0.1',
        )
    ),
    *(
        forward(f"dict changed by {hook}", 'return loss_fn(net(x), y) * state["s"]', 'state = {"s": 1.0}\n', hook)
        for hook in (
            "state.update(s=step * 0.1)",
            'state.update({"s": step * 0.1})',
            'state.update(**{"s": step * 0.1})',
            "state.update(dict(s=step * 0.1))",
        )
    ),
    *(
        forward(f"slices: {hook}", "return loss_fn(net(x), y)", hook=hook)
        for hook in (
            "x, y = x[: step + 1], y[: step + 1]",
            "x = x[:, : int(y.max())]",
            "n = random.randint(1, 32)\n            x, y = x[:n], y[:n]",
            "y = ops.ones((4, step + 1))",
            "n = x.max().item()\n            y = ops.zeros(size=(ops.shape(x)[0], n), dtype=ms.int32)",
            "y = Tensor(np.zeros((4, random.randint(1, 8))))",
        )
    ),
    *(
        forward(f"rows of an episode: {rows}, {loop}", "return loss_fn(net(x), y)", hook=hook)
        for rows in ("np.array(rows)", "np.stack(list(rows))")
        for loop in ("while loss_fn", "while True", "for _ in range(100)")
        for hook in (EPISODE.format(loop=loop, over="loss_fn", rows=rows),)
    ),
    forward(
        "slices under other names",
        "return loss_fn(net(x), y)",
        "from random import randint as drawn\nfrom mindspore import Tensor as Row\nfrom numpy import zeros as empty\n",
        "y = Row(empty((4, drawn(1, 8))))",
    ),
    sliced("slices by a long range", "range(100)", ": i + 1"),
    *(
        cell(f"items changed by {hook}", "return self.dense(x) * self.held[0]", "self.held = [1.0, 2.0]", hook)
        for hook in (
            "net.held[0] = step * 0.1",
            "net.held[step % 2] = step * 0.1",
            "net.held.insert(0, step * 0.1)",
            "net.held.reverse()",
            "net.held.clear()\n            net.held.append(step * 0.1)",
        )
    ),
    # written by compiled code
    cell(
        "attribute read by Python",
        "y = self.dense(x)\nself.last = (y * y).sum()\nreturn y",
        "self.last = None",
        after="print(net.last)\n",
    ),
    cell(
        "list filled for Python",
        "y = self.dense(x)\nself.log.append(y)\nreturn y",
        "self.log = []",
        after="print(len(net.log))\n",
    ),
    *(
        cell(
            f"tensor filled for Python, {name}", f"y = self.dense(x)\n{fills}\nreturn y", init, after="print(net.log)\n"
        )
        for name, fills, init in (
            ("entry", "self.log[0] = y.sum()", "self.log = ops.zeros((2,), ms.float32)"),
            ("added", "self.log[0, -1] += y.sum()", "self.log = Tensor(np.zeros((1, 2)), ms.float32)"),
            ("made by a primitive", "self.log[0] += y.sum()", "self.log = ops.Zeros()((2,), ms.float32)"),
        )
    ),
    forward(
        "list of the script filled",
        "value = loss_fn(net(x), y)\nlog.append(value)\nreturn value",
        "log = []\n",
        after="print(len(log))\n",
    ),
    forward(
        "dict of the script filled",
        'value = loss_fn(net(x), y)\nlog["loss"] = value\nreturn value',
        "log = {}\n",
        after="print(log)\n",
    ),
    cell("count as a factor", "self.n += 1\nreturn self.dense(x) * (1.0 / self.n)", "self.n = 0"),
    cell("one more than a count as a divisor", "self.n += 1\nreturn self.dense(x) / (self.n + 1)", "self.n = 0"),
    cell("hook that is a lambda", "h = self.dense(x)\nh.register_hook(lambda g: g * 2)\nreturn h"),
    # lambdas, shapes
    program(
        "lambda in the call",
        OPTIMIZER,
        """
        grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, opt.parameters)
        for x, y in dataset.create_tuple_iterator():
            value, grads = grad_fn(x, y)
            opt(grads)
        """,
    ),
    program(
        "buckets of lengths",
        'dataset = dataset.bucket_batch_by_length(["x"], [8, 16], [4, 4, 4])\n',
        OPTIMIZER,
        PLAIN,
        LOOP.replace("HOOK", "pass"),
    ),
    # names of Parameters
    holding("a network beside one that a cell holds without a prefix", "self.net(x) + other(x)", "auto_prefix=False"),
    holding(
        "networks of which a cell holds one without a prefix", "y", "auto_prefix=False", "loss_fn(net(x) + other(x), y)"
    ),
    holding("two networks in a construct", "other(x) + again(x)", start=OTHER.replace("other", "again")),
    forward(
        "two networks of one class",
        "return loss_fn(net(x), y) + ((net(x) - ops.stop_gradient(other(x))) ** 2).mean()",
        "other = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 4))\n",
    ),
    forward(
        "a network and its copy",
        "return loss_fn(net(x), y) + ((net(x) - ops.stop_gradient(other(x))) ** 2).mean()",
        "import copy\n\nother = copy.deepcopy(net)\n",
    ),
    *(
        forward(
            f"a network and its copy {name}",
            f"return loss_fn(net(x), y) + ((net(x) - ops.stop_gradient({other}(x))) ** 2).mean()",
            f"import copy\n\n{made}\n",
        )
        for name, other, made in (
            ("from a function", "other", "def twin(net):\n    return copy.deepcopy(net)\n\nother = twin(net)"),
            ("under a second name", "other", "made = copy.deepcopy(net)\nother = made"),
            ("from a lambda", "other", "twin = lambda each: copy.deepcopy(each)\nother = twin(net)"),
            (
                "in an attribute",
                "agent.other",
                "class Agent:\n    def __init__(self, net):\n        self.other = copy.deepcopy(net)\n\n"
                "agent = Agent(net)",
            ),
            ("in a dict", 'nets["other"]', 'nets = {"other": copy.deepcopy(net)}'),
            ("in a list", "nets[0]", "nets = [copy.deepcopy(net)]"),
            ("by a condition", "other", "import os\n\nother = copy.deepcopy(net) if os.environ.get('X') else net"),
        )
    ),
    forward(
        "two embeddings of the script",
        "return loss_fn(net(first(x).mean(1) + last(x).mean(1)), y)",
        "first = nn.Embedding(8, 8)\nlast = nn.Embedding(8, 8)\n",
    ),
    forward(
        "statistics that optimizers do not rename",
        "return loss_fn(last(first(x)), y)",
        "first, last = nn.BatchNorm1d(8, affine=False), nn.BatchNorm1d(8, affine=False)\n"
        'opt_all = nn.SGD(net.trainable_params(), 0.1)\nopt_all.update_parameters_name("opt")\n',
    ),
    *(
        forward(
            f"networks side by side: {name}",
            "return loss_fn(net(head(x)), y)",
            f"head = nn.SequentialCell(nn.Dense(8, 8))\n{text}\n",
        )
        for name, text in (
            ("all get one name", 'for p in head.get_parameters():\n    p.name = "weight"'),
            ("another object has a name", 'class Log:\n    pass\n\n\nlog = Log()\nlog.name = "a" + str(len("b"))'),
            ("the names are read", 'for p in head.get_parameters():\n    print("head." + p.name)'),
        )
    ),
    forward(
        "two layers of the script",
        "return loss_fn(last(first(x)), y)",
        "first = nn.Dense(8, 8)\nlast = nn.Dense(8, 4)\n",
    ),
    # keywords of a gradient function
    *(
        program(
            f"keywords: {name}", OPTIMIZER, PLAIN, "grad_fn = ms.value_and_grad(forward, None, opt.parameters)\n", text
        )
        for name, text in (
            ("by name", "for x, y in dataset.create_tuple_iterator():\n    opt(grad_fn(x, y=y)[1])\n"),
            ("unpacked", 'for x, y in dataset.create_tuple_iterator():\n    opt(grad_fn(**{"x": x, "y": y})[1])\n'),
            ("a batch", "for batch in dataset.create_dict_iterator():\n    opt(grad_fn(**batch)[1])\n"),
            (
                "handed on by the step",
                """


                def train_step(**batch):
                    value, grads = grad_fn(**batch)
                    opt(grads)


                for batch in dataset.create_dict_iterator():
                    train_step(**batch)
                """,
            ),
            (
                "handed on by the step, by name",
                """


                def train_step(x, **rest):
                    value, grads = grad_fn(x, **rest)
                    opt(grads)


                for x, y in dataset.create_tuple_iterator():
                    train_step(x, y=y)
                """,
            ),
        )
    ),
    # containers of tensors as arguments
    *(
        program(f"container of tensors: {name}", OPTIMIZER, PAIR, text)
        for name, text in (
            (
                "made in the first step of each epoch",
                """
                for epoch in range(100):
                    for step, (x, y) in enumerate(dataset.create_tuple_iterator()):
                        if step == 0:
                            pair = (x, x * 2)
                        value, grads = grad_fn(pair, y)
                        opt(grads)
                """,
            ),
            (
                "list",
                """
                for x, y in dataset.create_tuple_iterator():
                    value, grads = grad_fn([x, x], y)
                    opt(grads)
                """,
            ),
            (
                "tuple with a name",
                """
                for x, y in dataset.create_tuple_iterator():
                    pair = (x, x * 2)
                    value, grads = grad_fn(pair, y)
                    opt(grads)
                """,
            ),
            (
                "handed on by the step",
                """


                def train_step(pair, y):
                    value, grads = grad_fn(pair, y)
                    opt(grads)
                    return value


                for batch in dataset.create_dict_iterator():
                    train_step((batch["x"], batch["z"]), batch["y"])
                """,
            ),
            (
                "dict of a function that the files do not show",
                """


                def by_key(batch):
                    return loss_fn(net(batch["x"]), batch["y"])


                grad_fn = ms.value_and_grad(by_key, None, opt.parameters)
                for batch in load(dataset):
                    value, grads = grad_fn(batch)
                    opt(grads)
                """,
            ),
            (
                "keyword",
                """
                for x, y in dataset.create_tuple_iterator():
                    value, grads = grad_fn(pair={0: x, 1: x}, y=y)
                    opt(grads)
                """,
            ),
            (
                "slices, handed on by the step",
                """


                def train_step(pair, y):
                    value, grads = grad_fn(pair, y)
                    opt(grads)
                    return value


                for batch in dataset.create_tuple_iterator():
                    pair, rest = batch[:2], batch[2]
                    train_step(pair, rest)
                """,
            ),
            (
                "list of a batch, handed on by the step",
                """


                def train_step(pair, y):
                    value, grads = grad_fn(pair, y)
                    opt(grads)
                    return value


                for batch in dataset.create_tuple_iterator():
                    train_step(list(batch), 1)
                """,
            ),
            (
                "whole batch",
                """
                for step, batch in enumerate(dataset.create_dict_iterator()):
                    value, grads = grad_fn(batch, 1)
                    opt(grads)
                """,
            ),
            (
                "numbers of a batch",
                """
                for x, y in dataset.create_tuple_iterator():
                    pair = x.asnumpy().tolist()
                    value, grads = grad_fn(pair, y)
                    opt(grads)
                """,
            ),
            (
                "added in each step",
                """
                for x, y in dataset.create_tuple_iterator():
                    pair = []
                    for factor in (1, 2):
                        pair.append(x * factor)
                    value, grads = grad_fn(pair, y)
                    opt(grads)
                """,
            ),
            (
                "numbers of a batch, given to the step",
                """


                def train_step(x, y):
                    value, grads = grad_fn(x.tolist(), y)
                    opt(grads)


                for x, y in dataset.create_tuple_iterator():
                    train_step(x, y)
                """,
            ),
            (
                "in one arm of two",
                """
                for epoch in range(3):
                    for x, y in dataset.create_tuple_iterator():
                        pair = (x, x) if epoch else [x, x * 2]
                        value, grads = grad_fn(pair, y)
                        opt(grads)
                """,
            ),
            (
                "for each epoch and for each step",
                """
                for epoch in range(3):
                    pair = (ops.zeros((4, 8)), ops.zeros((4, 8)))
                    for x, y in dataset.create_tuple_iterator():
                        value, grads = grad_fn(pair, y)
                        opt(grads)
                        pair = (x, x)
                """,
            ),
            (
                "in a step of an outer loop",
                """
                for x, y in dataset.create_tuple_iterator():
                    pair = (x, x)
                    for i in range(5):
                        value, grads = grad_fn(pair, y)
                        opt(grads)
                    value, grads = grad_fn(pair, y)
                    opt(grads)
                """,
            ),
            (
                "in a loop of each step",
                """
                for x, y in dataset.create_tuple_iterator():
                    for i in range(5):
                        pair = (x, x)
                    value, grads = grad_fn(pair, y)
                    opt(grads)
                """,
            ),
        )
    ),
    program(
        "container of tensors: given to a train cell",
        OPTIMIZER,
        """


        class Loss(nn.Cell):
            def __init__(self, net):
                super().__init__()
                self.net = net

            def construct(self, xs, y):
                return loss_fn(self.net(xs[0] + xs[1]), y)


        cell = nn.TrainOneStepCell(Loss(net), opt)
        for x, y in dataset.create_tuple_iterator():
            cell([x, x], y)
        """,
    ),
    # made in every step, where it cannot be moved
    program(
        "gradient function of a function that is made in the loop",
        OPTIMIZER,
        """
        for x, y in dataset.create_tuple_iterator():
            def forward(x, y):
                return loss_fn(net(x), y)
            grad_fn = ms.value_and_grad(forward, None, opt.parameters)
            value, grads = grad_fn(x, y)
            opt(grads)
        """,
    ),
    program(
        "gradient function that depends on the pass",
        OPTIMIZER,
        PLAIN,
        """
        for x, y in dataset.create_tuple_iterator():
            weights = net.trainable_params()
            grad_fn = ms.value_and_grad(forward, None, weights)
            value, grads = grad_fn(x, y)
            opt(grads)
        """,
    ),
    program(
        "gradient function called where it is made",
        OPTIMIZER,
        PLAIN,
        """
        for x, y in dataset.create_tuple_iterator():
            value, grads = ms.value_and_grad(forward, None, opt.parameters)(x, y)
            opt(grads)
        """,
    ),
]

ATTACK = """
eye = ops.eye(8, 8, ms.float32)


class Attack(nn.Cell):
    def __init__(self, network):
        super().__init__()
        self.network = network
        self.gradient = ops.GradOperation()

    def construct(self, x):
        return self.gradient(self.network)(x)


attack = Attack(net)
"""

READY = [
    forward(
        "gradient by inputs beside the steps",
        "return loss_fn(net(ops.matmul(x, eye)), y)",
        ATTACK,
        "x = x + 0.1 * attack(x)",
    ),
    *(
        forward(f"a sum on {loss}", "loss = ce(net(x), y)\nloss += 0.1\nreturn loss", f"ce = {loss}\n")
        for loss in (
            *("nn.MSELoss()", "nn.CrossEntropyLoss()", "nn.BCEWithLogitsLoss()"),
            *("nn.SoftmaxCrossEntropyWithLogits(sparse=True)", "nn.SoftmaxCrossEntropyWithLogits(reduction='mean')"),
        )
    ),
    cell(
        "attribute set by a call before the steps",
        "return self.dense(x) * self.alpha",
        "self.alpha = 1.0",
        'setattr(net, "beta", step * 0.1)',
    ),
    forward(
        "global set by a call that compiled code does not read",
        "return loss_fn(net(x), y) * scale",
        "scale = 1.0\n",
        "globals().update(other=step * 0.1)",
    ),
    forward(
        "dict set by a call before the steps",
        'return loss_fn(net(x), y) * state["s"]',
        'state = {"s": 1.0}\nstate.update(s=2.0)\n',
        "state.update(t=step * 0.1)",
    ),
    forward(
        "another dict",
        'return loss_fn(net(x), y) * state["s"]',
        'state = {"s": 1.0}\nlog = {"s": 1.0}\n',
        "log.update(s=step * 0.1)",
    ),
    *(
        forward(f"slices of one length: {hook}", "return loss_fn(net(x), y)", hook=hook)
        for hook in (
            "x, y = x[:16], y[:16]",
            "n = x.shape[0] // 2\n            x, y = x[:n], y[:n]",
            "y = ops.zeros((x.shape[0], 4))",
            "y = Tensor(np.ones((len(x), 4)))",
            EPISODE.format(loop="while True", over="len(rows) == 4", rows="rows"),
            EPISODE.format(loop="while len(rows) < 4", over="loss_fn", rows="rows"),
            EPISODE.format(loop="for i in range(4)", over="i > 4", rows="rows"),
            EPISODE.format(loop="while True", over="loss_fn", rows="np.resize(rows, (4, 4))"),
        )
    ),
    sliced("window", "range(100)", "i : i + 4"),
    sliced("a few slices", "range(3)", ": i + 1"),
    forward("nothing", "return loss_fn(net(x), y)"),
    forward("item in a test", "value = loss_fn(net(x), y)\nif value.item() > 1.4:\n    return value * 2\nreturn value"),
    forward("item as a factor", "value = loss_fn(net(x), y)\nreturn value * value.item()"),
    forward("float of a tensor", "value = loss_fn(net(x), y)\nreturn value * float(value)"),
    cell("int of a sum", "return self.dense(x) * int((x > 0).sum())"),
    cell("print", "y = self.dense(x)\nprint(y.shape, y.sum())\nreturn y"),
    cell("asnumpy printed", 'y = self.dense(x)\nprint(f"{y.sum().asnumpy()}")\nreturn y'),
    cell("asnumpy tested", "y = self.dense(x)\nif y.sum().asnumpy() > 0:\n    return y * 2\nreturn y"),
    cell(
        "asnumpy in a name that is tested",
        "y = self.dense(x)\ns = y.sum().asnumpy()\nif s > 0:\n    return y * 2\nreturn y",
    ),
    cell("assert on a shape", "assert x.shape[0] > 1\nreturn self.dense(x)"),
    cell("raise", 'if x.shape[0] == 1:\n    raise ValueError("batch")\nreturn self.dense(x)'),
    cell("count", "self.n += 1\nreturn self.dense(x)", "self.n = 0", after="print(net.n)\n"),
    cell(
        "one more than a count in a test",
        "self.n += 1\nif self.n + 1 > 3:\n    x = x * 2\nreturn self.dense(x)",
        "self.n = 0",
    ),
    forward(
        "hook with a name",
        "h = net(x)\nh.register_hook(double)\nreturn loss_fn(h, y)",
        "def double(g):\n    return g * 2\n",
    ),
    cell(
        "count in a test",
        "self.n += 1\nif self.n % 2 == 0:\n    return self.dense(x) * 2\nreturn self.dense(x)",
        "self.n = 0",
    ),
    cell(
        "Parameter added to",
        "self.m += x.mean(0)\nreturn self.dense(x)",
        "self.m = Parameter(ops.zeros(8))",
        after="print(net.m)\n",
    ),
    cell(
        "Parameter assigned",
        "self.m = x.mean(0)\nreturn self.dense(x)",
        "self.m = Parameter(ops.zeros(8))",
        after="print(net.m)\n",
    ),
    cell(
        "Parameter by ops.assign",
        "ops.assign(self.m, x.mean(0))\nreturn self.dense(x)",
        "self.m = Parameter(ops.zeros(8))",
    ),
    cell("element of a Parameter", "self.m[0] = x.mean()\nreturn self.dense(x)", "self.m = Parameter(ops.zeros(8))"),
    cell(
        "Parameter that Python changes",
        "return self.dense(x) * self.alpha",
        "self.alpha = Parameter(Tensor(1.0), requires_grad=False)",
        "ops.assign(net.alpha, Tensor(1.0 * step))",
    ),
    cell("attribute set before the steps", "return self.dense(x) * self.alpha", "self.alpha = 1.0"),
    cell("attribute that only Python uses", "return self.dense(x)", "self.epoch = 0", "net.epoch = epoch"),
    cell("attribute that Python does not read", "y = self.dense(x)\nself.last = y\nreturn y", "self.last = None"),
    cell(
        "list that is assigned",
        "y = self.dense(x)\nself.parts = [y]\nreturn y",
        "self.parts = None",
        after="print(net.parts)\n",
    ),
    cell("local list", "parts = []\nfor i in range(3):\n    parts.append(self.dense(x) * i)\nreturn sum(parts)"),
    forward(
        "tuple in a while over a number",
        "parts = ()\ni = 0\nwhile i < 3:\n    parts += (net(x) * i,)\n    i += 1\nreturn loss_fn(sum(parts), y)",
    ),
    forward(
        "dict in a while over a tensor",
        "d = {'a': x}\ni = x.sum() * 0\nwhile i < 3:\n    d.update({'a': x * 2})\n    i = i + 1\n"
        "return loss_fn(net(d['a']), y)",
    ),
    forward(
        "list in a while over a number",
        "parts = []\ni = 0\nwhile i < 3:\n    parts.append(net(x) * i)\n    i += 1\nreturn loss_fn(sum(parts), y)",
    ),
    forward(
        "while over a tensor",
        "out = net(x)\ni = x.sum() * 0\nwhile i < 3:\n    out = out * 1.1\n    i = i + 1\nreturn loss_fn(out, y)",
    ),
    forward("global that is read", "global scale\nreturn loss_fn(net(x), y) * scale", "scale = 2.0\n"),
    forward(
        "variable of a comprehension, with the name of one of the loop",
        "return sum([loss_fn(net(x) * step, y) for step in range(3)])",
    ),
    program(
        "argument with a few values",
        OPTIMIZER,
        "\n\ndef forward(x, y, k):\n    return loss_fn(net(x), y) * (k + 1)\n\n\n",
        """
        grad_fn = ms.value_and_grad(forward, None, opt.parameters)
        for x, y in dataset.create_tuple_iterator():
            for part in range(3):
                value, grads = grad_fn(x, y, part)
                opt(grads)
        """,
    ),
    forward("NumPy of a shape", "return loss_fn(net(x) / np.sqrt(x.shape[1]), y)"),
    forward("list of a shape", "return loss_fn(net(x), y) * np.sum(np.stack([x.shape[0], 4]))"),
    forward("mean of a shape", "return loss_fn(net(x), y) * np.mean(x.shape)"),
    forward("norm of a shape", "return loss_fn(net(x), y) / np.linalg.norm(x.shape)"),
    forward("NumPy on NumPy", "return loss_fn(net(x), y) * np.max(np.concatenate([x.shape, (4,)]))"),
    forward("NumPy of constants", "return loss_fn(net(x) * Tensor(np.array([1.0, 2.0, 3.0, 4.0], np.float32)), y)"),
    forward("number of NumPy", "return loss_fn(net(x), y) * np.pi"),
    forward("math of a shape", "return loss_fn(net(x) / math.sqrt(x.shape[1]), y)"),
    *(
        program(
            f"filter of {made.partition('(')[0]}",
            OPTIMIZER,
            f"step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), {made})\n",
            "for x, y in dataset.create_tuple_iterator():\n    step(x, y)\n",
        )
        for made in (  # Python calls it, when the optimizer is made
            'nn.LARS(opt, lars_filter=lambda each: "bias" not in each.name)',
            'nn.thor(net, Tensor(0.1), Tensor(0.1), 0.9, decay_filter=lambda each: "bias" not in each.name)',
        )
    ),
    program(
        "tensor worked out from what counts",
        OPTIMIZER,
        PLAIN,
        """
        first, y = next(dataset.create_tuple_iterator())
        grad_fn = ms.value_and_grad(forward, None, opt.parameters)
        for i in range(100):
            x = first * i
            value, grads = grad_fn(x, y)
            opt(grads)
        """,
    ),
    forward("generator expression", "return loss_fn(net(x), y) + sum((net(x) * i).mean() for i in range(3))"),
    forward("dict comprehension", "parts = {k: net(x) * k for k in (1, 2)}\nreturn loss_fn(parts[1], y)"),
    forward("lambda inside", "double = lambda t: t * 2\nreturn loss_fn(double(net(x)), y)"),
    forward(
        "gradient inside", "g = ops.grad(lambda t: (net(t) ** 2).mean())(x)\nreturn loss_fn(net(x), y) + (g**2).mean()"
    ),
    forward("loss made inside", "return nn.CrossEntropyLoss()(net(x), y)"),
    forward("list of the script that stays as it is", "return loss_fn(cells[0](x), y)", "cells = [net]\n"),
    forward("name of Python's that is read nowhere else", "return loss_fn(net(x), y)", hook="print(step)"),
    forward(
        "try around nothing compiled",
        "return loss_fn(net(x), y)",
        "try:\n    import wandb\nexcept ImportError:\n    wandb = None\n",
    ),
    forward("mode of training set for each epoch", "return loss_fn(net(x), y)", hook="net.set_train()"),
    forward(
        "Python reads what the loss gives",
        "return loss_fn(net(x), y)",
        "log = []\n",
        after="log.append(value.asnumpy())\n",
    ),
    program(
        "a function that is not compiled",
        """


        def save(log):
            with open("log.txt", "w") as file:
                file.write(str([value.asnumpy() for value in log]))


        """,
        OPTIMIZER,
        PLAIN,
        LOOP.replace("HOOK", "save([x])"),
    ),
    program(
        "lambda with a name",
        OPTIMIZER,
        "forward = lambda x, y: loss_fn(net(x), y)\n",
        LOOP.replace("HOOK", "pass"),
    ),
    program(
        "gradient function made for each epoch",
        OPTIMIZER,
        PLAIN,
        """
        for epoch in range(3):
            grad_fn = ms.value_and_grad(forward, None, opt.parameters)
            for x, y in dataset.create_tuple_iterator():
                value, grads = grad_fn(x, y)
                opt(grads)
        """,
    ),
    program(
        "GradOperation made once",
        OPTIMIZER,
        """
        take = ops.GradOperation(get_by_list=True)
        cell = nn.WithLossCell(net, loss_fn)
        for x, y in dataset.create_tuple_iterator():
            grads = take(cell, opt.parameters)(x, y)
            opt(grads)
        """,
    ),
    program(
        "cell of a library",
        OPTIMIZER,
        """
        model = ms.Model(net, loss_fn, opt)
        model.train(10, dataset, dataset_sink_mode=True)
        """,
    ),
    forward(
        "weights loaded where no network is given",
        "return loss_fn(net(x), y)",
        "class Other(nn.Cell):\n    pass\n\n\ndef evaluate(model=None):\n    if model is None:\n"
        '        model = Other()\n        ms.load_param_into_net(model, ms.load_checkpoint("n.ckpt"))\n'
        "    model.set_train(False)\n\n\nother = Other()\n",
        "evaluate(other)",
    ),
    forward(
        "networks with other names",
        "return loss_fn(net(head(x)), y)",
        "head = nn.SequentialCell(nn.ReLU(), nn.Dense(8, 8))\n",
    ),
    forward(
        "networks in a cell",
        "return loss_fn(both(x), y)",
        "head = nn.SequentialCell(nn.Dense(8, 8))\nboth = nn.SequentialCell(head, net)\n",
    ),
    *(
        forward(
            f"networks with other names: {name}",
            "return loss_fn(net(head(x)), y)",
            f"head = nn.SequentialCell(nn.Dense(8, 8))\n{loop}\n",
        )
        for name, loop in (
            ("put in front", 'for p in head.get_parameters():\n    p.name = "head." + p.name'),
            ("of the trained", 'for p in head.trainable_params():\n    p.name = f"head.{p.name}"'),
            ("by the name", 'for n, p in head.parameters_and_names():\n    p.name = "head." + n'),
            ("numbered", 'for i, p in enumerate(head.get_parameters()):\n    p.name = f"head{i}"'),
        )
    ),
    forward(
        "networks that a cell is given too",
        "return loss_fn(net(head(x)), y)",
        "head = nn.SequentialCell(nn.Dense(8, 8))\nboth = nn.SequentialCell([head, net])\n",
    ),
    holding("a network beside one that a cell holds", "self.net(x) + other(x)"),
    *(
        holding(f"layers of two rows, {name}", "rows(x)", start=ROWS.replace("MADE", made))
        for name, made in (
            ("lists", "self.a = down(); self.b = up(); self.rows = [self.a]; self.last = [self.b]"),
            (
                "lists that are added to",
                "self.a = down(); self.b = up(); self.last.extend([self.b]); self.rows = [self.a]",
            ),
            ("of cells", "self.rows = nn.CellList([down()]); self.last = nn.CellList([up()])"),
            ("in rows", "self.rows = nn.CellList([nn.SequentialCell(down())]); self.last = nn.SequentialCell([up()])"),
            ("that are added to", "self.rows = nn.CellList([]); self.rows.append(down()); self.last = [up()]"),
        )
    ),
    holding("one network that a cell holds and calls from outside", "self.net(x) + net(x)", "auto_prefix=False"),
    forward(
        "networks with a prefix",
        "return loss_fn(net(head(x)), y)",
        'head = nn.SequentialCell(nn.Dense(8, 8))\nhead.update_parameters_name("head.")\n',
    ),
    *(
        program(f"no container of tensors: {name}", OPTIMIZER, PAIR, text)
        for name, text in (
            (
                "made in the first step",
                """
                for step, (x, y) in enumerate(dataset.create_tuple_iterator()):
                    if step == 0:
                        pair = (x, x * 2)
                    value, grads = grad_fn(pair, y)
                    opt(grads)
                """,
            ),
            (
                "batch that is unpacked",
                """
                for batch in dataset.create_tuple_iterator():
                    value, grads = grad_fn(*batch)
                    opt(grads)
                """,
            ),
            (
                "columns of a batch",
                """
                for batch in dataset.create_dict_iterator():
                    value, grads = grad_fn(batch["x"], batch["y"])
                    opt(grads)
                """,
            ),
            (
                "constants",
                """
                for x, y in dataset.create_tuple_iterator():
                    value, grads = grad_fn((0.5, 0.25), y)
                    opt(grads)
                """,
            ),
            (
                "numbers of an array",
                """
                pair = np.ones(2).tolist()
                for x, y in dataset.create_tuple_iterator():
                    value, grads = grad_fn(pair, y)
                    opt(grads)
                    print(y.asnumpy().tolist())
                """,
            ),
            (
                "tensor of the numbers of a batch",
                """
                for x, y in dataset.create_tuple_iterator():
                    pair = ms.Tensor(x.asnumpy().tolist())
                    value, grads = grad_fn(pair, y)
                    opt(grads)
                """,
            ),
            *(
                (
                    f"made for each epoch: {made}",
                    f"""
                    for epoch in range(3):
                        pair = {made}
                        for x, y in dataset.create_tuple_iterator():
                            value, grads = grad_fn(pair, y)
                            opt(grads)
                    """,
                )
                for made in (
                    "(ops.zeros((4, 8)), ops.zeros((4, 8)))",
                    "[ops.zeros((4, 8)), ops.zeros((4, 8))]",
                    "{0: ops.zeros((4, 8)), 1: ops.zeros((4, 8))}",
                    "tuple([ops.zeros((4, 8)), ops.zeros((4, 8))])",
                    "(first := ops.zeros((4, 8)), first + epoch)",
                )
            ),
            (
                "keywords of the step that no caller fills",
                """


                def train_step(pair, y, **rest):
                    value, grads = grad_fn(pair, y, **rest)
                    opt(grads)


                for x, y in dataset.create_tuple_iterator():
                    train_step(x, y)
                """,
            ),
            (
                "keywords of the step by their names",
                """


                def train_step(pair, y, **rest):
                    value, grads = grad_fn(pair, y, **rest)
                    opt(grads)


                for batch in dataset.create_tuple_iterator():
                    train_step(batch[0], y=batch[1])
                """,
            ),
            (
                "keywords of a step that takes them one by one",
                """


                def train_step(x, y):
                    value, grads = grad_fn(x, y)
                    opt(grads)


                for batch in dataset.create_dict_iterator():
                    train_step(**batch)
                """,
            ),
        )
    ),
    forward("no container of tensors: made in the function", "return loss_fn(net((x, x)[0]), y)"),
    # made in every step, and moved by the fix
    program(
        "gradient function made in the loop",
        OPTIMIZER,
        PLAIN,
        """
        for x, y in dataset.create_tuple_iterator():
            grad_fn = ms.value_and_grad(forward, None, opt.parameters)
            value, grads = grad_fn(x, y)
            opt(grads)
        """,
    ),
    program(
        "gradient function made in the step",
        OPTIMIZER,
        PLAIN,
        """
        def train_step(x, y):
            grad_fn = ms.value_and_grad(forward, None, opt.parameters)
            value, grads = grad_fn(x, y)
            opt(grads)
            return value


        for x, y in dataset.create_tuple_iterator():
            train_step(x, y)
        """,
    ),
    program(
        "train cell made in the loop",
        OPTIMIZER,
        """
        for epoch in range(3):
            for x, y in dataset.create_tuple_iterator():
                cell = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), opt)
                value = cell(x, y)
        """,
    ),
]


def _cases(programs: list[tuple[str, tuple[str, ...]]], safety: str) -> list[object]:
    return [case(name, join(*texts).replace("# !SAFETY", f"# ! {safety}")) for name, texts in programs]


@pytest.mark.parametrize("program", _cases(BLOCKED, "display-only"))
def test_an_obstacle_makes_the_fix_display_only(program: Program) -> None:
    expect(CODE, program)
    (finding,) = program.lint(CODE).findings
    assert finding.fix is not None and finding.fix.reason
    assert finding.fix.reason in {related.message for related in finding.related}


@pytest.mark.parametrize("program", _cases(READY, "unsafe"))
def test_what_graph_mode_runs_keeps_the_fix(program: Program) -> None:
    expect(CODE, program)
    settled = program.fix(CODE)
    assert settled.fixed and not settled.report.findings


def test_a_container_that_each_epoch_makes_is_compiled_again_for_it() -> None:
    epochs = """
        for epoch in range(3):
            pair = (ops.zeros((4, 8)), ops.zeros((4, 8)))
            for x, y in dataset.create_tuple_iterator():
                value, grads = grad_fn(pair, y)
                opt(grads)
        """
    _, texts = program("each epoch", OPTIMIZER, PAIR, epochs)
    (finding,) = Program({"train.py": join(*texts).replace("# !SAFETY", "")}).lint(CODE).findings
    assert finding.fix is not None
    assert finding.fix.reason == "each epoch compiles again, and results differ in the last digits"
    assert "made again in each epoch: graph mode compiles it each time" in [each.message for each in finding.related]


# --- the cause of the mode is what the fix changes

CAUSES = [
    ("option", 'parser.add_argument("--mode", type=int, default=1)', "mode=args.mode", "default=0"),
    (
        "name of the member",
        'parser.add_argument("--mode", default="PYNATIVE_MODE", choices=["GRAPH_MODE", "PYNATIVE_MODE"])',
        "mode=getattr(ms, args.mode)",
        'default="GRAPH_MODE"',
    ),
    (
        "name of the member, without choices",
        'parser.add_argument("--mode", default="PYNATIVE_MODE")',
        "mode=getattr(ms.context, args.mode)",
        'default="GRAPH_MODE"',
    ),
    (
        "ternary over a flag",
        'parser.add_argument("--eager", type=bool, default=True)',
        "mode=ms.PYNATIVE_MODE if args.eager else ms.GRAPH_MODE",
        "default=False",
    ),
    (
        "ternary over the other flag",
        'parser.add_argument("--graph", type=bool, default=False)',
        "mode=ms.GRAPH_MODE if args.graph else ms.PYNATIVE_MODE",
        "default=True",
    ),
    (
        "ternary over a word",
        'parser.add_argument("--mode", default="pynative", choices=["graph", "pynative"])',
        'mode=ms.PYNATIVE_MODE if args.mode == "pynative" else ms.GRAPH_MODE',
        'default="graph"',
    ),
    (
        "ternary over the other word",
        'parser.add_argument("--mode", default="dynamic")',
        'mode=ms.GRAPH_MODE if args.mode == "static" else ms.PYNATIVE_MODE',
        'default="static"',
    ),
]

MADE = "nn.SequentialCell(nn.Dense(8, 4))"
MODEL = """
    net = nn.SequentialCell(nn.Dense(8, 4))
    model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
    model.train(10, ds.MindDataset("train.mindrecord").batch(32), dataset_sink_mode=True)
    """


def _caused(option: str, setting: str) -> str:
    begin = "import argparse\n\nimport mindspore as ms\nfrom mindspore import dataset as ds, nn\n\n"
    return join(begin, f"parser = argparse.ArgumentParser()\n{option}\nargs = parser.parse_args()\n", setting, MODEL)


def _shown(program: Program) -> tuple[str, str]:
    """Return the safety of the only fix, and the lines that it changes, as they become."""
    (finding,) = program.lint(CODE).findings
    assert finding.fix is not None
    text = program.files["train.py"].encode()
    for edit in sorted(finding.fix.edits, reverse=True):
        text = text[: edit.start] + edit.text.encode() + text[edit.end :]
    before = program.files["train.py"].splitlines()
    return finding.fix.safety.value, "\n".join(line for line in text.decode().splitlines() if line not in before)


@pytest.mark.parametrize(
    ("option", "given", "changed"), [each[1:] for each in CAUSES], ids=[each[0] for each in CAUSES]
)
def test_the_cause_is_changed_and_only_shown(option: str, given: str, changed: str) -> None:
    program = Program({"train.py": _caused(option, f"ms.set_context({given})\n")})
    safety, line = _shown(program)
    assert safety == "display-only"
    assert line.startswith("parser.add_argument") and changed in line
    (finding,) = program.lint(CODE).findings
    assert [related.place.row for related in finding.related] == [7]
    assert "set_context" in program.files["train.py"].splitlines()[finding.place.row - 1]


def test_an_obstacle_is_the_reason_before_what_decides_the_mode() -> None:
    setting = 'parser.add_argument("--mode", type=int, default=1)'
    text = _caused(setting, "ms.set_context(mode=args.mode)\n")
    reasons = []
    construct = "    def construct(self, x):\n        import math\n        return x * math.pi\n"
    odd = f"\n\nclass Odd(nn.Dense):\n{construct}\n\n"
    for made in (MADE, "Odd(8, 4)"):
        program = Program({"train.py": text.replace("parser =", odd + "parser =").replace(MADE, made)})
        (finding,) = program.lint(CODE).findings
        assert finding.fix is not None and finding.fix.safety.value == "display-only"
        reasons.append(finding.fix.reason)
    assert reasons[0] == "another line, an option, a config file or a launcher decides the value"
    assert reasons[1] != reasons[0] and reasons[1] in {related.message for related in finding.related}


@pytest.mark.parametrize("equal", [True, False])
def test_an_arm_that_an_option_selects_is_left_alone(equal: bool) -> None:
    eager, graph = "ms.set_context(mode=ms.PYNATIVE_MODE)", "ms.set_context(mode=ms.GRAPH_MODE)"
    first, second, word = (eager, graph, "pynative") if equal else (graph, eager, "graph")
    arms = f'if args.mode == "{word}":\n    {first}\nelse:\n    {second}\n'
    program = Program({"train.py": _caused('parser.add_argument("--mode", default="pynative")', arms)})
    assert _shown(program) == ("display-only", 'parser.add_argument("--mode", default="graph")')


def test_what_else_the_option_of_the_mode_decides_is_named() -> None:
    arms = "if args.graph:\n    ms.set_context(mode=0)\nelse:\n    ms.set_context(mode=1)\n"
    other = "if args.graph:\n    print(1)\nif args.verbose:\n    print(2)\n"
    program = Program({"train.py": _caused('parser.add_argument("--graph", action="store_true")', arms + other)})
    (finding,) = program.lint(CODE).findings
    rows = [each.place.row for each in finding.related if "decides this too" in str(each.message)]
    assert [program.files["train.py"].splitlines()[row - 1] for row in rows] == ["if args.graph:"]


def test_an_arm_of_another_device_is_changed() -> None:
    graph, eager = (f"    ms.set_context(mode=ms.{mode}_MODE)\n" for mode in ("GRAPH", "PYNATIVE"))
    arms = f'if args.device == "GPU":\n{graph}else:\n{eager}'
    program = Program({"train.py": _caused('parser.add_argument("--device", default="Ascend")', arms)})
    (finding,) = program.lint(CODE).findings
    assert finding.fix is not None
    assert (finding.fix.safety.value, [edit.text for edit in finding.fix.edits]) == ("unsafe", ["ms.GRAPH_MODE"])


def test_a_launcher_is_where_the_mode_is_changed() -> None:
    text = _caused('parser.add_argument("--mode", type=int, default=0)', "ms.set_context(mode=args.mode)\n")
    program = Program({"train.py": text, "run.sh": "python train.py --mode 1\n"})
    (finding,) = program.lint(CODE).findings
    assert finding.fix is not None
    assert finding.fix.safety.value == "display-only"
    assert [(edit.path.endswith("run.sh"), edit.text) for edit in finding.fix.edits] == [(True, "0")]


def test_what_is_made_anew_in_another_file_is_moved_there() -> None:
    step = """
        import mindspore as ms


        def train(net, loss_fn, opt, dataset):
            def forward(x, y):
                return loss_fn(net(x), y)

            for x, y in dataset:
                grad_fn = ms.value_and_grad(forward, None, opt.parameters)
                value, grads = grad_fn(x, y)
                opt(grads)
        """
    entry = """
        import mindspore as ms
        from mindspore import dataset as ds, nn

        from step import train

        ms.set_context(mode=ms.PYNATIVE_MODE)
        net = nn.SequentialCell(nn.Dense(8, 4))
        opt = nn.SGD(net.trainable_params(), 0.1)
        train(net, nn.MSELoss(), opt, ds.MindDataset("train.mindrecord").batch(32))
        """
    program = Program({"train.py": join(entry), "step.py": join(step)})
    settled = program.fix(CODE)
    after = {change.path.rpartition("/")[2]: change.after.decode() for change in settled.changes}
    assert "mode=ms.GRAPH_MODE" in after["train.py"]
    lines = [line.strip() for line in after["step.py"].splitlines()]
    assert lines.index("grad_fn = ms.value_and_grad(forward, None, opt.parameters)") < lines.index(
        "for x, y in dataset:"
    )


def test_a_name_that_nothing_binds_is_not_moved() -> None:
    text = """
        import mindspore as ms
        from mindspore import dataset as ds, nn

        ms.set_context(mode=ms.PYNATIVE_MODE)  # ! display-only
        net = nn.SequentialCell(nn.Dense(8, 4))
        opt = nn.SGD(net.trainable_params(), 0.1)
        for x, y in ds.MindDataset("train.mindrecord").batch(32):
            grad_fn = ms.value_and_grad(forward, None, opt.parameters)
            value, grads = grad_fn(x, y)
            opt(grads)
        """
    expect(CODE, Program({"train.py": join(text)}))


DEMONSTRATION = """
    import numpy as np
    import mindspore as ms
    from mindspore import Tensor, nn


    class Block(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(8, 4)

        def construct(self, x):
            return self.fc(x)


    if __name__ == "__main__":
        ms.set_context(mode=ms.PYNATIVE_MODE)
        net = Block()
        cell = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params()))
        print(cell(Tensor(np.random.randn(2, 8), ms.float32), Tensor(np.random.randn(2, 4), ms.float32)))
    """


def test_a_module_of_a_package_that_shows_that_it_works_is_not_reported() -> None:
    program = Program({"models/block.py": join(DEMONSTRATION), "models/__init__.py": ""})
    assert not program.lint(CODE).findings


def test_a_script_on_random_data_is_reported() -> None:
    assert len(Program({"block.py": join(DEMONSTRATION)}).lint(CODE).findings) == 1


def test_a_function_that_takes_one_step_is_named_for_jit() -> None:
    step = "\n\ndef train_step(x, y):\n    value, grads = grad_fn(x, y)\n    opt(grads)\n    return value\n\n\n"
    grads = "grad_fn = ms.value_and_grad(forward, None, opt.parameters)\n"
    loop = "for x, y in dataset:\n    train_step(x, y)\n"
    text = join(START, NET, OPTIMIZER, PLAIN, grads, step, loop)
    program = Program({"train.py": text.replace("ms.set_context(mode=ms.PYNATIVE_MODE)  # !SAFETY\n", "")})
    (finding,) = program.lint(CODE).findings
    assert [program.files["train.py"].splitlines()[each.place.row - 1] for each in finding.related] == [
        "def train_step(x, y):"
    ]
    assert not Program(program.files, version=(1, 2)).lint(CODE).findings[0].related


@pytest.mark.parametrize(
    ("body", "init", "hook"),
    [
        ("return self.dense(x) * self.held[0]", "self.held = [1.0]\n        self.held[0] = 2.0", "pass"),
        ("return self.dense(x)", "self.held = [1.0]", "net.held.append(step)"),
        ("return self.dense(x) * self.held[0]", "self.held = [1.0, 2.0]", "net.held[1] = step"),
        ("return self.dense(x) * self.held[0]", "self.held = [1.0]\n        self.log = []", "net.log.append(step)"),
        ("return self.dense(x) * self.held[0]", "self.held = Tensor([1.0, 2.0])", "net.held[0] = step"),
        ("return self.dense(x) * self.held[0]", "self.held = [1.0]", "dataset.held = [step]"),
    ],
)
def test_items_that_compiled_code_does_not_read_are_no_obstacle(body: str, init: str, hook: str) -> None:
    name, texts = cell("held", body, init, hook)
    (program,) = case(name, join(*texts)).values
    (finding,) = program.lint(CODE).findings
    assert not any("keeps the first value" in str(each.message) for each in finding.related)


FACTORIES = """
    class Plain(nn.Cell):
        def construct(self, x):
            return x * 2


    class Tried(nn.Cell):
        def construct(self, x):
            try:
                return x * 2
            except ValueError:
                return x


    class Net(nn.Cell):
        def __init__(self, block):
            super().__init__()
            self.dense = nn.Dense(8, 4)
            self.block = INIT

        def construct(self, x):
            return self.block(self.dense(x))

        @staticmethod
        def small():
            return Net(Plain)

        @classmethod
        def large(cls):
            return cls(Tried)

        @staticmethod
        def part():
            return Tried()


    net = MADE


    def forward(x, y):
        return loss_fn(net(x), y)


    """


@pytest.mark.parametrize(
    ("made", "init", "is_ready"),
    [
        ("Net.small()", "block()", True),
        ("Net(Plain)", "block()", True),
        ("Net.large()", "block()", False),
        ("Net(Plain)", "self.part()", False),
        ("Net(Plain)", "Net.part()", False),
        ("Net(Tried)", "block()", False),
    ],
)
def test_a_factory_that_nothing_calls_makes_no_part_of_a_network(made: str, init: str, is_ready: bool) -> None:
    code = join(FACTORIES).replace("MADE", made).replace("INIT", init)
    text = join(START, code, OPTIMIZER, LOOP.replace("HOOK", "pass"))
    (finding,) = Program({"train.py": text}).lint(CODE).findings
    assert finding.fix is not None
    assert (finding.fix.safety is Safety.UNSAFE) is is_ready, finding.fix.reason
