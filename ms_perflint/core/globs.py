"""Files that match a shell pattern, found through `Files`, so that fingerprints see files added later."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from ms_perflint.core.files import BELOW, Files

WILD = re.compile(r"[*?\[]")


def is_pattern(text: str) -> bool:
    """Return whether a text has wildcards."""
    return WILD.search(text) is not None


def matching(files: Files, directory: str, pattern: str) -> list[str]:
    """Return the paths that match a pattern relative to a directory, sorted. `**` matches any folders."""
    whole = os.path.normpath(os.path.join(directory, pattern))
    parts = whole.split(os.sep)
    first = next((at for at, part in enumerate(parts) if is_pattern(part)), len(parts) - 1)
    return sorted(set(_below(files, os.sep.join(parts[:first]) or os.sep, parts[first:])))


def _below(files: Files, directory: str, parts: list[str]) -> Iterator[str]:
    part, rest = parts[0], parts[1:]
    if part == "**" and len(rest) == 1:
        for name in files.named(directory, BELOW + _wide(rest[0])):
            if fnmatchcase(os.path.basename(name), rest[0]):
                yield os.path.join(directory, name)
        return
    for name in files.named(directory, _wide(part)):
        if fnmatchcase(name, part):
            path = os.path.join(directory, name)
            if rest:
                yield from _below(files, path, rest)
            else:
                yield path


def _wide(part: str) -> str:
    """Return the name or pattern for `Files.named`: of a pattern, a star and the text behind its last wildcard."""
    return f"*{re.split(r'[*?]|]', part)[-1]}" if is_pattern(part) else part
