"""Modules that config files name: `target: models.net.Net`, for a program that imports computed names.

A scan of the bytes finds the config files that code names, and the dotted names in these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ms_perflint.resolve.import_statements import Import, text

SUFFIXES = (b".yaml", b".yml")
NAMED = rb"""["']([^"'\r\n]{1,200}\.ya?ml)["']"""
CLASS = rb"""(?m):[ \t]+["']?((?:[A-Za-z_]\w*\.)+(?!py\b)[A-Za-z_]\w*)["']?[ \t]*(?:#.*)?\r?$"""


def configs(raw: bytes) -> tuple[str, ...]:
    """Return the paths of config files that a Python file names."""
    found = re.findall(NAMED, raw) if any(suffix in raw for suffix in SUFFIXES) else []
    return tuple(map(text, dict.fromkeys(found)))


def modules(raw: bytes) -> Iterator[Import]:
    """Yield the imports of what a config file may name by its module and its name there."""
    for dotted in dict.fromkeys(re.findall(CLASS, raw)):
        yield Import(0, text(dotted.rpartition(b".")[0]))
