"""What the fixes of MSP202 change: everything that says the same width, and nothing else."""

from __future__ import annotations

import re

import pytest
from programs import Program, join

from ms_perflint.core.findings import Finding
from ms_perflint.core.source import Source

HEAD = """
    import mindspore as ms
    import mindspore.dataset as ds
    from mindspore import nn, ops


    """

TRAIN = """

    net = Net()
    model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()), amp_level="O2")
    model.train(10, ds.MindDataset("train.mindrecord").batch(32), dataset_sink_mode=True)
    """


def findings(body: str, **files: str) -> tuple[str, list[Finding]]:
    """Return the text of a training script around `body`, and what is reported in it."""
    text = join(HEAD, body, TRAIN)
    program = Program({"train.py": text, **files}, options={"min-waste": 0})
    return text, list(program.lint("MSP202").findings)


def fixed(body: str) -> tuple[str, str]:
    """Return what the only finding's fix changes, as "old -> new" of whole numbers by row, and its safety."""
    text, found = findings(body)
    assert len(found) == 1, [finding.message for finding in found]
    fix = found[0].fix
    assert fix is not None
    lines = text.splitlines()
    new = Source("train.py", text.encode()).spliced(fix.edits).decode().splitlines()
    changed = [after.strip() for before, after in zip(lines, new) if before != after]
    return "\n".join(changed), fix.safety.value


def refused(body: str) -> tuple[int, str]:
    """Return the row and the reason for which the only finding has no fix."""
    _, found = findings(body)
    assert [finding.fix for finding in found] == [None]
    (told,) = (each for each in found[0].related if each.message.startswith("no fix is shown: "))
    return told.place.row, told.message.partition(": ")[2]


def net(init: str, construct: str = "return self.out(self.fc(x))", signature: str = "self") -> str:
    """Return a network from the lines of its `__init__` and `construct`."""
    layers = "".join(f"        {line}\n" for line in init.splitlines())
    body = "".join(f"        {line}\n" for line in construct.splitlines())
    head = f"class Net(nn.Cell):\n    def __init__({signature}):\n        super().__init__()\n"
    return f"{head}{layers}\n    def construct(self, x):\n{body}\n"


def test_a_number_that_others_are_made_of_becomes_one_that_fits_them_all() -> None:
    layers = "self.fc = nn.Dense(64, width)\nself.mid = nn.Dense(width, width // 3)\nself.out = nn.Dense(width // 3, 4)"
    _, found = findings(net(f"width = 1500\n{layers}", "return self.out(self.mid(self.fc(x)))"))
    assert [finding.fix is not None and finding.fix.edits[0].text for finding in found] == ["1536", "1536"]
    assert 1536 // 3 % 16 == 0


def test_an_equal_class_count_is_left_alone() -> None:
    changed, safety = fixed(net("self.fc = nn.Dense(64, 100)\nself.out = nn.Dense(100, 100)"))
    assert changed == "self.fc = nn.Dense(64, 112)\nself.out = nn.Dense(112, 100)"
    assert safety == "unsafe"


def test_a_width_that_the_network_also_gives_out_is_only_shown() -> None:
    _, safety = fixed(
        net("self.fc = nn.Dense(64, width)\nself.out = nn.Dense(width, width)", signature="self, width=100")
    )
    assert safety == "display-only"


def test_a_flattened_map_follows_its_channels() -> None:
    changed, safety = fixed(
        net(
            "self.fc = nn.Conv2d(3, 20, 5)\nself.bn = nn.BatchNorm2d(20)\nself.out = nn.Dense(20 * 5 * 5, 64)",
            "return self.out(ops.flatten(self.bn(self.fc(x)), start_dim=1))",
        )
    )
    assert changed.splitlines()[1:] == ["self.bn = nn.BatchNorm2d(32)", "self.out = nn.Dense(32 * 5 * 5, 64)"]
    assert safety == "unsafe"


def test_nothing_is_shown_where_a_flattened_map_hides_in_a_number() -> None:
    body = net(
        "self.fc = nn.Conv2d(3, 60, 5)\nself.mid = nn.Conv2d(60, 64, 3)\nself.out = nn.Dense(2160, 64)",
        "x = self.fc(x)\nreturn self.mid(x), self.out(ops.flatten(x, start_dim=1))",
    )
    assert refused(body) == (11, "the layer there takes the width in, and its size is written in another way")


def test_both_directions_of_a_recurrent_layer_follow() -> None:
    body = net(
        "self.fc = nn.LSTM(64, hidden, bidirectional=True)\nself.out = nn.Dense(2 * hidden, 4)",
        "return self.out(self.fc(x)[0])",
        "self, hidden=150",
    )
    changed, safety = fixed(body)
    assert changed == "def __init__(self, hidden=160):"
    assert safety == "unsafe"


