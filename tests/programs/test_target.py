"""The MindSpore version and the device that a program is for, and where they were read."""

from __future__ import annotations

import os

import pytest
from notebooks import notebook, written
from programs import ROOT, analysed

from ms_perflint import mindspore_api
from ms_perflint.core.findings import Place
from ms_perflint.program.requirements import read
from ms_perflint.program.target import IMPORT, NEWEST, OPTION, PIN, Target
from ms_perflint.training.devices import target_of

PLAIN = "import mindspore\n"
OLD = "from mindspore import ms_function\n"  # removed in 2.6


def places(found: tuple[Place, ...]) -> list[tuple[str, int]]:
    """Return places as (file, row)."""
    return [(os.path.relpath(place.path, ROOT).replace(os.sep, "/"), place.row) for place in found]


# --- version

REQUIREMENTS = [
    ("==2.2.14", (2, 2, 14), None),
    (" == 2.2", (2, 2, 0), None),
    ("===2.2.0", (2, 2, 0), None),
    ("==2.2.*", None, (2, 3, 0)),
    ("==2.0.0rc1", (2, 0, 0), None),
    ("==2.0.0.rc1 ; python_version < '3.10'", (2, 0, 0), None),
    ("[full]==1.9.0", (1, 9, 0), None),
    ("~=2.2", None, (3, 0, 0)),
    ("~=1.6.1", None, (1, 7, 0)),
    (">=2.2,<2.4", None, (2, 4, 0)),
    ("<2.4, >=2.2", None, (2, 4, 0)),
    ("(>=2.2,<2.4)", None, (2, 4, 0)),
    ("<=2.3.1", (2, 3, 1), None),
    (">=2.2", None, None),
    ("!=2.2", None, None),
    ("", None, None),
    ("=2.0.0=py37_0", (2, 0, 0), None),  # conda
    (' = "2.2.10"', (2, 2, 10), None),  # a table of pyproject.toml
    (' = "^2.2"', None, (3, 0, 0)),
    (' = "~2.2"', None, (2, 3, 0)),
    (' = {version = "2.2.10", optional = true}', (2, 2, 10), None),
    (" @ https://example.com/1.5.0/gpu/mindspore_gpu-1.5.0-cp37-cp37m-linux_x86_64.whl", (1, 5, 0), None),
]


@pytest.mark.parametrize(("text", "version", "below"), REQUIREMENTS)
def test_requirements_are_read(text: str, version: tuple[int, ...] | None, below: tuple[int, ...] | None) -> None:
    assert read(text) == (version, below)


PINS = [
    ("requirements.txt", "numpy\nmindspore==2.2.0\n", (2, 2, 0), 2),
    ("requirements.txt", "\ufeffmindspore==2.2.0\n", (2, 2, 0), 1),
    ("requirements.txt", "mindspore_ascend==1.8.1\n", (1, 8, 1), 1),
    ("requirements-gpu.txt", "mindspore-gpu == 1.9.0  # or newer\n", (1, 9, 0), 1),
    ("requirements.txt", "mindspore>=2.0,<2.3\n", (2, 2, 0), 1),
    ("pyproject.toml", 'dependencies = ["numpy", "mindspore==2.3.1"]\n', (2, 3, 1), 1),
    ("pyproject.toml", '[tool.poetry.dependencies]\nmindspore = "2.2.10"\n', (2, 2, 10), 2),
    ("setup.cfg", "install_requires =\n    mindspore==2.1\n", (2, 1, 0), 2),
    ("environment.yml", "dependencies:\n  - mindspore-gpu=1.10\n", (1, 10, 0), 2),
]


@pytest.mark.parametrize(("file", "text", "version", "row"), PINS)
def test_a_pin_near_the_entry_script_says_the_version(file: str, text: str, version: tuple[int, ...], row: int) -> None:
    target = target_of(analysed({"train.py": PLAIN, file: text}))
    assert (target.version, target.oldest, target.source) == (version, version, PIN)
    assert places(target.version_places) == [(file, row)]


