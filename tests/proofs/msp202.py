"""MSP202: the forms in which a width is rounded up. The network becomes a larger one: it trains, with other numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proofs.proof import DATA, GRAPH, MODEL, PARTS, START, TRAIN, Form, form, join

CODE = "MSP202"
WAYS = ("", "_reverse")  # of a recurrent layer


def network(name: str, init: str, construct: str, changes: str, reshaped: Mapping[str, Sequence[int]]) -> Form:
    """Return a form from the lines of a network's `__init__` and `construct`."""
    lines = "\n".join(f"        {line}" for line in join(init).splitlines())
    returned = "\n".join(f"        {line}" for line in join(construct).splitlines())
    head = "class Net(nn.Cell):\n    def __init__(self):\n        super().__init__()\n"
    net = f"{head}{lines}\n\n    def construct(self, x):\n{returned}\n\n\n"
    net = f"from mindspore.common.initializer import initializer\n\n\n{net}"
    rest = (DATA, "net = Net()\n", PARTS, MODEL, TRAIN)
    return form(CODE, name, START, GRAPH, net, *rest, changes=changes, safety="unsafe", reshaped=reshaped)


FORMS: list[Form] = [
    network(
        "Dense",
        "self.hidden = nn.Dense(64, 100)\nself.head = nn.Dense(100, 10)",
        "return self.head(ops.relu(self.hidden(x)))",
        """
        -        self.hidden = nn.Dense(64, 100)
        -        self.head = nn.Dense(100, 10)
        +        self.hidden = nn.Dense(64, 112)
        +        self.head = nn.Dense(112, 10)
        """,
        {"hidden.weight": [112, 64], "hidden.bias": [112], "head.weight": [10, 112]},
    ),
    network(
        "Dense, by a name",
        "width = 100\nself.hidden = nn.Dense(64, width)\nself.head = nn.Dense(width, 10)",
        "return self.head(ops.relu(self.hidden(x)))",
        "-        width = 100\n+        width = 112\n",
        {"hidden.weight": [112, 64], "hidden.bias": [112], "head.weight": [10, 112]},
    ),
    network(
        "convolution with its normalisation",
        """
        self.conv = nn.Conv2d(1, 20, 3)
        self.norm = nn.BatchNorm2d(20)
        self.last = nn.Conv2d(20, 16, 3)
        self.head = nn.Dense(16, 10)
        """,
        """
        x = ops.relu(self.norm(self.conv(x.reshape(-1, 1, 8, 8))))
        return self.head(self.last(x).mean((2, 3)))
        """,
        """
        -        self.conv = nn.Conv2d(1, 20, 3)
        -        self.norm = nn.BatchNorm2d(20)
        -        self.last = nn.Conv2d(20, 16, 3)
        +        self.conv = nn.Conv2d(1, 32, 3)
        +        self.norm = nn.BatchNorm2d(32)
        +        self.last = nn.Conv2d(32, 16, 3)
        """,
        {
            "conv.weight": [32, 1, 3, 3],
            "norm.moving_mean": [32],
            "norm.moving_variance": [32],
            "norm.gamma": [32],
            "norm.beta": [32],
            "last.weight": [16, 32, 3, 3],
        },
    ),
    network(
        "convolution before a flattened map",
        "self.flatten = nn.Flatten()\nself.conv = nn.Conv2d(1, 20, 3)\nself.head = nn.Dense(20 * 8 * 8, 10)",
        "return self.head(self.flatten(ops.relu(self.conv(x.reshape(-1, 1, 8, 8)))))",
        """
        -        self.conv = nn.Conv2d(1, 20, 3)
        -        self.head = nn.Dense(20 * 8 * 8, 10)
        +        self.conv = nn.Conv2d(1, 32, 3)
        +        self.head = nn.Dense(32 * 8 * 8, 10)
        """,
        {"conv.weight": [32, 1, 3, 3], "head.weight": [10, 32 * 8 * 8]},
    ),
    network(
        "recurrent layer",
        """
        self.rnn = nn.LSTM(8, 20, bidirectional=True, batch_first=True)
        self.head = nn.Dense(2 * 20, 10)
        """,
        "return self.head(self.rnn(x.reshape(-1, 8, 8))[0].mean(1))",
        """
        -        self.rnn = nn.LSTM(8, 20, bidirectional=True, batch_first=True)
        -        self.head = nn.Dense(2 * 20, 10)
        +        self.rnn = nn.LSTM(8, 32, bidirectional=True, batch_first=True)
        +        self.head = nn.Dense(2 * 32, 10)
        """,
        {
            **{f"rnn.weight_ih_l0{way}": [4 * 32, 8] for way in WAYS},
            **{f"rnn.weight_hh_l0{way}": [4 * 32, 32] for way in WAYS},
            **{f"rnn.bias_{side}_l0{way}": [4 * 32] for side in ("ih", "hh") for way in WAYS},
            "head.weight": [10, 2 * 32],
        },
    ),
    network(
        "weight of a product",
        """
        self.weight = ms.Parameter(initializer("normal", (64, 100)), name="weight")
        self.head = nn.Dense(100, 10)
        """,
        "return self.head(ops.relu(ops.matmul(x, self.weight)))",
        """
        -        self.weight = ms.Parameter(initializer("normal", (64, 100)), name="weight")
        -        self.head = nn.Dense(100, 10)
        +        self.weight = ms.Parameter(initializer("normal", (64, 112)), name="weight")
        +        self.head = nn.Dense(112, 10)
        """,
        {"weight": [64, 112], "head.weight": [10, 112]},
    ),
    network(
        "two producers of one width",
        """
        self.left = nn.Dense(64, 100)
        self.right = nn.Dense(64, 100)
        self.head = nn.Dense(100, 10)
        """,
        "return self.head(ops.relu(self.left(x) + self.right(x)))",
        """
        -        self.left = nn.Dense(64, 100)
        -        self.right = nn.Dense(64, 100)
        -        self.head = nn.Dense(100, 10)
        +        self.left = nn.Dense(64, 112)
        +        self.right = nn.Dense(64, 112)
        +        self.head = nn.Dense(112, 10)
        """,
        {
            "left.weight": [112, 64],
            "left.bias": [112],
            "right.weight": [112, 64],
            "right.bias": [112],
            "head.weight": [10, 112],
        },
    ),
    network(
        "formula that pads too much",
        "padded = (64 // 16 + 1) * 16\nself.hidden = nn.Dense(64, padded)\nself.head = nn.Dense(padded, 10)",
        "return self.head(ops.relu(self.hidden(x)))",
        """
        -        padded = (64 // 16 + 1) * 16
        +        padded = (64 + 15) // 16 * 16
        """,
        {"hidden.weight": [64, 64], "hidden.bias": [64], "head.weight": [10, 64]},
    ),
]
