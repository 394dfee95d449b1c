"""The settings of a run: which rules are on in which files, and patterns of files.

`values` parses settings of a table or the command line, `files` finds the table.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from ms_perflint.core.findings import SIZES, Finding, Safety

Version = tuple[int, ...]

TABLE = "tool.ms-perflint"
ALL = "ALL"
DEVICES = ("Ascend", "GPU", "CPU")
NPU = r"([Nn][Pp][Uu]|([Aa]scend|ASCEND)?[ _-]?(310|910)[0-9A-Za-z_]*)"  # spellings of Ascend
SERIES = {1: 10, 2: 99}  # last minor version of each MindSpore release; for the newest, more than will ever exist
EXCLUDE = (
    ".bzr",
    ".direnv",
    ".eggs",
    ".git",
    ".hg",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".nox",
    ".pyenv",
    ".pytest_cache",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".venv",
    ".vscode",
    "__pycache__",
    "__pypackages__",
    "_build",
    "build",
    "dist",
    "node_modules",
    "site-packages",
    "venv",
)


class ConfigError(Exception):
    """An invalid setting: its place, the error, and valid values."""


class FileIgnore(NamedTuple):
    """Rules that are off in the files that match a pattern; with `!` in front, in all others."""

    pattern: str
    rules: tuple[str, ...]
    root: str = ""  # what the pattern is relative to; "" for the root of the configuration

    @property
    def glob(self) -> str:
        """Return the pattern in .gitignore syntax, where `**` matches folders only as a whole name."""
        return re.sub(r"\*\*(?=[^/*])", "**/*", self.pattern.lstrip("!"))


class Arguments(NamedTuple):
    """The arguments of one program, behind `--` on the command line."""

    entry: str  # absolute
    words: tuple[str, ...]
    base: str  # the directory from which files in them are seen


class Launch(NamedTuple):
    """A command of `launch` that starts a program; each file that matches a pattern in it is another run."""

    entry: str  # absolute
    words: tuple[str, ...]  # behind the entry script
    base: str  # the directory from which files in them are seen
    script: str  # the entry script as it is written
    file: str  # in which it is said, absolute
    row: int
    said: str  # the same, as messages begin with it


class Excluded(NamedTuple):
    """Patterns of excluded files, and the folder that they are relative to."""

    root: str
    patterns: tuple[str, ...]


class _Settings(NamedTuple):
    """The fields of a configuration."""

    root: str  # absolute; patterns are relative to it
    select: tuple[str, ...] = (ALL,)
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    per_file_ignores: tuple[FileIgnore, ...] = ()
    extend_per_file_ignores: tuple[FileIgnore, ...] = ()
    baseline: str | None = None  # the file of accepted findings
    profile: str | None = None  # the folder that the profiler wrote
    exclude: tuple[str, ...] = EXCLUDE
    extend_exclude: tuple[str, ...] = ()
    others: tuple[Excluded, ...] = ()  # what tables exclude that this one extends, where it is relative to theirs
    mindspore_version: Version | None = None  # (2, 4, 1)
    device: str | None = None  # one of DEVICES
    unsafe_fixes: bool = False
    extend_safe_fixes: tuple[str, ...] = ()
    fixable: tuple[str, ...] = (ALL,)
    unfixable: tuple[str, ...] = ()
    line_length: int = 88
    options: Mapping[str, Mapping[str, object]] = {}  # rule code -> option -> value
    respect_gitignore: bool = True
    output_format: str = "text"
    lang: str | None = None  # one of LANGUAGES
    launch: tuple[Launch, ...] = ()
    arguments: Arguments | None = None  # of the one checked program
    change: tuple[str, ...] = ()  # what it is about: the names in `CHANGE`; run configurations with it are judged first
    ignore_noqa: bool = False  # whether comments switch nothing off
    min_gain: str = SIZES[-1]  # rules that may gain less are off


class Config(_Settings):
    """All settings of a run. Rules are codes or code prefixes, never names."""

    def selects(self, code: str, path: str) -> bool:
        """Return whether a rule is on in the file at `path` (absolute)."""
        return code in self.codes and not self._ignored_in(path, code)

    @cached_property
    def codes(self) -> frozenset[str]:
        """Return the codes of all rules that are on; preview rules only if named in full."""
        return frozenset(code for code, preview in _rules().items() if self._is_on(code, preview))

    @property
    def idle(self) -> tuple[str, ...]:
        """Return the selectors without effect: prefixes of preview rules, which need their full code."""
        rules, chosen = _rules(), (*self.select, *self.extend_select)
        return tuple(
            word
            for word in chosen
            if word not in (ALL, *rules) and all(preview for code, preview in rules.items() if code.startswith(word))
        )

    @property
    def baseline_file(self) -> str | None:
        """Return the absolute path of the baseline; None without one."""
        return os.path.join(self.root, self.baseline) if self.baseline else None

    @property
    def profile_folder(self) -> str | None:
        """Return the absolute path of the profile; None without one."""
        return os.path.join(self.root, self.profile) if self.profile else None

    @property
    def excluded(self) -> tuple[Excluded, ...]:
        """Return all excludes."""
        return (Excluded(self.root, (*self.exclude, *self.extend_exclude)), *self.others)

    def at(self, directory: str) -> Config:
        """Return the configuration of the files in a directory: this one."""
        return self

    def promotes(self, code: str) -> bool:
        """Return whether unsafe fixes of a rule count as safe."""
        return _closeness(self.extend_safe_fixes, code) >= 0

    def trust(self, finding: Finding) -> Safety | None:
        """Return how far the fix of a finding is trusted; None without fix."""
        if finding.fix is None:
            return None
        if _closeness(self.fixable, finding.code) <= _closeness(self.unfixable, finding.code):
            return Safety.DISPLAY
        safety = finding.fix.safety
        is_promoted = safety is Safety.UNSAFE and bool(self.extend_safe_fixes) and self.promotes(finding.code)
        return Safety.SAFE if is_promoted else safety

    def _is_on(self, code: str, preview: bool) -> bool:
        """Return whether it is selected more exactly than ignored: `--ignore MSP3 --select MSP301` leaves MSP301 on."""
        chosen = (*self.select, *self.extend_select)
        if preview and code not in chosen:
            return False
        return _closeness(chosen, code) > _closeness(self.ignore, code) and self._gains_enough(code)

    def _gains_enough(self, code: str) -> bool:
        """Return whether the gain of a rule is at least the configured one."""
        if self.min_gain == SIZES[-1]:
            return True
        from ms_perflint.check import gain_of  # here, because most runs set no gain

        return SIZES.index(gain_of(code).size) <= SIZES.index(self.min_gain)

    def _ignored_in(self, path: str, code: str) -> bool:
        """Return whether `per-file-ignores` turns the rule off in this file."""
        patterns = self._file_patterns
        return any(matches(path) is wanted for rules, matches, wanted in patterns if _closeness(rules, code) >= 0)

    @cached_property
    def _file_patterns(self) -> tuple[tuple[tuple[str, ...], Patterns, bool], ...]:
        """Rules, where they are off, and whether that is where the pattern matches or where it does not."""
        return tuple(
            (one.rules, Patterns(one.root or self.root, (one.glob,)), not one.pattern.startswith("!"))
            for one in (*self.per_file_ignores, *self.extend_per_file_ignores)
        )


class PerDirectory(Protocol):
    """Settings that may differ from directory to directory."""

    def at(self, directory: str) -> Config:
        """Return the configuration of the files in a directory (absolute). May raise ConfigError."""


class Trust(Protocol):
    """An object that grades fixes."""

    def trust(self, finding: Finding) -> Safety | None:
        """Return how far the fix of a finding is trusted; None without fix."""


class Patterns:
    """Patterns in .gitignore syntax, relative to a directory."""

    def __init__(self, root: str, patterns: Iterable[str]) -> None:
        """Parse the patterns. Raises ValueError for one that can match nothing."""
        from ms_perflint.core.patterns import (  # here, because most runs have no pattern that is more than a name
            Spec,
            parse,
        )

        self._root = root
        self._spec = Spec(map(parse, patterns))
        self._folders: dict[str, bool] = {}  # whether they match, or one above them does

    def __call__(self, path: str, directory: bool = False) -> bool:
        """Return whether the file or directory at `path` (absolute) matches, or a directory above it.

        A path outside of the root matches only by names.
        """
        name = relative(path, self._root) if inside(path, self._root) else os.path.splitdrive(path)[1].lstrip(os.sep)
        name = name.replace(os.sep, "/")
        return bool(name) and (self._is_below(name) or self._spec(name, directory) is True)

    def _is_below(self, name: str) -> bool:
        """Return whether a directory above matches: its files cannot be re-included, as in git."""
        above: list[str] = []
        while (name := name.rpartition("/")[0]) and name not in self._folders:
            above.append(name)
        matches = self._folders.get(name, False)
        for folder in reversed(above):
            matches = self._folders[folder] = matches or self._spec(folder, True) is True
        return matches


def inside(path: str, root: str) -> bool:
    """Return whether `path` is `root` or lies below it; both absolute."""
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def relative(path: str, root: str) -> str:
    """Return a path inside of `root` as patterns see it: relative, with slashes; "" for the root itself."""
    return path[len(root.rstrip(os.sep)) + 1 :].replace(os.sep, "/")


def common_parent(paths: Sequence[str]) -> str:
    """Return the deepest directory that holds all paths; the working directory when there are none."""
    if not paths:
        return os.getcwd()
    whole = [os.path.abspath(path) for path in paths]
    try:
        return os.path.commonpath([path if os.path.isdir(path) else os.path.dirname(path) for path in whole])
    except ValueError:  # on several drives
        return os.getcwd()


def _rules() -> dict[str, bool]:
    """Return code -> preview of every rule."""
    from ms_perflint.codes import codes, previews

    off = previews()
    return {code: code in off for code in codes()}


def _closeness(rules: Iterable[str], code: str) -> int:
    """Return the length of the longest of these codes and prefixes that matches `code`; -1 without one."""
    return max((0 if rule == ALL else len(rule) for rule in rules if rule == ALL or code.startswith(rule)), default=-1)


# --- overriding settings


def laid(config: Config, values: dict[str, Any]) -> Config:
    """Return a configuration, overridden by values.

    `select` replaces the selection as a whole; `ignore` and `extend-` options add to it.
    """
    if "select" in values:
        config = config._replace(ignore=(), extend_select=())
    added = values.get("extend_select", ())
    kept = tuple(rule for rule in config.ignore if rule not in added)
    ignores = (*config.extend_per_file_ignores, *values.get("extend_per_file_ignores", ()))
    selection = {
        "ignore": (*kept, *values.get("ignore", ())),
        "extend_select": (*config.extend_select, *added),
        "extend_per_file_ignores": ignores,
    }
    return config._replace(**{**values, **selection})


def rooted(ignores: tuple[FileIgnore, ...], root: str) -> tuple[FileIgnore, ...]:
    """Return ignores with patterns relative to `root`, unless they have a root already."""
    return tuple(one._replace(root=one.root or root) for one in ignores)


def is_anchored(pattern: str) -> bool:
    """Return whether a pattern depends on its folder: it is no plain name."""
    return "/" in pattern.lstrip("!").rstrip("/")
