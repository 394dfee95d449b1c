"""Print where the time of one run goes, by stage: start, read, prefilter, parse, walk, link, checks, LibCST, report.

python benchmarks/stages.py PATH...                   files and folders, in one process, without a cache
python benchmarks/stages.py PATH... --slowest 10      and the files that took longest

A stage that waits for another one does not count meanwhile, so the stages add up to the run. The clock is processor
time, with what the measuring itself takes, a microsecond or two a call: compare shares, not sums.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ms_perflint.core.findings import Finding

START = time.process_time()

# stage -> (module, owner in it or "", function); a function that is called inside of its own stage counts once
STAGES: dict[str, tuple[tuple[str, str, str], ...]] = {
    "read": (("core.files", "Disk", "read"), ("core.files", "Disk", "_listing")),
    "prefilter": (("linting.linter", "Linter", "may_find"),),
    "parse": (("index.semantic_index", "", "parse"),),
    "walk": (("index.semantic_index", "SemanticIndex", "__init__"),),
    "link": (
        ("resolve.project", "Project", "programs"),
        ("resolve.project", "Project", "closure"),
        ("resolve.project", "Project", "outline"),
        ("resolve.imports", "Imports", "statements"),
        ("resolve.imports", "Imports", "locate"),
    ),
    "checks": (("linting.check_runner", "CheckRunner", "_findings"),),
    "LibCST": (("check", "Check", "examine"),),
    "suppressions": (("suppressions", "Suppressions", "hides"),),
    "report": (("report", "", "render"),),
}
REST = "other"  # the loop over the files, memory given back


class Stages:
    """Time by stage; the innermost one that is under way counts."""

    def __init__(self) -> None:
        self.spent: defaultdict[str, float] = defaultdict(float)  # seconds
        self.calls: Counter[str] = Counter()
        self._open = [REST]
        self._since = time.process_time()

    def watch(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that tells when it begins and ends."""

        def watched(*args: Any, **keywords: Any) -> Any:
            is_outer = self._open[-1] != stage
            if is_outer:
                self.switch()
                self.calls[stage] += 1
                self._open.append(stage)
            try:
                return function(*args, **keywords)
            finally:
                if is_outer:
                    self.switch()
                    self._open.pop()

        return watched

    def switch(self) -> None:
        """Count the time since the last switch for the stage that was under way."""
        now = time.process_time()
        self.spent[self._open[-1]] += now - self._since
        self._since = now


def watched(stages: Stages) -> None:
    """Put all functions of the stages under watch, in every module that has them by name."""
    for stage, functions in STAGES.items():
        for module, owner, name in functions:
            home = import_module(f"ms_perflint.{module}")
            place = getattr(home, owner) if owner else home
            plain = getattr(place, name)
            new = stages.watch(stage, plain)
            users = [place] if owner else [each for key, each in sys.modules.items() if key.startswith("ms_perflint")]
            for user in users:
                if vars(user).get(name) is plain:
                    setattr(user, name, new)


def profile(paths: Sequence[str], slowest: int) -> None:
    """Lint the paths once and print the table."""
    from ms_perflint import engine, report
    from ms_perflint.check import checks
    from ms_perflint.config.settings import Config, common_parent
    from ms_perflint.core.files import Disk
    from ms_perflint.discovery import discover
    from ms_perflint.linting import linter
    from ms_perflint.report.sources import Sources

    checks()
    start = time.process_time() - START
    stages = Stages()
    watched(stages)
    config = Config(common_parent(paths))
    files = discover(paths, config).files
    took: dict[str, float] = {}
    plain = linter.Linter.file

    def timed(self: linter.Linter, path: str) -> list[Finding]:
        before = time.process_time()
        try:
            return plain(self, path)
        finally:
            took[path] = time.process_time() - before

    linter.Linter.file = timed  # type: ignore[method-assign]
    found = engine.lint(files, config)
    report.render("text", report.Outcome(found.findings, Sources(Disk())))
    stages.switch()
    stages.spent["start"] = start
    print(f"{len(files)} files, {len(found.findings)} findings\n")
    print("\n".join(table(stages)))
    for path, seconds in sorted(took.items(), key=lambda item: -item[1])[:slowest]:
        print(f"{seconds * 1000:8.0f} ms  {path}")


def table(stages: Stages) -> list[str]:
    """Return the stages as a table, in the order of a run."""
    whole = sum(stages.spent.values())
    rows = ["| stage | ms | share | calls |", "|---|---|---|---|"]
    for stage in ("start", *STAGES, REST):
        spent = stages.spent[stage]
        rows.append(f"| {stage} | {spent * 1000:.0f} | {spent / whole:.1%} | {stages.calls[stage] or ''} |")
    return [*rows, f"| all | {whole * 1000:.0f} | | |"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Profile as the command line says; return the exit code."""
    parser = argparse.ArgumentParser(description="Show where the time of a run goes.")
    parser.add_argument("paths", nargs="+", help="files and folders to lint")
    parser.add_argument("--slowest", type=int, default=0, metavar="N", help="print also the files that took longest")
    asked = parser.parse_args(arguments)
    profile(asked.paths, asked.slowest)
    return 0


if __name__ == "__main__":
    sys.exit(main())
