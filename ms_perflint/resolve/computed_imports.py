"""Imports of computed names: files that import all modules of a folder, or one that an option or a config file names.

A scan of the bytes finds them: `for name in os.listdir(here): import_module(name)`, `import_module("models." + net)`;
for `target: models.net.Net` the config files that code names, and the dotted names in these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ms_perflint.core.source import LETTER, NAME
from ms_perflint.resolve.import_statements import Import, text

CALL = rb"\b(?:import_module|__import__)[ \t]*\([ \t\r\n]*(?![\"'][\w\x80-\xff.]+[\"'][ \t]*[,)])"
START = rb"((?:[\w\x80-\xff]+\.)*)([\w\x80-\xff]*)"  # of a name: packages, and letters of the module
TEXT = rb"(?:f[\"']" + START + rb"\{|[\"']" + START + rb"(?:[\"'][ \t]*\+|\{|%s))"
PREFIX = rb"\b(?:import_module|__import__)[ \t]*\([ \t\r\n]*" + TEXT
GIVEN = rb"\b(?:import_module|__import__)[ \t]*\([ \t\r\n]*[A-Za-z_]\w*[ \t]*[,)]"  # what a caller may have made
LOOKS = rb"(?m)^[^\n#]*(?:\b(?:listdir|scandir|iter_modules|walk_packages|i?glob)[ \t]*\(|\.(?:r?glob|iterdir)\()[^\n]*"
ASSIGNED = rb"(?m)^[ \t]*(" + LETTER + rb"+)[ \t]*=[ \t]*([^\n]*)"
HERE = (b"__file__", b"__path__")
CALLS = (b"import_module", b"__import__")
EXPORTS = rb"(?m)^__all__[ \t]*[+=]"
SUFFIXES = (b".yaml", b".yml")
NAMED = rb"""["']([^"'\r\n]{1,200}\.ya?ml)["']"""
CLASS = rb"""(?m):[ \t]+["']?((?:[A-Za-z_]\w*\.)+(?!py\b)[A-Za-z_]\w*)["']?[ \t]*(?:#.*)?\r?$"""


class Search(NamedTuple):
    """Modules of which a file may import any: all in a package with names that start with some letters."""

    package: str  # "" for its own folder
    start: str = ""


def searched(raw: bytes) -> Iterator[Search]:
    """Yield the modules of which a file may import any."""
    called = any(word in raw for word in CALLS) and re.search(CALL, raw) is not None
    if called:
        texts = re.findall(PREFIX, raw)
        if re.search(GIVEN, raw) is not None:  # `load(f"nets.{name}")`, and `import_module(name)` in that function
            texts += (found for found in re.findall(TEXT, raw) if found[0] or found[2])
        for first, start, other, another in dict.fromkeys(texts):
            found = Search(*((part.decode("utf-8", "replace")) for part in ((first or other)[:-1], start or another)))
            if found != OWN:  # a name without a start may be that of any module
                yield found
    if not any(word in raw for word in HERE):
        return
    if (called or re.search(EXPORTS, raw) is not None) and b"__main__" not in raw and _looks_around(raw):
        yield OWN


OWN = Search("")


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


def modules(names: frozenset[str], start: str = "") -> list[str]:
    """Return the names of the modules in a folder that start with some letters."""
    found = sorted(name[:-3] for name in names if name.endswith(".py") and name[:-3].isidentifier())
    return [name for name in found if not name.startswith("__") and name.startswith(start)]


def configs(raw: bytes) -> tuple[str, ...]:
    """Return the paths of config files that a Python file names."""
    found = re.findall(NAMED, raw) if any(suffix in raw for suffix in SUFFIXES) else []
    return tuple(map(text, dict.fromkeys(found)))


def targets(raw: bytes) -> Iterator[Import]:
    """Yield the imports of what a config file may name by its module and its name there."""
    for dotted in dict.fromkeys(re.findall(CLASS, raw)):
        yield Import(0, text(dotted.rpartition(b".")[0]))
