"""Ways to spell one program: the decisive value or callable is held in a variable, a list, an attribute, a closure, ...

Each page in `spellings/` has one spelling under each heading: statements, behind `=>` what reads or calls it, and other
files of the program between `@ name.py` and `@ train.py`. VALUE stands for what is decisive, OTHER for what is not.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, Optional

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


def nested(inner: Spelling, outer: Spelling) -> Optional[Spelling]:
    """Return a spelling in which one holds what another one reads; None where their names cannot be told apart."""
    texts = (inner.use, *inner.files.values(), *outer.files.values(), outer.use)
    if (
        inner.files
        or any("\n" in text for text in (inner.use, outer.use))
        or any("VALUE" in text for text in texts[1:-1])
    ):
        return None
    own = "|".join(sorted(_bound(inner.setup)))
    quoted = re.compile(rf"""["'](?:{own})["']""")
    if not own:
        setup, use = inner.setup, inner.use
    elif quoted.search(inner.setup + inner.use):
        return None
    else:
        setup, use = (re.sub(rf"(?<![.\w])({own})\b(?!=[^=])", r"\1_inner", text) for text in (inner.setup, inner.use))
    held = f"({use})"
    return Spelling(f"{setup}\n{outer.setup.replace('VALUE', held)}", outer.use.replace("VALUE", held), outer.files)


def _bound(text: str) -> set[str]:
    """Return the names that statements bind at the top level."""
    found: set[str] = set()
    for stmt in ast.parse(text).body:
        if isinstance(stmt, (ast.FunctionDef, ast.ClassDef)):
            found.add(stmt.name)
        else:
            stored = (node for node in ast.walk(stmt) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
            found.update(node.id for node in stored)
    return found - {"_"}
