"""Networks as people write them, before and after `--fix --unsafe-fixes`: they train, or say why they do not."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from proofs.proof import MindSpore, on_mindspore
from proofs.width_programs import FIXED, REFUSED, SHOWN, Written

from ms_perflint.cli import main
from ms_perflint.config.settings import Config
from ms_perflint.core.findings import Finding, Safety
from ms_perflint.engine import lint

CODE = "MSP202"
OPTIONS = ("--select", CODE, "--device", "Ascend", "--jobs", "1", "--no-interactive")


def _findings(folder: Path) -> list[Finding]:
    report = lint([str(folder / "train.py")], Config(root=str(folder), select=(CODE,), device="Ascend"))
    assert not report.problems
    return list(report.findings)


def _fix(folder: Path) -> str:
    """Return a program after all fixes that may be made."""
    with pytest.raises(SystemExit):
        main(["check", "--isolated", "--fix", "--unsafe-fixes", *OPTIONS, str(folder)])
    return (folder / "train.py").read_text(encoding="utf-8")


def _folders(written: Written, folder: Path) -> tuple[Path, Path]:
    before, after = folder / "before", folder / "after"
    for each in (before, after):
        each.mkdir(parents=True)
        (each / "train.py").write_text(written.text, encoding="utf-8")
    return before, after


@pytest.mark.parametrize("written", FIXED, ids=str)
def test_a_width_is_fixed_once_and_for_all(written: Written, tmp_path: Path) -> None:
    before, after = _folders(written, tmp_path)
    fixes = [finding.fix for finding in _findings(before)]
    assert [fix is not None and fix.safety for fix in fixes] == [Safety.UNSAFE] * written.count
    text = _fix(after)
    assert text != written.text
    assert not _findings(after)
    assert _fix(after) == text


@pytest.mark.parametrize("written", REFUSED, ids=str)
def test_a_width_that_cannot_be_fixed_says_why(written: Written, tmp_path: Path) -> None:
    before, after = _folders(written, tmp_path)
    assert _fix(after) == written.text
    told = {
        (written.text.splitlines()[each.place.row - 1][each.place.column - 1 :], each.message.partition(": ")[2])
        for finding in _findings(before)
        for each in finding.related
        if each.message.startswith("no fix is shown: ")
    }
    assert all(finding.fix is None for finding in _findings(before))
    assert [reason for text, reason in told if written.place in text] == [written.reason], told


@pytest.mark.parametrize("written", SHOWN, ids=str)
def test_a_width_that_other_code_may_depend_on_is_only_shown(written: Written, tmp_path: Path) -> None:
    before, after = _folders(written, tmp_path)
    assert _fix(after) == written.text
    (finding,) = _findings(before)
    assert finding.fix is not None
    assert (finding.fix.safety, finding.fix.reason) == (Safety.DISPLAY, written.reason)


@pytest.mark.mindspore
@on_mindspore
@pytest.mark.parametrize("written", FIXED, ids=str)
def test_run_of_a_width_that_is_fixed(written: Written, mindspore: MindSpore, tmp_path: Path) -> None:
    before, after = _folders(written, tmp_path)
    _fix(after)
    for ran in mindspore.run(before, after):
        assert len(ran.losses) == 12
        assert all(map(math.isfinite, ran.losses))
        assert sum(ran.losses[-4:]) < sum(ran.losses[:4])
