"""Paths in reports that other programs read: relative to the repository, with slashes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from urllib.parse import quote

from ms_perflint.config.settings import common_parent, inside, relative
from ms_perflint.languages import escaped


def root_of(paths: Sequence[str]) -> str:
    """Return the directory that a report's paths are relative to: the repository, or the common parent of the files."""
    home = os.path.realpath(os.getcwd())
    start = common_parent(paths)
    directory = start
    while not os.path.lexists(os.path.join(directory, ".git")):
        if directory == os.path.dirname(directory):
            return home if inside(start, home) else start
        directory = os.path.dirname(directory)
    return directory


def below(path: str, root: str) -> str:
    """Return a path relative to the root, on one line; outside of the root, unchanged."""
    return escaped(relative(path, root) if inside(path, root) else path)


def uri(path: str, root: str) -> str:
    """Return a path as a URI reference: relative to the root, or a `file:` URI outside of it."""
    return quote(os.fsencode(relative(path, root))) if inside(path, root) else absolute_uri(path)


def absolute_uri(path: str) -> str:
    """Return the `file:` URI of a path."""
    slashed = path.replace(os.sep, "/")
    return "file://" + quote(os.fsencode(slashed if slashed.startswith("/") else f"/{slashed}"), safe="/:")
