"""Runs of a program and its variants in turn, and the effect of each variant."""

from __future__ import annotations

import datetime
import json
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple, Optional

from ms_perflint.config.settings import inside
from ms_perflint.languages import Message
from ms_perflint.verify import verdicts
from ms_perflint.verify.copying import Place, copy, place_of
from ms_perflint.verify.processes import Ended, run
from ms_perflint.verify.records import Run, is_done, read
from ms_perflint.verify.results import CHANGES_LOSS, FAILS, NOT_MEASURED, Measured, Result
from ms_perflint.verify.variants import Variant

HOOKS = {"hooks.py": "sitecustomize.py", "steps.py": "ms_perflint_steps.py"}  # this file -> what Python knows it by
FEWEST = 3  # number of steps with which a run counts although it did not end in time
LAST = re.compile(r"^(?:[\w.]+\.)?\w*(?:Error|Exception|Interrupt|Exit)\b.*", re.MULTILINE)

Progress = Callable[[str, int, int], None]


class Program(NamedTuple):
    """A program, and the way to start it."""

    entry: str
    files: tuple[str, ...]
    documents: tuple[str, ...] = ()  # config files that it loads
    arguments: tuple[str, ...] = ()
    launch: str = ""  # a script, or the words of a launcher
    python: str = sys.executable
    steps: int = 20
    seconds: float = 600.0  # time limit of one run
    environment: Mapping[str, str] = {}
    devices: tuple[str, ...] = ()  # that it is for
    clock: verdicts.Times = verdicts.wall


def measure(program: Program, variants: Sequence[Variant], rounds: int, progress: Progress) -> Result:
    """Return the effect of each variant; the unchanged program and the variants run in turn, so that drift affects all.

    A variant that fails once is not run again.
    """
    place = where(program)
    runnable = [index for index, variant in enumerate(variants) if variant.contents]
    before: list[Run] = []
    after: dict[int, list[Run]] = {index: [] for index in runnable}
    total = rounds * (1 + len(runnable))
    for number in range(rounds):
        done = number * (1 + len(runnable))
        progress("", done + 1, total)
        one, output = once(program, place, {})
        before.append(one._replace(steps=tuple(program.clock(one))))
        if one.error:
            return _result(program, rounds, before, (), output)
        for position, index in enumerate(runnable):
            if not any(each.error for each in after[index]):
                progress(", ".join(variants[index].rules), done + 2 + position, total)
                other = once(program, place, variants[index].contents)[0]
                after[index].append(other._replace(steps=tuple(program.clock(other))))
    measured = (_measured(variant, before, after.get(index, [])) for index, variant in enumerate(variants))
    return _result(program, rounds, before, tuple(measured))


def where(program: Program) -> Place:
    """Return the place of a program that is started in the working directory."""
    files = tuple(map(os.path.realpath, program.files))
    return place_of(os.path.realpath(program.entry), files, os.path.realpath("."))


def once(
    program: Program, place: Place, contents: Mapping[str, bytes], look: Callable[[Path], None] = lambda folder: None
) -> tuple[Run, str]:
    """Return one run of a program in a fresh copy with some files replaced, and its output.

    `look` gets the copy of the project before it is removed. The error of the run also tells why it does not count.
    """
    with _temporary() as folder:
        records, target = folder / "records", folder / "copy"
        for each in (records, folder / "hooks", target):
            each.mkdir(parents=True)
        for name, placed in HOOKS.items():
            shutil.copy(Path(__file__).with_name(name), folder / "hooks" / placed)
        real = {os.path.realpath(path): content for path, content in contents.items()}
        copy(place, str(target), real, [os.path.realpath(path) for path in program.files])
        moved = _Moved(place, str(target))
        settings = {"records": str(records), "steps": program.steps, "copy": str(target), **place._asdict()}
        env = _environment(program, moved, folder / "hooks", settings)
        try:
            ended = run(
                _command(program, moved), moved.path(place.cwd), env, program.seconds, partial(is_done, records)
            )
        except OSError as error:
            return Run(error=f"{error.filename}: {error.strerror}"), ""
        found = read(records)
        look(Path(moved.path(place.project)))
        reason = _error(found, ended, program.seconds)
        if not isinstance(reason, Message):
            reason = reason.replace(str(target), "")
        return found._replace(error=reason), ended.output.replace(str(target), "")


@contextmanager
def _temporary() -> Iterator[Path]:
    """Create an empty directory, and remove it afterwards without following links."""
    folder = os.path.realpath(tempfile.mkdtemp(prefix="ms-perflint-verify-"))
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Moved(NamedTuple):
    """The mapping of paths into the copy."""

    place: Place
    target: str

    def path(self, path: str) -> str:
        """Return a path of the project or the working directory in the copy; one of elsewhere as it is."""
        if not inside(path, self.place.project) and path != self.place.cwd:
            return path
        return os.path.normpath(os.path.join(self.target, os.path.relpath(path, self.place.top)))

    def word(self, word: str) -> str:
        """Return a word of a command line, in which the path of something in the project is that of the copy."""
        option, equals, value = word.partition("=")
        if equals and option.startswith("-") and os.path.isabs(value):
            return f"{option}={self.path(value)}"
        return self.path(word) if os.path.isabs(word) else word


