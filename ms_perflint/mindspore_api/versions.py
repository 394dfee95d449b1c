"""Versions of MindSpore: reading them, what they run by default, when names came and went."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Optional

from ms_perflint.mindspore_api.names import read_data, spellings

Version = tuple[int, ...]

NEWEST: Version = (2, 10, 0)
GRAPH, PYNATIVE = 0, 1  # mindspore 2.10 context.py:44


def newest() -> Version:
    """The newest MindSpore that is known here."""
    return NEWEST


def parse_version(text: str) -> Version:
    """`2.0.0-alpha` -> (2, 0, 0), `v1.9` -> (1, 9, 0): three numbers; a pre-release counts as its release.

    Raises ValueError with a message for the user where the text does not start with a version.
    """
    match = re.match(r"\s*v?(\d+)(?:\.(\d+))?(?:\.(\d+))?", text)
    if match is None:
        raise ValueError(f"{text!r} is no MindSpore version; write it like 2.4.1")
    return tuple(int(part or 0) for part in match.groups())


def default_mode(version: Version) -> int:
    """0 (GRAPH) or 1 (PYNATIVE): the mode of a program that sets none.

    PYNATIVE up to 1.2, GRAPH from 1.3 to 1.10, PYNATIVE again from 2.0.0-alpha: mindspore 1.1 context.py:521,
    1.3 context.py:558, 2.0.0-alpha context.py:859, 2.10 context.py:1372; core/utils/ms_context.cc of the same tags.
    """
    return GRAPH if (1, 3) <= version < (2,) else PYNATIVE


def added_in(name: str) -> Optional[Version]:
    """The release that brought a spelling, `mindspore.set_device` -> (2, 5); None if 1.0 had it, or it is unknown."""
    found = [added for added, _ in map(_span, _prefixes(name)) if added]
    return max(found, default=None)


def is_in(name: str, version: Version) -> bool:
    """True where a release has a spelling, as far as that is known."""
    added, removed = added_in(name), removed_in(name)
    return (added or (0,)) <= version and (removed is None or version < removed)


def spelling(api: str, version: Version) -> str:
    """The name of an API in a release: `mindspore.GRAPH_MODE` is `mindspore.context.GRAPH_MODE` before 1.6.

    That is the canonical name, else the shortest other one that the release has.
    """
    if is_in(api, version):
        return api
    return next((other for other in spellings(api) if is_in(other, version)), api)


@cache
def removed_in(name: str) -> Optional[Version]:
    """The first release without a spelling, `mindspore.ms_function` -> (2, 6); None if it is still there, or unknown.

    A name in a module that is gone is gone with it.
    """
    found = [removed for _, removed in map(_span, _prefixes(name)) if removed]
    return min(found, default=None)


@cache
def departed() -> frozenset[str]:
    """The last words of all names that were removed in some release."""
    spans = (span for module in _versions().values() for span in module.items())
    return frozenset(name for span, names in spans if not span.endswith("-") for name in names.split())


def _prefixes(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(2, len(parts) + 1)]


def _span(name: str) -> tuple[Optional[Version], Optional[Version]]:
    module, _, last = name.rpartition(".")
    return _spans(module).get(last, (None, None))


@cache
def _spans(module: str) -> Mapping[str, tuple[Optional[Version], Optional[Version]]]:
    found = {}
    for span, names in _versions().get(module, {}).items():
        added, _, removed = span.partition("-")
        for name in names.split():
            found[name] = (_release(added), _release(removed))
    return found


def _release(text: str) -> Optional[Version]:
    return tuple(map(int, text.split("."))) if text else None


@cache
def _versions() -> Mapping[str, Mapping[str, str]]:
    versions: Mapping[str, Mapping[str, str]] = read_data("versions")
    return versions
