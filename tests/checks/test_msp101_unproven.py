"""MSP101: code that graph mode is not known to compile is named, and the fix is display-only; its neighbours keep it.

Each form was run on MindSpore 2.10, CPU, in PyNative and in graph mode, where it can run. What stands in one
`construct` is a kind of `proofs/kinds.py`, which a proof runs again; here are forms that need more than one: a function
that computes the loss, code that is not there, several methods.
"""

from __future__ import annotations

import pytest
from programs import Program, join
from readiness import OPTIMIZER, cell, forward, program

from ms_perflint.core.findings import Safety

CODE = "MSP101"
LOSS = "return loss_fn(net(x), y)"
DENSE = "return self.dense(x)"

UNPROVEN = [
    # calls of what is not known
    (forward("missing module", "return loss_fn(tools.scale(net(x)), y)", "from own import tools\n"), "tools.scale"),
    (forward("library", "return loss_fn(lib.f(net(x)), y)", "import lib\n"), "lib.f"),
    (forward("unknown function", "return loss_fn(made(net(x)), y)", "made = globals()[input()]\n"), "made"),
    (cell("unknown attribute", "return self.act(self.dense(x))", "self.act = open(input()).read()"), "self.act"),
    (forward("unknown method", f"x = x.cuda()\n{LOSS}"), "x.cuda"),
    (forward("array", f"w = y.numpy()\n{LOSS} * w[0]"), "y.numpy"),
    (forward("partial", "return f(net(x), y)", "import functools\n\nf = functools.partial(loss_fn)\n"), "f"),
    (forward("NumPy that was not run", f"n = np.polyfit([1, 2], [1, 2], 1)\n{LOSS}"), "np.polyfit"),
    # tensors
    (cell("layer made", "return nn.Dense(8, 4)(x) + self.dense(x)"), "nn.Dense"),
    *(
        (cell(f"layer made: {word}", f"return {word}(8, 4)(x) + self.dense(x)"), word)
        for word in ("nn.Conv2d", "ms.mint.nn.Linear", "ms.mint.nn.Embedding", "ms.mint.nn.Conv2d")
    ),
    (forward("construct that Python calls", LOSS, hook="net.construct(x)"), "net.construct"),
    # dicts
    (forward("dict filled in a loop", f"d = {{}}\nfor i in (1, 2):\n    d[i] = x * i\n{LOSS}"), "d[i] = x * i"),
    # loops
    (
        forward("inner loop that is left", f"for i in (1, 2):\n    for j in (1, 2):\n        break\n{LOSS}"),
        "break",
    ),
    (
        forward(
            "long loop with a test", f"z = net(x)\nfor i in range(200):\n    if z.sum() > i:\n        z = z * 2\n{LOSS}"
        ),
        "if z.sum() > i",
    ),
    (
        forward("loop in a while", f"i = 0\nwhile i < 2:\n    for j in (1, 2):\n        i += j\n{LOSS}"),
        "while i < 2",
    ),
    # classes and functions
    (
        forward(
            "receiver of another name",
            "return loss_fn(other(x), y)",
            "class Other(nn.Cell):\n    def construct(me, x):\n        return net(x)\n\n\nother = Other()\n",
        ),
        "def construct(me, ...)",
    ),
    (cell("attribute that nothing sets", "return self.twice(self.dense(x))"), "self.twice"),
    (
        forward("decorator", "return f(net(x))", "from own import timed\n\n\n@timed\ndef f(a):\n    return a.sum()\n"),
        "@timed",
    ),
    *(
        (
            forward(
                f"object {name}",
                "m = Scale(SIZE)\nreturn loss_fn(net(x) * m.k, y)".replace("SIZE", size),
                f"class Scale:\n    def __init__(self, k):\n        {init}\n{more}\n",
            ),
            "Scale",
        )
        for name, size, init, more in (
            ("made of a tensor", "x.mean()", "self.k = k", ""),
            ("that draws", "2", "self.k = np.random.rand() * k", ""),
            ("that draws by an operator", "2", "self.k = ops.rand((k,)).mean()", ""),
            ("with another method", "2", "self.k = k", "\n    def __call__(self):\n        return self.k\n"),
        )
    ),
    (
        forward("other flag", f"{LOSS} + f(x)", "@ops.add_flags(fp16=True)\ndef f(a):\n    return a.sum()\n"),
        "add_flags",
    ),
    (
        forward(
            "object that is called",
            "return loss_fn(scale(net(x)), y)",
            "class Scale:\n    def __call__(self, x):\n        return x * 2\n\n\nscale = Scale()\n",
        ),
        "scale",
    ),
    (
        forward(
            "cell that calls itself",
            "return whole.loss(x, y)",
            "class Whole(nn.Cell):\n    def construct(self, x):\n        return net(x)\n\n"
            "    def loss(self, x, y):\n        return loss_fn(self(x), y)\n\n\nwhole = Whole()\n",
        ),
        "self(...)",
    ),
    *(
        (
            forward(
                f"class with {name}",
                "return loss_fn(other(x), y)",
                f"class Other(nn.Cell{given}):\n    def construct(self, x):\n        return net(x)\n{method}\n\n"
                "other = Other()\n",
            ),
            "class Other",
        )
        for name, given, method in (
            ("a metaclass", ", metaclass=type(nn.Cell)", ""),
            ("attributes that are computed", "", "\n    def __getattr__(self, name):\n        return 2\n"),
        )
    ),
    (
        forward(
            "keywords gone through",
            "return total(a=net(x).mean(), b=y.mean())",
            "def total(**parts):\n    n = 0\n    for key in parts:\n        n += parts[key]\n    return n\n",
        ),
        "for key in parts",
    ),
]

