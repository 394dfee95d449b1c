"""Values of settings, parsed from a TOML table or the command line, with errors for invalid ones."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Optional

from ms_perflint.config.formats import FORMATS
from ms_perflint.config.settings import (
    ALL,
    DEVICES,
    NPU,
    SERIES,
    TABLE,
    Config,
    ConfigError,
    Excluded,
    FileIgnore,
    Launch,
    Patterns,
    Version,
    is_anchored,
    laid,
    rooted,
)
from ms_perflint.core.slips import suggestion
from ms_perflint.core.source import short
from ms_perflint.languages import LANGUAGES, Message

EXTEND = "extend"  # the key that names the file with the table that this one extends


class Spot(NamedTuple):
    """The place of a value: a key in the table of a file, or an option of the command line."""

    where: str  # the file as in messages, or the text in front of an option
    keys: tuple[str, ...]
    text: Optional[str] = None  # of the file; "" where it is not known

    def __str__(self) -> str:
        """Return the start of messages; the row is searched only for an error."""
        name = ".".join((*self.keys[:1], *(_key(key) for key in self.keys[1:])))
        if self.text is None:
            return self.where + name
        from ms_perflint.resolve.toml_ini import row

        line = f":{row(self.text, (*TABLE.split('.'), *self.keys))}" if self.text else ""
        return f"{self.where}{line}: [{TABLE}] {name}"

    def below(self, key: str) -> Spot:
        """Return the place of a key in this table."""
        return self._replace(keys=(*self.keys, key))


def _key(name: str) -> str:
    """Return a key as shown behind others."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else f'"{name}"'


def parse(table: Mapping[str, object], where: str, root: str, text: str = "") -> Config:
    """Return the configuration of a TOML table; errors name its file `where`, whose content is `text`."""
    return Config(root=root, **read(table, where, text))


def read(table: Mapping[str, object], where: str, text: str = "") -> dict[str, Any]:
    """Return the fields of a configuration that a TOML table sets. Raises ConfigError."""
    values: dict[str, Any] = {}
    for key, value in table.items():
        spot = Spot(where, (key,), text)
        if key not in _READERS:
            hint = suggestion(key, _READERS)
            raise ConfigError(Message("{place}: unknown key{hint}", place=spot, hint=hint))
        values[FIELDS.get(key, key.replace("-", "_"))] = _READERS[key](value, spot)
    values.pop(EXTEND, None)  # `config_files` follows it
    return values


def override(config: Config, where: str = "--", **given: object) -> Config:
    """Return a configuration, overridden by the command line; None and () are not set.

    Patterns and files are relative to the working directory.
    """
    values: dict[str, Any] = {}
    for name, value in given.items():
        if value is None or value == ():
            continue
        key = name.replace("_", "-")
        values[name] = _READERS[key](list(value) if isinstance(value, tuple) else value, Spot(where, (key,)))
        if key in ("baseline", "profile"):
            values[name] = os.path.abspath(values[name])
        if key.endswith("per-file-ignores"):
            values[name] = rooted(values[name], os.getcwd())
    return laid(config, {**values, **_left_out(config, values)})


