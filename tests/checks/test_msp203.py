"""MSP203 redundant-cast: what is reported, with which safety, and what is not."""

from __future__ import annotations

import json
import textwrap

import pytest
from programs import Program, case, fires, quiet

from ms_perflint.core.findings import Safety

CODE = "MSP203"

IMPORTS = """
    import mindspore as ms
    import mindspore.common.dtype as mstype
    import mindspore.numpy as mnp
    import mindspore.ops.functional as F
    import mindspore.ops.operations as P
    import numpy as np
    from mindspore import Parameter, Tensor, mint, nn, ops


    """


def cell(construct: str, init: str = "", inputs: str = "x") -> str:
    """Return a network of one cell, from the lines of its `construct` and of its `__init__`."""
    layers = "".join(f"        {line}\n" for line in init.splitlines())
    body = "".join(f"        {line}\n" for line in construct.splitlines())
    head = "class Net(nn.Cell):\n    def __init__(self):\n        super().__init__()\n"
    return f"{head}{layers}\n    def construct(self, {inputs}):\n{body}"


def on_host(lines: str) -> str:
    """Return a network whose `construct` computes `a` with arrays, in a PyNative program."""
    return cell(f"{lines}return Tensor(a)\n", inputs="x, y")


def beside(lines: str) -> str:
    """Return a network with a method that `construct` does not call."""
    body = "".join(f"        {line}\n" for line in lines.splitlines())
    return cell("return ops.relu(x)\n") + f"\n    def prepare(self, image, boxes):\n{body}"


MADE_AS_X = [
    "ops.zeros((2, 3)).astype(x.dtype)",
    "ops.ones((2, 3), ms.float32).to(x.dtype)",
    "ops.cast(ops.ones((2, 3)), x.dtype)",
    "mint.zeros((2, 3)).to(x.dtype)",
    "ops.zeros((2, 3)).astype(ms.bfloat16)",
    "mnp.zeros((2, 3)).astype(ms.float16)",
    "ops.arange(3).astype(ms.bfloat16)",
]
NOT_MADE_AS_X = [
    "ops.eye(3, 3).astype(x.dtype)",
    "mint.eye(3).astype(ms.bfloat16)",
    "ops.full((2, 3), 1, dtype=ms.float32).astype(x.dtype)",
    "ops.full((2, 3), 1, dtype=ms.float32).astype(ms.bfloat16)",
    "mnp.zeros((2, 3)).astype(x.dtype)",
    "mnp.ones((2, 3)).astype(ms.bfloat16)",
    "mnp.full((2, 3), 1.0).astype(ms.bfloat16)",
    "mnp.eye(3).astype(ms.bfloat16)",
    "ops.arange(3).astype(x.dtype)",
    "Tensor([1, 2, 3]).astype(x.dtype)",
    "ops.randn(2, 3).astype(x.dtype)",
    "ops.tril(ops.ones((3, 3))).astype(x.dtype)",
    "ops.zeros((2, 3)).astype(self.kind)",
    "ops.zeros((2, 3)).astype(self.layer(x).dtype)",
]

