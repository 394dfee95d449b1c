"""Networks as people write them: `FIXED` get another width and train as before, `REFUSED` say why they get none."""

from __future__ import annotations

from typing import NamedTuple

from programs import join
from proofs.proof import DATA, GRAPH, MODEL, PARTS, START, TRAIN

IMPORTS = "from mindspore.common.initializer import Normal, initializer\n\n\n"


class Written(NamedTuple):
    """A program, and how many widths of it are fixed, or the end of the line for which none is."""

    name: str
    text: str
    count: int = 1
    place: str = ""
    reason: str = ""

    def __str__(self) -> str:
        return self.name.replace(" ", "-")


def _lines(text: str) -> str:
    return "\n".join(f"        {line}" if line else "" for line in join(text).splitlines())


def _class(init: str, construct: str, signature: str = "self", name: str = "Net") -> str:
    head = f"class {name}(nn.Cell):\n    def __init__({signature}):\n        super().__init__()\n"
    return f"{head}{_lines(init)}\n\n    def construct(self, x):\n{_lines(construct)}\n\n\n"


def _program(*classes: str, made: str = "net = Net()\n") -> str:
    return join(START, GRAPH, IMPORTS, *classes, DATA, made, PARTS, MODEL, TRAIN)


def _fixed(name: str, init: str, construct: str, signature: str = "self", count: int = 1) -> Written:
    return Written(name, _program(_class(init, construct, signature)), count)


def _refused(name: str, init: str, construct: str, place: str, reason: str) -> Written:
    return Written(name, _program(_class(init, construct)), 1, place, reason)


