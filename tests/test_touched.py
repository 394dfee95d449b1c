"""Config files and launch scripts that are given by name stand for the programs that read them."""

from __future__ import annotations

from pathlib import Path

import pytest
from front import FIXED, TRAIN, Ran, run
from test_since import BY_CONFIG, BY_OPTION


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project of three programs; two read something."""
    files = {
        "setup.cfg": "",
        "app/train.py": BY_CONFIG,
        "app/config.yaml": "in_background: false\n",
        "app/unread.yaml": "a: 1\n",
        "tool/train.py": BY_OPTION,
        "tool/scripts/run.sh": "python ../train.py --wait 1\n",
        "plain/train.py": TRAIN,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def ran(project: Path, *arguments: str) -> Ran:
    """Run the linter with one rule."""
    return run("--isolated", "--select", "MSP301", "--output-format", "concise", *arguments, cwd=project)


def files(project: Path, *arguments: str) -> list[str]:
    """Return the files of the findings."""
    found = [line.partition(":")[0] for line in ran(project, *arguments).out.splitlines() if ": MSP301 " in line]
    return sorted(set(found))


@pytest.mark.parametrize("cache", [True, False])
def test_a_file_stands_for_the_programs_that_read_it(project: Path, cache: bool) -> None:
    how = ("--cache-dir", str(project.parent / "cache")) if cache else ("--no-cache",)
    for _ in range(2):
        assert files(project, *how, "app/config.yaml") == ["app/train.py"]
        assert files(project, *how, "app/unread.yaml") == []
        assert files(project, *how, "tool/scripts/run.sh") == ["tool/train.py"]
        assert files(project, *how, "app/config.yaml", "plain/train.py") == ["app/train.py", "plain/train.py"]
        assert files(project, *how, "plain/train.py", "app/unread.yaml") == ["plain/train.py"]


def test_exit_codes_and_problems_are_of_what_was_asked_about(project: Path) -> None:
    (project / "plain" / "broken.py").write_text(TRAIN + "x = (\n", encoding="utf-8")
    assert ran(project, "--no-cache", "app/unread.yaml").code == 0
    assert ran(project, "--no-cache", "app/config.yaml").code == 1
    assert ran(project, "--no-cache", "app/config.yaml", "plain/broken.py").code == 2


def test_a_file_that_is_excluded_stands_for_nothing(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.ms-perflint]\nextend-exclude = ['app']\n", encoding="utf-8")
    assert run("--no-cache", "--force-exclude", "app/config.yaml", cwd=project).code == 0


def test_fixes_are_made_in_the_programs_that_read_it(project: Path) -> None:
    (project / "app" / "train.py").write_text(
        TRAIN + "\nimport yaml\nyaml.safe_load(open('config.yaml'))\n", encoding="utf-8"
    )
    assert ran(project, "--no-cache", "--fix", "app/unread.yaml").code == 0
    assert (project / "plain" / "train.py").read_text(encoding="utf-8") == TRAIN
    ran(project, "--no-cache", "--fix", "plain/train.py", "app/unread.yaml")
    assert (project / "plain" / "train.py").read_text(encoding="utf-8") == FIXED
