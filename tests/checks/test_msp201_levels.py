"""MSP201 fp32-matmul: a network that is converted already, at a level that is "O0" by default."""

from __future__ import annotations

import pytest
from programs import Program, join

from ms_perflint.core.findings import Safety

CODE = "MSP201"

HEAD = """
    import argparse

    import mindspore as ms
    from mindspore import amp, nn

    parser = argparse.ArgumentParser()
    parser.add_argument("--level", default="{default}")
    opt = parser.parse_args()
    ms.set_context(mode=ms.GRAPH_MODE)


    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(128, 256)

        def construct(self, x):
            return self.fc(x)


    """

STEP = """
    loss_fn = nn.MSELoss()
    optimizer = nn.SGD(net.trainable_params(), 0.1)


    def forward(x, y):
        return loss_fn(net(x), y)


    grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
    for x, y in load():
        {line}
        loss, grads = grad_fn(x, y)
        optimizer(grads)
    """

OPTION = 'default="O2")'


def training(made: str, line: str = "x = ms.Tensor(x)", default: str = "O0") -> Program:
    """Return a program that makes a network in some lines; `line`: the first of its step."""
    return Program({"train.py": join(HEAD.replace("{default}", default), made, STEP.replace("{line}", line))})


@pytest.mark.parametrize(
    ("made", "after"),
    [
        ("net = amp.auto_mixed_precision(Net(), opt.level)\n", OPTION),
        ("net = Net()\nnet = amp.auto_mixed_precision(net, amp_level=opt.level)\n", OPTION),
        ("net = Net()\namp.auto_mixed_precision(net, opt.level)\n", "\nnet = amp.auto_mixed_precision(net, opt.level)"),
        ('net = amp.auto_mixed_precision(Net(), "O0")\n', 'amp.auto_mixed_precision(Net(), "O2")'),
        ("net = amp.auto_mixed_precision(Net())\n", 'amp.auto_mixed_precision(Net(), amp_level="O2")'),
        ('net = Net()\namp.auto_mixed_precision(net, "O0")\n', 'net = amp.auto_mixed_precision(net, "O2")'),
        ('LEVEL = "O0"\nnet = amp.auto_mixed_precision(Net(), LEVEL)\n', 'LEVEL = "O2"'),
    ],
)
def test_the_level_that_is_there_is_changed(made: str, after: str) -> None:
    program = training(made)
    (finding,) = program.lint(CODE).findings
    assert finding.fix is not None and finding.fix.safety is Safety.DISPLAY
    assert any("`amp_level` is decided here" in each.message for each in finding.related) is ("opt.level" in made)
    text = program.files["train.py"]
    for edit in sorted(finding.fix.edits, reverse=True, key=lambda each: each.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    assert after in text and text.count("auto_mixed_precision(") == 1


@pytest.mark.parametrize(
    "made",
    [
        "net = Net()\nnet = amp.auto_mixed_precision(net, opt.level)\nprint(net.fc)\n",
        "def convert(cell):\n    amp.auto_mixed_precision(cell, opt.level)\n\n\nnet = Net()\nconvert(net)\n",
    ],
)
def test_no_fix_where_the_converted_network_cannot_take_the_place(made: str) -> None:
    (finding,) = training(made).lint(CODE).findings
    assert finding.fix is None
    assert any("no fix is shown" in each.message for each in finding.related)


@pytest.mark.parametrize("default", ["O1", "O2", "O3"])
def test_a_level_that_converts_is_a_control(default: str) -> None:
    assert not training("net = amp.auto_mixed_precision(Net(), opt.level)\n", default=default).lint(CODE).findings


@pytest.mark.parametrize(
    ("line", "is_reported"),
    [
        ('x = ms.Tensor(x, ms.float32 if opt.level == "O0" else ms.float16)', True),
        ('x = ms.Tensor(x, ms.float16 if opt.level != "O0" else ms.float32)', True),
        ('x = x.astype(ms.float16) if opt.level in ("O2", "O3") else x', True),
        ('if opt.level == "O2": x = x.astype(ms.float16)', True),
        ('x = ms.Tensor(x, ms.float16 if opt.level == "O0" else ms.float32)', False),
        ("x = ms.Tensor(x, ms.float16 if opt.half else ms.float32)", False),
        ("x = x.astype(ms.float16)", False),
    ],
)
def test_an_arm_for_another_level_is_no_control(line: str, is_reported: bool) -> None:
    program = training("net = amp.auto_mixed_precision(Net(), opt.level)\n", line)
    assert bool(program.lint(CODE).findings) is is_reported


APART = """
    parser.add_argument("--how", default="step")
    opt = parser.parse_args()


    def convert(net, level="O0"):
        amp.auto_mixed_precision(net, level)


    """


@pytest.mark.parametrize(
    ("made", "is_reported"),
    [
        ('if opt.how == "cell": convert(net, opt.level)', True),
        ('if opt.how == "cell": convert(net)', True),
        ('if opt.how == "cell": convert(net, "O2")', False),
        ("convert(net, opt.level)", True),
        ("convert(net, input())", False),
        ('if opt.how == "cell": convert(net, input())', False),
    ],
)
def test_a_level_that_is_only_reached_on_request(made: str, is_reported: bool) -> None:
    """What has no half precision when it is reached has none."""
    head = HEAD.replace("{default}", "O0").replace("\n    opt = parser.parse_args()", "")
    head = head.replace("\n\n\n    class", f"{APART}class")
    text = join(head, "net = Net()\n", f"{made}\n", STEP.replace("{line}", "pass"))
    assert bool(Program({"train.py": text}).lint(CODE).findings) is is_reported


@pytest.mark.parametrize(
    ("first", "last", "at"),
    [
        ('if opt.level == "O3":', "if True:", "last"),
        ("if True:", 'if opt.level == "O3":', "first"),
        ("if True:", "if True:", "first"),
    ],
)
def test_the_training_that_runs_by_default_is_reported(first: str, last: str, at: str) -> None:
    made = "    ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, load())  # "
    text = join(HEAD.replace("{default}", "O0"), f"net = Net()\n{first}\n{made}first\n{last}\n{made}last\n")
    (finding,) = Program({"train.py": text}).lint(CODE).findings
    assert text.splitlines()[finding.place.row - 1].endswith(at)


BY_DEVICE = """
    import argparse

    import mindspore as ms
    import mindspore.dataset as ds
    from mindspore import Model, nn

    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="GPU")
    parser.add_argument("--fast", action="store_true")
    opt = parser.parse_args()
    ms.set_context(mode=ms.GRAPH_MODE, device_target=opt.device)
    net = nn.Dense(128, 256)
    loss = nn.MSELoss()
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    """
TRAIN = "model.train(1, ds.MindDataset('a').batch(8), dataset_sink_mode=True)\n"


@pytest.mark.parametrize(
    ("lines", "is_reported"),
    [
        ('level = "O0" if opt.device == "GPU" else "O3"', False),
        ('level = "O2" if opt.device == "Ascend" else "O0"', False),
        ('level = "O3" if opt.device != "GPU" else "O0"', False),
        ('is_npu = opt.device == "Ascend"\nlevel = "O2" if is_npu else "O0"', False),
        ('level = "O2" if opt.fast else "O0"', True),
        ('level = "O0"', True),
    ],
)
def test_a_level_that_is_chosen_for_a_device_is_decided(lines: str, is_reported: bool) -> None:
    made = f"{lines}\nmodel = Model(net, loss, optimizer, amp_level=level)\n"
    assert bool(Program({"train.py": join(BY_DEVICE, made, TRAIN)}).lint(CODE).findings) is is_reported