FIXED = [
    _fixed(
        "perceptron with norms and dropout",
        """
        self.body = nn.SequentialCell(
            nn.Dense(64, 100), nn.BatchNorm1d(100), nn.ReLU(), nn.Dropout(p=0.1),
            nn.Dense(100, 50), nn.LayerNorm((50,)), nn.ReLU(),
        )
        self.head = nn.Dense(50, 10)
        """,
        "return self.head(self.body(x))",
        count=2,
    ),
    _fixed(
        "residual block",
        """
        self.stem = nn.Dense(64, 100)
        self.fc1 = nn.Dense(100, 40)
        self.fc2 = nn.Dense(40, 100)
        self.norm = nn.LayerNorm([100])
        self.head = nn.Dense(100, 10)
        """,
        """
        x = ops.relu(self.stem(x))
        y = self.fc2(ops.relu(self.fc1(x)))
        return self.head(self.norm(x + y))
        """,
        count=3,
    ),
    _fixed(
        "concatenation of two branches",
        """
        self.left = nn.Dense(64, 50)
        self.right = nn.Dense(64, 100)
        self.head = nn.Dense(150, 10)
        """,
        "return self.head(ops.cat((ops.relu(self.left(x)), ops.relu(self.right(x))), axis=1))",
        count=2,
    ),
    _fixed(
        "concatenation with the input, written as a sum",
        """
        self.fc = nn.Dense(64, hidden)
        self.head = nn.Dense(64 + hidden, 10)
        """,
        "return self.head(ops.concat((x, ops.relu(self.fc(x))), 1))",
        "self, hidden=50",
    ),
    _fixed(
        "encoder and decoder with skips",
        """
        self.down1 = nn.Conv2d(1, 20, 3)
        self.down2 = nn.Conv2d(20, 40, 3, stride=2)
        self.up = nn.Conv2dTranspose(40, 20, 2, stride=2)
        self.mix = nn.Conv2d(20 + 20, 16, 3)
        self.head = nn.Dense(16, 10)
        """,
        """
        x = x.reshape(-1, 1, 8, 8)
        a = ops.relu(self.down1(x))
        b = ops.relu(self.down2(a))
        c = ops.cat((a, self.up(b)), axis=1)
        return self.head(self.mix(c).mean((2, 3)))
        """,
        count=3,
    ),
    _fixed(
        "convolutions before a reshaped map",
        """
        self.conv1 = nn.Conv2d(1, 20, 3)
        self.norm1 = nn.BatchNorm2d(num_features=20)
        self.conv2 = nn.Conv2d(20, 50, 3)
        self.pool = nn.MaxPool2d(2, 2)
        self.fc = nn.Dense(50 * 4 * 4, 10)
        """,
        """
        x = self.norm1(self.conv1(x.reshape(-1, 1, 8, 8)))
        x = self.pool(ops.relu(self.conv2(x)))
        return self.fc(x.view(-1, 50 * 4 * 4))
        """,
        count=2,
    ),
    _fixed(
        "normalised map of channels",
        """
        self.conv = nn.Conv2d(1, 20, 3)
        self.norm = nn.LayerNorm((20, 8, 8), begin_norm_axis=1, begin_params_axis=1)
        self.groups = nn.GroupNorm(4, 20)
        self.last = nn.Conv2d(20, 16, 1)
        self.head = nn.Dense(16, 10)
        """,
        """
        x = self.groups(self.norm(self.conv(x.reshape(-1, 1, 8, 8))))
        return self.head(self.last(x).mean((2, 3)))
        """,
    ),
    _fixed(
        "weights and biases of products",
        """
        self.w1 = ms.Parameter(initializer(Normal(0.1), [64, 50]), name="w1")
        self.b1 = ms.Parameter(initializer("zeros", [50]), name="b1")
        self.w2 = ms.Parameter(initializer(Normal(0.1), [50, 10]), name="w2")
        self.matmul = ops.MatMul()
        """,
        """
        x = ops.relu(self.matmul(x, self.w1) + self.b1)
        return self.matmul(x, self.w2)
        """,
    ),
    _fixed(
        "initial values of layers",
        """
        zeros = ms.Tensor(np.zeros(50), ms.float32)
        self.fc = nn.Dense(64, 50, weight_init=initializer(Normal(0.1), [50, 64]), bias_init=zeros)
        self.head = nn.Dense(50, 10, weight_init=ms.Tensor(np.ones((10, 50)), ms.float32))
        """,
        "return self.head(ops.tanh(self.fc(x)))",
    ),
    _fixed(
        "scale of the channels",
        """
        self.conv = nn.Conv2d(1, 20, 3)
        self.scale = ms.Parameter(ops.ones((1, 20, 1, 1), ms.float32), name="scale")
        self.last = nn.Conv2d(20, 16, 1)
        self.head = nn.Dense(16, 10)
        """,
        """
        x = self.conv(x.reshape(-1, 1, 8, 8)) * self.scale
        return self.head(self.last(x).mean((2, 3)))
        """,
    ),
    _fixed(
        "recurrent layer with a first state",
        """
        self.rnn = nn.GRU(8, 50, batch_first=True)
        self.head = nn.Dense(50, 10)
        """,
        """
        state = ops.zeros((1, 32, 50), ms.float32)
        y, _ = self.rnn(x.reshape(-1, 8, 8), state)
        return self.head(y[:, -1])
        """,
    ),
    _fixed(
        "recurrent layers in both directions",
        """
        self.rnn = nn.LSTM(8, 50, num_layers=2, bidirectional=True, batch_first=True)
        self.head = nn.Dense(100, 10)
        """,
        """
        y, _ = self.rnn(x.reshape(-1, 8, 8))
        return self.head(y.mean(1))
        """,
    ),
    _fixed(
        "recurrent layer, its directions cut apart",
        """
        self.hidden = 50
        self.rnn = nn.LSTM(8, self.hidden, bidirectional=True, batch_first=True)
        self.head = nn.Dense(self.hidden, 10)
        """,
        """
        y, _ = self.rnn(x.reshape(-1, 8, 8))
        return self.head(y[:, -1, :self.hidden] + y[:, 0, self.hidden:])
        """,
    ),
    _fixed(
        "recurrent layer, cut at a literal",
        """
        self.rnn = nn.LSTM(8, 50, bidirectional=True, batch_first=True)
        self.head = nn.Dense(50, 10)
        """,
        """
        y, _ = self.rnn(x.reshape(-1, 8, 8))
        return self.head(y[:, -1, :50])
        """,
    ),
    _fixed(
        "attention with heads",
        """
        self.heads = 2
        self.size = dim // self.heads
        self.embed = nn.Dense(8, dim)
        self.q = nn.Dense(dim, dim)
        self.k = nn.Dense(dim, dim)
        self.v = nn.Dense(dim, dim)
        self.norm = nn.LayerNorm((dim,))
        self.head = nn.Dense(dim, 10)
        """,
        """
        x = self.embed(x.reshape(-1, 8, 8))
        b, t, _ = x.shape
        q = self.q(x).reshape(b, t, self.heads, self.size).swapaxes(1, 2)
        k = self.k(x).reshape(b, t, self.heads, self.size).swapaxes(1, 2)
        v = self.v(x).reshape(b, t, self.heads, self.size).swapaxes(1, 2)
        scores = ops.softmax(ops.matmul(q, k.swapaxes(2, 3)) / self.size ** 0.5, -1)
        y = ops.matmul(scores, v).swapaxes(1, 2).reshape(b, t, dim_of(x))
        return self.head(self.norm(x + y).mean(1))
        """.replace("dim_of(x)", "x.shape[-1]"),
        "self, dim=100",
    ),
    _fixed(
        "products of batches",
        """
        self.bmm = ops.BatchMatMul(transpose_b=True)
        self.mix = ops.BatchMatMul()
        self.q = nn.Dense(8, 20)
        self.k = nn.Dense(8, 20)
        self.v = nn.Dense(8, 40)
        self.head = nn.Dense(40, 10)
        """,
        """
        x = x.reshape(-1, 8, 8)
        scores = ops.softmax(self.bmm(self.q(x), self.k(x)), -1)
        return self.head(self.mix(scores, self.v(x)).mean(1))
        """,
    ),
    _fixed(
        "gate that is split in two",
        """
        self.gate = nn.Dense(64, 2 * 40)
        self.head = nn.Dense(40, 10)
        """,
        """
        a, b = ops.split(self.gate(x), 40, axis=1)
        return self.head(ops.sigmoid(a) * b)
        """,
    ),
    _fixed(
        "chunks of a width",
        """
        self.up = nn.Dense(64, hidden * 2)
        self.head = nn.Dense(hidden, 10)
        """,
        """
        a, b = ops.chunk(self.up(x), 2, axis=1)
        return self.head(a * ops.silu(b))
        """,
        "self, hidden=40",
    ),
    _fixed(
        "sum in place, with a bias of its own",
        """
        self.fc = nn.Dense(64, 100, has_bias=False)
        self.bias = ms.Parameter(ms.Tensor(np.zeros((100,)), ms.float32), name="bias")
        self.head = nn.Dense(100, 10)
        """,
        """
        x = self.fc(x)
        x += self.bias
        return self.head(ops.relu(x))
        """,
    ),
    Written(
        "blocks of a class",
        _program(
            _class(
                """
                self.fc = nn.Dense(into, out)
                self.norm = nn.BatchNorm1d(out)
                """,
                "return ops.relu(self.norm(self.fc(x)))",
                "self, into, out",
                "Block",
            ),
            _class(
                """
                self.block1 = Block(64, 50)
                self.block2 = Block(50, 40)
                self.head = nn.Dense(40, 10)
                """,
                "return self.head(self.block2(self.block1(x)))",
            ),
        ),
        2,
    ),
    Written(
        "function that makes a row",
        _program(
            """
            def network(width=50):
                layers = [nn.Dense(64, width), nn.ReLU(), nn.Dense(width, width), nn.ReLU()]
                return nn.SequentialCell(*layers, nn.Dense(width, 10))


            """,
            made="net = network()\n",
        ),
    ),
    Written(
        "widths in a loop",
        _program(
            _class(
                """
                layers = []
                into = 64
                for out in (100, 50):
                    layers += [nn.Dense(into, out), nn.ReLU()]
                    into = out
                layers.append(nn.Dense(into, 10))
                self.body = nn.SequentialCell(layers)
                """,
                "return self.body(x)",
            )
        ),
        2,
    ),
    Written(
        "class of settings",
        _program(
            """
            class Config:
                hidden = 100
                classes = 10


            """,
            _class(
                """
                self.fc1 = nn.Dense(64, Config.hidden)
                self.norm = nn.LayerNorm([Config.hidden])
                self.fc2 = nn.Dense(Config.hidden, Config.classes)
                """,
                "return self.fc2(ops.relu(self.norm(self.fc1(x))))",
            ),
        ),
    ),
    Written(
        "constant of the module",
        _program(
            "HIDDEN = 50\n\n\n",
            _class(
                """
                self.fc1 = nn.Dense(64, HIDDEN)
                self.fc2 = nn.Dense(HIDDEN, HIDDEN)
                self.fc3 = nn.Dense(HIDDEN, 10)
                """,
                """
                x = ops.relu(self.fc1(x))
                x = x.reshape(-1, HIDDEN)
                return self.fc3(ops.relu(self.fc2(x)) + x)
                """,
            ),
        ),
    ),
    Written(
        "row of cells",
        _program(made="net = nn.SequentialCell(nn.Dense(64, 100), nn.Tanh(), nn.Dense(100, 50), nn.Dense(50, 10))\n"),
        2,
    ),
]
SHAPE = "the shape there depends on the width, but is not written in terms of it"
SIZE = "the layer there takes the width in, and its size is written in another way"
REFUSED = [
    _refused(
        "flattened map in a number",
        """
        self.conv = nn.Conv2d(1, 20, 3)
        self.last = nn.Conv2d(20, 16, 3)
        self.side = nn.Dense(1280, 10)
        self.head = nn.Dense(16, 10)
        """,
        """
        x = ops.relu(self.conv(x.reshape(-1, 1, 8, 8)))
        return self.head(self.last(x).mean((2, 3))) + self.side(ops.flatten(x))
        """,
        "nn.Dense(1280, 10)",
        SIZE,
    ),
    _refused(
        "heads in literals",
        """
        self.fc = nn.Dense(64, 100)
        self.head = nn.Dense(100, 10)
        """,
        """
        y = self.fc(x).reshape(-1, 4, 25)
        return self.head(y.reshape(-1, 100))
        """,
        "reshape(-1, 4, 25)",
        SHAPE,
    ),
    _refused(
        "reshaped to an image",
        """
        self.fc = nn.Dense(64, 100)
        self.conv = nn.Conv2d(1, 16, 3)
        self.head = nn.Dense(16, 10)
        self.side = nn.Dense(100, 10)
        """,
        """
        y = self.fc(x)
        image = y.reshape(-1, 1, 10, 10)
        return self.head(self.conv(image).mean((2, 3))) + self.side(y)
        """,
        "reshape(-1, 1, 10, 10)",
        SHAPE,
    ),
    _refused(
        "parts of another size",
        """
        self.fc = nn.Dense(64, 100)
        self.norm = nn.Dense(100, 16)
        self.head = nn.Dense(25, 10)
        """,
        """
        y = self.fc(x)
        a, b, c, d = ops.split(y, 25, axis=1)
        return self.head(a * b + c * d) + self.norm(y).sum(1, keepdims=True)
        """,
        "ops.split(y, 25, axis=1)",
        "the split there depends on the width, but its size is not written in terms of it",
    ),
    _refused(
        "cut in the middle",
        """
        self.fc = nn.Dense(64, 50)
        self.side = nn.Dense(50, 10)
        self.head = nn.Dense(30, 10)
        """,
        """
        y = self.fc(x)
        return self.side(y) + self.head(y[:, 20:])
        """,
        "y[:, 20:]",
        "the slice there depends on the width, but its bound is not written in terms of it",
    ),
    _refused(
        "operand of an unknown shape",
        """
        self.fc = nn.Dense(64, 50)
        self.bias = ms.Parameter(ms.Tensor(np.load("bias.npy")), name="bias")
        self.head = nn.Dense(50, 10)
        """,
        "return self.head(self.fc(x) + self.bias)",
        "self.bias)",
        "the other operand there needs the same width, and its shape is not known",
    ),
    _refused(
        "initial value of an unknown shape",
        """
        self.fc = nn.Dense(64, 50, bias_init=first(50))
        self.head = nn.Dense(50, 10)
        """,
        "return self.head(self.fc(x))",
        "first(50))",
        "the initial value there needs the same width, and its shape is not known",
    ),
    _refused(
        "state of an unknown shape",
        """
        self.rnn = nn.GRU(8, 50, batch_first=True)
        self.state = ms.Tensor(np.load("state.npy"))
        self.head = nn.Dense(50, 10)
        """,
        """
        y, _ = self.rnn(x.reshape(-1, 8, 8), self.state)
        return self.head(y[:, -1])
        """,
        "self.state)",
        "the state that is passed there needs the same width, and its shape is not known",
    ),
    _refused(
        "heads that divide no multiple",
        """
        self.fc = nn.Dense(64, 50)
        self.norm = nn.GroupNorm(size(), 50)
        self.head = nn.Dense(50, 10)
        """,
        "return self.head(self.norm(self.fc(x)))",
        "50)",
        "the use of the width there is not known",
    ),
    _refused(
        "function that is not known",
        """
        self.fc = nn.Dense(64, 50)
        self.head = nn.Dense(50, 10)
        self.side = nn.Dense(25, 10)
        """,
        """
        y = self.fc(x)
        return self.head(y) + self.side(halves(y))
        """,
        "halves(y))",
        "the use of the width there is not known",
    ),
    _refused(
        "concatenation whose sum is not written",
        """
        self.fc = nn.Dense(64, 50)
        self.mix = nn.Dense(64, 10)
        self.head = nn.Dense(50, 10)
        self.last = nn.Dense(114, 10)
        """,
        """
        y = self.fc(x)
        return self.head(y) + self.last(ops.cat((y, x), 1))
        """,
        "nn.Dense(114, 10)",
        SIZE,
    ),
    _refused(
        "product with an input",
        """
        self.fc = nn.Dense(8, 50)
        self.head = nn.Dense(50, 10)
        self.side = ms.Tensor(np.load("side.npy"))
        """,
        """
        y = self.fc(x.reshape(-1, 8, 8))
        return self.head(y.mean(1)) + ops.matmul(y, self.side).mean(1)
        """,
        "ops.matmul(y, self.side).mean(1)",
        "the other operand there needs the same width, and its shape is not known",
    ),
]