NO_PINS = [
    ("README.md", "pip install mindspore==2.2.0\n"),
    ("requirements.txt", "# mindspore==2.2.0\n"),
    ("requirements.txt", "numpy  # for mindspore==2.2.0\n"),
    ("requirements.txt", "mindspore\n"),
    ("requirements.txt", "mindspore>=2.2\n"),
    ("requirements.txt", "mindspore-lite==2.2.0\nmindspore_rl==0.7.0\nmy-mindspore==1.0\n"),
    ("requirements.txt", "mindspore<4\n"),
    ("notes.txt", "mindspore==2.2.0\n"),
]


@pytest.mark.parametrize(("file", "text"), NO_PINS)
def test_without_a_pin_the_newest_version_counts(file: str, text: str) -> None:
    target = target_of(analysed({"train.py": PLAIN, file: text}))
    assert (target.version, target.oldest, target.source) == (mindspore_api.newest(), mindspore_api.newest(), NEWEST)
    assert target.version_places == ()


WHEEL = "https://example.com/2.4.1/MindSpore/unified/x86_64/mindspore-2.4.1-cp39-cp39-linux_x86_64.whl"


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("!pip install mindspore==2.2.0", (2, 2, 0)),
        ("! pip3 install -q -i https://index.example.com/simple mindspore==2.2.0", (2, 2, 0)),
        ("%pip install 'mindspore-gpu<1.10'", (1, 9, 0)),
        ("pip install mindspore==2.2.0", (2, 2, 0)),
        ("!python -m pip install mindspore==2.3.0RC2", (2, 3, 0)),
        ("%conda install mindspore-ascend=2.2.0 -y", (2, 2, 0)),
        (f"%pip install {WHEEL} --trusted-host example.com", (2, 4, 1)),
        ("!pip install mindspore==1.9\n!pip install mindspore==2.2.0", (2, 2, 0)),
    ],
)
def test_what_a_notebook_installs_is_a_pin(line: str, version: tuple[int, ...]) -> None:
    cells = notebook(["# Train", f"%%capture out\n{line}", PLAIN])
    target = target_of(analysed({"a.ipynb": written(cells), "requirements.txt": "mindspore==2.0\n"}, "a.ipynb"))
    assert (target.version, target.source) == (version, PIN)
    (place,) = target.version_places
    assert (place.cell, place.line) == (2, 2 + line.count("\n"))


@pytest.mark.parametrize(
    "line",
    [
        "# !pip install mindspore==2.2.0",
        "!pip uninstall mindspore==2.2.0 -y",
        "!pip install mindnlp  # mindspore==2.2.0",
        "!pip install mindspore",
        "!echo pip install mindspore==2.2.0",
        "x = '!pip install mindspore==2.2.0'",
    ],
)
def test_what_a_notebook_does_not_install_is_none(line: str) -> None:
    files = {"a.ipynb": written(notebook([line, PLAIN])), "requirements.txt": "mindspore==2.0\n"}
    target = target_of(analysed(files, "a.ipynb"))
    assert target.version == (2, 0, 0)


def test_the_nearest_pin_counts() -> None:
    files = {"requirements.txt": "mindspore==2.5\n", "net/requirements.txt": "mindspore==1.9\n", "net/train.py": PLAIN}
    assert target_of(analysed(files, "net/train.py")).version == (1, 9, 0)


