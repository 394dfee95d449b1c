"""The parameters shared by several commands, and the parsers of their values.

An invalid value raises click.BadParameter, whose text names the expected one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Optional, TypeVar

import click

from ms_perflint.cache.cache import CACHE_DIR
from ms_perflint.commands import completion
from ms_perflint.commands.asked import listed
from ms_perflint.commands.outputs import Output, output
from ms_perflint.config.formats import FORMATS
from ms_perflint.core.slips import suggestion
from ms_perflint.languages import LANGUAGES, VARIABLE, Message

CODE = "(?i)[A-Z]+[0-9]+"
FC = TypeVar("FC", bound=Callable[..., Any])


def _rules(_: click.Context, __: click.Parameter, values: Sequence[str]) -> tuple[str, ...]:
    """Return the rules of an option."""
    return _split(values, Message('expected rules, like "MSP301" or "ALL"'))


def _patterns(_: click.Context, __: click.Parameter, values: Sequence[str]) -> tuple[str, ...]:
    """Return the patterns of an option."""
    return _split(values, Message('expected patterns of files, like "legacy/" or "*_test.py"'))


def _split(values: Sequence[str], expected: str) -> tuple[str, ...]:
    """Return the words of an option that may be repeated, with several words separated by commas."""
    found = listed(values)
    if values and not found:
        raise click.BadParameter(expected)
    return found


def rules(name: str, text: str) -> Callable[[FC], FC]:
    """Return an option that takes rules."""
    complete = completion.selection
    return click.option(name, multiple=True, metavar="RULES", callback=_rules, shell_complete=complete, help=text)


def patterns(name: str, text: str) -> Callable[[FC], FC]:
    """Return an option that takes patterns of files."""
    complete = completion.file
    return click.option(name, multiple=True, metavar="PATTERNS", callback=_patterns, shell_complete=complete, help=text)


def noqa_reason(_: click.Context, __: click.Parameter, text: Optional[str]) -> Optional[str]:
    """Return the reason for a `# noqa`, which must not be read as further codes."""
    if text is None or not text.strip():
        return None if text is None else ""
    if not text.isprintable():
        raise click.BadParameter(Message("a reason is one line of text"))
    if re.match(CODE, text.lstrip(" ,")):
        word = text.split()[0]
        raise click.BadParameter(Message('"{word}" at the start of a reason would be read as one more code', word=word))
    return text.strip()


def _by_pattern(_: click.Context, __: click.Parameter, values: Sequence[str]) -> Optional[dict[str, list[str]]]:
    """Return pattern -> rules of "tests/*:MSP301,tools/*:MSP1,MSP2": a word without a colon is one more rule."""
    found: dict[str, list[str]] = {}
    pattern = ""
    for word in (part for value in values for part in re.split(r"[,\s]+", value) if part):
        start, colon, rule = word.rpartition(":")
        pattern = start if colon else pattern
        if not pattern:
            raise click.BadParameter(Message('expected PATTERN:RULE, like "tests/*:MSP301", got "{word}"', word=word))
        found.setdefault(pattern, []).extend([rule] if rule else [])
    for pattern in (pattern for pattern, rules in found.items() if not rules):
        raise click.BadParameter(Message('expected a rule behind "{pattern}:"', pattern=pattern))
    return found or None


def ignores(name: str, text: str) -> Callable[[FC], FC]:
    """Return an option that takes patterns of files with rules."""
    return click.option(name, multiple=True, metavar="PATTERN:RULES", callback=_by_pattern, help=text)


def outputs(_: click.Context, __: click.Parameter, values: Sequence[str]) -> tuple[Output, ...]:
    """Return the requested reports: formats, each with an optional `=FILE`."""
    wanted = tuple(map(output, values))
    for name in (each.format for each in wanted if each.format not in FORMATS):
        hint = suggestion(name, FORMATS) or Message("; choose from {names}", names=", ".join(FORMATS))
        raise click.BadParameter(Message('unknown format "{name}"{hint}', name=name, hint=hint))
    return wanted


def formats(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Return the formats with a prefix, for the completion of a shell."""
    return [name for name in FORMATS if name.startswith(incomplete)]


def output_format(*formats: str) -> Callable[[FC], FC]:
    """Return the option for the output format of a command without reports; the first format is the default."""
    names = ("--output-format", "--format", "output_format")
    return click.option(
        *names, type=click.Choice(formats), default=formats[0], show_default=True, help="The format of the output."
    )


def target(command: FC) -> FC:
    """Add the options for the target of the code."""
    device = click.option(
        "--device",
        metavar="DEVICE",
        shell_complete=completion.device,
        help="The device that the code is for: Ascend, GPU or CPU.",
    )
    version = click.option(
        "--mindspore-version", metavar="VERSION", help="The MindSpore version that the code is for, like 2.4."
    )
    return version(device(command))


config_file = click.option(
    "--config",
    metavar="FILE",
    shell_complete=completion.file,
    help="A TOML file with [tool.ms-perflint]; by default the nearest pyproject.toml of each file.",
)
cache_directory = click.option(
    "--cache-dir",
    metavar="DIR",
    envvar=CACHE_DIR,
    shell_complete=completion.directory,
    help="The directory of the cache; by default in the user's cache directory.",
)

language = click.option(
    "--lang",
    type=click.Choice(LANGUAGES, case_sensitive=False),
    envvar=VARIABLE,
    help="The language of messages; by default `lang` of the configuration, else that of the locale.",
)