def _left_out(config: Config, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the excludes of the command line: plain names, and patterns relative to the working directory."""
    patterns = (*given.get("exclude", ()), *given.get("extend_exclude", ()))
    if not patterns:
        return {}
    patterns = tuple(each[1:] if each.startswith("./") else each for each in patterns)
    names = {key: tuple(each for each in given.get(key, ()) if not is_anchored(each)) for key in _EXCLUDES}
    found: dict[str, Any] = {"extend_exclude": (*config.extend_exclude, *names["extend_exclude"])}
    if "exclude" in given:
        found["exclude"] = names["exclude"]
    anchored = tuple(filter(is_anchored, patterns))
    others = (Excluded(os.getcwd(), anchored),) if anchored else ()
    return {**found, "others": (*config.others, *others)}


def file_name(value: object, place: Spot) -> str:
    """Return the name of a file."""
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise ConfigError(Message("{place}: expected the name of a file, got {got}", place=place, got=_shown(value)))
    return value


def _unknown_rule(place: Spot, rule: str, known: Iterable[str]) -> ConfigError:
    """Return the error for an unknown rule."""
    hint = suggestion(rule, known)
    return ConfigError(Message('{place}: unknown rule "{rule}"{hint}', place=place, rule=rule, hint=hint))


def _texts(value: object, place: Spot) -> tuple[str, ...]:
    """Return a list of texts."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigError(Message('{place}: expected a list of texts, like ["..."]', place=place))
    return tuple(value)


def _selectors(value: object, place: Spot) -> tuple[str, ...]:
    """Return rules as codes and prefixes; names are converted to codes."""
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


def _ignores(value: object, place: Spot) -> tuple[FileIgnore, ...]:
    """Return which rules are off in which files."""
    if not isinstance(value, dict):
        raise ConfigError(Message('{place}: expected a table, like {{"tests/*" = ["MSP101"]}}', place=place))
    found = tuple(FileIgnore(pattern, _selectors(rules, place.below(pattern))) for pattern, rules in value.items())
    _patterns([one.glob for one in found], place)
    return found


def _patterns(value: object, place: Spot) -> tuple[str, ...]:
    """Return patterns in .gitignore syntax."""
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


def _version(value: object, place: Spot) -> Version:
    """Return a MindSpore version as numbers; a pre-release counts as its release."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+){1,2})(?:\.?[a-z]+[0-9]*)?", value) if isinstance(value, str) else None
    if not match:
        got = _shown(value)
        raise ConfigError(Message('{place}: expected a version like "2.4" or "2.4.1", got {got}', place=place, got=got))
    version = tuple(int(part) for part in match[1].split("."))
    if version[0] not in SERIES or version[1] > SERIES[version[0]]:
        known = Message("1.0 to 1.{last}, and 2.0 or later", last=SERIES[1])
        message = Message(
            "{place}: there is no MindSpore {got}; known are {known}", place=place, got=value, known=known
        )
        raise ConfigError(message)
    return version


def _device(value: object, place: Spot) -> str:
    """Return a device in MindSpore's spelling; any NPU is an Ascend."""
    if isinstance(value, str) and re.fullmatch(NPU, value.strip()):
        return DEVICES[0]
    return _one_of(DEVICES, value, place)


def _language(value: object, place: Spot) -> str:
    """Return the name of a language."""
    return _one_of(LANGUAGES, value, place)


def _one_of(names: Sequence[str], value: object, place: Spot) -> str:
    """Return one of some names, in its own spelling."""
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


def _flag(value: object, place: Spot) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise ConfigError(Message("{place}: expected true or false, got {got}", place=place, got=_shown(value)))
    return value


def _format(value: object, place: Spot) -> str:
    """Return the name of a report format."""
    return _one_of(FORMATS, value, place)


def _launches(value: object, place: Spot) -> tuple[Launch, ...]:
    """Return the commands that start programs; files in them are relative to the directory of the table's file."""
    import shlex  # here, because few tables have commands

    found = []
    for text in _texts(value, place):
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise ConfigError(
                Message("{place}: {got}: {reason}", place=place, got=_shown(text), reason=error)
            ) from None
        first = next((at for at, word in enumerate(words) if word.endswith(".py")), None)
        if first is None:
            message = Message(
                '{place}: expected a script with its arguments, like "train.py --config configs/*.yaml", got {got}',
                place=place, got=_shown(text),
            )  # fmt: skip
            raise ConfigError(message)
        file = os.path.abspath(place.where)
        base = os.path.dirname(file)
        entry = os.path.normpath(os.path.join(base, words[first]))
        rows = [row for row, line in enumerate((place.text or "").splitlines(), 1) if text in line]
        row = rows[0] if rows else 1
        found.append(Launch(entry, tuple(words[first + 1 :]), base, words[first], file, row, str(place)))
    return tuple(found)


def _length(value: object, place: Spot) -> int:
    """Return a line length."""
    return _number(value, place, (1, 1000))


def _number(value: object, place: Spot, limits: tuple[int, int]) -> int:
    """Return an integer in a range."""
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


def _options(value: object, place: Spot) -> dict[str, dict[str, object]]:
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
            raise ConfigError(Message("{place}: expected a table of options", place=place.below(rule)))
        check = known[codes[rule]]
        found[codes[rule]] = _rule_options(table, check.options, check.limits, place.below(rule))
    return found


def _rule_options(
    table: Mapping[str, object], defaults: Mapping[str, object], limits: Mapping[str, tuple[int, int]], place: Spot
) -> dict[str, object]:
    """Return the options that a table sets for one rule."""
    for option, value in table.items():
        if option not in defaults:
            hint = suggestion(option, defaults)
            raise ConfigError(Message("{place}: unknown option{hint}", place=place.below(option), hint=hint))
        default = defaults[option]
        if type(value) not in ((int, float) if isinstance(default, float) else (type(default),)):
            message = Message(
                "{place}: expected a value like {default}, got {got}",
                place=place.below(option),
                default=_shown(default),
                got=_shown(value),
            )
            raise ConfigError(message)
        if option in limits:
            _number(value, place.below(option), limits[option])
    return dict(table)


def _shown(value: object) -> str:
    """Return a value in TOML, cut short."""
    text = str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else repr(value)
    return short(text, 60)


_EXCLUDES = ("exclude", "extend_exclude")
FIELDS = {"rules": "options"}  # keys whose field is not the key with "_" for "-"
# each key is explained in options.py
_READERS: Mapping[str, Callable[[object, Spot], object]] = {
    EXTEND: file_name,
    "select": _selectors,
    "ignore": _selectors,
    "extend-select": _selectors,
    "per-file-ignores": _ignores,
    "extend-per-file-ignores": _ignores,
    "exclude": _patterns,
    "extend-exclude": _patterns,
    "baseline": file_name,
    "profile": file_name,
    "mindspore-version": _version,
    "device": _device,
    "unsafe-fixes": _flag,
    "extend-safe-fixes": _selectors,
    "fixable": _selectors,
    "unfixable": _selectors,
    "line-length": _length,
    "respect-gitignore": _flag,
    "output-format": _format,
    "lang": _language,
    "launch": _launches,
    "rules": _options,
}
