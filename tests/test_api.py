"""The functions for other programs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from front import FIXED, TRAIN

import ms_perflint
from ms_perflint import ConfigError, Finding, Safety, fix_source, lint_paths, lint_source

ONLY = {"select": ["MSP301"]}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the working directory, which has nothing in it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_lint_source() -> None:
    report = lint_source(TRAIN, **ONLY)
    (finding,) = report.findings
    assert isinstance(finding, Finding)
    assert (finding.code, finding.place.row, finding.place.column) == ("MSP301", 8, 14)
    assert finding.fix is not None
    assert finding.fix.safety is Safety.SAFE
    assert report.problems == ()
    assert lint_source(FIXED, **ONLY).findings == ()
    assert lint_source("", **ONLY).findings == ()


def test_text_without_a_name_reads_nothing(here: Path) -> None:
    (here / "pyproject.toml").write_text("[tool.ms-perflint]\nbroken = 1\n", encoding="utf-8")
    (here / "saves.py").write_text("def made(): return 1\n", encoding="utf-8")
    assert len(lint_source("import saves\n" + TRAIN, **ONLY).findings) == 1
    assert fix_source(TRAIN, **ONLY).text == FIXED
    with pytest.raises(ConfigError, match="broken: unknown key"):
        lint_source(TRAIN, "train.py")


def test_a_named_text_is_part_of_its_program_and_has_its_settings(here: Path) -> None:
    made = "from mindspore.train import CheckpointConfig\n\n\ndef made():\n    return CheckpointConfig()\n"
    main = "from saves import made\n" + TRAIN.replace("CheckpointConfig(save_checkpoint_steps=100)", "made()")
    (here / "train.py").write_text(main, encoding="utf-8")
    (here / "saves.py").write_text("", encoding="utf-8")
    assert [finding.place.row for finding in lint_source(made, "saves.py", **ONLY).findings] == [5]
    assert lint_source(made, here / "saves.py", **ONLY).findings[0].place.path == str(here / "saves.py")
    assert lint_source(made, **ONLY).findings == ()
    assert "async_save=True" in fix_source(made, "saves.py", **ONLY).text
    assert (here / "saves.py").read_text(encoding="utf-8") == ""  # nothing is written
    (here / "pyproject.toml").write_text("[tool.ms-perflint]\nignore = ['MSP301']\n", encoding="utf-8")
    assert lint_source(made, "saves.py").findings == ()
    assert lint_source(made, "saves.py", isolated=True, **ONLY).findings != ()
    assert "MSP301" in {finding.code for finding in lint_source(made, "saves.py", isolated=True).findings}


def test_settings(here: Path) -> None:
    def safety(**settings: Any) -> Safety | None:
        (finding,) = lint_source(TRAIN, **ONLY, **settings).findings
        return finding.fix and finding.fix.safety

    assert safety() is Safety.SAFE
    assert safety(mindspore_version="1.10") is Safety.UNSAFE
    assert lint_source(TRAIN, select=["MSP3"], ignore=("MSP301",)).findings == ()
    assert lint_source(TRAIN, select=["synchronous-checkpoint"]).findings != ()
    (here / "own.toml").write_text('[tool.ms-perflint]\nmindspore-version = "1.10"\n', encoding="utf-8")
    assert safety(config=here / "own.toml") is Safety.UNSAFE
    assert safety(config="own.toml", mindspore_version="2.4") is Safety.SAFE
    long = TRAIN.replace("=100)", "=100, keep_checkpoint_max=10)")
    assert "=10,\n" in fix_source(long, **ONLY).text
    assert "=10, async_save=True)" in fix_source(long, line_length=120, **ONLY).text


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"select": ["MSP999"]}, ConfigError, '^select: unknown rule "MSP999"'),
        ({"select": "MSP301"}, ConfigError, "^select: expected a list of texts"),
        ({"mindspore_version": 2.4}, ConfigError, "^mindspore-version: expected a version like"),
        ({"device": "TPU"}, ConfigError, "^device: expected one of Ascend"),
        ({"rules": {"MSP301": {"limit": 1}}}, ConfigError, "rules.MSP301.limit: unknown option"),
        ({"config": "gone.toml"}, ConfigError, "gone.toml: cannot be read"),
        ({"selct": ["MSP301"]}, TypeError, "^unknown setting 'selct'; known are config, device"),
    ],
)
def test_settings_that_cannot_be_used(settings: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        lint_source(TRAIN, **settings)


@pytest.mark.parametrize(
    ("text", "row", "message"),
    [
        ("import mindspore  # CheckpointConfig\nx = (\n", 2, "syntax error"),
        ("import mindspore  # CheckpointConfig\n\0", 2, "NUL"),
        ("# coding: klingon\nimport mindspore  # CheckpointConfig\n", 1, "unknown encoding"),
        ("# coding: latin-1\nimport mindspore  # CheckpointConfig 网\n", 0, "cannot be encoded"),
        ("import mindspore  # CheckpointConfig \ud800\n", 0, "cannot be encoded"),
    ],
)
def test_text_that_is_no_python(text: str, row: int, message: str) -> None:
    report = lint_source(text, "bad.py", **ONLY)
    assert report.findings == ()
    (problem,) = report.problems
    assert message in problem.message
    assert (problem.path, problem.row) == (os.path.abspath("bad.py"), row)
    fixed = fix_source(text, "bad.py", **ONLY)
    assert (fixed.text, fixed.fixed, fixed.report.problems) == (text, (), (problem,))


def test_fix_source() -> None:
    fixed = fix_source(TRAIN, **ONLY)
    assert fixed.text == FIXED
    assert [finding.code for finding in fixed.fixed] == ["MSP301"]
    assert fixed.report.findings == ()
    unsafe = fix_source(TRAIN, mindspore_version="1.10", **ONLY)
    assert (unsafe.text, unsafe.fixed) == (TRAIN, ())
    assert len(unsafe.report.findings) == 1
    assert fix_source(TRAIN, unsafe=True, mindspore_version="1.10", **ONLY).text == FIXED
    assert fix_source(TRAIN, mindspore_version="1.10", extend_safe_fixes=["MSP301"], **ONLY).text == FIXED


@pytest.mark.parametrize("head", ["", "\ufeff", "# coding: gbk\n# 网络\n", "# 网络\n"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_fixed_text_keeps_what_is_around(head: str, newline: str) -> None:
    text, expected = ((head + each).replace("\n", newline) for each in (TRAIN, FIXED))
    assert fix_source(text, **ONLY).text == expected


def test_lint_paths(here: Path) -> None:
    for name in "a.py", "below/b.py", "below/notes.txt", "build/c.py":
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_text(TRAIN, encoding="utf-8")
    expected = [str(here / "a.py"), str(here / "below" / "b.py")]
    report = lint_paths([here], **ONLY)
    assert [finding.place.path for finding in report.findings] == expected
    assert sorted(report.files) == expected
    assert lint_paths(".", jobs=2, **ONLY) == report
    assert [finding.place.path for finding in lint_paths("a.py", **ONLY).findings] == expected[:1]
    gone = lint_paths(["gone.py", "a.py"], **ONLY)
    assert len(gone.findings) == 1
    assert [problem.message for problem in gone.problems] == ["no such file or directory"]


def test_the_import_is_cheap_and_names_everything() -> None:
    code = (
        "import sys; before = set(sys.modules); import ms_perflint; loaded = set(sys.modules) - before\n"
        "assert {name for name in loaded if name.startswith('ms_perflint')} == {'ms_perflint'}, loaded\n"
        "assert not loaded & {'libcst', 'click', 'yaml', 'pathspec', 'tokenize', 'ast'}, loaded\n"
        "names = dir(ms_perflint); assert set(ms_perflint.__all__) <= set(names), names\n"
        "from ms_perflint import *\n"
        "assert lint_source('').findings == ()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in ms_perflint.__all__:
        assert getattr(ms_perflint, name) is not None
    with pytest.raises(AttributeError, match="module 'ms_perflint' has no attribute 'lint_text'"):
        ms_perflint.lint_text  # type: ignore[attr-defined]  # noqa: B018