def _shown(name: str, place: str, reason: str, *classes: str, made: str = "net = Net()\n", more: str = "") -> Written:
    text = _program(*classes, made=made) + join(more)
    row = next((row for row, line in enumerate(text.splitlines(), 1) if place in line), 0)
    return Written(name, text, place=place, reason=reason.format(row=row))


PLAIN = _class(
    """
    self.fc = nn.Dense(64, 50)
    self.head = nn.Dense(50, 10)
    """,
    "return self.head(ops.relu(self.fc(x)))",
)
SHOWN = [
    _shown(
        "code that is sampled from outside",
        "return net.decode(",
        "line {row} passes tensors of this width from outside",
        """
        class Net(nn.Cell):
            def __init__(self):
                super().__init__()
                self.encoder = nn.Dense(64, 20)
                self.decoder = nn.Dense(20, 10)

            def decode(self, code):
                return self.decoder(code)

            def construct(self, x):
                return self.decode(ops.tanh(self.encoder(x)))


        """,
        more="""


        def sample():
            return net.decode(ms.Tensor(np.load("codes.npy")))


        print(sample().shape)
        """,
    ),
    _shown(
        "state that is made outside",
        "print(net.head(",
        "line {row} has the same number; whether that is the width is not known",
        PLAIN,
        more="""
        print(net.head(ops.ones((8, 50), ms.float32)).shape)
        """,
    ),
    _shown(
        "constant that is a number of samples too",
        "first = samples",
        "line {row} uses the constant for something else",
        "SIZE = 50\n\n\n",
        PLAIN.replace("50", "SIZE"),
        made="first = samples[:SIZE]\nnet = Net()\n",
    ),
    _shown(
        "number in the class that may be the width",
        "self.out_channels = 50",
        "line {row} has the same number; whether that is the width is not known",
        PLAIN.replace("        self.head", "        self.out_channels = 50\n        self.head"),
    ),
    _shown(
        "width that is given out",
        "return self.head(y) + y.sum",
        "line {row} gives the width to code outside of the network",
        _class(
            """
            self.fc = nn.Dense(64, 50)
            self.head = nn.Dense(50, 10)
            """,
            """
            y = self.fc(x)
            return self.head(y) + y.sum(-1, keepdims=True) if self.training else y
            """,
        ),
    ),
    _shown(
        "layer that the script calls",
        "net.fc(ops.ones",
        "line {row} gives the width to code outside of the network",
        PLAIN,
        more="""
        print(ops.matmul(net.fc(ops.ones((8, 64), ms.float32)), ops.ones((50, 3), ms.float32)).shape)
        """,
    ),
    _shown(
        "weight that is used again",
        "self.fc.weight.sum()",
        "line {row} computes with a weight of this width",
        _class(
            """
            self.fc = nn.Dense(64, 50)
            self.mid = nn.Dense(50, 64)
            self.head = nn.Dense(64, 10)
            """,
            """
            y = self.mid(self.fc(x))
            return self.head(y) + self.fc.weight.sum()
            """,
        ),
    ),
    _shown(
        "weights that are set",
        "self.fc.weight.set_data(",
        "line {row} sets weights, which may have the old width",
        _class(
            """
            self.fc = nn.Dense(64, 50)
            self.head = nn.Dense(50, 10)
            self.head.weight.set_data(initializer("normal", self.head.weight.shape))
            self.fc.weight.set_data(ms.Tensor(np.load("weights.npy")))
            """,
            "return self.head(ops.relu(self.fc(x)))",
        ),
    ),
    _shown(
        "option",
        "--hidden",
        "an option may set another width",
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--hidden", type=int, default=50)
        args = parser.parse_args([])


        """,
        PLAIN.replace("50", "args.hidden"),
    ),
    _shown(
        "checkpoint that is loaded",
        "ms.load_checkpoint(",
        "line {row} loads weights of the old width",
        PLAIN,
        made="net = Net()\nms.save_checkpoint(net, 'a.ckpt')\nms.load_checkpoint('a.ckpt', net)\n",
    ),
]
