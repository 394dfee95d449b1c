"""Prove the fixes on real code: `python tests/ecosystem.py FOLDER... [--jobs N] [--variants N] [--json OUT]`.

Takes folders of any Python code, and checks for every file, on a copy:

- each fix alone, whatever its safety, makes its finding go and brings no other, and the file still parses;
- all fixes together: only the bytes of the reported edits change (spliced here anew, and compared with what was
  written); `ast` and LibCST read the result; expressions and statements that no edit reaches are as they were; nothing
  that was fixed is reported again, and nothing new is reported but for the rules that spoke second;
- the command line finds nothing more to fix in what was written; file modes and all other files are as they were;
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
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, Optional

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import linting
from linting import Contents, Linted, State, in_processes, units
from properties import Edit, Moved, Text, differences, line_ends, parsed, reads, spliced
from variants import VARIANTS, varied

from ms_perflint import config as configs
from ms_perflint.discovery import discover
from ms_perflint.engine import Report
from ms_perflint.findings import Finding, Safety
from ms_perflint.fixing import Settled, fix, settle
from ms_perflint.source import Disk, Overlay

# Rules that are silent about eager programs: once the mode is mended, it is their turn.
SECOND = {"MSP101": frozenset(("MSP102", "MSP601"))}
TOOL = Path(__file__).resolve().parent.parent


class Failure(NamedTuple):
    """A property that does not hold."""

    path: str
    code: str  # the rule, or rules
    why: str


@dataclass
class Counts:
    """What was done in one folder or in all."""

    files: int = 0
    with_findings: int = 0
    offered: Counter[tuple[str, str]] = field(default_factory=Counter)  # by rule and safety
    applied: Counter[tuple[str, str]] = field(default_factory=Counter)
    shapes: Counter[str] = field(default_factory=Counter)  # files by variant
    failures: list[Failure] = field(default_factory=list)

    def add(self, other: Counts) -> None:
        """Take in the counts of another folder."""
        self.files += other.files
        self.with_findings += other.with_findings
        self.offered += other.offered
        self.applied += other.applied
        self.shapes += other.shapes
        self.failures += other.failures


# --- one fix alone


class Alone(NamedTuple):
    """A fix to be made by itself, the findings that it mends, and all that was found in the files."""

    finding: Finding
    before: tuple[Finding, ...]
    relint: bool


def alone(state: State, task: Alone) -> list[Failure]:
    """Return what is wrong with a fix that is made by itself."""
    finding, before, relint = task
    files = state.files()
    edits = by_path([finding])
    failures = []
    for path, here in edits.items():
        raw = files.read(path)
        try:
            after = spliced(raw, here)
        except (ValueError, LookupError) as error:
            return [Failure(path, finding.code, f"alone: {error}")]
        failures += [Failure(path, finding.code, f"alone: {why}") for why in unlike(path, raw, after, here, relint)]
        files.contents[path] = after
    if failures or not relint:
        return failures
    paths = sorted({finding.place.path, *(path for path in edits if path.endswith(".py"))})
    report = linting.lint(
        paths, replace(state.config, select=(finding.code,)), files
    )  # of other rules: all fixes together
    step = Step(state.files().read, before, [finding])
    failures += [Failure(problem.path, finding.code, f"alone: {problem.message}") for problem in report.problems]
    return failures + [failure._replace(why=f"alone: {failure.why}") for failure in step.wrong(files.read, report)]


def unlike(path: str, before: bytes, after: bytes, edits: Sequence[Edit], with_libcst: bool = True) -> list[str]:
    """Return what is wrong with an edited file: it does not parse, or says something else where no edit is."""
    if not path.endswith(".py"):
        return []
    try:
        parsed(after)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return [f"does not parse: {error}"]
    if with_libcst and not reads(after) and reads(before):
        return ["LibCST does not read it"]
    if line_ends(before) and not line_ends(after) <= line_ends(before):
        return ["has other line ends"]
    return differences(before, after, edits)


def by_path(findings: Iterable[Finding]) -> dict[str, list[Edit]]:
    """Return the edits of the fixes of findings, by file, each once."""
    edits: dict[str, set[Edit]] = {}
    for finding in findings:
        for edit in finding.fix.edits if finding.fix else ():
            edits.setdefault(edit.path, set()).add((edit.start, edit.end, edit.text))
    return {path: sorted(here) for path, here in edits.items()}


# --- from one state of the files to the next


class Step:
    """A state of the files, what is found in it, and what is mended next."""

    def __init__(self, read: Callable[[str], bytes], findings: Sequence[Finding], made: Sequence[Finding]) -> None:
        self.read = read
        self.made = made
        self.edits = by_path(made)
        self.found = {(finding.place.path, finding.code, self.offset(finding, read)) for finding in findings}
        self.mended = {(finding.place.path, finding.code, self.offset(finding, read)) for finding in made}
        self.second = frozenset().union(*(SECOND.get(finding.code, frozenset()) for finding in made))

    @staticmethod
    def offset(finding: Finding, read: Callable[[str], bytes]) -> int:
        """Return where a finding stands in the text of its file."""
        return Text.of(read(finding.place.path)).offset(finding.place.row, finding.place.column)

    def wrong(self, read: Callable[[str], bytes], report: Report) -> list[Failure]:
        """Return the findings of the next state that must not be in it."""
        failures = []
        for finding in report.findings:
            path, code = finding.place.path, finding.code
            moved = Moved(self.read(path), self.edits.get(path, ()))
            offset = self.offset(finding, read)
            before = moved.back(offset)
            stands_for = moved.edit_at(offset)
            codes = ", ".join(sorted({made.code for made in self.made}))
            same = [
                at
                for other, rule, at in self.mended
                if (other, rule) == (path, code)
                and (at == before or (stands_for and stands_for[0] <= at <= stands_for[1]))
            ]
            if same:
                failures.append(Failure(path, code, f"row {finding.place.row}: reported again: {finding.message}"))
            elif (path, code, before) not in self.found and code not in self.second:
                why = f"row {finding.place.row}: reported only after the fix of {codes}: {finding.message}"
                failures.append(Failure(path, code, why))
        return failures


def steps(states: Sequence[tuple[Contents, Report]], settled: Settled) -> Iterator[Failure]:
    """Yield what is wrong on the way from one pass of fixing to the next."""
    disk = Disk()
    for (old, report), (new, next_report) in zip(states, states[1:]):
        found = set(map(id, report.findings))
        made = [finding for finding in settled.fixed if id(finding) in found]
        before, after = Overlay(disk, dict(old)), Overlay(disk, dict(new))
        step = Step(before.read, report.findings, made)
        reverted = {problem.path for problem in settled.problems}
        changed = {*step.edits, *(path for path in {*old, *new} if old.get(path) != new.get(path))}
        for path in sorted(changed - reverted):
            codes = ", ".join(sorted({finding.code for finding in made if path in by_path([finding])}))
            here = step.edits.get(path, [])
            if spliced(before.read(path), here) != after.read(path):
                yield Failure(path, codes, "bytes differ outside of the reported edits")
            for why in unlike(path, before.read(path), after.read(path), here):
                yield Failure(path, codes, why)
        yield from (failure for failure in step.wrong(after.read, next_report) if failure.path not in reverted)


# --- one folder


class Folder:
    """A copy of a folder in which everything is tried."""

    def __init__(self, copy: str, jobs: int, quick: bool) -> None:
        self.copy = copy
        self.jobs = jobs
        self.quick = quick
        self.config = configs.override(configs.load([copy], None, True), select=("ALL",), unsafe_fixes=True)
        self.paths = discover([copy], self.config).files
        self.units = units(self.paths)
        self.counts = Counts(files=len(self.paths))

    def check(self, variants: int) -> Counts:
        """Return what holds and what does not."""
        linted = Linted(self.units, self.config, self.jobs, {})
        report = linted(Disk())
        self.counts.with_findings = len({finding.place.path for finding in report.findings})
        self.counts.offered = by_safety(report.findings)
        self.fail(Failure(p.path, "", p.message) for p in report.problems if "internal" in p.message)
        self.alone(report, {}, relint=frozenset((Safety.DISPLAY,) if self.quick else Safety))
        for turn in range(variants):
            self.variant(report, turn)
        self.together(linted)
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
        left = [(one["filename"], one["location"]["row"], one["code"]) for one in json.loads(done.stdout or b"[]")]
        wanted = [(one.place.path, one.place.row, one.code) for one in report.findings if one.place.path in set(paths)]
        if left != wanted or done.returncode != int(bool(left)):
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


def check(folder: str, jobs: int = 1, variants: int = 0, quick: bool = False) -> Counts:
    """Return what holds and what does not in a folder; it is copied, without what git keeps and large files."""
    with tempfile.TemporaryDirectory() as temporary:
        copy = os.path.join(os.path.realpath(temporary), os.path.basename(os.path.abspath(folder)))
        shutil.copytree(folder, copy, symlinks=True, ignore=_ignored)
        if os.path.lexists(os.path.join(folder, ".git")):
            os.mkdir(os.path.join(copy, ".git"))
        return Folder(copy, jobs, quick).check(variants)


def _ignored(directory: str, names: list[str]) -> list[str]:
    """Return the names that need not be copied."""
    paths = {name: os.path.join(directory, name) for name in names}
    large = [name for name, path in paths.items() if os.path.isfile(path) and os.path.getsize(path) > 2_000_000]
    links = [name for name, path in paths.items() if os.path.islink(path) and not os.path.exists(path)]
    return [*large, *links, *({".git"} & set(names))]


def show(counts: Counts) -> None:
    """Print what was counted."""
    print(f"{counts.files} files, {counts.with_findings} with findings")
    for key in sorted(counts.offered.keys() | counts.applied.keys()):
        print(f"  {key[0]} {key[1]:<12} offered {counts.offered[key]:>5}, applied {counts.applied[key]:>5}")
    for shape, number in sorted(counts.shapes.items()):
        print(f"  {number} files as {shape}")
    for failure in counts.failures:
        print(f"  FAILED {failure.path}: {failure.code}: {failure.why}")


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Return 1 when a property does not hold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--variants", type=int, default=0, help=f"turns of other shapes; {len(VARIANTS)} are all")
    parser.add_argument("--quick", action="store_true", help="lint after a fix alone only where it is for display")
    parser.add_argument("--json", help="write counts and failures to this file")
    options = parser.parse_args(arguments)
    total = Counts()
    for folder in options.folders:
        start = time.monotonic()
        counts = check(folder, options.jobs, options.variants, options.quick)
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
        "with_findings": counts.with_findings,
        "offered": {" ".join(key): number for key, number in sorted(counts.offered.items())},
        "applied": {" ".join(key): number for key, number in sorted(counts.applied.items())},
        "variants": dict(sorted(counts.shapes.items())),
        "failures": [failure._asdict() for failure in counts.failures],
    }


if __name__ == "__main__":
    sys.exit(main())
