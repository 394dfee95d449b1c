"""Which classes are cells: those that derive from one of MindSpore, whatever its package, or have a `construct`."""

from __future__ import annotations

import pytest
from programs import analysed

from ms_perflint.training.bases import is_cell_class

CLASSES = {
    "class A(nn.Cell): pass": True,
    "class A(nn.Dense): pass": True,
    "class A(mint.nn.Linear): pass": True,
    "class A(nn.MSELoss): pass": True,
    "class A(nn.TrainOneStepCell): pass": True,
    "class A(nn.Optimizer): pass": True,
    "class B(nn.Cell): pass\n\n\nclass A(B): pass": True,
    "class A(Backbone):\n    def construct(self, x): return x": True,
    "class B(Backbone):\n    def construct(self, x): return x\n\n\nclass A(B): pass": True,
    "class A(ops.Primitive): pass": False,
    "class A(nn.Metric): pass": False,
    "class A(nn.Accuracy): pass": False,
    "class A(Callback): pass": False,
    "class A(Backbone): pass": False,
    "class A: pass": False,
}
IMPORTS = "from mindspore import mint, nn, ops\nfrom mindspore.train import Callback\nfrom absent import Backbone\n\n\n"


@pytest.mark.parametrize(("text", "is_one"), CLASSES.items())
def test_a_class_is_a_cell_by_its_bases_or_its_construct(text: str, is_one: bool) -> None:
    program = analysed({"train.py": f"{IMPORTS}{text}\n"})
    module = program.module(program.entry)
    assert module is not None
    assert is_cell_class(program, module.defined["A"][0]) is is_one
