"""`--since REV`: only what a change makes worse, in real git repositories."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from front import FIXED, TRAIN, Ran, environment, run
from test_unjudged import BROKEN, SCRIPT

from ms_perflint.linting import linter

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
SLOW = TRAIN  # one finding among the rules that are on
SETTINGS = "[tool.ms-perflint]\nselect = ['MSP301', 'MSP901']\n"
BY_CONFIG = """\
import mindspore as ms
import yaml
from mindspore import nn
from mindspore.train import CheckpointConfig, Model, ModelCheckpoint

with open("config.yaml") as file:
    settings = yaml.safe_load(file)
checkpoint = CheckpointConfig(save_checkpoint_steps=100, async_save=settings["in_background"])
model = Model(nn.Dense(16, 16), nn.MSELoss(), nn.SGD([]))
model.train(10, None, callbacks=[ModelCheckpoint("net", config=checkpoint)])
"""
BY_OPTION = BY_CONFIG.replace(
    """import yaml
from mindspore import nn""",
    """import argparse
from mindspore import nn""",
).replace(
    """with open("config.yaml") as file:
    settings = yaml.safe_load(file)
""",
    """parser = argparse.ArgumentParser()
parser.add_argument("--wait", type=int, default=0)
settings = {"in_background": not parser.parse_args().wait}
""",
)


class Repository:
    """A git repository in a folder, with nothing of this machine's settings."""

    def __init__(self, root: Path, is_new: bool = True) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        if is_new:
            self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        """Run a git command that has to succeed and return what it prints."""
        env = {key: value for key, value in environment().items() if not key.startswith("GIT_")}
        env |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_ALLOW_PROTOCOL": "file"}
        for role in "AUTHOR", "COMMITTER":
            env |= {f"GIT_{role}_NAME": "somebody", f"GIT_{role}_EMAIL": "somebody@localhost"}
        done = subprocess.run(["git", *arguments], cwd=self.root, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def write(self, **files: str | bytes | None) -> None:
        """Write files, or delete those that are None: `src__a_py` is src/a.py."""
        for name, text in files.items():
            path = self.path(name)
            if text is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def path(self, name: str) -> Path:
        """Return the path of `src__a_py`."""
        stem, _, end = name.rpartition("_")
        return self.root.joinpath(*f"{stem}.{end}".split("__"))

    def commit(self, **files: str | bytes | None) -> str:
        """Write files, commit all that is there, and return the commit."""
        self.write(**files)
        self.git("add", "--all")
        self.git("commit", "-q", "--allow-empty", "-m", "more")
        return self.git("rev-parse", "HEAD").strip()

    def run(self, *arguments: str, cwd: Path | None = None) -> Ran:
        """Run the linter here, which must write nothing that git sees."""
        before = self.git("status", "--porcelain=v2", "--untracked-files=all")
        ran = run("--no-cache", *arguments, cwd=cwd or self.root, env={"GIT_CONFIG_GLOBAL": os.devnull})
        if "--fix" not in arguments:
            assert self.git("status", "--porcelain=v2", "--untracked-files=all") == before
        return ran

    def since(self, revision: str, *arguments: str) -> list[tuple[str, int, str]]:
        """Return file, row and rule of what is reported."""
        ran = self.run("--since", revision, "--output-format", "json", *(arguments or (".",)))
        assert ran.code in (0, 1), ran.err
        return [
            (Path(each["filename"]).relative_to(self.root).as_posix(), each["location"]["row"], each["code"])
            for each in json.loads(ran.out)
        ]


@pytest.fixture
def here(tmp_path: Path) -> Repository:
    """Return a repository with a slow program in it."""
    made = Repository(tmp_path / "here")
    made.commit(pyproject_toml=SETTINGS, train_py=SLOW)
    return made


# --- what is worse


def test_what_was_there_before_is_not_reported(here: Repository) -> None:
    assert here.since("HEAD") == []
    here.write(train_py="# a line more\n" + SLOW)
    assert here.since("HEAD") == []
    here.write(new_py=SLOW)
    assert here.since("HEAD") == [("new.py", 8, "MSP301")]
    here.commit()
    assert here.since("HEAD") == []
    assert here.since("HEAD~1") == [("new.py", 8, "MSP301")]
    ran = here.run("--since", "HEAD~1", ".")
    assert (ran.code, ran.out.splitlines()[-1]) == (1, "1 more was there before the change.")
    assert here.run("--since", "HEAD", ".").out == "No findings: nothing changed since HEAD.\n"


def test_a_finding_more_of_the_same_kind_is_new(here: Repository) -> None:
    again = "\n\ndef again(net, loss, dataset):\n" + SLOW[SLOW.index("    model") : SLOW.index("\n\ntrain")]
    here.write(train_py=SLOW + again)
    assert here.since("HEAD") == [("train.py", 17, "MSP301")]


def test_a_statement_that_is_edited_and_as_slow_as_before_is_not_worse(here: Repository) -> None:
    here.write(train_py=SLOW.replace("steps=100", "steps=200"))
    assert here.since("HEAD") == []
    here.write(train_py=FIXED)
    here.commit()
    here.write(train_py=SLOW)
    assert here.since("HEAD") == [("train.py", 8, "MSP301")]


LONG = SLOW.replace("save_checkpoint_steps=100", "\n        save_checkpoint_steps=100,\n    ")


@pytest.mark.parametrize(
    ("was", "is_now"),
    [
        ("=100,", "=200,"),
        ("=100,", "=100,\n        keep_checkpoint_max=3,"),
        ("\n        save_checkpoint_steps=100,\n    ", "save_checkpoint_steps=200"),
        ("save_checkpoint_steps=100", "keep_checkpoint_max=3"),
    ],
)
@pytest.mark.parametrize("name", ["train_py", "fit_py"])
def test_a_statement_of_several_lines_that_is_edited_and_as_slow_as_before(
    here: Repository, was: str, is_now: str, name: str
) -> None:
    here.commit(train_py=LONG)
    if name != "train_py":
        here.git("mv", "train.py", here.path(name).name)
    here.write(**{name: LONG.replace(was, is_now)})
    assert here.since("HEAD") == []


def test_a_statement_of_several_lines_that_gets_slow(here: Repository) -> None:
    here.commit(train_py=LONG.replace("=100,", "=100,\n        async_save=True,"))
    here.write(train_py=LONG)
    assert here.since("HEAD") == [("train.py", 8, "MSP301")]


def test_one_is_mended_and_another_one_made_elsewhere(here: Repository) -> None:
    other = SLOW[SLOW.index("def train") :].replace("def train", "def again").replace("train(None", "again(None")
    other = other.replace("=100)", "=300)")
    here.commit(train_py=SLOW + "\n\nprint('a')\nprint('b')\n\n\n" + other.replace("=300)", "=300, async_save=True)"))
    assert here.since("HEAD") == []
    here.write(train_py=FIXED + "\n\nprint('a')\nprint('b')\n\n\n" + other)
    assert [each[1] for each in here.since("HEAD")] == [21]


def test_a_yaml_file_that_makes_a_program_slower_is_reported_at_the_program(here: Repository) -> None:
    here.commit(app__train_py=BY_CONFIG, app__config_yaml="in_background: true\n")
    here.write(app__config_yaml="in_background: false\n")
    assert here.since("HEAD") == [("app/train.py", 8, "MSP301")]
    here.commit()
    assert here.since("HEAD") == []
    assert here.since("HEAD~1", "app/train.py") == [("app/train.py", 8, "MSP301")]
    assert here.since("HEAD~1", "train.py") == []


def test_a_launch_script_that_makes_a_program_slower_is_reported_at_the_program(here: Repository) -> None:
    here.commit(app__train_py=BY_OPTION, app__run_sh="python train.py --wait 0\n")
    here.write(app__run_sh="python train.py --wait 1\n")
    assert here.since("HEAD") == [("app/train.py", 9, "MSP301")]


def test_a_module_that_makes_a_program_slower(here: Repository) -> None:
    importing = BY_CONFIG.replace("import yaml\n", "from src.config import settings\n").replace(
        'with open("config.yaml") as file:\n    settings = yaml.safe_load(file)\n', ""
    )
    here.commit(app__train_py=importing, app__src__config_py="settings = {'in_background': True}\n")
    here.write(app__src__config_py="settings = {'in_background': False}\n")
    assert [each[::2] for each in here.since("HEAD")] == [("app/train.py", "MSP301")]


def test_notebooks(here: Repository) -> None:
    def notebook(text: str) -> str:
        cell = {"cell_type": "code", "execution_count": None, "id": "a", "metadata": {}, "outputs": [], "source": text}
        return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)

    here.commit(notes_ipynb=notebook(FIXED))
    here.write(notes_ipynb=notebook("a = 1\n" + SLOW))
    assert [each[::2] for each in here.since("HEAD")] == [("notes.ipynb", "MSP301")]
    here.commit()
    here.write(notes_ipynb=notebook("a = 1\nb = 2\n" + SLOW))
    assert here.since("HEAD") == []


