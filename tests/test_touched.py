"""Config files and launch scripts that are given by name stand for the programs that read them."""

from __future__ import annotations

from pathlib import Path

import pytest
from front import FIXED, TRAIN, Ran, run
from test_since import BY_CONFIG, BY_OPTION

from ms_perflint.core.files import Disk
from ms_perflint.since.readers import Readers


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


UNREAD = "no program was judged with {}: `launch` in [tool.ms-perflint] can name a run\n"


@pytest.mark.parametrize("cache", [True, False])
@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["app/unread.yaml"], UNREAD.format("app/unread.yaml")),
        (["app/unread.yaml", "other.json"], UNREAD.format("app/unread.yaml, other.json")),
        (["app/unread.yaml", "app/config.yaml"], UNREAD.format("app/unread.yaml")),
        (["app/unread.yaml", "--fix"], UNREAD.format("app/unread.yaml")),
        (["tool/scripts/other.sh"], "no program is found that tool/scripts/other.sh starts\n"),
        (["tool/scripts/run.sh"], ""),
        (["app/config.yaml"], ""),
        (["app/unread.yaml", "--quiet"], ""),
        (["setup.cfg"], ""),
    ],
)
def test_a_file_that_no_program_is_judged_with_is_told(project: Path, given: list[str], told: str, cache: bool) -> None:
    (project / "other.json").write_text("{}", encoding="utf-8")
    (project / "tool" / "scripts" / "other.sh").write_text("cp train.py /tmp\n", encoding="utf-8")
    how = ("--cache-dir", str(project.parent / "cache")) if cache else ("--no-cache",)
    for _ in range(2):
        assert ran(project, *how, *given).err == told


def test_a_file_that_a_clean_program_reads_is_judged(project: Path) -> None:
    (project / "app" / "config.yaml").write_text("in_background: true\n", encoding="utf-8")
    (project / "tool" / "scripts" / "run.sh").write_text("python ../train.py --wait 0\n", encoding="utf-8")
    for name in ("app/config.yaml", "tool/scripts/run.sh"):
        told = ran(project, "--no-cache", name)
        assert (told.code, told.err) == (0, "") and told.out.startswith("No findings in ")


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


def test_programs_that_cannot_read_a_file_are_not_asked(tmp_path: Path) -> None:
    """The code of a program, its launch scripts and the folder of a requirement file tell what it may read."""
    files = {
        "a/train.py": "import yaml\n",
        "b/train.py": "from lib import load\nload('x.json')\n",
        "b/lib.py": "import json\ndef load(x): return json.load(open(x))\n",
        "c/plain.py": "import mindspore\n",
        "c/part.ipynb": '{"cells": [{"cell_type": "code", "source": ["a = 1"], "outputs": [{"text": ["yaml json"]}]}]}',
        "d/sections.py": "from configparser import ConfigParser\n",
        "e/composed.py": "from hydra import main\n",
        "run.sh": "python a/train.py\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")

    def readers(changed: str) -> set[str]:
        found = Readers(Disk(), [str(tmp_path / changed)])
        return {name for name in files if not name.endswith(".sh") and found.may_read(str(tmp_path / name))}

    assert readers("a/config.yaml") == readers("conf/b.yml") == {"a/train.py", "e/composed.py"}
    assert readers("x.json") == {"b/train.py", "b/lib.py"}
    assert readers("a/x.ini") == {"d/sections.py"}
    assert readers("run.sh") == {"a/train.py", "b/train.py"}
    assert readers("a/notes.txt") == set()
    assert readers("b/lib.py") == {"b/train.py", "b/lib.py"}
    assert readers("c/requirements_gpu.txt") == {"c/plain.py", "c/part.ipynb"}
    assert readers("setup.cfg") == {name for name in files if name != "run.sh"}


def test_config_files_alone_are_judged_as_the_run_configurations_with_them(tmp_path: Path) -> None:
    """A change of one of five config files is about the runs with it: the finding names no other."""
    script = BY_OPTION.replace("import argparse", "import argparse\nimport yaml").replace(
        '"--wait", type=int, default=0)', '"--config", required=True)'
    )
    script = script.replace(
        '{"in_background": not parser.parse_args().wait}', "yaml.safe_load(open(parser.parse_args().config))"
    )
    (tmp_path / "setup.cfg").write_text("")
    (tmp_path / "train.py").write_text(script, encoding="utf-8")
    (tmp_path / "configs").mkdir()
    for number in range(5):
        (tmp_path / "configs" / f"{number}.yaml").write_text(f"in_background: false\nlr: {number}\n")
    (tmp_path / "configs" / "4.yaml").write_text("in_background: true\n")
    assert "with 1 of 5 run configurations" in ran(tmp_path, "--no-cache", "configs/2.yaml").out
    assert "configs/2.yaml" in ran(tmp_path, "--no-cache", "configs/2.yaml").out
    assert ": MSP301 " not in ran(tmp_path, "--no-cache", "configs/4.yaml").out
    assert "with 4 of 5 run configurations" in ran(tmp_path, "--no-cache", "configs/2.yaml", "train.py").out
