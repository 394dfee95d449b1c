"""MSP201: what half precision breaks is named, with a fix that is only shown or none; and the fix beside it is kept."""

from __future__ import annotations

import textwrap

import pytest
from checks.test_msp201 import IMPORTS, NET
from programs import Program, join

from ms_perflint.core.findings import Finding, Fix, Safety

CODE = "MSP201"


def found(*parts: str, **files: str) -> Finding:
    """Return the only finding of a training script."""
    (finding,) = Program({"train.py": join(IMPORTS, *parts), **files}).lint(CODE).findings
    return finding


def fixed(*parts: str) -> Fix:
    """Return the fix of the only finding of a training script."""
    fix = found(*parts).fix
    assert fix is not None
    return fix


def refused(finding: Finding) -> str:
    """Return why a finding has no fix."""
    assert finding.fix is None
    (told,) = (each.message for each in finding.related if each.message.startswith("no fix is shown: "))
    return told.partition(": ")[2]


def texts(fix: Fix) -> str:
    """Return what a fix writes."""
    return "\n".join(each.text for each in fix.edits)


# --- losses of probabilities

PROBABLE = """
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(64, 64)
            {init}

        def construct(self, x):
            return {construct}


    net = Net()
    opt = nn.Adam(net.trainable_params())
    """
MODEL = "Model(net, {}, opt).train(10, dataset, dataset_sink_mode=True)\n"
SIGMOID = PROBABLE.format(init="self.sigmoid = nn.Sigmoid()", construct="self.sigmoid(self.fc(x))")
PLAIN = PROBABLE.format(init="pass", construct="self.fc(x)")
NESTED = PROBABLE.format(init="self.s = nn.SequentialCell(nn.Sigmoid())", construct="self.s(self.fc(x))")
FUNCTION = PROBABLE.format(init="pass", construct="ops.sigmoid(self.fc(x))")
NAMED = PROBABLE.format(init="self.last = nn.Dense(64, 64, activation={})", construct="self.last(self.fc(x))")
SLOT = PROBABLE.format(
    init="self.last = nn.Dense(64, 64, 'normal', 'zeros', True, {})", construct="self.last(self.fc(x))"
)
OWN_LOSS = """
    class Own(nn.LossBase):
        def construct(self, p, label):
            return {}


    """
LOGGING = """
    class Log:
        def log(self):
            print("start")


    """
STEPS = """
    def forward(data, label):
        return {}


    grad_fn = ms.value_and_grad(forward, None, opt.parameters)
    for data, label in dataset.create_tuple_iterator():
        value, grads = grad_fn(data, label)
        opt(grads)
    """


@pytest.mark.parametrize(
    "parts",
    [
        (SIGMOID, MODEL.format("nn.BCELoss()")),
        (FUNCTION, MODEL.format("nn.BCELoss(reduction='mean')")),
        (NESTED, MODEL.format("nn.BCELoss()")),
        (SIGMOID, STEPS.format("ops.binary_cross_entropy(net(data), label, ops.ones_like(label))")),
        (FUNCTION, "loss = nn.BCELoss()\n", STEPS.format("loss(net(data), label)")),
        (SIGMOID, STEPS.format("ms.mint.nn.functional.binary_cross_entropy(net(data), label)")),
        (SIGMOID, STEPS.format("-(label * net(data).log()).mean()")),
        (SIGMOID, STEPS.format("-(label * ops.log2(net(data))).mean()")),
        (FUNCTION, STEPS.format("-ops.xlogy(label, net(data)).mean()")),
        (NESTED, STEPS.format("-ms.mint.log1p(-net(data)).mean()")),
        (OWN_LOSS.format("-(label * (p + 1e-12).log()).mean()"), SIGMOID, MODEL.format("Own()")),
        (OWN_LOSS.format("-label.xlogy(p).mean()"), SIGMOID, MODEL.format("Own()")),
        (NAMED.format("'sigmoid'"), MODEL.format("nn.BCELoss()")),
        (NAMED.format("'softmax'"), MODEL.format("nn.BCELoss()")),
        (NAMED.format("nn.Sigmoid()"), MODEL.format("nn.BCELoss()")),
        (SLOT.format("'sigmoid'"), MODEL.format("nn.BCELoss()")),
        ("how = 'sigmoid'\n", SLOT.format("how"), MODEL.format("nn.BCELoss()")),
        (OWN_LOSS.format("-(label * ms.numpy.log(p)).mean()"), FUNCTION, MODEL.format("Own()")),
    ],
)
def test_a_loss_of_probabilities_in_float16_is_named(parts: tuple[str, ...]) -> None:
    assert "saturates before this logarithm" in refused(found(*parts))


HELPER = """
    def measure(label, p):
        return {}


    """
FUNCTION_LOSS = HELPER.replace("label, p", "p, label")
ROOT_LOSS = """
    class Own(nn.LossBase):
        def __init__(self):
            super().__init__()
            self.root = ops.Sqrt()

        def construct(self, p, label):
            return {}


    """


@pytest.mark.parametrize(
    "parts",
    [
        (OWN_LOSS.format("-ops.sqrt(p).mean()"), SIGMOID, MODEL.format("Own()")),
        (OWN_LOSS.format("(label / p).mean()"), SIGMOID, MODEL.format("Own()")),
        (OWN_LOSS.format("ops.atan(p[:, 0] / (p[:, 1] + 1e-8)).mean()"), NESTED, MODEL.format("Own()")),
        (OWN_LOSS.format("ops.div(label, p * label + 1e-7).mean()"), SIGMOID, MODEL.format("Own()")),
        (OWN_LOSS.format("-(p[:, 0] ** 0.5).mean()"), NESTED, MODEL.format("Own()")),
        (OWN_LOSS.format("-ops.pow((p * label).sum(1), 0.5).mean()"), FUNCTION, MODEL.format("Own()")),
        (OWN_LOSS.format("-(1 - p).sqrt().mean()"), SIGMOID, MODEL.format("Own()")),
        (OWN_LOSS.format("p[0].sqrt().mean()"), NAMED.format("'sigmoid'"), MODEL.format("Own()")),
        (OWN_LOSS.format("ops.div(label, ops.reshape(p, (-1,))).mean()"), SIGMOID, MODEL.format("Own()")),
        (ROOT_LOSS.format("-self.root(p * label).mean()"), SIGMOID, MODEL.format("Own()")),
        (ROOT_LOSS.format("ops.Reciprocal()(p).mean()"), SIGMOID, MODEL.format("Own()")),
        (FUNCTION_LOSS.format("-p.pow(0.5).mean()"), SIGMOID, MODEL.format("measure")),
        (SIGMOID, STEPS.format("-ops.sqrt(net(data)).mean()")),
        (FUNCTION, STEPS.format("(label * net(data).rsqrt()).mean()")),
        (HELPER.format("-ops.sqrt(p).mean()"), SIGMOID, STEPS.format("measure(label, net(data))")),
        (OWN_LOSS.format("-ops.sqrt(p).mean()"), SIGMOID, "loss = Own()\n", STEPS.format("loss(net(data), label)")),
    ],
)
def test_a_loss_that_is_steep_at_0_is_named(parts: tuple[str, ...]) -> None:
    assert "gives 0 to this operator" in refused(found(*parts))


@pytest.mark.parametrize(
    "parts",
    [
        (OWN_LOSS.format("-ops.sqrt(p).mean()"), PLAIN, MODEL.format("Own()")),
        (OWN_LOSS.format("(p ** 2).mean()"), SIGMOID, MODEL.format("Own()")),
        (OWN_LOSS.format("((1 - p) ** 2.0).mean()"), SIGMOID, MODEL.format("Own()")),
        (OWN_LOSS.format("ops.pow(p, 2).mean()"), SIGMOID, MODEL.format("Own()")),
        (OWN_LOSS.format("ops.sqrt(ops.square(p - label).sum() + 1e-6)"), SIGMOID, MODEL.format("Own()")),
        (OWN_LOSS.format("ops.sqrt(label).mean() - p.mean()"), SIGMOID, MODEL.format("Own()")),
        (OWN_LOSS.format("(p / label).mean()"), SIGMOID, MODEL.format("Own()")),
        (OWN_LOSS.format("(label / (p + 0.01)).mean()"), SIGMOID, MODEL.format("Own()")),
        (OWN_LOSS.format("(p / p.shape[0]).sum()"), SIGMOID, MODEL.format("Own()")),
        (OWN_LOSS.format("(p / p.sum()).mean()"), SIGMOID, MODEL.format("Own()")),
        (OWN_LOSS.format("1 - (2 * p * label).sum() / (p.sum() + label.sum() + 1e-5)"), SIGMOID, MODEL.format("Own()")),
        (OWN_LOSS.format("ops.exp(-p).mean()"), SIGMOID, MODEL.format("Own()")),
        (FUNCTION_LOSS.format("(p / 2).mean()"), SIGMOID, MODEL.format("measure")),
        (HELPER.format("(p / label).mean()"), SIGMOID, STEPS.format("measure(label, net(data))")),
        (SIGMOID, STEPS.format("(net(data) / data).mean()")),
        (SIGMOID, STEPS.format("ops.mse_loss(net(data), label) / ops.sqrt(data).mean()")),
        (SIGMOID, "rate = np.sqrt(2) / 3\n", MODEL.format("nn.MSELoss()")),
    ],
)
def test_a_loss_that_is_flat_at_0_keeps_its_fix(parts: tuple[str, ...]) -> None:
    assert fixed(*parts).edits


