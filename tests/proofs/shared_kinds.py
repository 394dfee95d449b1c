"""Kinds of code in `construct` that move tensors in lists, or change an object that has several names.

Graph mode compiles most of them, and trains differently: see `test_kinds.py`.
"""

from __future__ import annotations

from proofs.kinds import Kind, kind

PART = "nn.Dense(4, 4, weight_init='ones', bias_init='zeros')"
HOOK = "self.d.register_forward_hook({})"
CHILD = f"""class Child(nn.Cell):
    def __init__(self):
        super().__init__()
        self.d = {PART}

    def construct(self, held):
        held['a'] = self.d(held['a'])
        return 1
"""
FUNCTION = """from mindspore.common._grad_function import _Function


class Twice(_Function):
    @staticmethod
    def forward(ctx, z):
        return z * 2

    @staticmethod
    def backward(ctx, g):
        return g * 3
"""
FILLS = "def f(self, l, x):\n    l[0] = self.d(x)"
COUNTED = "self.n = ms.Parameter(Tensor(1, ms.int32), name='n', requires_grad=False)"
FILL = "for i in range(2):\n        l.append(self.d(m[i]))"
GIVEN = "m[-1].sum() + len(m)"
ZEROS = "def f(self, t):\n    t[0] = 0.0"

# methods of lists
LISTS = [
    *(
        kind("differs", f"{name} with a gradient", body)
        for name, body in (
            ("extend", "l = [x]\nl.extend([self.d(x)])\nreturn l[1].sum()"),
            ("extend by a split", "l = []\nl.extend(ops.split(self.d(x), 2))\nreturn ops.cat(l).sum()"),
            ("insert", "l = []\nl.insert(0, self.d(x))\nl.insert(0, x)\nreturn (l[0] * 2 + l[1]).sum()"),
            ("pop", "l = [x, self.d(x)]\nz = l.pop()\nreturn z.sum()"),
            ("pop of the first", "l = [self.d(x), x]\nz = l.pop(0)\nreturn z.sum()"),
            ("pop of what was added", "l = []\nl.append(self.d(x))\nl.append(x)\nl.pop()\nreturn l[0].sum()"),
            ("reverse", "l = [self.d(x), x]\nl.reverse()\nreturn l[1].sum()"),
        )
    ),
    kind(
        "fails",
        "extend by a shape",
        "l = [1]\nl.extend(x.shape)\nreturn self.d(x).reshape(l).sum()",
        names="l.extend(...)",
    ),
    kind("fails", "pop of a literal", "l = [1, 3]\nz = l.pop()\nreturn self.d(x).sum() * z", names="l.pop(...)"),
    *(
        kind("same", name, body)
        for name, body in (
            ("append with a gradient", "l = [x]\nl.append(self.d(x))\nreturn l[1].sum()"),
            ("list that is added to", "l = [x]\nl += [self.d(x)]\nreturn l[1].sum()"),
            ("list turned by a slice", "l = [self.d(x), x]\nl = l[::-1]\nreturn (l[0] * l[1]).sum()"),
            ("list made of two", "l = [x, x]\nl = [*l, self.d(x)]\nreturn l[2].sum()"),
            ("size taken from a shape", "s = list(x.shape)\nn = s.pop(0)\nreturn self.d(x).sum() * n"),
            ("size put into a shape", "s = list(x.shape)\ns.insert(1, 1)\nreturn self.d(x).reshape(tuple(s)).sum()"),
            ("sizes turned", "s = [1, 2, 3]\ns.reverse()\nreturn self.d(x).sum() * s[0]"),
        )
    ),
]