FIRES = [
    *(case(f"{made} could be made in it", IMPORTS, cell(f"return x * {made}  # ! safe\n")) for made in MADE_AS_X),
    case(
        "NumPy's name of a dtype, for a tensor of the graph",
        IMPORTS,
        cell("""\
h = x.astype(np.float32)
return ops.relu(h.astype(np.float32))  # ! safe
"""),
    ),
    case(
        "NumPy's name of a dtype, in a method that `construct` calls",
        IMPORTS,
        cell("return self.act(x)\n")
        + """
    def act(self, x):
        h = x.astype("float32")
        return ops.relu(h.astype(np.float32))  # ! safe
""",
    ),
    case(
        "tensor times the length of an array",
        IMPORTS,
        cell(
            """\
h = (y * x.asnumpy().shape[0]).astype(np.float32)
return h.astype(np.float32)  # ! safe
""",
            inputs="x, y",
        ),
    ),
    case(
        "a power, the bits of whole numbers, and a tensor times a number of Python",
        IMPORTS,
        cell(
            """\
a, n = x.astype(ms.float32), y.astype(ms.int32)
h = (a**2).astype(ms.float32)  # ! safe
n = (n & y.astype(ms.int32)).astype(ms.int32)  # ! safe
return (a * int(self.k)).astype(ms.float32), (a * len(x)).astype(ms.float32), h, n  # !! safe
""",
            inputs="x, y",
        ),
    ),
    case(
        "MindSpore's name of a dtype, in a method beside the graph",
        IMPORTS,
        beside("image = image.astype(ms.float32)\nreturn image.astype(ms.float32)  # ! safe\n"),
    ),
    case(
        "result of an operator beside the graph, by NumPy's name",
        IMPORTS,
        beside('h = ops.relu(image).astype(np.float32)\nreturn h.astype("float32")  # ! safe\n'),
    ),
    case(
        "an option chooses between two ways to one dtype, in a package",
        {
            "kit/__init__.py": "",
            "kit/convert.py": """
                import argparse
                import mindspore as ms
                from mindspore import nn, ops

                parser = argparse.ArgumentParser()
                parser.add_argument("--low", action="store_true")
                args = parser.parse_args()
                if args.low:
                    KIND = ms.float32
                    print("low")
                else:
                    KIND = ms.float32

                class Net(nn.Cell):
                    def construct(self, x):
                        return ops.cast(x.astype(ms.float32), KIND)  # ! safe
            """,
        },
    ),
    case(
        "float32 whatever they are given: random numbers; of numbers: an array of a tuple, even steps",
        IMPORTS,
        cell(
            """\
a = self.sum(x, ()) + self.cast(F.tuple_to_array((1e-5,)), mstype.float32)  # ! safe
b = ops.standard_normal((2, 3)).astype(ms.float32)  # ! safe
c = self.noise((2, 3)).astype(ms.float32)  # ! safe
d = ops.randn(2, 3).astype(ms.float32)  # ! safe
e = mnp.rand(2, 3).astype(ms.float32)  # ! safe
f = ops.linspace(0, x.shape[0] - 1, 5).astype(ms.float32)  # ! safe
return a + b + c + d + e + f""",
            "self.cast = P.Cast()\nself.sum = P.ReduceSum()\nself.noise = P.StandardNormal()",
        ),
    ),
    case(
        "float32 in what `HyperMap` applies",
        IMPORTS,
        """
        from mindspore.ops import composite as C

        op_cast = P.Cast()
        update = C.MultitypeFuncGraph("update")


        @update.register("Tensor", "Tensor")
        def _update(beta, grad):
            return (op_cast(F.tuple_to_array((1.0,)), mstype.float32) - beta) * grad  # ! safe
        """,
    ),
    case(
        "norm before `ops.norm`, a hot value by keyword, a method of what an operator gives",
        IMPORTS,
        """
        def norm(grad):
            length = nn.Norm()
            length = length(F.cast(grad, ms.float32))
            return F.expand_dims(F.cast(length, ms.float32), 0)  # ! safe


        def entropy(predict, target):
            target = P.MaskedFill()(target, target == 3, 0).view(-1).astype("int32")
            hot = ops.one_hot(target, 5, on_value=Tensor(1.0, ms.float32), off_value=Tensor(0.0, ms.float32))
            hot = ops.cast(hot, ms.float32)  # ! safe
            return hot * predict, target.astype("int32")  # ! safe
        """,
    ),
    case(
        "constant tensor of an array whose dtype is named",
        IMPORTS,
        cell(
            """\
a = ops.cast(self.mask, ms.float32)  # ! safe
b = ops.cast(ops.reshape(self.ids, (-1,)), ms.int32)  # ! safe
c = ops.cast(self.zeros, ms.float64)  # ! safe
d = ops.cast(self.step, ms.float16)  # ! safe
return x + a, b, c, d
""",
            "self.mask = Tensor(np.triu(np.ones((4, 4))).astype(np.float32))\n"
            "self.ids = Tensor(np.arange(4, dtype='int32'))\n"
            "self.zeros = Tensor(np.zeros(4))\n"
            "self.step = Tensor(np.float16(0.5))",
        ),
    ),
    case(
        "comparison of arrays, by an operator",
        IMPORTS,
        cell(
            """\
mask = np.expand_dims(x, 0) >= np.expand_dims(y, 1)
mask = self.cast(mask, mstype.bool_)  # ! unsafe
return ops.select(mask, x, y)
""",
            "self.cast = P.Cast()",
            "x, y",
        ),
    ),
    case(
        "cast twice, by function",
        IMPORTS,
        cell("""\
x = ops.cast(x, ms.float16)
x = ops.tanh(x)
x = ops.cast(x, ms.float16)  # ! safe
return x * 2.0
"""),
    ),
    case(
        "cast twice, by primitive in an attribute",
        IMPORTS,
        cell(
            """\
x = self.cast(x, mstype.float32)
x = self.reshape(x, (-1, 16))
return self.cast(x, mstype.float32)  # ! safe
""",
            "self.cast = P.Cast()\nself.reshape = P.Reshape()",
        ),
    ),
    case(
        "cast of a cast",
        IMPORTS,
        cell("return F.cast(F.cast(x, mstype.float16), mstype.float16)  # !\n"),
    ),
    case(
        "methods of the tensor",
        IMPORTS,
        cell("""\
y = x.astype(ms.float32).transpose(0, 2, 1)
z = y.astype(mstype.float32)  # ! safe
return z.float()  # ! safe
"""),
    ),
    case(
        "half, to and int",
        IMPORTS,
        cell("""\
a = x.half().expand_dims(0).to(ms.float16)  # !
b = ops.cast(x, ms.int32)[:, 0].int()  # !
return a, b
"""),
    ),
    case(
        "primitive made on the spot",
        IMPORTS,
        cell("""\
y = ops.Cast()(x, ms.float16)
return ops.Cast()(ops.sigmoid(y), ms.float16)  # !
"""),
    ),
    case(
        "other spellings of one dtype",
        IMPORTS,
        cell("""\
y = ops.cast(x, ms.half)
return y.astype("float16")  # !
"""),
    ),
    case(
        "comparison is bool already",
        IMPORTS,
        cell(
            """\
mask = self.cast(x > 0, mstype.bool_)  # ! safe
same = ops.cast(self.equal(x, y), ms.bool_)  # ! safe
far = (mnp.abs(x) > 1).astype(ms.bool_)  # ! safe
low = (ops.abs(y) < mnp.mean(y)).astype(ms.bool_)  # ! safe
both = ops.logical_and(mask, same).astype(ms.bool_)  # ! safe
return both
""",
            "self.cast = P.Cast()\nself.equal = P.Equal()",
            "x, y",
        ),
    ),
    case(
        "straight after creation",
        IMPORTS,
        cell("""\
a = ops.ones((2, 3), ms.float32).astype(ms.float16)  # !
b = ops.cast(ops.zeros((2, 3), ms.int32), ms.float32)  # !
c = mnp.arange(10).astype(mstype.float32)  # !
d = ops.cast(ops.arange(0, 10), ms.int32)  # !
return x + a + b + c + d
"""),
    ),
    case(
        "constant tensor made in construct",
        IMPORTS,
        cell("""\
scale = ops.cast(Tensor([0.5, 2.0], ms.float32), ms.float16)  # !
fill = ops.full((2,), 1.0, dtype=ms.float32).astype(ms.float16)  # !
return x * scale + fill
"""),
    ),
    case(
        "creation in a function that construct calls",
        IMPORTS,
        """
        def positions(length):
            return ops.arange(length).astype(ms.float32)  # !


        class Net(nn.Cell):
            def construct(self, x):
                return x + positions(16)
        """,
    ),
    case(
        "wider and back around a change of shape",
        IMPORTS,
        cell("""\
x = ops.cast(x, ms.float16)
y = ops.cast(x, ms.float32)
y = ops.transpose(y, (0, 2, 1))
y = ops.cast(y, ms.float16)  # !
return ops.relu(y)
"""),
    ),
    case(
        "dtype of the value itself",
        IMPORTS,
        cell("""\
y = ops.cast(x, x.dtype)  # !
z = F.cast(ops.reshape(x, (-1,)), F.dtype(x))  # !
return y + z
"""),
    ),
    case(
        "same symbolic dtype twice",
        IMPORTS,
        cell(
            """\
y = self.cast(y, self.dtype_of(x))
y = self.reshape(y, (-1,))
return self.cast(y, self.dtype_of(x))  # !
""",
            "self.cast = P.Cast()\nself.dtype_of = P.DType()\nself.reshape = P.Reshape()",
            "x, y",
        ),
    ),
    case(
        "same attribute twice",
        IMPORTS,
        """
        class Net(nn.Cell):
            def __init__(self, dtype=mstype.float16):
                super().__init__()
                self.dtype = dtype
                self.cast = P.Cast()
                self.reshape = P.Reshape()

            def construct(self, x):
                x = self.cast(x, self.dtype)
                x = self.reshape(x, (-1, 64))
                x = self.cast(x, self.dtype)  # !
                return x
        """,
    ),
    case(
        "dtype of a known value",
        IMPORTS,
        cell(
            """\
a = ops.cast(x, ms.float32)
b = ops.cast(y, ms.float32)
return ops.cast(b, a.dtype)  # !
""",
            inputs="x, y",
        ),
    ),
    case(
        "constant tensor in an attribute",
        IMPORTS,
        cell("return x * ops.cast(self.scale, ms.float32)  # !\n", "self.scale = Tensor(2.0, ms.float32)"),
    ),
    case(
        "fixed dtypes of operators",
        IMPORTS,
        cell(
            """\
values, indices = self.top(x, 4)
indices = self.cast(indices, mstype.int32)  # !
best = self.cast(self.argmax(x), mstype.int32)  # !
hot = self.cast(self.one_hot(label, 10, self.on, self.off), mstype.float32)  # !
return values, indices, best, hot
""",
            "self.cast = P.Cast()\nself.top = P.TopK()\nself.argmax = P.Argmax()\nself.one_hot = P.OneHot()\n"
            "self.on = Tensor(1.0, mstype.float32)\nself.off = Tensor(0.0, mstype.float32)",
            "x, label",
        ),
    ),
    case(
        "indices of a sort",
        IMPORTS,
        cell("_, order = ops.Sort()(x)\nreturn order.astype(ms.int32)  # !\n"),
    ),
    case(
        "choice between equal dtypes, norm and clipping",
        IMPORTS,
        cell(
            """\
a = ops.cast(x, ms.float32)
b = ops.cast(y, ms.float32)
c = ops.select(a > b, a, b).astype(ms.float32)  # !
d = ops.cast(ops.norm(a), ms.float32)  # !
e = ops.clip_by_value(a, 0.0, 1.0).float()  # !
return c, d, e
""",
            inputs="x, y",
        ),
    ),
    case(
        "arithmetic of equal dtypes",
        IMPORTS,
        cell(
            """\
a = ops.cast(x, ms.float32)
b = ops.cast(y, ms.float32)
c = ops.cast(a * b + 1.0, ms.float32)  # !
d = ops.cast(c.mean(axis=1), ms.float32)  # !
return d
""",
            inputs="x, y",
        ),
    ),
    case(
        "both branches agree",
        IMPORTS,
        cell("""\
if self.training:
    y = ops.cast(ops.relu(x), ms.float32)
else:
    y = x.astype(ms.float32)
return ops.cast(y, ms.float32)  # !
"""),
    ),
    case(
        "two on one line",
        IMPORTS,
        cell("""\
a = ops.cast(x, ms.float16)
return ops.cast(a, ms.float16) + ops.cast(ops.squeeze(a), ms.float16)  # !!
"""),
    ),
    case(
        "cast over several lines",
        IMPORTS,
        cell("""\
a = ops.cast(x, ms.float16)
b = ops.cast(  # !
    ops.reshape(a, (-1, 8)),
    ms.float16,
)
return b
"""),
    ),
    case(
        "function outside of a cell",
        IMPORTS,
        """
        @ms.jit
        def normalise(x):
            x = ops.cast(x, ms.float32)
            x = x - x.mean()
            return ops.cast(x, ms.float32)  # !
        """,
    ),
    case(
        "the array module of MindSpore under the name np",
        """
        import mindspore.numpy as np
        from mindspore import nn
        from mindspore import dtype as mstype


        class Mask(nn.Cell):
            def construct(self, x):
                steps = np.arange(16).astype(mstype.float32)  # !
                return x * steps
        """,
    ),
    case(
        "value is changed in place later",
        IMPORTS,
        cell("""\
a = x.astype(ms.float32)
b = a.astype(ms.float32)  # ! unsafe
b[0] = 0.0
return a + b
"""),
    ),
    *(
        case(
            f"value is changed in place after an operator has used the cast: {name}",
            IMPORTS,
            cell(f"a = ops.cast(x, ms.float32)\nb = {used}  # ! {safety}\na[0] = 0.0\nreturn a + b\n"),
        )
        for name, used, safety in (
            ("arithmetic", "ops.cast(a, ms.float32) * 2.0", "safe"),
            ("minus", "-ops.cast(a, ms.float32)", "safe"),
            ("a comparison", "(a.astype(ms.float32) > 0.0).sum()", "safe"),
            ("a reduction", "ops.ReduceSum(keep_dims=False)(ops.cast(a, ms.float32))", "safe"),
            ("an activation", "ops.tanh(a.astype(ms.float32))", "safe"),
            ("another shape of the same memory", "ops.reshape(a.astype(ms.float32), (-1,))", "unsafe"),
            ("a transpose", "ops.transpose(ops.cast(a, ms.float32), (1, 0))", "unsafe"),
            ("a tuple", "(ops.cast(a, ms.float32),)", "unsafe"),
            ("an unknown function", "self.keep(a.astype(ms.float32))", "unsafe"),
        )
    ),
    *(
        case(f"value is changed in place {name}", IMPORTS, cell(f"a = x.astype(ms.float32)\n{lines}return a + b\n"))
        for name, lines in (
            ("before", "a[0] = 0.0\nb = a.astype(ms.float32)  # ! safe\n"),
            ("by a method before", "a.add_(1.0)\nb = a.astype(ms.float32)  # ! safe\n"),
            ("by an operator before", "ops.assign_add(a, a)\nb = a.astype(ms.float32)  # ! safe\n"),
            ("in a loop before", "for i in range(3):\n    a[i] = 0.0\nb = a.astype(ms.float32)  # ! safe\n"),
            ("before, in one loop", "for i in range(3):\n    a[i] = 0.0\n    b = a.astype(ms.float32)  # ! unsafe\n"),
            ("by the statement", "b = a\nb[0] = a[0].astype(ms.float32)  # ! unsafe\na[0] = b[0]\n"),
            ("in a function inside", "change = lambda: a.add_(1.0)\nb = a.astype(ms.float32)  # ! unsafe\nchange()\n"),
        )
    ),
    case(
        "value of the network is changed in place before, and is cast in the next call too",
        IMPORTS,
        cell(
            "self.buffer[0] = 0.0\nb = self.buffer.astype(ms.float32)  # ! unsafe\nreturn x + b\n",
            "self.buffer = ms.Tensor([1.0, 2.0], ms.float32)",
        ),
    ),
]