def test_a_comment_that_hid_a_finding_and_is_gone(here: Repository) -> None:
    here.commit(train_py=SLOW.replace("steps=100)", "steps=100)  # noqa: MSP301"))
    here.write(train_py=SLOW)
    assert here.since("HEAD") == [("train.py", 8, "MSP301")]


def test_renamed_files_and_those_that_go(here: Repository) -> None:
    here.git("mv", "train.py", "main.py")
    assert here.since("HEAD") == []
    here.git("mv", "main.py", "run.py")
    here.write(run_py="# moved\n" + SLOW)
    assert here.since("HEAD") == []
    here.commit(other_py=SLOW.replace("100", "300"), run_py=None)
    assert here.since("HEAD~1") == []


def test_a_program_whose_module_was_renamed_and_changed(here: Repository) -> None:
    module = "\n".join(f"option_{number} = {number}" for number in range(20))
    importing = BY_CONFIG.replace("import yaml\n", "from src.config import settings\n").replace(
        'with open("config.yaml") as file:\n    settings = yaml.safe_load(file)\n', ""
    )
    here.commit(train_py=importing, src__config_py=f"{module}\nsettings = {{'in_background': True}}\n")
    here.git("mv", "src/config.py", "src/settings.py")
    here.write(
        train_py=importing.replace("src.config", "src.settings"),
        src__settings_py=f"{module}\nsettings = {{'in_background': False}}\n",
    )
    assert [each[::2] for each in here.since("HEAD")] == [("train.py", "MSP301")]