def test_states_go_along() -> None:
    body = net(
        "self.fc = nn.GRU(64, 100)\nself.out = nn.Dense(100, 4)",
        "state = ops.zeros((1, 32, 100), ms.float32)\nreturn self.out(self.fc(x, state)[0])",
    )
    changed, safety = fixed(body)
    assert "ops.zeros((1, 32, 112)" in changed
    assert safety == "unsafe"


def test_other_uses_of_the_same_number_are_not_touched() -> None:
    body = net("self.fc = nn.Dense(64, 100)\nself.out = nn.Dense(100, 4)\nself.epochs = 100")
    changed, safety = fixed(body)
    assert "epochs" not in changed
    assert safety == "display-only"


def test_the_right_element_of_a_config_file_is_shown() -> None:
    body = """
        import yaml

        with open("config.yaml") as file:
            config = yaml.safe_load(file)


        """
    cell = net('self.fc = nn.Dense(64, config["sizes"][1])\nself.out = nn.Dense(config["sizes"][1], 4)')
    text = "sizes: [100, 100]\n"
    _, found = findings(join(body) + cell, **{"config.yaml": text})
    assert [finding.fix is not None and finding.fix.safety.value for finding in found] == ["display-only"]
    fix = found[0].fix
    assert fix is not None
    assert Source("config.yaml", text.encode()).spliced(fix.edits) == b"sizes: [100, 112]\n"


@pytest.mark.parametrize(
    "expression",
    ["ops.tile(ops.ones((1, 100), ms.float32), (32, 1))", "ops.div(ops.ones((8, 100)), ops.ones((8, 100)))"],
)
def test_operands_of_literal_shape(expression: str) -> None:
    _, found = findings(net("self.fc = nn.Dense(100, 64)", f"return self.fc({expression})"))
    assert [re.sub(r"\D+", " ", finding.message) for finding in found] == [" 100 16 11 "]


CHAIN = "return self.out(self.deep(self.fc(x)))"


@pytest.mark.parametrize(
    ("init", "construct"),
    [
        ("self.fc = nn.Dense(100, 100)\nself.out = nn.Dense(100, 4)", "return self.out(x + self.fc(x))"),
        ("self.fc = nn.Dense(100, 100)\nself.out = nn.Dense(100, 4)", "return self.out(self.fc(x)), self.out(x)"),
        ("self.fc = nn.Dense(n, n)\nself.out = nn.Dense(n, 4)", "return self.out(self.fc(x))"),
        ("self.deep = nn.Embedding(50, n)\nself.fc = nn.Dense(n, n)\nself.out = nn.Dense(n, 4)", CHAIN),
        ("self.fc = nn.Dense(64, 100)\nself.out = nn.LayerNorm((100,))", "return self.out(self.fc(x))"),
        (
            "self.fc = nn.Conv2d(64, 72, 1)\n"
            "self.deep = nn.Conv2d(72, 72, 3, group=72)\n"
            "self.out = nn.Conv2d(72, 64, 1)",
            CHAIN,
        ),
        ("self.fc = nn.Dense(64, 100)\nself.out = nn.Dense(100, 4)", "return self.fc(x), self.out(ops.ones((1, 100)))"),
        ("self.fc = nn.Dense(64, 100)\nself.out = nn.Dense(100, 4)", "return self.out(x), self.fc(x)"),
    ],
    ids=[
        "added to the input",
        "the input is fed to the same layer",
        "the constant of an input",
        "the constant of a table",
        "only a norm",
        "grouped afterwards",
        "another tensor is fed to the layer",
        "a layer that is fed something else",
    ],
)
def test_widths_that_are_not_free(init: str, construct: str) -> None:
    assert findings(net(init, construct, "self, n=300"))[1] == []


@pytest.mark.parametrize(
    "init",
    [
        "self.fc = nn.Dense(100, 100)\nself.out = nn.Dense(100, 4)",
        "self.deep = nn.Embedding(5000, 300)\nself.fc = nn.Dense(300, 300)\nself.out = nn.Dense(300, 4)",
    ],
    ids=["as wide as the input", "as wide as a table"],
)
def test_an_equal_number_fixes_nothing(init: str) -> None:
    construct = "return self.out(self.fc(self.deep(x)))" if "deep" in init else "return self.out(self.fc(x))"
    assert len(findings(net(init, construct))[1]) == 1


@pytest.mark.parametrize(
    ("name", "count"), [("SimpleNet", 1), ("BasicNet", 1), ("LeNet", 0), ("MyLeNet5", 0), ("SEResNet", 0)]
)
def test_names_of_published_networks(name: str, count: int) -> None:
    body = net("self.fc = nn.Dense(64, 100)\nself.out = nn.Dense(100, 4)").replace("Net(", f"{name}(", 1)
    assert len(findings(f"{body}\n\nNet = {name}\n")[1]) == count


MODEL = """
    import mindspore as ms
    from mindspore import nn


    class Net(nn.Cell):
        def __init__(self, width={default}):
            super().__init__()
            self.fc = nn.Dense(64, width)
            self.out = nn.Dense(width, 16)

        def construct(self, x):
            return self.out(self.fc(x))


    def weights(net):
        return net
    """
