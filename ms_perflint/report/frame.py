"""The lines around a finding, with a mark under what is reported."""

from __future__ import annotations

from ms_perflint.core.findings import Finding
from ms_perflint.core.source import Source
from ms_perflint.report.style import Style, visible, width

CONTEXT = 2  # lines before and after
LONGEST = 160  # characters of a line that are shown
DOTS = "..."
TALLEST = 8  # lines of a reported range that are shown; of more the middle is left out


def frame(finding: Finding, source: Source, style: Style) -> list[str]:
    """Return the lines of the frame; nothing for a file that has become too short."""
    rows = len(source.starts) - 1
    first, last = finding.place.row, min(finding.end.row, rows)
    if not 1 <= first <= last:
        return []
    around = source.rows(first)
    before = _context(source, range(max(around.start, first - CONTEXT), first), first=True)
    after = _context(source, range(last + 1, min(around.stop, last + CONTEXT + 1)), first=False)
    above = finding.place.above
    gutter = len(str((after[-1] if after else last) - above))
    middle = _one(finding, source) if first == last else _several(finding, source, last)
    lines: list[tuple[str, str]] = [("", "")]
    bar = "" if first == last else "  "
    lines += [(str(row - above), bar + cut(_text(source, row), 0)[0]) for row in before]
    lines += middle
    lines += [(str(row - above), bar + cut(_text(source, row), 0)[0]) for row in after]
    lines.append(("", ""))
    return [_line(number, text, gutter, style) for number, text in lines]


def _line(number: str, text: str, gutter: int, style: Style) -> str:
    """Return one line of the frame; a line without number carries marks."""
    if number == DOTS:
        return style(DOTS, "blue")
    edge = style(f"{number.rjust(gutter)} |", "blue")
    return f"{edge} {text if number else style(text, 'red')}" if text.strip() else edge


def _one(finding: Finding, source: Source) -> list[tuple[str, str]]:
    """Return the reported line and the marks below it."""
    line = _text(source, finding.place.row)
    start, end = finding.place.column - 1, finding.end.column - 1
    text, skipped = cut(line, start)
    left = width(visible(line[skipped:start])) + (len(DOTS) if skipped else 0)
    marked = width(visible(line[start : min(end, skipped + LONGEST)]))
    return [(str(finding.place.line), text), ("", " " * left + "^" * max(1, marked))]


def _several(finding: Finding, source: Source, last: int) -> list[tuple[str, str]]:
    """Return the reported lines, joined by a bar that ends below the last character."""
    rows = list(range(finding.place.row, last + 1))
    bars = ["/ ", *["| "] * (len(rows) - 1)]
    above = finding.place.above
    lines = [(str(row - above), bar + cut(_text(source, row), 0)[0]) for bar, row in zip(bars, rows)]
    if len(lines) > TALLEST:
        lines = [*lines[: TALLEST - 3], (DOTS, ""), *lines[-2:]]
    end = width(visible(_text(source, last)[: max(0, finding.end.column - 2)]))
    return [*lines, ("", "|" + "_" * (min(end, LONGEST) + 1) + "^")]


def _context(source: Source, rows: range, first: bool) -> list[int]:
    """Return the rows without blank ones at the outer edge."""
    kept = list(rows)
    while kept and not source.line(kept[0 if first else -1]).strip():
        kept.pop(0 if first else -1)
    return kept


def _text(source: Source, row: int) -> str:
    return source.line(row).decode("utf-8", "replace")


def cut(line: str, column: int) -> tuple[str, int]:
    """Return the shown part of a line around a column, and the number of characters left out before it."""
    if len(line) <= LONGEST:
        return visible(line), 0
    start = max(0, column - LONGEST // 4) if column > LONGEST // 2 else 0
    end = start + LONGEST
    return (DOTS if start else "") + visible(line[start:end]) + (DOTS if end < len(line) else ""), start
