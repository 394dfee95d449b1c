"""The command line in tests: a small program to lint, and ways to run the tool on it."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TextIO

import pytest

import ms_perflint
from ms_perflint.cli import main

TRAIN = """\
import mindspore as ms
from mindspore import nn
from mindspore.train import CheckpointConfig, Model, ModelCheckpoint


def train(net, loss, dataset):
    model = Model(net, loss, nn.SGD(net.trainable_params()))
    config = CheckpointConfig(save_checkpoint_steps=100)
    model.train(10, dataset, callbacks=[ModelCheckpoint("net", config=config)])


train(None, None, None)
"""
FIXED = TRAIN.replace("steps=100)", "steps=100, async_save=True)")
PROMPT = b"[q]uit: "
IN_CHINESE = "[q] 退出：".encode()  # the end of the same question
END, INTERRUPT = "\x04", "\x03"  # what a person types to end the input, or the run
SAFE = ("--isolated", "--select", "MSP301")  # one finding in TRAIN, with a safe fix
ENDING = tuple(signal.Signals[name] for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))  # main handles them
UNSAFE = (*SAFE, "--mindspore-version", "1.10")  # below 2.0 the same fix is unsafe


@dataclass(frozen=True)
class Ran:
    """What a run printed and left behind; a byte that is no UTF-8 is a surrogate."""

    code: int
    out: str
    err: str


def run(*arguments: str, cwd: Path, env: Mapping[str, str] | None = None, text: str | bytes = b"") -> Ran:
    """Run `ms-perflint` without a terminal, with a text on its standard input; in this process, which starts none."""
    variables = {**environment(), **(env or {})}
    assert not any(name.startswith("PYTHON") for name in env or ()), "the interpreter reads it: run_process"
    handlers = {number: signal.getsignal(number) for number in ENDING}
    with pytest.MonkeyPatch.context() as patch, _files(3) as streams:
        streams[0].write(text if isinstance(text, bytes) else text.encode())
        streams[0].seek(0)
        for name, file in zip(("stdin", "stdout", "stderr"), streams):
            patch.setattr(sys, name, io.TextIOWrapper(file, encoding="utf-8"))
        for name in os.environ.keys() - variables.keys():
            patch.delenv(name)
        for name, value in variables.items():
            patch.setenv(name, value)
        patch.chdir(cwd)
        try:
            with pytest.raises(SystemExit) as left:
                main(arguments)
            out, err = (_printed(stream) for stream in (sys.stdout, sys.stderr))
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
    return Ran(int(left.value.code or 0), out, err)


@contextmanager
def _files(count: int) -> Iterator[list[IO[bytes]]]:
    """Give so many empty files."""
    with ExitStack() as stack:
        yield [stack.enter_context(tempfile.TemporaryFile()) for _ in range(count)]


def _printed(stream: TextIO) -> str:
    """Return what was written to a stream."""
    stream.flush()
    stream.buffer.seek(0)
    return _text(stream.buffer.read())


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def run_process(*arguments: str, cwd: Path, env: Mapping[str, str] | None = None, text: str | bytes = b"") -> Ran:
    """Run `ms-perflint` as a process of its own, without a terminal, with a text on its standard input."""
    done = subprocess.run(
        [sys.executable, "-m", "ms_perflint", *arguments],
        cwd=cwd,
        input=text if isinstance(text, bytes) else text.encode(),
        capture_output=True,
        env={**environment(), **(env or {})},
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, _text(done.stdout), _text(done.stderr))


def on_terminal(
    *arguments: str,
    cwd: Path,
    answers: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    program: Sequence[str] = ("-m", "ms_perflint"),
) -> Ran:
    """Run `ms-perflint` in a pseudo-terminal, give an answer whenever it asks; `out` has what the terminal shows.

    It counts as CI, where no progress is shown: what is shown does not depend on the time it takes.
    """
    import pty  # not on every system

    main, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, *program, *arguments],
        cwd=cwd,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env={**environment(), "TERM": "xterm", "CI": "true", **(env or {})},
        preexec_fn=at_the_terminal,
    )
    os.close(terminal)
    shown, left = b"", list(answers)
    while part := _read(main):
        shown += part
        if shown.endswith((PROMPT, IN_CHINESE)) and left:
            answer = left.pop(0)
            os.write(main, (answer if answer in (END, INTERRUPT) else f"{answer}\n").encode())
            # between its question and its wait the interpreter only notes an interrupt: a person types it again
            for _ in range(20 if answer == INTERRUPT else 0):
                if _ends(process):
                    break
                os.write(main, answer.encode())
    os.close(main)
    return Ran(process.wait(60), shown.decode("utf-8").replace("\r\n", "\n"), "")


def _ends(process: subprocess.Popen[bytes]) -> bool:
    """Return whether a process ends in the next seconds."""
    try:
        process.wait(3)
    except subprocess.TimeoutExpired:
        return False
    return True


def at_the_terminal() -> None:
    """Make the terminal that is the standard input the one that sends interrupts to this process."""
    import fcntl
    import termios

    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _read(descriptor: int) -> bytes:
    """Return what comes next; nothing when the other side has closed."""
    try:
        return os.read(descriptor, 65536)
    except OSError:
        return b""


def environment() -> dict[str, str]:
    """Return the environment without what would colour or steer a run; the package is the one that is tested here."""
    steering = ("NO_COLOR", "FORCE_COLOR", "FORCE_HYPERLINK", "TERM", "TERM_PROGRAM", "VTE_VERSION", "COLUMNS")
    kept = {key: value for key, value in os.environ.items() if key not in steering}
    return {**kept, "PYTHONPATH": os.path.dirname(os.path.dirname(ms_perflint.__file__)), "PYTHONUTF8": "1"}
