"""Kinds of layers and code in half precision: what level O2 makes of each, and what MSP201 says of it.

See `test_half_kinds.py`.
"""

from __future__ import annotations

import textwrap
from typing import NamedTuple

from programs import join


class Kind(NamedTuple):
    """A program whose network holds one kind.

    With level O2 it trains the "same", "fails" in graph mode or PyNative, or its losses are "nan".
    """

    name: str
    text: str
    becomes: str

    def __str__(self) -> str:
        return self.name.replace(" ", "-")


HEAD = """
    import numpy as np
    import mindspore as ms
    from mindspore import Model, Parameter, Tensor, dataset as ds, nn, ops

    ms.set_context(mode=ms.GRAPH_MODE)


    """
LOOP = """


    samples = np.random.default_rng(1).normal(size=(12, 64)).astype(np.float32)
    labels = np.tile(np.arange(4), 3).astype(np.int32)
    train_set = ds.NumpySlicesDataset({"x": samples, "y": labels}, shuffle=False).batch(4, drop_remainder=True)
    ms.set_seed(1)
    net = Net()
    loss = nn.CrossEntropyLoss()
    optimizer = nn.SGD(net.trainable_params(), 0.01)
    model = Model(net, loss, optimizer, loss_scale_manager=None)
    model.train(1, train_set, dataset_sink_mode=False)
    """
NET = """
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.d = nn.Dense(64, 64)
            self.head = nn.Dense(64, 10)
            {init}

        def construct(self, x):
            h = ops.reshape(self.d(x), (-1, 4, 4, 4))
            {body}
            return self.head(ops.reshape(h, (h.shape[0], -1))[:, :64])
    """


def _kind(becomes: str, name: str, body: str, init: str = "pass", before: str = "") -> Kind:
    net = join(NET).replace("{init}", init.replace("\n", "\n" + " " * 8)).replace("{body}", body)
    return Kind(name, f"{join(HEAD)}{textwrap.dedent(before).strip()}\n\n\n{net}{join(LOOP)}", becomes)


def _derived(becomes: str, name: str, base: str, methods: str, body: str = "h = self.part(h)", given: str = "") -> Kind:
    cls = f"class Own({base}):\n{textwrap.indent(textwrap.dedent(methods).strip(), ' ' * 4)}"
    return _kind(becomes, name, body, f"self.part = Own({given})", cls)


