"""Each kind of layer and operator: MSP201 offers its fix where level O2 trains the same, and none where that fails.

What level O2 makes of a kind is run on the MindSpore of this interpreter (CPU); the rest needs none.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from programs import Program
from proofs.half_kinds import KINDS, Kind
from proofs.proof import MindSpore, on_mindspore, version

from ms_perflint.mindspore_api import parse_version

CODE = "MSP201"
MANAGER = "loss_scale_manager=None"


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_fix_is_offered_for_what_half_precision_trains(kind: Kind) -> None:
    (finding,) = Program({"train.py": kind.text}, device="Ascend").lint(CODE).findings
    assert (finding.fix is not None) is (kind.becomes == "same"), [each.message for each in finding.related]


@pytest.mark.mindspore
@on_mindspore
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_run_of_a_kind(kind: Kind, mindspore: MindSpore, tmp_path: Path) -> None:
    if parse_version(version()) < (2, 10):
        pytest.skip("what half precision takes is that of the newest version")
    folders = [tmp_path / name for name in ("before", "graph", "pynative")]
    half = kind.text.replace(MANAGER, f'{MANAGER}, amp_level="O2"')
    texts = [kind.text, half, half.replace("GRAPH_MODE", "PYNATIVE_MODE")]
    for folder, text in zip(folders, texts):
        folder.mkdir()
        (folder / "train.py").write_text(text, encoding="utf-8")
    errors = mindspore.errors(*folders)
    assert not errors[0]
    if kind.becomes == "fails":
        assert any(errors[1:])
        return
    before, *others = mindspore.run(*folders)
    assert len(before.losses) == 3
    if kind.becomes == "nan":
        assert [all(map(math.isfinite, ran.losses)) for ran in (before, *others)] == [True, False, False]
        return
    for after in others:
        assert after.losses == pytest.approx(before.losses, rel=0.05)