# one object with several names
SHARED = [
    *(
        kind("differs", name, body, methods=methods)
        for name, body, methods in (
            ("list that another method fills", "l = [x]\nself.f(l, x)\nreturn l[0].sum()", FILLS),
            ("tensor that another method fills", "z = self.d(x)\nself.f(z)\nreturn z.sum()", ZEROS),
            ("tensor under two names", "z = self.d(x)\nw = z\nw[0] = 0.0\nreturn z.sum()", ""),
            ("tensor and its row", "z = self.d(x)\nw = z[0]\nw[0] = 0.0\nreturn z.sum()", ""),
            ("rows by a tensor", "z = self.d(x)\nw = z[y]\nw[0] = 0.0\nreturn z.sum() + w.sum()", ""),
            ("tensor in a list", "z = self.d(x)\nl = [z]\nz[0] = 0.0\nreturn l[0].sum()", ""),
            ("list under two names", "l = [x]\nm = l\nm.append(self.d(x))\nreturn l[-1].sum()", ""),
            ("list in a list", "l = [[x]]\nm = l[0]\nm.append(self.d(x))\nreturn l[0][-1].sum()", ""),
            ("lists of a loop", "l = [[x], [x]]\nfor r in l:\n    r.append(self.d(x))\nreturn l[0][-1].sum()", ""),
            ("dict under two names", "d = {'a': x}\ne = d\ne['a'] = self.d(x)\nreturn d['a'].sum()", ""),
            ("list of the function around", "l = [x]\ndef f():\n    l.append(self.d(x))\nf()\nreturn l[-1].sum()", ""),
        )
    ),
    *(
        kind(becomes, f"list of each pass, {name}", f"{begin}\nfor t in range(3):\n{after}return {given}")
        for becomes, name, begin, *lines, given in (
            ("same", "new first", "m = [x, x]", "l = []", FILL, "m = l", "m[1].sum()"),
            ("same", "new behind", "l, m = [], [x, x]", FILL, "m = l", "l = []", "m[1].sum()"),
            ("same", "dict", "m = {'a': x}", "l = {}", "l['a'] = self.d(m['a'])", "m = l", "m['a'].sum()"),
            ("same", "tensor", "m = x", "l = ops.zeros_like(x)", "l[0] = self.d(m)[0]", "m = l", "m.sum()"),
            ("fails", "shared before", "l, m = [], [x]", "m = l", "l.append(self.d(x) * t)", "l = []", GIVEN),
            ("differs", "kept", "l, m, s = [], [], 0", "m = l", "l.append(self.d(x))", "s = s + sum(m)", "s.sum()"),
        )
        for after in ["".join(f"    {line}\n" for line in lines)]
    ),
    kind(
        "differs",
        "dict that a cell fills",
        "d = {'a': x}\nself.c(d)\nreturn d['a'].sum()",
        init="self.c = Child()",
        before=CHILD,
    ),
    kind(
        "differs",
        "dict in an attribute that is filled",
        "self.k['a'] = self.d(x)\nreturn self.k['a'].sum()",
        init="self.k = {'a': 1}",
    ),
    kind(
        "differs",
        "tensor in an attribute that is filled after",
        "z = (self.d(x) * self.t).sum()\nself.t[0] = x[0]\nreturn z",
        init="self.t = ops.ones((4, 4))",
    ),
    kind(
        "fails",
        "list in an attribute that is filled",
        "self.k.append(self.d(x))\nreturn self.k[-1].sum()",
        init="self.k = []",
    ),
    *(
        kind("same", name, body, methods=methods)
        for name, body, methods in (
            (
                "list that a method fills and returns",
                "l = [x]\nl = self.f(l, x)\nreturn l[0].sum()",
                f"{FILLS}\n    return l",
            ),
            (
                "tensor that a method fills and returns",
                "z = self.d(x)\nz = self.f(z)\nreturn z.sum()",
                f"{ZEROS}\n    return t",
            ),
            (
                "list that gets another name when it is full",
                "l = []\nfor i in range(2):\n    l.append(self.d(x))\nm = l\nreturn m[0].sum()",
                "",
            ),
            ("two names, one read", "z = self.d(x)\nw = z\nw[0] = 0.0\nreturn w.sum()", ""),
            ("copy of a tensor", "z = self.d(x)\nw = z.copy()\nw[0] = 0.0\nreturn z.sum() + w.sum()", ""),
            ("name that is bound again", "z = self.d(x)\nw = z\nw[0] = 0.0\nz = w * 2\nreturn z.sum()", ""),
            (
                "either arm",
                "z = self.d(x)\nif x.shape[0] > 9:\n    w = z\n    w[0] = 0.0\n    return w.sum()\nreturn z.sum()",
                "",
            ),
        )
    ),
]

