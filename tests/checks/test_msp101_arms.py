"""MSP101, graph-mode readiness: arms of tests on tensors, cells in lists, and steps that are written as PyTorch's.

Each form was run on MindSpore 2.10, CPU, in PyNative and in graph mode: those of `BLOCKED` fail in graph mode, those of
`READY` give the same losses.
"""

from __future__ import annotations

import pytest
from programs import Program, case, expect, join
from readiness import OPTIMIZER, cell, program

from ms_perflint.core.findings import Safety

CODE = "MSP101"

HIDDEN = "h = self.dense(x)\ns = h.sum(axis=1)\n"


def arms(name: str, body: str) -> tuple[str, tuple[str, ...]]:
    """Return a program whose network tests a tensor."""
    return cell(name, HIDDEN + join(body))


GROWS = """
    for i in range(4):
        if s[i] > 0:
            PUT
    return h + len(rows)
    """


def layers(name: str, init: str, loop: str = "for each in self.layers:") -> tuple[str, tuple[str, ...]]:
    """Return a program whose network goes through layers."""
    return cell(name, f"{loop}\n    x = each(x)\nreturn self.dense(x)\n", init=init)


STEPS = """
    for epoch in range(3):
        for x, y in dataset.create_tuple_iterator():
            train = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), opt)
            value = train(x, y)
    """


BLOCKED = [
    arms("a conditional expression of two types", "return h + (h.sum() if s.sum() > 0 else 0)"),
    arms("a list of what passes a test", "return ops.stack([r for r in (h, h * 2) if r.sum() > 0]).sum()"),
    arms("a sum of what passes a test", "return sum(r.sum() for r in ops.split(h, 2) if r.mean() > 0)"),
    arms("a dict of what passes a test", "return {k: r for k, r in ((1, h), (2, h)) if r.sum() > 0}[1]"),
    arms("append under a test", "rows = []\n" + join(GROWS).replace("PUT", "rows.append(h[i])")),
    arms("extend under a test", "rows = [h[0]]\n" + join(GROWS).replace("PUT", "rows.extend([h[i], h[i]])")),
    arms("a tuple that grows under a test", "rows = ()\n" + join(GROWS).replace("PUT", "rows += (h[i],)")),
    arms("a dict that grows under a test", "rows = {}\n" + join(GROWS).replace("PUT", "rows[i] = h[i]")),
    arms(
        "a dict that is updated under a test", 'rows = {"a": h}\n' + join(GROWS).replace("PUT", 'rows.update({"b": h})')
    ),
    arms("a default under a test", 'rows = {"a": h}\n' + join(GROWS).replace("PUT", 'rows.setdefault("b", h)')),
    arms("a list of the first rows", "rows = [0]\n" + join(GROWS).replace("PUT", "rows.insert(0, i)")),
    arms(
        "each arm has its own list",
        """
        high, low = [], []
        rest = list()
        for i in range(4):
            if ops.abs(h)[i].max() > 0.5:
                rest.append(i)
            else:
                h = h + 1
        return h + len(rest)
        """,
    ),
    arms(
        "a test with `and`",
        """
        rows = []
        if x is not None and (s > 0).any():
            rows.append(h[0])
        return h + len(rows)
        """,
    ),
    arms(
        "bound in one arm",
        """
        if s.sum() > 0:
            found = h * 2
        return found
        """,
    ),
    arms(
        "None, and a tensor in one arm",
        """
        found = None
        if s.sum() > 0:
            found = h + ops.sum(h)
        return h if found is None else found
        """,
    ),
    arms(
        "a number, and a tensor in one arm",
        """
        extra = 0
        if not s.sum() < 0:
            extra = h.sum()
        return h + extra
        """,
    ),
    arms(
        "a number to which a loop adds tensors",
        """
        extra = 0.0
        for i in range(4):
            if s[i] > 0:
                extra += h[i].sum()
        return h + extra
        """,
    ),
    layers("a list of cells", "self.layers = [nn.Dense(8, 8), nn.Dense(8, 8)]"),
    layers("a list of cells that a comprehension makes", "self.layers = [nn.Dense(8, 8) for _ in range(3)]"),
    layers("a tuple of cells", "self.layers = (nn.Dense(8, 8), nn.Dense(8, 8))"),
    layers(
        "a dict of cells",
        'self.layers = {"first": nn.Dense(8, 8), "last": nn.Dense(8, 8)}',
        'for each in (self.layers["first"], self.layers["last"]):',
    ),
    layers(
        "a list that a loop fills",
        "layers = []\n        for _ in range(3):\n            layers.append(nn.Dense(8, 8))\n"
        "        self.layers = layers",
    ),
    layers(
        "a list of cells with cells inside",
        "self.layers = []\n        for _ in range(3):\n            row = nn.SequentialCell(nn.Dense(8, 8), nn.ReLU())\n"
        "            self.layers.append(row)",
    ),
    program(
        "the step of an adapter of PyTorch",
        OPTIMIZER,
        STEPS,
        """
        for epoch in range(3):
            for x, y in dataset.create_tuple_iterator():
                other = loss_fn(net(x), y)
                other.backward()
        """,
    ),
]