def test_of_several_pins_in_one_folder_the_newest_counts() -> None:
    files = {
        "requirements_ascend.txt": "mindspore-ascend==1.9\n",
        "requirements_gpu.txt": "mindspore-gpu==1.8\n",
        "train.py": PLAIN,
    }
    assert target_of(analysed(files)).version == (1, 9, 0)


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("from mindspore._checkparam import Validator", (1, 10, 0)),
        ("from mindspore._checkparam import Validator as validator, Rel", (1, 10, 0)),
        ("from mindspore._checkparam import Rel", (1, 10, 0)),
        ("from mindspore._checkparam import check_int_positive", (1, 0, 0)),
        ("from mindspore._checkparam import ParamValidator as validator", (1, 0, 0)),
        ("import mindspore._checkparam as Validator", None),
        ("from mindspore import _checkparam as validator", None),
        ("from mindspore._checkparam import args_type_check", None),
        ("try:\n    from mindspore._checkparam import Validator\nexcept ImportError:\n    Validator = None", None),
        ("from checks import Validator, check_int_positive", None),
    ],
)
def test_an_internal_name_that_was_removed_caps_the_version(line: str, version: tuple[int, ...] | None) -> None:
    target = target_of(analysed({"train.py": f"{line}\n{PLAIN}"}))
    assert target.version == (version or mindspore_api.newest())


def test_a_name_that_was_removed_caps_the_version() -> None:
    target = target_of(analysed({"train.py": "import helper\n", "helper.py": PLAIN + OLD}))
    assert (target.version, target.source) == ((2, 5, 0), IMPORT)
    assert places(target.version_places) == [("helper.py", 2)]
    assert target.oldest == (1, 0, 0)


def test_a_name_that_came_later_raises_the_oldest_version() -> None:
    target = target_of(analysed({"train.py": OLD + "from mindspore import set_device\n"}))
    assert target.oldest == mindspore_api.added_in("mindspore.set_device")


@pytest.mark.parametrize(
    ("pin", "version", "source"),
    [("mindspore==2.8", (2, 5, 0), IMPORT), ("mindspore==2.2", (2, 2, 0), PIN), ("mindspore<2.3", (2, 2, 0), PIN)],
)
def test_the_code_caps_a_pin(pin: str, version: tuple[int, ...], source: str) -> None:
    target = target_of(analysed({"train.py": OLD, "requirements.txt": pin}))
    assert (target.version, target.source) == (version, source)


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    from mindspore import ms_function\nexcept ImportError:\n    ms_function = None\n",
        "try:\n    from mindspore import jit\nexcept ImportError:\n    from mindspore import ms_function as jit\n",
        "import mindspore\nif mindspore.__version__ < '2.0':\n    from mindspore import ms_function\n",
        "import mindspore\n# from mindspore import ms_function\n",
    ],
)
def test_an_import_that_may_be_left_out_caps_nothing(text: str) -> None:
    assert target_of(analysed({"train.py": text})).source == NEWEST