@pytest.mark.parametrize(
    "parts",
    [
        (PLAIN, MODEL.format("nn.BCEWithLogitsLoss()")),
        (NAMED.format("'relu'"), MODEL.format("nn.BCELoss()")),
        (NAMED.format("'sigmoid'"), MODEL.format("nn.MSELoss()")),
        (SLOT.format("'leakyrelu'"), MODEL.format("nn.BCELoss()")),
        (SIGMOID, MODEL.format("nn.MSELoss()")),
        (OWN_LOSS.format("-ops.log_softmax(p).log().mean()"), PLAIN, MODEL.format("Own()")),
        (OWN_LOSS.format("(p - label).square().mean()"), SIGMOID, MODEL.format("Own()")),
        ("import math\n", SIGMOID, "rate = math.log(10)\n", MODEL.format("nn.MSELoss()")),
        (SIGMOID, "rates = np.log(np.ones(10))\n", MODEL.format("nn.MSELoss()")),
        ("import logging\n", SIGMOID, "logging.getLogger().log(10, 'start')\n", MODEL.format("nn.MSELoss()")),
        (LOGGING, SIGMOID, "Log().log()\n", MODEL.format("nn.MSELoss()")),
        (PLAIN, STEPS.format("ops.binary_cross_entropy(ops.sigmoid(net(data)), label, ops.ones_like(label))")),
    ],
)
def test_other_losses_are_as_before(parts: tuple[str, ...]) -> None:
    assert fixed(*parts).edits


@pytest.mark.parametrize(
    "parts",
    [
        (PLAIN, MODEL.format("nn.MSELoss(reduction='sum')")),
        (PLAIN, MODEL.format("nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction='sum')")),
        (PLAIN, "how = 'sum'\n", MODEL.format("nn.L1Loss(how)")),
        (PLAIN, STEPS.format("ops.mse_loss(net(data), label, reduction='sum')")),
        (PLAIN, "loss = nn.MSELoss('sum')\n", STEPS.format("loss(net(data), label)")),
        (PLAIN, MODEL.format("nn.BCEWithLogitsLoss(reduction='sum')")),
        (PLAIN, MODEL.format("nn.SoftMarginLoss('sum')")),
        (PLAIN, MODEL.format("nn.FocalLoss(reduction='sum')")),
        (PLAIN, MODEL.format("ms.mint.nn.MSELoss(reduction='sum')")),
        (PLAIN, STEPS.format("ops.smooth_l1_loss(net(data), label, reduction='sum')")),
        (PLAIN, STEPS.format("ops.margin_ranking_loss(net(data), label, label, reduction='sum')")),
    ],
)
def test_a_loss_that_is_a_sum_is_named(parts: tuple[str, ...]) -> None:
    assert "a loss that is a sum" in refused(found(*parts))


@pytest.mark.parametrize(
    "loss",
    ["nn.SoftmaxCrossEntropyWithLogits(sparse=True)", "nn.MSELoss('none')", "lambda x, y: ops.abs(x - y)"],
)
def test_a_loss_of_dynamic_shape_has_no_scale(loss: str) -> None:
    inputs = "net.set_inputs(Tensor(shape=[None, 64], dtype=ms.float32))\n"
    assert "which is dynamic by these inputs" in refused(found(PLAIN, inputs, MODEL.format(loss)))
    assert fixed(PLAIN, inputs, MODEL.format("nn.MSELoss()")).edits


@pytest.mark.parametrize("reduction", ["'mean'", "'none'", "reduction='mean'", ""])
def test_a_loss_that_is_no_sum_keeps_its_fix(reduction: str) -> None:
    assert fixed(PLAIN, MODEL.format(f"nn.MSELoss({reduction})")).edits


# --- operators and outputs

DERIVED = """
    class Block(nn.Cell):
        def construct(self, x):
            return self.last(ops.relu(self.fc(x)))


    class Net(Block):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(64, 64)
            {}


    net = Net()
    opt = nn.Adam(net.trainable_params())
    """


@pytest.mark.parametrize(
    ("made", "named"),
    [
        ("self.last = nn.Dense(64, 10)", ""),
        ("self.last = nn.SequentialCell(nn.BatchNorm1d(64), nn.Dense(64, 10))", ""),
        ("self.last = nn.Dense(64, 10) if self.fc.has_bias else nn.Identity()", ""),
        ("self.last = nn.CTCLoss()", "the loss is computed inside of the network"),
        ("self.last = ops.Exp()", "`Exp` is not known to work in FP16 or BF16"),
        ("self.last = lambda x: ops.exp(x)", "`exp` is not known to work in FP16 or BF16"),
        ("self.other = nn.Dense(64, 10)", "`last` is not known"),
    ],
)
def test_layers_that_a_derived_class_makes_are_known(made: str, named: str) -> None:
    finding = found(DERIVED.format(made), MODEL.format("nn.CrossEntropyLoss()"))
    assert (finding.fix is None) is bool(named)
    assert not named or named in refused(finding)


OPTIONAL = """
    class Net(nn.Cell):
        def __init__(self, norm{}):
            super().__init__()
            self.fc = nn.Dense(64, 64)
            if norm is not None:
                self.norm = norm((64,))
            else:
                self.norm = None

        def construct(self, x):
            x = self.fc(x)
            if self.norm is not None:
                x = self.norm(x)
            return x


    net = Net({})
    opt = nn.Adam(net.trainable_params())
    """


@pytest.mark.parametrize(
    ("default", "given", "is_known"),
    [
        ("=None", "", True),
        ("", "None", True),
        ("", "nn.LayerNorm", True),
        ("", "unknown()", False),
        ("=None", "norm=unknown()", False),
    ],
)
def test_a_layer_that_only_an_option_makes_is_left_out(default: str, given: str, is_known: bool) -> None:
    finding = found(OPTIONAL.format(default, given), MODEL.format("nn.CrossEntropyLoss()"))
    assert (finding.fix is not None) is is_known


def test_a_custom_operator_of_the_network_is_named() -> None:
    custom = "self.op = ops.Custom('./op.so:sample', lambda x: x, lambda x: x, 'aot')"
    net = PROBABLE.format(init=custom, construct="self.op(self.fc(x))")
    assert "`Custom` is not known" in refused(found(net, MODEL.format("nn.MSELoss()")))


@pytest.mark.parametrize(
    "word",
    [
        *("nn.PipelineCell", "nn.MicroBatchInterleaved", "nn.GradAccumulationCell"),
        *(
            f"ms.parallel.nn.{name}"
            for name in ("Pipeline", "PipelineCell", "MicroBatchInterleaved", "GradAccumulation")
        ),
    ],
)
def test_a_network_that_is_cut_into_micro_batches_is_named(word: str) -> None:
    model = MODEL.format("nn.MSELoss()").replace("Model(net,", f"Model({word}(net, 4),")
    assert word in model
    assert f"`{word.rpartition('.')[2]}` is not known" in refused(found(PLAIN, model))


def test_a_custom_operator_of_something_else_is_not() -> None:
    other = "measure = ops.Custom('./op.so:sample', lambda x: x, lambda x: x, 'aot')\nprint(measure(Tensor(1)))\n"
    assert fixed(PLAIN, other, MODEL.format("nn.MSELoss()")).safety is Safety.UNSAFE


@pytest.mark.parametrize(
    ("mode", "construct", "named"),
    [
        ("PYNATIVE_MODE", "{'out': self.fc(x)}", "{'out': self.fc(x)}"),
        ("PYNATIVE_MODE", "dict(out=self.fc(x))", "dict"),
        ("GRAPH_MODE", "{'out': self.fc(x)}", "{'out': self.fc(x)}"),
        ("PYNATIVE_MODE", "(self.fc(x), x)", ""),
        ("PYNATIVE_MODE", "self.fc(x)", ""),
    ],
)
def test_a_network_that_returns_a_dictionary_is_not_converted(mode: str, construct: str, named: str) -> None:
    net = PROBABLE.format(init="pass", construct=construct)
    loss = STEPS.format("ops.mse_loss(net(data)['out'], label)")
    finding = found(f"ms.set_context(mode=ms.{mode})\n", net, loss)
    assert (finding.fix is None) is bool(named)
    assert not named or f"`{named}` is not known" in refused(finding)


@pytest.mark.parametrize(
    ("construct", "name"),
    [
        ("ops.exp(self.fc(x) * 30)", "exp"),
        ("ops.Exp()(self.fc(x))", "Exp"),
        ("ops.log(self.fc(x))", "log"),
        ("self.fc(x) / x", "self.fc(x) / x"),
        ("self.fc(x) ** 2", "self.fc(x) ** 2"),
        ("self.fc(x) * self.fc(x)", "self.fc(x) * self.fc(x)"),
        ("self.fc(x).sum()", "sum"),
        ("self.fc(x).norm()", "norm"),
        ("ops.concat((self.fc(x), ops.ones((1, 64), ms.float32)))", "ones"),
        ("ops.concat((self.fc(x).astype(ms.float32), x), 1)", "astype"),
        ("ops.matmul(self.fc(x).astype(ms.float32), x)", "astype"),
        ("self.fc(x).astype(ms.float64)", "astype"),
        ("self.fc(x.astype(ms.float32))", ""),
        ("self.fc(x).astype(ms.float32)", ""),
        ("np.sqrt(self.fc(x))", "sqrt"),
        ("nn.Sigmoid(self.fc(x))", "Sigmoid"),
        ("nn.Softmax(-1)(self.fc(x))", ""),
        ("self.fc(x) * (self.fc(x) > 0)", ""),
        ("ops.softmax(self.fc(x))", ""),
        ("self.fc(x).astype(x.dtype)", ""),
        ("self.fc(x) / 8.0", ""),
        ("self.fc(x) * 0.125 + 1", ""),
        ("ops.concat((self.fc(x), x), 1)", ""),
        ("ops.mean(self.fc(x), -1)", ""),
        ("self.fc(x).reshape(x.shape[0], -1)", ""),
        ("self.fc(x)[:, 0]", ""),
    ],
)
def test_an_operator_that_is_not_known_in_half_precision_is_named(construct: str, name: str) -> None:
    net = PROBABLE.format(init="pass", construct=construct)
    for run in (STEPS.format("ops.mse_loss(net(data), label)"), MODEL.format("nn.MSELoss()")):
        finding = found(net, run)
        assert (finding.fix is None) is bool(name)
        assert not name or refused(finding).startswith((f"`{name}` is not known", f"`{name}` gives FP32"))