def test_files_that_git_ignores_are_the_same_before_and_after(here: Repository) -> None:
    here.commit(train_py=BY_CONFIG, _gitignore="config.yaml\n", config_yaml="in_background: false\n")
    assert here.git("ls-files") == ".gitignore\npyproject.toml\ntrain.py\n"
    here.write(more_py="a = 1\n")
    assert here.since("HEAD") == []


def test_files_that_are_not_tracked_are_new(here: Repository) -> None:
    here.commit(train_py=BY_CONFIG)
    assert here.since("HEAD") == []
    here.write(config_yaml="in_background: false\n")
    assert here.since("HEAD") == [("train.py", 8, "MSP301")]


def test_a_folder_that_is_new_was_not_there(here: Repository) -> None:
    here.commit(train_py=SLOW.replace("import mindspore as ms\n", "import mindspore as ms\nfrom pkg.a import b\n"))
    here.write(pkg__a_py="b = 1\n", pkg__deep__c_py="d = 1\n")
    (here.root / "pkg" / "__pycache__").mkdir()
    assert here.since("HEAD") == []


def test_rules_of_now_judge_both_states(here: Repository) -> None:
    here.commit(pyproject_toml="[tool.ms-perflint]\nselect = ['MSP101']\n", train_py=SLOW)
    here.write(pyproject_toml=SETTINGS)
    assert here.since("HEAD") == []


def test_a_baseline_goes_with_it(here: Repository) -> None:
    assert run("--no-cache", "--write-baseline", "--baseline", "known.json", ".", cwd=here.root).code == 0
    here.commit()
    here.write(new_py=SLOW)
    found = here.since("HEAD", "--baseline", "known.json", ".")
    assert found == [("new.py", 8, "MSP301")]
    assert here.since("HEAD~1", "--baseline", "known.json", ".") == found


def test_problems_of_files_that_did_not_change_are_not_told(here: Repository) -> None:
    here.commit(broken_py=SLOW + "x = (\n")
    here.write(new_py="import mindspore as ms\n")
    ran = here.run("--since", "HEAD", ".")
    assert (ran.code, ran.err) == (0, "")
    here.write(broken_py=SLOW + "x = ((\n")
    assert here.run("--since", "HEAD", ".").code == 2


# --- which revision


def test_a_branch_is_compared_with_where_it_left_the_other(here: Repository) -> None:
    here.git("switch", "-qc", "mine")
    here.commit(mine_py=SLOW)
    here.git("switch", "-q", "main")
    here.commit(train_py=FIXED)
    here.git("switch", "-q", "mine")
    assert here.since("main") == [("mine.py", 8, "MSP301")]


def test_a_merge(here: Repository) -> None:
    here.git("switch", "-qc", "side")
    here.commit(side_py=SLOW)
    here.git("switch", "-q", "main")
    here.commit(main_py=SLOW)
    here.git("merge", "-q", "--no-edit", "side")
    assert [each[0] for each in here.since("HEAD~1")] == ["side.py"]
    assert [each[0] for each in here.since("HEAD^2")] == ["main.py"]
    merge = here.git("rev-parse", "HEAD").strip()
    here.commit(late_py=SLOW)
    assert [each[0] for each in here.since(merge)] == ["late.py"]


def test_a_bare_repository(here: Repository, tmp_path: Path) -> None:
    here.git("clone", "-q", "--bare", str(here.root), str(tmp_path / "bare"))
    ran = run("--since", "HEAD", ".", cwd=tmp_path / "bare")
    assert ran.code == 2 and ran.err.startswith("ms-perflint: error: --since needs a git repository: ")


def test_a_shallow_clone(here: Repository, tmp_path: Path) -> None:
    first = here.git("rev-parse", "HEAD").strip()
    here.commit(new_py=SLOW)
    here.commit(late_py=SLOW)
    here.git("clone", "-q", "--depth", "2", f"file://{here.root}", str(tmp_path / "shallow"))
    shallow = Repository(tmp_path / "shallow", is_new=False)
    assert shallow.since("HEAD~1") == [("late.py", 8, "MSP301")]
    ran = shallow.run("--since", first, ".")
    assert ran.code == 2
    assert ran.err == (
        f"ms-perflint: error: --since {first}: this shallow clone has no such revision: "
        "`git fetch --depth N origin BRANCH` or `git fetch --unshallow` brings it\n"
    )
    shallow.git("fetch", "-q", "--depth", "1", "origin", first)
    assert "does not reach back" in shallow.run("--since", first, ".").err
    shallow.git("fetch", "-q", "--unshallow")
    assert [each[0] for each in shallow.since(first)] == ["late.py", "new.py"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--since", "gone", "."), "--since gone: no such revision; `git fetch` brings those of the server"),
        (("--since", "--output=x", "."), "--since --output=x: no such revision"),
        (("--since", "HEAD", "-"), "the standard input is none"),
        (("--staged", "."), "--staged goes with --since REV"),
        (("--since", "HEAD", "--write-baseline", "--baseline", "x", "."), "--write-baseline and --since"),
    ],
)
def test_what_cannot_be_compared(here: Repository, arguments: tuple[str, ...], said: str) -> None:
    ran = here.run(*arguments)
    assert ran.code == 2 and said in ran.err and "Traceback" not in ran.err
    assert len(ran.err.splitlines()) == 1


