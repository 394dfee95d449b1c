"""Trees of files to be fixed in tests, single ones and pairs, and a process that fixes them: the command line, with a
rule that needs no MindSpore, so that most of its time goes into writing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from front import environment

from ms_perflint.config.settings import Config
from ms_perflint.core.files import Disk, Files
from ms_perflint.core.findings import Edit, Finding, Fix, Place, Safety
from ms_perflint.core.reports import Report
from ms_perflint.fixes.writing import Change

BEFORE = b"speed = 'slow'\n" + b"# what stands between, of mindspore\n" * 20 + b"limit = 'slow'\n"
AFTER = BEFORE.replace(b"slow", b"faster")
LEFTOVER = ".ms-perflint-*"


def grow(root: Path, singles: int, pairs: int = 0) -> list[Path]:
    """Return the files of a new tree: `one_*.py`, and `two_*.py` with its companion in another folder."""
    files = [root / f"part{number % 7}" / f"one_{number}.py" for number in range(singles)]
    for number in range(pairs):
        files += [root / f"part{number % 7}" / f"two_{number}.py", root / f"pair{number % 5}" / f"two_{number}_b.py"]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(BEFORE)
    return files


def family(path: str) -> str:
    """Return the name that a file shares with its companion."""
    return os.path.basename(path)[: -len(".py")].removesuffix("_b")


def changes(files: Sequence[Path], after: bytes = AFTER) -> list[Change]:
    """Return the changes that fix these files."""
    paths = [str(file) for file in files]
    families = {path: tuple(other for other in paths if family(other) == family(path)) for path in paths}
    return [Change(path, BEFORE, after, families[path]) for path in paths]


def lint(paths: Sequence[str], config: Config, files: Files | None = None, *_: object, **__: object) -> Report:
    """Report `slow`, with a fix for all of the file and its companion: stands in for the engine."""
    disk, findings = files or Disk(), []
    families: dict[str, list[str]] = {}
    for path in paths:
        families.setdefault(family(path), []).append(path)
    for relatives in families.values():
        edits = [edit for path in relatives for edit in _edits(path, disk.read(path))]
        if edits:
            place = Place(edits[0].path, 1, 1)
            findings.append(
                Finding(place, "MSP301", "slow", "is slow", place, (1,), Fix("fix", Safety.SAFE, tuple(edits)))
            )
    return Report(tuple(sorted(findings)), (), tuple(sorted(paths)))


def _edits(path: str, text: bytes) -> list[Edit]:
    """Return the edits that fix one file."""
    at, edits = text.find(b"slow"), []
    while at >= 0:
        edits.append(Edit(path, at, at + len(b"slow"), "faster"))
        at = text.find(b"slow", at + 1)
    return edits


def start(root: Path, *arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    """Start the command line with this rule; it prints a line before it writes."""
    paths = [os.path.dirname(os.path.abspath(__file__)), environment()["PYTHONPATH"]]
    return subprocess.Popen(
        [sys.executable, "-c", "import trees; trees.main()", "--isolated", *arguments],
        cwd=root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**environment(), "PYTHONPATH": os.pathsep.join(paths)},
        **options,
    )


def main() -> None:
    """Run the command line with the rule of this module."""
    from ms_perflint import cli, engine
    from ms_perflint.fixes import fixing

    write: Callable[..., Any] = fixing.write

    def announced(changes: Sequence[Change]) -> Any:
        os.write(1, b"writing\n")
        return write(changes)

    vars(fixing)["write"], vars(engine)["lint"] = announced, lint
    cli.main()