TRAINER = """
    class Trainer:
        def __init__(self):
            self.grad = ms.value_and_grad(self.loss, None, opt.parameters)

        def loss(self, x, y):
            return loss_fn(net(x), y)

        def __call__(self):
            for x, y in dataset.create_tuple_iterator():
                value, grads = self.grad(x, y)
                opt(grads)


    Trainer()()
    """
KNOWN = [
    program("object whose call is the training", OPTIMIZER, TRAINER),
    cell("None that is not called", "if self.neck:\n    x = self.neck(x)\nreturn self.dense(x)", "self.neck = None"),
    cell("None or a cell", "return self.act(self.dense(x))", "self.act = None if input() else nn.ReLU()"),
    cell("tensor kept and not read", "self.last = x * 2\nreturn self.dense(x)", "self.last = None"),
    cell(
        "Parameter kept",
        "self.mean = self.mean * 0.9 + x.mean(0)\nreturn self.dense(x - self.mean)",
        "self.mean = Parameter(ops.zeros(8), requires_grad=False)",
    ),
    cell("methods of tensors", "return self.dense(x.astype(ms.float32).view(-1, 8).transpose(1, 0).swapaxes(0, 1))"),
    forward("dict of tensors", 'd = {}\nd["a"] = net(x)\nreturn loss_fn(d["a"], y)'),
    forward("tensor of constants", f"{LOSS} * Tensor([1.0, 2.0]).sum()"),
    forward("lambda of the file", "return loss_fn(act(net(x)), y)", "act = lambda t: ops.relu(t) * 2\n"),
    forward("function of the file", "return loss_fn(act(net(x)), y)", "def act(t):\n    return ops.relu(t)\n"),
    forward(
        "construct of a class that is no cell",
        LOSS,
        "class Rows:\n    def construct(self):\n        return 3\n\n\nrows = Rows().construct()\n",
    ),
    forward(
        "construct of a class that is no cell, by itself",
        LOSS,
        "class Rows:\n    def __init__(self):\n        self.construct()\n\n"
        "    def construct(self):\n        self.n = 3\n\n\n"
        "rows = Rows()\n",
    ),
    cell(
        "cells by names that are not known",
        "for name in self.order:\n    layer = getattr(self, name)\n    x = layer(x)\nreturn self.dense(x)",
        "self.order = input().split()",
    ),
    # what is known when it compiles
    *(
        cell(f"layer of a size by {shape}", f"n = {shape}[1]\nreturn self.dense(nn.AvgPool1d(n)(x).mean(1) * x)", init)
        for shape, init in (
            ("ops.shape(x)", "pass"),
            ("ops.Shape()(x)", "pass"),
            ("self.get_shape(x)", "self.get_shape = ops.Shape()"),
        )
    ),
    forward(
        "layer of a default",
        "return loss_fn(down(net(x)), y)",
        "def down(t, factor=2):\n    pool = nn.AvgPool1d(factor)\n    return pool(t)\n",
    ),
    forward(
        "object that holds a mask",
        "m = Mask(x.shape[0], 4)\nreturn loss_fn(ops.masked_fill(net(x), m.mask, 0.0), y)",
        "class Mask:\n    def __init__(self, b, n):\n        self._mask = ops.triu(ops.ones((b, n), ms.bool_))\n\n"
        "    @property\n    def mask(self):\n        return self._mask\n",
    ),
    forward(
        "flag of a function",
        "return loss_fn(f(net(x)), y)",
        "@ops.add_flags(has_effect=True)\ndef f(a):\n    return a * 2\n",
    ),
    # rows of cells
    *(
        cell(f"cells of {made}", "for i in range(2):\n    x = self.cs[i](x)\nreturn self.dense(x)", f"self.cs = {made}")
        for made in (
            "nn.CellList([nn.Dense(8, 8)] + [nn.Dense(8, 8) for _ in range(3)])",
            "None if input() else nn.CellList([nn.Dense(8, 8), nn.Dense(8, 8)])",
        )
    ),
    forward(
        "cell that a method makes and keeps",
        "return loss_fn(whole(x), y)",
        "class Whole(nn.Cell):\n    def __init__(self):\n        super().__init__()\n        self.act = self.made()\n\n"
        "    def made(self):\n        self.act = nn.SequentialCell(nn.ReLU())\n        return self.act\n\n"
        "    def construct(self, x):\n        return self.act(net(x))\n\n\nwhole = Whole()\n",
    ),
    forward(
        "list of cells behind an option that is off",
        "return loss_fn(whole(x), y)",
        "class Whole(nn.Cell):\n    def __init__(self, norm=False):\n        super().__init__()\n"
        "        self.norm = norm\n        if norm:\n            self.rows = [nn.BatchNorm1d(8), nn.BatchNorm1d(8)]\n\n"
        "    def construct(self, x):\n        return net(self.rows[0](x) if self.norm else x)\n\n\nwhole = Whole()\n",
    ),
    forward("list of sizes taken from", "s = list(x.shape)\ns.pop()\nreturn loss_fn(net(x), y) * s[0]"),
]

