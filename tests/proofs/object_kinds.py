"""Kinds of code in `construct`: objects of Python by `is`, members of enumerations, keys, numbers read from tensors.

See `test_kinds.py`.
"""

from __future__ import annotations

from proofs.kinds import Kind, kind

NAMES = "import enum\n\n\nclass Way({}):\n    SUM = {}\n    MEAN = {}\n"
PLAIN = NAMES.format("enum.Enum", "'s'", "'m'")
TEXTS = NAMES.format("str, enum.Enum", "'s'", "'m'")
NUMBERS = NAMES.format("enum.IntEnum", 1, 2)
SUM = "if {}:\n    return self.d(x).sum()\nreturn self.d(x).mean()"
WAY = "self.way = Way.SUM"
FACTOR = "return self.d(x).sum() * {}"
OF_TWO = "return self.f(x, {})"
COMPARES = "def f(self, a, b):\n    if a is not b:\n        return self.d(a).sum()\n    return self.d(b).mean()"
OBJECT = "NOTHING = object()\n"
DEFAULT = (
    "def f(self, a, b=NOTHING):\n    if b is NOTHING:\n        return self.d(a).sum()\n    return self.d(a).mean()"
)

IDENTITIES = [
    *(
        kind("fails", f"is: {name}", SUM.format(test), init=init, before=before)
        for name, test, init, before in (
            ("member", "self.way is Way.SUM", WAY, PLAIN),
            ("another member", "self.way is not Way.MEAN", WAY, PLAIN),
            ("member on the left", "Way.SUM is self.way", WAY, PLAIN),
            ("member behind not", "not (self.way is Way.MEAN)", WAY, PLAIN),
            ("function", "self.act is ops.relu", "self.act = ops.relu", ""),
            ("cell", "self.e is self.d", "self.e = self.d", ""),
            ("float", "self.k is self.n", "self.k = 1.5\nself.n = 1.5", ""),
            ("class of a layer", "type(self.d) is nn.Dense", "pass", ""),
            ("ellipsis", "self.k is ...", "self.k = ...", ""),
            ("tuple", "self.k is ()", "self.k = ()", ""),
        )
    ),
    kind("fails", "is: object of a default", "return self.f(x)", before=OBJECT, methods=DEFAULT),
    kind("differs", "is: tensor", "z = x\n" + SUM.format("z is x")),
    kind("differs", "is: tensors that are given", OF_TWO.format("x"), methods=COMPARES),
    kind("differs", "is: list", "z = [x]\n" + SUM.format("z is z")),
    *(
        kind("same", f"is: {name}", SUM.format(test), init=init, before=before)
        for name, test, init, before in (
            ("None", "self.k is None", "self.k = None", ""),
            ("None on the left", "None is not self.d", "pass", ""),
            ("an attribute that is None", "self.k is self.n", "self.k = None\nself.n = None", ""),
            ("truth value", "self.k is True", "self.k = True", ""),
            ("number", "self.k is 2", "self.k = 2", ""),
            ("number of a constant", "self.k is TWO", "self.k = 2", "TWO = 2\n"),
            ("text", "self.k is 'a'", "self.k = 'a'", ""),
            ("text of an attribute", "self.k is self.n", "self.k = 'a'\nself.n = 'a'", ""),
            ("size", "self.k is x.shape[0]", "self.k = 4", ""),
            ("length", "self.k is len(self.n)", "self.k = 2\nself.n = [1, 2]", ""),
            ("dtype", "x.dtype is ms.float32", "pass", ""),
            ("dtype of an attribute", "x.dtype is self.k", "self.k = ms.float32", ""),
            ("class of a tensor", "type(x) is Tensor", "pass", ""),
            ("class of a number", "type(self.k) is int", "self.k = 2", ""),
            ("class of the file", "self.k is Own", "self.k = Own", "class Own:\n    pass\n"),
            ("member that is a number", "self.way is Way.SUM", WAY, NUMBERS),
            ("member that is a text", "self.way is Way.SUM", WAY, TEXTS),
        )
    ),
]

