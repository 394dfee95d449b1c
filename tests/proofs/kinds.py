"""Kinds of code in `construct`: what graph mode makes of each, and what the rule says of it (see `test_kinds.py`)."""

from __future__ import annotations

import textwrap
from typing import NamedTuple

from programs import join


class Kind(NamedTuple):
    """A program whose `construct` holds one kind of code: it becomes "same" in graph mode, "fails" or "differs"."""

    name: str
    text: str
    becomes: str
    names: str = ""  # what the reason says is not known to compile

    def __str__(self) -> str:
        return self.name.replace(" ", "-")


HEAD = """
    import functools
    import numpy as np
    import mindspore as ms
    from mindspore import Tensor, dataset as ds, nn, ops

    ms.set_context(mode=ms.PYNATIVE_MODE)


    """
CLASS = """
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.d = nn.Dense(4, 4, weight_init="ones", bias_init="zeros")
    """
LOOP = """


    net = Net()
    net.set_train()
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    samples = np.arange(48).reshape(12, 4).astype(np.float32) / 10 - 0.5
    labels = np.tile(np.arange(4), 3).astype(np.int32)
    train_set = ds.NumpySlicesDataset({"x": samples, "y": labels}, shuffle=False).batch(4, drop_remainder=True)
    grad_fn = ms.value_and_grad(net, None, optimizer.parameters)
    losses = []
    for x, y in train_set.create_tuple_iterator():
        value, grads = grad_fn(x, y)
        optimizer(grads)
        losses.append(value)
    """


def kind(
    becomes: str, name: str, body: str, *, init: str = "pass", before: str = "", methods: str = "", names: str = ""
) -> Kind:
    made = textwrap.indent(init, " " * 8)
    own = textwrap.indent(methods, " " * 4)
    code = textwrap.indent(body, " " * 8)
    head = f"{join(HEAD)}{before}\n\n\n{join(CLASS)}{made}\n\n{own}\n\n"
    return Kind(name, f"{head}    def construct(self, x, y):\n{code}\n{join(LOOP)}", becomes, names)


PAIR = "self.c0 = nn.Dense(4, 4, weight_init='ones')\nself.c1 = nn.Dense(4, 4, weight_init='ones')\n"
HELD = f"{PAIR}self.l = [self.c0, self.c1]"
ROW = "nn.Dense(4, 4, weight_init='ones'), nn.Dense(4, 4, weight_init='ones'), nn.ReLU()"
CHILD = """class C2(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = nn.Dense(4, 4, weight_init="ones")
        self.b = nn.Dense(4, 4, weight_init="ones")

    def construct(self, z):
        return self.b(self.a(z))
"""

SCALE = """class Scale(nn.Cell):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def construct(self, z):
        return z * self.k
"""

SIZES = (
    ("slice", "return self.d(x)[: i[0].item()].sum()", "self.d(x)[: i[0].item()]"),
    ("slice by name", "n = i.max().item()\nreturn self.d(x)[:, :n].sum()", "self.d(x)[:, :n]"),
    ("slice of int", "return self.d(x)[int(i[0].item()) :].sum()", "self.d(x)[int(i[0].item()) :]"),
    ("index", "return self.d(x)[i[0].item()].sum()", "self.d(x)[i[0].item()]"),
    ("reshape", "return self.d(x).reshape(i[0].item(), -1).sum()", "self.d(x).reshape(i[0].item(), -1)"),
    ("zeros", "return (self.d(x)[:2] + ops.zeros((i[0].item(), 4))).sum()", "ops.zeros((i[0].item(), 4))"),
)

