"""The two hooks, as pre-commit installs and runs them on a repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from front import FIXED, TRAIN, Ran, environment

ROOT = Path(__file__).parent.parent
SETTINGS = "[tool.ms-perflint]\nselect = ['MSP301']\n"
FIX_FIRST = """\
repos:
  - repo: {hooks}
    rev: {revision}
    hooks:
      - id: ms-perflint-fix
      - id: ms-perflint
"""

pytest.importorskip("pre_commit")
pytestmark = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="pre-commit takes hooks from a repository")


def in_(directory: Path, *command: str, home: Path | None = None) -> Ran:
    """Run a command with nothing of this machine's git settings; `home` is where pre-commit keeps what it installs."""
    env = {key: value for key, value in environment().items() if not key.startswith(("GIT_", "PRE_COMMIT"))}
    env |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "PRE_COMMIT_COLOR": "never"}
    for role in "AUTHOR", "COMMITTER":
        env |= {f"GIT_{role}_NAME": "somebody", f"GIT_{role}_EMAIL": "somebody@localhost"}
    done = subprocess.run(
        command,
        cwd=directory,
        env={**env, **({"PRE_COMMIT_HOME": str(home)} if home else {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=300,
        check=False,
    )
    shown = done.stdout.decode("utf-8")
    if "No matching distribution found" in shown:
        pytest.skip("pip finds no packages to install the hooks with")
    return Ran(done.returncode, shown, "")


def sure(directory: Path, *command: str, home: Path | None = None) -> str:
    """Run a command that has to succeed and return what it prints."""
    ran = in_(directory, *command, home=home)
    assert ran.code == 0, ran.out
    return ran.out.strip()


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return this repository as it is now, committed: pre-commit takes no changes that are not."""
    copy = tmp_path_factory.mktemp("hooks")
    for name in sure(ROOT, "git", "ls-files", "-z", "--cached").rstrip("\0").split("\0"):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    sure(copy, "git", "init", "-q")
    sure(copy, "git", "add", "--force", ".")
    sure(copy, "git", "commit", "-q", "-m", "all")
    return copy


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository that uses one rule, with nothing committed."""
    root = tmp_path / "repository"
    root.mkdir()
    (root / "pyproject.toml").write_text(SETTINGS, encoding="utf-8")
    sure(root, "git", "init", "-q")
    return root


def test_one_hook_reports_and_the_other_mends(repository: Path, hooks: Path) -> None:
    (repository / "train.py").write_text(TRAIN, encoding="utf-8")
    (repository / "notebook.ipynb").write_text("{}", encoding="utf-8")
    sure(repository, "git", "add", ".")
    tried = in_(repository, sys.executable, "-m", "pre_commit", "try-repo", str(hooks), "--all-files")
    assert tried.code == 1, tried.out
    first, second = tried.out.split("- hook id: ms-perflint-fix")
    assert "- hook id: ms-perflint\n- exit code: 1\n\ntrain.py:8:14: MSP301 [*]" in first
    assert "files were modified" not in first
    assert "files were modified by this hook\n\nFixed train.py: MSP301\n" in second
    assert (repository / "train.py").read_text(encoding="utf-8") == FIXED


def test_commits(repository: Path, hooks: Path, tmp_path: Path) -> None:
    revision = sure(hooks, "git", "rev-parse", "HEAD")
    config = FIX_FIRST.format(hooks=hooks, revision=revision)
    (repository / ".pre-commit-config.yaml").write_text(config, encoding="utf-8")
    home = tmp_path / "home"
    sure(repository, sys.executable, "-m", "pre_commit", "install", home=home)

    def commit(**files: str) -> Ran:
        for name, text in files.items():
            (repository / name.replace("_", ".")).write_text(text, encoding="utf-8")
        sure(repository, "git", "add", ".")
        return in_(repository, "git", "commit", "-m", "more", home=home)

    nothing = commit(README_md="words\n")
    assert nothing.code == 0, nothing.out
    assert nothing.out.count("(no files to check)Skipped") == 2

    notebook = commit(notes_ipynb="{}")
    assert notebook.code == 0, notebook.out
    assert notebook.out.count("Passed") == 2

    mended = commit(train_py=TRAIN)
    assert mended.code == 1, mended.out
    assert "files were modified by this hook" in mended.out
    assert (repository / "train.py").read_text(encoding="utf-8") == FIXED
    again = commit()
    assert again.code == 0, again.out
    assert again.out.count("Passed") == 2

    left = commit(late_py=TRAIN, pyproject_toml=f'{SETTINGS}mindspore-version = "1.10"\n')
    assert left.code == 1, left.out
    assert "files were modified" not in left.out
    assert left.out.count("late.py:8:14: MSP301 ") == 2  # not safe below 2.0: both hooks report it
    assert sure(repository, "git", "rev-list", "--count", "HEAD") == "3"


NAMES = ("-dash.py", "--help.py", "-.py", "--fix.py", "--exit-zero=.py", "a b.py", "new\nline.py", "sub/-dash.py")


def test_names_that_look_like_options(repository: Path, hooks: Path, tmp_path: Path) -> None:
    revision = sure(hooks, "git", "rev-parse", "HEAD")
    config = FIX_FIRST.format(hooks=hooks, revision=revision) + "        args: [--no-cache, --select, MSP301]\n"
    (repository / ".pre-commit-config.yaml").write_text(config, encoding="utf-8")
    (repository / "sub").mkdir()
    for name in NAMES:
        (repository / name).write_text(TRAIN, encoding="utf-8")
    sure(repository, "git", "add", ".")
    home = tmp_path / "home"
    ran = in_(repository, sys.executable, "-m", "pre_commit", "run", "--all-files", home=home)
    assert ran.code == 1, ran.out
    assert [(repository / name).read_text(encoding="utf-8") for name in NAMES] == [FIXED] * len(NAMES)
    sure(repository, "git", "add", ".")
    again = in_(repository, sys.executable, "-m", "pre_commit", "run", "--all-files", home=home)
    assert again.out.count("Passed") == 2, again.out
