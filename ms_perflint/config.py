"""The settings of a run: `[tool.ms-perflint]` of one pyproject.toml, with the command line on top.

One configuration per run: the file named by `--config`, else the nearest pyproject.toml with that table, upward from
the common parent of the paths. Patterns are relative to the directory of a file that was found, to the working
directory for a file that was named (`root`).
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from ms_perflint.core.findings import Finding, Safety
from ms_perflint.core.source import read_regular
from ms_perflint.languages import LANGUAGES, Message

Version = tuple[int, ...]

TABLE = "tool.ms-perflint"
LARGEST = 10_000_000  # bytes of a file with settings
ALL = "ALL"
DEVICES = ("Ascend", "GPU", "CPU")
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


class _Settings(NamedTuple):
    """The fields of a configuration."""

    root: str  # absolute; patterns are relative to it
    select: tuple[str, ...] = (ALL,)
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    per_file_ignores: tuple[FileIgnore, ...] = ()
    extend_per_file_ignores: tuple[FileIgnore, ...] = ()
    baseline: str | None = None  # the file of the findings that are known
    exclude: tuple[str, ...] = EXCLUDE
    extend_exclude: tuple[str, ...] = ()
    mindspore_version: Version | None = None  # (2, 4, 1)
    device: str | None = None  # one of DEVICES
    unsafe_fixes: bool = False
    extend_safe_fixes: tuple[str, ...] = ()
    line_length: int = 88
    options: Mapping[str, Mapping[str, object]] = {}  # rule code -> option -> value
    respect_gitignore: bool = True
    output_format: str = "text"
    lang: str | None = None  # one of LANGUAGES


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
    def baseline_file(self) -> str | None:
        """Return the absolute path of the baseline; None where there is none."""
        return os.path.join(self.root, self.baseline) if self.baseline else None

    def promotes(self, code: str) -> bool:
        """Return whether unsafe fixes of this rule are to be treated as safe."""
        return _closeness(self.extend_safe_fixes, code) >= 0

    def trust(self, finding: Finding) -> Safety | None:
        """Return how far the fix of a finding is trusted; None without fix."""
        if finding.fix is None:
            return None
        safety = finding.fix.safety
        is_promoted = safety is Safety.UNSAFE and bool(self.extend_safe_fixes) and self.promotes(finding.code)
        return Safety.SAFE if is_promoted else safety

    def _is_on(self, code: str, preview: bool) -> bool:
        """Return whether selected more exactly than ignored: `--ignore MSP3 --select MSP301` leaves MSP301 on."""
        chosen = (*self.select, *self.extend_select)
        if preview and code not in chosen:
            return False
        return _closeness(chosen, code) > _closeness(self.ignore, code)

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


def common_parent(paths: Sequence[str]) -> str:
    """Return the deepest directory that holds all paths; the working directory when there are none."""
    if not paths:
        return os.getcwd()
    whole = [os.path.abspath(path) for path in paths]
    try:
        return os.path.commonpath([path if os.path.isdir(path) else os.path.dirname(path) for path in whole])
    except ValueError:  # on several drives
        return os.getcwd()


def parse(table: Mapping[str, object], where: str, root: str) -> Config:
    """Return the configuration that a TOML table spells; `where` names the table's file in errors."""
    values: dict[str, Any] = {}
    for key, value in table.items():
        place = f"{where}: [{TABLE}] {key}"
        if key not in _READERS:
            hint = suggestion(key, _READERS)
            raise ConfigError(Message("{place}: unknown key{hint}", place=place, hint=hint))
        values[FIELDS.get(key, key.replace("-", "_"))] = _READERS[key](value, place)
    return Config(root=root, **values)


