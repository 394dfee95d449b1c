"""The settings of an editor: options of the command line, with the same names."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, Optional

from ms_perflint.commands.asked import Options
from ms_perflint.commands.settings import settings
from ms_perflint.config.per_file import Configurations
from ms_perflint.config.settings import Config, ConfigError, inside
from ms_perflint.languages import Message

SECTION = "ms-perflint"
RULES = ("select", "ignore", "extend_select", "fixable", "unfixable")
PATTERNS = ("exclude", "extend_exclude")
IGNORES = ("per_file_ignores", "extend_per_file_ignores")
TEXTS = ("mindspore_version", "device", "lang", "baseline", "config", "profile")
FLAGS = ("unsafe_fixes", "isolated")
Settings = Mapping[str, Any]


class SettingsError(Exception):
    """An invalid setting of the editor."""


def read(given: object) -> Settings:
    """Return the settings of an editor, by the fields of Options. Raises SettingsError."""
    values: dict[str, Any] = {}
    for key, value in _table(given).items():
        name = re.sub(r"(?<=[a-z])([A-Z])", r"_\1", key).lower().replace("-", "_")
        if value is None:
            continue
        values[name] = _value(name, key, value)
    return values


def _value(name: str, key: str, value: object) -> object:
    """Return the value of a setting as Options has it. Raises SettingsError."""
    place = f"{SECTION}.{key}"
    if name in (*RULES, *PATTERNS):
        return _list(place, value, name in RULES)
    if name in IGNORES and isinstance(value, Mapping):
        return {str(pattern): list(_list(f"{place}.{pattern}", rules, True)) for pattern, rules in value.items()}
    for names, kind, expected in (
        (IGNORES, Mapping, Message("{place}: expected an object with patterns and rules", place=place)),
        (TEXTS, str, Message("{place}: expected a text", place=place)),
        (FLAGS, bool, Message("{place}: expected true or false", place=place)),
    ):
        if name in names and isinstance(value, kind):
            return value
        if name in names:
            raise SettingsError(expected)
    known = ", ".join(each.replace("_", "-") for each in sorted((*RULES, *PATTERNS, *IGNORES, *TEXTS, *FLAGS)))
    raise SettingsError(Message("{place}: unknown setting; known are {names}", place=place, names=known))


def _table(given: object) -> Mapping[str, object]:
    """Return the settings, which editors wrap in different ways."""
    while isinstance(given, Mapping) and len(given) == 1 and next(iter(given)) in (SECTION, "settings"):
        given = next(iter(given.values()))
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise SettingsError(Message("{place}: expected an object with settings", place=SECTION))
    return given


def _list(place: str, value: object, is_of_rules: bool) -> tuple[str, ...]:
    """Return a list of rules or patterns, which may be one text with commas. Raises SettingsError."""
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    if is_of_rules:
        raise SettingsError(Message('{place}: expected a list of rules, like ["MSP301"]', place=place))
    raise SettingsError(Message('{place}: expected a list of patterns, like ["build"]', place=place))


class Folders:
    """The folders of a workspace, each with the options that the editor sets for it."""

    def __init__(self, options: Mapping[str, Options], language: Optional[str] = None) -> None:
        self._options = options  # by path; "" for whatever lies in none of them
        self._language = language  # of the editor

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the folders, sorted."""
        return tuple(sorted(path for path in self._options if path))

    def around(self, path: str) -> Optional[str]:
        """Return the innermost folder that holds a path."""
        return max((folder for folder in self.paths if inside(path, folder)), key=len, default=None)

    def config(self, path: str, isolated: bool = False) -> Config:
        """Return the configuration of a file or a directory, as for `ms-perflint PATH`. Raises ConfigError."""
        config = self.configs(path, isolated).run
        return config if config.lang is not None else config._replace(lang=self._language)

    def configs(self, path: str, isolated: bool = False) -> Configurations:
        """Return the configurations below a directory, as for `ms-perflint PATH`. Raises ConfigError."""
        folder = self.around(path)
        options = self._options.get(folder or "", self._options.get("", Options()))
        if options.config is not None and folder is not None:
            options = options._replace(config=os.path.join(folder, options.config))
        if options.profile is not None and folder is not None:
            options = options._replace(profile=os.path.join(folder, options.profile))
        options = options._replace(isolated=True, config=None) if isolated else options
        return settings([path], options, f"{SECTION}.")

    def is_excluded(self, path: str, config: Config) -> bool:
        """Return whether a configuration excludes a file, relative to its table or to the workspace folder around."""
        from ms_perflint.config.settings import Patterns

        around = [self.around(path) or os.sep] if self.paths else []
        return any(Patterns(base, patterns)(path) for root, patterns in config.excluded for base in {root, *around})


__all__ = ["ConfigError", "Folders", "SettingsError", "read"]