GIVES_PAIR = "def pair(self, x):\n    return self.d(x), self.d(x)"
KINDS = [
    *(
        kind(
            "same",
            f"list that becomes a CellList, {name}",
            f"{body}\nreturn x.sum()",
            init="self.l = []\nfor i in range(2):\n    self.l.append(nn.Dense(4, 4, weight_init='ones'))\n"
            "self.l = nn.CellList(self.l)",
        )
        for name, body in (
            ("by index", "for i in range(2):\n    x = self.l[i](x)"),
            ("row by row", "for row in self.l:\n    x = row(x)"),
        )
    ),
    kind("same", "for tensor", "s = 0\nfor r in x:\n    s = s + r.sum()\nreturn self.d(x).sum() + s"),
    kind("same", "star assign", "a, *b = (x, x * 2, x * 3)\nreturn self.d(a + b[0] + b[1]).sum()"),
    kind(
        "same", "list setitem loop", "l = [None] * 3\nfor i in range(3):\n    l[i] = x * i\nreturn self.d(l[2]).sum()"
    ),
    kind("same", "list append stack", "l = []\nfor i in range(3):\n    l.append(self.d(x))\nreturn ops.stack(l).sum()"),
    *(
        kind(
            becomes,
            f"tuple added to {name}",
            f"l = {of}\nn = self.f(l, x)\nreturn n[-1].sum() + len(n) + len(l)",
            init="self.t = (Tensor(1.0),)",
            methods="def f(self, l, x):\n    l = () if l is None else l\n    l += (self.d(x),)\n    return l",
        )
        for becomes, name, of in (
            ("same", "that of a caller", "(x,)"),
            ("same", "an attribute", "self.t"),
            ("fails", "a list", "[x]"),
        )
    ),
    *(
        kind(becomes, f"list iadd: {code}", f"l = {first}\n{code}\nreturn l[-1].sum() + len(l)", methods=GIVES_PAIR)
        for becomes, first, code in (
            ("fails", "[self.d(x)]", "l += (self.d(x),)"),
            ("fails", "[]", "l += (self.d(x),)"),
            ("fails", "[self.d(x)]", "m = (x, self.d(x))\nl += m"),
            ("fails", "[self.d(x)]", "l += self.pair(x)"),
            ("fails", "[self.d(x)]", "l += ops.split(self.d(x), 1)"),
            ("fails", "[self.d(x)]", "l += tuple([self.d(x)])"),
            ("same", "[self.d(x)]", "l += [self.d(x)]"),
            ("same", "[self.d(x)]", "l += list(ops.split(self.d(x), 1))"),
            ("same", "(self.d(x),)", "l += self.pair(x)"),
            ("same", "(self.d(x),)", "l += ops.split(self.d(x), 1)"),
        )
    ),
    kind("same", "tuple iadd", "l = ()\nfor i in range(3):\n    l += (x * i,)\nreturn self.d(l[2]).sum()"),
    kind(
        "same",
        "nested list append",
        "l = [[], []]\nfor i in range(2):\n    l[i].append(x)\nreturn self.d(l[1][0]).sum()",
    ),
    kind("same", "dict read", "d = {'a': x, 'b': x * 2}\nreturn self.d(d['b']).sum()"),
    kind("same", "dict made empty", "d = dict()\nd['a'] = self.d(x)\nd['b'] = x\nreturn (d['a'] * 2 + d['b']).sum()"),
    kind("same", "dict change shape", "d = {'a': x}\nd['a'] = self.d(x)\nreturn d['a'].sum()"),
    kind("same", "dict get none", "d = {'a': x}\nz = d.get('b')\nif z is None:\n    z = x\nreturn self.d(z).sum()"),
    kind(
        "same",
        "dict items",
        "d = {'a': x, 'b': x * 2}\ns = 0\nfor k, v in d.items():\n    s = s + v\nreturn self.d(s).sum()",
    ),
    kind(
        "same",
        "dict values",
        "d = {'a': x, 'b': x * 2}\ns = 0\nfor v in d.values():\n    s = s + v\nreturn self.d(s).sum()",
    ),
    kind("same", "dict in", "d = {'a': x, 'b': x * 2}\nif 'a' in d:\n    return self.d(x).sum()\nreturn x.sum()"),
    kind(
        "same",
        "kwargs const",
        "return self.f(x, scale=2)",
        methods="def f(self, x, **kw):\n    return self.d(x).sum() * kw['scale']",
    ),
    kind(
        "same",
        "kwargs tensor",
        "return self.f(x, w=x)",
        methods="def f(self, x, **kw):\n    return self.d(x * kw['w']).sum()",
    ),
    kind(
        "same",
        "kwargs pass",
        "return self.f(x, w=x)",
        methods="def f(self, x, **kw):\n    return self.g(x, **kw)\ndef g(self, x, w):\n    return self.d(x * w).sum()",
    ),
    kind(
        "same",
        "kwargs call dict",
        "d = {'w': x}\nreturn self.g(x, **d)",
        methods="def g(self, x, w):\n    return self.d(x * w).sum()",
    ),
    kind(
        "same",
        "args pass",
        "return self.f(x, x)",
        methods="def f(self, *a):\n    return self.g(*a)\ndef g(self, x, w):\n    return self.d(x * w).sum()",
    ),
    kind("same", "isinstance tensor", "if isinstance(x, ms.Tensor):\n    return self.d(x).sum()\nreturn x.sum()"),
    kind("same", "hasattr", "if hasattr(self, 'd'):\n    return self.d(x).sum()\nreturn x.sum()"),
    kind("same", "getattr", "return getattr(self, 'd')(x).sum()"),
    kind(
        "same",
        "cells loop",
        "for c in self.l:\n    x = c(x)\nreturn self.d(x).sum()",
        init="self.l = nn.CellList([nn.Dense(4, 4), nn.Dense(4, 4)])",
    ),
    kind(
        "same",
        "cells index",
        "for i in range(len(self.l)):\n    x = self.l[i](x)\nreturn self.d(x).sum()",
        init="self.l = nn.CellList([nn.Dense(4, 4), nn.Dense(4, 4)])",
    ),
    kind(
        "same",
        "cells comp",
        "z = [c(x) for c in self.l]\nreturn self.d(z[0] + z[1]).sum()",
        init="self.l = nn.CellList([nn.Dense(4, 4), nn.Dense(4, 4)])",
    ),
    kind(
        "same",
        "seq index",
        "return self.d(self.l[0](x)).sum()",
        init="self.l = nn.SequentialCell(nn.Dense(4, 4), nn.ReLU())",
    ),
    kind("same", "celldict", "return self.d(self.l['a'](x)).sum()", init="self.l = nn.CellDict({'a': nn.Dense(4, 4)})"),
    kind(
        "same",
        "attr dict items",
        "for a, b in self.k.items():\n    x = x * b\nreturn self.d(x).sum()",
        init="self.k = {'a': 2, 'b': 3}",
    ),
    kind(
        "same",
        "attr list tensors",
        "for i in self.k:\n    x = x * i\nreturn self.d(x).sum()",
        init="self.k = [ms.Tensor(1.0), ms.Tensor(2.0)]",
    ),
    kind(
        "same",
        "attr str in",
        "if self.k in ('sum', 'mean'):\n    return self.d(x).sum()\nreturn self.d(x).mean()",
        init="self.k = 'sum'",
    ),
    kind("same", "attr fn", "return self.k(self.d(x)).sum()", init="self.k = ops.relu"),
    kind(
        "same",
        "attr userfn",
        "return self.k(self.d(x)).sum()",
        init="self.k = helper",
        before="def helper(z):\n    return z * 2",
    ),
    kind("same", "attr dict fn", "return self.k['a'](self.d(x)).sum()", init="self.k = {'a': ops.relu}"),
    kind(
        "same",
        "attr tuple prims",
        "for c in self.k:\n    x = c(x)\nreturn self.d(x).sum()",
        init="self.k = (ops.ReLU(), ops.Abs())",
    ),
    kind(
        "same",
        "attr obj",
        "return self.d(x).sum() * self.cfg.a",
        init="self.cfg = Cfg()",
        before="class Cfg:\n    def __init__(self):\n        self.a = 2",
    ),
    kind(
        "same",
        "attr obj method t",
        "return self.cfg.f(self.d(x)).sum()",
        init="self.cfg = Cfg()",
        before="class Cfg:\n    a = 2\n\n    def f(self, z):\n        return z * self.a",
    ),
    kind(
        "same",
        "attr namespace",
        "return self.d(x).sum() * self.cfg.a",
        init="self.cfg = argparse.Namespace(a=2)",
        before="import argparse",
    ),
    kind(
        "same",
        "attr dataclass",
        "return self.d(x).sum() * self.cfg.a",
        init="self.cfg = Cfg()",
        before="import dataclasses\n@dataclasses.dataclass\nclass Cfg:\n    a: int = 2",
    ),
    kind("same", "attr property", "return self.d(x).sum() * self.pp", methods="@property\ndef pp(self):\n    return 2"),
    kind(
        "same", "staticmethod", "return self.sm(self.d(x)).sum()", methods="@staticmethod\ndef sm(z):\n    return z * 2"
    ),
    kind("same", "inner fn closure", "a = 2\ndef f(z):\n    return self.d(z) * a\nreturn f(x).sum()"),
    kind("same", "inner lambda", "f = lambda z: self.d(z) * 2\nreturn f(x).sum()"),
    kind("same", "map lambda", "z = list(map(lambda q: q * 2, [x, x]))\nreturn self.d(z[0]).sum()"),
    kind("same", "map cell", "z = tuple(map(self.d, [x, x]))\nreturn z[0].sum()"),
    kind("same", "filter", "z = list(filter(lambda q: q > 1, [1, 2]))\nreturn self.d(x).sum() * z[0]"),
    kind("same", "sum gen", "return sum(self.d(x * i).sum() for i in range(3))"),
    kind("same", "list comp if", "z = [self.d(x * i) for i in range(3) if i > 0]\nreturn z[0].sum()"),
    kind("same", "max min py", "return self.d(x).sum() * max(1, 2) * min(x.shape[0], 8)"),
    kind("differs", "max of a tensor and a number", "return max(self.d(x).sum(), 0.1)"),
    kind("differs", "share of a mask, at least one", "return self.d(x).sum() / max((y > 0).sum(), 1)"),
    kind("differs", "min of numbers that are read", "return self.d(x).sum() * min(1.0, float(x.mean()))"),
    kind("differs", "max in a list, behind a stop", "return self.d(x).sum() * ops.stop_gradient(max([y.sum(), 1]))"),
    kind("differs", "logarithm of a max", "return ops.log(max(self.d(x).sum() ** 2, 1e-6))"),
    kind("differs", "all of tensors", "return self.d(x).sum() * all([y.sum() > 0, x.mean() < 5])"),
    kind("differs", "list at a tensor", "rates = [0.1, 0.2, 0.3, 0.4]\nreturn self.d(x).sum() * rates[y.max()]"),
    kind("same", "list at a number", "rates = [0.1, 0.2, 0.3, 0.4]\nreturn self.d(x).sum() * rates[int(y.max())]"),
    kind("same", "max of tensors", "return max(self.d(x).sum(), self.d(x).mean())"),
    kind("same", "max of two shapes", "return self.d(x).sum() * max(x.shape[0], y.shape[0], 2)"),
    kind("same", "max in a test", "z = self.d(x)\nif max(x.sum(), 0.1) > 1:\n    z = z * 2\nreturn z.sum()"),
    kind("same", "largest of ops", "return self.d(x).sum() / ops.maximum((y > 0).sum(), 1)"),
    kind("same", "max of a method", "return self.d(x).sum() * x.max().clip(0.1, 1.0)"),
    *(
        kind("fails", f"one of two types, {name}", f"m = self.d(x).mean()\n{code}")
        for name, code in (
            ("a number", "return m * (m if m < 5 else 1.0)"),
            ("int and float", "return m * (1 if m < 5 else 0.5)"),
            ("a name", "k = m * 2\nif m < 5:\n    k = 1.0\nreturn m * k"),
            ("a result", "if m > 5:\n    return 0.0\nreturn m"),
            ("loss or number", "return m if m < 5 else 0.0"),
        )
    ),
    kind("same", "one of two numbers", "m = self.d(x).mean()\nreturn m * (0.5 if m < 5 else float(m))"),
    kind("same", "one of two numbers, by a name", "m = self.d(x).mean()\nk = 1\nif m < 5:\n    k = 0.5\nreturn m * k"),
    kind("same", "one of two tensors", "m = self.d(x).mean()\nk = m * 2\nif m < 5:\n    k = m + 1.0\nreturn m * k"),
    kind("same", "one of two results", "m = self.d(x).mean()\nif m > 5:\n    return m * 2\nreturn m"),
    kind(
        "same",
        "results of two types, by a shape",
        "m = self.d(x).mean()\nif x.shape[0] > 99:\n    return 0.0\nif m > 5:\n    return m * 2\nreturn m",
    ),
    kind("same", "str format", "z = 'a{}'.format(1)\nif z == 'a1':\n    return self.d(x).sum()\nreturn x.sum()"),
    kind("same", "fstring", "z = f'a{1}'\nif z == 'a1':\n    return self.d(x).sum()\nreturn x.sum()"),
    kind("same", "slice step", "return self.d(x[::2]).sum()"),
    kind("same", "slice none", "return self.d(x)[:, None, :].sum()"),
    kind("same", "index mask rows", "m = y > 0\nreturn self.d(x)[m].sum()"),
    kind("same", "if tensor", "if x.sum() > 0:\n    z = self.d(x)\nelse:\n    z = self.d(x) * 2\nreturn z.sum()"),
    kind("same", "if tensor return", "if x.sum() > 0:\n    return self.d(x).sum()\nreturn self.d(x).mean()"),
    kind(
        "same",
        "while tensor",
        "i = x.sum() * 0\nz = self.d(x)\nwhile i < 3:\n    z = z * 2\n    i = i + 1\nreturn z.sum()",
    ),
    kind(
        "same",
        "while true break",
        "i = 0\nz = self.d(x)\nwhile True:\n    i += 1\n    z = z * 2\n    if i > 2:\n        break\nreturn z.sum()",
    ),
    kind(
        "same",
        "for continue tensor",
        "z = self.d(x)\nfor i in range(4):\n    if z.sum() > 1000:\n        continue\n    z = z * 2\nreturn z.sum()",
    ),
    kind(
        "same",
        "for return tensor",
        "z = self.d(x)\nfor i in range(4):\n    if z.sum() > 9:\n        return z.sum()\n    z = z * 2\nreturn z.sum()",
    ),
    kind("same", "ifexp tensor", "z = self.d(x) if x.sum() > 0 else x\nreturn z.sum()"),
    kind("same", "assert", "assert x.shape[1] == 4, 'no'\nreturn self.d(x).sum()"),
    kind("same", "raise tensor", "if x.sum() > 1e9:\n    raise ValueError('no')\nreturn self.d(x).sum()"),
    kind("same", "print", "print(x.shape, x)\nreturn self.d(x).sum()"),
    kind("same", "training flag", "if self.training:\n    return self.d(x).sum()\nreturn x.sum()"),
    kind("same", "shape star", "return self.d(x).reshape(*x.shape[:1], -1).sum()"),
    kind("same", "shape list", "s = list(x.shape)\ns[1] = -1\nreturn self.d(x).reshape(tuple(s)).sum()"),
    kind("same", "np sqrt const", "return self.d(x).sum() / np.sqrt(x.shape[1])"),
    *(
        kind("same", f"math {word}", f"return self.d(x).sum() / (math.{word}({given}) + 1)", before="import math")
        for given, words in {
            "x.shape[1]": "sqrt isqrt exp expm1 log1p factorial trunc fabs tan atan sinh cosh degrees radians erf",
            "x.shape[1], 6": "gcd comb hypot fmod copysign atan2 isclose",
            "1 / x.shape[1]": "asin acos tanh isfinite isinf isnan",
            "x.shape": "fsum",
        }.items()
        for word in words.split()
    ),
    kind("same", "np prod", "return self.d(x).sum() / np.prod(x.shape)"),
    kind("same", "np array", "return self.d(x).sum() + Tensor(np.array([1, 2]), ms.float32).sum()"),
    kind("same", "cell made", "return nn.ReLU()(self.d(x)).sum()"),
    kind("same", "prim made", "return ops.ReduceSum()(self.d(x))"),
    *(
        kind(
            "same",
            f"cell made of {name}",
            f"return {made}.sum()",
            before=SCALE,
            methods="def scaled(self, z, k):\n    return Scale(k)(z)",
        )
        for name, made in (
            ("a number", "Scale(2.0)(self.d(x))"),
            ("a shape", "Scale(x.shape[0])(self.d(x))"),
            ("a size of the batch", "nn.AvgPool1d(x.shape[1] // 2)(self.d(x).expand_dims(1))"),
            ("a constant of the graph", "Scale(ops.ones((4,), ms.float32))(self.d(x))"),
            ("a number that is passed", "self.scaled(self.d(x), 2.0)"),
            ("a shape that is passed", "self.scaled(self.d(x), x.shape[0])"),
        )
    ),
    *(
        kind(
            "fails",
            f"cell made of {name}",
            f"return {made}.sum()",
            before=SCALE,
            methods="def scaled(self, z, k):\n    return Scale(k)(z)",
            names=names,
        )
        for name, made, names in (
            ("a tensor", "Scale(x.mean())(self.d(x))", "Scale(...)"),
            ("an output", "nn.BCEWithLogitsLoss(pos_weight=self.d(x).mean(0))(x, x)", "nn.BCEWithLogitsLoss(...)"),
            ("a tensor by a name", "Scale(k=x.sum(0))(self.d(x))", "Scale(...)"),
            ("a tensor that is passed", "self.scaled(self.d(x), x.mean())", "Scale(...)"),
            (
                "a distribution",
                "nn.probability.distribution.Categorical(ops.softmax(self.d(x))).log_prob(y)",
                "nn.probability.distribution.Categorical(...)",
            ),
            (
                "a normal distribution",
                "nn.probability.distribution.Normal(self.d(x).mean(), Tensor(1.0)).log_prob(x)",
                "nn.probability.distribution.Normal(...)",
            ),
        )
    ),
    kind(
        "same",
        "user cell made",
        "return C2()(self.d(x)).sum()",
        before="class C2(nn.Cell):\n    def construct(self, z):\n        return z * 2",
    ),
    kind(
        "same",
        "range tensorshape",
        "s = 0\nfor i in range(x.shape[0]):\n    s = s + x[i]\nreturn self.d(x).sum() + s.sum()",
    ),
    kind("same", "item", "if x.sum().item() > 0:\n    return self.d(x).sum()\nreturn x.sum()"),
    *(
        kind("fails", f"item of int32, {name}", f"i = (y * 0 + 2).astype(ms.int32)\n{body}", names=names)
        for name, body, names in SIZES
    ),
    kind(
        "fails",
        "item of int32, loop",
        "s = 0\nfor n in (y * 0 + 2):\n    s = s + self.d(x)[: n.item()].sum()\nreturn s",
        names="self.d(x)[: n.item()]",
    ),
    *(kind("same", f"item of int64, {name}", f"i = (y * 0 + 2).astype(ms.int64)\n{body}") for name, body, _ in SIZES),
    *(
        kind("same", f"item of int32, {name}", f"i = (y * 0 + 2).astype(ms.int32)\n{body}")
        for name, body in (
            ("arithmetic", "return self.d(x)[: i[0].item() + 1].sum()"),
            ("range", "z = self.d(x)\nfor k in range(i[0].item()):\n    z = z + 1\nreturn z.sum()"),
            ("factor", "return (self.d(x) * i[0].item()).sum()"),
            ("tensor", "return self.d(x)[: i[0]].sum()"),
            ("loop over tensor", "s = 0\nfor n in i:\n    s = s + self.d(x)[:n].sum()\nreturn s"),
            ("int", "return self.d(x)[: int(i[0])].sum()"),
        )
    ),
    kind("same", "float tensor", "return self.d(x).sum() * float(x.sum())"),
    kind("same", "global obj", "return self.d(x).sum() * K.a", before="import argparse\nK = argparse.Namespace(a=3)"),
    kind("same", "global cell", "return K(self.d(x)).sum()", before="K = nn.ReLU()"),
    kind("same", "unpack tensor", "a, b, c, d = x\nreturn self.d(a + b + c + d).sum()"),
    kind("same", "chunk loop", "s = 0\nfor a in ops.chunk(x, 2):\n    s = s + a\nreturn self.d(s).sum()"),
    kind("same", "self attr int write", "self.n = self.n + 1\nreturn self.d(x).sum()", init="self.n = 0"),
    kind(
        "same",
        "return dict str",
        "return self.two(x)['a'].sum()",
        methods="def two(self, x):\n    return {'a': self.d(x), 'b': 'no', 'c': 3}",
    ),
    kind(
        "same",
        "recursion",
        "return self.d(x).sum() * self.fac(3)",
        methods="def fac(self, n):\n    if n <= 1:\n        return 1\n    return n * self.fac(n - 1)",
    ),
    kind("same", "bitops", "m = (x > 0) & (x < 1) | ~(x > 2)\nreturn (self.d(x) * m).sum()"),
    kind(
        "same",
        "param list",
        "s = 0\nfor p in self.ps:\n    s = s + p.sum()\nreturn self.d(x).sum() + s",
        init="self.ps = ms.ParameterTuple([ms.Parameter(ops.ones(2), name='a'), ms.Parameter(ops.ones(2), name='b')])",
    ),
    kind(
        "same",
        "child return dict",
        "return self.c(self.d(x))['a'].sum()",
        init="self.c = C2()",
        before="class C2(nn.Cell):\n    def construct(self, z):\n        return {'a': z * 2}",
    ),
    kind(
        "same",
        "child starkw",
        "return self.c(self.d(x), w=x).sum()",
        init="self.c = C2()",
        before="class C2(nn.Cell):\n    def construct(self, z, **k):\n        return z * k['w']",
    ),
    kind(
        "same",
        "child list arg",
        "return self.c([self.d(x), x]).sum()",
        init="self.c = C2()",
        before="class C2(nn.Cell):\n    def construct(self, z):\n        return z[0] * z[1]",
    ),
    kind(
        "same",
        "child dict arg",
        "return self.c({'a': self.d(x), 'b': x}).sum()",
        init="self.c = C2()",
        before="class C2(nn.Cell):\n    def construct(self, z):\n        return z['a'] * z['b']",
    ),
    kind("fails", "for else", "for i in range(2):\n    x = x * 2\nelse:\n    x = x + 1\nreturn self.d(x).sum()"),
    kind("differs", "list sort", "l = [3, 1, 2]\nl.sort()\nreturn self.d(x).sum() * l[0]", names="l.sort(...)"),
    kind("fails", "list copy", "l = [x, x].copy()\nreturn self.d(l[0]).sum()", names="[x, x].copy(...)"),
    kind(
        "fails",
        "dict set str",
        "d = {}\nd['a'] = x\nd['b'] = 'sum'\nreturn self.d(d['a']).sum()",
        names="d['b'] = 'sum'",
    ),
    kind(
        "fails",
        "dict set none",
        "d = {}\nd['a'] = x\nd['b'] = None\nreturn self.d(d['a']).sum()",
        names="d['b'] = None",
    ),
    kind("fails", "dict call", "d = dict(a=x, b=x * 2)\nreturn self.d(d['b']).sum()", names="dict(...)"),
    kind("fails", "dict pop", "d = {'a': x, 'b': x}\nz = d.pop('a')\nreturn self.d(z).sum()", names="d.pop(...)"),
    kind(
        "fails",
        "dict setdefault",
        "d = {'a': x}\nz = d.setdefault('b', x)\nreturn self.d(z).sum()",
        names="d.setdefault(...)",
    ),
    kind(
        "fails",
        "cells reversed",
        "for c in reversed(self.l):\n    x = c(x)\nreturn self.d(x).sum()",
        init="self.l = nn.CellList([nn.Dense(4, 4), nn.Dense(4, 4)])",
        names="reversed(self.l)",
    ),
    kind(
        "differs",
        "attr partial",
        "return self.k(self.d(x)).sum()",
        init="self.k = functools.partial(helper, b=2)",
        before="import functools\ndef helper(z, b):\n    return z * b",
        names="self.k(...)",
    ),
    kind(
        "fails",
        "classmethod",
        "return self.sm(self.d(x)).sum()",
        methods="@classmethod\ndef sm(cls, z):\n    return z * 2",
        names="@classmethod",
    ),
    kind("fails", "list comp nested", "z = [self.d(x * i * j) for i in range(2) for j in range(2)]\nreturn z[3].sum()"),
    kind(
        "fails",
        "reversed list",
        "for i in reversed([x, x * 2]):\n    z = i\nreturn self.d(z).sum()",
        names="reversed([x, x * 2])",
    ),
    kind("fails", "set disp", "z = {1, 2}\nif 1 in z:\n    return self.d(x).sum()\nreturn x.sum()"),
    kind("differs", "inplace method", "z = self.d(x) * 1\nz.add_(1)\nreturn z.sum()", names="z.add_(...)"),
    kind("fails", "tensor of tensor", "return self.d(Tensor(x)).sum()", names="Tensor(...)"),
    kind(
        "differs",
        "user obj made t",
        "o = Obj(self.d(x))\nreturn o.a.sum()",
        before="class Obj:\n    def __init__(self, a):\n        self.a = a",
        names="Obj(...)",
    ),
    *(
        kind(
            becomes,
            f"{name} under a test on a tensor",
            f"h = self.d(x)\ns = h.mean()\nk = 0.5\nif h.sum() > 0:\n{textwrap.indent(code, '    ')}\n{after}",
        )
        for becomes, name, code, after in (
            ("same", "tuple of one arm", "l = ()\nfor i in range(2):\n    l += (h * i,)\ns = l[1].sum()", "return s"),
            (
                "same",
                "list of one arm",
                "l = []\nfor i in range(2):\n    l.append(h * i)\ns = ops.stack(l).sum()",
                "return s",
            ),
            ("same", "dict of one arm", "l = {}\nl['a'] = h * 2\ns = l['a'].sum()", "return s"),
            ("same", "list of one arm, made full", "l = [h]\nl.append(h * 2)\ns = (l[0] + l[1]).sum()", "return s"),
            ("fails", "list that is read after", "l = [h]\nl.append(h * 2)", "return s + l[0].sum()"),
            ("same", "number read from a tensor", "s = float(h.sum()) * h.mean()", "return s"),
            ("same", "number that stays a float", "k = float(h.sum())", "return s * k"),
            ("fails", "number that becomes an int", "k = int(h.sum())", "return s * k"),
            ("fails", "number that becomes a tensor", "k = h.sum()", "return s * k"),
        )
    ),
    *(
        kind(
            becomes,
            f"second derivative of {name}",
            f"def inner(z):\n    return {code}\ng = ops.grad(inner)(x)\nreturn (g ** 2).sum() + self.d(x).mean()",
            init=init,
        )
        for becomes, name, code, init in (
            ("differs", "matmul", "ops.matmul(ops.tanh(z), self.d.weight).sum()", "pass"),
            ("differs", "the operator", "(ops.tanh(z) @ self.d.weight).sum()", "pass"),
            ("differs", "bmm", "ops.bmm(ops.tanh(z)[None], self.d.weight[None]).sum()", "pass"),
            ("differs", "a convolution", "self.c(ops.tanh(z)[None, None]).sum()", "self.c = nn.Conv2d(1, 2, 3)"),
            ("same", "Dense", "self.d(ops.tanh(z)).sum()", "pass"),
            ("same", "MatMul", "self.m(ops.tanh(z), self.d.weight).sum()", "self.m = ops.MatMul()"),
        )
    ),
    kind(
        "fails",
        "grad inside",
        "g = ops.grad(self.d)(x)\nreturn self.d(x).sum() + g.sum()",
        names="ops.grad(self.d)(...)",
    ),
    kind(
        "fails",
        "dtype to np",
        "return self.d(x).sum() + float(np.finfo(ms.dtype_to_nptype(x.dtype)).min) * 0",
        names="np.finfo(...)",
    ),
    kind(
        "differs",
        "self attr tensor write",
        "self.n = x * 2\nreturn self.d(self.n).sum()",
        init="self.n = None",
        names="self.n = x * 2",
    ),
    kind(
        "fails",
        "self attr list write",
        "self.n = [x, x]\nreturn self.d(self.n[0]).sum()",
        init="self.n = []",
        names="self.n = [x, x]",
    ),
    kind(
        "fails",
        "child custom call",
        "return self.c(self.d(x)).sum()",
        init="self.c = C2()",
        before="class C2(nn.Cell):\n    def __call__(self, z):\n        return z * 2",
        names="self.c(...)",
    ),
    kind(
        "fails",
        "functools reduce",
        "z = functools.reduce(lambda a, b: a + b, [x, x])\nreturn self.d(z).sum()",
        before="import functools",
        names="functools.reduce(...)",
    ),
    kind(
        "fails",
        "operator mul",
        "return self.d(x).sum() * functools.reduce(operator.mul, x.shape)",
        before="import functools, operator",
        names="functools.reduce(...)",
    ),
    kind(
        "fails",
        "defaultdict",
        "z = collections.defaultdict(list)\nz['a'].append(x)\nreturn self.d(x).sum()",
        before="import collections",
        names="collections.defaultdict(...)",
    ),
    # through a mask
    kind("same", "mask number", "w = self.d(x) * 1\nw[w > 0] = 0.5\nreturn w.sum()"),
    kind("same", "mask name number", "w = self.d(x) * 1\nm = ~(w > 0)\nw[m] = -1e9\nreturn w.sum()"),
    kind("same", "mask sum", "w = self.d(x) * 1\nm = w > 0\nw[m] = w.sum()\nreturn w.sum()"),
    kind("same", "mask and column", "w = self.d(x) * 1\nw[y > 0, 0] = w[y > 0, 1]\nreturn w.sum()"),
    kind("same", "mask fill", "w = self.d(x)\nreturn w.masked_fill(w > 0, 0.5).sum()"),
    kind("same", "mask where", "w = self.d(x)\nreturn ops.where(w > 0, w, 1 / w).sum()"),
    kind("same", "mask selects", "w = self.d(x)\nreturn ops.masked_select(w, w > 0).mean()"),
    kind("same", "mask loss", "return ops.cross_entropy(self.d(x)[y > 0], y[y > 0])"),
    kind("same", "mask tests", "z = self.d(x)[y > 0]\nif z.shape[0] == 0:\n    return x.sum()\nreturn z.sum()"),
    kind("same", "index rows", "w = self.d(x) * 1\ni = y[:2]\nw[i] = w[i] * 2\nreturn w.sum()"),
    kind("fails", "mask reciprocal", "w = self.d(x) * 1\nw[w > 0] = 1 / w[w > 0]\nreturn w.sum()"),
    kind("fails", "mask of another", "w = self.d(x) * 1\nm = w > 0\nv = x[m]\nw[m] = v * 2\nreturn w.sum()"),
    kind("fails", "mask adds", "w = self.d(x) * 1\nw[w > 0] += 1\nreturn w.sum()"),
    kind("fails", "mask rows", "w = self.d(x) * 1\nw[y > 0] = w[y > 0] * 2\nreturn w.sum()"),
    kind(
        "fails",
        "mask select assigned",
        "w = self.d(x) * 1\nm = ops.logical_and(w > 0, w < 1)\nw[m] = ops.masked_select(w, m) * 2\nreturn w.sum()",
    ),
    kind("differs", "mask row", "w = self.d(x) * 1\nw[y > 0] = w[0]\nreturn w.sum()", names="w[y > 0]"),
    kind(
        "fails",
        "mask loop",
        "s = 0\nfor r in self.d(x)[y > 0]:\n    s = s + r.sum()\nreturn s",
        names="for r in self.d(x)[y > 0]",
    ),
    # of a length that the data decides
    kind(
        "fails",
        "loop over classes",
        "w = self.d(x)\ns = 0\nfor c in ops.unique(y)[0]:\n    s = s + w.sum() * c\nreturn s",
        names="for c in ops.unique(y)[0]",
    ),
    kind(
        "fails",
        "loop over unpacked classes",
        "w = self.d(x)\ns = 0\nu, _ = ops.unique(y)\nfor c in u:\n    s = s + w.sum() * c\nreturn s",
        names="for c in u",
    ),
    kind(
        "fails",
        "loop over a selection",
        "w = self.d(x)\ns = 0\nfor c in ops.masked_select(y, y > 0):\n    s = s + w.sum() * c\nreturn s",
        names="for c in ops.masked_select(y, y > 0)",
    ),
    kind(
        "fails",
        "loop over what is found",
        "w = self.d(x)\ns = 0\nfor r in ops.nonzero(y):\n    s = s + w.sum() * r[0]\nreturn s",
        names="for r in ops.nonzero(y)",
    ),
    kind(
        "differs", "number of classes", "return self.d(x).sum() / len(ops.unique(y)[0])", names="len(ops.unique(y)[0])"
    ),
    kind("same", "classes by shape", "return self.d(x).sum() / ops.unique(y)[0].shape[0]"),
    kind("same", "sum of classes", "return self.d(x).sum() * ops.unique(y)[0].sum()"),
    kind("same", "number of rows", "return self.d(x).sum() / len(y)"),
    # cells by a name, in lists
    kind(
        "same", "getattr name", "for i in (0, 1):\n    x = getattr(self, f'c{i}')(x)\nreturn self.d(x).sum()", init=PAIR
    ),
    kind(
        "same",
        "getattr of a child",
        "for n in ('a', 'b'):\n    x = getattr(self.c, n)(x)\nreturn self.d(x).sum()",
        init="self.c = C2()",
        before=CHILD,
    ),
    kind("same", "list of held cells", "z = [c(x) for c in self.l]\nreturn self.d(z[0] * z[1]).sum()", init=HELD),
    kind("same", "index of held cells", "for i in range(2):\n    x = self.l[i](x)\nreturn self.d(x).sum()", init=HELD),
    kind(
        "same",
        "dict of held cells",
        "for c in self.l.values():\n    x = c(x)\nreturn self.d(x).sum()",
        init=f"{PAIR}self.l = {{'a': self.c0, 'b': self.c1}}",
    ),
    kind(
        "same",
        "list of a row",
        "for c in self.l:\n    x = c(x)\nreturn self.d(x).sum()",
        init="self.l = [nn.Dense(4, 4), nn.Dense(4, 4)]\nself.row = nn.CellList(self.l)",
    ),
    kind(
        "same",
        "list of other names",
        "for c in self.l:\n    x = c(x)\nreturn self.d(x).sum()",
        init="self.l = [nn.Dense(4, 4), nn.LayerNorm((4,)), nn.ReLU()]",
    ),
    kind(
        "fails",
        "list of same names",
        "for c in self.l:\n    x = c(x)\nreturn self.d(x).sum()",
        init="self.l = [nn.Dense(4, 4), nn.Dense(4, 4)]",
    ),
    kind(
        "differs",
        "slice of a row called",
        "return self.d(self.l[:1](x)).sum()",
        init="self.l = nn.SequentialCell(nn.Dense(4, 4, weight_init='ones'), nn.ReLU())",
    ),
    # entries of a dict by a name
    *(
        kind(
            "same",
            f"dict set text, {name}",
            f"d = {{}}\nfor n in ('a', 'b'):\n    d[{key}] = self.d(x).sum()\n"
            "s = 0\nfor k in d:\n    s = s + d[k]\nreturn s",
        )
        for name, key in (("before", "'loss/' + n"), ("behind", "n + '_loss'"))
    ),
    kind("same", "dict set name", "d = {}\nz = self.d(x)\nd['x'] = x\nd['z'] = z\nreturn (d['x'] * d['z']).sum()"),
    kind(
        "same",
        "dict set of caller",
        "return self.f({'x': x})['z'].sum()",
        methods="def f(self, b):\n    z = self.d(b['x'])\n    b['z'] = z\n    return b",
    ),
    kind(
        "same",
        "held cells by a number",
        "for i in range(len(self.row)):\n    m = self.l[i]\n    x = self.l[1 - i](m(x))\nreturn self.d(x).sum()",
        init=f"{HELD}\nself.row = nn.CellList([nn.ReLU(), nn.ReLU()])",
    ),
    # sums in place, of what needs not its own output
    kind("same", "sum on a loss", "z = ops.cross_entropy(self.d(x), y)\nz += 0.1 * x.sum()\nreturn z"),
    kind(
        "same",
        "sum on what a function computes",
        "z = K(self.d(x))\nz += 0.5\nreturn (z * 1.5).sum()",
        before="def K(z):\n    z = ops.cos(z)\n    return z",
    ),
    kind(
        "same",
        "sum on what a cell computes",
        "z = K(self.d(x))\nz += 0.5\nreturn (z * 1.5).sum()",
        before=f"{SCALE}\n\nK = Scale(2)",
    ),
    *(
        kind(
            becomes,
            f"sum on a row {name}",
            "z = self.r(self.d(x) * 0.02)\nz += x\nreturn (z * z).sum()",
            init=f"m = [nn.Dense(4, 4, weight_init='ones')]\n{made}",
        )
        for becomes, name, made in (
            ("same", "that ends in a layer", "self.r = nn.SequentialCell(nn.Sigmoid(), *m)"),
            ("same", "of a list", "self.r = nn.SequentialCell([nn.Sigmoid(), m[0]])"),
            ("same", "of rows", "self.r = nn.SequentialCell(nn.Sigmoid(), nn.SequentialCell(m))"),
            (
                "same",
                "of a list that grew",
                "l = [nn.Sigmoid()]\nl.append(nn.Sigmoid())\nl.append(m[0])\nself.r = nn.SequentialCell(*l)",
            ),
            ("differs", "that ends in a sigmoid", "self.r = nn.SequentialCell(m[0], nn.Sigmoid())"),
            ("differs", "of a list that ends so", "m.append(nn.Sigmoid())\nself.r = nn.SequentialCell(*m)"),
            ("differs", "that grew", "self.r = nn.SequentialCell(m)\nself.r.append(nn.Sigmoid())"),
        )
    ),
    kind("same", "sum on a cosine", "z = ops.cos(self.d(x))\nz += 0.5\nreturn (z * 1.5).sum()"),
    kind("same", "sum on a gathered row", "z = ops.gather(self.d(x), y, 0)\nz += 0.5\nreturn (z * 1.5).sum()"),
    *(
        kind(
            "same",
            f"sum on the part {part}",
            f"w = ops.sigmoid(self.d(x))\nz = w{part}\nz += 0.5\nreturn (z * z).sum() + (w * w).sum()",
        )
        for part in ("[:, 0]", "[1:]", "[:]", "[0, :]", "[..., 0]", "[:, None]", "[0, ops.arange(2)]")
    ),
    kind(
        "differs",
        "sum on all of a tensor",
        "w = ops.sigmoid(self.d(x))\nz = w[...]\nz += 0.5\nreturn (z * z).sum() + (w * w).sum()",
    ),
    kind(
        "differs",
        "sum on an element of a list",
        "w = ops.sigmoid(self.d(x))\nz = [w, x][0]\nz += 0.5\nreturn (z * z).sum() + (w * w).sum()",
    ),
    kind("same", "sum on a choice", "w = self.d(x)\nz = ops.where(w > 0, w, -w)\nz += 0.5\nreturn (z * z).sum()"),
    # functions of Python
    *(
        kind("fails", f"keyword of {word}", f"{body}\nreturn self.d(x).sum() * n", names=f"{word}(...)")
        for word, body in (
            ("print", "n = 1\nprint(x.shape, end='')"),
            ("sum", "n = sum([1, 2], start=1)"),
            ("max", "n = max([1, 2], key=lambda v: -v)"),
        )
    ),
    kind(
        "same",
        "keyword of enumerate",
        "n = 0\nfor i, k in enumerate([1, 2], start=1):\n    n += i * k\nreturn self.d(x).sum() * n",
    ),
    kind(
        "fails",
        "map reads a tensor around",
        "z = list(map(lambda q: self.d(x) * q, [1, 2]))\nreturn z[0].sum()",
        names="map(...)",
    ),
    kind(
        "same", "map reads a number around", "k = 2\nz = list(map(lambda q: self.d(q) * k, [x, x]))\nreturn z[0].sum()"
    ),
    # parts of rows of cells
    *(
        kind(
            "differs",
            f"part of a row {name}",
            f"{body}\nreturn x.sum()",
            init=f"self.l = nn.SequentialCell({ROW})",
            names="self.l[1:]",
        )
        for name, body in (
            ("in a loop", "for c in self.l[1:]:\n    x = c(x)"),
            ("that is counted", "for i, c in enumerate(self.l[1:]):\n    x = c(x) * (i + 1)"),
            ("by its name", "part = self.l[1:]\nx = part(x)"),
        )
    ),
    kind(
        "same",
        "part of a list of cells",
        "for c in self.l[1:]:\n    x = c(x)\nreturn x.sum()",
        init=f"self.l = nn.CellList([{ROW}])",
    ),
    kind(
        "differs",
        "part of a row in a list",
        "x = sum([c(x) for c in self.l[1:]])\nreturn x.sum()",
        init=f"self.l = nn.SequentialCell({ROW})",
        names="c(...)",
    ),
]