def override(config: Config, where: str = "--", **given: object) -> Config:
    """Return the configuration with the command line's values on top; None and () were not given.

    `select` replaces the selection of the file as a whole; `ignore` and what extends something add to it. Patterns and
    files are relative to the working directory.
    """
    values: dict[str, Any] = {}
    for name, value in given.items():
        if value is None or value == ():
            continue
        key = name.replace("_", "-")
        values[name] = _READERS[key](list(value) if isinstance(value, tuple) else value, where + key)
        if key == "baseline":
            values[name] = os.path.abspath(values[name])
        if key.endswith("per-file-ignores"):
            values[name] = tuple(one._replace(root=os.getcwd()) for one in values[name])
    if "select" in values:
        config = config._replace(ignore=(), extend_select=())
    extended = values.get("extend_select", ())
    kept = tuple(rule for rule in config.ignore if rule not in extended)
    values["ignore"] = (*kept, *values.get("ignore", ()))
    values["extend_select"] = (*config.extend_select, *extended)
    values["extend_per_file_ignores"] = (*config.extend_per_file_ignores, *values.get("extend_per_file_ignores", ()))
    return config._replace(**values)


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


def _rules() -> dict[str, bool]:
    """Return code -> preview of every rule."""
    from ms_perflint.check import checks  # here, because it brings LibCST, which `rule` and `--help` do without

    return {check.code: check.preview for check in checks()}


def _closeness(rules: Iterable[str], code: str) -> int:
    """Return how exactly the closest of these codes and prefixes names `code`; -1 when none does."""
    return max((0 if rule == ALL else len(rule) for rule in rules if rule == ALL or code.startswith(rule)), default=-1)


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return `, did you mean "..."?` for the closest known word; "" when none is close."""
    import difflib

    by_upper = {name.upper(): name for name in known}
    close = difflib.get_close_matches(word.upper(), by_upper, n=1, cutoff=0.6)
    return Message(', did you mean "{name}"?', name=by_upper[close[0]]) if close else ""


def _unknown_rule(place: str, rule: str, known: Iterable[str]) -> ConfigError:
    """Return what to raise where a rule is named that does not exist."""
    hint = suggestion(rule, known)
    return ConfigError(Message('{place}: unknown rule "{rule}"{hint}', place=place, rule=rule, hint=hint))


def _texts(value: object, place: str) -> tuple[str, ...]:
    """Return a list of texts."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigError(Message('{place}: expected a list of texts, like ["..."]', place=place))
    return tuple(value)


def _selectors(value: object, place: str) -> tuple[str, ...]:
    """Return rules as codes and prefixes; names become codes."""
    from ms_perflint.check import checks

    names = {check.name: check.code for check in checks()}
    known = set(names.values())
    found = []
    for text in _texts(value, place):
        rule = names.get(text, text)
        prefix = any(code.startswith(rule) and len(rule) >= len(code.rstrip("0123456789")) for code in known)
        if rule != ALL and not prefix:
            raise _unknown_rule(place, text, sorted((ALL, *known, *names)))
        found.append(rule)
    return tuple(found)


def _ignores(value: object, place: str) -> tuple[FileIgnore, ...]:
    """Return which rules are off in which files."""
    if not isinstance(value, dict):
        raise ConfigError(Message('{place}: expected a table, like {{"tests/*" = ["MSP101"]}}', place=place))
    found = tuple(FileIgnore(pattern, _selectors(rules, f'{place}."{pattern}"')) for pattern, rules in value.items())
    _patterns([one.glob for one in found], place)
    return found


def _patterns(value: object, place: str) -> tuple[str, ...]:
    """Return patterns in the language of .gitignore."""
    patterns = _texts(value, place)
    for pattern in patterns:
        try:
            Patterns(os.sep, (pattern,))
        except ValueError as error:
            reason = error.args[0]
            message = Message(
                '{place}: "{pattern}" is not a pattern: {reason}', place=place, pattern=pattern, reason=reason
            )
            raise ConfigError(message) from error
    return patterns


def _file(value: object, place: str) -> str:
    """Return the name of a file."""
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise ConfigError(Message("{place}: expected the name of a file, got {got}", place=place, got=_shown(value)))
    return value


def _version(value: object, place: str) -> Version:
    """Return a MindSpore version as numbers; a pre-release counts as its release."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+){1,2})(?:\.?[a-z]+[0-9]*)?", value) if isinstance(value, str) else None
    if not match:
        got = _shown(value)
        raise ConfigError(Message('{place}: expected a version like "2.4" or "2.4.1", got {got}', place=place, got=got))
    return tuple(int(part) for part in match[1].split("."))


def _device(value: object, place: str) -> str:
    """Return a device in MindSpore's spelling."""
    return _one_of(DEVICES, value, place)


