"""`-`: what comes in is linted as if it stood in its file, and what is fixed goes out; nothing is written."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from front import FIXED, SAFE, TRAIN, Ran, run
from notebooks import notebook, written

CONCISE = ("--output-format", "concise")


def piped(text: str | bytes, *arguments: str, cwd: Path) -> Ran:
    """Run `ms-perflint` with a text on its standard input."""
    return run(*arguments, cwd=cwd, text=text)


def test_reports_under_the_name_that_it_is_given(tmp_path: Path) -> None:
    told = piped(TRAIN, *SAFE, *CONCISE, "-", "--stdin-filename", "src/train.py", cwd=tmp_path)
    assert told.out.startswith("src/train.py:8:14: MSP301 [*]")
    assert (told.code, told.err) == (1, "")
    told = piped(TRAIN, "check", *SAFE, "-", cwd=tmp_path)
    assert told.out.startswith("-:8:14: MSP301 [*]")
    assert "8 |     config = CheckpointConfig(save_checkpoint_steps=100)\n" in told.out
    assert piped(FIXED, *SAFE, "-", cwd=tmp_path) == Ran(0, "No findings in 1 file.\n", "")


@pytest.mark.parametrize("text", [TRAIN, TRAIN.replace("\n", "\r\n"), f"\ufeff{TRAIN}", TRAIN.rstrip("\n")])
def test_prints_the_fixed_text_and_writes_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "train.py").write_text("print('on disk')\n")
    told = piped(text, *SAFE, *CONCISE, "--fix", "-", "--stdin-filename", "train.py", cwd=tmp_path)
    assert told.out == text.replace("steps=100)", "steps=100, async_save=True)")
    assert told.err == "Fixed train.py: MSP301\nFound 1 finding (1 fixed, 0 remaining).\n"
    assert told.code == 0
    assert (tmp_path / "train.py").read_text() == "print('on disk')\n"
    assert [path.name for path in tmp_path.iterdir()] == ["train.py"]


def test_prints_what_it_cannot_fix_as_it_came(tmp_path: Path) -> None:
    told = piped(f"{TRAIN}def (\n", *SAFE, "--fix", "-", cwd=tmp_path)
    assert (told.code, told.out) == (2, f"{TRAIN}def (\n")
    assert told.err == "-:13:5: error: syntax error: invalid syntax\n"
    latin = "# coding: latin-1\nx = 'é'\n".encode("latin-1")
    assert piped(latin, *SAFE, "--fix", "-", cwd=tmp_path).out.encode("utf-8", "surrogateescape") == latin
    left = piped(TRAIN, "--isolated", "--mindspore-version", "1.10", "--select", "MSP301", "--fix", "-", cwd=tmp_path)
    assert (left.code, left.out) == (1, TRAIN)
    assert left.err.startswith("-:8:14: MSP301 saving this checkpoint blocks")


def test_a_text_that_is_no_python_comes_back(tmp_path: Path) -> None:
    told = piped("x = (", *SAFE, *CONCISE, "--fix", "-", cwd=tmp_path)
    assert (told.code, told.out, told.err) == (2, "x = (", "-:1:5: error: syntax error: '(' was never closed\n")


def test_prints_a_patch(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    told = piped(TRAIN, *SAFE, "--diff", "-", "--stdin-filename", "train.py", cwd=tmp_path)
    assert told.code == 1
    subprocess.run(["git", "apply", "-"], input=told.out.encode(), cwd=tmp_path, check=True, timeout=60)
    assert (tmp_path / "train.py").read_text() == FIXED


def test_takes_the_place_of_its_file_in_the_program(tmp_path: Path) -> None:
    (tmp_path / "settings.py").write_text("import mindspore as ms\nms.set_context(mode=ms.PYNATIVE_MODE)\n")
    (tmp_path / "train.py").write_text(f"import settings\n{TRAIN}")
    asked = ("--isolated", "--select", "MSP101", *CONCISE)
    assert run(*asked, "settings.py", cwd=tmp_path).out.startswith("settings.py:2:21: MSP101")
    unsaved = "import mindspore as ms\n\nms.set_context(mode=ms.PYNATIVE_MODE)\n"
    told = piped(unsaved, *asked, "-", "--stdin-filename", "settings.py", cwd=tmp_path)
    assert told.out.startswith("settings.py:3:21: MSP101")
    assert run(*asked, "settings.py", cwd=tmp_path).out.startswith("settings.py:2:21: MSP101")


def test_reads_a_notebook(tmp_path: Path) -> None:
    raw = written(notebook())
    told = piped(raw, *SAFE, *CONCISE, "-", "--stdin-filename", "a.ipynb", cwd=tmp_path)
    assert told.out.startswith("a.ipynb:cell 5:2:10: MSP301")
    fixed = piped(raw, *SAFE, "--fix", "-", "--stdin-filename", "a.ipynb", cwd=tmp_path).out
    assert fixed == raw.replace("=100)", "=100, async_save=True)")


def test_settings_and_excludes_are_those_of_the_name(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "pyproject.toml").write_text("[tool.ms-perflint]\nselect = ['MSP301']\nextend-exclude = ['old/']\n")
    name = ("-", "--stdin-filename", "old/train.py")
    assert piped(TRAIN, *name, cwd=tmp_path).code == 1
    assert piped(TRAIN, "--force-exclude", *name, cwd=tmp_path) == Ran(0, "", "")
    assert piped(TRAIN, "--force-exclude", "--fix", *name, cwd=tmp_path) == Ran(0, TRAIN, "")
    assert piped(TRAIN, "--force-exclude", "-", "--stdin-filename", "new.py", cwd=tmp_path).code == 1


def test_files_given_by_name_are_excluded_when_forced(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    for name in ("old/train.py", "train.py"):
        (tmp_path / name).write_text(TRAIN)
    (tmp_path / "pyproject.toml").write_text("[tool.ms-perflint]\nselect = ['MSP301']\nextend-exclude = ['old/']\n")
    asked = (*CONCISE, "old/train.py", "train.py")
    assert run(*asked, cwd=tmp_path).out.count("MSP301") == 2
    assert [line.split(":")[0] for line in run("--force-exclude", *asked, cwd=tmp_path).out.splitlines()[:-1]] == [
        "train.py"
    ]


def test_json_says_where_the_text_stands(tmp_path: Path) -> None:
    told = piped(TRAIN, *SAFE, "--output-format", "json", "-", "--stdin-filename", "train.py", cwd=tmp_path)
    (found,) = json.loads(told.out)
    assert found["filename"] == str(tmp_path / "train.py")
    assert found["fix"]["edits"][0]["location"] == {"row": 8, "column": 56}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("-", "train.py"), "`-` is the standard input, and goes with no other path"),
        (("--add-noqa", "-"), "--add-noqa writes into files, and the standard input is none"),
    ],
)
def test_says_what_does_not_go_together(tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    told = piped(TRAIN, *arguments, cwd=tmp_path)
    assert (told.code, told.out) == (2, "")
    assert says in told.err


def test_percent_scripts_are_files_like_others(tmp_path: Path) -> None:
    head, _, body = TRAIN.partition("\n\n\n")
    magics = "# %matplotlib inline\n# !pip install mindspore\n"
    text = f"# %% [markdown]\n# # Train\n\n# %%\n{magics}{head}\n\n# %% [cell 2]\n{body}"
    told = piped(text, *SAFE, "--fix", "-", cwd=tmp_path)
    assert told.out == text.replace("steps=100)", "steps=100, async_save=True)")
    assert told.out != text