USES = [  # a call of what a later version lacks, and the newest version that has it
    ("from mindspore import nn\nnn.ResizeBilinear()\n", (2, 2, 0)),
    ("import mindspore.nn as layers\nlayers.ResizeBilinear()\n", (2, 2, 0)),
    ("import mindspore\nmindspore.nn.ResizeBilinear()\n", (2, 2, 0)),
    ("from mindspore.ops import operations as P\ndef f():\n    return P.ResizeBilinear((2, 2))\n", (2, 2, 0)),
    (
        "import mindspore.ops.functional as F\nclass A:\n    def f(self, x):\n        F.control_depend(x, x)\n",
        (1, 1, 0),
    ),
    ("from mindspore import mint\nmint.relu(1)\n", (2, 3, 0)),
    ("import mindspore as ms\nms.nn.ResizeBilinear()\nms.ms_function(print)\n", (2, 2, 0)),
    ("from mindspore import ops\nops.interpolate(1, sizes=(2, 2))\n", (1, 10, 0)),
    ("from mindspore import nn\nnn.TransformerEncoder(batch_size=2, ffn_hidden_size=8)\n", (1, 10, 0)),
    ("from mindspore import nn\nnn.TransformerDecoderLayer(hidden_size=8, ffn_hidden_size=8)\n", (1, 10, 0)),
    ("import mindspore.ops as ops\nops.logsumexp(1, axis=1)\n", (2, 5, 0)),
    ("from mindspore.ops import functional as F\nF.logsumexp(1, 1, keep_dims=True)\n", (2, 5, 0)),
    ("from mindspore.ops import norm\nnorm(1, axis=1, keep_dims=True)\n", (1, 10, 0)),
    ("from mindspore import ops\nops.argmax(1, output_type=int)\n", (1, 10, 0)),
    ("from mindspore import ops\nops.multinomial(1, num_sample=2)\nops.logsumexp(1, axis=1)\n", (1, 10, 0)),
    ("from mindspore.ops import split\nsplit(1, axis=0, output_num=2)\n", (1, 10, 0)),
    ("from mindspore import context\nif many:\n    context.set_auto_parallel_context(mirror_mean=True)\n", (1, 0, 0)),
    ("import mindspore.dataset as ds\nds.MindDataset(dataset_file='a')\n", (1, 5, 0)),
    ("from mindspore import context\ncontext.set_auto_parallel_context(mirror_mean=True)\n", (1, 0, 0)),
    ("from mindspore import nn\nnn.loss.SoftmaxCrossEntropyWithLogits(is_grad=False, sparse=True)\n", (1, 4, 0)),
    ("import mindspore.nn as nn\nnn.SoftmaxCrossEntropyWithLogits(smooth_factor=0.1)\n", (1, 4, 0)),
    *(
        (f"from mindspore import nn\ntry:\n    nn.ResizeBilinear()\n{rest}", (2, 2, 0))
        for rest in (
            "finally:\n    print()\n",
            "except KeyboardInterrupt:\n    print()\n",
            "except (KeyboardInterrupt, SystemExit):\n    raise\n",
            "except OSError as error:\n    print(error)\nexcept MemoryError:\n    raise\n",
        )
    ),
    (
        "try:\n    from mindspore import nn\nexcept ImportError:\n    raise\n"
        "try:\n    print()\nexcept KeyboardInterrupt:\n    nn.ResizeBilinear()\n",
        (2, 2, 0),
    ),
    ("try:\n    from mindspore import ms_function\nfinally:\n    print()\n", (2, 5, 0)),
    # an import of what an older version has, one that may fail, or of what is there until later
    (
        "import mindspore.numpy\nfrom mindspore import context\ncontext.set_auto_parallel_context(mirror_mean=True)\n",
        (1, 0, 0),
    ),
    ("from mindspore import jit, nn\nnn.ResizeBilinear()\n", (2, 2, 0)),
    ("from mindspore import mint, nn\nmint.relu(1)\nnn.Dense(1, 1)\n", (2, 3, 0)),
    (
        "from mindspore import nn\ntry:\n    from mindspore import set_device\nexcept ImportError:\n    pass\n"
        "nn.ResizeBilinear()\n",
        (2, 2, 0),
    ),
    ("from mindspore import set_device\nimport mindspore.ops as ops\nops.logsumexp(1, axis=1)\n", (2, 5, 0)),
    ("from mindspore import set_device, ms_function\nimport mindspore as ms\nms.nn.ResizeBilinear()\n", (2, 5, 0)),
]
NO_USES = [
    "from mindspore import mint, ops\nops.relu(1)\n",
    "from mindspore import nn\nfrom own import layers\nlayers.ResizeBilinear()\nnn.Dense(1, 1)\n",
    "from mindspore import nn\nif hasattr(nn, 'ResizeBilinear'):\n    nn.ResizeBilinear()\nelse:\n    nn.Dense(1, 1)\n",
    "import mindspore as ms\nif ms.__version__ < '2.3':\n    layer = ms.nn.ResizeBilinear()\n",
    "from mindspore import nn\ntry:\n    nn.ResizeBilinear()\nexcept AttributeError:\n    pass\n",
    *(
        f"import mindspore\nfrom mindspore import nn\ntry:\n    nn.ResizeBilinear()\n{rest}"
        for rest in (
            "except:\n    nn.Dense(1, 1)\n",
            "except Exception as error:\n    print(error)\n",
            "except (KeyboardInterrupt, AttributeError):\n    nn.Dense(1, 1)\n",
            "except OSError:\n    raise\nexcept builtins.AttributeError:\n    nn.Dense(1, 1)\nfinally:\n    print()\n",
        )
    ),
    "from mindspore import ops\nops.Split(0, output_num=2)\nsplit(1, output_num=2)\n",
    "from mindspore import ops\nops.interpolate(1, size=(2, 2))\n",
    "from mindspore import ops\nops.logsumexp(1, dim=1, keepdim=True)\nops.argmax(1, dim=1)\nops.norm(1, dim=1)\n",
    "import mindspore.numpy as mnp\nmnp.argmax(1, axis=1)\nmnp.norm(1, axis=1)\n",
    "from mindspore import ops\nops.argmax(1, axis=1)\nops.norm(1, p=2, axis=1)\n",
    "from mindspore import Tensor\nTensor([1.0]).argmax(axis=0)\nTensor([1.0]).norm(axis=0)\n",
    "from mindspore import ops\nops.Argmax(axis=1, output_type=int)\nops.mean(1, axis=1, keep_dims=True)\n",
    "from mindspore import ops\nimport numpy as np\nops.argmax(1)\nnp.linalg.norm([1], axis=0, keep_dims=True)\n",
    "from mindspore import ops\ntry:\n    ops.logsumexp(1, axis=1)\nexcept TypeError:\n    ops.logsumexp(1, dim=1)\n",
    "from mindspore import nn\nnn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, dim_feedforward=8), 1)\n",
    # imports that need a version without the callee: the call does not run, or not with this name
    "from mindspore import mint, set_device\nmint.relu(1)\n",
    "from mindspore import nn, set_device\nnn.ResizeBilinear()\n",
    "import mindspore as ms\nfrom mindspore import mint\nms.nn.ResizeBilinear()\n",
    "from mindspore import ops, set_device\nops.interpolate(1, sizes=(2, 2))\n",
]


