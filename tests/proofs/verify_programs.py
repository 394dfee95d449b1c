"""Training programs that `ms-perflint verify` has to measure: each is a folder of files."""

from __future__ import annotations

from collections.abc import Mapping

START = """\
import numpy as np
import mindspore as ms
from mindspore import dataset as ds, nn, ops
from mindspore.train import Callback, Model, LossMonitor

ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
random = np.random.RandomState(1)
samples = random.randn(640, 64).astype(np.float32)
labels = (samples @ random.randn(64, 10)).argmax(1).astype(np.int32)
"""
DATA = 'data = ds.NumpySlicesDataset({"data": samples, "label": labels}, shuffle=False).batch(32)\n'
NET = """\
net = nn.SequentialCell(nn.Dense(64, 128), nn.ReLU(), nn.Dense(128, 10))
loss_fn = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
optimizer = nn.Adam(net.trainable_params(), 0.01)
"""
PARTS = START + DATA + NET
MODEL = PARTS + "model = Model(net, loss_fn, optimizer)\n"
FORWARD = """
def forward(x, y):
    return loss_fn(net(x), y)

"""
STEP = """\
grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


def train_step(x, y):
    loss, grads = grad_fn(x, y)
    optimizer(grads)
    return loss

"""
EPOCHS = """
for epoch in range(5):
    for x, y in data.create_tuple_iterator():
        loss = train_step(x, y)
    print(epoch, loss)
"""
LOOP = PARTS + FORWARD + STEP + EPOCHS
CELL = """
class Step(nn.Cell):
    def __init__(self, net, optimizer):
        super().__init__()
        self.net = nn.WithLossCell(net, loss_fn)
        self.optimizer = optimizer
        self.grad = ops.GradOperation(get_by_list=True)
        self.weights = optimizer.parameters

    def construct(self, x, y):
        loss = self.net(x, y)
        grads = self.grad(self.net, self.weights)(x, y)
        return ops.depend(loss, self.optimizer(grads))


train_step = Step(net, optimizer)
train_step.set_train()
"""
TRAINER = """
class Trainer:
    def __init__(self):
        self.optimizer = optimizer
        self.grad = ms.value_and_grad(forward, None, optimizer.parameters)

    def step(self, x, y):
        loss, grads = self.grad(x, y)
        self.optimizer(grads)
        return loss


train_step = Trainer().step
"""
ONE_STEP = "train_step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), optimizer)\ntrain_step.set_train()\n"
GAN = """
maker = nn.SequentialCell(nn.Dense(8, 64), nn.ReLU(), nn.Dense(64, 64))
judge = nn.SequentialCell(nn.Dense(64, 64), nn.ReLU(), nn.Dense(64, 1))
judged_by = nn.BCEWithLogitsLoss()
maker_optimizer = nn.Adam(maker.trainable_params(), 0.001)
judge_optimizer = nn.Adam(judge.trainable_params(), 0.001)


def judge_forward(real, noise):
    scores, made = judge(real), judge(maker(noise))
    return judged_by(scores, ops.ones_like(scores)) + judged_by(made, ops.zeros_like(made))


def maker_forward(noise):
    scores = judge(maker(noise))
    return judged_by(scores, ops.ones_like(scores))


judge_grad = ms.value_and_grad(judge_forward, None, judge_optimizer.parameters)
maker_grad = ms.value_and_grad(maker_forward, None, maker_optimizer.parameters)


def train_step(x, noise):
    judge_loss, grads = judge_grad(x, noise)
    judge_optimizer(grads)
    maker_loss, grads = maker_grad(noise)
    maker_optimizer(grads)
    return judge_loss, maker_loss


for epoch in range(5):
    for x, _ in data.create_tuple_iterator():
        noise = ms.Tensor(random.randn(32, 8), ms.float32)
        losses = train_step(x, noise)
"""
FRESH = """
def train_step(x, y):
    grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
    loss, grads = grad_fn(x, y)
    optimizer(grads)
    return loss

"""
WRITES = """
import os

class Log(Callback):
    def on_train_step_end(self, run_context):
        with open("train.log", "a") as log:
            log.write("step\\n")
        with open("last.txt", "w") as last:
            last.write("new")
        os.makedirs("out/deep", exist_ok=True)
        ms.save_checkpoint(net, "out/net.ckpt")
        ms.save_checkpoint(net, "old/net.ckpt")
        with open("big/old/1.txt", "w") as file:
            file.write("changed")
        if os.path.exists("old/gone.txt"):
            os.remove("old/gone.txt")
        os.rename("out/net.ckpt", "old/other.ckpt")


model.train(5, data, callbacks=[Log()])
"""
READS = (
    START.replace("labels = ", "weights = np.load('../data/weights.npy')\nlabels = ").replace(
        "random.randn(64, 10)", "weights"
    )
    + """
import os

with open(os.path.join(os.path.dirname(__file__), "lr.txt")) as file:
    rate = float(file.read())
"""
    + DATA
    + NET.replace("0.01", "rate")
    + FORWARD
    + STEP
    + EPOCHS
)
TWO = """\
import numpy as np
import mindspore as ms
from mindspore import dataset as ds, nn, ops
from mindspore.communication import init, get_rank
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
init()
ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True)
random = np.random.RandomState(1 + get_rank())
samples = random.randn(640, 64).astype(np.float32)
labels = random.randint(0, 10, 640).astype(np.int32)
"""

