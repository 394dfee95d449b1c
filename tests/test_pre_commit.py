"""The two hooks, as pre-commit installs and runs them on a repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from front import FIXED, TRAIN, Ran, environment
from test_since import BY_CONFIG, BY_OPTION

ROOT = Path(__file__).parent.parent
SETTINGS = "[tool.ms-perflint]\nselect = ['MSP301']\n"
RECIPE = re.search(r"^```yaml\n(repos:.*?)^```$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
BOTH = "      - id: ms-perflint\n"

pytest.importorskip("pre_commit")
pytestmark = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="pre-commit takes hooks from a repository")


def in_(directory: Path, *command: str, home: Path | None = None) -> Ran:
    """Run a command with nothing of this machine's git settings; `home` is where pre-commit keeps what it installs."""
    steering = ("GIT_", "PRE_COMMIT", "PYTHONPATH")  # what runs is what pre-commit has installed
    env = {key: value for key, value in environment().items() if not key.startswith(steering)}
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


def recipe(hooks: Path, more: str = "") -> str:
    """Return the configuration that the README shows, for the hooks of this repository."""
    assert RECIPE is not None
    text = re.sub(r"(?<=- repo: )\S+", str(hooks), RECIPE[1])
    return re.sub(r"(?<=rev: )\S+", sure(hooks, "git", "rev-parse", "HEAD"), text) + more


NOTEBOOK = '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}\n'


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where pre-commit keeps what it installs, once for all tests."""
    return tmp_path_factory.mktemp("home")


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
    (repository / "notebook.ipynb").write_text(NOTEBOOK, encoding="utf-8")
    sure(repository, "git", "add", ".")
    tried = in_(repository, sys.executable, "-m", "pre_commit", "try-repo", str(hooks), "--all-files")
    assert tried.code == 1, tried.out
    first, second = tried.out.split("- hook id: ms-perflint-fix")
    assert "- hook id: ms-perflint\n- exit code: 1\n\ntrain.py:8:14: MSP301 [*]" in first
    assert "files were modified" not in first
    assert "files were modified by this hook\n\nFixed train.py: MSP301\n" in second
    assert (repository / "train.py").read_text(encoding="utf-8") == FIXED


def committing(repository: Path, config: str, home: Path) -> Callable[..., Ran]:
    """Return what commits files by their names, with the hooks in place; nothing is left that is not committed."""
    (repository / ".pre-commit-config.yaml").write_text(config, encoding="utf-8")
    sure(repository, sys.executable, "-m", "pre_commit", "install", home=home)

    def commit(**files: str) -> Ran:
        for name, text in files.items():
            path = repository.joinpath(*name.replace("_", ".").split(".."))
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        sure(repository, "git", "add", ".")
        return in_(repository, "git", "commit", "-m", "more", home=home)

    return commit


def test_commits_as_the_readme_says(repository: Path, hooks: Path, home: Path) -> None:
    commit = committing(repository, recipe(hooks), home)
    nothing = commit(README_md="words\n")
    assert nothing.code == 0, nothing.out
    notebook = commit(notes_ipynb=NOTEBOOK)
    assert notebook.code == 0, notebook.out
    assert notebook.out.count("Passed") == 1

    fixed = commit(train_py=TRAIN)
    assert fixed.code == 1, fixed.out
    assert "files were modified by this hook" in fixed.out
    assert (repository / "train.py").read_text(encoding="utf-8") == FIXED
    again = commit()
    assert again.code == 0, again.out
    assert again.out.count("Passed") == 1

    left = commit(late_py=TRAIN, pyproject_toml=f'{SETTINGS}mindspore-version = "1.10"\n')
    assert left.code == 1, left.out
    assert "files were modified" not in left.out
    assert left.out.count("late.py:8:14: MSP301 ") == 1  # not safe below 2.0; told once


def test_a_commit_of_a_config_file_or_a_launch_script(repository: Path, hooks: Path, home: Path) -> None:
    commit = committing(repository, recipe(hooks), home)
    fast = commit(app__train_py=BY_CONFIG, app__config_yaml="in_background: true\n", other__x_yaml="a: 1\n")
    assert fast.code == 0, fast.out
    assert commit(other__x_yaml="a: 2\n").code == 0
    assert commit(_github__x_yaml="a: 2\n").code == 0
    slow = commit(app__config_yaml="in_background: false\n")
    assert slow.code == 1, slow.out
    assert slow.out.count("app/train.py:8:14: MSP301 ") == 1

    fast = commit(app__train_py=BY_OPTION, app__run_sh="python train.py --wait 0\n")
    assert fast.code == 0, fast.out
    slow = commit(app__run_sh="python train.py --wait 1\n")
    assert slow.code == 1, slow.out
    assert slow.out.count("app/train.py:9:14: MSP301 ") == 1


def test_a_hook_that_looks_at_what_is_staged(repository: Path, hooks: Path, home: Path) -> None:
    hook = "        args: [--since, HEAD, --staged, .]\n        pass_filenames: false\n"
    config = recipe(hooks).replace("ms-perflint-fix ", "ms-perflint ") + hook
    assert commit_first(repository, old_py=TRAIN)
    commit = committing(repository, config, home)
    moved = commit(old_py="# a line more\n" + TRAIN)
    assert moved.code == 0, moved.out
    slow = commit(new_py=TRAIN)
    assert slow.code == 1, slow.out
    assert slow.out.count("MSP301") == slow.out.count("new.py:8:14: MSP301") == 1
    sure(repository, "git", "reset", "-q")  # not known to git: no part of the commit
    sure(repository, "git", "commit", "-q", "--allow-empty", "-m", "more", home=home)


def commit_first(repository: Path, **files: str) -> str:
    """Commit files where there are no hooks yet."""
    for name, text in files.items():
        (repository / name.replace("_", ".")).write_text(text, encoding="utf-8")
    sure(repository, "git", "add", ".")
    return sure(repository, "git", "commit", "-m", "first")


NAMES = ("-dash.py", "--help.py", "-.py", "--fix.py", "--exit-zero=.py", "a b.py", "new\nline.py", "sub/-dash.py")


def test_names_that_look_like_options(repository: Path, hooks: Path, home: Path) -> None:
    config = recipe(hooks, BOTH + "        args: [--no-cache, --select, MSP301]\n")
    (repository / ".pre-commit-config.yaml").write_text(config, encoding="utf-8")
    (repository / "sub").mkdir()
    for name in NAMES:
        (repository / name).write_text(TRAIN, encoding="utf-8")
    sure(repository, "git", "add", ".")
    ran = in_(repository, sys.executable, "-m", "pre_commit", "run", "--all-files", home=home)
    assert ran.code == 1, ran.out
    assert [(repository / name).read_text(encoding="utf-8") for name in NAMES] == [FIXED] * len(NAMES)
    sure(repository, "git", "add", ".")
    again = in_(repository, sys.executable, "-m", "pre_commit", "run", "--all-files", home=home)
    assert again.out.count("Passed") == 2, again.out