@pytest.mark.parametrize(("text", "version"), USES)
def test_a_call_of_what_was_removed_caps_the_version(text: str, version: tuple[int, ...]) -> None:
    target = target_of(analysed({"train.py": text}))
    assert (target.version, target.source) == (version, IMPORT)
    assert places(target.version_places) != []


@pytest.mark.parametrize("text", NO_USES)
def test_what_later_versions_have_caps_nothing(text: str) -> None:
    assert target_of(analysed({"train.py": text})).source == NEWEST


def test_a_requirement_counts_before_a_call() -> None:
    files = {"train.py": "from mindspore import nn\nnn.ResizeBilinear()\n", "requirements.txt": "mindspore==2.5\n"}
    assert target_of(analysed(files)).version == (2, 5, 0)


def test_an_import_under_the_main_guard_caps() -> None:
    assert target_of(analysed({"train.py": "if __name__ == '__main__':\n    " + OLD})).source == IMPORT


def test_the_option_counts_before_all() -> None:
    files = {"train.py": OLD, "requirements.txt": "mindspore==2.2\n"}
    target = target_of(analysed(files, target=Target((2, 7, 0))))
    assert (target.version, target.oldest, target.source) == ((2, 7, 0), (2, 7, 0), OPTION)


# --- device

CONTEXT = "import mindspore as ms\n"
OPTIONS = CONTEXT + "import argparse\nparser = argparse.ArgumentParser()\n"
PARSED = "args = parser.parse_args()\nms.set_context(device_target=args.device)\n"
SOMETIMES = (  # a training that an option asks for, and what comes before it
    "parser.add_argument('--train')\nparser.add_argument('--slow')\nargs = parser.parse_args()\n\n\n"
    "def train(model, data):\n    {setting}\n    ms.Model(model, None, ms.nn.SGD(())).train(1, data)\n\n\n"
    "if args.train:\n    train(1, 2)\n"
)
CONFIG = CONTEXT + "import yaml\nconfig = yaml.safe_load(open('one.yaml'))\n"

