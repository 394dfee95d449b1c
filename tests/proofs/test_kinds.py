"""Each kind of code: where graph mode gives the same losses the fix is unsafe, else display-only with its reason.

What graph mode makes of a kind is run on the MindSpore of this interpreter (2.10.0, CPU); the rest needs none.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import Program
from proofs.held_kinds import HELD_KINDS
from proofs.kinds import KINDS as PLAIN_KINDS
from proofs.kinds import Kind
from proofs.object_kinds import OBJECT_KINDS
from proofs.proof import MindSpore, on_mindspore, tolerance, version
from proofs.python_kinds import PYTHON_KINDS
from proofs.shared_kinds import SHARED_KINDS

from ms_perflint.core.findings import Safety
from ms_perflint.mindspore_api import parse_version

CODE = "MSP101"
KINDS = [*PLAIN_KINDS, *SHARED_KINDS, *HELD_KINDS, *PYTHON_KINDS, *OBJECT_KINDS]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_fix_of_a_kind_is_as_safe_as_graph_mode(kind: Kind) -> None:
    (finding,) = Program({"train.py": kind.text}, device="Ascend").lint(CODE).findings
    assert finding.fix is not None
    expected = Safety.UNSAFE if kind.becomes == "same" else Safety.DISPLAY
    assert finding.fix.safety is expected, finding.fix.reason
    if kind.names:
        assert finding.fix.reason == f"graph mode is not known to compile `{kind.names}`"
        assert finding.related[0].message == finding.fix.reason


@pytest.mark.mindspore
@on_mindspore
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_run_of_a_kind(kind: Kind, mindspore: MindSpore, tmp_path: Path) -> None:
    if parse_version(version()) < (2, 10):
        pytest.skip("what graph mode compiles is that of the newest version")
    folders = [tmp_path / "before", tmp_path / "after"]
    for folder, mode in zip(folders, ("PYNATIVE_MODE", "GRAPH_MODE")):
        folder.mkdir()
        (folder / "train.py").write_text(kind.text.replace("PYNATIVE_MODE", mode), encoding="utf-8")
    errors = mindspore.errors(*folders)
    assert not errors[0]
    if kind.becomes == "fails":
        assert errors[1]
        return
    first, second = mindspore.run(*folders)
    assert len(first.losses) == 3
    is_same = second.losses == pytest.approx(first.losses, rel=tolerance(CODE))
    assert is_same is (kind.becomes == "same")