ACT = "def act(t):\n    t = ops.sigmoid(t)\n    return t\n"
WEIGHT = "self.w = ms.Parameter(ops.ones((4, 8)))"
WEIGHTS = "self.all = ms.ParameterTuple([ms.Parameter(ops.ones((4, 8)))])"
IN_PLACE = [
    cell("attribute", "t = self.t\nt += x.sum()\nreturn self.dense(x) + t", "self.t = Tensor(0.0)"),
    cell("argument", "x += 1\nreturn self.dense(x)"),
    cell("another name", "h = self.dense(x)\nsame = h\nh += 1\nreturn h * same"),
    cell("another name of a sum", "h = self.dense(x)\nh += 1\nsame = h\nh *= 2\nreturn h * same"),
    cell("output that its gradient needs", "h = ops.sigmoid(self.dense(x))\nh += 1\nreturn h"),
    forward("output of a function that its gradient needs", "h = act(net(x))\nh += 1\nreturn loss_fn(h, y)", ACT),
    forward("argument of a function", "h = same(x)\nh += 1\nreturn loss_fn(net(h), y)", "def same(t):\n    return t\n"),
    *(
        cell(
            f"{part} of a tensor or list",
            f"t = self.dense(x)\nh = ROWS{part}\nh += 1\nreturn h * t".replace("ROWS", rows),
        )
        for part, rows in (("[...]", "x"), ("[0]", "[t, x]"), ("[0]", "(t, x)"), ("[-1]", "x"))
    ),
    forward("global", f"t = scale\nt += x.sum()\n{LOSS} * t", "scale = Tensor(1.0)\n"),
    *(
        cell(f"held by {kept}", f"h = self.dense(x)\n{kept}\nh += 1\nreturn h * {read}", before)
        for kept, read, before in (
            ("a = b = h + 1\nb += 1", "a", "pass"),
            ("rows = [h]", "rows[0]", "pass"),
            ("rows = []\nrows.append(h)", "rows[0]", "pass"),
            ("rows = ()\nrows += (h,)", "rows[0]", "pass"),
            ("d = {'a': h}", "d['a']", "pass"),
            ("t = h if self.flag else h * 2", "t", "self.flag = True"),
            ("t = h[:, :2]", "t.mean()", "pass"),
            ("t = self.same(h)", "t", "self.same = nn.Identity()"),
            ("t = h * h", "t", "pass"),
            ("t = ops.relu(h) + h", "t", "pass"),
            ("t = self.dense(h) * self.same(x)\nu = self.dense(h)", "(t + u)", "self.same = nn.ReLU()"),
            ("t = ops.where(h > 0, h, x)", "t", "pass"),
            ("t = ops.gelu(h)", "t", "pass"),
            ("t = h * 1\nu = 0\nu += t\nu += x", "t", "pass"),
            ("t = h * 1\nu = 0.0\nu += t\nfor row in (x, x * 2):\n    u += row", "t", "pass"),
            ("t = h.std(0)", "t", "pass"),
            ("t = self.same(h)", "t", "self.same = nn.LeakyReLU()"),
            ("t = ops.cast(h, ms.float32)\nt += x.mean()", "t", "pass"),
            ("t = ops.dropout(h)\nt += x.mean()", "t", "pass"),
            ("t = self.same(h)\nt += x.mean()", "t", "self.same = nn.Dropout(p=0.5)"),
            ("t = self.cast(x, ms.float32)\nt += h.mean()", "t", "self.cast = ops.Cast()"),
        )
    ),
    forward(
        "what a function gives back",
        "h = net(x)\nt = same(h)\nh += 1\nreturn loss_fn(h * t, y)",
        "def same(t, mask=None):\n    if mask is not None:\n        t = t * mask\n    return t\n",
    ),
    cell(
        "rows of a loop",
        "h = self.dense(x)\nrows = []\nfor i in range(3):\n    h += i\n    rows.append(h)\nreturn rows[0]",
    ),
    *(
        cell(f"rows that are read again: {text}", f"t = {rows}\n{text}")
        for rows in ("[self.dense(x), x * 2]", "(x * 2, self.dense(x))")
        for text in (
            "u = 0\nfor row in t:\n    u += row\nreturn u * t[0]",
            "u = 0\nfor i in range(2):\n    u += t[i]\nreturn u * t[0]",
            "u = 0\nfor i, row in enumerate(t):\n    u += row\nreturn u * t[0]",
            "u = 0\nfor i in range(2):\n    u = 0\n    for row in t:\n        u += row\nreturn u",
        )
    ),
    cell("whole weight", "t = self.w[...]\nt += x.sum()\nreturn self.dense(x) + t.sum()", WEIGHT),
    cell("one of several weights", "t = self.all[0]\nt += x.sum()\nreturn self.dense(x) + t.sum()", WEIGHTS),
]
NEW = [
    cell("input under another name", "h = x\nx = self.dense(x)\nx += h.mean()\nreturn x"),
    cell("name given behind a sum", "h = self.dense(x)\nh += 1\nsame = h\nreturn same * h"),
    cell("output of a layer", "h = self.dense(x)\nh += 1\nreturn h"),
    cell("sum", "h = self.dense(x) + 1\nh *= 2\nreturn h"),
    cell("number", "n = 0\nfor i in range(3):\n    n += i\nreturn self.dense(x) * n"),
    cell("sum that starts at a number", "s = 0\nfor i in range(3):\n    s += self.dense(x) * i\nreturn s"),
    cell("tuple", "t = ()\nfor i in range(3):\n    t += (x * i,)\nreturn self.dense(t[2])"),
    forward(
        "sum of a function", "h = act(net(x))\nh += 1\nreturn loss_fn(h, y)", ACT.replace("sigmoid(t)", "cos(t) + 1")
    ),
    *(
        cell(
            f"part {part} of a tensor",
            f"h = self.dense(ops.sigmoid(x){part})\nt = x{part}\nt += 1\nreturn h * t.mean()",
        )
        for part in ("[:4]", "[:, :8]", "[0, :]", "[..., 0]", "[:, None]", "[1:]", "[:]", "[0, ops.arange(8)]")
    ),
    cell(
        "row that is made in each pass",
        "h = x\nr = []\nfor i in range(3):\n    h = self.dense(x)\n    h += i\n    r.append(h)\nreturn r[0]",
    ),
    *(
        cell(f"argument of an operator: {call}", f"h = self.dense(x)\nz = {call}\nh += 1\nreturn h + z")
        for call in ("ops.softmax(h)", "self.dense(h)", "ops.concat([h, x], 1)[:, :8]", "h.mean(1, keep_dims=True)")
    ),
    cell("layer and sum on its input", "h = self.dense(x)\nh += self.dense(h)\nh += self.dense(h)\nreturn h"),
    cell("form beside a sum", "h = self.dense(x)\nn = h.shape[0]\nh += self.dense(h)\nreturn h * len(h) / n"),
    *(
        cell(f"sum from zero: {text}", f"a = self.dense(x)\nb = self.dense(x * 2)\nt = 0\n{text}\nreturn t")
        for text in (
            "t += a\nt += b",
            "t += a.mean()\nt += b.mean()\nt = t + a",
            "for each in (a, b):\n    t += each",
            "t += a\nt = t + b * a",
            "c = a * 2\nt += a\nt += b * c",
            "c = [a, b]\nfor i in range(len(c)):\n    t += c[i]",
            "c = [a, b]\nfor each in c:\n    t += each * 2\nt = t + c[0]",
        )
    ),
    *(
        cell(f"own: {text}", f"h = self.dense(x)\n{text}", "self.drop = nn.Dropout(p=0.5)")
        for text in (
            "h = ops.cast(h, ms.float32)\nh += 1\nreturn h",
            "h = self.drop(h)\nh += self.dense(x)\nreturn h",
            "t = ops.cast(h, ms.float32)\nt += 1\nreturn t",
            "t = self.drop(self.dense(x))\nt += h\nreturn t",
            "t = ops.dropout(ops.cast(h * 2, ms.float32))\nt += h\nreturn t",
            "n = h.shape[0]\nh = self.drop(h)\nh += n\nreturn h",
            "t = ops.cast(ops.equal(h.argmax(1), x.argmax(1)), ms.float32)\nt *= x[:, 0]\nreturn h * t.mean()",
            "t = ops.cast(ops.Greater()(h, 0), ms.float32)\nt *= x.mean()\nreturn h * t.mean()",
        )
    ),
    cell("reads behind a sum", "h = self.dense(x)\nh += 1\nreturn h * h + self.dense(h)"),
    cell("factor", "h = self.dense(x)\nz = h * self.dense(x * 2)\nh += 1\nreturn h + z"),
    cell("held offsets", "n, at = 0, []\nfor i in (1, 2):\n    at.append(n)\n    n += 2\nreturn self.dense(x) * at[1]"),
    cell("sum on parts", "s = x[0, 0]\nfor i in range(1, 3):\n    s += x[i, 0]\nreturn self.dense(x) * s"),
    forward("loss", "loss = loss_fn(net(x), y)\nloss += net(x).mean()\nreturn loss"),
    *(
        cell(f"row {row} of a weight", f"t = self.w{row}\nt += x.sum()\nreturn self.dense(x) + t.sum()", WEIGHT)
        for row in ("[0]", "[-1]", "[ops.argmax(x[0])]", "[x.shape[0] - 1]", "[[0, 1]]")
    ),
    forward(
        "row of a weight that is passed",
        f"z = rows(w, y)\n{LOSS} + z",
        "w = ms.Parameter(ops.ones((4, 8)))\n\n\ndef rows(w, y):\n    t = w[y[0]]\n    t += w[0]\n    return t.sum()\n",
    ),
]