QUIET = [
    *(case(f"{made} is made apart", IMPORTS, cell(f"return x * {made}\n")) for made in NOT_MADE_AS_X),
    case(
        "dtype of what is a tensor only later",
        IMPORTS,
        cell("z = ops.zeros((2, 3))\nx = ops.relu(x) + y\nreturn x + z.astype(x.dtype)\n", inputs="x, y"),
    ),
    case("array of a tensor", IMPORTS, on_host("a = x.asnumpy().astype(np.float32)\na = a.astype(np.float32)\n")),
    case(
        "array that is moved",
        IMPORTS,
        on_host('a = x.asnumpy().transpose(1, 0).astype(np.float32)\na = a.astype("float32")\n'),
    ),
    case(
        "array that has a name",
        IMPORTS,
        on_host("b = x.asnumpy()\na = b.astype(np.float32)\na = a.astype(np.float32)\n"),
    ),
    case(
        "array that is divided",
        IMPORTS,
        on_host("a = x.asnumpy().astype(np.float32)\na = (a / 255).astype(np.float32)\n"),
    ),
    case(
        "array of either tensor",
        IMPORTS,
        on_host(
            "a = x.asnumpy() if self.training else y.asnumpy()\na = a.astype(np.float32)\na = a.astype(np.float32)\n"
        ),
    ),
    case(
        "array of two that are unpacked",
        IMPORTS,
        on_host("a, b = x.asnumpy(), y.asnumpy()\na = a.astype(np.float32)\na = a.astype(np.float32) * b\n"),
    ),
    case(
        "array that is multiplied in place",
        IMPORTS,
        on_host("a = x.asnumpy().astype(np.float32)\na *= 2\na = a.astype(np.float32)\n"),
    ),
    case(
        "array there and back",
        IMPORTS,
        on_host("a = x.asnumpy().astype(np.float16)\na = a.astype(np.float32).reshape(-1).astype(np.float16)\n"),
    ),
    case(
        "array that a method beside the graph is given",
        IMPORTS,
        beside("image = image.astype(np.float32)\nreturn image.astype(np.float32)\n"),
    ),
    case(
        "array in parts, beside the graph",
        IMPORTS,
        beside("image = image[:, ::-1].astype(np.float32)\nreturn image.transpose(2, 0, 1).astype(np.float32)\n"),
    ),
    case(
        "copy of an array, beside the graph",
        IMPORTS,
        beside('boxes = boxes.copy().astype("float32")\nreturn boxes.astype("float32")\n'),
    ),
    case(
        "array of arithmetic, beside the graph",
        IMPORTS,
        beside("image = image.astype(np.float32)\nreturn (image / 255).astype(np.float32)\n"),
    ),
    case(
        "array for a function in a method",
        IMPORTS,
        beside(
            "def scaled(part):\n    part = part.astype(np.float32)\n    return part.astype(np.float32)\n"
            "return scaled(image)\n"
        ),
    ),
    case(
        "clipping between numbers of another type gives that type",
        IMPORTS,
        cell(
            """\
a = ops.clamp(x.astype(ms.int32), 1.0, 5.5).astype(ms.int32)
b = x.astype(ms.int32).clip(1.0, 5.5).astype(ms.int32)
c = ops.clip_by_value(x.astype(ms.int32), Tensor(1.0), Tensor(4.0)).astype(ms.int32)
d = ops.clamp(x.astype(ms.float16), Tensor(1.0), None).astype(ms.float16)
e = ops.clip(x.half(), max=y).half()
return a + b + c + d + e""",
            inputs="x, y",
        ),
    ),
    case(
        "arrays of integers, steps between tensors, a dtype of choice, a draw in the dtype of what it is given",
        IMPORTS,
        cell(
            """\
a = ops.cast(F.tuple_to_array((1, 2)), ms.float32)
b = ops.cast(F.tuple_to_array((x.shape[0], 2.0)), ms.float32)
c = ops.cast(F.tuple_to_array((self.sens,)), ms.float32)
d = ops.linspace(x, x, 5).astype(ms.float32)
e = ops.randn(2, 3, dtype=ms.float16).astype(ms.float32)
f = ops.bernoulli(x).astype(ms.float32)
return a + b + c + d + e + f""",
            "self.sens = sens",
        ).replace("__init__(self)", "__init__(self, sens=1.0)"),
    ),
    case(
        "what is made once, in a function of another registry",
        IMPORTS,
        """
        from functools import singledispatch


        @singledispatch
        def start(source):
            return source


        @start.register(str)
        def _start(source):
            return ops.cast(ops.randn(2, 3), ms.float32)
        """,
    ),
    case(
        "norm as a part of the network",
        IMPORTS,
        cell("return ops.cast(self.norm(ops.cast(x, ms.float32)), ms.float32)\n", "self.norm = nn.Norm()"),
    ),
    case(
        "one hot of numbers, a method of what is no tensor",
        IMPORTS,
        """
        def entropy(target, table):
            hot = ops.cast(ops.one_hot(target, 5, on_value=1, off_value=0), ms.float32)
            kept = table.view(-1).astype("int32")
            return hot, kept.astype("int32")
        """,
    ),
    case(
        "tensors of arrays whose dtype is not named, or another",
        IMPORTS,
        cell(
            """\
a = ops.cast(self.data, ms.float32)
b = ops.cast(self.ids, ms.int32)
c = ops.cast(self.zeros, ms.float32)
d = ops.cast(self.moved, ms.float32)
return x + a, b, c, d
""",
            "self.data = Tensor(np.load('data.npy'))\n"
            "self.ids = Tensor(np.arange(4))\n"
            "self.zeros = Tensor(np.zeros(4))\n"
            "self.moved = Tensor(np.transpose(np.ones((2, 4), np.float32)))",
        ),
    ),
    case(
        "tensors of what a caller gives",
        IMPORTS,
        """
        class Loss(nn.Cell):
            def __init__(self, label, mask):
                super().__init__()
                self.label = Tensor(label, dtype=ms.float32)
                self.mask = Tensor(mask, ms.float32)

            def construct(self, logits):
                label = ops.cast(self.label, ms.float32)
                return logits * label * ops.cast(self.mask, ms.float32)
        """,
    ),
    case(
        "comparisons of arrays, by a method of theirs, and of numbers",
        IMPORTS,
        cell(
            """\
mask = (np.expand_dims(x, 0) >= np.expand_dims(y, 1)).astype(np.bool_)
wide = ops.cast(x.ndim > 2, ms.bool_)
first = ops.cast(ops.abs(x).item() > 2, ms.bool_)
equal = ops.cast(mint.equal(x, y) != self.last, ms.bool_)
return mask, wide
""",
            "",
            "x, y",
        ),
    ),
    case(
        "creation that is given a second size for its dtype",
        IMPORTS,
        cell(
            """\
n = x.shape[0]
return ops.ones(n, n + 1).astype(ms.bool_), ops.zeros(n, self.width).astype(ms.int32)
""",
            "self.width = 4",
        ),
    ),
    case("one cast", IMPORTS, cell("return ops.relu(ops.cast(x, ms.float16))\n")),
    case(
        "input is unknown",
        IMPORTS,
        cell(
            "return self.softmax(self.cast(x, mstype.float32))\n", "self.cast = P.Cast()\nself.softmax = nn.Softmax()"
        ),
    ),
    case(
        "label to int32",
        IMPORTS,
        cell("return self.loss(x, label.astype(ms.int32))\n", "self.loss = nn.CrossEntropyLoss()", "x, label"),
    ),
    case(
        "stability of the loss",
        IMPORTS,
        cell(
            """\
logits = self.net(x)
logits = ops.cast(logits, ms.float32)
return ops.log_softmax(logits).mean()
""",
            "self.net = nn.Dense(16, 16)",
        ),
    ),
    case(
        "result of a layer, mixed precision may change it",
        IMPORTS,
        cell(
            """\
x = ops.cast(x, ms.float16)
x = self.fc(x)
return ops.cast(x, ms.float16)
""",
            "self.fc = nn.Dense(16, 16)",
        ),
    ),
    case(
        "result of a product, mixed precision may change it",
        IMPORTS,
        cell(
            """\
a = ops.cast(x, ms.float32)
b = ops.cast(y, ms.float32)
return ops.cast(ops.matmul(a, b), ms.float32)
""",
            inputs="x, y",
        ),
    ),
    case(
        "half precision through operators that mixed precision computes in fp32",
        IMPORTS,
        cell("""\
x = ops.cast(x, ms.float16)
a = ops.cast(ops.relu(x), ms.float16)
b = ops.cast(ops.exp(x), ms.float16)
c = ops.cast(ops.softmax(x), ms.float16)
return a + b + c
"""),
    ),
    case(
        "created as integers, so the fill value is not kept",
        IMPORTS,
        cell("return x * ops.full((2,), 0.5).astype(ms.float32)\n"),
    ),
    case(
        "parameter, mixed precision may change it",
        IMPORTS,
        cell(
            "return x * ops.cast(self.scale, ms.float32)\n",
            'self.scale = Parameter(Tensor(2.0, ms.float32), name="scale")',
        ),
    ),
    case(
        "narrower and back changes values",
        IMPORTS,
        cell("""\
x = ops.cast(x, ms.float32)
y = ops.cast(x, ms.float16)
return ops.cast(y, ms.float32)
"""),
    ),
    case(
        "work between wider and back",
        IMPORTS,
        cell("""\
x = ops.cast(x, ms.float16)
y = ops.cast(x, ms.float32)
y = ops.exp(y).sum(axis=-1)
return ops.cast(y, ms.float16)
"""),
    ),
    case("made bool on purpose", IMPORTS, cell("return x.astype(ms.bool_).astype(ms.float32)\n")),
    case(
        "bool through numbers, because the operator takes no bool",
        IMPORTS,
        cell("""\
mask = x > 0
mask = ops.cast(mask, ms.int32)
mask = ops.gather(mask, ops.arange(0, 4), 0)
return ops.cast(mask, ms.bool_)
"""),
    ),
    case(
        "comparison to a number",
        IMPORTS,
        cell("return ops.cast(x > 0, ms.float32) * ops.cast(x == y, x.dtype)\n", inputs="x, y"),
    ),
    case(
        "target is known only when it runs",
        IMPORTS,
        cell("return ops.cast(ops.relu(y), x.dtype)\n", inputs="x, y"),
    ),
    case(
        "own dtype is kept and given back",
        IMPORTS,
        cell("""\
dtype = x.dtype
x = ops.cast(x, ms.float32)
x = x - x.mean(axis=-1, keep_dims=True)
return ops.cast(x, dtype)
"""),
    ),
    case(
        "other attribute than before",
        IMPORTS,
        """
        class Net(nn.Cell):
            def __init__(self, dtype, softmax_dtype):
                super().__init__()
                self.dtype = dtype
                self.softmax_dtype = softmax_dtype

            def construct(self, x):
                x = ops.cast(x, self.softmax_dtype)
                x = ops.softmax(x)
                return ops.cast(x, self.dtype)
        """,
    ),
    case(
        "arrays of NumPy",
        IMPORTS,
        """
        def read(path):
            image = np.load(path).astype(np.float32)
            image = image / 255.0
            mask = (image > 0.5).astype(np.bool_)
            return image.astype(np.float32), mask, np.ones((2, 2), np.float32).astype(np.float32)
        """,
    ),
    case(
        "attribute that is a dtype of NumPy",
        IMPORTS,
        """
        class Samples:
            def __init__(self):
                self.dtype = np.float32

            def __getitem__(self, index):
                row = np.arange(index, index + 8).astype(self.dtype)
                return row.reshape((2, 4)).astype(self.dtype)
        """,
    ),
    case(
        "to another device",
        """
        import mindspore as ms
        import torch


        def copy(model, batch):
            batch = batch.to("cuda")
            model = model.to("cuda").float().float()
            return ms.Tensor(model(batch.to("cuda")).float().cpu().numpy())
        """,
    ),
    case(
        "branches differ",
        IMPORTS,
        cell("""\
if self.training:
    y = ops.cast(x, ms.float16)
else:
    y = ops.cast(x, ms.float32)
return ops.cast(y, ms.float32)
"""),
    ),
    case(
        "only one branch casts",
        IMPORTS,
        cell("""\
if self.training:
    x = ops.cast(x, ms.float32)
return ops.cast(x, ms.float32)
"""),
    ),
    case(
        "loop feeds another dtype back",
        IMPORTS,
        cell(
            """\
y = ops.cast(x, ms.float32)
for layer in self.layers:
    y = ops.cast(y, ms.float32)
    y = layer(y)
return y
""",
            "self.layers = nn.CellList([nn.Dense(8, 8), nn.Dense(8, 8)])",
        ),
    ),
    case(
        "bound again",
        IMPORTS,
        cell(
            """\
y = ops.cast(x, ms.float16)
y = self.norm(x)
return ops.cast(y, ms.float16)
""",
            "self.norm = nn.LayerNorm((16,))",
        ),
    ),
    case(
        "augmented by something unknown",
        IMPORTS,
        cell(
            """\
y = ops.cast(x, ms.float16)
y += z
return ops.cast(y, ms.float16)
""",
            inputs="x, z",
        ),
    ),
    case(
        "unknown with known",
        IMPORTS,
        cell(
            """\
y = ops.cast(x, ms.float16)
return ops.cast(y * z, ms.float16)
""",
            inputs="x, z",
        ),
    ),
    case(
        "arithmetic promotes",
        IMPORTS,
        cell(
            """\
a = ops.cast(x, ms.float16)
b = ops.cast(y, ms.float32)
return ops.cast(a + b, ms.float16)
""",
            inputs="x, y",
        ),
    ),
    case(
        "division of integers",
        IMPORTS,
        cell("""\
a = ops.cast(x, ms.int32)
return ops.cast(a / 2, ms.int32)
"""),
    ),
    case(
        "results that depend on the version",
        IMPORTS,
        cell("""\
best = ops.argmax(x, -1).astype(ms.int32)
most = x.argmax(axis=-1).astype(ms.int32)
index, value = ops.ArgMaxWithValue(axis=-1)(x)
return best, most, ops.cast(index, ms.int32), value
"""),
    ),
    case(
        "before training starts",
        """
        import mindspore as ms
        from mindspore import Tensor, nn, ops

        TABLE = ops.ones((4, 4), ms.float32).astype(ms.float16)


        class Net(nn.Cell):
            def __init__(self):
                super().__init__()
                self.table = ops.arange(0, 16).astype(ms.float32)
                self.scale = ops.cast(Tensor(2.0, ms.float32), ms.float16)

            def construct(self, x):
                return x * self.scale
        """,
    ),
    case(
        "creation and cast outside of the network",
        IMPORTS,
        """
        def main():
            start = Tensor([1.0], ms.float32).astype(ms.float16)
            print(start)


        main()
        """,
    ),
    case(
        "own function of that name",
        IMPORTS,
        """
        from casting import cast


        class Net(nn.Cell):
            def construct(self, x):
                return cast(cast(x, ms.float16), ms.float16)
        """,
    ),
    case(
        "creation in a dtype that is known only when it runs",
        IMPORTS,
        cell("return ops.cast(y + ops.ones_like(x), x.dtype)\n", inputs="x, y"),
    ),
    case(
        "object with a method half",
        IMPORTS,
        """
        class Layout:
            def half(self):
                return self

            def float(self):
                return self


        class Net(nn.Cell):
            def construct(self, x):
                layout = Layout().half().half().float().float()
                return x
        """,
    ),
]