@pytest.mark.parametrize(
    "construct",
    [
        "self.table(x.astype(ms.int32))",
        "self.table(ops.cast(x[:, :6], ms.int32))",
        "self.table(ops.Cast()(x, ms.int32))",
        "self.table(x.to(ms.int64))",
        "self.table(ops.floor(x * 4096).astype(ms.int32))",
        "self.table(x.reshape(-1).astype(ms.int32)) * (x > 0)",
        "ops.gather(self.fc.weight, x.astype(ms.int32), 0)",
        "ops.one_hot(ops.cast(x, ms.int32), 5000, Tensor(1.0), Tensor(0.0))",
        "self.look(x)",
    ],
)
def test_a_float_input_that_becomes_large_whole_numbers_is_named(construct: str) -> None:
    inner = "    def look(self, ids):\n        return self.table(ids.astype(ms.int32))\n\n\n"
    net = PROBABLE.format(init="self.table = nn.Embedding(5000, 64)", construct=f"self.fc({construct})")
    net = join(net).replace("\n\n\nnet =", f"\n\n{inner}net =")
    for run in (STEPS.format("ops.mse_loss(net(data), label)"), MODEL.format("nn.MSELoss()")):
        assert refused(found(net, run)) == "FP16 or BF16 rounds large whole numbers before this cast"


@pytest.mark.parametrize(
    ("rows", "construct"),
    [
        ("2048", "self.table(x.astype(ms.int32))"),
        ("ROWS", "self.table(x.astype(ms.int32))"),
        ("5000", "self.table((x > 0).astype(ms.int32))"),
        ("5000", "self.table(x)"),
        ("5000", "self.table(ops.argmax(x, 1).astype(ms.int32))"),
        ("5000", "self.table(ops.arange(8).astype(ms.int32))"),
        ("5000", "self.fc(x).astype(x.dtype)"),
        ("5000", "x * (x != 0).astype(ms.int32).astype(x.dtype)"),
        ("5000", "ops.one_hot(x.astype(ms.int32), 10)"),
    ],
)
def test_whole_numbers_that_half_precision_holds_keep_the_fix(rows: str, construct: str) -> None:
    net = PROBABLE.format(init=f"self.table = nn.Embedding({rows}, 64)", construct=f"self.fc({construct})")
    assert fixed("ROWS = 500\n", net, MODEL.format("nn.MSELoss()")).edits


@pytest.mark.parametrize(
    ("construct", "is_refused"),
    [
        ("self.fc(x) - 1e9", True),
        ("self.fc(x) + 1e-8", True),
        ("self.fc(x) * 70000", True),
        ("self.fc(x) * 1e-6", True),
        ("self.fc(x) - LOW", True),
        ("self.fc(x) - 1e4 * 10", True),
        ("self.fc(x) + 2.0 ** 20", True),
        ("self.fc(x).masked_fill(x > 0, LOW)", True),
        ("self.fc(x).masked_fill(x > 0, -LOW)", True),
        ("ops.masked_fill(self.fc(x), x > 0, -(2 ** 20))", True),
        ("ops.where(x > 0, self.fc(x), LOW)", True),
        ("ops.clip_by_value(self.fc(x), -LOW, LOW)", True),
        ("ops.dropout(self.fc(x), TINY)", True),
        ("self.fc(x).masked_fill(x > 0, HIGH)", False),
        ("self.fc(x).masked_fill(x > 0, float('-inf'))", False),
        ("self.fc(x).masked_fill(x > 0, -(2 ** 10))", False),
        ("ops.reshape(self.fc(x), (-1, 256 * 256))", False),
        ("self.fc(x).reshape((-1, WIDE))", False),
        ("ops.split(self.fc(x), WIDE)[0]", False),
        ("self.fc(x) * (1.0 / 8.0)", False),
        ("self.fc(x) - 1e4", False),
        ("self.fc(x) + 1e-3", False),
    ],
)
def test_a_number_that_float16_does_not_hold_is_named(construct: str, is_refused: bool) -> None:
    net = PROBABLE.format(init="pass", construct=construct)
    finding = found("LOW, HIGH, TINY, WIDE = 1e9, 1e4, 1e-7, 100000\n\n\n", net, MODEL.format("nn.MSELoss()"))
    assert (finding.fix is None) is is_refused
    assert not is_refused or "out of the range of FP16" in refused(finding)


@pytest.mark.parametrize(
    ("init", "construct", "reason"),
    [
        ("self.norm = nn.InstanceNorm2d(64)", "self.norm(self.fc(x))", "`InstanceNorm2d` is not known"),
        ("self.rows = [nn.Dense(64, 64)]", "self.rows[0](self.fc(x))", "a list are not converted"),
        ("self.other = missing.make()", "self.other(self.fc(x))", "is not known"),
        ("self.low = Tensor(-1e9, ms.float32)", "self.fc(x) + self.low", "out of the range"),
        ("self.low = Tensor(np.full((64,), -1e9), ms.float32)", "self.fc(x) + self.low", "out of the range"),
        ("self.eps = Tensor([1e-8])", "self.fc(x) + self.eps", "out of the range"),
        ("self.far = Tensor(np.arange(100000), ms.float32)", "self.fc(x) + self.far[-64:]", "out of the range"),
        ("self.shift = Tensor(np.ones(64), ms.float32)", "self.fc(x) + self.shift", ""),
        ("self.shift = Tensor(np.ones((1, 64)), ms.float32)", "ops.concat((self.fc(x), self.shift))", ""),
        ("self.low = Tensor(float('-inf'), ms.float32)", "self.fc(x) + self.low", ""),
        ("self.far = Tensor(np.arange(100000), ms.int32)", "self.fc(x)[:, self.far[:64]]", ""),
        ("self.mask = Tensor(np.ones(64), ms.bool_)", "self.fc(x).masked_fill(self.mask, 0.0)", ""),
        ("self.index = Tensor(np.arange(64), ms.int32)", "ops.gather(self.fc(x), self.index, 1)", ""),
        ("self.index = Tensor(np.arange(64), dtype=ms.int64)", "self.fc(x)[:, self.index]", ""),
        ("self.loss = nn.MSELoss()", "self.loss(self.fc(x), x)", "the loss is computed inside"),
        ("self.rows = nn.CellList([nn.Dense(64, 64)])", "self.rows[0](self.fc(x))", ""),
        ("self.rows = nn.SequentialCell([nn.Dense(64, 64), nn.GELU()])", "self.rows(self.fc(x))", ""),
        ("self.scale = 64 ** -0.5", "self.fc(x) * self.scale", ""),
        ("self.scale = ms.Parameter(ops.ones((64,)))", "self.fc(x) * self.scale", ""),
        ("self.rnn = nn.LSTM(64, 64)", "self.rnn(self.fc(x))[0]", ""),
    ],
)
def test_a_part_that_is_not_known_in_half_precision_is_named(init: str, construct: str, reason: str) -> None:
    net = "import missing\n\n\n" + join(PROBABLE.format(init=init, construct=construct))
    finding = found(net, MODEL.format("nn.MSELoss()"))
    assert (finding.fix is None) is bool(reason)
    assert not reason or reason in refused(finding)


def test_a_layer_that_is_right_in_graph_mode_only_is_named_in_pynative() -> None:
    net = PROBABLE.format(init="self.rnn = nn.LSTM(64, 64)", construct="self.rnn(self.fc(x))[0]")
    text = join(IMPORTS, net, MODEL.format("nn.MSELoss()"))
    for mode, is_refused in (("GRAPH", False), ("PYNATIVE", True)):
        program = Program({"train.py": text.replace("GRAPH_MODE", f"{mode}_MODE")})
        (finding,) = program.lint(CODE).findings
        assert (finding.fix is None) is is_refused
    assert refused(finding) == "PyNative mode computes wrong gradients of `LSTM` in FP16"


@pytest.mark.parametrize(
    ("made", "called", "is_refused"),
    [
        ("@ms.jit\ndef step(x, y):\n    return run(x, y)\n", "step", False),
        ("@ms.jit(capture_mode='ast')\ndef step(x, y):\n    return run(x, y)\n", "step", False),
        ("step = ms.jit(run)\n", "step", False),
        ("jitted = ms.jit(run)\n\n\ndef step(x, y):\n    return jitted(x, y)\n", "step", False),
        ("@ms.jit\ndef step(x, y):\n    return run(x, y)\n", "run", True),
        ("@ms.jit\ndef other(x):\n    return net(x)\n", "run", True),
    ],
)
def test_a_layer_that_is_right_in_graph_mode_only_is_right_under_jit(made: str, called: str, is_refused: bool) -> None:
    net = PROBABLE.format(init="self.rnn = nn.LSTM(64, 64)", construct="self.rnn(self.fc(x))[0]")
    text = f"""
    net = Net()
    loss = nn.MSELoss()
    opt = nn.Adam(net.trainable_params())


    def forward(x, y):
        return loss(net(x), y)


    grad_fn = ms.value_and_grad(forward, None, opt.parameters)


    def run(x, y):
        value, grads = grad_fn(x, y)
        opt(grads)
        return value


    {textwrap.indent(made, "    ").strip()}


    for x, y in dataset.create_tuple_iterator():
        {called}(x, y)
    """
    start = join(IMPORTS, net).replace("GRAPH_MODE", "PYNATIVE_MODE")
    (finding,) = Program({"train.py": f"{start}\n{textwrap.dedent(text)}"}).lint(CODE).findings
    refusals = [each.message for each in finding.related if "wrong gradients of `LSTM`" in str(each.message)]
    assert bool(refusals) is is_refused


