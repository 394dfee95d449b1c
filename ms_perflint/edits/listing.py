"""Items between brackets, separated by commas: the arguments of a call, the names of an import."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ms_perflint.edits.layout import fits, indent, line_start, marks, pad, remark, starts_line
from ms_perflint.findings import Edit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ms_perflint.source import Source, Span


@dataclass(frozen=True)
class Item:
    """One item with its own parentheses, and the comma behind it."""

    start: int
    end: int
    comma: int | None


@dataclass(frozen=True)
class Listing:
    """What stands between the brackets: `open` lies behind the opening bracket, `close` before the closing one."""

    source: Source
    open: int
    close: int
    items: tuple[Item, ...]
    unit: str = "    "  # one level of indentation

    def append(self, text: str, line_length: int) -> tuple[Edit, ...]:
        """Return the edits that add an item at the end.

        On a line of its own where the last item starts its line, or where a comment follows the last item: the
        comment stays with what it speaks of. A comma stands at the end only where one stood there before.
        """
        if not self.items:
            return self._fill(text)
        last = self.items[-1]
        lead, tail = (",", "") if last.comma is None else ("", ",")
        anchor = last.end if last.comma is None else last.comma + 1
        comment = remark(self.source, anchor)
        if starts_line(self.source, last.start):
            new = f"\n{indent(self.source, last.start)}{text}{tail}"
        else:
            inline = f"{lead} {text}{tail}"
            if comment is None and fits(self.source, anchor, inline, line_length):
                return (self._insert(anchor, inline),)
            new = f"\n{pad(self.source, self.items[0].start)}{text}{tail}"
        if comment is None:
            return (self._insert(anchor, lead + new),)
        return (*([self._insert(last.end, lead)] if lead else []), self._insert(comment, new))

    def prepend(self, text: str, line_length: int) -> tuple[Edit, ...]:
        """Return the edits that add an item in front of the others, above the comments of the first one."""
        if not self.items:
            return self._fill(text)
        first = self.items[0]
        below = pad(self.source, first.start)
        if any(mark == "#" for mark, _ in marks(self.source.text, self.open, first.start)):
            return (self._insert(remark(self.source, self.open) or self.open, f"\n{below}{text},"),)
        alone = len(self.items) == 1 or starts_line(self.source, self.items[1].start)
        if not (starts_line(self.source, first.start) and alone):
            inline = f"{text}, "
            if fits(self.source, first.start, inline, line_length):
                return (self._insert(first.start, inline),)
        return (self._insert(first.start, f"{text},\n{below}"),)

    def _fill(self, text: str) -> tuple[Edit, ...]:
        """Return the edit that puts the only item into empty brackets."""
        start = line_start(self.source, self.close)
        if start > self.open and starts_line(self.source, self.close):
            return (self._insert(start, f"{indent(self.source, self.open)}{self.unit}{text}\n"),)
        if self.source.text[self.open : self.close].strip():
            return (self._insert(self.close, text),)
        return (Edit(self.source.path, self.open, self.close, text),)

    def _insert(self, offset: int, text: str) -> Edit:
        """Return the edit that inserts a text."""
        return Edit(self.source.path, offset, offset, text)


def items(text: bytes, start: int, close: int, spans: Sequence[Span]) -> tuple[Item, ...]:
    """Return the items between two brackets, given where their values stand without parentheses of their own."""
    found = []
    for index, (first, end) in enumerate(spans):
        own = next((offset for mark, offset in marks(text, start, first) if mark == "("), first)
        stop = spans[index + 1][0] if index + 1 < len(spans) else close
        comma = None
        for mark, offset in marks(text, end, stop):
            if mark == ")":
                end = offset + 1
            elif mark == ",":
                comma = offset
                break
        found.append(Item(own, end, comma))
        start = end if comma is None else comma + 1
    return tuple(found)
