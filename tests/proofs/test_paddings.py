"""Paddings in `construct`: with a constant, graph mode gives other losses on a CPU; in other modes the same.

They are run on the MindSpore of this interpreter (2.10.0, CPU).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import Program
from proofs.kinds import Kind, kind
from proofs.proof import MindSpore, on_mindspore, tolerance

from ms_perflint.core.findings import Safety

CODE = "MSP101"
SQUARED = "z = {}\nreturn (z * z).sum()"
KINDS = [
    kind(becomes, name, SQUARED.format(code), init=init)
    for becomes, name, code, init in (
        ("differs", "function", "ops.pad(self.d(x), (1, 1))", "pass"),
        ("differs", "function with its mode", "ops.pad(self.d(x), (1, 1), mode='constant', value=0.5)", "pass"),
        ("differs", "zeros around", "self.p(self.d(x).reshape(1, 4, 4))", "self.p = nn.ZeroPad2d(1)"),
        ("differs", "constant around", "self.p(self.d(x))", "self.p = nn.ConstantPad1d(1, 0.5)"),
        ("same", "reflected", "ops.pad(self.d(x), (1, 1), mode='reflect')", "pass"),
        ("same", "repeated", "ops.pad(self.d(x), (1, 1), 'replicate')", "pass"),
        ("same", "reflection", "self.p(self.d(x))", "self.p = nn.ReflectionPad1d(1)"),
        ("same", "operation", "self.p(self.d(x))", "self.p = ops.Pad(((0, 0), (1, 1)))"),
        ("same", "layer", "self.p(self.d(x))", "self.p = nn.Pad(((0, 0), (1, 1)))"),
    )
]


@pytest.mark.parametrize("padding", KINDS, ids=str)
def test_the_fix_is_offered_where_the_losses_are_the_same(padding: Kind) -> None:
    (finding,) = Program({"train.py": padding.text}).lint(CODE).findings
    assert finding.fix is not None
    is_same = padding.becomes == "same"
    assert finding.fix.safety is (Safety.UNSAFE if is_same else Safety.DISPLAY), finding.fix.reason
    assert is_same or "has wrong gradients in graph mode on a CPU" in str(finding.fix.reason)


@pytest.mark.parametrize("padding", KINDS, ids=str)
def test_an_accelerator_pads_with_its_own_kernel(padding: Kind) -> None:
    (finding,) = Program({"train.py": padding.text}, device="Ascend").lint(CODE).findings
    assert finding.fix is not None
    assert finding.fix.safety is Safety.UNSAFE


@pytest.mark.mindspore
@on_mindspore
@pytest.mark.parametrize("padding", KINDS, ids=str)
def test_run_of_a_padding(padding: Kind, mindspore: MindSpore, tmp_path: Path) -> None:
    folders = [tmp_path / "before", tmp_path / "after"]
    for folder, mode in zip(folders, ("PYNATIVE_MODE", "GRAPH_MODE")):
        folder.mkdir()
        (folder / "train.py").write_text(padding.text.replace("PYNATIVE_MODE", mode), encoding="utf-8")
    errors = mindspore.errors(*folders)
    assert not errors[0]
    if padding.becomes != "same" and errors[1]:
        return  # the process ends
    first, second = mindspore.run(*folders)
    is_same = second.losses == pytest.approx(first.losses, rel=tolerance(CODE))
    assert is_same is (padding.becomes == "same")
