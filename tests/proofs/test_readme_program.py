"""The program that the README and docs/program.md show runs on a real MindSpore, before and after its fixes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from page_programs import DATA, on_cpu
from proofs.proof import MindSpore, on_mindspore

from ms_perflint.cli import main

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = re.compile(r"^```python file=train\.py\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = ("README.md", "README.zh-CN.md", "docs/program.md", "docs/zh/program.md")


def _program(page: str) -> str:
    (text,) = PROGRAM.findall((ROOT / page).read_text(encoding="utf-8"))
    return str(text)


def test_each_page_shows_the_same_program() -> None:
    assert len({_program(page) for page in PAGES}) == 1


@pytest.mark.mindspore
@on_mindspore
def test_readme_program_runs_before_and_after_its_fixes(mindspore: MindSpore, tmp_path: Path) -> None:
    data, before, after = (tmp_path / name for name in ("data", "before", "after"))
    text = DATA.read_text(encoding="utf-8").replace('"mnist', '"mnist/train')
    shown = _program("README.md").replace("=1875", "=5")  # so that it saves, in the folder of the fork
    shown = shown.replace('ModelCheckpoint("mnist", ', 'ModelCheckpoint("mnist", ".", ')
    for folder, program in ((data, text), (before, shown), (after, shown)):
        folder.mkdir()
        (folder / "train.py").write_text(program, encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["check", "--isolated", "--fix", "--unsafe-fixes", "--no-interactive", "--jobs", "1", str(after)])
    fixed = (after / "train.py").read_text(encoding="utf-8")
    assert 'amp_level="O2"' in fixed and "async_save=True" in fixed
    (after / "train.py").write_text(on_cpu(fixed), encoding="utf-8")
    mindspore.run(data)
    for folder in (before, after):
        (folder / "mnist").symlink_to(data / "mnist")
    slow = mindspore.run(before)[0]
    fast = mindspore.run(after)[0]
    assert len(slow.losses) == len(fast.losses) == 20  # ten epochs of 64 images
    assert slow.files and slow.files.keys() == fast.files.keys()
