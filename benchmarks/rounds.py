"""Runs a slow program, and what `ms-perflint --fix` makes of it, in turn, and collects what each run measured."""

from __future__ import annotations

import os
import re
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ms_perflint.config.settings import Config
from ms_perflint.verify.processes import run
from ms_perflint.verify.variants import variants_of

SLOW = Path(__file__).resolve().parent / "slow"
ROOT = SLOW.parent.parent
TIMING = "timing.py"  # what the programs import
GRAPHS = "graphs"  # where a run leaves its compiled graphs
SECONDS = 600  # that one run may take

Figures = Mapping[str, float]
_FIGURE = re.compile(r"^figure (?P<name>\w+) (?P<value>[-+.\de]+)$", re.MULTILINE)


class EffectError(Exception):
    """A program that could not be fixed or run."""


@dataclass(frozen=True)
class Ran:
    """What one run printed, measured and left behind."""

    output: str
    figures: Figures
    folder: Path  # exists until the round is over


@dataclass(frozen=True)
class Variant:
    """One way to run a case: as it is or fixed, with these arguments."""

    name: str
    fixed: bool
    arguments: tuple[str, ...] = ()
    instead: tuple[str, str] = ("", "")  # a text of the program, and what stands there in this variant


SLOW_PROGRAM = Variant("slow", fixed=False)
FIXED_PROGRAM = Variant("fixed", fixed=True)


def _nothing(ran: Ran) -> Figures:
    """Return no figures beside those that the program printed."""
    return {}


@dataclass(frozen=True)
class Case:
    """A slow program, how it is started, and in which variants."""

    name: str  # what a table calls it
    program: str  # file in slow/
    code: str  # the rule whose fixes are made
    variants: tuple[Variant, ...] = (SLOW_PROGRAM, FIXED_PROGRAM)
    processes: int = 1
    wrapper: str = ""  # file in slow/ that runs the program
    environment: tuple[tuple[str, str], ...] = ()
    found: Callable[[Ran], Figures] = _nothing  # figures from what a run printed and left behind
    may_fail: bool = False


@dataclass(frozen=True)
class Rounds:
    """What all rounds of a case measured: variant -> one mapping of figures a round."""

    case: Case
    figures: Mapping[str, tuple[Figures, ...]]

    def of(self, variant: str, figure: str) -> list[float]:
        """Return one figure of a variant, round after round."""
        return [each[figure] for each in self.figures[variant]]


def measure(case: Case, rounds: int) -> Rounds:
    """Return the figures of all variants, run in turn: a busy minute meets all of them. May raise EffectError."""
    found: dict[str, list[Figures]] = {variant.name: [] for variant in case.variants}
    texts = {False: (SLOW / case.program).read_text(encoding="utf-8"), True: fixed(case)}
    for _ in range(rounds):
        for variant in case.variants:
            with _prepared(case, variant, texts[variant.fixed]) as folder:
                ran = _run(case, variant, folder)
                found[variant.name].append({**ran.figures, **case.found(ran)})
    return Rounds(case, {name: tuple(figures) for name, figures in found.items()})


def fixed(case: Case) -> str:
    """Return what the tool makes of the program of a case, or shows where it changes nothing. May raise EffectError."""
    program = str(SLOW / case.program)
    found = variants_of([program], Config(str(SLOW), select=(case.code,)), each=True).variants
    made = next((variant.contents[program] for variant in found if program in variant.contents), None)
    if made is None:
        raise EffectError(f"{case.program}: {case.code} is not fixed any more")
    return made.decode("utf-8")


@contextmanager
def _prepared(case: Case, variant: Variant, text: str) -> Iterator[Path]:
    """Give a folder with the program of a variant and the modules that it imports; it goes afterwards."""
    old, new = variant.instead
    if old not in text:
        raise EffectError(f"{case.program}, {variant.name}: the program has no {old!r}")
    with tempfile.TemporaryDirectory(prefix="effects-") as folder:
        Path(folder, case.program).write_text(text.replace(old, new) if old else text, encoding="utf-8")
        for module in (case.wrapper, TIMING):
            if module:
                shutil.copy(SLOW / module, folder)
        yield Path(folder)


def _run(case: Case, variant: Variant, folder: Path) -> Ran:
    """Return what a run of the program in a folder measured. May raise EffectError."""
    program = [word for word in (case.wrapper, case.program) if word]
    command = [*_launcher(case, folder), *program, *variant.arguments]
    settings = {"GLOG_v": "2", **dict(case.environment)}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])  # msrun starts "python"
    code, output = run(command, str(folder), {**os.environ, **settings, "PATH": path}, SECONDS)
    if code is None:
        raise EffectError(f"{case.program}, {variant.name}: not done after {SECONDS} s")
    if code and not case.may_fail:
        raise EffectError(f"{case.program}, {variant.name}: exit code {code}\n{output[-3000:]}")
    figures = {match["name"]: float(match["value"]) for match in _FIGURE.finditer(output)}
    return Ran(output, {"exit_code": code, **figures}, folder)


def _launcher(case: Case, folder: Path) -> list[str]:
    """Return the words that start the processes of a case."""
    if case.processes == 1:
        return [sys.executable]
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port = server.getsockname()[1]
    workers = [f"--worker_num={case.processes}", f"--local_worker_num={case.processes}"]
    msrun = str(Path(sys.executable).parent / "msrun")
    return [msrun, *workers, f"--master_port={port}", "--join=True", f"--log_dir={folder / 'log'}"]


def operators(ran: Ran, name: str) -> int:
    """Return how many operators of a name the last compiled graph of a run has. May raise EffectError."""
    saved = [path for path in ran.folder.rglob("hwopt_*.ir") if GRAPHS in path.parts and "rank_1" not in path.parts]
    if not saved:
        raise EffectError("the run saved no graphs")
    last = max(saved, key=lambda path: int(path.stem.rpartition("_")[2]))
    text = last.read_text(encoding="utf-8", errors="replace")
    return len(re.findall(rf" = (?:PrimFunc_)?{name}\(", text))
