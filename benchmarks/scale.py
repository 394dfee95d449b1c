"""Show how time and memory grow with the number of files, on trees that are made of copies of the samples.

python benchmarks/scale.py                            1, 2, 4 and 8 times 250 files
python benchmarks/scale.py --files 12500 --times 1 8  100,000 files at the end
python benchmarks/scale.py --from TREE                made of the folders in TREE in which a program starts

Each copy is a project of its own, with names of its own in its files, below folders of a hundred. For each size it is
printed what a cold run and a run with nothing changed take, by wall, processor and file; the memory of the largest
process; the size of the cache. Linear time and flat memory are what should be seen. The tree is made in the temporary
folder, and removed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from timing import Took, run

SAMPLES = Path(__file__).resolve().parent.parent / "sample_scripts" / "zoo_project"
ENTRY = "train.py"
FOLDER = 100  # projects in a folder
COPIED = (".py", ".yaml", ".yml", ".json", ".sh", ".toml", ".txt", ".cfg")


@dataclass(frozen=True)
class Size:
    """What a tree of some size took."""

    files: int
    cold: Took
    warm: Took
    cache: int  # bytes


def projects(source: Path) -> list[Path]:
    """Return the folders in which a program starts; the sample project by itself."""
    found = sorted(path.parent for path in source.rglob(ENTRY))
    outer = [folder for folder in found if not any(other in folder.parents for other in found)]
    if not outer:
        raise SystemExit(f"{source}: no {ENTRY} in it")
    return outer


def copy(project: Path, to: Path, number: int) -> int:
    """Copy the files of a project that a run may read, each with a comment of its own; return the Python files."""
    count = 0
    for path in sorted(project.rglob("*")):
        if path.suffix not in COPIED or not path.is_file():
            continue
        target = to / path.relative_to(project)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        if path.suffix == ".py":
            count += 1
            with target.open("ab") as file:
                file.write(b"\n# copy %d\n" % number)
    (to / "setup.cfg").touch()  # a project ends here
    return count


def grown(tree: Path, sources: Sequence[Path], sizes: Sequence[int]) -> Iterator[int]:
    """Let the tree grow to each of the sizes, and yield how many files it then has."""
    files = number = 0
    for size in sizes:
        while files < size:
            source = sources[number % len(sources)]
            files += copy(source, tree / f"part{number // FOLDER}" / f"project{number}", number)
            number += 1
        yield files


def measured(tree: Path, files: int, cache: Path) -> Size:
    """Return what a cold and a warm run over the tree take."""
    shutil.rmtree(cache, ignore_errors=True)
    command = [sys.executable, "-m", "ms_perflint", "check", "--isolated", "--exit-zero", "--cache-dir", str(cache)]
    command += ["--output-format", "concise", "--output-file", os.devnull, str(tree)]
    cold = run(command)
    run(command)  # what was too young for its times to tell is read once more
    return Size(files, cold, run(command), sum(path.stat().st_size for path in cache.rglob("*") if path.is_file()))


def row(size: Size, first: Size) -> str:
    """Return a size as a row of the table: beside each time how it grew against the number of files."""
    factor = size.files / first.files
    cold, warm = (
        f"{now.wall:.1f} s, {now.cpu / size.files * 1000:.2f} ms | {now.cpu / then.cpu / factor:.2f}"
        for now, then in ((size.cold, first.cold), (size.warm, first.warm))
    )
    peak, kept = max(size.cold.peak, size.warm.peak) / 1e6, size.cache / 1e6
    return f"| {size.files} | {cold} | {warm} | {peak:.0f} MB | {kept:.1f} MB |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure as the command line says; return the exit code."""
    parser = argparse.ArgumentParser(description="Measure how time and memory grow with the number of files.")
    parser.add_argument("--from", type=Path, default=SAMPLES, dest="source", metavar="TREE")
    parser.add_argument("--files", type=int, default=250, help="files of the smallest tree")
    parser.add_argument("--times", type=int, nargs="+", default=[1, 2, 4, 8], help="how often that many")
    asked = parser.parse_args(arguments)
    sources = projects(asked.source.resolve())
    print("| files | cold: wall, CPU a file | growth | warm: wall, CPU a file | growth | memory | cache |")
    print("|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        first = None
        tree = Path(scratch, "tree")
        for files in grown(tree, sources, [asked.files * times for times in sorted(asked.times)]):
            size = measured(tree, files, Path(scratch, "cache"))
            first = first or size
            print(row(size, first), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