DERIVED = [
    _derived(
        "same",
        "derived convolution that sets its weights",
        "nn.Conv2d",
        """
        def __init__(self, mean=(0.4, 0.4, 0.4, 0.4)):
            super().__init__(4, 4, kernel_size=1, has_bias=True)
            self.weight.set_data(ops.eye(4, 4, ms.float32).reshape(4, 4, 1, 1) / 2)
            self.bias.set_data(-1 * Tensor(mean, ms.float32))
            for each in self.get_parameters():
                each.requires_grad = False
        """,
    ),
    _derived(
        "same",
        "derived convolution with another weight",
        "nn.Conv2d",
        """
        def __init__(self):
            super().__init__(4, 4, 1, has_bias=True)
            self.weight = Parameter(ops.eye(4, 4, ms.float32).reshape(4, 4, 1, 1), name="weight", requires_grad=False)
        """,
    ),
    _derived(
        "same",
        "derived dense",
        "nn.Dense",
        """
        def __init__(self, width):
            super().__init__(width, width, weight_init="xavier_uniform", has_bias=True)
        """,
        given="4",
    ),
    _derived(
        "same",
        "derived embedding",
        "nn.Embedding",
        """
        def __init__(self, size, width):
            super().__init__(size, width, embedding_table="normal")
        """,
        "h = h + self.part(ops.argmax(h, -1))",
        "16, 4",
    ),
    _derived(
        "same",
        "derived batch normalisation with construct of the base",
        "nn.BatchNorm2d",
        """
        def construct(self, x):
            return super().construct(x)
        """,
        given="4",
    ),
    _derived(
        "same",
        "derived layer normalisation",
        "nn.LayerNorm",
        """
        def __init__(self, width):
            super().__init__((width,), epsilon=1e-3)
        """,
        given="4",
    ),
    _derived(
        "same",
        "derived convolution with an activation",
        "nn.Conv2d",
        """
        def __init__(self):
            super().__init__(4, 4, 3, pad_mode="pad", padding=1)
            self.act = nn.ReLU()

        def construct(self, x):
            return self.act(super().construct(x))
        """,
    ),
    _derived("same", "derived activation", "nn.ReLU", "pass"),
    _derived(
        "same",
        "derived dense with methods of its own",
        "nn.Dense",
        """
        def __init__(self, width):
            super().__init__(width, width)
            self.reset()

        def reset(self):
            self.weight.set_data(ops.eye(4, 4, ms.float32) / 2)
            if self.has_bias:
                self.bias.set_data(ops.zeros((4,), ms.float32))

        @classmethod
        def square(cls, width):
            return cls(width)
        """,
        given="4",
    ),
    _derived(
        "same",
        "derived dropout",
        "nn.Dropout",
        """
        def __init__(self):
            super().__init__(p=0.0)
        """,
    ),
    *(
        _derived("same", f"derived {name}", base, f"def construct(self, x):\n    {body}", given=given)
        for name, base, given, body in (
            ("convolution with its operator", "nn.Conv2d", "4, 4, 3", "return self.conv2d(x, self.weight)"),
            (
                "convolution with its bias",
                "nn.Conv2d",
                "4, 4, 3, has_bias=True",
                "x = self.conv2d(x, self.weight)\n    return self.bias_add(x, self.bias) if self.has_bias else x",
            ),
            (
                "convolution that pads",
                "nn.Conv2d",
                "4, 4, 3",
                "return self.conv2d(ops.pad(x, (1, 1, 1, 1)), self.weight)",
            ),
            (
                "dense with its operator",
                "nn.Dense",
                "4, 4",
                "return self.matmul(x.reshape(-1, 4), self.weight).reshape(x.shape)",
            ),
            ("norm with its operator", "nn.LayerNorm", "(4,)", "return self.layer_norm(x, self.gamma, self.beta)[0]"),
            (
                "norm of channels",
                "nn.LayerNorm",
                "(4,)",
                "x = ops.transpose(x, (0, 2, 3, 1))\n    y, _, _ = self.layer_norm(x, self.gamma, self.beta)\n"
                "    return ops.transpose(y, (0, 3, 1, 2))",
            ),
        )
    ),
    _derived(
        "fails",
        "derived dense with an operator that is not its own",
        "nn.Dense",
        "def construct(self, x):\n    return ops.matmul(x, self.weight.T)",
        given="4, 4",
    ),
    _derived(
        "fails",
        "derived convolution that computes with its weight",
        "nn.Conv2d",
        """
        def construct(self, x):
            return self.conv2d(x, self.weight - self.weight.mean((1, 2, 3), keep_dims=True))
        """,
        given="4, 4, 3",
    ),
]

LAYERS = [
    _kind("same", "group normalisation", "h = self.part(h)", "self.part = nn.GroupNorm(2, 4)"),
    _kind("same", "mask of infinity", "h = ops.softmax(ops.masked_fill(h, h > 5, float('-inf')))"),
    _kind("same", "negative infinity", "h = ops.softmax(h.masked_fill(h > 5, -float('inf')))"),
    _kind("same", "softmax of channels", "h = self.part(h)", "self.part = nn.Softmax2d()"),
    _kind("same", "adaptive max pool", "h = self.part(h.reshape(-1, 4, 16))", "self.part = nn.AdaptiveMaxPool1d(16)"),
    _kind(
        "same",
        "attention",
        "t = h.reshape(-1, 8, 8)\n        h = self.part(t, t, t)[0]",
        "self.part = nn.MultiheadAttention(8, 2, batch_first=True)",
    ),
    _kind(
        "same",
        "attention without weights",
        "t = h.reshape(-1, 8, 8)\n        h = self.part(t, t, t, need_weights=False)[0]",
        "self.part = nn.MultiheadAttention(8, 2)",
    ),
    *(
        _kind("same", name, f"h = self.part({given})", f"self.part = nn.SequentialCell({layers})")
        for name, given, layers in (
            (
                "layers with a normalisation or an activation",
                "h",
                'nn.Conv2dBnAct(4, 4, 3, has_bn=True), nn.DenseBnAct(4, 4, activation="sigmoid"), nn.SyncBatchNorm(4)',
            ),
            (
                "pools in three dimensions",
                "h",
                "nn.AvgPool3d(1), nn.MaxPool3d(1), nn.AdaptiveAvgPool3d(4), nn.LRN(), nn.Dropout3d(0.0)",
            ),
            (
                "transformer encoder",
                "h.reshape(-1, 8, 8)",
                "nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0), 2), nn.Dropout1d(0.0)",
            ),
            (
                "shrinking activations",
                "h",
                "nn.SoftShrink(0.1), nn.HShrink(0.1), nn.Tanhshrink(), nn.Threshold(0.1, 0.0)",
            ),
            ("other activations", "ops.cat((h, h), 1)", "nn.GLU(1), nn.FastGelu(), nn.Softmin()"),
            (
                "moved channels",
                "h",
                "nn.PixelUnshuffle(2), nn.ChannelShuffle(2), nn.ReplicationPad2d(1), nn.Unflatten(1, (4, 4))",
            ),
        )
    ),
    _kind("same", "lambda as an attribute", "h = self.part(h)", "self.part = lambda x: x * 0.5"),
]

