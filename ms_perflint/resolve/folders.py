"""Imports of computed names: files that import all modules of a folder, or one that an option names.

A scan of the bytes finds them: `for name in os.listdir(here): import_module(name)`, `import_module("models." + net)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ms_perflint.core.source import LETTER, NAME

CALL = rb"\b(?:import_module|__import__)[ \t]*\([ \t\r\n]*(?![\"'][\w\x80-\xff.]+[\"'][ \t]*[,)])"
PREFIX = (
    rb"\b(?:import_module|__import__)[ \t]*\([ \t\r\n]*"
    rb"(?:f[\"']([\w\x80-\xff][\w\x80-\xff.]*)\.\{|[\"']([\w\x80-\xff][\w\x80-\xff.]*)\.(?:[\"'][ \t]*\+|\{|%s))"
)
LOOKS = rb"(?m)^[^\n#]*(?:\b(?:listdir|scandir|iter_modules|walk_packages|i?glob)[ \t]*\(|\.(?:r?glob|iterdir)\()[^\n]*"
ASSIGNED = rb"(?m)^[ \t]*(" + LETTER + rb"+)[ \t]*=[ \t]*([^\n]*)"
HERE = (b"__file__", b"__path__")
CALLS = (b"import_module", b"__import__")
EXPORTS = rb"(?m)^__all__[ \t]*[+=]"


def searched(raw: bytes) -> Iterator[str]:
    """Yield the packages of which a file may import any module; "" for its own folder."""
    called = any(word in raw for word in CALLS) and re.search(CALL, raw) is not None
    if called:
        for found in dict.fromkeys(re.findall(PREFIX, raw)):
            yield b"".join(found).decode("utf-8", "replace")
    if not any(word in raw for word in HERE):
        return
    if (called or re.search(EXPORTS, raw) is not None) and b"__main__" not in raw and _looks_around(raw):
        yield ""


def _looks_around(raw: bytes) -> bool:
    """Return whether a file lists its own folder: the argument derives from `__file__` or `__path__`."""
    lines = re.findall(LOOKS, raw)
    if not lines:
        return False
    names = set(HERE)
    for name, value in re.findall(ASSIGNED, raw):
        if not names.isdisjoint(re.findall(NAME, value)):
            names.add(name)
    return any(not names.isdisjoint(re.findall(NAME, line)) for line in lines)


def modules(names: frozenset[str]) -> list[str]:
    """Return the names of the modules in a folder."""
    found = sorted(name[:-3] for name in names if name.endswith(".py") and name[:-3].isidentifier())
    return [name for name in found if not name.startswith("__")]