TRAINS = "ms.Model(model, None, ms.nn.SGD(())).train(1, data)\n"
GPU, CPU = "ms.set_context(device_target='GPU')\n", "ms.set_context(device_target='CPU')\n"
SLOW = OPTIONS + "parser.add_argument('--slow')\nargs = parser.parse_args()\n"

ONLY_CPU = {
    "said again": {"train.py": CONTEXT + GPU + CPU + TRAINS},
    "said again, and no training": {"train.py": CONTEXT + GPU + CPU},
    "said again after an arm": {"train.py": SLOW + f"if args.slow:\n    {GPU}{CPU}{TRAINS}"},
    "said again after a loop": {"train.py": CONTEXT + f"for one in range(2):\n    {GPU}{CPU}{TRAINS}"},
    "said again by the other name": {"train.py": CONTEXT + GPU + "ms.set_device('CPU')\n" + TRAINS},
    "said again by a call of another function": {
        "train.py": CONTEXT + f"{GPU}def init():\n    {CPU}\ninit()\n{TRAINS}"
    },
    "said again by the class that trains": {
        "train.py": SLOW + f"if args.slow:\n    {GPU}\nclass Trainer:\n    def __init__(self):\n        {CPU}\n"
        f"    def train(self):\n        {TRAINS}\ntrainer = Trainer()\ntrainer.train()\n",
    },
    "said again in a function": {"train.py": CONTEXT + f"def init():\n    {GPU}    {CPU}\n\ninit()\n{TRAINS}"},
    "literal": {"train.py": CONTEXT + "ms.set_context(device_target='CPU')\n"},
    "set_device": {"train.py": CONTEXT + "ms.set_device('CPU')\n"},
    "other case": {"train.py": CONTEXT + "ms.set_device('cpu')\n"},
    "constant": {"train.py": CONTEXT + "DEVICE = 'CPU'\nms.set_context(device_target=DEVICE)\n"},
    "helper": {
        "train.py": "import helper\nhelper.init()\n",
        "helper.py": CONTEXT + "def init():\n    ms.set_context(device_target='CPU')\n",
    },
    "both arms": {
        "train.py": OPTIONS + "parser.add_argument('--many')\nargs = parser.parse_args()\n"
        "if args.many:\n    ms.set_device('CPU')\nelse:\n    ms.set_device('CPU')\n",
    },
    "default": {"train.py": OPTIONS + "parser.add_argument('--device', default='CPU')\n" + PARSED},
    "default with choices": {
        "train.py": OPTIONS + "parser.add_argument('--device', default='CPU', choices=['CPU'])\n" + PARSED
    },
    "comment": {
        "train.py": OPTIONS + "parser.add_argument('--device', default='CPU')  # or 'Ascend'\n" + PARSED,
        "README.md": "python train.py --device Ascend\n",
    },
    "config": {"train.py": CONFIG + "ms.set_device(config['device'])\n", "one.yaml": "device: CPU  # or Ascend\n"},
    "siblings": {
        "train.py": CONFIG + "ms.set_device(config['device'])\n",
        "one.yaml": "device: CPU\n",
        "two.yaml": "device: CPU\nother: Ascend\n# device: Ascend\n",
    },
    "set where it trains": {
        "train.py": OPTIONS
        + "parser.add_argument('--train')\nargs = parser.parse_args()\n\n\ndef train(model, data):\n"
        "    ms.set_context(device_target='CPU')\n    ms.Model(model, None, ms.nn.SGD(())).train(1, data)\n\n\n"
        "if args.train:\n    train(1, 2)\n",
    },
    "set before the function that trains": {
        "train.py": OPTIONS
        + "parser.add_argument('--train')\nargs = parser.parse_args()\n\n\ndef train(model, data):\n"
        "    ms.Model(model, None, ms.nn.SGD(())).train(1, data)\n\n\n"
        "if args.train:\n    ms.set_context(device_target='CPU')\n    train(1, 2)\n",
    },
    "set by a function that is called before": {
        "train.py": "import helper\n" + OPTIONS + SOMETIMES.format(setting="helper.init()"),
        "helper.py": CONTEXT + "def init():\n    prepare()\n\n\ndef prepare():\n    ms.set_device('CPU')\n",
    },
    "set by a method that is called before": {
        "train.py": OPTIONS + "class Env:\n    def __init__(self):\n        ms.set_device('CPU')\n\n\n"
        "class Task(Env):\n    def prepare(self):\n        Env()\n\n\ntask = Task()\n\n\n"
        + SOMETIMES.format(setting="task.prepare()"),
    },
    "set in a function, in a `with`, in a `try` that goes on only if it is set": {
        "train.py": OPTIONS + "def init():\n    with open('log'):\n        try:\n            ms.set_device('CPU')\n"
        "        except ValueError:\n            raise\n\n\n" + SOMETIMES.format(setting="init()"),
    },
    "launcher": {
        "train.py": OPTIONS + "parser.add_argument('--device', default='CPU')\n" + PARSED,
        "run.sh": "python train.py --device CPU\n",
    },
}

