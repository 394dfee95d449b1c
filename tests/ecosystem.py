"""Prove the fixes on real code: `python tests/ecosystem.py FOLDER... [--jobs N] [--variants N] [--json OUT]`.

Takes folders of any Python code, and checks for every file, on a copy:

- each fix alone, whatever its safety, makes its finding go and brings no other, and the file still parses;
- all fixes together: only the bytes of the reported edits change (spliced here anew, and compared with what was
  written); `ast` and LibCST read the result; expressions and statements that no edit reaches are as they were; nothing
  that was fixed is reported again, and nothing new is reported but for the rules that spoke second;
- the command line finds nothing more to fix in what was written; file modes and all other files are as they were;
- of notebooks, all fixes together: nothing but code changes, the JSON keeps its layout, nbformat takes it, and a second
  run changes nothing;
- with `--variants`, the same for the files in other shapes: line ends, encodings, comments in every line, ...

Prints what was counted and what failed; leaves with 1 when something did. Nothing is written into the folders.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Optional

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from consequences import Alone, Failure, alone, by_path, steps
from linting import Contents, Linted, State, in_processes, units
from notebook_properties import unlike
from variants import VARIANTS, varied

from ms_perflint.config import files as config_files
from ms_perflint.config import values as config_values
from ms_perflint.core.files import Disk, Overlay
from ms_perflint.core.findings import Finding, Safety
from ms_perflint.core.reports import Report
from ms_perflint.core.source import NOTEBOOK
from ms_perflint.discovery import discover
from ms_perflint.fixes.fixing import Settled, fix, settle

TOOL = Path(__file__).resolve().parent.parent


@dataclass
class Counts:
    """What was done in one folder or in all."""

    files: int = 0
    notebooks: int = 0
    with_findings: int = 0
    offered: Counter[tuple[str, str]] = field(default_factory=Counter)  # by rule and safety
    applied: Counter[tuple[str, str]] = field(default_factory=Counter)
    in_notebooks: Counter[tuple[str, str]] = field(default_factory=Counter)  # applied there
    shapes: Counter[str] = field(default_factory=Counter)  # files by variant
    failures: list[Failure] = field(default_factory=list)

    def add(self, other: Counts) -> None:
        """Take in the counts of another folder."""
        self.files += other.files
        self.notebooks += other.notebooks
        self.in_notebooks += other.in_notebooks
        self.with_findings += other.with_findings
        self.offered += other.offered
        self.applied += other.applied
        self.shapes += other.shapes
        self.failures += other.failures


class Folder:
    """A copy of a folder in which everything is tried."""

    def __init__(self, copy: str, jobs: int, quick: bool) -> None:
        self.copy = copy
        self.jobs = jobs
        self.quick = quick
        self.config = config_values.override(config_files.load([copy], None, True), select=("ALL",), unsafe_fixes=True)
        files = discover([copy], self.config).files
        self.notebooks = [path for path in files if path.endswith(NOTEBOOK)]  # their edits are edits of joined cells
        self.paths = [path for path in files if not path.endswith(NOTEBOOK)]
        self.units = units(self.paths)
        self.counts = Counts(files=len(self.paths), notebooks=len(self.notebooks))

    def check(self, variants: int) -> Counts:
        """Return the properties that hold and those that do not."""
        linted = Linted(self.units, self.config, self.jobs, {})
        report = linted(Disk())
        self.counts.with_findings = len({finding.place.path for finding in report.findings})
        self.counts.offered = by_safety(report.findings)
        self.fail(Failure(p.path, "", p.message) for p in report.problems if "internal" in p.message)
        self.alone(report, {}, relint=frozenset((Safety.DISPLAY,) if self.quick else Safety))
        for turn in range(variants):
            self.variant(report, turn)
        self.together(linted)
        self.in_notebooks()
        return self.counts

    def fail(self, failures: Iterable[Failure]) -> None:
        """Take note of failures, their paths as in the folder."""
        for failure in failures:
            self.counts.failures.append(failure._replace(path=self.name(failure.path)))

    def name(self, path: str) -> str:
        """Return the name of a file in the folder."""
        return os.path.relpath(path, self.copy)

    def alone(self, report: Report, contents: Contents, relint: Collection[Safety]) -> None:
        """Make each fix by itself; fixes of the same edits once. `relint`: of these, see whether the finding goes."""
        of_file = {path: tuple(found) for path, found in groupby(report.findings, lambda found: found.place.path)}
        seen: set[object] = set()
        tasks = []
        for finding in report.findings:
            key = (finding.code, finding.fix.edits, finding.place.path) if finding.fix else None
            if finding.fix is not None and key not in seen:
                seen.add(key)
                touched = {finding.place.path, *by_path([finding])}
                before = tuple(one for path in sorted(touched) for one in of_file.get(path, ()))
                tasks.append(Alone(finding, before, finding.fix.safety in relint))
        for failures in in_processes(alone, tasks, State(contents, self.config), self.jobs):
            self.fail(failures)

    def together(self, linted: Linted) -> None:
        """Make all fixes that may be made, on disk."""
        before = snapshot(self.copy)
        linted.states.clear()
        settled = fix(linted, Disk(), self.config, unsafe=True)
        after = snapshot(self.copy)
        self.counts.applied = by_safety(settled.fixed)
        changed = {change.path for change in settled.changes}
        differing = {path for path in {*before, *after} if before.get(path) != after.get(path)}
        self.fail(Failure(path, "", "changed although nothing was fixed in it") for path in differing - changed)
        for change in settled.changes:
            if after.get(change.path) != (before[change.path][0], change.after):
                self.fail([Failure(change.path, "", "what was written is not what was made, or has another mode")])
        held = {change.path: change.before for change in settled.changes}
        states = [({**held, **contents}, report) for contents, report in linted.states]
        self.settled(states, settled)
        told = changed | {finding.place.path for finding in settled.report.findings}
        self.again([path for path in linted.reached(changed) if path in told], settled.report)

    def in_notebooks(self) -> None:
        """Make all fixes in notebooks, on disk."""
        before = snapshot(self.copy)
        settled = fix(Linted(units(self.notebooks), self.config, self.jobs, {}), Disk(), self.config, unsafe=True)
        self.fail(Failure(problem.path, "", problem.message) for problem in settled.problems)
        self.counts.in_notebooks = by_safety(settled.fixed)
        for path, (mode, raw) in snapshot(self.copy).items():
            if before[path][0] != mode or (before[path][1] != raw and not path.endswith(NOTEBOOK)):
                self.fail([Failure(path, "", "changed while notebooks were fixed")])
            elif before[path][1] != raw:
                self.fail(Failure(path, "", why) for why in unlike(before[path][1], raw))
        self.again([change.path for change in settled.changes], settled.report)

    def settled(self, states: Sequence[tuple[Contents, Report]], settled: Settled) -> None:
        """Look at all passes of fixing, and at what they came to."""
        self.fail(Failure(problem.path, "", problem.message) for problem in settled.problems)
        self.fail(steps(states, settled))
        for finding in settled.report.findings:
            if finding.fix and finding.fix.safety is not Safety.DISPLAY and set(by_path([finding])) <= set(self.paths):
                self.fail([Failure(finding.place.path, finding.code, "could still be fixed at the end")])

    def again(self, paths: Sequence[str], report: Report) -> None:
        """Run the command line over the files that can have changed: it must not change them any more."""
        if not paths:
            return
        before = snapshot(self.copy)
        options = ("--isolated", "--select", "ALL", "--fix", "--unsafe-fixes", "--no-interactive")
        command = [sys.executable, "-m", "ms_perflint", *options, "--output-format", "json", *paths]
        environment = {**os.environ, "PYTHONPATH": str(TOOL)}
        done = subprocess.run(command, capture_output=True, cwd=TOOL, env=environment, check=False)
        if snapshot(self.copy) != before:
            self.fail([Failure(self.copy, "", "a second run changes files")])
        found = json.loads(done.stdout or b"[]")
        left = [(one["filename"], one.get("cell", 0), one["location"]["row"], one["code"]) for one in found]
        places = [(one.place, one.code) for one in report.findings if one.place.path in set(paths)]
        wanted = [(place.path, place.cell, place.line, code) for place, code in places]
        is_unread = any(problem.path in set(paths) for problem in report.problems)  # one cell of a notebook may be
        if left != wanted or done.returncode != (2 if is_unread else int(bool(left))):
            message = done.stderr.decode().strip().splitlines()[:1]
            odd = sorted(set(left) ^ set(wanted))[:3]
            self.fail([Failure(self.copy, "", f"the command line finds something else: {odd} {message}")])

    def variant(self, report: Report, turn: int) -> None:
        """Give each file with a fix one of the shapes, another each turn, and make all fixes in them."""
        fixable = sorted({path for finding in report.findings for path in by_path([finding]) if path.endswith(".py")})
        names = list(VARIANTS)
        shapes = {path: names[(zlib.crc32(self.name(path).encode()) + turn) % len(names)] for path in fixable}
        base = {path: made for path, name in shapes.items() if (made := varied(Path(path).read_bytes(), name))}
        self.counts.shapes += Counter(shapes[path] for path in base)
        paths = [path for path in self.paths if path in {one.place.path for one in report.findings} | set(base)]
        linted = Linted(units(paths), self.config, self.jobs, base)
        settled = settle(linted, Overlay(Disk(), dict(base)), self.config, unsafe=True)
        first = linted.states[0][1]
        for path in sorted(base):
            codes, now = ([one.code for one in found.findings if one.place.path == path] for found in (report, first))
            if sorted(codes) != sorted(now):
                self.fail([Failure(path, "", f"{shapes[path]}: reports {now} instead of {codes}")])
        at = len(self.counts.failures)
        self.settled(linted.states, settled)
        self.alone(first, base, relint=())
        named = {self.name(path): name for path, name in shapes.items()}
        for index, failure in enumerate(self.counts.failures[at:], at):
            shape = named.get(failure.path, "as it is")
            self.counts.failures[index] = failure._replace(why=f"{shape}: {failure.why}")


def snapshot(folder: str) -> dict[str, tuple[int, bytes]]:
    """Return mode and content of every file below a folder."""
    found = {}
    for directory, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(directory, name)
            status = os.lstat(path)
            content = Path(path).read_bytes() if stat.S_ISREG(status.st_mode) else b""
            found[path] = (status.st_mode, content)
    return found


def by_safety(findings: Iterable[Finding]) -> Counter[tuple[str, str]]:
    """Return how many fixes there are by rule and safety."""
    return Counter((finding.code, finding.fix.safety.value if finding.fix else "no fix") for finding in findings)


def check(folder: str, jobs: int = 1, variants: int = 0, quick: bool = False, only_notebooks: bool = False) -> Counts:
    """Return the properties that hold, and those that do not, in a copy of a folder without .git and large files."""
    with tempfile.TemporaryDirectory() as temporary:
        copy = os.path.join(os.path.realpath(temporary), os.path.basename(os.path.abspath(folder)))
        shutil.copytree(folder, copy, symlinks=True, ignore=_ignored)
        if os.path.lexists(os.path.join(folder, ".git")):
            os.mkdir(os.path.join(copy, ".git"))
        tried = Folder(copy, jobs, quick)
        if not only_notebooks:
            return tried.check(variants)
        tried.in_notebooks()
        return tried.counts


def _ignored(directory: str, names: list[str]) -> list[str]:
    """Return the names that need not be copied."""
    paths = {name: os.path.join(directory, name) for name in names}
    large = [name for name, path in paths.items() if os.path.isfile(path) and os.path.getsize(path) > 2_000_000]
    large = [name for name in large if not name.endswith(NOTEBOOK)]  # these may be: of pictures
    links = [name for name, path in paths.items() if os.path.islink(path) and not os.path.exists(path)]
    return [*large, *links, *({".git"} & set(names))]


def show(counts: Counts) -> None:
    """Print what was counted."""
    print(f"{counts.files} files, {counts.with_findings} with findings")
    for key in sorted(counts.offered.keys() | counts.applied.keys()):
        print(f"  {key[0]} {key[1]:<12} offered {counts.offered[key]:>5}, applied {counts.applied[key]:>5}")
    print(f"  {counts.notebooks} notebooks")
    for (code, safety), number in sorted(counts.in_notebooks.items()):
        print(f"    {code} {safety:<12} applied {number:>5}")
    for shape, number in sorted(counts.shapes.items()):
        print(f"  {number} files as {shape}")
    for failure in counts.failures:
        print(f"  FAILED {failure.path}: {failure.code}: {failure.why}")


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Return 1 if a property does not hold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--variants", type=int, default=0, help=f"turns of other shapes; {len(VARIANTS)} are all")
    parser.add_argument("--only-notebooks", action="store_true", help="leave out all other files")
    parser.add_argument("--quick", action="store_true", help="lint after a fix alone only where it is for display")
    parser.add_argument("--json", help="write counts and failures to this file")
    options = parser.parse_args(arguments)
    total = Counts()
    for folder in options.folders:
        start = time.monotonic()
        counts = check(folder, options.jobs, options.variants, options.quick, options.only_notebooks)
        print(f"\n{os.path.basename(os.path.abspath(folder))} ({time.monotonic() - start:.0f} s): ", end="")
        show(counts)
        sys.stdout.flush()
        total.add(counts)
    print("\nall: ", end="")
    show(replace(total, failures=[]))
    print(f"{len(total.failures)} failures")
    if options.json:
        Path(options.json).write_text(json.dumps(_plain(total), indent=1), encoding="utf-8")
    return int(bool(total.failures))


def _plain(counts: Counts) -> dict[str, object]:
    """Return counts as JSON has them."""
    return {
        "files": counts.files,
        "notebooks": counts.notebooks,
        "with_findings": counts.with_findings,
        "offered": {" ".join(key): number for key, number in sorted(counts.offered.items())},
        "applied": {" ".join(key): number for key, number in sorted(counts.applied.items())},
        "in_notebooks": {" ".join(key): number for key, number in sorted(counts.in_notebooks.items())},
        "variants": dict(sorted(counts.shapes.items())),
        "failures": [failure._asdict() for failure in counts.failures],
    }


if __name__ == "__main__":
    sys.exit(main())