def test_no_repository_and_no_commit(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SLOW, encoding="utf-8")
    ran = run("--no-cache", "--since", "HEAD", ".", cwd=tmp_path, env={"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)})
    assert ran.code == 2 and "--since needs a git repository: not a git repository" in ran.err
    empty = Repository(tmp_path / "empty")
    assert "--since HEAD: no such revision" in empty.run("--since", "HEAD", ".").err


def test_no_git(here: Repository, tmp_path: Path) -> None:
    ran = run("--no-cache", "--since", "HEAD", ".", cwd=here.root, env={"PATH": str(tmp_path)})
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "--since needs git, which cannot be started" in ran.err


# --- work trees, submodules, links


def test_another_work_tree(here: Repository, tmp_path: Path) -> None:
    here.git("worktree", "add", "-q", str(tmp_path / "other"), "-b", "other")
    other = Repository(tmp_path / "other", is_new=False)
    other.commit(new_py=SLOW)
    assert other.since("main") == [("new.py", 8, "MSP301")]
    assert here.since("other") == []


def test_a_submodule_that_moved_on(here: Repository, tmp_path: Path) -> None:
    lib = Repository(tmp_path / "lib")
    lib.commit(settings_py="settings = {'in_background': True}\n")
    importing = BY_CONFIG.replace("import yaml\n", "from lib.settings import settings\n").replace(
        'with open("config.yaml") as file:\n    settings = yaml.safe_load(file)\n', ""
    )
    here.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(lib.root), "lib")
    here.commit(train_py=importing)
    assert here.since("HEAD") == []
    inner = Repository(here.root / "lib", is_new=False)
    inner.write(settings_py="settings = {'in_background': False}\n")
    assert [each[::2] for each in here.since("HEAD")] == [("train.py", "MSP301")]
    inner.commit()
    assert [each[::2] for each in here.since("HEAD")] == [("train.py", "MSP301")]
    here.commit()
    assert here.since("HEAD") == []
    assert [each[::2] for each in here.since("HEAD~1")] == [("train.py", "MSP301")]


def test_a_submodule_that_is_new(here: Repository, tmp_path: Path) -> None:
    lib = Repository(tmp_path / "lib")
    lib.commit(train_py=SLOW)
    here.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(lib.root), "lib")
    assert here.since("HEAD") == [("lib/train.py", 8, "MSP301")]


def test_a_submodule_runs_in_the_programs_around_it(here: Repository, tmp_path: Path) -> None:
    lib = Repository(tmp_path / "lib")
    lib.commit(saving_py="from mindspore.train import CheckpointConfig\n\nconfig = CheckpointConfig(100)\n")
    here.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(lib.root), "lib")
    here.commit(train_py=re.sub("config = .*", "from lib.saving import config", SLOW))
    assert here.since("HEAD~1") == [("lib/saving.py", 3, "MSP301")]


def test_links(here: Repository) -> None:
    here.write(shared__fast_yaml="in_background: true\n", shared__slow_yaml="in_background: false\n")
    here.write(app__train_py=BY_CONFIG)
    link = here.root / "app" / "config.yaml"
    link.symlink_to("../shared/fast.yaml")
    here.commit()
    assert here.since("HEAD") == []
    here.write(shared__fast_yaml="in_background: false\n")  # through the link
    assert here.since("HEAD") == [("app/train.py", 8, "MSP301")]
    here.write(shared__fast_yaml="in_background: true\n")
    link.unlink()
    link.symlink_to("../shared/slow.yaml")
    assert here.since("HEAD") == [("app/train.py", 8, "MSP301")]
    here.commit()
    assert here.since("HEAD") == []


