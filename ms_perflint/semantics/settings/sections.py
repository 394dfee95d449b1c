"""TOML and INI files as the same plain data with lines that YAML files are."""

from __future__ import annotations

import configparser
import re
import sys
from collections.abc import Mapping
from typing import Any

from ms_perflint.semantics.settings import trees
from ms_perflint.semantics.settings.trees import DEPTH, SIZE, Entry

TOML = (".toml",)
INI = (".ini", ".cfg", ".conf")
Path = tuple[str, ...]  # the keys that lead to a value
_HEADER = re.compile(r"\s*\[+\s*([^\]]+?)\s*\]")
_KEY = re.compile(r"\s*([\w.\-]+|\"[^\"]+\"|'[^']+')\s*[=:]")


def documents(raw: bytes, path: str) -> tuple[Entry, ...]:
    """Return the documents of a config file, in the language that its name tells."""
    return read(raw, path) if path.endswith((*TOML, *INI)) else trees.read(raw, path)


def read(raw: bytes, path: str) -> tuple[Entry, ...]:
    """Return what a TOML or INI text says, as one document; none where it cannot be read, or is beyond the bounds."""
    if len(raw) > SIZE:
        return ()
    try:
        text = raw.decode("utf-8-sig")
        data: Mapping[str, Any] = _toml(text) if path.endswith(TOML) else _ini(text)
    except (ValueError, configparser.Error, RecursionError):
        return ()
    return (_entry(data, (), _lines(text), path),)


def _toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text; ValueError where it is none."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(text)


def _ini(text: str) -> dict[str, dict[str, str]]:
    """Return the sections of an INI text, each with what it has from the default one."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.read_string(text)
    return {name: dict(section) for name, section in parser.items()}


def _entry(data: Any, keys: Path, lines: Mapping[Path, int], path: str) -> Entry:
    line = lines.get(keys, 1)
    if len(keys) > DEPTH:
        raise ValueError("nested too deeply")
    if isinstance(data, Mapping):
        data = {key: _entry(each, (*keys, key), lines, path) for key, each in data.items()}
    elif isinstance(data, list):
        data = [Entry(_entry(each, keys, lines, path).data, path, line, 1) for each in data]
    return Entry(data, path, line, 1)


def _lines(text: str) -> dict[Path, int]:
    """Return the row of each key, by the header above it; a look at each line, which texts of many lines may fool."""
    found: dict[Path, int] = {}
    section: Path = ()
    for row, line in enumerate(text.splitlines(), 1):
        header, key = _HEADER.match(line), _KEY.match(line)
        if header is not None:
            section = tuple(part.strip().strip("\"'") for part in header[1].split("."))
            found.setdefault(section, row)
        elif key is not None:
            name = key[1].strip("\"'")
            found.setdefault((*section, name), row)
            found.setdefault((*section, name.lower()), row)
    return found