OPERATORS = [
    *(
        _kind("same", name, f"h = {text}")
        for name, text in (
            ("pad", "ops.pad(h, (1, 1, 1, 1))"),
            ("pad by reflection", 'ops.pad(h, (1, 1, 1, 1), mode="reflect")'),
            ("pad, a primitive", "ops.Pad(((0, 0), (0, 0), (1, 1), (1, 1)))(h)"),
            ("upsample", 'ops.upsample(h, (8, 8), mode="bilinear", align_corners=True)'),
            ("tensor mul", "ops.tensor_mul(h, ops.sigmoid(h))"),
            ("max pool in three dimensions", "ops.MaxPool3D((1, 1, 1), (1, 1, 1))(h.expand_dims(2)).squeeze(2)"),
            ("gather elements", "ops.gather_elements(h, 3, ops.zeros(h.shape, ms.int32))"),
            ("gather d", "ops.GatherD()(h, 3, ops.zeros(h.shape, ms.int32))"),
            ("numpy concatenate", "ms.numpy.concatenate((h, h), 1)"),
            ("zeros", "h + ops.zeros(h.shape, ms.float32)"),
            ("zeros of the dtype of a tensor", "ops.cat((h, ops.zeros(h.shape, dtype=h.dtype)), 1)"),
            ("zeros of numpy", "h + ms.numpy.zeros(h.shape)"),
            ("ones", "h * ops.ones(h.shape)"),
            ("zeros, a primitive", "h + ops.Zeros()(h.shape, ms.float32)"),
            ("ones, a primitive", "h * ops.Ones()(h.shape, ms.float32)"),
            ("full", "h + ops.full(h.shape, 0.5, dtype=ms.float32)"),
            ("arange", "h + ops.arange(4).astype(ms.float32) * 0.1"),
            ("float", "ops.sigmoid(h.float())"),
            ("to float32", "ops.sigmoid(h.to(ms.float32))"),
            (
                "casts to the dtype of a tensor",
                "h + ops.Cast()(ops.ones((4,)), h.dtype) + ops.cast(ops.ones((4,)), ops.dtype(h))"
                " + ops.cast(ops.ones((4,)), ops.DType()(h))",
            ),
            ("normal numbers", "h + (ops.randn(h.shape) + ops.randn_like(h) + ops.StandardNormal()(h.shape)) * 0.0"),
            (
                "filled tensors",
                "h * ops.tuple_to_array((1.0, 2.0, 3.0, 0.5)) + h.new_zeros(h.shape) + ops.full_like(h, 0.5)",
            ),
            ("largest and sorted", "ops.sort(h + ops.topk(h, 1)[0] + ops.amin(h, 1, True))[0]"),
            ("resize", "ops.ResizeBilinearV2()(h, (8, 8))"),
            (
                "triangles and a diagonal",
                "(ops.tril(h) + ops.triu(h)) * ops.diag(Tensor([1.0, 2.0, 3.0, 4.0], ms.float32))",
            ),
            ("blocks", "ops.DepthToSpace(2)(ops.SpaceToDepth(2)(h)) + ops.unfold(h, 2, stride=2).reshape(-1, 4, 4, 4)"),
            (
                "repeated",
                "ops.repeat_elements(ops.gather_nd(h, ops.zeros((4, 1), ms.int32)) + h[:, :1].expand_as(h), 2, 1)",
            ),
            ("grid", "-h + ops.meshgrid(ops.arange(4).astype(ms.float32), ops.arange(4).astype(ms.float32))[0] * 0.1"),
            (
                "comparisons",
                "ops.masked_fill(h, ops.logical_and(h > 0, ops.Less()(h, 1.0)), 0.0)"
                " + ops.select(ops.LessEqual()(h, 0.0), h * 0.5, h) + h * (h > 0.5)",
            ),
            (
                "equal numbers",
                "ops.masked_fill(h, ops.not_equal(ops.argmax(h, -1), 2).expand_dims(-1), 0.0)"
                " + h * ops.cast(ops.NotEqual()(ops.argmax(h, -1), 0), h.dtype).expand_dims(-1)",
            ),
            (
                "some and all",
                "ops.masked_fill(h, (h > 3).any(1, keep_dims=True), 0.0)"
                " + ops.masked_fill(h, ops.ReduceAll(True)(ops.logical_not(h > 3), 1), 0.0)",
            ),
            (
                "one of several",
                "h + ops.one_hot(ops.argmax(h, -1), 4, Tensor(1.0, ms.float32), Tensor(0.0, ms.float32))",
            ),
            ("eye", "h * ops.Eye()(4, 4, ms.float32)"),
            ("range", "ops.gather(h, ops.Range()(0, 4, 1), 1)"),
            ("dropout in three dimensions", "ops.Dropout3D(keep_prob=1.0)(h.expand_dims(2))[0].squeeze(2)"),
            ("average pool", "ops.AvgPool3D(kernel_size=1, strides=1)(h.expand_dims(2)).squeeze(2)"),
            ("turned", "ops.rot90(ops.ReverseV2([3])(h), 1, (2, 3))"),
            ("rounded", "h - ops.floor(h) * 0.1 + ops.round(h) * 0.1 + ops.sign(h)"),
            ("waves", "ops.sin(h) + ops.cos(h) + ops.erf(h)"),
            (
                "more activations",
                "ops.celu(h) + ops.hardtanh(h) + ops.Softsign()(h) + ops.tanhshrink(h) + ops.softmin(h)"
                " + ops.glu(ops.cat((h, h), 1), 1)",
            ),
            ("sum of several tensors", "ops.AddN()([h, h]) + ops.addn([h, ops.softplus(h)])"),
        )
    ),
    _kind(
        "same",
        "numbers in a shape",
        "h = h.reshape((h.shape[0], 8 // self.groups, 2 * self.groups, 4)).reshape(h.shape[0], -1)",
        "self.groups = int(np.array(2))",
    ),
    *(
        _kind("same", f"tensor of the network, {name}", f"h = {body}", f"self.k = Tensor({made})")
        for name, body, made in (
            ("added", "h + self.k", "np.ones((4, 4)), ms.float32"),
            ("concatenated", "ops.concat((h, self.k), 1)", "np.ones((4, 4, 4, 4)), ms.float32"),
            ("multiplied", "ops.matmul(h, self.k)", "np.eye(4), ms.float32"),
            ("chosen from", "ops.where(h > 0, h, self.k)", "np.full((4, 4, 4, 4), 0.5), ms.float32"),
            ("a mask", "ops.softmax(ops.masked_fill(h, self.k, -1e4))", "np.eye(4), ms.bool_"),
            ("indices", "ops.gather(h, self.k, 1)", "np.arange(4), ms.int32"),
        )
    ),
    _kind("same", "cast to a dtype of the network", "h = ops.cast(h, self.kind) * 0.5", "self.kind = ms.float32"),
    _kind(
        "same",
        "counter of a loop",
        "for i, each in enumerate(ops.split(h, 2, 1)):\n            h = h + each[:, :1] if i == 0 else h",
    ),
    _kind(
        "same",
        "layers in a list first",
        "h = self.rows(h)",
        "self.rows = []\nself.rows.append(nn.Conv2d(4, 4, 1))\nself.rows = nn.SequentialCell(self.rows)",
    ),
    _kind(
        "same",
        "layers in a list first, in a loop",
        "for each in self.rows:\n            h = each(h)",
        "self.rows = []\nself.rows.append(nn.Conv2d(4, 4, 1))\nself.rows = nn.CellList(self.rows)",
    ),
    _kind(
        "same",
        "layers under names that are put together",
        "h = self.row1(self.row0(h))",
        "for i in range(2):\n    setattr(self, f'row{i}', nn.Conv2d(4, 4, 1))",
    ),
    _kind(
        "same",
        "layers taken by names that are put together",
        "for i in range(2):\n            h = getattr(self, f'row{i}')(h)",
        "for i in range(2):\n    setattr(self, f'row{i}', nn.Conv2d(4, 4, 1))",
    ),
    _kind("same", "no layer", "h = self.pool(h) if self.pool is not None else h", "self.pool = None"),
    _kind(
        "same",
        "parameter that is a number",
        "h = half(h, self.groups)",
        "self.groups = int(np.array(2))",
        "def half(x, groups):\n    b, c, height, width = x.shape\n    c = c // groups\n"
        "    return x.reshape((b, groups, c, height * width)).reshape((b, c * groups, height, width))",
    ),
    _kind(
        "same",
        "numbers of the compiler",
        "h = h[:, : width(h.shape, self.groups)]",
        "self.groups = int(np.array(2))",
        "@ops.constexpr\ndef width(shape, groups):\n    return int(np.ceil(shape[1] / groups)) * groups",
    ),
    _kind(
        "same",
        "settings that are compared",
        "h = h * 0.5 if self.scale == 3 or self.kind == 'wide' else h",
        "self.scale = int(np.array(2))\nself.kind = str(np.array('deep'))",
    ),
    *(
        _kind("same", f"float32 that is cast back, {name}", f"h = ops.matmul({body}, h)", "self.act = nn.Softmax()")
        for name, body in (
            ("a softmax", "ops.softmax(h.astype(ms.float32) * 0.5, -1).astype(h.dtype)"),
            ("a softmax that is asked for it", "ops.softmax(h, -1, dtype=ms.float32).to(h.dtype)"),
            ("a layer", "self.act(h.float()).type_as(h)"),
            ("a cast by an operator", "ops.Cast()(ops.softmax(ops.cast(h, ms.float32)), x.dtype)"),
            ("normal numbers", "(ops.randn_like(h, dtype=h.dtype) + ops.randn_like(h).astype(h.dtype)) * 0 + h"),
        )
    ),
    *(
        _kind("fails", f"float32 that is multiplied, {name}", f"h = {body}", "self.dtype = ms.float32")
        for name, body in (
            ("a softmax", "ops.matmul(ops.softmax(h.astype(ms.float32), -1), h)"),
            ("a softmax that is asked for it", "ops.matmul(ops.softmax(h, -1, dtype=ms.float32), h)"),
            ("a dtype of the network", "ops.matmul(ops.softmax(h, -1).astype(self.dtype), h)"),
            ("a dtype of a weight", "ops.matmul(ops.cast(ops.softmax(h.float()), self.d.weight.dtype), h)"),
            ("normal numbers", "ops.matmul(ops.randn_like(h) * 0 + h, h)"),
            ("cast back behind that", "ops.matmul(h.astype(ms.float32), h).astype(h.dtype)"),
        )
    ),
    _kind("fails", "zeros that are multiplied", "h = ops.matmul(h, ops.ones((4, 4), ms.float32))"),
    _kind(
        "fails",
        "state of a recurrent layer",
        "z = ops.zeros((1, h.shape[0], 8), ms.float32)\n        h = self.part(h.reshape(-1, 8, 8), (z, z))[0]",
        "self.part = nn.LSTM(8, 8, batch_first=True)",
    ),
]

LOSS = """
    class Own(nn.LossBase):
        def construct(self, p, label):
            t = ops.one_hot(label, 10, Tensor(1.0, ms.float32), Tensor(0.0, ms.float32))
            return -(t * {text}).mean()


    """


def _of_probabilities(name: str, text: str) -> Kind:
    plain = _kind("nan", name, "h = h * 0.5", before=join(LOSS).replace("{text}", text))
    head = plain.text.replace("return self.head(", "return ops.softmax(30.0 * self.head(").replace(
        ":64])\n", ":64]))\n"
    )
    return plain._replace(text=head.replace("nn.CrossEntropyLoss()", "Own()"))


LOSSES = [
    _of_probabilities(f"logarithm of probabilities, {name}", text)
    for name, text in (
        ("a method", "p.log()"),
        ("of base two", "ops.log2(p)"),
        ("with a product", "ops.xlogy(t, p)"),
    )
]
LOSSES += [
    _of_probabilities(f"probabilities, {name}", text)
    for name, text in (
        ("a root", "p.sqrt()"),
        ("a power below one", "p ** 0.5"),
    )
]

KINDS = [*LOSSES, *DERIVED, *LAYERS, *OPERATORS]