def _program(written: tuple[str, tuple[str, ...]]) -> Program:
    """Return a program whose default fix is what its case says."""
    return Program({"train.py": "".join(join(text) for text in written[1]).replace("  # !SAFETY", "")})


@pytest.mark.parametrize(("written", "code"), UNPROVEN, ids=[written[0] for written, _ in UNPROVEN])
def test_code_that_is_not_known_to_compile_is_named(written: tuple[str, tuple[str, ...]], code: str) -> None:
    (finding,) = _program(written).lint(CODE).findings
    assert finding.fix is not None
    assert finding.fix.safety is Safety.DISPLAY
    reason = str(finding.fix.reason)
    assert reason.startswith("graph mode is not known to compile `") and code in reason
    assert finding.related[0].message == finding.fix.reason


@pytest.mark.parametrize("written", KNOWN, ids=[written[0] for written in KNOWN])
def test_code_that_is_known_to_compile_keeps_the_fix(written: tuple[str, tuple[str, ...]]) -> None:
    (finding,) = _program(written).lint(CODE).findings
    assert finding.fix is not None and (finding.fix.safety, finding.fix.reason) is not None
    assert finding.fix.safety is Safety.UNSAFE, finding.fix.reason


@pytest.mark.parametrize("written", IN_PLACE, ids=[written[0] for written in IN_PLACE])
def test_a_tensor_that_is_changed_in_place_is_named(written: tuple[str, tuple[str, ...]]) -> None:
    (finding,) = _program(written).lint(CODE).findings
    assert finding.fix is not None and finding.fix.safety is Safety.DISPLAY
    assert "in place" in str(finding.fix.reason)