def test_a_repository_below_a_link(here: Repository, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(here.root, target_is_directory=True)
    here.write(new_py=SLOW, train_py="\n" + SLOW)
    ran = run("--no-cache", "--since", "HEAD", "--output-format", "concise", "link", cwd=tmp_path)
    assert [line.partition(":")[0] for line in ran.out.splitlines()[:1]] == ["link/new.py"]
    assert ran.out.splitlines()[-1] == "1 more was there before the change."


# --- staged


def test_that_nothing_changed_is_said(here: Repository) -> None:
    assert here.run("--since", "HEAD", ".").out == "No findings: nothing changed since HEAD.\n"
    assert here.run("--since", "HEAD", "--staged", ".").out == "No findings: nothing staged differs from HEAD.\n"
    here.write(train_py=SLOW + "# more\n")
    assert here.run("--since", "HEAD", ".").out == "No findings in 1 file.\n1 more was there before the change.\n"
    ran = here.run("--since", "HEAD", "--staged", ".")
    assert (ran.code, ran.out) == (0, "No findings: nothing staged differs from HEAD.\n")
    said = here.run("--since", "HEAD", "--staged", "--lang", "zh", ".").out
    assert said == "没有发现问题：暂存区与 HEAD 没有差别。\n"
    assert json.loads(here.run("--since", "HEAD", "--staged", "--output-format", "json", ".").out) == []


def test_what_is_staged_counts_and_nothing_else(here: Repository) -> None:
    here.write(train_py=FIXED)
    here.git("add", "train.py")
    here.git("commit", "-qm", "fast")
    here.write(train_py=SLOW)
    assert here.since("HEAD", "--staged", ".") == []
    here.git("add", "train.py")
    here.write(train_py=FIXED, loose_py=SLOW)
    assert here.since("HEAD", "--staged", ".") == [("train.py", 8, "MSP301")]
    assert here.since("HEAD", "--staged", "loose.py") == []
    (here.root / "train.py").unlink()
    assert here.since("HEAD", "--staged", ".") == [("train.py", 8, "MSP301")]
    assert here.since("HEAD", "--staged", "train.py") == [("train.py", 8, "MSP301")]


def test_a_staged_yaml_file(here: Repository) -> None:
    here.commit(train_py=BY_CONFIG, config_yaml="in_background: true\n")
    here.write(config_yaml="in_background: false\n")
    assert here.since("HEAD", "--staged", ".") == []
    here.git("add", ".")
    here.write(config_yaml="in_background: true\n")
    assert here.since("HEAD", "--staged", ".") == [("train.py", 8, "MSP301")]


def test_a_config_file_that_is_named_stands_for_the_programs_that_read_it(here: Repository) -> None:
    """As a hook names what changed: it is no Python, and what it makes worse is elsewhere."""
    here.commit(train_py=BY_CONFIG, config_yaml="in_background: true\nname: one two\n")
    here.write(config_yaml="in_background: false\nname: one two\n")
    worse = [("train.py", 8, "MSP301")]
    assert here.since("HEAD", "config.yaml") == here.since("HEAD", "config.yaml", "train.py") == worse
    here.git("add", ".")
    assert here.since("HEAD", "--staged", "config.yaml") == worse


def test_the_index_of_a_commit_of_some_files(here: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    index = here.root / ".git" / "other-index"
    shutil.copy(here.root / ".git" / "index", index)
    here.write(new_py=SLOW)
    here.git("add", "new.py")
    monkeypatch.setenv("GIT_INDEX_FILE", str(index))
    monkeypatch.setenv("GIT_DIR", ".git")
    assert here.since("HEAD", "--staged", ".") == []
    monkeypatch.delenv("GIT_INDEX_FILE")
    assert here.since("HEAD", "--staged", ".") == [("new.py", 8, "MSP301")]


# --- fixes and reports


def test_only_what_is_reported_is_fixed(here: Repository) -> None:
    here.write(new_py=SLOW, train_py="\n" + SLOW)
    ran = here.run("--since", "HEAD", "--fix", ".")
    assert ran.code == 0, ran.err
    assert here.path("new_py").read_text() == FIXED
    assert here.path("train_py").read_text() == "\n" + SLOW
    assert ran.out.splitlines()[0] == "Fixed new.py: MSP301"


def test_a_staged_file_is_fixed_where_nothing_else_is_in_it(here: Repository) -> None:
    here.write(new_py=SLOW, other_py=SLOW)
    here.git("add", ".")
    here.write(other_py=SLOW + "print(1)\n")
    ran = here.run("--since", "HEAD", "--staged", "--fix", ".")
    assert ran.code == 1 and "(display-only: a file has changes that are not staged)" in ran.out
    assert here.path("new_py").read_text() == FIXED
    assert here.path("other_py").read_text() == SLOW + "print(1)\n"


@pytest.mark.parametrize("form", ["text", "concise", "grouped", "json", "sarif", "github", "gitlab", "junit", "html"])
def test_every_report_takes_it(here: Repository, form: str) -> None:
    here.write(new_py=SLOW, train_py="\n" + SLOW)
    ran = here.run("--since", "HEAD", "--output-format", form, ".")
    assert ran.code == 1, ran.err
    assert "new.py" in ran.out and "MSP301" in ran.out
    assert here.run("--since", "HEAD", "--diff", ".").out.count("+++ ") == 1


def test_a_cache_knows_what_was_found_and_keeps_the_new_state(here: Repository, tmp_path: Path) -> None:
    here.commit(app__train_py=BY_CONFIG, app__config_yaml="in_background: true\n")
    here.write(app__config_yaml="in_background: false\n")
    cached = ("--cache-dir", str(tmp_path / "cache"), "-v", "--output-format", "concise")
    first = run(*cached, "--since", "HEAD", ".", cwd=here.root)
    second = run(*cached, "--since", "HEAD", ".", cwd=here.root)
    assert first.out == second.out
    assert "app/train.py:8:14: MSP301" in second.out
    assert "cache: 2 of 2 files had not changed" in second.err


# --- the same as two checkouts


PARTS = {
    "app/train.py": (
        BY_CONFIG,
        BY_CONFIG.replace("save_checkpoint_steps=100", "save_checkpoint_steps=300"),
        "# a comment\n\n" + BY_CONFIG,
        BY_CONFIG.replace("config.yaml", "other.yaml"),
        BY_CONFIG.replace('"])', '"])  # noqa: MSP301'),
        None,
    ),
    "app/config.yaml": ("in_background: true\n", "in_background: false\n", "other: 1\n", None),
    "app/other.yaml": ("in_background: false\n", "in_background: true\n", None),
    "lib/train.py": (BY_OPTION, "import os\n" + BY_OPTION, BY_OPTION.replace("default=0", "default=1"), None),
    "lib/scripts/run.sh": ("python train.py --wait 0\n", "python train.py --wait 1\n", "python ../train.py\n", None),
    "plain.py": (SLOW, FIXED, SLOW + "\n\nprint(1)\n", SLOW.replace("=100)", "=100, keep_checkpoint_max=3)"), None),
    "requirements.txt": ("mindspore==2.4\n", "mindspore==1.10\n", "numpy\n", None),
}


def written(root: Path, state: dict[str, str | None]) -> None:
    """Make the files of a folder those of a state."""
    for name, text in state.items():
        path = root / name
        if text is None:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def findings(root: Path, state: dict[str, str | None]) -> list[tuple[str, int, str]]:
    """Return file, row and rule of all findings in a state, which is written out."""
    shutil.rmtree(root, ignore_errors=True)
    written(root, state)
    ran = run("--no-cache", "--isolated", "--select", "MSP301,MSP501", "--output-format", "json", ".", cwd=root)
    assert ran.code in (0, 1), ran.err
    return [
        (Path(each["filename"]).relative_to(root).as_posix(), each["location"]["row"], each["code"])
        for each in json.loads(ran.out)
    ]


def moved_rows(before: str, after: str, folder: Path) -> dict[int, set[int]]:
    """Return the rows of a text in which a row of an older one may be found again, as git sees it."""
    folder.mkdir(exist_ok=True)
    (folder / "a").write_text(before, encoding="utf-8")
    (folder / "b").write_text(after, encoding="utf-8")
    done = subprocess.run(
        ["git", "diff", "--no-index", "-U0", "a", "b"], cwd=folder, capture_output=True, text=True, check=False
    )
    found: dict[int, set[int]] = {}
    shift, last = 0, 0
    hunks = re.findall(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", done.stdout, re.MULTILINE)
    for hunk in [*hunks, (str(before.count("\n") + 1), "0", "0", "0")]:
        start, count, new, added = (int(part) if part else 1 for part in hunk)
        first = start if count else start + 1
        found.update((row, {row + shift}) for row in range(last + 1, first))
        found.update((row, set(range(new, new + added))) for row in range(first, first + count))
        shift, last = new + added - first - count + (0 if added else 1), first + count - 1
    return found


def worse(old: dict[str, str | None], new: dict[str, str | None], folder: Path) -> list[tuple[str, int, str]]:
    """Return what is worse in the new state, found out by two runs over two folders."""
    before, left = findings(folder / "old", old), findings(folder / "new", new)
    for name, row, code in before:
        was, now = old[name], new.get(name)
        rows = moved_rows(was or "", now or "", folder / "diff")
        same = next((each for each in left if each[0] == name and each[2] == code and each[1] in rows[row]), None)
        if same is not None:
            left.remove(same)
    return left


@pytest.mark.parametrize("seed", range(12))
def test_random_changes_make_worse_what_two_checkouts_tell(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    repository = Repository(tmp_path / "here")
    states: list[dict[str, str | None]] = []
    for _ in range(3):
        last = states[-1] if states else {}
        kept = {name: last[name] for name in PARTS if states and chance.random() < 0.5}
        states.append({name: kept[name] if name in kept else chance.choice(texts) for name, texts in PARTS.items()})
        written(repository.root, states[-1])
        if len(states) < 3:
            repository.commit()
    if chance.random() < 0.5:
        repository.git("add", "--all")
    for back, old in ((0, states[1]), (1, states[0])):
        arguments = ("--isolated", "--select", "MSP301,MSP501", ".")
        expected = worse(old, states[2], tmp_path / "apart")
        assert repository.since(f"HEAD~{back}", *arguments) == expected, (back, old, states[2])


# --- run configurations


BY_NAMED_CONFIG = BY_CONFIG.replace(
    """import yaml
""",
    """import argparse
import yaml
""",
).replace(
    """with open("config.yaml") as file:
""",
    """parser = argparse.ArgumentParser()
parser.add_argument("--config", required=True)
with open(parser.parse_args().config) as file:
""",
)
GOOD, SLOWER = "in_background: true\n", "in_background: false\n"


@pytest.fixture
def configured(tmp_path: Path) -> Repository:
    """Return a repository with a program that is run with one of three config files, and is slow with one of them."""
    made = Repository(tmp_path / "here")
    made.commit(
        pyproject_toml=SETTINGS,
        train_py=BY_NAMED_CONFIG,
        configs__a_yaml=SLOWER,
        configs__b_yaml=GOOD,
        configs__c_yaml=GOOD,
    )
    return made


WORSE = [("train.py", 11, "MSP301")]


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"configs__b_yaml": SLOWER}, WORSE),
        ({"configs__b_yaml": SLOWER, "configs__c_yaml": SLOWER}, WORSE),  # all of them now
        ({"configs__a_yaml": GOOD, "configs__b_yaml": SLOWER}, WORSE),  # another one
        ({"configs__d_yaml": SLOWER}, WORSE),  # a new one
        ({"configs__a_yaml": "# the same\n" + SLOWER}, []),
        ({"configs__a_yaml": None, "configs__d_yaml": SLOWER}, []),  # renamed
        ({"configs__b_yaml": None, "configs__c_yaml": None}, []),  # only the slow one is left
        ({"configs__b_yaml": None}, []),
        ({"configs__a_yaml": GOOD}, []),
    ],
)
def test_a_finding_is_worse_where_it_holds_for_more_run_configurations(
    configured: Repository, files: dict[str, str | None], found: list[tuple[str, int, str]]
) -> None:
    configured.write(**files)
    configured.git("add", "--all")
    assert configured.since("HEAD") == found
    assert configured.since("HEAD", "--staged", ".") == found
    configured.commit()
    assert configured.since("HEAD") == []
    assert configured.since("HEAD~1") == found


