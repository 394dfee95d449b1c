"""Values of settings, read from a TOML table or the command line: what a key takes, or an error that says why."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ms_perflint.config import ALL, DEVICES, TABLE, Config, ConfigError, FileIgnore, Patterns, Version
from ms_perflint.languages import LANGUAGES, Message


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
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 1000:
        got = _shown(value)
        raise ConfigError(Message("{place}: expected a number from 1 to 1000, got {got}", place=place, got=got))
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
        found[codes[rule]] = _rule_options(table, known[codes[rule]].options, f"{place}.{rule}")
    return found


def _rule_options(table: Mapping[str, object], defaults: Mapping[str, object], place: str) -> dict[str, object]:
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
