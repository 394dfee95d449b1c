"""Items between brackets, separated by commas: the arguments of a call, the names of an import.

It works on text, not on LibCST nodes, by measurement. The same on nodes (set `comma` and whitespace of `Arg`, render,
cut what is equal) made the same of every layout in `tests/layouts`, took 221 lines of code for calls alone, where this
took 185 for calls and imports, and 2.1 ms for an edit instead of 0.25 ms: 0.9 ms to parse the call, else as much to
render and to compare it (libcst 1.9, Python 3.11, 593 edits of the layouts). `python tests/fuzz.py` found a flaw in 56
of 885 of its edits and in 1 of these: what decides is where a line starts and how wide it is, and no node says that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ms_perflint.core.findings import Edit
from ms_perflint.edits.layout import (
    BLANK,
    fits,
    indent,
    is_joined,
    limit,
    line_end,
    line_start,
    marks,
    pad,
    remark,
    starts_line,
    width,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ms_perflint.core.source import Source, Span


class Item(NamedTuple):
    """One item with its own parentheses, and the comma behind it."""

    start: int
    end: int
    comma: int | None


class Listing(NamedTuple):
    """The text between brackets: `open` is the offset behind the opening bracket, `close` that of the closing one."""

    source: Source
    open: int
    close: int
    items: tuple[Item, ...]
    unit: str = "    "  # one level of indentation

    def append(self, text: str, line_length: int) -> tuple[Edit, ...]:
        """Return the edits that add an item at the end.

        It gets a line of its own where the last item starts its line, or where a comment follows the last item: the
        comment stays with its item. A trailing comma is kept, and not added.
        """
        if not self.items:
            return self._fill(text)
        last = self.items[-1]
        lead, tail = (",", "") if last.comma is None else ("", ",")
        anchor = last.end if last.comma is None else last.comma + 1
        comment = remark(self.source, anchor)
        in_front = self._comma_in_front(len(self.items) - 2) if last.comma is None else None
        if in_front is not None:
            return (self._insert(comment or anchor, f"\n{in_front}{text}"),)
        if starts_line(self.source, last.start):
            new = f"\n{indent(self.source, last.start)}{text}{tail}"
            if comment is None and is_joined(self.source, self.source.row(last.start)):
                new = f" \\{new}"
        else:
            inline = f"{lead}{self._gap()}{text}{tail}"
            if comment is None and fits(self.source, anchor, inline, line_length):
                return (self._insert(anchor, inline),)
            below = pad(self.source, self.items[0].start)
            inner = indent(self.source, self.open) + self.unit
            most = limit(self.source, line_length)
            is_one_line = self.source.row(self.open) == self.source.row(self.close)
            if width(f"{below}{text}{tail})") > most and width(inner) < width(below) and is_one_line:
                return self._hang(text, anchor, lead, tail)
            new = f"\n{below}{text}{tail}"
        if comment is None:
            return (self._insert(anchor, lead + new),)
        return (*([self._insert(last.end, lead)] if lead else []), self._insert(comment, new))

    def prepend(self, text: str, line_length: int) -> tuple[Edit, ...]:
        """Return the edits that add an item before the others, above the comments of the first one."""
        if not self.items:
            return self._fill(text)
        first = self.items[0]
        below = pad(self.source, first.start)
        if self._comment(self.open, first.start):
            return (self._insert(remark(self.source, self.open) or self.open, f"\n{below}{text},"),)
        in_front = self._comma_in_front(0)
        if in_front is not None:
            return (self._insert(first.start, f"{text}\n{in_front}"),)
        others = [starts_line(self.source, item.start) for item in self.items[1:]]
        hangs = starts_line(self.source, first.start)
        if not (all(others) if others else hangs) and not (hangs and others[0]):
            inline = f"{text},{self._gap()}"
            if fits(self.source, first.start, inline, line_length):
                return (self._insert(first.start, inline),)
        if others and others[0] and not hangs:
            below = indent(self.source, self.items[1].start)
        return (self._insert(first.start, f"{text},\n{below}"),)

    def joined(self, first: int, last: int) -> Listing | None:
        """Return the listing with adjacent items joined into one; None where a comment is between them."""
        if first < last and self._comment(self.items[first].end, self.items[last].start):
            return None
        one = self.items[last]._replace(start=self.items[first].start)
        return self._replace(items=(*self.items[:first], one, *self.items[last + 1 :]))

    def remove(self, index: int) -> tuple[Edit, ...] | None:
        """Return the edits that remove an item; if it has lines of its own, with the comment at their end.

        None where a comment that may be about another item would be lost.
        """
        item, text = self.items[index], self.source.text
        end = item.end if item.comma is None else item.comma + 1
        if len(self.items) == 1:
            lost = self._comment(self.open, item.start) or self._comment(item.end, self.close)
            return None if lost else (self._delete(self.open, self.close),)
        comma = self.items[index - 1].comma if index and index + 1 == len(self.items) and item.comma is None else None
        bottom = remark(self.source, end) or end
        if starts_line(self.source, item.start):
            if self._is_headed(index):
                return None
            if not text[bottom : line_end(self.source, bottom)].strip(BLANK):
                lines = self._lines(index, self.source.row(item.start), self.source.row(bottom))
                return (lines,) if comma is None else (self._without_comma(comma), lines)
        return self._remove_inline(index, end)

    def _without_comma(self, comma: int) -> Edit:
        """Return the edit that deletes a comma, and its line or the rest of it if only blanks are left."""
        row, text = self.source.row(comma), self.source.text
        start, end = line_start(self.source, comma), line_end(self.source, comma)
        if text[comma + 1 : end].strip(BLANK):
            return self._delete(comma, comma + 1)
        if starts_line(self.source, comma):
            return self._delete(start, self.source.starts[row])
        return self._delete(start + len(text[start:comma].rstrip(BLANK)), end)

    def _lines(self, index: int, first: int, last: int) -> Edit:
        """Return the edit that deletes the rows of one item, with superfluous blank lines."""
        source = self.source
        above = index == 0 or not source.line(first - 1).strip(BLANK)
        while above and last + 1 < source.row(self.close) and not source.line(last + 1).strip(BLANK):
            last += 1
        while index + 1 == len(self.items) and not source.line(first - 1).strip(BLANK):
            first -= 1
        return self._delete(source.starts[first - 1], source.starts[last])

    def _remove_inline(self, index: int, end: int) -> tuple[Edit, ...] | None:
        """Return the edits that remove an item that shares its lines with others."""
        item, before = self.items[index], self.items[index - 1] if index else None
        after = self.items[index + 1] if index + 1 < len(self.items) else None
        if after is not None and self._comment(item.end, after.start):
            return None
        if before is None or before.comma is None:
            return (self._delete(item.start, after.start),) if after else None
        if self._comment(before.comma, item.start):
            gap = [] if item.comma is not None else [self._delete(before.comma, before.comma + 1)]
            return (*gap, self._delete(item.start, after.start if after else end))
        if after is not None and not starts_line(self.source, after.start):
            return (self._delete(item.start, after.start),)
        start = before.comma if item.comma is None else before.comma + 1
        rest = self.source.text[end : line_end(self.source, end)]
        line = self.source.line(self.source.row(start) - 1)
        stays = rest and (self._comment(before.end, start) or line.endswith(b"\\"))  # nothing may follow those
        if starts_line(self.source, start) and not stays:
            above = self.source.row(start) - 1
            line = self.source.line(above)
            if line.endswith(b"\\"):  # it continued the removed line
                line = line[:-1].rstrip(BLANK)
            start = self.source.starts[above - 1] + len(line)
        elif not rest.strip(BLANK):
            first = line_start(self.source, start)
            start = first + len(self.source.text[first:start].rstrip(BLANK))
        return (self._delete(start, end),)

    def _is_headed(self, index: int) -> bool:
        """Return whether a comment is right above an item that starts its line: it may be about several items."""
        top = line_start(self.source, self.items[index].start)
        before = self.items[index - 1].comma if index else self.open
        above = self.source.line(self.source.row(top) - 1).strip(BLANK)
        return above.startswith(b"#") and self._comment(before or self.open, top)

    def _comma_in_front(self, index: int) -> str | None:
        """Return the start of the line below an item, with its comma; None where the comma follows the item."""
        if index < 0 or index + 1 >= len(self.items):
            return None
        comma, below = self.items[index].comma, self.items[index + 1].start
        if comma is None or not starts_line(self.source, comma) or self._comment(comma, below):
            return None
        start = self.source.text[line_start(self.source, comma) : below].decode()
        return start if "\n" not in start and "\r" not in start else None

    def _gap(self) -> str:
        """Return the text between a comma and the next item on the same line."""
        pairs = zip(self.items, self.items[1:])
        return "" if any(one.comma is not None and one.comma + 1 == other.start for one, other in pairs) else " "

    def _hang(self, text: str, anchor: int, lead: str, tail: str) -> tuple[Edit, ...]:
        """Return the edits that put the items of a long line, and a new one, on lines of their own."""
        margin = indent(self.source, self.open)
        path, inner = self.source.path, margin + self.unit
        return (
            Edit(path, self.open, self.items[0].start, f"\n{inner}"),
            Edit(path, anchor, self.close, f"{lead}\n{inner}{text}{tail}\n{margin}"),
        )

    def _comment(self, start: int, end: int) -> bool:
        """Return whether a comment is between two items."""
        return any(mark == "#" for mark, _ in marks(self.source.text, start, end))

    def _delete(self, start: int, end: int) -> Edit:
        """Return the edit that deletes a range."""
        return Edit(self.source.path, start, end, "")

    def _fill(self, text: str) -> tuple[Edit, ...]:
        """Return the edit that inserts an item into empty brackets."""
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
    """Return the items between two brackets, by the spans of their values without parentheses."""
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