@pytest.mark.parametrize("written", NEW, ids=[written[0] for written in NEW])
def test_a_sum_of_its_own_keeps_the_fix(written: tuple[str, tuple[str, ...]]) -> None:
    (finding,) = _program(written).lint(CODE).findings
    assert finding.fix is not None
    assert finding.fix.safety is Safety.UNSAFE, finding.fix.reason


BCE = "bce = nn.BCEWithLogitsLoss({})\n\n\ndef one(a, b):\n    return bce(a, b)\n"
SCALES = "z = net(x)\nv = 0.0\nfor a, b in ((z, y), (z[:2], y[:2])):\n    v = v + {}(a, b)\nreturn v"
MEANS = [
    (forward("loss in a loop", SCALES.format("bce"), BCE.format("")), Safety.DISPLAY),
    (forward("loss of a function", SCALES.format("one"), BCE.format("")), Safety.DISPLAY),
    (forward("function", SCALES.format("ops.binary_cross_entropy_with_logits")), Safety.DISPLAY),
    (forward("sum in a loop", SCALES.format("one"), BCE.format('reduction="sum"')), Safety.UNSAFE),
    (forward("loss in no loop", "return bce(net(x), y)", BCE.format("")), Safety.UNSAFE),
    (forward("another loss in a loop", SCALES.format("loss_fn"), ""), Safety.UNSAFE),
]


