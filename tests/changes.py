"""What changes between two states of a folder."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path


def contents(folder: Path) -> dict[str, bytes]:
    """Return the bytes of all files of a folder by name."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def changes(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> dict[str, str]:
    """Return the removed and added lines of each file that differs."""
    assert before.keys() == after.keys()
    return {name: _changed_lines(before[name], after[name]) for name in before if before[name] != after[name]}


def _changed_lines(before: bytes, after: bytes) -> str:
    """Return the lines of a diff that begin with - or +, without its header."""
    texts = [text.decode().splitlines(keepends=True) for text in (before, after)]
    lines = list(difflib.unified_diff(*texts, n=0))[2:]
    return "".join(line for line in lines if not line.startswith("@@"))