PROGRAMS: Mapping[str, Mapping[str, str]] = {
    "model": {"train.py": MODEL + "model.train(5, data, callbacks=[LossMonitor(20)])\n"},
    "fit": {"train.py": MODEL + "model.fit(5, data)\n"},
    "loop": {"train.py": LOOP},
    "jit": {"train.py": LOOP.replace("def train_step", "@ms.jit\ndef train_step")},
    "cell": {"train.py": PARTS + CELL + EPOCHS},
    "one step": {"train.py": PARTS + ONE_STEP + EPOCHS},
    "trainer": {"train.py": PARTS + FORWARD + TRAINER + EPOCHS},
    "gan": {"train.py": START + DATA + GAN},
    "sink": {
        "train.py": MODEL.replace("PYNATIVE", "GRAPH") + "model.train(8, data, dataset_sink_mode=True, sink_size=5)\n"
    },
    "module": {
        "pyproject.toml": "[project]\nname = 'sample'\n",
        "tools/train.py": "import os, sys\nsys.path.append(os.path.abspath('.'))\nfrom parts.loop import run\nrun()\n",
        "parts/__init__.py": "",
        "parts/loop.py": LOOP.replace(EPOCHS, "")
        + "def run():\n" + "".join(f"    {line}\n" for line in EPOCHS.strip().splitlines()),
    },
    "two processes": {
        "train.py": TWO + DATA + NET + "model = Model(net, loss_fn, optimizer)\nmodel.train(5, data)\n"
    },
}  # fmt: skip
SLOWER: Mapping[str, str] = {"train.py": (PARTS + FORWARD + FRESH + EPOCHS).replace("PYNATIVE", "GRAPH")}
CRASHES: Mapping[str, str] = {
    "train.py": LOOP.replace("    print(epoch, loss)", "    raise ValueError('broken\\nhere')")
}
NEVER_ENDS: Mapping[str, str] = {
    "train.py": "import time\n" + MODEL + "while time.time() > 0:\n    time.sleep(1)\nmodel.train(1, data)\n"
}
WRITING: Mapping[str, str] = {
    "train.py": MODEL + WRITES,
    "last.txt": "old",
    "old/gone.txt": "still here",
    **{f"big/old/{number}.txt": "as it was" for number in range(501)},
}
READING: Mapping[str, str] = {"code/train.py": READS, "code/lr.txt": "0.01", "setup.py": ""}
STARTED: Mapping[str, str] = {
    "train.py": LOOP.replace("PYNATIVE", "GRAPH"),
    "scripts/run.sh": 'cd "$(dirname "$0")/.."\nexport DEVICE=CPU\npython train.py "$@" &\nwait\n',
}