NOT_ONLY_CPU = {
    "said again, the other way round": {"train.py": CONTEXT + CPU + GPU + TRAINS},
    "said again after a training": {"train.py": CONTEXT + GPU + TRAINS + CPU + TRAINS},
    "said again in an arm": {"train.py": SLOW + f"{GPU}if args.slow:\n    {CPU}{TRAINS}"},
    "said again in the other arm": {"train.py": SLOW + f"if args.slow:\n    {GPU}else:\n    {CPU}{TRAINS}"},
    "said again in another function": {"train.py": CONTEXT + f"{GPU}def init():\n    {CPU}\n{TRAINS}"},
    "said again by a call after the training": {"train.py": CONTEXT + f"def init():\n    {CPU}\n{GPU}{TRAINS}init()\n"},
    "said again by a call under a test": {
        "train.py": SLOW + f"def init():\n    {CPU}\n{GPU}if args.slow:\n    init()\n{TRAINS}"
    },
    "said again by what is not known": {"train.py": CONTEXT + CPU + "ms.set_context(**options)\n" + TRAINS},
    "training in the function between": {
        "train.py": CONTEXT + f"def main():\n    {TRAINS}\n\n{GPU}main()\n{CPU}main()\n"
    },
    "nothing": {"train.py": CONTEXT + "ms.set_context(mode=0)\n"},
    "literal": {"train.py": CONTEXT + "ms.set_context(device_target='Ascend')\n"},
    "unknown": {"train.py": CONTEXT + "ms.set_context(device_target=get())\n"},
    "option without default": {"train.py": OPTIONS + "parser.add_argument('--device')\n" + PARSED},
    "choice": {
        "train.py": OPTIONS + "parser.add_argument('--device', default='CPU', choices=['CPU', 'GPU'])\n" + PARSED
    },
    "branch literal": {
        "train.py": OPTIONS
        + "parser.add_argument('--device', default='CPU')\n"
        + PARSED
        + "if args.device == 'Ascend':\n    ms.set_context(device_id=0)\n",
    },
    "branch literal in other case": {
        "train.py": OPTIONS
        + "parser.add_argument('--device', default='CPU')\n"
        + PARSED
        + "if args.device.lower() in ('ascend',):\n    ms.set_context(device_id=0)\n",
    },
    "branch": {
        "train.py": OPTIONS + "parser.add_argument('--fast')\nargs = parser.parse_args()\n"
        "if args.fast:\n    ms.set_device('Ascend')\nelse:\n    ms.set_device('CPU')\n",
    },
    "one arm": {
        "train.py": OPTIONS + "parser.add_argument('--slow')\nargs = parser.parse_args()\n"
        "if args.slow:\n    ms.set_device('CPU')\n",
    },
    "set where it trains, under a test": {
        "train.py": OPTIONS + "parser.add_argument('--slow')\nargs = parser.parse_args()\n\n\ndef train(model, data):\n"
        "    if args.slow:\n        ms.set_context(device_target='CPU')\n"
        "    ms.Model(model, None, ms.nn.SGD(())).train(1, data)\n\n\ntrain(1, 2)\n",
    },
    "set by a function, under a test": {
        "train.py": OPTIONS
        + "def init():\n    if args.slow:\n        ms.set_device('CPU')\n\n\n"
        + SOMETIMES.format(setting="init()"),
    },
    "set by a function that may return before": {
        "train.py": OPTIONS
        + "def init():\n    if args.slow:\n        return\n    ms.set_device('CPU')\n\n\n"
        + SOMETIMES.format(setting="init()"),
    },
    "set by a function that is called under a test": {
        "train.py": OPTIONS
        + "def init():\n    ms.set_device('CPU')\n\n\n"
        + SOMETIMES.format(setting="if args.slow:\n        init()"),
    },
    "set by a function that is called after": {
        "train.py": OPTIONS
        + "def init():\n    ms.set_device('CPU')\n\n\n"
        + SOMETIMES.format(setting="pass")
        + "    init()\n",
    },
    "set by one of the functions that a name may be": {
        "train.py": OPTIONS + "def init():\n    ms.set_device('CPU')\n\n\ndef other():\n    pass\n\n\n"
        "prepare = init if input() else other\n\n\n" + SOMETIMES.format(setting="prepare()"),
    },
    "set in one of two functions that train": {
        "train.py": OPTIONS + "parser.add_argument('--slow')\nargs = parser.parse_args()\n\n\ndef train(model, data):\n"
        "    ms.Model(model, None, ms.nn.SGD(())).train(1, data)\n\n\n"
        "if args.slow:\n    ms.set_context(device_target='CPU')\n    train(1, 2)\nelse:\n    train(3, 4)\n",
    },
    "sibling": {
        "train.py": CONFIG + "ms.set_device(config['device'])\n",
        "one.yaml": "device: CPU\n",
        "two.yaml": "device: 'Ascend'\n",
    },
    "missing config": {"train.py": CONFIG + "ms.set_device(config['device'])\n"},
    "launcher": {
        "train.py": OPTIONS + "parser.add_argument('--device', default='CPU')\n" + PARSED,
        "run.sh": "python train.py\npython train.py --device Ascend\n",
    },
}


