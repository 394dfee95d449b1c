"""Print how fast `ms-perflint` is beside ruff, flake8, TorchFix, Fixit, pylint and `ast.parse`, on the machine at hand.

python benchmarks/speed.py TREE                       all measures over the Python files in TREE
python benchmarks/speed.py TREE --sample LIST         slow peers over the files of LIST, a path below TREE a line
python benchmarks/speed.py TREE --only cold one-file  these measures alone
python benchmarks/speed.py TREE --envs DIR            where the environments of the tools are made, or were made before

Each measure is a ratio of two commands that are run in turn; what is printed is the median of the ratios of the rounds.
Wall time wants an idle machine. TREE is only read: what changes files works on copies.
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
OWN = ("ms-perflint", "flake8")  # the environment with the tool
PEERS = ("ruff", "flake8", "torchfix", "fixit", "pylint", "perflint")
PARSE = "import ast, sys\nfor path in sys.stdin.read().splitlines():\n    ast.parse(open(path, 'rb').read(), path)\n"
SLOW = "the slow peers run once"
PROGRAMS = 8  # programs in which one file is changed
ENTRY = "train.py"


@dataclass(frozen=True)
class Measure:
    """One line of the table: what is measured against what, and how much it may be."""

    name: str
    what: str
    goal: str
    ratios: Callable[[Bench], list[float]]
    unit: str = ""


class Bench:
    """The tools, the files and the rounds of one run."""

    def __init__(self, tree: Path, sample: Sequence[Path], envs: Path, rounds: int, scratch: Path) -> None:
        self.tree = tree
        self.sample = sample
        self.rounds = rounds
        self.scratch = scratch
        self.own = envs / "own" / "bin"
        self.peers = envs / "peers" / "bin"
        self.cache = scratch / "cache"

    def lint(self, *arguments: str, cache: bool = False) -> Took:
        """Return what a run of the tool took; findings are written nowhere."""
        options = ["--isolated", "--exit-zero", "--output-format", "concise", "--output-file", os.devnull]
        place = ["--cache-dir", str(self.cache)] if cache else ["--no-cache"]
        return run([str(self.own / "ms-perflint"), "check", *options, *place, *arguments])

    def ruff(self) -> Took:
        """Return what a cold run of ruff over the tree took."""
        return run([str(self.peers / "ruff"), "check", "--no-cache", "--isolated", "--exit-zero", "-q", str(self.tree)])

    def parse(self, files: Sequence[Path]) -> Took:
        """Return what reading and parsing files took."""
        return run([str(self.own / "python"), "-c", PARSE], typed="\n".join(map(str, files)))

    def rates(self, one: Callable[[], Took], other: Callable[[], Took], of: Callable[[Took], float]) -> list[float]:
        """Return the ratios of two commands that are run in turn."""
        return [of(one()) / of(other()) for _ in range(self.rounds)]

    def copies(self, name: str) -> Path:
        """Return a folder with copies of the sample, under names of their own."""
        folder = self.scratch / name
        if not folder.exists():
            for path in self.sample:
                to = folder / path.relative_to(self.tree)
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, to)
        return folder

    def programs(self) -> list[Path]:
        """Return copies of some folders in which a program starts, from all over the tree."""
        found = sorted(path.parent for path in self.tree.rglob(ENTRY))
        chosen = found[:: max(1, len(found) // PROGRAMS)][:PROGRAMS]
        return [self._copy(folder, f"program{index}") for index, folder in enumerate(chosen)]

    def project(self, name: str) -> Path:
        """Return an empty folder that is a project of its own: scripts in the folders above are not part of it."""
        folder = self.scratch / name
        (folder / ".git").mkdir(parents=True, exist_ok=True)
        return folder

    def _copy(self, folder: Path, name: str) -> Path:
        to = self.scratch / name
        if not to.exists():
            shutil.copytree(folder, to, ignore_dangling_symlinks=True)
            (to / ".git").mkdir(exist_ok=True)
        return to


def _wall(took: Took) -> float:
    return took.wall


def _cpu(took: Took) -> float:
    return took.cpu


def cold_wall(bench: Bench) -> list[float]:
    """Cold lint against cold ruff."""
    return bench.rates(lambda: bench.lint(str(bench.tree)), bench.ruff, _wall)


def cold_cpu(bench: Bench) -> list[float]:
    """Cold lint against parsing all files."""
    files = sorted(bench.tree.rglob("*.py"))
    return bench.rates(lambda: bench.lint(str(bench.tree)), lambda: bench.parse(files), _cpu)


def sample_cpu(bench: Bench) -> list[float]:
    """Cold lint of the sample against parsing it."""
    files = list(map(str, bench.sample))
    return bench.rates(lambda: bench.lint(*files), lambda: bench.parse(bench.sample), _cpu)


def torchfix(bench: Bench) -> list[float]:
    """Cold lint of the sample against TorchFix on the same files, with the marker that TorchFix waits for."""
    folder = bench.copies("torch")
    for path in folder.rglob("*.py"):
        path.write_bytes(path.read_bytes().replace(b"mindspore", b"torch"))
    plain = bench.lint(*map(str, bench.sample))
    peer = run([str(bench.peers / "torchfix"), "--select", "ALL", str(folder)])
    return [plain.cpu / peer.cpu]


def slow_peer(name: str, arguments: Sequence[str]) -> Callable[[Bench], list[float]]:
    """Return the measure of cold lint of the sample against another linter."""

    def measure(bench: Bench) -> list[float]:
        folder = bench.copies("sample")
        return [bench.lint(str(folder)).cpu / run([str(bench.peers / name), *arguments, str(folder)]).cpu]

    return measure


def warm(bench: Bench) -> list[float]:
    """Lint when nothing has changed against cold ruff."""
    bench.lint(str(bench.tree), cache=True)
    return bench.rates(lambda: bench.lint(str(bench.tree), cache=True), bench.ruff, _wall)


def beside(bench: Bench) -> list[float]:
    """Lint the sample when a file appeared beside it, and nothing else changed, against linting it cold."""
    folder = bench.copies("shared/sample")
    (folder / ".git").mkdir(exist_ok=True)
    bench.lint(str(folder), cache=True)
    ratios = []
    for number in range(bench.rounds):
        (folder.parent / f"notes{number}.txt").write_text("", encoding="utf-8")
        ratios.append(bench.lint(str(folder), cache=True).cpu / bench.lint(str(folder)).cpu)
    return ratios


def changed(bench: Bench) -> list[float]:
    """Lint a program of which one file has changed against linting it cold."""
    ratios = []
    for folder in bench.programs():
        bench.lint(str(folder), cache=True)
        entry = folder / ENTRY
        for _ in range(bench.rounds):
            with entry.open("a", encoding="utf-8") as file:
                file.write("\n")
            ratios.append(bench.lint(str(folder), cache=True).wall / bench.lint(str(folder)).wall)
    return ratios


def clean_file(bench: Bench) -> list[float]:
    """Lint one file that has no findings against starting Python."""
    path = bench.project("clean") / "clean.py"
    path.write_text("import mindspore as ms\n\nx = ms.Tensor([1.0])\nprint(x + 1)\n", encoding="utf-8")
    return bench.rates(lambda: bench.lint(str(path)), lambda: run([str(bench.own / "python"), "-c", "pass"]), _wall)


def fixed_file(bench: Bench) -> list[float]:
    """Fix one file that has findings against importing LibCST."""
    sample = HERE.parent / "sample_scripts" / "lenet.py"
    path = bench.project("fixed") / "lenet.py"

    def fix() -> Took:
        shutil.copyfile(sample, path)
        return bench.lint("--fix", "--unsafe-fixes", str(path))

    return bench.rates(fix, lambda: run([str(bench.own / "python"), "-c", "import libcst"]), _wall)


def flake8_cold(bench: Bench) -> list[float]:
    """Lint the sample with flake8 and the plugin, which knows nothing of it, against flake8 alone."""
    return _flake8(bench, "--ms-perflint-no-cache")


def flake8_warm(bench: Bench) -> list[float]:
    """Lint the sample with flake8 and the plugin when nothing has changed against flake8 alone."""
    _flake8(bench, rounds=1)
    return _flake8(bench)


def _flake8(bench: Bench, *given: str, rounds: int | None = None) -> list[float]:
    options = ["--isolated", "--exit-zero", "--output-file", os.devnull, str(bench.copies("sample"))]
    alone = [str(bench.own / "python"), str(HERE / "without_plugin.py"), *options]
    both = [str(bench.own / "flake8"), *given, *options]
    return [run(both).wall / run(alone).wall for _ in range(rounds or bench.rounds)]


def memory(bench: Bench) -> list[float]:
    """Return the largest resident memory of a process in a cold lint, in MB."""
    return [bench.lint(str(bench.tree)).peak / 1e6]


def growth(bench: Bench) -> list[float]:
    """Lint eight copies of the sample against linting one."""
    eight = bench.scratch / "eight"
    for number in range(8):
        if not (eight / str(number)).exists():
            shutil.copytree(bench.copies("sample"), eight / str(number))
    return bench.rates(lambda: bench.lint(str(eight)), lambda: bench.lint(str(bench.copies("sample"))), _wall)


MEASURES = (
    Measure("cold", "cold lint of the tree, wall, against `ruff check --no-cache`", "<= 2.5", cold_wall),
    Measure("parse", "cold lint of the tree, CPU, against `ast.parse` of all files", "<= 1.5", cold_cpu),
    Measure("sample", "cold lint of the sample, CPU, against `ast.parse` of it", "", sample_cpu),
    Measure("torchfix", f"cold lint of the sample, CPU, against TorchFix ({SLOW})", "<= 0.01", torchfix),
    Measure("fixit", "cold lint of the sample, CPU, against Fixit (once)", "", slow_peer("fixit", ["-q", "lint"])),
    Measure(
        "perflint",
        "cold lint of the sample, CPU, against pylint with perflint (once)",
        "",
        slow_peer("pylint", ["--load-plugins=perflint", "--disable=all", "--enable=W8101,W8201,W8202,W8301", "-j2"]),
    ),
    Measure("warm", "nothing changed since the last run, wall, against cold ruff", "<= 0.1", warm),
    Measure("beside", "a file appeared beside the sample, CPU, against cold lint of it", "<= 0.05", beside),
    Measure("changed", "one file of a program changed, wall, against cold lint of it", "<= 0.2", changed),
    Measure("one-file", "one clean file, wall, against `python -c pass`", "<= 6", clean_file),
    Measure("fix", "one file and `--fix`, wall, against `import libcst`", "<= 2", fixed_file),
    Measure("flake8", "flake8 with the plugin, sample, cold, wall, against flake8 alone", "<= 1.1", flake8_cold),
    Measure("flake8-warm", "the same when nothing changed since the last run", "<= 1.1", flake8_warm),
    Measure("memory", "peak memory of a process, cold lint of the tree", "<= 130 MB", memory, " MB"),
    Measure("growth", "eight times the files, wall", "<= 9", growth),
)


def made(envs: Path) -> Path:
    """Return a directory with the environments `own` (this checkout) and `peers`; make those that are not there."""
    for name, packages in (("own", [str(HERE.parent), "flake8"]), ("peers", [*PEERS, "setuptools<81"])):
        if not (envs / name).exists():
            subprocess.run([sys.executable, "-m", "venv", str(envs / name)], check=True)
            pip = [str(envs / name / "bin" / "pip"), "install", "-q", "--disable-pip-version-check"]
            subprocess.run([*pip, *packages], check=True)
    return envs


def line(measure: Measure, ratios: Sequence[float]) -> str:
    """Return a measure as a row of the table."""
    middle, low, high = statistics.median(ratios), min(ratios), max(ratios)
    spread = f" ({low:.3g} to {high:.3g})" if len(ratios) > 1 else ""
    return f"| {measure.what} | {middle:.3g}{spread}{measure.unit} | {measure.goal} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print as the command line says; return the exit code."""
    names = [measure.name for measure in MEASURES]
    parser = argparse.ArgumentParser(description="Measure how fast ms-perflint is beside others.")
    parser.add_argument("tree", type=Path, help="a folder of Python code")
    parser.add_argument("--sample", type=Path, help="a list of files below the folder; else its first 1,000")
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="MEASURE", help=", ".join(names))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--envs", type=Path, help="a directory for the environments of the tools; else made anew")
    asked = parser.parse_args(arguments)
    tree = asked.tree.resolve()
    listed = asked.sample.read_text(encoding="utf-8").splitlines() if asked.sample else []
    sample = [tree / name for name in listed] or sorted(tree.rglob("*.py"))[:1000]
    with tempfile.TemporaryDirectory() as scratch:
        envs = made(asked.envs or Path(scratch) / "envs")
        bench = Bench(tree, sample, envs.resolve(), asked.rounds, Path(scratch))
        os.environ["MS_PERFLINT_CACHE_DIR"] = str(bench.cache)  # where flake8 is to keep what it knows
        load = os.getloadavg()[0]
        cores, version = os.cpu_count(), platform.python_version()
        print(f"{cores} cores, Python {version}, load {load:.1f} at the start, {asked.rounds} rounds\n")
        print("| measure | median (range) | goal |\n|---|---|---|", flush=True)
        for measure in MEASURES:
            if measure.name in asked.only:
                print(line(measure, measure.ratios(bench)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
