"""Which classes are losses: by base or by name, unless what is trained is in them alone."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from programs import Program, analysed

from ms_perflint.training.networks.networks import is_loss

IMPORTS = """\
import mindspore as ms
from mindspore import nn, ops
from mindspore.train import Model
from data import dataset


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(784, 304)

    def construct(self, x):
        return self.dense(x)


class Mean(nn.Cell):
    def construct(self, x):
        return x - x.mean()


"""
CELL = """\
class {name}(nn.Cell):
    def __init__(self, net=None):
        super().__init__()
        self.net = {net}
        self.loss = nn.MSELoss()

    def construct(self, x, y):
        return {call}


"""
CELLS: Mapping[str, str] = {  # where a cell with its loss has the network
    "makes": CELL.format(name="{name}", net="Net()", call="self.loss(self.net(x), y)"),
    "is given": CELL.format(name="{name}", net="net", call="self.loss(self.net(x), y)"),
    "makes in a list": CELL.format(name="{name}", net="nn.SequentialCell([Net()])", call="self.loss(self.net(x), y)"),
    "calls in a method": CELL.format(name="{name}", net="Net()", call="self.loss(self.predict(x), y)").rstrip()
    + "\n\n    def predict(self, x):\n        return self.net(x)\n\n\n",
    "inherits": CELL.format(name="{name}Base", net="Net()", call="self.loss(self.net(x), y)")
    + "class {name}({name}Base):\n    pass\n\n\n",
    "has in another": CELL.format(name="{name}Inner", net="Net()", call="self.loss(self.net(x), y)")
    + CELL.format(name="{name}", net="{name}Inner()", call="self.net(x, y)"),
    "is": CELL.format(name="{name}", net="nn.Dense(784, 304)", call="self.loss(self.net(x), y)"),
}
OPT = "both = {name}({net})\nopt = nn.Adam(both.trainable_params())\n"
FORWARD = "\n\ndef forward(x, y):\n    return both(x, y)\n\n\n"
TRAININGS: Mapping[str, str] = {
    "train cell": "step = nn.TrainOneStepCell(both, opt)\nfor x, y in dataset:\n    step(x, y)\n",
    "Model": "Model(both, optimizer=opt).train(3, dataset)\n",
    "gradient": "step = ms.value_and_grad(both, None, opt.parameters)\nfor x, y in dataset:\n    opt(step(x, y)[1])\n",
    "function": f"{FORWARD}step = ms.value_and_grad(forward, None, opt.parameters)\n"
    "for x, y in dataset:\n    opt(step(x, y)[1])\n",
}
NAMES = ("Criterion", "GeneratorLoss", "TrainingLosses", "Criteria")


@pytest.mark.parametrize("training", TRAININGS)
@pytest.mark.parametrize("cell", CELLS)
def test_what_is_trained_is_found_whatever_its_name(cell: str, training: str) -> None:
    """A cell with its loss has the findings of one whose name says that it holds both."""
    text = IMPORTS + CELLS[cell] + OPT.replace("{net}", "Net()" if cell == "is given" else "") + TRAININGS[training]
    first, *others = (_found(text.replace("{name}", name), name) for name in ("NetWithLoss", *NAMES))
    assert any("MSP201" in row for row in first)
    assert all(other == first for other in others)


def _found(text: str, name: str) -> list[str]:
    """Return the findings without columns and offsets, which the length of the name moves."""
    rows: list[str] = []
    for each in Program({"train.py": text}).lint("MSP201").findings:
        edits = [edit.text for edit in each.fix.edits] if each.fix is not None else []
        why = (each.fix.message, each.fix.safety, each.fix.reason) if each.fix is not None else (each.help,)
        rows.append(f"{each.code} {each.place.row} {each.message} {why} {edits}".replace(name, "NetWithLoss"))
    return rows


PERCEPTUAL = CELL.format(name="FeatureLoss", net="Net()", call="self.loss(self.net(x), self.net(y))")
FUNCTION = "\n\ndef forward(x, y):\n    return criterion(net(x), y)\n\n\n"
STEP = "opt = nn.Adam(net.trainable_params())\n"
GRADIENT = "step = ms.value_and_grad(forward, None, opt.parameters)\nfor x, y in dataset:\n    opt(step(x, y)[1])\n"
LOSSES: Mapping[str, str] = {  # beside the network that is trained
    "loss_fn of a Model": f"net, criterion = Net(), FeatureLoss()\n{STEP}"
    "Model(net, criterion, opt).train(3, dataset)\n",
    "loss_fn of a network without layers": f"net, criterion = Mean(), FeatureLoss()\n{STEP}"
    "Model(net, criterion, opt).train(3, dataset)\n",
    "in a function": f"net, criterion = Net(), FeatureLoss()\n{STEP}{FUNCTION}{GRADIENT}",
    "in a function, by its class": f"net = Net()\n{STEP}{FUNCTION.replace('criterion(', 'FeatureLoss()(')}{GRADIENT}",
    "in WithLossCell": f"net, criterion = Net(), FeatureLoss()\n{STEP}"
    "step = nn.TrainOneStepCell(nn.WithLossCell(net, criterion), opt)\nfor x, y in dataset:\n    step(x, y)\n",
    "part of a cell": CELL.format(name="Both", net="Net()", call="self.loss(self.net(x), y)").replace(
        "nn.MSELoss()", "FeatureLoss()"
    )
    + f"net = Both()\n{STEP}Model(net, optimizer=opt).train(3, dataset)\n",
    "with a network from elsewhere": "from absent import make\nnet, criterion = make(), FeatureLoss()\n"
    f"{STEP}{FUNCTION}{GRADIENT}",
    "not trained": f"net, criterion = Net(), FeatureLoss()\n{STEP}Model(net, nn.MSELoss(), opt).train(3, dataset)\n"
    "print(criterion(net(dataset), dataset))\n",
}


@pytest.mark.parametrize("text", LOSSES.values(), ids=LOSSES.keys())
def test_a_loss_with_layers_beside_the_network_stays_a_loss(text: str) -> None:
    program = analysed({"train.py": IMPORTS + PERCEPTUAL + text})
    module = program.module(program.entry)
    assert module is not None
    assert is_loss(program, module.defined["FeatureLoss"][0])
