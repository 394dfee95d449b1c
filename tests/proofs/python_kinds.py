"""Kinds of code in `construct`: `super()`, values that Python computes from tensors, loops, Parameters that change.

See `test_kinds.py`.
"""

from __future__ import annotations

from proofs.kinds import Kind, kind

CLASSES = """class Root(nn.Cell):
    def helper(self, z):
        return z * 2

    def construct(self, z):
        return self.helper(z)


class Middle(Root):
"""
LEAF = "class Leaf(Middle):\n    "
UPWARDS = "def construct(self, z):\n        return super().construct(z) + 1\n"
OF_LIBRARY = """class Middle(nn.Dense):
    def construct(self, z):
        return super().construct(z) * 0.5


class Leaf(Middle):
    def __init__(self):
        super().__init__(4, 4, weight_init="ones")
"""
MIXIN = """class Mixin:
    def pre(self, z):
        return z * 2


class Middle(Mixin):
    def pre(self, z):
        return super().pre(z) + 1


class Leaf(Middle, nn.Cell):
    def construct(self, z):
        return self.pre(z)
"""
TEMPLATE = """class Middle(nn.Cell):
    def construct(self, z):
        return self.last(self.features(z))


class Leaf(Middle):
    def __init__(self):
        super().__init__()
        self.last = nn.ReLU()

    def features(self, z):
        return {}
"""
PARAMETER = "self.p = ms.Parameter(Tensor({}), name='p', requires_grad={})"
LISTED = "l = [x, x * 2]\n"

# `super()`, which begins behind the class of the object
SUPERS = [
    *(
        kind(becomes, f"super {name}", "return self.d(self.c(x)).sum()", init="self.c = Leaf()", before=before)
        for becomes, name, before in (
            ("fails", "in a method that a class inherits", f"{CLASSES}    {UPWARDS}\n\n{LEAF}pass\n"),
            ("fails", "that two classes call", f"{CLASSES}    {UPWARDS}\n\n{LEAF}{UPWARDS}"),
            (
                "fails",
                "behind the name of a class",
                f"{CLASSES}    {UPWARDS}\n\n{LEAF}def construct(self, z):\n        return Middle.construct(self, z)\n",
            ),
            ("fails", "of a layer of MindSpore", OF_LIBRARY),
            ("fails", "in a class that is no cell", MIXIN),
            (
                "differs",
                "to a method that both have",
                f"{CLASSES}    def helper(self, z):\n        return z * 3\n\n"
                f"    def construct(self, z):\n        return super().helper(z) + 1\n\n\n{LEAF}pass\n",
            ),
            (
                "same",
                "to a method of the root alone",
                f"{CLASSES}    def construct(self, z):\n        return super().helper(z) + 1\n\n\n{LEAF}pass\n",
            ),
            (
                "same",
                "with its class",
                f"{CLASSES}    {UPWARDS.replace('super()', 'super(Middle, self)')}\n\n{LEAF}pass\n",
            ),
            ("same", "in the class of the object", f"{CLASSES}    {UPWARDS}\n\nLeaf = Middle\n"),
            (
                "same",
                "in a method that is overridden",
                f"{CLASSES}    def helper(self, z):\n        return super().helper(z) + 1\n\n\n"
                f"{LEAF}def helper(self, z):\n        return z * 3\n",
            ),
        )
    ),
    *(
        kind(
            becomes,
            f"method of a derived class {name}",
            "return self.d(self.c(x)).sum()",
            init="self.c = Leaf()",
            before=TEMPLATE.format(code),
        )
        for becomes, name, code in (
            ("same", "only", "z * 2"),
            ("fails", "that has a set", "z * len({1, 2})"),
        )
    ),
]

