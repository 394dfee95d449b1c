"""The table of an effect: how figures are written, and where it stands on the page of its rule."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(
    r"<!-- effect of (?P<code>\w+), written by benchmarks/effects\.py: (?P<key>\w+) -->\n"
    r"(?P<body>.*?)<!-- end of effect -->\n",
    re.DOTALL,
)
_ROW = re.compile(r"^\| (?P<version>\d[\w.]*) \|.*\|$", re.MULTILINE)
_MEASURED = re.compile(r"^- (?P<version>\d[\w.]*): .*$", re.MULTILINE)
_WHOLE = 10  # from here on a figure is written without a decimal


@dataclass(frozen=True)
class Table:
    """Rows of figures, and for each version of MindSpore how they were measured."""

    columns: tuple[str, ...]  # the first one is "MindSpore"
    rows: tuple[str, ...]  # lines of Markdown, newest version first
    measured: tuple[str, ...]  # a line for each version

    @property
    def markdown(self) -> str:
        """Return the table with the lines below it."""
        head = [line(self.columns), "|" + "---|" * len(self.columns)]
        return "\n".join([*head, *self.rows, "", *self.measured]) + "\n"


def line(cells: Iterable[str]) -> str:
    """Return a line of a table."""
    return "| " + " | ".join(cells) + " |"


def number(value: float) -> str:
    """Return a figure with as many digits as a measurement on a busy machine deserves."""
    return f"{value:.0f}" if value >= _WHOLE else f"{value:.1f}"


def spread(values: Sequence[float], unit: str) -> str:
    """Return the median and the range of a figure: "12 ms (10-15)"."""
    if len(values) == 1:
        return f"{number(values[0])} {unit}"
    return f"{number(statistics.median(values))} {unit} ({number(min(values))}-{number(max(values))})"


def times(before: Sequence[float], after: Sequence[float]) -> str:
    """Return how many times the median became smaller: "2.4"."""
    return number(statistics.median(before) / statistics.median(after))


def machine() -> str:
    """Return the machine on which a figure was measured, without its name: processor, cores, load."""
    return f"{processor_model()}, load average {os.getloadavg()[0]:.1f}"


def processor_model() -> str:
    """Return the model of the processor, and how many cores there are."""
    try:
        told = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        told = ""
    model = re.search(r"^model name\s*: (.*)$", told, re.MULTILINE)
    name = model[1].strip() if model else platform.processor() or platform.machine()
    return f"{name}, {os.cpu_count()} cores"


def key(table: str, programs: Sequence[str]) -> str:
    """Return what tells this table, measured with these programs, from every other one."""
    return hashlib.sha256("\0".join([table, *programs]).encode()).hexdigest()[:12]


def block(code: str, table: str, programs: Sequence[str]) -> str:
    """Return the table as it stands on a page, between its markers."""
    start = f"<!-- effect of {code}, written by benchmarks/effects.py: {key(table, programs)} -->"
    return f"{start}\n\n{table}\n<!-- end of effect -->\n"


def genuine(page: str, programs: Sequence[str]) -> bool:
    """Return whether the table of a page was measured with these programs, and is unchanged since."""
    match = _BLOCK.search(page)
    return match is not None and match["key"] == key(match["body"][1:-1], programs)


def merged(page: str, new: Table, programs: Sequence[str]) -> Table:
    """Return the new table with what the page has of other versions, if that was measured with the same programs."""
    match = _BLOCK.search(page)
    if match is None or not genuine(page, programs) or line(new.columns) not in match["body"]:
        return new
    versions = {found["version"] for line in new.rows if (found := _ROW.match(line))}
    rows = [found[0] for found in _ROW.finditer(match["body"]) if found["version"] not in versions]
    measured = [found[0] for found in _MEASURED.finditer(match["body"]) if found["version"] not in versions]
    return Table(
        new.columns, _newest_first(_ROW, [*new.rows, *rows]), _newest_first(_MEASURED, [*new.measured, *measured])
    )


def _newest_first(form: re.Pattern[str], lines: list[str]) -> tuple[str, ...]:
    """Return lines that tell a version, the newest version first, else in their order."""

    def age(line: str) -> list[int]:
        found = form.match(line)
        return [-int(part) for part in re.findall(r"\d+", found["version"])] if found else []

    return tuple(sorted(lines, key=age))


def read(page: str) -> Table:
    """Return the table that stands on a page. Raises ValueError when there is none."""
    match = _BLOCK.search(page)
    if match is None:
        raise ValueError("the page has no table of an effect")
    head = match["body"].strip().splitlines()[0]
    rows = tuple(found[0] for found in _ROW.finditer(match["body"]))
    measured = tuple(found[0] for found in _MEASURED.finditer(match["body"]))
    return Table(tuple(head.strip("| ").split(" | ")), rows, measured)


def written(page: str, code: str, table: Table, programs: Sequence[str]) -> str:
    """Return a page with its table replaced. Raises ValueError when the page has no place for it."""
    if not _BLOCK.search(page):
        raise ValueError(f"the page of {code} has no place for its effect")
    return _BLOCK.sub(lambda _: block(code, table.markdown, programs), page)