BIASED = """
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(64, 64)
            self.weight = ms.Parameter(ops.ones((64, 64)))
            self.bias = ms.Parameter(ops.ones((64,)))

        def construct(self, x):
            x = self.fc(x)
            return {}


    net = Net()
    opt = nn.Adam(net.trainable_params())
    """


@pytest.mark.parametrize(
    ("product", "casts"),
    [
        ("ops.dense(x, self.weight, self.bias)", ["self.weight.astype(x.dtype)", "self.bias.astype(x.dtype)"]),
        ("ops.conv2d(x, self.weight, self.bias)", ["self.weight.astype(x.dtype)", "self.bias.astype(x.dtype)"]),
        ("ops.dense(x, self.weight)", ["self.weight.astype(x.dtype)"]),
        ("ops.dense(x, self.weight, None)", ["self.weight.astype(x.dtype)"]),
        ("ops.matmul(x, self.weight) + self.bias", ["self.weight.astype(x.dtype)"]),
        ("ops.addmm(self.bias, x, self.weight)", ["self.weight.astype(x.dtype)"]),
    ],
)
def test_a_bias_is_cast_with_its_weight(product: str, casts: list[str]) -> None:
    fix = fixed(BIASED.format(product), MODEL.format("nn.MSELoss()"))
    assert [each.text for each in fix.edits if ".astype(" in each.text] == casts


@pytest.mark.parametrize(
    ("product", "cast"),
    [
        ("ops.matmul(x, ops.tanh(self.weight))", True),
        ("x @ ops.relu(self.weight)", True),
        ("ops.matmul(x, ops.transpose(self.weight, (1, 0)))", True),
        ("ops.matmul(x, 1 - ops.sigmoid(self.weight))", True),
        ("ops.matmul(x, ops.softmax(self.weight, -1))", True),
        ("ops.matmul(x, self.weight * 2)", False),
        ("ops.matmul(x, ops.cast(self.weight, x.dtype))", False),
        ("ops.matmul(x, ops.Softmax()(self.weight))", False),
    ],
)
def test_what_a_function_makes_of_a_parameter_is_cast(product: str, cast: bool) -> None:
    """Run on 2.10, CPU, O2 in graph mode: those that are cast raise, the others do not."""
    fix = fixed(BIASED.format(product), MODEL.format("nn.MSELoss()"))
    assert any(".astype(" in each.text for each in fix.edits) is cast


# --- a train cell that clips

CLIPPING = """
    class Step(nn.Cell):
        def __init__(self, network, optimizer, sens=1.0):
            super().__init__()
            self.network = network
            self.optimizer = optimizer
            self.sens = sens
            {init}
            self.grad = ops.GradOperation(get_by_list=True, sens_param=True)

        def construct(self, x, y):
            loss = self.network(x, y)
            sens = ops.fill(loss.dtype, loss.shape, self.sens)
            grads = self.grad(self.network, self.optimizer.parameters)(x, y, sens)
            {grads}
            return ops.depend(loss, self.optimizer(grads))


    net = Net()
    step = Step(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params()))
    for data, label in dataset.create_tuple_iterator():
        step(data, label)
    """


@pytest.mark.parametrize(
    ("init", "grads", "is_scaled"),
    [
        ("pass", "grads = ops.clip_by_global_norm(grads, 5.0)", False),
        ("pass", "grads = ops.composite.clip_by_global_norm(grads, 5.0)", False),
        ("self.clip = nn.ClipByNorm()", "grads = [self.clip(each, 1.0) for each in grads]", False),
        ("self.hyper_map = ops.HyperMap()", "grads = self.hyper_map(ops.partial(clip_grad, 1, 1.0), grads)", False),
        ("pass", "grads = clip_grads(grads)", False),
        ("pass", "pass", True),
        ("self.clip_weights = Limit()", "self.clip_weights(self.optimizer.parameters)", True),
        ("self.reducer = nn.DistributedGradReducer(self.optimizer.parameters)", "grads = self.reducer(grads)", True),
    ],
)
def test_gradients_that_are_clipped_are_not_scaled(init: str, grads: str, is_scaled: bool) -> None:
    fix = fixed(NET, CLIPPING.format(init=init, grads=grads))
    assert ("sens=1024.0" in texts(fix)) is is_scaled
    assert ("bfloat16" in texts(fix)) is not is_scaled


@pytest.mark.parametrize(
    ("init", "second", "reason"),
    [
        ("self.loss_scale = optimizer.loss_scale", "", "scales or accumulates gradients in its own way"),
        ("self.rest = optimizer.accumulated", "", "scales or accumulates gradients in its own way"),
        ("pass", ", nn.SGD(net.trainable_params())", "several optimizers"),
        ("pass", ", 2.0", ""),
        ("self.steps = 0", "", ""),
        ("self.rate = nn.Dense(1, 1)", "", ""),
        ("self.other = optimizer", "", ""),
    ],
)
def test_a_train_cell_with_more_than_a_standard_step_is_named(init: str, second: str, reason: str) -> None:
    step = CLIPPING.format(init=init, grads="pass").replace("trainable_params()))", f"trainable_params()){second})")
    finding = found(NET, step)
    assert (finding.fix is None) is bool(reason)
    assert not reason or reason in refused(finding)


# --- losses inside of the network

INNER = """
    class Body(nn.Cell):
        def __init__(self):
            super().__init__()
            self.blocks = nn.SequentialCell([nn.Dense(64, 64), nn.Dense(64, 64)])
            self.head = nn.Dense(64, 64)

        def construct(self, x, y):
            logits = self.head(self.blocks(x))
            return {returned}


    {around}
    """


@pytest.mark.parametrize(
    ("returned", "forward"),
    [
        ("logits, ops.cross_entropy(logits, y)", "_, loss = net(data, label)\n    return loss"),
        (
            "logits, ops.cross_entropy(logits, y)",
            "out, loss = net(data, label)\n    total = loss * 2\n    return total",
        ),
        (
            "ops.cross_entropy(logits, y), ops.mse_loss(logits, y)",
            "loss_a, loss_b = net(data, label)\n    loss = 0\n    loss += loss_a + loss_b\n    return loss",
        ),
        ("{'loss': ops.cross_entropy(logits, y)}", "out = net(data, label)\n    return out['loss'] + 1"),
        (
            "Outputs(ops.cross_entropy(logits, y))",
            "out = net(data, label)\n    total = out.loss_a * 3\n    return total",
        ),
    ],
)
def test_a_network_that_gives_losses_is_converted_inside(returned: str, forward: str) -> None:
    step = f"def forward(data, label):\n    {forward}\n\n\n" + join(STEPS.partition("\n\n\n")[2])
    fix = fixed(INNER.format(returned=returned, around="net = Body()\n    opt = nn.Adam(net.trainable_params())"), step)
    assert "net = " not in texts(fix)
    assert "self.blocks = " not in texts(fix)  # the edit puts a call around what is made there
    assert "auto_mixed_precision(nn.Dense(64, 64)" in texts(fix)


@pytest.mark.parametrize(
    "forward",
    [
        "return loss(net(data, label), label)",
        "logits = net(data, label)\n    return loss(logits, label)",
        "loss_fn = loss\n    out = net(data, label)\n    return loss_fn(out[0], label)",
    ],
)
def test_a_network_whose_loss_is_beside_it_is_converted_whole(forward: str) -> None:
    step = f"def forward(data, label):\n    {forward}\n\n\n" + join(STEPS.partition("\n\n\n")[2])
    around = "net = Body()\n    loss = nn.MSELoss()\n    opt = nn.Adam(net.trainable_params())"
    fix = fixed(INNER.format(returned="logits", around=around), step)
    assert 'net = amp.auto_mixed_precision(net, "O2")' in texts(fix)


WITH_LOSS = """
    class WithLoss(nn.Cell):
        def __init__(self, body):
            super().__init__()
            self.body = body

        def construct(self, x, y):
            {construct}


    body = Body()
    step = nn.TrainOneStepCell(WithLoss(body), nn.Adam(body.trainable_params()))
    for data, label in dataset.create_tuple_iterator():
        step(data, label)
    """


@pytest.mark.parametrize(
    ("construct", "is_inside"),
    [
        ("_, loss = self.body(x, y)\n        return loss", True),
        ("return self.body(x, y)[1]", True),
        ("return self.body(x, y)", True),
    ],
)
def test_a_cell_that_hands_the_loss_on_is_looked_through(construct: str, is_inside: bool) -> None:
    around = textwrap.dedent(WITH_LOSS).replace("{construct}", construct)
    body = join(INNER).replace("{returned}", "logits, ops.cross_entropy(logits, y)").replace("{around}\n", "")
    fix = fixed(body, around)
    assert ("auto_mixed_precision(nn.Dense(64, 64)" in texts(fix)) is is_inside


@pytest.mark.parametrize(
    ("beside", "is_refused"),
    [
        ("for block in self.blocks:\n            print(block)", True),
        ("return self.blocks[0]", True),
        ("return len(self.blocks)", True),
        ("return [each for i, each in enumerate(self.blocks)]", True),
        ("self.blocks.reset()", True),
        ("return self.head", False),
        ("self.blocks.set_train()", False),
    ],
)
def test_a_part_that_is_taken_apart_is_not_converted(beside: str, is_refused: bool) -> None:
    body = join(INNER).replace("{returned}", "ops.cross_entropy(logits, y)").replace("{around}\n", "")
    body = body.rstrip() + f"\n\n    def look(self):\n        {beside}\n\n\n"
    step = "net = Body()\nopt = nn.Adam(net.trainable_params())\n" + join(STEPS.format("net(data, label)"))
    finding = found(body, step)
    assert (finding.fix is None) is is_refused
    if is_refused:
        assert "other code uses attributes of this part" in refused(finding)