@pytest.mark.parametrize(("written", "safety"), MEANS, ids=[written[0] for written, _ in MEANS])
def test_a_loss_over_several_shapes(written: tuple[str, tuple[str, ...]], safety: Safety) -> None:
    (finding,) = _program(written).lint(CODE).findings
    assert finding.fix is not None and finding.fix.safety is safety
    assert ("over several shapes" in str(finding.fix.reason)) is (safety is Safety.DISPLAY)


EPOCH = """
    def forward(x, y):
        return loss_fn(net(x), y)


    def train_epoch():
        grad_fn = ms.value_and_grad(forward, None, opt.parameters)
        for x, y in dataset.create_tuple_iterator():
            value, grads = grad_fn(x, y)
            opt(grads)


    """


@pytest.mark.parametrize(
    ("loop", "is_again"), [("for epoch in range(3):\n    train_epoch()\n", True), ("train_epoch()\n", False)]
)
def test_what_each_epoch_makes_again_is_told(loop: str, is_again: bool) -> None:
    written = program("epochs", OPTIMIZER, EPOCH, loop)
    (finding,) = _program(written).lint(CODE).findings
    assert finding.fix is not None and finding.fix.safety is Safety.UNSAFE
    assert str(finding.fix.reason).startswith("each epoch compiles again") is is_again
    assert any("in each epoch" in str(each.message) for each in finding.related) is is_again


