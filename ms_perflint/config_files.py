"""The file whose `[tool.ms-perflint]` holds: that of `--config`, else the nearest pyproject.toml with that table.

Patterns are relative to the directory of a file that was found, to the working directory for a file that was named
(`root`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ms_perflint.config import TABLE, Config, ConfigError, common_parent
from ms_perflint.config_values import parse
from ms_perflint.core.source import read_regular
from ms_perflint.languages import Message

LARGEST = 10_000_000  # bytes of a file with settings


class Ruling(NamedTuple):
    """The table that rules a run."""

    table: Mapping[str, object]
    where: str  # its file, as messages name it
    root: str


def load(paths: Sequence[str], file: str | None = None, isolated: bool = False) -> Config:
    """Return the configuration for a run over `paths`; ConfigError when the file that rules it is broken."""
    found = ruling(paths, file, isolated)
    return parse(found.table, found.where, found.root) if found else Config(root=common_parent(paths))


def ruling(paths: Sequence[str], file: str | None = None, isolated: bool = False) -> Ruling | None:
    """Return the table that rules a run over `paths`, None without one; ConfigError when its file is broken."""
    if file is not None:
        path = os.path.abspath(file)
        table = _table(path)
        if table is None:
            raise ConfigError(Message("{file}: no table [{table}] in it", file=file, table=TABLE))
        return Ruling(table, file, os.getcwd())
    directory = common_parent(paths)
    while not isolated:
        path = os.path.join(directory, "pyproject.toml")
        table = _table(path) if os.path.isfile(path) else None
        if table is not None:
            return Ruling(table, os.path.relpath(path), directory)
        if directory == os.path.dirname(directory):
            break
        directory = os.path.dirname(directory)
    return None


def _table(path: str) -> Mapping[str, object] | None:
    """Return the linter's table of a TOML file, None when it has none; ConfigError when it cannot be read."""
    where = os.path.relpath(path)
    try:
        raw = read_regular(path, LARGEST)
        if b"ms-perflint" not in raw:
            return None  # somebody else's file; whether it is well formed is not our matter
        document = _parsed(raw.decode("utf-8-sig"))
    except OSError as error:
        raise ConfigError(
            Message("{file}: cannot be read: {reason}", file=where, reason=error.strerror or error)
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError(
            Message("{file}: is not UTF-8: bad byte at offset {offset}", file=where, offset=error.start)
        ) from error
    except (ValueError, RecursionError) as error:
        reason = str(error).splitlines()[0]
        raise ConfigError(Message("{file}: is not valid TOML: {reason}", file=where, reason=reason)) from error
    for name in TABLE.split("."):
        if not isinstance(document, dict) or name not in document:
            return None
        document = document[name]
    if not isinstance(document, dict):
        raise ConfigError(Message("{file}: {table} must be a table", file=where, table=TABLE))
    return document


def _parsed(text: str) -> object:
    """Return what a TOML text says; ValueError where it is none."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(text)
