"""The command lines that are read without click: as click reads them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import click
import pytest
from front import FIXED, SAFE, TRAIN, environment, run

from ms_perflint.cache import CACHE_DIR, NO_CACHE
from ms_perflint.commands.asked import (
    COMMANDS,
    COMPLETION,
    FLAGS,
    LISTS,
    TEXTS,
    Options,
    plain,
    with_files,
)
from ms_perflint.commands.front import check, front
from ms_perflint.languages import VARIABLE

PLAIN = [
    ["a.py"],
    ["check", "a.py"],
    ["check", "rule"],
    ["check", "check"],
    ["a.py", "-", "b"],
    [""],
    ["a=b.py"],
    *([flag, "a.py"] for flag in FLAGS),
    *([name, "x", "a.py"] for name in TEXTS),
    *([f"{name}=x=y", "a.py", f"{name}="] for name in TEXTS),
    *(["a.py", name, "MSP1, MSP301,,", f"{name}=redundant-cast"] for name in LISTS if name != "--output-format"),
    ["--output-format", "json", "a.py", "--output-format=sarif=out=1", "--output-format", "text="],
    ["--fix", "a.py", "--fix", "--quiet", "--config", "1", "--config", "2"],
]
OTHERS = [
    [],
    ["check"],
    ["--fix"],
    *([command] for command in COMMANDS),
    ["rule", "a.py"],
    ["--help"],
    ["--version"],
    ["-q", "a.py"],
    ["-j1", "a.py"],
    ["--", "a.py"],
    ["--fix=1", "a.py"],
    ["a.py", "--config"],
    ["a.py", "--config", "--fix"],
    ["--conf", "x", "a.py"],
    ["--output-format", "jsn", "a.py"],
    ["--output-format", "=x", "a.py"],
    ["--show-files", "a.py"],
    ["--unsafe-fixes", "a.py"],
    ["--add-noqa", "a.py"],
    ["--lang", "zh", "a.py"],
]


def by_click(arguments: list[str]) -> tuple[tuple[str, ...], Options]:
    """Return what click makes of a command line."""
    context = check.make_context("check", arguments[1:] if arguments[0] == "check" else list(arguments))
    options = {name: value for name, value in context.params.items() if name not in ("paths", "view")}
    return context.params["paths"], Options(**options)


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (VARIABLE, NO_CACHE, CACHE_DIR, COMPLETION):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("arguments", PLAIN, ids=" ".join)
def test_a_plain_command_line_is_read_as_click_reads_it(arguments: list[str]) -> None:
    assert plain(arguments) == by_click(arguments)


@pytest.mark.parametrize("arguments", OTHERS, ids=" ".join)
def test_all_else_is_left_to_click(arguments: list[str]) -> None:
    assert plain(arguments) is None


def test_the_tables_are_those_of_click() -> None:
    options = {name: each for each in check.params if isinstance(each, click.Option) for name in each.opts}
    flags = {name for name, each in options.items() if each.is_flag and not each.secondary_opts}
    assert set(FLAGS) == {name for name in flags if name.startswith("--")} - {"--show-files", "--show-settings"}
    assert all(options[name].type is click.STRING and not options[name].multiple for name in TEXTS)
    assert all(options[name].type is click.STRING and options[name].multiple for name in LISTS)
    tables = {**FLAGS, **TEXTS, **LISTS}
    assert all(options[name].name == field for name, field in tables.items())
    assert set(COMMANDS) == set(front.commands)
    names = {each.envvar for each in check.params if each.envvar}
    assert names == {VARIABLE, NO_CACHE, CACHE_DIR}


@pytest.mark.parametrize(
    ("given", "is_plain"),
    [
        ({VARIABLE: "zh"}, True),
        ({VARIABLE: "ZH"}, True),
        ({VARIABLE: ""}, True),
        ({VARIABLE: "fr"}, False),
        ({NO_CACHE: ""}, True),
        ({NO_CACHE: "1"}, False),
        ({CACHE_DIR: ""}, True),
        ({CACHE_DIR: "x"}, True),
        ({COMPLETION: "bash_complete"}, False),
    ],
    ids=str,
)
def test_the_environment_counts_as_for_click(
    given: Mapping[str, str], is_plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert plain(["a.py"]) == (by_click(["a.py"]) if is_plain else None)
    if is_plain:
        assert plain(["--cache-dir", "y", "a.py"]) == by_click(["--cache-dir", "y", "a.py"])


# --- however it was read, a run ends in the same way; `-j1` takes click to read

WAYS = pytest.mark.parametrize("way", [(), ("-j1",)], ids=["plain", "by click"])


@WAYS
def test_errors_are_the_same(way: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    for arguments, error in (
        (("--quiet", "--verbose"), "--quiet and --verbose: only one of them can hold"),
        (("--device", "asend"), '--device: expected one of Ascend, GPU, CPU, got "asend", did you mean "Ascend"?'),
        (("--output-file", "."), "cannot write .: Is a directory"),
    ):
        ran = run(*SAFE, *way, *arguments, "train.py", cwd=tmp_path)
        assert (ran.code, ran.out, ran.err) == (2, "", f"ms-perflint: error: {error}\n")
    ran = run(*SAFE, *way, "train.py", cwd=tmp_path)
    assert (ran.code, "MSP301" in ran.out, ran.err) == (1, True, "")


@WAYS
def test_who_reads_no_further_ends_it_quietly(way: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    reads, writes = os.pipe()
    os.close(reads)
    command = [sys.executable, "-m", "ms_perflint", *SAFE, *way, "train.py"]
    done = subprocess.run(command, cwd=tmp_path, stdout=writes, stderr=subprocess.PIPE, env=environment(), timeout=60)
    os.close(writes)
    assert (done.returncode, done.stderr) == (1, b"")


@WAYS
@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_end_it(way: tuple[str, ...], number: signal.Signals, code: int, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ms_perflint", *SAFE, *way, "-"]
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
def test_a_file_whose_name_looks_like_an_option_is_mended(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("{}" if name.endswith(".ipynb") else TRAIN, encoding="utf-8")
    ran = run("check", "--force-exclude", *SAFE, "--fix", "--no-interactive", name, cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    if not name.endswith(".ipynb"):
        assert (tmp_path / name).read_text(encoding="utf-8") == FIXED
    assert run("--diff", *SAFE, "--", name, cwd=tmp_path).code == 0