# what Python computes from the values of tensors
VALUES = [
    *(
        kind(becomes, f"factor {name}", f"{before}return self.d(x).sum() * {code}", init=init)
        for becomes, name, before, code, init in (
            ("differs", "all of a comprehension", "", "all(v > -9 for v in x.flatten())", "pass"),
            ("differs", "float of all", "", "float(all([v.sum() > -9 for v in x]))", "pass"),
            ("differs", "any of a shape", "", "any(n > 0 for n in x.shape)", "pass"),
            ("same", "any of constants", "", "any(v > 0 for v in self.p)", "self.p = [1.0, -1.0]"),
            ("differs", "max of a Parameter", "", "max(self.p, 0.5)", PARAMETER.format("1.0", False)),
            ("differs", "max of an element", "", "max(self.p[1], 0.5)", PARAMETER.format("[1.0, 2.0]", False)),
            ("differs", "max of what is read", "", "max(self.p.item(), 0.5)", PARAMETER.format("1.0", False)),
            ("differs", "min of a method", "", "min(self.p.exp(), 100)", PARAMETER.format("1.0", True)),
            ("differs", "list at a Parameter", "", "[1.0, 2.0, 3.0][self.p[1]]", PARAMETER.format("[1, 2]", False)),
            ("same", "element of a Parameter", "", "self.p[1]", PARAMETER.format("[1.0, 2.0]", True)),
            ("same", "clamped method", "", "self.p.exp().clamp(max=100)", PARAMETER.format("1.0", True)),
            ("same", "max of a constant", "", "max(self.p, 0.5)", "self.p = Tensor(1.0)"),
            ("differs", "length of a text", "", 'len(f"{x.sum()}")', "pass"),
            ("differs", "length of str", "", "len(str(x.sum()))", "pass"),
            ("differs", "number of a text", "", 'float("%.2f" % x.sum().item())', "pass"),
            ("fails", "number of an f-string", "", 'float(f"{x.sum().item():.2f}")', "pass"),
            ("fails", "number of a format", "", 'float("{:.2f}".format(x.sum().item()))', "pass"),
            ("same", "number of a text of a constant", "", 'float(f"{self.p:.2f}")', "self.p = 2.0"),
            ("fails", "abs of a number", "", "abs(float(x.sum()))", "pass"),
            ("fails", "round of a number", "", "round(x.sum().item(), 2)", "pass"),
            ("fails", "round of a name", "v = float(x.sum())\n", "round(v)", "pass"),
            ("same", "abs of a tensor", "", "abs(x.sum())", "pass"),
            ("same", "round of a tensor", "", "round(x.sum())", "pass"),
            ("same", "round of a share of a shape", "", "round(x.shape[0] / 3)", "pass"),
        )
    ),
    kind(
        "same", "callable", "z = self.k(x) if callable(self.k) else x\nreturn self.d(z).sum()", init="self.k = ops.relu"
    ),
    kind(
        "same",
        "callable none",
        "z = self.k(x) if callable(self.k) else x\nreturn self.d(z).sum()",
        init="self.k = None",
    ),
    kind("fails", "round that is printed", "z = self.d(x).sum()\nprint(round(z.item(), 3))\nreturn z"),
    *(
        kind(becomes, f"test {name}", f"{before}z = self.d(x)\nif {test}:\n    z = z * 2\nreturn z.sum()", init=init)
        for becomes, name, before, test, init in (
            ("differs", "of a tensor in a list", "", "y.max() in [1, 3]", "pass"),
            ("differs", "of an element in a tuple", "", "y[0] in (0, 1)", "pass"),
            ("differs", "of a name in a tuple", "t = y.max()\n", "t in (1, 3)", "pass"),
            ("fails", "of an item in a list", "", "y.max().item() in [1, 3]", "pass"),
            ("same", "of an int in a tuple", "", "int(y.max()) in (1, 3)", "pass"),
            ("same", "of a shape in a tuple", "", "x.shape[0] in (4, 8)", "pass"),
            ("same", "of a number in a tensor", "", "3 in y", "pass"),
            ("fails", "of a comprehension that reads a name", LISTED, "all(v.shape == x.shape for v in l)", "pass"),
            ("fails", "of a list that reads the cell", LISTED, "any([len(v) == self.n for v in l])", "self.n = 4"),
            ("same", "of a comprehension", LISTED, "all(v.sum() > -99 for v in l)", "pass"),
            ("same", "of a sum that reads a name", "", "sum(x.shape[i] for i in range(2)) > 1", "pass"),
            ("fails", "of an f-string", "", 'f"{z.sum()}" == "nan"', "pass"),
            ("same", "of str", "", 'str(z.sum()) == "nan"', "pass"),
        )
    ),
]

