"""TOML and INI documents as plain data with lines."""

from __future__ import annotations

import configparser
import re
import sys
from collections.abc import Mapping
from typing import Any

from ms_perflint.resolve import config_documents
from ms_perflint.resolve.config_documents import DEPTH, MERGED, SIZE, Entry

TOML = (".toml",)
INI = (".ini", ".cfg", ".conf")
Path = tuple[str, ...]  # the keys that lead to a value
_PART = r"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*"""
_DEEP = re.compile(rf"(?<![\w-])(?:{_PART}){{{DEPTH}}}")  # a dotted key, on which `tomllib` takes quadratic time
_BLANKS = re.compile(r"[^\S\n]{256}")  # on which `configparser` does
_KEY = re.compile(r"\s*([\w.\-]+|\"[^\"]+\"|'[^']+')\s*[=:]")


def documents(raw: bytes, path: str) -> tuple[Entry, ...]:
    """Return the documents of a config file, by the suffix of its name.

    None where it cannot be read, or is beyond the bounds.
    """
    if not path.endswith((*TOML, *INI)):
        return config_documents.read(raw, path)
    if len(raw) > SIZE:
        return ()
    try:
        text = raw.decode("utf-8-sig")
        data: Mapping[str, Any] = _toml(text) if path.endswith(TOML) else _ini(text)
        return (_entry(data, (), _lines(text), path),)
    except (ValueError, configparser.Error, RecursionError):
        return ()


def row(text: str, keys: Path) -> int:
    """Return the row of a key in a TOML text, or of the innermost table around it with a row."""
    found = _lines(text)
    return next((found[keys[:end]] for end in range(len(keys), 0, -1) if keys[:end] in found), 1)


def _toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text. Raises ValueError for a syntax error, or deep nesting."""
    if _DEEP.search(text) is not None:
        raise ValueError("nested too deeply")
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(text)


def _ini(text: str) -> dict[str, dict[str, str]]:
    """Return the sections of an INI text, each with the keys of the default section."""
    if _BLANKS.search(text) is not None:
        raise ValueError("too many blanks")
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.read_string(text)
    if len(parser.defaults()) * len(parser.sections()) > MERGED:
        raise ValueError("too large")
    return {name: dict(section) for name, section in parser.items()}


def _entry(data: Any, keys: Path, lines: Mapping[Path, int], path: str) -> Entry:
    line = lines.get(keys, 1)
    if len(keys) > DEPTH:
        raise ValueError("nested too deeply")
    if isinstance(data, Mapping):
        data = {key: _entry(each, (*keys, key), lines, path) for key, each in data.items()}
    elif isinstance(data, list):
        data = [_entry(each, keys, lines, path)._replace(line=line) for each in data]
    else:
        data = config_documents.scalar(data)
    return Entry(data, path, line, 1)


def _lines(text: str) -> dict[Path, int]:
    """Return the row of each key by the header above it, line by line; strings of several lines may mislead it."""
    found: dict[Path, int] = {}
    section: Path = ()
    for row, line in enumerate(text.splitlines(), 1):
        header, key = _header(line), _KEY.match(line)
        if header:
            section = tuple(part.strip().strip("\"'") for part in header.split(".", DEPTH))
            found.setdefault(section, row)
        elif key is not None:
            name = key[1].strip("\"'")
            found.setdefault((*section, name), row)
            found.setdefault((*section, name.lower()), row)
            if key[1] == name:  # `a.b = 1` is the same as `b = 1` below `[a]`
                parts = name.split(".", DEPTH)
                for end in range(1, len(parts) + 1):
                    found.setdefault((*section, *parts[:end]), row)
    return found


def _header(line: str) -> str:
    """Return the text in the brackets of a header, `[a.b]` or `[[a.b]]`; "" for another line."""
    line = line.lstrip()
    name, end, _ = line.lstrip("[").partition("]")
    return name.strip() if end and line.startswith("[") else ""
