"""The codes of all rules, without loading the rules: most runs of flake8 do not need them."""

from __future__ import annotations

import os
import sys
from functools import lru_cache

from ms_perflint.core.files import read_regular

CHECKS = "checks"  # the folder with a module for each rule: msp301_synchronous_checkpoint.py
GROUP = "ms_perflint.checks"  # entry points of checks from other packages
PREVIEW = b"\n    preview = True"  # in the module of a rule that is off until it is selected


def codes() -> tuple[str, ...]:
    """Return the codes of all rules."""
    if entry_points():
        from ms_perflint.check import checks

        return tuple(check.code for check in checks())
    return tuple(sorted(set(map(code_of, modules()))))


def modules() -> list[str]:
    """Return the module names of the rules in this package; `pkgutil` would import `inspect` for it."""
    names = os.listdir(os.path.join(os.path.dirname(__file__), CHECKS))
    return sorted({name.partition(".")[0] for name in names if name.startswith("msp")})


def code_of(module: str) -> str:
    """Return the code of the rule in a module: MSP301 for `msp301_synchronous_checkpoint`."""
    return module.partition("_")[0].upper()


def previews() -> tuple[str, ...]:
    """Return the codes of the preview rules."""
    if entry_points():
        from ms_perflint.check import checks

        return tuple(check.code for check in checks() if check.preview)
    return tuple(code_of(module) for module in modules() if PREVIEW in _text(module))


def _text(module: str) -> bytes:
    """Return the text of the module of a rule in this package; "" where only the compiled module exists."""
    path = os.path.join(os.path.dirname(__file__), CHECKS, f"{module}.py")
    return read_regular(path).replace(b"\r\n", b"\n") if os.path.exists(path) else b""


@lru_cache(maxsize=1)
def entry_points() -> list[object]:
    """Return the entry points of other packages; `importlib.metadata`, slow to import, is used only if needed."""
    if not any(map(_may_bring_checks, sys.path)):
        return []
    from importlib.metadata import entry_points as all_entry_points

    if sys.version_info >= (3, 10):
        return list(all_entry_points(group=GROUP))
    return list(all_entry_points().get(GROUP, ()))  # type: ignore[unreachable, unused-ignore]


def _may_bring_checks(place: str) -> bool:
    """Return whether a package in an entry of the search path may have checks; an archive always may."""
    try:
        names = os.listdir(place or os.curdir)
    except OSError:
        return os.path.isfile(place)
    return any(_names_group(place, name) for name in names if name.endswith((".dist-info", ".egg-info", ".egg")))


def _names_group(place: str, name: str) -> bool:
    inner = os.path.join(name, "EGG-INFO") if name.endswith(".egg") else name
    try:
        return GROUP.encode() in read_regular(os.path.join(place, inner, "entry_points.txt"))
    except OSError:
        return os.path.isfile(os.path.join(place, name)) and name.endswith(".egg")