MEMBERS = [
    *(
        kind("fails", f"member: {name}", body, init=WAY, before=before)
        for name, body, before in (
            ("value of a text", SUM.format("self.way.value == 's'"), TEXTS),
            ("value of a number", FACTOR.format("Way.MEAN.value"), NUMBERS),
            ("value of a text as a key", "sizes = {'s': 2.0}\n" + FACTOR.format("sizes[Way.SUM.value]"), TEXTS),
            ("name of a text", SUM.format("self.way.name == 'SUM'"), TEXTS),
            ("one after the other", f"for way in Way:\n    x = x * 2\n{FACTOR.format(2)}", PLAIN),
        )
    ),
    *(
        kind("same", f"member: {name}", body, init=WAY, before=before)
        for name, body, before in (
            ("equal", SUM.format("self.way == Way.SUM"), PLAIN),
            ("equal, on the left", SUM.format("Way.SUM == self.way"), PLAIN),
            ("not equal", SUM.format("self.way != Way.MEAN"), PLAIN),
            ("one of several", SUM.format("self.way in (Way.SUM, Way.MEAN)"), PLAIN),
            ("none of several", SUM.format("self.way not in (Way.MEAN,)"), PLAIN),
            ("value", SUM.format("self.way.value == 's'"), PLAIN),
            ("name", SUM.format("self.way.name == 'SUM'"), PLAIN),
            ("text", SUM.format("self.way == 's'"), TEXTS),
            ("method of a text", SUM.format("self.way.upper() == 'S'"), TEXTS),
            ("number", FACTOR.format("Way.MEAN"), NUMBERS),
            ("index", FACTOR.format("[1.0, 2.0, 3.0][self.way]"), NUMBERS),
        )
    ),
]

KEYS = [
    *(
        kind(becomes, f"key: {name}", FACTOR.format(read), init=init, before=f"{before}\n\nSIZES = {made}\n")
        for becomes, name, read, init, before, made in (
            ("differs", "member", "SIZES[Way.MEAN]", WAY, PLAIN, "{Way.MEAN: 1.0, Way.SUM: 2.0}"),
            ("differs", "member of an attribute", "SIZES[self.way]", WAY, PLAIN, "{Way.MEAN: 1.0, Way.SUM: 2.0}"),
            ("fails", "member that is got", "SIZES.get(self.way, 5.0)", WAY, PLAIN, "{Way.SUM: 2.0}"),
            ("differs", "None", "SIZES[self.way]", "self.way = None", "", "{None: 2.0, 'a': 3.0}"),
            ("differs", "dtype", "SIZES[x.dtype]", "pass", "", "{ms.float16: 2.0, ms.float32: 3.0}"),
            ("fails", "class", "SIZES[type(self.d)]", "pass", "", "{nn.Dense: 2.0, nn.ReLU: 3.0}"),
            ("same", "member in a dict", "(2 if self.way in SIZES else 3)", WAY, PLAIN, "{Way.SUM: 1.0}"),
            ("same", "member that is a number", "SIZES[self.way]", WAY, NUMBERS, "{Way.MEAN: 1.0, Way.SUM: 2.0}"),
            ("same", "member that is a text", "SIZES[self.way]", WAY, TEXTS, "{Way.MEAN: 1.0, Way.SUM: 2.0}"),
            ("same", "value of a member", "SIZES[self.way.value]", WAY, PLAIN, "{'m': 1.0, 's': 2.0}"),
            ("same", "text beside None", "SIZES['a']", "pass", "", "{None: 2.0, 'a': 3.0}"),
            ("same", "tuple", "SIZES[1, 2]", "pass", "", "{(1, 2): 2.0, (2, 1): 3.0}"),
            ("same", "truth value", "SIZES[self.way]", "self.way = False", "", "{True: 2.0, False: 3.0}"),
            ("same", "size", "SIZES[x.shape[0]]", "pass", "", "{4: 2.0, 8: 3.0}"),
            ("same", "float", "SIZES[0.5]", "pass", "", "{0.5: 2.0, 0.25: 3.0}"),
        )
    ),
    kind(
        "fails", "key: member of a local dict", f"t = {{Way.SUM: 2.0}}\n{FACTOR.format('t[self.way]')}", init=WAY,
        before=PLAIN,
    ),
    kind("fails", "key: None of a local dict", f"t = {{None: x, 'a': x * 2}}\n{FACTOR.format('t[None].sum()')}"),
    kind("same", "key: a new axis", "return self.d(x)[None].sum()"),
    kind("fails", "union of dicts", "t = {'a': x} | {'b': self.d(x)}\nreturn t['b'].sum()"),
    kind(
        "fails",
        "union with a dict of an attribute",
        "t = self.t | {'b': 3.0}\n" + FACTOR.format("t['b']"),
        init="self.t = {'a': 1.0}",
    ),
    kind("fails", "dict that gets another by |=", "t = {'a': x}\nt |= {'b': self.d(x)}\nreturn t['b'].sum()"),
    kind("same", "union of masks", "return (self.d(x) * ((x > 1) | (x < 0))).sum()"),
]  # fmt: skip