# loops of which a tensor decides the length
LOOPS = [
    kind(becomes, f"loop {name}", f"{before}{head}:\n    {body}\nreturn {result}")
    for becomes, name, before, head, body, result in (
        ("fails", "over an int", "s = 0\n", "for i in range(int(y.max()))", "s = s + self.d(x).sum()", "s"),
        ("fails", "to an item", "s = 0.0\n", "for i in range(1, y.max().item())", "s += self.d(x).sum()", "s"),
        ("fails", "to a name", "n = int(y.max())\ns = 0\n", "for i in range(n)", "s = s + self.d(x).sum()", "s"),
        ("fails", "over a tensor", "s = x.sum()\n", "for i in range(y.max())", "s = s + self.d(x).sum()", "s"),
        (
            "fails",
            "over an int, list",
            "l = []\n",
            "for i in range(int(y.max()))",
            "l.append(self.d(x))",
            "sum(l).sum()",
        ),
        (
            "fails",
            "over an int, tuple",
            "l = ()\n",
            "for i in range(int(y.max()))",
            "l += (self.d(x),)",
            "sum(l).sum()",
        ),
        (
            "same",
            "over an int, tensor",
            "s = x.sum()\n",
            "for i in range(int(y.max()))",
            "s = s + self.d(x).sum()",
            "s",
        ),
        ("same", "over an int, counted", "n = 0\n", "for i in range(int(y.max()))", "n += 1", "self.d(x).sum() * n"),
        ("same", "over a shape", "s = 0\n", "for i in range(x.shape[0])", "s = s + self.d(x)[i].sum()", "s"),
        ("same", "over rows", "s = 0\n", "for v in y", "s = s + self.d(x).sum() * v", "s"),
        (
            "fails",
            "while a tensor is small",
            "i = x.sum() * 0\ns = 0\n",
            "while i < 3",
            "s = s + self.d(x).sum()\n    i = i + 1",
            "s",
        ),
        (
            "same",
            "while a tensor is small, tensor",
            "i = x.sum() * 0\ns = x.sum()\n",
            "while i < 3",
            "s = s + self.d(x).sum()\n    i = i + 1",
            "s",
        ),
        (
            "fails",
            "that a tensor breaks",
            "s = 0\n",
            "for i in range(9)",
            "if i > y.max():\n        break\n    s = s + self.d(x).sum()",
            "s",
        ),
    )
] + [
    kind("fails", "comprehension as long as a tensor", "return sum([self.d(x).sum() for i in range(int(y.max()))])"),
]

# what the compiler refuses, in an arm that does not run
IDLE_ARM = "s = self.d(x)\nif self.n > 2:\n    {}\nreturn s.sum()"
IDLE = [
    kind("same", f"{name} that does not run", IDLE_ARM.format(line), init="self.n = 1")
    for name, line in (
        ("import", "import math"),
        ("deletion", "del s"),
        ("set", "s = s * len({1, 2})"),
        ("named expression", "s = s * (k := 2)"),
        ("conversion", "s = s * s.tolist()[0]"),
    )
]

# tests on tensors that stand under a name, inside of others, or in a function
TOTAL = "def total(z):\n    return z.sum() * 2.0"
HELD_TESTS = [
    kind(becomes, f"test {name}", f"{body}\nreturn (self.d(x) * k).sum()", before=TOTAL)
    for becomes, name, body in (
        ("same", "under a name", "k, big = 1.0, x.sum() > 0\nif big and x.max() > 0.5:\n    k = 2.0"),
        ("same", "inside of another one", "k = 1.0\nif (x.sum() > 0 or x.max() > 1) and x.min() < 9:\n    k = 2.0"),
        ("fails", "on what a function gives", "k = 0.0\nif total(x) > 0:\n    k = x.max()"),
    )
]

