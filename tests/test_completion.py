"""What the tab key completes, in real shells on a terminal."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from front import at_the_terminal, environment, run

PATIENCE = 60  # seconds until a shell counts as stuck
START = {  # how a shell is started without the settings of the user, and made to complete
    "bash": ("bash --norc --noprofile -i", "source {script}"),
    "zsh": ("zsh -f -i", "autoload -Uz compinit && compinit -u -D && source {script}"),
    "fish": ("fish --no-config --interactive", "source {script}"),
}
WRAPPER = """\
#!/bin/sh
[ -n "$_MS_PERFLINT_COMPLETE" ] || {{ printf '%s\\n' "$@" > {log}.part && mv {log}.part {log}; exit 0; }}
exec {python} -m ms_perflint "$@"
"""
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")


def too_old(shell: str) -> bool:
    """Return whether a shell cannot complete by functions: bash before 4.4."""
    question = "((BASH_VERSINFO[0] * 10 + BASH_VERSINFO[1] >= 44))"
    return shell == "bash" and subprocess.run(["bash", "-c", question], check=False).returncode != 0


@pytest.fixture(params=START)
def shell(request: pytest.FixtureRequest) -> str:
    """Return a shell that is installed here."""
    name = str(request.param)
    if shutil.which(name) is None or too_old(name):
        pytest.skip(f"no {name} here that completes")
    return name


def entered(shell: str, keys: str, home: Path) -> list[str]:
    """Return the arguments that `ms-perflint` gets when a person types this and the return key."""
    import pty

    log, script, programs = home / "log", home / "script", home / "programs"
    programs.mkdir()
    command = programs / "ms-perflint"
    command.write_text(WRAPPER.format(log=shlex.quote(str(log)), python=shlex.quote(sys.executable)), encoding="utf-8")
    command.chmod(0o755)
    script.write_text(run("completion", shell, cwd=home).out, encoding="utf-8")
    start, setup = START[shell]
    steering = {"HOME": str(home), "TERM": "dumb", "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    main, terminal = pty.openpty()
    process = subprocess.Popen(
        start.split(),
        cwd=home,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env={**environment(), **steering},
        preexec_fn=at_the_terminal,
    )
    os.close(terminal)
    try:
        os.write(main, f"{setup.format(script=script)}\n{keys}\n".encode())
        return waited_for(log, main)
    finally:
        process.kill()
        process.wait()
        os.close(main)


def waited_for(log: Path, main: int) -> list[str]:
    """Return the lines of a file as soon as it is there, reading meanwhile what the terminal shows."""
    import select

    shown = b""
    end = time.monotonic() + PATIENCE
    while not log.exists():
        assert time.monotonic() < end, shown.decode("utf-8", "replace")
        if select.select([main], [], [], 0.05)[0]:
            shown += os.read(main, 65536)
    return log.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    ("keys", "arguments"),
    [
        ("rule MSP3\t", ["rule", "MSP301"]),
        ("rule redun\t", ["rule", "redundant-cast"]),
        ("conf\tline-l\t", ["config", "line-length"]),
        ("check --stat\ttra\t", ["check", "--statistics", "train.py"]),
        ("--unsafe\ttra\t", ["--unsafe-fixes", "train.py"]),
        ("--select MSP301,MSP6\ttra\t", ["--select", "MSP301,MSP601", "train.py"]),
        ("--output-format jun\t--device Asc\t.", ["--output-format", "junit", "--device", "Ascend", "."]),
        ("rule --format mark\tunal\t", ["rule", "--format", "markdown", "unaligned-shape"]),
    ],
)
def test_the_tab_key(shell: str, keys: str, arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("", encoding="utf-8")
    assert entered(shell, f"ms-perflint {keys}", tmp_path) == arguments


def test_without_a_command_both_commands_and_options_are_offered(tmp_path: Path) -> None:
    def offered(*words: str) -> set[str]:
        env = {
            "_MS_PERFLINT_COMPLETE": "bash_complete",
            "COMP_WORDS": "\n".join(words),
            "COMP_CWORD": str(len(words) - 1),
        }
        return set(run(cwd=tmp_path, env=env).out.split())

    assert {"plain,check", "plain,rule", "plain,config", "file,"} <= offered("ms-perflint", "")
    assert {"plain,--select", "plain,--fix", "plain,--help"} <= offered("ms-perflint", "--")
    assert offered("ms-perflint", "--device", "g") == {"plain,GPU"}
    assert {"plain,ALL", "plain,MSP101"} <= offered("ms-perflint", "--select", "")
    assert "dir," in offered("ms-perflint", "clean", "--cache-dir", "")


def test_a_shell_that_is_not_known(tmp_path: Path) -> None:
    ran = run("completion", "tcsh", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert "'bash', 'zsh', 'fish'" in ran.err