def _language(value: object, place: str) -> str:
    """Return the name of a language."""
    return _one_of(LANGUAGES, value, place)


def _one_of(names: Sequence[str], value: object, place: str) -> str:
    """Return the name that is meant, in its own spelling."""
    for name in names:
        if isinstance(value, str) and value.lower() == name.lower():
            return name
    message = Message(
        "{place}: expected one of {names}, got {got}{hint}",
        place=place,
        names=", ".join(names),
        got=_shown(value),
        hint=suggestion(value, names) if isinstance(value, str) else "",
    )
    raise ConfigError(message)


def _flag(value: object, place: str) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise ConfigError(Message("{place}: expected true or false, got {got}", place=place, got=_shown(value)))
    return value


def _format(value: object, place: str) -> str:
    """Return the name of a report format."""
    from ms_perflint.report import FORMATS

    return _one_of(FORMATS, value, place)


def _length(value: object, place: str) -> int:
    """Return a line length."""
    return _number(value, place, (1, 1000))


def _number(value: object, place: str, limits: tuple[int, int]) -> int:
    """Return a whole number between two others."""
    low, high = limits
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        message = Message(
            "{place}: expected a number from {low} to {high}, got {got}",
            place=place,
            low=low,
            high=high,
            got=_shown(value),
        )
        raise ConfigError(message)
    return value


def _options(value: object, place: str) -> dict[str, dict[str, object]]:
    """Return rule code -> option -> value; each value has the type of the option's default."""
    from ms_perflint.check import checks

    known = {check.code: check for check in checks()}
    codes = {**{check.name: code for code, check in known.items()}, **{code: code for code in known}}
    if not isinstance(value, dict):
        message = Message("{place}: expected a table of rules, like [{table}.rules.MSP202]", place=place, table=TABLE)
        raise ConfigError(message)
    found: dict[str, dict[str, object]] = {}
    for rule, table in value.items():
        if rule not in codes:
            raise _unknown_rule(place, rule, codes)
        if not isinstance(table, dict):
            raise ConfigError(Message("{place}: expected a table of options", place=f"{place}.{rule}"))
        check = known[codes[rule]]
        found[codes[rule]] = _rule_options(table, check.options, check.limits, f"{place}.{rule}")
    return found


def _rule_options(
    table: Mapping[str, object], defaults: Mapping[str, object], limits: Mapping[str, tuple[int, int]], place: str
) -> dict[str, object]:
    """Return the options that a table sets for one rule."""
    for option, value in table.items():
        if option not in defaults:
            hint = suggestion(option, defaults)
            raise ConfigError(Message("{place}: unknown option{hint}", place=f"{place}.{option}", hint=hint))
        default = defaults[option]
        if type(value) not in ((int, float) if isinstance(default, float) else (type(default),)):
            message = Message(
                "{place}: expected a value like {default}, got {got}",
                place=f"{place}.{option}",
                default=_shown(default),
                got=_shown(value),
            )
            raise ConfigError(message)
        if option in limits:
            _number(value, f"{place}.{option}", limits[option])
    return dict(table)


def _shown(value: object) -> str:
    """Return a value as TOML would write it, cut short."""
    text = str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


FIELDS = {"rules": "options"}  # keys whose field is not the key with "_" for "-"
# each key is explained in options.py
_READERS: Mapping[str, Callable[[object, str], object]] = {
    "select": _selectors,
    "ignore": _selectors,
    "extend-select": _selectors,
    "per-file-ignores": _ignores,
    "extend-per-file-ignores": _ignores,
    "exclude": _patterns,
    "extend-exclude": _patterns,
    "baseline": _file,
    "mindspore-version": _version,
    "device": _device,
    "unsafe-fixes": _flag,
    "extend-safe-fixes": _selectors,
    "line-length": _length,
    "respect-gitignore": _flag,
    "output-format": _format,
    "lang": _language,
    "rules": _options,
}