LAYER = "z = self.d(x)\n"
ONE = "k = y[1].item()\n"

READS = [
    *(
        kind("fails", f"item of a label: {name}", LAYER + body, names=names)
        for name, body, names in (
            ("index", f"{ONE}return z[k].sum()", "z[k]"),
            ("index, not by a name", "return z[y[1].item()].sum()", "z[y[1].item()]"),
            ("two indices", f"{ONE}return z[k, 0] + z[0, k]", "z[k, 0]"),
            ("bound", "n = y.max().item()\nreturn z[:n].sum()", "z[:n]"),
            ("bound of the input", "return z.sum() + x[: y.max().item()].sum()", "x[: y.max().item()]"),
            ("range", "for k in range(y.max().item()):\n    z = z + z[k]\nreturn z.sum()", "z[k]"),
            ("list", f"{ONE}return [z, z * 2][k].sum()", "[z, z * 2][k]"),
            ("size", f"{ONE}return z.sum() + ops.zeros((k, 2)).sum()", "ops.zeros((k, 2))"),
            ("part", "return z.narrow(0, 0, y[1].item()).sum()", "z.narrow(0, 0, y[1].item())"),
            ("repeats", f"{ONE}return z.tile((k, 1)).sum()", "z.tile((k, 1))"),
        )
    ),
    *(
        kind("same", f"item of a label: {name}", LAYER + body)
        for name, body in (
            ("int", "return z[int(y[1])].sum()"),
            ("int as a bound", "n = int(y.max())\nreturn z[:n].sum()"),
            ("int as a size", "n = int(y.max())\nreturn z.sum() + ops.zeros((n, 2)).sum()"),
            ("of int64", "k = y.astype(ms.int64)[1].item()\nreturn z[k].sum()"),
            ("bound of int64", "n = y.astype(ms.int64).max().item()\nreturn z[:n].sum()"),
            ("of a constant", "k = Tensor(1).item()\nreturn z[k].sum()"),
            ("one more", "k = y[1].item() + 1\nreturn z[k].sum()"),
            ("factor", "return z.sum() * y[1].item()"),
            ("sum", "return z.sum() + y[1].item()"),
            ("test", "if y[1].item() > 0:\n    return z.sum()\nreturn z.mean()"),
            ("new shape", "k = y[1].item() + 1\nreturn z.reshape(k, -1).sum()"),
        )
    ),
    *(
        kind(becomes, f"largest: {name}", LAYER + body)
        for becomes, name, body in (
            ("differs", "of a tensor and a number, one by one", "return z.sum() * max(k for k in (z.mean(), 0.1))"),
            ("differs", "of a list that is gone through", "return z.sum() * max([k for k in (z.mean(), 0.1)])"),
            ("differs", "of a list with a name", "both = [z.mean(), 0.1]\nreturn z.sum() * max(both)"),
            ("differs", "of a tuple that is unpacked", "both = (z.mean(), 0.1)\nreturn z.sum() * max(*both)"),
            ("same", "of tensors, one by one", "return z.sum() * max(k for k in (z.mean(), z.sum()))"),
            ("same", "of a list of tensors", "both = [z.mean(), z.sum()]\nreturn max(k for k in both)"),
            ("same", "of numbers", "return z.sum() * max(k for k in (1, 2))"),
            ("same", "of sizes", "return z.sum() * max(k for k in x.shape)"),
            ("same", "by a function", "return z.sum() + ops.amax(z, axis=1, keepdims=True).sum()"),
            ("same", "by a method", "return z.sum() + z.amax(1, True).sum()"),
            ("fails", "by a method with a keyword", "return z.sum() + z.amax(axis=1, keepdims=True).sum()"),
            ("fails", "smallest by a method with a keyword", "return z.sum() + z.amin(axis=1, keepdims=True).sum()"),
        )
    ),
]