REVERSE = """
    class Reverse(nn.Cell):
        def construct(self, x):
            return x

        def bprop(self, x, out, dout):
            BODY


    """


def reverse(name: str, body: str) -> tuple[str, tuple[str, ...]]:
    """Return a program with a layer that gives its own gradient."""
    start, made, *rest = cell(name, "return self.dense(self.reverse(x))\n", init="self.reverse = Reverse()")[1]
    return name, (start, join(REVERSE).replace("BODY", body), made, *rest)


BLOCKED += [
    reverse("a gradient in brackets", "return (dout * -0.5)"),
    reverse("a gradient with a sign", "return -dout"),
    reverse("a list of gradients", "return [-dout]"),
    reverse("a gradient that an operator gives", "return ops.neg(dout)"),
    reverse("a gradient with a name", "grad = dout * -0.5\n        return grad"),
    program("an adapter of PyTorch is imported", "from mindtorch.tools import mstorch_enable\n", OPTIMIZER, STEPS),
    program("an adapter of PyTorch stands for it", "import msadapter.pytorch as torch\n", OPTIMIZER, STEPS),
    program(
        "an adapter of PyTorch is imported in a function",
        "def set_up():\n    import mindtorch.torch as torch\n\n    return torch\n\n\nset_up()\n",
        OPTIMIZER,
        STEPS,
    ),
]

WRITES = """
    def write(words, length):
        rows = [words]
        for i in range(length):
            BODY
        return words


    print(write(ops.ones((1, 4), ms.int32), 8))
    """


def writes(name: str, body: str) -> tuple[str, tuple[str, ...]]:
    """Return a program that lets the trained network write something in the end."""
    lines = "\n        ".join(join(body).splitlines())
    return cell(name, "return self.dense(x)\n", after=join(WRITES).replace("BODY", lines))


BLOCKED += [
    writes("a text that grows", "words = ops.concat((words, net(words)), axis=1)"),
    writes("a text that grows in two steps", "out = net(words)\nwords = ops.cat([words, out.argmax(1)], 1)"),
    writes("a text that a primitive joins", "words = ops.Concat(1)((words, net(words)))"),
    writes("a list that grows", "out = net(Tensor(rows))\nrows.append(out)"),
    writes("an array that grows", "words = np.concatenate([words, net(Tensor(words)).asnumpy()], 1)"),
]

HOLDERS = [
    "types.SimpleNamespace(more=True)",
    "dict(more=True)",
    '{"more": True}',
    "Settings()",
    "argparse.Namespace(more=True)",
    "argparse.ArgumentParser().parse_args()",
]


def setting(name: str, holder: str, body: str) -> tuple[str, tuple[str, ...]]:
    """Return a program whose network asks an object of settings for something."""
    made = f"class Settings:\n    more = True\n\n\nsettings = {holder}\n"
    body = body.replace("ASKS", 'self.asked["more"]' if "dict" in holder or "{" in holder else "self.asked.more")
    title, (start, *rest) = cell(f"{name}: {holder}", body, init="self.asked = settings")
    return title, (start, "import argparse\nimport types\n", made, *rest)