@pytest.mark.parametrize("files", ONLY_CPU.values(), ids=ONLY_CPU)
def test_only_the_cpu_is_possible(files: dict[str, str]) -> None:
    target = target_of(analysed(files))
    assert (target.devices, target.is_cpu) == (("CPU",), True)


@pytest.mark.parametrize("files", NOT_ONLY_CPU.values(), ids=NOT_ONLY_CPU)
def test_an_accelerator_is_possible(files: dict[str, str]) -> None:
    assert not target_of(analysed(files)).is_cpu


def test_device_is_read_somewhere() -> None:
    files = {"train.py": CONFIG + "ms.set_device(config['device'])\n", "one.yaml": "epochs: 1\ndevice: GPU\n"}
    target = target_of(analysed(files))
    assert (target.devices, target.is_gpu, places(target.places)) == (("GPU",), True, [("one.yaml", 2)])


def test_several_devices_are_named() -> None:
    files = {
        "train.py": OPTIONS + "parser.add_argument('--device', default='GPU', choices=['Ascend', 'GPU'])\n" + PARSED
    }
    target = target_of(analysed(files))
    assert (target.devices, target.is_gpu, target.is_cpu) == (("Ascend", "GPU"), False, False)


def test_the_device_of_the_command_line_counts() -> None:
    files = {"train.py": CONTEXT + "ms.set_context(device_target='CPU')\n"}
    target = target_of(analysed(files, target=Target(devices=("Ascend",))))
    assert (target.devices, target.is_cpu) == (("Ascend",), False)