TRAINS = join(
    "from net import Net\n",
    HEAD,
    TRAIN.replace("Net()", "Net({given})"),
)


def beside(script: str, given: str = "100", default: str = "64") -> list[Finding]:
    """Return what is reported of a training with another script beside it that uses the same network."""
    files = {"net.py": join(MODEL.format(default=default)), "train.py": TRAINS.format(given=given)}
    other = join("from net import Net, weights\n", HEAD, script)
    return list(Program({**files, "other.py": other}, options={"min-waste": 0}).lint("MSP202").findings)


@pytest.mark.parametrize(
    "script",
    [
        "net = Net(100)\n",
        "net = Net(width=100)\n",
        "import argparse\n\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--width', type=int, default=100)\nnet = Net(parser.parse_args().width)\n",
        "WIDTH = 100\nnet = weights(Net(WIDTH))\n",
        "model = ms.Model(Net(100), nn.MSELoss())\nmodel.eval(ds.MindDataset('a').batch(32))\n",
    ],
)
def test_a_script_that_says_the_width_for_itself_gets_no_fix(script: str) -> None:
    (finding,) = beside(script)
    assert finding.fix is None
    (told,) = (each for each in finding.related if each.message.startswith("no fix is shown: "))
    assert told.place.path.endswith("other.py")


@pytest.mark.parametrize(
    ("script", "given", "default"),
    [
        ("net = Net(128)\n", "100", "64"),
        ("net = weights(None)\n", "100", "64"),
        ("net = Net()\n", "", "100"),
        ("from train import model\n\nmodel.eval(100)\n", "100", "64"),
    ],
)
def test_a_script_that_says_no_width_leaves_the_fix(script: str, given: str, default: str) -> None:
    (finding,) = beside(script, given, default)
    assert finding.fix is not None


def started(head: str, init: str) -> str:
    """Return a network whose first layer begins with some values."""
    return head + net(f"self.fc = nn.Dense(64, 100, {init})\nself.out = nn.Dense(100, 10)")


@pytest.mark.parametrize(
    ("head", "init"),
    [
        ("", "weight_init=ms.Tensor(np.load('fc.npy'))"),
        ("rows = np.random.randn(100, 64)\n", "weight_init=ms.Tensor(rows)"),
        ("weights = dict(np.load('all.npz'))\n", "weight_init=ms.Tensor(weights['fc'])"),
        ("def first(path):\n    return ms.Tensor(np.load(path))\n\n\n", "bias_init=first('fc.npy')"),
        ("from elsewhere import first\n", "weight_init=first"),
        ("", "weight_init=ms.load_checkpoint('fc.ckpt')['fc.weight']"),
    ],
)
def test_nothing_is_shown_where_initial_values_have_a_shape_that_is_not_known(head: str, init: str) -> None:
    _, text = refused("import numpy as np\n" + started(head, init))
    assert text == "the initial value there needs the same width, and its shape is not known"


@pytest.mark.parametrize(
    ("head", "init"),
    [
        ("", "weight_init='normal'"),
        ("name = 'he_normal'\n", "weight_init=name, bias_init='zeros'"),
        ("", "weight_init=initializer.Normal(0.02), bias_init=None"),
        ("def first():\n    return initializer.Uniform(1 / 8)\n\n\n", "weight_init=first(), bias_init=first()"),
        (
            "class First(initializer.Initializer):\n    def _initialize(self, arr):\n        arr[:] = 1\n\n\n",
            "weight_init=First()",
        ),
        ("", "weight_init=initializer.initializer('normal', (100, 64))"),
    ],
)
def test_initial_values_of_any_shape_are_no_obstacle(head: str, init: str) -> None:
    changed, safety = fixed("from mindspore.common import initializer\n" + started(head, init))
    assert "nn.Dense(64, 112, " in changed
    assert "nn.Dense(112, 10)" in changed
    assert safety == "unsafe"


GROUPED = "self.fc = nn.Conv2d(16, {0}, 3)\nself.norm = nn.GroupNorm({1}, {0})\nself.out = nn.Conv2d({0}, 32, 3)"


@pytest.mark.parametrize(("width", "groups"), [(20, 4), (36, 12), (40, 8), (50, 2), (100, 4)])
def test_a_width_becomes_one_that_groups_divide(width: int, groups: int) -> None:
    _, safety = fixed(net(GROUPED.format(width, groups), "return self.out(self.norm(self.fc(x)))"))
    assert safety == "unsafe"


@pytest.mark.parametrize(("width", "groups"), [(20, 5), (36, 9), (50, 25)])
def test_a_width_that_would_be_more_than_doubled_gets_no_fix(width: int, groups: int) -> None:
    body = net(GROUPED.format(width, groups), "return self.out(self.norm(self.fc(x)))")
    assert refused(body)[1] == "no number fits all sizes that depend on the width"
