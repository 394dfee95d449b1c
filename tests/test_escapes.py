"""What a repository holds never steers the terminal: whatever is said shows control characters as escapes."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest
from front import TRAIN, environment, on_terminal, run

from ms_perflint.languages import LANGUAGES, Message, say

EVIL = "\x1b[31mred\x1b]0;pwn\x07\x9b1m\x7f\r\b\u202e"
TOML = json.dumps(EVIL)  # as TOML writes it too
OURS = "\n"  # the only one that a run prints itself, without colour
TABLE = "[tool.ms-perflint]\n"
TABLES = {
    "key": f"{TABLE}{TOML} = 1",
    "rule": f"{TABLE}select = [{TOML}]",
    "value": f"{TABLE}device = {TOML}",
    "version": f"{TABLE}mindspore-version = {TOML}",
    "type": f"{TABLE}line-length = [{TOML}]",
    "pattern": f"{TABLE}extend-exclude = [{json.dumps(EVIL + '[')}]",
    "pattern of ignores": f"[tool.ms-perflint.per-file-ignores]\n{TOML} = ['X1']",
    "rule with options": f"[tool.ms-perflint.rules.{TOML}]",
    "option": f"[tool.ms-perflint.rules.MSP202]\n{TOML} = 1",
    "option's value": f"[tool.ms-perflint.rules.MSP202]\nmultiple = {TOML}",
    "baseline": f"{TABLE}baseline = {TOML}",
    "baseline that cannot be": f"{TABLE}baseline = {json.dumps(EVIL + chr(0))}",
    "no TOML": f"{TABLE}{EVIL}",
    "lang": f"{TABLE}lang = {TOML}",
    "format": f"{TABLE}output-format = {TOML}",
}


def steering(shown: str) -> str:
    """Return the characters in what is shown that a terminal obeys."""
    return "".join(dict.fromkeys(each for each in shown if not each.isprintable() and each not in OURS))


def on_a_terminal(root: Path, *arguments: str) -> tuple[int, str]:
    """Return what a run without colour shows on a terminal."""
    ran = on_terminal(*arguments, cwd=root, env={"NO_COLOR": "1", "MS_PERFLINT_NO_CACHE": "1"})
    assert steering(ran.out) == "", ran.out
    return ran.code, ran.out


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a folder with a program."""
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("value", [EVIL, OSError(5, EVIL), [EVIL], Message("{inner}", inner=EVIL)])
def test_messages_are_one_line_that_prints(value: object, language: str) -> None:
    message = Message("{file}: is no baseline of ms-perflint: {reason}", file=EVIL, reason=value)
    assert steering(say(message, language)) == ""
    assert "\\x1b[31mred" in message
    assert "\n" not in say(Message("{place}: error: {reason}", place="a\nb", reason="c\n"), language)


@pytest.mark.parametrize("where", TABLES)
def test_errors_of_a_configuration(project: Path, where: str) -> None:
    (project / "pyproject.toml").write_text(TABLES[where], encoding="utf-8")
    code, shown = on_a_terminal(project, ".")
    assert (code, shown.count("\n")) == (2, 1)
    assert shown.startswith("ms-perflint: error: ")
    ran = run("-n", ".", cwd=project)
    assert (ran.code, ran.err, steering(ran.err)) == (2, shown, "")  # click leaves colour codes out of a pipe


@pytest.mark.parametrize("where", ["key", "pattern", "baseline", "no TOML"])
def test_errors_of_a_configuration_in_flake8(project: Path, where: str) -> None:
    (project / "pyproject.toml").write_text(TABLES[where], encoding="utf-8")
    ran = on_terminal("--isolated", "--select=MSP", "train.py", cwd=project, program=("-m", "flake8"))
    assert (ran.code, steering(ran.out), ran.out.count("\n")) == (1, "", 2)
    assert "ms-perflint: " in ran.out


def test_errors_of_a_configuration_in_an_editor(project: Path) -> None:
    pytest.importorskip("pygls")
    from editor import editing

    async def told() -> list[str]:
        async with editing(project) as editor:
            for where in ("key", "rule", "pattern", "baseline"):
                (project / "pyproject.toml").write_text(TABLES[where], encoding="utf-8")
                before = len(editor.messages)
                editor.say_changed(project / "pyproject.toml")
                if where == "key":
                    editor.open(project / "train.py")
                await editor.until(lambda before=before: len(editor.messages) > before)  # type: ignore[misc]
            return editor.messages

    messages = asyncio.run(told())
    assert len(messages) == 4
    assert steering("".join(messages)) == ""


