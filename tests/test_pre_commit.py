"""The two hooks, as pre-commit installs and runs them on a repository."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from front import FIXED, TRAIN, environment

ROOT = Path(__file__).parent.parent

pytest.importorskip("pre_commit")


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="pre-commit takes hooks from a repository")
def test_one_hook_reports_and_the_other_mends(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / "train.py").write_text(TRAIN, encoding="utf-8")
    (repository / "notebook.ipynb").write_text("{}", encoding="utf-8")
    (repository / "pyproject.toml").write_text("[tool.ms-perflint]\nselect = ['MSP301']\n", encoding="utf-8")
    env = {**environment(), "PRE_COMMIT_HOME": str(tmp_path / "home"), "PRE_COMMIT_COLOR": "never"}
    env = {key: value for key, value in env.items() if not key.startswith("GIT_")}
    for command in ["git", "init", "-q"], ["git", "add", "."]:
        subprocess.run(command, cwd=repository, env=env, check=True)
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "try-repo", os.fspath(ROOT), "--all-files"],
        cwd=repository,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    first, second = done.stdout.split("- hook id: ms-perflint-fix")
    assert "- hook id: ms-perflint\n- exit code: 1\n\ntrain.py:8:14: MSP301 [*]" in first
    assert "files were modified" not in first
    assert "files were modified by this hook\n\nFixed train.py: MSP301\n" in second
    assert (repository / "train.py").read_text(encoding="utf-8") == FIXED