ROWS = """
    class Body(nn.Cell):
        def __init__(self, rows=()):
            super().__init__()
            {init}
            self.head = nn.Dense(64, 64)

        def construct(self, x, y):
            {construct}
            return ops.cross_entropy(self.head(x), y)

        def run(self, x, *cells):
            return x

    """
ROW = "self.rows = nn.CellList([nn.Dense(64, 64), nn.Dense(64, 64)])"
PASSES = "for row in self.rows:\n            x = row(x)"


def with_rows(init: str, construct: str) -> str:
    """Return a network with a row of cells that computes its loss itself."""
    return join(ROWS).replace("{init}", init).replace("{construct}", construct)


OWN_STEP = "net = Body()\nopt = nn.Adam(net.trainable_params())\n" + join(STEPS.format("net(data, label)"))


@pytest.mark.parametrize(
    ("init", "construct", "row"),
    [
        (ROW, PASSES, "[nn.Dense(64, 64), nn.Dense(64, 64)]"),
        (ROW, "x = self.rows[1](self.rows[0](x))", "[nn.Dense(64, 64), nn.Dense(64, 64)]"),
        (
            ROW,
            "for i in range(len(self.rows)):\n            x = self.rows[i](x)",
            "[nn.Dense(64, 64), nn.Dense(64, 64)]",
        ),
        (ROW, "for i, row in enumerate(self.rows):\n            x = row(x)", "[nn.Dense(64, 64), nn.Dense(64, 64)]"),
        (
            ROW,
            "for row, n in zip(self.rows, (1, 2)):\n            x = row(x) * n",
            "[nn.Dense(64, 64), nn.Dense(64, 64)]",
        ),
        (
            "self.rows = nn.CellList([nn.Dense(64, 64) for _ in range(4)])",
            PASSES,
            "[nn.Dense(64, 64) for _ in range(4)]",
        ),
        ("made = [nn.Dense(64, 64)]\n        self.rows = nn.CellList(made)", PASSES, "made"),
        ("self.rows = nn.SequentialCell([nn.Dense(64, 64), nn.ReLU()])", PASSES, "[nn.Dense(64, 64), nn.ReLU()]"),
    ],
)
def test_the_cells_of_a_row_are_converted_each(init: str, construct: str, row: str) -> None:
    fix = fixed(with_rows(init, construct), OWN_STEP)
    assert f'[amp.auto_mixed_precision(each, "O2") for each in {row}]' in texts(fix)
    assert 'amp.auto_mixed_precision(nn.Dense(64, 64), "O2")' in texts(fix)  # the head


@pytest.mark.parametrize(
    ("init", "construct", "reason"),
    [
        ("self.rows = nn.CellList()\n        self.rows.append(nn.Dense(64, 64))", PASSES, "would stay in FP32"),
        ("self.rows = nn.CellList(*[[nn.Dense(64, 64)]])", PASSES, "would stay in FP32"),
        (ROW, "for row in self.rows:\n            x = row(x) + row.bias", "other code uses"),
        (ROW, "for row in self.rows:\n            x = self.run(row(x), row)", "other code uses"),
        (ROW, "x = self.rows[0](x) + self.rows[0].bias", "other code uses"),
        (ROW, "x = self.run(x, self.rows)", "other code uses"),
        (ROW, "for first in self.rows:\n            x = first[0](x)", "other code uses"),
        ("self.body = nn.Dense(64, 64)", "x = self.run(x, self.body)", "would stay in FP32"),
        (
            "if rows:\n            self.body = nn.ReLU()\n        else:\n            self.body = nn.Dense(64, 64)",
            "x = self.body(x)",
            "",
        ),
        (
            "self.body = nn.Dense(64, 64)\n        self.body = nn.SequentialCell(self.body)",
            "x = self.body(x)",
            "would stay in FP32",
        ),
    ],
)
def test_nothing_is_converted_where_a_part_would_stay_as_it_is(init: str, construct: str, reason: str) -> None:
    finding = found(with_rows(init, construct), OWN_STEP)
    assert (finding.fix is None) is bool(reason)
    assert not reason or reason in refused(finding)


@pytest.mark.parametrize(
    "load",
    [
        "ms.load_param_into_net(net, ms.load_checkpoint('pretrained.ckpt'))\n",
        "ms.load_checkpoint('pretrained.ckpt', net=net)\n",
    ],
)
def test_parts_that_get_other_names_are_not_converted_where_weights_are_loaded(load: str) -> None:
    finding = found(with_rows(ROW, PASSES), OWN_STEP.replace("opt = ", load + "opt = "))
    assert "weights are loaded here by their names" in refused(finding)
    other = found(with_rows(ROW, PASSES), OWN_STEP, "weights = ms.load_checkpoint('other.ckpt')\n")
    assert other.fix is not None
    other = found(with_rows(ROW, PASSES), OWN_STEP, "ms.load_checkpoint('other.ckpt', nn.Dense(1, 1))\n")
    assert other.fix is not None


@pytest.mark.parametrize(
    ("row", "name"),
    [
        ("def inner(y):\n    return y", "inner"),
        ("class Inner:\n    pass", "Inner"),
        ("with x:\n    pass", "with x:"),
        ("try:\n    pass\nfinally:\n    pass", "try:"),
        ("del x", "del x"),
        ("{1: x}", "{1: x}"),
        ("lambda y: y", "lambda y: y"),
        ("{'a': 1, 'b': 2, 'c': 3, 'd': 4, 'e': 5, 'f': 6}", "{'a': 1, 'b': 2, 'c': 3, 'd': 4, 'e':..."),
    ],
)
def test_syntax_that_is_not_known_is_named(row: str, name: str) -> None:
    head = "def construct(self, x):\n        "
    net = join(NET).replace(head, head + row.replace("\n", "\n        ") + "\n        ")
    finding = found(net, "model = Model(Net(), nn.MSELoss(), nn.SGD(()))\nmodel.train(1, dataset)\n")
    assert refused(finding) == f"`{name}` is not known to work in FP16 or BF16"


@pytest.mark.parametrize("row", ["ops.GatherV2()(x, index, 0)", "ops.TensorAdd()(x, x)", "ops.Gather()(x, index, 0)"])
def test_earlier_names_of_operators_are_known(row: str) -> None:
    head = "def construct(self, x):\n        "
    net = join(NET).replace(head, f"{head}index = Tensor([0, 1], ms.int32)\n        x = {row}\n        ")
    finding = found(net, "model = Model(Net(), nn.MSELoss(), nn.SGD(()))\nmodel.train(1, dataset)\n")
    assert finding.fix is not None and finding.fix.safety is Safety.UNSAFE


@pytest.mark.parametrize(
    ("layer", "name"),
    [
        ("zoo.models.Encoder(64)", "Encoder"),
        ("nn.SequentialCell(nn.ReLU(), zoo.models.Encoder(64))", "Encoder"),
        ("nn.InstanceNorm2d(64)", "InstanceNorm2d"),
    ],
)
def test_a_layer_that_is_not_known_is_named(layer: str, name: str) -> None:
    net = join(NET).replace("nn.Flatten()", layer)
    finding = found("import zoo\n\n", net, "model = Model(Net(), nn.MSELoss(), nn.SGD(()))\nmodel.train(1, dataset)\n")
    assert refused(finding) == f"`{name}` is not known to work in FP16 or BF16"


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("ops.ResizeBilinearV2()(x, (8, 8))", "ResizeBilinearV2"),
        ("self.grow(x, (8, 8))", "ResizeBilinearV2"),
        ("x.astype(ms.float32)", "astype"),
        ("ops.zeros(x.shape, ms.float32)", "zeros"),
    ],
)
def test_float32_that_is_joined_is_named(part: str, name: str) -> None:
    grow = "self.grow = ops.ResizeBilinearV2()\n        self.flatten"
    net = join(NET).replace("self.flatten", grow, 1).replace("self.conv(x)", f"ops.concat((x, {part}))")
    finding = found(net, "model = Model(Net(), nn.MSELoss(), nn.SGD(()))\nmodel.train(1, dataset)\n")
    assert refused(finding) == f"`{name}` gives FP32, and an operator here takes tensors of one dtype"


@pytest.mark.parametrize(
    ("before", "after", "row"),
    [
        ("net = Net()\nopt = nn.SGD(net.trainable_params())", "net = Net()\nms.load_checkpoint('a.ckpt', net)", 0),
        ("net = None\nnet = Net()\nprint(net)", "net = Net()", 1),
        ("net = Net()\nopt = nn.SGD(net.trainable_params())\nnet = Net()", "", 2),
    ],
)
def test_the_network_is_the_one_that_is_trained(before: str, after: str, row: int) -> None:
    step = """
    def forward(data, label):
        return nn.MSELoss()(net(data), label)


    step = ms.value_and_grad(forward, None, opt.parameters)
    for data, label in dataset.create_tuple_iterator():
        loss, grads = step(data, label)
        opt(grads)
    """
    head = join(NET) + "opt = nn.SGD(Net().trainable_params())\n"
    finding = found(head, before + "\n", step, after + "\n")
    first = join(IMPORTS, head).count("\n") + 1
    assert [each.place.row for each in finding.related if each.message == "the network"] == [first + row]