@pytest.mark.parametrize(
    "arguments",
    [
        [f"{EVIL}.py"],
        ["--config", EVIL, "."],
        [f"--{EVIL}", "."],
        ["--output-format", EVIL, "."],
        ["--per-file-ignores", EVIL, "."],
        ["--device", EVIL, "."],
        ["--lang", EVIL, "."],
        ["rule", EVIL],
        ["config", EVIL],
        ["program", EVIL],
        ["--output-file", f"train.py/{EVIL}", "."],
    ],
)
def test_errors_of_a_command_line(project: Path, arguments: list[str]) -> None:
    code, shown = on_a_terminal(project, *arguments)
    assert (code, "\\x1b[31m" in shown) == (2, True)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("known.json", EVIL),
        ("known.json", json.dumps({"version": 1, "findings": [{EVIL: 1}]})),
        (
            "known.json",
            json.dumps({"version": 1, "findings": [{"path": EVIL, "code": EVIL, "statement": "", "occurrence": 1}]}),
        ),
        ("odd.py", f"import mindspore\n{EVIL}"),
        ("odd.py", f"# coding: {EVIL}\nimport mindspore\n"),
        ("odd.py", f"import mindspore\nx = '{EVIL}\n"),
        ("odd.ipynb", f"{{'mindspore': {EVIL}"),
        ("odd.ipynb", json.dumps({"nbformat": EVIL, "mindspore": 1})),
        (
            "odd.ipynb",
            json.dumps({"nbformat": 4, "metadata": {"kernelspec": {"language": EVIL}}, "cells": EVIL, "mindspore": 1}),
        ),
        (f"{EVIL}.py", "import mindspore\nx = (\n"),
        ("config.yaml", EVIL),
        (".gitignore", f"{EVIL}[\n"),
    ],
)
def test_what_files_hold(project: Path, name: str, text: str) -> None:
    (project / name).write_text(text, encoding="utf-8", newline="")
    (project / ".git").mkdir()
    baseline = ["--baseline", name] if name == "known.json" else []
    for more in ([], ["-v"], ["--add-noqa", "--diff"]):
        on_a_terminal(project, "--isolated", "--extend-select", "MSP901", *baseline, *more, ".")
    on_a_terminal(project, "--isolated", "program", ".")


def test_settings_that_are_shown(project: Path) -> None:
    inner = project / EVIL
    inner.mkdir()
    table = f"{TABLE}extend-exclude = [{TOML}]\nbaseline = {TOML}\n[tool.ms-perflint.per-file-ignores]\n{TOML} = []\n"
    (inner / "pyproject.toml").write_text(table, encoding="utf-8")
    (inner / "train.py").write_text(TRAIN, encoding="utf-8")
    for arguments in (["--show-settings", EVIL], ["--show-files", EVIL], ["--no-baseline", "-v", EVIL]):
        assert "\\x1b[31m" in on_a_terminal(project, *arguments)[1]
    (project / "pyproject.toml").write_text(table, encoding="utf-8")
    for key in ("extend-exclude", "baseline", "per-file-ignores"):
        assert "\\u001b[31m" in on_a_terminal(project, "config", key)[1]


HELD = TRAIN.replace("def train", f"# {EVIL.replace(chr(13), '')}\ndef train").replace("=100)", f"=100)  # {EVIL[:-3]}")


@pytest.mark.parametrize("arguments", [["--diff"], ["--diff", "--unsafe-fixes"], ["--fix"], []])
@pytest.mark.parametrize("version", ["2.4", "1.10"])
@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_source_lines_on_a_terminal(project: Path, arguments: list[str], version: str, env: dict[str, str]) -> None:
    (project / "train.py").write_text(HELD, encoding="utf-8")
    options = ("--isolated", "--select", "MSP301", "--mindspore-version", version)
    ran = on_terminal(*options, *arguments, "train.py", cwd=project, answers=["q"], env=env)
    assert steering(ran.out) == ""
    if arguments != ["--fix"] or version == "1.10":
        assert "\u241b[31mred" in ran.out


def test_a_patch_in_a_pipe_is_raw_and_applies(project: Path) -> None:
    (project / "train.py").write_text(HELD, encoding="utf-8")
    patch = subprocess.run(
        [sys.executable, "-m", "ms_perflint", "--isolated", "--select", "MSP301", "--diff", "train.py"],
        cwd=project,
        env=environment(),
        capture_output=True,
        check=False,
    ).stdout
    assert b"\x1b[31m" in patch
    subprocess.run(["git", "apply", "-"], cwd=project, input=patch, check=True)
    fixed = (project / "train.py").read_text(encoding="utf-8")
    assert f"async_save=True)  # {EVIL[:-3]}\n" in fixed
