"""Elements of a page. What is no `Markup` is text, and escaped: nothing else makes elements."""

from __future__ import annotations

import html
from typing import Union

VOID = ("meta", "input", "br")


class Markup(str):
    """Text that is HTML already."""


def tag(name: str, /, *children: Union[str, None], **attributes: Union[str, bool, None]) -> Markup:
    """Return an element; None leaves a child or an attribute out, `class_` is `class`, and `_` inside is `-`."""
    opened = "".join(_attribute(key, value) for key, value in attributes.items())
    inside = "".join(text(child) for child in children if child is not None)
    return Markup(f"<{name}{opened}>" if name in VOID else f"<{name}{opened}>{inside}</{name}>")


def text(child: str) -> Markup:
    """Return a text as HTML."""
    return child if isinstance(child, Markup) else Markup(html.escape(child))


def join(parts: list[str], between: str = "") -> Markup:
    """Return parts one behind the other."""
    return Markup(text(between).join(text(part) for part in parts))


def _attribute(key: str, value: Union[str, bool, None]) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{html.escape(value)}"'