def test_an_edited_statement_is_worse_where_it_holds_for_more_run_configurations(configured: Repository) -> None:
    text = BY_NAMED_CONFIG.replace("save_checkpoint_steps=100", "save_checkpoint_steps=200")
    configured.write(train_py=text)
    assert configured.since("HEAD") == []
    configured.write(configs__b_yaml=SLOWER)
    assert configured.since("HEAD") == WORSE


def test_the_run_configuration_that_changed_is_the_example(configured: Repository) -> None:
    configured.write(configs__c_yaml=SLOWER)
    said = configured.run("--since", "HEAD", ".").out
    assert "with 1 of 3 run configurations: configs/c.yaml" in said
    said = configured.run("train.py", "configs/c.yaml").out  # as a hook names it
    assert "with 2 of 3 run configurations, for example configs/c.yaml" in said


START = "#!/bin/sh\npython train.py --config configs/{}.yaml\n"


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"two_sh": START.format("a")}, WORSE),  # all that launchers give, now
        ({"two_sh": "cd .. &&\n" + START.format("a")}, WORSE),
        ({"two_sh": START.format("a"), "README_md": "slower"}, WORSE),
        ({"two_sh": "# the same\n" + START.format("b")}, []),
        ({"two_sh": None}, []),  # only the slow one is left
        ({"two_sh": START.format("a").replace("train", "other")}, []),
        ({"two_sh": "echo\n"}, []),
        ({"two_sh": "echo\n", "three_sh": START.format("a")}, []),
    ],
)
def test_a_finding_of_all_launchers_is_worse_where_none_of_them_is_gone(
    files: dict[str, str | None], found: list[tuple[str, int, str]], tmp_path: Path
) -> None:
    made = Repository(tmp_path / "here")
    configs = {"configs__a_yaml": SLOWER, "configs__b_yaml": GOOD, "README_md": "slow"}
    text = BY_NAMED_CONFIG.replace("required=True", 'default="configs/a.yaml"')
    made.commit(pyproject_toml=SETTINGS, train_py=text, **configs, one_sh=START.format("a"), two_sh=START.format("b"))
    made.write(**files)
    made.git("add", "--all")
    assert made.since("HEAD") == found


