"""The settings of a run, with their origin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ms_perflint.commands.asked import Options
from ms_perflint.commands.settings import settings
from ms_perflint.config.files import Ruling, ruling
from ms_perflint.config.options import OPTIONS, Option
from ms_perflint.config.settings import Config, FileIgnore
from ms_perflint.config.values import EXTEND, FIELDS
from ms_perflint.report.settings import InForce, Setting

DEFAULT = "default"
ADDED = (
    "ignore",
    "extend-select",
    "extend-exclude",
    "extend-per-file-ignores",
)  # options of the command line that add to the file


def in_force(paths: Sequence[str], options: Options) -> InForce:
    """Return the settings of a run over these paths. May raise ConfigError."""
    config = settings(paths, options).run
    found = ruling(paths, options.config, options.isolated)
    rows = tuple(
        Setting(option, _value(config, option.key, options, found), _origin(option, found, options))
        for option in OPTIONS
    )
    return InForce(found.where if found else None, config.root, rows, tuple(sorted(config.codes)))


def _origin(option: Option, found: Ruling | None, options: Options) -> str:
    """Return the origin of an option's value."""
    given = [option.flag] if option.flag and getattr(options, _field(option.key), None) not in (None, ()) else []
    if option.key == "ignore" and options.extend_ignore:
        given.append("--extend-ignore")
    table = found.origin(option.key) if found is not None else None
    if table is not None and (not given or option.key in ADDED):
        given.insert(0, table.where)
    return ", ".join(given) or DEFAULT


def _field(key: str) -> str:
    """Return the field of a configuration for a key."""
    return FIELDS.get(key, key.replace("-", "_"))


def _value(config: Config, key: str, options: Options, found: Ruling | None) -> object:
    """Return a value of the configuration as TOML data."""
    if key == EXTEND:
        return found.table.get(key) if found is not None else None
    if key == "output-format" and options.output_format:
        return options.output_format[0].format
    value = getattr(config, _field(key))
    if key == "mindspore-version":
        return ".".join(map(str, value)) if value else None
    if key.endswith("per-file-ignores"):
        return _by_pattern(value)
    return _plain(value)


def _by_pattern(ignores: tuple[FileIgnore, ...]) -> dict[str, list[str]]:
    """Return pattern -> rules."""
    found: dict[str, list[str]] = {}
    for one in ignores:
        found.setdefault(one.pattern, []).extend(one.rules)
    return found


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, tuple) else value