# slices, hooks, functions with a gradient of their own
OTHERS = [
    kind("same", "cell of the name reverse", "return self.reverse(self.d(x)).sum()", init="self.reverse = nn.ReLU()"),
    *(
        kind("fails", f"slice that is set, {name}", f"z = self.d(x)\n{body}\nreturn z.sum()", names=names)
        for name, body, names in (
            ("to a tensor", "n = y.max()\nz[:n] = 0.0", "z[:n] = 0.0"),
            ("from a tensor", "n = y.min()\nz[n : n + 2] = 0.0", "z[n : n + 2] = 0.0"),
            ("in a column", "z[:, : y.max()] = 0.0", "z[:, : y.max()] = 0.0"),
        )
    ),
    *(
        kind("same", f"slice that is set, {name}", f"z = self.d(x)\n{body}\nreturn z.sum()")
        for name, body in (
            ("by a counter", "for i in range(2):\n    z[i : i + 1] = 0.0"),
            ("by a shape", "n = x.shape[0] // 2\nz[:n] = 0.0"),
            ("at a tensor", "z[y[0]] = 0.0"),
        )
    ),
    *(
        kind("fails", f"expand {name}", f"return self.d(x).unsqueeze(1).{call}.sum()", names=names)
        for name, call, names in (
            ("to a shape", "expand((4, 2, 4))", "self.d(x).unsqueeze(1).expand(...)"),
            ("to sizes", "expand(4, 2, 4)", "self.d(x).unsqueeze(1).expand(...)"),
        )
    ),
    kind("same", "broadcast to a shape", "return self.d(x).unsqueeze(1).broadcast_to((4, 2, 4)).sum()"),
    kind(
        "same",
        "hook",
        "return self.d(x).sum()",
        init=HOOK.format("hook"),
        before="def hook(c, i, o):\n    return o * 2",
    ),
    kind(
        "same",
        "hook that is a method",
        "return self.d(x).sum()",
        init=HOOK.format("self.hook"),
        methods="def hook(self, c, i, o):\n    return o * 2",
    ),
    kind(
        "same",
        "hook of a gradient",
        "z = self.d(x)\nz.register_hook(hook)\nreturn (z * z).sum()",
        before="def hook(g):\n    return g * 3",
    ),
    *(
        kind(
            "differs",
            f"HookBackward {name}",
            f"return {callee}(self.d(x)).sum()",
            init=init,
            before=f"def hook(g):\n    return {gives}",
            names=f"{callee}(...)",
        )
        for name, callee, init, gives in (
            ("of the cell", "self.h", "self.h = ops.HookBackward(hook)", "g[0] * 3"),
            ("that clips", "self.h", "self.h = ops.HookBackward(hook)", "ops.clip_by_value(g[0], -0.1, 0.1)"),
            ("made in construct", "ops.HookBackward(hook)", "pass", "g[0] * 3"),
        )
    ),
    kind(
        "same",
        "gradient that is inserted",
        "return self.h(self.d(x)).sum()",
        init="self.h = ops.InsertGradientOf(clip)",
        before="def clip(g):\n    return ops.clip_by_value(g, -0.1, 0.1)",
    ),
    kind("fails", "hook in brackets", "return self.d(x).sum()", init=HOOK.format("lambda c, i, o: o * 2")),
    kind(
        "differs",
        "hook that keeps an output",
        "z = self.d(x)\nreturn (z * K[0]).sum()",
        init=HOOK.format("hook"),
        before="K = [1]\ndef hook(c, i, o):\n    K[0] = o",
    ),
    kind(
        "differs",
        "hook that reads an array",
        "return self.d(x).sum()",
        init=HOOK.format("hook"),
        before="def hook(c, i, o):\n    return o * float(o.asnumpy().mean())",
    ),
    kind(
        "fails",
        "hook that tries",
        "return self.d(x).sum()",
        init=HOOK.format("hook"),
        before="def hook(c, i, o):\n    try:\n        return o * 2\n    except ValueError:\n        return o",
    ),
    *(
        kind(
            "fails",
            f"function with a backward, {name}",
            f"return {call}.sum()",
            before=f"{FUNCTION}{more}",
            names=names,
        )
        for name, call, more, names in (
            ("by its class", "Twice.apply(self.d(x))", "", "Twice.apply(...)"),
            (
                "in another function",
                "twice(self.d(x))",
                "\n\ndef twice(z):\n    return Twice.apply(z)\n",
                "Twice.apply(...)",
            ),
        )
    ),
]