def _command(program: Program, moved: _Moved) -> list[str]:
    """Return the words that start a program in the copy."""
    arguments = list(map(moved.word, program.arguments))
    entry = os.path.realpath(program.entry)
    relative = os.path.relpath(entry, os.path.realpath("."))
    script = moved.path(entry) if relative.startswith(os.pardir) else relative
    if not program.launch:
        return [program.python, script, *arguments]
    if os.path.isfile(program.launch):
        return ["bash", moved.path(os.path.realpath(program.launch)), *arguments]
    words = shlex.split(program.launch)
    runs_python = os.path.basename(words[0]) == "msrun" or any("python" in os.path.basename(word) for word in words)
    return [*words, *([] if runs_python else [program.python]), script, *arguments]


def _environment(program: Program, moved: _Moved, hooks: Path, settings: Mapping[str, object]) -> dict[str, str]:
    """Return the environment of a run: the hooks come first, and `python` is the interpreter that was chosen."""
    env = {**os.environ, **program.environment}
    paths = [moved.word(path) for path in env.get("PYTHONPATH", "").split(os.pathsep) if path]
    env["PYTHONPATH"] = os.pathsep.join([str(hooks), *paths])
    env["PATH"] = os.pathsep.join([os.path.dirname(program.python), env.get("PATH", "")])
    env["PYTHONDONTWRITEBYTECODE"] = "1"
    env["PWD"] = moved.path(os.path.realpath("."))
    env["MS_PERFLINT_VERIFY"] = json.dumps(settings)
    return env


def _error(found: Run, ended: Ended, seconds: float) -> str:
    """Return the reason why a run does not count; "" if it does."""
    if found.is_done and found.steps:
        return ""
    if ended.code is None:
        return "" if len(found.steps) >= FEWEST else Message("not done after {seconds:.0f} s", seconds=seconds)
    if found.error:
        return found.error
    if ended.code:
        lines = [match[0] for match in LAST.finditer(ended.output)]
        return lines[-1] if lines else Message("exit code {code}", code=ended.code)
    if not found.steps:
        return Message("no training step was seen")
    return ""


def _measured(variant: Variant, before: Sequence[Run], after: Sequence[Run]) -> Measured:
    """Return the effect of a variant."""
    applicability = variant.safety.value
    if not after:
        return Measured(variant.rules, applicability, NOT_MEASURED, error=variant.reason)
    error = next((each.error for each in after if each.error), "")
    if error:
        return Measured(variant.rules, applicability, FAILS, _median(before), error=error)
    first, second = verdicts.quartiles(before), verdicts.quartiles(after)
    verdict = CHANGES_LOSS if verdicts.changes_loss(before, after) else verdicts.speed(before, after)
    return Measured(
        variant.rules,
        applicability,
        verdict,
        first.median if first else None,
        second.median if second else None,
        first.spread if first else None,
        second.spread if second else None,
        _first(before),
        _first(after),
        verdicts.loss_difference(before, after),
        max((each.peak_memory for each in after if each.peak_memory), default=None),
    )


def _median(runs: Sequence[Run]) -> Optional[float]:
    found = verdicts.quartiles(runs)
    return found.median if found else None


def _first(runs: Collection[Run]) -> Optional[float]:
    """Return the median time of the first step."""
    times = [each.first for each in runs if each.first is not None]
    return statistics.median(times) if times else None


def _result(
    program: Program, rounds: int, before: Sequence[Run], measured: tuple[Measured, ...], output: str = ""
) -> Result:
    times = verdicts.quartiles(before)
    return Result(
        program.entry,
        program.arguments,
        before[0].device,
        before[0].mindspore,
        program.steps,
        rounds,
        times.median if times else None,
        times.spread if times else None,
        _first(before),
        max((each.peak_memory for each in before if each.peak_memory), default=None),
        verdicts.own_difference(before),
        datetime.date.today().isoformat(),
        measured,
        next((each.error for each in before if each.error), ""),
        output,
    )


def has_mindspore(python: str) -> Optional[bool]:
    """Return whether an interpreter finds MindSpore; None if it cannot be run."""
    program = "import importlib.util, sys; sys.exit(3 if importlib.util.find_spec('mindspore') is None else 0)"
    try:
        code = subprocess.run([python, "-c", program], capture_output=True, timeout=60, check=False).returncode
    except (OSError, subprocess.TimeoutExpired):
        return None
    return {0: True, 3: False}.get(code)