@pytest.mark.parametrize(("scale", "dtype"), [("1", "bfloat16"), ("1.0", "bfloat16"), ("1024", ""), ("scale", "")])
def test_a_loss_that_is_scaled_by_one_is_not_scaled(scale: str, dtype: str) -> None:
    step = f"""
    scale = 1024.0
    sense = nn.FixedLossScaleUpdateCell({scale})
    step = nn.TrainOneStepWithLossScaleCell(nn.WithLossCell(net, nn.MSELoss()), opt, scale_sense=sense)
    for data, label in dataset.create_tuple_iterator():
        step(data, label)
    """
    assert ("bfloat16" in texts(fixed(PLAIN, step))) is bool(dtype)


@pytest.mark.parametrize(
    ("before", "optimizer", "step", "is_scaled"),
    [
        ("", "loss_scale=1024.0", "sens=1024.0", True),
        ("scale = 1024.0", "loss_scale=scale", "sens=scale", True),
        ("scale = 1024.0", "loss_scale=scale", "scale", True),
        ("", "loss_scale=1024.0", "sens=512.0", False),
        ("", "loss_scale=1.0", "sens=1.0", False),
        ("", "weight_decay=0.1", "sens=1024.0", False),
        ("", "loss_scale=1024.0", "", False),
    ],
)
def test_a_loss_that_the_optimizer_unscales_is_scaled(before: str, optimizer: str, step: str, is_scaled: bool) -> None:
    text = f"""
    {before}
    opt = nn.SGD(net.trainable_params(), 0.1, {optimizer})
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), opt, {step})
    for data, label in dataset.create_tuple_iterator():
        step(data, label)
    """
    fix = fixed(PLAIN, text)
    assert ("scaled already" in fix.message, "bfloat16" in texts(fix)) == (is_scaled, not is_scaled)
    old = Program({"train.py": join(IMPORTS, PLAIN, text)}, version=(2, 1)).lint(CODE).findings[0]
    assert (old.fix is not None) is is_scaled
    assert is_scaled or "BF16 needs MindSpore 2.2" in refused(old)


TWO_LOSSES = """
    class Body(nn.Cell):
        def __init__(self):
            super().__init__()
            self.main = nn.SequentialCell([nn.Dense(64, 64)])

        def construct(self, x):
            return self.main(x)


    class First(nn.Cell):
        def __init__(self, body):
            super().__init__()
            self.body = body

        def construct(self, x, y):
            return {first}


    class Second(nn.Cell):
        def __init__(self, body):
            super().__init__()
            self.body = body

        def construct(self, x, y):
            return ops.mse_loss(self.body(x), y)


    body, other = Body(), Body()
    one = nn.TrainOneStepCell(First(body), nn.Adam(body.trainable_params()))
    two = nn.TrainOneStepCell(Second(body), nn.Adam(body.trainable_params()))
    for data, label in dataset.create_tuple_iterator():
        one(data, label)
        two(data, label)
    """


def test_a_network_is_not_converted_whole_and_in_parts() -> None:
    finding = found(TWO_LOSSES.replace("{first}", "self.body(x, y)"))
    assert "it would be converted twice" in refused(finding)
    assert found(TWO_LOSSES.replace("{first}", "ops.mse_loss(self.body(x), x)")).fix is not None


# --- cells of libraries

LIBRARY = """
    import zoo
    from mindnlp.models import BertModel


    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.body = {body}
            self.fc = nn.Dense(64, 64)
            self.loss = nn.MSELoss()

        def construct(self, x, y):
            {construct}
            return self.loss(x, y)


    net = Net()
    step = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params()))
    for data, label in dataset.create_tuple_iterator():
        step(data, label)
    """


@pytest.mark.parametrize(
    ("body", "construct", "reason"),
    [
        ("BertModel.from_pretrained('bert')", "x = self.fc(self.body(x))", "network of a library"),
        ("zoo.Graph(64)", "x = self.body(self.fc(x))", "weights stay in FP32"),
        ("zoo.Graph(64)", "x = self.fc(x)\n        x = self.body(x, y)", "weights stay in FP32"),
        ("zoo.Graph(64)", "h = ops.relu(self.fc(x))\n        x = self.body(h)", "weights stay in FP32"),
        ("zoo.Graph(64)", "h = self.fc(x)\n        x = x + self.body(ops.concat((h, h)))", "weights stay in FP32"),
        ("zoo.Graph(64)", "x = self.fc(self.body(x))", "is not known"),
        ("zoo.Graph(64)", "x = self.body(x)\n        x = self.fc(x)", "is not known"),
        ("nn.Dense(64, 64)", "x = self.body(self.fc(x))", ""),
    ],
)
def test_a_cell_of_a_library_that_half_precision_reaches_is_named(body: str, construct: str, reason: str) -> None:
    text = textwrap.dedent(LIBRARY).replace("{body}", body).replace("{construct}", construct)
    finding = found(text)
    assert (finding.fix is None) is bool(reason)
    assert not reason or reason in refused(finding)


# --- criteria, comments, sizes, versions


@pytest.mark.parametrize("name", ["SetCriterion", "Criterion", "CRITERIA", "MatchLoss"])
def test_a_criterion_is_no_network(name: str) -> None:
    criterion = f"""
    class {name}(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(64, 64)

        def construct(self, x, y):
            return ops.matmul(self.fc(x), y)


    net = Net()
    criterion = {name}()
    criterion.set_train()
    opt = nn.Adam(net.trainable_params())
    """
    fix = fixed(NET, criterion, STEPS.format("criterion(net(data), label)"))
    assert "auto_mixed_precision(criterion" not in texts(fix)
    assert "auto_mixed_precision(net," in texts(fix)


@pytest.mark.parametrize(
    ("before", "behind", "is_offered"),
    [
        ('# model = Model(net, loss, opt, amp_level="O2")', "", False),
        ('# model = Model(net, loss, opt,\n#     amp_level = "O3",\n#     keep=True)', "", False),
        ("", '  # amp_level="O2" gives nan', False),
        ("# trains the network", "", True),
        ('# model = Model(net, loss, opt, amp_level="O2")\n', "", True),
    ],
)
def test_a_level_that_was_taken_out_is_not_offered(before: str, behind: str, is_offered: bool) -> None:
    parts = "net = Net()\nloss = nn.MSELoss()\nopt = nn.Adam(net.trainable_params())\n"
    run = f"{before}\nmodel = Model(net, loss, opt){behind}\nmodel.train(10, dataset, dataset_sink_mode=True)\n"
    assert (found(NET, parts, run).fix is not None) is is_offered


@pytest.mark.parametrize(
    ("layer", "is_reported"),
    [
        ("nn.Dense(width, 1)", False),
        ("nn.Dense(8, width)", False),
        ("nn.Linear(width, 1)", False),
        ("nn.Linear(32, 64)", False),
        ("nn.Linear(64, 64)", True),
        ("nn.Dense(width, 16)", False),
        ("nn.Dense(63, width)", False),
        ("nn.Dense(width, 64)", True),
        ("nn.Conv2d(3, width, 3)", True),
    ],
)
def test_a_layer_that_is_too_narrow_is_not_reported(layer: str, is_reported: bool) -> None:
    assert is_reported_with("import sys\n\nwidth = int(sys.argv[1])\n\n\n", layer) is is_reported


def is_reported_with(width: str, layer: str) -> bool:
    """Return whether a network of one layer is reported, behind what says its width."""
    net = PROBABLE.format(init=f"self.layer = {layer}", construct="self.layer(x)")
    text = join(width, net).replace("self.fc = nn.Dense(64, 64)", "pass")
    return bool(Program({"train.py": join(IMPORTS, text, MODEL.format("nn.MSELoss()"))}).lint(CODE).findings)


OPTION = """
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int{})
    width = parser.parse_args().width


    """


@pytest.mark.parametrize(
    ("width", "is_reported"),
    [
        (OPTION.format(", default=16"), False),
        (OPTION.format(", default=128"), True),
        (OPTION.format(""), True),
        (
            "class Config:\n    def __init__(self, width=16):\n        self.width = width\nwidth = Config().width\n",
            False,
        ),
        ("import os\nwidth = int(os.environ.get('WIDTH', 16))\n", False),
        ("import os\nwidth = int(os.environ['WIDTH'])\n", True),
    ],
)
def test_a_layer_that_is_too_narrow_by_default_is_not_reported(width: str, is_reported: bool) -> None:
    assert is_reported_with(width, "nn.Dense(784, width)") is is_reported


@pytest.mark.parametrize(
    "line",
    [
        "from mindspore.nn.optim import AdamWeightDecayDynamicLR\n",
        "from mindspore.model_zoo.resnet import resnet50\n",
        "from mindspore.train.parallel_utils import ParallelMode\n",
    ],
)
def test_an_old_name_says_that_a_program_is_for_an_old_version(line: str) -> None:
    assert "1.9 and later" in refused(found(line, PLAIN, join(STEPS.format("net(data)"))))


@pytest.mark.parametrize(
    ("beside", "is_refused"),
    [
        ("out = ops.matmul(net(Tensor(x)), Tensor(x))", True),
        ("out = net(Tensor(x))\nboth = ops.concat((out, Tensor(x)), 1)", True),
        ("out = net(Tensor(x))\nout = out.matmul(Tensor(x))", True),
        ("out = net(Tensor(x)) @ Tensor(x)", True),
        ("def test(model, data):\n    return ops.stack([model(data), data])\n\n\ntest(net, Tensor(x))", True),
        ("out = ops.concat((net(Tensor(x)), net(Tensor(x))), 1)", False),
        ("out = net(Tensor(x))\nboth = ops.concat([out, ops.relu(out)], 1)", False),
        ("out = net(Tensor(x))\nboth = np.concatenate((out.asnumpy(), x), 1)", False),
        ("out = net(Tensor(x)).asnumpy()\nboth = np.matmul(out, x)", False),
        ("out = net(Tensor(x)).argmax(1)", False),
        ("out = ops.mse_loss(net(Tensor(x)), Tensor(x))", False),
        ("out = net(Tensor(x)) + Tensor(x)", False),
        ("out = ops.matmul(Tensor(x), Tensor(x))", False),
        ("other = nn.Dense(64, 64)\nout = ops.matmul(other(Tensor(x)), Tensor(x))", False),
    ],
)
def test_an_output_that_meets_a_tensor_in_float32_is_named(beside: str, is_refused: bool) -> None:
    finding = found(PLAIN, MODEL.format("nn.MSELoss()"), f"x = np.ones((64, 64), np.float32)\n{beside}\n")
    assert (finding.fix is None) is is_refused
    assert not is_refused or "this output of the network" in refused(finding)


