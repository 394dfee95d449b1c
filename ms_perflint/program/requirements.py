"""Which MindSpore the requirement files around a program ask for, or the cells of a notebook install."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from fnmatch import fnmatch
from typing import NamedTuple, Optional

from ms_perflint import mindspore_api
from ms_perflint.core.findings import Place
from ms_perflint.core.source import NOTEBOOK
from ms_perflint.infer.database import Files

Version = tuple[int, ...]
FILES = ("*requirements*.txt", "*pyproject.toml", "*setup.cfg", "*environment.yml", "*environment.yaml")
_PACKAGE = r"(?i)(?<![\w./-])mindspore(?:[-_](?:ascend|gpu|cpu))?(?![\w./])(?!-\w)"
_NUMBER = r"\d+(?:\.\d+)*"
_CLAUSE = rf"(===?|~=|<=?|>=?|!=|\^|~|=)?\s*v?({_NUMBER})(\.\*)?[\w.-]*"
_EXACT = ("==", "===", "=")
_WHEEL = rf"mindspore(?:_\w{{1,40}})?-({_NUMBER})"
_INSTALL = (
    rb"(?m)^[ \t]*(?![ \t])(?P<line>[!%]?[ \t]*(?:[\w./-]+[ \t]+-m[ \t]+)?"
    rb"(?:pip|conda|mamba)[\d.]*[ \t]+install\b(?P<what>[^\n#]*))"
)
_SIGNS = r"[\s\"'=\[\]{},:]*(?:version)?[\s\"'=:]*"


class Pin(NamedTuple):
    """One version, or everything below one, and where that is said."""

    place: Place
    version: Optional[Version] = None
    below: Optional[Version] = None


def is_one(path: str) -> bool:
    """Return whether a file is a requirement file by its name."""
    return any(fnmatch(os.path.basename(path), pattern) for pattern in FILES)


def pin(program: Files) -> Optional[Pin]:
    """Return what the requirement files nearest to the entry script say; None where they leave the version open.

    Of several in one folder the one that allows the newest version counts. What a notebook installs itself comes first.
    """
    installed = next(_installed(program), None)
    if installed is not None:
        return installed
    files = program.project.files
    for directory in program.project.ancestors(os.path.dirname(program.entry)):
        found = [
            each
            for name in sorted(files.named(directory, *FILES))
            for each in _pins(program, os.path.join(directory, name))
        ]
        if found:
            return max(found, key=lambda each: each.version or each.below or ())
    return None


def _installed(program: Files) -> Iterator[Pin]:
    """Yield the versions that the cells of a notebook install, the last one first."""
    module = program.module(program.entry) if program.entry.endswith(NOTEBOOK) else None
    if module is None:
        return
    for match in reversed(list(re.finditer(_INSTALL, module.source.written))):
        line = match["what"].decode()
        wheel, package = re.search(_WHEEL, line), re.search(_PACKAGE, line)
        version, below = read(line[package.end() :]) if package is not None else (None, None)
        if wheel is not None:
            version = mindspore_api.parse_version(wheel.group(1))
        if version is not None or below is not None:
            yield Pin(module.source.place(match.start("line")), version, below)


def _pins(program: Files, path: str) -> Iterator[Pin]:
    raw = program.project.raw(path) or b""
    if b"mindspore" not in raw.lower():
        return
    for row, line in enumerate(raw.decode("utf-8", "replace").splitlines(), 1):
        code = re.split(r"(?:^|\s)#", line)[0]
        for match in re.finditer(_PACKAGE, code):
            version, below = read(code[match.end() :])
            if version is not None or below is not None:
                yield Pin(Place(path, row, match.start() + 1), version, below)


def read(text: str) -> tuple[Optional[Version], Optional[Version]]:
    """Return the version that a requirement pins, and the one below which it stays; `text` follows the name.

    `>=2.2` alone pins nothing: newer versions are as likely as any. `~=2.2` allows every 2.x from there on.
    """
    text = re.sub(r"^\s*\[[^\]]*\]", "", text)
    wheel = re.search(_WHEEL, text) if text.lstrip().startswith("@") else None
    if wheel is not None:
        return mindspore_api.parse_version(wheel.group(1)), None
    below: Optional[Version] = None
    table = re.match(r"\s*=\s*[\"'{]", text) is not None  # of pyproject.toml: `mindspore = "^2.2"`
    at = _end(_SIGNS if table else r"[\s(]*", text)
    while match := re.compile(_CLAUSE).match(text, at):
        sign, number, any_last = match.groups()
        exact, limit = _clause(sign or ("==" if table else ""), number, any_last is not None)
        if exact is not None:
            return exact, None
        if limit is not None and (below is None or limit < below):
            below = limit
        at = _end(r"\s*,?\s*", text, match.end())
    return None, below


def _end(pattern: str, text: str, start: int = 0) -> int:
    match = re.compile(pattern).match(text, start)
    return match.end() if match else start


def _clause(sign: str, number: str, any_last: bool) -> tuple[Optional[Version], Optional[Version]]:
    """Return the one version that a clause allows, and the one below which it stays."""
    version, count = mindspore_api.parse_version(number), len(number.split("."))
    if sign == "<":
        return None, version
    if sign == "<=" or (sign in _EXACT and not any_last):
        return version, None
    same = {**dict.fromkeys(_EXACT, count), "~=": max(1, count - 1), "^": 1, "~": min(2, count)}.get(sign)
    return None, _after(version, same) if same is not None else None  # that many numbers stay


def _after(version: Version, places: int) -> Version:
    """Return the first version that differs in the first `places` numbers."""
    return (*version[: places - 1], version[places - 1] + 1, *(0,) * (3 - places))
