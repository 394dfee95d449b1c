"""`--watch` in a pseudo-terminal: what changes is linted again, and nothing but Ctrl-C ends it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from front import FIXED, INTERRUPT, SAFE, TRAIN, at_the_terminal, environment, run, run_process

pytest.importorskip("watchfiles")
pytest.importorskip("pty")
CLEAR = "\x1b[2J"
WATCHING = "Ctrl-C ends."
PATIENCE = 60  # seconds until something must have been printed


class Watched:
    """A run with `--watch` on a terminal of its own."""

    def __init__(self, *arguments: str, cwd: Path) -> None:
        import pty

        self.main, terminal = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ms_perflint", "--watch", *arguments],
            cwd=cwd,
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            env={**environment(), "TERM": "xterm", "NO_COLOR": "1"},
            preexec_fn=at_the_terminal,
        )
        os.close(terminal)

    def screen(self, *words: str) -> str:
        """Return what a screen shows once it is whole and holds these words."""
        import select

        shown, until = "", time.monotonic() + PATIENCE
        while True:
            ready = select.select([self.main], [], [], max(0, until - time.monotonic()))[0]
            assert ready, f"nothing more came after {shown!r}"
            shown += os.read(self.main, 65536).decode()
            last = shown.rpartition(CLEAR)[2]
            if WATCHING in last and all(word in last for word in words):
                return last

    def stop(self) -> int:
        """Press Ctrl-C and return the exit code."""
        os.write(self.main, INTERRUPT.encode())
        code = self.process.wait(timeout=PATIENCE)
        os.close(self.main)
        return code


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    (tmp_path / "pyproject.toml").write_text("[tool.ms-perflint]\nselect = ['MSP301']\n")
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "other.py").write_text("x = 1\n")
    return Watched(".", cwd=tmp_path)


def test_lints_again_what_changes(watched: Watched, tmp_path: Path) -> None:
    assert "train.py:8:14: MSP301 [*]" in watched.screen("Found 1 finding.")
    (tmp_path / "train.py").write_text(FIXED)
    assert "MSP301" not in watched.screen("No findings in 2 files.")
    (tmp_path / "train.py").write_text(f"{TRAIN}def (\n")
    watched.screen("train.py:13:5: error: syntax error: invalid syntax")
    (tmp_path / "train.py").unlink()
    watched.screen("No findings in 1 file.")
    (tmp_path / "train.py").write_text(TRAIN)
    watched.screen("train.py:8:14: MSP301")
    (tmp_path / "pyproject.toml").write_text("[tool.ms-perflint]\nselect = 1\n")
    watched.screen("ms-perflint: error: ")
    (tmp_path / "pyproject.toml").write_text("[tool.ms-perflint]\nselect = ['MSP101']\n")
    watched.screen("train.py:9:5: MSP101")
    assert watched.stop() == 130


def test_a_setting_in_another_file_counts(tmp_path: Path) -> None:
    (tmp_path / "setup.cfg").write_text("")
    (tmp_path / "settings.py").write_text("import mindspore as ms\n")
    (tmp_path / "train.py").write_text(f"import settings\n{TRAIN}")
    running = Watched("--isolated", "--select", "MSP101", "train.py", cwd=tmp_path)
    running.screen("train.py:10:5: MSP101")
    (tmp_path / "settings.py").write_text("import mindspore as ms\n\nms.set_context(mode=ms.GRAPH_MODE)\n")
    running.screen("No findings in 1 file.")
    assert running.stop() == 130


@pytest.mark.parametrize("arguments", [("--fix", "."), ("--add-noqa", "."), ("--diff", "."), ("-",)])
def test_only_reports(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    told = run("--watch", *arguments, cwd=tmp_path)
    assert (told.code, told.out) == (2, "")
    assert "--watch only reports" in told.err


def test_ends_at_once_where_it_cannot_begin(tmp_path: Path) -> None:
    told = run("--watch", "--select", "nonsense", ".", cwd=tmp_path)
    assert told.code == 2
    assert 'unknown rule "nonsense"' in told.err
    told = run("--watch", "no/such/train.py", cwd=tmp_path)
    assert (told.code, told.err) == (2, f"ms-perflint: error: {tmp_path / 'no/such'}: no such directory\n")


def test_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "watchfiles.py").write_text("raise ImportError\n")
    path = os.pathsep.join([str(tmp_path), environment().get("PYTHONPATH", "")])
    told = run_process(*SAFE, "--watch", ".", cwd=tmp_path, env={"PYTHONPATH": path})
    assert told.err == ("ms-perflint: error: --watch needs the package watchfiles: pip install watchfiles\n")
    assert told.code == 2
