"""Colour, and characters as a terminal shows them."""

from __future__ import annotations

import os
import sys
from typing import NamedTuple

LINKING = frozenset(("iTerm.app", "WezTerm", "vscode", "ghostty", "xterm-ghostty", "xterm-kitty", "alacritty", "foot"))
_TAB = "    "
_BIDI = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_CODES = {
    "bold": "1",
    "red": "31;1",
    "green": "32",
    "yellow": "33",
    "blue": "34;1",
    "cyan": "36;1",
    "removed": "31",
    "underlined": "4",
    "grey": "90",
}


class Style(NamedTuple):
    """The styles of text; without colour, text stays as it is."""

    colour: bool = False
    terminal: bool = False  # whether the output interprets control characters
    links: bool = False  # whether the terminal supports links (OSC 8)

    def link(self, text: str, url: str) -> str:
        """Return a text as a link, if the terminal supports links."""
        return f"\x1b]8;;{url}\x1b\\{text}\x1b]8;;\x1b\\" if self.links else text

    def __call__(self, text: str, name: str) -> str:
        """Return a text in a style."""
        return f"\x1b[{_CODES[name]}m{text}\x1b[0m" if self.colour and text else text


PLAIN = Style()
COLOURS = AUTO, ALWAYS, NEVER = "auto", "always", "never"


def for_output(colour: str = AUTO) -> Style:
    """Return the style of an output: colour as requested, by default for terminals, by NO_COLOR and FORCE_COLOR."""
    terminal = sys.stdout.isatty()
    if colour == NEVER or (colour == AUTO and os.environ.get("NO_COLOR")):
        return Style(terminal=terminal)
    capable = terminal and os.environ.get("TERM") != "dumb"
    forced = colour == ALWAYS or bool(os.environ.get("FORCE_COLOR"))
    return Style(capable or forced, terminal, capable and _knows_links())


def _knows_links() -> bool:
    """Return whether the terminal is known to support links (OSC 8); others may print them as text."""
    asked = os.environ.get("FORCE_HYPERLINK")
    if asked:
        return asked != "0"
    vte = os.environ.get("VTE_VERSION", "")
    named = os.environ.get("TERM_PROGRAM") in LINKING or os.environ.get("TERM") in LINKING
    return named or (vte.isdigit() and int(vte) >= 5000) or any(map(os.environ.get, ("WT_SESSION", "KONSOLE_VERSION")))


def visible(text: str) -> str:
    """Return text without effect on a terminal: tabs as spaces, control characters as symbols."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible(character) for character in text)


def width(text: str) -> int:
    """Return the number of columns of visible text in a terminal."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width  # here, because most reports are in ASCII

    wide = (2 if east_asian_width(character) in "WF" else 1 for character in text if not combining(character))
    return sum(wide)


def _visible(character: str) -> str:
    if character == "\t":
        return _TAB
    if character < " ":
        return chr(0x2400 + ord(character))
    if character == "\x7f":
        return "\u2421"
    return "\ufffd" if character in _BIDI or "\x80" <= character < "\xa0" else character
