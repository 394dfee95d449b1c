"""The output of `--help` in the language of the user: click does the layout, the texts are messages.

The Chinese help text is found by the English one: click stores no messages, and only texts of `Told` have values.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence
from typing import Any

import click

from ms_perflint.languages import ENGLISH, LANGUAGES, Message, catalogue, chosen, of_environment, say
from ms_perflint.report.style import width

LANGUAGE = "ms_perflint.language"  # key of the language in the context
SHOW = Message("Show this message and exit.")
USAGE, OPTIONS, COMMANDS = Message("Usage:"), Message("Options"), Message("Commands")
DEFAULT = Message("default: ")
WIDEST = 34  # columns of the terms of a list
_WORD = re.compile(r"[!-~]+ ?| |.")  # parts that are never broken
_CLOSING = "，。、；：！？）"  # no line starts with these


class Told(click.Option):
    """An option whose help is a message with values."""

    def __init__(self, names: Sequence[str], **given: Any) -> None:
        super().__init__(names, **given)
        self.help = given["help"]


class Command(click.Command):
    """A command with help in the chosen language."""

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the usage of the command."""
        prefix = f"{said(USAGE)} "
        wider = width(prefix) - len(prefix)  # than click counts
        formatter.width -= wider
        formatter.write_usage(ctx.command_path, " ".join(self.collect_usage_pieces(ctx)), prefix)
        formatter.width += wider

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the description of the command, by paragraphs."""
        for paragraph in paragraphs(self):
            formatter.write_paragraph()
            with formatter.indentation():
                _write_paragraph(said(paragraph), formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of the command."""
        write_options(OPTIONS, self.get_params(ctx), ctx, formatter)

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Return the help option, with a translated text."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.help = SHOW
        return option

    def get_short_help_str(self, limit: int = 45) -> str:
        """Return the whole first sentence of the description."""
        return said(paragraphs(self)[0])


class Group(Command, click.Group):
    """A group of commands with help in the chosen language."""

    command_class = Command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in front of a command, and the commands."""
        super().format_options(ctx, formatter)
        with formatter.section(said(COMMANDS)):
            shown = (self.commands[name] for name in self.list_commands(ctx))
            _write_list([(each.name or "", each.get_short_help_str()) for each in shown], formatter)


def asked(words: Sequence[str]) -> str:
    """Return the language of a command line, by default that of the environment; no configuration is read."""
    given = [word[len("--lang=") :] for word in words if word.startswith("--lang=")]
    given += [word for option, word in zip(words, words[1:]) if option == "--lang"]
    known = [word.lower() for word in given if word.lower() in LANGUAGES]
    return chosen(known[0] if known else of_environment())


def paragraphs(command: click.Command) -> list[str]:
    """Return the description of a command, one line per paragraph."""
    return [" ".join(part.split()) for part in inspect.cleandoc(command.help or "").split("\n\n")]


def said(text: str) -> str:
    """Return a help text in the language of the command line."""
    context = click.get_current_context(silent=True)
    language = context.meta.get(LANGUAGE, ENGLISH) if context is not None else ENGLISH
    if language == ENGLISH or (isinstance(text, Message) and text.values):
        return say(text, language)
    return catalogue(language).get(text, text)


def write_options(
    title: Message, options: Sequence[click.Parameter], ctx: click.Context, formatter: click.HelpFormatter
) -> None:
    """Write a list of options below a title."""
    rows = []
    for option in options:
        record = option.get_help_record(ctx)
        if record is not None and isinstance(option, click.Option):
            names, text = record
            plain = option.help or ""
            rows.append((names, said(plain) + text[len(plain) :].replace("default: ", said(DEFAULT))))
    with formatter.section(said(title)):
        _write_list(rows, formatter)


def _write_list(rows: Sequence[tuple[str, str]], formatter: click.HelpFormatter) -> None:
    """Write terms with their texts, by columns: click counts characters, and a Chinese one has two columns."""
    if all(text.isascii() for _, text in rows):
        formatter.write_dl(rows)
        return
    indent = " " * formatter.current_indent
    column = min(max(len(term) for term, _ in rows) + 2, WIDEST)
    for term, text in rows:
        first, *rest = _lines(text, formatter.width - len(indent) - column)
        fits = len(term) + 2 <= column
        formatter.write(f"{indent}{term:<{column}}{first}\n" if fits else f"{indent}{term}\n")
        formatter.write("".join(f"{indent}{'':{column}}{line}\n" for line in (rest if fits else (first, *rest))))


def _write_paragraph(text: str, formatter: click.HelpFormatter) -> None:
    """Write a paragraph, with the margin of the formatter."""
    if text.isascii():
        formatter.write_text(text)
        return
    indent = " " * formatter.current_indent
    formatter.write("".join(f"{indent}{line}\n" for line in _lines(text, formatter.width - len(indent))))


def _lines(text: str, room: int) -> Iterator[str]:
    """Yield the lines of a text within a width, as far as words allow."""
    line = ""
    for word in _WORD.findall(text.replace("\n", "")):
        if line and width(line + word.rstrip()) > room and word not in _CLOSING:
            yield line.rstrip()
            line = ""
        line += word
    yield line
