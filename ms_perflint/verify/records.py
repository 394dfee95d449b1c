"""The records of the hooks of one run, as figures."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Optional

FIRST = (b'{"rank": 0}', b'{"rank": null}')  # start of valid records
WARM_UP = 5  # largest number of intervals skipped after the first one, while memory pools and caches fill


class Run(NamedTuple):
    """One run of a program: times in milliseconds."""

    steps: tuple[float, ...] = ()  # time of each step that counts
    cpu: tuple[float, ...] = ()  # processor time of the same steps, of all threads of the process
    first: Optional[float] = None  # time of the first step, which compiles
    losses: tuple[Optional[float], ...] = ()  # from the first step on
    peak_memory: Optional[int] = None  # bytes
    device: str = ""
    mindspore: str = ""
    error: str = ""  # the error with which the program ended
    is_done: bool = False  # whether it ran all steps, or ended by itself


def read(folder: Path) -> Run:
    """Return the run of the training process with the lowest rank; without one, a run without steps."""
    processes = [list(_lines(path)) for path in sorted(folder.glob("*.jsonl"))]
    trained = [lines for lines in processes if any("wall" in line for line in lines)]
    ranked = sorted(trained, key=lambda lines: lines[0].get("rank") or 0)
    by_launcher = sorted(processes, key=lambda lines: bool(lines) and lines[0].get("rank") is None)
    errors = (str(line["error"]) for lines in by_launcher for line in lines if "error" in line)
    run = _run(ranked[0]) if ranked else Run()
    return run._replace(error=next(errors, ""))


def is_done(folder: Path) -> bool:
    """Return whether the process of rank 0 has written all records."""
    texts = [path.read_bytes() for path in folder.glob("*.jsonl")]
    return any(text.startswith(FIRST) and b'{"end": ' in text for text in texts)


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the lines of a file; the last one may have been cut off."""
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            return


def _run(lines: list[Mapping[str, Any]]) -> Run:
    intervals = [line for line in lines if "wall" in line]
    counted = intervals[1 + min(WARM_UP, len(intervals) // 4) :]
    steps, cpu = (tuple(1000 * line[clock] / line["steps"] for line in counted) for clock in ("wall", "cpu"))
    named: dict[str, Any] = {key: line[key] for line in lines for key in ("device", "mindspore") if key in line}
    peaks = (line["peak_memory"] for line in lines if "peak_memory" in line)
    losses = tuple(loss for line in intervals for loss in line["losses"])
    done = any("end" in line for line in lines) and not any("error" in line for line in lines)
    return Run(steps, cpu, _first(intervals[0], steps), losses, next(peaks, None), is_done=done, **named)


def _first(interval: Mapping[str, Any], steps: Iterable[float]) -> float:
    """Return the time of the first step, without the other steps that are sunk with it."""
    others = float(statistics.median(steps or (0.0,)) * (interval["steps"] - 1))
    return max(0.0, 1000 * float(interval["wall"]) - others)
