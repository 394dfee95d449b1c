"""Ways to spell one program: the decisive value or callable is held in a variable, a list, an attribute, a closure, ...

Each page in `spellings/` has one spelling under each heading: statements, behind `=>` what reads or calls it, and other
files of the program between `@ name.py` and `@ train.py`. VALUE stands for what is decisive, OTHER for what is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

PAGES = Path(__file__).with_name("spellings")
ENTRY = "train.py"
IMPORTS = """\
import copy
import functools
import itertools
from collections import OrderedDict, namedtuple
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import partial
from types import SimpleNamespace
"""


class Spelling(NamedTuple):
    """One way to hold a value: statements, the expression that reads it, and other files of the program."""

    setup: str
    use: str
    files: Mapping[str, str] = {}


def _sections(page: str) -> dict[str, list[str]]:
    """Return the lines under each heading of a page."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in (PAGES / f"{page}.txt").read_text("utf-8").splitlines():
        if line.startswith("## "):
            assert line[3:] not in found, line
            lines = found[line[3:]] = []
        else:
            lines.append(line)
    return found


def _spelling(lines: list[str]) -> Spelling:
    files: dict[str, list[str]] = {ENTRY: []}
    current = files[ENTRY]
    for line in lines:
        if line.startswith("@ "):
            current = files.setdefault(line[2:], [])
        else:
            current.append(line)
    setup, _, use = "\n".join(files.pop(ENTRY)).rpartition("=> ")
    return Spelling(setup.strip(), use.strip(), {name: "\n".join(text) + "\n" for name, text in files.items()})


def spellings(page: str) -> Mapping[str, Spelling]:
    """Return the spellings of a page by their headings."""
    return {name: _spelling(lines) for name, lines in _sections(page).items()}


HOLDS, DECOYS, CALLS, IDLE = (spellings(page) for page in ("holds", "decoys", "calls", "idle"))
GAPS, SETTINGS = (
    {name: frozenset(filter(None, lines)) for name, lines in _sections(page).items()} for page in ("gaps", "settings")
)
