"""Print what `ms-perflint` costs beside `ast.parse`, `ty check` and `import libcst`, on the machine at hand.

python benchmarks/speed.py TREE                       all measures; TREE holds programs, as mindspore-ai/models does
python benchmarks/speed.py TREE --libraries DIR...    repositories of libraries, with their own examples and tests
python benchmarks/speed.py TREE --only tree memory    these measures alone
python benchmarks/speed.py TREE --envs DIR            where the environments of the tools are made, or were made before

Each measure is a ratio of the processor time of two commands that are run in turn, in one process each; what is printed
is the median of the ratios of the rounds. TREE and the libraries are only read: what changes files works on copies.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from timing import Took, run

HERE = Path(__file__).resolve().parent
ENVIRONMENTS = {"own": (str(HERE.parent),), "peers": ("ty",)}  # this checkout, and what it is measured beside
PARSE = """
import ast, sys
for path in sys.stdin.read().splitlines():
    try:
        ast.parse(open(path, "rb").read())
    except (SyntaxError, ValueError):
        pass
"""
PROGRAMS = 8  # training scripts that are opened, or changed
ENTRY = "train.py"


@dataclass(frozen=True)
class Measure:
    """One line of the table: what is measured against what, how much it may be, and what it is to become."""

    name: str
    what: str
    bar: str
    aim: str
    ratios: Callable[[Bench], list[float]]
    unit: str = ""


class Bench:
    """The tools, the files and the rounds of one run."""

    def __init__(self, tree: Path, libraries: Sequence[Path], envs: Path, rounds: int, scratch: Path) -> None:
        self.tree = tree
        self.libraries = libraries
        self.rounds = rounds
        self.scratch = scratch
        self.own = envs / "own" / "bin"
        self.peers = envs / "peers" / "bin"
        self.cache = scratch / "cache"

    def lint(self, *paths: Path, cache: bool = False) -> Took:
        """Return what a run of the tool took, all rules, one process; findings are written nowhere."""
        options = ["--isolated", "--select", "ALL", "--jobs", "1", "--exit-zero", "--output-file", os.devnull]
        place = ["--cache-dir", str(self.cache)] if cache else ["--no-cache"]
        return run([str(self.own / "ms-perflint"), "check", *options, *place, *map(str, paths)])

    def parse(self, tree: Path) -> Took:
        """Return what reading and parsing all files of a tree took."""
        return self.python("-c", PARSE, typed="\n".join(map(str, sorted(tree.rglob("*.py")))))

    def python(self, *arguments: str, typed: str = "") -> Took:
        """Return what Python took, in the environment of the tool."""
        return run([str(self.own / "python"), *arguments], typed)

    def rates(self, one: Callable[[], Took], other: Callable[[], Took]) -> list[float]:
        """Return the ratios of two commands that are run in turn."""
        return [one().cpu / other().cpu for _ in range(self.rounds)]

    def scripts(self) -> list[Path]:
        """Return some training scripts, from all over the tree."""
        found = sorted(self.tree.rglob(ENTRY))
        return found[:: max(1, len(found) // PROGRAMS)][:PROGRAMS]

    def copy(self, tree: Path, name: str) -> Path:
        """Return a copy of a tree, a project of its own."""
        to = self.scratch / name / tree.name
        if not to.exists():
            shutil.copytree(tree, to, ignore_dangling_symlinks=True)
            if not (to / ".git").exists():  # in a worktree it is a file
                (to / ".git").mkdir()
        return to


def against_parse(bench: Bench, tree: Path) -> list[float]:
    """Cold lint of a tree against parsing all its files."""
    return bench.rates(lambda: bench.lint(tree), lambda: bench.parse(tree))


def tree(bench: Bench) -> list[float]:
    """Cold lint of the tree against parsing all its files."""
    return against_parse(bench, bench.tree)


def worst(bench: Bench) -> list[float]:
    """Return what the library took for which cold lint takes longest, against parsing all its files."""
    return max((against_parse(bench, library) for library in bench.libraries), key=statistics.median)


def ty(bench: Bench) -> list[float]:
    """Return what `ty check` of the tree takes, against parsing all its files."""
    command = [str(bench.peers / "ty"), "check", "--exit-zero", "-qq", str(bench.tree)]
    return bench.rates(lambda: run(command), lambda: bench.parse(bench.tree))


def beside(bench: Bench) -> list[float]:
    """Lint each library when a file appeared beside it, and nothing else changed, against linting it cold."""
    return [rate for library in bench.libraries for rate in _again(bench, library, "beside", _appears)]


def changed(bench: Bench) -> list[float]:
    """Lint each library when one training script has changed against linting it cold."""
    libraries = (library for library in bench.libraries if any(library.rglob(ENTRY)))
    return [rate for library in libraries for rate in _again(bench, library, "changed", _edited)]


def _again(bench: Bench, library: Path, name: str, change: Callable[[Path, int], None]) -> list[float]:
    folder = bench.copy(library, name)
    bench.lint(folder, cache=True)
    ratios = []
    for number in range(bench.rounds):
        change(folder, number)
        ratios.append(bench.lint(folder, cache=True).cpu / bench.lint(folder).cpu)
    return ratios


def _appears(folder: Path, number: int) -> None:
    (folder.parent / f"notes{number}.txt").write_text("", encoding="utf-8")


def _edited(folder: Path, number: int) -> None:
    with sorted(folder.rglob(ENTRY))[0].open("a", encoding="utf-8") as file:
        file.write(f"\nlast = {number}\n")


def pre_commit(bench: Bench) -> list[float]:
    """Lint one training script with findings against importing LibCST."""
    script = bench.copy(HERE.parent / "sample_scripts", "pre-commit") / "lenet.py"
    return bench.rates(lambda: bench.lint(script), lambda: bench.python("-c", "import libcst"))


def editor(bench: Bench) -> list[float]:
    """Return what keystrokes in training scripts take, the 95th percentile, against opening one."""
    command = [str(bench.own / "python"), str(HERE / "keystrokes.py"), *map(str, bench.scripts())]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [float(done.stdout)]


def memory(bench: Bench) -> list[float]:
    """Return the largest resident memory of a process in cold lint of the tree, and of each library, in MB."""
    return [max(bench.lint(tree).peak / 1e6 for tree in (bench.tree, *bench.libraries))]


MEASURES = (
    Measure("libraries", "the worst of the libraries, cold, against `ast.parse`", "8", "4", worst),
    Measure(
        "tree", "the tree, cold, against `ast.parse`", "4.3", "2.8", lambda bench: against_parse(bench, bench.tree)
    ),
    Measure("ty", "`ty check` of the tree against `ast.parse`", "", "", ty),
    Measure("beside", "a file appeared beside the project, against cold", "0.05", "0.02", beside),
    Measure("changed", "one training script changed, whole repository, against cold", "0.6", "0.2", changed),
    Measure("pre-commit", "one training script with findings, against `import libcst`", "1.5", "1.2", pre_commit),
    Measure("editor", "a keystroke, 95th percentile, against opening the file", "1.0", "0.3", editor),
    Measure("memory", "peak memory of a process, the tree and each library", "140 MB", "", memory, " MB"),
)


def made(envs: Path) -> Path:
    """Return a directory with the environments of the tools; make those that are not there."""
    for name, packages in ENVIRONMENTS.items():
        if not (envs / name).exists():
            subprocess.run([sys.executable, "-m", "venv", str(envs / name)], check=True)
            pip = [str(envs / name / "bin" / "pip"), "install", "-q", "--disable-pip-version-check"]
            subprocess.run([*pip, *packages], check=True)
    return envs


def line(measure: Measure, ratios: Sequence[float]) -> str:
    """Return a measure as a row of the table."""
    middle, low, high = statistics.median(ratios), min(ratios), max(ratios)
    spread = f" ({low:.3g} to {high:.3g})" if len(ratios) > 1 else ""
    return f"| {measure.what} | {middle:.3g}{spread}{measure.unit} | {measure.bar} | {measure.aim} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print as the command line says; return the exit code."""
    names = [measure.name for measure in MEASURES]
    parser = argparse.ArgumentParser(description="Measure how fast ms-perflint is beside others.")
    parser.add_argument("tree", type=Path, help="a folder of programs")
    parser.add_argument(
        "--libraries", type=Path, nargs="+", metavar="DIR", help="repositories of libraries; else the tree"
    )
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="MEASURE", help=", ".join(names))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--envs", type=Path, help="a directory for the environments of the tools; by default a temporary one"
    )
    asked = parser.parse_args(arguments)
    folder = asked.tree.resolve()
    libraries = [library.resolve() for library in asked.libraries or [folder]]
    with tempfile.TemporaryDirectory() as scratch:
        envs = made(asked.envs or Path(scratch) / "envs")
        bench = Bench(folder, libraries, envs.resolve(), asked.rounds, Path(scratch))
        load = os.getloadavg()[0]
        cores, version = os.cpu_count(), platform.python_version()
        print(f"{cores} cores, Python {version}, load {load:.1f} at the start, {asked.rounds} rounds\n")
        print("| measure | median (range) | bar | aim |\n|---|---|---|---|", flush=True)
        for measure in MEASURES:
            if measure.name in asked.only:
                print(line(measure, measure.ratios(bench)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