@pytest.mark.parametrize(
    ("files", "named"),
    [
        ({"configs__b_yaml": SLOWER}, ["configs/b.yaml"]),
        ({"configs__b_yaml": SLOWER, "notes_md": "slower"}, ["configs/b.yaml"]),
        ({"configs__b_yaml": SLOWER, "train_py": BY_NAMED_CONFIG + "# more\n"}, ["configs/a.yaml", "configs/b.yaml"]),
        ({"configs__b_yaml": SLOWER, "run_sh": "python train.py\n"}, ["configs/a.yaml", "configs/b.yaml"]),
        ({"configs__b_yaml": SLOWER, "configs__d_yaml": GOOD}, ["configs/a.yaml", "configs/b.yaml"]),
        ({"configs__a_yaml": "more: 1\n" + SLOWER, "configs__b_yaml": GOOD + "more: 1\n"}, []),
    ],
)
def test_other_run_configurations_are_judged_where_the_change_may_be_about_them(
    configured: Repository, files: dict[str, str | None], named: list[str]
) -> None:
    configured.write(**files)
    found = json.loads(configured.run("--since", "HEAD", "--output-format", "json", ".").out)
    assert [sorted(finding["configurations"]) for finding in found] == ([named] if named else [])


def test_a_config_file_that_another_one_builds_on(configured: Repository) -> None:
    configured.commit(
        configs__parts__base_yaml=GOOD,
        configs__b_yaml="__BASE__: parts/base.yaml\n",
        configs__c_yaml="__BASE__: parts/base.yaml\n",
        train_py=BY_NAMED_CONFIG + "# __BASE__\n",
    )
    configured.write(configs__parts__base_yaml=SLOWER)
    assert configured.since("HEAD") == WORSE