BLOCKED += [
    *(setting("bound in one arm", holder, "if ASKS:\n    y = self.dense(x)\nreturn y\n") for holder in HOLDERS[:4]),
    setting(
        "bound in the other arm", HOLDERS[0], "if not ASKS:\n    x = x * 2\nelse:\n    y = self.dense(x)\nreturn y\n"
    ),
    cell("an attribute of a layer", "if self.dense.has_bias:\n    y = self.dense(x)\nreturn y\n"),
    setting("compared", HOLDERS[0], "if ASKS is True:\n    y = self.dense(x)\nreturn y\n"),
]

READY = [
    arms("a list of what is no None", "return [r for r in (h, None) if r is not None][0].sum()"),
    arms("a list of what is large", "return ops.stack([r for r in (h, h * 2) if r.shape[0] > 2]).sum()"),
    arms("a list of one of two", "return ops.stack([r if r.sum() > 0 else r * 2 for r in (h, h * 2)]).sum()"),
    *(
        setting("bound before", holder, "y = self.dense(x)\nif ASKS:\n    y = y * 2\nreturn y\n")
        for holder in HOLDERS[:4]
    ),
    setting(
        "bound in both branches",
        HOLDERS[0],
        "if ASKS:\n    y = self.dense(x)\nelse:\n    y = self.dense(-x)\nreturn y\n",
    ),
    setting(
        "returned in the arm", HOLDERS[0], "if ASKS:\n    y = self.dense(x)\n    return y\nreturn self.dense(-x)\n"
    ),
    setting("used in the arm alone", HOLDERS[0], "if ASKS:\n    y = x * 2\n    x = x + y\nreturn self.dense(x)\n"),
    setting("None before", HOLDERS[0], "y = None\nif ASKS:\n    y = self.dense(x)\nreturn y\n"),
    cell(
        "bound in one arm: an attribute of the cell",
        "if self.more:\n    y = self.dense(x)\nreturn y\n",
        "self.more = True",
    ),
    writes("a text that is not read again", "words = ops.concat((words, net(ops.ones((1, 4)))), axis=1)"),
    writes("a window", "out = net(words)\nwords = ops.concat((words, out), axis=1)[:, 1:]"),
    writes("the last word alone", "out = net(words[:, -1:])\nwords = ops.concat((words, out), axis=1)"),
    writes("a list of results", "rows.append(net(words))"),
    writes("a text of the same length", "words = net(words)"),
    writes(
        "a list that begins anew",
        "rows = []\nfor j in range(4):\n    rows.append(j)\nprint(net(Tensor(rows)))",
    ),
    writes(
        "a text that begins anew", "words = ops.ones((1, 4))\nwords = ops.cat([words, words], 1)\nprint(net(words))"
    ),
    reverse("a tuple of one gradient", "return (dout * -0.5,)"),
    reverse("gradients that are added up", "return (dout,) + ()"),
    reverse("a tuple with a name", "grads = (-dout,)\n        return grads"),
    reverse("a gradient that is not known", "return gradients_of(dout)"),
    program(
        "an adapter of PyTorch in a phase that is optional",
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--phase", default="train")
        args = parser.parse_args()
        """,
        OPTIMIZER,
        STEPS,
        """
        if args.phase == "analysis":
            for x, y in dataset.create_tuple_iterator():
                other = loss_fn(net(x), y)
                other.backward()
        """,
    ),
    arms(
        "both arms update a dict",
        """
        rows = {"a": h}
        if s.sum() > 0:
            rows.update({"b": h})
        else:
            rows.update({"b": h * 2})
        return rows["b"]
        """,
    ),
    arms("a dict that is updated", 'rows = {"a": h}\nrows.update({"b": h * 2})\nreturn rows["b"]\n'),
    arms(
        "both arms put in as much",
        """
        rows = []
        for i in range(4):
            if s[i] > 0:
                rows.append(h[i])
            else:
                rows.append(h[i] * 2)
        return ops.stack(rows).sum() + h
        """,
    ),
    arms(
        "a test on the shape",
        """
        rows = []
        if x.shape[0] > 4:
            rows.append(h)
        return h + len(rows)
        """,
    ),
    arms(
        "a test on an attribute",
        """
        rows = []
        if self.training:
            rows.append(h)
        return h + len(rows)
        """,
    ),
    arms(
        "a test on the sizes of a tensor",
        """
        extra = 0
        if ops.shape(h)[0] > 2 or h.ndim == 1:
            extra = h.sum()
        return h + extra
        """,
    ),
    arms(
        "a tensor stays one",
        """
        extra = Tensor(0.0, ms.float32)
        if s.sum() > 0:
            extra = extra + h.sum()
        return h + extra
        """,
    ),
    arms(
        "a number stays one",
        """
        count = 0
        for i in range(4):
            if s[i] > 0:
                count += 1
        return h / (count + 1)
        """,
    ),
    arms(
        "the other arm returns",
        """
        if s.sum() > 0:
            found = h
        else:
            return h * 2
        return found
        """,
    ),
    arms("a conditional expression", "return h + (h.sum() if s.sum() > 0 else h.mean())"),
    arms(
        "another shape in one arm",
        """
        found = h
        if s.sum() > 0:
            found = h[:2]
        return h + found.sum()
        """,
    ),
    layers("a list of cells without Parameters", "self.layers = [nn.ReLU(), nn.ReLU()]"),
    layers("a list of one cell", "self.layers = [nn.Dense(8, 8)]"),
    layers("a list of cells that are attributes", "self.one = nn.Dense(8, 8)\n        self.layers = [self.one]"),
    layers("a `CellList`", "self.layers = nn.CellList([nn.Dense(8, 8), nn.Dense(8, 8)])"),
    layers(
        "a list that a `CellList` takes over",
        "layers = [nn.Dense(8, 8) for _ in range(3)]\n        self.layers = layers\n"
        "        self.kept = nn.CellList(layers)",
    ),
    layers(
        "cells that `setattr` names",
        'layers = [nn.Dense(8, 8) for _ in range(2)]\n        setattr(self, "first", layers[0])\n'
        '        setattr(self, "last", layers[1])\n        self.layers = layers',
    ),
]


def _cases(programs: list[tuple[str, tuple[str, ...]]], safety: str) -> list[object]:
    return [case(name, join(*texts).replace("# !SAFETY", f"# ! {safety}")) for name, texts in programs]


@pytest.mark.parametrize("program", _cases(BLOCKED, "display-only"))
def test_an_obstacle_makes_the_fix_display_only(program: Program) -> None:
    expect(CODE, program)
    (finding,) = program.lint(CODE).findings
    assert finding.fix is not None and finding.fix.reason in {related.message for related in finding.related}


@pytest.mark.parametrize("program", _cases(READY, "unsafe"))
def test_what_graph_mode_runs_keeps_the_fix(program: Program) -> None:
    expect(CODE, program)
    settled = program.fix(CODE)
    assert settled.fixed and not settled.report.findings


@pytest.mark.parametrize(
    ("made", "safety", "reason"),
    [
        ("importlib.import_module(input()).Net()", Safety.UNSAFE, "is not known, so"),
        ("REGISTRY[input()](3)", Safety.UNSAFE, "is not known, so"),
        ("{0: None}[0]", Safety.UNSAFE, "is not known, so"),
        ("UNKNOWN", Safety.UNSAFE, "is not known, so"),
        ("nets.Net()", Safety.DISPLAY, "`nets.Net` is not in these files"),
        ("nn.Dense(8, 4)", Safety.UNSAFE, "last digits"),
        ("mindcv.create_model('resnet50')", Safety.UNSAFE, "last digits"),
    ],
)
def test_a_network_that_was_not_read_is_named(made: str, safety: Safety, reason: str) -> None:
    text = f"""
        import importlib
        import mindcv
        import mindspore as ms
        import mindspore.dataset as ds
        from mindspore import nn
        from models import nets

        ms.set_context(mode=ms.PYNATIVE_MODE)
        net = {made}
        model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
        model.train(3, ds.MindDataset("train.mindrecord").batch(32))
        """
    (finding,) = Program({"train.py": join(text)}).lint(CODE).findings
    assert finding.fix is not None and finding.fix.safety is safety and reason in str(finding.fix.reason)