def test_a_network_that_was_not_read_is_named_beside_the_obstacles() -> None:
    load = 'ms.load_param_into_net(net, ms.load_checkpoint("n.ckpt"))'
    name, texts = forward("obstacle", LOSS, "from own import Net\n\nother = Net()\n", hook=load)
    loop = texts[-2].replace("value_and_grad(forward,", "value_and_grad(other,")
    (finding,) = _program((name, (*texts[:-2], loop))).lint(CODE).findings
    assert "obstacles to graph mode: 1" in str(finding.message)
    assert any("`Net` is not in these files" in str(each.message) for each in finding.related)


ARMS = """
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="Ascend")
    args = parser.parse_args()
    if args.device == "GPU":
        ms.set_context(mode=ms.GRAPH_MODE, device_target="GPU")
    else:
        ms.set_context(mode=ms.PYNATIVE_MODE, device_target="Ascend")
    """
OWN = "ms.set_context(mode=ms.PYNATIVE_MODE)  # !SAFETY\n"


@pytest.mark.parametrize(("lines", "safety"), [(ARMS, Safety.UNSAFE), (OWN, Safety.DISPLAY)])
def test_what_another_arm_compiles_is_known(lines: str, safety: Safety) -> None:
    _name, texts = forward("arms", LOSS, "from own import scale\n\nloss_fn = scale()\n")
    text = "".join(join(each) for each in texts).replace(OWN, join(lines))
    (finding,) = Program({"train.py": text.replace("  # !SAFETY", "")}).lint(CODE).findings
    assert finding.fix is not None and finding.fix.safety is safety