# functions that compiled code makes, and lambdas that it calls
TWICE = "f = lambda z: z * 2"
TRIES = "def g(z):\n    try:\n        return (z**2).sum()\n    finally:\n        pass\n\n\n"
CLOSURES = [
    *(
        kind("differs", f"inner function and a name {name}", f"{body}\nreturn f(self.d(x)).sum()")
        for name, body in (
            ("bound again", "k = 1\ndef f(z):\n    return z * k\nk = 2"),
            ("bound in an arm", "k = 1\nf = lambda z: z * k\nif x.shape[0] == 4:\n    k = 3"),
            ("that is a list", "l = []\ndef f(z):\n    return z * len(l)\nl.append(1)\nl.append(1)"),
        )
    ),
    kind(
        "differs",
        "inner function in a loop",
        "h = x\ndef f(z):\n    return self.d(z) + h\nfor i in range(2):\n    h = f(h)\nreturn h.sum()",
    ),
    kind(
        "differs", "lambdas of a comprehension", "l = [lambda z: z * i for i in range(3)]\nreturn l[0](self.d(x)).sum()"
    ),
    kind("fails", "inner function ahead of a name", "def f(z):\n    return z * k\nk = 2\nreturn f(self.d(x)).sum()"),
    kind("fails", "tensor as a default", "def f(z, w=x):\n    return z * w\nreturn f(self.d(x)).sum()"),
    kind("fails", "lambda in a loop", f"for i in range(3):\n    {TWICE}\n    x = f(x)\nreturn self.d(x).sum()"),
    *(
        kind("same", f"inner function {name}", f"h = self.d(x)\n{body}\nreturn h.sum()")
        for name, body in (
            ("made in each pass", "for i in range(3):\n    def f(z):\n        return z * i\n    h = h + f(h)"),
            ("called before", "def f(z):\n    return z * h\nh = f(x)"),
            ("with a default", "def f(z, k=2):\n    return z * k\nh = f(h)"),
            ("in a while", f"i = 0\nwhile i < 3:\n    {TWICE}\n    h = f(h)\n    i += 1"),
        )
    ),
    *(
        kind(becomes, f"gradient outside of {name}", "return (self.d(x) * " + called + ").sum()", before=made)
        for becomes, name, made, called in (
            ("fails", "a lambda", "f = ms.grad(lambda z: (z**2).sum())\n", "f(x)"),
            ("fails", "a lambda by its name", "f = ms.grad(fn=lambda z: (z**2).sum())\n", "f(x)"),
            ("fails", "a lambda, with its value", "f = ms.value_and_grad(lambda z: (z**2).sum())\n", "f(x)[1]"),
            ("fails", "a lambda, by an operation", "f = ops.GradOperation()(lambda z: (z**2).sum())\n", "f(x)"),
            ("fails", "a function with a try", f"{TRIES}f = ms.grad(g)\n", "f(x)"),
            ("same", "a function", "def g(z):\n    return (z**2).sum()\n\n\nf = ms.grad(g)\n", "f(x)"),
            ("same", "a named lambda", "g = lambda z: (z**2).sum()\nf = ms.grad(g)\n", "f(x)"),
        )
    ),
    *(
        kind(
            "fails",
            f"lambda in {name}",
            f"return {call}(self.d(x)).sum()",
            init=f"self.f = {made}",
            names=f"{call}(...)",
        )
        for name, call, made in (
            ("a dict", "self.f['a']", "{'a': lambda z: z * 2}"),
            ("an alternative", "self.f", "(lambda z: z * 2) if self.d else None"),
            ("a call", "self.f", "max([lambda z: z * 2], key=id)"),
        )
    ),
]