# a Parameter that is read, and assigned after that
STOP = "s = self.d(x) * ops.stop_gradient(self.p)"
HALVE = "ops.assign(self.p, self.p * 0.5)"
SQUARE = "np.full((4, 4), 0.5, np.float32)"
STOPPED = [
    kind(becomes, f"stopped {name}", f"{body}\nreturn s.sum()", init=PARAMETER.format("0.5", False))
    for becomes, name, body in (
        ("differs", "and assigned", f"{STOP}\n{HALVE}"),
        ("differs", "by a name", f"p = ops.stop_gradient(self.p)\ns = self.d(x) * p\n{HALVE}"),
        ("differs", "and set", f"{STOP}\nself.p = self.p * 0.5"),
        ("differs", "and multiplied", f"{STOP}\nself.p *= 0.5"),
        ("differs", "and added to", f"{STOP}\nops.assign_add(self.p, Tensor(0.5))"),
        ("differs", "and assigned under a test", f"{STOP}\nif self.training:\n    {HALVE}"),
        ("same", "after it is assigned", f"{HALVE}\n{STOP}"),
        ("same", "in the other arm", f"s = self.d(x)\nif self.training:\n    {STOP}\nelse:\n    {HALVE}"),
        ("same", "as a product", f"s = self.d(x) * ops.stop_gradient(self.p * 1.0)\n{HALVE}"),
        ("same", "without an assignment", STOP),
    )
]
REASSIGNED = [
    kind(becomes, f"reassigned {name}", f"{body}\nreturn s.sum()", init=PARAMETER.format(SQUARE, False))
    for becomes, name, body in (
        ("differs", "factor", f"s = self.d(x) * self.p\n{HALVE}"),
        ("differs", "factor on the left", f"s = self.p * self.d(x)\n{HALVE}"),
        ("differs", "divisor", f"s = self.d(x) / self.p\n{HALVE}"),
        ("differs", "matrix", f"s = self.d(x) @ self.p\n{HALVE}"),
        ("differs", "argument", f"s = ops.matmul(self.d(x), self.p)\n{HALVE}"),
        ("differs", "attribute", "s = self.d(x) * self.p\nself.p = self.p * 0.5"),
        ("differs", "attribute in place", "s = self.d(x) * self.p\nself.p *= 0.5"),
        ("differs", "factor under a test", f"s = self.d(x) * self.p\nif self.training:\n    {HALVE}"),
        ("same", "factor after it", f"{HALVE}\ns = self.d(x) * self.p"),
        ("same", "in the other arm", f"s = self.d(x)\nif self.training:\n    s = s * self.p\nelse:\n    {HALVE}"),
        ("same", "sum", f"s = self.d(x) + self.p\n{HALVE}"),
        ("same", "copy", f"s = self.d(x) * (self.p * 1.0)\n{HALVE}"),
        ("same", "function", f"s = self.d(x) / ops.sqrt(self.p)\n{HALVE}"),
        ("same", "argument of the assignment", "s = self.d(x)\nops.assign(self.p, self.p * 0.5)"),
    )
]

LAYERS = "self.l = nn.CellList([nn.Dense(4, 4, weight_init=w) for w in ('ones', 'zeros', 'ones')])\nself.n = 3"
TURNED = [
    kind(becomes, f"reversed {name}", body, init=LAYERS, names=names)
    for becomes, name, body, names in (
        *(
            ("same", f"range {name}", f"for i in {over}:\n    x = self.l[i](x) * (i + 1)\nreturn x.sum()", "")
            for name, over in (
                ("to an attribute", "reversed(range(self.n))"),
                ("from a number", "reversed(range(1, 3))"),
                ("with a step", "reversed(range(0, self.n, 2))"),
                ("to a difference", "reversed(range(self.n - 1))"),
                ("in a list", "list(reversed(range(self.n)))"),
            )
        ),
        ("same", "range in a sum", "return sum([self.l[i](x) for i in reversed(range(3))]).sum()", ""),
        *(
            ("same", name, f"n = {made}\nfor i in reversed(range(n)):\n    x = self.l[i](x)\nreturn x.sum()", "")
            for name, made in (("range to a name", "self.n"), ("range to the name of a size", "x.ndim"))
        ),
        *(
            ("fails", name, f"for {head}:\n    x = self.l[i](x)\nreturn x.sum()", names)
            for name, head, names in (
                ("range to a size", "i in reversed(range(x.ndim))", "reversed(range(x.ndim))"),
                ("range to a length", "i in reversed(range(len(self.l)))", "reversed(range(len(self.l)))"),
                ("range in a count", "j, i in enumerate(reversed(range(3)))", "enumerate(reversed(range(3)))"),
                ("range beside tensors", "z, i in zip([x, x], reversed(range(2)))", "zip([x, x], reversed(range(2)))"),
            )
        ),
    )
]  # fmt: skip

