"""Options and settings, in a terminal and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from textwrap import wrap

from ms_perflint.config.options import OPTIONS, Option, example, toml
from ms_perflint.config.settings import TABLE
from ms_perflint.languages import escaped
from ms_perflint.report.sources import shown
from ms_perflint.report.style import Style

LABEL = 8
WIDEST = 100


@dataclass(frozen=True)
class Setting:
    """An option with the value that holds; None where it is not set."""

    option: Option
    value: object  # as TOML reads it
    origin: str  # a file, a name on the command line, or "default"


@dataclass(frozen=True)
class InForce:
    """All settings of a run."""

    file: str | None  # whose table rules it
    root: str  # what patterns are relative to
    settings: tuple[Setting, ...]
    rules: tuple[str, ...]  # that are on


def listed(style: Style) -> str:
    """Return all options, one a line."""
    wide = max(len(option.key) for option in OPTIONS)
    return "".join(f"{style(option.key.ljust(wide), 'bold')}  {option.help}\n" for option in OPTIONS)


def described(option: Option, here: str, style: Style) -> str:
    """Return all that is to be said about an option; `here` is the value that holds in this directory."""
    rows = [("type", option.takes), ("default", option.default_text), ("here", here)]
    rows += [("flag", option.flag)] if option.flag else []
    first, *more = example(option).splitlines()
    rows += [("example", first), *(("", line) for line in more)]
    lines = [style(option.key, "bold"), "", option.help, ""]
    return "\n".join([*lines, *(f"{style(name.ljust(LABEL), 'cyan')}  {text}" for name, text in rows), ""])


def told(setting: Setting) -> str:
    """Return the value of a setting and where it comes from, on one line."""
    if setting.value is None:
        return f"not set: {setting.option.unset}"
    return f"{toml(setting.value)} ({escaped(setting.origin)})"


def options_as_json(options: Sequence[Option]) -> str:
    """Return options as a JSON list; of one option, as an object."""
    rows = [{key: value for key, value in asdict(option).items() if key != "unset"} for option in options]
    for row, option in zip(rows, options):
        row["example"] = example(option)
    return json.dumps(rows if len(rows) != 1 else rows[0], indent=2) + "\n"


def render(held: InForce, style: Style) -> str:
    """Return the settings of a run as the table that would set them, each with where it comes from."""
    lines = [
        f"# rules that are on: {', '.join(held.rules) or 'none'}",
        f"# patterns are relative to {shown(held.root)}",
    ]
    lines = [style(line, "grey") for line in lines]
    lines += ["", f"[{TABLE}]"]
    for setting in held.settings:
        key = setting.option.key
        if setting.value is None:
            lines.append(style(f"# {key} is not set: {setting.option.unset}", "grey"))
        else:
            lines += _assigned(key, toml(setting.value), style(f"# {escaped(setting.origin)}", "grey"), style)
    return "\n".join([*lines, ""])


def _assigned(key: str, value: str, comment: str, style: Style) -> list[str]:
    """Return the lines that set a key; a long list takes several."""
    if len(value) <= WIDEST or not value.startswith("["):
        return [f"{style(key, 'bold')} = {value}  {comment}"]
    inner = wrap(value[1:-1], WIDEST, initial_indent="    ", subsequent_indent="    ", break_long_words=False)
    return [f"{style(key, 'bold')} = [  {comment}", *inner, "]"]


def render_json(held: InForce) -> str:
    """Return the settings of a run as an object."""
    rows = {row.option.key: {"value": row.value, "from": row.origin} for row in held.settings}
    document = {"file": held.file, "root": held.root, "rules": held.rules, "settings": rows}
    return json.dumps(document, indent=2) + "\n"
