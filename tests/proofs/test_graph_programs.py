"""Programs as people write them, before and after `--fix --unsafe-fixes`: they train the same, or are left alone.

Those that are left alone are changed as the display-only fix shows, and run: graph mode fails, or trains differently,
or compiles in every step, as their obstacle says.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from proofs.graph_programs import BLOCKED, READY, Written
from proofs.proof import MindSpore, on_mindspore, tolerance, version

from ms_perflint.cli import main
from ms_perflint.config.settings import Config
from ms_perflint.core.findings import Finding, Safety
from ms_perflint.core.source import Source
from ms_perflint.engine import lint
from ms_perflint.mindspore_api import parse_version

CODE = "MSP101"


def _folders(written: Written, folder: Path) -> tuple[Path, Path]:
    """Return the folders of a program as it is, and fixed: by `--fix`, or by hand where its fix is only shown."""
    before, after = folder / "before", folder / "after"
    for each in (before, after):
        each.mkdir(parents=True)
        (each / "train.py").write_text(written.text, encoding="utf-8")
    options = ["--select", CODE, "--device", "Ascend", "--jobs", "1", "--no-interactive"]
    with pytest.raises(SystemExit):
        main(["check", "--isolated", "--fix", "--unsafe-fixes", *options, str(after)])
    return before, after


def _finding(folder: Path) -> Finding:
    config = Config(root=str(folder), select=(CODE,), device="Ascend")
    (finding,) = lint([str(folder / "train.py")], config).findings
    assert finding.fix is not None
    return finding


def _by_hand(folder: Path) -> None:
    """Make the fix that is only shown."""
    finding = _finding(folder)
    assert finding.fix is not None
    path = folder / "train.py"
    path.write_bytes(Source(str(path), path.read_bytes()).spliced(list(finding.fix.edits)))


@pytest.mark.parametrize("written", READY, ids=str)
def test_a_program_that_is_ready_is_fixed(written: Written, tmp_path: Path) -> None:
    before, after = _folders(written, tmp_path)
    finding = _finding(before)
    assert finding.fix is not None
    assert (finding.fix.safety, [each.message for each in finding.related if "every step" not in each.message]) == (
        Safety.UNSAFE,
        [each.message for each in finding.related if "jit" in each.message],
    )
    assert "PYNATIVE" not in (after / "train.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("written", BLOCKED, ids=str)
def test_a_program_with_an_obstacle_is_left_alone(written: Written, tmp_path: Path) -> None:
    before, after = _folders(written, tmp_path)
    assert (after / "train.py").read_text(encoding="utf-8") == written.text
    finding = _finding(before)
    assert finding.fix is not None
    assert finding.fix.safety is Safety.DISPLAY
    assert finding.fix.reason


def _skip_older() -> None:
    if parse_version(version()) < (2, 7):
        pytest.skip("the obstacles are those of newer versions")


@pytest.mark.mindspore
@on_mindspore
@pytest.mark.parametrize("written", READY, ids=str)
def test_run_of_a_program_that_is_ready(written: Written, mindspore: MindSpore, tmp_path: Path) -> None:
    _skip_older()
    first, second = mindspore.run(*_folders(written, tmp_path))
    assert len(first.losses) == 12
    assert second.losses == pytest.approx(first.losses, rel=tolerance(CODE))


@pytest.mark.mindspore
@on_mindspore
@pytest.mark.parametrize("written", BLOCKED, ids=str)
def test_run_of_a_program_with_an_obstacle(written: Written, mindspore: MindSpore, tmp_path: Path) -> None:
    _skip_older()
    before, after = _folders(written, tmp_path)
    _by_hand(after)
    errors = mindspore.errors(before, after)
    assert not errors[0]
    if written.becomes == "fails":
        assert errors[1]
        return
    first, second = mindspore.run(before, after)
    is_same = second.losses == pytest.approx(first.losses, rel=tolerance(CODE))
    assert is_same is (written.becomes == "slower")