@pytest.mark.parametrize(
    ("beside", "is_refused"),
    [
        ("ms.export(net, Tensor(np.ones((1, 64))), file_name='net')", True),
        ("other = nn.Dense(64, 64)\nms.export(other, Tensor(np.ones((1, 64))), file_name='net')", False),
        ("ms.save_checkpoint(net, 'net.ckpt')", False),
    ],
)
def test_a_network_that_is_exported_is_not_converted(beside: str, is_refused: bool) -> None:
    finding = found(PLAIN, MODEL.format("nn.MSELoss()"), beside + "\n")
    assert (finding.fix is None) is is_refused
    assert not is_refused or "exported here" in refused(finding)


@pytest.mark.parametrize(
    ("reads", "is_refused"),
    [
        ("loss = ctx.original_args().net_outputs\n        if loss > 3:\n            print(loss)", True),
        ("loss = ctx.original_args().net_outputs\n        self.losses.append(loss)", True),
        ("print(ctx.original_args().net_outputs)", False),
    ],
)
def test_a_callback_that_compares_or_keeps_the_loss_gets_no_tuple(reads: str, is_refused: bool) -> None:
    callback = f"class Watch(ms.Callback):\n    losses = []\n\n    def step_end(self, ctx):\n        {reads}\n\n\n"
    run = "Model(net, nn.MSELoss(), opt).train(10, dataset, callbacks=Watch(), dataset_sink_mode=True)\n"
    fix = fixed('ms.set_context(device_target="Ascend")\n', callback, PLAIN, run)
    assert ("FixedLossScaleManager" in texts(fix)) is is_refused


@pytest.mark.parametrize(
    ("train", "is_refused"),
    [
        ("fit(net)\n", False),
        ("for client in range(3):\n    fit(net)\n", None),
        ("fit(net)\nfit(Net())\n", True),
    ],
)
def test_a_network_is_converted_once(train: str, is_refused: bool | None) -> None:
    """Outside of the loop that trains it again and again, or not at all."""
    body = STEPS.format("ops.mse_loss(net(data), label)")
    text = f"def fit(net):\n{textwrap.indent(textwrap.dedent(body), '    ')}\n\n"
    finding = found(PLAIN, text, train)
    assert (finding.fix is None) is bool(is_refused)
    if is_refused is None:
        assert finding.fix is not None
        assert any("auto_mixed_precision" in each.text and not each.text.startswith(" ") for each in finding.fix.edits)


@pytest.mark.parametrize(
    ("model", "is_refused"),
    [
        ("Model(net, nn.MSELoss(), opt, eval_network=Net())", True),
        ("Model(net, nn.MSELoss(), opt, eval_network=None)", False),
        ("Model(net, nn.MSELoss(), opt, metrics={'loss'})", False),
    ],
)
def test_a_network_for_evaluation_is_not_converted(model: str, is_refused: bool) -> None:
    finding = found(PLAIN, f"{model}.train(10, dataset, dataset_sink_mode=True)\n")
    assert (finding.fix is None) is is_refused
    assert not is_refused or "network for evaluation" in refused(finding)


@pytest.mark.parametrize(
    ("behind", "is_refused"),
    [
        ("print(forward(Tensor(1), Tensor(2)))\n", True),
        ("print(ops.mse_loss(Tensor(1), Tensor(2)))\n", False),
        ("print(forward)\n", False),
    ],
)
def test_a_loss_that_is_used_beside_the_steps_is_named(behind: str, is_refused: bool) -> None:
    finding = found(PLAIN, STEPS.format("ops.mse_loss(net(data), label)"), behind)
    assert (finding.fix is None) is is_refused
    assert not is_refused or "is called here too" in refused(finding)


@pytest.mark.parametrize(("loss", "is_refused"), [("1", True), ("load()", True), ("nn.MSELoss()", False)])
def test_a_loss_that_is_not_known_is_named(loss: str, is_refused: bool) -> None:
    finding = found(PLAIN, MODEL.format(loss))
    assert (finding.fix is None) is is_refused
    assert not is_refused or "the loss is not known" in refused(finding)


@pytest.mark.parametrize(
    ("net", "is_refused"),
    [
        ("nn.SequentialCell(nn.Dense(64, 64), nn.Sigmoid())", True),
        ("nn.SequentialCell([nn.Dense(64, 64), nn.ReLU()])", False),
    ],
)
def test_a_sigmoid_of_a_row_of_cells_is_met_too(net: str, is_refused: bool) -> None:
    made = f"net = {net}\nopt = nn.Adam(net.trainable_params())\n"
    finding = found(made, MODEL.format("nn.BCELoss()"))
    assert (finding.fix is None) is is_refused


def test_a_gradient_of_its_own_is_named() -> None:
    net = join(PLAIN).replace(
        "\n\nnet = Net()", "\n    def bprop(self, x, out, dout):\n        return (dout,)\n\n\nnet = Net()", 1
    )
    assert "`bprop` is not known" in refused(found(net, MODEL.format("nn.MSELoss()")))


def test_a_method_of_a_network_beside_construct_is_named() -> None:
    net = join(PLAIN).replace(
        "\n\nnet = Net()", "\n    def score(self, x):\n        return self.fc(x)\n\n\nnet = Net()", 1
    )
    finding = found(net, STEPS.format("ops.mse_loss(net.score(data), label)"))
    assert "a method of this network other than" in refused(finding)


TRAINER = """
    class Trainer{base}:
        def __init__(self, net, opt):
            {init}
            self.net, self.opt = net, opt
            self.grad_fn = ms.value_and_grad(self.forward, None, opt.parameters)

        {decorator}
        def loss(self, out, label):
            return ops.mse_loss(out, label)

        def forward(self, data, label):
            return {loss}

        def fit(self, dataset):
            for data, label in dataset.create_tuple_iterator():
                value, grads = self.grad_fn(data, label)
                self.opt(grads)


    Trainer(net, opt).fit(dataset)
    """


@pytest.mark.parametrize(
    ("base", "decorator", "loss", "is_named"),
    [
        ("", "", "self.loss(self.net(data), label)", False),
        ("", "", "self.loss(out=self.net(data), label=label)", False),
        ("", "", "(lambda out: self.loss(out, label))(self.net(data))", False),
        ("(object)", "", "self.loss(self.net(data), label) * 2", False),
        ("", "@ms.jit", "self.loss(self.net(data), label)", False),
        ("", "", "self.loss(self.net.score(data), label)", True),
    ],
)
def test_a_method_of_what_trains_a_network_is_none_of_the_network(
    base: str, decorator: str, loss: str, is_named: bool
) -> None:
    net = join(PLAIN).replace(
        "\n\nnet = Net()", "\n    def score(self, x):\n        return self.fc(x)\n\n\nnet = Net()", 1
    )
    trainer = TRAINER.format(base=base, init="super().__init__()", decorator=decorator, loss=loss)
    finding = found(net, trainer)
    assert any("a method of this network other than" in each.message for each in finding.related) is is_named
    assert (finding.fix is None) is is_named


def test_an_old_keyword_says_that_a_program_is_for_an_old_version() -> None:
    call = "ms.set_auto_parallel_context(parallel_mode='data_parallel', mirror_mean=True)\n"
    step = join(STEPS.format("net(data)"))
    assert "1.9 and later" in refused(found(call, PLAIN, step))


def test_a_loss_that_is_scaled_already_is_said_to_be() -> None:
    run = "step = nn.TrainOneStepWithLossScaleCell(nn.WithLossCell(net, nn.MSELoss()), opt, Tensor([1024.0]))\n"
    run += "for data, label in dataset.create_tuple_iterator():\n    step(data, label)\n"
    fix = fixed(PLAIN, run)
    assert "scaled already" in fix.message


# --- what keeps the network in an attribute of a base, and what is read of it

PREPARING = NET.replace(
    "        def construct", "        def prepare(self, x):\n            return x * 2\n\n        def construct"
)
BASE = """
    class Base(nn.Cell):
        def __init__(self, network, other=None):
            super().__init__()
            self.network = network
            self.other = other


    """
LOSS_CELLS = (  # the classes, and what makes the loss cell
    ("class Loss(Base):\n        def __init__(self, net):\n            super().__init__(net)\n", "Loss(net)"),
    (
        "class Loss(Base):\n        def __init__(self, net):\n            super(Loss, self).__init__(network=net)\n",
        "Loss(net)",
    ),
    ("class Loss(Base):\n        def __init__(self, net):\n            Base.__init__(self, net)\n", "Loss(net)"),
    ("class Loss(Base):\n        scale = 1\n", "Loss(net)"),
    ("class Loss(Base):\n        scale = 1\n", "Loss(other=None, network=net)"),
    (
        "class Middle(Base):\n        def __init__(self, inner, size):\n            super().__init__(inner)\n\n\n"
        "    class Loss(Middle):\n        def __init__(self, net):\n            super().__init__(net, 4)\n",
        "Loss(net)",
    ),
)
TAKEN = """
    net = Net()
    loss = nn.MSELoss()
    opt = nn.Adam(net.trainable_params())
    step = nn.TrainOneStepCell({made}, opt)
    for data, label in dataset.create_tuple_iterator():
        step(data, label)
    """