# tests, and methods with other defaults
TESTS = [
    *(
        kind("fails", f"test on a tensor {name}", f"h = self.d(x)\n{body}\nreturn h.sum()", init=COUNTED)
        for name, body in (
            ("ahead of a shape", "if h.sum() > 0 and x.shape[0] == 4:\n    h = h * 2"),
            ("ahead of a flag", "h = h * 2 if h.sum() < 0 or self.training else h"),
            ("of a counter", "if self.n > 0 and self.training:\n    h = h * 2"),
            ("in a while", "i = 0\nwhile i < 3 and h.sum() > 0:\n    h = h * 2\n    i += 1"),
            ("kept", "k = False\nif h.sum() > 0:\n    k = h.mean() > 0\nif k:\n    h = h * 2"),
            ("and a number", "if h.sum() > 0 and x.max():\n    h = h * 2"),
            ("or its number", "h = h * 2 if bool(h.sum() > 0) or x.max() else h"),
            ("or a number of Python", "h = h * 2 if h.sum() > 0 or x.max().item() > 9 else h"),
            (
                "read as a truth value",
                "k = None\nif bool(h.sum() > 0):\n    k = h\nif k is None:\n    k = x\nh = h + k",
            ),
            ("that calls a layer", "k = None\nif h.sum() > 0:\n    k = self.d(h)\nif k is None:\n    k = h\nh = h + k"),
        )
    ),
    *(
        kind("same", f"test on a tensor {name}", f"h = self.d(x)\n{body}\nreturn h.sum()", init=COUNTED)
        for name, body in (
            ("behind a shape", "if x.shape[0] == 4 and h.sum() > 0:\n    h = h * 2"),
            ("and another", "if h.sum() > 0 and not y.sum() and (x > -9).any():\n    h = h * 2"),
            ("of two of Python", "h = h * 2 if bool(h.sum() > 0) or x.max().item() > 9 else h"),
            ("of two numbers", "if h.sum() and x.max():\n    h = h * 2"),
            ("by its number", "k = h.sum().item() * 2\nif k > 0 and self.training:\n    h = h * 2"),
        )
    ),
    kind("fails", "type of a tuple", "z = (x, x)\nif type(z) is tuple:\n    z = z[0]\nreturn self.d(z).sum()"),
    kind("same", "type of a number", "k = 3\nif type(k) is int:\n    k = k + 1\nreturn self.d(x).sum() * k"),
    kind(
        "differs",
        "argmax of all",
        "return self.d(x).sum() * (self.d(x).argmax().shape == ())",
        names="self.d(x).argmax(...)",
    ),
    kind(
        "differs",
        "two axes swapped",
        "return (self.d(x).transpose(0, 1) * ops.arange(4)).sum()",
        names="self.d(x).transpose(...)",
    ),
    kind("fails", "view of another type", "return self.d(x.view(ms.int32).astype(ms.float32)).sum()"),
    kind("same", "all axes", "return (self.d(x).transpose(1, 0) * ops.arange(4) * self.d(x).argmax(-1)).sum()"),
]

SHARED_KINDS: list[Kind] = [*LISTS, *SHARED, *OTHERS, *CLOSURES, *TESTS]
