"""What a run answers without a look into the files, and what it loads for that."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ms_perflint.cache.cache import Memory
from ms_perflint.core.files import Disk
from ms_perflint.linting.prefilter import answered

PRINT = """
import sys
from ms_perflint import cli
try:
    cli.main()
finally:
    print(*sys.modules, file=sys.stderr)
"""
MARKED = "import mindspore as ms\n\nprint(ms.Tensor([1.0]))\n"
COUNT = """
import re, sys
from ms_perflint import cli
try:
    cli.main()
finally:
    own = [module for name, module in sys.modules.items() if name.startswith("ms_perflint.")]
    made = [value for module in own for value in vars(module).values()]
    records = {value for value in made if isinstance(value, type) and "__dataclass_params__" in vars(value)}
    patterns = {value for value in made if isinstance(value, re.Pattern)}
    print(len(own), len(records), len(patterns), file=sys.stderr)
"""
HEAVY = [
    "configparser",
    "dataclasses",
    "difflib",
    "email",
    "importlib.metadata",
    "libcst",
    "pathspec",
    "tomllib",
    "yaml",
]
OWN = 44  # modules of this package that answer without the engine
LATE = ("json", "shutil", "struct", "ms_perflint.edits.")  # names of MindSpore, progress, casts of numbers, fixes
# Of a run over one clean file, which people wait for: its modules of this package, and in them the dataclasses and the
# compiled patterns, which take longer to make than all the rest. Named tuples and the texts of patterns do not.
ENGINE = (258, 0, 9)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a folder with a file of each kind."""
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    (folder / "plain.py").write_text("print(1)\n")
    (folder / "marked.py").write_text(MARKED)
    return folder


def loaded(folder: Path, *arguments: str, program: str = PRINT) -> list[str]:
    """Return the modules that a run has loaded when it ends, or what else a program prints of it."""
    settings = {**os.environ, "MS_PERFLINT_CACHE_DIR": str(folder.parent / "cache")}
    run = subprocess.run(
        [sys.executable, "-c", program, "--isolated", *arguments],
        cwd=folder, env=settings, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert run.stdout.startswith("No findings in ") and run.returncode == 0, run.stderr
    return run.stderr.split()


def heavy(modules: list[str]) -> list[str]:
    """Return what was loaded of that which looks into files."""
    own = [name for name in modules if name.partition(".")[0] == "ms_perflint"]
    assert own
    return [*(own if len(own) > OWN else ()), *(name for name in HEAVY if name in modules)]


def test_a_file_without_the_mark_takes_no_engine(project: Path) -> None:
    assert heavy(loaded(project, "--no-cache", "plain.py")) == []
    assert heavy(loaded(project, "--no-cache", "marked.py"))


def test_a_clean_file_takes_little_besides_the_engine(project: Path) -> None:
    modules = loaded(project, "--no-cache", "marked.py")
    assert [name for name in modules if name in HEAVY or name.startswith(LATE)] == []
    counts = loaded(project, "--no-cache", "marked.py", program=COUNT)
    assert all(int(count) <= most for count, most in zip(counts, ENGINE)), counts


def test_files_that_are_known_take_no_engine(project: Path) -> None:
    assert heavy(loaded(project, "."))
    assert heavy(loaded(project, ".")) == []
    with (project / "marked.py").open("a") as file:
        file.write("\n")
    assert heavy(loaded(project, "."))


def test_what_cannot_be_read_is_left_to_the_engine(project: Path) -> None:
    gone = str(project / "gone.py")
    assert answered([gone], Disk()) is None
    assert answered([gone], Disk(), Memory()) is None


def test_nothing_to_look_at_is_answered() -> None:
    report = answered([], Disk())
    assert report is not None and report.files == ()