def loss_cell(cls: str, made: str, construct: str) -> str:
    """Return a training whose loss cell computes something of the network that a base keeps."""
    method = f"\n        def construct(self, x, y):\n            return nn.MSELoss()({construct}, y)\n\n\n"
    return join(PREPARING, BASE, f"    {cls}{method}", TAKEN.format(made=made))


@pytest.mark.parametrize(("cls", "made"), LOSS_CELLS)
def test_members_of_a_network_that_a_base_keeps_are_not_there(cls: str, made: str) -> None:
    finding = found(loss_cell(cls, made, "self.network(self.network.prepare(x))"))
    assert refused(finding) == "the code that takes the network uses attributes that a converted network lacks"


@pytest.mark.parametrize(("cls", "made"), LOSS_CELLS)
@pytest.mark.parametrize("construct", ["self.network(x)", "self.network(x * self.other.size)"])
def test_a_network_that_a_base_keeps_and_only_calls_is_converted(cls: str, made: str, construct: str) -> None:
    assert "auto_mixed_precision(net" in texts(fixed(loss_cell(cls, made, construct)))


# --- an argument that a comment took out, with all line ends

COMMENTED = join(
    IMPORTS,
    NET,
    """
    net = Net()
    opt = nn.Adam(net.trainable_params())
    # amp_level="O2" gave nan
    model = Model(net, nn.MSELoss(), opt)
    model.train(10, dataset, dataset_sink_mode=True)
    """,
)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("comment", "is_fixed"), [('# amp_level="O2" gave nan', False), ("# the level", True)])
def test_a_comment_that_took_the_level_out_is_found(comment: str, is_fixed: bool, end: str) -> None:
    text = COMMENTED.replace('# amp_level="O2" gave nan', comment).replace("\n", end)
    (finding,) = Program({"train.py": text}).lint(CODE).findings
    assert (finding.fix is not None) is is_fixed


# --- a conversion before the Model that an option leaves undone

LEVEL_OPTION = """
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--level", default="O0")
    args = parser.parse_args()
    """
CONVERTED = """
    net = Net()
    net = amp.auto_mixed_precision(net, {level})
    opt = nn.Adam(net.trainable_params())
    """


@pytest.mark.parametrize(
    ("before", "level"),
    [
        (LEVEL_OPTION, "args.level"),
        (LEVEL_OPTION, "amp_level=args.level"),
        (LEVEL_OPTION.rstrip() + "\n    level = args.level\n", "level"),
    ],
)
def test_what_leaves_a_conversion_undone_is_changed_and_not_the_model(before: str, level: str) -> None:
    parts = (NET, before, CONVERTED.format(level=level), MODEL.format("nn.MSELoss()"))
    fix = fixed(*parts)
    assert fix.safety is Safety.DISPLAY
    assert "amp_level" not in texts(fix) and "loss_scale_manager=" in texts(fix) and '"O2"' in texts(fix)


@pytest.mark.parametrize("level", ['"O0"', ""])
def test_a_conversion_that_is_never_done_leaves_the_model_to_be_changed(level: str) -> None:
    fix = fixed(NET, CONVERTED.format(level=level), MODEL.format("nn.MSELoss()"))
    assert fix.safety is Safety.UNSAFE and "amp_level" in texts(fix)


# --- what a function reads of the network that it is passed, and trains

PASSED = """
    def fit(model, opt, label=None):
        def forward(x, y):
            return nn.MSELoss()(model(x), y)

        grad_fn = ops.value_and_grad(forward, None, opt.parameters)
        model.set_train()
        for x, y in dataset.create_tuple_iterator():
            value, grads = grad_fn(x, y)
            opt(grads)
        {then}


    net = Net()
    opt = nn.Adam(net.trainable_params())
    for epoch in range(3):
        fit({given})
    """


@pytest.mark.parametrize("given", ["net, opt", "model=net, opt=opt", "net, opt, label=net"])
@pytest.mark.parametrize(
    "then",
    [
        "print(model.fc.weight)",
        "model.prepare(0)",
        "print([name for name, each in model.parameters_and_names()])",
        "print(model.name_cells())",
        "print(len(list(model.cells())))",
    ],
)
def test_a_function_that_reads_members_of_the_network_takes_no_converted_one(then: str, given: str) -> None:
    finding = found(PREPARING, PASSED.format(then=then, given=given))
    assert refused(finding) == "the code that takes the network uses attributes that a converted network lacks"


@pytest.mark.parametrize(
    "then",
    [
        "model.set_train(False)",
        "print(model.parameters_dict())",
        "print(label.shape)",
        "ms.save_checkpoint(model, 'a')",
    ],
)
def test_a_function_that_reads_what_all_cells_have_takes_a_converted_one(then: str) -> None:
    assert "auto_mixed_precision(net" in texts(fixed(PREPARING, PASSED.format(then=then, given="net, opt")))


# --- a network that is used elsewhere: `auto_mixed_precision` converts it in place, and gives float32 beside it

EVALUATED = """
    opt = {optimizer}
    {use}
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), opt)
    for data, label in dataset.create_tuple_iterator():
        step(data, label)
    """
USES = ["net.prepare(0)", "print(net.fc.weight)", "evaluate(net.construct)", "print(net.name_cells())"]
CHOSEN = "nn.SGD(net.trainable_params()) if ms.get_context('device_id') else nn.Adam(net.trainable_params())"


@pytest.mark.parametrize("use", USES)
def test_bf16_is_not_given_to_what_uses_the_network_elsewhere(use: str) -> None:
    finding = found(PREPARING, "net = Net()\n", EVALUATED.format(optimizer=CHOSEN, use=use))
    assert refused(finding) == "other outputs of this network would be BF16, which NumPy does not support"


@pytest.mark.parametrize(
    ("optimizer", "use", "text"),
    [
        (CHOSEN, "net.set_train()", 'net = amp.auto_mixed_precision(net, "O2", mstype.bfloat16)'),
        *(("nn.SGD(net.trainable_params())", use, 'amp_net = amp.auto_mixed_precision(net, "O2")') for use in USES),
    ],
)
def test_fp16_or_a_network_that_is_bound_anew_is(optimizer: str, use: str, text: str) -> None:
    fix = fixed(PREPARING, "net = Net()\n", EVALUATED.format(optimizer=optimizer, use=use))
    assert text in texts(fix)
    assert (fix.reason == "custom training step; other uses of `net` compute in FP16 as well") is ("amp_net" in text)


# --- numbers of a function around the code that computes

CLOSED = """
    {before}
    class Block(nn.Cell):
        def __init__(self, into, out):
            super().__init__()
            self.fc = nn.Dense(into, out)
            {init}

        def construct(self, x):
            return self.short(self.fc(x))


    net = nn.SequentialCell(Block(64, 128), Block(128, 256))
    loss = nn.MSELoss()
    opt = nn.Adam(net.trainable_params())
    model = Model(net, loss, opt)
    model.train(10, dataset, dataset_sink_mode=True)
    """


@pytest.mark.parametrize(
    ("init", "before", "is_fixed"),
    [
        ("self.short = lambda x: x[:, : (out - into) // 2]", "", True),
        ("half = out // 2; self.short = lambda x: x[:, :half] * half", "", True),
        ("self.short = lambda x: x[:, : HALF + into]", "HALF = 32\n\n", True),
        ("self.short = lambda x, size=out: x[:, : size - into]", "", True),
        ("rows = dataset.rows; self.short = lambda x: x[:, : rows // 2]", "", False),
        ("self.short = lambda x: x[:, : UNKNOWN // 2]", "from where import UNKNOWN\n\n", False),
    ],
)
def test_numbers_of_the_function_around_are_numbers(init: str, before: str, is_fixed: bool) -> None:
    finding = found(CLOSED.format(init=init, before=before))
    assert (finding.fix is not None) is is_fixed, finding.related


@pytest.mark.parametrize(
    ("beside", "is_refused"),
    [
        ("opt = nn.Adam(net.trainable_params())", False),
        ("opt = nn.Adam(net.trainable_params(), nn.ExponentialDecayLR(0.1, 0.9, 4))", False),
        ("opt, other = nn.SGD(net.trainable_params()), nn.WithEvalCell(net, nn.MSELoss())", False),
        ("opt, other = nn.SGD(net.trainable_params()), nn.Unknown()", True),
    ],
)
def test_what_trains_a_network_is_no_part_of_it(beside: str, is_refused: bool) -> None:
    made = f"""
        def make():
            net = nn.SequentialCell(nn.Dense(64, 128), nn.ReLU(), nn.Dense(128, 64))
            {beside}
            return Model(net, nn.MSELoss(), opt), opt{", other" * ("other" in beside)}
        """
    fix = found(made, "model = make()[0]\nmodel.train(10, dataset, dataset_sink_mode=True)\n").fix
    assert (fix is None) is is_refused


@pytest.mark.parametrize(
    ("given", "is_refused"),
    [
        ("nn.Dense(config.width, 64), nn.ReLU()", False),
        ("nn.Dense(64, 64, activation=config.activation), nn.ReLU()", True),
        ("nn.Dense(64, 64), config.cell", True),
        ("nn.Dense(64, sizes[0]), nn.ReLU()", False),
    ],
)
def test_the_numbers_of_a_config_are_no_cells(given: str, is_refused: bool) -> None:
    made = f"""
        from settings import Config


        sizes = config = Config()
        net = nn.SequentialCell({given})
        opt = nn.Adam(net.trainable_params())
        """
    assert (found(made, MODEL.format("nn.MSELoss()")).fix is None) is is_refused
