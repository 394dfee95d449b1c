"""The Markdown of the rule pages, laid out for a terminal: headings, paragraphs, lists, quotes, tables, code.

Without colour it stays readable: headings stand further left than the text, code keeps its backquotes.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ms_perflint.report.style import Style, visible, width

MARGIN = "  "  # of everything that is no heading
NARROWEST = 24
GAP = "  "  # between the columns of a table
CHANGED = {"+": "green", "-": "removed"}  # lines of a diff
CLOSING = frozenset("，。、；：！？）》」』】”’…")  # no line starts with these

_FENCE = re.compile(r"(?P<fence>`{3,}|~{3,})(?P<info>[^`]*)")
_ITEM = re.compile(r"(?P<mark>[-*+]|[0-9]+\.) +(?P<text>.*)")
_RULE = re.compile(r"\|?[ :|-]*-[ :|-]*\|[ :|-]*")  # between the head and the body of a table
_INLINE = re.compile(
    r"\\(?P<escaped>[!-/:-@\[-`{-~])|(?P<tick>`+)(?P<code>.+?)(?P=tick)|\*\*(?P<bold>.+?)\*\*|\*(?P<slanted>[^*]+)\*"
    r"|\[(?P<words>[^\]]+)\]\((?P<target>[^)\s]+)\)|<(?P<link>https?://[^>\s]+)>"
)

Run = tuple[str, str]  # text and the name of its style


@dataclass(frozen=True)
class Word:
    """What no line end may come between."""

    runs: tuple[Run, ...]
    spaced: bool  # whether a space stands before it

    @property
    def width(self) -> int:
        """Return how many columns it takes."""
        return sum(width(text) for text, _ in self.runs)


class Layout:
    """Lays blocks out for a number of columns."""

    def __init__(self, style: Style, columns: int) -> None:
        self.style = style
        self.columns = max(columns, NARROWEST)

    def page(self, text: str) -> list[str]:
        """Return the lines of a whole page."""
        return list(self._blocks(text.splitlines(), ""))

    def _blocks(self, lines: Sequence[str], prefix: str) -> Iterator[str]:
        """Yield the lines of all blocks, each behind the prefix, with one empty line between two blocks."""
        at = 0
        first = True
        while at < len(lines):
            if not lines[at].strip():
                at += 1
                continue
            end = _end(lines, at)
            if not first:
                yield prefix.rstrip()
            first = False
            yield from self._block(lines[at:end], prefix)
            at = end

    def _block(self, lines: Sequence[str], prefix: str) -> Iterator[str]:
        """Yield the lines of one block."""
        head = lines[0].strip()
        margin = prefix or MARGIN
        if head.startswith("#"):
            level = len(head) - len(head.lstrip("#"))
            yield prefix + self.style(head[level:].strip(), "bold" if level == 1 else "blue")
        elif _FENCE.fullmatch(head):
            yield from (f"{margin}{line}".rstrip() for line in self._code(lines))
        elif head.startswith(">"):
            inner = [line.strip()[1:][1:] for line in lines]
            yield from self._blocks(inner, f"{margin}{self.style('│', 'grey')} ")
        elif head.startswith("|"):
            yield from (f"{margin}{line}" for line in self._table(lines, self._room(margin)))
        elif _ITEM.fullmatch(head):
            yield from self._list(lines, margin)
        else:
            yield from (f"{margin}{line}" for line, _ in self._paragraph(" ".join(lines), self._room(margin)))

    def _room(self, prefix: str) -> int:
        """Return how many columns are left behind a prefix."""
        plain = re.sub(r"\x1b\[[0-9;]*m", "", prefix)
        return max(self.columns - width(plain), NARROWEST // 2)

    def _code(self, lines: Sequence[str]) -> Iterator[str]:
        """Yield the lines of an example; those that are reported have a mark in front. They are never broken."""
        match = _FENCE.fullmatch(lines[0].strip())
        names = [word[len("file=") :] for word in (match["info"] if match else "").split() if word.startswith("file=")]
        yield from (f"{self.style(f'{name}:', 'grey')}" for name in names)
        looks = CHANGED if match and match["info"].startswith("diff") else {}
        for line in textwrap.dedent("\n".join(lines[1:-1])).splitlines():
            reported = line.endswith("# !")
            look, mark = ("red", ">") if reported else (looks.get(line[:1], "cyan"), " ")
            text = visible(line[: -len("# !")].rstrip() if reported else line)
            yield f"{self.style(mark, look) if reported else mark} {self.style(text, look)}"

    def _list(self, lines: Sequence[str], margin: str) -> Iterator[str]:
        """Yield the lines of a list, the items close together, what continues an item below its text."""
        items: list[tuple[str, list[str]]] = []
        for line in lines:
            match = _ITEM.fullmatch(line.strip()) if not line.startswith("  ") else None
            if match:
                items.append((match["mark"] if match["mark"][:-1] else "-", [match["text"]]))
            else:
                items[-1][1].append(line.strip())
        for mark, texts in items:
            hang = " " * (len(mark) + 1)
            for row, (line, _) in enumerate(self._paragraph(" ".join(texts), self._room(margin + hang))):
                yield f"{margin}{hang if row else f'{mark} '}{line}"

    def _table(self, lines: Sequence[str], room: int) -> Iterator[str]:
        """Yield the lines of a table whose cells are broken so that it fits."""
        rows = [_cells(line) for line in lines if not _RULE.fullmatch(line.strip())]
        count = max(map(len, rows))
        rows = [[*row, *[""] * (count - len(row))] for row in rows]
        widths = self._widths(rows, room - len(GAP) * (count - 1))
        for number, row in enumerate(rows):
            cells = [self._paragraph(cell, wide, "" if number else "bold") for cell, wide in zip(row, widths)]
            for at in range(max(map(len, cells))):
                parts = [cell[at] if at < len(cell) else ("", 0) for cell in cells]
                yield GAP.join(text + " " * (wide - used) for (text, used), wide in zip(parts, widths)).rstrip()
            if not number:
                yield self.style(GAP.join("─" * wide for wide in widths), "grey")

    def _widths(self, rows: Sequence[Sequence[str]], room: int) -> list[int]:
        """Return the widths of the columns: as they are where they fit, else the widest give way first."""
        widths = [
            max(sum(used for _, used in self._paragraph(cell, 10**6)) for cell in column) for column in zip(*rows)
        ]
        least = [max(map(self._longest, column)) for column in zip(*rows)]
        while sum(widths) > room:
            spare, widest = max((wide - low, at) for at, (wide, low) in enumerate(zip(widths, least)))
            if spare <= 0:
                break  # a word is never broken
            widths[widest] -= 1
        return [max(wide, 1) for wide in widths]

    def _longest(self, text: str) -> int:
        """Return how wide the widest word is."""
        return max((word.width for word in self._words(text, "")), default=1)

    def _paragraph(self, text: str, room: int, look: str = "") -> list[tuple[str, int]]:
        """Return the lines of a text and how many columns each takes."""
        lines: list[list[Word]] = []
        used = 0
        for word in self._words(text, look):
            space = int(word.spaced and bool(lines))
            if lines and used + space + word.width <= room:
                lines[-1].append(word)
                used += space + word.width
            else:
                lines.append([word])
                used = word.width
        return [self._line(line) for line in lines]

    def _line(self, words: Sequence[Word]) -> tuple[str, int]:
        """Return the words side by side, and how many columns they take."""
        text, used = "", 0
        for number, word in enumerate(words):
            space = bool(number and word.spaced)
            text += " " * space + "".join(self.style(part, look) if look else part for part, look in word.runs)
            used += space + word.width
        return text, used

    def _words(self, text: str, look: str) -> list[Word]:
        """Return the words of a text; each character of a script without spaces is one."""
        words: list[Word] = []
        spaced = False
        glued = False  # whether what comes belongs to the word before
        for part, style in self._runs(text, look):
            for piece in re.findall(r"\s+|[\u2e80-\u9fff\uff00-\uffef]|[^\s\u2e80-\u9fff\uff00-\uffef]+", part):
                if piece.isspace():
                    spaced, glued = True, False
                    continue
                wide = width(piece) == 2 and len(piece) == 1
                if words and not spaced and ((glued and not wide) or piece in CLOSING):
                    words[-1] = Word((*words[-1].runs, (piece, style)), words[-1].spaced)
                else:
                    words.append(Word(((piece, style),), spaced))
                spaced, glued = False, not wide
        return words

    def _runs(self, text: str, look: str) -> Iterator[Run]:
        """Yield the parts of a text with their styles."""
        end = 0
        for match in _INLINE.finditer(text):
            yield visible(text[end : match.start()]), look
            end = match.end()
            if match["escaped"]:
                yield match["escaped"], look
            elif match["code"]:
                code = visible(match["code"].strip())
                yield (code, "cyan") if self.style.colour else (f"`{code}`", look)
            elif match["link"]:
                yield match["link"], "underlined"
            elif match["words"]:
                yield from self._runs(match["words"], look)
                if match["target"].startswith("http"):
                    yield f" <{match['target']}>", "grey"
            else:
                yield from self._runs(match["bold"] or match["slanted"], "bold" if match["bold"] else look)
        yield visible(text[end:]), look


def _end(lines: Sequence[str], start: int) -> int:
    """Return the row behind the block that starts here."""
    head = lines[start].strip()
    fence = _FENCE.fullmatch(head)
    if fence:
        rest = range(start + 1, len(lines))
        return next((row + 1 for row in rest if lines[row].strip() == fence["fence"]), len(lines))
    if head.startswith("#"):
        return start + 1
    kind = head[0] if head[0] in "|>" else ""
    for row in range(start + 1, len(lines)):
        line = lines[row].strip()
        starts = line.startswith(("#", "|", ">")) or _FENCE.fullmatch(line)
        if not line or (kind and line[0] != kind) or (not kind and starts):
            return row
    return len(lines)


def _cells(line: str) -> list[str]:
    """Return the cells of a row of a table."""
    inner = re.sub(r"^\||(?<!\\)\|$", "", line.strip())
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", inner)]