def test_a_config_file_that_code_reads_too(tmp_path: Path) -> None:
    always = BY_NAMED_CONFIG.replace("parser.parse_args().config", "'configs/b.yaml'")
    repository = Repository(tmp_path / "here")
    repository.commit(pyproject_toml=SETTINGS, train_py=always, configs__a_yaml=GOOD, configs__b_yaml=GOOD)
    repository.write(configs__b_yaml=SLOWER)
    assert [code for _, _, code in repository.since("HEAD")] == ["MSP301"]


def test_what_a_bound_left_unjudged_before_is_not_worse(configured: Repository) -> None:
    many: dict[str, str | None] = {f"configs__net_{each:03}_yaml": GOOD for each in range(60)}
    configured.commit(configs__a_yaml=GOOD, configs__z_yaml=SLOWER, **many)
    assert configured.run(".").code == 0
    configured.write(**dict.fromkeys(list(many)[:10]))
    assert "configs/z.yaml" in configured.run(".").out  # now that it is one of the first
    assert configured.since("HEAD") == []


def test_a_config_file_that_changed_is_judged_however_many_there_are(configured: Repository) -> None:
    many = {f"configs__net_{each:03}_yaml": GOOD for each in range(70)}
    configured.commit(**many)
    configured.write(configs__net_069_yaml=SLOWER)
    assert configured.since("HEAD") == WORSE
    configured.commit()
    assert configured.since("HEAD~1") == WORSE


LAUNCHED: dict[str, str | None] = {
    "lib__train_py": BY_OPTION,
    "lib__scripts__one_sh": "python ../train.py --wait 0\n",
    "lib__scripts__two_sh": "python ../train.py --wait 1\n",
}


@pytest.mark.parametrize(
    ("files", "known"),
    [
        ({"notes_md": "more"}, 5),
        ({"other__config_yaml": GOOD}, 5),  # in a folder of no program
        ({"configs__d_yaml": SLOWER}, 4),
        ({"configs__b_yaml": SLOWER}, 3),  # nothing but a config file: other run configurations are not judged
        ({"lib__scripts__one_sh": "python ../train.py --wait 1\n"}, 4),
    ],
)
def test_a_cache_is_warm_for_any_change(
    configured: Repository,
    files: dict[str, str | None],
    known: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for bound in ("HELD", "HELD_BY_SESSION"):  # what is found in each file is kept by itself
        monkeypatch.setattr(linter, bound, -1)
    more = {"app__train_py": BY_CONFIG, "app__config_yaml": SLOWER, "plain_py": SLOW, "fixed_py": FIXED}
    configured.commit(**more, **LAUNCHED)
    cached = ("--cache-dir", str(tmp_path / "cache"), "-v", "--output-format", "json")
    run(*cached, ".", cwd=configured.root)
    configured.write(**files)
    configured.git("add", "--all")
    warm = run(*cached, "--since", "HEAD", "--staged", ".", cwd=configured.root)
    assert f"cache: {known} of 5 files had not changed" in warm.err, warm.err
    assert warm.out == configured.run("--since", "HEAD", "--staged", "--output-format", "json", ".").out
    again = run(*cached, "--since", "HEAD", "--staged", ".", cwd=configured.root)
    assert "cache: 5 of 5 files had not changed" in again.err
    assert again.out == warm.out
    assert run(*cached, ".", cwd=configured.root).out == configured.run("--output-format", "json", ".").out


def test_programs_judged_in_part_are_told_where_the_change_touches_them(here: Repository) -> None:
    """A change of a file that the program imports, or of one that it may load, does; others do not."""
    program = SCRIPT.replace("src.net", "net").replace("net = Net()", "net = Net(yaml.safe_load(open('config.yaml')))")
    program = "import yaml\n" + program
    here.commit(setup_cfg="", app__train_py=program, app__net_py=BROKEN, app__config_yaml="width: 16\n")
    here.commit(other__train_py=FIXED, other__help_py="a = 1\n")

    def told() -> bool:
        return "app/train.py: not judged for MSP101" in here.run("--isolated", "--since", "HEAD").err

    for name, text, is_told in (
        ("other__train_py", FIXED + "a = 1\n", False),
        ("other__help_py", "a = 2\n", False),
        ("other__read_me_txt", "a", False),
        ("app__run_sh", "python other.py\n", False),
        ("app__net_py", BROKEN + "a = 1\n", True),
        ("app__train_py", program + "a = 1\n", True),
        ("app__config_yaml", "width: 32\n", True),
        ("app__run_sh", "python train.py\n", True),
    ):
        here.write(**{name: text})
        assert told() is is_told, name
        here.git("stash", "-uq")
        assert not told(), name
