"""Command lines: how they end, and files whose names look like options."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from front import FIXED, SAFE, TRAIN, environment, run

from ms_perflint.commands.asked import with_files


def test_errors_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    for arguments, error in (
        (("--quiet", "--verbose"), "--quiet and --verbose exclude each other"),
        (("--device", "asend"), '--device: expected one of Ascend, GPU, CPU, got "asend", did you mean "Ascend"?'),
        (("--output-file", "."), "cannot write .: Is a directory"),
    ):
        ran = run(*SAFE, *arguments, "train.py", cwd=tmp_path)
        assert (ran.code, ran.out, ran.err) == (2, "", f"ms-perflint: error: {error}\n")
    ran = run("profile", "my data", cwd=tmp_path)
    error = "to read a profile: `ms-perflint --profile 'my data' train.py`"
    assert (ran.code, ran.out, ran.err) == (2, "", f"ms-perflint: error: {error}\n")
    ran = run(*SAFE, "train.py", cwd=tmp_path)
    assert (ran.code, "MSP301" in ran.out, ran.err) == (1, True, "")


def test_who_reads_no_further_ends_it_quietly(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    reads, writes = os.pipe()
    os.close(reads)
    command = [sys.executable, "-m", "ms_perflint", *SAFE, "train.py"]
    done = subprocess.run(command, cwd=tmp_path, stdout=writes, stderr=subprocess.PIPE, env=environment(), timeout=60)
    os.close(writes)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_end_it(number: signal.Signals, code: int, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ms_perflint", *SAFE, "-"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment(),
        **pipes,  # type: ignore[call-overload]
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b"#" * 1_000_000)  # more than a pipe holds: now it reads
        process.stdin.flush()
        process.send_signal(number)
        out, error = process.communicate(timeout=60)
    assert (process.returncode, out, error) == (code, b"", b"\n" if number == signal.SIGINT else b"")


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
def test_an_interrupt_while_it_loads_leaves_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt\n", encoding="utf-8")
    command = [sys.executable, "-m", "ms_perflint", "--version"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, env=environment(), timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


# --- files whose names look like options

NAMES = (
    "-dash.py",
    "--help.py",
    "-.py",
    "--fix.py",
    "-o a.py",
    "-new\nline.py",
    "--config=x.py",
    "-n.ipynb",
    "--select=.pyi",
)


@pytest.mark.parametrize("name", [*NAMES, "--\udcff.py"])
@pytest.mark.parametrize("before", [(), ("check", "--force-exclude", "--select", "MSP301"), ("-q", "--no-fix-at-all")])
def test_a_python_file_is_no_option(
    name: str, before: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).touch()
    assert with_files([*before, name, "b.py"]) == [*before, f"./{name}", "b.py"]
    assert with_files([*before, "--", name]) == [*before, "--", name]
    assert with_files([*before, "a.py", "--", name, "--", name]) == [*before, "a.py", "--", name, "--", name]


@pytest.mark.parametrize(
    "word", ["-dash.py", "--fix", "-q", "--config=x.py", "-", "--", "--output-file=x.html", "a.py"]
)
def test_what_is_no_python_file_stays_as_it_is(word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("--fix", "-q", "-", "--", "--output-file=x.html", "a.py"):
        Path(name).touch()
    Path("-dash.py").mkdir()
    assert with_files([word]) == [word]


@pytest.mark.parametrize("name", [*NAMES, "--\udcff.py", "a b.py"])
def test_a_file_whose_name_looks_like_an_option_is_fixed(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text('{"cells": []}' if name.endswith(".ipynb") else TRAIN, encoding="utf-8")
    ran = run("check", "--force-exclude", *SAFE, "--fix", "--no-interactive", name, cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    if not name.endswith(".ipynb"):
        assert (tmp_path / name).read_text(encoding="utf-8") == FIXED
    assert run("--diff", *SAFE, "--", name, cwd=tmp_path).code == 0