@pytest.mark.parametrize("program", FIRES)
def test_fires(program: Program) -> None:
    fires(CODE, program)


@pytest.mark.parametrize("program", QUIET)
def test_not_reported(program: Program) -> None:
    quiet(CODE, program)


KEPT = [
    ("y = ops.cast(y, ms.float32)  # NUMERICS: do not remove", "# NUMERICS: do not remove"),
    ("y = ops.cast(y, ms.float32);  # two  ", "# two  "),
    ("y = ops.cast(  # one\n            y,  # two\n            # three\n            ms.float32)",
     "# one\n        # two\n        # three"),
    ("y = ops.cast(  # one\n            y, ms.float32)  # two", "# one\n        # two"),
    ("y = ops.cast(\n            y, ms.float32  # noqa: E501\n            # two\n        )  # noqa: E502", "# two"),
    ("# above\n        y = ops.cast(y, ms.float32)", "# above"),
    ("y = ops.cast(y, ms.float32)  # noqa: E501 - says why", "# noqa: E501 - says why"),
    ("if z:\n            y = ops.cast(y, ms.float32)  # why", "if z:\n            pass  # why"),
    ("if z: y = ops.cast(y, ms.float32)  # why", "if z: pass  # why"),
    ("if z:\n            y = ops.cast(y,  # one\n                ms.float32)  # two",
     "if z:\n            # one\n            pass  # two"),
    ("z = 1; y = ops.cast(y, ms.float32)  # why", "z = 1  # why"),
    ("y = ops.cast(y, ms.float32); z = 1  # why", "z = 1  # why"),
    ("return ops.cast(y, ms.float32)  # why", "return y  # why"),
    ("y = ops.cast(y, ms.float32)  # noqa: W291", None),
    ("y = ops.cast(y, ms.float32)  # noqa: E501, W291", None),
]  # fmt: skip
LOST = [
    "y = ops.cast(y, ms.float32)  # type: Tensor",
    "y = ops.cast(y, ms.float32)  # type: ignore[attr-defined]",
    "y = ops.cast(y, ms.float32)  # pylint: disable=all",
    "y = ops.cast(y, ms.float32)  # fmt: skip",
    "y = ops.cast(\n            y,  # pragma: no cover\n            ms.float32)  # why",
    "if z: y = ops.cast(\n            y,  # why\n            ms.float32)",
    "z = 1; y = ops.cast(\n            y,  # why\n            ms.float32)",
]
COMMENTED = """
    import mindspore as ms
    from mindspore import nn, ops
    class Net(nn.Cell):
        def construct(self, x, z):
            y = ops.cast(x, ms.float32)
            {line}
            return y
    ms.Model(Net()).train(1, [])
    """


