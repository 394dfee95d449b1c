"""Programs of another framework in a repository that also has MindSpore: they are not judged."""

from __future__ import annotations

from pathlib import Path

import pytest
from front import run
from programs import analysed

from ms_perflint.training.other_frameworks import is_of_another_framework

TORCH = {
    "agents/torch/__init__.py": "import torch\nfrom .net import Net\n",
    "agents/torch/net.py": "from torch import nn\n\nclass Net(nn.Module):\n    pass\n",
}
MINDSPORE = {
    "agents/mindspore/__init__.py": "from .net import Net\n",
    "agents/mindspore/net.py": "from mindspore import nn\n\nclass Net(nn.Cell):\n    pass\n",
}
BOTH = {"agents/__init__.py": "", **TORCH, **MINDSPORE}
RUNNER = """\
def network(toolbox):
    if toolbox == "torch":
        from agents.torch import Net
    else:
        from agents.mindspore import Net
    return Net()
"""


OTHER = [
    "from agents.torch import Net\nnet = Net()\n",
    "import agents.torch as algorithms\nnet = algorithms.Net()\n",
    "from agents import torch\nnet = torch.Net()\n",
    # a branch for MindSpore in a function that does not run
    "import agents.runner\nfrom agents.torch.net import Net\nnet = Net()\n",
    "from agents.runner import network as unused\nfrom agents.torch.net import Net\nnet = Net()\n",
    # modules of computed names in a known package
    "import importlib\nimport torch\nnet = importlib.import_module(f'gym.envs.{torch.name}').make()\n",
    "import importlib\nimport torch\nnet = importlib.import_module('torchvision').models\n",
    "import tensorflow as tf\nnet = tf.keras.Model()\n",
    "import torch\nfrom algorithms import params\nnet = torch.nn.Linear(3, params.width)\n",
    # a class body, and a `try`, run with the file
    "class Backend:\n    import torch\nnet = Backend.torch.nn.Linear(3, 4)\n",
    "try:\n    import torch\nexcept ImportError:\n    torch = None\nnet = torch.nn.Linear(3, 4)\n",
]


@pytest.mark.parametrize("start", OTHER)
def test_a_program_of_another_framework(start: str) -> None:
    files = {**BOTH, "agents/runner.py": RUNNER, "train.py": start}
    assert is_of_another_framework(analysed(files))


IN_DOUBT = [
    "from agents.mindspore import Net\nnet = Net()\n",
    "import mindspore\nfrom agents.torch import Net\nnet = Net()\n",  # converts weights
    # behind what another file imports when it is imported
    "import agents.behind\nfrom agents.torch import Net\nnet = Net()\n",
    "from agents.behind import chosen\nimport torch\nnet = chosen()\n",
    # a running function may take it
    "import sys\nimport torch\nfrom agents.runner import network\nnet = network(sys.argv[1])\n",
    "import torch\n\ndef made():\n    from agents.mindspore import Net\n    return Net()\n\nnet = made()\n",
    "class Backend:\n    import torch\n    import mindspore\nnet = Backend.torch.nn.Linear(3, 4)\n",
    "try:\n    import mindspore\nexcept ImportError:\n    import torch\nnet = torch.nn.Linear(3, 4)\n",
    # modules of unknown names
    "import importlib, sys\nimport torch\nnet = importlib.import_module(sys.argv[1]).Net()\n",
    "import importlib, sys\nimport torch\nnet = importlib.import_module(f'agents.{sys.argv[1]}').Net()\n",
    "import sys\nimport torch\nnet = __import__(sys.argv[1] + '.net').Net()\n",
    "import torch\nexec(open('net.py').read())\n",
    # packages that are built on MindSpore, or replace PyTorch
    "import torch\nimport mindnlp\nnet = torch.nn.Linear(3, 4)\n",
    "import torch\nimport tinyms\nnet = torch.nn.Linear(3, 4)\n",
    "import torch\nimport msadapter.pytorch as adapted\nnet = torch.nn.Linear(3, 4)\n",
    "import torch\nimport sciai\nnet = torch.nn.Linear(3, 4)\n",
    # no framework at all: the unknown package may be built on any
    "net = object()\n",
]


@pytest.mark.parametrize("start", IN_DOUBT)
def test_what_may_be_a_program_of_mindspore(start: str) -> None:
    behind = "from agents import inner\n\ndef chosen():\n    return None\n"
    inner = "if True:\n    import mindspore\n"
    files = {**BOTH, "agents/runner.py": RUNNER, "agents/behind.py": behind, "agents/inner.py": inner}
    assert not is_of_another_framework(analysed({**files, "train.py": start}))


def test_nothing_is_reported_or_said(tmp_path: Path) -> None:
    """The same training that cannot be followed: of MindSpore it is said, of PyTorch not."""
    start = "import importlib, {0}\nimport agents.runner\nfrom agents.{0} import Net\n\nnet = Net()\n"
    train = "trainer = importlib.import_module(f'gym.{net.name}').Trainer(net)\ntrainer.train(10)\n"
    for name, text in {**BOTH, "agents/runner.py": RUNNER, "setup.cfg": ""}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for framework, is_said in (("mindspore", True), ("torch", False)):
        (tmp_path / "train.py").write_text(start.format(framework) + train)
        ran = run("--isolated", "-n", "train.py", cwd=tmp_path)
        assert (ran.code, "not judged" in ran.err) == (0, is_said), ran.err
        told = run("program", "--isolated", "train.py", cwd=tmp_path)
        assert ("no: it does not use MindSpore" in told.out) is not is_said
