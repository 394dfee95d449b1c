"""`ms-perflint config`, and `check` with `--show-settings` or `--show-files`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

import click

from ms_perflint.commands.asked import Options
from ms_perflint.commands.inforce import in_force
from ms_perflint.commands.outputs import tell
from ms_perflint.commands.run import line
from ms_perflint.commands.settings import settings
from ms_perflint.config.options import OPTIONS, find, schema
from ms_perflint.config.settings import ConfigError
from ms_perflint.core.slips import suggestion
from ms_perflint.discovery import discover
from ms_perflint.languages import Message
from ms_perflint.report.settings import described, listed, options_as_json, render, render_json, told
from ms_perflint.report.sources import shown
from ms_perflint.report.style import for_output


def show_option(key: str | None, output_format: str) -> None:
    """Print one option, with its value in the working directory; without a key, list all options."""
    option = find(key) if key else None
    if key and not option:
        hint = suggestion(key, [each.key for each in OPTIONS])
        raise click.ClickException(Message('unknown option "{key}"{hint}', key=key, hint=hint))
    if output_format == "json":
        _write(options_as_json([option] if option else OPTIONS))
    elif option:
        _write(described(option, _here(option.key), for_output()))
    else:
        _write(listed(for_output()))


def show_schema() -> None:
    """Print the JSON Schema of the table."""
    _write(json.dumps(schema(), indent=2) + "\n")


def show_settings(paths: Sequence[str], options: Options) -> int:
    """Print the settings of a run with their origins; return the exit code."""
    held = in_force(paths, options)
    _write(render_json(held) if _as_json(options) else render(held, for_output()))
    return 0


def show_files(paths: Sequence[str], options: Options) -> int:
    """Print the files that a run would lint and return the exit code."""
    found = discover(paths, settings(paths, options))
    lines = "".join(f"{shown(path)}\n" for path in found.files)
    _write(json.dumps(found.files, indent=2) + "\n" if _as_json(options) else lines)
    for problem in found.problems:
        tell(line(problem))
    return 2 if found.problems else 0


def _as_json(options: Options) -> bool:
    """Return whether JSON is among the requested formats."""
    return any(output.format == "json" for output in options.output_format)


def _here(key: str) -> str:
    """Return the value of an option in the working directory, or the reason why it is not known."""
    try:
        return next(told(row) for row in in_force(["."], Options()).settings if row.option.key == key)
    except ConfigError as error:
        return str(error)


def _write(text: str) -> None:
    """Print a text as it is."""
    sys.stdout.write(text)
    sys.stdout.flush()