ROWS = [
    "net = nn.SequentialCell(nets.Net(), nn.ReLU())\n",
    "net = nn.SequentialCell([nn.ReLU(), nets.Net()])\n",
    "rows = [nn.ReLU()]\nrows.append(nets.Net())\nnet = nn.SequentialCell(rows)\n",
    "net = nn.SequentialCell(nn.ReLU(), nn.SequentialCell(nets.Net()))\n",
    "net = nets.Net()\n",
    "net = nn.SequentialCell(OrderedDict([('a', nn.ReLU()), ('b', nets.Net())]))\n",
    "net = nn.SequentialCell(OrderedDict(a=nets.Net()))\n",
    "rows = [('a', nn.ReLU())]\nrows.append(('b', nets.Net()))\nnet = nn.SequentialCell(OrderedDict(rows))\n",
    "rows = OrderedDict()\nfor i in range(3):\n    rows[f'a{i}'] = nets.Net()\nnet = nn.SequentialCell(rows)\n",
    "rows = []\nfor i in range(3):\n    rows.append((f'a{i}', nets.Net()))\n"
    "net = nn.SequentialCell(OrderedDict(rows))\n",
]
KNOWN_ROWS = [
    "net = nn.SequentialCell(nn.Dense(8, 4), nn.ReLU())\n",
    "net = nn.SequentialCell(OrderedDict([('a', nn.Dense(8, 4)), ('b', nn.ReLU())]))\n",
    "net = nn.SequentialCell(OrderedDict(a=nn.Dense(8, 4)))\n",
    "rows = [('a', nn.Dense(8, 4))]\nrows.append(('b', nn.ReLU()))\nnet = nn.SequentialCell(OrderedDict(rows))\n",
    "rows = []\nfor i in range(3):\n    rows.append((f'a{i}', nn.Dense(4, 4)))\n"
    "net = nn.SequentialCell(OrderedDict(rows))\n",
    "rows = []\nrows.extend([('a', nn.Dense(8, 4)), ['b', nn.ReLU()]])\nnet = nn.SequentialCell(OrderedDict(rows))\n",
    "rows = OrderedDict()\nfor i in range(3):\n    rows[f'a{i}'] = nn.Dense(4, 4)\nnet = nn.SequentialCell(rows)\n",
]
OWN_MODEL = """
    from collections import OrderedDict

    import nets

    NETclass Trainer(ms.Model):
        def __init__(self, network, *args, start=0, **kwargs):
            super().__init__(network, *args, **kwargs)
            self.start = start


    """
STEPS = {
    "Model": "ms.Model(net, loss_fn, opt).train(3, dataset)\n",
    "class of its own": "Trainer(net, loss_fn, opt).train(3, dataset)\n",
    "train cell": "step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), opt)\n"
    "for x, y in dataset.create_tuple_iterator():\n    step(x, y)\n",
}


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("made", [*ROWS, *KNOWN_ROWS])
def test_a_network_that_is_not_there_is_named_also_in_a_row(made: str, steps: str) -> None:
    head = join(OWN_MODEL).replace("NET", f"{made}\n\n")
    (finding,) = _program(program("rows", head, OPTIMIZER, STEPS[steps])).lint(CODE).findings
    assert finding.fix is not None
    if made in ROWS:
        assert finding.fix.reason == "`nets.Net` is not in these files, so it may not compile"
        assert finding.fix.safety is Safety.DISPLAY
    else:
        assert finding.fix.safety is Safety.UNSAFE, finding.fix.reason


CACHED = """
    import mindspore as ms
    from mindspore import nn, ops


    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(32, 32)
            self.cached = False
            self.kept = None

        def construct(self, x):
            x = self.fc(x)
            if self.cached:
                self.kept = x if self.kept is None else ops.concat([self.kept, x])
                x = self.kept
            return x


    def generate(net, x):
        {}
        return net(x)
    """
CACHED_TRAIN = """
    import mindspore as ms
    import net as nets

    net = nets.Net()
    opt = ms.nn.SGD(net.trainable_params(), 0.1)


    def forward(x, y):
        return (net(x) - y).sum()


    grad_fn = ms.value_and_grad(forward, None, opt.parameters)
    ms.set_context(mode=ms.PYNATIVE_MODE)
    for x, y in ms.dataset.MindDataset("train.mindrecord").batch(32, True).create_tuple_iterator():
        value, grads = grad_fn(x, y)
        opt(grads)
    """


@pytest.mark.parametrize("store", ["net.cached = True", "setattr(net, 'cached', True)"])
@pytest.mark.parametrize(("before", "safety"), [("", Safety.UNSAFE), ("nets.generate(net, 1)\n", Safety.DISPLAY)])
def test_a_store_counts_where_running_code_makes_it(store: str, before: str, safety: Safety) -> None:
    train = join(CACHED_TRAIN).replace("for x, y", f"{before}for x, y")
    (finding,) = Program({"train.py": train, "net.py": join(CACHED).format(store)}).lint(CODE).findings
    assert finding.fix is not None and finding.fix.safety is safety