UNTIL = "k = y.max() - 1\nwhile k > 0:\n    {}\n    k = k - 1\nreturn z.sum()"

LOOPS = [
    *(
        kind("fails", f"tensor in a while: {name}", LAYER + UNTIL.format(body))
        for name, body in (
            ("put together", "z = ops.cat((z, z))"),
            ("repeated", "z = z.tile((2, 1))"),
        )
    ),
    *(
        kind("same", f"tensor in a while: {name}", LAYER + body)
        for name, body in (
            ("of the same shape", UNTIL.format("z = z.reshape(4, 4) * 2")),
            ("put together under another name", UNTIL.format("w = ops.cat((z, z))\n    z = w[:4] * 2")),
            ("put together in a for", "for k in range(3):\n    z = ops.cat((z, z))\nreturn z.sum()"),
            ("put together by a number", "k = 0\nwhile k < 3:\n    z = ops.cat((z, z))\n    k += 1\nreturn z.sum()"),
            ("put together in a test", "if z.sum() > 0:\n    z = ops.cat((z, z))\nreturn z.sum()"),
        )
    ),
]

HELD = "self.t = {'b': 2.0, 'a': 3.0}\nself.k = '12'"
ITEMS = f"{LAYER}s = z.sum()\nfor k, v in sorted({{}}):\n    s = s * 2 + v\nreturn s"
ONES = "for k in sorted({}):\n    x = x * k - k\nreturn self.d(x).sum()"

CONSTANTS = [
    *(
        kind("same", f"sorted: {name}", body, init=HELD)
        for name, body in (
            ("numbers", ONES.format("[3, 1, 2]")),
            ("downwards", ONES.format("[3, 1, 2], reverse=True")),
            ("by a function", ONES.format("[3, 1, 2], key=lambda v: -v")),
            ("range", f"{LAYER}return z.sum() * sorted(range(1, 4), reverse=True)[0]"),
            ("entries of an attribute", ITEMS.format("self.t.items()")),
            (
                "keys of an attribute",
                f"{LAYER}s = z.sum()\nfor k in sorted(self.t):\n    s = s * 2 + self.t[k]\nreturn s",
            ),
            ("first", f"{LAYER}return z.sum() * sorted((3, 2))[0]"),
        )
    ),
    *(
        kind(becomes, f"sorted: {name}", body, names="sorted(...)")
        for becomes, name, body in (
            ("differs", "tensors", f"{LAYER}return sorted([z.sum(), z.mean()])[0]"),
            ("differs", "shape", f"{LAYER}return z.sum() * sorted(x.shape)[-1]"),
            ("fails", "entries of tensors", f"t = {{'b': x, 'a': x * 2}}\n{ITEMS.format('t.items()')}.sum()"),
        )
    ),
    *(
        kind("same", f"text: {name}", SUM.format(test), init=HELD)
        for name, test in (
            ("isdigit", "self.k.isdigit()"),
            ("title", "self.k.title() == '12'"),
            ("rstrip", "self.k.rstrip('2') == '1'"),
            ("find", "self.k.find('2') == 1"),
            ("rsplit", "len(self.k.rsplit('1')) == 2"),
            ("partition", "self.k.partition('1')[2] == '2'"),
            ("zfill", "len(self.k.zfill(4)) == 4"),
        )
    ),
]

OBJECT_KINDS: list[Kind] = [*CONSTANTS, *LOOPS, *IDENTITIES, *MEMBERS, *KEYS, *READS]