# a name that a test on a tensor sets to what it began as
PASSES = "{}\nfor t in range(3):\n    {}\n    h = self.d(h)\nreturn h.sum() + self.d(x).sum()"
BEGUN = [
    kind(becomes, f"set back {name}", PASSES.format(before, body.replace("\n", "\n    ")))
    for becomes, name, before, body in (
        ("fails", "to the input", "h = x", "if h.sum() > 2:\n    h = x"),
        ("fails", "to twice the input", "h = x", "if h.sum() > 2:\n    h = x * 2"),
        ("fails", "to zeros like the input", "h = x", "if h.sum() > 2:\n    h = ops.zeros_like(x)"),
        ("fails", "by a test on another", "h = x", "if x.sum() > 2:\n    h = x"),
        ("fails", "in the other arm", "h = x", "if h.sum() > 2:\n    h = h * 2\nelse:\n    h = x * 2"),
        ("fails", "in an alternative", "h = x", "h = x if h.sum() > 2 else h"),
        ("fails", "under another name", "h = x", "z = h\nif h.sum() > 2:\n    z = x\nh = z"),
        ("fails", "to what was computed", "b = self.d(x)\nh = b", "if h.sum() > 2:\n    h = b"),
        ("same", "to itself and more", "h = x", "if h.sum() > 2:\n    h = h + x"),
        ("same", "to twice itself", "h = x", "if h.sum() > 2:\n    h = h * 2"),
        ("same", "in both arms", "h = x", "if h.sum() > 2:\n    h = x * 2\nelse:\n    h = x * 3"),
        ("same", "to zeros", "h = x", "if h.sum() > 2:\n    h = ops.zeros((4, 4))"),
        ("same", "to another input", "h = self.d(x)", "if h.sum() > 2:\n    h = x"),
        ("same", "behind a layer", "h = x", "h = self.d(h)\nif h.sum() > 2:\n    h = x"),
        ("same", "under a number", "h = x", "if t > 0:\n    if h.sum() > 2:\n        h = x"),
        ("same", "to what the loop computes", "h = x", "z = x * 2\nif h.sum() > 2:\n    h = z"),
    )
]

# a name that is a tensor after one arm of a test on a tensor, and a number after the other
ARMS = "h = self.d(x)\nif {}:\n    s = {}\nelse:\n    s = {}\n{}return h.sum() + s"
BOTH_ARMS = [
    kind(becomes, f"both arms, {name}", ARMS.format(test, one, other, after))
    for becomes, name, test, one, other, after in (
        ("fails", "a number behind", "h.sum() > 0", "h.mean()", "0.0", ""),
        ("fails", "a number ahead", "h.sum() > 0", "0", "h.mean()", ""),
        ("fails", "None", "h.sum() > 0", "h.mean()", "None", "s = h.mean() if s is None else s\n"),
        ("fails", "a batch", "y[0] > 0", "h.mean()", "0.0", ""),
        ("same", "numbers", "h.sum() > 0", "2.0", "1.0", ""),
        ("same", "numbers of two types", "h.sum() > 0", "2.0", "1", ""),
        ("same", "a number that is read", "h.sum() > 0", "float(h.mean())", "0.0", ""),
        ("same", "set again", "h.sum() > 0", "h.mean()", "0.0", "s = h.max()\n"),
        ("same", "a test on the mode", "self.training", "h.mean()", "0.0", ""),
        ("same", "a test on a shape", "x.shape[0] > 2", "h.mean()", "0.0", ""),
    )
]

# a test on a tensor of the batch, which a loop over a dataset gives
OF_ROWS = "h = self.d(x)\ns = {}\nfor i in range(4):\n    if {}:\n        {}\nreturn h.sum() + s"
HELPER = """def f(self, h, t):
    s = 0.0
    for i in range(4):
        if t[i] == 1:
            s = s + h[i].sum()
    return h.sum() + s"""
OF_BATCH = [
    kind(becomes, f"test on a batch, {name}", OF_ROWS.format(start, test, body))
    for becomes, name, start, test, body in (
        ("fails", "sum from a float", "0.0", "y[i] > 1", "s = s + h[i].sum()"),
        ("fails", "sum from an int", "0", "y[i] > 1", "s += h[i].sum()"),
        ("fails", "equal", "0.0", "y[i] == 1", "s += h[i].sum()"),
        ("same", "count", "0", "y[i] > 1", "s += 1"),
        ("same", "sum of a tensor", "h[0].sum()", "y[i] > 1", "s += h[i].sum()"),
        ("same", "number of the loop", "0.0", "i > 1", "s += h[i].sum()"),
    )
]
OF_BATCH += [
    kind(becomes, f"test on a batch, {name}", f"return self.f(self.d(x), {given})", methods=HELPER)
    for becomes, name, given in (("fails", "passed on", "y"), ("same", "numbers passed", "(1, 2, 0, 0)"))
]

PYTHON_KINDS: list[Kind] = [
    *SUPERS,
    *VALUES,
    *LOOPS,
    *IDLE,
    *HELD_TESTS,
    *STOPPED,
    *REASSIGNED,
    *TURNED,
    *BEGUN,
    *BOTH_ARMS,
    *OF_BATCH,
]
