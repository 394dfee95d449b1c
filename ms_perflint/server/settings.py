"""What an editor sets: the options of the command line, under the same names."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, Optional

from ms_perflint.commands.asked import Options
from ms_perflint.commands.settings import settings
from ms_perflint.config import Config, ConfigError, inside
from ms_perflint.configurations import Configurations
from ms_perflint.languages import Message

SECTION = "ms-perflint"
LISTS = ("select", "ignore", "extend_select")
Settings = Mapping[str, Any]
KINDS = {"mindspore_version": str, "device": str, "config": str, "profile": str, "unsafe_fixes": bool, "isolated": bool}


class SettingsError(Exception):
    """A setting of the editor that cannot be used."""


def read(given: object) -> Settings:
    """Return what an editor sets, by the fields of Options. Raises SettingsError."""
    values: dict[str, Any] = {}
    for key, value in _table(given).items():
        name = re.sub(r"(?<=[a-z])([A-Z])", r"_\1", key).lower().replace("-", "_")
        if value is None:
            continue
        if name in LISTS:
            values[name] = _rules(key, value)
        elif name in KINDS:
            if not isinstance(value, KINDS[name]):
                expected = Message("{place}: expected true or false", place=f"{SECTION}.{key}")
                if KINDS[name] is str:
                    expected = Message("{place}: expected a text", place=f"{SECTION}.{key}")
                raise SettingsError(expected)
            values[name] = value
        else:
            known = ", ".join(name.replace("_", "-") for name in sorted((*LISTS, *KINDS)))
            message = Message("{place}: unknown setting; known are {names}", place=f"{SECTION}.{key}", names=known)
            raise SettingsError(message)
    return values


def _table(given: object) -> Mapping[str, object]:
    """Return the settings themselves, which editors wrap up in different ways."""
    while isinstance(given, Mapping) and len(given) == 1 and next(iter(given)) in (SECTION, "settings"):
        given = next(iter(given.values()))
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise SettingsError(Message("{place}: expected an object with settings", place=SECTION))
    return given


def _rules(key: str, value: object) -> tuple[str, ...]:
    """Return a list of rules, also where they stand in one text with commas."""
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise SettingsError(Message('{place}: expected a list of rules, like ["MSP301"]', place=f"{SECTION}.{key}"))
    return tuple(value)


class Folders:
    """The folders of a workspace, each with the options that the editor sets for it."""

    def __init__(self, options: Mapping[str, Options]) -> None:
        self._options = options  # by path; "" for whatever lies in none of them

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the folders, sorted."""
        return tuple(sorted(path for path in self._options if path))

    def around(self, path: str) -> Optional[str]:
        """Return the innermost folder that holds a path."""
        return max((folder for folder in self.paths if inside(path, folder)), key=len, default=None)

    def config(self, path: str, isolated: bool = False) -> Config:
        """Return the configuration of a file or a directory, as for `ms-perflint PATH`. Raises ConfigError."""
        return self.configs(path, isolated).run

    def configs(self, path: str, isolated: bool = False) -> Configurations:
        """Return the configurations of what lies below a directory, as for `ms-perflint PATH`. Raises ConfigError."""
        folder = self.around(path)
        options = self._options.get(folder or "", self._options.get("", Options()))
        if options.config is not None and folder is not None:
            options = options._replace(config=os.path.join(folder, options.config))
        if options.profile is not None and folder is not None:
            options = options._replace(profile=os.path.join(folder, options.profile))
        return settings([path], options._replace(isolated=True, config=None) if isolated else options)

    def is_excluded(self, path: str, config: Config) -> bool:
        """Return whether a file is none of the user's own: excluded, or from elsewhere and, say, in site-packages."""
        from ms_perflint.config import Patterns

        around = [self.around(path) or os.sep] if self.paths else []
        return any(Patterns(base, patterns)(path) for root, patterns in config.excluded for base in {root, *around})


__all__ = ["ConfigError", "Folders", "SettingsError", "read"]
