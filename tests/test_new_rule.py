"""`scripts/new_rule.py`: a rule that it begins is green, in a copy of the project, and nothing lists it by hand."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from front import environment

ROOT = Path(__file__).parent.parent
NEEDED = ("benchmarks", "ms_perflint", "rules", "scripts", "tests")
SCRIPT = ("scripts/new_rule.py",)


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of what a rule is written into."""
    folder = tmp_path_factory.mktemp("project")
    skipped = shutil.ignore_patterns("__pycache__", "layouts", "proofs")
    for name in NEEDED:
        shutil.copytree(ROOT / name, folder / name, ignore=skipped)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def ran(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run Python in the copy, on the package that stands there."""
    variables = {**environment(), "PYTHONPATH": str(cwd)}
    return subprocess.run(
        [sys.executable, *arguments], cwd=cwd, env=variables, capture_output=True, text=True, timeout=300, check=False
    )


def test_a_new_rule_is_green(copied: Path) -> None:
    begun = ran(*SCRIPT, "MSP998", "made-by-a-test", cwd=copied)
    assert begun.returncode == 0, begun.stderr
    files = [line.partition(" ")[2] for line in begun.stdout.splitlines() if line.startswith("wrote ")]
    assert len(files) == 3
    tests = ("tests/test_rules.py", "tests/checks/test_msp998.py", "tests/test_chinese_pages.py")
    done = ran("-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "MSP998 or msp998 or is_there", *tests, cwd=copied)
    assert done.returncode == 0, done.stdout
    listed = ran("-m", "ms_perflint", "rule", cwd=copied)
    assert "MSP998  made-by-a-test" in listed.stdout
    off = ran("-c", "from ms_perflint.codes import previews; print(previews())", cwd=copied)
    assert "MSP998" in off.stdout


IMPORTS = """\
from __future__ import annotations

import libcst as cst

from ms_perflint.check import Check
from ms_perflint.core.findings import Safety
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import pipelines, training

"""
BATCHED = """\
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn

net = nn.Dense(64, 10)
model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
model.train(1, ds.MindDataset("a.mindrecord").batch(32).shuffle(10))
"""


def test_the_check_in_the_docs_works(copied: Path) -> None:
    page = (ROOT / "docs" / "writing-rules.md").read_text(encoding="utf-8")
    example = page.split("```python\n")[1].split("```")[0].replace("MSP406", "MSP994")
    path = copied / "ms_perflint" / "checks" / "msp994_shuffle_after_batch.py"
    path.write_text(IMPORTS + example, encoding="utf-8")
    try:
        asked = ("-m", "ms_perflint", "--isolated", "--no-cache", "--select", "MSP994", "--output-format", "concise")
        for text, count in ((BATCHED, 1), (BATCHED.replace(".batch(32).shuffle(10)", ".shuffle(10).batch(32)"), 0)):
            (copied / "shuffled.py").write_text(text, encoding="utf-8")
            assert ran(*asked, "shuffled.py", cwd=copied).stdout.count("MSP994 ") == count
    finally:
        path.unlink()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("MSP301", "another-name"), "is there already"),
        (("MSP997", "synchronous-checkpoint"), "is there already"),
        (("E501", "long-line"), "a code is MSP and three digits"),
        (("MSP996", "Long"), "a name is words in small letters"),
        (("MSP996",), "needs a code and a name"),
    ],
)
def test_what_is_refused(copied: Path, arguments: tuple[str, ...], said: str) -> None:
    refused = ran(*SCRIPT, *arguments, cwd=copied)
    assert (refused.returncode, said in refused.stderr) == (2, True)
