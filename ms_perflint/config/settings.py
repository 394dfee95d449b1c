"""Settings, as they hold: which rules are on in which files, and what patterns of files match.

`config_values` reads and refuses what a table or the command line says, `config_files` finds the table.
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
NPU = r"([Nn][Pp][Uu]|([Aa]scend|ASCEND)?[ _-]?(310|910)[0-9A-Za-z_]*)"  # how people write what is an Ascend
SERIES = {1: 10, 2: 99}  # of MindSpore: the last minor version; of the newest, more than will ever be
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
    """A setting that cannot be used: where it stands, what is wrong, what would be right."""


class FileIgnore(NamedTuple):
    """Rules that are off in the files that a pattern names; with `!` in front, in all others."""

    pattern: str
    rules: tuple[str, ...]
    root: str = ""  # what the pattern is relative to; "" for the root of the configuration

    @property
    def glob(self) -> str:
        """Return the pattern in the language of .gitignore, where `**` has to be all of a name to lead further down."""
        return re.sub(r"\*\*(?=[^/*])", "**/*", self.pattern.lstrip("!"))


class Arguments(NamedTuple):
    """What follows `--` on the command line: the arguments of one program."""

    entry: str  # absolute
    words: tuple[str, ...]
    base: str  # the directory from which files in them are seen


class Launch(NamedTuple):
    """A command that starts a program, as `launch` says it; each file that a pattern in it names is another run."""

    entry: str  # absolute
    words: tuple[str, ...]  # behind the entry script
    base: str  # the directory from which files in them are seen
    script: str  # the entry script as it is written
    file: str  # in which it is said, absolute
    row: int
    said: str  # the same, as messages begin with it


class Excluded(NamedTuple):
    """Patterns of what is left out of directories, and the folder that they are relative to."""

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
    baseline: str | None = None  # the file of the findings that are known
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
    arguments: Arguments | None = None  # of the one program that is judged
    change: tuple[str, ...] = ()  # what it is about: the names in `CHANGE`; run configurations with it are judged first
    ignore_noqa: bool = False  # whether comments switch nothing off
    min_gain: str = SIZES[-1]  # rules that may gain less are off


class Config(_Settings):
    """All settings of a run. Rules are held as codes or code prefixes, never as names."""

    def selects(self, code: str, path: str) -> bool:
        """Return whether findings of this rule are wanted in the file at `path` (absolute)."""
        return code in self.codes and not self._ignored_in(path, code)

    @cached_property
    def codes(self) -> frozenset[str]:
        """Return the codes of all rules that are on; preview rules only when named in full."""
        return frozenset(code for code, preview in _rules().items() if self._is_on(code, preview))

    @property
    def idle(self) -> tuple[str, ...]:
        """Return what is selected and turns nothing on: prefixes of preview rules, which need their full code."""
        rules, chosen = _rules(), (*self.select, *self.extend_select)
        return tuple(
            word
            for word in chosen
            if word not in (ALL, *rules) and all(preview for code, preview in rules.items() if code.startswith(word))
        )

    @property
    def baseline_file(self) -> str | None:
        """Return the absolute path of the baseline; None where there is none."""
        return os.path.join(self.root, self.baseline) if self.baseline else None

    @property
    def profile_folder(self) -> str | None:
        """Return the absolute path of the profile; None where there is none."""
        return os.path.join(self.root, self.profile) if self.profile else None

    @property
    def excluded(self) -> tuple[Excluded, ...]:
        """Return all that is left out of directories."""
        return (Excluded(self.root, (*self.exclude, *self.extend_exclude)), *self.others)

    def at(self, directory: str) -> Config:
        """Return the configuration of the files in a directory: that of one table is the same in all of them."""
        return self

    def promotes(self, code: str) -> bool:
        """Return whether unsafe fixes of this rule are to be treated as safe."""
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
        """Return whether selected more exactly than ignored: `--ignore MSP3 --select MSP301` leaves MSP301 on."""
        chosen = (*self.select, *self.extend_select)
        if preview and code not in chosen:
            return False
        return _closeness(chosen, code) > _closeness(self.ignore, code) and self._gains_enough(code)

    def _gains_enough(self, code: str) -> bool:
        """Return whether fixing the findings of a rule may gain as much as is asked for."""
        if self.min_gain == SIZES[-1]:
            return True
        from ms_perflint.check import gain_of  # here, because most runs ask for all

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
    """What knows how far fixes are trusted."""

    def trust(self, finding: Finding) -> Safety | None:
        """Return how far the fix of a finding is trusted; None without fix."""


class Patterns:
    """Patterns in the language of .gitignore, relative to a directory."""

    def __init__(self, root: str, patterns: Iterable[str]) -> None:
        """Read the patterns. Raises ValueError for one that can match nothing."""
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
        """Return whether a directory above matches: what is in it cannot be taken back, as in git."""
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
    """Return how exactly the closest of these codes and prefixes names `code`; -1 when none does."""
    return max((0 if rule == ALL else len(rule) for rule in rules if rule == ALL or code.startswith(rule)), default=-1)


# --- settings on top of others


def laid(config: Config, values: dict[str, Any]) -> Config:
    """Return a configuration with values on top.

    `select` replaces the selection as a whole; `ignore` and what extends a selection add to it.
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
    """Return ignores whose patterns are relative to `root` where they say nothing else."""
    return tuple(one._replace(root=one.root or root) for one in ignores)


def is_anchored(pattern: str) -> bool:
    """Return whether a pattern means something else in another folder: it is no plain name."""
    return "/" in pattern.lstrip("!").rstrip("/")
