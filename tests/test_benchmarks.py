"""The scripts that measure the linter run, and say what they should; what they measure is nobody's promise."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def printed(*command: str) -> list[str]:
    """Return the lines that a script prints."""
    settings = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=settings, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_stages_of_a_run_add_up() -> None:
    lines = printed("benchmarks/stages.py", "sample_scripts", "--slowest", "1")
    table = {name: (int(spent), calls) for name, spent, _, calls in map(cells, lines[4:-1])}
    assert lines[0].endswith("findings") and lines[-1].endswith(".py")
    assert {"start", "read", "prefilter", "parse", "walk", "link", "checks", "LibCST", "report", "other"} < set(table)
    assert abs(sum(spent for name, (spent, _) in table.items() if name != "all") - table["all"][0]) <= len(table)
    assert all(table[name][1] for name in ("read", "prefilter", "parse", "walk", "link", "checks", "LibCST", "report"))


def test_a_tree_grows_by_the_times_asked_for() -> None:
    lines = printed("benchmarks/scale.py", "--files", "6", "--times", "1", "3")
    sizes = [int(cells(line)[0]) for line in lines[2:]]
    assert len(sizes) == 2 and sizes[0] >= 6 and sizes[1] >= 18
    assert all(len(cells(line)) == len(cells(lines[0])) for line in lines)


def test_a_keystroke_is_measured_against_opening_the_file() -> None:
    (ratio,) = printed("benchmarks/keystrokes.py", "sample_scripts/lenet.py")
    assert float(ratio) > 0