@pytest.mark.parametrize(("line", "left"), KEPT)
@pytest.mark.parametrize("name", ["train.py", "train.ipynb"])
def test_a_safe_fix_keeps_comments(line: str, left: str | None, name: str) -> None:
    text = textwrap.dedent(COMMENTED).format(line=line).strip() + "\n"
    expected = text.replace(f"        {line}\n", f"        {left}\n" if left is not None else "")
    program = Program({name: text if name.endswith(".py") else notebook(text)})
    (finding,) = program.lint("MSP203").findings
    assert finding.fix is not None and finding.fix.safety is Safety.SAFE
    after = program.fix("MSP203").changes[0].after
    assert (after.decode() if name.endswith(".py") else code(after) + "\n") == expected


@pytest.mark.parametrize("line", ["ops.cast(y, ms.float32)", "y.astype(ms.float32)", "y.to(ms.float32)"])
def test_a_cast_that_nothing_reads_goes_as_a_whole(line: str) -> None:
    text = textwrap.dedent(COMMENTED).format(line=line).strip() + "\n"
    after = Program({"train.py": text}).fix("MSP203").changes[0].after
    assert after.decode() == text.replace(f"        {line}\n", "")


@pytest.mark.parametrize("line", LOST)
def test_a_fix_that_removes_a_comment_is_unsafe(line: str) -> None:
    program = Program({"train.py": textwrap.dedent(COMMENTED).format(line=line)})
    (finding,) = program.lint("MSP203").findings
    assert finding.fix is not None and finding.fix.safety is Safety.UNSAFE
    assert (finding.fix.message, finding.fix.reason) == ("drop the cast", "a comment is removed with it")


def notebook(text: str) -> str:
    return json.dumps({"cells": [{"cell_type": "code", "source": text.rstrip("\n")}]})


def code(raw: bytes) -> str:
    return str(json.loads(raw)["cells"][0]["source"])


def test_a_definition_that_nothing_needs_any_more_leaves_its_comment() -> None:
    text = """
    import mindspore as ms
    from mindspore import nn, ops
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.to_float32 = ops.Cast()  # for the loss
        def construct(self, x):
            y = ops.relu(ops.cast(x, ms.float32))
            y = self.to_float32(y, ms.float32)
            return y
    ms.Model(Net()).train(1, [])
    """
    program = Program({"train.py": textwrap.dedent(text)})
    (finding,) = program.lint("MSP203").findings
    assert finding.fix is not None and finding.fix.safety is Safety.SAFE
    assert "        # for the loss\n" in program.fix("MSP203").changes[0].after.decode()
