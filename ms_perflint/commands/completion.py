"""Completion of command lines in a shell, computed when the tab key is pressed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

SHELLS = ("bash", "zsh", "fish")
PROGRAM = "ms-perflint"


def script(shell: str, command: click.Command) -> str:
    """Return the script that makes a shell ask the command for completions."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    text = kind(command, {}, PROGRAM, f"_{PROGRAM.upper().replace('-', '_')}_COMPLETE").source()
    return text.replace('string split ","', 'string split -m 1 ","')  # fish: a list of rules has commas of its own


def rule(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return codes and names of rules."""
    return _rules(incomplete)


def selection(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return codes and names of rules, also in a list with commas."""
    before, comma, last = incomplete.rpartition(",")
    more = _items({"ALL": "all rules"}, last, before + comma)
    return [*_rules(last, before + comma), *more]


def option(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the keys of the configuration."""
    from ms_perflint.config.options import OPTIONS

    return _items({each.key: each.help for each in OPTIONS}, incomplete)


def device(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return devices, in any letter case."""
    from ms_perflint.config.settings import DEVICES

    return _items(dict.fromkeys((each for each in DEVICES if each.lower().startswith(incomplete.lower())), ""), "")


def file(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Leave it to the shell to complete a file."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def directory(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Leave it to the shell to complete a directory."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="dir")]


def _rules(incomplete: str, before: str = "") -> list[CompletionItem]:
    """Return the rules whose code or name has a prefix; names only for the prefix of a name."""
    from ms_perflint import pages

    found = [pages.page(code) for code in pages.codes()]
    codes = _items({page.code: page.name for page in found}, incomplete.upper(), before)
    names = {page.name: page.summary for page in found} if incomplete else {}
    return [*codes, *_items(names, incomplete, before)]


def _items(words: dict[str, str], incomplete: str, before: str = "") -> list[CompletionItem]:
    """Return the words with a prefix and their help; `before` is the text in front of them."""
    from click.shell_completion import CompletionItem

    return [
        CompletionItem(before + word, help=text or None) for word, text in words.items() if word.startswith(incomplete)
    ]
