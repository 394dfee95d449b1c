"""Profiles of the real MindSpore: files of its own writers in all variants, and a training on a CPU."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import front
import pytest
from proofs.proof import on_mindspore
from test_profile import TRAIN

PAGE = Path(__file__).parents[2] / "docs" / "profile.md"
WRITERS = Path(__file__).with_name("profile_writers.py")


def ran(*command: object, cwd: Path, **variables: str) -> None:
    """Run a program of this interpreter to its end."""
    arguments = [sys.executable, *map(str, command)]
    done = subprocess.run(
        arguments, cwd=cwd, env={**os.environ, **variables}, capture_output=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with one profile for each variant, and the program they belong to."""
    folder = tmp_path_factory.mktemp("profiles")
    ran(WRITERS, "written", cwd=folder)
    (folder / "train.py").write_text(TRAIN)
    return folder


VARIANTS = [
    f"{level}-{jit}-{way}" for level in ("Level0", "Level1") for jit in ("O0", "O2") for way in ("schedule", "window")
]


@pytest.mark.mindspore
@on_mindspore
@pytest.mark.parametrize("variant", VARIANTS)
def test_what_the_writers_write_is_read(written: Path, variant: str) -> None:
    """The step takes 800 us in each variant; without a schedule it is the mean of the window."""
    folder = written / "written" / variant
    arguments = ("--isolated", "--no-cache", "--select", "ALL", "--output-format", "json", "--profile", str(folder))
    found = {each["code"]: each["measured"] for each in json.loads(front.run(*arguments, "train.py", cwd=written).out)}
    verdicts = {code: (each["verdict"], each["upper_ms"]) for code, each in found.items()}
    is_whole = variant.startswith("Level1")
    assert verdicts["MSP203"] == ("confirmed", 0.04)
    assert verdicts["MSP201"] == (("confirmed", 0.3) if is_whole else ("not-measurable", None))
    assert verdicts["MSP202"] == (("confirmed", 0.3) if is_whole else ("not-measurable", None))
    expected = ("confirmed", 0.3) if variant.endswith("schedule") else ("not-measurable", None)
    assert verdicts["MSP102"] == expected


@pytest.mark.mindspore
@on_mindspore
def test_a_training_on_a_cpu(tmp_path: Path) -> None:
    """The program of the page, profiled here with its graphs: two casts come out at their lines, the third is gone.

    It casts to the dtype that is there already, and the compiler removes it: only the lines tell.
    """
    program = re.search(r"^```python file=train.py\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert program is not None
    text = program[1]
    (tmp_path / "train.py").write_text(text)
    ran("train.py", cwd=tmp_path, MS_DEV_SAVE_GRAPHS="1", MS_DEV_SAVE_GRAPHS_PATH=str(tmp_path / "graphs"))
    arguments = ("--isolated", "--no-cache", "--select", "ALL", "--profile", "profile")
    by_class = front.run(*arguments, "--output-format", "json", "train.py", cwd=tmp_path)
    by_line = front.run(*arguments, "--output-format", "json", "--ir", "graphs", "train.py", cwd=tmp_path)
    for out, verdict in ((by_class.out, "confirmed"), (by_line.out, "refuted")):
        found = {each["code"]: each["measured"] for each in json.loads(out)}
        assert (found["MSP203"]["verdict"], found["MSP203"]["device"]) == (verdict, "CPU")
    table = front.run(*arguments, "--ir", "graphs", "train.py", cwd=tmp_path).out
    rows = [at for at, line in enumerate(text.splitlines(), start=1) if "ops.cast(" in line]
    assert len(rows) == 3
    for row in (rows[0], rows[2]):
        assert re.search(rf"Net \(.*Cast.*\)  train.py:{row}\b", table), table
