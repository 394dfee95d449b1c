"""MSP203: the forms in which a cast is taken away, in both modes and under every level of mixed precision."""

from __future__ import annotations

from collections.abc import Sequence

from proofs.proof import SAMPLES, START, Form, form, join

CODE = "MSP203"
IMPORTS = """
    import mindspore.common.dtype as mstype
    import mindspore.numpy as mnp
    from mindspore.ops import functional as F
    from mindspore.ops import operations as P


    """
LEVELS = ("O0", "O1", "O2", "O3")
FIXED = ("O0", "O2", "O3")  # for O1 MindSpore 2.0 rewrites the network, and cannot where a method is called on a call
TRAIN = """
    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
        for level in {levels}:
            ms.set_context(mode=mode)
            ms.set_seed(1)
            net = Net()
            loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
            optimizer = nn.Adam(net.trainable_params())
            model = Model(net, loss, optimizer, amp_level=level, loss_scale_manager=None)
            train_set = ds.NumpySlicesDataset({{"data": samples, "label": labels}}, shuffle=False).batch(32)
            model.train(1, train_set)
    """


def cast(name: str, construct: str, changes: str, init: str = "", levels: Sequence[str] = LEVELS) -> Form:
    """Return a form from lines of a network's `construct`, and of its `__init__`."""
    layers = f"self.hidden = nn.Dense(64, 128)\nself.head = nn.Dense(128, 10)\n{join(init)}"
    lines = "".join(f"        {line}\n" for line in layers.splitlines())
    body = "".join(f"        {line}\n" for line in join(construct).splitlines())
    net = (
        f"class Net(nn.Cell):\n    def __init__(self):\n        super().__init__()\n{lines}\n"
        "    def construct(self, x):\n        x = ops.relu(self.hidden(x))\n"
        f"{body}        return self.head(x.astype(self.head.weight.dtype))\n\n\n"
    )
    texts = (START, IMPORTS, net, SAMPLES, TRAIN.format(levels=tuple(levels)))
    return form(CODE, name, *texts, changes=changes, safety="safe", steps=2 * len(levels) * 4)


FORMS: list[Form] = [
    cast(
        "functions",
        """
        x = ops.cast(x, ms.float32)
        x = ops.tanh(ops.reshape(x, (-1, 128)))
        x = ops.cast(x, ms.float32)
        if x.ndim == 2:
            x = F.cast(x, mstype.float32)
        x = F.cast(F.cast(x, ms.float16), ms.float16)
        """,
        """
        -        x = ops.cast(x, ms.float32)
        -            x = F.cast(x, mstype.float32)
        -        x = F.cast(F.cast(x, ms.float16), ms.float16)
        +            pass
        +        x = F.cast(x, ms.float16)
        """,
    ),
    cast(
        "primitives, the last with its definition",
        """
        x = P.Cast()(x, mstype.float32)
        x = x + P.Cast()(x, mstype.float32)
        x = self.cast(ops.tanh(x), ms.float32)
        """,
        """
        -        self.cast = ops.Cast()
        -        x = x + P.Cast()(x, mstype.float32)
        -        x = self.cast(ops.tanh(x), ms.float32)
        +        x = x + x
        +        x = ops.tanh(x)
        """,
        init="self.cast = ops.Cast()\n",
    ),
    cast(
        "methods",
        """
        x = x.astype("float32")
        x = x * x.astype(np.float32) + x.astype(ms.float32)
        x = x.to(ms.float16)
        x = x * x.to(ms.float16)
        x = x + x.half()
        x = x.float()
        x = x + x.float()
        signs = ops.cast(ops.greater(x, 0), ms.int32)
        x = x * signs.int()
        """,
        """
        -        x = x * x.astype(np.float32) + x.astype(ms.float32)
        +        x = x * x + x
        -        x = x * x.to(ms.float16)
        -        x = x + x.half()
        +        x = x * x
        +        x = x + x
        -        x = x + x.float()
        +        x = x + x
        -        x = x * signs.int()
        +        x = x * signs
        """,
    ),
    cast(
        "dtypes that are known",
        """
        x = ops.select(ops.cast(ops.greater(x, 0), ms.bool_), x, x * 2)
        x = x + ops.cast(x, x.dtype)
        x = x * ops.cast(self.scale, ms.float32)
        """,
        """
        -        x = ops.select(ops.cast(ops.greater(x, 0), ms.bool_), x, x * 2)
        -        x = x + ops.cast(x, x.dtype)
        -        x = x * ops.cast(self.scale, ms.float32)
        +        x = ops.select(ops.greater(x, 0), x, x * 2)
        +        x = x + x
        +        x = x * self.scale
        """,
        init="self.scale = ms.Tensor(2.0, ms.float32)\n",
    ),
    cast(
        "widened, moved and narrowed",
        """
        x = ops.cast(x, ms.float16)
        y = ops.transpose(ops.cast(x, ms.float32), (1, 0))
        y = ops.transpose(y, (1, 0))
        x = x * ops.cast(y, ms.float16)
        """,
        """
        -        y = ops.transpose(ops.cast(x, ms.float32), (1, 0))
        +        y = ops.transpose(x, (1, 0))
        -        x = x * ops.cast(y, ms.float16)
        +        x = x * y
        """,
    ),
    cast(
        "filled tensors, made in the dtype",
        """
        x = x * ops.ones((128,), ms.float32).astype(ms.float16)
        x = x + ops.cast(ops.zeros((128,), ms.int32), ms.float32)
        x = x * ops.full((128,), 0.5, dtype=ms.float32).astype(ms.float16)
        x = x * ops.cast(mnp.ones((128,)), ms.float16)
        """,
        """
        -        x = x * ops.ones((128,), ms.float32).astype(ms.float16)
        -        x = x + ops.cast(ops.zeros((128,), ms.int32), ms.float32)
        -        x = x * ops.full((128,), 0.5, dtype=ms.float32).astype(ms.float16)
        -        x = x * ops.cast(mnp.ones((128,)), ms.float16)
        +        x = x * ops.ones((128,), ms.float16)
        +        x = x + ops.zeros((128,), ms.float32)
        +        x = x * ops.full((128,), 0.5, dtype=ms.float16)
        +        x = x * mnp.ones((128,), dtype=ms.float16)
        """,
        levels=FIXED,
    ),
    cast(
        "numbers, made in the dtype",
        """
        x = x + ops.arange(128).astype(ms.float32) / 128
        x = x * ops.cast(mnp.arange(128), ms.float16) / 128
        x = x * ms.Tensor([0.5], ms.float32).astype(ms.float16)
        x = x * ops.cast(ops.scalar_to_tensor(0.5), ms.float16)
        """,
        """
        -        x = x + ops.arange(128).astype(ms.float32) / 128
        -        x = x * ops.cast(mnp.arange(128), ms.float16) / 128
        -        x = x * ms.Tensor([0.5], ms.float32).astype(ms.float16)
        -        x = x * ops.cast(ops.scalar_to_tensor(0.5), ms.float16)
        +        x = x + ops.arange(128, dtype=ms.float32) / 128
        +        x = x * mnp.arange(128, dtype=ms.float16) / 128
        +        x = x * ms.Tensor([0.5], ms.float16)
        +        x = x * ops.scalar_to_tensor(0.5, dtype=ms.float16)
        """,
        levels=FIXED,
    ),
]
